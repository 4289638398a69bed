//! Time and memory limits, and the out-of-memory score.

use std::time::Duration;

use holder::{
    protocol::{MemoryLimit, Reply, Request},
    spool::EndReason,
};

use crate::test_session::{TestSession, pipe_attachment, script_launch, terminal_attachment};

#[test]
fn an_agent_is_ended_at_its_time_limit() {
    let mut launch = script_launch("echo ready; exec sleep 1000", terminal_attachment());
    launch.limits.time_max = Some(Duration::from_millis(150));
    let mut session = TestSession::start(&launch);
    assert_eq!(session.wait_end().reason, EndReason::TimeLimit);
}

#[test]
fn the_time_limit_is_suspended_while_stopped() {
    let mut launch = script_launch("echo ready; exec sleep 1000", terminal_attachment());
    launch.limits.time_max = Some(Duration::from_millis(700));
    let mut session = TestSession::start(&launch);
    session.wait_text("ready");
    assert_eq!(session.request(&Request::Stop), Reply::Done);
    // Waits longer than the agent's time limit, for a record that does not arrive.
    let deadline = std::time::Instant::now() + Duration::from_millis(800);
    assert_eq!(session.launched.connection.receive(deadline).unwrap(), None);
    assert_eq!(session.request(&Request::Continue), Reply::Done);
    assert_eq!(session.wait_end().reason, EndReason::TimeLimit);
}

#[test]
fn an_agent_is_ended_at_its_output_limit() {
    let mut launch = script_launch("while :; do echo more; done", pipe_attachment());
    launch.limits.output_bytes_max = Some(1 << 20);
    let mut session = TestSession::start(&launch);
    assert_eq!(session.wait_end().reason, EndReason::OutputLimit);
    // It may write until the signal arrives, but not much longer.
    let length = session.output().len();
    assert!((1 << 20..200 << 20).contains(&length), "{length}");
}

#[test]
fn memory_is_limited_per_process_without_a_cgroup() {
    let mut launch = script_launch(
        "head -c 300000000 /dev/zero | tail -c 299000000 | wc -c; echo over",
        terminal_attachment(),
    );
    launch.limits.memory_bytes_max = Some(100 << 20);
    let session = TestSession::start(&launch);
    assert_eq!(session.started.memory, MemoryLimit::EachProcess);
    let text = session.wait_text("over");
    assert!(!text.contains("299000000"), "{text}");
}

#[test]
fn an_agent_has_a_raised_out_of_memory_score() {
    let session = TestSession::start_script("cat /proc/self/oom_score_adj; echo ready; exec sleep 1000");
    let text = session.wait_text("ready");
    let score: i32 = text.lines().next().unwrap().trim().parse().unwrap();
    assert!(score >= 300, "{score}");
    let holder = std::fs::read_to_string(format!("/proc/{}/oom_score_adj", session.launched.holder.id()));
    assert!(holder.unwrap().trim().parse::<i32>().unwrap() < score);
}

#[test]
fn an_agent_gets_the_given_environment_and_the_session_variable() {
    let mut launch = script_launch("env; echo ready; exec sleep 1000", terminal_attachment());
    launch.environment.push(("COLOUR".into(), "blue".into()));
    let session = TestSession::start(&launch);
    let text = session.wait_text("ready");
    let mut names: Vec<&str> =
        text.lines().filter_map(|line| line.split_once('=')).map(|(name, _)| name).collect();
    names.retain(|name| !["PWD", "_", "SHLVL", "OLDPWD"].contains(name));
    names.sort_unstable();
    assert_eq!(names, ["COLOUR", "JANGDAN_SESSION", "PATH"]);
    assert!(text.contains(&format!("JANGDAN_SESSION={}", session.session)));
}
