//! What a person reads when a command cannot do its work: what failed, on what, and what to do.

use std::{io, process::ExitCode};

use anstyle::{AnsiColor, Style};

use crate::printable::printable;

const ERROR: Style = AnsiColor::BrightRed.on_default().bold();
const WARNING: Style = AnsiColor::BrightYellow.on_default().bold();
const HINT: Style = AnsiColor::BrightCyan.on_default().bold();

/// A command that failed.
#[derive(Debug)]
pub struct Failure {
    /// What failed, and on what.
    pub what: String,
    /// What to do about it.
    pub hint: Option<String>,
    /// The exit status: 1, or 2 where the command line is wrong.
    pub exit: u8,
}

impl Failure {
    /// Tells the person, and returns the exit status.
    pub fn report(&self) -> ExitCode {
        say_error(&self.what, self.hint.as_deref());
        ExitCode::from(self.exit)
    }

    /// Turns the failure to write data into one of a command; a reader that has seen enough is none.
    pub fn from_output(error: &io::Error) -> Option<Self> {
        if error.kind() == io::ErrorKind::BrokenPipe {
            return None;
        }
        let hint = Some("look at where the output goes: is the disk full?".to_owned());
        Some(Self { what: format!("write the output: {error}"), hint, exit: 1 })
    }
}

/// Writes `error:` and `hint:` to standard error.
pub fn say_error(what: &str, hint: Option<&str>) {
    // With standard error gone there is nobody left to tell.
    let _ = write_error(what, hint);
}

/// Writes `hint:` to standard error, where nothing failed.
pub fn say_hint(hint: &str) {
    use std::io::Write;
    let _ = writeln!(anstream::stderr().lock(), "{HINT}hint{HINT:#}: {hint}");
}

/// Writes `warning:` to standard error: it was done, but not as one would think.
pub fn say_warning(what: &str) {
    use std::io::Write;
    let _ = writeln!(anstream::stderr().lock(), "{WARNING}warning{WARNING:#}: {}", printable(what));
}

fn write_error(what: &str, hint: Option<&str>) -> io::Result<()> {
    use std::io::Write;
    let mut stderr = anstream::stderr().lock();
    writeln!(stderr, "{ERROR}error{ERROR:#}: {}", printable(what))?;
    if let Some(hint) = hint {
        writeln!(stderr, "{HINT}hint{HINT:#}: {}", printable(hint))?;
    }
    Ok(())
}
