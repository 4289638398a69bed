//! What a failed Rust test printed: the message of its panic, and where it panicked.

use domain::TestFailure;

use crate::text_lines::dedented;

/// Describes the failure of a test by what it printed.
pub(crate) fn failure_from_output(name: &str, printed: &[&str]) -> TestFailure {
    let mut failure = TestFailure { name: name.to_owned(), ..TestFailure::default() };
    let text = dedented(printed);
    let lines: Vec<&str> = text.lines().collect();
    let panic = lines.iter().position(|line| panic_location(line).is_some());
    if let Some((index, (file, line))) =
        panic.and_then(|index| Some((index, panic_location(lines.get(index)?)?)))
    {
        (failure.file, failure.line) = (Some(file.to_owned()), Some(line));
        let message: Vec<&str> =
            lines.iter().skip(index + 1).copied().take_while(|line| !ends_message(line)).collect();
        failure.message = Some(dedented(&message)).filter(|message| !message.is_empty());
        let before: Vec<&str> = lines.iter().take(index).copied().collect();
        failure.trace = Some(dedented(&before)).filter(|before| !before.is_empty());
    } else {
        let message: Vec<&str> =
            lines.iter().copied().take_while(|line| *line != "stack backtrace:").collect();
        failure.message = Some(dedented(&message)).filter(|message| !message.is_empty());
    }
    failure
}

/// Parses `thread 'name' (123) panicked at src/lib.rs:24:9:`.
fn panic_location(line: &str) -> Option<(&str, u32)> {
    let place = line.strip_prefix("thread '")?.split_once("panicked at ")?.1.trim_end_matches(':');
    let mut parts = place.rsplitn(3, ':');
    let (_column, line, file) = (parts.next()?, parts.next()?, parts.next()?);
    Some((file, line.parse().ok()?))
}

fn ends_message(line: &str) -> bool {
    line == "stack backtrace:"
        || line.starts_with("note: run with `RUST_BACKTRACE")
        || line.starts_with("thread '")
}
