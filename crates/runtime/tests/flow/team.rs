//! Cooperation of agents: calls, results, direct messages, testers and verifiers.

use domain::{Role, RunOutcome, UserCommand};
use views::{DirectMessageState, GateState, InvocationState, ReceiptPurpose, ResultState};

use crate::fixture::{RunFixture, agent, plan};

#[test]
fn caller_gets_the_result_of_the_called_agent() {
    let fixture = RunFixture::with_team(&[
        agent(
            "worker",
            Role::Worker,
            r#"
read -r task
printf '[INVOKE:po]\nWhat do we need?\ncontext: a shop\n[/INVOKE]\n'
read -r result
printf '%s\n' "$result" > result.json
echo "DONE:$JANGDAN_TASK:it is there"
"#,
        ),
        agent(
            "po",
            Role::Specialist,
            r#"
read -r call
printf '%s\n' "$call" > "$BARRIER/call"
printf '[DELIVER_RESULT:worker]\ntype: markdown\ncontent: # A cart\n[/DELIVER_RESULT]\n'
read -r more
"#,
        ),
    ]);
    let run = fixture.start(plan(&["T1"]));
    assert_eq!(fixture.wait_for_outcome(&run), RunOutcome::Done);
    let call = fixture.script_output("call");
    assert!(call.contains("What do we need?") && call.contains("a shop"), "{call}");
    let result = fixture.branch_file(&run, "result.json");
    assert!(result.contains("# A cart") && result.contains(r#""from":"po""#), "{result}");
    let rows = fixture.rows(&run);
    let states: Vec<InvocationState> = rows.invocations.iter().map(|row| row.status).collect();
    assert_eq!(states, [InvocationState::Completed]);
    // The called agent has no task, and a conversation of its own: the call as it was sent, and its result.
    let callee = rows.invocations.iter().find_map(|row| row.callee_session).unwrap();
    let of_callee: Vec<_> = rows.turns.iter().filter(|turn| turn.session == callee).collect();
    assert!(of_callee.iter().all(|turn| turn.conversation() == views::ConversationId::Session(callee)));
    assert_eq!(of_callee[0].shown_text(domain::Locale::En), call.trim());
    assert!(of_callee.iter().any(|turn| turn.content.contains("# A cart")), "{of_callee:?}");
}

#[test]
fn result_for_a_later_task_is_delivered_at_its_start() {
    let fixture = RunFixture::with_team(&[
        agent(
            "first",
            Role::Worker,
            r#"
read -r task
printf '[DELIVER_RESULT:second]\ncontent: the port is 7777\n[/DELIVER_RESULT]\n'
echo "DONE:$JANGDAN_TASK:it is there"
"#,
        ),
        agent(
            "second",
            Role::Worker,
            r#"
read -r task
read -r result
printf '%s\n' "$result" > result.json
echo "DONE:$JANGDAN_TASK:it is there"
"#,
        ),
    ]);
    let mut work = plan(&["T1", "T2:T1"]);
    work.tasks[0].agent = Some("first".parse().unwrap());
    work.tasks[1].agent = Some("second".parse().unwrap());
    let run = fixture.start(work);
    assert_eq!(fixture.wait_for_outcome(&run), RunOutcome::Done);
    assert!(
        fixture.branch_file(&run, "result.json").contains("the port is 7777"),
        "{}",
        fixture.branch_file(&run, "result.json")
    );
    let states: Vec<ResultState> = fixture.rows(&run).results.iter().map(|row| row.status).collect();
    assert_eq!(states, [ResultState::Delivered]);
}

#[test]
fn direct_message_reaches_only_its_recipient() {
    let sender = r#"
read -r task
echo here > "$BARRIER/first"
while [ ! -e "$BARRIER/second" ] || [ ! -e "$BARRIER/third" ]; do sleep 0.01; done
printf '[DIRECT:second]\ntype: query\ncontent: Which port?\n[/DIRECT]\n'
while [ ! -e "$BARRIER/message" ]; do sleep 0.01; done
echo "DONE:$JANGDAN_TASK:it is there"
"#;
    let recipient = r#"
read -r task
echo here > "$BARRIER/second"
echo 'Ready.'
read -r message
printf '%s\n' "$message" > "$BARRIER/message"
echo "DONE:$JANGDAN_TASK:it is there"
"#;
    let other = r#"
read -r task
echo here > "$BARRIER/third"
while [ ! -e "$BARRIER/message" ]; do sleep 0.01; done
echo "DONE:$JANGDAN_TASK:it is there"
"#;
    let fixture = RunFixture::with_team(&[
        agent("first", Role::Worker, sender),
        agent("second", Role::Worker, recipient),
        agent("third", Role::Worker, other),
    ]);
    let mut work = plan(&["T1", "T2", "T3"]);
    for (task, name) in work.tasks.iter_mut().zip(["first", "second", "third"]) {
        task.agent = Some(name.parse().unwrap());
    }
    let run = fixture.start(work);
    assert_eq!(fixture.wait_for_outcome(&run), RunOutcome::Done);
    let message = fixture.script_output("message");
    assert!(message.contains("Which port?") && message.contains(r#""from":"first""#), "{message}");
    let states: Vec<DirectMessageState> =
        fixture.rows(&run).direct_messages.iter().map(|row| row.status).collect();
    assert_eq!(states, [DirectMessageState::Acknowledged]);
}

#[test]
fn failures_of_the_tester_return_to_the_worker_until_the_test_passes() {
    let fixture = RunFixture::with_team(&[
        agent(
            "worker",
            Role::Worker,
            r#"
read -r task
echo bad > state.txt
echo "DONE:$JANGDAN_TASK:it is there"
read -r feedback
printf '%s\n' "$feedback" > "$BARRIER/feedback"
echo good > state.txt
echo "DONE:$JANGDAN_TASK:it is there"
read -r more
"#,
        ),
        agent(
            "qa",
            Role::Tester,
            r#"
read -r test
printf '%s\n' "$test" >> "$BARRIER/tests"
if grep -q good state.txt; then
    echo "DONE:$JANGDAN_TASK:it is there"
else
    printf '[DIRECT:worker]\ntype: feedback\ncontent: {"success": false, "failures": [{"name": "state is good", "expected": "good", "actual": "bad"}]}\n[/DIRECT]\n'
fi
read -r more
"#,
        ),
    ]);
    let mut work = plan(&["T1"]);
    work.tasks[0].tester = Some("qa".parse().unwrap());
    work.tasks[0].verify = Some("test -s state.txt".to_owned());
    let run = fixture.start(work);
    assert_eq!(fixture.wait_for_outcome(&run), RunOutcome::Done);
    let feedback = fixture.script_output("feedback");
    assert!(feedback.contains("state is good") && feedback.contains(r#""actual":"bad""#), "{feedback}");
    assert_eq!(fixture.script_output("tests").lines().count(), 2, "{}", fixture.script_output("tests"));
    assert_eq!(fixture.branch_file(&run, "state.txt"), "good\n");
    let rows = fixture.rows(&run);
    assert!(rows.receipts.iter().all(|row| row.passed && row.purpose == ReceiptPurpose::Check));
}

#[test]
fn verifier_sees_the_merged_tree_and_requests_changes_until_it_is_right() {
    let fixture = RunFixture::with_team(&[
        agent(
            "worker",
            Role::Worker,
            r#"
read -r task
# The requested change follows the task.
[ ! -e "$BARRIER/verify" ] || read -r rework
case $rework in
    *'the title is missing'*) echo '# Title' > doc.md ;;
    *) echo 'text' > doc.md ;;
esac
echo "DONE:$JANGDAN_TASK:it is there"
"#,
        ),
        agent(
            "judge",
            Role::Verifier,
            r#"
read -r verify
printf '%s\n' "$verify" >> "$BARRIER/verify"
if grep -q Title doc.md; then
    echo 'CUSTOM:VERDICT:{"verdict":"accept","summary":"it has a title"}'
else
    echo 'FAIL:T1:the title is missing'
fi
read -r more
"#,
        ),
    ]);
    let mut work = plan(&["T1"]);
    work.phases[0].artefacts = vec!["*.md".to_owned()];
    let run = fixture.start(work);
    assert_eq!(fixture.wait_for_outcome(&run), RunOutcome::Done);
    assert_eq!(fixture.branch_file(&run, "doc.md"), "# Title\n");
    assert_eq!(fixture.script_output("verify").lines().count(), 2);
    let rows = fixture.rows(&run);
    let gate = rows.gates.iter().next().unwrap();
    assert_eq!((gate.state, gate.rounds.len()), (GateState::Approved, 2));
    assert_eq!(gate.artefacts, ["README.md", "doc.md"]);
    let verdicts: Vec<_> = gate.rounds.iter().map(|round| round.verdict.clone().unwrap()).collect();
    assert!(!verdicts[0].accepted && verdicts[1].accepted, "{verdicts:?}");
    assert_eq!(verdicts[0].findings[0].text, "the title is missing");
    assert_eq!(verdicts[1].summary, "it has a title");
}

#[test]
fn gate_in_review_blocks_the_next_phase() {
    let fixture = RunFixture::new(
        "read -r task\necho x > \"$JANGDAN_TASK.txt\"\necho \"DONE:$JANGDAN_TASK:it is there\"\n",
    );
    let mut work = plan(&["T1", "T2"]);
    let mut second = work.phases[0].clone();
    (second.number, second.after) = (2, vec![1]);
    work.phases.push(second);
    work.tasks[1].phase = 2;
    let settings = domain::RunSettings::default();
    let run = fixture.start_with(work, settings);
    fixture
        .wait_for(&run, |views| (views.rows().gates.iter().next()?.state == GateState::Review).then_some(()));
    assert_eq!(fixture.rows(&run).tasks.get(&"T2".parse().unwrap()).unwrap().started_at, None);
    fixture.execute(&run, UserCommand::ApproveGate { phase: 1, note: None });
    fixture
        .wait_for(&run, |views| (views.rows().gates.iter().nth(1)?.state == GateState::Review).then_some(()));
    fixture.execute(&run, UserCommand::ApproveGate { phase: 2, note: None });
    assert_eq!(fixture.wait_for_outcome(&run), RunOutcome::Done);
    assert_eq!(fixture.branch_files(&run), ["README.md", "T1.txt", "T2.txt"]);
}
