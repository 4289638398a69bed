//! Landing brings the run's work into a branch, and never changes a checkout without an explicit request.

use std::{
    fs,
    path::{Path, PathBuf},
};

use domain::{KeptRefReason, LandKind, RefCleanupReport};
use repo::{
    CommitId, GitIdentity, LandingOutcome, LandingPlan, LandingRequest, LandingStrategy, PlannedLanding,
    RefPruneOptions,
};

use crate::fixture::{Fixture, git, task_id, user_git_command, write_file};

/// Returns a run whose branch is a commit and its merge ahead of `main`.
fn run_ahead_of_main() -> (Fixture, CommitId) {
    let fixture = Fixture::with_base_files(|user| {
        write_file(user, "other", "other\n");
        write_file(user, "obsolete", "x\n");
        write_file(user, "folder/inner", "x\n");
    });
    let tip = merge_task_work(&fixture, "T1", |path| {
        write_file(path, "new", "new\n");
        write_file(path, "file", "one\ntwo\nthree\nfour\n");
        fs::remove_file(path.join("obsolete")).unwrap();
    });
    (fixture, tip)
}

fn merge_task_work(fixture: &Fixture, task: &str, change: impl FnOnce(&Path)) -> CommitId {
    fixture.commit_task_work(task, change);
    fixture.merge(task);
    fixture.run.run_tip().unwrap()
}

fn plan(fixture: &Fixture, branch: &str, commit: &CommitId) -> LandingPlan {
    fixture
        .run
        .plan_landing(&LandingRequest { branch, commit, strategy: LandingStrategy::Merge, author: None })
        .unwrap()
}

fn planned_move(plan: LandingPlan) -> PlannedLanding {
    let LandingPlan::Move(landing) = plan else { panic!("{plan:?}") };
    landing
}

fn planned_squash(fixture: &Fixture, branch: &str, commit: &CommitId) -> PlannedLanding {
    planned_move(
        fixture
            .run
            .plan_landing(&LandingRequest { branch, commit, strategy: LandingStrategy::Squash, author: None })
            .unwrap(),
    )
}

/// Plans landing into `main` and carries it out in the user's checkout.
fn land_in_checkout(fixture: &Fixture, commit: &CommitId) -> LandingOutcome {
    let landing = planned_move(plan(fixture, "main", commit));
    fixture.run.land_checked_out(&landing, &fixture.user_folder()).unwrap()
}

fn commit_as_user(fixture: &Fixture, file: &str, content: &str) {
    let user = fixture.user_folder();
    write_file(&user, file, content);
    git(&user, &["add", file]);
    git(&user, &["commit", "--quiet", "-m", "own"]);
}

fn dirty(files: &[&str]) -> LandingOutcome {
    LandingOutcome::Dirty { files: files.iter().map(PathBuf::from).collect() }
}

#[test]
fn a_branch_that_is_checked_out_nowhere_is_fast_forwarded() {
    let (fixture, tip) = run_ahead_of_main();
    git(&fixture.user_folder(), &["branch", "target"]);
    let from = Some(fixture.run.repository.resolve_commit("target").unwrap());
    let landing = planned_move(plan(&fixture, "target", &tip));
    assert_eq!((&landing.from, &landing.to, landing.n_commits), (&from, &tip, 2));
    assert_eq!((landing.kind, landing.has_new_tree), (LandKind::FastForward, false));
    assert_eq!(landing.files, ["file", "new", "obsolete"].map(PathBuf::from));
    assert_eq!(fixture.run.land(&landing).unwrap(), LandingOutcome::Landed);
    assert_eq!(plan(&fixture, "target", &tip), LandingPlan::AlreadyLanded);
    assert_eq!(fixture.run.repository.resolve_commit("target").unwrap(), tip);
    let created = planned_move(plan(&fixture, "made/new", &tip));
    assert_eq!((&created.from, created.n_commits), (&None, 3));
    assert_eq!(fixture.run.land(&created).unwrap(), LandingOutcome::Landed);
    assert!(fixture.run.has_branch("made/new").unwrap() && !fixture.run.has_branch("target~1").unwrap());
}

