//! Ends, signals, hangs, and the four kinds of processes that an agent leaves behind.

use std::{fs, os::unix::process::ExitStatusExt, thread, time::Duration};

use rustix::process::{Pid, Signal, kill_process};

use crate::stage::{Stage, played};

fn send(id: u32, signal: Signal) {
    let id = Pid::from_raw(i32::try_from(id).expect("an id")).expect("an id");
    // What has ended already needs no end.
    let _ = kill_process(id, signal);
}

/// Returns a process's state, parent, group and session.
fn stat(id: u32) -> Option<(String, u32, u32, u32)> {
    let text = fs::read_to_string(format!("/proc/{id}/stat")).ok()?;
    let fields: Vec<&str> = text.rsplit_once(')')?.1.split_whitespace().collect();
    let number = |at: usize| fields.get(at).and_then(|field| field.parse().ok());
    Some(((*fields.first()?).to_owned(), number(1)?, number(2)?, number(3)?))
}

#[test]
fn it_ends_with_the_status_or_the_signal_of_the_script() {
    assert_eq!(played("steps = [{ exit = 3 }, { say = 'never' }]", "").1.code(), Some(3));
    for (name, number) in [("KILL", 9), ("TERM", 15), ("SEGV", 11), ("ABRT", 6)] {
        let (_, status) = played(&format!("steps = [{{ signal = '{name}' }}, {{ sleep = '5s' }}]"), "");
        assert_eq!(status.signal(), Some(number));
    }
}

#[test]
fn it_obeys_signals_until_it_ignores_them() {
    let mut stage = Stage::start("steps = [{ say = \"up\\n\" }, { hang = 'deaf' }]");
    stage.line();
    send(stage.id(), Signal::TERM);
    assert_eq!(stage.wait().signal(), Some(15));

    let mut stage = Stage::start(
        "steps = [{ ignore = ['TERM', 'TSTP', 'INT', 'HUP'] }, { say = \"up\\n\" }, { hang = 'deaf' }]",
    );
    stage.line();
    for signal in [Signal::TERM, Signal::TSTP, Signal::INT, Signal::HUP] {
        send(stage.id(), signal);
    }
    thread::sleep(Duration::from_millis(50));
    assert!(stage.lives());
    assert_eq!(stat(stage.id()).map(|(state, ..)| state).as_deref(), Some("S"));
    stage.kill();
}

#[test]
fn a_deaf_player_reads_nothing() {
    let stage = Stage::start("steps = [{ say = \"up\\n\" }, { hang = 'deaf' }]");
    stage.line();
    let mut input = stage;
    input.say("one");
    let waiting = || {
        let fdinfo = fs::read_to_string(format!("/proc/{}/wchan", input.id())).unwrap_or_default();
        fdinfo.contains("nanosleep") || fdinfo == "0" || fdinfo.is_empty()
    };
    assert!(waiting(), "it does not wait for input");
    input.kill();
}

#[test]
fn processes_of_the_four_kinds_are_where_they_should_be() {
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
        let stage = Stage::start(&script);
        let id: u32 = stage.file("pid").trim().parse().expect("a process");
        let (_, parent, group, session) = stat(id).expect("it lives");
        let (_, _, our_group, our_session) = stat(stage.id()).expect("it lives");
        assert_eq!(group == our_group, in_group, "{kind}");
        assert_eq!(session == our_session, in_session, "{kind}");
        assert_eq!(parent == stage.id(), is_child, "{kind}");
        send(id, Signal::TERM);
        stage.end();
        // It outlives the player, and only what it cannot ignore ends it.
        assert!(stat(id).is_some(), "{kind}");
        send(id, Signal::KILL);
    }
}

#[test]
fn a_process_beside_it_can_keep_its_output_open() {
    let script = "steps = [{ fork = { kind = 'daemon', steps = [{ sleep = '150ms' }, { say = \"late\\n\" }] } }, { say = \"first\\n\" }]";
    let (output, status) = played(script, "");
    assert_eq!((String::from_utf8_lossy(&output).as_ref(), status.code()), ("first\nlate\n", Some(0)));
}
