//! `jangdan audit [RUN]`: the commands that users sent to a run, with where each came from.
//!
//! Reads the log directly. A rejected command changes nothing and is not listed; a refused one of a session is.

use std::{
    io::{self, Write},
    process::ExitCode,
};

use clap::Args;
use domain::{CommandOrigin, EscalationCause, Event, Locale, RecordedEvent, Sequence, Timestamp, events};
use serde::Serialize;
use views::command_origin_text;

use crate::{
    arguments::RunOperandArguments, failure::Failure, printable::printable_json, remote, run_log::RunLog,
    screen::phrases::pick_by_locale, table, timestamp::format_utc,
};

#[derive(Debug, Args)]
pub(crate) struct Arguments {
    #[command(flatten)]
    run: RunOperandArguments,
}

/// A command of a user, or an attempt of a session to send one.
#[derive(Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
struct AuditEntry {
    sequence: Sequence,
    at: Timestamp,
    actor: String,
    /// Name and object of the command; name of its first event in logs of earlier versions.
    command: String,
    /// `None` for refused attempts, and in logs of earlier versions.
    origin: Option<CommandOrigin>,
    /// Whether it was refused because the caller belongs to a session.
    is_refused: bool,
}

pub(crate) fn run(arguments: &Arguments) -> Result<ExitCode, Failure> {
    let log = RunLog::open(&arguments.run)?;
    let mut trail = AuditTrail::default();
    log.for_each_event::<Failure>(log.last, |recorded| {
        trail.add(&recorded);
        Ok(())
    })?;
    let entries = trail.finish();
    let printed = if arguments.run.common().json { print_json(&entries) } else { print_table(&entries) };
    Failure::exit_after_output(printed)
}

/// Collects the commands from the events of a run.
#[derive(Default)]
struct AuditTrail {
    entries: Vec<AuditEntry>,
    /// The first event of a user's command, whose origin may follow.
    open: Option<AuditEntry>,
}

impl AuditTrail {
    fn add(&mut self, recorded: &RecordedEvent) {
        let entry = |command: String, origin, is_refused| AuditEntry {
            sequence: recorded.sequence,
            at: recorded.at,
            actor: recorded.actor.to_string(),
            command,
            origin,
            is_refused,
        };
        // All events of a command have the same time.
        if self.open.as_ref().is_some_and(|open| open.at != recorded.at) {
            self.entries.extend(self.open.take());
        }
        if let Event::CommandExecuted(events::CommandExecuted { command, origin }) = &recorded.event {
            self.open = None;
            self.entries.push(entry(command.clone(), Some(origin.clone()), false));
        } else if let Event::EscalationRaised(events::EscalationRaised {
            cause: Some(EscalationCause::ActedAsUser { process }),
            description,
            ..
        }) = &recorded.event
        {
            let attempt = AuditEntry { actor: process.clone(), ..entry(description.clone(), None, true) };
            self.entries.push(attempt);
        } else if recorded.actor.is_person() && self.open.is_none() {
            self.open = Some(entry(recorded.event.name().to_owned(), None, false));
        }
    }

    fn finish(mut self) -> Vec<AuditEntry> {
        self.entries.extend(self.open.take());
        self.entries
    }
}

fn print_json(entries: &[AuditEntry]) -> io::Result<()> {
    let mut out = io::BufWriter::new(io::stdout().lock());
    for entry in entries {
        writeln!(out, "{}", printable_json(entry)?)?;
    }
    out.flush()
}

fn print_table(entries: &[AuditEntry]) -> io::Result<()> {
    let locale = remote::environment_locale();
    let mut out = io::BufWriter::new(anstream::stdout().lock());
    let lines = entries.iter().map(|entry| {
        let origin = match &entry.origin {
            Some(origin) => command_origin_text(origin, locale),
            None if entry.is_refused => pick_by_locale(locale, "refused", "거부됨").to_owned(),
            None => pick_by_locale(locale, "unknown", "알 수 없음").to_owned(),
        };
        let actor = entry.actor.strip_prefix("person:").unwrap_or(&entry.actor).to_owned();
        [format_utc(entry.at), entry.sequence.0.to_string(), actor, entry.command.clone(), origin]
    });
    let (title, heads) = match locale {
        Locale::En => ("Commands", ["time", "event", "user", "command", "from"]),
        Locale::Ko => ("명령", ["시각", "이벤트", "사용자", "명령", "출처"]),
    };
    table::print_table(&mut out, title, heads, lines)?;
    out.flush()
}

#[cfg(test)]
mod tests {
    use domain::{Actor, CommandInterface};

    use super::*;

    #[test]
    fn commands_are_listed_once_with_their_origin() {
        let person = || Actor::Person("ana".to_owned());
        let origin = CommandOrigin {
            interface: CommandInterface::Page,
            process: Some(7),
            program: Some("firefox".into()),
        };
        let executed = events::CommandExecuted { command: "pauseRun".to_owned(), origin: origin.clone() };
        let mut trail = AuditTrail::default();
        let recorded = [
            (1, 10, person(), Event::from(events::RunPaused {})),
            (2, 10, person(), executed.into()),
            (3, 20, person(), events::RunContinued {}.into()),
            (4, 30, Actor::System, events::RunReopened {}.into()),
        ];
        for (sequence, at, actor, event) in recorded {
            trail.add(&RecordedEvent { sequence: Sequence(sequence), at: Timestamp(at), actor, event });
        }
        let entries: Vec<_> =
            trail.finish().into_iter().map(|entry| (entry.sequence.0, entry.command, entry.origin)).collect();
        assert_eq!(
            entries,
            [(2, "pauseRun".to_owned(), Some(origin)), (3, "RunContinued".to_owned(), None)],
            "the second is of an earlier version"
        );
    }
}