#[test]
fn a_branch_that_moved_on_gets_a_merge_commit() {
    let (fixture, tip) = run_ahead_of_main();
    commit_as_user(&fixture, "mine", "mine\n");
    let own = fixture.run.repository.resolve_commit("main").unwrap();
    let landing = planned_move(plan(&fixture, "main", &tip));
    assert_eq!((landing.kind, landing.n_commits, landing.has_new_tree), (LandKind::Merge, 2, true));
    assert_eq!(git(&fixture.user_folder(), &["rev-parse", "main"]), own.as_str(), "planning moves nothing");
    assert!(matches!(fixture.run.land(&landing).unwrap(), LandingOutcome::CheckedOut { .. }));
    let user = fixture.user_folder();
    assert_eq!(fixture.run.land_checked_out(&landing, &user).unwrap(), LandingOutcome::Landed);
    assert_eq!(git(&user, &["rev-parse", "main^1", "main^2"]), format!("{own}\n{tip}"));
    assert_eq!(git(&user, &["status", "--porcelain"]), "");
    assert!(user.join("mine").exists() && user.join("new").exists());
    assert_eq!(plan(&fixture, "main", &tip), LandingPlan::AlreadyLanded);
}

#[test]
fn conflicts_are_named_and_nothing_changes() {
    let (fixture, tip) = run_ahead_of_main();
    commit_as_user(&fixture, "file", "one\ntwo\nthree\nmine\n");
    let user = fixture.user_folder();
    let before = git(&user, &["rev-parse", "main"]);
    let conflicted = LandingPlan::Conflicted { files: vec!["file".into()] };
    assert_eq!(plan(&fixture, "main", &tip), conflicted);
    assert_eq!(git(&user, &["rev-parse", "main"]), before);
    assert_eq!(git(&user, &["status", "--porcelain"]), "");
}

#[test]
fn a_branch_that_moves_between_plan_and_landing_is_not_overwritten() {
    let (fixture, tip) = run_ahead_of_main();
    let user = fixture.user_folder();
    git(&user, &["branch", "target"]);
    let (main, target) =
        (planned_move(plan(&fixture, "main", &tip)), planned_move(plan(&fixture, "target", &tip)));
    commit_as_user(&fixture, "mine", "mine\n");
    git(&user, &["update-ref", "refs/heads/target", "main"]);
    let own = git(&user, &["rev-parse", "main"]);
    assert_eq!(fixture.run.land(&target).unwrap(), LandingOutcome::BranchMoved);
    assert_eq!(fixture.run.land_checked_out(&main, &user).unwrap(), LandingOutcome::BranchMoved);
    assert_eq!(git(&user, &["rev-parse", "main", "target"]), format!("{own}\n{own}"));
}

#[test]
fn unrelated_changes_of_the_checkout_stay_as_they_are() {
    let (fixture, tip) = run_ahead_of_main();
    commit_as_user(&fixture, "mine", "mine\n");
    let user = fixture.user_folder();
    write_file(&user, "other", "staged\n");
    write_file(&user, "added", "staged\n");
    git(&user, &["add", "other", "added"]);
    write_file(&user, "other", "staged and changed\n");
    fs::remove_file(user.join("mine")).unwrap();
    write_file(&user, "untracked", "stays\n");
    write_file(&user, "build.log", "ignored\n");
    let before = git(&user, &["status", "--porcelain", "--ignored"]);
    assert_eq!(land_in_checkout(&fixture, &tip), LandingOutcome::Landed);
    assert_eq!(git(&user, &["status", "--porcelain", "--ignored"]), before);
    assert_eq!(fs::read_to_string(user.join("other")).unwrap(), "staged and changed\n");
    assert_eq!(git(&user, &["show", ":other"]), "staged");
    assert_eq!(fs::read_to_string(user.join("new")).unwrap(), "new\n");
    assert!(!user.join("obsolete").exists());
}

