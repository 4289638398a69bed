//! An encoded message decodes to itself, or encoding is refused.

#![expect(clippy::wildcard_enum_match_arm, reason = "a test looks at few of the variants")]
#![expect(clippy::unwrap_used, clippy::panic, reason = "a failing setup fails the test")]

#[path = "encode/messages.rs"]
mod messages;
#[path = "encode/values.rs"]
mod values;

use std::collections::BTreeMap;

use domain::{
    AgentError, AgentMessage, AgentName, AskUser, AskUserType, DependencyRequest, DependencyType, ErrorType,
    FailMessage, InvokeMessage, NeedHuman, PhaseComplete, PlanTaskIds, ProgressMessage, Recovery, Role,
    SessionKey, TaskId,
};
use proptest::prelude::*;
use protocol::{AcceptedTaskIds, DecodedItem, Decoder, DecoderOptions, KeyRequirement, encode};

use messages::{any_message, ordinary_message};
use values::hostile_text;

const KEY: &str = "k3f9";

/// Output before a message.
const BEFORE: &str = "Compiling…\n\u{1b}[32mok\u{1b}[0m [1/3]\n> note: the rest\n- a list\n";
/// Output that would join a message that is still open.
const AFTER: &str = "- more\nWORKTREE: elsewhere\nMETA: {}\nPhase: other\ncontext: none\n```\nx\n```\n";

proptest! {
    #![proptest_config(ProptestConfig::with_cases(600))]

    #[test]
    fn message_decodes_to_itself_or_is_refused_by_field(message in any_message(hostile_text()), keyed: bool) {
        let key = keyed.then(session_key);
        match encode(&message, key.as_ref()) {
            Ok(text) => assert_decodes(&message, &text, keyed),
            Err(error) => {
                prop_assert_eq!(error.message_name, message.name());
                prop_assert!(refusable_fields(&message).contains(&error.field), "{} of {:?}", error, message);
            }
        }
    }

    #[test]
    fn ordinary_values_can_be_encoded(message in ordinary_message(), keyed: bool) {
        let key = keyed.then(session_key);
        match encode(&message, key.as_ref()) {
            Ok(text) => assert_decodes(&message, &text, keyed),
            Err(error) => prop_assert!(false, "{error}: {message:?}"),
        }
    }
}

#[test]
fn each_message_has_one_form() {
    let request = AgentMessage::DependencyRequest(DependencyRequest {
        r#type: DependencyType::ApiKey,
        name: "OPENAI_API_KEY".to_owned(),
        description: "for the summaries\n\nsee docs".to_owned(),
        required: true,
        default: None,
        extra: [("Since".to_owned(), "today".to_owned())].into(),
    });
    assert_encodes_to(
        &request,
        "[DEPENDENCY_REQUEST k3f9]\ntype: api_key\nname: OPENAI_API_KEY\ndescription:\n  for the summaries\n\n  see docs\n\
         required: true\nSince: today\n[/DEPENDENCY_REQUEST k3f9]\n",
    );
    let listed = AgentMessage::Error(AgentError {
        r#type: ErrorType::Fatal,
        message: "- one\n- two".to_owned(),
        details: None,
        recovery: Recovery::NotifyUser,
        resets_at: None,
        extra: BTreeMap::new(),
    });
    assert_encodes_to(
        &listed,
        "[ERROR k3f9]\ntype: fatal\nmessage: - one\n  - two\nrecovery: notify_user\n[/ERROR k3f9]\n",
    );
    let ask = AgentMessage::AskUser(AskUser {
        question: "Which?".to_owned(),
        r#type: AskUserType::Selection,
        options: vec!["don't know".to_owned(), "\"A\", [/ASK_USER]".to_owned()],
        context: Some("see\n```\n[ASK_USER]\n```".to_owned()),
        default: Some("don't know".to_owned()),
        required: false,
    });
    assert_encodes_to(
        &ask,
        "[ASK_USER k3f9]\nquestion: Which?\ntype: selection\noptions: [\"don't know\", \"\\\"A\\\", \\u005b/ASK_USER]\"]\n\
         default: don't know\nrequired: false\ncontext:\nsee\n```\n[ASK_USER]\n```\n[/ASK_USER k3f9]\n",
    );
    let fail = FailMessage {
        task_id: task_id("T1.3"),
        phase: Some(1),
        reason: None,
        fields: [("exit".into(), "1".into())].into(),
    };
    assert_encodes_to(&AgentMessage::Fail(fail), "FAIL:P1-T1.3:exit=1: k3f9\n");
    assert_encodes_to(
        &AgentMessage::NeedHuman(NeedHuman { question: "May [we] ship?".to_owned() }),
        "[NEED_HUMAN k3f9: May [we] ship?]\n",
    );
    let complete = PhaseComplete {
        phase: 1,
        name: Some("Planning".into()),
        documents: vec!["a.md".into(), "'b'".into()],
    };
    assert_encodes_to(
        &AgentMessage::PhaseComplete(complete),
        "=== PHASE 1 COMPLETE k3f9 ===\nPhase: Planning\nDocuments created:\n- a.md\n- \"'b'\"\n\n\n",
    );
}

