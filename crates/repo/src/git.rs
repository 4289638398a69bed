//! Runs the `git` program: folder, environment, limits and output of each call.

use std::{
    env,
    ffi::{OsStr, OsString},
    os::unix::ffi::{OsStrExt, OsStringExt},
    path::{Path, PathBuf},
    process::Command,
    sync::Arc,
    time::Duration,
};

use rustix::fs::{Access, access};
use tracing::warn;

use crate::{
    RepoError,
    blocking_pipe::find_blocking_pipe,
    confined_folder::ConfinedFolder,
    leftover::remove_temporary_file,
    process::{self, ProcessError, ProcessLimits},
    stale_lock::remove_stale_lock,
    worktree_slot::remove_folder,
};

/// Environment variables that locate the user's settings; variables that affect single calls are not inherited.
const INHERITED_VARIABLES: [&str; 9] = [
    "PATH",
    "HOME",
    "USER",
    "LOGNAME",
    "TMPDIR",
    "XDG_CONFIG_HOME",
    "GIT_CONFIG_GLOBAL",
    "GIT_CONFIG_SYSTEM",
    "GIT_CONFIG_NOSYSTEM",
];

/// Settings that override the user's for every call.
///
/// Hooks and signing are meant for the user's own commits. Sparse checkouts and submodule recursion would make a tree
/// differ from its commit. Nothing may run in the background.
const FIXED_SETTINGS: [&str; 14] = [
    "core.hooksPath=/dev/null",
    "commit.gpgSign=false",
    "gc.auto=0",
    "maintenance.auto=false",
    "core.fsmonitor=false",
    "core.sparseCheckout=false",
    "core.quotePath=false",
    "core.logAllRefUpdates=true",
    "submodule.recurse=false",
    "i18n.commitEncoding=UTF-8",
    "advice.detachedHead=false",
    "diff.ignoreSubmodules=dirty",
    "merge.renames=true",
    "worktree.useRelativePaths=false",
];

/// Flushes loose objects to disk, which git does not do by default: after a power failure a ref must not point to a
/// missing commit.
const DURABILITY_SETTINGS: [&str; 2] = ["core.fsync=committed", "core.fsyncMethod=batch"];

/// Locks that one call can meet: of the index, of HEAD, and of its branch.
const STALE_LOCKS_MAX: usize = 4;

/// How `git` is run.
#[derive(Debug, Clone)]
pub struct GitOptions {
    /// Path of the program.
    pub program: PathBuf,
    /// Complete environment, except variables set for single calls.
    pub variables: Vec<(OsString, OsString)>,
    /// Additional git settings, as `name=value`.
    pub settings: Vec<String>,
    /// Time limit of one call.
    pub time_max: Duration,
    /// Output limit of one call.
    pub output_bytes_max: usize,
}

impl GitOptions {
    /// Uses `git` from the PATH, and the variables that locate the user's settings.
    pub fn from_environment() -> Self {
        let variables = INHERITED_VARIABLES
            .iter()
            .filter_map(|name| Some((OsString::from(name), env::var_os(name)?)))
            .collect();
        // Checking out a very large repository takes minutes, and listing its files some megabytes.
        Self {
            program: find_on_path("git").unwrap_or_else(|| "git".into()),
            variables,
            settings: DURABILITY_SETTINGS.map(str::to_owned).to_vec(),
            time_max: Duration::from_secs(600),
            output_bytes_max: 256 << 20,
        }
    }
}

/// Searches the PATH. With an absolute path the process is started by `posix_spawn` instead of `fork`, which is slow
/// for a large process.
fn find_on_path(name: &str) -> Option<PathBuf> {
    let folders = env::var_os("PATH")?;
    let is_program =
        |path: &PathBuf| path.is_absolute() && path.is_file() && access(path, Access::EXEC_OK).is_ok();
    env::split_paths(&folders).map(|folder| folder.join(name)).find(is_program)
}