#[test]
fn files_that_would_be_overwritten_are_named() {
    let (fixture, tip) = run_ahead_of_main();
    let user = fixture.user_folder();
    let before = git(&user, &["rev-parse", "main"]);
    let check = |change: &dyn Fn(), files: &[&str]| {
        change();
        let state = || git(&user, &["status", "--porcelain", "--ignored"]);
        let status = state();
        let landing = planned_move(plan(&fixture, "main", &tip));
        assert_eq!(fixture.run.files_blocking_landing(&landing, &user).unwrap(), {
            let LandingOutcome::Dirty { files } = dirty(files) else { unreachable!() };
            files
        });
        assert_eq!(land_in_checkout(&fixture, &tip), dirty(files));
        assert_eq!((git(&user, &["rev-parse", "main"]), state()), (before.clone(), status));
        git(&user, &["reset", "--quiet", "--hard"]);
        git(&user, &["clean", "--quiet", "-dfx"]);
        write_file(&user, ".git/info/exclude", "");
    };
    check(&|| write_file(&user, "file", "dirty\n"), &["file"]);
    check(&|| write_file(&user, "obsolete", "dirty\n"), &["obsolete"]);
    check(&|| fs::remove_file(user.join("file")).unwrap(), &["file"]);
    let stage = || {
        write_file(&user, "file", "dirty\n");
        git(&user, &["add", "file"]);
    };
    check(&stage, &["file"]);
    // The staged version differs from both sides, and would be lost.
    let stage_other = || {
        stage();
        write_file(&user, "file", "one\ntwo\nthree\nfour\n");
    };
    check(&stage_other, &["file"]);
    check(&|| write_file(&user, "new", "mine\n"), &["new"]);
    let ignore = || {
        write_file(&user, "new", "mine\n");
        write_file(&user, ".git/info/exclude", "new\n");
    };
    check(&ignore, &["new"]);
    check(&|| write_file(&user, "new/inner", "mine\n"), &["new/inner"]);
    assert_eq!(land_in_checkout(&fixture, &tip), LandingOutcome::Landed);
}

#[test]
fn an_untracked_file_in_place_of_a_new_folder_is_named() {
    let fixture = Fixture::new();
    let tip = merge_task_work(&fixture, "T1", |path| write_file(path, "folder/inner", "new\n"));
    write_file(&fixture.user_folder(), "folder", "mine\n");
    assert_eq!(land_in_checkout(&fixture, &tip), dirty(&["folder"]));
}

#[test]
fn a_tracked_file_is_replaced_by_a_folder_and_back() {
    let fixture = Fixture::new();
    let tip = merge_task_work(&fixture, "T1", |path| {
        fs::remove_file(path.join("file")).unwrap();
        write_file(path, "file/inner", "new\n");
    });
    assert_eq!(land_in_checkout(&fixture, &tip), LandingOutcome::Landed);
    let tip = merge_task_work(&fixture, "T2", |path| {
        fs::remove_dir_all(path.join("file")).unwrap();
        write_file(path, "file", "a file again\n");
    });
    assert_eq!(land_in_checkout(&fixture, &tip), LandingOutcome::Landed);
    assert_eq!(git(&fixture.user_folder(), &["status", "--porcelain"]), "");
}

#[test]
fn an_interrupted_landing_is_completed_by_the_next() {
    let (fixture, tip) = run_ahead_of_main();
    commit_as_user(&fixture, "mine", "mine\n");
    let user = fixture.user_folder();
    write_file(&user, "other", "uncommitted\n");
    // Killed after the files were written, before the index and the branch were.
    write_file(&user, "new", "new\n");
    write_file(&user, "file", "one\ntwo\nthree\nfour\n");
    fs::remove_file(user.join("obsolete")).unwrap();
    assert_eq!(land_in_checkout(&fixture, &tip), LandingOutcome::Landed);
    assert_eq!(git(&user, &["status", "--porcelain"]), " M other");

    // Killed after the index was written, before the branch was.
    let tip = merge_task_work(&fixture, "T2", |path| write_file(path, "new", "newer\n"));
    let landing = planned_move(plan(&fixture, "main", &tip));
    git(&user, &["read-tree", "-m", "-u", "HEAD", landing.to.as_str()]);
    assert_eq!(git(&user, &["status", "--porcelain"]), "M  new\n M other");
    assert_eq!(land_in_checkout(&fixture, &tip), LandingOutcome::Landed);
    assert_eq!(git(&user, &["status", "--porcelain"]), " M other");
    assert_eq!(git(&user, &["show", "main:new"]), "newer");
}

