//! Stop halts every kind of descendant, continue resumes it, and the time limit is suspended meanwhile.

use std::{
    fs,
    path::PathBuf,
    time::{Duration, Instant},
};

use holder::protocol::{Refusal, Reply, Request, SessionPhase};

use crate::test_session::{
    TestSession, pipe_attachment, printed_pid, process_state, repetition_count, script_launch,
    terminal_attachment, wait_for,
};

/// An agent with all four kinds of descendants. Only the first one receives signals to the agent's group.
const FOUR_KINDS: &str = "
    sleep 1001 & echo same=$!;
    sh -c 'set -m; sleep 1002 & echo group=$!; sleep 1005' &
    setsid sh -c 'echo session=$$; exec sleep 1003' &
    (setsid sh -c 'sleep 1004 & echo daemon=$!' &)
    while :; do sleep 0.01; done";

fn wait_for_four_descendants(session: &TestSession) -> Vec<i32> {
    let text = wait_for("four descendants", || {
        let text = session.output_text();
        ["same=", "group=", "session=", "daemon="].iter().all(|name| text.contains(name)).then_some(text)
    });
    let mut pids: Vec<i32> =
        ["same", "group", "session", "daemon"].map(|name| printed_pid(&text, name)).to_vec();
    pids.push(session.agent_pid());
    pids
}

fn assert_all_descendants_stop_and_continue(session: &mut TestSession) {
    let pids = wait_for_four_descendants(session);
    for _ in 0..3 {
        assert_eq!(session.request(&Request::Stop), Reply::Done);
        for pid in &pids {
            assert_eq!(process_state(*pid), Some('T'), "process {pid} of {pids:?} is running");
        }
        assert_eq!(session.status_phase(), SessionPhase::Stopped);
        assert_eq!(session.request(&Request::Continue), Reply::Done);
        for pid in &pids {
            let moves = || process_state(*pid).filter(|state| *state != 'T');
            wait_for("all processes run again", moves);
        }
        assert_eq!(session.status_phase(), SessionPhase::Running);
    }
}

#[test]
fn stop_halts_all_kinds_of_descendants_with_a_terminal() {
    assert_all_descendants_stop_and_continue(&mut TestSession::start(&script_launch(
        FOUR_KINDS,
        terminal_attachment(),
    )));
}

#[test]
fn stop_halts_all_kinds_of_descendants_with_pipes() {
    assert_all_descendants_stop_and_continue(&mut TestSession::start(&script_launch(
        FOUR_KINDS,
        pipe_attachment(),
    )));
}

#[test]
fn stopping_is_not_delayed_by_programs_being_started() {
    // Shells wait uninterruptibly for a new program, and may be caught in that state.
    let busy = "echo ready; while :; do /bin/true; done";
    let mut session = TestSession::start(&script_launch(busy, pipe_attachment()));
    session.wait_text("ready");
    for _ in 0..repetition_count(20) {
        let start = Instant::now();
        assert_eq!(session.request(&Request::Stop), Reply::Done);
        assert_eq!(process_state(session.agent_pid()), Some('T'));
        assert!(start.elapsed() < Duration::from_secs(1), "took {:?}", start.elapsed());
        assert_eq!(session.request(&Request::Continue), Reply::Done);
    }
}

#[test]
fn an_agent_that_ignores_sigtstp_is_stopped() {
    let mut session = TestSession::start_script("trap '' TSTP; echo ready; while :; do sleep 0.01; done");
    session.wait_text("ready");
    assert_eq!(session.request(&Request::Stop), Reply::Done);
    assert_eq!(process_state(session.agent_pid()), Some('T'));
    assert_eq!(session.request(&Request::Stop), Reply::Done, "stop is idempotent");
}

#[test]
fn an_agent_receives_sigtstp_first() {
    // A shell runs its trap between two commands, well within the 100 ms grace period.
    let hear = "trap 'echo heard' TSTP; echo ready; while :; do sleep 0.01; done";
    let mut session = TestSession::start_script(hear);
    session.wait_text("ready");
    assert_eq!(session.request(&Request::Stop), Reply::Done);
    assert_eq!(session.request(&Request::Continue), Reply::Done);
    session.wait_text("heard");
}

