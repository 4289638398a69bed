//! What Claude Code's events mean as messages of the protocol.
//!
//! The events are of whatever version runs: a field that is missing or of another kind means that nothing is said.

use domain::{AgentMessage, ProgressMessage, Role, StepComplete};
use protocol::{Decoder, Item, Keys, Options};
use serde_json::Value;

/// A step is a line in a conversation, or a few; the whole answer is in the transcript.
const SUMMARY_SIGNS_MAX: usize = 2000;
/// As much as fits a line of a screen or two.
const SUBJECT_SIGNS_MAX: usize = 200;
/// Where the tools have what they work on, the most telling first.
const SUBJECTS: &[&str] =
    &["file_path", "notebook_path", "path", "pattern", "url", "query", "description", "command", "prompt"];

/// Says what Claude Code notifies about.
pub(super) fn notification(event: &Value) -> Option<AgentMessage> {
    let message = line(text(event, "message")?);
    progress(message)
}

/// Says which tool was used on what.
pub(super) fn tool_use(event: &Value) -> Option<AgentMessage> {
    let tool = line(text(event, "tool_name")?);
    let input = event.get("tool_input").unwrap_or(&Value::Null);
    let subject = SUBJECTS.iter().find_map(|name| text(input, name)).map(line);
    match subject.filter(|subject| !subject.is_empty()) {
        Some(subject) => progress(format!("{tool}: {subject}")),
        None => progress(tool),
    }
}

/// Says the last answer of a turn, unless that says something of its own.
pub(super) fn stop(event: &Value) -> Option<AgentMessage> {
    let answer = text(event, "last_assistant_message")?;
    if holds_messages(answer) {
        return None;
    }
    let lines: Vec<String> = answer.lines().map(|line| line.trim_end().replace('\t', "    ")).collect();
    let summary = cut(lines.join("\n").trim(), SUMMARY_SIGNS_MAX);
    (!summary.is_empty()).then_some(AgentMessage::StepComplete(StepComplete { summary: Some(summary) }))
}

fn progress(task: String) -> Option<AgentMessage> {
    (!task.is_empty()).then_some(AgentMessage::Progress(ProgressMessage { progress: None, task: Some(task) }))
}

/// Whether anybody could hear a message in it: the agent has said it already, and not by this hook.
fn holds_messages(answer: &str) -> bool {
    let options = Options { role: Role::Orchestrator, key: None, keys: Keys::Optional, numeric_ids: true };
    let key = std::env::var("JANGDAN_KEY").ok().and_then(|key| key.parse().ok());
    let mut decoder = Decoder::new(Options { key, ..options });
    let mut items = decoder.push(answer.as_bytes());
    items.extend(decoder.end_turn());
    items.iter().any(|item| matches!(item, Item::Message(_) | Item::Invalid(_)))
}

fn text<'a>(value: &'a Value, name: &str) -> Option<&'a str> {
    value.get(name).and_then(Value::as_str)
}

/// Returns a text as one line that fits.
pub(super) fn line(text: &str) -> String {
    let words: Vec<&str> = text.split_whitespace().collect();
    cut(&words.join(" "), SUBJECT_SIGNS_MAX)
}

fn cut(text: &str, signs_max: usize) -> String {
    match text.char_indices().nth(signs_max) {
        Some((end, _)) => format!("{}…", text.get(..end).unwrap_or_default().trim_end()),
        None => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use domain::AgentMessage;
    use serde_json::{Value, json};

    use super::{notification, stop, tool_use};

    fn wire(said: Option<AgentMessage>) -> String {
        said.map_or_else(|| "nothing".to_owned(), |said| protocol::encode(&said, None).unwrap())
    }

    #[test]
    fn events_are_said_in_a_line() {
        let bash = json!({"tool_name": "Bash", "tool_input": {"command": "cargo\n\ttest"}});
        let read = json!({"tool_name": "Read", "tool_input": {"file_path": "/a/가.rs", "limit": 5}});
        let other = json!({"tool_name": "TodoWrite", "tool_input": {"todos": []}});
        let cases = [
            (tool_use(&bash), "[PROGRESS]\ntask: Bash: cargo test\n[/PROGRESS]\n"),
            (tool_use(&read), "[PROGRESS]\ntask: Read: /a/가.rs\n[/PROGRESS]\n"),
            (tool_use(&other), "[PROGRESS]\ntask: TodoWrite\n[/PROGRESS]\n"),
            (
                notification(&json!({"message": "Claude needs your permission"})),
                "[PROGRESS]\ntask: Claude needs your permission\n[/PROGRESS]\n",
            ),
            (
                stop(&json!({"last_assistant_message": "Done.  \n\n- a\t1\n```rust\nfn x() {}\n```\n"})),
                "[STEP_COMPLETE]\nDone.\n\n- a    1\n```rust\nfn x() {}\n```\n[/STEP_COMPLETE]\n",
            ),
        ];
        for (said, expected) in cases {
            assert_eq!(wire(said), expected);
        }
    }

    #[test]
    fn an_answer_that_says_something_itself_is_not_said_again() {
        for answer in ["All is well.\n[DONE] T1.3\nDONE:T1.3", "[ASK_USER]\nquestion: Why?\n[/ASK_USER]"] {
            assert_eq!(stop(&json!({"last_assistant_message": answer})), None, "{answer}");
        }
    }

    #[test]
    fn what_is_missing_or_of_another_kind_is_nothing() {
        let hostile =
            [Value::Null, json!([]), json!({"tool_name": 5, "message": {}, "last_assistant_message": [1]})];
        for event in hostile.iter().chain([&json!({"message": " \n", "last_assistant_message": "\t"})]) {
            assert_eq!([notification(event), tool_use(event), stop(event)], [None, None, None], "{event}");
        }
    }

    #[test]
    fn a_long_answer_is_cut() {
        let Some(AgentMessage::StepComplete(step)) =
            stop(&json!({"last_assistant_message": "긴 ".repeat(9000)}))
        else {
            panic!("nothing is said");
        };
        assert!(step.summary.unwrap().chars().count() <= 2001);
    }
}