#[test]
fn unresolved_conflicts_and_merges_of_the_user_stay() {
    let (fixture, tip) = run_ahead_of_main();
    let user = fixture.user_folder();
    git(&user, &["checkout", "--quiet", "-b", "side"]);
    commit_as_user(&fixture, "other", "side\n");
    git(&user, &["checkout", "--quiet", "main"]);
    commit_as_user(&fixture, "other", "main\n");
    assert!(!user_git_command(&user).args(["merge", "--quiet", "side"]).output().unwrap().status.success());
    assert_eq!(land_in_checkout(&fixture, &tip), dirty(&["other"]));
    git(&user, &["add", "other"]);
    let landing = planned_move(plan(&fixture, "main", &tip));
    let error = fixture.run.land_checked_out(&landing, &user).unwrap_err();
    assert!(error.hint().contains("a merge is in progress"), "{error}");
}

#[test]
fn squashing_makes_one_commit_and_later_work_follows_it() {
    let (fixture, first) = run_ahead_of_main();
    commit_as_user(&fixture, "mine", "mine\n");
    let user = fixture.user_folder();
    let own = git(&user, &["rev-parse", "main"]);
    let landing = planned_squash(&fixture, "main", &first);
    assert_eq!((landing.kind, landing.n_commits, landing.has_new_tree), (LandKind::Squash, 2, true));
    // Killed after the squash commit was recorded, before the branch was moved.
    let record = format!("refs/jangdan/squash/r1/{}", landing.to);
    git(&user, &["update-ref", &record, first.as_str()]);
    assert!(matches!(plan(&fixture, "main", &first), LandingPlan::Move(_)));
    assert_eq!(fixture.run.land_checked_out(&landing, &user).unwrap(), LandingOutcome::Landed);
    assert_eq!(git(&user, &["rev-list", "--parents", "-1", "main"]), format!("{} {own}", landing.to));
    assert_eq!(git(&user, &["log", "-1", "--format=%B", "main"]), "Work of run r1\n\n* what the agent left");
    assert_eq!(plan(&fixture, "main", &first), LandingPlan::AlreadyLanded);

    // The next phase changes the same lines, which a merge from the common ancestor would report as a conflict.
    let second = merge_task_work(&fixture, "T2", |path| write_file(path, "file", "one\ntwo\nthree\nfour!\n"));
    for strategy in [LandingStrategy::Squash, LandingStrategy::Merge] {
        let request = LandingRequest { branch: "main", commit: &second, strategy, author: None };
        let landing = planned_move(fixture.run.plan_landing(&request).unwrap());
        assert_eq!((landing.n_commits, &landing.files), (2, &vec![PathBuf::from("file")]));
    }
    assert_eq!(land_in_checkout(&fixture, &second), LandingOutcome::Landed);
    assert_eq!(git(&user, &["show", "main:file"]), "one\ntwo\nthree\nfour!");
    assert_eq!(git(&user, &["show", "main:mine"]), "mine");
}

#[test]
fn configured_author_makes_the_merge_or_squash_commit_and_agents_are_co_authors() {
    let (fixture, first) = run_ahead_of_main();
    let user = fixture.user_folder();
    commit_as_user(&fixture, "mine", "mine\n");
    let author = GitIdentity::parse("Ada Kim <ada@example.org>").unwrap();
    let described = |strategy, commit: &CommitId| {
        let request = LandingRequest { branch: "main", commit, strategy, author: Some(&author) };
        let landing = planned_move(fixture.run.plan_landing(&request).unwrap());
        git(&user, &["log", "-1", "--format=%an <%ae>%n%B", landing.to.as_str()])
    };
    let agent = git(&user, &["log", "-1", "--format=%an <%ae>", &format!("{first}^2")]);
    assert_eq!(
        described(LandingStrategy::Merge, &first),
        "Ada Kim <ada@example.org>\nMerge run r1 into main"
    );
    // A single commit keeps its message.
    assert_eq!(
        described(LandingStrategy::Squash, &first),
        format!("Ada Kim <ada@example.org>\nwhat the agent left\n\nCo-authored-by: {agent}")
    );
    let second = merge_task_work(&fixture, "T2", |path| {
        write_file(path, "later", "later\n");
        git(path, &["add", "later"]);
        let message = "T2: later\n\nCo-authored-by: tester <tester@jangdan.invalid>";
        git(path, &["commit", "--quiet", "--author", "Ada Kim <ada@example.org>", "-m", message]);
    });
    assert_eq!(
        described(LandingStrategy::Squash, &second),
        format!(
            "Ada Kim <ada@example.org>\nWork of run r1\n\n* what the agent left\n* T2: later\n\n\
             Co-authored-by: {agent}\nCo-authored-by: tester <tester@jangdan.invalid>"
        )
    );
}

