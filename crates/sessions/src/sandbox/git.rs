//! The paths outside of a worktree that git must write to, so that a sandboxed agent can commit.
//!
//! A linked worktree has its index and HEAD in a folder of the repository, and shares objects, refs and reflogs with
//! it. Only these are allowed: not the shared configuration and not the hooks, because they name programs that git would
//! run outside of the sandbox. An agent could forge the link of its worktree to widen the sandbox of the next session,
//! so a git directory counts only if it points back at the worktree.

use std::{
    error::Error,
    fs,
    io::{self, Read},
    path::{Path, PathBuf},
    process::{Command, Stdio},
    time::Duration,
};

use domain::RunId;
use rustix::{
    event::{PollFd, PollFlags, Timespec, poll},
    fs::{Mode, OFlags},
};
use tracing::warn;

/// Shared by all worktrees, and written by commit, fetch or merge.
const SHARED_FOLDERS: &[&str] = &["objects", "reftable", "rr-cache", "lfs"];
/// All refs, with their logs.
const REFS: &[&str] = &["refs", "logs"];
/// Refs and logs that fetch writes.
const REMOTE_REFS: &[&str] = &["refs/remotes", "logs/refs/remotes"];
/// Time that git has to name its directories; it takes a millisecond.
const GIT_MAX: Duration = Duration::from_secs(10);
/// Variables that point git at another repository.
const GIT_VARIABLES: &[&str] = &["GIT_DIR", "GIT_COMMON_DIR", "GIT_WORK_TREE", "GIT_OBJECT_DIRECTORY"];

/// Returns the paths that git needs in addition to `directory`; none if it is not in a repository.
pub(super) fn writable_paths(directory: &Path) -> Vec<PathBuf> {
    let Some((own, common)) = git_directories(directory) else { return Vec::new() };
    if own == common {
        // A main worktree: a session below its root needs the whole git directory, as one at the root has it.
        let is_above = own.parent().is_some_and(|top| directory.starts_with(top));
        return if is_above && !own.starts_with(directory) { vec![own] } else { Vec::new() };
    }
    if own.parent() != Some(common.join("worktrees").as_path()) || !is_git_directory_of(&own, directory) {
        return Vec::new();
    }
    let refs = match refs_of_run(&own, &common) {
        Some(refs) => refs.into_iter().chain(REMOTE_REFS.iter().map(|name| common.join(name))).collect(),
        None => REFS.iter().map(|name| common.join(name)).collect::<Vec<_>>(),
    };
    let shared = SHARED_FOLDERS.iter().map(|name| common.join(name)).chain(refs);
    let shared = shared.filter_map(|path| fs::canonicalize(path).ok());
    let mut paths: Vec<PathBuf> = shared.filter(|path| path.starts_with(&common)).collect();
    paths.push(own);
    paths
}

/// Returns the folders of the branches of a run and of their logs, if a worktree is one of a run. Other refs, such as the
/// branches of the user and the commits that gates checked, are not writable then.
fn refs_of_run(own: &Path, common: &Path) -> Option<Vec<PathBuf>> {
    // An agent cannot rename the git directory of its worktree.
    let (run, _) = own.file_name()?.to_str()?.split_once('-')?;
    let run: RunId = run.parse().ok()?;
    let branches = format!("refs/heads/jangdan/{run}");
    let is_packed = || {
        let packed = read_regular_file(&common.join("packed-refs")).unwrap_or_default();
        packed.contains(&format!(" {branches}/"))
    };
    if !common.join(&branches).is_dir() && !is_packed() {
        return None;
    }
    let folders = [common.join(&branches), common.join("logs").join(&branches)];
    for folder in &folders {
        // Missing if all branches are packed. Without it, the agent cannot commit, and says so.
        if let Err(error) = fs::create_dir_all(folder) {
            warn!(folder = %folder.display(), error = &error as &dyn Error, "cannot create a folder of refs");
        }
    }
    Some(folders.to_vec())
}

/// Returns the worktree's own git directory and the shared one.
fn git_directories(directory: &Path) -> Option<(PathBuf, PathBuf)> {
    let mut git = Command::new("git");
    GIT_VARIABLES.iter().for_each(|name| {
        git.env_remove(name);
    });
    git.arg("-C").arg(directory).args(["rev-parse", "--git-dir", "--git-common-dir"]);
    let text = output_within(&mut git, GIT_MAX)?;
    let mut paths = text.lines().map(|line| fs::canonicalize(directory.join(line)));
    Some((paths.next()?.ok()?, paths.next()?.ok()?))
}

