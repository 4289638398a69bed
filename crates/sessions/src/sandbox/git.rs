//! What git must write to outside of a worktree, so that a sandboxed agent can commit.
//!
//! A linked worktree keeps its index and HEAD in a folder of the repository, and shares objects, refs and reflogs with
//! it. These and no more are allowed: not the shared configuration and not the hooks, because those name programs that
//! git would run outside of the sandbox. What an agent may have written itself is not believed: only a git directory
//! that points back at the worktree counts, else an agent could have the next session's sandbox opened for it.

use std::{
    fs,
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

/// What worktrees share and every commit, fetch and merge writes to.
const SHARED: &[&str] = &["objects", "refs", "logs", "reftable", "rr-cache", "lfs"];
/// What would make git look elsewhere.
const VARIABLES: &[&str] = &["GIT_DIR", "GIT_COMMON_DIR", "GIT_WORK_TREE", "GIT_OBJECT_DIRECTORY"];

/// Returns what git needs beside the directory itself; nothing where that is no repository.
pub(super) fn needs(directory: &Path) -> Vec<PathBuf> {
    let Some((own, common)) = find(directory) else { return Vec::new() };
    if own == common {
        // A checkout of its own. Below its top git needs the whole of it, as a session at the top has it.
        let is_above = own.parent().is_some_and(|top| directory.starts_with(top));
        return if is_above && !own.starts_with(directory) { vec![own] } else { Vec::new() };
    }
    if own.parent() != Some(common.join("worktrees").as_path()) || !points_back(&own, directory) {
        return Vec::new();
    }
    let shared = SHARED.iter().filter_map(|name| fs::canonicalize(common.join(name)).ok());
    let mut paths: Vec<PathBuf> = shared.filter(|path| path.starts_with(&common)).collect();
    paths.push(own);
    paths
}

/// Returns the worktree's own git directory and the one that it shares.
fn find(directory: &Path) -> Option<(PathBuf, PathBuf)> {
    let mut git = Command::new("git");
    VARIABLES.iter().for_each(|name| {
        git.env_remove(name);
    });
    git.arg("-C").arg(directory).args(["rev-parse", "--git-dir", "--git-common-dir"]);
    let output = git.stdin(Stdio::null()).stderr(Stdio::null()).output().ok()?;
    let text = String::from_utf8(output.stdout).ok().filter(|_| output.status.success())?;
    let mut paths = text.lines().map(|line| fs::canonicalize(directory.join(line)));
    Some((paths.next()?.ok()?, paths.next()?.ok()?))
}

/// Whether a linked worktree's git directory says that it is this worktree's.
fn points_back(own: &Path, directory: &Path) -> bool {
    let Ok(link) = fs::read_to_string(own.join("gitdir")) else { return false };
    let top = own.join(link.trim_end()).parent().and_then(|top| fs::canonicalize(top).ok());
    top.is_some_and(|top| directory.starts_with(top))
}

#[cfg(test)]
mod tests {
    use std::{fs, path::Path, process::Command};

    use super::needs;

    fn git(directory: &Path, arguments: &[&str]) {
        let identity = ["-c", "user.name=T", "-c", "user.email=t@example.org"];
        let output = Command::new("git").arg("-C").arg(directory).args(identity).args(arguments).output();
        let output = output.unwrap();
        assert!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
    }

    #[test]
    fn a_linked_worktree_gets_its_share_and_a_forged_link_gets_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap();
        let (main, linked) = (root.join("main"), root.join("linked"));
        git(&root, &["init", "-q", "main"]);
        git(&main, &["commit", "-q", "--allow-empty", "-m", "first"]);
        git(&main, &["worktree", "add", "-q", "../linked"]);
        fs::create_dir(main.join("below")).unwrap();

        assert!(needs(&root).is_empty());
        assert!(needs(&main).is_empty(), "it lies in the directory itself");
        assert_eq!(needs(&main.join("below")), [main.join(".git")]);
        let shared = needs(&linked);
        for path in ["objects", "refs", "logs", "worktrees/linked"] {
            assert!(shared.contains(&main.join(".git").join(path)), "{path}: {shared:?}");
        }
        assert!(!shared.contains(&main.join(".git")), "{shared:?}");

        let forged = root.join("forged");
        fs::create_dir(&forged).unwrap();
        for target in ["main/.git", "main/.git/worktrees/linked"] {
            fs::write(forged.join(".git"), format!("gitdir: {}\n", root.join(target).display())).unwrap();
            assert!(needs(&forged).is_empty(), "{target}: {:?}", needs(&forged));
        }
    }
}
