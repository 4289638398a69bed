//! Slips that a model makes with the protocol. Each is understood all the same, or answered with the right form.

use anyhow::{Context, Result, ensure};
use domain::{Input, Locale};
use model_server::Turn;
use protocol::Item;

use crate::checks::{Stage, names};

/// What becomes of a slip.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Becomes {
    /// It is heard as this message.
    Heard(&'static str),
    /// It is none, and the agent is told that it looks like this one.
    Near(&'static str),
    /// It is this one with a mistake, and the agent is told which.
    Invalid(&'static str),
}

/// The slips: what it is, what the model says (`$K` is the session's key, where it needs one), what becomes of it.
const SLIPS: [(&str, &str, Becomes); 22] = [
    ("lower case", "[ask_user$K]\nquestion: Which?\n", Becomes::Near("ASK_USER")),
    ("mixed case", "[Ask_User$K]\nquestion: Which?\n", Becomes::Near("ASK_USER")),
    ("a missing bracket", "[ASK_USER$K\nquestion: Which?\n", Becomes::Near("ASK_USER")),
    ("a hyphen", "[ASK-USER$K]\nquestion: Which?\n", Becomes::Near("ASK_USER")),
    (
        "prose around it",
        "I need to know something.\n\n[ASK_USER$K]\nquestion: Which?\n[/ASK_USER$K]\n\nI will wait.\n",
        Becomes::Heard("ASK_USER"),
    ),
    (
        "a fence around it",
        "```\n[ASK_USER$K]\nquestion: Which?\n[/ASK_USER$K]\n```\n",
        Becomes::Heard("ASK_USER"),
    ),
    ("bold", "**DONE:T1.3$K**\n", Becomes::Heard("DONE")),
    ("a bullet", "- DONE:T1.3$K\n", Becomes::Heard("DONE")),
    ("a heading", "### DONE:T1.3$K\n", Becomes::Heard("DONE")),
    ("an emoji", "✅ DONE:T1.3$K\n", Becomes::Heard("DONE")),
    ("a space behind the colon", "DONE: T1.3$K\n", Becomes::Heard("DONE")),
    (
        "a second language",
        "[ASK_USER$K]\n질문: 어떤 데이터베이스를 쓸까요?\n타입: 선택\n옵션: ['sqlite', 'postgres']\n[/ASK_USER$K]\n",
        Becomes::Heard("ASK_USER"),
    ),
    (
        "two languages and a wide colon",
        "[ASK_USER$K]\n질문： Which one?\noptions: [sqlite, postgres]\n[/ASK_USER$K]\n",
        Becomes::Heard("ASK_USER"),
    ),
    (
        "quotes in quotes",
        "[ASK_USER$K]\nquestion: Ship it?\ntype: selection\noptions: ['don't know', 'yes']\n[/ASK_USER$K]\n",
        Becomes::Heard("ASK_USER"),
    ),
    ("a word in lower case", "Done: T1.3$K\n", Becomes::Near("DONE")),
    ("words behind it", "DONE:T1.3 all tests pass$K\n", Becomes::Near("DONE")),
    (
        "no closing tag",
        "[USER_QUESTION$K]\ncategory: business\nquestion: Which model?\nrequired: true\n",
        Becomes::Invalid("USER_QUESTION"),
    ),
    (
        "a missing field",
        "[DEPENDENCY_REQUEST$K]\nname: OPENAI_API_KEY\ndescription: for tests\nrequired: true\n[/DEPENDENCY_REQUEST$K]\n",
        Becomes::Invalid("DEPENDENCY_REQUEST"),
    ),
    (
        "an unknown value",
        "[USER_QUESTION$K]\ncategory: money\nquestion: Which model?\nrequired: true\n[/USER_QUESTION$K]\n",
        Becomes::Invalid("USER_QUESTION"),
    ),
    (
        "a choice without options",
        "[ASK_USER$K]\nquestion: Which?\ntype: selection\n[/ASK_USER$K]\n",
        Becomes::Invalid("ASK_USER"),
    ),
    (
        "an open list",
        "[ASK_USER$K]\nquestion: Which?\noptions: [sqlite, postgres\n[/ASK_USER$K]\n",
        Becomes::Invalid("ASK_USER"),
    ),
    ("a marker with too few signs", "== PHASE 1 COMPLETE$K ==\n", Becomes::Near("PHASE_COMPLETE")),
];

/// Makes the model slip, and sees what becomes of it.
pub fn check(stage: &mut Stage<'_>) -> Result<()> {
    for (number, (what, text, becomes)) in SLIPS.into_iter().enumerate() {
        // On a screen a line that says the same as one before it may be that one.
        let text =
            text.replace("T1.3", &format!("T1.{number}")).replace("Which?", &format!("Which, {number}?"));
        slip(stage, &text, number, becomes).with_context(|| format!("the model slips: {what}"))?;
    }
    Ok(())
}

fn slip(stage: &mut Stage<'_>, text: &str, number: usize, becomes: Becomes) -> Result<()> {
    let (slipped, right) = (stage.keyed(text)?, stage.keyed(&format!("DONE:T2.{number}$K\n"))?);
    let prompt = format!("How is it, for the {number}. time?");
    stage.script([(prompt.as_str(), Turn::text(&slipped)), ("The right form", Turn::text(&right))]);
    let turn = stage.led()?.ask(&prompt)?;
    let found: Vec<Becomes> = turn.items.iter().map(becoming).collect();
    ensure!(found == [becomes], "it became {found:?}, not {becomes:?}: {:?}", turn.items);
    let input = match turn.items.first() {
        Some(Item::Invalid(invalid)) => {
            Input::Invalid { protocol: invalid.protocol.to_owned(), error: invalid.error.clone() }
        }
        Some(Item::Near(near)) => Input::Near { near: near.near.to_owned(), raw: near.span.raw.clone() },
        Some(Item::Message(_)) | None => return Ok(()),
    };
    // What a run would tell it.
    let led = stage.led()?;
    let key = led.found.about.key.clone();
    let listener = agents::words::Listener {
        locale: Locale::En,
        form: agents::preset::Form::Text,
        key: Some(&key),
        task: None,
        brief: None,
        template: None,
    };
    led.tell(&agents::words::told(&input, listener))?;
    let turn = led.turn()?;
    ensure!(names(&turn) == ["DONE"], "corrected, it said {:?}", turn.items);
    let (Becomes::Near(name) | Becomes::Invalid(name) | Becomes::Heard(name)) = becomes;
    let form = protocol::say::form(name, Some(&key)).context("every message has a form")?;
    let first = form.lines().next().unwrap_or_default();
    let heard = stage.heard()?;
    ensure!(heard.contains(&format!("`{first}`")), "the model did not hear of {first:?}: {heard}");
    Ok(())
}

fn becoming(item: &Item) -> Becomes {
    match item {
        Item::Message(message) => Becomes::Heard(message.said.name()),
        Item::Near(near) => Becomes::Near(near.near),
        Item::Invalid(invalid) => Becomes::Invalid(invalid.protocol),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_slip_becomes_what_is_said_of_it_with_a_key_and_without() {
        for key in [None, Some("k3f97")] {
            for (what, text, becomes) in SLIPS {
                let text = text.replace("$K", &key.map(|key| format!(" {key}")).unwrap_or_default());
                let mut decoder = protocol::Decoder::new(protocol::Options {
                    key: key.map(|key| key.parse().unwrap()),
                    keys: if key.is_some() { protocol::Keys::Required } else { protocol::Keys::Optional },
                    ..protocol::Options::worker()
                });
                let mut items = decoder.push(text.as_bytes());
                items.extend(decoder.end_turn());
                let found: Vec<Becomes> = items.iter().map(becoming).collect();
                assert_eq!(found, [becomes], "{what}, with {key:?}");
            }
        }
    }
}
