//! Parsers for status, priority, timeout and complexity.

use std::borrow::Cow;

use domain::{Complexity, Priority};

use crate::text::trim;

/// What a task's status means for a plan.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum TaskStatus {
    Open,
    /// No work remains: done or cancelled.
    Done,
    /// Not part of the plan for now.
    Deferred,
}

pub(crate) fn parse_status(value: &str) -> Option<TaskStatus> {
    let value = value.trim();
    if matches!(value, "x" | "X") {
        return Some(TaskStatus::Done);
    }
    let words = value.trim_matches(|c: char| !c.is_alphanumeric());
    if !words.is_empty()
        && let Some(status) = parse_status_word(words).or_else(|| status_before_remark(words))
    {
        return Some(status);
    }
    // The symbol decides if the words are not known: `✅ Fixed in the last release`.
    let symbol = value.split_once(char::is_whitespace).map_or(value, |(first, _)| first);
    match is_done_symbol(symbol) {
        Some(true) => Some(TaskStatus::Done),
        Some(false) => Some(TaskStatus::Open),
        None => parse_status_word(words),
    }
}

/// Parses a status that a date or a remark follows: `완료 (2024-05-01)`, `Done - PR 12`.
fn status_before_remark(value: &str) -> Option<TaskStatus> {
    let word = value[..remark_start(value)?].trim_matches(|c: char| !c.is_alphanumeric());
    parse_status_word(word).filter(|_| !word.is_empty())
}

fn remark_start(value: &str) -> Option<usize> {
    let sign = value.find(['(', '（', ',', '—', '–', ':', '/']);
    sign.into_iter().chain(value.find(" - ")).min()
}

/// Tells whether a value is a sentence: more than a word that could be misspelled.
pub(crate) fn is_remark(value: &str) -> bool {
    value.split_whitespace().filter(|word| word.chars().any(char::is_alphanumeric)).count() > 2
}

fn parse_status_word(value: &str) -> Option<TaskStatus> {
    // Most statuses are already normalized; avoid the allocation.
    let is_odd = |byte: u8| byte.is_ascii_uppercase() || matches!(byte, b'-' | b'_');
    let normalized = match value.bytes().any(is_odd) {
        true => Cow::Owned(value.to_ascii_lowercase().replace(['-', '_'], " ")),
        false => Cow::Borrowed(value),
    };
    match normalized.as_ref() {
        "" | "todo" | "to do" | "pending" | "open" | "planned" | "ready" | "waiting" | "not started"
        | "not yet started" | "backlog" | "new" | "in progress" | "inprogress" | "doing" | "wip"
        | "started" | "active" | "review" | "in review" | "testing" | "blocked" | "failed" | "failing"
        | "실패" | "대기" | "대기 중" | "대기중" | "예정" | "할 일" | "미착수" | "미시작" | "미완료"
        | "시작 전" | "진행" | "진행 중" | "진행중" | "검토" | "검토 중" | "검토중" | "차단" => {
            Some(TaskStatus::Open)
        }
        "done" | "complete" | "completed" | "finished" | "closed" | "cancelled" | "canceled"
        | "implemented" | "merged" | "완료" | "완료됨" | "취소" | "취소됨" | "完了" | "完成" | "已完成" => {
            Some(TaskStatus::Done)
        }
        "deferred" | "on hold" | "postponed" | "보류" | "연기" => Some(TaskStatus::Deferred),
        _ => None,
    }
}

/// Tells whether a symbol means done or open; `None` for any other text.
pub(crate) fn is_done_symbol(text: &str) -> Option<bool> {
    match text.strip_suffix('\u{fe0f}').unwrap_or(text) {
        "✅" | "✔" | "☑" | "✓" => Some(true),
        "⬜" | "🔲" | "☐" | "🔄" | "⏳" | "🚧" | "❌" | "⏸" | "🔜" => Some(false),
        _ => None,
    }
}

/// Tells whether a character is a symbol that may stand before an id, such as an emoji.
pub(crate) fn is_symbol(character: char) -> bool {
    matches!(u32::from(character), 0x2300..=0x23FF | 0x25A0..=0x27BF | 0x2B00..=0x2BFF | 0x1F300..=0x1FAFF)
}

/// Parses a duration such as `30m` or `1h 30m` into seconds; `None` for zero or invalid input.
pub(crate) fn parse_timeout(value: &str) -> Option<u64> {
    let mut seconds: u64 = 0;
    let mut rest = value.trim();
    while !rest.is_empty() {
        let n_digits = rest.bytes().take_while(u8::is_ascii_digit).count();
        let number: u64 = rest[..n_digits].parse().ok()?;
        let after = rest[n_digits..].trim_start();
        let n_unit = after.find(|c: char| c.is_ascii_digit() || c.is_whitespace()).unwrap_or(after.len());
        let unit = match after[..n_unit].to_ascii_lowercase().as_str() {
            "s" | "sec" | "초" => 1,
            "m" | "min" | "분" => 60,
            "h" | "hr" | "시간" => 3_600,
            "d" | "일" => 86_400,
            _ => return None,
        };
        seconds = seconds.checked_add(number.checked_mul(unit)?)?;
        rest = after[n_unit..].trim_start();
    }
    (seconds > 0).then_some(seconds)
}

