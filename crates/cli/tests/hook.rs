//! `jangdan hook`: the answers for Claude Code, the messages in the session, and robustness against any input.

#![expect(clippy::unwrap_used, reason = "a test that cannot run its program has failed")]

use std::{
    fs,
    io::Write,
    path::Path,
    process::{Command, Output, Stdio},
    time::{Duration, Instant},
};

use domain::{AgentMessage, DirectType};
use holder::spool::{OutputSource, RecordBody, RecordReader};
use serde_json::Value;

const JANGDAN: &str = env!("CARGO_BIN_EXE_jangdan");
const TIMEOUT: Duration = Duration::from_secs(30);
const FAILURE: &str = r#"{"session_id":"s","payload":{"success":false,"failures":[
    {"name":"login works","expected":"200","actual":"500","stack_trace":"at login.rs:7","suggested_fix":"check\nthe token"},
    {"name":"logout works"}],"new_field":[1]}}"#;

/// Calls a hook outside of a session.
fn run_hook(arguments: &[&str], input: &[u8]) -> Output {
    let mut command = Command::new(JANGDAN);
    command.arg("hook").args(arguments).env_remove("JANGDAN_SESSION").env_remove("JANGDAN_KEY");
    let mut child =
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    // A hook may exit without reading; its answer shows that.
    let _ = child.stdin.take().unwrap().write_all(input);
    child.wait_with_output().unwrap()
}

fn hook_answer(arguments: &[&str], input: &[u8]) -> String {
    let output = run_hook(arguments, input);
    let errors = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(0), "{arguments:?}: {errors}");
    String::from_utf8(output.stdout).unwrap()
}

#[test]
fn feedback_answers_have_a_stable_form() {
    let success =
        br#"{"sessionId":"s","payload":{"success":true,"metrics":{"total":5,"passed":5,"duration":2.5}}}"#;
    let camel =
        br#"{"sessionId":"s","payload":{"success":false,"failures":[{"name":"a","suggestedFix":"b"}]}}"#;
    let bare = br#"{"payload":{"success":false}}"#;
    let answers: Vec<String> = [success.as_slice(), camel, FAILURE.as_bytes(), bare, b"{}", b"\xff"]
        .map(|input| hook_answer(&["test-feedback"], input))
        .into();
    insta::assert_snapshot!(answers.concat());
}

#[test]
fn settings_register_the_hooks() {
    insta::assert_snapshot!(hook_answer(&["settings"], b""));
}

#[test]
fn hook_never_stops_the_agent() {
    let deep = "[".repeat(100_000);
    let long = format!("{{\"message\":\"{}\"}}", "x".repeat(17 << 20));
    let cut = r#"{"message":"\ud83d","tool_name":"Bash","last_assistant_message":"x"}"#;
    let inputs: [&[u8]; 7] =
        [b"", b"\0\xff\xfe", b"null", b"[1]", deep.as_bytes(), long.as_bytes(), cut.as_bytes()];
    let events =
        ["Notification", "Stop", "PermissionRequest", "PostToolUse", "test-feedback", "SessionEnd", ""];
    for event in events {
        for input in inputs {
            let answer = hook_answer(&[event, "--an-option-of-later"], input);
            let answer: Value = serde_json::from_str(&answer).unwrap();
            assert!(answer.get("hookSpecificOutput").is_none(), "no decision: {answer}");
        }
    }
    assert_eq!(hook_answer(&[], b"{}"), "{}\n");
    assert_eq!(hook_answer(&["test-feedback", "--to", "no name"], b"{}").lines().count(), 1);
}

#[test]
fn events_become_messages_in_the_session() {
    let folder = tempfile::tempdir().unwrap();
    let name = format!("hook-{}", std::process::id());
    let events = [
        ("PostToolUse", r#"{"tool_name":"Bash","tool_input":{"command":"cargo test"},"tool_response":{}}"#),
        (
            "Notification",
            r#"{"message":"Claude needs your permission","notification_type":"permission_prompt"}"#,
        ),
        ("PermissionRequest", r#"{"tool_name":"Bash","tool_input":{"command":"rm -r x"}}"#),
        ("Stop", r#"{"stop_hook_active":false,"last_assistant_message":"The tests pass.\n\nAll of them."}"#),
        ("Stop", r#"{"last_assistant_message":"[ASK_USER]\nquestion: Why?\n[/ASK_USER]"}"#),
        ("test-feedback --to 개발자", FAILURE),
        ("test-feedback", r#"{"payload":{"success":true,"target":"tester"}}"#),
        ("test-feedback", r#"{"payload":{"success":true}}"#),
    ];
    let mut script = String::new();
    for (index, (event, input)) in events.iter().enumerate() {
        fs::write(folder.path().join(index.to_string()), input).unwrap();
        script += &format!("jangdan hook {event} < {index} || echo broken\n");
    }
    let session = |arguments: &[&str]| {
        let mut command = Command::new(JANGDAN);
        command.current_dir(folder.path()).env("JANGDAN_DATA", folder.path().join("data"));
        command.arg("session").args(arguments).output().unwrap()
    };
    assert!(session(&["start", "--pipes", "--name", &name, "--", "sh", "-c", &script]).status.success());
    let deadline = Instant::now() + TIMEOUT;
    while !String::from_utf8_lossy(&session(&["list", "--json"]).stdout).contains(r#""state":"ended""#) {
        assert!(Instant::now() < deadline, "the session does not end");
        std::thread::yield_now();
    }
    let log = String::from_utf8_lossy(&session(&["log", &name]).stdout).into_owned();
    assert!(!log.contains("broken") && !log.contains("error"), "{log}");

    let messages = sent_messages(&folder.path().join("data/sessions").join(name));
    let names: Vec<&str> = messages.iter().map(AgentMessage::name).collect();
    assert_eq!(names, ["PROGRESS", "PROGRESS", "STEP_COMPLETE", "DIRECT", "DIRECT"], "{messages:#?}");
    let Some(AgentMessage::Direct(direct)) = messages.get(3) else { panic!("{messages:#?}") };
    assert_eq!((direct.target.as_str(), direct.r#type), ("개발자", Some(DirectType::Feedback)));
    let feedback: domain::TestFeedback = serde_json::from_str(&direct.content).unwrap();
    assert_eq!(feedback.failures[0].trace.as_deref(), Some("at login.rs:7"));
}

/// Returns the messages that hooks sent in a session.
fn sent_messages(directory: &Path) -> Vec<AgentMessage> {
    let about: Value = serde_json::from_slice(&fs::read(directory.join("about.json")).unwrap()).unwrap();
    let key = about["key"].as_str().unwrap().parse().ok();
    let options = protocol::DecoderOptions {
        key,
        key_requirement: protocol::KeyRequirement::Required,
        ..protocol::DecoderOptions::worker()
    };
    let mut decoder = protocol::Decoder::new(options);
    let mut reader = RecordReader::open(directory, 0).unwrap();
    let mut items = Vec::new();
    while let Some(record) = reader.next_record().unwrap() {
        if let RecordBody::Output { stream: OutputSource::SideChannel, bytes } = record.body {
            items.extend(decoder.push(&bytes));
        }
    }
    items.extend(decoder.end_turn());
    let message = |item| match item {
        protocol::DecodedItem::Message(message) => Some(message.message),
        protocol::DecodedItem::Invalid(_) | protocol::DecodedItem::NearMiss(_) => None,
    };
    items.into_iter().map(message).collect::<Option<_>>().unwrap()
}
