//! The server from outside: the form of each dialect, streamed and whole, errors, slow and cut responses.

#![expect(clippy::expect_used, reason = "a test may fail")]

use std::{
    io::{Read, Write},
    net::TcpStream,
    time::{Duration, Instant},
};

use model_server::{
    Dialect, ModelServer, ReplyPart, Rule, Script, ScriptedError, ScriptedReply, ScriptedTurn, Usage,
};
use serde_json::{Value, json};

/// Returns a request of each dialect that offers a tool: the dialect, its path, its path for a stream, its body.
fn sample_requests(prompt: &str) -> [(Dialect, &'static str, &'static str, Value); 4] {
    let tool = json!([{ "name": "Bash" }]);
    [
        (
            Dialect::Anthropic,
            "/v1/messages?beta=true",
            "/v1/messages?beta=true",
            json!({ "model": "m", "tools": tool, "messages": [{ "role": "user", "content": [{ "type": "text", "text": prompt }] }] }),
        ),
        (
            Dialect::Responses,
            "/v1/responses",
            "/v1/responses",
            json!({ "model": "m", "tools": tool, "input": [
                { "type": "message", "role": "developer", "content": [{ "type": "input_text", "text": "rules" }] },
                { "type": "message", "role": "user", "content": [{ "type": "input_text", "text": prompt }] }] }),
        ),
        (
            Dialect::Chat,
            "/v1/chat/completions",
            "/v1/chat/completions",
            json!({ "model": "m", "tools": tool, "messages": [
                { "role": "system", "content": "rules" }, { "role": "user", "content": prompt }] }),
        ),
        (
            Dialect::Google,
            "/v1beta/models/m:generateContent",
            "/v1beta/models/m:streamGenerateContent?alt=sse",
            json!({ "tools": tool, "contents": [{ "role": "user", "parts": [{ "text": prompt }] }] }),
        ),
    ]
}

/// Posts a body, and returns the head of the response and the rest of it, with its chunk sizes.
fn post(server: &ModelServer, path: &str, body: &Value) -> (String, String) {
    let mut stream = TcpStream::connect(server.url().trim_start_matches("http://")).expect("connect");
    let body = body.to_string();
    let head = format!("POST {path} HTTP/1.1\r\nHost: x\r\nContent-Length: {}\r\n\r\n", body.len());
    stream.write_all([head, body].concat().as_bytes()).expect("send the request");
    let mut response = String::new();
    stream.read_to_string(&mut response).expect("read the response");
    let (head, body) = response.split_once("\r\n\r\n").expect("the response has a head");
    (head.to_owned(), body.to_owned())
}

fn post_stream(server: &ModelServer, path: &str, mut body: Value) -> (String, Vec<String>) {
    body["stream"] = json!(true);
    let (head, text) = post(server, path, &body);
    let data = |line: &str| line.strip_prefix("data: ").map(|data| data.trim_end().to_owned());
    (head, text.lines().filter_map(data).collect())
}

fn parse_events(data: &[String]) -> Vec<Value> {
    data.iter().filter_map(|data| serde_json::from_str(data).ok()).collect()
}

fn text_and_tool() -> ScriptedTurn {
    let tool = ReplyPart::Tool { name: "Bash".to_owned(), input: json!({ "command": "ls" }) };
    let parts = vec![ReplyPart::Text("Hello there.".to_owned()), tool];
    ScriptedTurn::Reply(ScriptedReply {
        parts,
        usage: Some(Usage { input: 11, output: 7 }),
        ..ScriptedReply::default()
    })
}

#[test]
fn anthropic_streams_blocks_between_a_start_and_a_stop() {
    let server = ModelServer::start(Script::from_turns([text_and_tool()])).expect("start the server");
    let [(_, _, path, body), ..] = sample_requests("go");
    let (head, data) = post_stream(&server, path, body);
    assert!(head.starts_with("HTTP/1.1 200 OK") && head.contains("text/event-stream"), "{head}");
    let events = parse_events(&data);
    let types: Vec<&str> = events.iter().filter_map(|event| event["type"].as_str()).collect();
    assert_eq!(
        types,
        [
            "message_start",
            "content_block_start",
            "content_block_delta",
            "content_block_delta",
            "content_block_stop",
            "content_block_start",
            "content_block_delta",
            "content_block_stop",
            "message_delta",
            "message_stop"
        ]
    );
    assert_eq!(events[0]["message"]["usage"]["input_tokens"], 11);
    assert_eq!(events[2]["delta"], json!({ "type": "text_delta", "text": "Hello " }));
    assert_eq!(events[5]["content_block"]["name"], "Bash");
    assert_eq!(events[6]["delta"]["partial_json"], "{\"command\":\"ls\"}");
    assert_eq!(events[8]["delta"]["stop_reason"], "tool_use");
    assert_eq!(events[8]["usage"]["output_tokens"], 7);
}

