//! Asks a program for its version, and does not wait for one that does not answer.

use std::{
    ffi::OsStr,
    io::Read,
    path::Path,
    process::{Command, Stdio},
    sync::mpsc,
    thread,
    time::{Duration, Instant},
};

/// A version is a word or two; whoever prints more has something else to say.
const OUTPUT_BYTES_MAX: u64 = 4096;
const SHOWN_CHARS_MAX: usize = 60;
/// As often a program is looked at.
const LOOK: Duration = Duration::from_millis(10);

/// Returns the first line that the program prints.
pub(super) fn ask(program: &Path, arguments: &[String], path: &OsStr, wait: Duration) -> Option<String> {
    let mut child = Command::new(program)
        .args(arguments)
        .env("PATH", path)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .ok()?;
    let output = child.stdout.take()?;
    let (said, hear) = mpsc::sync_channel(1);
    // Not joined: what a program left behind may hold its output open for ever.
    thread::spawn(move || {
        let mut text = Vec::new();
        let _ = output.take(OUTPUT_BYTES_MAX).read_to_end(&mut text);
        let _ = said.send(text);
    });
    let until = Instant::now() + wait;
    let text = hear.recv_timeout(wait).ok();
    while child.try_wait().is_ok_and(|status| status.is_none()) {
        if Instant::now() >= until {
            let _ = child.kill();
            let _ = child.wait();
            break;
        }
        thread::sleep(LOOK);
    }
    let text = String::from_utf8(text?).ok()?;
    let line = text.lines().map(str::trim).find(|line| !line.is_empty())?;
    Some(line.chars().filter(|sign| !sign.is_control()).take(SHOWN_CHARS_MAX).collect())
}
