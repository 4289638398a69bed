//! What the player remembers of its sessions, in a folder, so that one that was killed can be gone on with.

use std::{
    fs::{self, File, OpenOptions},
    io::{self, BufRead, BufReader, Write},
    path::PathBuf,
};

use serde::{Deserialize, Serialize};

/// Who said something.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Who {
    /// The person, or whoever drives the player.
    User,
    /// The player.
    Agent,
}

/// One thing that was said.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Said {
    /// By whom.
    pub who: Who,
    /// What.
    pub text: String,
}

/// The sessions in a folder; without a folder nothing is remembered.
#[derive(Debug)]
pub struct Memory {
    /// Where.
    pub folder: Option<PathBuf>,
}

impl Memory {
    /// Adds what was said to a session.
    pub fn add(&self, session: &str, who: Who, text: &str) -> io::Result<()> {
        let Some(path) = self.path(session) else { return Ok(()) };
        if let Some(folder) = &self.folder {
            fs::create_dir_all(folder)?;
        }
        let line = serde_json::to_string(&Said { who, text: text.to_owned() })?;
        let mut file = OpenOptions::new().create(true).append(true).open(path)?;
        file.write_all(format!("{line}\n").as_bytes())
    }

    /// Returns all that was said in a session, where there is one.
    pub fn session(&self, session: &str) -> Option<Vec<Said>> {
        let file = File::open(self.path(session)?).ok()?;
        // A player that was killed may have left half a line.
        let said = |line: io::Result<String>| serde_json::from_str(&line.ok()?).ok();
        Some(BufReader::new(file).lines().map_while(said).collect())
    }

    fn path(&self, session: &str) -> Option<PathBuf> {
        let is_name = |sign: char| sign.is_ascii_alphanumeric() || sign == '-' || sign == '_';
        if session.is_empty() || !session.chars().all(is_name) {
            return None;
        }
        Some(self.folder.as_ref()?.join(format!("{session}.jsonl")))
    }
}
