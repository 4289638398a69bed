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
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SandboxPaths {
    pub write: Vec<PathBuf>,
    /// Writable as well, without named pipes: git of the user opens everything there, and would wait.
    pub write_files: Vec<PathBuf>,
    /// Only folders can be created and removed there, for programs that use them as locks.
    pub make_folders: Vec<PathBuf>,
    /// Not readable; everything else is.
    pub hide: Option<PathBuf>,
    /// Readable although it is below `hide`.
    pub show: Vec<PathBuf>,
}

/// State folders of known agents, relative to the home directory.
const STATE_FOLDERS: &[(&str, &[&str])] = &[
    ("codex", &[".codex"]),
    // Not `.config/opencode`: it works without changing its settings, plugins and servers.
    ("opencode", &[".local/share/opencode", ".local/state/opencode"]),
    ("gemini", &[".gemini"]),
];
/// Variables that move the state folder of an agent.
const STATE_VARIABLES: &[(&str, &str)] = &[("codex", "CODEX_HOME")];
/// What Claude Code writes in its folder. Beside it are settings, hooks and lists of servers, which name programs that it
/// would start outside of the sandbox as well: it works without changing them.
const CLAUDE_FOLDERS: &[&str] = &[
    "backups",
    "cache",
    "debug",
    "file-history",
    "ide",
    "paste-cache",
    "plans",
    "projects",
    "session-env",
    "sessions",
    "shell-snapshots",
    "statsig",
    "tasks",
    "todos",
];
/// The second is renewed while it works.
const CLAUDE_FILES: &[&str] = &["history.jsonl", ".credentials.json", "stats-cache.json"];
const CLAUDE_VARIABLE: &str = "CLAUDE_CONFIG_DIR";
/// Devices that store nothing, terminals, and shared memory. New terminals cannot be told from those of others.
const DEVICES: &[&str] = &["null", "zero", "full", "random", "urandom", "tty", "ptmx", "pts", "shm"];
const TEMPORARY_FOLDER: &str = "/tmp";

/// Adds the usual writable paths that exist.
///
/// Of the known agents, only the state of the one that is started is included. Its state folders are created: a missing
/// folder cannot be allowed, and the agent could not create it itself.
pub(super) fn add_usual_paths(
    to: &mut SandboxPaths,
    command: &[OsString],
    environment: &BTreeMap<OsString, OsString>,
) {
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
                create_state_folder(&folder);
                paths.push(folder);
            }
        }
        if starts_agent("claude") {
            let folder = variable(CLAUDE_VARIABLE).map_or_else(|| home.join(".claude"), PathBuf::from);
            let folders = CLAUDE_FOLDERS.iter().map(|name| folder.join(name));
            paths.extend(folders.inspect(|folder| create_state_folder(folder)));
            paths.extend(CLAUDE_FILES.iter().map(|name| folder.join(name)));
            // It locks its sign-in with a folder.
            to.make_folders.extend(fs::canonicalize(folder).ok());
        }
    }
    to.write.extend(paths.iter().filter_map(|path| fs::canonicalize(path).ok()));
}

/// Creates a folder of an agent. On failure the agent reports the missing folder itself.
fn create_state_folder(folder: &Path) {
    if let Err(error) = fs::DirBuilder::new().recursive(true).mode(0o700).create(folder) {
        warn!(folder = %folder.display(), error = &error as &dyn Error, "cannot create a folder of the agent");
    }
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
    use super::{SandboxPaths, add_usual_paths, starts_agent};

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
        std::fs::write(home.join(".claude.json"), "{}").unwrap();
        let mut all = SandboxPaths::default();
        add_usual_paths(&mut all, &["/opt/bin/claude".into()], &environment);
        let paths = all.write;
        assert!(paths.contains(&home.join(".claude/projects")), "{paths:?}");
        assert_eq!(all.make_folders, [home.join(".claude")]);
        for name in [".claude", ".claude.json"] {
            assert!(!paths.contains(&home.join(name)), "{paths:?}");
        }
        assert!(!paths.contains(&home.join(".codex")), "{paths:?}");
        assert!(!home.join(".gemini").exists());
        assert!(!paths.contains(&home), "{paths:?}");
    }
}
