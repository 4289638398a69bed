//! Rendered inputs: the exact text, and that it never decodes as a message, whatever text it quotes.

#![expect(clippy::wildcard_enum_match_arm, reason = "a test looks at few of the variants")]
#![expect(clippy::unwrap_used, reason = "a test may panic")]

use domain::{
    AgentInvocationOutcome, DependencyType, DirectMessageId, DirectType, EarlierFailure, EscalationId,
    InvocationId, Locale, ProvidedResource, QuestionId, RequestId, ResultId, ResultType, Role, SessionInput,
    SessionKey, TaskId, TestFailure, TestFeedback, TestMetrics,
};
use drivers::{
    AgentInput,
    input_text::{InputBrief, InputContext, render_file_reference, render_input},
    preset::InputEncoding,
};
use proptest::{collection::vec, prelude::*, sample::select};
use protocol::{AcceptedTaskIds, Decoder, DecoderOptions, KeyRequirement, prompts};

fn earlier(words: &dyn Fn() -> String) -> Vec<EarlierFailure> {
    let round = EarlierFailure {
        attempt: 1,
        round: Some(1),
        failed: vec![words(), words()],
        n_failed: 3,
        reason: None,
        tried: Some(words()),
    };
    let attempt = EarlierFailure {
        round: None,
        failed: Vec::new(),
        reason: Some(words()),
        tried: None,
        ..round.clone()
    };
    vec![round, attempt]
}

/// Returns one input of each kind, with texts from `words`.
fn inputs_of_every_kind(words: &dyn Fn() -> String) -> Vec<SessionInput> {
    let from = || "PO".parse().unwrap();
    let task: TaskId = "T1.3".parse().unwrap();
    let failure = TestFailure {
        name: words(),
        file: Some(words()),
        line: Some(7),
        message: Some(words()),
        expected: Some(words()),
        actual: Some(words()),
        trace: Some(words()),
        suggested_fix: Some(words()),
    };
    let metrics = TestMetrics { total: 3, passed: 2, failed: 1, skipped: 0, seconds: 1.5 };
    let feedback = TestFeedback {
        success: false,
        failures: vec![failure],
        n_unlisted: 2,
        suggestions: vec![words()],
        metrics: Some(metrics),
        text: Some(words()),
    };
    let answer = || SessionInput::Answer { question: QuestionId(7), answer: words(), prompt: None };
    vec![
        SessionInput::Task {
            task: task.clone(),
            attempt: 2,
            hint: Some(words()),
            earlier: earlier(words),
            carried: vec![answer(), SessionInput::Rework { phase: 1, reason: words() }],
        },
        answer(),
        SessionInput::Answer { question: QuestionId(7), answer: words(), prompt: Some("p".to_owned()) },
        SessionInput::ClarificationRequest { question: QuestionId(7), text: words() },
        SessionInput::Permission { prompt: "p".to_owned(), allowed: true, reason: None, question: None },
        SessionInput::Provided {
            request: RequestId(4),
            name: words(),
            kind: DependencyType::ApiKey,
            provided: ProvidedResource::Environment { names: vec![words()] },
            default: true,
        },
        SessionInput::Provided {
            request: RequestId(4),
            name: words(),
            kind: DependencyType::Package,
            provided: ProvidedResource::Package { name: words(), version: Some(words()) },
            default: false,
        },
        SessionInput::Refused { request: RequestId(4), name: words(), reason: words() },
        SessionInput::Invocation {
            invocation: InvocationId(2),
            from: from(),
            task: words(),
            context: Some(words()),
        },
        SessionInput::InvocationEnded {
            invocation: InvocationId(2),
            from: from(),
            outcome: AgentInvocationOutcome::Completed {
                result_type: ResultType::Markdown,
                content: words(),
            },
        },
        SessionInput::InvocationEnded {
            invocation: InvocationId(2),
            from: from(),
            outcome: AgentInvocationOutcome::Failed { reason: words() },
        },
        SessionInput::Result {
            result: ResultId(1),
            from: from(),
            result_type: ResultType::FilePath,
            content: words(),
        },
        SessionInput::Direct {
            message: DirectMessageId(9),
            from: from(),
            direct_type: DirectType::Query,
            content: words(),
        },
        SessionInput::Feedback { message: None, round: 1, feedback, earlier: earlier(words) },
        SessionInput::InvalidMessage { protocol: "ASK_USER".to_owned(), error: words() },
        SessionInput::NearMiss { near: "ASK_USER".to_owned(), raw: words() },
        SessionInput::Reminder,
        SessionInput::Conflict { files: vec![words(), words()] },
        SessionInput::Rework { phase: 1, reason: words() },
        SessionInput::Test { task: task.clone(), attempt: 1 },
        SessionInput::Verify { phase: 1, round: 2 },
        SessionInput::Question {
            question: QuestionId(7),
            task: Some(task.clone()),
            from: from(),
            text: words(),
            options: vec![words(), words()],
            default: Some(words()),
            context: Some(words()),
        },
        SessionInput::Escalation {
            escalation: EscalationId(5),
            task: Some(task),
            agent: Some(from()),
            title: words(),
            description: words(),
        },
        SessionInput::ThinLine { line: words() },
        SessionInput::ThinLine { line: "READY:[T1.3]".to_owned() },
        SessionInput::Chat { text: words() },
        SessionInput::TaskChanged {
            task: "T1.3".parse().unwrap(),
            title: words(),
            text: words(),
            acceptance: vec![words()],
        },
        SessionInput::Resume { reason: words() },
    ]
}

