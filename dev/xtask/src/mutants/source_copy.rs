//! A copy of the workspace below `target/` whose source can be mutated, with a build directory of its own.

use std::{
    collections::BTreeSet,
    fs::{self, File},
    path::{Path, PathBuf},
    process::{Command, ExitStatus, Stdio},
    thread,
    time::{Duration, Instant},
};

use anyhow::{Context, Result, bail};
use serde_json::Value;

use super::Mutation;
use crate::shell;

/// What the build of the simulator and the scenarios reads: all manifests, and the sources.
const COPIED: [&str; 4] = ["Cargo.toml", "Cargo.lock", "crates/", "dev/"];

/// Time limit for a build; the first one compiles all dependencies.
const BUILD_LIMIT: Duration = Duration::from_secs(20 * 60);
const POLL_INTERVAL: Duration = Duration::from_millis(10);

pub(super) struct SourceCopy {
    folder: PathBuf,
    /// Locked while the copy is in use.
    _lock: File,
}

/// The programs that detect a mutation.
pub(super) struct TestPrograms {
    pub(super) simulator: PathBuf,
    pub(super) scenarios: PathBuf,
}

impl SourceCopy {
    /// Makes the copy equal to the repository.
    ///
    /// Files that are equal already are not written, so that only changed crates are built again.
    pub(super) fn create() -> Result<Self> {
        let folder = shell::target_directory()?.join("mutants");
        fs::create_dir_all(&folder).with_context(|| format!("create {}", folder.display()))?;
        let lock = File::create(folder.join("lock")).context("create the lock file")?;
        lock.try_lock().with_context(|| format!("another process uses {}", folder.display()))?;
        let copy = Self { folder, _lock: lock };

        let root = shell::repository_root();
        let mut paths = shell::repository_files()?;
        paths.retain(|path| COPIED.iter().any(|copied| path.starts_with(copied)));
        for path in &paths {
            copy_if_different(&root.join(path), &copy.source().join(path))?;
        }
        let known: BTreeSet<PathBuf> = paths.iter().map(|path| copy.source().join(path)).collect();
        remove_unknown_files(&copy.source(), &known)?;
        Ok(copy)
    }

    fn source(&self) -> PathBuf {
        self.folder.join("source")
    }

    /// Applies a mutation while `act` runs.
    pub(super) fn with_mutation<T>(&self, mutation: &Mutation, act: impl FnOnce() -> Result<T>) -> Result<T> {
        let path = self.source().join(&mutation.file);
        let original = fs::read_to_string(&path).with_context(|| format!("read {}", path.display()))?;
        fs::write(&path, mutation.apply(&original)?)?;
        let result = act();
        fs::write(&path, original).with_context(|| format!("restore {}", path.display()))?;
        result
    }

    /// Builds the test programs.
    pub(super) fn build(&self) -> Result<TestPrograms> {
        let mut command = shell::cargo_command(&["build", "--quiet", "--locked"]);
        command.args(["--package", "simulator", "--bin", "simulator"]);
        command.args(["--package", "engine", "--test", "scenarios"]);
        // A mutant is built many times and simulates few runs.
        for name in ["engine", "simulator"] {
            command.args(["--config", &format!("profile.dev.package.{name}.opt-level=0")]);
        }
        command.args(["--message-format", "json-render-diagnostics", "--target-dir"]);
        command.arg(self.folder.join("build")).current_dir(self.source());
        command.env("CARGO_INCREMENTAL", "1").env("CARGO_PROFILE_DEV_DEBUG", "0");
        // A mutant may have unused imports and unreachable code.
        command.env("RUSTFLAGS", "--cap-lints=allow").env_remove("CARGO_ENCODED_RUSTFLAGS");
        let (status, messages) = self.run(&mut command, BUILD_LIMIT)?;
        if !status.success() {
            bail!("the build ended with {status}");
        }
        let program = |name| program_path(&messages, name).with_context(|| format!("cargo built no {name}"));
        Ok(TestPrograms { simulator: program("simulator")?, scenarios: program("scenarios")? })
    }

