//! Commands of the user for an active run: pause, continue, cancel, skip, retry, rewind.

use domain::{CheckpointId, RunId, RunOutcome, RunSettings, TaskId, UserCommand};
use views::{CheckpointState, QuestionState, TaskState};

use crate::{
    fixture::{RunFixture, plan, settings},
    processes::{Process, wait_until},
};

/// Writes its pid, then works until it is released.
const WORKS: &str = r#"
read -r task
printf '%s\n' $$ > "$BARRIER/pid.new"
mv "$BARRIER/pid.new" "$BARRIER/pid-$JANGDAN_TASK"
while [ ! -e "$BARRIER/go" ]; do sleep 0.02; done
echo made > "$JANGDAN_TASK.txt"
echo "DONE:$JANGDAN_TASK:it is there"
"#;

/// Creates a file and asks a question, twice. If `end` exists, lists its files instead.
const TWO_STEPS: &str = r#"
read -r task
printf '%s\n' "$task" > "$BARRIER/task"
if [ -e "$BARRIER/end" ]; then
    ls > "$BARRIER/found"
    echo "DONE:$JANGDAN_TASK:it is there"
    exit
fi
for step in one two; do
    echo "$step" > "$step.txt"
    printf '[ASK_USER]\nquestion: Is %s right?\n[/ASK_USER]\n' "$step"
    read -r answer
done
"#;

#[test]
fn rewinding_to_a_checkpoint_saves_later_work() {
    let fixture = RunFixture::new(TWO_STEPS);
    let run = fixture.start(plan(&["T1"]));
    let first = fixture.wait_for_questions(&run, 1).remove(0);
    let checkpoint = fixture.wait_for(&run, |views| {
        let is_made = |row: &&views::CheckpointRow| row.state == CheckpointState::Made;
        views.rows().checkpoints.iter().find(is_made).map(|row| row.id)
    });
    fixture.answer(&run, first.id, "yes");
    let second = fixture.wait_for(&run, |views| {
        let is_second = |row: &&views::QuestionRow| row.text.contains("two");
        views.rows().questions.iter().find(is_second).map(|row| row.id)
    });
    fixture.release_barrier("end");
    fixture.execute(&run, UserCommand::RewindTask { task: t1(), checkpoint: Some(checkpoint) });
    assert_eq!(fixture.wait_for_outcome(&run), RunOutcome::Done);
    assert_eq!(fixture.script_output("found"), "README.md\none.txt\n");
    assert_eq!(fixture.branch_files(&run), ["README.md", "one.txt"]);
    let rows = fixture.rows(&run);
    assert_eq!(rows.questions.get(&second).unwrap().status, QuestionState::Withdrawn);
    let saved = fixture.git(&["for-each-ref", "--format=%(refname)", &format!("refs/jangdan/keep/{run}")]);
    let has_two = |name: &&str| fixture.git(&["ls-tree", "--name-only", name]).contains("two.txt");
    assert!(saved.lines().any(|name| has_two(&name)), "{saved}");
}

#[test]
fn rewinding_without_a_checkpoint_returns_to_the_start_of_the_task() {
    let fixture = RunFixture::new(TWO_STEPS);
    let run = fixture.start(plan(&["T1"]));
    fixture.wait_for_questions(&run, 1);
    fixture.release_barrier("end");
    fixture.execute(&run, UserCommand::RewindTask { task: t1(), checkpoint: None });
    assert_eq!(fixture.wait_for_outcome(&run), RunOutcome::Done);
    assert_eq!(fixture.script_output("found"), "README.md\n");
    let rejection = fixture
        .execute_rejected(&run, UserCommand::RewindTask { task: t1(), checkpoint: Some(CheckpointId(77)) });
    assert!(rejection.contains("k_77"), "{rejection}");
}

#[test]
fn retried_task_gets_the_hint_and_keeps_its_work() {
    let fixture = RunFixture::new(TWO_STEPS);
    let run = fixture.start(plan(&["T1"]));
    let question = fixture.wait_for_questions(&run, 1).remove(0).id;
    fixture.release_barrier("end");
    fixture
        .execute(&run, UserCommand::RetryTask { task: t1(), hint: Some("Take the short way.".to_owned()) });
    assert_eq!(fixture.wait_for_outcome(&run), RunOutcome::Done);
    assert!(
        fixture.script_output("task").contains("Take the short way."),
        "{}",
        fixture.script_output("task")
    );
    assert_eq!(fixture.script_output("found"), "README.md\none.txt\n");
    assert_eq!(fixture.rows(&run).questions.get(&question).unwrap().status, QuestionState::Withdrawn);
}

