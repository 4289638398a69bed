//! An idle session uses no CPU time, and its memory does not grow with its output.

use std::time::{Duration, Instant};

use crate::test_session::{TestSession, context_switches, script_launch, terminal_attachment, wait_for};

#[test]
fn an_idle_holder_is_never_woken() {
    let mut launch = script_launch("echo ready; exec sleep 1000", terminal_attachment());
    launch.secrets = vec![holder::mask::Secret::new(b"ready to be held back".to_vec())];
    launch.limits.time_max = Some(Duration::from_secs(3600));
    let mut session = TestSession::start(&launch);
    session.wait_text("ready");
    let holder = session.launched.holder.id();
    // Pending work after the last output is done within this time.
    let quiet = session.wait_until_idle();
    let deadline = Instant::now() + Duration::from_millis(500);
    assert_eq!(session.launched.connection.receive(deadline).unwrap(), None);
    assert_eq!(context_switches(holder), quiet);
}

#[test]
fn memory_does_not_grow_with_output() {
    let mut session = TestSession::start_script(
        "read -r go; head -c 20000000 /dev/zero | tr '\\0' x; echo; echo over; exec sleep 1000",
    );
    let holder = session.launched.holder.id();
    let before = anonymous_kib(holder);
    session.send_input(1, "go\n");
    wait_for("all of it is in the spool", || (session.status().offset > 20_000_000).then_some(()));
    let grown = anonymous_kib(holder).saturating_sub(before);
    assert!(grown < 128, "{grown} KiB more");
}

fn anonymous_kib(pid: u32) -> u64 {
    let text = std::fs::read_to_string(format!("/proc/{pid}/status")).unwrap();
    let line = text.lines().find_map(|line| line.strip_prefix("RssAnon:")).unwrap();
    line.trim().split(' ').next().unwrap().parse().unwrap()
}
