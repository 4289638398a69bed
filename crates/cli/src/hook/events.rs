//! Converts events of Claude Code to protocol messages.
//!
//! The fields depend on its version: a field that is missing or has another type yields no message.

use domain::{AgentMessage, ProgressMessage, Role, StepComplete};
use protocol::{AcceptedTaskIds, DecodedItem, Decoder, DecoderOptions, KeyRequirement};
use serde_json::Value;

/// Length limit of a step; the transcript has the full answer.
const SUMMARY_CHARS_MAX: usize = 2000;
/// Length limit of a subject.
const SUBJECT_CHARS_MAX: usize = 200;
/// Inputs of tools that name their subject, the most specific first.
const SUBJECTS: &[&str] =
    &["file_path", "notebook_path", "path", "pattern", "url", "query", "description", "command", "prompt"];

/// Converts a notification to a progress message.
pub(super) fn notification_to_message(event: &Value) -> Option<AgentMessage> {
    let message = to_short_line(string_field(event, "message")?);
    progress_message(message)
}

/// Converts a tool call to a progress message with its subject.
pub(super) fn tool_use_to_message(event: &Value) -> Option<AgentMessage> {
    let tool = to_short_line(string_field(event, "tool_name")?);
    let input = event.get("tool_input").unwrap_or(&Value::Null);
    let subject = SUBJECTS.iter().find_map(|name| string_field(input, name)).map(to_short_line);
    match subject.filter(|subject| !subject.is_empty()) {
        Some(subject) => progress_message(format!("{tool}: {subject}")),
        None => progress_message(tool),
    }
}

/// Converts the last answer of a turn to a step, unless it contains messages itself.
pub(super) fn stop_to_message(event: &Value) -> Option<AgentMessage> {
    let answer = string_field(event, "last_assistant_message")?;
    if holds_messages(answer) {
        return None;
    }
    let lines: Vec<String> = answer.lines().map(|line| line.trim_end().replace('\t', "    ")).collect();
    let summary = cut(lines.join("\n").trim(), SUMMARY_CHARS_MAX);
    (!summary.is_empty()).then_some(AgentMessage::StepComplete(StepComplete { summary: Some(summary) }))
}

fn progress_message(task: String) -> Option<AgentMessage> {
    (!task.is_empty()).then_some(AgentMessage::Progress(ProgressMessage { progress: None, task: Some(task) }))
}

/// Tells whether a decoder finds a message in the answer; the agent has sent that already.
fn holds_messages(answer: &str) -> bool {
    let own_task = std::env::var("JANGDAN_TASK").ok().and_then(|task| task.parse().ok());
    let options = DecoderOptions {
        role: Role::Orchestrator,
        key: None,
        key_requirement: KeyRequirement::Optional,
        task_ids: AcceptedTaskIds::OfPlan(own_task.iter().collect()),
    };
    let key = std::env::var("JANGDAN_KEY").ok().and_then(|key| key.parse().ok());
    let mut decoder = Decoder::new(DecoderOptions { key, ..options });
    let mut items = decoder.push(answer.as_bytes());
    items.extend(decoder.end_turn());
    items.iter().any(|item| matches!(item, DecodedItem::Message(_) | DecodedItem::Invalid(_)))
}

fn string_field<'a>(value: &'a Value, name: &str) -> Option<&'a str> {
    value.get(name).and_then(Value::as_str)
}

/// Returns a text on one line, truncated.
pub(super) fn to_short_line(text: &str) -> String {
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    cut(&line, SUBJECT_CHARS_MAX)
}

fn cut(text: &str, chars_max: usize) -> String {
    match text.char_indices().nth(chars_max) {
        Some((end, _)) => format!("{}…", text.get(..end).unwrap_or_default().trim_end()),
        None => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use domain::AgentMessage;
    use serde_json::{Value, json};

    use super::{notification_to_message, stop_to_message, tool_use_to_message};

    fn encoded(message: Option<AgentMessage>) -> String {
        message.map_or_else(|| "nothing".to_owned(), |message| protocol::encode(&message, None).unwrap())
    }

    #[test]
    fn events_become_messages() {
        let bash = json!({"tool_name": "Bash", "tool_input": {"command": "cargo\n\ttest"}});
        let read = json!({"tool_name": "Read", "tool_input": {"file_path": "/a/가.rs", "limit": 5}});
        let other = json!({"tool_name": "TodoWrite", "tool_input": {"todos": []}});
        let cases = [
            (tool_use_to_message(&bash), "[PROGRESS]\ntask: Bash: cargo test\n[/PROGRESS]\n"),
            (tool_use_to_message(&read), "[PROGRESS]\ntask: Read: /a/가.rs\n[/PROGRESS]\n"),
            (tool_use_to_message(&other), "[PROGRESS]\ntask: TodoWrite\n[/PROGRESS]\n"),
            (
                notification_to_message(&json!({"message": "Claude needs your permission"})),
                "[PROGRESS]\ntask: Claude needs your permission\n[/PROGRESS]\n",
            ),
            (
                stop_to_message(
                    &json!({"last_assistant_message": "Done.  \n\n- a\t1\n```rust\nfn x() {}\n```\n"}),
                ),
                "[STEP_COMPLETE]\nDone.\n\n- a    1\n```rust\nfn x() {}\n```\n[/STEP_COMPLETE]\n",
            ),
        ];
        for (message, expected) in cases {
            assert_eq!(encoded(message), expected);
        }
    }

    #[test]
    fn answers_with_messages_are_not_repeated() {
        for answer in ["All is well.\n[DONE] T1.3\nDONE:T1.3", "[ASK_USER]\nquestion: Why?\n[/ASK_USER]"] {
            assert_eq!(stop_to_message(&json!({"last_assistant_message": answer})), None, "{answer}");
        }
    }

    #[test]
    fn missing_or_unexpected_fields_yield_no_message() {
        let hostile =
            [Value::Null, json!([]), json!({"tool_name": 5, "message": {}, "last_assistant_message": [1]})];
        for event in hostile.iter().chain([&json!({"message": " \n", "last_assistant_message": "\t"})]) {
            assert_eq!(
                [notification_to_message(event), tool_use_to_message(event), stop_to_message(event)],
                [None, None, None],
                "{event}"
            );
        }
    }

    #[test]
    fn long_answers_are_truncated() {
        let Some(AgentMessage::StepComplete(step)) =
            stop_to_message(&json!({"last_assistant_message": "긴 ".repeat(9000)}))
        else {
            panic!("no message");
        };
        assert!(step.summary.unwrap().chars().count() <= 2001);
    }
}
