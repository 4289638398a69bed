//! Derives from a session's reports what its agent does: works, waits for an answer, or is idle; and since when.

use domain::Timestamp;
use drivers::{DriverEvent, TurnOutcome};

use crate::session::{SessionReport, TimedReports};

/// What an agent does at the moment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum AgentActivity {
    /// It does not accept input yet.
    Starting,
    /// It works on a turn.
    Working,
    /// It waits for a permission.
    WaitsForPermission {
        /// The command, file or address that it is for.
        subject: String,
    },
    /// It waits for an answer in the middle of its turn.
    WaitsForAnswer { question: String },
    /// Its turn has ended.
    Idle {
        /// `None` if the end was not observed.
        outcome: Option<TurnOutcome>,
    },
}

/// The activity of one agent, kept up to date by its session's reports.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ActivityTracker {
    pub activity: AgentActivity,
    /// The time of the last change of `activity`.
    pub since: Timestamp,
    /// The time of the last report.
    pub last_seen_at: Timestamp,
    /// The prompts that wait for an answer, the oldest first.
    open_prompts: Vec<(String, AgentActivity)>,
}

impl ActivityTracker {
    /// Returns a tracker for a session whose earlier reports are not read.
    pub fn new(activity: AgentActivity, since: Timestamp) -> Self {
        Self { activity, since, last_seen_at: since, open_prompts: Vec::new() }
    }

    /// Applies reports, in the order in which the session made them.
    pub fn apply_reports(&mut self, timed: &TimedReports) {
        self.last_seen_at = timed.at;
        for report in &timed.reports {
            let activity = match report {
                SessionReport::Event(event) => self.activity_after(event),
                // The agent works on the new input.
                SessionReport::InputWritten { .. } => {
                    self.open_prompts.clear();
                    Some(AgentActivity::Working)
                }
                SessionReport::Ended(_) | SessionReport::Lost => None,
            };
            if let Some(activity) = activity.filter(|activity| *activity != self.activity) {
                self.activity = activity;
                self.since = timed.at;
            }
        }
    }

    /// Returns the activity that an event shows; `None` if it shows nothing new.
    fn activity_after(&mut self, event: &DriverEvent) -> Option<AgentActivity> {
        match event {
            DriverEvent::Ready { .. } if self.activity == AgentActivity::Starting => {
                Some(AgentActivity::Idle { outcome: None })
            }
            DriverEvent::Permission { request, .. } => {
                let waits = AgentActivity::WaitsForPermission { subject: request.subject.clone() };
                self.open_prompts.push((request.prompt.clone(), waits));
                self.oldest_prompt_activity()
            }
            DriverEvent::Question { prompt, question } => {
                let waits = AgentActivity::WaitsForAnswer { question: question.question.clone() };
                self.open_prompts.push((prompt.clone(), waits));
                self.oldest_prompt_activity()
            }
            DriverEvent::PromptWithdrawn { prompt } => {
                self.open_prompts.retain(|(open, _)| open != prompt);
                self.oldest_prompt_activity().or(Some(AgentActivity::Working))
            }
            DriverEvent::TurnEnded { outcome, .. } => {
                self.open_prompts.clear();
                Some(AgentActivity::Idle { outcome: Some(outcome.clone()) })
            }
            // While the agent waits, its subagents may continue.
            DriverEvent::Text { .. } | DriverEvent::ToolCall(_) if self.open_prompts.is_empty() => {
                Some(AgentActivity::Working)
            }
            DriverEvent::Ready { .. }
            | DriverEvent::Text { .. }
            | DriverEvent::ToolCall(_)
            | DriverEvent::Model { .. }
            | DriverEvent::Message { .. }
            | DriverEvent::Plan { .. }
            | DriverEvent::Mode { .. }
            | DriverEvent::Usage(_)
            | DriverEvent::Warning(_) => None,
        }
    }

    fn oldest_prompt_activity(&self) -> Option<AgentActivity> {
        self.open_prompts.first().map(|(_, activity)| activity.clone())
    }
}