/// Parses a priority, also as a word of other tools.
pub(crate) fn parse_priority(value: &str) -> Option<Priority> {
    // A remark may follow: `P0 - before the release`, `High (blocks all)`.
    let value =
        value[..remark_start(value).unwrap_or(value.len())].trim_matches(|c: char| !c.is_alphanumeric());
    if let Ok(priority) = value.parse() {
        return Some(priority);
    }
    match value.to_lowercase().as_str() {
        "medium" | "p2" | "보통" | "중" | "중간" => Some(Priority::Normal),
        "p3" | "p4" | "낮음" | "하" => Some(Priority::Low),
        "p1" | "높음" | "상" => Some(Priority::High),
        "p0" | "긴급" | "최상" => Some(Priority::Critical),
        word => word.parse().ok(),
    }
}

/// Formats a duration as `1d2h3m4s` without zero parts.
pub(crate) fn format_timeout(seconds: u64) -> String {
    [(86_400, "d"), (3_600, "h"), (60, "m"), (1, "s")]
        .iter()
        .scan(seconds, |rest, (unit, sign)| {
            let number = *rest / unit;
            *rest %= unit;
            Some(if number > 0 { format!("{number}{sign}") } else { String::new() })
        })
        .collect()
}

/// Parses S, M, L or XL, optionally followed by an explanation in brackets.
pub(crate) fn parse_complexity(value: &str) -> Option<Complexity> {
    let (size, rest) = value.split_at(memchr::memchr(b'(', value.as_bytes()).unwrap_or(value.len()));
    let is_whole = rest.is_empty() || rest.trim_end().ends_with(')');
    let (size, sizes) = (
        trim(size),
        [("S", Complexity::S), ("M", Complexity::M), ("L", Complexity::L), ("XL", Complexity::Xl)],
    );
    let words = [
        ("small", Complexity::S),
        ("low", Complexity::S),
        ("medium", Complexity::M),
        ("large", Complexity::L),
        ("high", Complexity::L),
        ("하", Complexity::S),
        ("중", Complexity::M),
        ("상", Complexity::L),
        ("낮음", Complexity::S),
        ("보통", Complexity::M),
        ("중간", Complexity::M),
        ("높음", Complexity::L),
    ];
    let mut names = sizes.iter().chain(&words);
    names.find(|(name, _)| is_whole && name.eq_ignore_ascii_case(size)).map(|&(_, size)| size)
}

#[cfg(test)]
mod tests {
    use domain::Complexity;

    use super::{TaskStatus, format_timeout, parse_complexity, parse_status, parse_timeout};

    #[test]
    fn a_status_is_open_done_or_deferred() {
        for (value, expected) in [
            ("pending", Some(TaskStatus::Open)),
            ("In Progress", Some(TaskStatus::Open)),
            ("in-progress", Some(TaskStatus::Open)),
            ("🔄 진행 중", Some(TaskStatus::Open)),
            ("", Some(TaskStatus::Open)),
            ("Done", Some(TaskStatus::Done)),
            ("✅ 완료", Some(TaskStatus::Done)),
            ("Done ✅", Some(TaskStatus::Done)),
            ("**Done**", Some(TaskStatus::Done)),
            ("✅", Some(TaskStatus::Done)),
            ("⬜", Some(TaskStatus::Open)),
            ("cancelled", Some(TaskStatus::Done)),
            ("deferred", Some(TaskStatus::Deferred)),
            ("🔄", Some(TaskStatus::Open)),
            ("❌ 미시작", Some(TaskStatus::Open)),
            ("완료 (2024-05-01)", Some(TaskStatus::Done)),
            ("Done - PR 12", Some(TaskStatus::Done)),
            ("nearly done", None),
            ("✅ **Fixed** - stable since", Some(TaskStatus::Done)),
            ("🔄 second attempt", Some(TaskStatus::Open)),
            ("✅ in progress", Some(TaskStatus::Open)),
            ("🟡 high - before the release", None),
        ] {
            assert_eq!(parse_status(value), expected, "{value}");
        }
    }

    #[test]
    fn a_timeout_needs_units() {
        for (value, expected) in [
            ("30m", Some(1_800)),
            ("1h30m", Some(5_400)),
            ("1h 30min", Some(5_400)),
            ("2시간", Some(7_200)),
            ("30", None),
            ("0m", None),
            ("-3m", None),
            ("soon", None),
            ("", None),
            ("99999999999999999999h", None),
            ("18446744073709551615h", None),
        ] {
            assert_eq!(parse_timeout(value), expected, "{value}");
        }
        for seconds in [1, 60, 5_400, 86_399, 1_000_000] {
            assert_eq!(parse_timeout(&format_timeout(seconds)), Some(seconds));
        }
    }

    #[test]
    fn a_complexity_may_be_explained_in_brackets() {
        assert_eq!(parse_complexity("L (Large)"), Some(Complexity::L));
        assert_eq!(parse_complexity("xl"), Some(Complexity::Xl));
        assert_eq!(parse_complexity("5 points"), None);
        assert_eq!(parse_complexity("S ("), None);
    }
}
