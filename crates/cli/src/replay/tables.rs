//! Prints the rows of a run as tables.

use std::{
    collections::BTreeMap,
    io::{self, Write},
};

use anstyle::Style;
use domain::{Locale, ParkMode, RunId, Sequence, SessionId, Timestamp};
use serde::Serialize;
use views::{
    PhaseRow, ResponsibleParty, SessionRow, TaskBlocker, TaskRow, UnmetDependency, UsageTotals, Views,
    describe_task_mark,
};

use crate::{
    plural::plural,
    printable::printable,
    screen::amounts::{format_used_cost, format_used_tokens},
    table,
    timestamp::format_utc,
};

const TITLE: Style = Style::new().bold();

pub(super) fn print(views: &Views, run: &RunId, sequence: Sequence, at: Timestamp) -> io::Result<()> {
    let mut out = io::BufWriter::new(anstream::stdout().lock());
    let rows = views.rows();
    if let Some(row) = rows.run.get(&()) {
        let (title, status) = (printable(&row.title), json_name(&row.status));
        writeln!(out, "{TITLE}{title}{TITLE:#} ({}, run {run}): {status}", printable(&row.project))?;
        let (done, all, person) = (row.tasks.done, row.n_tasks, row.waits_for.person);
        writeln!(out, "{done} of {all} tasks done, {person} waiting for you, {}", usage_text(&row.used))?;
    }
    writeln!(out, "After event {sequence}, {} UTC", format_utc(at))?;
    print_phases_and_tasks(&mut out, views)?;
    print_sessions(&mut out, views)?;
    print_communication(&mut out, views)?;
    out.flush()
}

/// Prints phases, tasks and the inbox.
fn print_phases_and_tasks(out: &mut impl Write, views: &Views) -> io::Result<()> {
    let rows = views.rows();
    let phase = |row: &PhaseRow| {
        let done = format!("{} of {}", row.tasks.done, row.n_tasks);
        [row.number.to_string(), row.name.clone(), json_name(&row.state), json_name(&row.gate), done]
    };
    table::print_table(out, "Phases", ["", "name", "state", "gate", "done"], rows.phases.iter().map(phase))?;
    let task = |row: &TaskRow| {
        let agent = row.agent.as_ref().map(ToString::to_string).unwrap_or_default();
        let progress = row.progress.map(|part| format!("{:.0} %", part * 100.0)).unwrap_or_default();
        let marks = row.marks.iter().map(|mark| format!(", {}", describe_task_mark(Locale::En, *mark)));
        let state = format!("{}{}", json_name(&row.state), marks.collect::<String>());
        [row.id.to_string(), state, progress, agent, row.title.clone(), waiting_for(row)]
    };
    let heads = ["", "state", "", "agent", "title", "waiting for"];
    table::print_table(out, "Tasks", heads, rows.tasks.iter().map(task))?;
    let inbox = views.inbox().into_iter().map(|row| {
        let tasks = plural(row.blocks.tasks as usize, "task");
        let blocked = match row.blocks.time_ms / 60_000 {
            0 => tasks,
            minutes => format!("{tasks}, {minutes} min"),
        };
        let task = row.task.as_ref().map(ToString::to_string).unwrap_or_default();
        [row.item.to_string(), task, blocked, row.text.clone()]
    });
    table::print_table(out, "Waiting for you", ["", "task", "blocks", "text"], inbox)
}

/// Prints the sessions as a tree.
fn print_sessions(out: &mut impl Write, views: &Views) -> io::Result<()> {
    let sessions = sessions_in_tree_order(views).into_iter().map(|row| {
        let indent = "  ".repeat(row.depth as usize);
        let agent = row.agent.as_ref().map_or("Jangdan".to_owned(), ToString::to_string);
        let task = row.task.as_ref().map(ToString::to_string).unwrap_or_default();
        let state = match row.park {
            Some(ParkMode::Hot) => "idle".to_owned(),
            Some(ParkMode::Frozen) => "suspended".to_owned(),
            Some(ParkMode::Cold) => "stopped, resumes on answer".to_owned(),
            None => json_name(&row.state),
        };
        [format!("{indent}{}", row.id), agent, json_name(&row.role), state, task, usage_text(&row.used)]
    });
    table::print_table(out, "Sessions", ["", "agent", "role", "state", "task", "usage"], sessions)
}

