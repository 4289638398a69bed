//! Untracked files above the size limit in real worktrees: the user decides whether they are merged.

use domain::{Event, LargeFile, RunOutcome, RunSettings};
use views::{TaskMark, TaskState};

use crate::fixture::{RunFixture, plan, settings};

const SCRIPT: &str = r#"
read -r task
truncate -s 20M data.bin
echo x > made.txt
echo "DONE:$JANGDAN_TASK"
read -r nothing
"#;

fn data_file() -> LargeFile {
    LargeFile { path: "data.bin".to_owned(), bytes: 20 << 20 }
}

fn check_answer(answer: &str, merged_files: &[&str], left_out: &[LargeFile], marks: &[TaskMark]) {
    let fixture = RunFixture::new(SCRIPT);
    let settings =
        RunSettings { verify: Some("echo checked > log.txt; test -f made.txt".to_owned()), ..settings() };
    let run = fixture.start_with(plan(&["T1"]), settings);
    let questions = fixture.wait_for_questions(&run, 1);
    assert_eq!(questions[0].large_files, [data_file()]);
    assert!(!fixture.events(&run).iter().any(|event| matches!(event, Event::CheckStarted(_))));
    fixture.answer(&run, questions[0].id, answer);
    assert_eq!(fixture.wait_for_outcome(&run), RunOutcome::Done);
    assert_eq!(fixture.branch_files(&run), merged_files);
    let task = fixture
        .wait_for(&run, |views| views.rows().tasks.iter().find(|row| row.state == TaskState::Done).cloned());
    assert_eq!((task.left_out.as_slice(), task.marks.as_slice()), (left_out, marks));
    // The receipt of the check names what it left behind, too.
    let rows = fixture.rows(&run);
    let files = rows.receipts.iter().next().unwrap().receipt.left_out.clone().unwrap();
    assert_eq!((files.large.as_slice(), files.changed_by_check), (left_out, vec!["log.txt".to_owned()]));
}

#[test]
fn large_file_is_merged_after_the_user_says_so() {
    check_answer("commit", &["README.md", "data.bin", "made.txt"], &[], &[]);
}

#[test]
fn large_file_that_the_user_leaves_out_is_not_merged() {
    check_answer("leave out", &["README.md", "made.txt"], &[data_file()], &[TaskMark::FilesLeftOut]);
}
