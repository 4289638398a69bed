//! What a gate shows before its approval: tasks, changed files, and the changes since the last rejection.

use domain::{ChangeSummary, GateApproval, RunOutcome, RunSettings, UserCommand};
use runtime::PhaseDiffScope;
use views::{GateRow, GateState, TaskMark};

use crate::fixture::{RunFixture, plan, settings};

/// Writes a file of its own; after each further input another line of it.
const SCRIPT: &str = r#"
read -r task
echo one > "$JANGDAN_TASK.txt"
echo "DONE:$JANGDAN_TASK"
while read -r line; do
    echo two >> "$JANGDAN_TASK.txt"
    echo "DONE:$JANGDAN_TASK"
done
"#;

fn files(changes: &ChangeSummary) -> Vec<(&str, u32, u32)> {
    let lines = |file: &'_ domain::FileChange| file.lines.map(|lines| (lines.added, lines.removed)).unwrap();
    changes.files.iter().map(|file| (file.path.as_str(), lines(file).0, lines(file).1)).collect()
}

fn wait_for_review(fixture: &RunFixture, run: &domain::RunId, round: u32) -> GateRow {
    fixture.wait_for(run, |views| {
        let gate = views.rows().gates.get(&1)?;
        (gate.state == GateState::Review && gate.round == round).then(|| gate.clone())
    })
}

#[test]
fn gate_has_tasks_with_marks_and_files_and_the_changes_since_a_rejection() {
    let fixture = RunFixture::new(SCRIPT);
    let approval = RunSettings { gate_approval: GateApproval::Person, ..settings() };
    let run = fixture.start_with(plan(&["T1", "T2"]), approval);
    let gate = wait_for_review(&fixture, &run, 1);
    let tasks: Vec<_> = gate.tasks.iter().map(|task| (task.id.as_str(), task.marks.as_slice())).collect();
    assert_eq!(tasks, [("T1", [TaskMark::Unchecked].as_slice()), ("T2", &[TaskMark::Unchecked])]);
    let report = gate.rounds.last().unwrap().report.clone().unwrap();
    assert_eq!(files(&report.changes.unwrap()), [("T1.txt", 1, 0), ("T2.txt", 1, 0)]);
    assert_eq!(report.changes_since_rejection, None);
    assert_eq!(report.commit.unwrap(), fixture.git(&["rev-parse", &format!("jangdan/{run}/run")]).trim());
    let diff = |scope| fixture.host.phase_diff(&run, 1, scope).unwrap();
    assert!(diff(PhaseDiffScope::All).contains("b/T1.txt"));
    assert_eq!(diff(PhaseDiffScope::SinceRejection), diff(PhaseDiffScope::All), "nothing was rejected");

    let (reason, tasks) = ("more".to_owned(), vec!["T2".parse().unwrap()]);
    fixture.execute(&run, UserCommand::RejectGate { phase: 1, reason, tasks });
    let gate = wait_for_review(&fixture, &run, 2);
    let report = gate.rounds.last().unwrap().report.clone().unwrap();
    assert_eq!(files(&report.changes.unwrap()), [("T1.txt", 1, 0), ("T2.txt", 2, 0)]);
    assert_eq!(files(&report.changes_since_rejection.unwrap()), [("T2.txt", 1, 0)]);
    let since = diff(PhaseDiffScope::SinceRejection);
    assert!(since.contains("+two") && !since.contains("T1.txt"), "{since}");
    fixture.execute(&run, UserCommand::ApproveGate { phase: 1, note: None });
    assert_eq!(fixture.wait_for_outcome(&run), RunOutcome::Done);
}