/// Returns the sessions in tree order: each before its children.
fn sessions_in_tree_order(views: &Views) -> Vec<&SessionRow> {
    let sessions = &views.rows().sessions;
    let mut below: BTreeMap<Option<SessionId>, Vec<&SessionRow>> = BTreeMap::new();
    for row in sessions.iter() {
        // A session with an unknown parent is a root.
        let parent = row.parent.filter(|parent| *parent < row.id && sessions.get(parent).is_some());
        below.entry(parent).or_default().push(row);
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

/// Prints questions, requests, calls, feedback loops and escalations.
fn print_communication(out: &mut impl Write, views: &Views) -> io::Result<()> {
    let rows = views.rows();
    let or_empty = |text: Option<String>| text.unwrap_or_default();
    let questions = rows.questions.iter().map(|row| {
        let task = or_empty(row.task.as_ref().map(ToString::to_string));
        [row.id.to_string(), task, json_name(&row.status), row.text.clone(), or_empty(row.answer.clone())]
    });
    table::print_table(out, "Questions", ["", "task", "state", "question", "answer"], questions)?;
    let requests = rows.requests.iter().map(|row| {
        let task = or_empty(row.task.as_ref().map(ToString::to_string));
        [row.id.to_string(), task, json_name(&row.status), json_name(&row.r#type), row.name.clone()]
    });
    table::print_table(out, "Requests", ["", "task", "state", "type", "name"], requests)?;
    let calls = rows.invocations.iter().map(|row| {
        let caller = or_empty(row.caller.as_ref().map(ToString::to_string));
        [row.id.to_string(), caller, row.callee.to_string(), json_name(&row.status), row.wanted.clone()]
    });
    table::print_table(out, "Calls", ["", "from", "to", "state", "task"], calls)?;
    let loops = rows.loops.iter().map(|row| {
        let rounds = row.rounds.len().to_string();
        [row.id.to_string(), row.task.to_string(), json_name(&row.status), rounds]
    });
    table::print_table(out, "Feedback loops", ["", "task", "state", "failed rounds"], loops)?;
    let escalations = rows.escalations.iter().map(|row| {
        let (severity, level) = (json_name(&row.severity), json_name(&row.level));
        [row.id.to_string(), json_name(&row.status), severity, level, row.title.clone()]
    });
    table::print_table(out, "Problems", ["", "state", "severity", "level", "title"], escalations)
}

/// Lists what a task waits for.
fn waiting_for(row: &TaskRow) -> String {
    let blocked = row.blocked.iter().map(|TaskBlocker { on, .. }| match on {
        ResponsibleParty::Person => "you".to_owned(),
        ResponsibleParty::Orchestrator => "the orchestrator".to_owned(),
        ResponsibleParty::Operator => "the operator".to_owned(),
        ResponsibleParty::Agent { agent: Some(agent) } => agent.to_string(),
        ResponsibleParty::Agent { agent: None } => "an agent".to_owned(),
        ResponsibleParty::Clock { until } => format_utc(*until),
        ResponsibleParty::Jangdan => "Jangdan".to_owned(),
    });
    let open = row.waits_for.iter().map(|dependency| match dependency {
        UnmetDependency::Task { task, failed: false } => task.to_string(),
        UnmetDependency::Task { task, failed: true } => format!("{task} (failed)"),
        UnmetDependency::Phase { phase } => format!("the gate of phase {phase}"),
        UnmetDependency::External { name } => name.clone(),
    });
    let mut all: Vec<_> = blocked.chain(open).collect();
    let n_more = (row.n_waits_for as usize).saturating_sub(row.waits_for.len());
    if n_more > 0 {
        all.push(format!("{n_more} more"));
    }
    all.join(", ")
}

fn usage_text(used: &UsageTotals) -> String {
    format!("{}, {}", format_used_tokens(Locale::En, used), format_used_cost(Locale::En, used))
}

/// Returns the name of a value in JSON, so that both outputs use the same names.
fn json_name<T: Serialize>(value: &T) -> String {
    serde_json::to_value(value).ok().and_then(|value| value.as_str().map(str::to_owned)).unwrap_or_default()
}
