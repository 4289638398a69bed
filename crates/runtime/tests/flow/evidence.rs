//! Evidence of done with real worktrees: what an agent changed, and what is asked if it changed nothing.

use domain::{
    ClaimEvidence, Event, GateApproval, MissingEvidence, Role, RunOutcome, RunSettings, UserCommand,
    WorkChange, events,
};
use views::{TaskMark, TaskState};

use crate::fixture::{Agent, RunFixture, plan, settings};

/// Returns the evidence that was requested, in order.
fn requested_evidence(events: &[Event]) -> Vec<Vec<MissingEvidence>> {
    let requested = |event: &Event| match event {
        Event::EvidenceRequested(events::EvidenceRequested { missing, .. }) => Some(missing.clone()),
        _ => None,
    };
    events.iter().filter_map(requested).collect()
}

fn accepted_claims(events: &[Event]) -> Vec<(ClaimEvidence, WorkChange, bool)> {
    let accepted = |event: &Event| match event {
        Event::ClaimAccepted(event) => Some((event.evidence, event.change, event.is_claimed)),
        _ => None,
    };
    events.iter().filter_map(accepted).collect()
}

#[test]
fn claim_without_a_change_becomes_a_question_whose_answer_reaches_the_agent() {
    let fixture = RunFixture::new(
        r#"
read -r task
echo "DONE:$JANGDAN_TASK"
read -r finish
echo "$finish" > "$BARRIER/finish"
echo "Which file do you mean?"
read -r answer
echo "$answer" > made.txt
echo "DONE:$JANGDAN_TASK"
read -r nothing
"#,
    );
    let run =
        fixture.start_with(plan(&["T1"]), RunSettings { verify: Some("true".to_owned()), ..settings() });
    let questions = fixture.wait_for_questions(&run, 1);
    assert!(questions[0].text.contains("Which file do you mean?"), "{}", questions[0].text);
    assert!(fixture.script_output("finish").contains("noChange"), "{}", fixture.script_output("finish"));
    assert_eq!(requested_evidence(&fixture.events(&run)), [[MissingEvidence::NoChange]]);
    assert!(accepted_claims(&fixture.events(&run)).is_empty());
    fixture.answer(&run, questions[0].id, "made.txt");
    assert_eq!(fixture.wait_for_outcome(&run), RunOutcome::Done);
    assert!(fixture.branch_file(&run, "made.txt").contains("made.txt"));
    let expected = [(ClaimEvidence::Change, WorkChange::Changed, true)];
    assert_eq!(accepted_claims(&fixture.events(&run)), expected);
}

#[test]
fn silent_agent_that_changed_files_is_done_if_its_check_passes() {
    let fixture = RunFixture::new(
        "read -r task\necho x > made.txt\necho 'I think that is all.'\nread -r finish\necho 'As I said.'\nread -r nothing\n",
    );
    let verify = Some("test -e made.txt".to_owned());
    let run = fixture.start_with(plan(&["T1"]), RunSettings { verify, ..settings() });
    assert_eq!(fixture.wait_for_outcome(&run), RunOutcome::Done);
    assert_eq!(requested_evidence(&fixture.events(&run)), [[MissingEvidence::NoMessage]]);
    let task = fixture.rows(&run).tasks.get(&"T1".parse().unwrap()).unwrap().clone();
    assert_eq!(task.marks, [TaskMark::NotClaimed]);
}

#[test]
fn change_of_a_killed_agent_stays_evidence() {
    let fixture = RunFixture::new(
        r#"
read -r task
if [ ! -e "$BARRIER/killed" ]; then
    touch "$BARRIER/killed"
    echo x > made.txt
    kill -9 $$
fi
echo "DONE:$JANGDAN_TASK"
read -r nothing
"#,
    );
    let run = fixture.start(plan(&["T1"]));
    assert_eq!(fixture.wait_for_outcome(&run), RunOutcome::Done);
    assert!(requested_evidence(&fixture.events(&run)).is_empty());
    assert!(fixture.branch_files(&run).contains(&"made.txt".to_owned()));
}

