//! Files changed by two unfinished tasks are reported as long as both tasks change them.

use domain::{RunId, RunOutcome};
use views::{OverlapRow, QuestionState, Views};

use crate::fixture::{RunFixture, plan};

/// Writes an own file and a shared one, and asks a question before each step.
const SHARES_A_FILE: &str = r#"
read -r task
echo "from $JANGDAN_TASK" > shared.txt
echo mine > "own-$JANGDAN_TASK.txt"
printf '[ASK_USER]\nquestion: Shall it stay?\n[/ASK_USER]\n'
read -r answer
case "$answer" in *take*) rm shared.txt ;; esac
printf '[ASK_USER]\nquestion: Go on?\n[/ASK_USER]\n'
read -r answer
echo "DONE:$JANGDAN_TASK"
"#;

fn overlaps(views: &Views) -> Vec<OverlapRow> {
    views.rows().overlaps.iter().cloned().collect()
}

fn wait_for_overlap(fixture: &RunFixture, run: &RunId) -> OverlapRow {
    fixture.wait_for(run, |views| overlaps(views).first().cloned())
}

/// Answers the next question of a task.
fn answer(fixture: &RunFixture, run: &RunId, task: &str, answer: &str) {
    let question = fixture.wait_for(run, |views| {
        let mut questions = views.rows().questions.iter();
        let pending = questions.find(|row| {
            row.status == QuestionState::Pending && row.task.as_ref().is_some_and(|id| id.as_str() == task)
        });
        pending.map(|row| row.id)
    });
    fixture.answer(run, question, answer);
}

#[test]
fn tasks_that_change_the_same_file_overlap_until_one_reverts_it() {
    let mut fixture = RunFixture::new(SHARES_A_FILE);
    let run = fixture.start(plan(&["T1", "T2"]));
    let overlap = wait_for_overlap(&fixture, &run);
    assert_eq!(overlap.tasks, ["T1", "T2"].map(|id| id.parse().unwrap()));
    assert_eq!((overlap.files, overlap.n_files), (vec!["shared.txt".to_owned()], 1));
    fixture.wait_for_questions(&run, 2);
    fixture.restart();
    assert_eq!(
        overlaps(&fixture.host.run_snapshot(&run).unwrap().views).len(),
        1,
        "the overlap survives a restart"
    );
    answer(&fixture, &run, "T1", "take it away");
    fixture.wait_for(&run, |views| overlaps(views).is_empty().then_some(()));
    for (task, text) in [("T1", "yes"), ("T2", "it stays"), ("T2", "yes")] {
        answer(&fixture, &run, task, text);
    }
    assert_eq!(fixture.wait_for_outcome(&run), RunOutcome::Done);
    assert_eq!(fixture.branch_file(&run, "shared.txt"), "from T2\n");
}

#[test]
fn completed_task_has_no_overlaps() {
    let fixture = RunFixture::new(SHARES_A_FILE);
    let run = fixture.start(plan(&["T1", "T2"]));
    wait_for_overlap(&fixture, &run);
    for text in ["it stays", "yes"] {
        answer(&fixture, &run, "T1", text);
    }
    fixture.wait_for(&run, |views| overlaps(views).is_empty().then_some(()));
    fixture.wait_for_task(&run, "T1", views::TaskState::Done);
    assert_eq!(overlaps(&fixture.host.run_snapshot(&run).unwrap().views), []);
}
