//! The record of inputs in a session's folder, for conversations that no run leads.
//!
//! An input is recorded before it is sent, the place to read from when a turn ends. So the next process that opens the
//! session continues, however the one before ended.

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

/// A line of JSON for each input.
const INPUTS: &str = "told.jsonl";
/// The place to read from, as JSON.
const PROGRESS: &str = "talk.json";

/// The recorded inputs of one session, and how far its conversation is.
#[derive(Debug)]
pub struct InputRecord {
    directory: PathBuf,
    /// Whether the last line has no end.
    is_line_open: bool,
    /// All inputs with their numbers, in order.
    pub inputs: Vec<(u32, AgentInput)>,
    /// How far the conversation is.
    pub progress: ConversationProgress,
}

/// How far a conversation is.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct ConversationProgress {
    /// From where a new driver continues.
    #[serde(rename = "left")]
    pub checkpoint: DriverCheckpoint,
    /// The last prompt whose turn has ended.
    pub idle_after: u32,
    /// When that turn ended.
    pub idle_since: Option<Timestamp>,
}

#[derive(Debug, Serialize, Deserialize)]
struct Line {
    number: u32,
    #[serde(rename = "told")]
    input: AgentInput,
}

impl InputRecord {
    /// Reads the record, which is empty where there is none.
    pub fn read(directory: &Path) -> Result<Self, SessionError> {
        let lines = read(&directory.join(INPUTS))?;
        let line = |line: &str| serde_json::from_str(line).ok().map(|Line { number, input }| (number, input));
        let path = directory.join(PROGRESS);
        let progress = match read(&path)?.as_str() {
            "" => ConversationProgress::default(),
            text => {
                serde_json::from_str(text).map_err(|error| SessionError::io("read", &path)(error.into()))?
            }
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
    pub fn unfinished(&self) -> impl Iterator<Item = &(u32, AgentInput)> {
        self.inputs.iter().filter(|(number, _)| *number > self.progress.idle_after)
    }

    /// Returns the number of the next input.
    pub fn next_number(&self) -> u32 {
        self.inputs.last().map_or(0, |(number, _)| *number) + 1
    }

    /// Records an input under the next number.
    pub fn add(&mut self, number: u32, input: AgentInput) -> Result<(), SessionError> {
        let line = Line { number, input };
        let path = self.directory.join(INPUTS);
        let write = || -> io::Result<()> {
            let start = if self.is_line_open { "\n" } else { "" };
            let text = format!("{start}{}\n", serde_json::to_string(&line)?);
            let mut file = OpenOptions::new().append(true).create(true).mode(0o600).open(&path)?;
            file.write_all(text.as_bytes())?;
            file.sync_data()
        };
        write().map_err(SessionError::io("write", &path))?;
        self.is_line_open = false;
        self.inputs.push((number, line.input));
        Ok(())
    }

    /// Updates the progress, and writes it where a turn ends. `last_prompt` is the last prompt that was sent.
    pub fn note(&mut self, happening: &DriverEvent, last_prompt: u32) -> Result<(), SessionError> {
        let ConversationProgress { checkpoint, idle_after, idle_since } = &mut self.progress;
        match happening {
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
            _ => return Ok(()),
        }
        let path = self.directory.join(PROGRESS);
        let text = serde_json::to_vec(&self.progress).map_err(io::Error::from);
        text.and_then(|text| replace_file(&path, &text)).map_err(SessionError::io("write", &path))
    }
}

/// Reads a file, which is empty where there is none.
fn read(path: &Path) -> Result<String, SessionError> {
    match fs::read_to_string(path) {
        Ok(text) => Ok(text),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(String::new()),
        Err(error) => Err(SessionError::io("read", path)(error)),
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
        let unfinished: Vec<u32> = record.unfinished().map(|(number, _)| *number).collect();
        assert_eq!(unfinished, [2, 3], "an incomplete line was never sent");
        record.add(record.next_number(), AgentInput::Prompt { text: "More".to_owned() }).unwrap();
        assert_eq!(record.inputs.last().map(|(number, _)| *number), Some(4));
        record.note(&DriverEvent::Ready { agent_session: Some("t".to_owned()) }, 4).unwrap();

        let written = fs::read_to_string(folder.path().join("talk.json")).unwrap();
        assert_eq!(written, progress.replace(r#""s""#, r#""t""#));
        let again = InputRecord::read(folder.path()).unwrap();
        assert_eq!((again.inputs, again.progress), (record.inputs, record.progress));
    }
}
