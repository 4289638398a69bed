//! Locks of killed git processes do not stop a run.

use std::{fs, os::unix::fs::PermissionsExt, process::Command};

use repo::{GitIdentity, GitOptions, LandingPlan, LandingRequest, LandingStrategy, Repository};

use crate::fixture::{Fixture, commit_options, git, git_options, task_id, write_file};

#[test]
fn locks_of_killed_processes_are_removed_and_the_work_continues() {
    let fixture = Fixture::new();
    let worktree = fixture.create_worktree("T1");
    write_file(&worktree.path, "new", "x\n");
    let common = fixture.user_folder().join(".git");
    fs::create_dir_all(common.join("refs/jangdan/keep/r1/T1")).unwrap();
    let locks = [
        "worktrees/r1-T1/index.lock",
        "worktrees/r1-T1/HEAD.lock",
        "refs/heads/jangdan/r1/T1.lock",
        "refs/heads/jangdan/r1/run.lock",
        "refs/jangdan/keep/r1/T1/1.lock",
    ];
    for lock in locks {
        fs::write(common.join(lock), "").unwrap();
    }
    fixture.run.snapshot_worktree(&worktree, "turn", &[]).unwrap();
    fixture.run.commit_work(&worktree, &commit_options()).unwrap();
    fixture.merge("T1");
    for lock in ["index.lock", "HEAD.lock"] {
        fs::write(common.join("worktrees/r1-T1").join(lock), "").unwrap();
    }
    fixture.run.restore_worktree(&worktree, &fixture.run.run_tip().unwrap(), &[]).unwrap();
    let left: Vec<_> = locks.iter().filter(|lock| common.join(lock).exists()).collect();
    assert!(left.is_empty(), "{left:?}");
}

#[test]
fn git_that_is_killed_is_run_again() {
    let fixture = Fixture::new();
    let worktree = fixture.create_worktree("T1");
    write_file(&worktree.path, "new", "x\n");
    // Is killed once in each of these commands, with its lock in place.
    let folder = fixture.folder.path();
    let script = format!(
        "#!/bin/sh\nfor name in commit-tree update-ref write-tree status reset; do case \" $* \" in *\" $name \"*)\n\
         [ -e {0}/killed-$name ] || {{ touch {0}/killed-$name {1}/HEAD.lock; kill -9 $$; }};; esac; done\nexec git \"$@\"\n",
        folder.display(),
        fixture.user_folder().join(".git/worktrees/r1-T1").display()
    );
    write_file(folder, "git.sh", script);
    let program = folder.join("git.sh");
    fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).unwrap();
    let options = GitOptions { program, ..git_options() };
    let repository = Repository::discover(&fixture.user_folder(), &options).unwrap();
    let run = repository.open_run(&"r1".parse().unwrap(), &folder.join("worktrees")).unwrap();
    let worktree = run.open_worktree(&worktree.task).unwrap();
    run.commit_work(&worktree, &commit_options()).unwrap();
    for name in ["commit-tree", "update-ref", "write-tree", "status", "reset"] {
        assert!(folder.join(format!("killed-{name}")).exists(), "{name}");
    }
    assert_eq!(git(&worktree.path, &["show", "HEAD:new"]), "x");
    assert_eq!(git(&worktree.path, &["status", "--porcelain"]), "");
}

#[test]
fn locks_of_living_processes_and_of_the_user_stay_and_are_named() {
    let fixture = Fixture::new();
    fixture.commit_task_work("T1", |path| write_file(path, "new", "x\n"));
    let lock = fixture.user_folder().join(".git/refs/heads/jangdan/r1/run.lock");
    fs::write(&lock, "").unwrap();
    // Waits for its input.
    let mut living = Command::new("git")
        .args(["hash-object", "--stdin"])
        .current_dir(fixture.user_folder().join(".git"))
        .stdin(std::process::Stdio::piped())
        .stdout(std::process::Stdio::null())
        .spawn()
        .unwrap();
    let merge = fixture.run.merge_task(&task_id("T1"), &GitIdentity::jangdan()).unwrap();
    let repo::MergeAttempt::Merged { onto, commit, .. } = merge else { panic!("{merge:?}") };
    let refused = fixture.run.advance_run_branch(&onto, &commit);
    drop(living.stdin.take());
    living.wait().unwrap();
    let error = refused.unwrap_err();
    assert!(error.to_string().contains("run.lock"), "{error}");
    assert!(error.hint().contains("lock"), "{}", error.hint());
    fixture.run.advance_run_branch(&onto, &commit).unwrap();
    assert!(!lock.exists());

    // A branch of the user.
    let lock = fixture.user_folder().join(".git/refs/heads/target.lock");
    fs::write(&lock, "").unwrap();
    let request =
        LandingRequest { branch: "target", commit: &commit, strategy: LandingStrategy::Merge, author: None };
    let LandingPlan::Move(landing) = fixture.run.plan_landing(&request).unwrap() else {
        panic!("not planned")
    };
    let error = fixture.run.land(&landing).unwrap_err();
    assert!(error.to_string().contains("target.lock"), "{error}");
    assert!(lock.exists());
}
