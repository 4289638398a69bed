//! Moments in words, the same on every machine: in UTC.

use domain::Timestamp;

/// Returns a moment as people write it, to the second.
pub fn moment(at: Timestamp) -> String {
    match jiff::Timestamp::from_millisecond(at.0) {
        Ok(moment) => moment.strftime("%Y-%m-%d %H:%M:%S").to_string(),
        // No calendar goes that far; the number is still true.
        Err(_) => format!("{} ms", at.0),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_moment_has_one_form_whatever_it_is() {
        assert_eq!(moment(Timestamp(1_768_986_001_999)), "2026-01-21 09:00:01");
        assert_eq!(moment(Timestamp(i64::MAX)), "9223372036854775807 ms");
    }
}
