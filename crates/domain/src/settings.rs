//! Settings of a run and members of its team.

use std::num::NonZeroU32;

use serde::{Deserialize, Serialize};

use crate::{AgentName, Budget, Locale, PermissionPolicy, Role};

const MINUTE_MS: u64 = 60_000;

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase", default)]
pub struct RunSettings {
    pub mode: OrchestrationMode,
    /// Maximum number of tasks that run in parallel.
    #[cfg_attr(feature = "openapi", schema(value_type = u32, minimum = 1))]
    pub slots: NonZeroU32,
    /// Limit for all running tasks together.
    pub memory_mib: Option<u64>,
    /// Default limit for one task.
    pub timeout_ms: u64,
    /// Number of failed attempts after which a task is escalated.
    #[cfg_attr(feature = "openapi", schema(value_type = u32, minimum = 1))]
    pub retries_max: NonZeroU32,
    /// `None`: questions never expire.
    pub question_expires_after_ms: Option<u64>,
    /// Whether requests with a default take it without asking.
    pub requests_auto_default: bool,
    /// Idle time after which the processes of a session are suspended.
    pub park_frozen_after_ms: u64,
    /// Idle time after which the process of a session is ended.
    pub park_cold_after_ms: u64,
    pub permissions: PermissionPolicy,
    /// Default check command for tasks and phases.
    pub verify: Option<String>,
    pub gate_approval: GateApproval,
    /// Limits for the whole run.
    pub budgets: Vec<Budget>,
    /// Time limit for the whole run.
    pub time_ms: Option<u64>,
    /// How often a failed check is repeated before it counts as failed.
    pub check_retries: u32,
    /// Whether completed tasks are ticked in the plan file. Logs of earlier versions do not have it: there the executor decides.
    #[serde(default = "default_true")]
    pub ticks_plan: bool,
    /// Whether agents work in worktrees, and not in the project's folder. Logs of earlier versions do not say so.
    pub has_worktrees: bool,
    /// How long RESOLVE_NEXT waits until a task can start.
    pub thin_wait_ms: u64,
    pub locale: Locale,
    /// What the orchestrator agent may decide before the user is asked.
    pub orchestrator_may: Vec<OrchestratorPower>,
}

impl Default for RunSettings {
    fn default() -> Self {
        Self {
            mode: OrchestrationMode::Automatic,
            slots: NonZeroU32::MIN.saturating_add(2),
            memory_mib: None,
            timeout_ms: 30 * MINUTE_MS,
            retries_max: NonZeroU32::MIN.saturating_add(2),
            question_expires_after_ms: None,
            requests_auto_default: false,
            park_frozen_after_ms: MINUTE_MS,
            park_cold_after_ms: 10 * MINUTE_MS,
            permissions: PermissionPolicy::default(),
            verify: None,
            gate_approval: GateApproval::Person,
            budgets: Vec::new(),
            time_ms: None,
            check_retries: 0,
            ticks_plan: false,
            has_worktrees: true,
            thin_wait_ms: 10 * MINUTE_MS,
            locale: Locale::En,
            orchestrator_may: vec![OrchestratorPower::Answer],
        }
    }
}

fn default_true() -> bool {
    true
}

/// What an orchestrator agent may decide in place of the user, who can overrule it until then.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub enum OrchestratorPower {
    /// Questions of other agents.
    Answer,
    /// Permissions that other agents ask for.
    Permission,
}

/// Who decides which task starts next.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub enum OrchestrationMode {
    /// Jangdan starts every task that can start.
    #[default]
    Automatic,
    /// A main agent asks with RESOLVE_NEXT and starts each task by TASK_ID.
    Thin,
}

/// Who approves a phase that passed its checks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub enum GateApproval {
    #[default]
    Person,
    /// No approval needed.
    Automatic,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct TeamMember {
    pub name: AgentName,
    pub role: Role,
    /// Maximum number of parallel tasks; `None`: no limit of its own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(value_type = Option<u32>, minimum = 1))]
    pub slots: Option<NonZeroU32>,
    /// Whether its turns end when it falls silent, because it does not report their end.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_turn_end_guessed: bool,
    /// Whether it knows the messages of the protocol. If not, it reports its task as done by exiting with status 0.
    #[serde(default, skip_serializing_if = "AgentProtocol::is_text")]
    pub protocol: AgentProtocol,
}

/// The messages that an agent knows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub enum AgentProtocol {
    #[default]
    Text,
    /// None: neither does it send messages, nor does it read corrections.
    None,
}

impl AgentProtocol {
    pub fn is_text(&self) -> bool {
        *self == Self::Text
    }
}
