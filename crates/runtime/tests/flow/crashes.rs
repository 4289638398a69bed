//! Killed agents, holders and checks: the task is retried, and no process is left behind.

use std::fs;

use domain::{Event, Role, RunOutcome, RunSettings};
use views::AttemptState;

use crate::{
    fixture::{Agent, RunFixture, agent, plan, settings},
    processes::{Process, wait_until},
};

/// The first process of a task leaves work and a child process, and then runs `kill`. The second one finds the work.
fn script_that_dies_once(kill: &str) -> String {
    format!(
        r#"
read -r task
printf '%s\n' "$task" >> "$BARRIER/tasks"
if [ ! -e "$BARRIER/again" ]; then
    echo here > "$BARRIER/again"
    echo begun > work.txt
    sleep 1000 &
    printf '%s %s' $$ $! > "$BARRIER/pids"
    {kill}
    while :; do sleep 1000; done
fi
cat work.txt > found.txt
echo "DONE:$JANGDAN_TASK:it is there"
"#
    )
}

#[test]
fn killed_agent_is_retried_and_finds_its_work() {
    assert_crash_is_retried("kill -KILL $$", 1);
}

#[test]
fn agent_whose_holder_is_killed_is_retried_and_its_processes_are_ended() {
    assert_crash_is_retried("kill -KILL $PPID", 1);
}

#[test]
fn agent_that_exits_with_an_error_is_retried() {
    assert_crash_is_retried("kill %1; exit 3", 1);
}

fn assert_crash_is_retried(kill: &str, n_failed: usize) {
    let fixture = RunFixture::new(&script_that_dies_once(kill));
    let mut work = plan(&["T1"]);
    // The incomplete work would pass the check, but the agent has not reported done.
    work.tasks[0].verify = Some("test -e work.txt".to_owned());
    let run = fixture.start(work);
    assert_eq!(fixture.wait_for_outcome(&run), RunOutcome::Done);
    assert_eq!(fixture.branch_file(&run, "found.txt"), "begun\n");
    let rows = fixture.rows(&run);
    let failed = rows.attempts.iter().filter(|row| row.state == AttemptState::Failed).count();
    assert_eq!(failed, n_failed);
    let hint = fixture.script_output("tasks");
    assert!(hint.contains("The last attempt failed"), "{hint}");
    let starts = fixture.events(&run).iter().filter(|event| matches!(event, Event::TaskStarted(_))).count();
    assert_eq!(starts, 1 + n_failed);
    let pids = fixture.script_output("pids");
    for pid in pids.split(' ') {
        let process = Process::from_pid(pid.parse().unwrap());
        wait_until("its processes have exited", || process.has_exited());
    }
}

#[test]
fn restart_of_the_machine_is_not_a_failed_attempt() {
    for is_from_earlier_version in [false, true] {
        let script = "while [ ! -e $BARRIER/off ]; do sleep 0.01; done; kill -KILL $PPID";
        let mut fixture = RunFixture::new(&script_that_dies_once(script));
        let settings = RunSettings { retries_max: 1.try_into().unwrap(), ..settings() };
        let run = fixture.start_with(plan(&["T1"]), settings);
        wait_until("the agent works", || !fixture.script_output("pids").is_empty());
        let session = fixture.rows(&run).tasks.iter().next().unwrap().session.unwrap();
        let about = fixture.data_directory().join(format!("sessions/{run}-{session}-1/about.json"));
        let text = fs::read_to_string(&about).unwrap();
        let boot = fs::read_to_string("/proc/sys/kernel/random/boot_id").unwrap();
        let boot_field = format!(r#""boot":"{}""#, boot.trim());
        assert!(text.contains(&boot_field), "{text}");
        if is_from_earlier_version {
            fs::write(&about, text.replace(&format!("{boot_field},"), "")).unwrap();
            let record = fixture.data_directory().join(format!("runs/{run}/{session}-1.json"));
            fs::write(record, r#"{"fresh":"id","boot":"another"}"#).unwrap();
        } else {
            fs::write(&about, text.replace(boot.trim(), "another")).unwrap();
        }
        fixture.restart();
        fixture.release_barrier("off");
        assert_eq!(fixture.wait_for_outcome(&run), RunOutcome::Done);
        assert_eq!(fixture.branch_file(&run, "found.txt"), "begun\n");
        let rows = fixture.rows(&run);
        assert!(rows.attempts.iter().all(|row| row.state != AttemptState::Failed), "{:?}", rows.attempts);
        assert_eq!(rows.escalations.len(), 0);
    }
}

#[test]
fn memory_limit_of_the_preset_is_enforced() {
    // `tail` holds all of its output in memory.
    let script = r#"
read -r task
if head -c 400000000 /dev/zero | tail -c 300000000 > /dev/null; then echo much; else echo little; fi > got.txt
echo "DONE:$JANGDAN_TASK:it is there"
"#;
    for (preset, expected) in [("memory_mib = 64", "little\n"), ("", "much\n")] {
        let fixture = RunFixture::with_team(&[Agent { preset, ..agent("worker", Role::Worker, script) }]);
        let run = fixture.start(plan(&["T1"]));
        assert_eq!(fixture.wait_for_outcome(&run), RunOutcome::Done);
        assert_eq!(fixture.branch_file(&run, "got.txt"), expected);
    }
}

#[test]
fn output_limit_of_the_preset_ends_the_process_and_is_the_reason() {
    let script = "read -r task\nyes flood | head -c 50000000\nsleep 1000\n";
    let fixture =
        RunFixture::with_team(&[Agent { preset: "output_mib = 1", ..agent("worker", Role::Worker, script) }]);
    let run =
        fixture.start_with(plan(&["T1"]), RunSettings { retries_max: 1.try_into().unwrap(), ..settings() });
    let escalation = fixture.wait_for(&run, |views| views.rows().escalations.iter().next().cloned());
    assert!(escalation.description.contains("more than 1 MiB of output"), "{escalation:?}");
}

#[test]
fn agent_that_fails_repeatedly_is_escalated() {
    let fixture = RunFixture::new("read -r task\necho here >> \"$BARRIER/attempts\"\nexit 3\n");
    let run =
        fixture.start_with(plan(&["T1"]), RunSettings { retries_max: 2.try_into().unwrap(), ..settings() });
    let escalation = fixture.wait_for(&run, |views| views.rows().escalations.iter().next().cloned());
    assert!(escalation.description.contains("status 3"), "{escalation:?}");
    assert_eq!(fixture.script_output("attempts").lines().count(), 2);
}

#[test]
fn check_whose_holder_is_killed_runs_again_and_has_one_receipt() {
    let fixture = RunFixture::new("read -r task\necho \"DONE:$JANGDAN_TASK:it is there\"\n");
    let again = fixture.barrier_file("again");
    let mut work = plan(&["T1"]);
    let again = again.display();
    let kill = format!("sleep 1000 & printf '%s' $! > {again}; kill -KILL $PPID; wait");
    work.tasks[0].verify = Some(format!("if [ ! -e {again} ]; then {kill}; fi; echo fine"));
    let run = fixture.start(work);
    assert_eq!(fixture.wait_for_outcome(&run), RunOutcome::Done);
    let rows = fixture.rows(&run);
    let outputs: Vec<&str> = rows.receipts.iter().map(|row| row.receipt.output_tail.as_str()).collect();
    assert_eq!(outputs, ["fine\n"]);
    let child = Process::from_pid(fixture.script_output("again").parse().unwrap());
    wait_until("the processes of the first attempt have exited", || child.has_exited());
}
