//! Times, tokens and money, as short as people read them.

use domain::{Locale, Timestamp};

/// Returns a span of time with its two largest units.
pub fn span(locale: Locale, milliseconds: u64) -> String {
    let seconds = milliseconds / 1000;
    let (minutes, hours, days) = (seconds / 60, seconds / 3600, seconds / 86_400);
    let [d, h, m, s] = match locale {
        Locale::En => ["d", "h", "m", "s"],
        Locale::Ko => ["일", "시간", "분", "초"],
    };
    match seconds {
        0..60 => format!("{seconds}{s}"),
        60..3600 => format!("{minutes}{m}{:02}{s}", seconds % 60),
        3600..86_400 => format!("{hours}{h}{:02}{m}", minutes % 60),
        _ => format!("{days}{d}{:02}{h}", hours % 24),
    }
}

/// Returns a span of time without more than it means: an estimate has no seconds.
pub fn about(locale: Locale, milliseconds: u64) -> String {
    let minute = 60_000;
    match milliseconds {
        0..60_000 => span(locale, milliseconds),
        _ if milliseconds < 60 * minute => match locale {
            Locale::En => format!("{}m", milliseconds.div_ceil(minute)),
            Locale::Ko => format!("{}분", milliseconds.div_ceil(minute)),
        },
        _ => span(locale, milliseconds),
    }
}

/// Returns how long ago something was; a clock that was put back makes it nothing.
pub fn since(from: Timestamp, now: Timestamp) -> u64 {
    u64::try_from(now.0.saturating_sub(from.0)).unwrap_or(0)
}

/// Returns a number of tokens.
pub fn tokens(n: u64) -> String {
    let tenths = |unit: u64| format!("{}.{}", n / unit, n % unit * 10 / unit);
    match n {
        0..1000 => n.to_string(),
        1000..100_000 => format!("{}k", tenths(1000)),
        100_000..1_000_000 => format!("{}k", n / 1000),
        _ => format!("{}M", tenths(1_000_000)),
    }
}

/// Returns an amount of money.
pub fn cost(micros: u64) -> String {
    format!("${}.{:02}", micros / 1_000_000, micros / 10_000 % 100)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn amounts_are_short() {
        let spans = [0, 59_999, 60_000, 3_599_000, 3_600_000, 86_400_000, 90_061_000];
        let said = spans.map(|ms| span(Locale::En, ms));
        assert_eq!(said, ["0s", "59s", "1m00s", "59m59s", "1h00m", "1d00h", "1d01h"]);
        assert_eq!(span(Locale::Ko, 130_000), "2분10초");
        assert_eq!([30_000, 61_000, 5_400_000].map(|ms| about(Locale::En, ms)), ["30s", "2m", "1h30m"]);
        let said = [0, 999, 1000, 99_999, 123_456, 1_250_000].map(tokens);
        assert_eq!(said, ["0", "999", "1.0k", "99.9k", "123k", "1.2M"]);
        assert_eq!([0, 9_999, 210_000, 12_345_678].map(cost), ["$0.00", "$0.00", "$0.21", "$12.34"]);
        assert_eq!(since(Timestamp(10), Timestamp(4)), 0);
    }
}
