//! Whole runs: real git, real sessions, agents that are shell scripts.

use crate::lab::{Lab, plan};
use domain::{AttemptFailure, Command, PermissionScope, RunOutcome};
use views::TaskState;

const SAYS_DONE: &str = r#"
read -r task
echo "$JANGDAN_TASK" > "file-$JANGDAN_TASK.txt"
echo "DONE:$JANGDAN_TASK"
"#;

#[test]
fn three_tasks_are_done_and_merged_and_the_checkout_stays_as_it_was() {
    let lab = Lab::new(SAYS_DONE);
    let run = lab.start(plan(&["T1", "T2", "T3:T1,T2"]));
    assert_eq!(lab.outcome(&run), RunOutcome::Done);
    assert_eq!(lab.files_of(&run), ["README.md", "file-T1.txt", "file-T2.txt", "file-T3.txt"]);
    assert_eq!(lab.git(&["status", "--porcelain"]), "");
    assert_eq!(lab.git(&["ls-files"]), "README.md\n");
}

#[test]
fn a_question_blocks_its_task_alone_and_the_answer_reaches_it() {
    let lab = Lab::new(
        r#"
read -r task
if [ "$JANGDAN_TASK" = T1 ]; then
    printf '[ASK_USER]\nquestion: Which colour?\noptions: ["red", "blue"]\n[/ASK_USER]\n'
    read -r answer
    echo "$answer" > answer.json
fi
echo "$JANGDAN_TASK" > "file-$JANGDAN_TASK.txt"
echo "DONE:$JANGDAN_TASK"
"#,
    );
    let run = lab.start(plan(&["T1", "T2"]));
    let question = lab.until(&run, |views| {
        let done = views.rows().tasks.get(&"T2".parse().unwrap())?.state == TaskState::Done;
        let question = views.rows().questions.iter().next().filter(|_| done)?;
        let task = views.rows().tasks.get(&"T1".parse().unwrap())?;
        (task.state == TaskState::Blocked).then_some(question.id)
    });
    let (task, keep) = (None, PermissionScope::Once);
    let answer = Command::Answer { question: Some(question), task, answer: "blue".to_owned(), scope: keep };
    lab.host.execute(&run, "ana", answer.clone()).unwrap();
    assert!(lab.host.execute(&run, "ana", answer).is_err(), "a second answer is refused");
    assert_eq!(lab.outcome(&run), RunOutcome::Done);
    assert!(lab.show(&run, "answer.json").contains("blue"));
}

#[test]
fn a_server_that_stops_leaves_the_agents_working_and_the_next_one_goes_on() {
    let mut lab = Lab::new(
        r#"
read -r task
printf '[ASK_USER]\nquestion: Go on?\n[/ASK_USER]\n'
read -r answer
echo "$answer" > "answer-$JANGDAN_TASK.json"
echo "DONE:$JANGDAN_TASK"
"#,
    );
    let run = lab.start(plan(&["T1", "T2"]));
    lab.until(&run, |views| (views.rows().questions.len() == 2).then_some(()));
    lab.reopen();
    for question in lab.rows(&run).questions.iter() {
        let (question, answer) = (Some(question.id), format!("yes {}", question.id));
        let answer = Command::Answer { question, task: None, answer, scope: PermissionScope::Once };
        lab.host.execute(&run, "ana", answer).unwrap();
    }
    assert_eq!(lab.outcome(&run), RunOutcome::Done);
    let rows = lab.rows(&run);
    for question in rows.questions.iter() {
        let task = question.task.clone().unwrap();
        let said = lab.show(&run, &format!("answer-{task}.json"));
        assert!(said.contains(&format!("yes {}", question.id)), "{task}: {said}");
    }
}

#[test]
fn a_check_that_fails_goes_back_to_the_agent_until_it_passes() {
    let lab = Lab::new(
        r#"
read -r task
echo bad > state.txt
echo "DONE:$JANGDAN_TASK"
read -r feedback
echo "$feedback" > feedback.json
echo good > state.txt
echo "DONE:$JANGDAN_TASK"
"#,
    );
    let mut work = plan(&["T1"]);
    work.tasks[0].verify = Some("echo the state is $(cat state.txt); grep -q good state.txt".to_owned());
    let run = lab.start(work);
    assert_eq!(lab.outcome(&run), RunOutcome::Done);
    assert!(lab.show(&run, "feedback.json").contains("the state is bad"));
    let rows = lab.rows(&run);
    let receipts: Vec<bool> = rows.receipts.iter().map(|receipt| receipt.passed).collect();
    assert_eq!(receipts, [false, true]);
}

#[test]
fn an_agent_that_crashes_in_the_middle_of_its_turn_is_not_taken_for_done() {
    let lab = Lab::new(
        r#"
read -r task
echo "I begin."
[ -e "$BARRIER/crashed" ] || { echo > "$BARRIER/crashed"; exit 3; }
echo good > state.txt
echo "DONE:$JANGDAN_TASK"
"#,
    );
    let mut work = plan(&["T1"]);
    work.tasks[0].verify = Some("grep -q good state.txt".to_owned());
    let run = lab.start(work);
    assert_eq!(lab.outcome(&run), RunOutcome::Done);
    let rows = lab.rows(&run);
    let receipts: Vec<bool> = rows.receipts.iter().map(|receipt| receipt.passed).collect();
    assert_eq!(receipts, [true], "nothing was checked before the second try");
    let failed: Vec<_> = rows.attempts.iter().filter_map(|attempt| attempt.failure.clone()).collect();
    assert_eq!(failed, [AttemptFailure::Exited { exit_status: Some(3) }]);
}

#[test]
fn a_conflict_comes_back_to_its_agent_with_the_places_marked() {
    let lab = Lab::new(
        r#"
read -r task
echo "from $JANGDAN_TASK" > shared.txt
# Both write before either is merged.
echo here > "$BARRIER/$JANGDAN_TASK"
while [ ! -e "$BARRIER/T1" ] || [ ! -e "$BARRIER/T2" ]; do sleep 0.01; done
echo "DONE:$JANGDAN_TASK"
read -r conflict
echo "$conflict" > "conflict-$JANGDAN_TASK.json"
grep -v '^[<=>]' shared.txt | sort > solved.txt
mv solved.txt shared.txt
echo "DONE:$JANGDAN_TASK"
"#,
    );
    let run = lab.start(plan(&["T1", "T2"]));
    assert_eq!(lab.outcome(&run), RunOutcome::Done);
    assert_eq!(lab.show(&run, "shared.txt"), "from T1\nfrom T2\n");
}
