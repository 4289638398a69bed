//! The usage and the outcome of a turn, and warnings about limits.

use domain::{Timestamp, Usage};
use serde::Deserialize;

use crate::driver::{AgentWarning, DriverEvent, TurnOutcome};

use super::messages::TurnEnding;

/// A limit counts as near from this usage on.
const NEAR_PERCENT: f64 = 90.0;

/// Collects the usage and the limits of a turn.
#[derive(Debug)]
pub(super) struct UsageMeter {
    model: Option<String>,
    /// The usage of the thread at the start of the turn, and the current one.
    span: Option<(TokenCounts, TokenUsage)>,
    /// The fullest window that is near its limit.
    near: Option<RateLimitWindow>,
}

/// The parameters of `thread/tokenUsage/updated`.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct UsageUpdated {
    token_usage: TokenUsage,
}

#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(rename_all = "camelCase")]
struct TokenUsage {
    /// Of the thread.
    total: TokenCounts,
    /// Of the last request.
    last: TokenCounts,
    model_context_window: Option<u64>,
}

#[derive(Debug, Clone, Copy, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct TokenCounts {
    total_tokens: u64,
    input_tokens: u64,
    cached_input_tokens: u64,
    output_tokens: u64,
}

impl TokenCounts {
    fn saturating_sub(self, other: Self) -> Self {
        Self {
            total_tokens: self.total_tokens.saturating_sub(other.total_tokens),
            input_tokens: self.input_tokens.saturating_sub(other.input_tokens),
            cached_input_tokens: self.cached_input_tokens.saturating_sub(other.cached_input_tokens),
            output_tokens: self.output_tokens.saturating_sub(other.output_tokens),
        }
    }
}

/// The parameters of `account/rateLimits/updated`.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct RateLimitsUpdated {
    rate_limits: RateLimits,
}

#[derive(Debug, Deserialize)]
struct RateLimits {
    primary: Option<RateLimitWindow>,
    secondary: Option<RateLimitWindow>,
}

#[derive(Debug, Clone, Copy, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase")]
struct RateLimitWindow {
    used_percent: f64,
    /// Seconds since 1970.
    resets_at: Option<i64>,
}

impl RateLimitWindow {
    fn resets_at(self) -> Option<Timestamp> {
        self.resets_at.map(|seconds| Timestamp(seconds.saturating_mul(1000)))
    }
}

impl UsageMeter {
    pub(super) fn new(model: Option<String>) -> Self {
        Self { model, span: None, near: None }
    }

    pub(super) fn set_model(&mut self, name: String) -> Option<DriverEvent> {
        self.model = Some(name.clone());
        Some(DriverEvent::Model { name })
    }

    pub(super) fn note_usage(&mut self, updated: &UsageUpdated) {
        let now = updated.token_usage;
        let before = self.span.map_or_else(|| now.total.saturating_sub(now.last), |(before, _)| before);
        self.span = Some((before, now));
    }

    /// Updates the limits, and returns a warning when one becomes near.
    pub(super) fn note_limits(&mut self, updated: &RateLimitsUpdated) -> Option<AgentWarning> {
        let RateLimits { primary, secondary } = updated.rate_limits;
        let fullest = primary.into_iter().chain(secondary);
        let fullest = fullest.max_by(|one, other| one.used_percent.total_cmp(&other.used_percent));
        let near = fullest.filter(|window| window.used_percent >= NEAR_PERCENT);
        let is_new = near != std::mem::replace(&mut self.near, near);
        let window = near.filter(|_| is_new)?;
        let used_permille = Some((window.used_percent * 10.0).round() as u32);
        Some(AgentWarning::LimitNear { resets_at: window.resets_at(), used_permille })
    }

    /// Returns the usage of the turn, as the difference of the thread's sums. Codex reports no costs.
    pub(super) fn take_usage(&mut self) -> Usage {
        let Some((before, now)) = self.span.take() else { return Usage::default() };
        let used = now.total.saturating_sub(before);
        let context = |window| now.last.total_tokens.saturating_mul(1000).checked_div(window);
        Usage {
            input_tokens: used.input_tokens.saturating_sub(used.cached_input_tokens),
            output_tokens: used.output_tokens,
            cached_tokens: used.cached_input_tokens,
            model: self.model.clone(),
            context_permille: now.model_context_window.and_then(context).map(|full| full.min(1000) as u32),
            ..Usage::default()
        }
    }

    pub(super) fn turn_outcome(&self, ending: TurnEnding) -> TurnOutcome {
        let (message, name, status) = match ending {
            TurnEnding::Finished => return TurnOutcome::Finished,
            TurnEnding::Interrupted => return TurnOutcome::Cancelled,
            TurnEnding::Failed { message, name, status } => (message, name, status),
        };
        match (name.as_deref(), status) {
            (Some("usageLimitExceeded" | "rateLimitExceeded"), _) | (_, Some(429)) => {
                TurnOutcome::Limited { message, resets_at: self.near.and_then(RateLimitWindow::resets_at) }
            }
            (Some("unauthorized"), _) | (_, Some(401 | 403)) => TurnOutcome::Unauthorized { message },
            // The agent's settings name a variable for the key, and it is not set.
            _ if message.starts_with("Missing environment variable") => TurnOutcome::Unauthorized { message },
            _ => TurnOutcome::Failed { message },
        }
    }
}
