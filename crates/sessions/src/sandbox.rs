//! The sandbox of a session: which files its agent, and everything that it starts, may write and read.
//!
//! This module decides what is enforced and reports it; `paths` collects the paths, `restrict` applies them in the
//! kernel. This process is never restricted: the command is started by `jangdan sandboxed`, which restricts itself and
//! then executes the command.

mod caches;
mod git;
mod paths;
mod privileges;
mod restrict;
mod rules;
mod system_calls;
mod temporary_folder;

use std::{
    collections::BTreeMap,
    ffi::{OsStr, OsString},
    fs, io,
    path::{Path, PathBuf},
};

use serde::{Deserialize, Serialize};

use crate::own_program::own_program;

pub use paths::SandboxPaths;
use restrict::{KernelSupport, kernel_support};
pub use restrict::{RestrictError, SandboxGap, restrict, sandbox_gaps};
pub(crate) use temporary_folder::{TemporaryFolder, remove_temporary_folder};

/// The hidden subcommand of `jangdan` that restricts itself and executes the agent.
const SUBCOMMAND: &str = "sandboxed";

/// The requested sandbox of a session.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sandbox {
    pub policy: SandboxPolicy,
    /// Writable paths in addition to the working directory and the usual ones.
    pub write: Vec<PathBuf>,
    pub caches: PackageCaches,
}

impl Sandbox {
    /// Returns a request for no sandbox.
    pub fn off() -> Self {
        Self { policy: SandboxPolicy::Off, write: Vec::new(), caches: PackageCaches::Shared }
    }
}

/// Which caches of package managers a sandboxed program writes to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PackageCaches {
    /// Those of the user.
    Shared,
    /// Its own, below this folder.
    Private(PathBuf),
}

/// The requested strictness of a sandbox.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SandboxPolicy {
    /// No sandbox: the agent has all rights of its user.
    Off,
    /// As strict as this machine allows.
    Worktree,
    /// Complete; otherwise the session does not start.
    Required,
}

/// The actual sandbox of a session, as recorded in its `about.json`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct SandboxReport {
    pub state: Enforcement,
    /// What is not enforced or restricts the agent unexpectedly, and why.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

/// The part of a sandbox that is enforced.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Enforcement {
    Enforced,
    Partly,
    /// The agent has all rights of its user.
    NotAvailable,
}

/// The reason why a sandbox cannot be prepared.
#[derive(Debug, thiserror::Error)]
pub(crate) enum SandboxError {
    /// The required sandbox is only partly available, or not at all.
    #[error("{0}")]
    Required(String),
    #[error("cannot use {}", .path.display())]
    Path { path: PathBuf, source: io::Error },
}

/// A sandbox that can be applied to a command.
#[derive(Debug)]
pub(crate) struct PreparedSandbox {
    pub(crate) report: SandboxReport,
    /// `None` if nothing can be restricted.
    paths: Option<SandboxPaths>,
}

/// The properties of a session that its sandbox depends on.
pub(crate) struct SandboxContext<'a> {
    pub(crate) data: &'a Path,
    pub(crate) directory: &'a Path,
    pub(crate) command: &'a [OsString],
    pub(crate) environment: &'a BTreeMap<OsString, OsString>,
}

/// Returns what a sandbox on this machine enforces.
pub fn supported_sandbox() -> SandboxReport {
    let (state, reason) = enforcement_of(kernel_support());
    SandboxReport { state, reason }
}

/// Creates the private caches and the temporary folder of a sandbox, and sets the variables that lead to them, except those
/// in `chosen`.
pub(crate) fn create_private_folders(
    sandbox: &Sandbox,
    environment: &mut BTreeMap<OsString, OsString>,
    chosen: &BTreeMap<OsString, OsString>,
) -> Result<TemporaryFolder, SandboxError> {
    if sandbox.policy == SandboxPolicy::Off {
        return Ok(TemporaryFolder::none());
    }
    if let PackageCaches::Private(folder) = &sandbox.caches {
        caches::use_private_caches(folder, environment, chosen)
            .map_err(|source| SandboxError::Path { path: folder.clone(), source })?;
    }
    TemporaryFolder::create(environment, chosen)
        .map_err(|source| SandboxError::Path { path: "the temporary folder".into(), source })
}

