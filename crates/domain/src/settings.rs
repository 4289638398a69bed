//! How a run behaves: what `jangdan.toml` settles, and who is in the team.

use std::num::NonZeroU32;

use serde::{Deserialize, Serialize};

use crate::{AgentName, Budget, Locale, PermissionPolicy, Role};

const MINUTE_MS: u64 = 60_000;

/// The settings of one run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase", default)]
pub struct RunSettings {
    /// Who decides what starts.
    pub mode: OrchestrationMode,
    /// How many tasks may run at once.
    #[cfg_attr(feature = "openapi", schema(value_type = u32, minimum = 1))]
    pub slots: NonZeroU32,
    /// How much memory they may need together, in MiB.
    pub memory_mib: Option<u64>,
    /// How long a task may run.
    pub timeout_ms: u64,
    /// The failure of this number is not tried again but escalated.
    #[cfg_attr(feature = "openapi", schema(value_type = u32, minimum = 1))]
    pub retries_max: NonZeroU32,
    /// How long a question waits for its answer; for ever where nothing is said.
    pub question_expires_after_ms: Option<u64>,
    /// Whether a request that has a default takes it by itself.
    pub requests_auto_default: bool,
    /// How long a session waits before all its processes are stopped.
    pub park_frozen_after_ms: u64,
    /// How long a session waits before its process is ended.
    pub park_cold_after_ms: u64,
    /// What agents may do without asking.
    pub permissions: PermissionPolicy,
    /// The command that judges a task or phase that has none of its own.
    pub verify: Option<String>,
    /// Who lets a phase pass that its checks have passed.
    pub gate_approval: GateApproval,
    /// What the whole run may cost.
    pub budgets: Vec<Budget>,
    /// How long the whole run may take.
    pub time_ms: Option<u64>,
    /// How long RESOLVE_NEXT waits for something to say.
    pub thin_wait_ms: u64,
    /// The language of the run.
    pub locale: Locale,
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
            thin_wait_ms: 10 * MINUTE_MS,
            locale: Locale::En,
        }
    }
}

/// Who decides what starts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub enum OrchestrationMode {
    /// Jangdan starts what can start.
    #[default]
    Automatic,
    /// A main agent asks RESOLVE_NEXT and names each task by TASK_ID.
    Thin,
}

/// Who lets a phase pass that its checks have passed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub enum GateApproval {
    /// A person.
    #[default]
    Person,
    /// Nobody needs to: the checks decide.
    Automatic,
}

/// An agent of the team.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct TeamMember {
    /// The name by which others call it.
    pub name: AgentName,
    /// What it is in the team for.
    pub role: Role,
    /// How many tasks it may do at once; as many as the run where nothing is said.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(value_type = Option<u32>, minimum = 1))]
    pub slots: Option<NonZeroU32>,
}
