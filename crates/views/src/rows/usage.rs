//! Tokens and cost of sessions, tasks, phases, agents and the run, with their budgets.

use domain::{AgentName, Budget, EscalationSubject, PhaseNumber, SessionId, TaskId, Usage};
use serde::{Deserialize, Serialize};

use crate::{RowKind, TableRow, Views, views::EventMoment};

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct UsageRow {
    pub scope: UsageScope,
    pub input_tokens: u64,
    pub output_tokens: u64,
    /// Input tokens read from a cache.
    pub cached_tokens: u64,
    /// Whether an agent may have used more tokens than it reports.
    #[serde(default)]
    pub is_partial: bool,
    /// In millionths of a US dollar.
    pub cost_micros: u64,
    #[serde(default)]
    pub cost_certainty: CostCertainty,
    /// The last raised budget.
    pub raised_budget: Option<Budget>,
}

#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(tag = "type", content = "id", rename_all = "camelCase")]
pub enum UsageScope {
    Run,
    Phase(PhaseNumber),
    Agent(AgentName),
    Task(TaskId),
}

/// Totals of a usage.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct UsageTotals {
    /// Tokens that count against a budget.
    pub tokens: u64,
    /// Whether an agent may have used more tokens than it reports.
    #[serde(default)]
    pub is_partial: bool,
    /// In millionths of a US dollar.
    pub cost_micros: u64,
    #[serde(default)]
    pub cost_certainty: CostCertainty,
}

/// How certain a cost is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub enum CostCertainty {
    /// Reported by the agents.
    #[default]
    Known,
    /// A part was calculated from configured prices.
    Estimated,
    /// Some usage has an unknown cost.
    AtLeast,
    /// All usage has an unknown cost.
    Unknown,
}

impl CostCertainty {
    /// Returns the certainty of a cost of `cost_micros` after more usage.
    fn after(self, cost_micros: u64, usage: &Usage) -> Self {
        let is_unpriced = usage.is_unpriced();
        match self {
            Self::Known | Self::Unknown if is_unpriced && cost_micros == 0 => Self::Unknown,
            Self::Unknown if usage.cost_micros == 0 => Self::Unknown,
            Self::AtLeast | Self::Unknown => Self::AtLeast,
            Self::Known | Self::Estimated if is_unpriced => Self::AtLeast,
            Self::Known if usage.is_cost_estimated => Self::Estimated,
            Self::Known | Self::Estimated => self,
        }
    }
}

impl UsageTotals {
    /// Adds other totals.
    pub(crate) fn add_totals(&mut self, other: &Self) {
        let is_unused = |totals: &Self| totals.tokens == 0 && totals.cost_micros == 0 && !totals.is_partial;
        self.cost_certainty = match (self.cost_certainty, other.cost_certainty) {
            (own, _) if is_unused(other) => own,
            (_, certainty) if is_unused(self) => certainty,
            (CostCertainty::Unknown, CostCertainty::Unknown) => CostCertainty::Unknown,
            (CostCertainty::AtLeast | CostCertainty::Unknown, _)
            | (_, CostCertainty::AtLeast | CostCertainty::Unknown) => CostCertainty::AtLeast,
            (CostCertainty::Estimated, _) | (_, CostCertainty::Estimated) => CostCertainty::Estimated,
            (CostCertainty::Known, CostCertainty::Known) => CostCertainty::Known,
        };
        self.is_partial |= other.is_partial;
        self.tokens = self.tokens.saturating_add(other.tokens);
        self.cost_micros = self.cost_micros.saturating_add(other.cost_micros);
    }

    fn add(&mut self, usage: &Usage) {
        self.cost_certainty = self.cost_certainty.after(self.cost_micros, usage);
        self.is_partial |= usage.is_partial;
        self.tokens = self.tokens.saturating_add(usage.tokens());
        self.cost_micros = self.cost_micros.saturating_add(usage.cost_micros);
    }
}

impl TableRow for UsageRow {
    type Key = UsageScope;
    const KIND: RowKind = RowKind::Usage;