/// Returns the output of a program; `None` if it fails or writes nothing in time: an agent may have replaced a file that git
/// opens by a pipe.
fn output_within(command: &mut Command, time_max: Duration) -> Option<String> {
    let mut child = command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn().ok()?;
    let mut output = String::new();
    let is_written = child.stdout.as_mut().is_some_and(|pipe| {
        let timeout = Timespec::try_from(time_max).ok();
        let ready = poll(&mut [PollFd::new(&*pipe, PollFlags::IN)], timeout.as_ref());
        ready.is_ok_and(|n_ready| n_ready > 0) && pipe.read_to_string(&mut output).is_ok()
    });
    if !is_written {
        // Already ended if it failed.
        drop(child.kill());
    }
    let status = child.wait().ok()?;
    (is_written && status.success()).then_some(output)
}

/// Reads a file that an agent can replace, also by a pipe.
fn read_regular_file(path: &Path) -> io::Result<String> {
    let flags = OFlags::RDONLY | OFlags::NONBLOCK | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let mut file = fs::File::from(rustix::fs::open(path, flags, Mode::empty())?);
    if !file.metadata()?.is_file() {
        return Err(io::ErrorKind::InvalidInput.into());
    }
    let mut text = String::new();
    file.read_to_string(&mut text)?;
    Ok(text)
}

/// Returns whether the git directory of a linked worktree points back at this worktree.
fn is_git_directory_of(own: &Path, directory: &Path) -> bool {
    let Ok(link) = read_regular_file(&own.join("gitdir")) else { return false };
    let top = own.join(link.trim_end()).parent().and_then(|top| fs::canonicalize(top).ok());
    top.is_some_and(|top| directory.starts_with(top))
}

#[cfg(test)]
mod tests {
    use std::{fs, path::Path, process::Command};

    use super::writable_paths;

    fn git(directory: &Path, arguments: &[&str]) {
        let identity = ["-c", "user.name=T", "-c", "user.email=t@example.org"];
        let output = Command::new("git").arg("-C").arg(directory).args(identity).args(arguments).output();
        let output = output.unwrap();
        assert!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
    }

    #[test]
    fn linked_worktree_gets_shared_folders_and_a_forged_link_gets_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap();
        let (main, linked) = (root.join("main"), root.join("linked"));
        git(&root, &["init", "-q", "main"]);
        git(&main, &["commit", "-q", "--allow-empty", "-m", "first"]);
        git(&main, &["worktree", "add", "-q", "../linked"]);
        fs::create_dir(main.join("below")).unwrap();

        assert!(writable_paths(&root).is_empty());
        assert!(writable_paths(&main).is_empty(), "the git directory is in the directory itself");
        assert_eq!(writable_paths(&main.join("below")), [main.join(".git")]);
        let shared = writable_paths(&linked);
        for path in ["objects", "refs", "logs", "worktrees/linked"] {
            assert!(shared.contains(&main.join(".git").join(path)), "{path}: {shared:?}");
        }
        assert!(!shared.contains(&main.join(".git")), "{shared:?}");

        git(&main, &["branch", "jangdan/r1/run"]);
        git(&main, &["worktree", "add", "-q", "-b", "jangdan/r1/T1", "../r1-T1"]);
        let of_run = writable_paths(&root.join("r1-T1"));
        for path in ["objects", "refs/heads/jangdan/r1", "logs/refs/heads/jangdan/r1", "worktrees/r1-T1"] {
            assert!(of_run.contains(&main.join(".git").join(path)), "{path}: {of_run:?}");
        }
        for path in ["refs", "logs", "refs/heads"] {
            assert!(!of_run.contains(&main.join(".git").join(path)), "{path}: {of_run:?}");
        }

        let forged = root.join("forged");
        fs::create_dir(&forged).unwrap();
        for target in ["main/.git", "main/.git/worktrees/linked"] {
            fs::write(forged.join(".git"), format!("gitdir: {}\n", root.join(target).display())).unwrap();
            assert!(writable_paths(&forged).is_empty(), "{target}: {:?}", writable_paths(&forged));
        }
    }
}
