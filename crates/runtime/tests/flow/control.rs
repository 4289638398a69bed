//! What people do to a run that goes on: pause, continue, cancel, skip, try again, go back.

use domain::{CheckpointId, Command, RunId, RunOutcome, RunSettings, TaskId};
use views::{CheckpointState, QuestionState, TaskState};

use crate::{
    lab::{Lab, plan, settings},
    processes::{Process, until},
};

/// Works until it is let go. Says who it is before.
const WORKS: &str = r#"
read -r task
printf '%s\n' $$ > "$BARRIER/pid.new"
mv "$BARRIER/pid.new" "$BARRIER/pid-$JANGDAN_TASK"
while [ ! -e "$BARRIER/go" ]; do sleep 0.02; done
echo made > "$JANGDAN_TASK.txt"
echo "DONE:$JANGDAN_TASK"
"#;

/// Makes a file and asks, twice. When it is told to end, it shows what it finds instead.
const TWO_STEPS: &str = r#"
read -r task
printf '%s\n' "$task" > "$BARRIER/task"
if [ -e "$BARRIER/end" ]; then
    ls > "$BARRIER/found"
    echo "DONE:$JANGDAN_TASK"
    exit
fi
for step in one two; do
    echo "$step" > "$step.txt"
    printf '[ASK_USER]\nquestion: Is %s right?\n[/ASK_USER]\n' "$step"
    read -r answer
done
"#;

#[test]
fn a_task_goes_back_to_its_checkpoint_and_what_came_later_is_kept_aside() {
    let lab = Lab::new(TWO_STEPS);
    let run = lab.start(plan(&["T1"]));
    let first = lab.until_pending(&run, 1).remove(0);
    let checkpoint = lab.until(&run, |views| {
        let made = |row: &&views::CheckpointRow| row.state == CheckpointState::Made;
        views.rows().checkpoints.iter().find(made).map(|row| row.id)
    });
    lab.answer(&run, first.id, "yes");
    let second = lab.until(&run, |views| {
        let of_two = |row: &&views::QuestionRow| row.text.contains("two");
        views.rows().questions.iter().find(of_two).map(|row| row.id)
    });
    lab.let_go("end");
    lab.wish(&run, Command::RewindTask { task: t1(), checkpoint: Some(checkpoint) });
    assert_eq!(lab.outcome(&run), RunOutcome::Done);
    assert_eq!(lab.met("found"), "README.md\none.txt\n");
    assert_eq!(lab.files_of(&run), ["README.md", "one.txt"]);
    let rows = lab.rows(&run);
    assert_eq!(rows.questions.get(&second).unwrap().status, QuestionState::Withdrawn);
    let kept = lab.git(&["for-each-ref", "--format=%(refname)", &format!("refs/jangdan/keep/{run}")]);
    let has_two = |name: &&str| lab.git(&["ls-tree", "--name-only", name]).contains("two.txt");
    assert!(kept.lines().any(|name| has_two(&name)), "{kept}");
}

#[test]
fn a_task_is_brought_back_to_its_beginning() {
    let lab = Lab::new(TWO_STEPS);
    let run = lab.start(plan(&["T1"]));
    lab.until_pending(&run, 1);
    lab.let_go("end");
    lab.wish(&run, Command::RewindTask { task: t1(), checkpoint: None });
    assert_eq!(lab.outcome(&run), RunOutcome::Done);
    assert_eq!(lab.met("found"), "README.md\n");
    let refusal = lab.refused(&run, Command::RewindTask { task: t1(), checkpoint: Some(CheckpointId(77)) });
    assert!(refusal.contains("k_77"), "{refusal}");
}

#[test]
fn a_task_that_is_tried_again_hears_the_advice_and_finds_its_work() {
    let lab = Lab::new(TWO_STEPS);
    let run = lab.start(plan(&["T1"]));
    let question = lab.until_pending(&run, 1).remove(0).id;
    lab.let_go("end");
    lab.wish(&run, Command::RetryTask { task: t1(), hint: Some("Take the short way.".to_owned()) });
    assert_eq!(lab.outcome(&run), RunOutcome::Done);
    assert!(lab.met("task").contains("Take the short way."), "{}", lab.met("task"));
    assert_eq!(lab.met("found"), "README.md\none.txt\n");
    assert_eq!(lab.rows(&run).questions.get(&question).unwrap().status, QuestionState::Withdrawn);
}