fn planned_rebase(fixture: &Fixture, commit: &CommitId) -> PlannedLanding {
    let request = LandingRequest { branch: "main", commit, strategy: LandingStrategy::Rebase, author: None };
    planned_move(fixture.run.plan_landing(&request).unwrap())
}

#[test]
fn rebasing_copies_the_commits_and_later_work_follows_them() {
    let (fixture, first) = run_ahead_of_main();
    commit_as_user(&fixture, "mine", "mine\n");
    let user = fixture.user_folder();
    let own = git(&user, &["rev-parse", "main"]);
    let landing = planned_rebase(&fixture, &first);
    assert_eq!((landing.kind, landing.n_commits, landing.has_new_tree), (LandKind::Rebase, 2, true));
    assert_eq!(fixture.run.land_checked_out(&landing, &user).unwrap(), LandingOutcome::Landed);
    assert_eq!(git(&user, &["rev-list", "--parents", "-1", "main"]), format!("{} {own}", landing.to));
    let described = |commit: &str| git(&user, &["log", "-1", "--format=%an %ae %at %B", commit]);
    assert_eq!(described("main"), described(&format!("{first}^2")));
    assert_eq!(plan(&fixture, "main", &first), LandingPlan::AlreadyLanded);

    let second = merge_task_work(&fixture, "T2", |path| write_file(path, "file", "one\ntwo\nthree\nfour!\n"));
    let landing = planned_rebase(&fixture, &second);
    assert_eq!(landing.files, [PathBuf::from("file")]);
    assert_eq!(fixture.run.land_checked_out(&landing, &user).unwrap(), LandingOutcome::Landed);
    assert_eq!(git(&user, &["show", "main:file"]), "one\ntwo\nthree\nfour!");
    assert_eq!(git(&user, &["rev-list", "--count", "--merges", "main"]), "0");
}

#[test]
fn commits_that_conflict_one_by_one_are_merged_instead() {
    let (fixture, _) = run_ahead_of_main();
    merge_task_work(&fixture, "T2", |path| write_file(path, "other", "intermediate\n"));
    let last = merge_task_work(&fixture, "T3", |path| write_file(path, "other", "final\n"));
    // The user already has the final text: the whole work merges, its first step does not.
    commit_as_user(&fixture, "other", "final\n");
    let landing = planned_rebase(&fixture, &last);
    assert_eq!(landing.kind, LandKind::MergeInsteadOfRebase);
}

#[test]
fn refs_of_landed_work_are_deleted_and_unmerged_work_stays() {
    let (fixture, first) = run_ahead_of_main();
    let user = fixture.user_folder();
    let tree = git(&user, &["rev-parse", "main:folder"]);
    let saved = git(&user, &["commit-tree", &tree, "-p", "main", "-m", "saved"]);
    git(&user, &["update-ref", "refs/jangdan/keep/r1/T1/1", &saved]);
    fixture.run.record_gate_commit(1, &first).unwrap();
    let worktree = fixture.run.open_worktree(&task_id("T1")).unwrap();
    fixture.run.remove_worktree(&worktree, &[]).unwrap();
    let now_s = git(&user, &["log", "-1", "--format=%ct", &saved]).parse().unwrap();
    let prune = |now_s, max_age_s| {
        fixture
            .run
            .prune_refs(RefPruneOptions {
                now_s,
                max_age_s,
                max_bytes: None,
                target: None,
                linear_base: None,
            })
            .unwrap()
    };

    let report = prune(now_s, Some(60));
    assert_eq!(report.deleted, [""; 0]);
    assert!(
        report.kept.contains(&("refs/jangdan/keep/r1/T1/1".to_owned(), KeptRefReason::Recent { age_s: 0 }))
    );
    assert!(report.kept.contains(&("refs/heads/jangdan/r1/run".to_owned(), KeptRefReason::UnmergedWork)));

    let report = prune(now_s + 120, Some(60));
    // The second is the state of the removed worktree.
    assert_eq!(report.deleted, ["refs/jangdan/keep/r1/T1/1", "refs/jangdan/keep/r1/T1/2"]);
    assert!(report.freed_bytes > 0);

    assert_eq!(land_in_checkout(&fixture, &first), LandingOutcome::Landed);
    let report = prune(now_s, None);
    assert_eq!(report.kept, []);
    assert_eq!(git(&user, &["for-each-ref", "refs/heads/jangdan", "refs/jangdan"]), "");
}

