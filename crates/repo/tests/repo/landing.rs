//! A phase lands by fast-forward, and never behind the back of who has the branch checked out.

use std::path::Path;

use repo::{Commit, Landing};

use crate::stage::{Stage, git, user_git, write};

/// A run whose branch is one merge ahead of `main`.
fn ahead() -> (Stage, Commit) {
    let stage = Stage::new();
    stage.task("T1", |path| write(path, "new", "new\n"));
    stage.merge("T1");
    let tip = stage.run.tip().unwrap();
    (stage, tip)
}

#[test]
fn a_branch_that_is_checked_out_nowhere_moves() {
    let (stage, tip) = ahead();
    git(&stage.user(), &["branch", "target"]);
    let from = Some(stage.run.repository.commit("target").unwrap());
    assert_eq!(stage.run.land("target", &tip).unwrap(), Landing::Landed { from, n_commits: 1 });
    assert_eq!(stage.run.land("target", &tip).unwrap(), Landing::Already);
    assert_eq!(stage.run.repository.commit("target").unwrap(), tip);
    assert_eq!(stage.run.land("made/new", &tip).unwrap(), Landing::Landed { from: None, n_commits: 2 });
}

#[test]
fn a_branch_that_went_another_way_is_told() {
    let (stage, tip) = ahead();
    git(&stage.user(), &["branch", "target"]);
    git(&stage.user(), &["checkout", "--quiet", "target"]);
    git(&stage.user(), &["commit", "--quiet", "--allow-empty", "-m", "own"]);
    let own = stage.run.repository.commit("target").unwrap();
    assert_eq!(stage.run.land("target", &tip).unwrap(), Landing::Diverged { tip: own });
}

#[test]
fn a_branch_that_is_checked_out_moves_only_when_asked_and_clean() {
    let (stage, tip) = ahead();
    let user = stage.user().canonicalize().unwrap();
    assert_eq!(stage.run.land("main", &tip).unwrap(), Landing::CheckedOut { path: user.clone() });
    assert!(!user.join("new").exists());

    write(&user, "file", "dirty\n");
    let dirty = Landing::Dirty { files: vec![Path::new("file").to_owned()] };
    assert_eq!(stage.run.land_checked_out("main", &tip, &user).unwrap(), dirty);
    git(&user, &["add", "file"]);
    assert_eq!(stage.run.land_checked_out("main", &tip, &user).unwrap(), dirty);
    git(&user, &["checkout", "--quiet", "HEAD", "file"]);

    // A file that is in the way stays, and nothing moves; also one that git ignores.
    write(&user, "new", "mine\n");
    assert!(stage.run.land_checked_out("main", &tip, &user).is_err());
    write(&user, ".git/info/exclude", "new\n");
    assert!(stage.run.land_checked_out("main", &tip, &user).is_err());
    assert_eq!(std::fs::read_to_string(user.join("new")).unwrap(), "mine\n");
    std::fs::remove_file(user.join("new")).unwrap();

    write(&user, "untracked", "stays\n");
    assert!(stage.run.land_checked_out("other", &tip, &user).is_err());
    assert!(matches!(stage.run.land_checked_out("main", &tip, &user).unwrap(), Landing::Landed { .. }));
    assert_eq!(git(&user, &["rev-parse", "main"]), tip.as_str());
    assert_eq!(git(&user, &["status", "--porcelain"]), "?? untracked");
    assert_eq!(stage.run.land_checked_out("main", &tip, &user).unwrap(), Landing::Already);
}

#[test]
fn a_branch_that_is_being_rebased_is_checked_out() {
    let (stage, tip) = ahead();
    let user = stage.user();
    git(&user, &["branch", "other"]);
    git(&user, &["checkout", "--quiet", "-b", "target"]);
    let stopped = user_git(&user)
        .env("GIT_SEQUENCE_EDITOR", "echo break >")
        .args(["rebase", "--quiet", "-i", "--root"])
        .output()
        .unwrap();
    assert!(stopped.status.success(), "{}", String::from_utf8_lossy(&stopped.stderr));
    assert!(matches!(stage.run.land("target", &tip).unwrap(), Landing::CheckedOut { .. }));
    assert!(matches!(stage.run.land("other", &tip).unwrap(), Landing::Landed { .. }));
}
