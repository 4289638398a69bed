//! After SIGKILL of any process: no leftover processes, and no lost output.

use std::{
    io::Write,
    os::unix::process::ExitStatusExt,
    path::PathBuf,
    process::{Command, Stdio},
    time::{Duration, Instant},
};

use holder::{
    END_GRACE, HolderConnection, kill_orphans,
    protocol::{Reply, Request},
    spool::{EndReason, RecordBody, RecordFollower},
    status,
};

use crate::test_session::{
    PATIENCE, TestSession, output, printed_pid, process_state, records, repetition_count, wait_for,
};

const READER: &str = "HOLDER_TEST_READER";

/// Numbered lines: a missing, duplicated or moved byte is noticed.
fn numbered_lines_script(lines: usize) -> (String, Vec<u8>) {
    let script = format!("stty -onlcr; seq 1000000 {}", 1_000_000 + lines - 1);
    let expected = (0..lines).flat_map(|n| format!("{}\n", 1_000_000 + n).into_bytes()).collect();
    (script, expected)
}

/// Not a test: the reader that is killed. It appends what it reads from the socket or the spool to a file.
#[test]
fn reader_process() {
    let Some(task) = std::env::var_os(READER) else { return };
    let task = task.into_string().unwrap();
    let [source, directory, path] = task.split('\n').collect::<Vec<_>>().try_into().unwrap();
    let mut file = std::fs::OpenOptions::new().append(true).create(true).open(path).unwrap();
    let from = file.metadata().unwrap().len();
    if source == "socket" {
        let mut connection = HolderConnection::connect(directory.as_ref()).unwrap();
        connection.send(&Request::Subscribe { from }).unwrap();
        while let Ok(Some((_, reply))) = connection.receive(Instant::now() + PATIENCE) {
            let Reply::Record(record) = reply else { continue };
            let RecordBody::Output { bytes, .. } = record.body else { continue };
            file.write_all(&bytes).unwrap();
        }
    } else {
        let mut follower = RecordFollower::open(directory.as_ref(), from).unwrap();
        while let Some(record) = follower.next_until(Some(Instant::now() + PATIENCE)).unwrap() {
            match record.body {
                RecordBody::Output { bytes, .. } => file.write_all(&bytes).unwrap(),
                RecordBody::Exit(_) => break,
                _ => {}
            }
        }
    }
}

fn assert_killed_readers_miss_nothing(source: &str) {
    let (script, expected) = numbered_lines_script(300_000);
    let mut kills_in_the_middle = 0;
    for round in 0..repetition_count(2) {
        let mut session = TestSession::start_script(&format!("read -r go; {script}; read -r end"));
        let got: PathBuf = session.directory.join("got");
        session.send_input(1, "go\n");
        loop {
            let task = format!("{source}\n{}\n{}", session.directory.display(), got.display());
            let mut reader = Command::new(std::env::current_exe().unwrap())
                .args(["--exact", "kills::reader_process"])
                .env(READER, task)
                .stdout(Stdio::null())
                .spawn()
                .unwrap();
            // Killed after it has written a little more, at an arbitrary point.
            let length = || std::fs::metadata(&got).map_or(0, |found| found.len());
            let enough = (length() + 70_000 * (round as u64 % 20 + 1)).min(expected.len() as u64);
            wait_for("the reader reads", || (length() >= enough).then_some(()));
            reader.kill().unwrap();
            assert_eq!(reader.wait().unwrap().signal(), Some(9));
            if length() >= expected.len() as u64 {
                break;
            }
            kills_in_the_middle += 1;
        }
        session.send_input(2, "\n");
        session.wait_end();
        // The terminal echoes the input; the flood is in between.
        let text = String::from_utf8(std::fs::read(&got).unwrap()).unwrap();
        let start = text.find("1000000\n").unwrap();
        assert!(text.as_bytes()[start..].starts_with(&expected), "bytes are missing or duplicated");
        let spooled = session.output();
        assert!(spooled.starts_with(text.as_bytes()), "the reader's output differs from the spool");
    }
    assert!(kills_in_the_middle > 0, "the reader was never killed during the flood");
}

#[test]
fn a_killed_socket_reader_misses_no_byte() {
    assert_killed_readers_miss_nothing("socket");
}

#[test]
fn a_killed_spool_reader_misses_no_byte() {
    assert_killed_readers_miss_nothing("files");
}

#[test]
fn no_process_outlives_a_killed_holder() {
    let family = "sleep 1001 & echo same=$!
        setsid sh -c 'trap \"\" HUP TERM; echo session=$$; while :; do sleep 0.05; done' &
        (setsid sh -c 'trap \"\" HUP TERM; sleep 1002 & echo daemon=$!; wait' &)
        trap '' HUP; while :; do sleep 0.05; done";
    for _ in 0..repetition_count(3) {
        let mut session = TestSession::start_script(family);
        let text = wait_for("three descendants", || {
            let text = session.output_text();
            ["same=", "session=", "daemon="].iter().all(|name| text.contains(name)).then_some(text)
        });
        let mut pids = ["same", "session", "daemon"].map(|name| printed_pid(&text, name)).to_vec();
        pids.push(session.agent_pid());
        session.launched.holder.kill().unwrap();
        session.launched.holder.wait().unwrap();
        let orphans = kill_orphans(&session.directory, &session.session, Duration::from_secs(10));
        assert!(orphans.killed >= 2, "{orphans:?}");
        assert_eq!(orphans.remaining, 0);
        for pid in pids {
            assert_eq!(process_state(pid), None, "{pid} lives");
        }
        // The end was not recorded, and the output is still there.
        assert_eq!(status::read(&session.directory).unwrap().unwrap().exit, None);
        assert!(String::from_utf8_lossy(&output(&records(&session.directory))).contains("same="));
    }
}