/// Runs git in one folder.
#[derive(Debug, Clone)]
pub(crate) struct GitClient {
    options: Arc<GitOptions>,
    folder: PathBuf,
    /// Where the repository of a checkout is; `None` if git finds it.
    checkout: Option<Checkout>,
    /// Folder for new, temporary objects, and the folder of the existing ones.
    object_folders: Option<[PathBuf; 2]>,
}

/// The git directories of a checkout. They are set explicitly, because an agent can change the files by which git finds
/// them.
#[derive(Debug, Clone)]
struct Checkout {
    git_dir: PathBuf,
    common_dir: PathBuf,
    /// Whether agents write to it. Its own configuration is removed before each call: it could name programs.
    is_of_agent: bool,
}

impl GitClient {
    pub(crate) fn new(options: &GitOptions, folder: &Path) -> Self {
        Self {
            options: Arc::new(options.clone()),
            folder: folder.to_owned(),
            checkout: None,
            object_folders: None,
        }
    }

    /// Returns a client for another folder, in which git finds the repository. Not for folders that agents change.
    pub(crate) fn in_folder(&self, folder: &Path) -> Self {
        let options = Arc::clone(&self.options);
        Self { options, folder: folder.to_owned(), checkout: None, object_folders: None }
    }

    /// Returns a client for a worktree of an agent.
    pub(crate) fn in_worktree(&self, folder: &Path, git_dir: &Path, common_dir: &Path) -> Self {
        self.in_pinned_checkout(folder, git_dir, common_dir, true)
    }

    /// Returns a client for a checkout to which no agent can write the git directories.
    pub(crate) fn in_trusted_checkout(&self, folder: &Path, git_dir: &Path, common_dir: &Path) -> Self {
        self.in_pinned_checkout(folder, git_dir, common_dir, false)
    }

    /// Returns a client that does not need the folder of the checkout.
    pub(crate) fn in_own_git_dir(&self) -> Self {
        let git_dir = self.checkout.as_ref().map(|checkout| checkout.git_dir.clone());
        Self { folder: git_dir.unwrap_or_else(|| self.folder.clone()), ..self.clone() }
    }

    fn in_pinned_checkout(
        &self,
        folder: &Path,
        git_dir: &Path,
        common_dir: &Path,
        is_of_agent: bool,
    ) -> Self {
        let (git_dir, common_dir) = (git_dir.to_owned(), common_dir.to_owned());
        Self { checkout: Some(Checkout { git_dir, common_dir, is_of_agent }), ..self.in_folder(folder) }
    }

    /// Returns a client that writes new objects to another folder.
    pub(crate) fn with_object_folders(self, new: &Path, others: &Path) -> Self {
        Self { object_folders: Some([new.to_owned(), others.to_owned()]), ..self }
    }

    pub(crate) fn folder(&self) -> &Path {
        &self.folder
    }

    /// Returns the common git directory of a checkout, which no agent can write to.
    pub(crate) fn common_dir(&self) -> Option<&Path> {
        self.checkout.as_ref().map(|checkout| checkout.common_dir.as_path())
    }

    pub(crate) fn call<A: AsRef<OsStr>>(&self, arguments: impl IntoIterator<Item = A>) -> GitCall<'_> {
        let arguments = arguments.into_iter().map(|argument| argument.as_ref().to_owned()).collect();
        GitCall { git: self, arguments, variables: Vec::new(), input: Vec::new() }
    }
}

/// A prepared call.
pub(crate) struct GitCall<'a> {
    git: &'a GitClient,
    arguments: Vec<OsString>,
    variables: Vec<(&'static str, OsString)>,
    input: Vec<u8>,
}

/// Result of a successful call.
pub(crate) struct GitOutput {
    pub(crate) code: i32,
    pub(crate) output: Vec<u8>,
    command: String,
}

