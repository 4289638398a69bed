//! The record of inputs in a session's folder, for conversations outside of a run.
//!
//! Inputs are recorded before they are sent, and the read offset at the end of a turn. So the next process that opens
//! the session continues, however the previous one ended.

use std::{
    fs::{self, OpenOptions},
    io::{self, Write},
    os::unix::fs::OpenOptionsExt,
    path::{Path, PathBuf},
};

use domain::Timestamp;
use drivers::{AgentInput, DriverCheckpoint, DriverEvent};
use serde::{Deserialize, Serialize};

use crate::{
    error::SessionError,
    sessions::{now, replace_file},
};

/// One line of JSON per input.
const INPUTS_FILE: &str = "told.jsonl";
/// The progress, as JSON.
const PROGRESS_FILE: &str = "talk.json";

/// The recorded inputs of one session, and the progress of its conversation.
#[derive(Debug)]
pub struct InputRecord {
    directory: PathBuf,
    /// Whether the last line of the file has no newline.
    is_line_open: bool,
    /// All inputs with their numbers, in order.
    pub inputs: Vec<(u32, AgentInput)>,
    pub progress: ConversationProgress,
}

/// The progress of a conversation. The serialized names must not change.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct ConversationProgress {
    /// The state from which a new driver continues.
    #[serde(rename = "left")]
    pub checkpoint: DriverCheckpoint,
    /// The number of the last prompt whose turn has ended.
    pub idle_after: u32,
    /// When that turn ended.
    pub idle_since: Option<Timestamp>,
}

#[derive(Debug, Serialize, Deserialize)]
struct InputLine {
    number: u32,
    #[serde(rename = "told")]
    input: AgentInput,
}

impl InputRecord {
    /// Reads the record. A missing one is empty.
    pub fn read(directory: &Path) -> Result<Self, SessionError> {
        let lines = read_file_or_empty(&directory.join(INPUTS_FILE))?;
        let line =
            |line: &str| serde_json::from_str(line).ok().map(|InputLine { number, input }| (number, input));
        let path = directory.join(PROGRESS_FILE);
        let progress = match read_file_or_empty(&path)?.as_str() {
            "" => ConversationProgress::default(),
            text => serde_json::from_str(text)
                .map_err(|error| SessionError::io_error_mapper("read", &path)(error.into()))?,
        };
        Ok(Self {
            directory: directory.to_owned(),
            // A line that is not complete was never sent.
            inputs: lines.lines().filter_map(line).collect(),
            is_line_open: !lines.is_empty() && !lines.ends_with('\n'),
            progress,
        })
    }

    /// Returns the inputs whose turn has not ended, written or not.
    pub fn unfinished_inputs(&self) -> impl Iterator<Item = &(u32, AgentInput)> {
        self.inputs.iter().filter(|(number, _)| *number > self.progress.idle_after)
    }

    /// Returns the number of the next input.
    pub fn next_number(&self) -> u32 {
        self.inputs.last().map_or(0, |(number, _)| *number) + 1
    }

    /// Records an input under the next number.
    pub fn add(&mut self, number: u32, input: AgentInput) -> Result<(), SessionError> {
        let line = InputLine { number, input };
        let path = self.directory.join(INPUTS_FILE);
        let write = || -> io::Result<()> {
            let start = if self.is_line_open { "\n" } else { "" };
            let text = format!("{start}{}\n", serde_json::to_string(&line)?);
            let mut file = OpenOptions::new().append(true).create(true).mode(0o600).open(&path)?;
            file.write_all(text.as_bytes())?;
            file.sync_data()
        };
        write().map_err(SessionError::io_error_mapper("write", &path))?;
        self.is_line_open = false;
        self.inputs.push((number, line.input));
        Ok(())
    }

