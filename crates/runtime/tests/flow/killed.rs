//! Whoever is killed, the task is tried again, and nothing that was started stays behind.

use std::fs;

use domain::{Event, Role, RunOutcome, RunSettings};
use views::AttemptState;

use crate::{
    lab::{Agent, Lab, agent, plan, settings},
    processes::{Process, until},
};

/// The first process of a task leaves work and a child behind, then somebody is killed; the second finds the work.
fn dies_once(kill: &str) -> String {
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
echo "DONE:$JANGDAN_TASK"
"#
    )
}

#[test]
fn an_agent_that_is_killed_is_tried_again_and_finds_its_work() {
    check("kill -KILL $$", 1);
}

#[test]
fn an_agent_whose_holder_is_killed_is_tried_again_and_none_of_its_processes_stays() {
    check("kill -KILL $PPID", 1);
}

#[test]
fn an_agent_that_ends_badly_is_tried_again() {
    check("kill %1; exit 3", 1);
}

fn check(kill: &str, n_failed: usize) {
    let lab = Lab::new(&dies_once(kill));
    let mut work = plan(&["T1"]);
    // Half the work would pass; that nobody said it is done is what counts.
    work.tasks[0].verify = Some("test -e work.txt".to_owned());
    let run = lab.start(work);
    assert_eq!(lab.outcome(&run), RunOutcome::Done);
    assert_eq!(lab.show(&run, "found.txt"), "begun\n");
    let rows = lab.rows(&run);
    let failed = rows.attempts.iter().filter(|row| row.state == AttemptState::Failed).count();
    assert_eq!(failed, n_failed);
    let hint = lab.met("tasks");
    assert!(hint.contains("The last attempt failed"), "{hint}");
    let starts = lab.events(&run).iter().filter(|event| matches!(event, Event::TaskStarted { .. })).count();
    assert_eq!(starts, 1 + n_failed);
    let pids = lab.met("pids");
    for pid in pids.split(' ') {
        let process = Process::of(pid.parse().unwrap());
        until("nothing of it is left", || process.is_gone());
    }
}

#[test]
fn restart_of_the_machine_is_not_a_failed_attempt() {
    for is_of_previous_version in [false, true] {
        let script = "while [ ! -e $BARRIER/off ]; do sleep 0.01; done; kill -KILL $PPID";
        let mut lab = Lab::new(&dies_once(script));
        let settings = RunSettings { retries_max: 1.try_into().unwrap(), ..settings() };
        let run = lab.start_with(plan(&["T1"]), settings);
        until("it works", || !lab.met("pids").is_empty());
        let session = lab.rows(&run).tasks.iter().next().unwrap().session.unwrap();
        let about = lab.data().join(format!("sessions/{run}-{session}-1/about.json"));
        let text = fs::read_to_string(&about).unwrap();
        let boot = fs::read_to_string("/proc/sys/kernel/random/boot_id").unwrap();
        let noted = format!(r#""boot":"{}""#, boot.trim());
        assert!(text.contains(&noted), "{text}");
        if is_of_previous_version {
            fs::write(&about, text.replace(&format!("{noted},"), "")).unwrap();
            let note = lab.data().join(format!("runs/{run}/{session}-1.json"));
            fs::write(note, r#"{"fresh":"id","boot":"another"}"#).unwrap();
        } else {
            fs::write(&about, text.replace(boot.trim(), "another")).unwrap();
        }
        lab.reopen();
        lab.let_go("off");
        assert_eq!(lab.outcome(&run), RunOutcome::Done);
        assert_eq!(lab.show(&run, "found.txt"), "begun\n");
        let rows = lab.rows(&run);
        assert!(rows.attempts.iter().all(|row| row.state != AttemptState::Failed), "{:?}", rows.attempts);
        assert_eq!(rows.escalations.len(), 0);
    }
}

#[test]
fn an_agent_gets_no_more_memory_than_its_preset_says() {
    // `tail` keeps all that it is to print.
    let script = r#"
read -r task
if head -c 400000000 /dev/zero | tail -c 300000000 > /dev/null; then echo much; else echo little; fi > got.txt
echo "DONE:$JANGDAN_TASK"
"#;
    for (preset, expected) in [("memory_mib = 64", "little\n"), ("", "much\n")] {
        let lab = Lab::with_team(&[Agent { preset, ..agent("worker", Role::Worker, script) }]);
        let run = lab.start(plan(&["T1"]));
        assert_eq!(lab.outcome(&run), RunOutcome::Done);
        assert_eq!(lab.show(&run, "got.txt"), expected);
    }
}

#[test]
fn an_agent_that_dies_each_time_is_handed_upward() {
    let lab = Lab::new("read -r task\necho here >> \"$BARRIER/tries\"\nexit 3\n");
    let run = lab.start_with(plan(&["T1"]), RunSettings { retries_max: 2.try_into().unwrap(), ..settings() });
    let escalation = lab.until(&run, |views| views.rows().escalations.iter().next().cloned());
    assert!(escalation.description.contains("status 3"), "{escalation:?}");
    assert_eq!(lab.met("tries").lines().count(), 2);
}

#[test]
fn a_check_whose_holder_is_killed_is_run_again_and_counts_once() {
    let lab = Lab::new("read -r task\necho \"DONE:$JANGDAN_TASK\"\n");
    let again = lab.meeting("again");
    let mut work = plan(&["T1"]);
    let again = again.display();
    let kill = format!("sleep 1000 & printf '%s' $! > {again}; kill -KILL $PPID; wait");
    work.tasks[0].verify = Some(format!("if [ ! -e {again} ]; then {kill}; fi; echo fine"));
    let run = lab.start(work);
    assert_eq!(lab.outcome(&run), RunOutcome::Done);
    let rows = lab.rows(&run);
    let outputs: Vec<&str> = rows.receipts.iter().map(|row| row.receipt.output_tail.as_str()).collect();
    assert_eq!(outputs, ["fine\n"]);
    let left = Process::of(lab.met("again").parse().unwrap());
    until("nothing of the first try is left", || left.is_gone());
}