impl GitCall<'_> {
    pub(crate) fn env(mut self, name: &'static str, value: impl Into<OsString>) -> Self {
        self.variables.push((name, value.into()));
        self
    }

    pub(crate) fn arg(mut self, argument: impl AsRef<OsStr>) -> Self {
        self.arguments.push(argument.as_ref().to_owned());
        self
    }

    pub(crate) fn args<A: AsRef<OsStr>>(self, arguments: impl IntoIterator<Item = A>) -> Self {
        arguments.into_iter().fold(self, |call, argument| call.arg(argument))
    }

    pub(crate) fn input(mut self, input: impl Into<Vec<u8>>) -> Self {
        self.input = input.into();
        self
    }

    /// Runs the command; any status other than 0 is an error.
    pub(crate) fn run(self) -> Result<GitOutput, RepoError> {
        self.run_accepting_codes(&[])
    }

    /// Runs the command; the given statuses are accepted in addition to 0.
    pub(crate) fn run_accepting_codes(self, codes: &[i32]) -> Result<GitOutput, RepoError> {
        let common = self.git.common_dir().unwrap_or(&self.git.folder);
        let mut is_repeated = false;
        for _ in 0..=STALE_LOCKS_MAX {
            match self.run_once(codes) {
                // Killed, perhaps because memory was short. That says nothing about the work.
                Err(RepoError::CommandFailed { status: None, command, .. }) if !is_repeated => {
                    warn!(command, folder = %self.git.folder.display(), "git was killed; it is run again");
                    is_repeated = true;
                }
                Err(RepoError::CommandFailed { stderr, .. })
                    if remove_stale_lock(&stderr, common, &self.git.folder) => {}
                result => return result,
            }
        }
        self.run_once(codes)
    }

    fn run_once(&self, codes: &[i32]) -> Result<GitOutput, RepoError> {
        let name = self.display_name();
        let folder = self.git.folder.clone();
        let options = &self.git.options;
        let opened = self.open_worktree()?;
        let find_obstacle = || self.find_blocking_pipe();
        let limits = ProcessLimits {
            time_max: options.time_max,
            output_bytes_max: options.output_bytes_max,
            find_obstacle: &find_obstacle,
        };
        let mut command = self.command(opened.as_ref());
        let output = process::run(&mut command, &self.input, &limits).map_err(|problem| match problem {
            ProcessError::Start(source) if !folder.is_dir() => {
                RepoError::Io { operation: "enter", path: folder.clone(), source }
            }
            ProcessError::Start(source) => RepoError::GitMissing { program: options.program.clone(), source },
            ProcessError::Pipe(source) => {
                RepoError::Io { operation: "exchange data with git in", path: folder.clone(), source }
            }
            ProcessError::Timeout => {
                RepoError::TimedOut { command: name.clone(), folder: folder.clone(), limit: limits.time_max }
            }
            ProcessError::Obstacle(path) => RepoError::PipeInTheWay { path },
            ProcessError::OutputLimit => {
                let limit = limits.output_bytes_max;
                RepoError::TooMuchOutput { command: name.clone(), folder: folder.clone(), limit }
            }
        })?;
        let status = output.status.code();
        match status {
            Some(code) if code == 0 || codes.contains(&code) => {
                Ok(GitOutput { code, output: output.stdout, command: name })
            }
            _ => Err(RepoError::CommandFailed {
                command: name,
                folder,
                status,
                stderr: last_lines(&output.stderr),
            }),
        }
    }

    fn find_blocking_pipe(&self) -> Option<PathBuf> {
        let checkout = self.git.checkout.as_ref();
        let own = checkout.filter(|checkout| checkout.is_of_agent).map(|checkout| checkout.git_dir.as_path());
        let shared =
            checkout.map_or_else(|| self.git.folder.join(".git"), |checkout| checkout.common_dir.clone());
        find_blocking_pipe(&self.git.folder, own, &shared)
    }

    /// Opens the worktree of an agent, so that the call does not follow a link in its place, and removes its own
    /// configuration.
    fn open_worktree(&self) -> Result<Option<ConfinedFolder>, RepoError> {
        let Some(checkout) = self.git.checkout.as_ref().filter(|checkout| checkout.is_of_agent) else {
            return Ok(None);
        };
        let configuration = checkout.git_dir.join("config.worktree");
        remove_temporary_file(&configuration);
        if configuration.symlink_metadata().is_ok() {
            remove_folder(&configuration).map_err(|source| RepoError::Io {
                operation: "remove",
                path: configuration.clone(),
                source,
            })?;
        }
        match ConfinedFolder::open(&self.git.folder) {
            Ok(folder) => Ok(Some(folder)),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
                Err(RepoError::Io { operation: "enter", path: self.git.folder.clone(), source: error })
            }
            Err(_) => Err(RepoError::WorktreeReplaced { path: self.git.folder.clone() }),
        }
    }

    /// `opened` is the folder if it is a worktree of an agent.
    fn command(&self, opened: Option<&ConfinedFolder>) -> Command {
        let options = &self.git.options;
        let folder = opened.map_or_else(|| self.git.folder.clone(), ConfinedFolder::current_path);
        let mut command = Command::new(&options.program);
        command.current_dir(folder).env_clear().envs(options.variables.iter().cloned());
        command.envs([
            ("LC_ALL", "C"),
            ("GIT_TERMINAL_PROMPT", "0"),
            ("GIT_OPTIONAL_LOCKS", "0"),
            // File names may contain pathspec characters.
            ("GIT_LITERAL_PATHSPECS", "1"),
            ("GIT_PAGER", "cat"),
            ("GIT_EDITOR", "false"),
        ]);
        if let Some(Checkout { git_dir, common_dir, .. }) = &self.git.checkout {
            command.env("GIT_DIR", git_dir).env("GIT_COMMON_DIR", common_dir).env("GIT_WORK_TREE", ".");
        }
        if let Some([new, others]) = &self.git.object_folders {
            command.env("GIT_OBJECT_DIRECTORY", new).env("GIT_ALTERNATE_OBJECT_DIRECTORIES", others);
        }
        command.envs(self.variables.iter().cloned());
        for setting in options.settings.iter().map(String::as_str).chain(FIXED_SETTINGS) {
            command.args(["-c", setting]);
        }
        command.args(&self.arguments);
        command
    }

    fn display_name(&self) -> String {
        let arguments: Vec<_> = self.arguments.iter().map(|argument| argument.to_string_lossy()).collect();
        format!("git {}", arguments.join(" ")).chars().take(300).collect()
    }
}