    /// Updates the progress, and writes it at the end of a turn. `last_prompt` is the last prompt that was sent.
    pub fn update_progress(&mut self, event: &DriverEvent, last_prompt: u32) -> Result<(), SessionError> {
        let ConversationProgress { checkpoint, idle_after, idle_since } = &mut self.progress;
        match event {
            DriverEvent::Ready { agent_session: Some(id) } => checkpoint.agent_session = Some(id.clone()),
            DriverEvent::TurnEnded { read_from, .. } => {
                checkpoint.read_from = *read_from;
                (*idle_after, *idle_since) = (last_prompt, Some(now()));
            }
            DriverEvent::Usage(usage) => {
                let sum = &mut checkpoint.usage;
                sum.input_tokens += usage.input_tokens;
                sum.output_tokens += usage.output_tokens;
                sum.cached_tokens += usage.cached_tokens;
                sum.cost_micros += usage.cost_micros;
                return Ok(());
            }
            DriverEvent::Ready { .. }
            | DriverEvent::Model { .. }
            | DriverEvent::Text { .. }
            | DriverEvent::Message { .. }
            | DriverEvent::ToolCall(_)
            | DriverEvent::Permission { .. }
            | DriverEvent::Question { .. }
            | DriverEvent::Plan { .. }
            | DriverEvent::Mode { .. }
            | DriverEvent::PromptWithdrawn { .. }
            | DriverEvent::Warning(_) => return Ok(()),
        }
        let path = self.directory.join(PROGRESS_FILE);
        let text = serde_json::to_vec(&self.progress).map_err(io::Error::from);
        text.and_then(|text| replace_file(&path, &text))
            .map_err(SessionError::io_error_mapper("write", &path))
    }
}

/// Reads a file. A missing one is empty.
fn read_file_or_empty(path: &Path) -> Result<String, SessionError> {
    match fs::read_to_string(path) {
        Ok(text) => Ok(text),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(String::new()),
        Err(error) => Err(SessionError::io_error_mapper("read", path)(error)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn record_of_the_previous_version_continues() {
        let folder = tempfile::tempdir().unwrap();
        let lines = concat!(
            r#"{"number":1,"told":{"type":"prompt","text":"Begin"}}"#,
            "\n",
            r#"{"number":2,"told":{"type":"permission","prompt":"p","allowed":true}}"#,
            "\n",
            r#"{"number":3,"told":{"type":"interrupt"}}"#,
            "\n",
            r#"{"number":4,"told":{"type":"answer","pro"#,
        );
        fs::write(folder.path().join("told.jsonl"), lines).unwrap();
        let progress = concat!(
            r#"{"left":{"readFrom":7,"agentSession":"s","isInTurn":false,"hasSpoken":false,"#,
            r#""used":{"inputTokens":1,"outputTokens":2,"cachedTokens":3,"costMicros":4}},"#,
            r#""idleAfter":1,"idleSince":1700000000000}"#,
        );
        fs::write(folder.path().join("talk.json"), progress).unwrap();

        let mut record = InputRecord::read(folder.path()).unwrap();
        assert_eq!(record.progress.checkpoint.read_from, 7);
        assert_eq!(record.progress.checkpoint.usage.cost_micros, 4);
        let unfinished: Vec<u32> = record.unfinished_inputs().map(|(number, _)| *number).collect();
        assert_eq!(unfinished, [2, 3], "an incomplete line was never sent");
        record.add(record.next_number(), AgentInput::Prompt { text: "More".to_owned() }).unwrap();
        assert_eq!(record.inputs.last().map(|(number, _)| *number), Some(4));
        record.update_progress(&DriverEvent::Ready { agent_session: Some("t".to_owned()) }, 4).unwrap();

        let written = fs::read_to_string(folder.path().join("talk.json")).unwrap();
        assert_eq!(written, progress.replace(r#""s""#, r#""t""#));
        let again = InputRecord::read(folder.path()).unwrap();
        assert_eq!((again.inputs, again.progress), (record.inputs, record.progress));
    }
}
