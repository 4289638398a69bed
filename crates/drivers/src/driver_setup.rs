//! Creates the driver for an agent process from the agent's preset.

use std::path::Path;

use domain::{PlanTaskIds, Role, SessionKey, Usage};
use protocol::{AcceptedTaskIds, KeyRequirement};
use serde::{Deserialize, Serialize};

use crate::{
    acp::{AcpDriver, AcpOptions, AcpStart},
    claude::{self, ClaudeDriver},
    codex::{self, CodexDriver},
    driver::Driver,
    preset::{DriverName, LaunchMode, Preset},
    pty::{PtyDriver, PtyOptions},
    side_channel::SideChannelReader,
};

/// The process that a driver is created for.
#[derive(Debug, Clone)]
pub struct DriverContext<'a> {
    pub launch: LaunchMode<'a>,
    /// The agent's working directory; everything below is its worktree.
    pub directory: &'a Path,
    /// The key that marks messages as the agent's own.
    pub key: &'a SessionKey,
    pub role: Role,
    /// Ids of the plan that the agent's messages may name.
    pub task_ids: PlanTaskIds,
    /// The state of an earlier driver of the same process; `None` to read its output from the beginning.
    pub checkpoint: Option<DriverCheckpoint>,
    pub confinement: AgentConfinement,
}

/// How a process is confined, for agents that have a sandbox of their own.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AgentConfinement {
    /// Whether Jangdan's sandbox confines the process.
    pub is_sandboxed: bool,
    /// Whether the user's rules must decide every edit and command, also those in the worktree.
    pub must_ask: bool,
}

/// The state from which a new driver continues for the same process. Sessions store it as JSON: names must not change.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct DriverCheckpoint {
    /// The offset from which to read; 0 if the agent was not ready yet.
    pub read_from: u64,
    /// The agent's own id of its session, as it reported it.
    pub agent_session: Option<String>,
    /// Whether a prompt was sent whose turn has not ended.
    pub is_in_turn: bool,
    /// Whether the agent wrote text in that turn.
    #[serde(rename = "hasSpoken")]
    pub has_text: bool,
    /// The sum of all usage that this process reported before `read_from`.
    #[serde(rename = "used")]
    pub usage: Usage,
}

impl DriverContext<'_> {
    fn decoder_options(&self, key_requirement: KeyRequirement) -> protocol::DecoderOptions {
        protocol::DecoderOptions {
            role: self.role,
            key: Some(self.key.clone()),
            key_requirement,
            task_ids: AcceptedTaskIds::OfPlan(self.task_ids.clone()),
        }
    }

    /// Returns the checkpoint if the agent was ready by then.
    fn ready_checkpoint(&self) -> Option<&DriverCheckpoint> {
        self.checkpoint.as_ref().filter(|checkpoint| checkpoint.read_from > 0)
    }

    /// Returns the agent's own id of its session: the reported one, otherwise the one it was started with.
    fn agent_session(&self) -> String {
        let (LaunchMode::Fresh(session) | LaunchMode::Resume(session)) = self.launch;
        let reported = self.ready_checkpoint().and_then(|checkpoint| checkpoint.agent_session.clone());
        reported.unwrap_or_else(|| session.to_owned())
    }
}

/// A driver with everything that its owner needs to read the output of the process for it.
pub struct DriverSetup {
    pub driver: Box<dyn Driver>,
    /// Reads the messages of the agent's helper commands, which always carry the session's key.
    pub side_channel: SideChannelReader,
    /// The output offset from which the driver must be fed.
    pub read_from: u64,
}

/// Creates the driver for a process that was started from a preset.
pub fn set_up_driver(preset: &Preset, context: &DriverContext<'_>) -> DriverSetup {
    DriverSetup {
        driver: new_driver(preset, context),
        side_channel: SideChannelReader::new(context.decoder_options(KeyRequirement::Required)),
        read_from: context.ready_checkpoint().map_or(0, |checkpoint| checkpoint.read_from),
    }
}

