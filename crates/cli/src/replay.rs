//! `jangdan replay [RUN] --to SEQ`: the rows of a run as they were after an event, rebuilt from the log alone.

use std::{
    collections::BTreeMap,
    io::{self, Write},
    process::ExitCode,
};

use clap::Args;
use domain::{RunId, Sequence, Timestamp};
use runtime::ReplayedRun;
use serde::Serialize;
use views::{Row, RowKind};

use crate::{
    arguments::RunOperandArguments, failure::Failure, localized::localized, number::parse_number,
    printable::printable_json, run_log::RunLog,
};

mod tables;

#[derive(Debug, Args)]
pub(crate) struct Arguments {
    #[command(flatten)]
    run: RunOperandArguments,
    /// Number of the event [default: the last one]
    #[arg(long, value_name = "SEQ", value_parser = parse_number::<u64>)]
    to: Option<u64>,
}

/// All rows of a run after an event.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct ReplayedRows {
    run: RunId,
    sequence: Sequence,
    at: Timestamp,
    rows: BTreeMap<&'static str, Vec<Row>>,
}

pub(crate) fn run(arguments: &Arguments) -> Result<ExitCode, Failure> {
    let log = RunLog::open(&arguments.run)?;
    let to = arguments.to.map_or(log.last, Sequence);
    if to > log.last {
        let what = localized(
            format!("Run {} has no event {to}.", log.run),
            format!("실행 {}: 없는 이벤트입니다({to}).", log.run),
        );
        return Err(Failure {
            what,
            hint: Some(localized(
                format!("Its last event is {}.", log.last),
                format!("마지막 이벤트: {}", log.last),
            )),
            exit: 1,
        });
    }
    let mut replayed = ReplayedRun::new(log.run.clone());
    let mut at = Timestamp::default();
    log.for_each_event(to, |recorded| {
        replayed.apply(&recorded);
        at = recorded.at;
        Ok::<(), Failure>(())
    })?;
    let views = replayed.views();
    let printed = if arguments.run.common().json {
        let rows = RowKind::ALL.iter().map(|kind| (kind.name(), views.rows().of_kind(*kind))).collect();
        print_json(&ReplayedRows { run: log.run, sequence: to, at, rows })
    } else {
        tables::print(views, &log.run, to, at)
    };
    Failure::exit_after_output(printed)
}

fn print_json(replay: &ReplayedRows) -> io::Result<()> {
    let mut stdout = io::stdout().lock();
    writeln!(stdout, "{}", printable_json(replay)?)?;
    stdout.flush()
}
