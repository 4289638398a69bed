//! Agents that work with each other: calls, results, messages, a tester, a verifier.

use domain::{Command, Role, RunOutcome};
use views::{DirectMessageState, GateState, InvocationState, ReceiptPurpose, ResultState};

use crate::lab::{Lab, agent, plan};

#[test]
fn a_call_brings_the_callees_result_to_its_caller() {
    let lab = Lab::with_team(&[
        agent(
            "worker",
            Role::Worker,
            r#"
read -r task
printf '[INVOKE:po]\nWhat do we need?\ncontext: a shop\n[/INVOKE]\n'
read -r result
printf '%s\n' "$result" > result.json
echo "DONE:$JANGDAN_TASK"
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
    let run = lab.start(plan(&["T1"]));
    assert_eq!(lab.outcome(&run), RunOutcome::Done);
    let call = lab.met("call");
    assert!(call.contains("What do we need?") && call.contains("a shop"), "{call}");
    let result = lab.show(&run, "result.json");
    assert!(result.contains("# A cart") && result.contains(r#""from":"po""#), "{result}");
    let rows = lab.rows(&run);
    let states: Vec<InvocationState> = rows.invocations.iter().map(|row| row.status).collect();
    assert_eq!(states, [InvocationState::Completed]);
}

#[test]
fn a_result_for_a_later_task_is_in_its_first_prompt() {
    let lab = Lab::with_team(&[
        agent(
            "first",
            Role::Worker,
            r#"
read -r task
printf '[DELIVER_RESULT:second]\ncontent: the port is 7777\n[/DELIVER_RESULT]\n'
echo "DONE:$JANGDAN_TASK"
"#,
        ),
        agent(
            "second",
            Role::Worker,
            r#"
read -r task
read -r result
printf '%s\n' "$result" > result.json
echo "DONE:$JANGDAN_TASK"
"#,
        ),
    ]);
    let mut work = plan(&["T1", "T2:T1"]);
    work.tasks[0].agent = Some("first".parse().unwrap());
    work.tasks[1].agent = Some("second".parse().unwrap());
    let run = lab.start(work);
    assert_eq!(lab.outcome(&run), RunOutcome::Done);
    assert!(lab.show(&run, "result.json").contains("the port is 7777"), "{}", lab.show(&run, "result.json"));
    let states: Vec<ResultState> = lab.rows(&run).results.iter().map(|row| row.status).collect();
    assert_eq!(states, [ResultState::Delivered]);
}

#[test]
fn a_direct_message_reaches_the_other_session_and_no_third() {
    let says = r#"
read -r task
echo here > "$BARRIER/first"
while [ ! -e "$BARRIER/second" ] || [ ! -e "$BARRIER/third" ]; do sleep 0.01; done
printf '[DIRECT:second]\ntype: query\ncontent: Which port?\n[/DIRECT]\n'
while [ ! -e "$BARRIER/heard" ]; do sleep 0.01; done
echo "DONE:$JANGDAN_TASK"
"#;
    let hears = r#"
read -r task
echo here > "$BARRIER/second"
echo 'Ready.'
read -r message
printf '%s\n' "$message" > "$BARRIER/heard"
echo "DONE:$JANGDAN_TASK"
"#;
    let minds_its_own = r#"
read -r task
echo here > "$BARRIER/third"
while [ ! -e "$BARRIER/heard" ]; do sleep 0.01; done
echo "DONE:$JANGDAN_TASK"
"#;
    let lab = Lab::with_team(&[
        agent("first", Role::Worker, says),
        agent("second", Role::Worker, hears),
        agent("third", Role::Worker, minds_its_own),
    ]);
    let mut work = plan(&["T1", "T2", "T3"]);
    for (task, name) in work.tasks.iter_mut().zip(["first", "second", "third"]) {
        task.agent = Some(name.parse().unwrap());
    }
    let run = lab.start(work);
    assert_eq!(lab.outcome(&run), RunOutcome::Done);
    let heard = lab.met("heard");
    assert!(heard.contains("Which port?") && heard.contains(r#""from":"first""#), "{heard}");
    let states: Vec<DirectMessageState> =
        lab.rows(&run).direct_messages.iter().map(|row| row.status).collect();
    assert_eq!(states, [DirectMessageState::Acknowledged]);
}

#[test]
fn what_a_tester_finds_goes_back_to_the_worker_until_it_finds_nothing() {
    let lab = Lab::with_team(&[
        agent(
            "worker",
            Role::Worker,
            r#"
read -r task
echo bad > state.txt
echo "DONE:$JANGDAN_TASK"
read -r feedback
printf '%s\n' "$feedback" > "$BARRIER/feedback"
echo good > state.txt
echo "DONE:$JANGDAN_TASK"
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
    echo "DONE:$JANGDAN_TASK"
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
    let run = lab.start(work);
    assert_eq!(lab.outcome(&run), RunOutcome::Done);
    let feedback = lab.met("feedback");
    assert!(feedback.contains("state is good") && feedback.contains(r#""actual":"bad""#), "{feedback}");
    assert_eq!(lab.met("tests").lines().count(), 2, "{}", lab.met("tests"));
    assert_eq!(lab.show(&run, "state.txt"), "good\n");
    let rows = lab.rows(&run);
    assert!(rows.receipts.iter().all(|row| row.passed && row.purpose == ReceiptPurpose::Check));
}

#[test]
fn a_verifier_sees_what_is_merged_and_sends_the_phase_back_until_it_is_right() {
    let lab = Lab::with_team(&[
        agent(
            "worker",
            Role::Worker,
            r#"
read -r task
# What the phase was sent back for follows its task.
[ ! -e "$BARRIER/verify" ] || read -r rework
case $rework in
    *'the title is missing'*) echo '# Title' > doc.md ;;
    *) echo 'text' > doc.md ;;
esac
echo "DONE:$JANGDAN_TASK"
"#,
        ),
        agent(
            "judge",
            Role::Verifier,
            r#"
read -r verify
printf '%s\n' "$verify" >> "$BARRIER/verify"
if grep -q Title doc.md; then
    echo 'It is as it should be.'
else
    echo 'FAIL:T1:the title is missing'
fi
read -r more
"#,
        ),
    ]);
    let mut work = plan(&["T1"]);
    work.phases[0].artefacts = vec!["*.md".to_owned()];
    let run = lab.start(work);
    assert_eq!(lab.outcome(&run), RunOutcome::Done);
    assert_eq!(lab.show(&run, "doc.md"), "# Title\n");
    assert_eq!(lab.met("verify").lines().count(), 2);
    let rows = lab.rows(&run);
    let gate = rows.gates.iter().next().unwrap();
    assert_eq!((gate.state, gate.rounds.len()), (GateState::Approved, 2));
    assert_eq!(gate.artefacts, ["README.md", "doc.md"]);
}

#[test]
fn a_gate_that_waits_for_a_person_holds_the_next_phase_and_the_branch() {
    let lab = Lab::new("read -r task\necho x > \"$JANGDAN_TASK.txt\"\necho \"DONE:$JANGDAN_TASK\"\n");
    let mut work = plan(&["T1", "T2"]);
    let mut second = work.phases[0].clone();
    (second.number, second.after) = (2, vec![1]);
    work.phases.push(second);
    work.tasks[1].phase = 2;
    let settings = domain::RunSettings::default();
    let run = lab.start_with(work, settings);
    lab.until(&run, |views| (views.rows().gates.iter().next()?.state == GateState::Review).then_some(()));
    assert_eq!(lab.rows(&run).tasks.get(&"T2".parse().unwrap()).unwrap().started_at, None);
    lab.wish(&run, Command::ApproveGate { phase: 1, note: None });
    lab.until(&run, |views| (views.rows().gates.iter().nth(1)?.state == GateState::Review).then_some(()));
    lab.wish(&run, Command::ApproveGate { phase: 2, note: None });
    assert_eq!(lab.outcome(&run), RunOutcome::Done);
    assert_eq!(lab.files_of(&run), ["README.md", "T1.txt", "T2.txt"]);
}