/// Tells which refs of the run pruning keeps.
fn kept_refs(fixture: &Fixture, target: Option<&str>, linear_base: Option<&CommitId>) -> Vec<String> {
    let options = RefPruneOptions { now_s: 0, max_age_s: None, max_bytes: None, target, linear_base };
    fixture.run.prune_refs(options).unwrap().kept.into_iter().map(|(name, _)| name).collect()
}

fn remove_worktree(fixture: &Fixture, task: &str) {
    let worktree = fixture.run.open_worktree(&task_id(task)).unwrap();
    fixture.run.remove_worktree(&worktree, &[]).unwrap();
}

#[test]
fn refs_of_work_that_was_landed_as_other_commits_are_deleted() {
    for strategy in [LandingStrategy::Squash, LandingStrategy::Rebase] {
        let (fixture, first) = run_ahead_of_main();
        let user = fixture.user_folder();
        fixture.run.record_gate_commit(1, &first).unwrap();
        remove_worktree(&fixture, "T1");
        merge_task_work(&fixture, "T2", |path| write_file(path, "later", "later\n"));
        remove_worktree(&fixture, "T2");
        commit_as_user(&fixture, "mine", "mine\n");
        let plan = |commit: &CommitId| {
            let request = LandingRequest { branch: "main", commit, strategy, author: None };
            planned_move(fixture.run.plan_landing(&request).unwrap())
        };
        let landing = plan(&first);
        assert_eq!(fixture.run.land_checked_out(&landing, &user).unwrap(), LandingOutcome::Landed);
        let squash_ref = format!("refs/jangdan/squash/r1/{}", landing.to);
        let kept = kept_refs(&fixture, Some("main"), None);
        let unmerged = ["refs/heads/jangdan/r1/T2", "refs/heads/jangdan/r1/run", &squash_ref];
        assert_eq!(kept.iter().filter(|name| !name.contains("keep")).collect::<Vec<_>>(), unmerged);

        let landing = plan(&fixture.run.run_tip().unwrap());
        assert_eq!(fixture.run.land_checked_out(&landing, &user).unwrap(), LandingOutcome::Landed);
        assert_eq!(kept_refs(&fixture, Some("main"), None), [""; 0]);
        assert_eq!(git(&user, &["for-each-ref", "refs/heads/jangdan", "refs/jangdan"]), "");
        assert_eq!(kept_refs(&fixture, Some("main"), None), [""; 0], "the run's branch is deleted");
    }
}

#[test]
fn refs_of_work_that_was_landed_as_one_commit_for_each_task_are_deleted() {
    let (fixture, first) = run_ahead_of_main();
    let base = fixture.run.repository.resolve_commit("main").unwrap();
    remove_worktree(&fixture, "T1");
    let second = merge_task_work(&fixture, "T2", |path| write_file(path, "later", "later\n"));
    remove_worktree(&fixture, "T2");
    let linear = |commit| fixture.run.linearize(&base, commit).unwrap();
    assert_eq!(land_in_checkout(&fixture, &linear(&first)), LandingOutcome::Landed);
    let kept = kept_refs(&fixture, Some("main"), Some(&base));
    assert_eq!(kept[..2], ["refs/heads/jangdan/r1/T2", "refs/heads/jangdan/r1/run"]);
    assert_eq!(land_in_checkout(&fixture, &linear(&second)), LandingOutcome::Landed);
    assert_eq!(kept_refs(&fixture, Some("main"), Some(&base)), [""; 0]);
}

