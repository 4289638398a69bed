//! Classifies an agent's errors as the outcome of the turn.
//!
//! Agents share one error code, for a missing login. Other errors are recognized by the texts of each agent.

use domain::Timestamp;

use super::schema::{RpcError, RpcErrorData, parse_or_default};
use crate::driver::TurnOutcome;

const UNAUTHORIZED: i64 = -32000;
const METHOD_NOT_FOUND: i64 = -32601;

/// Texts that indicate a reached limit: of Claude, Codex, OpenCode and Gemini, then of model servers.
const LIMITED: &[&str] = &[
    "rate_limit",
    "usage_limit_exceeded",
    "usage limit",
    "session limit",
    "rate limit",
    "resource_exhausted",
    "quota",
    "too many requests",
    "overloaded",
];

/// Texts that indicate a missing or invalid login.
const NOT_LOGGED_IN: &[&str] = &[
    "missing environment variable",
    "authentication",
    "not logged in",
    "unauthorized",
    "api key is missing",
    "api_key_invalid",
    "invalid api key",
    "api key not valid",
];

/// Returns the outcome of a turn that ended with an error.
pub(super) fn turn_outcome(problem: &RpcError) -> TurnOutcome {
    let data: RpcErrorData = parse_or_default(problem.data.as_deref());
    let message = error_message(problem, &data);
    let raw = problem.data.as_ref().map_or("", |data| data.get());
    let text = format!("{} {raw}", problem.message).to_lowercase();
    let has = |words: &[&str], status: &str| {
        words.iter().any(|word| text.contains(word)) || has_number(&text, status)
    };
    if problem.code == UNAUTHORIZED {
        TurnOutcome::Unauthorized { message }
    } else if has(LIMITED, "429") || has_number(&text, "529") {
        let resets_at = data.resets_at.map(|seconds| Timestamp(seconds.saturating_mul(1000)));
        TurnOutcome::Limited { message, resets_at }
    } else if has(NOT_LOGGED_IN, "401") {
        TurnOutcome::Unauthorized { message }
    } else {
        TurnOutcome::Failed { message }
    }
}

/// Tells whether the agent does not support the request.
pub(super) fn is_unknown_method(problem: &RpcError) -> bool {
    problem.code == METHOD_NOT_FOUND
}

/// Returns the message for users: many agents prefix it with "Internal error".
pub(super) fn error_message(problem: &RpcError, data: &RpcErrorData) -> String {
    let detail = data.message.as_ref().or(data.details.as_ref());
    match detail {
        Some(detail) if problem.message.is_empty() || problem.message == "Internal error" => detail.clone(),
        Some(detail) if !problem.message.contains(detail.as_str()) => {
            format!("{}: {detail}", problem.message)
        }
        Some(_) | None => problem.message.clone(),
    }
}

fn has_number(text: &str, number: &str) -> bool {
    text.match_indices(number).any(|(at, _)| {
        let before = text[..at].chars().next_back();
        let behind = text[at + number.len()..].chars().next();
        !before.is_some_and(|sign| sign.is_alphanumeric())
            && !behind.is_some_and(|sign| sign.is_alphanumeric())
    })
}

#[cfg(test)]
mod tests {
    use super::turn_outcome;
    use crate::acp::schema::RpcError;

    fn assert_outcome(error: &str, expected: &str) {
        let problem: RpcError = serde_json::from_str(error).unwrap();
        assert_eq!(format!("{:?}", turn_outcome(&problem)), expected, "{error}");
    }

    #[test]
    fn errors_of_each_agent_are_classified() {
        assert_outcome(
            r#"{"code":-32000,"message":"Authentication required"}"#,
            r#"Unauthorized { message: "Authentication required" }"#,
        );
        assert_outcome(
            r#"{"code":-32000,"message":"Gemini API key is missing or not configured."}"#,
            r#"Unauthorized { message: "Gemini API key is missing or not configured." }"#,
        );
        assert_outcome(
            r#"{"code":-32603,"message":"Internal error","data":{"message":"Missing environment variable: `MOCK_KEY`."}}"#,
            r#"Unauthorized { message: "Missing environment variable: `MOCK_KEY`." }"#,
        );
        assert_outcome(
            r#"{"code":-32603,"message":"Internal error: API Error: 429","data":{"errorKind":"rate_limit"}}"#,
            r#"Limited { message: "Internal error: API Error: 429", resets_at: None }"#,
        );
        assert_outcome(
            r#"{"code":-32603,"message":"Internal error","data":{"codex_error_info":{"response_too_many_failed_attempts":{"http_status_code":429}},"message":"exceeded retry limit"}}"#,
            r#"Limited { message: "exceeded retry limit", resets_at: None }"#,
        );
        assert_outcome(
            r#"{"code":-32603,"message":"Internal error","data":{"codex_error_info":"usage_limit_exceeded","message":"You've hit your usage limit."}}"#,
            r#"Limited { message: "You've hit your usage limit.", resets_at: None }"#,
        );
        assert_outcome(
            r#"{"code":-32603,"message":"mock 429"}"#,
            r#"Limited { message: "mock 429", resets_at: None }"#,
        );
        assert_outcome(
            r#"{"code":-32603,"message":"took 1429 ms"}"#,
            r#"Failed { message: "took 1429 ms" }"#,
        );
        assert_outcome(r#"{"code":"odd","message":7}"#, r#"Failed { message: "" }"#);
    }
}
