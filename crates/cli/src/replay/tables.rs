//! The rows of a run as tables: what a person would want to see of it.

use std::{
    collections::BTreeMap,
    io::{self, Write},
};

use anstyle::Style;
use domain::{RunId, Sequence, SessionId, Timestamp};
use serde::Serialize;
use views::{Blocked, Party, PhaseRow, SessionRow, TaskRow, Used, Views, WaitsFor};

use crate::{columns, moment::moment, plural::plural, printable::printable};

const TITLE: Style = Style::new().bold();

/// Prints what there is.
pub fn print(views: &Views, run: &RunId, sequence: Sequence, at: Timestamp) -> io::Result<()> {
    let mut out = io::BufWriter::new(anstream::stdout().lock());
    let rows = views.rows();
    if let Some(row) = rows.run.get(&()) {
        let (title, status) = (printable(&row.title), word(&row.status));
        writeln!(out, "{TITLE}{title}{TITLE:#} ({}, run {run}): {status}", printable(&row.project))?;
        let (done, all, person) = (row.tasks.done, row.n_tasks, row.waits_for.person);
        writeln!(out, "{done} of {all} tasks done, {person} wait for you, {}", used(&row.used))?;
    }
    writeln!(out, "at event {sequence}, {} UTC", moment(at))?;
    work(&mut out, views)?;
    team(&mut out, views)?;
    talk(&mut out, views)?;
    out.flush()
}

/// Prints what is to be done, and how far that is.
fn work(out: &mut impl Write, views: &Views) -> io::Result<()> {
    let rows = views.rows();
    let phase = |row: &PhaseRow| {
        let done = format!("{} of {}", row.tasks.done, row.n_tasks);
        [row.number.to_string(), row.name.clone(), word(&row.state), word(&row.gate), done]
    };
    columns::print(out, "Phases", ["", "name", "state", "gate", "done"], rows.phases.iter().map(phase))?;
    let task = |row: &TaskRow| {
        let agent = row.agent.as_ref().map(ToString::to_string).unwrap_or_default();
        let progress = row.progress.map(|part| format!("{:.0} %", part * 100.0)).unwrap_or_default();
        let proof = row.proof.map(|proof| format!(", {}", word(&proof))).unwrap_or_default();
        let state = format!("{}{proof}", word(&row.state));
        [row.id.to_string(), state, progress, agent, row.title.clone(), waits(row)]
    };
    let heads = ["", "state", "", "agent", "title", "waits for"];
    columns::print(out, "Tasks", heads, rows.tasks.iter().map(task))?;
    let inbox = views.inbox().into_iter().map(|row| {
        let minutes = row.holds_up.time_ms / 60_000;
        let held = format!("{}, {minutes} min", plural(row.holds_up.tasks as usize, "task"));
        let task = row.task.as_ref().map(ToString::to_string).unwrap_or_default();
        [row.item.to_string(), task, held, row.text.clone()]
    });
    columns::print(out, "Waits for you", ["", "task", "holds up", "what"], inbox)
}

/// Prints who is there.
fn team(out: &mut impl Write, views: &Views) -> io::Result<()> {
    let sessions = tree(views).into_iter().map(|row| {
        let indent = "  ".repeat(row.depth as usize);
        let agent = row.agent.as_ref().map_or("Jangdan".to_owned(), ToString::to_string);
        let park = row.park.map(|mode| format!(", {}", word(&mode))).unwrap_or_default();
        let task = row.task.as_ref().map(ToString::to_string).unwrap_or_default();
        let state = format!("{}{park}", word(&row.state));
        [format!("{indent}{}", row.id), agent, word(&row.role), state, task, used(&row.used)]
    });
    columns::print(out, "Sessions", ["", "agent", "role", "state", "task", "used"], sessions)
}

/// Returns the sessions in the order of their tree: each before those that it leads.
fn tree(views: &Views) -> Vec<&SessionRow> {
    let sessions = &views.rows().sessions;
    let mut below: BTreeMap<Option<SessionId>, Vec<&SessionRow>> = BTreeMap::new();
    for row in sessions.iter() {
        // One whose leader is not known stands for itself.
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

/// Prints what was asked, wanted and handed upward.
fn talk(out: &mut impl Write, views: &Views) -> io::Result<()> {
    let rows = views.rows();
    let or_empty = |text: Option<String>| text.unwrap_or_default();
    let questions = rows.questions.iter().map(|row| {
        let task = or_empty(row.task.as_ref().map(ToString::to_string));
        [row.id.to_string(), task, word(&row.status), row.text.clone(), or_empty(row.answer.clone())]
    });
    columns::print(out, "Questions", ["", "task", "state", "question", "answer"], questions)?;
    let requests = rows.requests.iter().map(|row| {
        let task = or_empty(row.task.as_ref().map(ToString::to_string));
        [row.id.to_string(), task, word(&row.status), word(&row.r#type), row.name.clone()]
    });
    columns::print(out, "Requests", ["", "task", "state", "type", "name"], requests)?;
    let calls = rows.invocations.iter().map(|row| {
        let caller = or_empty(row.caller.as_ref().map(ToString::to_string));
        [row.id.to_string(), caller, row.callee.to_string(), word(&row.status), row.wanted.clone()]
    });
    columns::print(out, "Calls", ["", "from", "to", "state", "what"], calls)?;
    let loops = rows.loops.iter().map(|row| {
        let rounds = row.rounds.len().to_string();
        [row.id.to_string(), row.task.to_string(), word(&row.status), rounds]
    });
    columns::print(out, "Feedback loops", ["", "task", "state", "failed rounds"], loops)?;
    let escalations = rows.escalations.iter().map(|row| {
        let (severity, level) = (word(&row.severity), word(&row.level));
        [row.id.to_string(), word(&row.status), severity, level, row.title.clone()]
    });
    columns::print(out, "Escalations", ["", "state", "severity", "with", "what"], escalations)
}

/// Says for what a task waits, and on whom.
fn waits(row: &TaskRow) -> String {
    let blocked = row.blocked.iter().map(|Blocked { on, .. }| match on {
        Party::Person => "you".to_owned(),
        Party::Orchestrator => "the orchestrator".to_owned(),
        Party::Operator => "the operator".to_owned(),
        Party::Agent { agent: Some(agent) } => agent.to_string(),
        Party::Agent { agent: None } => "an agent".to_owned(),
        Party::Clock { until } => moment(*until),
        Party::Jangdan => "Jangdan".to_owned(),
    });
    let waits = row.waits_for.iter().map(|waits| match waits {
        WaitsFor::Task { task, failed: false } => task.to_string(),
        WaitsFor::Task { task, failed: true } => format!("{task} (came to nothing)"),
        WaitsFor::Phase { phase } => format!("the gate of phase {phase}"),
        WaitsFor::External { name } => name.clone(),
    });
    let mut all: Vec<_> = blocked.chain(waits).collect();
    let n_more = (row.n_waits_for as usize).saturating_sub(row.waits_for.len());
    if n_more > 0 {
        all.push(format!("{n_more} more"));
    }
    all.join(", ")
}

fn used(used: &Used) -> String {
    let (dollars, cents) = (used.cost_micros / 1_000_000, used.cost_micros / 10_000 % 100);
    format!("{} tokens, ${dollars}.{cents:02}", used.tokens)
}

/// Returns the word by which JSON names a value, so that both say the same.
fn word<T: Serialize>(value: &T) -> String {
    serde_json::to_value(value).ok().and_then(|value| value.as_str().map(str::to_owned)).unwrap_or_default()
}
