//! `jangdan plan diff|take|leave [RUN]`: changes of a plan file during its run. `jangdan plan met NAME`: an external
//! dependency is there.

use std::{
    io::{self, Write},
    process::ExitCode,
};

use anstyle::{AnsiColor, Style};
use clap::Args;
use domain::{OfferId, UserCommand};
use views::{PlanOfferRow, PlanOfferState, RunRow};

use crate::{
    arguments::{RunArguments, RunOperandArguments},
    failure::{Failure, print_hint},
    localized::localized,
    printable::{printable_json, printable_line},
    remote,
    row_source::RowSource,
    run_command::{RunTarget, send_run_command},
    screen::plan_diff::{DiffKind, DiffLine, plan_diff},
};

#[derive(Debug, Args)]
pub(crate) struct Arguments {
    #[command(flatten)]
    run: RunOperandArguments,
}

#[derive(Debug, Args)]
pub(crate) struct MarkMetArguments {
    /// Name of the external dependency, as in the plan
    name: String,
    #[command(flatten)]
    run: RunArguments,
}

/// Prints the difference between the plan file and the plan of the run.
pub(crate) fn diff(arguments: &Arguments) -> Result<ExitCode, Failure> {
    let common = arguments.run.common();
    let source = RowSource::open(common)?;
    let run = source.find_run(arguments.run.run_name())?;
    let offer = find_open_offer(&source, &run)?;
    let printed = match &offer {
        _ if common.json => print_json(offer.as_ref()),
        Some(offer) => {
            let locale = remote::environment_locale();
            print(&plan_diff(locale, &source.board(&run.id)?, &offer.changes))
        }
        None => Ok(()),
    };
    if let Some(failure) = printed.err().and_then(|error| Failure::from_output_error(&error)) {
        return Err(failure);
    }
    if !common.json {
        let Some(offer) = &offer else {
            eprintln!(
                "{}",
                localized("No change of the plan file is waiting for you", "확인할 계획 변경이 없습니다")
            );
            return Ok(ExitCode::SUCCESS);
        };
        print_hint(&match offer {
            PlanOfferRow { problem: Some(problem), .. } => localized(
                format!("It cannot be applied: {problem}"),
                format!("적용할 수 없습니다: {problem}"),
            ),
            PlanOfferRow { problem: None, .. } => localized(
                format!("Apply it: jangdan plan apply {0}. Ignore it: jangdan plan ignore {0}", run.id),
                format!("적용: jangdan plan apply {0}. 무시: jangdan plan ignore {0}", run.id),
            ),
        });
    }
    Ok(ExitCode::SUCCESS)
}

/// Applies the change of the plan file to the run.
pub(crate) fn apply(arguments: &Arguments) -> Result<ExitCode, Failure> {
    send_decision(
        arguments,
        |offer| UserCommand::ApplyPlanChange { offer },
        &localized("plan updated", "계획을 업데이트했습니다"),
    )
}

/// Ignores the change of the plan file.
pub(crate) fn ignore(arguments: &Arguments) -> Result<ExitCode, Failure> {
    send_decision(
        arguments,
        |offer| UserCommand::IgnorePlanChange { offer },
        &localized("plan unchanged", "계획 변경을 무시했습니다"),
    )
}

/// Marks an external dependency of the plan as met.
pub(crate) fn mark_met(arguments: &MarkMetArguments) -> Result<ExitCode, Failure> {
    let name = arguments.name.clone();
    let done =
        localized(format!("marked '{name}' as met"), format!("외부 의존성 '{name}' 충족으로 표시했습니다"));
    send_run_command(&arguments.run, &UserCommand::MarkExternalMet { name }, &done)
}

fn send_decision(
    arguments: &Arguments,
    command: impl FnOnce(OfferId) -> UserCommand,
    done: &str,
) -> Result<ExitCode, Failure> {
    let target = RunTarget::find(arguments.run.common(), arguments.run.run_name())?;
    let offer = find_open_offer(&target.source, &target.run)?.ok_or_else(|| Failure {
        what: localized(
            format!("No change of the plan file is waiting in run {}.", target.run.id),
            format!("실행 {}: 확인할 계획 변경이 없습니다.", target.run.id),
        ),
        hint: Some(localized(
            "A change of the file is detected within a few seconds. Show it: jangdan plan diff",
            "파일의 변경은 몇 초 안에 감지됩니다. 보기: jangdan plan diff",
        )),
        exit: 1,
    })?;
    target.send_command(&command(offer.id), done)
}

/// Returns the change of the plan file that waits for the user.
fn find_open_offer(source: &RowSource, run: &RunRow) -> Result<Option<PlanOfferRow>, Failure> {
    let offers: Vec<PlanOfferRow> = source.rows_of_kind(&run.id)?;
    Ok(offers.into_iter().find(|offer| offer.state == PlanOfferState::Open))
}

fn print_json(offer: Option<&PlanOfferRow>) -> io::Result<()> {
    writeln!(io::stdout().lock(), "{}", printable_json(&offer)?)
}

fn print(lines: &[DiffLine]) -> io::Result<()> {
    let mut out = io::BufWriter::new(anstream::stdout().lock());
    for line in lines {
        let style = match line.kind {
            DiffKind::Added => AnsiColor::Green.on_default(),
            DiffKind::Removed => AnsiColor::Red.on_default(),
            DiffKind::Changed => Style::new().bold(),
            DiffKind::Kept => Style::new().dimmed(),
        };
        writeln!(out, "{style}{}{style:#}", printable_line(&line.text))?;
    }
    out.flush()
}