#[test]
fn oldest_saved_states_above_the_size_are_deleted() {
    let fixture = Fixture::new();
    let user = fixture.user_folder();
    // Text that does not compress well.
    let content = |first: u32| {
        (first..first + 10_000)
            .map(|n| n.wrapping_mul(2_654_435_761))
            .fold(String::new(), |text, n| text + &n.to_string())
    };
    for (number, date) in [(1, 300), (2, 100), (3, 200)] {
        write_file(&user, "large", content(number * 10_000));
        let blob = git(&user, &["hash-object", "-w", "large"]);
        fs::remove_file(user.join("large")).unwrap();
        git(&user, &["read-tree", "--index-output=saved-index", "HEAD"]);
        git(&user, &["update-index", "--add", "--cacheinfo", &format!("100644,{blob},large")]);
        let tree = git(&user, &["write-tree"]);
        git(&user, &["reset", "--quiet"]);
        let mut commit = user_git_command(&user);
        commit.args(["commit-tree", &tree, "-p", "main", "-m", "saved"]);
        commit.env("GIT_COMMITTER_DATE", format!("@{date} +0000"));
        let saved = String::from_utf8(commit.output().unwrap().stdout).unwrap();
        git(&user, &["update-ref", &format!("refs/jangdan/keep/r1/T1/{number}"), saved.trim()]);
    }
    let prune = |max_bytes| {
        let options =
            RefPruneOptions { now_s: 400, max_age_s: None, max_bytes, target: None, linear_base: None };
        fixture.run.prune_refs(options).unwrap()
    };
    let n_saved = |report: &RefCleanupReport| {
        report.kept.iter().filter(|(_, reason)| matches!(reason, KeptRefReason::Recent { .. })).count()
    };
    assert_eq!(n_saved(&prune(None)), 3);
    assert_eq!(n_saved(&prune(Some(10_000_000))), 3);
    let report = prune(Some(60_000));
    assert_eq!(report.deleted, ["refs/jangdan/keep/r1/T1/2", "refs/jangdan/keep/r1/T1/3"], "{report:?}");
    assert_eq!(report.kept.last().unwrap().1, KeptRefReason::Recent { age_s: 100 });
    assert!((60_000..200_000).contains(&report.freed_bytes), "{}", report.freed_bytes);
    assert_eq!(n_saved(&prune(Some(0))), 0);
}

#[test]
fn refs_of_work_that_the_user_squashed_into_the_target_are_deleted() {
    let (fixture, _) = run_ahead_of_main();
    let user = fixture.user_folder();
    remove_worktree(&fixture, "T1");
    git(&user, &["merge", "--quiet", "--squash", "jangdan/r1/run"]);
    git(&user, &["commit", "--quiet", "-m", "by hand"]);
    commit_as_user(&fixture, "mine", "mine\n");
    let n_kept = |target| kept_refs(&fixture, target, None).len();
    assert!(n_kept(None) > 0, "no branch contains the commits");
    assert_eq!(n_kept(Some("main")), 0);
}

