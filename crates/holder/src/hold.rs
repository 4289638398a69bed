//! The holder itself: one process, one loop, one agent.
//!
//! It leads a session of its own, so that it survives who started it and the agent can lead a foreground group in it;
//! and it is the reaper of all its descendants, so that none can get away.

mod agent;
mod clock;
mod connection;
mod ending;
mod held;
mod inputs;
mod outputs;
mod pause;
mod program;
mod requests;
mod session;
mod start;

use std::{io, os::fd::OwnedFd, process::ExitCode};

use rustix::{
    fs::{Mode, OFlags},
    net::sockopt::socket_peercred,
    process::{getpid, set_child_subreaper},
};

use crate::system;
use session::Session;

/// Runs the program `jangdan-holder`: serves the connection that is its standard input, until its agent ended.
///
/// It prints nothing once it runs: who started it reads the replies and the files.
pub fn hold() -> ExitCode {
    match begin() {
        Ok(session) => session.run(),
        Err(error) => {
            eprintln!("error: hold a session: {error}");
            eprintln!("hint: this program is started by jangdan; there is nothing to do with it by hand");
            ExitCode::FAILURE
        }
    }
}

fn begin() -> io::Result<Session> {
    // First, as this tells a client from a person who tries what it does.
    let first = take_standard_input()?;
    set_child_subreaper(Some(getpid()))?;
    let signals = system::signals()?;
    Session::new(signals, first)
}

/// Moves the connection away from standard input, so that no descendant can inherit it.
fn take_standard_input() -> io::Result<OwnedFd> {
    socket_peercred(rustix::stdio::stdin())?;
    let first = rustix::io::fcntl_dupfd_cloexec(rustix::stdio::stdin(), 3)?;
    let nothing = rustix::fs::open(c"/dev/null", OFlags::RDWR | OFlags::CLOEXEC, Mode::empty())?;
    rustix::stdio::dup2_stdin(&nothing)?;
    Ok(first)
}
