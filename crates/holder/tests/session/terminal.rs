//! The terminal of an agent, and its records.

use std::os::unix::fs::PermissionsExt;

use holder::{
    protocol::{Refusal, Reply, Request, WindowSize},
    spool::{RecordBody, first_offset},
};

use crate::test_session::{TestSession, pipe_attachment, process_state, script_launch, wait_for};

#[test]
fn the_window_size_reaches_the_agent() {
    let mut session =
        TestSession::start_script("trap 'stty size' WINCH; stty size; while :; do sleep 0.01; done");
    session.wait_text("24 80");
    let size = WindowSize { columns: 132, rows: 50 };
    assert_eq!(session.request(&Request::Resize(size)), Reply::Done);
    session.wait_text("50 132");
    let sizes: Vec<RecordBody> = session
        .records()
        .into_iter()
        .map(|record| record.body)
        .filter(|body| matches!(body, RecordBody::Resize { .. }))
        .collect();
    assert_eq!(
        sizes,
        [RecordBody::Resize { columns: 80, rows: 24 }, RecordBody::Resize { columns: 132, rows: 50 }]
    );
    assert!(
        matches!(session.records()[0].body, RecordBody::Resize { .. }),
        "the initial size is the first record"
    );
}

#[test]
fn pipes_have_no_terminal_size() {
    let mut session = TestSession::start(&script_launch("exec sleep 1000", pipe_attachment()));
    let size = WindowSize { columns: 1, rows: 1 };
    assert_eq!(session.request(&Request::Resize(size)), Reply::Refused(Refusal::WrongPhase));
}

#[test]
fn the_agent_leads_the_foreground_group_of_the_holders_session() {
    let session =
        TestSession::start_script("cut -d ' ' -f 1,5,6,8 /proc/$$/stat; echo ready; exec sleep 1000");
    let text = session.wait_text("ready");
    let numbers: Vec<i32> =
        text.lines().next().unwrap().split(' ').map(|number| number.trim().parse().unwrap()).collect();
    let holder = session.launched.holder.id().cast_signed();
    let agent = session.agent_pid();
    // Its process id, process group, session, and the foreground group of its terminal.
    assert_eq!(numbers, [agent, agent, holder, agent]);
}

#[test]
fn interrupt_reaches_the_foreground_group() {
    // In raw mode the Ctrl-C byte would be text; the signal is not.
    let mut session = TestSession::start_script(
        "trap 'echo interrupted; exit 4' INT; stty raw; echo ready; while :; do sleep 0.01; done",
    );
    session.wait_text("ready");
    assert_eq!(session.request(&Request::Interrupt), Reply::Done);
    session.wait_text("interrupted");
    assert_eq!(session.wait_end().code, Some(4));
}

#[test]
fn a_turn_end_is_recorded_at_the_given_offset() {
    let mut session = TestSession::start_script("echo one; exec sleep 1000");
    session.wait_text("one");
    let beyond = session.request(&Request::MarkTurnEnd { offset: 1000 });
    assert!(matches!(beyond, Reply::Refused(Refusal::NoSuchOffset { .. })), "{beyond:?}");
    assert_eq!(session.request(&Request::MarkTurnEnd { offset: 5 }), Reply::Done);
    let last = session.records().pop().unwrap();
    assert_eq!((last.offset, last.body), (5, RecordBody::TurnEnd { offset: 5 }));
}

#[test]
fn segments_are_deleted_on_request() {
    let mut session = TestSession::start_script("stty -onlcr; seq 1 2000000; echo done; exec sleep 1000");
    session.wait_text("done");
    let end = session.status().offset;
    let files = || std::fs::read_dir(&session.directory).unwrap().count();
    let before = files();
    assert_eq!(
        session
            .launched
            .connection
            .request(&Request::DeleteBefore { offset: end - 10 }, crate::test_session::PATIENCE)
            .unwrap(),
        Reply::Done
    );
    assert!(files() < before);
    let first = first_offset(&session.directory).unwrap();
    assert!(first > 0 && first <= end - 10);
    let refused = session.request(&Request::Subscribe { from: 0 });
    assert_eq!(refused, Reply::Refused(Refusal::NoSuchOffset { first, end }));
    assert!(matches!(session.request(&Request::Subscribe { from: first }), Reply::Done | Reply::Record(_)));
}

#[test]
fn session_files_are_private() {
    let mut session = TestSession::start_script("echo ready; exec sleep 1000");
    session.wait_text("ready");
    let mode = |path: &std::path::Path| std::fs::symlink_metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode(&session.directory), 0o700);
    for entry in std::fs::read_dir(&session.directory).unwrap() {
        let path = entry.unwrap().path();
        assert_eq!(mode(&path), 0o600, "{}", path.display());
    }
    let _ = session.status();
}

#[test]
fn a_terminal_closed_for_a_moment_does_not_end_the_session() {
    let reopen = "tty=$(tty); exec <&- >&- 2>&-; sleep 0.05; exec <\"$tty\" >\"$tty\" 2>&1; echo back; exec sleep 1000";
    let session = TestSession::start_script(reopen);
    session.wait_text("back");
    wait_for("the agent lives", || process_state(session.agent_pid()));
}
