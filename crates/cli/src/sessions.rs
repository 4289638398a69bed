//! `jangdan sessions [RUN]`: the sessions of a run, and which session started or called which.

use std::{
    collections::BTreeMap,
    io::{self, Write},
    process::ExitCode,
};

use clap::Args;
use domain::{Role, SessionId};
use views::{InvocationRow, RowKind, SessionRow};

use crate::{
    arguments::RunOperandArguments,
    failure::Failure,
    localized::localized,
    printable::print_json_lines,
    row_source::{RowSource, rows_in},
    table,
    value_name::{session_state_name, value_name},
};

#[derive(Debug, Args)]
pub(crate) struct Arguments {
    /// Show each session below the one that started or called it
    #[arg(long)]
    tree: bool,
    #[command(flatten)]
    run: RunOperandArguments,
}

pub(crate) fn run(arguments: &Arguments) -> Result<ExitCode, Failure> {
    let common = arguments.run.common();
    let source = RowSource::open(common)?;
    let run = source.find_run(arguments.run.run_name())?;
    let mut rows = source.rows_of_kinds(&run.id, &[RowKind::Session, RowKind::Invocation])?;
    let mut sessions: Vec<SessionRow> = rows_in(&mut rows)?;
    let calls: Vec<InvocationRow> = rows_in(&mut rows)?;
    sessions.sort_by_key(|row| row.id);
    let ordered: Vec<&SessionRow> = match arguments.tree {
        true => in_tree_order(&sessions),
        false => sessions.iter().collect(),
    };
    let printed = match common.json {
        true => print_json_lines(&ordered),
        false => print_sessions(&ordered, &calls, arguments.tree),
    };
    Failure::exit_after_output(printed)
}

fn print_sessions(sessions: &[&SessionRow], calls: &[InvocationRow], is_tree: bool) -> io::Result<()> {
    let mut out = io::BufWriter::new(anstream::stdout().lock());
    let depths = tree_depths(sessions);
    let lines = sessions.iter().map(|row| {
        let depth = if is_tree { depths.get(&row.id).copied().unwrap_or_default() } else { 0 };
        let agent = row.agent.as_ref().map_or("Jangdan".to_owned(), ToString::to_string);
        let work = match (&row.task, row.phase) {
            (Some(task), _) => task.to_string(),
            (None, Some(phase)) => localized(format!("phase {phase}"), format!("{phase}단계")),
            (None, None) => String::new(),
        };
        [
            format!("{}{}", "  ".repeat(depth), row.id),
            agent,
            value_name(&row.role),
            work,
            session_state_name(row),
            origin(row, calls),
        ]
    });
    table::print_table(
        &mut out,
        &localized("Sessions", "세션"),
        [
            "",
            &localized("agent", "에이전트"),
            &localized("role", "역할"),
            &localized("task", "작업"),
            &localized("state", "상태"),
            &localized("started by", "시작한 세션"),
        ],
        lines,
    )?;
    out.flush()
}

/// Returns the session that started or called a session; empty for the root.
fn origin(row: &SessionRow, calls: &[InvocationRow]) -> String {
    let first_call =
        calls.iter().filter(|call| call.callee_session == Some(row.id)).min_by_key(|call| call.id);
    // A worker that is called later was started for its task.
    match (first_call.filter(|_| row.role == Role::Specialist), row.parent) {
        (Some(call), _) => {
            let (caller, id) = (call.caller_session, call.id);
            localized(format!("{caller} (call {id})"), format!("{caller} (호출 {id})"))
        }
        (None, Some(parent)) => parent.to_string(),
        (None, None) => String::new(),
    }
}

/// Returns the sessions in tree order: each before its children. One with an unknown parent is a root.
pub(crate) fn in_tree_order(sessions: &[SessionRow]) -> Vec<&SessionRow> {
    let mut below: BTreeMap<Option<SessionId>, Vec<&SessionRow>> = BTreeMap::new();
    for row in sessions {
        let is_known = |parent: &SessionId| *parent < row.id && sessions.iter().any(|row| row.id == *parent);
        below.entry(row.parent.filter(is_known)).or_default().push(row);
    }
    let mut open = below.remove(&None).unwrap_or_default();
    open.reverse();
    let mut order = Vec::new();
    while let Some(row) = open.pop() {
        order.push(row);
        open.extend(below.remove(&Some(row.id)).unwrap_or_default().into_iter().rev());
    }
    order
}

/// Returns how many sessions of the tree are above each.
fn tree_depths(ordered: &[&SessionRow]) -> BTreeMap<SessionId, usize> {
    let mut depths = BTreeMap::new();
    for row in ordered {
        let above = row.parent.and_then(|parent| depths.get(&parent).copied());
        depths.insert(row.id, above.map_or(0, |depth: usize| depth + 1));
    }
    depths
}

#[cfg(test)]
mod tests {
    use super::*;

    fn session(id: &str, parent: Option<&str>, role: &str) -> SessionRow {
        serde_json::from_value(serde_json::json!({
            "id": id, "parent": parent, "depth": 0, "role": role, "agent": "mina", "state": "active", "park": null,
            "stateSinceAt": 0, "task": null, "phase": null, "resumes": null, "agentSession": null,
            "dismissed": false, "exitStatus": null, "lostReason": null, "used": views::UsageTotals::default(),
            "model": null, "contextPermille": null, "startedAt": 0, "endedAt": null,
        }))
        .unwrap()
    }

    fn call(id: &str, caller: &str, callee: &str) -> InvocationRow {
        serde_json::from_value(serde_json::json!({
            "id": id, "callerSession": caller, "caller": "mina", "callee": "vera", "calleeSession": callee,
            "wanted": "Look.", "context": null, "status": "inProgress", "resultType": null, "outcome": null,
            "createdAt": 0, "startedAt": 0, "endedAt": null,
        }))
        .unwrap()
    }

    #[test]
    fn each_session_is_below_the_one_that_started_or_called_it() {
        let sessions = [
            session("s_1", None, "orchestrator"),
            session("s_2", Some("s_1"), "worker"),
            session("s_3", Some("s_1"), "worker"),
            session("s_4", Some("s_2"), "specialist"),
            // Its parent is not in the log.
            session("s_5", Some("s_9"), "worker"),
        ];
        let order = in_tree_order(&sessions);
        let depths = tree_depths(&order);
        let shown: Vec<_> = order.iter().map(|row| (row.id.0, depths[&row.id])).collect();
        assert_eq!(shown, [(1, 0), (2, 1), (4, 2), (3, 1), (5, 0)]);
        let calls = [call("i_1", "s_2", "s_4"), call("i_2", "s_4", "s_3")];
        let origins: Vec<_> = order.iter().map(|row| origin(row, &calls)).collect();
        assert_eq!(origins, ["", "s_1", "s_2 (call i_1)", "s_1", "s_9"]);
    }
}
