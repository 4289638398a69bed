//! Durations and times in a report.

use domain::{Locale, Timestamp};

/// Formats a duration with its two largest units.
pub(super) fn format_duration(locale: Locale, milliseconds: u64) -> String {
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
    let seconds = at.0.div_euclid(1000);
    let (days, of_day) = (seconds.div_euclid(86_400), seconds.rem_euclid(86_400));
    // Days since 0000-03-01 in eras of 400 years: the year begins in March, so that leap days are last.
    let since_march = days.saturating_add(719_468);
    let (era, day_of_era) = (since_march.div_euclid(146_097), since_march.rem_euclid(146_097));
    let year_of_era = (day_of_era - day_of_era / 1460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let month_from_march = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * month_from_march + 2) / 5 + 1;
    let month = if month_from_march < 10 { month_from_march + 3 } else { month_from_march - 9 };
    let year = era.saturating_mul(400).saturating_add(year_of_era) + i64::from(month <= 2);
    format!("{year:04}-{month:02}-{day:02} {:02}:{:02} UTC", of_day / 3600, of_day / 60 % 60)
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
        // Beyond the calendar nothing overflows.
        assert!(!format_utc(Timestamp(i64::MAX)).is_empty() && !format_utc(Timestamp(i64::MIN)).is_empty());
    }

    #[test]
    fn durations_have_two_units() {
        assert_eq!(format_duration(Locale::En, 125_000), "2 m 05 s");
        assert_eq!(format_duration(Locale::Ko, 3_700_000), "1시간 01분");
    }
}
