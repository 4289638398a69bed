//! Makes the driver of an agent process from its preset.

use std::path::Path;

use domain::{Role, SessionKey, Usage};
use protocol::Keys;
use serde::{Deserialize, Serialize};

use crate::{
    acp::{Acp, AcpOptions, AcpStart},
    aside::AsideReader,
    claude::{self, Claude},
    codex::{self, Codex},
    driver::Driver,
    preset::{DriverName, Launch, Preset},
    pty::{Pty, PtyOptions},
};

/// How a process is spoken to.
#[derive(Debug, Clone)]
pub struct Begin<'a> {
    /// How the process was started.
    pub launch: Launch<'a>,
    /// Where it works; what lies below is its worktree.
    pub directory: &'a Path,
    /// The word by which it shows that a message is its own.
    pub key: &'a SessionKey,
    /// Who it is.
    pub role: Role,
    /// Whether its plan has ids without a letter.
    pub has_numeric_ids: bool,
    /// Where an earlier driver of the same process stood; nothing for one that is read from its beginning.
    pub left: Option<Left>,
}

/// Where a driver stood when it was left.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Left {
    /// From where reading starts again.
    pub read_from: u64,
    /// The agent's own id of the session, as it said when it was ready.
    pub agent_session: Option<String>,
    /// Whether it was told something, and its turn had not ended.
    pub is_in_turn: bool,
    /// Whether it had said something in that turn.
    pub has_spoken: bool,
    /// The sum of what this process was reported to have used, up to there.
    pub used: Usage,
}

impl Begin<'_> {
    fn wire(&self, keys: Keys) -> protocol::Options {
        protocol::Options {
            role: self.role,
            key: Some(self.key.clone()),
            keys,
            numeric_ids: self.has_numeric_ids,
        }
    }

    /// Returns where the driver stood, if it had come so far that its agent was ready.
    fn left(&self) -> Option<&Left> {
        self.left.as_ref().filter(|left| left.read_from > 0)
    }

    /// Returns the agent's own id of the session, as far as it is known.
    fn session(&self) -> String {
        let (Launch::Fresh(session) | Launch::Resume(session)) = self.launch;
        let said = self.left().and_then(|left| left.agent_session.clone());
        said.unwrap_or_else(|| session.to_owned())
    }
}

/// A driver, and what its owner needs to read the output of the process for it.
pub struct DriverSetup {
    /// The driver.
    pub driver: Box<dyn Driver>,
    /// Reads messages of the agent's helper commands, which always carry the session's key.
    pub aside: AsideReader,
    /// The offset of the output from which the driver reads.
    pub read_from: u64,
}

/// Returns the driver for a process that was started by a preset.
pub fn set_up_driver(preset: &Preset, begin: &Begin<'_>) -> DriverSetup {
    DriverSetup {
        driver: driver(preset, begin),
        aside: AsideReader::new(begin.wire(Keys::Required)),
        read_from: begin.left().map_or(0, |left| left.read_from),
    }
}

fn driver(preset: &Preset, begin: &Begin<'_>) -> Box<dyn Driver> {
    let (session, wire) = (begin.session(), begin.wire(preset.keys()));
    let left = begin.left();
    match preset.driver {
        DriverName::Claude => Box::new(Claude::new(claude::Options {
            directory: begin.directory.to_owned(),
            session,
            used_before: left.map(|left| left.used.clone()).unwrap_or_default(),
            wire,
        })),
        DriverName::Codex => Box::new(Codex::new(codex::Options {
            directory: begin.directory.to_owned(),
            thread: match (left, begin.launch) {
                (Some(_), _) => codex::Thread::Attached(session),
                (None, Launch::Resume(_)) => codex::Thread::Resume(session),
                (None, Launch::Fresh(_)) => codex::Thread::Fresh,
            },
            // So that it asks before every edit and command, and the rules for that are ours.
            approval: codex::Approval::OnRequest,
            sandbox: codex::Sandbox::ReadOnly,
            model: None,
            wire,
        })),
        DriverName::Acp => Box::new(Acp::new(AcpOptions {
            cwd: begin.directory.to_owned(),
            start: match (left, begin.launch) {
                (Some(left), _) => AcpStart::Attached {
                    agent_session: session,
                    read_from: left.read_from,
                    cost_micros: left.used.cost_micros,
                },
                (None, Launch::Resume(_)) => AcpStart::Resume { agent_session: session },
                (None, Launch::Fresh(_)) => AcpStart::Fresh,
            },
            decoding: wire,
            mcp_servers: Vec::new(),
        })),
        DriverName::Pty => Box::new(Pty::new(PtyOptions {
            decoding: wire,
            mode: preset.pty_mode(),
            typing: preset.typing.clone(),
            quiet_ms: preset.quiet_ms(),
            agent_session: preset.resumes().then_some(session),
            read_from: left.map_or(0, |left| left.read_from),
            open_turn: left.filter(|left| left.is_in_turn).map(|left| left.has_spoken),
        })),
    }
}
