//! Sends a command to a run and reports what was done.

use std::{collections::BTreeMap, process::ExitCode};

use domain::{Sequence, UserCommand};
use serde::Serialize;
use server::SecretText;
use views::RunRow;

use crate::{
    arguments::{CommonArguments, RunArguments},
    failure::Failure,
    localized::localized,
    printable::{printable, printable_json},
    remote,
    row_source::RowSource,
};

/// Reports a command line that clap accepts but the command does not.
pub(crate) fn usage_error(message: &str) -> Failure {
    Failure {
        what: message.to_owned(),
        hint: Some(localized("See --help.", "--help 옵션으로 사용법을 확인하세요.")),
        exit: 2,
    }
}

/// Reports that neither a task nor a phase is named.
pub(crate) fn missing_subject_failure() -> Failure {
    usage_error(&localized(
        "Name a task, or a phase with --phase N.",
        "작업을 지정하거나 --phase N으로 단계를 지정하세요.",
    ))
}

/// Joins the words of a free text; `None` if it is blank.
pub(crate) fn join_words(words: &[String]) -> Option<String> {
    Some(words.join(" ")).filter(|text| !text.trim().is_empty())
}

#[derive(Serialize)]
struct AcceptedCommandOutput<'a> {
    run: &'a str,
    sequence: u64,
}

/// A run on a server that accepts commands.
pub(crate) struct RunTarget<'a> {
    common: &'a CommonArguments,
    pub source: RowSource,
    pub run: RunRow,
}

impl<'a> RunTarget<'a> {
    /// Connects to the server, which must be running, and finds the run.
    pub(crate) fn find(common: &'a CommonArguments, name: Option<&str>) -> Result<Self, Failure> {
        let source = RowSource::connect_to_server(common)?;
        let run = source.find_run(name)?;
        Ok(Self { common, source, run })
    }

    /// Sends a command as this user. Prints the run and `done`, what was done in the user's language; with `--json` the
    /// number of the recorded event.
    pub(crate) fn send_command(&self, command: &UserCommand, done: &str) -> Result<ExitCode, Failure> {
        let sequence = self.send_values(command, BTreeMap::new())?;
        self.print_done(sequence, done)
    }

    /// Sends a command as this user, with the values that it provides.
    pub(crate) fn send_values(
        &self,
        command: &UserCommand,
        values: BTreeMap<String, SecretText>,
    ) -> Result<Sequence, Failure> {
        let client =
            self.source.client().ok_or_else(|| remote::no_server_failure(self.source.data_directory()))?;
        let person = runtime::prepare::user_name();
        let sent = client.send_command_with_values(&self.run.id, &person, command, values);
        sent.map_err(|error| remote::client_failure(&error))
    }

    /// Prints the run and what was done; with `--json` the number of the recorded event.
    pub(crate) fn print_done(&self, sequence: Sequence, done: &str) -> Result<ExitCode, Failure> {
        if self.common.json {
            let accepted = AcceptedCommandOutput { run: self.run.id.as_str(), sequence: sequence.0 };
            println!("{}", printable_json(&accepted).unwrap_or_default());
        } else {
            let run = localized("Run", "실행");
            eprintln!("{}", printable(&format!("{run} {}: {done}", self.run.id)));
        }
        Ok(ExitCode::SUCCESS)
    }
}

/// Finds the run and sends a command to it.
pub(crate) fn send_run_command(
    arguments: &RunArguments,
    command: &UserCommand,
    done: &str,
) -> Result<ExitCode, Failure> {
    RunTarget::find(&arguments.common, arguments.run_name())?.send_command(command, done)
}