#[test]
fn hooks_and_merge_settings_of_the_repository_are_not_obeyed() {
    let (fixture, tip) = run_ahead_of_main();
    commit_as_user(&fixture, "mine", "mine\n");
    let user = fixture.user_folder();
    let settings = [
        ("merge.verifySignatures", "true"),
        ("branch.main.mergeOptions", "--squash --no-ff"),
        ("commit.gpgSign", "true"),
        ("merge.ff", "false"),
    ];
    for (name, value) in settings {
        git(&user, &["config", name, value]);
    }
    for hook in ["pre-merge-commit", "post-merge", "reference-transaction"] {
        write_file(&user, format!(".git/hooks/{hook}"), "#!/bin/sh\nexit 1\n");
        let path = user.join(".git/hooks").join(hook);
        fs::set_permissions(path, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
    }
    assert_eq!(land_in_checkout(&fixture, &tip), LandingOutcome::Landed);
    assert_eq!(git(&user, &["rev-parse", "main^2"]), tip.as_str());
}

#[test]
fn a_branch_being_rebased_counts_as_checked_out() {
    let (fixture, tip) = run_ahead_of_main();
    let user = fixture.user_folder();
    git(&user, &["branch", "other-branch"]);
    git(&user, &["checkout", "--quiet", "-b", "target"]);
    let stopped = user_git_command(&user)
        .env("GIT_SEQUENCE_EDITOR", "echo break >")
        .args(["rebase", "--quiet", "-i", "--root"])
        .output()
        .unwrap();
    assert!(stopped.status.success(), "{}", String::from_utf8_lossy(&stopped.stderr));
    let landing = planned_move(plan(&fixture, "target", &tip));
    let LandingOutcome::CheckedOut { path } = fixture.run.land(&landing).unwrap() else { panic!("moved") };
    assert_eq!(
        fixture.run.land_checked_out(&landing, &path).unwrap(),
        LandingOutcome::CheckedOut { path: path.clone() }
    );
    let landing = planned_move(plan(&fixture, "other-branch", &tip));
    assert_eq!(fixture.run.land(&landing).unwrap(), LandingOutcome::Landed);
    assert!(fixture.run.open_worktree(&task_id("T1")).is_some());
}

#[test]
fn changes_that_a_run_included_do_not_block_its_landing() {
    let fixture = Fixture::with_base_files(|user| {
        write_file(user, "kept", "base\n");
        write_file(user, "plan", "base\n");
        write_file(user, "removed", "base\n");
    });
    let user = fixture.user_folder();
    write_file(&user, "kept", "mine\n");
    write_file(&user, "plan", "mine\n");
    write_file(&user, "new", "mine\n");
    write_file(&user, "edited", "mine\n");
    fs::remove_file(user.join("removed")).unwrap();
    git(&user, &["add", "edited"]);
    let before = git(&user, &["status", "--porcelain"]);
    let excluded = [PathBuf::from("plan")];
    let base = fixture.run.repository.commit_checkout_changes("ana", &excluded, None).unwrap();
    assert_eq!(git(&user, &["status", "--porcelain"]), before, "the checkout stays as it is");
    let listed = git(&user, &["diff-tree", "-r", "--name-status", "--no-commit-id", base.as_str()]);
    assert_eq!(listed.trim_end(), "A\tedited\nM\tkept\nA\tnew\nD\tremoved");

    // The work of the run: it changes one of the user's files and deletes another.
    let head = fixture.run.repository.resolve_commit("HEAD").unwrap();
    git(&user, &["branch", "work", base.as_str()]);
    let folder = fixture.user_folder().with_file_name("work");
    git(&user, &["worktree", "add", "--quiet", folder.to_str().unwrap(), "work"]);
    write_file(&folder, "edited", "mine\nagent\n");
    fs::remove_file(folder.join("new")).unwrap();
    git(&folder, &["add", "--all"]);
    git(&folder, &["commit", "--quiet", "-m", "agent"]);
    let tip = fixture.run.repository.resolve_commit("work").unwrap();
    // A change after the start is the user's and blocks the landing, which then changes nothing.
    write_file(&user, "edited", "later\n");
    assert_eq!(land_in_checkout(&fixture, &tip), dirty(&["edited"]));
    assert_eq!(fs::read_to_string(user.join("kept")).unwrap(), "mine\n");
    assert_eq!(fixture.run.repository.resolve_commit("HEAD").unwrap(), head);
    write_file(&user, "edited", "mine\n");
    assert_eq!(land_in_checkout(&fixture, &tip), LandingOutcome::Landed);
    assert_eq!(fs::read_to_string(user.join("edited")).unwrap(), "mine\nagent\n");
    assert_eq!(fs::read_to_string(user.join("kept")).unwrap(), "mine\n");
    assert!(!user.join("removed").exists());
    // The landing neither adds nor removes the file that the agent deleted: it stays the user's.
    assert_eq!(git(&user, &["status", "--porcelain"]).trim_end(), " M plan\n?? new");
}
