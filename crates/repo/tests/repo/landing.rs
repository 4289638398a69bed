//! Landing fast-forwards a branch, and never changes a checkout without an explicit request.

use std::path::Path;

use repo::{CommitId, LandingOutcome};

use crate::fixture::{Fixture, git, user_git_command, write_file};

/// Returns a run whose branch is a commit and its merge ahead of `main`.
fn run_ahead_of_main() -> (Fixture, CommitId) {
    let fixture = Fixture::new();
    fixture.commit_task_work("T1", |path| write_file(path, "new", "new\n"));
    fixture.merge("T1");
    let tip = fixture.run.run_tip().unwrap();
    (fixture, tip)
}

#[test]
fn a_branch_that_is_checked_out_nowhere_moves() {
    let (fixture, tip) = run_ahead_of_main();
    git(&fixture.user_folder(), &["branch", "target"]);
    let from = Some(fixture.run.repository.resolve_commit("target").unwrap());
    assert_eq!(fixture.run.land("target", &tip).unwrap(), LandingOutcome::Landed { from, n_commits: 2 });
    assert_eq!(fixture.run.land("target", &tip).unwrap(), LandingOutcome::AlreadyLanded);
    assert_eq!(fixture.run.repository.resolve_commit("target").unwrap(), tip);
    assert_eq!(
        fixture.run.land("made/new", &tip).unwrap(),
        LandingOutcome::Landed { from: None, n_commits: 3 }
    );
}

#[test]
fn a_diverged_branch_is_reported() {
    let (fixture, tip) = run_ahead_of_main();
    git(&fixture.user_folder(), &["branch", "target"]);
    git(&fixture.user_folder(), &["checkout", "--quiet", "target"]);
    git(&fixture.user_folder(), &["commit", "--quiet", "--allow-empty", "-m", "own"]);
    let own = fixture.run.repository.resolve_commit("target").unwrap();
    assert_eq!(fixture.run.land("target", &tip).unwrap(), LandingOutcome::Diverged { tip: own });
}

#[test]
fn a_checked_out_branch_moves_only_on_request_and_if_clean() {
    let (fixture, tip) = run_ahead_of_main();
    let user = fixture.user_folder().canonicalize().unwrap();
    assert_eq!(fixture.run.land("main", &tip).unwrap(), LandingOutcome::CheckedOut { path: user.clone() });
    assert!(!user.join("new").exists());

    write_file(&user, "file", "dirty\n");
    let dirty = LandingOutcome::Dirty { files: vec![Path::new("file").to_owned()] };
    assert_eq!(fixture.run.land_checked_out("main", &tip, &user).unwrap(), dirty);
    git(&user, &["add", "file"]);
    assert_eq!(fixture.run.land_checked_out("main", &tip, &user).unwrap(), dirty);
    git(&user, &["checkout", "--quiet", "HEAD", "file"]);

    // A file that would be overwritten stays, even if it is ignored, and nothing moves.
    write_file(&user, "new", "mine\n");
    assert!(fixture.run.land_checked_out("main", &tip, &user).is_err());
    write_file(&user, ".git/info/exclude", "new\n");
    assert!(fixture.run.land_checked_out("main", &tip, &user).is_err());
    assert_eq!(std::fs::read_to_string(user.join("new")).unwrap(), "mine\n");
    std::fs::remove_file(user.join("new")).unwrap();

    write_file(&user, "untracked", "stays\n");
    assert!(fixture.run.land_checked_out("other", &tip, &user).is_err());
    assert!(matches!(
        fixture.run.land_checked_out("main", &tip, &user).unwrap(),
        LandingOutcome::Landed { .. }
    ));
    assert_eq!(git(&user, &["rev-parse", "main"]), tip.as_str());
    assert_eq!(git(&user, &["status", "--porcelain"]), "?? untracked");
    assert_eq!(fixture.run.land_checked_out("main", &tip, &user).unwrap(), LandingOutcome::AlreadyLanded);
}

#[test]
fn a_branch_being_rebased_counts_as_checked_out() {
    let (fixture, tip) = run_ahead_of_main();
    let user = fixture.user_folder();
    git(&user, &["branch", "other"]);
    git(&user, &["checkout", "--quiet", "-b", "target"]);
    let stopped = user_git_command(&user)
        .env("GIT_SEQUENCE_EDITOR", "echo break >")
        .args(["rebase", "--quiet", "-i", "--root"])
        .output()
        .unwrap();
    assert!(stopped.status.success(), "{}", String::from_utf8_lossy(&stopped.stderr));
    assert!(matches!(fixture.run.land("target", &tip).unwrap(), LandingOutcome::CheckedOut { .. }));
    assert!(matches!(fixture.run.land("other", &tip).unwrap(), LandingOutcome::Landed { .. }));
}
