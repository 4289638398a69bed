//! `jangdan session log`: prints the output of a session from its spool.

use std::{
    collections::BTreeMap,
    io::{self, Write},
    process::ExitCode,
};

use anstream::adapter::StripBytes;
use drivers::DriverCheckpoint;
use holder::spool::{OutputSource, RecordBody, RecordFollower};
use sessions::{
    InputRecord, SessionEntry, SessionError, SessionObserver, SessionReport, SessionState, Sessions,
};

use super::{
    SessionArgument, agent_conversation, conversation_printer::ConversationPrinter, has_protocol_driver,
    session_failure,
};
use crate::{failure::Failure, number::parse_number, printable::PrintableStream};

#[derive(Debug, clap::Args)]
pub(super) struct Arguments {
    #[command(flatten)]
    session: SessionArgument,
    /// Continue with new output until the session ends
    #[arg(long, short)]
    follow: bool,
    /// Print the bytes unchanged, with all escape sequences
    #[arg(long)]
    raw: bool,
    /// Start at this byte of the output; a conversation is always printed as a whole
    #[arg(long, value_name = "OFFSET", value_parser = parse_number::<u64>, default_value_t = 0)]
    from: u64,
}

pub(super) fn run(sessions: &Sessions, arguments: &Arguments) -> Result<ExitCode, Failure> {
    let entry = sessions.find(&arguments.session.name).map_err(session_failure)?;
    if has_protocol_driver(&entry) && !arguments.raw {
        return print_conversation(&entry, arguments);
    }
    let damaged = |source| session_failure(SessionError::Spool { name: entry.name.clone(), source });
    let mut follower = RecordFollower::open(&entry.directory, arguments.from).map_err(damaged)?;
    let is_running = matches!(entry.state, SessionState::Alive(_));
    let mut out = io::stdout().lock();
    // The output of an agent must not control the user's terminal.
    let mut strip = (!arguments.raw).then(|| (StripBytes::new(), PrintableStream::default()));
    loop {
        let record = match follower.try_next() {
            Ok(None) if arguments.follow && is_running => {
                if let Err(error) = out.flush() {
                    return exit_on_output_error(&error);
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
            // Messages of helpers are for Jangdan.
            RecordBody::Output { stream: OutputSource::SideChannel, .. } => {}
            RecordBody::Output { bytes, .. } => {
                let result = match &mut strip {
                    Some((strip, printable)) => {
                        let stripped: Vec<u8> = strip.strip_next(&bytes).flatten().copied().collect();
                        out.write_all(printable.clean(&stripped).as_bytes())
                    }
                    None => out.write_all(&bytes),
                };
                if let Err(error) = result {
                    return exit_on_output_error(&error);
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
        Err(error) => exit_on_output_error(&error),
    }
}

/// Prints the conversation with an agent instead of its raw output.
fn print_conversation(entry: &SessionEntry, arguments: &Arguments) -> Result<ExitCode, Failure> {
    let record = InputRecord::read(&entry.directory).map_err(session_failure)?;
    let inputs: BTreeMap<_, _> = record.inputs.into_iter().collect();
    let Some(driver) = agent_conversation::set_up_session_driver(entry, DriverCheckpoint::default()) else {
        return Ok(ExitCode::SUCCESS);
    };
    let mut observer = SessionObserver::open(&entry.directory, driver).map_err(session_failure)?;
    let mut printer = ConversationPrinter::new(anstream::stdout().lock());
    let is_running = matches!(entry.state, SessionState::Alive(_));
    loop {
        let next = if arguments.follow && is_running {
            observer.next_reports(None)
        } else {
            observer.try_next_reports()
        };
        let Some(update) = next.map_err(session_failure)? else { return Ok(ExitCode::SUCCESS) };
        for report in &update.reports {
            // An input that was recorded after this process started is not printed.
            let printed = match report {
                SessionReport::InputWritten { number } => {
                    inputs.get(number).map_or(Ok(()), |input| printer.print_input(input))
                }
                SessionReport::Event(_) | SessionReport::Ended(_) | SessionReport::Lost => {
                    printer.print_report(report)
                }
            };
            if let Err(error) = printed {
                return exit_on_output_error(&error);
            }
            if let SessionReport::Ended(_) = report {
                return Ok(ExitCode::SUCCESS);
            }
        }
    }
}

fn exit_on_output_error(error: &io::Error) -> Result<ExitCode, Failure> {
    Failure::from_output_error(error).map_or(Ok(ExitCode::SUCCESS), Err)
}