#[test]
fn responses_streams_items_and_completes() {
    let server = ModelServer::start(Script::from_turns([text_and_tool()])).expect("start the server");
    let [_, (_, _, path, body), ..] = sample_requests("go");
    let events = parse_events(&post_stream(&server, path, body).1);
    let types: Vec<&str> = events.iter().filter_map(|event| event["type"].as_str()).collect();
    assert_eq!(types.first(), Some(&"response.created"));
    assert_eq!(types.iter().filter(|name| **name == "response.output_text.delta").count(), 2);
    let done: Vec<&Value> =
        events.iter().filter(|event| event["type"] == "response.output_item.done").collect();
    assert_eq!(done[0]["item"]["content"][0]["text"], "Hello there.");
    assert_eq!(
        (&done[1]["item"]["type"], &done[1]["item"]["arguments"]),
        (&json!("function_call"), &json!("{\"command\":\"ls\"}"))
    );
    let last = events.last().expect("events");
    assert_eq!(
        (&last["type"], &last["response"]["usage"]["total_tokens"]),
        (&json!("response.completed"), &json!(18))
    );
}

#[test]
fn chat_streams_deltas_and_ends_with_done() {
    let server = ModelServer::start(Script::from_turns([text_and_tool()])).expect("start the server");
    let [_, _, (_, _, path, body), _] = sample_requests("go");
    let (_, data) = post_stream(&server, path, body);
    assert_eq!(data.last().map(String::as_str), Some("[DONE]"));
    let events = parse_events(&data);
    let text: String =
        events.iter().filter_map(|event| event["choices"][0]["delta"]["content"].as_str()).collect();
    assert_eq!(text, "Hello there.");
    let calls: Vec<&Value> = events
        .iter()
        .map(|event| &event["choices"][0]["delta"]["tool_calls"][0])
        .filter(|call| call.is_object())
        .collect();
    assert_eq!(calls[0]["function"], json!({ "name": "Bash", "arguments": "{\"command\":\"ls\"}" }));
    assert_eq!(events[events.len() - 2]["choices"][0]["finish_reason"], "tool_calls");
    assert_eq!(events[events.len() - 1]["usage"]["total_tokens"], 18);
}

#[test]
fn google_streams_candidates() {
    let server = ModelServer::start(Script::from_turns([text_and_tool()])).expect("start the server");
    let [.., (_, _, path, body)] = sample_requests("go");
    let events = parse_events(&post_stream(&server, path, body).1);
    assert_eq!(
        events[0]["candidates"][0]["content"],
        json!({ "role": "model", "parts": [{ "text": "Hello " }] })
    );
    assert_eq!(events[2]["candidates"][0]["content"]["parts"][0]["functionCall"]["args"]["command"], "ls");
    let last = events.last().expect("events");
    assert_eq!(last["candidates"][0]["finishReason"], "STOP");
    assert_eq!(last["usageMetadata"]["totalTokenCount"], 18);
    assert_eq!(last["modelVersion"], "m");
}

#[test]
fn without_a_stream_the_completion_is_one_object() {
    for ((dialect, path, _, body), (text, tool)) in sample_requests("go").into_iter().zip([
        ("/content/0/text", "/content/1/name"),
        ("/output/0/content/0/text", "/output/1/name"),
        ("/choices/0/message/content", "/choices/0/message/tool_calls/0/function/name"),
        ("/candidates/0/content/parts/0/text", "/candidates/0/content/parts/1/functionCall/name"),
    ]) {
        let server = ModelServer::start(Script::from_turns([text_and_tool()])).expect("start the server");
        let (head, answer) = post(&server, path, &body);
        assert!(head.contains("application/json"), "{dialect:?}");
        let answer: Value = serde_json::from_str(&answer).expect("JSON");
        assert_eq!(answer.pointer(text), Some(&json!("Hello there.")), "{dialect:?}");
        assert_eq!(answer.pointer(tool), Some(&json!("Bash")), "{dialect:?}");
    }
}

