//! The paths of a sandbox: what nearly every agent must write to, beside its worktree.

use std::{
    collections::BTreeMap,
    ffi::{OsStr, OsString},
    fs,
    os::unix::fs::DirBuilderExt,
    path::{Path, PathBuf},
};

/// What a sandboxed process may touch.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SandboxPaths {
    /// What it may write to, with everything below it.
    pub write: Vec<PathBuf>,
    /// What it may not read, with everything below it; all else it may.
    pub hide: Option<PathBuf>,
    /// What it may read in spite of that.
    pub show: Vec<PathBuf>,
}

/// Agents and the state that each keeps below its user's home.
const STATES: &[(&str, &[&str])] = &[
    ("claude", &[".claude"]),
    ("codex", &[".codex"]),
    ("opencode", &[".config/opencode", ".local/share/opencode", ".local/state/opencode"]),
    ("gemini", &[".gemini"]),
];
/// What is in a home and not one agent's alone. Claude Code keeps a file beside its folder.
const HOME: &[&str] = &[".cache", ".claude.json"];
/// Variables by which agents are told to keep their state elsewhere.
const STATE_VARIABLES: &[&str] = &["CLAUDE_CONFIG_DIR", "CODEX_HOME"];
/// Devices that keep nothing, terminals, and memory that processes share.
const DEVICES: &[&str] = &["null", "zero", "full", "random", "urandom", "tty", "ptmx", "pts", "shm"];
const TEMPORARY: &str = "/tmp";

/// Returns what there is of all that. The state of the agent that is started is made if it has none yet: a folder that
/// is not there can't be allowed, and the agent could not make it.
pub(super) fn usual(program: &OsStr, environment: &BTreeMap<OsString, OsString>) -> Vec<PathBuf> {
    let variable = |name: &str| environment.get(OsStr::new(name)).filter(|value| !value.is_empty());
    let mut paths: Vec<PathBuf> = DEVICES.iter().map(|name| Path::new("/dev").join(name)).collect();
    paths.push(variable("TMPDIR").map_or_else(|| TEMPORARY.into(), PathBuf::from));
    paths.extend(STATE_VARIABLES.iter().filter_map(|name| variable(name)).map(PathBuf::from));
    if let Some(home) = variable("HOME").map(Path::new).filter(|home| home.is_absolute()) {
        let program = Path::new(program).file_name();
        for (agent, states) in STATES {
            for state in *states {
                let state = home.join(state);
                if program == Some(OsStr::new(agent)) {
                    // One that can't be made is missed by the agent, which says so itself.
                    let _ = fs::DirBuilder::new().recursive(true).mode(0o700).create(&state);
                }
                paths.push(state);
            }
        }
        paths.extend(HOME.iter().map(|name| home.join(name)));
    }
    paths.iter().filter_map(|path| fs::canonicalize(path).ok()).collect()
}

#[cfg(test)]
mod tests {
    use super::usual;

    #[test]
    fn an_agent_gets_its_own_state_and_nobody_elses_is_made() {
        let folder = tempfile::tempdir().unwrap();
        let home = folder.path().canonicalize().unwrap();
        std::fs::create_dir(home.join(".codex")).unwrap();
        let environment = [("HOME".into(), home.clone().into_os_string())].into();
        let paths = usual("/opt/bin/claude".as_ref(), &environment);
        for name in [".claude", ".codex"] {
            assert!(paths.contains(&home.join(name)), "{name}: {paths:?}");
        }
        assert!(!home.join(".gemini").exists());
        assert!(!paths.contains(&home), "{paths:?}");
    }
}
