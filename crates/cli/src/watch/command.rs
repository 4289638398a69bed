//! `jangdan watch [RUN]`: shows a run of another process live.

use std::process::ExitCode;

use clap::Args;
use domain::UserCommand;

use super::{WatchOptions, WatchOutcome, watch};
use crate::{
    arguments::RunOperandArguments, failure::Failure, remote, row_source::RowSource, run::print_next_step,
    status,
};

#[derive(Debug, Args)]
pub(crate) struct Arguments {
    #[command(flatten)]
    run: RunOperandArguments,
    /// Exit with status 3 as soon as the run needs you to continue
    #[arg(long)]
    no_wait: bool,
}

pub(crate) fn run(arguments: &Arguments) -> Result<ExitCode, Failure> {
    let common = arguments.run.common();
    let source = RowSource::open(common)?;
    let run = source.find_run(arguments.run.run_name())?;
    if let (None, Some(outcome)) = (source.client(), WatchOutcome::from_run(&run)) {
        // The run has ended: the log has everything, no server is needed.
        status::show(&source, &run, status::ListedTasks::Notable)?;
        return Ok(outcome.exit_code());
    }
    let client = remote::require_client(common)?;
    let options = WatchOptions {
        json: common.json,
        from_start: false,
        no_wait: arguments.no_wait,
        locale: remote::environment_locale(),
        person: runtime::prepare::user_name(),
    };
    let outcome = watch(&client, &run.id, &options)?;
    if outcome == WatchOutcome::StopAgents {
        // The server belongs to another process, so only this run is paused.
        let paused = client.send_command(&run.id, &options.person, &UserCommand::PauseRun);
        paused.map_err(|error| remote::client_failure(&error))?;
    }
    if !common.json {
        print_next_step(&run.id, outcome, false);
    }
    Ok(outcome.exit_code())
}
