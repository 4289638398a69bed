//! Recorded sessions: what an agent printed, and what it was told in between.
//!
//! A file has the agent's lines as they came; `! ` stands before what it wrote to its standard error, and `> ` before
//! what was told: `open ID`, `resume ID`, `prompt`, `allow`, `deny`, `answer`, `interrupt`, and `end` for its end.
//! Answers go to the prompt that was asked last.

#![expect(clippy::panic, clippy::expect_used, reason = "a test may fail")]

use std::{fs, path::Path};

use domain::Usage;
use drivers::{Driver, OutputStream, claude, codex};

/// What happens in a session, in order.
pub(crate) enum TranscriptStep {
    Prints { stream: OutputStream, bytes: Vec<u8> },
    IsTold(String),
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
            if let Some(told) = line.strip_prefix(b"> ") {
                let told = String::from_utf8_lossy(told).trim().replace("\\n", "\n");
                if let Some(id) = told.strip_prefix("open ").or(told.strip_prefix("resume ")) {
                    id.clone_into(&mut session);
                }
                steps.push(TranscriptStep::IsTold(told));
            } else {
                let (stream, bytes) = match line.strip_prefix(b"! ") {
                    Some(bytes) => (OutputStream::Stderr, bytes),
                    None => (OutputStream::Output, line),
                };
                steps.push(TranscriptStep::Prints { stream, bytes: bytes.to_vec() });
            }
        }
        let folder = path.parent().and_then(Path::file_name).and_then(|name| name.to_str());
        Self { agent: folder.unwrap_or_default().to_owned(), session, steps }
    }

    /// Makes the driver of its agent, for a process that was reported to have used this.
    pub(crate) fn new_driver(&self, usage_before: Usage) -> Box<dyn Driver> {
        let is_resumed = self
            .steps
            .iter()
            .any(|step| matches!(step, TranscriptStep::IsTold(told) if told.starts_with("resume")));
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
