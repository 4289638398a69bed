//! Complete runs: tasks, questions, restarts, checks and conflicts.

use crate::fixture::{RunFixture, plan};
use domain::{AttemptFailure, PermissionScope, RunOutcome, UserCommand};
use views::TaskState;

const REPORTS_DONE: &str = r#"
read -r task
echo "$JANGDAN_TASK" > "file-$JANGDAN_TASK.txt"
echo "DONE:$JANGDAN_TASK"
"#;

#[test]
fn tasks_are_merged_and_the_checkout_does_not_change() {
    let fixture = RunFixture::new(REPORTS_DONE);
    let run = fixture.start(plan(&["T1", "T2", "T3:T1,T2"]));
    assert_eq!(fixture.wait_for_outcome(&run), RunOutcome::Done);
    assert_eq!(fixture.branch_files(&run), ["README.md", "file-T1.txt", "file-T2.txt", "file-T3.txt"]);
    assert_eq!(fixture.git(&["status", "--porcelain"]), "");
    assert_eq!(fixture.git(&["ls-files"]), "README.md\n");
}

#[test]
fn question_blocks_only_its_task() {
    let fixture = RunFixture::new(
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
    let run = fixture.start(plan(&["T1", "T2"]));
    let question = fixture.wait_for(&run, |views| {
        let done = views.rows().tasks.get(&"T2".parse().unwrap())?.state == TaskState::Done;
        let question = views.rows().questions.iter().next().filter(|_| done)?;
        let task = views.rows().tasks.get(&"T1".parse().unwrap())?;
        (task.state == TaskState::Blocked).then_some(question.id)
    });
    let (task, scope) = (None, PermissionScope::Once);
    let answer = UserCommand::Answer {
        question: Some(question),
        task,
        answer: "blue".to_owned(),
        scope,
        pattern: None,
        reason: None,
    };
    fixture.host.execute_command(&run, "ana", answer.clone()).unwrap();
    assert!(fixture.host.execute_command(&run, "ana", answer).is_err(), "a second answer is rejected");
    assert_eq!(fixture.wait_for_outcome(&run), RunOutcome::Done);
    assert!(fixture.branch_file(&run, "answer.json").contains("blue"));
}

#[test]
fn agents_continue_across_a_restart() {
    let mut fixture = RunFixture::new(
        r#"
read -r task
printf '[ASK_USER]\nquestion: Go on?\n[/ASK_USER]\n'
read -r answer
echo "$answer" > "answer-$JANGDAN_TASK.json"
echo "DONE:$JANGDAN_TASK"
"#,
    );
    let run = fixture.start(plan(&["T1", "T2"]));
    fixture.wait_for(&run, |views| (views.rows().questions.len() == 2).then_some(()));
    fixture.restart();
    for question in fixture.rows(&run).questions.iter() {
        let (question, answer) = (Some(question.id), format!("yes {}", question.id));
        let answer = UserCommand::Answer {
            question,
            task: None,
            answer,
            scope: PermissionScope::Once,
            pattern: None,
            reason: None,
        };
        fixture.host.execute_command(&run, "ana", answer).unwrap();
    }
    assert_eq!(fixture.wait_for_outcome(&run), RunOutcome::Done);
    let rows = fixture.rows(&run);
    for question in rows.questions.iter() {
        let task = question.task.clone().unwrap();
        let text = fixture.branch_file(&run, &format!("answer-{task}.json"));
        assert!(text.contains(&format!("yes {}", question.id)), "{task}: {text}");
    }
}

#[test]
fn failed_check_returns_to_the_agent_until_it_passes() {
    let fixture = RunFixture::new(
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
    let run = fixture.start(work);
    assert_eq!(fixture.wait_for_outcome(&run), RunOutcome::Done);
    assert!(fixture.branch_file(&run, "feedback.json").contains("the state is bad"));
    let rows = fixture.rows(&run);
    let receipts: Vec<bool> = rows.receipts.iter().map(|receipt| receipt.passed).collect();
    assert_eq!(receipts, [false, true]);
}

#[test]
fn agent_that_crashes_during_its_turn_is_not_done() {
    let fixture = RunFixture::new(
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
    let run = fixture.start(work);
    assert_eq!(fixture.wait_for_outcome(&run), RunOutcome::Done);
    let rows = fixture.rows(&run);
    let receipts: Vec<bool> = rows.receipts.iter().map(|receipt| receipt.passed).collect();
    assert_eq!(receipts, [true], "nothing was checked before the second attempt");
    let failed: Vec<_> = rows.attempts.iter().filter_map(|attempt| attempt.failure.clone()).collect();
    assert_eq!(failed, [AttemptFailure::Exited { exit_status: Some(3) }]);
}

#[test]
fn conflict_returns_to_its_agent_with_markers() {
    let fixture = RunFixture::new(
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
    let run = fixture.start(plan(&["T1", "T2"]));
    assert_eq!(fixture.wait_for_outcome(&run), RunOutcome::Done);
    assert_eq!(fixture.branch_file(&run, "shared.txt"), "from T1\nfrom T2\n");
    let files = fixture.branch_files(&run);
    let (late, early) = match files.iter().any(|file| file == "conflict-T1.json") {
        true => ("T1", "T2"),
        false => ("T2", "T1"),
    };
    let conflict = fixture.branch_file(&run, &format!("conflict-{late}.json"));
    let other = format!("- {early} Do {early} (worker): changed shared.txt");
    assert!(conflict.contains("- shared.txt") && conflict.contains(&other), "{conflict}");
}

#[test]
fn prompt_says_what_earlier_tasks_did() {
    let fixture = RunFixture::new(
        r#"
read -r task
printf '%s\n' "$task" > "prompt-$JANGDAN_TASK.json"
case $JANGDAN_TASK in
    T1) echo "DONE:T1:the schema is in db.sql" ;;
    *) echo "DONE:$JANGDAN_TASK" ;;
esac
"#,
    );
    let run = fixture.start(plan(&["T1", "T2:T1", "T3:T2"]));
    assert_eq!(fixture.wait_for_outcome(&run), RunOutcome::Done);
    let prompt: serde_json::Value =
        serde_json::from_str(&fixture.branch_file(&run, "prompt-T3.json")).unwrap();
    let done = |task: &str, summary: &str| {
        let title = format!("Do {task}");
        serde_json::json!({"taskId": task, "title": title, "agent": "worker", "summary": summary})
    };
    let expected =
        [done("T2", "changed prompt-T2.json"), done("T1", "the schema is in db.sql; changed prompt-T1.json")];
    assert_eq!(prompt["done"], serde_json::json!(expected), "{prompt}");
    assert_eq!(prompt["phaseTitle"], "All");
    assert_eq!(prompt["directory"]["isWorktree"], true);
}
