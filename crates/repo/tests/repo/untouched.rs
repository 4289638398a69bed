//! The user's working tree, index, HEAD and branches stay as they are, byte for byte, whatever a run does.

use std::{fs, os::unix::fs::PermissionsExt, path::Path};

use repo::LandingOutcome;

use crate::stage::{Stage, git, link, write};

/// Everything of a user's checkout that we may not touch.
fn seen(user: &Path) -> Vec<(String, Vec<u8>)> {
    let status =
        git(user, &["--no-optional-locks", "status", "--porcelain=v2", "-z", "--branch", "--ignored"]);
    let heads = git(user, &["for-each-ref", "refs/heads/main", "refs/heads/side", "refs/tags", "refs/stash"]);
    let mut seen = vec![("status".to_owned(), status.into_bytes()), ("refs".to_owned(), heads.into_bytes())];
    for name in ["index", "HEAD", "logs/HEAD", "logs/refs/heads/main", "logs/refs/stash", "config"] {
        seen.push((name.to_owned(), fs::read(user.join(".git").join(name)).unwrap_or_default()));
    }
    let mut folders = vec![user.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap().flatten().filter(|entry| entry.file_name() != ".git") {
            let (path, kind) = (entry.path(), entry.file_type().unwrap());
            let modified = entry.metadata().unwrap().modified().unwrap();
            let content = if kind.is_file() { fs::read(&path).unwrap() } else { Vec::new() };
            seen.push((format!("{} {modified:?}", path.display()), content));
            if kind.is_dir() {
                folders.push(path);
            }
        }
    }
    seen.sort();
    seen
}

#[test]
fn a_whole_run_beside_a_dirty_checkout_with_hooks_and_signing_changes_nothing_there() {
    let stage = Stage::with(|user| {
        write(user, "other", "other\n");
        write(user, "deleted", "x\n");
    });
    let user = stage.user();
    for hook in
        ["pre-commit", "post-checkout", "post-merge", "reference-transaction", "commit-msg", "post-commit"]
    {
        write(
            &user,
            format!(".git/hooks/{hook}"),
            "#!/bin/sh\necho ran >> \"$(git rev-parse --git-common-dir)/ran\"\nexit 1\n",
        );
        let path = user.join(".git/hooks").join(hook);
        fs::set_permissions(path, fs::Permissions::from_mode(0o755)).unwrap();
    }
    let config = fs::read_to_string(user.join(".git/config")).unwrap();
    let signing =
        "[commit]\n\tgpgSign = true\n[gpg]\n\tprogram = false\n[status]\n\tshowUntrackedFiles = no\n";
    write(&user, ".git/config", format!("{config}{signing}"));
    // Dirty in every way.
    write(&user, "file", "changed\n");
    write(&user, "staged", "staged\n");
    let no_hooks = ["-c", "core.hooksPath=/dev/null"];
    git(&user, &[&no_hooks[..], &["add", "staged"]].concat());
    write(&user, "other", "staged and changed\n");
    write(&user, "untracked", "x\n");
    write(&user, "build.log", "ignored\n");
    link(&user, "link", "file");
    fs::remove_file(user.join("deleted")).unwrap();
    let before = seen(&user);

    let first = stage.task("T1", |path| write(path, "file", "task\n"));
    let second = stage.create("T2");
    write(&second.path, "new", "x");
    let kept = stage.run.snapshot_worktree(&second, "turn", &[]).unwrap();
    stage.run.restore_worktree(&second, &kept.commit, &[]).unwrap();
    stage.merge("T1");
    let tip = stage.run.run_tip().unwrap();
    stage.run.create_check_worktree(&tip).unwrap();
    stage.run.find_overlaps(&[first.clone(), second.clone()]).unwrap();
    stage.run.remove_worktree_if_merged(&second).unwrap();
    assert!(matches!(stage.run.land("main", &tip).unwrap(), LandingOutcome::CheckedOut { .. }));
    assert!(matches!(stage.run.land_checked_out("main", &tip, &user).unwrap(), LandingOutcome::Dirty { .. }));
    stage.run.remove_worktree(&first, &[]).unwrap();
    stage.run.remove_worktree(&second, &[]).unwrap();
    stage.run.remove_check_worktree().unwrap();
    stage.run.recover_worktrees();

    assert!(before == seen(&user), "the user's checkout changed");
    assert!(!user.join(".git/ran").exists(), "a hook ran");
    assert_eq!(git(&user, &["show", &format!("{}:new", kept.commit)]), "x");
}
