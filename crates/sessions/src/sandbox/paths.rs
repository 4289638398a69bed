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
/// Other writable paths in the home directory. Claude Code has a file beside its folder.
const HOME_PATHS: &[&str] = &[".cache", ".claude.json"];
/// Variables that move the state folder of an agent.
const STATE_VARIABLES: &[&str] = &["CLAUDE_CONFIG_DIR", "CODEX_HOME"];
/// Devices that store nothing, terminals, and shared memory.
const DEVICES: &[&str] = &["null", "zero", "full", "random", "urandom", "tty", "ptmx", "pts", "shm"];
const TEMPORARY_FOLDER: &str = "/tmp";

/// Returns the usual writable paths that exist.
///
/// Creates the state folders of the agent that is started: a missing folder cannot be allowed, and the agent could not
/// create it itself.
pub(super) fn usual_writable_paths(
    program: &OsStr,
    environment: &BTreeMap<OsString, OsString>,
) -> Vec<PathBuf> {
    let variable = |name: &str| environment.get(OsStr::new(name)).filter(|value| !value.is_empty());
    let mut paths: Vec<PathBuf> = DEVICES.iter().map(|name| Path::new("/dev").join(name)).collect();
    paths.push(variable("TMPDIR").map_or_else(|| TEMPORARY_FOLDER.into(), PathBuf::from));
    paths.extend(STATE_VARIABLES.iter().filter_map(|name| variable(name)).map(PathBuf::from));
    if let Some(home) = variable("HOME").map(Path::new).filter(|home| home.is_absolute()) {
        let program = Path::new(program).file_name();
        for (agent, folders) in STATE_FOLDERS {
            for folder in *folders {
                let folder = home.join(folder);
                if program == Some(OsStr::new(agent)) {
                    // On failure the agent reports the missing folder itself.
                    if let Err(error) = fs::DirBuilder::new().recursive(true).mode(0o700).create(&folder) {
                        warn!(folder = %folder.display(), error = &error as &dyn Error, "cannot create a folder of the agent");
                    }
                }
                paths.push(folder);
            }
        }
        paths.extend(HOME_PATHS.iter().map(|name| home.join(name)));
    }
    paths.iter().filter_map(|path| fs::canonicalize(path).ok()).collect()
}

#[cfg(test)]
mod tests {
    use super::usual_writable_paths;

    #[test]
    fn only_the_state_folder_of_the_started_agent_is_created() {
        let folder = tempfile::tempdir().unwrap();
        let home = folder.path().canonicalize().unwrap();
        std::fs::create_dir(home.join(".codex")).unwrap();
        let environment = [("HOME".into(), home.clone().into_os_string())].into();
        let paths = usual_writable_paths("/opt/bin/claude".as_ref(), &environment);
        for name in [".claude", ".codex"] {
            assert!(paths.contains(&home.join(name)), "{name}: {paths:?}");
        }
        assert!(!home.join(".gemini").exists());
        assert!(!paths.contains(&home), "{paths:?}");
    }
}
