//! One call of the `git` program: its place, its environment, its bounds, and what it said.

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

use crate::{
    RepoError,
    process::{self, Bounds, Problem},
};

/// What the user's machine decides about git: where their settings lie, and nothing that bends a single call.
const VARIABLES: [&str; 9] = [
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

/// Settings that hold for each call, whatever the user's are.
///
/// Hooks and signing are for what the user commits. Sparse checkouts and recursion into submodules would make a tree
/// something else than its commit. Nothing runs on in the background.
const SETTINGS: [&str; 14] = [
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
    "diff.ignoreSubmodules=none",
    "merge.renames=true",
    "worktree.useRelativePaths=false",
];

/// Waits for the disk also with single objects, which git by itself does not: a ref that outlives a power cut without
/// its commit would be worse than none.
const DURABLE: [&str; 2] = ["core.fsync=committed", "core.fsyncMethod=batch"];

/// How `git` is called.
#[derive(Debug, Clone)]
pub struct GitOptions {
    /// The program.
    pub program: PathBuf,
    /// Its whole environment, but for what each call sets itself.
    pub variables: Vec<(OsString, OsString)>,
    /// Settings of git that hold beside ours, as `name=value`.
    pub settings: Vec<String>,
    /// The longest that one call may take.
    pub time_max: Duration,
    /// The most that one call may write.
    pub output_bytes_max: usize,
}

impl GitOptions {
    /// Takes `git` from the PATH, and from the environment what says where the user's settings lie.
    pub fn from_environment() -> Self {
        let variables =
            VARIABLES.iter().filter_map(|name| Some((OsString::from(name), env::var_os(name)?))).collect();
        // The checkout of a very large repository takes minutes; the names of its files some megabytes.
        Self {
            program: on_path("git").unwrap_or_else(|| "git".into()),
            variables,
            settings: DURABLE.map(str::to_owned).to_vec(),
            time_max: Duration::from_secs(600),
            output_bytes_max: 256 << 20,
        }
    }
}

/// Finds a program as the system would. Named by its whole path it is started without a copy of this process, which is
/// what takes longest where a run is large.
fn on_path(name: &str) -> Option<PathBuf> {
    let folders = env::var_os("PATH")?;
    let is_program =
        |path: &PathBuf| path.is_absolute() && path.is_file() && access(path, Access::EXEC_OK).is_ok();
    env::split_paths(&folders).map(|folder| folder.join(name)).find(is_program)
}

/// `git` at a place.
#[derive(Debug, Clone)]
pub(crate) struct Git {
    options: Arc<GitOptions>,
    folder: PathBuf,
    /// The git folder of a worktree. Said outright, because the `.git` file inside is the agent's to break.
    git_dir: Option<PathBuf>,
    /// Where new objects go that nobody needs afterwards, and where the others are.
    objects: Option<[PathBuf; 2]>,
}

impl Git {
    pub(crate) fn new(options: &GitOptions, folder: &Path) -> Self {
        Self { options: Arc::new(options.clone()), folder: folder.to_owned(), git_dir: None, objects: None }
    }

    /// Returns git in another folder.
    pub(crate) fn at(&self, folder: &Path) -> Self {
        let options = Arc::clone(&self.options);
        Self { options, folder: folder.to_owned(), git_dir: None, objects: None }
    }

    /// Returns git in a worktree.
    pub(crate) fn in_worktree(&self, folder: &Path, git_dir: &Path) -> Self {
        Self { git_dir: Some(git_dir.to_owned()), ..self.at(folder) }
    }

    /// Returns git that writes no object where the others are.
    pub(crate) fn writing_to(self, new: &Path, others: &Path) -> Self {
        Self { objects: Some([new.to_owned(), others.to_owned()]), ..self }
    }

    pub(crate) fn folder(&self) -> &Path {
        &self.folder
    }

    /// Prepares a call.
    pub(crate) fn call<A: AsRef<OsStr>>(&self, arguments: impl IntoIterator<Item = A>) -> Call<'_> {
        let arguments = arguments.into_iter().map(|argument| argument.as_ref().to_owned()).collect();
        Call { git: self, arguments, variables: Vec::new(), input: Vec::new() }
    }
}

/// A call that is about to be made.
pub(crate) struct Call<'a> {
    git: &'a Git,
    arguments: Vec<OsString>,
    variables: Vec<(&'static str, OsString)>,
    input: Vec<u8>,
}

/// What a call said.
pub(crate) struct Answer {
    pub(crate) code: i32,
    pub(crate) output: Vec<u8>,
    command: String,
}

