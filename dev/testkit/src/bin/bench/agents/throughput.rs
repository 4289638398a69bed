//! The same output through a bare terminal, through a holder, and read from the spool.
//!
//! The bare read is the ceiling: it reads the terminal and discards the bytes. The terminal does not translate line ends,
//! which would slow down the writer and hide the difference.

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
use holder::spool::{RecordBody, RecordReader};
use protocol::{AcceptedTaskIds, DecodedItem, Decoder, DecoderOptions, KeyRequirement};
use rustix::pty::{OpenptFlags, ioctl_tiocgptpeer, openpt, unlockpt};
use testkit::bench::{Timings, run_named_variants_in_turns};

use crate::child::{self, ProcessGroupTimeLimit, WAIT_MAX};

use super::{
    Fixture,
    session::{Session, shell},
};

const NAMES: [&str; 3] = ["bare PTY read", "holder", "reader"];
const ROUNDS: usize = 9;

/// Measures all three in turns.
pub(super) fn measure(fixture: &Fixture) -> Result<Timings> {
    let script = fixture.shell_script_with_output("stty -opost; ", "exit 0");
    let n_bytes = fixture.output.bytes.len();
    // The reader reads the spool of a session that has ended.
    let mut ended = start_session(fixture, &script)?;
    ended.wait()?;
    let times = run_named_variants_in_turns(ROUNDS, &NAMES, |n| -> Result<Duration> {
        let begin = Instant::now();
        match n {
            0 => {
                let found = run_on_bare_terminal(&script)?;
                ensure!(found == n_bytes, "{n_bytes} bytes were written, {found} read");
            }
            1 => {
                let mut session = start_session(fixture, &script)?;
                session.wait()?;
                let time = begin.elapsed();
                let exit = holder::status::read(&session.directory)?.and_then(|summary| summary.exit);
                let spooled = exit.map_or(0, |exit| exit.offset);
                ensure!(
                    spooled == n_bytes as u64,
                    "{n_bytes} bytes were written, {spooled} are in the spool"
                );
                return Ok(time);
            }
            _ => {
                let found = decode_spool(&ended.directory)?;
                let expected = (n_bytes, fixture.output.n_messages);
                ensure!(found == expected, "{expected:?} bytes and messages were written, {found:?} read");
            }
        }
        Ok(begin.elapsed())
    })?;
    Ok(Timings::new(NAMES.into_iter().zip(times).collect()))
}

fn start_session(fixture: &Fixture, script: &str) -> Result<Session> {
    Session::start(&fixture.program, fixture.root_path(), script)
}

/// Runs a script on a terminal, and returns the number of bytes it wrote.
fn run_on_bare_terminal(script: &str) -> Result<usize> {
    let flags = OpenptFlags::RDWR | OpenptFlags::NOCTTY | OpenptFlags::CLOEXEC;
    let controller = openpt(flags)?;
    unlockpt(&controller)?;
    let terminal = ioctl_tiocgptpeer(&controller, flags)?;
    let [shell, arguments @ ..] = shell(script);
    let mut child = Command::new(shell)
        .args(arguments)
        .stdin(Stdio::from(terminal.try_clone()?))
        .stdout(Stdio::from(terminal.try_clone()?))
        .stderr(Stdio::from(terminal))
        .process_group(0)
        .spawn()?;
    let limit = ProcessGroupTimeLimit::new(&child, WAIT_MAX);
    let mut controller = File::from(controller);
    let mut buffer = vec![0; 64 << 10];
    let mut n_bytes = 0;
    // A terminal that no process has open any more gives an error, not an end.
    while let Ok(length @ 1..) = controller.read(&mut buffer) {
        n_bytes += length;
    }
    child::wait(&mut child, "the script", WAIT_MAX)?;
    limit.stop_and_check()?;
    Ok(n_bytes)
}

/// Reads a spool as a driver does, and returns the number of bytes and messages in it.
fn decode_spool(directory: &Path) -> Result<(usize, usize)> {
    let options = DecoderOptions {
        role: Role::Orchestrator,
        key: None,
        key_requirement: KeyRequirement::Optional,
        task_ids: AcceptedTaskIds::default(),
    };
    let mut decoder = Decoder::new(options);
    let mut reader = RecordReader::open(directory, 0)?;
    let (mut n_bytes, mut n_messages) = (0, 0);
    let count =
        |items: Vec<DecodedItem>| items.iter().filter(|item| matches!(item, DecodedItem::Message(_))).count();
    while let Some(record) = reader.next_record()? {
        if let RecordBody::Output { bytes, .. } = record.body {
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
    fn a_bare_terminal_returns_every_byte() {
        assert_eq!(run_on_bare_terminal("stty -opost; printf 'one\\ntwo\\n'").unwrap(), 8);
    }
}
