//! What a task's commit contains: the agent's work, and nothing that a check or a tool left behind.

use domain::{LandKind, LandReport, RunOutcome, TaskId};
use runtime::{CommitStyle, LandOptions, RunEnvironment};

use crate::fixture::{RunFixture, plan, settings};

/// Writes a file of its own, waits for the other task before either is merged, and reports done after each input.
const WAITS: &str = r#"
read -r task
echo "$JANGDAN_TASK" > "$JANGDAN_TASK.txt"
echo here > "$BARRIER/$JANGDAN_TASK"
while [ ! -e "$BARRIER/T1" ] || [ ! -e "$BARRIER/T2" ]; do sleep 0.01; done
echo "DONE:$JANGDAN_TASK"
while read -r line; do
    printf '%s\n' "$line" >> "$BARRIER/input-$JANGDAN_TASK"
    echo "DONE:$JANGDAN_TASK"
done
"#;

/// Leaves a cache, a report and a changed tracked file behind, all different in each task.
const CHECK: &str = "mkdir -p __pycache__ reports; echo $JANGDAN_TASK > __pycache__/x.pyc; \
                     echo $JANGDAN_TASK > reports/result.xml; echo $JANGDAN_TASK >> README.md; \
                     test -e $JANGDAN_TASK.txt || test -n \"$(ls T*.txt)\"";

#[test]
fn files_that_a_check_left_behind_are_neither_committed_nor_conflict() {
    let fixture = RunFixture::new(WAITS);
    let mut work = plan(&["T1", "T2"]);
    work.tasks.iter_mut().for_each(|task| task.verify = Some(CHECK.to_owned()));
    let run = fixture.start(work);
    assert_eq!(fixture.wait_for_outcome(&run), RunOutcome::Done);
    assert_eq!(fixture.branch_files(&run), ["README.md", "T1.txt", "T2.txt"]);
    assert_eq!(fixture.branch_file(&run, "README.md"), "A project\n");
    for task in ["T1", "T2"] {
        assert_eq!(fixture.script_output(&format!("input-{task}")), "", "{task} was returned to its agent");
    }
}

#[test]
fn receipt_names_the_commit_that_is_merged() {
    let fixture = RunFixture::new("read -r task\necho made > made.txt\necho \"DONE:$JANGDAN_TASK\"\n");
    let mut work = plan(&["T1"]);
    work.tasks[0].verify = Some("echo x >> made.txt; echo more > more.txt".to_owned());
    let run = fixture.start(work);
    assert_eq!(fixture.wait_for_outcome(&run), RunOutcome::Done);
    let rows = fixture.rows(&run);
    let receipt = &rows.receipts.iter().next().unwrap().receipt;
    let merged = fixture.git(&["rev-parse", &format!("jangdan/{run}/run^2")]);
    assert_eq!(receipt.commit.as_deref(), Some(merged.trim()));
    assert_eq!(fixture.git(&["rev-parse", &format!("{}^{{tree}}", merged.trim())]).trim(), receipt.tree);
    assert_eq!(fixture.branch_file(&run, "made.txt"), "made\n");
}

#[test]
fn later_checkpoints_and_commits_have_no_leftovers_of_a_failed_check() {
    let script = r#"
read -r task
echo one > made.txt
echo "DONE:$JANGDAN_TASK"
read -r feedback
echo two > made.txt
echo "DONE:$JANGDAN_TASK"
while read -r line; do :; done
"#;
    let fixture = RunFixture::new(script);
    let mut work = plan(&["T1"]);
    work.tasks[0].verify =
        Some("date +%N > report.txt; echo x >> README.md; grep -q two made.txt".to_owned());
    let run = fixture.start(work);
    assert_eq!(fixture.wait_for_outcome(&run), RunOutcome::Done);
    assert_eq!(fixture.branch_files(&run), ["README.md", "made.txt"]);
    assert_eq!(fixture.branch_file(&run, "README.md"), "A project\n");
    assert_eq!(fixture.branch_file(&run, "made.txt"), "two\n");
    let rows = fixture.rows(&run);
    assert_eq!(rows.receipts.iter().map(|row| row.passed).collect::<Vec<_>>(), [false, true]);
    for row in rows.receipts.iter() {
        let files = fixture.git(&["ls-tree", "-r", "--name-only", &row.receipt.tree]);
        assert_eq!(files, "README.md\nmade.txt\n");
    }
    let task: TaskId = "T1".parse().unwrap();
    let diff = fixture.host.task_diff(&run, &task).unwrap();
    assert!(!diff.contains("report.txt") && !diff.contains("README.md"), "{diff}");
}