impl Call<'_> {
    pub(crate) fn with(mut self, name: &'static str, value: impl Into<OsString>) -> Self {
        self.variables.push((name, value.into()));
        self
    }

    pub(crate) fn arg(mut self, argument: impl AsRef<OsStr>) -> Self {
        self.arguments.push(argument.as_ref().to_owned());
        self
    }

    pub(crate) fn input(mut self, input: impl Into<Vec<u8>>) -> Self {
        self.input = input.into();
        self
    }

    /// Makes the call; any status but 0 is an error.
    pub(crate) fn run(self) -> Result<Answer, RepoError> {
        self.run_or(&[])
    }

    /// Makes the call; other statuses than 0 are answers too if they are named.
    pub(crate) fn run_or(self, codes: &[i32]) -> Result<Answer, RepoError> {
        let name = self.name();
        let folder = self.git.folder.clone();
        let options = &self.git.options;
        let bounds = Bounds { time_max: options.time_max, output_bytes_max: options.output_bytes_max };
        let ended =
            process::run(&mut self.command(), &self.input, &bounds).map_err(|problem| match problem {
                Problem::Start(source) if !folder.is_dir() => {
                    RepoError::Io { operation: "enter", path: folder.clone(), source }
                }
                Problem::Start(source) => RepoError::GitMissing { program: options.program.clone(), source },
                Problem::Pipe(source) => {
                    RepoError::Io { operation: "talk to git in", path: folder.clone(), source }
                }
                Problem::Time => RepoError::TimedOut {
                    command: name.clone(),
                    folder: folder.clone(),
                    limit: bounds.time_max,
                },
                Problem::Output => {
                    let limit = bounds.output_bytes_max;
                    RepoError::TooMuchOutput { command: name.clone(), folder: folder.clone(), limit }
                }
            })?;
        let status = ended.status.code();
        match status {
            Some(code) if code == 0 || codes.contains(&code) => {
                Ok(Answer { code, output: ended.output, command: name })
            }
            _ => Err(RepoError::CommandFailed {
                command: name,
                folder,
                status,
                stderr: last_lines(&ended.complaint),
            }),
        }
    }

    fn command(&self) -> Command {
        let options = &self.git.options;
        let mut command = Command::new(&options.program);
        command.current_dir(&self.git.folder).env_clear().envs(options.variables.iter().cloned());
        command.envs([
            ("LC_ALL", "C"),
            ("GIT_TERMINAL_PROMPT", "0"),
            ("GIT_OPTIONAL_LOCKS", "0"),
            // A name is a name, whatever signs are in it.
            ("GIT_LITERAL_PATHSPECS", "1"),
            ("GIT_PAGER", "cat"),
            ("GIT_EDITOR", "false"),
        ]);
        if let Some(git_dir) = &self.git.git_dir {
            command.env("GIT_DIR", git_dir).env("GIT_WORK_TREE", &self.git.folder);
        }
        if let Some([new, others]) = &self.git.objects {
            command.env("GIT_OBJECT_DIRECTORY", new).env("GIT_ALTERNATE_OBJECT_DIRECTORIES", others);
        }
        command.envs(self.variables.iter().cloned());
        for setting in options.settings.iter().map(String::as_str).chain(SETTINGS) {
            command.args(["-c", setting]);
        }
        command.args(&self.arguments);
        command
    }

    fn name(&self) -> String {
        let arguments: Vec<_> = self.arguments.iter().map(|argument| argument.to_string_lossy()).collect();
        format!("git {}", arguments.join(" ")).chars().take(300).collect()
    }
}

impl Answer {
    /// Returns the answer as one line of text.
    pub(crate) fn line(&self) -> String {
        String::from_utf8_lossy(&self.output).trim_end_matches('\n').to_owned()
    }

    /// Returns the parts that NUL ends.
    pub(crate) fn parts(&self) -> impl Iterator<Item = &[u8]> {
        self.output.split(|byte| *byte == 0).filter(|part| !part.is_empty())
    }

    /// Returns the parts that NUL ends, as paths.
    pub(crate) fn paths(&self) -> impl Iterator<Item = PathBuf> {
        self.parts().map(to_path)
    }

    /// Returns the error of an answer that can't be read.
    pub(crate) fn unreadable(&self) -> RepoError {
        let answer = String::from_utf8_lossy(&self.output).chars().take(200).collect();
        RepoError::UnexpectedOutput { command: self.command.clone(), answer }
    }
}

/// Git's names are bytes, and so are ours.
pub(crate) fn to_path(bytes: &[u8]) -> PathBuf {
    PathBuf::from(OsString::from_vec(bytes.to_vec()))
}

/// Returns names as git reads them from its input under `-z`.
pub(crate) fn nul_list<'a>(paths: impl IntoIterator<Item = &'a PathBuf>) -> Vec<u8> {
    let mut list = Vec::new();
    for path in paths {
        list.extend_from_slice(path.as_os_str().as_bytes());
        list.push(0);
    }
    list
}

/// Enough of what git complained to see why, and no more.
fn last_lines(complaint: &[u8]) -> String {
    const LINES_MAX: usize = 8;
    let text = String::from_utf8_lossy(complaint);
    let lines: Vec<&str> = text.lines().filter(|line| !line.trim().is_empty()).collect();
    lines.get(lines.len().saturating_sub(LINES_MAX)..).unwrap_or_default().join("\n")
}
