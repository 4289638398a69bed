//! Prints why a command failed, and what the user can do.

use std::{io, process::ExitCode};

use anstyle::{AnsiColor, Style};

use crate::{localized::localized, printable::printable};

const ERROR: Style = AnsiColor::BrightRed.on_default().bold();
const WARNING: Style = AnsiColor::BrightYellow.on_default().bold();
const HINT: Style = AnsiColor::BrightCyan.on_default().bold();

/// Why a command failed.
#[derive(Debug)]
pub(crate) struct Failure {
    /// What failed, on which object, and why.
    pub what: String,
    /// What the user can do.
    pub hint: Option<String>,
    /// Exit status: 1, or 2 for an invalid command line.
    pub exit: u8,
}

impl Failure {
    /// Prints the failure and returns the exit status.
    pub(crate) fn report(&self) -> ExitCode {
        print_error(&self.what, self.hint.as_deref());
        ExitCode::from(self.exit)
    }

    /// Returns the exit status of a command that has printed its result, or the failure of its output.
    pub(crate) fn exit_after_output(printed: io::Result<()>) -> Result<ExitCode, Self> {
        printed.err().and_then(|error| Self::from_output_error(&error)).map_or(Ok(ExitCode::SUCCESS), Err)
    }

    /// Returns the failure for an error of the output; `None` if the reader has closed the pipe.
    pub(crate) fn from_output_error(error: &io::Error) -> Option<Self> {
        if error.kind() == io::ErrorKind::BrokenPipe {
            return None;
        }
        let hint = localized(
            "Check the target of the output: is the disk full?",
            "출력 대상을 확인하세요. 디스크가 가득 찼을 수 있습니다.",
        );
        let what = localized(
            format!("Cannot write the output ({error})."),
            format!("출력을 쓸 수 없습니다({error})."),
        );
        Some(Self { what, hint: Some(hint), exit: 1 })
    }
}

/// Prints `error:` and `hint:` to standard error.
pub(crate) fn print_error(what: &str, hint: Option<&str>) {
    // If standard error is closed, nothing can be reported.
    let _ = try_print_error(what, hint);
}

/// Prints `hint:` to standard error, without a failure.
pub(crate) fn print_hint(hint: &str) {
    use std::io::Write;
    // If standard error is closed, nothing can be reported.
    let _ = writeln!(
        anstream::stderr().lock(),
        "{HINT}{}{HINT:#}: {}",
        localized("hint", "도움말"),
        capitalized(hint)
    );
}

/// Prints `warning:` to standard error.
pub(crate) fn print_warning(what: &str) {
    use std::io::Write;
    // If standard error is closed, nothing can be reported.
    let _ = writeln!(
        anstream::stderr().lock(),
        "{WARNING}{}{WARNING:#}: {}",
        localized("warning", "경고"),
        printable(&capitalized(what))
    );
}

fn try_print_error(what: &str, hint: Option<&str>) -> io::Result<()> {
    use std::io::Write;
    let mut stderr = anstream::stderr().lock();
    let error = localized("error", "오류");
    writeln!(stderr, "{ERROR}{error}{ERROR:#}: {}", printable(&to_sentence(what)))?;
    if let Some(hint) = hint {
        let lead = localized("hint", "도움말");
        writeln!(stderr, "{HINT}{lead}{HINT:#}: {}", printable(&capitalized(hint)))?;
    }
    Ok(())
}

/// Returns an error of a library as a sentence: those are written in lower case and without a full stop.
fn to_sentence(text: &str) -> String {
    let text = capitalized(text);
    if text.ends_with(|last: char| last.is_alphanumeric() || matches!(last, ')' | '\'' | '"' | '`')) {
        return text + ".";
    }
    text
}

/// Capitalizes the first word, unless it is an id, a path or a code. Korean sentences stay as they are.
pub(crate) fn capitalized(text: &str) -> String {
    let first = text.split_whitespace().next().unwrap_or_default();
    // A word before a colon is a name: of a file, a key or a program.
    let is_korean = text.contains(|char: char| ('가'..='힣').contains(&char));
    let is_word = !is_korean && first.trim_end_matches(',').chars().all(|char| char.is_ascii_lowercase());
    match text.get(..1) {
        Some(letter) if is_word && first != "jangdan" => {
            letter.to_ascii_uppercase() + text.get(1..).unwrap_or_default()
        }
        _ => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::to_sentence;

    #[test]
    fn library_errors_are_printed_as_sentences() {
        let check = |text: &str, expected: &str| assert_eq!(to_sentence(text), expected);
        check("the directory does not exist", "The directory does not exist.");
        check("q_1 is already answered", "q_1 is already answered.");
        check("plan.md: no such file", "plan.md: no such file.");
        check("plan: permission denied", "plan: permission denied.");
        check("however, it works", "However, it works.");
        check("Unknown run 'x'.", "Unknown run 'x'.");
        check("jangdan runs lists them", "jangdan runs lists them.");
        check("no plan file in /a [TASKS_NOT_FOUND]", "No plan file in /a [TASKS_NOT_FOUND]");
        check("한국어", "한국어.");
        check("aider 에이전트", "aider 에이전트.");
        check("", "");
    }
}
