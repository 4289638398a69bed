//! `jangdan messages [RUN]`: what the sessions of a run sent each other, oldest first: direct messages and results.

use std::{
    io::{self, Write},
    process::ExitCode,
};

use clap::Args;
use domain::{AgentName, SessionId, TaskId, Timestamp};
use serde::Serialize;
use views::{DirectMessageRow, ResultRow, RowKind, SessionRow};

use crate::{
    arguments::RunOperandArguments,
    calls::agent_and_session,
    failure::Failure,
    localized::localized,
    printable::print_json_lines,
    row_source::{RowSource, rows_in},
    table,
    timestamp::format_utc,
    value_name::value_name,
};

#[derive(Debug, Args)]
pub(crate) struct Arguments {
    #[command(flatten)]
    run: RunOperandArguments,
}

/// A direct message or a result.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct MessageEntry {
    id: String,
    from: MessageEnd,
    to: MessageEnd,
    /// `query`, `feedback` or `result` of a direct message; the type of a result.
    kind: String,
    text: String,
    status: String,
    sent_at: Timestamp,
    delivered_at: Option<Timestamp>,
}

#[derive(Debug, Serialize)]
struct MessageEnd {
    agent: Option<AgentName>,
    /// `None` until the receiver of a result is known.
    session: Option<SessionId>,
    task: Option<TaskId>,
}

pub(crate) fn run(arguments: &Arguments) -> Result<ExitCode, Failure> {
    let common = arguments.run.common();
    let source = RowSource::open(common)?;
    let run = source.find_run(arguments.run.run_name())?;
    let kinds = [RowKind::DirectMessage, RowKind::Result, RowKind::Session];
    let mut rows = source.rows_of_kinds(&run.id, &kinds)?;
    let messages = entries(&rows_in(&mut rows)?, &rows_in(&mut rows)?, &rows_in(&mut rows)?);
    if messages.is_empty() && !common.json {
        eprintln!("{}", localized("No messages between agents", "에이전트 사이의 메시지가 없습니다"));
    }
    let printed = if common.json { print_json_lines(&messages) } else { print_messages(&messages) };
    Failure::exit_after_output(printed)
}

/// Returns direct messages and results by time.
fn entries(
    messages: &[DirectMessageRow],
    results: &[ResultRow],
    sessions: &[SessionRow],
) -> Vec<MessageEntry> {
    let end = |agent: Option<&AgentName>, session: Option<SessionId>| MessageEnd {
        agent: agent.cloned(),
        session,
        task: sessions.iter().find(|row| Some(row.id) == session).and_then(|row| row.task.clone()),
    };
    let direct = messages.iter().map(|row| MessageEntry {
        id: row.id.to_string(),
        from: end(row.from.as_ref(), Some(row.from_session)),
        to: end(row.to.as_ref(), Some(row.to_session)),
        kind: json_name(&row.direct_type),
        text: row.content.clone(),
        status: json_name(&row.status),
        sent_at: row.created_at,
        delivered_at: row.delivered_at,
    });
    let delivered = results.iter().map(|row| MessageEntry {
        id: row.id.to_string(),
        from: end(row.from.as_ref(), Some(row.from_session)),
        to: end(Some(&row.to), row.to_session),
        kind: json_name(&row.result_type),
        text: row.content.clone(),
        status: json_name(&row.status),
        sent_at: row.created_at,
        delivered_at: row.delivered_at,
    });
    let mut all: Vec<MessageEntry> = direct.chain(delivered).collect();
    all.sort_by_key(|entry| entry.sent_at);
    all
}

fn json_name<T: Serialize>(value: &T) -> String {
    serde_json::to_value(value).ok().and_then(|value| value.as_str().map(str::to_owned)).unwrap_or_default()
}

fn print_messages(messages: &[MessageEntry]) -> io::Result<()> {
    let mut out = io::BufWriter::new(anstream::stdout().lock());
    table::print_table(
        &mut out,
        &localized("Messages", "메시지"),
        [
            "",
            &localized("time", "시각"),
            &localized("from", "보낸 에이전트"),
            &localized("to", "받는 에이전트"),
            &localized("kind", "종류"),
            &localized("state", "상태"),
            &localized("text", "내용"),
        ],
        messages.iter().map(|entry| {
            [
                entry.id.clone(),
                format_utc(entry.sent_at),
                entry.from.name(),
                entry.to.name(),
                value_name(&entry.kind),
                value_name(&entry.status),
                entry.text.clone(),
            ]
        }),
    )?;
    out.flush()
}

impl MessageEnd {
    /// Returns the agent with its session and its task.
    fn name(&self) -> String {
        let agent = agent_and_session(self.agent.as_ref(), self.session);
        match &self.task {
            Some(task) => format!("{agent} {task}"),
            None => agent,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_and_results_are_listed_by_time() {
        let message: DirectMessageRow = serde_json::from_value(serde_json::json!({
            "id": "m_1", "channel": "c_1", "fromSession": "s_2", "from": "mina", "toSession": "s_3", "to": "vera",
            "directType": "query", "content": "Which port?", "status": "acknowledged", "createdAt": 20,
            "receivedAt": 21, "deliveredAt": 22,
        }))
        .unwrap();
        let result: ResultRow = serde_json::from_value(serde_json::json!({
            "id": "r_1", "fromSession": "s_3", "from": "vera", "to": "mina", "toSession": null,
            "resultType": "file_path", "contentType": "text/plain", "content": "docs/port.md", "contentBytes": 12,
            "status": "pending", "createdAt": 10, "deliveredAt": null,
        }))
        .unwrap();
        let entries = entries(&[message], &[result], &[]);
        let shown: Vec<_> = entries
            .iter()
            .map(|entry| {
                format!(
                    "{} {} {} {} {}",
                    entry.from.name(),
                    entry.to.name(),
                    entry.kind,
                    entry.status,
                    entry.text
                )
            })
            .collect();
        assert_eq!(
            shown,
            [
                "vera (s_3) mina file_path pending docs/port.md",
                "mina (s_2) vera (s_3) query acknowledged Which port?",
            ]
        );
    }
}
