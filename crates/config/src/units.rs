//! Parses and writes durations, sizes and port ranges.

/// The longest duration: a hundred years.
pub(crate) const TIME_MS_MAX: u64 = 100 * 365 * DAY_MS;
const DAY_MS: u64 = 86_400_000;
const TIME_UNITS: [(&str, u64); 5] = [("d", DAY_MS), ("h", 3_600_000), ("m", 60_000), ("s", 1000), ("ms", 1)];
const SIZE_UNITS: [(&str, u64); 9] = [
    ("TiB", 1 << 40),
    ("GiB", 1 << 30),
    ("MiB", 1 << 20),
    ("KiB", 1 << 10),
    ("TB", 1_000_000_000_000),
    ("GB", 1_000_000_000),
    ("MB", 1_000_000),
    ("KB", 1000),
    ("B", 1),
];

/// Parses a duration such as `30m` or `1h 30m` into milliseconds. Rejects 0.
pub(crate) fn parse_time_ms(text: &str) -> Option<u64> {
    let mut total: u64 = 0;
    let mut rest = text.trim();
    while !rest.is_empty() {
        let (number, after) = split_number(rest)?;
        let end = after.find(|char: char| char.is_ascii_digit() || char.is_whitespace());
        let (unit, after) = after.split_at(end.unwrap_or(after.len()));
        let (_, unit) = TIME_UNITS.iter().find(|(name, _)| *name == unit)?;
        total = total.checked_add(number.checked_mul(*unit)?)?;
        rest = after.trim_start();
    }
    (1..=TIME_MS_MAX).contains(&total).then_some(total)
}

/// Writes a duration in its shortest form.
pub(crate) fn write_time(milliseconds: u64) -> String {
    let mut rest = milliseconds;
    let parts = TIME_UNITS.iter().filter_map(|(name, unit)| {
        let number = rest / unit;
        rest %= unit;
        (number > 0).then(|| format!("{number}{name}"))
    });
    parts.collect()
}

/// Parses a size such as `10 GiB` into bytes. Rejects 0.
pub(crate) fn parse_size_bytes(text: &str) -> Option<u64> {
    let (number, unit) = split_number(text.trim())?;
    let (_, unit) = SIZE_UNITS.iter().find(|(name, _)| name.eq_ignore_ascii_case(unit))?;
    number.checked_mul(*unit).filter(|bytes| *bytes > 0)
}

/// Writes a size with the largest unit that divides it.
pub(crate) fn write_size(bytes: u64) -> String {
    let fits = |(_, unit): &&(&str, u64)| bytes.is_multiple_of(*unit);
    let (name, unit) = SIZE_UNITS.iter().find(fits).unwrap_or(&("B", 1));
    format!("{} {name}", bytes / unit)
}

/// Parses a price in US dollars per million tokens, such as `$1.25`, into millionths of a dollar.
pub(crate) fn parse_price(text: &str) -> Option<u64> {
    let text = text.trim();
    let text = text.strip_prefix('$').unwrap_or(text);
    let (whole, fraction) = text.split_once('.').unwrap_or((text, ""));
    let is_number = |digits: &str| digits.bytes().all(|byte| byte.is_ascii_digit());
    if whole.is_empty() || fraction.len() > 6 || !is_number(whole) || !is_number(fraction) {
        return None;
    }
    let fraction: u64 = format!("{fraction:0<6}").parse().ok()?;
    whole.parse::<u64>().ok()?.checked_mul(1_000_000)?.checked_add(fraction)
}

/// Writes a price with the digits that it needs, at least two after the point.
pub(crate) fn write_price(micros: u64) -> String {
    let fraction = format!("{:06}", micros % 1_000_000);
    let fraction = fraction.trim_end_matches('0');
    format!("${}.{fraction:0<2}", micros / 1_000_000)
}

/// Parses a range of ports such as `20000-29999`.
pub(crate) fn parse_port_range(text: &str) -> Option<(u16, u16)> {
    let (first, last) = text.split_once('-')?;
    let (first, last) = (first.trim().parse().ok()?, last.trim().parse().ok()?);
    // Ports below 1024 are reserved for the system.
    (1024 <= first && first <= last).then_some((first, last))
}

/// Splits the leading number off, with the space after it.
fn split_number(text: &str) -> Option<(u64, &str)> {
    let end = text.find(|char: char| !char.is_ascii_digit()).unwrap_or(text.len());
    let (number, rest) = text.split_at(end);
    Some((number.parse().ok()?, rest.trim_start()))
}

#[cfg(test)]
mod tests {
    use super::{
        parse_port_range, parse_price, parse_size_bytes, parse_time_ms, write_price, write_size, write_time,
    };

    #[test]
    fn prices_are_parsed_and_written() {
        let check = |text: &str, expected: Option<u64>| assert_eq!(parse_price(text), expected, "{text}");
        check("1.25", Some(1_250_000));
        check("$10", Some(10_000_000));
        check("0.075", Some(75_000));
        check("0", Some(0));
        for wrong in ["", "$", ".5", "-1", "1e3", "1.0000001", "1,5", "99999999999999999999"] {
            check(wrong, None);
        }
        for (micros, text) in [(0, "$0.00"), (75_000, "$0.075"), (1_250_000, "$1.25"), (10_000_000, "$10.00")]
        {
            assert_eq!(write_price(micros), text);
        }
    }

    #[test]
    fn durations_are_parsed_and_written() {
        let check = |text: &str, expected: Option<u64>| assert_eq!(parse_time_ms(text), expected, "{text}");
        check("30m", Some(1_800_000));
        check("1h30m", Some(5_400_000));
        check(" 1d 2h ", Some(93_600_000));
        check("250ms", Some(250));
        for wrong in
            ["", "30", "m", "0s", "-1s", "1.5h", "30 minutes", "36501d", "99999999999999999999s", "1s;"]
        {
            check(wrong, None);
        }
        for milliseconds in [1, 999, 1000, 90_000, 5_400_000, 86_400_000, 93_784_005] {
            assert_eq!(parse_time_ms(&write_time(milliseconds)), Some(milliseconds));
        }
    }

    #[test]
    fn sizes_are_parsed_and_written() {
        let check =
            |text: &str, expected: Option<u64>| assert_eq!(parse_size_bytes(text), expected, "{text}");
        check("10 GiB", Some(10 << 30));
        check("500mb", Some(500_000_000));
        check("7B", Some(7));
        for wrong in ["", "10", "GiB", "0 B", "1.5 GiB", "10 G", "99999999999 TiB"] {
            check(wrong, None);
        }
        for bytes in [1, 1000, 1024, 1 << 30, 20 << 30, 500_000_000, 1025] {
            assert_eq!(parse_size_bytes(&write_size(bytes)), Some(bytes));
        }
    }

    #[test]
    fn port_ranges_are_ascending() {
        assert_eq!(parse_port_range("20000-29999"), Some((20000, 29999)));
        assert_eq!(parse_port_range("3000 - 3000"), Some((3000, 3000)));
        for wrong in ["", "20000", "9-1", "80-90", "1-70000", "a-b"] {
            assert_eq!(parse_port_range(wrong), None, "{wrong}");
        }
    }
}
