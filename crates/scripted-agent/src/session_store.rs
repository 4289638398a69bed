//! Stores the transcripts of sessions in a folder, so that a killed agent can be resumed.

use std::{
    fs::{self, File, OpenOptions},
    io::{self, BufRead, BufReader, Write},
    path::PathBuf,
};

use serde::{Deserialize, Serialize};

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) enum Speaker {
    User,
    Agent,
}

/// One message of a session.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct TranscriptEntry {
    #[serde(rename = "who")]
    pub speaker: Speaker,
    pub text: String,
}

/// The sessions in a folder; without a folder nothing is stored.
#[derive(Debug)]
pub(crate) struct SessionStore {
    pub folder: Option<PathBuf>,
}

impl SessionStore {
    /// Appends a message to a session.
    pub(crate) fn append(&self, session: &str, speaker: Speaker, text: &str) -> io::Result<()> {
        let Some(path) = self.path(session) else { return Ok(()) };
        if let Some(folder) = &self.folder {
            fs::create_dir_all(folder)?;
        }
        let line = serde_json::to_string(&TranscriptEntry { speaker, text: text.to_owned() })?;
        let mut file = OpenOptions::new().create(true).append(true).open(path)?;
        file.write_all(format!("{line}\n").as_bytes())
    }

    /// Returns the messages of a session, or `None` if it does not exist.
    pub(crate) fn transcript(&self, session: &str) -> Option<Vec<TranscriptEntry>> {
        let file = File::open(self.path(session)?).ok()?;
        // A killed agent may have left an incomplete line.
        let parse_line = |line: io::Result<String>| serde_json::from_str(&line.ok()?).ok();
        Some(BufReader::new(file).lines().map_while(parse_line).collect())
    }

    fn path(&self, session: &str) -> Option<PathBuf> {
        let is_name = |sign: char| sign.is_ascii_alphanumeric() || sign == '-' || sign == '_';
        if session.is_empty() || !session.chars().all(is_name) {
            return None;
        }
        Some(self.folder.as_ref()?.join(format!("{session}.jsonl")))
    }
}
