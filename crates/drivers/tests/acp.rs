//! The ACP driver against recorded agents: what happens, what is sent, and that no cut or restart changes it.

#![expect(clippy::wildcard_enum_match_arm, reason = "a test looks at few of the variants")]
#![expect(clippy::disallowed_methods, reason = "a test may read its own files")]
#![expect(clippy::unwrap_used, clippy::panic, reason = "a test that cannot go on should stop")]

#[path = "play/recording.rs"]
mod play;

use drivers::{
    AcpDriver, AcpOptions, AcpStart, AgentInput, Driver, DriverEvent, OutputStream, Reaction, SpoolChunk,
    TurnOutcome,
};
use proptest::prelude::*;
use protocol::DecoderOptions;

fn acp_driver(start: AcpStart) -> AcpDriver {
    let decoding = DecoderOptions { key: Some("k3f9".parse().unwrap()), ..DecoderOptions::worker() };
    AcpDriver::new(AcpOptions { cwd: "/work/tree".into(), start, decoding, mcp_servers: Vec::new() })
}

fn attached_driver(read_from: u64) -> AcpDriver {
    acp_driver(AcpStart::Attached { agent_session: "s".to_owned(), read_from, cost_micros: 0 })
}

#[test]
fn recorded_agents_are_understood() {
    insta::glob!("acp/*.txt", |path| {
        let recording = std::fs::read_to_string(path).unwrap();
        let start = match recording.lines().next().and_then(|line| line.strip_prefix("resume ")) {
            Some(agent_session) => AcpStart::Resume { agent_session: agent_session.to_owned() },
            None => AcpStart::Fresh,
        };
        insta::assert_snapshot!(play::play_recording(&mut acp_driver(start), &recording));
    });
}

fn describe_messages(reaction: &Reaction) -> Vec<String> {
    let said = reaction.events.iter().filter(|event| matches!(event, DriverEvent::Message { .. }));
    said.map(play::describe_event).collect()
}

fn feed_output(driver: &mut AcpDriver, bytes: &[u8], offset: u64) -> Reaction {
    driver.on_output(SpoolChunk { stream: OutputStream::Output, offset, bytes })
}

/// Makes the lines of an agent that streams `pieces` in two turns, with a tool that prints them too.
fn session_update_lines(pieces: &[String]) -> Vec<u8> {
    let update = |update: serde_json::Value| {
        let params = serde_json::json!({"sessionId": "s", "update": update});
        format!("{}\n", serde_json::json!({"jsonrpc": "2.0", "method": "session/update", "params": params}))
    };
    let mut output = String::new();
    for (index, piece) in pieces.iter().enumerate() {
        let content = serde_json::json!({"type": "text", "text": piece});
        output += &update(serde_json::json!({"sessionUpdate": "agent_message_chunk", "content": content}));
        if index % 5 == 3 {
            let content =
                serde_json::json!([{"type": "content", "content": {"type": "text", "text": piece}}]);
            let call = serde_json::json!({"sessionUpdate": "tool_call", "toolCallId": "t", "status": "completed", "content": content});
            output += &update(call);
        }
        if index % 7 == 6 {
            output += "{\"jsonrpc\":\"2.0\",\"id\":1001,\"result\":{\"stopReason\":\"end_turn\"}}\n";
        }
    }
    output.into_bytes()
}

