//! No operation of a run changes the user's working tree, index, HEAD or branches.

use std::{fs, os::unix::fs::PermissionsExt, path::Path};

use repo::{LandingOutcome, LandingPlan, LandingRequest, LandingStrategy};

use crate::fixture::{Fixture, create_link, find_overlaps, git, write_file};

/// Returns everything of a user's checkout that must not change.
fn checkout_state(user: &Path) -> Vec<(String, Vec<u8>)> {
    let status =
        git(user, &["--no-optional-locks", "status", "--porcelain=v2", "-z", "--branch", "--ignored"]);
    let heads = git(user, &["for-each-ref", "refs/heads/main", "refs/heads/side", "refs/tags", "refs/stash"]);
    let mut contents =
        vec![("status".to_owned(), status.into_bytes()), ("refs".to_owned(), heads.into_bytes())];
    for name in ["index", "HEAD", "logs/HEAD", "logs/refs/heads/main", "logs/refs/stash", "config"] {
        contents.push((name.to_owned(), fs::read(user.join(".git").join(name)).unwrap_or_default()));
    }
    let mut folders = vec![user.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap().flatten().filter(|entry| entry.file_name() != ".git") {
            let (path, kind) = (entry.path(), entry.file_type().unwrap());
            let modified = entry.metadata().unwrap().modified().unwrap();
            let content = if kind.is_file() { fs::read(&path).unwrap() } else { Vec::new() };
            contents.push((format!("{} {modified:?}", path.display()), content));
            if kind.is_dir() {
                folders.push(path);
            }
        }
    }
    contents.sort();
    contents
}

#[test]
fn a_complete_run_does_not_change_a_dirty_checkout_with_hooks_and_signing() {
    let fixture = Fixture::with_base_files(|user| {
        write_file(user, "other", "other\n");
        write_file(user, "deleted", "x\n");
    });
    let user = fixture.user_folder();
    for hook in
        ["pre-commit", "post-checkout", "post-merge", "reference-transaction", "commit-msg", "post-commit"]
    {
        write_file(
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
    write_file(&user, ".git/config", format!("{config}{signing}"));
    // Changes of every kind.
    write_file(&user, "file", "changed\n");
    write_file(&user, "staged", "staged\n");
    let no_hooks = ["-c", "core.hooksPath=/dev/null"];
    git(&user, &[&no_hooks[..], &["add", "staged"]].concat());
    write_file(&user, "other", "staged and changed\n");
    write_file(&user, "untracked", "x\n");
    write_file(&user, "build.log", "ignored\n");
    create_link(&user, "link", "file");
    fs::remove_file(user.join("deleted")).unwrap();
    let before = checkout_state(&user);

    let first = fixture.commit_task_work("T1", |path| write_file(path, "file", "task\n"));
    let second = fixture.create_worktree("T2");
    write_file(&second.path, "new", "x");
    let snapshot = fixture.run.snapshot_worktree(&second, "turn", &[]).unwrap();
    fixture.run.restore_worktree(&second, &snapshot.commit, &[]).unwrap();
    fixture.merge("T1");
    let tip = fixture.run.run_tip().unwrap();
    fixture.run.create_check_worktree(&tip).unwrap();
    find_overlaps(&fixture.run, &[first.clone(), second.clone()]);
    fixture.run.remove_worktree_if_merged(&second).unwrap();
    let request =
        LandingRequest { branch: "main", commit: &tip, strategy: LandingStrategy::Merge, author: None };
    let LandingPlan::Move(landing) = fixture.run.plan_landing(&request).unwrap() else { panic!("lands") };
    assert!(matches!(fixture.run.land(&landing).unwrap(), LandingOutcome::CheckedOut { .. }));
    assert!(matches!(fixture.run.land_checked_out(&landing, &user).unwrap(), LandingOutcome::Dirty { .. }));
    fixture.run.remove_worktree(&first, &[]).unwrap();
    fixture.run.remove_worktree(&second, &[]).unwrap();
    fixture.run.remove_check_worktree().unwrap();
    fixture.run.recover_worktrees();

    assert!(before == checkout_state(&user), "the user's checkout changed");
    assert!(!user.join(".git/ran").exists(), "a hook ran");
    assert_eq!(git(&user, &["show", &format!("{}:new", snapshot.commit)]), "x");
}
