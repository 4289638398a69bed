//! Recorded sessions: the output of an agent, and the actions of its client in between.
//!
//! A file has the agent's lines in their order. Lines of its standard error start with `! `, and actions with `> `:
//! `open ID`, `resume ID`, `prompt`, `allow`, `deny`, `answer`, `interrupt`, and `end` for the end of the process. Answers
//! are for the last prompt.

#![expect(clippy::panic, clippy::expect_used, reason = "a test may fail")]

use std::{fs, path::Path};

use domain::Usage;
use drivers::{Driver, OutputStream, claude, codex};

/// A step of a session.
pub(crate) enum TranscriptStep {
    Output {
        stream: OutputStream,
        bytes: Vec<u8>,
    },
    /// An action of the client, as written in the file.
    Action(String),
}

pub(crate) struct Transcript {
    pub(crate) agent: String,
    pub(crate) session: String,
    pub(crate) steps: Vec<TranscriptStep>,
}

impl Transcript {
    pub(crate) fn read(path: &Path) -> Self {
        let text = fs::read(path).expect("the transcript is readable");
        let mut session = String::new();
        let mut steps = Vec::new();
        for line in text.split_inclusive(|byte| *byte == b'\n') {
            if let Some(action) = line.strip_prefix(b"> ") {
                let action = String::from_utf8_lossy(action).trim().replace("\\n", "\n");
                if let Some(id) = action.strip_prefix("open ").or(action.strip_prefix("resume ")) {
                    id.clone_into(&mut session);
                }
                steps.push(TranscriptStep::Action(action));
            } else {
                let (stream, bytes) = match line.strip_prefix(b"! ") {
                    Some(bytes) => (OutputStream::Stderr, bytes),
                    None => (OutputStream::Output, line),
                };
                steps.push(TranscriptStep::Output { stream, bytes: bytes.to_vec() });
            }
        }
        let folder = path.parent().and_then(Path::file_name).and_then(|name| name.to_str());
        Self { agent: folder.unwrap_or_default().to_owned(), session, steps }
    }

    /// Creates the driver of its agent, for a process with this usage so far.
    pub(crate) fn new_driver(&self, usage_before: Usage) -> Box<dyn Driver> {
        let is_resumed = self
            .steps
            .iter()
            .any(|step| matches!(step, TranscriptStep::Action(action) if action.starts_with("resume")));
        let directory = "/project".into();
        let decoding = protocol::DecoderOptions::worker();
        match &*self.agent {
            "claude" => Box::new(claude::ClaudeDriver::new(claude::ClaudeOptions {
                directory,
                session: self.session.clone(),
                usage_before,
                decoding,
            })),
            "codex" => Box::new(codex::CodexDriver::new(codex::CodexOptions {
                directory,
                thread: if is_resumed {
                    codex::ThreadStart::Resume(self.session.clone())
                } else {
                    codex::ThreadStart::Fresh
                },
                approval: codex::ApprovalPolicy::OnRequest,
                sandbox: codex::CodexSandboxMode::ReadOnly,
                model: None,
                decoding,
            })),
            other => panic!("no driver for {other:?}"),
        }
    }
}