#[test]
fn dependents_of_a_skipped_task_continue() {
    let fixture = RunFixture::new(WORKS);
    let run = fixture.start(plan(&["T1", "T2:T1"]));
    let worker = wait_for_agent(&fixture, "T1");
    fixture.execute(&run, UserCommand::SkipTask(t1()));
    wait_until("its agent has exited", || worker.has_exited());
    fixture.release_barrier("go");
    assert_eq!(fixture.wait_for_outcome(&run), RunOutcome::Done);
    assert_eq!(fixture.branch_files(&run), ["README.md", "T2.txt"]);
}

#[test]
fn paused_task_does_not_run() {
    assert_pause_stops_the_agent(UserCommand::PauseTask(t1()), UserCommand::ContinueTask(t1()));
}

#[test]
fn paused_phase_does_not_run() {
    assert_pause_stops_the_agent(UserCommand::PausePhase(1), UserCommand::ContinuePhase(1));
}

#[test]
fn paused_run_does_not_run() {
    assert_pause_stops_the_agent(UserCommand::PauseRun, UserCommand::ContinueRun);
}

fn assert_pause_stops_the_agent(pause: UserCommand, resume: UserCommand) {
    let mut fixture = RunFixture::new(WORKS);
    let run = fixture.start(plan(&["T1", "T2:T1"]));
    let worker = wait_for_agent(&fixture, "T1");
    fixture.execute(&run, pause);
    wait_until("its agent is stopped", || worker.is_stopped());
    fixture.restart();
    assert!(worker.is_stopped(), "a restart does not resume paused tasks");
    fixture.release_barrier("go");
    fixture.execute(&run, resume);
    assert_eq!(fixture.wait_for_outcome(&run), RunOutcome::Done);
    assert_eq!(fixture.branch_files(&run), ["README.md", "T1.txt", "T2.txt"]);
}

#[test]
fn cancelling_a_task_ends_its_processes() {
    assert_cancel_ends_the_agent(UserCommand::CancelTask(t1()), RunOutcome::Failed);
}

#[test]
fn cancelling_a_phase_ends_its_processes() {
    assert_cancel_ends_the_agent(UserCommand::CancelPhase(1), RunOutcome::Failed);
}

#[test]
fn cancelling_a_run_ends_its_processes() {
    assert_cancel_ends_the_agent(UserCommand::CancelRun, RunOutcome::Cancelled);
}

fn assert_cancel_ends_the_agent(cancel: UserCommand, outcome: RunOutcome) {
    let fixture = RunFixture::new(WORKS);
    let run = fixture.start(plan(&["T1", "T2:T1"]));
    let worker = wait_for_agent(&fixture, "T1");
    fixture.execute(&run, cancel);
    wait_until("its agent has exited", || worker.has_exited());
    assert_eq!(fixture.wait_for_outcome(&run), outcome);
    assert_eq!(task_state(&fixture, &run, "T1"), TaskState::Cancelled);
    assert_eq!(fixture.branch_files(&run), ["README.md"]);
    // The work stays on the task's branch.
    assert!(fixture.git(&["branch", "--list", &format!("jangdan/{run}/T1")]).contains("T1"));
}

/// Records when each task starts and ends.
const RECORDS_TIMES: &str = r#"
read -r task
echo begin >> "$BARRIER/turns"
sleep 0.05
echo end >> "$BARRIER/turns"
echo "DONE:$JANGDAN_TASK:it is there"
"#;

#[test]
fn tasks_that_touch_the_same_files_run_one_after_another() {
    let fixture = RunFixture::new(RECORDS_TIMES);
    let mut work = plan(&["T1", "T2", "T3"]);
    for task in &mut work.tasks {
        task.touches = vec!["src/**".to_owned()];
    }
    assert_tasks_ran_sequentially(&fixture, &fixture.start(work));
}

#[test]
fn number_of_running_tasks_is_limited_by_slots() {
    let fixture = RunFixture::new(RECORDS_TIMES);
    let run = fixture
        .start_with(plan(&["T1", "T2", "T3"]), RunSettings { slots: 1.try_into().unwrap(), ..settings() });
    assert_tasks_ran_sequentially(&fixture, &run);
}

fn assert_tasks_ran_sequentially(fixture: &RunFixture, run: &RunId) {
    assert_eq!(fixture.wait_for_outcome(run), RunOutcome::Done);
    assert_eq!(fixture.script_output("turns"), "begin\nend\n".repeat(3));
}

fn t1() -> TaskId {
    "T1".parse().unwrap()
}

fn task_state(fixture: &RunFixture, run: &RunId, task: &str) -> TaskState {
    fixture.rows(run).tasks.get(&task.parse().unwrap()).unwrap().state
}

/// Waits until the agent of a task works, and returns its process.
fn wait_for_agent(fixture: &RunFixture, task: &str) -> Process {
    let file = format!("pid-{task}");
    wait_until("the agent works", || !fixture.script_output(&file).is_empty());
    Process::from_pid(fixture.script_output(&file).trim().parse().unwrap())
}
