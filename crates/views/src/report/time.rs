//! Durations and times in a report.

use domain::{Locale, Timestamp};

/// Formats a duration with its two largest units.
pub fn format_duration(locale: Locale, milliseconds: u64) -> String {
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

/// Formats a time in UTC, to the minute.
pub(super) fn format_utc(at: Timestamp) -> String {
    match jiff::Timestamp::from_millisecond(at.0) {
        Ok(time) => time.strftime("%Y-%m-%d %H:%M UTC").to_string(),
        // Beyond the range of the calendar.
        Err(_) => format!("{} ms", at.0),
    }
}

#[cfg(test)]
mod tests {
    use domain::{Locale, Timestamp};

    use super::{format_duration, format_utc};

    #[test]
    fn times_are_those_of_the_calendar() {
        let formatted = [0, 1_768_986_001_999, 951_782_400_000, 4_107_542_399_000, -1]
            .map(|at| format_utc(Timestamp(at)));
        assert_eq!(
            formatted,
            [
                "1970-01-01 00:00 UTC",
                "2026-01-21 09:00 UTC",
                "2000-02-29 00:00 UTC",
                "2100-02-28 23:59 UTC",
                "1969-12-31 23:59 UTC"
            ]
        );
        assert_eq!(format_utc(Timestamp(i64::MAX)), "9223372036854775807 ms");
    }

    #[test]
    fn durations_have_two_units() {
        assert_eq!(format_duration(Locale::En, 125_000), "2 m 05 s");
        assert_eq!(format_duration(Locale::Ko, 3_700_000), "1시간 01분");
    }
}
