//! No process outlives its session, and how the agent ended is recorded.

use std::{os::unix::fs::PermissionsExt, time::Instant};

use holder::{
    ClientError, HolderConnection,
    protocol::{Reply, Request, SessionPhase},
    spool::{EndReason, Exit},
    status,
};

use crate::test_session::{
    PATIENCE, TestSession, pipe_attachment, printed_pid, process_state, script_launch, terminal_attachment,
    wait_for,
};

#[test]
fn an_agent_has_default_signal_handling() {
    let session = TestSession::start_script("grep -E 'Sig(Blk|Ign)' /proc/self/status; read -r line");
    let text = session.wait_text("SigIgn");
    let blocked = text.lines().find_map(|line| line.strip_prefix("SigBlk:")).unwrap();
    assert_eq!(blocked.trim(), "0000000000000000");
}

#[test]
fn remaining_processes_end_with_the_agent() {
    let leave = "(setsid sh -c 'trap \"\" TERM HUP; while :; do sleep 0.05; done' & echo left=$!.); exit 3";
    let mut session = TestSession::start(&script_launch(leave, pipe_attachment()));
    let exit = session.wait_end();
    assert_eq!(exit, Exit { code: Some(3), signal: None, reason: EndReason::AgentExited });
    assert_eq!(process_state(printed_pid(&session.output_text(), "left")), None);
}

#[test]
fn the_exit_is_recorded_in_spool_and_status_file() {
    let mut session = TestSession::start_script("read -r line; echo bye; exit 5");
    let before = wait_for("the status file", || status::read(&session.directory).unwrap());
    assert_eq!((before.session.as_str(), before.exit), (session.session.as_str(), None));
    session.send_input(1, "go\n");
    let exit = session.wait_end();
    assert_eq!(exit.code, Some(5));
    let ended = status::read(&session.directory).unwrap().unwrap().exit.unwrap();
    assert_eq!((ended.exit, ended.inputs_written), (exit, 1));
    assert_eq!(ended.offset, session.output().len() as u64);
    assert!(session.output_text().ends_with("bye\r\n"));
    assert!(matches!(
        HolderConnection::connect(&session.directory),
        Err(ClientError::HolderNotRunning { .. })
    ));
}

#[test]
fn the_last_output_is_not_lost() {
    for attachment in [terminal_attachment(), pipe_attachment()] {
        let mut session = TestSession::start(&script_launch(
            "head -c 3000000 /dev/zero | tr '\\0' x; echo last",
            attachment,
        ));
        session.wait_end();
        let output = session.output();
        assert_eq!(output.iter().filter(|byte| **byte == b'x').count(), 3_000_000);
        assert!(session.output_text().trim_end().ends_with("last"));
    }
}

#[test]
fn a_signal_to_the_holder_ends_the_session() {
    let mut session = TestSession::start_script("setsid sleep 1000 & echo child=$!.; wait");
    let child = printed_pid(&session.wait_text("."), "child");
    let holder = session.launched.holder.id();
    std::process::Command::new("kill").arg(holder.to_string()).status().unwrap();
    assert_eq!(session.wait_end().reason, EndReason::HolderEnded);
    assert_eq!(process_state(child), None);
}

#[test]
fn a_session_ends_when_its_folder_is_removed() {
    // The second agent fills its segment, so that the holder also needs a new file in the folder.
    for (script, attachment) in [
        ("trap '' TERM; echo pid=$$.; while :; do sleep 1; done", terminal_attachment()),
        ("trap '' TERM; echo pid=$$.; while :; do echo more; done", pipe_attachment()),
    ] {
        let mut session = TestSession::start(&script_launch(script, attachment));
        let agent = printed_pid(&session.wait_text("."), "pid");
        wait_for("the status file", || status::read(&session.directory).unwrap());
        // New files may appear meanwhile.
        wait_for("the folder is removed", || {
            std::fs::remove_dir_all(&session.directory)
                .map(|()| true)
                .or_else(|error| {
                    let is_gone = error.kind() == std::io::ErrorKind::NotFound;
                    if is_gone { Ok(true) } else { Err(error) }
                })
                .ok()
        });
        wait_for("the holder ends", || session.launched.holder.try_wait().unwrap());
        assert_eq!(process_state(agent), None);
    }
}

#[test]
fn the_temporary_folder_of_a_session_is_removed_at_its_end() {
    let folder = tempfile::tempdir().unwrap();
    let temporary = folder.path().join("tmp");
    let mut launch = script_launch(
        "mkdir -p $TMPDIR/a/b; ln -s / $TMPDIR/root; echo x > $TMPDIR/a/b/c",
        pipe_attachment(),
    );
    launch.environment.push(("TMPDIR".into(), temporary.clone().into()));
    launch.temporary = Some(temporary.clone());
    let mut session = TestSession::start(&launch);
    assert_eq!(session.wait_end().code, Some(0));
    assert!(!temporary.exists());
}

