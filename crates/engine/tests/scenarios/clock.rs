//! Times and durations in scenarios. A scenario begins on 2026-01-05 at 09:00 UTC.

use domain::Timestamp;

/// Midnight of the day on which every scenario begins.
const MIDNIGHT_MS: i64 = 1_767_571_200_000;

pub(crate) const START: Timestamp = Timestamp(MIDNIGHT_MS + 9 * 3_600_000);

/// Parses `09:05`, or `09:05:30`.
pub(crate) fn parse_time(text: &str) -> Result<Timestamp, String> {
    let wrong = || format!("'{text}' is not a time (write 09:05 or 09:05:30)");
    let parts: Vec<i64> =
        text.split(':').map(|part| part.parse().map_err(|_| wrong())).collect::<Result<_, _>>()?;
    let seconds = match parts.as_slice() {
        [hours, minutes] => hours * 3600 + minutes * 60,
        [hours, minutes, seconds] => hours * 3600 + minutes * 60 + seconds,
        _ => return Err(wrong()),
    };
    Ok(Timestamp(MIDNIGHT_MS + seconds * 1000))
}

/// Formats a time, with the number of days before it.
pub(crate) fn format_time(time: Timestamp) -> String {
    let seconds = (time.0 - MIDNIGHT_MS) / 1000;
    let (days, seconds) = (seconds / 86_400, seconds % 86_400);
    let day = if days == 0 { String::new() } else { format!("{days}d ") };
    format!("{day}{:02}:{:02}:{:02}", seconds / 3600, seconds / 60 % 60, seconds % 60)
}

/// Parses `10 minutes`.
pub(crate) fn parse_duration(words: &[&str]) -> Result<u64, String> {
    let wrong = || format!("'{}' is not a duration (write 10 minutes)", words.join(" "));
    let [number, unit] = words else { return Err(wrong()) };
    let number: u64 = number.parse().map_err(|_| wrong())?;
    let unit = match unit.trim_end_matches('s') {
        "millisecond" => 1,
        "second" => 1000,
        "minute" => 60_000,
        "hour" => 3_600_000,
        "day" => 86_400_000,
        _ => return Err(wrong()),
    };
    Ok(number * unit)
}
