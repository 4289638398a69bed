//! The usage of a turn, which ACP agents report in different fields; reported once, when the turn ends.
//!
//! Claude reports the tokens of the turn and the total costs of the process, Codex only the size of its context, OpenCode
//! the tokens of the last request, Gemini its tokens in a field of its own.

use domain::Usage;

use super::schema::{PromptResult, SessionOpened, SessionUpdate};

/// Counts the usage of a session.
#[derive(Debug)]
pub(super) struct UsageMeter {
    usage: Usage,
    has_news: bool,
    model: Option<String>,
    /// The total costs that were already reported.
    counted_micros: u64,
    cost_micros: Option<u64>,
    /// Whether the agent reported the tokens of the whole turn in its quota.
    has_quota: bool,
}

impl UsageMeter {
    pub(super) fn new(counted_micros: u64) -> Self {
        Self {
            usage: Usage::default(),
            has_news: false,
            model: None,
            counted_micros,
            cost_micros: None,
            has_quota: false,
        }
    }

    /// Reads the model of a session; returns an event if it changed.
    pub(super) fn update_model(&mut self, joined: &SessionOpened) -> Option<String> {
        let of_options = || {
            let is_model = |category: Option<&str>, id: &str| category.unwrap_or(id) == "model";
            let mut options = joined.config_options.iter();
            options
                .find(|option| is_model(option.category.as_deref(), &option.id))
                .and_then(|option| option.current_value.clone())
        };
        let named =
            joined.models.as_ref().and_then(|models| models.current_model_id.clone()).or_else(of_options)?;
        if self.model.as_ref() == Some(&named) {
            return None;
        }
        self.model = Some(named.clone());
        Some(named)
    }

    pub(super) fn record_update(&mut self, update: &SessionUpdate) {
        if let (Some(used), Some(size)) = (update.used, update.size.filter(|size| *size > 0)) {
            let permille = (u128::from(used) * 1000 / u128::from(size)).min(1000);
            self.usage.context_permille = u32::try_from(permille).ok();
            self.has_news = true;
        }
        if let Some(cost) = update.cost.as_ref().filter(|cost| cost.currency == "USD" && cost.amount >= 0.0) {
            // Realistic costs fit; larger ones saturate.
            self.cost_micros = Some((cost.amount * 1e6).round() as u64);
            self.has_news = true;
        }
    }

    pub(super) fn record_prompt_result(&mut self, prompted: &PromptResult) {
        if let Some(usage) = &prompted.usage {
            self.usage.input_tokens += usage.input_tokens + usage.cached_write_tokens;
            self.usage.output_tokens += usage.output_tokens + usage.thought_tokens;
            self.usage.cached_tokens += usage.cached_read_tokens;
            self.has_news = true;
        }
        let quota = prompted.meta.as_ref().and_then(|meta| meta.quota.as_ref());
        if let Some(count) = quota.and_then(|quota| quota.token_count.as_ref()) {
            self.usage.input_tokens += count.input_tokens;
            self.usage.output_tokens += count.output_tokens;
            (self.has_news, self.has_quota) = (true, true);
        }
    }

    /// Returns the usage since the last call.
    ///
    /// A turn with tool calls has several requests. Agents that report neither costs nor a quota report the tokens of the
    /// last request only, or none at all.
    pub(super) fn take_usage(&mut self, has_tool_calls: bool) -> Option<Usage> {
        let has_sum = std::mem::take(&mut self.has_quota) || self.cost_micros.is_some();
        if !std::mem::take(&mut self.has_news) {
            return None;
        }
        let mut usage = std::mem::take(&mut self.usage);
        usage.is_partial = usage.tokens() == 0 || has_tool_calls && !has_sum;
        if let Some(sum) = self.cost_micros.take() {
            // A smaller total means that the agent restarted its count.
            usage.cost_micros = sum.checked_sub(self.counted_micros).unwrap_or(sum);
            self.counted_micros = sum;
        }
        usage.model.clone_from(&self.model);
        Some(usage)
    }
}
