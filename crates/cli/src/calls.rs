//! `jangdan calls [RUN]`: the calls between the agents of a run, oldest first.

use std::{
    io::{self, Write},
    process::ExitCode,
};

use clap::Args;
use domain::{AgentName, SessionId, Timestamp};
use views::InvocationRow;

use crate::{
    arguments::RunOperandArguments,
    failure::Failure,
    localized::localized,
    printable::print_json_lines,
    remote,
    row_source::RowSource,
    screen::amounts::{elapsed_ms, format_duration},
    table,
    value_name::value_name,
    watch::now,
};

#[derive(Debug, Args)]
pub(crate) struct Arguments {
    #[command(flatten)]
    run: RunOperandArguments,
}

pub(crate) fn run(arguments: &Arguments) -> Result<ExitCode, Failure> {
    let common = arguments.run.common();
    let source = RowSource::open(common)?;
    let run = source.find_run(arguments.run.run_name())?;
    let mut calls: Vec<InvocationRow> = source.rows_of_kind(&run.id)?;
    calls.sort_by_key(|call| call.id);
    if calls.is_empty() && !common.json {
        eprintln!("{}", localized("No agent called another", "에이전트 사이의 호출이 없습니다"));
    }
    let printed = if common.json { print_json_lines(&calls) } else { print_calls(&calls) };
    Failure::exit_after_output(printed)
}

fn print_calls(calls: &[InvocationRow]) -> io::Result<()> {
    let mut out = io::BufWriter::new(anstream::stdout().lock());
    let now = now();
    table::print_table(
        &mut out,
        &localized("Calls", "호출"),
        [
            "",
            &localized("from", "호출한 에이전트"),
            &localized("to", "호출된 에이전트"),
            &localized("state", "상태"),
            &localized("result", "결과"),
            &localized("duration", "시간"),
            &localized("purpose", "목적"),
        ],
        calls.iter().map(|call| {
            [
                call.id.to_string(),
                agent_and_session(call.caller.as_ref(), Some(call.caller_session)),
                agent_and_session(Some(&call.callee), call.callee_session),
                value_name(&call.status),
                call.result_type.map(|kind| value_name(&kind)).unwrap_or_default(),
                duration(call, now),
                call.wanted.clone(),
            ]
        }),
    )?;
    out.flush()
}

/// Returns an agent with its session, such as `vera (s_7)`.
pub(crate) fn agent_and_session(agent: Option<&AgentName>, session: Option<SessionId>) -> String {
    let agent = agent.map_or("Jangdan".to_owned(), ToString::to_string);
    match session {
        Some(session) => format!("{agent} ({session})"),
        None => agent,
    }
}

/// Returns how long the callee worked; nothing if it has not started.
fn duration(call: &InvocationRow, now: Timestamp) -> String {
    let Some(started_at) = call.started_at else { return String::new() };
    let elapsed = elapsed_ms(started_at, call.ended_at.unwrap_or(now));
    format_duration(remote::environment_locale(), elapsed)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_call_has_a_duration_once_the_callee_has_started() {
        for (started, ended, expected) in [
            (None, None, ""),
            // The caller's session ended before.
            (None, Some(9_000), ""),
            (Some(2_000), None, "8 s"),
            (Some(2_000), Some(5_000), "3 s"),
        ] {
            let call: InvocationRow = serde_json::from_value(serde_json::json!({
                "id": "i_1", "callerSession": "s_1", "caller": "mina", "callee": "vera", "calleeSession": null,
                "wanted": "Look.", "context": null, "status": "pending", "resultType": null, "outcome": null,
                "createdAt": 0, "startedAt": started, "endedAt": ended,
            }))
            .unwrap();
            assert_eq!(duration(&call, Timestamp(10_000)), expected);
        }
    }
}
