//! Reads the verdict of a verifier: a JSON object with `verdict`, `summary` and `findings`.

use domain::{GateFinding, GateVerdict, Severity};
use serde_json::Value;

/// Findings of a verdict that are kept.
const FINDINGS_MAX: usize = 50;
/// Bytes of a text of the verdict that are kept.
const TEXT_BYTES_MAX: usize = 2000;
/// Places of a text at which a verdict is looked for, from its end.
const CANDIDATES_MAX: usize = 16;

/// Finds the last verdict in the text of a turn. It begins at the start of a line.
pub(crate) fn find_verdict(text: &str) -> Option<GateVerdict> {
    let starts = text.rmatch_indices('{').map(|(start, _)| start);
    let at_line_start = |start: &usize| {
        let line = text.get(..*start).unwrap_or_default().rsplit('\n').next().unwrap_or_default();
        line.trim().is_empty()
    };
    let starts = starts.filter(at_line_start).take(CANDIDATES_MAX);
    starts.filter_map(|start| text.get(start..)).find_map(parse_verdict)
}

/// Parses a text that begins with a verdict; what follows the object is ignored.
pub(crate) fn parse_verdict(text: &str) -> Option<GateVerdict> {
    let value: Value = serde_json::Deserializer::from_str(text).into_iter().next()?.ok()?;
    let accepted = match value.get("verdict")?.as_str()?.trim().to_lowercase().as_str() {
        "accept" | "accepted" | "approve" | "approved" | "pass" | "passed" => true,
        "reject" | "rejected" | "fail" | "failed" => false,
        _ => return None,
    };
    let findings = value.get("findings").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
    let findings = findings.iter().filter_map(parse_finding).take(FINDINGS_MAX).collect();
    Some(GateVerdict { accepted, summary: text_of(&value, "summary").unwrap_or_default(), findings })
}

fn parse_finding(value: &Value) -> Option<GateFinding> {
    if let Some(text) = value.as_str() {
        return Some(GateFinding { text: shorten(text), ..GateFinding::default() });
    }
    let text = text_of(value, "text").or_else(|| text_of(value, "message"))?;
    let severity = text_of(value, "severity").and_then(|word| match word.to_lowercase().as_str() {
        "low" => Some(Severity::Low),
        "medium" => Some(Severity::Medium),
        "high" => Some(Severity::High),
        "critical" => Some(Severity::Critical),
        _ => None,
    });
    let task = text_of(value, "task").and_then(|id| id.parse().ok());
    Some(GateFinding { task, severity, file: text_of(value, "file"), text })
}

fn text_of(value: &Value, key: &str) -> Option<String> {
    let text = value.get(key)?.as_str()?.trim();
    (!text.is_empty()).then(|| shorten(text))
}

/// Returns the beginning of a text that fits into the log.
pub(crate) fn shorten(text: &str) -> String {
    let text = text.trim();
    let end = text.floor_char_boundary(TEXT_BYTES_MAX);
    match text.get(..end) {
        Some(start) if end < text.len() => format!("{start}…"),
        Some(_) | None => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::{FINDINGS_MAX, TEXT_BYTES_MAX, find_verdict, parse_verdict};

    #[test]
    fn verdict_is_found_at_the_end_of_prose_and_in_a_fence() {
        let text = "I read it.\n```json\n{\n  \"verdict\": \"reject\",\n  \"findings\": [{\"task\": \"T2\", \"file\": \"a.rs\", \"text\": \"no test\", \"severity\": \"high\"}]\n}\n```\nThat is all.";
        let verdict = find_verdict(text).unwrap();
        assert!(!verdict.accepted);
        let finding = &verdict.findings[0];
        assert_eq!(finding.task.as_ref().unwrap().to_string(), "T2");
        assert_eq!((finding.file.as_deref(), finding.text.as_str()), (Some("a.rs"), "no test"));
    }

    #[test]
    fn the_last_of_two_verdicts_counts() {
        let text = "{\"verdict\":\"accept\"}\nOn second thought:\n{\"verdict\":\"reject\",\"summary\":\"it is slow\"}";
        assert_eq!(find_verdict(text).unwrap().summary, "it is slow");
    }

    #[test]
    fn text_without_a_verdict_has_none() {
        for text in [
            "",
            "looks good",
            "{}",
            "{\"verdict\":1}",
            "{\"verdict\":\"maybe\"}",
            "see `{\"verdict\":\"accept\"}` above",
            "{\"verdict\":",
        ] {
            assert_eq!(find_verdict(text), None, "{text}");
        }
    }

    #[test]
    fn verdict_is_bounded() {
        let finding = format!("{{\"text\":\"{}\"}}", "한".repeat(TEXT_BYTES_MAX));
        let text = format!(
            "{{\"verdict\":\"reject\",\"findings\":[{}]}}",
            vec![finding; FINDINGS_MAX + 1].join(",")
        );
        let verdict = parse_verdict(&text).unwrap();
        assert_eq!(verdict.findings.len(), FINDINGS_MAX);
        assert!(verdict.findings.iter().all(|finding| finding.text.len() <= TEXT_BYTES_MAX + '…'.len_utf8()));
        assert_eq!(find_verdict(&"\n{".repeat(100_000)), None);
    }
}
