//! Amounts of tokens and money in words.

use domain::Locale;

use crate::{CostCertainty, UsageTotals};

/// Formats a number of tokens: "1.2M".
pub fn format_tokens(n: u64) -> String {
    let tenths = |unit: u64| format!("{}.{}", n / unit, n % unit * 10 / unit);
    match n {
        0..1000 => n.to_string(),
        1000..100_000 => format!("{}k", tenths(1000)),
        100_000..1_000_000 => format!("{}k", n / 1000),
        _ => format!("{}M", tenths(1_000_000)),
    }
}

/// Formats a cost in US dollars.
fn format_cost(micros: u64) -> String {
    format!("${}.{:02}", micros / 1_000_000, micros / 10_000 % 100)
}

/// Formats a number of used tokens; agents that report only a part of them make it a lower bound.
pub fn describe_used_tokens(locale: Locale, used: &UsageTotals) -> String {
    let tokens = format_tokens(used.tokens);
    match (locale, used.is_partial) {
        (Locale::En, false) => format!("{tokens} tokens"),
        (Locale::En, true) => format!("at least {tokens} tokens"),
        (Locale::Ko, false) => format!("{tokens} 토큰"),
        (Locale::Ko, true) => format!("최소 {tokens} 토큰"),
    }
}

/// Formats a cost with how certain it is.
pub fn describe_used_cost(locale: Locale, used: &UsageTotals) -> String {
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
        let formatted = [0, 999, 1000, 99_999, 123_456, 1_250_000].map(format_tokens);
        assert_eq!(formatted, ["0", "999", "1.0k", "99.9k", "123k", "1.2M"]);
        assert_eq!([0, 9_999, 210_000, 12_345_678].map(format_cost), ["$0.00", "$0.00", "$0.21", "$12.34"]);
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
            assert_eq!(describe_used_cost(Locale::En, &used), english);
            assert_eq!(describe_used_cost(Locale::Ko, &used), korean);
        }
        let partial = UsageTotals { tokens: 1000, is_partial: true, ..UsageTotals::default() };
        assert_eq!(describe_used_tokens(Locale::En, &partial), "at least 1.0k tokens");
    }
}