#[test]
fn processes_stopped_before_stay_stopped() {
    let mut session = TestSession::start_script(
        "sleep 1000 & kill -STOP $!; echo \"mine=$!.\"; while :; do sleep 0.01; done",
    );
    let own = printed_pid(&session.wait_text("."), "mine");
    wait_for("the job is stopped", || process_state(own).filter(|state| *state == 'T'));
    assert_eq!(session.request(&Request::Stop), Reply::Done);
    assert_eq!(session.request(&Request::Continue), Reply::Done);
    wait_for("the agent moves", || process_state(session.agent_pid()).filter(|state| *state != 'T'));
    assert_eq!(process_state(own), Some('T'));
}

#[test]
fn a_stopped_session_can_be_ended() {
    let mut session = TestSession::start_script(FOUR_KINDS);
    let pids = wait_for_four_descendants(&session);
    assert_eq!(session.request(&Request::Stop), Reply::Done);
    let grace = Duration::from_secs(5);
    assert_eq!(session.request(&Request::End { grace }), Reply::Done);
    assert_eq!(pids.iter().filter(|pid| process_state(**pid).is_some()).count(), 0);
}

#[test]
fn a_foreground_job_of_a_shell_continues_in_the_foreground() {
    let shell = "PS1='ready> ' exec sh -im";
    let mut session = TestSession::start_script(shell);
    session.wait_text("ready> ");
    session.send_input(1, "sh -c 'echo job=$$.; read line; echo \"took $line\"'\n");
    let job = printed_pid(
        &wait_for("the job runs", || {
            let text = session.output_text().replace("job=$$.", "");
            text.contains("job=").then_some(text)
        }),
        "job",
    );
    assert_eq!(session.request(&Request::Stop), Reply::Done);
    assert_eq!(process_state(job), Some('T'));
    assert_eq!(session.request(&Request::Continue), Reply::Done);
    wait_for("the job moves", || process_state(job).filter(|state| *state != 'T'));
    session.send_input(2, "words\n");
    session.wait_text("took words");
    assert!(
        !session.output_text().contains("Stopped"),
        "the shell noticed the stop: {:?}",
        session.output_text()
    );
}

#[test]
fn a_cgroup_freezes_and_thaws_the_session() {
    let Some(parent) = writable_cgroup() else {
        eprintln!("skipped: no cgroup v2 folder can be written here");
        return;
    };
    let mut launch = script_launch(FOUR_KINDS, terminal_attachment());
    launch.cgroup_parent = Some(parent.clone());
    let cgroup = parent.join(format!("jangdan-{}", launch.session));
    let mut session = TestSession::start(&launch);
    assert!(session.started.has_cgroup);
    let pids = wait_for_four_descendants(&session);
    let members = fs::read_to_string(cgroup.join("cgroup.procs")).unwrap();
    for pid in &pids {
        assert!(members.lines().any(|line| line == pid.to_string()), "{pid} is not a member");
    }
    assert_eq!(session.request(&Request::Stop), Reply::Done);
    assert!(fs::read_to_string(cgroup.join("cgroup.events")).unwrap().contains("frozen 1"));
    assert_eq!(session.request(&Request::Continue), Reply::Done);
    assert!(fs::read_to_string(cgroup.join("cgroup.events")).unwrap().contains("frozen 0"));
    for pid in &pids {
        wait_for("all processes run again", || process_state(*pid).filter(|state| *state != 'T'));
    }
    session.request(&Request::Stop);
    let grace = Duration::from_millis(50);
    assert_eq!(session.request(&Request::End { grace }), Reply::Done);
    assert_eq!(pids.iter().filter(|pid| process_state(**pid).is_some()).count(), 0);
    session.wait_end();
    assert!(!cgroup.exists(), "the cgroup was not removed");
}

#[test]
fn a_session_that_is_ending_cannot_be_stopped() {
    let mut session = TestSession::start_script("trap '' TERM; echo ready; while :; do sleep 0.01; done");
    session.wait_text("ready");
    session.launched.connection.send(&Request::End { grace: Duration::from_millis(300) }).unwrap();
    assert_eq!(session.request(&Request::Stop), Reply::Refused(Refusal::WrongPhase));
    assert_eq!(session.wait_end().signal, Some(9));
}

/// Returns a cgroup v2 folder in which this test may create another.
fn writable_cgroup() -> Option<PathBuf> {
    let parent = holder::delegated_cgroup()?;
    let probe = parent.join(format!("jangdan-probe-{}", std::process::id()));
    fs::create_dir(&probe).ok()?;
    fs::remove_dir(&probe).ok()?;
    Some(parent)
}