fn text_piece() -> impl Strategy<Value = String> {
    let known = prop::sample::select(vec![
        "[ASK_USER k3f9]\n",
        "question: which?\n",
        "[/ASK_USER k3f9]\n",
        "DONE:T1.3 k3f9\n",
        "DONE:T1.4 k3f9\nFAIL:T1.5:no k3f9\n",
        "[ASK_",
        "USER]",
        "\n",
        "```\n",
        "words 가나다 ",
    ]);
    prop_oneof![4 => known.prop_map(str::to_owned), 1 => "\\PC{0,12}"]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn cutting_the_stream_anywhere_changes_nothing(pieces in prop::collection::vec(text_piece(), 0..24), cut: prop::sample::Index) {
        let output = session_update_lines(&pieces);
        let (head, tail) = output.split_at(cut.index(output.len() + 1));
        let whole = feed_output(&mut attached_driver(0), &output, 0);
        let mut driver = attached_driver(0);
        let mut parts = feed_output(&mut driver, head, 0);
        let rest = feed_output(&mut driver, tail, head.len() as u64);
        parts.events.extend(rest.events);
        parts.outgoing.extend(rest.outgoing);
        prop_assert_eq!(parts, whole);
    }

    #[test]
    fn a_restarted_driver_gives_the_same_messages(pieces in prop::collection::vec(text_piece(), 0..24), cut: prop::sample::Index) {
        let output = session_update_lines(&pieces);
        let cut = cut.index(output.len() + 1);
        let whole = feed_output(&mut attached_driver(0), &output, 0);
        let mut first = attached_driver(0);
        let before = feed_output(&mut first, &output[..cut], 0);
        let from = first.resume_offset();
        let mut second = attached_driver(from);
        let after = feed_output(&mut second, &output[from as usize..], from);
        // The events that both have read are equal, and together they have read all.
        let mut all = describe_messages(&before);
        let again = describe_messages(&after);
        let known: std::collections::BTreeSet<_> = all.iter().cloned().collect();
        all.extend(again.into_iter().filter(|said| !known.contains(said)));
        prop_assert_eq!(all, describe_messages(&whole));
        let ends = |reaction: &Reaction| reaction.events.iter().rev().find(|event| matches!(event, DriverEvent::TurnEnded { .. })).cloned();
        if let Some(end) = ends(&after) {
            prop_assert_eq!(Some(end), ends(&whole), "the text of a turn is complete after a restart");
        }
    }

    #[test]
    fn every_message_has_a_unique_offset(pieces in prop::collection::vec(text_piece(), 0..24)) {
        let whole = feed_output(&mut attached_driver(0), &session_update_lines(&pieces), 0);
        let mut places: Vec<_> = whole.events.iter().filter_map(|event| match event {
            DriverEvent::Message { offset, .. } => Some((offset.start, offset.ordinal)),
            _ => None,
        }).collect();
        let n_said = places.len();
        places.sort_unstable();
        places.dedup();
        prop_assert_eq!(places.len(), n_said);
    }

    #[test]
    fn random_bytes_never_panic(bytes: Vec<u8>, text in "[\\[\\]{}\":,a-z0-9\n]{0,200}") {
        for input in [bytes, text.into_bytes()] {
            let mut driver = acp_driver(AcpStart::Fresh);
            driver.on_start();
            feed_output(&mut driver, &input, 0);
            driver.on_exit();
        }
    }

    #[test]
    fn odd_values_never_panic(method in prop::sample::select(vec!["session/update", "session/request_permission", "elicitation/create", "fs/read_text_file"]), key in "[a-zA-Z]{1,12}", value in prop::sample::select(vec!["null", "1", "\"x\"", "[]", "{}", "[{}]", "-1.5e300"])) {
        let mut driver = attached_driver(0);
        let update = format!("{{\"sessionUpdate\":\"tool_call\",\"{key}\":{value}}}");
        let line = format!("{{\"id\":{value},\"method\":\"{method}\",\"params\":{{\"update\":{update},\"{key}\":{value},\"toolCall\":{update}}}}}\n");
        feed_output(&mut driver, line.as_bytes(), 0);
    }
}

#[test]
fn tool_output_is_never_decoded_as_a_message() {
    let output = session_update_lines(&[
        "a".to_owned(),
        "b".to_owned(),
        "c".to_owned(),
        "DONE:T1.3 k3f9\n".to_owned(),
    ]);
    let reaction = feed_output(&mut attached_driver(0), &output, 0);
    assert!(
        reaction
            .events
            .iter()
            .any(|event| matches!(event, DriverEvent::ToolCall(call) if call.output.is_some()))
    );
    assert_eq!(
        describe_messages(&reaction),
        Vec::<String>::new(),
        "text inside a line and tool output are not messages"
    );
}

