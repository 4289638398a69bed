//! How a turn of Claude Code ends: `result`, with what it cost, or with an error that is called a success.

use std::io;

use serde_json::{Map, Value, json};

use super::Claude;
use crate::script::{Failure, Stop, Usage};

/// How a turn ended, in the words of the `result`.
struct Ending<'a> {
    subtype: &'a str,
    is_error: bool,
    text: &'a str,
    terminal_reason: &'a str,
    stop_reason: Option<&'a str>,
    more: Value,
}

impl Claude {
    /// Ends a turn as the script says.
    pub(super) fn finish(&mut self, stop: Stop) -> io::Result<()> {
        let words = std::mem::take(&mut self.turn.words);
        let done = |reason| Ending {
            subtype: "success",
            is_error: false,
            text: &words,
            terminal_reason: "completed",
            stop_reason: Some(reason),
            more: Value::Null,
        };
        let ending = match stop {
            Stop::EndTurn => done("end_turn"),
            Stop::MaxTokens => done("max_tokens"),
            Stop::Refusal => done("refusal"),
            Stop::Cancelled | Stop::Denied => {
                // What an interrupted turn has used is not told.
                self.turn.usage =
                    Usage { input: 0, cached: 0, output: 0, cost: 0.0, window: self.turn.usage.window };
                let text = "[Request interrupted by user]";
                let message = json!({ "role": "user", "content": [{ "type": "text", "text": text }] });
                self.emit(json!({ "type": "user", "message": message, "parent_tool_use_id": null }))?;
                Ending {
                    subtype: "error_during_execution",
                    is_error: true,
                    text: "",
                    terminal_reason: if self.turn.is_denied { "aborted_tools" } else { "aborted_streaming" },
                    stop_reason: None,
                    more: json!({ "errors": [] }),
                }
            }
        };
        self.result(ending)?;
        // An interrupt is no failure of the process.
        self.has_failed = false;
        Ok(())
    }

    /// Ends a turn with an error of the model's service, after it was tried again as often as the script says.
    pub(super) fn finish_failed(&mut self, failure: &Failure) -> io::Result<()> {
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
            self.emit(json!({ "type": "rate_limit_event", "rate_limit_info": info }))?;
        }
        for attempt in 1..=failure.retries {
            self.emit(json!({
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
        self.emit(
            json!({ "type": "assistant", "message": message, "parent_tool_use_id": null, "error": error }),
        )?;
        // An overloaded service has no status here.
        let status = if failure.status == 529 { Value::Null } else { json!(failure.status) };
        self.turn.usage = Usage { input: 0, cached: 0, output: 0, cost: 0.0, window: self.turn.usage.window };
        self.result(Ending {
            subtype: "success",
            is_error: true,
            text: &text,
            terminal_reason: "completed",
            stop_reason: Some("stop_sequence"),
            more: json!({ "api_error_status": status }),
        })
    }

    /// Says that there is nothing to go on with.
    pub(super) fn no_conversation(&mut self) -> io::Result<()> {
        let error = format!("No conversation found with session ID: {}", self.session);
        self.result(Ending {
            subtype: "error_during_execution",
            is_error: true,
            text: "",
            terminal_reason: "completed",
            stop_reason: None,
            more: json!({ "errors": [error] }),
        })
    }

    fn result(&mut self, ending: Ending<'_>) -> io::Result<()> {
        let usage = self.turn.usage;
        self.cost_total += usage.cost;
        self.tokens_total.input += usage.input;
        self.tokens_total.cached += usage.cached;
        self.tokens_total.output += usage.output;
        self.has_failed = ending.is_error;
        let sums = json!({
            "inputTokens": self.tokens_total.input, "outputTokens": self.tokens_total.output,
            "cacheReadInputTokens": self.tokens_total.cached, "cacheCreationInputTokens": 0,
            "webSearchRequests": 0, "costUSD": self.cost_total, "contextWindow": usage.window,
        });
        let milliseconds = u64::try_from(self.turn.since.elapsed().as_millis()).unwrap_or(u64::MAX);
        let mut result = json!({
            "type": "result", "subtype": ending.subtype, "is_error": ending.is_error, "duration_ms": milliseconds,
            "duration_api_ms": milliseconds, "num_turns": self.turn.n_steps, "stop_reason": ending.stop_reason,
            "total_cost_usd": self.cost_total,
            "usage": {
                "input_tokens": usage.input, "cache_creation_input_tokens": 0,
                "cache_read_input_tokens": usage.cached, "output_tokens": usage.output,
            },
            "modelUsage": Map::from_iter([(self.model.clone(), sums)]),
            "permission_denials": self.turn.denials, "terminal_reason": ending.terminal_reason,
        });
        if let Some(fields) = result.as_object_mut() {
            if ending.subtype == "success" {
                fields.insert("result".to_owned(), json!(ending.text));
            }
            if let Value::Object(more) = ending.more {
                fields.extend(more);
            }
        }
        self.emit(result)
    }
}
