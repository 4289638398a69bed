//! `jangdan resolve ESCALATION ACTION`: decides about a problem.

use std::{process::ExitCode, str::FromStr};

use clap::Args;
use domain::{AgentName, Budget, EscalationAction, EscalationId, ParseError, UserCommand};
use views::EscalationRow;

use crate::{
    arguments::{RunArguments, parse_id},
    failure::Failure,
    localized::localized,
    run_command::{RunTarget, usage_error},
};

/// The actions that can be written out, for messages.
const ACTIONS: &str = "retry [HINT], reassign AGENT, skip, waive, raise BUDGET, mark-failed, dismiss";

#[derive(Debug, Args)]
pub(crate) struct Arguments {
    /// Problem, such as e_1
    #[arg(value_parser = parse_id::<EscalationId>)]
    escalation: EscalationId,
    /// Number of a suggestion, as shown by `jangdan inbox`, or one of: retry [HINT], reassign AGENT, skip, waive (accept
    /// without a passed check), raise BUDGET, mark-failed, dismiss
    action: Vec<String>,
    /// Note for the record
    #[arg(long, value_name = "TEXT")]
    note: Option<String>,
    #[command(flatten)]
    run: RunArguments,
}

pub(crate) fn run(arguments: &Arguments) -> Result<ExitCode, Failure> {
    let escalation = arguments.escalation;
    let Some((name, rest)) = arguments.action.split_first() else {
        return Err(usage_error(&localized(
            format!("The action is missing. Write a number, or one of: {ACTIONS}."),
            format!("처리 방법이 없습니다. 번호를 입력하거나 다음 중 하나를 쓰세요: {ACTIONS}"),
        )));
    };
    let target = RunTarget::find(&arguments.run.common, arguments.run.run_name())?;
    let action = match name.parse::<usize>() {
        Ok(number) => suggested_action(&target, escalation, number)?,
        Err(_) => parse_action(name, rest)?,
    };
    let done = localized(
        format!("resolved {escalation}: {action}"),
        format!("{escalation} 문제의 처리 방법을 정했습니다"),
    );
    target.send_command(&UserCommand::Resolve { escalation, action, note: arguments.note.clone() }, &done)
}

fn parse_action(name: &str, rest: &[String]) -> Result<EscalationAction, Failure> {
    match name {
        "retry" => Ok(EscalationAction::Retry { hint: Some(rest.join(" ")).filter(|hint| !hint.is_empty()) }),
        "reassign" => Ok(EscalationAction::Reassign {
            agent: parse_operand::<AgentName>(name, &localized("an agent", "에이전트"), rest)?,
        }),
        "skip" => Ok(EscalationAction::Skip),
        "waive" => Ok(EscalationAction::Waive),
        "raise" => Ok(EscalationAction::RaiseBudget {
            budget: parse_operand::<Budget>(name, &localized("a budget", "예산"), rest)?,
        }),
        "mark-failed" | "give-up" => Ok(EscalationAction::MarkFailed),
        "dismiss" => Ok(EscalationAction::Dismiss),
        other => {
            let what = localized(
                format!("'{other}' is not an action."),
                format!("'{other}': 알 수 없는 처리 방법입니다."),
            );
            let hint = localized(
                format!("Write a number, or one of: {ACTIONS}."),
                format!("번호를 입력하거나 다음 중 하나를 쓰세요: {ACTIONS}"),
            );
            Err(Failure { what, hint: Some(hint), exit: 2 })
        }
    }
}

/// Parses the operand of an action.
fn parse_operand<T: FromStr<Err = ParseError>>(
    action: &str,
    expected: &str,
    rest: &[String],
) -> Result<T, Failure> {
    let word = rest.first().ok_or_else(|| {
        usage_error(&localized(
            format!("'{action}' needs {expected}."),
            format!("'{action}' 다음에 필요: {expected}"),
        ))
    })?;
    word.parse().map_err(|error: ParseError| usage_error(&format!("{error}.")))
}

/// Returns the suggested action of a number.
fn suggested_action(
    target: &RunTarget<'_>,
    escalation: EscalationId,
    number: usize,
) -> Result<EscalationAction, Failure> {
    let rows: Vec<EscalationRow> = target.source.rows_of_kind(&target.run.id)?;
    let row = rows.iter().find(|row| row.id == escalation).ok_or_else(|| Failure {
        what: localized(
            format!("Unknown problem {escalation} in run {}.", target.run.id),
            format!("실행 {}에 {escalation} 문제가 없습니다.", target.run.id),
        ),
        hint: Some(localized("Show what is waiting for you: jangdan inbox", "확인할 일 보기: jangdan inbox")),
        exit: 1,
    })?;
    let chosen = number.checked_sub(1).and_then(|index| row.suggested.get(index));
    chosen.cloned().ok_or_else(|| {
        let all: Vec<_> =
            row.suggested.iter().enumerate().map(|(at, action)| format!("{} {action}", at + 1)).collect();
        let what = localized(
            format!("{escalation} has no suggestion {number}."),
            format!("{escalation} 문제에 {number}번 선택지가 없습니다."),
        );
        let all = all.join(", ");
        Failure {
            what,
            hint: Some(localized(format!("Suggestions: {all}"), format!("선택지: {all}"))),
            exit: 1,
        }
    })
}