#[test]
fn landing_brings_one_commit_for_each_task_with_the_user_as_author() {
    let script = r#"
read -r task
echo one > "$JANGDAN_TASK.txt"
git add . && git -c user.name=a -c user.email=a@b commit --quiet -m "first step"
echo two > "$JANGDAN_TASK-more.txt"
echo "DONE:$JANGDAN_TASK"
while read -r line; do :; done
"#;
    let fixture = RunFixture::new(script);
    let commit = CommitStyle {
        is_squashed: true,
        author: Some("Ada Kim <ada@example.org>".to_owned()),
        message: "{title} ({id})".to_owned(),
    };
    let environment = RunEnvironment { commit, ..fixture.environment() };
    let mut work = plan(&["T1", "T2:T1"]);
    let mut second = work.phases[0].clone();
    (second.number, second.after) = (2, vec![1]);
    work.phases.push(second);
    work.tasks[1].phase = 2;
    let run = fixture.start_with_environment(work, settings(), environment);
    assert_eq!(fixture.wait_for_outcome(&run), RunOutcome::Done);
    // The checked-out branch waits for the user; other files of the checkout do not matter.
    assert!(matches!(fixture.host.land(&run, "ana", &LandOptions::default()), Ok(LandReport::Landed { .. })));
    let log =
        fixture.git(&["log", "--format=%an <%ae>|%s|%(trailers:key=Co-authored-by,valueonly)%P", "main"]);
    let commits: Vec<&str> = log.lines().collect();
    let author = "Ada Kim <ada@example.org>";
    let agent = "worker <worker@jangdan.invalid>";
    assert_eq!(commits[0], format!("{author}|Do T2 (T2)|{agent}"), "{log}");
    assert_eq!(commits[2], format!("{author}|Do T1 (T1)|{agent}"), "{log}");
    assert_eq!(fixture.git(&["rev-list", "--count", "main"]).trim(), "3");
    assert_eq!(fixture.git(&["rev-list", "--merges", "--count", "main"]).trim(), "0");
    let trees = ["main^{tree}".to_owned(), format!("jangdan/{run}/run^{{tree}}")];
    assert_eq!(fixture.git(&["rev-parse", &trees[0]]), fixture.git(&["rev-parse", &trees[1]]));
    // Landing again finds the same commits.
    assert!(matches!(
        fixture.host.land(&run, "ana", &LandOptions::default()),
        Ok(LandReport::AlreadyLanded { .. })
    ));
    // A branch that has moved on gets a merge commit of the user.
    fixture.git(&["checkout", "--quiet", "-b", "release", "main~2"]);
    let identity = ["-c", "user.name=a", "-c", "user.email=a@b"];
    fixture.git(&[&identity[..], &["commit", "--quiet", "--allow-empty", "-m", "own"]].concat());
    let into = LandOptions { into: Some("release".to_owned()), ..LandOptions::default() };
    assert!(matches!(
        fixture.host.land(&run, "ana", &into),
        Ok(LandReport::Landed { kind: LandKind::Merge, .. })
    ));
    let merge = fixture.git(&["log", "-1", "--format=%an <%ae>|%s", "release"]);
    assert_eq!(merge.trim(), format!("{author}|Merge run {run} into release"));
    assert_eq!(fixture.host.remove_finished_worktrees(&run, "ana", true).unwrap().refs.unwrap().kept, []);
}
