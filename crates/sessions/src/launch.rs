//! The command line that starts an agent, and the record of it in the session's `about.json`.

use std::{
    collections::BTreeMap,
    ffi::OsString,
    fs::File,
    io::{self, Read},
};

use drivers::preset::{DriverName, LaunchMode, Preset};
use holder::protocol::{StderrMode, StdioAttachment, WindowSize};
use serde::{Deserialize, Serialize};

/// The terminal size of agents. Equals the decoder's screen; wide, so that few lines are wrapped.
const WINDOW: WindowSize = WindowSize { columns: 400, rows: 50 };

/// The agent of a session and how it was started.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct AgentLaunch {
    /// The preset's name.
    pub name: String,
    /// The preset at the time of the start.
    pub preset: Preset,
    /// The id that was chosen for the agent's session, or the id of the session that was resumed.
    pub session: String,
    /// Whether the agent's session was resumed.
    pub is_resumed: bool,
    /// Whether a run owns the session; the record of inputs is then in the run's log.
    #[serde(rename = "is_of_run", default)]
    pub is_owned_by_run: bool,
}

impl AgentLaunch {
    /// Returns how the process was started.
    pub fn launch_mode(&self) -> LaunchMode<'_> {
        if self.is_resumed { LaunchMode::Resume(&self.session) } else { LaunchMode::Fresh(&self.session) }
    }
}

/// The process that a session is started with.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CommandLine {
    /// The command and its arguments.
    pub command: Vec<OsString>,
    /// Variables that are added to the environment.
    pub environment: BTreeMap<OsString, OsString>,
    /// Whether it gets a terminal or pipes.
    pub attachment: StdioAttachment,
}

/// Returns the process that a preset describes.
pub fn command_line(preset: &Preset, launch: LaunchMode<'_>) -> CommandLine {
    let command = std::iter::once(preset.command.clone()).chain(preset.arguments(launch));
    let environment = preset.environment.iter().map(|(name, value)| (name.into(), value.into()));
    CommandLine {
        command: command.map(OsString::from).collect(),
        environment: environment.collect(),
        attachment: match preset.driver {
            DriverName::Acp | DriverName::Claude | DriverName::Codex => {
                StdioAttachment::Pipes { stderr: StderrMode::Apart }
            }
            DriverName::Pty => StdioAttachment::Terminal(WINDOW),
        },
    }
}

/// Returns a random UUID, for agents that accept an id for their session.
pub fn new_session_id() -> io::Result<String> {
    let mut random = [0; 16];
    File::open("/dev/urandom")?.read_exact(&mut random)?;
    let number = u128::from_be_bytes(random);
    // Version 4, variant 1.
    let number = number & !(0xf << 76) & !(0x3 << 62) | (0x4 << 76) | (0x2 << 62);
    let hex = format!("{number:032x}");
    let part = |from: usize, to: usize| hex.get(from..to).unwrap_or_default();
    Ok([part(0, 8), part(8, 12), part(12, 16), part(16, 20), part(20, 32)].join("-"))
}
