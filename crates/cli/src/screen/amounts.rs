//! Formats durations, tokens and costs.

use domain::{Locale, Timestamp};
use views::{CostCertainty, UsageTotals};

/// Formats a duration with its two largest units.
pub(crate) fn format_duration(locale: Locale, milliseconds: u64) -> String {
    let seconds = milliseconds / 1000;
    let (minutes, hours, days) = (seconds / 60, seconds / 3600, seconds / 86_400);
    let [d, h, m, s] = match locale {
        Locale::En => [" d", " h", " m", " s"],
        Locale::Ko => ["일", "시간", "분", "초"],
    };
    match seconds {
        0..60 => format!("{seconds}{s}"),
        60..3600 => format!("{minutes}{m} {:02}{s}", seconds % 60),
        3600..86_400 => format!("{hours}{h} {:02}{m}", minutes % 60),
        _ => format!("{days}{d} {:02}{h}", hours % 24),
    }
}

/// Formats an estimated duration: without seconds above a minute.
pub(crate) fn format_estimate(locale: Locale, milliseconds: u64) -> String {
    let minute = 60_000;
    match milliseconds {
        0..60_000 => format_duration(locale, milliseconds),
        _ if milliseconds < 60 * minute => match locale {
            Locale::En => format!("{} m", milliseconds.div_ceil(minute)),
            Locale::Ko => format!("{}분", milliseconds.div_ceil(minute)),
        },
        _ => format_duration(locale, milliseconds),
    }
}

/// Returns the milliseconds between two timestamps; 0 if the clock went backwards.
pub(crate) fn elapsed_ms(from: Timestamp, now: Timestamp) -> u64 {
    u64::try_from(now.0.saturating_sub(from.0)).unwrap_or(0)
}

/// Formats a number of tokens.
pub(crate) fn format_tokens(n: u64) -> String {
    let tenths = |unit: u64| format!("{}.{}", n / unit, n % unit * 10 / unit);
    match n {
        0..1000 => n.to_string(),
        1000..100_000 => format!("{}k", tenths(1000)),
        100_000..1_000_000 => format!("{}k", n / 1000),
        _ => format!("{}M", tenths(1_000_000)),
    }
}

/// Formats a cost in US dollars.
pub(crate) fn format_cost(micros: u64) -> String {
    format!("${}.{:02}", micros / 1_000_000, micros / 10_000 % 100)
}

/// Formats a number of used tokens; agents that report only a part of them make it a lower bound.
pub(crate) fn format_used_tokens(locale: Locale, used: &UsageTotals) -> String {
    let tokens = format_tokens(used.tokens);
    match (locale, used.is_partial) {
        (Locale::En, false) => format!("{tokens} tokens"),
        (Locale::En, true) => format!("at least {tokens} tokens"),
        (Locale::Ko, false) => format!("{tokens} 토큰"),
        (Locale::Ko, true) => format!("최소 {tokens} 토큰"),
    }
}

/// Formats a cost with how certain it is.
pub(crate) fn format_used_cost(locale: Locale, used: &UsageTotals) -> String {
    let cost = format_cost(used.cost_micros);
    match (locale, used.cost_certainty) {
        (_, CostCertainty::Known) => cost,
        (Locale::En, CostCertainty::Estimated) => format!("about {cost}"),
        (Locale::En, CostCertainty::AtLeast) => format!("at least {cost}"),
        (Locale::En, CostCertainty::Unknown) => "cost unknown".to_owned(),
        (Locale::Ko, CostCertainty::Estimated) => format!("약 {cost}"),
        (Locale::Ko, CostCertainty::AtLeast) => format!("최소 {cost}"),
        (Locale::Ko, CostCertainty::Unknown) => "비용 알 수 없음".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn amounts_are_formatted() {
        let spans = [0, 59_999, 60_000, 3_599_000, 3_600_000, 86_400_000, 90_061_000];
        let formatted = spans.map(|ms| format_duration(Locale::En, ms));
        assert_eq!(formatted, ["0 s", "59 s", "1 m 00 s", "59 m 59 s", "1 h 00 m", "1 d 00 h", "1 d 01 h"]);
        assert_eq!(format_duration(Locale::Ko, 130_000), "2분 10초");
        assert_eq!(
            [30_000, 61_000, 5_400_000].map(|ms| format_estimate(Locale::En, ms)),
            ["30 s", "2 m", "1 h 30 m"]
        );
        let formatted = [0, 999, 1000, 99_999, 123_456, 1_250_000].map(format_tokens);
        assert_eq!(formatted, ["0", "999", "1.0k", "99.9k", "123k", "1.2M"]);
        assert_eq!([0, 9_999, 210_000, 12_345_678].map(format_cost), ["$0.00", "$0.00", "$0.21", "$12.34"]);
        assert_eq!(elapsed_ms(Timestamp(10), Timestamp(4)), 0);
    }

    #[test]
    fn usage_says_what_is_not_known() {
        for (certainty, english, korean) in [
            (CostCertainty::Known, "$0.21", "$0.21"),
            (CostCertainty::Estimated, "about $0.21", "약 $0.21"),
            (CostCertainty::AtLeast, "at least $0.21", "최소 $0.21"),
            (CostCertainty::Unknown, "cost unknown", "비용 알 수 없음"),
        ] {
            let used =
                UsageTotals { cost_micros: 210_000, cost_certainty: certainty, ..UsageTotals::default() };
            assert_eq!(format_used_cost(Locale::En, &used), english);
            assert_eq!(format_used_cost(Locale::Ko, &used), korean);
        }
        let partial = UsageTotals { tokens: 1000, is_partial: true, ..UsageTotals::default() };
        assert_eq!(format_used_tokens(Locale::En, &partial), "at least 1.0k tokens");
    }
}
