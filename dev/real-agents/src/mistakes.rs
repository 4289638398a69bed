//! Mistakes of a model with the protocol. Each is decoded nevertheless, or corrected with the right form.

use anyhow::{Context, Result, ensure};
use domain::{Locale, SessionInput};
use model_server::ScriptedTurn;
use protocol::DecodedItem;

use crate::checks::{CheckContext, message_names};

/// The result of decoding a mistake.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum DecodedKind {
    /// Decoded as this message.
    Message(&'static str),
    /// Not a message; the agent is told which one it resembles.
    Near(&'static str),
    /// This message with an error; the agent is told which.
    Invalid(&'static str),
}

/// The mistakes: description, text of the model (`$K` is the session key, if one is needed), result.
const MISTAKES: [(&str, &str, DecodedKind); 22] = [
    ("lower case", "[ask_user$K]\nquestion: Which?\n", DecodedKind::Near("ASK_USER")),
    ("mixed case", "[Ask_User$K]\nquestion: Which?\n", DecodedKind::Near("ASK_USER")),
    ("a missing bracket", "[ASK_USER$K\nquestion: Which?\n", DecodedKind::Near("ASK_USER")),
    ("a hyphen", "[ASK-USER$K]\nquestion: Which?\n", DecodedKind::Near("ASK_USER")),
    (
        "prose around it",
        "I need to know something.\n\n[ASK_USER$K]\nquestion: Which?\n[/ASK_USER$K]\n\nI will wait.\n",
        DecodedKind::Message("ASK_USER"),
    ),
    (
        "a fence around it",
        "```\n[ASK_USER$K]\nquestion: Which?\n[/ASK_USER$K]\n```\n",
        DecodedKind::Message("ASK_USER"),
    ),
    ("bold", "**DONE:T1.3$K**\n", DecodedKind::Message("DONE")),
    ("a bullet", "- DONE:T1.3$K\n", DecodedKind::Message("DONE")),
    ("a heading", "### DONE:T1.3$K\n", DecodedKind::Message("DONE")),
    ("an emoji", "✅ DONE:T1.3$K\n", DecodedKind::Message("DONE")),
    ("a space behind the colon", "DONE: T1.3$K\n", DecodedKind::Message("DONE")),
    (
        "a second language",
        "[ASK_USER$K]\n질문: 어떤 데이터베이스를 쓸까요?\n타입: 선택\n옵션: ['sqlite', 'postgres']\n[/ASK_USER$K]\n",
        DecodedKind::Message("ASK_USER"),
    ),
    (
        "two languages and a wide colon",
        "[ASK_USER$K]\n질문： Which one?\noptions: [sqlite, postgres]\n[/ASK_USER$K]\n",
        DecodedKind::Message("ASK_USER"),
    ),
    (
        "quotes in quotes",
        "[ASK_USER$K]\nquestion: Ship it?\ntype: selection\noptions: ['don't know', 'yes']\n[/ASK_USER$K]\n",
        DecodedKind::Message("ASK_USER"),
    ),
    ("a word in lower case", "Done: T1.3$K\n", DecodedKind::Near("DONE")),
    ("words behind it", "DONE:T1.3 all tests pass$K\n", DecodedKind::Near("DONE")),
    (
        "no closing tag",
        "[USER_QUESTION$K]\ncategory: business\nquestion: Which model?\nrequired: true\n",
        DecodedKind::Invalid("USER_QUESTION"),
    ),
    (
        "a missing field",
        "[DEPENDENCY_REQUEST$K]\nname: OPENAI_API_KEY\ndescription: for tests\nrequired: true\n[/DEPENDENCY_REQUEST$K]\n",
        DecodedKind::Invalid("DEPENDENCY_REQUEST"),
    ),
    (
        "an unknown value",
        "[USER_QUESTION$K]\ncategory: money\nquestion: Which model?\nrequired: true\n[/USER_QUESTION$K]\n",
        DecodedKind::Invalid("USER_QUESTION"),
    ),
    (
        "a choice without options",
        "[ASK_USER$K]\nquestion: Which?\ntype: selection\n[/ASK_USER$K]\n",
        DecodedKind::Invalid("ASK_USER"),
    ),
    (
        "an open list",
        "[ASK_USER$K]\nquestion: Which?\noptions: [sqlite, postgres\n[/ASK_USER$K]\n",
        DecodedKind::Invalid("ASK_USER"),
    ),
    ("a marker with too few signs", "== PHASE 1 COMPLETE$K ==\n", DecodedKind::Near("PHASE_COMPLETE")),
];

/// Makes the model send each mistake, and checks how it is decoded and corrected.
pub(crate) fn check(context: &mut CheckContext<'_>) -> Result<()> {
    for (number, (description, text, decoded_as)) in MISTAKES.into_iter().enumerate() {
        // On a screen, a line with the same text as an earlier one could be that one.
        let text =
            text.replace("T1.3", &format!("T1.{number}")).replace("Which?", &format!("Which, {number}?"));
        check_mistake(context, &text, number, decoded_as)
            .with_context(|| format!("mistake: {description}"))?;
    }
    Ok(())
}

fn check_mistake(
    context: &mut CheckContext<'_>,
    text: &str,
    number: usize,
    expected: DecodedKind,
) -> Result<()> {
    let (wrong, right) =
        (context.insert_session_key(text)?, context.insert_session_key(&format!("DONE:T2.{number}$K\n"))?);
    let prompt = format!("How is it, for the {number}. time?");
    context.set_script([
        (prompt.as_str(), ScriptedTurn::text_reply(&wrong)),
        ("Write it like this example", ScriptedTurn::text_reply(&right)),
    ]);
    let turn = context.agent()?.prompt_and_wait(&prompt)?;
    let found: Vec<DecodedKind> = turn.items.iter().map(decoded_kind).collect();
    ensure!(found == [expected], "decoded as {found:?} instead of {expected:?}: {:?}", turn.items);
    let input = match turn.items.first() {
        Some(DecodedItem::Invalid(invalid)) => SessionInput::InvalidMessage {
            protocol: invalid.message_name.to_owned(),
            error: invalid.error.clone(),
        },
        Some(DecodedItem::NearMiss(near)) => {
            SessionInput::NearMiss { near: near.message_name.to_owned(), raw: near.span.raw.clone() }
        }
        Some(DecodedItem::Message(_)) | None => return Ok(()),
    };
    // The same correction that a run sends.
    let agent = context.agent()?;
    let key = agent.entry.metadata.key.clone();
    let listener = drivers::input_text::InputContext {
        role: domain::Role::Worker,
        locale: Locale::En,
        format: drivers::preset::InputEncoding::Text,
        key: Some(&key),
        task: None,
        brief: None,
        template: None,
    };
    agent.send_input(&drivers::input_text::render_input(&input, listener))?;
    let turn = agent.wait_for_turn_end()?;
    ensure!(message_names(&turn) == ["DONE"], "after the correction its messages are {:?}", turn.items);
    let (DecodedKind::Near(name) | DecodedKind::Invalid(name) | DecodedKind::Message(name)) = expected;
    let form = protocol::prompts::message_example(name, None, Some(&key), domain::Locale::En)
        .context("the message has no form")?;
    let first = form.lines().next().unwrap_or_default();
    let request = context.last_request()?;
    ensure!(request.contains(&format!("`{first}`")), "the model did not get {first:?}: {request}");
    Ok(())
}

fn decoded_kind(item: &DecodedItem) -> DecodedKind {
    match item {
        DecodedItem::Message(message) => DecodedKind::Message(message.message.name()),
        DecodedItem::NearMiss(near) => DecodedKind::Near(near.message_name),
        DecodedItem::Invalid(invalid) => DecodedKind::Invalid(invalid.message_name),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_mistake_is_decoded_as_listed_with_a_key_and_without() {
        for key in [None, Some("k3f97")] {
            for (description, text, expected) in MISTAKES {
                let text = text.replace("$K", &key.map(|key| format!(" {key}")).unwrap_or_default());
                let mut decoder = protocol::Decoder::new(protocol::DecoderOptions {
                    key: key.map(|key| key.parse().unwrap()),
                    key_requirement: if key.is_some() {
                        protocol::KeyRequirement::Required
                    } else {
                        protocol::KeyRequirement::Optional
                    },
                    ..protocol::DecoderOptions::worker()
                });
                let mut items = decoder.push(text.as_bytes());
                items.extend(decoder.end_turn());
                let found: Vec<DecodedKind> = items.iter().map(decoded_kind).collect();
                assert_eq!(found, [expected], "{description}, with {key:?}");
            }
        }
    }
}
