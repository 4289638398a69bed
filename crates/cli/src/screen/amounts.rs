//! Durations, and the time between two timestamps.

use domain::{Locale, Timestamp};
pub(crate) use views::format_duration;

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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_are_formatted() {
        let spans = [0, 59_999, 60_000, 3_599_000, 3_600_000, 86_400_000, 90_061_000];
        let formatted = spans.map(|ms| format_duration(Locale::En, ms));
        assert_eq!(formatted, ["0 s", "59 s", "1 m 00 s", "59 m 59 s", "1 h 00 m", "1 d 00 h", "1 d 01 h"]);
        assert_eq!(format_duration(Locale::Ko, 130_000), "2분 10초");
        assert_eq!(
            [30_000, 61_000, 5_400_000].map(|ms| format_estimate(Locale::En, ms)),
            ["30 s", "2 m", "1 h 30 m"]
        );
        assert_eq!(elapsed_ms(Timestamp(10), Timestamp(4)), 0);
    }
}
