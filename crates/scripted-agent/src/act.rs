//! What a step does to the world: signals, files, very much text, a question's words.

use std::{
    fs::{self, OpenOptions},
    io::{self, Write},
    path::Path,
    sync::{Arc, atomic::AtomicBool},
};

use rustix::process::{getpid, kill_process};
use signal_hook::consts;

use crate::script::{Ask, Signal};

/// Sends a signal to the player itself.
pub fn send_to_self(signal: Signal) -> io::Result<()> {
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
        // The first one only takes away the handler by which Rust programs tell an overflown stack.
        kill_process(getpid(), signal)?;
    }
    Ok(())
}

/// Pays no heed to a signal from now on. It is caught and forgotten, so that what the player starts obeys again.
pub fn ignore(signal: Signal) -> io::Result<()> {
    let number = match signal {
        Signal::Hup => consts::SIGHUP,
        Signal::Int => consts::SIGINT,
        Signal::Term => consts::SIGTERM,
        Signal::Tstp => consts::SIGTSTP,
        Signal::Abrt => consts::SIGABRT,
        Signal::Pipe => consts::SIGPIPE,
        Signal::Winch => consts::SIGWINCH,
        Signal::Stop | Signal::Kill | Signal::Segv => {
            return Err(io::Error::other(
                "no process can ignore KILL, STOP or SEGV; take it out of `ignore`",
            ));
        }
    };
    signal_hook::flag::register(number, Arc::new(AtomicBool::new(false))).map(|_| ())
}

/// Writes a file, with the folders that it needs.
pub fn write_file(path: &str, text: &str, append: bool) -> io::Result<()> {
    let path = Path::new(path);
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder)?;
    }
    let mut file = OpenOptions::new().create(true).write(true).append(append).truncate(!append).open(path)?;
    file.write_all(text.as_bytes())
}

/// Writes a question in the protocol's own words, with the place for the key.
pub fn question(ask: &Ask) -> String {
    let key = if std::env::var_os("JANGDAN_KEY").is_some() { " {key}" } else { "" };
    let mut text = format!("[ASK_USER{key}]\nquestion: {}\n", ask.text);
    if !ask.options.is_empty() {
        text.push_str("type: selection\noptions:\n");
        ask.options.iter().for_each(|option| text.push_str(&format!("- {option}\n")));
    }
    text.push_str(&format!("[/ASK_USER{key}]\n"));
    text
}

/// Very much text, a block at a time. Each line has its number, so that a missing one is seen.
pub struct Flood<'a> {
    left: usize,
    number: u64,
    line: &'a str,
}

impl<'a> Flood<'a> {
    /// As much as is written at once.
    const BLOCK: usize = 64 * 1024;

    /// A flood of so many millions of bytes.
    pub fn new(mb: u64, line: &'a str) -> Self {
        Self { left: usize::try_from(mb.saturating_mul(1_000_000)).unwrap_or(usize::MAX), number: 0, line }
    }

    /// Returns the next block; the last line is filled up with dots, so that the number of bytes is exact.
    pub fn next_block(&mut self) -> Option<String> {
        if self.left == 0 {
            return None;
        }
        let mut block = String::with_capacity(Self::BLOCK + 128);
        while block.len() < Self::BLOCK && self.left > 0 {
            self.number += 1;
            let mut line = format!("{} {}", self.number, self.line);
            line.push('\n');
            if line.len() > self.left {
                line = format!("{}\n", ".".repeat(self.left - 1));
            }
            self.left -= line.len();
            block.push_str(&line);
        }
        Some(block)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_flood_is_exactly_as_large_as_it_was_wanted() {
        let mut flood = Flood::new(1, "가나다");
        let mut all = String::new();
        while let Some(block) = flood.next_block() {
            all.push_str(&block);
        }
        assert!(all.ends_with('\n') && all.starts_with("1 가나다\n2 가나다\n"));
        assert_eq!(all.len(), 1_000_000);
    }
}