    /// Runs a program and returns its standard output; a program that exceeds its time limit is killed and is an error.
    pub(super) fn run(&self, command: &mut Command, limit: Duration) -> Result<(ExitStatus, String)> {
        run_with_limit(command, &self.folder.join("output"), limit)
    }
}

/// Runs a program whose output goes to a file: a pipe would have to be read while the program runs.
fn run_with_limit(command: &mut Command, output: &Path, limit: Duration) -> Result<(ExitStatus, String)> {
    let name = Path::new(command.get_program()).file_name().unwrap_or_default().display().to_string();
    let file = File::create(output).with_context(|| format!("create {}", output.display()))?;
    let mut child =
        command.stdin(Stdio::null()).stdout(file).spawn().with_context(|| format!("start {name}"))?;
    let deadline = Instant::now() + limit;
    let status = loop {
        if let Some(status) = child.try_wait()? {
            break status;
        }
        if Instant::now() >= deadline {
            child.kill()?;
            child.wait()?;
            bail!("{name} did not end within {}", shell::format_duration(limit));
        }
        thread::sleep(POLL_INTERVAL);
    };
    let text = fs::read(output).with_context(|| format!("read {}", output.display()))?;
    Ok((status, String::from_utf8_lossy(&text).into_owned()))
}

/// Finds a program among the messages of cargo.
fn program_path(messages: &str, name: &str) -> Option<PathBuf> {
    messages.lines().find_map(|line| {
        let message: Value = serde_json::from_str(line).ok()?;
        let is_named = message.get("target")?.get("name")? == name;
        message.get("executable")?.as_str().filter(|_| is_named).map(PathBuf::from)
    })
}

fn copy_if_different(from: &Path, to: &Path) -> Result<()> {
    let content = fs::read(from).with_context(|| format!("read {}", from.display()))?;
    if fs::read(to).is_ok_and(|copied| copied == content) {
        return Ok(());
    }
    if let Some(folder) = to.parent() {
        fs::create_dir_all(folder).with_context(|| format!("create {}", folder.display()))?;
    }
    fs::write(to, content).with_context(|| format!("write {}", to.display()))
}

/// Removes the files that the repository no longer has; empty folders stay.
fn remove_unknown_files(folder: &Path, known: &BTreeSet<PathBuf>) -> Result<()> {
    for entry in fs::read_dir(folder).with_context(|| format!("read {}", folder.display()))? {
        let path = entry?.path();
        if path.is_dir() {
            remove_unknown_files(&path, known)?;
        } else if !known.contains(&path) {
            fs::remove_file(&path).with_context(|| format!("remove {}", path.display()))?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_that_exceeds_its_limit_is_killed() {
        let folder = tempfile::tempdir().unwrap();
        let mut command = Command::new("sleep");
        let error =
            run_with_limit(command.arg("600"), &folder.path().join("output"), Duration::ZERO).unwrap_err();
        assert_eq!(error.to_string(), "sleep did not end within 0.0 s");
    }

    #[test]
    fn a_copy_loses_removed_files_and_keeps_equal_ones() {
        let folder = tempfile::tempdir().unwrap();
        let [from, to, removed] =
            ["from", "copy/kept", "copy/sub/removed"].map(|name| folder.path().join(name));
        fs::write(&from, "text").unwrap();
        copy_if_different(&from, &to).unwrap();
        let written = fs::metadata(&to).unwrap().modified().unwrap();
        copy_if_different(&from, &removed).unwrap();

        copy_if_different(&from, &to).unwrap();
        remove_unknown_files(&folder.path().join("copy"), &BTreeSet::from([to.clone()])).unwrap();
        assert_eq!(fs::metadata(&to).unwrap().modified().unwrap(), written);
        assert!(!removed.exists());
    }

    #[test]
    fn a_program_is_found_by_the_name_of_its_target() {
        let messages = r#"{"reason":"compiler-artifact","target":{"name":"simulator"},"executable":null}
{"reason":"compiler-artifact","target":{"name":"simulator"},"executable":"/build/simulator"}
{"reason":"build-finished","success":true}"#;
        assert_eq!(program_path(messages, "simulator"), Some(PathBuf::from("/build/simulator")));
        assert_eq!(program_path(messages, "scenarios"), None);
    }
}
