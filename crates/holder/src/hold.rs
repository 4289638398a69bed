//! The holder itself: one process, one loop, one agent.
//!
//! It leads a session of its own, so that it survives who started it and the agent can lead a foreground group in it;
//! and it is the reaper of all its descendants, so that none can get away.

mod agent;
mod clock;
mod connection;
mod ending;
mod inputs;
mod outputs;
mod pause;
mod requests;
mod session;

use std::{env::ArgsOs, io, os::fd::OwnedFd, path::Path, process::ExitCode};

use rustix::{
    fs::{Mode, OFlags},
    process::{getpid, set_child_subreaper, setsid},
};

use crate::system;
use session::Session;

/// Runs the program `jangdan-holder DIRECTORY`: serves the connection that is its standard input, until its agent ended.
///
/// Nothing is printed: who starts it reads the replies and the files.
pub fn hold(arguments: ArgsOs) -> ExitCode {
    let mut arguments = arguments.skip(1);
    let (Some(directory), None) = (arguments.next(), arguments.next()) else {
        eprintln!("error: jangdan-holder takes the folder of a session, and a connection as standard input");
        eprintln!("hint: it is started by jangdan; there is nothing to do with it by hand");
        return ExitCode::from(2);
    };
    match begin(Path::new(&directory)) {
        Ok(session) => session.run(),
        Err(error) => {
            eprintln!("error: hold a session: {error}");
            ExitCode::FAILURE
        }
    }
}

fn begin(directory: &Path) -> io::Result<Session> {
    // Fails only where the process leads a session already, which is as good.
    let _ = setsid();
    set_child_subreaper(Some(getpid()))?;
    let signals = system::signals()?;
    // Paths of the session are short from here on, and no other folder is kept busy.
    std::env::set_current_dir(directory)?;
    let first = take_standard_input()?;
    Session::new(signals, first)
}

/// Moves the connection away from standard input, so that no descendant can inherit it.
fn take_standard_input() -> io::Result<OwnedFd> {
    let first = rustix::io::fcntl_dupfd_cloexec(rustix::stdio::stdin(), 3)?;
    let nothing = rustix::fs::open(c"/dev/null", OFlags::RDWR | OFlags::CLOEXEC, Mode::empty())?;
    rustix::stdio::dup2_stdin(&nothing)?;
    Ok(first)
}
