//! The holder process: one loop, one agent.
//!
//! It leads its own session, so that it survives its parent and the agent can lead a foreground group. It is the
//! subreaper of all its descendants, so that none escapes.

mod agent;
mod agent_session;
mod client_connection;
mod event_loop;
mod input_queue;
mod output_collector;
mod pause;
mod program_lookup;
mod requests;
mod start;
mod termination;
mod time_limit;

use std::{io, os::fd::OwnedFd, process::ExitCode};

use rustix::{
    fs::{Mode, OFlags},
    net::sockopt::socket_peercred,
    process::{getpid, set_child_subreaper},
};

use crate::system;
use event_loop::EventLoop;

/// Runs the program `jangdan-holder`: serves the connection on standard input until the agent has ended.
///
/// Prints nothing once it runs; clients read replies and files.
pub fn run_holder() -> ExitCode {
    match create_event_loop() {
        Ok(session) => session.run(),
        Err(error) => {
            eprintln!("error: cannot run a session: {error}");
            eprintln!("hint: this program is started by jangdan and not meant to be run by hand");
            ExitCode::FAILURE
        }
    }
}

fn create_event_loop() -> io::Result<EventLoop> {
    // First of all, because it fails if a person starts the program by hand.
    let first = take_standard_input()?;
    set_child_subreaper(Some(getpid()))?;
    let signals = system::redirect_signals()?;
    EventLoop::new(signals, first)
}

/// Moves the connection away from standard input, so that descendants do not inherit it.
fn take_standard_input() -> io::Result<OwnedFd> {
    socket_peercred(rustix::stdio::stdin())?;
    let first = rustix::io::fcntl_dupfd_cloexec(rustix::stdio::stdin(), 3)?;
    let nothing = rustix::fs::open(c"/dev/null", OFlags::RDWR | OFlags::CLOEXEC, Mode::empty())?;
    rustix::stdio::dup2_stdin(&nothing)?;
    Ok(first)
}