#[test]
fn what_waits_for_a_skipped_task_goes_on_without_it() {
    let lab = Lab::new(WORKS);
    let run = lab.start(plan(&["T1", "T2:T1"]));
    let worker = working(&lab, "T1");
    lab.wish(&run, Command::SkipTask(t1()));
    until("its agent is gone", || worker.is_gone());
    lab.let_go("go");
    assert_eq!(lab.outcome(&run), RunOutcome::Done);
    assert_eq!(lab.files_of(&run), ["README.md", "T2.txt"]);
}

#[test]
fn a_task_stands_still_while_it_is_paused() {
    stands_still(Command::PauseTask(t1()), Command::ContinueTask(t1()));
}

#[test]
fn a_phase_stands_still_while_it_is_paused() {
    stands_still(Command::PausePhase(1), Command::ContinuePhase(1));
}

#[test]
fn a_run_stands_still_while_it_is_paused() {
    stands_still(Command::PauseRun, Command::ContinueRun);
}

fn stands_still(pause: Command, go_on: Command) {
    let mut lab = Lab::new(WORKS);
    let run = lab.start(plan(&["T1", "T2:T1"]));
    let worker = working(&lab, "T1");
    lab.wish(&run, pause);
    until("its agent stands still", || worker.is_stopped());
    lab.reopen();
    assert!(worker.is_stopped(), "a restart starts nothing that is paused");
    lab.let_go("go");
    lab.wish(&run, go_on);
    assert_eq!(lab.outcome(&run), RunOutcome::Done);
    assert_eq!(lab.files_of(&run), ["README.md", "T1.txt", "T2.txt"]);
}

#[test]
fn a_task_that_is_cancelled_ends_with_its_processes() {
    is_called_off(Command::CancelTask(t1()), RunOutcome::Failed);
}

#[test]
fn a_phase_that_is_cancelled_ends_with_its_processes() {
    is_called_off(Command::CancelPhase(1), RunOutcome::Failed);
}

#[test]
fn a_run_that_is_cancelled_ends_with_its_processes() {
    is_called_off(Command::CancelRun, RunOutcome::Cancelled);
}

fn is_called_off(cancel: Command, outcome: RunOutcome) {
    let lab = Lab::new(WORKS);
    let run = lab.start(plan(&["T1", "T2:T1"]));
    let worker = working(&lab, "T1");
    lab.wish(&run, cancel);
    until("its agent is gone", || worker.is_gone());
    assert_eq!(lab.outcome(&run), outcome);
    assert_eq!(state(&lab, &run, "T1"), TaskState::Cancelled);
    assert_eq!(lab.files_of(&run), ["README.md"]);
    // Nothing of it is lost: whoever wants it finds the branch.
    assert!(lab.git(&["branch", "--list", &format!("jangdan/{run}/T1")]).contains("T1"));
}

/// Shows when each task begins and ends.
const TAKES_TURNS: &str = r#"
read -r task
echo begin >> "$BARRIER/turns"
sleep 0.05
echo end >> "$BARRIER/turns"
echo "DONE:$JANGDAN_TASK"
"#;

#[test]
fn tasks_that_touch_the_same_files_never_run_at_once() {
    let lab = Lab::new(TAKES_TURNS);
    let mut work = plan(&["T1", "T2", "T3"]);
    for task in &mut work.tasks {
        task.touches = vec!["src/**".to_owned()];
    }
    one_after_another(&lab, &lab.start(work));
}

#[test]
fn no_more_tasks_run_at_once_than_there_are_slots() {
    let lab = Lab::new(TAKES_TURNS);
    let run =
        lab.start_with(plan(&["T1", "T2", "T3"]), RunSettings { slots: 1.try_into().unwrap(), ..settings() });
    one_after_another(&lab, &run);
}

fn one_after_another(lab: &Lab, run: &RunId) {
    assert_eq!(lab.outcome(run), RunOutcome::Done);
    assert_eq!(lab.met("turns"), "begin\nend\n".repeat(3));
}

fn t1() -> TaskId {
    "T1".parse().unwrap()
}

fn state(lab: &Lab, run: &RunId, task: &str) -> TaskState {
    lab.rows(run).tasks.get(&task.parse().unwrap()).unwrap().state
}

/// Waits until a task's agent works, and returns its process.
fn working(lab: &Lab, task: &str) -> Process {
    let file = format!("pid-{task}");
    until("the agent works", || !lab.met(&file).is_empty());
    Process::of(lab.met(&file).trim().parse().unwrap())
}
