//! Exit statuses, signals, hangs, and the four kinds of processes that agents leave behind.

use std::{fs, os::unix::process::ExitStatusExt, thread, time::Duration};

use rustix::process::{Pid, Signal, kill_process};

use crate::fixture::{ScriptedAgent, run_to_end};

fn send_signal(id: u32, signal: Signal) {
    let id = Pid::from_raw(i32::try_from(id).expect("an id")).expect("an id");
    // It may have exited already.
    let _ = kill_process(id, signal);
}

/// Returns the state, parent, process group and session of a process.
fn process_stat(id: u32) -> Option<(String, u32, u32, u32)> {
    let text = fs::read_to_string(format!("/proc/{id}/stat")).ok()?;
    let fields: Vec<&str> = text.rsplit_once(')')?.1.split_whitespace().collect();
    let number = |at: usize| fields.get(at).and_then(|field| field.parse().ok());
    Some(((*fields.first()?).to_owned(), number(1)?, number(2)?, number(3)?))
}

#[test]
fn the_script_decides_exit_status_or_signal() {
    assert_eq!(run_to_end("steps = [{ exit = 3 }, { say = 'never' }]", "").1.code(), Some(3));
    for (name, number) in [("KILL", 9), ("TERM", 15), ("SEGV", 11), ("ABRT", 6)] {
        let (_, status) = run_to_end(&format!("steps = [{{ signal = '{name}' }}, {{ sleep = '5s' }}]"), "");
        assert_eq!(status.signal(), Some(number));
    }
}

#[test]
fn signals_take_effect_until_they_are_ignored() {
    let mut agent = ScriptedAgent::start("steps = [{ say = \"up\\n\" }, { hang = 'deaf' }]");
    agent.next_line();
    send_signal(agent.process_id(), Signal::TERM);
    assert_eq!(agent.wait_for_exit().signal(), Some(15));

    let mut agent = ScriptedAgent::start(
        "steps = [{ ignore = ['TERM', 'TSTP', 'INT', 'HUP'] }, { say = \"up\\n\" }, { hang = 'deaf' }]",
    );
    agent.next_line();
    for signal in [Signal::TERM, Signal::TSTP, Signal::INT, Signal::HUP] {
        send_signal(agent.process_id(), signal);
    }
    thread::sleep(Duration::from_millis(50));
    assert!(agent.is_running());
    assert_eq!(process_stat(agent.process_id()).map(|(state, ..)| state).as_deref(), Some("S"));
    agent.kill();
}

#[test]
fn a_deaf_agent_does_not_read_its_input() {
    let agent = ScriptedAgent::start("steps = [{ say = \"up\\n\" }, { hang = 'deaf' }]");
    agent.next_line();
    let mut input = agent;
    input.write_line("one");
    let waiting = || {
        let fdinfo = fs::read_to_string(format!("/proc/{}/wchan", input.process_id())).unwrap_or_default();
        fdinfo.contains("nanosleep") || fdinfo == "0" || fdinfo.is_empty()
    };
    assert!(waiting(), "the agent does not wait for input");
    input.kill();
}

#[test]
fn each_process_kind_has_the_expected_parent_group_and_session() {
    for (kind, in_group, in_session, is_child) in [
        ("same_group", true, true, true),
        ("own_group", false, true, true),
        ("own_session", false, false, true),
        ("daemon", false, false, false),
    ] {
        let script = format!(
            "steps = [
                {{ fork = {{ kind = '{kind}', detached = true, steps = [
                    {{ ignore = ['TERM'] }}, {{ write = {{ path = 'pid', text = \"{{pid}}\\n\" }} }}, {{ sleep = '20s' }}] }} }},
                {{ wait = '' }}]"
        );
        let agent = ScriptedAgent::start(&script);
        let id: u32 = agent.wait_for_file("pid").trim().parse().expect("a process");
        let (_, parent, group, session) = process_stat(id).expect("process exists");
        let (_, _, our_group, our_session) = process_stat(agent.process_id()).expect("process exists");
        assert_eq!(group == our_group, in_group, "{kind}");
        assert_eq!(session == our_session, in_session, "{kind}");
        assert_eq!(parent == agent.process_id(), is_child, "{kind}");
        send_signal(id, Signal::TERM);
        agent.close_input_and_wait();
        // It outlives the agent, and only an unignorable signal ends it.
        assert!(process_stat(id).is_some(), "{kind}");
        send_signal(id, Signal::KILL);
    }
}

#[test]
fn a_forked_process_can_keep_the_output_open() {
    let script = "steps = [{ fork = { kind = 'daemon', steps = [{ sleep = '150ms' }, { say = \"late\\n\" }] } }, { say = \"first\\n\" }]";
    let (output, status) = run_to_end(script, "");
    assert_eq!((String::from_utf8_lossy(&output).as_ref(), status.code()), ("first\nlate\n", Some(0)));
}