#[test]
fn tree_before_the_prompt_survives_a_restart() {
    let script = r#"
read -r task
echo x > made.txt
echo wrote > "$BARRIER/wrote"
while [ ! -e "$BARRIER/go" ]; do sleep 0.01; done
echo "DONE:$JANGDAN_TASK"
"#;
    let worker = Agent { name: "worker", role: Role::Worker, script, preset: "quiet_ms = 60000" };
    let mut fixture = RunFixture::with_team(&[worker]);
    let run = fixture.start(plan(&["T1"]));
    fixture.wait_for_task(&run, "T1", TaskState::Running);
    while fixture.script_output("wrote").is_empty() {
        std::thread::yield_now();
    }
    fixture.restart();
    fixture.release_barrier("go");
    assert_eq!(fixture.wait_for_outcome(&run), RunOutcome::Done);
    assert!(requested_evidence(&fixture.events(&run)).is_empty());
}

#[test]
fn program_without_the_protocol_is_done_when_it_exits_and_files_have_changed() {
    let script = r#"
read -r task
if [ -e "$BARRIER/asked" ]; then
    echo x > made.txt
else
    echo "$task" > "$BARRIER/asked"
    echo "nothing to format"
fi
"#;
    let worker = Agent { name: "worker", role: Role::Worker, script, preset: "protocol = 'none'" };
    let fixture = RunFixture::with_team(&[worker]);
    let run = fixture.start(plan(&["T1"]));
    let questions = fixture.wait_for_questions(&run, 1);
    assert!(questions[0].text.contains("nothing to format"), "{}", questions[0].text);
    let prompt = fixture.script_output("asked");
    assert!(prompt.contains("Do T1"), "{prompt}");
    for word in ["DONE", "ASK_USER", "FAIL"] {
        assert!(!prompt.contains(word), "{word} is a part of the protocol: {prompt}");
    }
    fixture.answer(&run, questions[0].id, "Format the tests too");
    assert_eq!(fixture.wait_for_outcome(&run), RunOutcome::Done);
    assert!(requested_evidence(&fixture.events(&run)).is_empty());
    assert!(fixture.branch_files(&run).contains(&"made.txt".to_owned()));
}

#[test]
fn rework_without_a_change_is_shown_at_the_gate() {
    let fixture = RunFixture::new(
        r#"
read -r task
if [ -e "$BARRIER/rejected" ]; then
    read -r rework
    echo "DONE:$JANGDAN_TASK"
    read -r finish
    echo "DONE:$JANGDAN_TASK:the title is right"
else
    echo x > made.txt
    echo "DONE:$JANGDAN_TASK"
fi
read -r nothing
"#,
    );
    let settings = RunSettings { gate_approval: GateApproval::Person, ..settings() };
    let run = fixture.start_with(plan(&["T1"]), settings);
    let gate_text = |round: u32| {
        fixture.wait_for(&run, |views| {
            let gate = views.rows().gates.iter().next().filter(|gate| gate.round == round)?.phase;
            let is_gate = |row: &&views::InboxRow| row.phase == Some(gate);
            views.inbox().into_iter().find(is_gate).map(|row| row.text.clone())
        })
    };
    assert_eq!(gate_text(1), "Phase 1: All");
    fixture.release_barrier("rejected");
    let reason = "the title is wrong".to_owned();
    fixture.execute(&run, UserCommand::RejectGate { phase: 1, reason, tasks: Vec::new() });
    assert_eq!(gate_text(2), "Phase 1: All (round 2, no changes since the last round)");
    let requested = requested_evidence(&fixture.events(&run));
    assert_eq!(requested, [[MissingEvidence::UnchangedSinceRejection]]);
    let task = fixture.rows(&run).tasks.get(&"T1".parse().unwrap()).unwrap().clone();
    assert_eq!(task.marks, [TaskMark::Unchecked, TaskMark::SameAsLastRound]);
}