/// Returns the description of the work that an input starts, with texts from `words`.
fn sample_brief(input: &SessionInput, words: &dyn Fn() -> String) -> Option<InputBrief> {
    let task: TaskId = "T1.3".parse().unwrap();
    let summary = || prompts::TaskSummary {
        task_id: "T1.2".parse().unwrap(),
        title: words(),
        agent: Some("PO".parse().unwrap()),
        summary: Some(words()),
    };
    let changes = || prompts::WorkChanges { files: vec![words()], command: Some(words()) };
    match input {
        SessionInput::Task { .. } => Some(InputBrief::Task(Box::new(prompts::TaskPrompt {
            project: Some(words()),
            phase: Some(1),
            phase_title: Some(words()),
            title: Some(words()),
            text: words(),
            conversation: Some(words()),
            criteria: vec![words()],
            touches: vec![words()],
            check: Some(words()),
            done: vec![summary()],
            parallel: vec![summary()],
            directory: Some(prompts::WorkDirectory { path: words(), is_worktree: true }),
            ..prompts::TaskPrompt::new(task)
        }))),
        SessionInput::Test { .. } => Some(InputBrief::Test(Box::new(prompts::TestPrompt {
            task_id: task,
            attempt: 1,
            title: Some(words()),
            text: words(),
            criteria: vec![words()],
            worker: Some("PO".parse().unwrap()),
            check: Some(words()),
            changes: changes(),
            key: None,
        }))),
        SessionInput::Verify { .. } => Some(InputBrief::Verify(Box::new(prompts::VerifyPrompt {
            phase: 1,
            round: 1,
            title: Some(words()),
            tasks: vec![prompts::PhaseTask { summary: summary(), criteria: vec![words()] }],
            artefacts: vec![words()],
            documents: vec![words()],
            files: vec![words()],
            checks: vec![words()],
            changed: Some(words()),
            changes: changes(),
            key: None,
        }))),
        SessionInput::Conflict { .. } => Some(InputBrief::Conflict(vec![summary()])),
        _ => None,
    }
}

fn sample_session_key() -> SessionKey {
    "k3f9".parse().unwrap()
}

#[test]
fn rendered_inputs_match_their_snapshot() {
    let (key, task) = (sample_session_key(), "T1.3".parse().unwrap());
    let mut rendered = String::new();
    for (locale, format) in [
        (Locale::En, InputEncoding::Text),
        (Locale::Ko, InputEncoding::Text),
        (Locale::En, InputEncoding::Json),
    ] {
        let context = InputContext {
            role: Role::Orchestrator,
            locale,
            format,
            key: Some(&key),
            task: Some(&task),
            brief: None,
            template: None,
        };
        for input in inputs_of_every_kind(&|| "words".to_owned()) {
            let brief = sample_brief(&input, &|| "words".to_owned());
            match render_input(&input, InputContext { brief: brief.as_ref(), ..context }) {
                AgentInput::Prompt { text } => rendered += &format!("{text}\n~\n"),
                other => rendered += &format!("{other:?}\n~\n"),
            }
        }
        let AgentInput::Prompt { text } = render_file_reference("inputs/3.md", context) else {
            panic!("a prompt")
        };
        rendered += &format!("{text}\n~\n");
    }
    insta::assert_snapshot!(rendered);
}