#[test]
fn the_same_input_gives_the_same_bytes() {
    let input = AgentInput::Prompt { text: "go on".to_owned() };
    assert_eq!(attached_driver(0).encode_input(&input, 7), attached_driver(99).encode_input(&input, 7));
}

#[test]
fn a_repeated_response_changes_nothing() {
    let mut driver = acp_driver(AcpStart::Fresh);
    driver.on_start();
    feed_output(&mut driver, b"{\"id\":1,\"result\":{\"protocolVersion\":1}}\n", 0);
    let ready = feed_output(&mut driver, b"{\"id\":2,\"result\":{\"sessionId\":\"s\"}}\n", 100);
    assert_eq!(ready.events.len(), 1);
    let again = feed_output(&mut driver, b"{\"id\":2,\"result\":{\"sessionId\":\"other\"}}\n", 200);
    assert_eq!(again, Reaction::default());
    assert_eq!(driver.resume_offset(), 100 + 36);
}

#[test]
fn process_exit_ends_the_open_turn() {
    let mut driver = attached_driver(0);
    assert_eq!(driver.on_exit(), Reaction::default(), "an idle one has none");
    let mut driver = attached_driver(0);
    driver.encode_input(&AgentInput::Prompt { text: "x".to_owned() }, 1).unwrap();
    let reaction = driver.on_exit();
    assert!(matches!(
        &reaction.events[..],
        [DriverEvent::TurnEnded { outcome: TurnOutcome::Failed { .. }, .. }]
    ));
}

#[test]
fn a_pending_permission_survives_a_driver_restart() {
    let ask = br#"{"id":3,"method":"session/request_permission","params":{"options":[{"optionId":"y","kind":"allow_once"}],"toolCall":{"kind":"execute","title":"ls"}}}"#;
    let mut output = session_update_lines(&["words\n".to_owned()]);
    output.extend_from_slice(ask);
    output.push(b'\n');
    let mut first = attached_driver(0);
    let before = feed_output(&mut first, &output, 0);
    let from = first.resume_offset();
    let mut second = attached_driver(from);
    let after = feed_output(&mut second, &output[from as usize..], from);
    assert_eq!(after, before);
    let answer = AgentInput::Permission { prompt: "3".to_owned(), allowed: true, reason: None };
    assert_eq!(second.encode_input(&answer, 2), first.encode_input(&answer, 2));
}

#[test]
fn reason_of_a_denial_precedes_the_next_prompt() {
    let ask = br#"{"id":3,"method":"session/request_permission","params":{"options":[{"optionId":"n","kind":"reject_once"}],"toolCall":{"kind":"execute","title":"ls"}}}
"#;
    let mut driver = attached_driver(0);
    let sent = |driver: &mut AcpDriver, input: AgentInput, number| {
        let reaction = driver.encode_input(&input, number).unwrap();
        String::from_utf8(reaction.outgoing.into_iter().flat_map(|outgoing| outgoing.bytes).collect())
            .unwrap()
    };
    let prompt = |text: &str| AgentInput::Prompt { text: text.to_owned() };
    sent(&mut driver, prompt("begin"), 1);
    feed_output(&mut driver, ask, 0);
    let reason = Some("not now".to_owned());
    let denied =
        sent(&mut driver, AgentInput::Permission { prompt: "3".to_owned(), allowed: false, reason }, 2);
    assert!(denied.contains(r#""optionId":"n""#) && !denied.contains("not now"), "{denied}");
    let next = sent(&mut driver, prompt("continue"), 3);
    assert!(next.contains(r"not now\n\ncontinue"), "{next}");
    assert_eq!(sent(&mut driver, prompt("continue"), 3), next, "a repeated input is the same");
}
