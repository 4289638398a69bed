//! The `result` message that ends a turn of Claude Code, with usage or an error.

use std::io;

use serde_json::{Map, Value, json};

use super::ClaudeProtocol;
use crate::script::{ServiceFailure, StopReason, TokenUsage};

/// Values of a `result` message.
struct TurnResult<'a> {
    subtype: &'a str,
    is_error: bool,
    text: &'a str,
    terminal_reason: &'a str,
    stop_reason: Option<&'a str>,
    extra_fields: Value,
}

impl ClaudeProtocol {
    /// Ends the turn for the given reason.
    pub(super) fn send_stop_result(&mut self, stop: StopReason) -> io::Result<()> {
        let last_message = std::mem::take(&mut self.turn.last_message);
        let success = |reason| TurnResult {
            subtype: "success",
            is_error: false,
            text: &last_message,
            terminal_reason: "completed",
            stop_reason: Some(reason),
            extra_fields: Value::Null,
        };
        let result = match stop {
            StopReason::EndTurn => success("end_turn"),
            StopReason::MaxTokens => success("max_tokens"),
            StopReason::Refusal => success("refusal"),
            StopReason::Cancelled | StopReason::Denied => {
                // The usage of an interrupted turn is not reported.
                self.turn.usage =
                    TokenUsage { input: 0, cached: 0, output: 0, cost: 0.0, window: self.turn.usage.window };
                let text = "[Request interrupted by user]";
                let message = json!({ "role": "user", "content": [{ "type": "text", "text": text }] });
                self.send_with_session(
                    json!({ "type": "user", "message": message, "parent_tool_use_id": null }),
                )?;
                TurnResult {
                    subtype: "error_during_execution",
                    is_error: true,
                    text: "",
                    terminal_reason: if self.turn.is_denied { "aborted_tools" } else { "aborted_streaming" },
                    stop_reason: None,
                    extra_fields: json!({ "errors": [] }),
                }
            }
        };
        self.send_result_message(result)?;
        // An interrupted turn is not a failure of the process.
        self.has_failed = false;
        Ok(())
    }

    /// Ends the turn with an error of the model service, after the given number of retries.
    pub(super) fn send_failed_result(&mut self, failure: &ServiceFailure) -> io::Result<()> {
        let error = match failure.status {
            429 => "rate_limit",
            529 => "overloaded",
            401 => "authentication_failed",
            _ => "server_error",
        };
        if let Some(resets_at) = failure.resets_at {
            let info = json!({
                "status": "rejected", "resetsAt": resets_at, "rateLimitType": "five_hour", "isUsingOverage": false,
            });
            self.send_with_session(json!({ "type": "rate_limit_event", "rate_limit_info": info }))?;
        }
        for attempt in 1..=failure.retries {
            self.send_with_session(json!({
                "type": "system", "subtype": "api_retry", "attempt": attempt, "max_retries": failure.retries,
                "retry_delay_ms": 1, "error_status": failure.status, "error": error,
            }))?;
        }
        let text = match failure.resets_at {
            Some(_) => format!("You've hit your session limit · {}", failure.message),
            None => format!("API Error: Request rejected ({}) · {}", failure.status, failure.message),
        };
        let message = json!({
            "id": "msg_synthetic", "type": "message", "role": "assistant", "model": "<synthetic>",
            "content": [{ "type": "text", "text": text }], "stop_reason": "stop_sequence", "stop_sequence": "",
            "usage": { "input_tokens": 0, "output_tokens": 0 },
        });
        self.send_with_session(
            json!({ "type": "assistant", "message": message, "parent_tool_use_id": null, "error": error }),
        )?;
        // Claude Code reports no status for an overloaded service.
        let status = if failure.status == 529 { Value::Null } else { json!(failure.status) };
        self.turn.usage =
            TokenUsage { input: 0, cached: 0, output: 0, cost: 0.0, window: self.turn.usage.window };
        self.send_result_message(TurnResult {
            subtype: "success",
            is_error: true,
            text: &text,
            terminal_reason: "completed",
            stop_reason: Some("stop_sequence"),
            extra_fields: json!({ "api_error_status": status }),
        })
    }

    /// Reports that the session to resume does not exist.
    pub(super) fn send_unknown_session_result(&mut self) -> io::Result<()> {
        let error = format!("No conversation found with session ID: {}", self.session);
        self.send_result_message(TurnResult {
            subtype: "error_during_execution",
            is_error: true,
            text: "",
            terminal_reason: "completed",
            stop_reason: None,
            extra_fields: json!({ "errors": [error] }),
        })
    }

    fn send_result_message(&mut self, result: TurnResult<'_>) -> io::Result<()> {
        let usage = self.turn.usage;
        self.cost_total += usage.cost;
        self.tokens_total.input += usage.input;
        self.tokens_total.cached += usage.cached;
        self.tokens_total.output += usage.output;
        self.has_failed = result.is_error;
        let totals = json!({
            "inputTokens": self.tokens_total.input, "outputTokens": self.tokens_total.output,
            "cacheReadInputTokens": self.tokens_total.cached, "cacheCreationInputTokens": 0,
            "webSearchRequests": 0, "costUSD": self.cost_total, "contextWindow": usage.window,
        });
        let milliseconds = u64::try_from(self.turn.started_at.elapsed().as_millis()).unwrap_or(u64::MAX);
        let mut message = json!({
            "type": "result", "subtype": result.subtype, "is_error": result.is_error, "duration_ms": milliseconds,
            "duration_api_ms": milliseconds, "num_turns": self.turn.n_steps, "stop_reason": result.stop_reason,
            "total_cost_usd": self.cost_total,
            "usage": {
                "input_tokens": usage.input, "cache_creation_input_tokens": 0,
                "cache_read_input_tokens": usage.cached, "output_tokens": usage.output,
            },
            "modelUsage": Map::from_iter([(self.model.clone(), totals)]),
            "permission_denials": self.turn.denials, "terminal_reason": result.terminal_reason,
        });
        if let Some(fields) = message.as_object_mut() {
            if result.subtype == "success" {
                fields.insert("result".to_owned(), json!(result.text));
            }
            if let Value::Object(more) = result.extra_fields {
                fields.extend(more);
            }
        }
        self.send_with_session(message)
    }
}
