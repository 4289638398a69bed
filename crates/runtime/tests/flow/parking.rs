//! A task that waits costs nothing, and its answer works however it waits: hot, frozen or cold, before and after a restart.

use domain::{ParkMode, Role, RunId, RunOutcome, RunSettings};

use crate::{
    lab::{Agent, Lab, plan, settings},
    processes::{Process, until},
};

/// Asks once. A process that is told what was said before does not ask again.
const ASKS_ONCE: &str = r#"
read -r task
printf '%s\n' "$task" >> "$BARRIER/tasks"
# Stays beside its shell, so that there is more than one process to stop.
sleep 1000 &
printf '%s %s' $$ $! > "$BARRIER/pids.new"
mv "$BARRIER/pids.new" "$BARRIER/pids"
case $task in
    *'worked at this before'*'Which colour?'*) ;;
    *) printf '[ASK_USER]\nquestion: Which colour?\n[/ASK_USER]\n' ;;
esac
read -r answer
printf '%s\n' "$answer" > answer.json
echo "DONE:$JANGDAN_TASK"
"#;

/// Never within a test.
const LONG_MS: u64 = 10 * 60 * 1000;

#[derive(Debug, Clone, Copy, PartialEq)]
enum Restart {
    Never,
    WhileItWaits,
}

#[test]
fn an_answer_reaches_a_task_that_waits_hot() {
    check(settings_of(LONG_MS, LONG_MS), ParkMode::Hot, Restart::Never);
}

#[test]
fn an_answer_reaches_a_task_that_waits_hot_after_a_restart() {
    check(settings_of(LONG_MS, LONG_MS), ParkMode::Hot, Restart::WhileItWaits);
}

#[test]
fn an_answer_reaches_a_task_whose_processes_are_stopped() {
    check(settings_of(1, LONG_MS), ParkMode::Frozen, Restart::Never);
}

#[test]
fn an_answer_reaches_a_task_whose_processes_are_stopped_after_a_restart() {
    check(settings_of(1, LONG_MS), ParkMode::Frozen, Restart::WhileItWaits);
}

#[test]
fn an_answer_reaches_a_task_whose_processes_are_gone() {
    check(settings_of(1, 2), ParkMode::Cold, Restart::Never);
}

#[test]
fn an_answer_reaches_a_task_whose_processes_are_gone_after_a_restart() {
    check(settings_of(1, 2), ParkMode::Cold, Restart::WhileItWaits);
}

#[test]
fn an_agent_that_remembers_is_told_the_answer_alone_and_its_key_still_counts() {
    let script = r#"
if [ "$1" = resume ]; then
    read -r answer
    printf '%s %s\n' "$2" "$answer" > answer.json
    echo "DONE:$JANGDAN_TASK $(cat "$BARRIER/key")"
    exit
fi
read -r task
printf '%s' "$2" > "$BARRIER/session"
printf '%s' "$JANGDAN_KEY" > "$BARRIER/key"
printf '[ASK_USER %s]\nquestion: Which colour?\n[/ASK_USER %s]\n' "$JANGDAN_KEY" "$JANGDAN_KEY"
read -r answer
"#;
    let preset = "fresh = ['fresh', '{session}']\nresume = ['resume', '{session}']\nkeys = 'required'";
    let lab = Lab::with_team(&[Agent { name: "worker", role: Role::Worker, script, preset }]);
    let run = lab.start_with(plan(&["T1"]), settings_of(1, 2));
    let question = lab.until_pending(&run, 1).remove(0);
    lab.until(&run, |views| {
        views.rows().sessions.iter().find(|row| row.park == Some(ParkMode::Cold)).map(drop)
    });
    lab.answer(&run, question.id, "blue");
    assert_eq!(lab.outcome(&run), RunOutcome::Done);
    let answer = lab.show(&run, "answer.json");
    assert!(answer.starts_with(&lab.met("session")) && answer.contains(r#""answer":"blue""#), "{answer}");
}

#[test]
fn who_is_stopped_with_everything_goes_on_in_the_same_try() {
    let script = r#"
read -r task
printf '%s\n' "$task" >> "$BARRIER/tasks"
printf '%s\n' $$ > "$BARRIER/pid.new"
mv "$BARRIER/pid.new" "$BARRIER/pid"
echo 'I begin.'
while [ ! -e "$BARRIER/go" ]; do sleep 0.02; done
read -r go_on
printf '%s\n' "$go_on" > go-on.json
echo "DONE:$JANGDAN_TASK"
"#;
    let preset = "quiet_ms = 60000";
    let script = Agent { name: "worker", role: Role::Worker, script, preset };
    let mut lab = Lab::with_team(&[script]);
    let mut work = plan(&["T1"]);
    work.tasks[0].verify = Some("test -e go-on.json".to_owned());
    let run = lab.start(work);
    until("the agent works", || !lab.met("pid").is_empty());
    let process = Process::of(lab.met("pid").trim().parse().unwrap());
    lab.reopen_after(runtime::ShutdownMode::EndSessions);
    assert!(process.is_gone());
    lab.let_go("go");
    assert_eq!(lab.outcome(&run), RunOutcome::Done);
    assert!(lab.met("tasks").lines().nth(1).unwrap().contains("Do T1"), "{}", lab.met("tasks"));
    assert!(lab.show(&run, "go-on.json").contains("GO_ON"), "{}", lab.show(&run, "go-on.json"));
    assert_eq!(lab.rows(&run).attempts.len(), 1);
}

fn settings_of(park_frozen_after_ms: u64, park_cold_after_ms: u64) -> RunSettings {
    RunSettings { park_frozen_after_ms, park_cold_after_ms, ..settings() }
}

fn check(settings: RunSettings, mode: ParkMode, restart: Restart) {
    let mut lab = Lab::new(ASKS_ONCE);
    let run = lab.start_with(plan(&["T1"]), settings);
    let question = lab.until_pending(&run, 1).remove(0);
    let pids = lab.met("pids");
    let processes: Vec<Process> = pids.split(' ').map(|pid| Process::of(pid.parse().unwrap())).collect();
    waits(&lab, &run, &processes, mode);
    if restart == Restart::WhileItWaits {
        lab.reopen();
        waits(&lab, &run, &processes, mode);
    }
    lab.answer(&run, question.id, "blue");
    assert_eq!(lab.outcome(&run), RunOutcome::Done);
    assert!(
        lab.show(&run, "answer.json").contains(r#""answer":"blue""#),
        "{}",
        lab.show(&run, "answer.json")
    );
    let n_starts = if mode == ParkMode::Cold { 2 } else { 1 };
    let tasks = lab.met("tasks");
    assert_eq!(tasks.lines().count(), n_starts, "{tasks}");
    assert_eq!(lab.rows(&run).questions.len(), 1, "nobody asks again");
    let attempts: Vec<u32> = lab.rows(&run).attempts.iter().map(|row| row.number).collect();
    assert_eq!(attempts, [1], "waiting is no failure");
    until("the agent's processes are gone", || processes.iter().all(Process::is_gone));
}

/// Waits until a session waits like this, as its row says and as the machine shows.
fn waits(lab: &Lab, run: &RunId, processes: &[Process], mode: ParkMode) {
    if mode != ParkMode::Hot {
        lab.until(run, |views| views.rows().sessions.iter().find(|row| row.park == Some(mode)).map(drop));
    }
    until(&format!("the processes wait {mode:?}"), || {
        processes.iter().all(|process| match mode {
            ParkMode::Hot => !process.is_gone() && !process.is_stopped(),
            ParkMode::Frozen => process.is_stopped(),
            ParkMode::Cold => process.is_gone(),
        })
    });
}