#[test]
fn errors_have_the_form_of_their_dialect_and_their_headers() {
    for ((dialect, path, _, body), (place, limit, overload)) in sample_requests("go").into_iter().zip([
        ("/error/type", "rate_limit_error", "overloaded_error"),
        ("/error/type", "rate_limit_exceeded", "server_error"),
        ("/error/type", "rate_limit_exceeded", "server_error"),
        ("/error/status", "RESOURCE_EXHAUSTED", "UNAVAILABLE"),
    ]) {
        let plan = ScriptedError {
            status: 429,
            kind: Some("usage_limit_reached".to_owned()),
            ..ScriptedError::default()
        };
        let turns = [
            ScriptedTurn::error_response(429, Some(3)),
            ScriptedTurn::error_response(529, None),
            ScriptedTurn::Error(plan),
            ScriptedTurn::text_reply("on"),
        ];
        let server = ModelServer::start(Script::from_turns(turns)).expect("start the server");
        let error =
            |answer: &str| serde_json::from_str::<Value>(answer).expect("JSON").pointer(place).cloned();
        let (head, answer) = post(&server, path, &body);
        assert!(head.starts_with("HTTP/1.1 429 ") && head.contains("retry-after: 3"), "{dialect:?}: {head}");
        assert_eq!(error(&answer), Some(json!(limit)), "{dialect:?}");
        let (head, answer) = post(&server, path, &body);
        assert!(head.starts_with("HTTP/1.1 529 "), "{head}");
        assert_eq!(error(&answer), Some(json!(overload)), "{dialect:?}");
        assert_eq!(error(&post(&server, path, &body).1), Some(json!("usage_limit_reached")), "{dialect:?}");
        assert!(post(&server, path, &body).0.starts_with("HTTP/1.1 200 "));
        assert_eq!(
            server.requests().iter().map(|recorded| recorded.status).collect::<Vec<_>>(),
            [429, 529, 429, 200]
        );
    }
}

#[test]
fn a_cut_stream_lacks_its_end_and_a_slow_one_keeps_its_pace() {
    for (dialect, _, path, body) in sample_requests("go") {
        let parts = vec![ReplyPart::Text("one two three".to_owned())];
        let cut = ScriptedTurn::Reply(ScriptedReply {
            parts: parts.clone(),
            cut_after: Some(2),
            ..ScriptedReply::default()
        });
        let slow = ScriptedReply {
            parts,
            delay: Duration::from_millis(40),
            pace: Duration::from_millis(5),
            ..ScriptedReply::default()
        };
        let server = ModelServer::start(Script::from_turns([cut, ScriptedTurn::Reply(slow)]))
            .expect("start the server");
        let mut stream = body.clone();
        stream["stream"] = json!(true);
        let (_, answer) = post(&server, path, &stream);
        assert_eq!(answer.matches("data: ").count(), 2, "{dialect:?}");
        assert!(!answer.ends_with("0\r\n\r\n"), "{dialect:?}");
        let start = Instant::now();
        let (_, answer) = post(&server, path, &stream);
        assert!(start.elapsed() >= Duration::from_millis(55), "{dialect:?}");
        assert!(answer.ends_with("0\r\n\r\n"), "{dialect:?}");
    }
}

