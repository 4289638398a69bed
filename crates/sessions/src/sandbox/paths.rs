//! The paths of a sandbox, including those outside of the worktree that nearly every agent must write to.

use std::{
    collections::BTreeMap,
    error::Error,
    ffi::{OsStr, OsString},
    fs,
    os::unix::fs::DirBuilderExt,
    path::{Path, PathBuf},
};

use tracing::warn;

/// The paths that a sandboxed process may use. Each includes everything below it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SandboxPaths {
    pub write: Vec<PathBuf>,
    /// Not readable; everything else is.
    pub hide: Option<PathBuf>,
    /// Readable although it is below `hide`.
    pub show: Vec<PathBuf>,
}

/// State folders of known agents, relative to the home directory.
const STATE_FOLDERS: &[(&str, &[&str])] = &[
    ("claude", &[".claude"]),
    ("codex", &[".codex"]),
    ("opencode", &[".config/opencode", ".local/share/opencode", ".local/state/opencode"]),
    ("gemini", &[".gemini"]),
];
/// Files of known agents beside their folders.
const STATE_FILES: &[(&str, &str)] = &[("claude", ".claude.json")];
/// Variables that move the state folder of an agent.
const STATE_VARIABLES: &[(&str, &str)] = &[("claude", "CLAUDE_CONFIG_DIR"), ("codex", "CODEX_HOME")];
/// Devices that store nothing, terminals, and shared memory. New terminals cannot be told from those of others.
const DEVICES: &[&str] = &["null", "zero", "full", "random", "urandom", "tty", "ptmx", "pts", "shm"];
const TEMPORARY_FOLDER: &str = "/tmp";

/// Returns the usual writable paths that exist.
///
/// Of the known agents, only the state of the one that is started is included. Its state folders are created: a missing
/// folder cannot be allowed, and the agent could not create it itself.
pub(super) fn usual_writable_paths(
    command: &[OsString],
    environment: &BTreeMap<OsString, OsString>,
) -> Vec<PathBuf> {
    let variable = |name: &str| environment.get(OsStr::new(name)).filter(|value| !value.is_empty());
    let mut paths: Vec<PathBuf> = DEVICES.iter().map(|name| Path::new("/dev").join(name)).collect();
    paths.push(variable("TMPDIR").map_or_else(|| TEMPORARY_FOLDER.into(), PathBuf::from));
    let starts_agent = |agent: &str| starts_agent(command, agent);
    let variables = STATE_VARIABLES.iter().filter(|(agent, _)| starts_agent(agent));
    paths.extend(variables.filter_map(|(_, name)| variable(name)).map(PathBuf::from));
    if let Some(home) = variable("HOME").map(Path::new).filter(|home| home.is_absolute()) {
        for (_, folders) in STATE_FOLDERS.iter().filter(|(agent, _)| starts_agent(agent)) {
            for folder in *folders {
                let folder = home.join(folder);
                // On failure the agent reports the missing folder itself.
                if let Err(error) = fs::DirBuilder::new().recursive(true).mode(0o700).create(&folder) {
                    warn!(folder = %folder.display(), error = &error as &dyn Error, "cannot create a folder of the agent");
                }
                paths.push(folder);
            }
        }
        let files = STATE_FILES.iter().filter(|(agent, _)| starts_agent(agent));
        paths.extend(files.map(|(_, name)| home.join(name)));
    }
    paths.iter().filter_map(|path| fs::canonicalize(path).ok()).collect()
}

/// Tells whether a command starts an agent, also by a package runner: `npx @google/gemini-cli`. Arguments after the first
/// option are not part of the program.
fn starts_agent(command: &[OsString], agent: &str) -> bool {
    let words = command.iter().take_while(|word| !word.as_encoded_bytes().starts_with(b"-"));
    let names = words.filter_map(|word| Path::new(word).file_name()?.to_str());
    names
        .take(3)
        .any(|name| name == agent || name.strip_prefix(agent).is_some_and(|rest| rest.starts_with('-')))
}

#[cfg(test)]
mod tests {
    use super::{starts_agent, usual_writable_paths};

    #[test]
    fn agents_are_recognized_in_their_command() {
        let command = |line: &str| line.split(' ').map(Into::into).collect::<Vec<_>>();
        for line in ["/opt/bin/gemini --acp", "npx @google/gemini-cli", "node /usr/lib/gemini -x"] {
            assert!(starts_agent(&command(line), "gemini"), "{line}");
        }
        for line in ["claude --with gemini", "geminitool", "sh -c gemini"] {
            assert!(!starts_agent(&command(line), "gemini"), "{line}");
        }
    }

    #[test]
    fn only_the_state_of_the_started_agent_is_writable() {
        let folder = tempfile::tempdir().unwrap();
        let home = folder.path().canonicalize().unwrap();
        std::fs::create_dir(home.join(".codex")).unwrap();
        let environment = [("HOME".into(), home.clone().into_os_string())].into();
        let paths = usual_writable_paths(&["/opt/bin/claude".into()], &environment);
        assert!(paths.contains(&home.join(".claude")), "{paths:?}");
        assert!(!paths.contains(&home.join(".codex")), "{paths:?}");
        assert!(!home.join(".gemini").exists());
        assert!(!paths.contains(&home), "{paths:?}");
    }
}