/// Prepares the sandbox that this machine supports; `None` if the policy is off.
pub(crate) fn prepare(
    sandbox: &Sandbox,
    context: &SandboxContext<'_>,
) -> Result<Option<PreparedSandbox>, SandboxError> {
    if sandbox.policy == SandboxPolicy::Off {
        return Ok(None);
    }
    let data = canonicalize_path(context.data)?;
    let directory = canonicalize_path(context.directory)?;
    let is_data_in_directory = data.starts_with(&directory);
    let mut report = decide_enforcement(sandbox.policy, kernel_support(), is_data_in_directory)
        .map_err(SandboxError::Required)?;
    if report.state == Enforcement::NotAvailable {
        return Ok(Some(PreparedSandbox { report, paths: None }));
    }
    let mut paths = SandboxPaths { write_files: git::writable_paths(&directory), ..SandboxPaths::default() };
    paths.write.push(directory.clone());
    paths::add_usual_paths(&mut paths, context.command, context.environment);
    let write = &mut paths.write;
    match &sandbox.caches {
        PackageCaches::Private(folder) => write.push(canonicalize_path(folder)?),
        PackageCaches::Shared => {
            let home = context.environment.get(OsStr::new("HOME")).map(Path::new);
            write.extend(
                home.filter(|home| home.is_absolute()).map(caches::shared_caches).unwrap_or_default(),
            );
        }
    }
    for path in &sandbox.write {
        write.push(canonicalize_path(path)?);
    }
    let around_data: Vec<&PathBuf> = write.iter().filter(|path| data.starts_with(path)).collect();
    if let Some(path) = around_data.first().filter(|_| !is_data_in_directory) {
        // Not a security problem, but programs will fail because of it.
        report.reason = Some(format!(
            "Jangdan's data directory is in {}, so new files cannot be used there",
            path.display()
        ));
    }
    // Part of a directory that must be completely writable cannot be hidden.
    paths.hide = Some(data.clone()).filter(|_| !is_data_in_directory);
    paths.show = vec![data.join("bin")];
    paths.show.extend(own_program().ok());
    Ok(Some(PreparedSandbox { report, paths: Some(paths) }))
}

impl PreparedSandbox {
    /// Returns a command that restricts itself and then executes `command`. `session` is the session's folder.
    pub(crate) fn wrap(&self, command: &[OsString], session: &Path) -> io::Result<Vec<OsString>> {
        let Some(paths) = &self.paths else { return Ok(command.to_vec()) };
        let mut wrapped = vec![own_program()?.into_os_string(), SUBCOMMAND.into()];
        let mut add = |option: &str, path: &Path| wrapped.extend([option.into(), path.into()]);
        paths.write.iter().for_each(|path| add("--write", path));
        paths.write_files.iter().for_each(|path| add("--write-files", path));
        paths.make_folders.iter().for_each(|path| add("--make-folders", path));
        paths.hide.iter().for_each(|path| add("--hide", path));
        paths.show.iter().for_each(|path| add("--show", path));
        // The path may be relative to this process, whose working directory differs.
        add("--show", &fs::canonicalize(session)?);
        wrapped.push("--".into());
        wrapped.extend_from_slice(command);
        Ok(wrapped)
    }
}

/// Decides what is enforced. Fails if the policy requires more.
fn decide_enforcement(
    policy: SandboxPolicy,
    support: KernelSupport,
    is_data_in_directory: bool,
) -> Result<SandboxReport, String> {
    let (state, reason) = match enforcement_of(support) {
        (Enforcement::Enforced, _) if is_data_in_directory => {
            let reason = "Jangdan's data directory is in the session's directory, so it cannot be hidden";
            (Enforcement::Partly, Some(reason.to_owned()))
        }
        enforcement => enforcement,
    };
    match (policy, reason) {
        (SandboxPolicy::Required, Some(reason)) => Err(reason),
        (SandboxPolicy::Off | SandboxPolicy::Worktree | SandboxPolicy::Required, reason) => {
            Ok(SandboxReport { state, reason })
        }
    }
}

/// Returns what is enforced with this support, and what is missing.
fn enforcement_of(support: KernelSupport) -> (Enforcement, Option<String>) {
    match support {
        KernelSupport::None(reason) => (Enforcement::NotAvailable, Some(reason)),
        KernelSupport::Partial(reason) => (Enforcement::Partly, Some(reason)),
        KernelSupport::Full => (Enforcement::Enforced, None),
    }
}

fn canonicalize_path(path: &Path) -> Result<PathBuf, SandboxError> {
    fs::canonicalize(path).map_err(|source| SandboxError::Path { path: path.to_owned(), source })
}

#[cfg(test)]
mod tests {
    use super::{Enforcement, KernelSupport, SandboxPolicy, decide_enforcement};

    #[test]
    fn required_sandbox_that_is_not_available_is_refused() {
        for support in [KernelSupport::None("no".to_owned()), KernelSupport::Partial("half".to_owned())] {
            assert!(decide_enforcement(SandboxPolicy::Required, support, false).is_err());
        }
        assert!(
            decide_enforcement(SandboxPolicy::Required, KernelSupport::Full, true)
                .unwrap_err()
                .contains("cannot be hidden")
        );
        assert_eq!(
            decide_enforcement(SandboxPolicy::Required, KernelSupport::Full, false).unwrap().state,
            Enforcement::Enforced
        );
    }

    #[test]
    fn missing_enforcement_is_reported() {
        let cases = [
            (KernelSupport::None("no".to_owned()), false, Enforcement::NotAvailable),
            (KernelSupport::Partial("half".to_owned()), false, Enforcement::Partly),
            (KernelSupport::Full, true, Enforcement::Partly),
        ];
        for (support, is_data_in_directory, state) in cases {
            let report = decide_enforcement(SandboxPolicy::Worktree, support, is_data_in_directory).unwrap();
            assert_eq!(report.state, state);
            assert!(report.reason.is_some());
        }
    }
}