#[test]
fn a_subscriber_receives_the_exit() {
    let mut session = TestSession::start_script("read -r line; exit 0");
    let mut follower = session.connect();
    let tag = follower.send(&Request::Subscribe { from: 0 }).unwrap();
    session.send_input(1, "\n");
    let deadline = Instant::now() + crate::test_session::PATIENCE;
    let exit = std::iter::from_fn(|| follower.receive(deadline).ok().flatten()).find(|(found, reply)| {
        let is_exit = matches!(reply, Reply::Record(record)
            if matches!(record.body, holder::spool::RecordBody::Exit(_)));
        *found == tag && is_exit
    });
    assert!(exit.is_some());
}

#[test]
fn a_missing_program_is_reported_with_the_reason() {
    let folder = tempfile::tempdir().unwrap();
    let mut launch = script_launch("", terminal_attachment());
    launch.command = "no-such-program-anywhere".into();
    let error =
        holder::launch_session(crate::test_session::holder_program(), &folder.path().join("s"), &launch)
            .unwrap_err();
    let ClientError::Refused(refusal) = error else { panic!("{error:?}") };
    assert_eq!(refusal.to_string(), "cannot start the agent: No such file or directory (os error 2)");
    assert!(!folder.path().join("s").join(holder::SOCKET_NAME).exists());
    // The folder can be used again.
    let launch = script_launch("exit 9", terminal_attachment());
    let mut launched =
        holder::launch_session(crate::test_session::holder_program(), &folder.path().join("s"), &launch)
            .unwrap();
    launched.holder.wait().unwrap();
    assert_eq!(status::read(&folder.path().join("s")).unwrap().unwrap().exit.unwrap().exit.code, Some(9));
    let mut large = launch;
    large.environment.push(("LARGE".into(), "x".repeat(300_000).into()));
    let error =
        holder::launch_session(crate::test_session::holder_program(), &folder.path().join("t"), &large)
            .unwrap_err();
    assert!(matches!(error, ClientError::RequestTooLong { .. }), "{error:?}");
}

#[test]
fn a_program_that_cannot_be_executed_is_reported_in_the_output() {
    let folder = tempfile::tempdir().unwrap();
    for (text, code, words) in
        [("no program", 126, "Exec format error"), ("#!/no/such/shell", 127, "No such file or directory")]
    {
        let program = folder.path().join(format!("program-{code}"));
        std::fs::write(&program, text).unwrap();
        std::fs::set_permissions(&program, PermissionsExt::from_mode(0o700)).unwrap();
        let mut launch = script_launch("", terminal_attachment());
        launch.command = program.into();
        let mut session = TestSession::start(&launch);
        assert_eq!(session.wait_end().code, Some(code));
        assert!(session.output_text().contains(words), "{:?}", session.output_text());
    }
}

#[test]
fn a_missing_working_directory_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let mut launch = script_launch("", terminal_attachment());
    launch.directory = folder.path().join("none");
    let error =
        holder::launch_session(crate::test_session::holder_program(), &folder.path().join("s"), &launch)
            .unwrap_err();
    let ClientError::Refused(refusal) = error else { panic!("{error:?}") };
    assert_eq!(
        refusal.to_string(),
        "cannot enter the agent's folder: No such file or directory (os error 2)"
    );
}

#[test]
fn adopted_children_are_reaped() {
    // Each daemon becomes the holder's child and exits at once; none may remain a zombie while the agent runs.
    let many = "for n in 1 2 3 4 5 6 7 8 9; do (setsid true &); done; echo ready; exec sleep 1000";
    let mut session = TestSession::start_script(many);
    session.wait_text("ready");
    let holder = session.launched.holder.id();
    wait_for("only the agent is left", || {
        let text = std::fs::read_to_string(format!("/proc/{holder}/task/{holder}/children")).unwrap();
        (text.trim() == session.agent_pid().to_string()).then_some(())
    });
    assert_eq!(session.status_phase(), SessionPhase::Running);
}

#[test]
fn an_idle_holder_exits_when_its_client_is_gone() {
    let ready = holder::IdleHolder::start(crate::test_session::holder_program()).unwrap();
    // Waits for its exit: a holder that stayed would block the test.
    ready.shut_down();
}

#[test]
fn a_holder_without_folder_exits_with_its_agent() {
    let mut session = TestSession::start_script("echo ready; read -r line; exit 0");
    session.wait_text("ready");
    std::fs::remove_dir_all(&session.directory).unwrap();
    // The holder may end before it replies.
    let input = Request::Input { number: 1, bytes: "go\n".into() };
    match session.launched.connection.request(&input, PATIENCE) {
        Ok(reply) => assert_eq!(reply, Reply::InputWritten { number: 1 }),
        Err(error) => assert!(matches!(error, ClientError::Closed), "{error:?}"),
    }
    let ended = wait_for("the holder ends", || session.launched.holder.try_wait().unwrap());
    assert!(ended.success());
}
