//! Side effects of steps: signals, files, bulk output, and the text of a question.

use std::{
    fs::{self, OpenOptions},
    io::{self, Write},
    path::Path,
    sync::{Arc, atomic::AtomicBool},
};

use rustix::process::{getpid, kill_process};
use signal_hook::consts;

use crate::script::{AskUserStep, Signal};

/// Sends a signal to the agent's own process.
pub(crate) fn signal_self(signal: Signal) -> io::Result<()> {
    use rustix::process::Signal as System;
    let signal = match signal {
        Signal::Hup => System::HUP,
        Signal::Int => System::INT,
        Signal::Term => System::TERM,
        Signal::Tstp => System::TSTP,
        Signal::Stop => System::STOP,
        Signal::Kill => System::KILL,
        Signal::Abrt => System::ABORT,
        Signal::Segv => System::SEGV,
        Signal::Pipe => System::PIPE,
        Signal::Winch => System::WINCH,
    };
    kill_process(getpid(), signal)?;
    if signal == System::SEGV {
        // Rust programs handle the first SIGSEGV to detect a stack overflow; the second one kills.
        kill_process(getpid(), signal)?;
    }
    Ok(())
}

/// Ignores a signal from now on, by a handler that does nothing: unlike SIG_IGN it is not inherited by child
/// processes.
pub(crate) fn ignore_signal(signal: Signal) -> io::Result<()> {
    let number = match signal {
        Signal::Hup => consts::SIGHUP,
        Signal::Int => consts::SIGINT,
        Signal::Term => consts::SIGTERM,
        Signal::Tstp => consts::SIGTSTP,
        Signal::Abrt => consts::SIGABRT,
        Signal::Pipe => consts::SIGPIPE,
        Signal::Winch => consts::SIGWINCH,
        Signal::Stop | Signal::Kill | Signal::Segv => {
            return Err(io::Error::other("KILL, STOP and SEGV cannot be ignored; remove them from `ignore`"));
        }
    };
    signal_hook::flag::register(number, Arc::new(AtomicBool::new(false))).map(|_| ())
}

/// Writes a file, creating missing folders.
pub(crate) fn write_file(path: &str, text: &str, append: bool) -> io::Result<()> {
    let path = Path::new(path);
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder)?;
    }
    let mut file = OpenOptions::new().create(true).write(true).append(append).truncate(!append).open(path)?;
    file.write_all(text.as_bytes())
}

/// Returns a question in the message format of the protocol, with the `{key}` placeholder.
pub(crate) fn question_text(ask: &AskUserStep) -> String {
    let key = if std::env::var_os("JANGDAN_KEY").is_some() { " {key}" } else { "" };
    let mut text = format!("[ASK_USER{key}]\nquestion: {}\n", ask.text);
    if !ask.options.is_empty() {
        text.push_str("type: selection\noptions:\n");
        ask.options.iter().for_each(|option| text.push_str(&format!("- {option}\n")));
    }
    text.push_str(&format!("[/ASK_USER{key}]\n"));
    text
}

/// Generates bulk output in blocks. Lines are numbered, so that a missing one is noticed.
pub(crate) struct NumberedLines<'a> {
    bytes_left: usize,
    number: u64,
    line: &'a str,
}

impl<'a> NumberedLines<'a> {
    /// Size of a block; the last line may exceed it.
    const BLOCK_BYTES: usize = 64 * 1024;

    /// Generates `mb` million bytes in total.
    pub(crate) fn new(mb: u64, line: &'a str) -> Self {
        Self {
            bytes_left: usize::try_from(mb.saturating_mul(1_000_000)).unwrap_or(usize::MAX),
            number: 0,
            line,
        }
    }

    /// Returns the next block; the last line is padded with dots to make the total exact.
    pub(crate) fn next_block(&mut self) -> Option<String> {
        if self.bytes_left == 0 {
            return None;
        }
        let mut block = String::with_capacity(Self::BLOCK_BYTES + 128);
        while block.len() < Self::BLOCK_BYTES && self.bytes_left > 0 {
            self.number += 1;
            let mut line = format!("{} {}", self.number, self.line);
            line.push('\n');
            if line.len() > self.bytes_left {
                line = format!("{}\n", ".".repeat(self.bytes_left - 1));
            }
            self.bytes_left -= line.len();
            block.push_str(&line);
        }
        Some(block)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_flood_has_exactly_the_requested_size() {
        let mut flood = NumberedLines::new(1, "가나다");
        let mut all = String::new();
        while let Some(block) = flood.next_block() {
            all.push_str(&block);
        }
        assert!(all.ends_with('\n') && all.starts_with("1 가나다\n2 가나다\n"));
        assert_eq!(all.len(), 1_000_000);
    }
}
