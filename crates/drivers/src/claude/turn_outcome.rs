//! The outcome and the usage of a turn.

use domain::{Timestamp, Usage};

use crate::driver::{AgentWarning, TurnOutcome};

use super::output_lines::{ModelUsage, RateLimit, ResultLine, TokenCounts};

/// Collects the usage and the errors of a turn.
#[derive(Debug)]
pub(super) struct UsageMeter {
    model: Option<String>,
    /// The usage of the process at the end of the last turn.
    before: Usage,
    /// The size of the context after the last request.
    context_tokens: u64,
    /// The error of a failed request.
    error: Option<String>,
    /// The reset time of a limit that is reached.
    resets_at: Option<Timestamp>,
}

impl UsageMeter {
    pub(super) fn new(before: Usage) -> Self {
        Self { model: None, before, context_tokens: 0, error: None, resets_at: None }
    }

    /// Sets the model, and returns whether it changed.
    pub(super) fn set_model(&mut self, name: &str) -> bool {
        let is_new = self.model.as_deref() != Some(name);
        self.model = Some(name.to_owned());
        is_new
    }

    pub(super) fn note_error(&mut self, error: Option<&str>) {
        self.error = error.map(str::to_owned);
    }

    pub(super) fn note_context_size(&mut self, tokens: TokenCounts) {
        self.context_tokens = tokens.context_tokens();
    }

    pub(super) fn note_rate_limit(&mut self, limit: &RateLimit) -> Option<AgentWarning> {
        let resets_at = limit.resets_at.map(|seconds| Timestamp(seconds.saturating_mul(1000)));
        match limit.status.text() {
            Some("rejected") => {
                self.resets_at = resets_at;
                None
            }
            Some("allowed_warning") => {
                let used_permille = limit.utilization.map(|share| (share * 1000.0).round() as u32);
                Some(AgentWarning::LimitNear { resets_at, used_permille })
            }
            _ => None,
        }
    }

    /// Returns the usage of this turn, as the difference of the process's sums.
    ///
    /// The usage field of the result does not include subagents.
    pub(super) fn take_usage(&mut self, result: &ResultLine) -> Usage {
        let sum = |tokens: fn(&ModelUsage) -> u64| {
            result.model_usage.values().map(tokens).fold(0, u64::saturating_add)
        };
        let micros = result.total_cost_usd.map(|cost| (cost * 1_000_000.0).round() as u64);
        // Invariant: sums never decrease, so a result without figures counts as no usage.
        let now = Usage {
            input_tokens: sum(ModelUsage::uncached_input_tokens).max(self.before.input_tokens),
            output_tokens: sum(|usage| usage.output_tokens).max(self.before.output_tokens),
            cached_tokens: sum(|usage| usage.cache_read_input_tokens).max(self.before.cached_tokens),
            cost_micros: micros.unwrap_or_default().max(self.before.cost_micros),
            ..Usage::default()
        };
        let before = std::mem::replace(&mut self.before, now.clone());
        Usage {
            input_tokens: now.input_tokens - before.input_tokens,
            output_tokens: now.output_tokens - before.output_tokens,
            cached_tokens: now.cached_tokens - before.cached_tokens,
            cost_micros: now.cost_micros - before.cost_micros,
            model: self.model.clone(),
            context_permille: self.context_permille(result),
            ..Usage::default()
        }
    }

    fn context_permille(&mut self, result: &ResultLine) -> Option<u32> {
        let used = std::mem::take(&mut self.context_tokens);
        let of_model = self.model.as_ref().and_then(|model| result.model_usage.get(model));
        let window = of_model.or(result.model_usage.values().next())?.context_window;
        let permille = used.saturating_mul(1000).checked_div(window).filter(|_| used > 0)?;
        Some(permille.min(1000) as u32)
    }

    /// Returns the outcome of the turn. The subtype "success" alone is not conclusive.
    pub(super) fn turn_outcome(&mut self, result: &ResultLine) -> TurnOutcome {
        let error = self.error.take();
        let resets_at = self.resets_at.take();
        let has_failed = result.is_error || result.subtype.text().is_some_and(|subtype| subtype != "success");
        if !has_failed {
            return TurnOutcome::Finished;
        }
        if result.terminal_reason.text().is_some_and(|reason| reason.starts_with("aborted")) {
            return TurnOutcome::Cancelled;
        }
        let errors: Vec<_> = result.errors.iter().filter_map(|error| error.text()).collect();
        let text = result.result.text().filter(|text| !text.is_empty()).map(str::to_owned);
        let text = text.or_else(|| (!errors.is_empty()).then(|| errors.join("\n")));
        let message = text.or_else(|| result.subtype.0.clone()).unwrap_or_default();
        match (result.api_error_status, error.as_deref()) {
            _ if message.contains("No conversation found") => TurnOutcome::NotResumable { message },
            (Some(429), _) | (_, Some("rate_limit")) => TurnOutcome::Limited { message, resets_at },
            (Some(401 | 403), _) | (_, Some("authentication_failed")) => {
                TurnOutcome::Unauthorized { message }
            }
            _ => TurnOutcome::Failed { message },
        }
    }
}