#[test]
fn rules_match_the_last_prompt_and_side_requests_take_no_turn() {
    let rule = |contains: &str, text: &str| Rule {
        contains: Some(contains.to_owned()),
        conversation_contains: None,
        turns: [ScriptedTurn::text_reply(text)].into(),
    };
    for (dialect, path, _, body) in sample_requests("build the login") {
        let script = Script {
            rules: vec![rule("logout", "A"), rule("login", "B")],
            side_reply: "a title".to_owned(),
            scripts_side_requests: false,
            key_after: None,
        };
        let server = ModelServer::start(script).expect("start the server");
        let mut side_request = body.clone();
        side_request.as_object_mut().expect("an object").remove("tools");
        assert!(post(&server, path, &side_request).1.contains("a title"), "{dialect:?}");
        assert!(post(&server, path, &body).1.contains("\"B\""), "{dialect:?}");
        assert!(post(&server, path, &body).1.contains("no turn left"), "{dialect:?}");
        let recorded = server.requests();
        assert_eq!(
            recorded.iter().map(|one| (one.is_side_request, one.is_unscripted)).collect::<Vec<_>>(),
            [(true, false), (false, false), (false, true)]
        );
        assert!(
            recorded.iter().all(|one| one.dialect == dialect && one.prompt == "build the login"),
            "{dialect:?}"
        );
        assert!(server.usage().input > 0 && server.usage().output > 0);
    }
}

#[test]
fn rules_tell_conversations_apart_by_an_earlier_message() {
    let rule = |conversation: &str, text: &str| Rule {
        contains: None,
        conversation_contains: Some(conversation.to_owned()),
        turns: [ScriptedTurn::text_reply(text)].into(),
    };
    for (dialect, path, _, mut body) in sample_requests("go on") {
        let script = Script {
            rules: vec![rule("[TASK T1.1]", "A"), rule("[TASK T1.2]", "B")],
            ..Script::from_turns([])
        };
        let server = ModelServer::start(script).expect("start the server");
        assert!(post(&server, path, &body).1.contains("no turn left"), "{dialect:?}");
        body["earlier"] = "[TASK T1.2] Log in".into();
        assert!(post(&server, path, &body).1.contains("\"B\""), "{dialect:?}");
        assert!(post(&server, path, &body).1.contains("no turn left"), "{dialect:?}");
    }
}

#[test]
fn the_last_key_in_a_conversation_replaces_the_placeholder() {
    for (dialect, path, _, body) in sample_requests("this is no longer your key x1, tags have your key k3f9.")
    {
        let script = Script {
            key_after: Some("your key".to_owned()),
            ..Script::from_turns([ScriptedTurn::text_reply("DONE $KEY.")])
        };
        let server = ModelServer::start(script).expect("start the server");
        let (_, answer) = post(&server, path, &body);
        assert!(answer.contains("DONE k3f9."), "{dialect:?}: {answer}");
    }
}

#[test]
fn the_result_of_a_tool_is_part_of_the_last_prompt() {
    let server = ModelServer::start(Script::from_turns([])).expect("start the server");
    let bodies = [
        (
            "/v1/messages",
            json!({ "messages": [{ "role": "assistant", "content": "old" }, { "role": "user", "content": [{ "type": "tool_result", "content": "a.txt" }] }] }),
        ),
        (
            "/v1/responses",
            json!({ "input": [{ "type": "function_call", "name": "x" }, { "type": "function_call_output", "output": "a.txt" }] }),
        ),
        (
            "/v1/chat/completions",
            json!({ "messages": [{ "role": "assistant", "content": "old" }, { "role": "tool", "content": "a.txt" }] }),
        ),
        (
            "/v1beta/models/m:generateContent",
            json!({ "contents": [{ "role": "model", "parts": [] }, { "role": "user", "parts": [{ "functionResponse": { "name": "x", "response": { "output": "a.txt" } } }] }] }),
        ),
    ];
    for (path, body) in bodies {
        post(&server, path, &body);
        assert_eq!(
            server.requests().last().map(|one| one.prompt.clone()).as_deref(),
            Some("a.txt"),
            "{path}"
        );
    }
}

#[test]
fn other_paths_are_answered_and_not_recorded() {
    let server = ModelServer::start(Script::from_turns([])).expect("start the server");
    assert!(post(&server, "/v1/messages/count_tokens", &json!({})).1.contains("input_tokens"));
    assert!(post(&server, "/v1beta/models/m:countTokens", &json!({})).1.contains("totalTokens"));
    assert!(post(&server, "/v1/models", &json!({})).0.starts_with("HTTP/1.1 200 "));
    assert!(post(&server, "/elsewhere", &json!({})).0.starts_with("HTTP/1.1 404 "));
    assert!(server.requests().is_empty());
}
