//! Parked sessions (hot, frozen or cold) receive the answer to their question, also after a restart.

use domain::{ParkMode, Role, RunId, RunOutcome, RunSettings};

use crate::{
    fixture::{Agent, RunFixture, plan, settings},
    processes::{Process, wait_until},
};

/// Asks a question once. A process that gets the earlier conversation does not ask again.
const ASKS_ONCE: &str = r#"
read -r task
printf '%s\n' "$task" >> "$BARRIER/tasks"
# A second process, so that there is more than one to stop.
sleep 1000 &
printf '%s %s' $$ $! > "$BARRIER/pids.new"
mv "$BARRIER/pids.new" "$BARRIER/pids"
case $task in
    *'"conversation"'*'Which colour?'*) ;;
    *) printf '[ASK_USER]\nquestion: Which colour?\n[/ASK_USER]\n' ;;
esac
read -r answer
printf '%s\n' "$answer" > answer.json
echo "DONE:$JANGDAN_TASK"
"#;

/// Longer than any test.
const LONG_MS: u64 = 10 * 60 * 1000;

#[derive(Debug, Clone, Copy, PartialEq)]
enum RestartTiming {
    Never,
    WhileParked,
}

#[test]
fn answer_reaches_a_hot_session() {
    assert_answer_reaches_parked_session(
        settings_with_parking(LONG_MS, LONG_MS),
        ParkMode::Hot,
        RestartTiming::Never,
    );
}

#[test]
fn answer_reaches_a_hot_session_after_a_restart() {
    assert_answer_reaches_parked_session(
        settings_with_parking(LONG_MS, LONG_MS),
        ParkMode::Hot,
        RestartTiming::WhileParked,
    );
}

#[test]
fn answer_reaches_a_frozen_session() {
    assert_answer_reaches_parked_session(
        settings_with_parking(1, LONG_MS),
        ParkMode::Frozen,
        RestartTiming::Never,
    );
}

#[test]
fn answer_reaches_a_frozen_session_after_a_restart() {
    assert_answer_reaches_parked_session(
        settings_with_parking(1, LONG_MS),
        ParkMode::Frozen,
        RestartTiming::WhileParked,
    );
}

#[test]
fn answer_reaches_a_cold_session() {
    assert_answer_reaches_parked_session(settings_with_parking(1, 2), ParkMode::Cold, RestartTiming::Never);
}

#[test]
fn answer_reaches_a_cold_session_after_a_restart() {
    assert_answer_reaches_parked_session(
        settings_with_parking(1, 2),
        ParkMode::Cold,
        RestartTiming::WhileParked,
    );
}

#[test]
fn resumed_agent_gets_only_the_answer_and_keeps_its_key() {
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
    let fixture = RunFixture::with_team(&[Agent { name: "worker", role: Role::Worker, script, preset }]);
    let run = fixture.start_with(plan(&["T1"]), settings_with_parking(1, 2));
    let question = fixture.wait_for_questions(&run, 1).remove(0);
    fixture.wait_for(&run, |views| {
        views.rows().sessions.iter().find(|row| row.park == Some(ParkMode::Cold)).map(drop)
    });
    fixture.answer(&run, question.id, "blue");
    assert_eq!(fixture.wait_for_outcome(&run), RunOutcome::Done);
    let answer = fixture.branch_file(&run, "answer.json");
    assert!(
        answer.starts_with(&fixture.script_output("session")) && answer.contains(r#""answer":"blue""#),
        "{answer}"
    );
}

#[test]
fn agent_ended_by_a_shutdown_continues_in_the_same_attempt() {
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
    let agent = Agent { name: "worker", role: Role::Worker, script, preset };
    let mut fixture = RunFixture::with_team(&[agent]);
    let mut work = plan(&["T1"]);
    work.tasks[0].verify = Some("test -e go-on.json".to_owned());
    let run = fixture.start(work);
    wait_until("the agent works", || !fixture.script_output("pid").is_empty());
    let process = Process::from_pid(fixture.script_output("pid").trim().parse().unwrap());
    fixture.restart_with(runtime::ShutdownMode::EndSessions);
    assert!(process.has_exited());
    fixture.release_barrier("go");
    assert_eq!(fixture.wait_for_outcome(&run), RunOutcome::Done);
    assert!(
        fixture.script_output("tasks").lines().nth(1).unwrap().contains("Do T1"),
        "{}",
        fixture.script_output("tasks")
    );
    assert!(
        fixture.branch_file(&run, "go-on.json").contains("GO_ON"),
        "{}",
        fixture.branch_file(&run, "go-on.json")
    );
    assert_eq!(fixture.rows(&run).attempts.len(), 1);
}

fn settings_with_parking(park_frozen_after_ms: u64, park_cold_after_ms: u64) -> RunSettings {
    RunSettings { park_frozen_after_ms, park_cold_after_ms, ..settings() }
}

fn assert_answer_reaches_parked_session(settings: RunSettings, mode: ParkMode, restart: RestartTiming) {
    let mut fixture = RunFixture::new(ASKS_ONCE);
    let run = fixture.start_with(plan(&["T1"]), settings);
    let question = fixture.wait_for_questions(&run, 1).remove(0);
    let pids = fixture.script_output("pids");
    let processes: Vec<Process> =
        pids.split(' ').map(|pid| Process::from_pid(pid.parse().unwrap())).collect();
    wait_for_parking(&fixture, &run, &processes, mode);
    if restart == RestartTiming::WhileParked {
        fixture.restart();
        wait_for_parking(&fixture, &run, &processes, mode);
    }
    fixture.answer(&run, question.id, "blue");
    assert_eq!(fixture.wait_for_outcome(&run), RunOutcome::Done);
    assert!(
        fixture.branch_file(&run, "answer.json").contains(r#""answer":"blue""#),
        "{}",
        fixture.branch_file(&run, "answer.json")
    );
    let n_starts = if mode == ParkMode::Cold { 2 } else { 1 };
    let tasks = fixture.script_output("tasks");
    assert_eq!(tasks.lines().count(), n_starts, "{tasks}");
    assert_eq!(fixture.rows(&run).questions.len(), 1, "the question is not repeated");
    let attempts: Vec<u32> = fixture.rows(&run).attempts.iter().map(|row| row.number).collect();
    assert_eq!(attempts, [1], "parking is not a failed attempt");
    wait_until("the agent's processes have exited", || processes.iter().all(Process::has_exited));
}

/// Waits until a session is parked in a mode, according to its row and to its processes.
fn wait_for_parking(fixture: &RunFixture, run: &RunId, processes: &[Process], mode: ParkMode) {
    if mode != ParkMode::Hot {
        fixture
            .wait_for(run, |views| views.rows().sessions.iter().find(|row| row.park == Some(mode)).map(drop));
    }
    wait_until(&format!("the processes are parked {mode:?}"), || {
        processes.iter().all(|process| match mode {
            ParkMode::Hot => !process.has_exited() && !process.is_stopped(),
            ParkMode::Frozen => process.is_stopped(),
            ParkMode::Cold => process.has_exited(),
        })
    });
}
