//! The run's branch as one commit for each task.

use repo::GitIdentity;

use crate::fixture::{Fixture, git, write_file};

#[test]
fn each_merge_becomes_one_commit_and_later_ones_continue_the_history() {
    let fixture = Fixture::new();
    let base = fixture.run.run_tip().unwrap();
    let merge = |task: &str| {
        let worktree = fixture.commit_task_work(task, |path| write_file(path, task, task));
        let tip = repo::CommitId::parse(&git(&worktree.path, &["rev-parse", "HEAD"])).unwrap();
        let author = GitIdentity::parse("Ada <ada@example.org>").unwrap();
        let merged = fixture.run.merge_commit(&tip, &author, &format!("Do {task}\n\nbody\n")).unwrap();
        let repo::MergeAttempt::Merged { onto, commit, .. } = merged else { panic!("merges") };
        fixture.run.advance_run_branch(&onto, &commit).unwrap();
        commit
    };
    assert_eq!(fixture.run.linearize(&base, &base).unwrap(), base);
    let first = merge("T1");
    let linear_first = fixture.run.linearize(&base, &first).unwrap();
    let second = merge("T2");
    let linear = fixture.run.linearize(&base, &second).unwrap();
    assert_eq!(fixture.run.linearize(&base, &second).unwrap(), linear);
    assert_eq!(fixture.run.tree_of(&linear).unwrap(), fixture.run.tree_of(&second).unwrap());
    let log = git(&fixture.user_folder(), &["log", "--format=%H %P %an %s", linear.as_str()]);
    let lines: Vec<&str> = log.lines().collect();
    assert_eq!(lines[0], format!("{linear} {linear_first} Ada Do T2"));
    assert_eq!(lines[1], format!("{linear_first} {base} Ada Do T1"));
    assert_eq!(git(&fixture.user_folder(), &["log", "-1", "--format=%b", linear.as_str()]), "body");
}

#[test]
fn identity_of_the_user_comes_from_the_configuration_of_git() {
    let fixture = Fixture::new();
    assert_eq!(fixture.run.repository.user_identity().unwrap(), None);
    git(&fixture.user_folder(), &["config", "user.name", "Ada Kim"]);
    assert_eq!(fixture.run.repository.user_identity().unwrap(), None, "an address is missing");
    git(&fixture.user_folder(), &["config", "user.email", "ada@example.org"]);
    let user = fixture.run.repository.user_identity().unwrap().unwrap();
    assert_eq!(user.to_string(), "Ada Kim <ada@example.org>");
}