#[test]
fn refusal_names_the_value_that_would_be_decoded() {
    let question = |question: &str| {
        AgentMessage::AskUser(AskUser {
            question: question.to_owned(),
            r#type: AskUserType::Text,
            options: Vec::new(),
            context: None,
            default: None,
            required: true,
        })
    };
    let fail = |reason: &str| {
        AgentMessage::Fail(FailMessage {
            task_id: task_id("T1"),
            phase: None,
            reason: Some(reason.to_owned()),
            fields: BTreeMap::new(),
        })
    };
    let cases = [
        (question("one\n\ntwo"), "ASK_USER cannot contain this question: it would be read as 'one'"),
        (question(" "), "ASK_USER cannot contain this question: missing required field 'question'"),
        (
            question("one\n[INVOKE:PO]"),
            "ASK_USER cannot contain this question: one of its lines ends the message or keeps it open",
        ),
        (fail("two\nlines"), "FAIL cannot contain this reason: it would be read as 'two'"),
        (
            AgentMessage::Progress(ProgressMessage { progress: Some(1.5), task: None }),
            "PROGRESS cannot contain this progress: invalid value '1.5' for field 'progress': expected a number from 0 to 1",
        ),
        (
            AgentMessage::Invoke(InvokeMessage {
                target: agent_name("PO"),
                task: "x".repeat(600_000),
                context: Some("y".repeat(600_000)),
            }),
            "INVOKE cannot contain this context: the message is too long",
        ),
    ];
    for (message, error) in cases {
        assert_eq!(encode(&message, None).unwrap_err().to_string(), error);
    }
}

fn assert_encodes_to(message: &AgentMessage, text: &str) {
    assert_eq!(encode(message, Some(&session_key())).unwrap(), text);
    assert_decodes(message, text, true);
}

/// Decodes a text with all options under which it must decode to the message.
fn assert_decodes(message: &AgentMessage, text: &str, keyed: bool) {
    let modes = if keyed {
        [(Some(session_key()), KeyRequirement::Optional), (Some(session_key()), KeyRequirement::Required)]
    } else {
        [(None, KeyRequirement::Optional), (Some(session_key()), KeyRequirement::Optional)]
    };
    let roles: &[Role] = match message {
        AgentMessage::NeedHuman(_) => &[Role::Orchestrator],
        _ => &[Role::Orchestrator, Role::Worker],
    };
    for (key, key_requirement) in modes {
        for &role in roles {
            let task_ids = AcceptedTaskIds::OfPlan(task_ids_of(message));
            let options = DecoderOptions { role, key: key.clone(), key_requirement, task_ids };
            for (before, after) in [("", ""), (BEFORE, ""), ("", AFTER), (BEFORE, AFTER)] {
                let output = format!("{before}{text}{after}");
                for chunk in [output.len(), 1, 7] {
                    assert_eq!(
                        decode_messages(&output, chunk, &options),
                        std::slice::from_ref(message),
                        "{options:?} in {chunk}: {output}"
                    );
                }
            }
        }
    }
}

/// Returns the ids that a message names, as those of a plan.
fn task_ids_of(message: &AgentMessage) -> PlanTaskIds {
    match message {
        AgentMessage::Done(done) => [&done.task_id].into_iter().collect(),
        AgentMessage::Fail(fail) => [&fail.task_id].into_iter().collect(),
        AgentMessage::Task(request) => [&request.task_id].into_iter().collect(),
        AgentMessage::Ready(ready) => ready.groups.iter().flatten().collect(),
        _ => PlanTaskIds::default(),
    }
}

fn decode_messages(output: &str, chunk: usize, options: &DecoderOptions) -> Vec<AgentMessage> {
    let mut decoder = Decoder::new(options.clone());
    let mut items: Vec<DecodedItem> =
        output.as_bytes().chunks(chunk).flat_map(|bytes| decoder.push(bytes)).collect();
    items.extend(decoder.end_turn());
    items
        .into_iter()
        .map(|item| match item {
            DecodedItem::Message(decoded) => decoded.message,
            other => panic!("{other:?}"),
        })
        .collect()
}

/// Returns the fields that a refusal of the message may name.
fn refusable_fields(message: &AgentMessage) -> &'static [&'static str] {
    match message {
        AgentMessage::AskUser(_) => &["question", "options", "default", "context"],
        AgentMessage::Invoke(_) => &["task", "context"],
        AgentMessage::DeliverResult(_) | AgentMessage::Direct(_) => &["content"],
        AgentMessage::StepComplete(_) => &["summary"],
        AgentMessage::Progress(_) => &["progress", "task"],
        AgentMessage::DependencyRequest(_) => &["name", "description", "default", "extra"],
        AgentMessage::UserQuestion(_) => &["question", "options", "default", "extra"],
        AgentMessage::PhaseComplete(_) => &["name", "documents"],
        AgentMessage::Error(_) => &["message", "details", "recovery", "resetsAt", "extra"],
        AgentMessage::NeedHuman(_) => &["question"],
        AgentMessage::ResolveNext(_) | AgentMessage::PhaseDone(_) | AgentMessage::AllDone => &[],
        AgentMessage::Ready(_) => &["groups"],
        AgentMessage::Task(_) => &["worktree", "meta"],
        AgentMessage::Done(_) | AgentMessage::Fail(_) => &["fields", "reason"],
        AgentMessage::ResolveError(_) => &["detail"],
        AgentMessage::Custom(_) => &["kind", "value"],
    }
}

fn session_key() -> SessionKey {
    KEY.parse().unwrap()
}

fn agent_name(name: &str) -> AgentName {
    name.parse().unwrap()
}

fn task_id(id: &str) -> TaskId {
    id.parse().unwrap()
}