impl GitOutput {
    /// Returns the output as text without the trailing newline.
    pub(crate) fn trimmed_text(&self) -> String {
        String::from_utf8_lossy(&self.output).trim_end_matches('\n').to_owned()
    }

    /// Returns the non-empty parts of NUL-separated output.
    pub(crate) fn nul_parts(&self) -> impl Iterator<Item = &[u8]> {
        self.output.split(|byte| *byte == 0).filter(|part| !part.is_empty())
    }

    /// Like `nul_parts`, as paths.
    pub(crate) fn paths(&self) -> impl Iterator<Item = PathBuf> {
        self.nul_parts().map(to_path)
    }

    /// Returns the error for output that cannot be parsed.
    pub(crate) fn unexpected_output_error(&self) -> RepoError {
        let answer = String::from_utf8_lossy(&self.output).chars().take(200).collect();
        RepoError::UnexpectedOutput { command: self.command.clone(), answer }
    }
}

/// Paths are bytes, both in git and on Unix.
pub(crate) fn to_path(bytes: &[u8]) -> PathBuf {
    PathBuf::from(OsString::from_vec(bytes.to_vec()))
}

/// Returns paths in the form that git reads under `-z`.
pub(crate) fn nul_list<'a>(paths: impl IntoIterator<Item = &'a PathBuf>) -> Vec<u8> {
    let mut list = Vec::new();
    for path in paths {
        list.extend_from_slice(path.as_os_str().as_bytes());
        list.push(0);
    }
    list
}

/// Returns the last lines of standard error, for an error message.
fn last_lines(complaint: &[u8]) -> String {
    const LINES_MAX: usize = 8;
    let text = String::from_utf8_lossy(complaint);
    let lines: Vec<&str> = text.lines().filter(|line| !line.trim().is_empty()).collect();
    lines.get(lines.len().saturating_sub(LINES_MAX)..).unwrap_or_default().join("\n")
}
