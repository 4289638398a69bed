//! Files that two unfinished tasks both change are seen before they conflict, and no longer than they could.

use domain::{RunId, RunOutcome};
use views::{OverlapRow, QuestionState, Views};

use crate::lab::{Lab, plan};

/// Writes to one file of its own and to one that all have, and asks before each step.
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

fn until_overlap(lab: &Lab, run: &RunId) -> OverlapRow {
    lab.until(run, |views| overlaps(views).first().cloned())
}

/// Answers what a task asks, as soon as it asks.
fn answer(lab: &Lab, run: &RunId, task: &str, answer: &str) {
    let question = lab.until(run, |views| {
        let mut asked = views.rows().questions.iter();
        let asks = asked.find(|row| {
            row.status == QuestionState::Pending && row.task.as_ref().is_some_and(|id| id.as_str() == task)
        });
        asks.map(|row| row.id)
    });
    lab.answer(run, question, answer);
}

#[test]
fn two_tasks_that_write_to_one_file_overlap_until_one_takes_it_back() {
    let mut lab = Lab::new(SHARES_A_FILE);
    let run = lab.start(plan(&["T1", "T2"]));
    let overlap = until_overlap(&lab, &run);
    assert_eq!(overlap.tasks, ["T1", "T2"].map(|id| id.parse().unwrap()));
    assert_eq!((overlap.files, overlap.n_files), (vec!["shared.txt".to_owned()], 1));
    lab.until_pending(&run, 2);
    lab.reopen();
    assert_eq!(overlaps(&lab.host.snapshot(&run).unwrap().views).len(), 1, "it is still so after a restart");
    answer(&lab, &run, "T1", "take it away");
    lab.until(&run, |views| overlaps(views).is_empty().then_some(()));
    for (task, word) in [("T1", "yes"), ("T2", "it stays"), ("T2", "yes")] {
        answer(&lab, &run, task, word);
    }
    assert_eq!(lab.outcome(&run), RunOutcome::Done);
    assert_eq!(lab.show(&run, "shared.txt"), "from T2\n");
}

#[test]
fn a_task_that_is_done_overlaps_with_nobody() {
    let lab = Lab::new(SHARES_A_FILE);
    let run = lab.start(plan(&["T1", "T2"]));
    until_overlap(&lab, &run);
    for word in ["it stays", "yes"] {
        answer(&lab, &run, "T1", word);
    }
    lab.until(&run, |views| overlaps(views).is_empty().then_some(()));
    lab.until_task(&run, "T1", views::TaskState::Done);
    assert_eq!(overlaps(&lab.host.snapshot(&run).unwrap().views), []);
}