    fn key(&self) -> UsageScope {
        self.scope.clone()
    }

    fn key_to_text(key: &UsageScope) -> String {
        match key {
            UsageScope::Run => "run".to_owned(),
            UsageScope::Phase(phase) => format!("phase/{phase}"),
            UsageScope::Agent(agent) => format!("agent/{agent}"),
            UsageScope::Task(task) => format!("task/{task}"),
        }
    }
}

impl Views {
    pub(crate) fn apply_usage_reported(
        &mut self,
        moment: EventMoment<'_>,
        session: SessionId,
        task: Option<&TaskId>,
        usage: &Usage,
    ) {
        self.rows.sessions.change(&session, |row| {
            row.used.add(usage);
            if usage.model.is_some() {
                row.model.clone_from(&usage.model);
            }
            row.context_permille = usage.context_permille.or(row.context_permille);
        });
        self.update_progress_usage(moment, session);
        self.rows.run.change(&(), |row| row.used.add(usage));
        self.add_scope_usage(UsageScope::Run, usage);
        if let Some(agent) = self.agent_of_session(session) {
            self.rows.agents.change(&agent, |row| row.used.add(usage));
            self.add_scope_usage(UsageScope::Agent(agent), usage);
        }
        let session_phase = self.rows.sessions.get(&session).and_then(|row| row.phase);
        let task = task.filter(|task| self.rows.tasks.get(task).is_some());
        if let Some(task) = task {
            self.rows.tasks.change(task, |row| row.used.add(usage));
            self.add_scope_usage(UsageScope::Task(task.clone()), usage);
        }
        let phase = task.and_then(|task| self.rows.tasks.get(task)).map(|row| row.phase).or(session_phase);
        if let Some(phase) = phase {
            self.rows.phases.change(&phase, |row| row.used.add(usage));
            self.add_scope_usage(UsageScope::Phase(phase), usage);
        }
    }

    pub(crate) fn apply_budget_raised(&mut self, subject: &EscalationSubject, budget: Budget) {
        let scope = match subject {
            EscalationSubject::Task { task } => {
                self.rows.tasks.change(task, |row| row.budget = Some(budget));
                UsageScope::Task(task.clone())
            }
            EscalationSubject::Phase { phase } => {
                self.rows.phases.change(phase, |row| {
                    row.budgets.retain(|other| !is_same_unit(*other, budget));
                    row.budgets.push(budget);
                });
                UsageScope::Phase(*phase)
            }
            EscalationSubject::Run => UsageScope::Run,
        };
        self.change_usage(scope, |row| row.raised_budget = Some(budget));
    }

    fn add_scope_usage(&mut self, scope: UsageScope, usage: &Usage) {
        self.change_usage(scope, |row| {
            row.input_tokens = row.input_tokens.saturating_add(usage.input_tokens);
            row.output_tokens = row.output_tokens.saturating_add(usage.output_tokens);
            row.cached_tokens = row.cached_tokens.saturating_add(usage.cached_tokens);
            row.cost_certainty = row.cost_certainty.after(row.cost_micros, usage);
            row.is_partial |= usage.is_partial;
            row.cost_micros = row.cost_micros.saturating_add(usage.cost_micros);
        });
    }

    fn change_usage(&mut self, scope: UsageScope, change: impl FnOnce(&mut UsageRow)) {
        if self.rows.usage.get(&scope).is_none() {
            self.rows.usage.put(UsageRow {
                scope: scope.clone(),
                input_tokens: 0,
                output_tokens: 0,
                cached_tokens: 0,
                is_partial: false,
                cost_micros: 0,
                cost_certainty: CostCertainty::Known,
                raised_budget: None,
            });
        }
        self.rows.usage.change(&scope, change);
    }
}

fn is_same_unit(left: Budget, right: Budget) -> bool {
    match (left, right) {
        (Budget::Tokens(_), Budget::Tokens(_)) | (Budget::Cents(_), Budget::Cents(_)) => true,
        (Budget::Tokens(_), Budget::Cents(_)) | (Budget::Cents(_), Budget::Tokens(_)) => false,
    }
}
