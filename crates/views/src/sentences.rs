//! Sentences about events, inputs and plan changes, in English and Korean.

pub(crate) mod en;
pub(crate) mod ko;

use domain::{CheckObstacle, Locale, Receipt};

/// Describes the outcome of a check: "failed with exit status 1".
pub fn describe_check(locale: Locale, receipt: &Receipt) -> String {
    match locale {
        Locale::En => en::check_result(receipt),
        Locale::Ko => ko::check_result(receipt),
    }
}

/// Describes why a check could not run: "pytest is not on PATH".
pub fn describe_check_obstacle(locale: Locale, obstacle: &CheckObstacle) -> String {
    match locale {
        Locale::En => obstacle.to_string(),
        Locale::Ko => ko::check_obstacle(obstacle),
    }
}
