//! Timestamps for people, in UTC so that they are the same on every machine.

use domain::Timestamp;

/// Formats a timestamp to the second.
pub(crate) fn format_utc(at: Timestamp) -> String {
    match jiff::Timestamp::from_millisecond(at.0) {
        Ok(time) => time.strftime("%Y-%m-%d %H:%M:%S").to_string(),
        // Beyond the range of the calendar.
        Err(_) => format!("{} ms", at.0),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn timestamps_are_formatted_to_the_second() {
        assert_eq!(format_utc(Timestamp(1_768_986_001_999)), "2026-01-21 09:00:01");
        assert_eq!(format_utc(Timestamp(i64::MAX)), "9223372036854775807 ms");
    }
}