/// A process that ignores SIGTERM, of each of the four kinds that a signal to one group does not reach.
const STUBBORN_FAMILY: &str = r#"
    trap '' TERM HUP
    stubborn='trap "" TERM HUP; echo "$0=$$."; while :; do sleep 0.05; done'
    sh -c "$stubborn" same &
    set -m; sh -c "$stubborn" group & set +m
    setsid sh -c "$stubborn" session &
    (setsid sh -c "$stubborn" daemon &)
    while :; do sleep 0.05; done"#;

#[test]
fn processes_that_ignore_sigterm_are_gone_within_two_seconds() {
    for _ in 0..repetition_count(2) {
        let mut session = TestSession::start_script(STUBBORN_FAMILY);
        let text = wait_for("four descendants", || {
            let text = session.output_text();
            ["same=", "group=", "session=", "daemon="]
                .iter()
                .all(|name| text.split_once(name).is_some_and(|(_, behind)| behind.contains('.')))
                .then_some(text)
        });
        let [same, group, own_session, daemon] =
            ["same", "group", "session", "daemon"].map(|name| printed_pid(&text, name));
        let (agent, holder) = (session.agent_pid(), session.launched.holder.id().cast_signed());
        assert_eq!(parent_group_and_session(same), [agent, agent, holder], "parent, group, session");
        assert_eq!(parent_group_and_session(group), [agent, group, holder]);
        assert_eq!(parent_group_and_session(own_session)[1..], [own_session, own_session]);
        wait_for("the daemon is the holder's", || {
            (parent_group_and_session(daemon) == [holder, daemon, daemon]).then_some(())
        });

        let start = Instant::now();
        assert_eq!(session.request(&Request::End { grace: END_GRACE }), Reply::Done);
        let took = start.elapsed();
        assert!(took < Duration::from_secs(2), "took {took:?}");
        for pid in [agent, same, group, own_session, daemon] {
            assert_eq!(process_state(pid), None, "{pid} lives");
        }
        let exit = session.wait_end();
        assert_eq!((exit.signal, exit.reason), (Some(9), EndReason::Request));
    }
}

/// Returns the parent, process group and session of a process.
fn parent_group_and_session(pid: i32) -> [i32; 3] {
    let text = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap();
    let (_, behind) = text.rsplit_once(')').unwrap();
    let numbers: Vec<i32> = behind.split_whitespace().skip(1).map_while(|word| word.parse().ok()).collect();
    [numbers[0], numbers[1], numbers[2]]
}

#[test]
fn orphans_of_another_session_are_not_killed() {
    let mut session = TestSession::start_script("echo ready; exec sleep 1000");
    session.wait_text("ready");
    let other = format!("{}-x", session.session);
    assert_eq!(kill_orphans(&session.directory.join("none"), &other, PATIENCE).killed, 0);
    assert!(process_state(session.agent_pid()).is_some());
    let _ = session.status();
}

#[test]
fn a_session_survives_the_server_that_started_it() {
    // The server is a process that starts a holder and is killed.
    let folder = tempfile::tempdir().unwrap();
    let directory = folder.path().join("session");
    let mut server = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "kills::server_process"])
        .env(SERVER, &directory)
        .stdout(Stdio::null())
        .spawn()
        .unwrap();
    let summary = wait_for("the agent runs", || status::read(&directory).ok().flatten());
    server.kill().unwrap();
    server.wait().unwrap();
    let mut connection = HolderConnection::connect(&directory).unwrap();
    let input = Request::Input { number: 1, bytes: b"still there\n".to_vec() };
    assert_eq!(connection.request(&input, PATIENCE).unwrap(), Reply::InputWritten { number: 1 });
    wait_for("the agent answers", || {
        String::from_utf8_lossy(&output(&records(&directory))).contains("got still there").then_some(())
    });
    assert_eq!(connection.request(&Request::End { grace: Duration::ZERO }, PATIENCE).unwrap(), Reply::Done);
    assert_eq!(process_state(summary.agent_pid.cast_signed()), None);
}

const SERVER: &str = "HOLDER_TEST_SERVER";

/// Not a test: the server that is killed.
#[test]
fn server_process() {
    let Some(directory) = std::env::var_os(SERVER) else { return };
    let launch = crate::test_session::script_launch(
        "while read -r line; do echo \"got $line\"; done",
        crate::test_session::terminal_attachment(),
    );
    let _launched =
        holder::launch_session(crate::test_session::holder_program(), directory.as_ref(), &launch).unwrap();
    loop {
        std::thread::park();
    }
}
