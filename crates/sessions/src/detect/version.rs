//! Runs a program to get its version, with a time limit.

use std::{
    ffi::OsStr,
    io::Read,
    path::Path,
    process::{Command, Stdio},
    sync::mpsc,
    thread,
    time::{Duration, Instant},
};

/// A version is a word or two.
const OUTPUT_BYTES_MAX: u64 = 4096;
const SHOWN_CHARS_MAX: usize = 60;
const EXIT_POLL_INTERVAL: Duration = Duration::from_millis(10);

/// Returns the first non-empty line that the program prints.
pub(super) fn read_version(
    program: &Path,
    arguments: &[String],
    path: &OsStr,
    timeout: Duration,
) -> Option<String> {
    let mut child = Command::new(program)
        .args(arguments)
        .env("PATH", path)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .ok()?;
    let output = child.stdout.take()?;
    let (sender, receiver) = mpsc::sync_channel(1);
    // Not joined: a descendant of the program may keep its output open forever.
    thread::spawn(move || {
        let mut text = Vec::new();
        // What was read before an error is enough; the receiver may have stopped waiting.
        let _ = output.take(OUTPUT_BYTES_MAX).read_to_end(&mut text);
        // See above.
        let _ = sender.send(text);
    });
    let deadline = Instant::now() + timeout;
    let text = receiver.recv_timeout(timeout).ok();
    while child.try_wait().is_ok_and(|status| status.is_none()) {
        if Instant::now() >= deadline {
            // Fails only if it has just ended.
            let _ = child.kill();
            // Fails only if something else has waited for it.
            let _ = child.wait();
            break;
        }
        thread::sleep(EXIT_POLL_INTERVAL);
    }
    let text = String::from_utf8(text?).ok()?;
    let line = text.lines().map(str::trim).find(|line| !line.is_empty())?;
    Some(line.chars().filter(|character| !character.is_control()).take(SHOWN_CHARS_MAX).collect())
}