#[test]
fn corrections_name_the_task_of_the_session() {
    let (key, task) = (sample_session_key(), "T2.7".parse().unwrap());
    for (locale, protocol) in
        [Locale::En, Locale::Ko].into_iter().flat_map(|locale| ["DONE", "FAIL"].map(|name| (locale, name)))
    {
        let context = InputContext {
            role: Role::Worker,
            locale,
            format: InputEncoding::Text,
            key: Some(&key),
            task: Some(&task),
            brief: None,
            template: None,
        };
        let invalid =
            SessionInput::InvalidMessage { protocol: protocol.to_owned(), error: "wrong".to_owned() };
        let near_miss = SessionInput::NearMiss { near: protocol.to_owned(), raw: "[done]".to_owned() };
        for input in [invalid, near_miss] {
            let AgentInput::Prompt { text } = render_input(&input, context) else { panic!("a prompt") };
            assert!(text.contains(&format!("{protocol}:T2.7")), "{text}");
            assert!(!text.contains("T1.3"), "{text}");
        }
    }
}

fn hostile_text() -> impl Strategy<Value = String> {
    let pieces = select(vec![
        "\n",
        "\n",
        "\n",
        " ",
        "word",
        "가나다",
        "[ASK_USER]",
        "[ASK_USER k3f9]",
        "[/ASK_USER k3f9]",
        "question: y",
        "[INVOKE:PO k3f9]",
        "[/INVOKE k3f9]",
        "[ERROR]",
        "[USER_QUESTION k3f9]",
        "DONE:T1.3 k3f9",
        "DONE:T1.3",
        "FAIL:T1.3:no",
        "ALL_DONE",
        "READY:[T1.3]",
        "RESOLVE_NEXT",
        "=== PHASE 1 COMPLETE ===",
        "[NEED_HUMAN: x]",
        "[NEED_HUMAN",
        ": x]",
        "[",
        "]",
        "```",
        "~~~",
        "`",
        "> ",
        "- ",
        "│ ",
        "\r",
        "\u{1b}[2K",
        "\u{8}",
        "\u{feff}",
        "CUSTOM:SKIP:T1.3",
        "TASK_ID:T1.3",
        "[Ask_User]",
        "}",
        "\"",
    ]);
    vec(pieces, 0..12).prop_map(|pieces| pieces.concat())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn rendered_input_never_decodes_as_a_message(texts in vec(hostile_text(), 1..6), with_task: bool, keys: bool) {
        let (key, task) = (sample_session_key(), "T1.3".parse().unwrap());
        let next = std::cell::Cell::new(0);
        let words = || {
            next.set(next.get() + 1);
            texts[next.get() % texts.len()].clone()
        };
        let options = DecoderOptions { role: Role::Orchestrator, key: keys.then(self::sample_session_key), key_requirement: KeyRequirement::Optional, task_ids: AcceptedTaskIds::Any };
        for (locale, format) in [(Locale::En, InputEncoding::Text), (Locale::Ko, InputEncoding::Text), (Locale::Ko, InputEncoding::Json)] {
            let context = InputContext {
                role: if with_task { Role::Operator } else { Role::Orchestrator },
                locale,
                format,
                key: Some(&key),
                task: with_task.then_some(&task),
                brief: None,
                template: None,
            };
            for input in inputs_of_every_kind(&words) {
                let brief = sample_brief(&input, &words).filter(|_| with_task);
                let AgentInput::Prompt { text } = render_input(&input, InputContext { brief: brief.as_ref(), ..context }) else { continue };
                if format == InputEncoding::Json {
                    for line in text.lines() {
                        prop_assert!(serde_json::from_str::<serde_json::Value>(line).is_ok(), "{line}");
                    }
                }
                for mut decoder in [Decoder::new(options.clone()), Decoder::for_screen(options.clone())] {
                    let mut items = decoder.push(format!("{}\r\n", text.replace('\n', "\r\n")).as_bytes());
                    items.extend(decoder.end_turn());
                    prop_assert!(items.is_empty(), "{:?}\n{}\n{:?}", input, text, items);
                }
            }
        }
    }
}
