//! The same flood through a bare terminal, through a holder, and out of the spool again.
//!
//! The bare read is the ceiling: it reads the terminal and forgets. The terminal does not translate line ends, which would
//! slow down its writer and make both look alike.

use std::{
    fs::File,
    io::Read,
    os::unix::process::CommandExt,
    path::Path,
    process::{Command, Stdio},
    time::{Duration, Instant},
};

use anyhow::{Result, ensure};
use domain::Role;
use holder::spool::{Body, Reader};
use protocol::{Decoder, Item, Keys, Options};
use rustix::pty::{OpenptFlags, ioctl_tiocgptpeer, openpt, unlockpt};
use testkit::bench::{Timings, in_named_turns};

use crate::child::{self, GroupLimit, WAIT_MAX};

use super::{
    Ground,
    session::{Session, shell},
};

const NAMES: [&str; 3] = ["bare PTY read", "holder", "reader"];
const ROUNDS: usize = 9;

/// Measures all three in turns.
pub fn measure_all(ground: &Ground) -> Result<Timings> {
    let script = ground.flood_script("stty -opost; ", "exit 0");
    let n_bytes = ground.flood.bytes.len();
    // What the reader reads: the spool of a session that is over.
    let mut written = start(ground, &script)?;
    written.wait()?;
    let times = in_named_turns(ROUNDS, &NAMES, |n| -> Result<Duration> {
        let begin = Instant::now();
        match n {
            0 => {
                let found = read_bare(&script)?;
                ensure!(found == n_bytes, "{n_bytes} bytes were written, {found} read");
            }
            1 => {
                let mut session = start(ground, &script)?;
                session.wait()?;
                let time = begin.elapsed();
                let kept = holder::status::read(&session.directory)?.and_then(|summary| summary.exit);
                let kept = kept.map_or(0, |exit| exit.offset);
                ensure!(kept == n_bytes as u64, "{n_bytes} bytes were written, {kept} are in the spool");
                return Ok(time);
            }
            _ => {
                let found = read_spool(&written.directory)?;
                let expected = (n_bytes, ground.flood.n_messages);
                ensure!(found == expected, "{expected:?} bytes and messages were written, {found:?} read");
            }
        }
        Ok(begin.elapsed())
    })?;
    Ok(Timings::new(NAMES.into_iter().zip(times).collect()))
}

fn start(ground: &Ground, script: &str) -> Result<Session> {
    Session::start(&ground.program, ground.path(), script)
}

/// Runs a script on a terminal, and returns how many bytes it wrote.
fn read_bare(script: &str) -> Result<usize> {
    let flags = OpenptFlags::RDWR | OpenptFlags::NOCTTY | OpenptFlags::CLOEXEC;
    let ours = openpt(flags)?;
    unlockpt(&ours)?;
    let theirs = ioctl_tiocgptpeer(&ours, flags)?;
    let [shell, arguments @ ..] = shell(script);
    let mut child = Command::new(shell)
        .args(arguments)
        .stdin(Stdio::from(theirs.try_clone()?))
        .stdout(Stdio::from(theirs.try_clone()?))
        .stderr(Stdio::from(theirs))
        .process_group(0)
        .spawn()?;
    let limit = GroupLimit::new(&child, WAIT_MAX);
    let mut terminal = File::from(ours);
    let mut buffer = vec![0; 64 << 10];
    let mut n_bytes = 0;
    // A terminal that no process has open any more gives an error, not an end.
    while let Ok(length @ 1..) = terminal.read(&mut buffer) {
        n_bytes += length;
    }
    child::wait(&mut child, "the script", WAIT_MAX)?;
    limit.check()?;
    Ok(n_bytes)
}

/// Reads a spool as whoever drives the agent does, and returns how many bytes and messages were in it.
fn read_spool(directory: &Path) -> Result<(usize, usize)> {
    let options = Options { role: Role::Orchestrator, key: None, keys: Keys::Optional, numeric_ids: false };
    let mut decoder = Decoder::new(options);
    let mut reader = Reader::open(directory, 0)?;
    let (mut n_bytes, mut n_messages) = (0, 0);
    let count = |items: Vec<Item>| items.iter().filter(|item| matches!(item, Item::Message(_))).count();
    while let Some(record) = reader.next_record()? {
        if let Body::Output { bytes, .. } = record.body {
            n_bytes += bytes.len();
            n_messages += count(decoder.push(&bytes));
        }
    }
    Ok((n_bytes, n_messages + count(decoder.end_turn())))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bare_terminal_gives_every_byte() {
        assert_eq!(read_bare("stty -opost; printf 'one\\ntwo\\n'").unwrap(), 8);
    }
}
