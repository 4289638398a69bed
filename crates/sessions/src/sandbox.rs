//! The sandbox of a session: which files its agent, and everything that it starts, may write and read.
//!
//! Here it is decided what there is to be had and what is said about it; `paths` has the paths, `restrict` asks the
//! kernel. Nothing is restricted in our own process: the command is started by `jangdan sandboxed`, which restricts
//! itself and then becomes the command.

mod git;
mod paths;
mod privileges;
mod restrict;
mod rules;

use std::{
    collections::BTreeMap,
    env,
    ffi::{OsStr, OsString},
    fs, io,
    path::{Path, PathBuf},
};

use serde::{Deserialize, Serialize};

pub use paths::SandboxPaths;
use restrict::{Offer, offer};
pub use restrict::{RestrictError, restrict};

/// The hidden command that restricts itself and becomes the agent.
const COMMAND: &str = "sandboxed";

/// How a session is to be kept in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sandbox {
    /// Whether, and how badly.
    pub policy: SandboxPolicy,
    /// What it may write to, beside its directory and the usual.
    pub write: Vec<PathBuf>,
}

/// Whether a session is to be kept in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SandboxPolicy {
    /// It may do what its user may.
    Off,
    /// As well as it can be done here.
    Worktree,
    /// Whole, or the session does not start.
    Required,
}

/// How a session is kept in, as its `about.json` has it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct SandboxReport {
    /// How far.
    pub state: Enforcement,
    /// What can't be had, or can't be used, and why.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

/// How far a sandbox reaches.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Enforcement {
    /// All of it.
    Enforced,
    /// Some of it.
    Partly,
    /// None of it: the agent may do what its user may.
    NotAvailable,
}

/// A sandbox can't be had.
#[derive(Debug, thiserror::Error)]
pub(crate) enum SandboxError {
    /// It was required, and there is less.
    #[error("{0}")]
    Required(String),
    /// A path can't be used.
    #[error("{}", .path.display())]
    Path { path: PathBuf, source: io::Error },
}

/// A sandbox that can be put around a command.
#[derive(Debug)]
pub(crate) struct Prepared {
    pub(crate) report: SandboxReport,
    /// None where nothing can be restricted.
    paths: Option<SandboxPaths>,
}

/// What a session will see of its surroundings.
pub(crate) struct Surroundings<'a> {
    pub(crate) data: &'a Path,
    pub(crate) directory: &'a Path,
    pub(crate) program: &'a OsStr,
    pub(crate) environment: &'a BTreeMap<OsString, OsString>,
}

/// Finds out what can be had; nothing if nothing is wanted.
pub(crate) fn prepare(
    sandbox: &Sandbox,
    around: &Surroundings<'_>,
) -> Result<Option<Prepared>, SandboxError> {
    if sandbox.policy == SandboxPolicy::Off {
        return Ok(None);
    }
    let data = canonical(around.data)?;
    let directory = canonical(around.directory)?;
    let is_data_inside = data.starts_with(&directory);
    let mut report = judge(sandbox.policy, offer(), is_data_inside).map_err(SandboxError::Required)?;
    if report.state == Enforcement::NotAvailable {
        return Ok(Some(Prepared { report, paths: None }));
    }
    let mut write = vec![directory.clone()];
    write.extend(git::needs(&directory));
    write.extend(paths::usual(around.program, around.environment));
    for path in &sandbox.write {
        write.push(canonical(path)?);
    }
    let torn: Vec<&PathBuf> = write.iter().filter(|path| data.starts_with(path)).collect();
    if let Some(path) = torn.first().filter(|_| !is_data_inside) {
        // Said, though it is no hole: programs will stumble over it.
        report.reason = Some(format!(
            "Jangdan's data directory lies in {}, so no new files can be used there",
            path.display()
        ));
    }
    // A directory that must be written to whole can't hide a part of itself.
    let hide = Some(data.clone()).filter(|_| !is_data_inside);
    let mut show = vec![data.join("bin")];
    show.extend(env::current_exe().ok());
    Ok(Some(Prepared { report, paths: Some(SandboxPaths { write, hide, show }) }))
}

impl Prepared {
    /// Returns the command that restricts itself and becomes this one, in the session with this folder.
    pub(crate) fn wrap(&self, command: &[OsString], session: &Path) -> io::Result<Vec<OsString>> {
        let Some(paths) = &self.paths else { return Ok(command.to_vec()) };
        let mut wrapped = vec![env::current_exe()?.into_os_string(), COMMAND.into()];
        let mut add = |option: &str, path: &Path| wrapped.extend([option.into(), path.into()]);
        paths.write.iter().for_each(|path| add("--write", path));
        paths.hide.iter().for_each(|path| add("--hide", path));
        paths.show.iter().for_each(|path| add("--show", path));
        // Its own place may be written from where we are, which is not where the session starts.
        add("--show", &fs::canonicalize(session)?);
        wrapped.push("--".into());
        wrapped.extend_from_slice(command);
        Ok(wrapped)
    }
}

/// Decides what is enforced, and refuses where all of it is required and there is less.
fn judge(demand: SandboxPolicy, offer: Offer, is_data_inside: bool) -> Result<SandboxReport, String> {
    let (state, reason) = match offer {
        Offer::None(reason) => (Enforcement::NotAvailable, Some(reason)),
        Offer::Partly(reason) => (Enforcement::Partly, Some(reason)),
        Offer::Whole if is_data_inside => {
            let reason = "Jangdan's data directory lies in the session's own, so it can't be hidden from it";
            (Enforcement::Partly, Some(reason.to_owned()))
        }
        Offer::Whole => (Enforcement::Enforced, None),
    };
    match (demand, reason) {
        (SandboxPolicy::Required, Some(reason)) => Err(reason),
        (SandboxPolicy::Off | SandboxPolicy::Worktree | SandboxPolicy::Required, reason) => {
            Ok(SandboxReport { state, reason })
        }
    }
}

fn canonical(path: &Path) -> Result<PathBuf, SandboxError> {
    fs::canonicalize(path).map_err(|source| SandboxError::Path { path: path.to_owned(), source })
}

#[cfg(test)]
mod tests {
    use super::{Enforcement, Offer, SandboxPolicy, judge};

    #[test]
    fn what_is_required_and_not_there_is_refused() {
        for offer in [Offer::None("no".to_owned()), Offer::Partly("half".to_owned())] {
            assert!(judge(SandboxPolicy::Required, offer, false).is_err());
        }
        assert!(judge(SandboxPolicy::Required, Offer::Whole, true).unwrap_err().contains("can't be hidden"));
        assert_eq!(judge(SandboxPolicy::Required, Offer::Whole, false).unwrap().state, Enforcement::Enforced);
    }

    #[test]
    fn what_is_wished_and_not_there_is_said() {
        let cases = [
            (Offer::None("no".to_owned()), false, Enforcement::NotAvailable),
            (Offer::Partly("half".to_owned()), false, Enforcement::Partly),
            (Offer::Whole, true, Enforcement::Partly),
        ];
        for (offer, is_data_inside, state) in cases {
            let report = judge(SandboxPolicy::Worktree, offer, is_data_inside).unwrap();
            assert_eq!(report.state, state);
            assert!(report.reason.is_some());
        }
    }
}