fn new_driver(preset: &Preset, context: &DriverContext<'_>) -> Box<dyn Driver> {
    let (session, decoding) =
        (context.agent_session(), context.decoder_options(preset.message_key_requirement()));
    let checkpoint = context.ready_checkpoint();
    let (approval, sandbox) = codex_access(context.confinement);
    match preset.driver {
        DriverName::Claude => Box::new(ClaudeDriver::new(claude::ClaudeOptions {
            directory: context.directory.to_owned(),
            session,
            usage_before: checkpoint.map(|checkpoint| checkpoint.usage.clone()).unwrap_or_default(),
            decoding,
        })),
        DriverName::Codex => Box::new(CodexDriver::new(codex::CodexOptions {
            directory: context.directory.to_owned(),
            thread: match (checkpoint, context.launch) {
                (Some(_), _) => codex::ThreadStart::Attached(session),
                (None, LaunchMode::Resume(_)) => codex::ThreadStart::Resume(session),
                (None, LaunchMode::Fresh(_)) => codex::ThreadStart::Fresh,
            },
            approval,
            sandbox,
            model: None,
            decoding,
        })),
        DriverName::Acp => Box::new(AcpDriver::new(AcpOptions {
            cwd: context.directory.to_owned(),
            start: match (checkpoint, context.launch) {
                (Some(checkpoint), _) => AcpStart::Attached {
                    agent_session: session,
                    read_from: checkpoint.read_from,
                    cost_micros: checkpoint.usage.cost_micros,
                },
                (None, LaunchMode::Resume(_)) => AcpStart::Resume { agent_session: session },
                (None, LaunchMode::Fresh(_)) => AcpStart::Fresh,
            },
            decoding,
            mcp_servers: Vec::new(),
        })),
        DriverName::Pty => Box::new(PtyDriver::new(PtyOptions {
            decoding,
            mode: preset.pty_mode(),
            typing: preset.typing.clone(),
            quiet_ms: preset.quiet_ms(),
            agent_session: preset.can_resume().then_some(session),
            read_from: checkpoint.map_or(0, |checkpoint| checkpoint.read_from),
            open_turn: checkpoint
                .filter(|checkpoint| checkpoint.is_in_turn)
                .map(|checkpoint| checkpoint.has_text),
        })),
    }
}

/// Returns when Codex asks, and its own sandbox. It asks before actions that its sandbox denies; without one, it is told
/// to ask before every edit and command if the user's rules must decide.
fn codex_access(confinement: AgentConfinement) -> (codex::ApprovalPolicy, codex::CodexSandboxMode) {
    use codex::{ApprovalPolicy, CodexSandboxMode};
    match confinement {
        AgentConfinement { is_sandboxed: false, must_ask: false } => {
            (ApprovalPolicy::OnRequest, CodexSandboxMode::WorkspaceWrite)
        }
        AgentConfinement { is_sandboxed: false, must_ask: true } => {
            (ApprovalPolicy::OnRequest, CodexSandboxMode::ReadOnly)
        }
        AgentConfinement { is_sandboxed: true, must_ask: false } => {
            (ApprovalPolicy::OnRequest, CodexSandboxMode::None)
        }
        AgentConfinement { is_sandboxed: true, must_ask: true } => {
            (ApprovalPolicy::Untrusted, CodexSandboxMode::None)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{AgentConfinement, codex_access};
    use crate::codex::{ApprovalPolicy, CodexSandboxMode};

    #[test]
    fn codex_has_one_sandbox_and_asks_if_the_rules_of_the_user_must_decide() {
        let access = |is_sandboxed, must_ask| codex_access(AgentConfinement { is_sandboxed, must_ask });
        assert_eq!(access(false, false), (ApprovalPolicy::OnRequest, CodexSandboxMode::WorkspaceWrite));
        assert_eq!(access(false, true), (ApprovalPolicy::OnRequest, CodexSandboxMode::ReadOnly));
        assert_eq!(access(true, false), (ApprovalPolicy::OnRequest, CodexSandboxMode::None));
        assert_eq!(access(true, true), (ApprovalPolicy::Untrusted, CodexSandboxMode::None));
    }
}
