//! `jangdan session log`: what a session has written, from its spool.

use std::{
    collections::BTreeMap,
    io::{self, Write},
    process::ExitCode,
};

use anstream::adapter::StripBytes;
use drivers::DriverCheckpoint;
use holder::spool::{RecordBody, RecordFollower, Stream};
use sessions::{
    InputRecord, SessionEntry, SessionError, SessionObserver, SessionReport, SessionState, Sessions,
};

use super::{Named, converse, failure, is_spoken_with, show::Show};
use crate::failure::Failure;

#[derive(Debug, clap::Args)]
pub struct Arguments {
    #[command(flatten)]
    named: Named,
    /// Goes on with what the session writes from now on
    #[arg(long, short)]
    follow: bool,
    /// Prints the bytes as they were written, with all that a terminal would obey
    #[arg(long)]
    raw: bool,
    /// Begins at this byte of the output; an agent's conversation is shown whole
    #[arg(long, value_name = "OFFSET", default_value_t = 0)]
    from: u64,
}

pub fn run(sessions: &Sessions, arguments: &Arguments) -> Result<ExitCode, Failure> {
    let found = sessions.find(&arguments.named.name).map_err(failure)?;
    if is_spoken_with(&found) && !arguments.raw {
        return conversation(&found, arguments);
    }
    let damaged = |source| failure(SessionError::Spool { name: found.name.clone(), source });
    let mut follower = RecordFollower::open(&found.directory, arguments.from).map_err(damaged)?;
    let lives = matches!(found.state, SessionState::Alive(_));
    let mut out = io::stdout().lock();
    // What an agent wrote must not take a person's terminal over.
    let mut strip = (!arguments.raw).then(StripBytes::new);
    loop {
        let record = match follower.try_next() {
            Ok(None) if arguments.follow && lives => {
                if let Err(error) = out.flush() {
                    return written(&error);
                }
                follower.next_until(None)
            }
            other => other,
        };
        let record = match record {
            Ok(Some(record)) => record,
            Ok(None) => break,
            Err(error) => return Err(damaged(error)),
        };
        match record.body {
            // What a helper said beside the output is for Jangdan, not for who reads along.
            RecordBody::Output { stream: Stream::SideChannel, .. } => {}
            RecordBody::Output { bytes, .. } => {
                let result = match &mut strip {
                    Some(strip) => strip.strip_next(&bytes).try_for_each(|part| out.write_all(part)),
                    None => out.write_all(&bytes),
                };
                if let Err(error) = result {
                    return written(&error);
                }
            }
            RecordBody::Exit(_) => break,
            RecordBody::Input { .. }
            | RecordBody::TurnEnd { .. }
            | RecordBody::Resize { .. }
            | RecordBody::Gap { .. }
            | RecordBody::Unknown { .. } => {}
        }
    }
    match out.flush() {
        Ok(()) => Ok(ExitCode::SUCCESS),
        Err(error) => written(&error),
    }
}

/// Shows what was said, and not how it was written.
fn conversation(found: &SessionEntry, arguments: &Arguments) -> Result<ExitCode, Failure> {
    let record = InputRecord::read(&found.directory).map_err(failure)?;
    let inputs: BTreeMap<_, _> = record.inputs.into_iter().collect();
    let Some(driver) = converse::driver_of(found, DriverCheckpoint::default()) else {
        return Ok(ExitCode::SUCCESS);
    };
    let mut watching = SessionObserver::open(&found.directory, driver).map_err(failure)?;
    let mut show = Show::new(anstream::stdout().lock());
    let lives = matches!(found.state, SessionState::Alive(_));
    loop {
        let next = if arguments.follow && lives { watching.next(None) } else { watching.try_next() };
        let Some(moment) = next.map_err(failure)? else { return Ok(ExitCode::SUCCESS) };
        for seen in &moment.reports {
            // An input that was recorded after this process began to read is not shown.
            let shown = match seen {
                SessionReport::InputWritten { number } => {
                    inputs.get(number).map_or(Ok(()), |input| show.told(input))
                }
                _ => show.seen(seen),
            };
            if let Err(error) = shown {
                return written(&error);
            }
            if let SessionReport::Ended(_) = seen {
                return Ok(ExitCode::SUCCESS);
            }
        }
    }
}

fn written(error: &io::Error) -> Result<ExitCode, Failure> {
    Failure::from_output(error).map_or(Ok(ExitCode::SUCCESS), Err)
}
