//! Prints the rows of a run as tables.

use std::io::{self, Write};

use anstyle::Style;
use domain::{Locale, RunId, Sequence, Timestamp};
use views::{
    PhaseRow, SessionRow, TaskBlocker, TaskRow, UnmetDependency, UsageTotals, Views, describe_task_mark,
    describe_used_cost, describe_used_tokens,
};

use crate::{
    localized::localized,
    plural::plural,
    printable::printable,
    remote::environment_locale,
    screen::phrases::{party, task_state},
    sessions::in_tree_order,
    table,
    timestamp::format_utc,
    value_name::{session_state_name, value_name},
};

const TITLE: Style = Style::new().bold();

pub(super) fn print(views: &Views, run: &RunId, sequence: Sequence, at: Timestamp) -> io::Result<()> {
    let mut out = io::BufWriter::new(anstream::stdout().lock());
    let rows = views.rows();
    if let Some(row) = rows.run.get(&()) {
        let (title, status) = (printable(&row.title), value_name(&row.status));
        let (project, run_word) = (printable(&row.project), localized("run", "실행"));
        writeln!(out, "{TITLE}{title}{TITLE:#} ({project}, {run_word} {run}): {status}")?;
        let (done, all, person) = (row.tasks.done, row.n_tasks, row.waits_for.person);
        let used = usage_text(&row.used);
        let totals = localized(
            format!("{done} of {all} tasks done, {person} waiting for you, {used}"),
            format!("작업 {all}개 중 {done}개 완료, {person}건 확인 필요, {used}"),
        );
        writeln!(out, "{totals}")?;
    }
    let at = format_utc(at);
    let after =
        localized(format!("After event {sequence}, {at} UTC"), format!("이벤트 {sequence} 이후, {at} UTC"));
    writeln!(out, "{after}")?;
    print_phases_and_tasks(&mut out, views)?;
    print_sessions(&mut out, views)?;
    print_communication(&mut out, views)?;
    out.flush()
}

/// Prints phases, tasks and the inbox.
fn print_phases_and_tasks(out: &mut impl Write, views: &Views) -> io::Result<()> {
    let rows = views.rows();
    let phase = |row: &PhaseRow| {
        let (done, all) = (row.tasks.done, row.n_tasks);
        let done = localized(format!("{done} of {all}"), format!("{done}/{all}"));
        [row.number.to_string(), row.name.clone(), value_name(&row.state), value_name(&row.gate), done]
    };
    table::print_table(
        out,
        &localized("Phases", "단계"),
        [
            "",
            &localized("name", "이름"),
            &localized("state", "상태"),
            &localized("gate", "게이트"),
            &localized("done", "완료"),
        ],
        rows.phases.iter().map(phase),
    )?;
    let task = |row: &TaskRow| {
        let agent = row.agent.as_ref().map(ToString::to_string).unwrap_or_default();
        let progress = row.progress.map(|part| format!("{:.0} %", part * 100.0)).unwrap_or_default();
        let marks =
            row.marks.iter().map(|mark| format!(", {}", describe_task_mark(environment_locale(), *mark)));
        let state = format!("{}{}", value_name(&row.state), marks.collect::<String>());
        [row.id.to_string(), state, progress, agent, row.title.clone(), waiting_for(views, row)]
    };
    table::print_table(
        out,
        &localized("Tasks", "작업"),
        [
            "",
            &localized("state", "상태"),
            "",
            &localized("agent", "에이전트"),
            &localized("title", "제목"),
            &localized("waiting for", "대기"),
        ],
        rows.tasks.iter().map(task),
    )?;
    let inbox = views.inbox().into_iter().map(|row| {
        let n_tasks = row.blocks.tasks;
        let tasks = localized(plural(n_tasks as usize, "task"), format!("작업 {n_tasks}개"));
        let blocked = match row.blocks.time_ms / 60_000 {
            0 => tasks,
            minutes => localized(format!("{tasks}, {minutes} min"), format!("{tasks}, {minutes}분")),
        };
        let task = row.task.as_ref().map(ToString::to_string).unwrap_or_default();
        [row.item.to_string(), task, blocked, in_locale(&row.text, row.korean.as_deref())]
    });
    table::print_table(
        out,
        &localized("Waiting for you", "확인할 일"),
        ["", &localized("task", "작업"), &localized("blocks", "막힌 작업"), &localized("text", "내용")],
        inbox,
    )
}

/// Prints the sessions as a tree.
fn print_sessions(out: &mut impl Write, views: &Views) -> io::Result<()> {
    let rows: Vec<SessionRow> = views.rows().sessions.iter().cloned().collect();
    let sessions = in_tree_order(&rows).into_iter().map(|row| {
        let indent = "  ".repeat(row.depth as usize);
        let agent = row.agent.as_ref().map_or("Jangdan".to_owned(), ToString::to_string);
        let task = row.task.as_ref().map(ToString::to_string).unwrap_or_default();
        [
            format!("{indent}{}", row.id),
            agent,
            value_name(&row.role),
            session_state_name(row),
            task,
            usage_text(&row.used),
        ]
    });
    table::print_table(
        out,
        &localized("Sessions", "세션"),
        [
            "",
            &localized("agent", "에이전트"),
            &localized("role", "역할"),
            &localized("state", "상태"),
            &localized("task", "작업"),
            &localized("usage", "사용량"),
        ],
        sessions,
    )
}

/// Prints questions, requests, calls, feedback loops and escalations.
fn print_communication(out: &mut impl Write, views: &Views) -> io::Result<()> {
    let rows = views.rows();
    let or_empty = |text: Option<String>| text.unwrap_or_default();
    let questions = rows.questions.iter().map(|row| {
        let task = or_empty(row.task.as_ref().map(ToString::to_string));
        let text = in_locale(&row.text, row.korean.as_deref());
        [row.id.to_string(), task, value_name(&row.status), text, or_empty(row.answer.clone())]
    });
    table::print_table(
        out,
        &localized("Questions", "질문"),
        [
            "",
            &localized("task", "작업"),
            &localized("state", "상태"),
            &localized("question", "질문"),
            &localized("answer", "답변"),
        ],
        questions,
    )?;
    let requests = rows.requests.iter().map(|row| {
        let task = or_empty(row.task.as_ref().map(ToString::to_string));
        [row.id.to_string(), task, value_name(&row.status), value_name(&row.r#type), row.name.clone()]
    });
    table::print_table(
        out,
        &localized("Requests", "요청"),
        [
            "",
            &localized("task", "작업"),
            &localized("state", "상태"),
            &localized("type", "종류"),
            &localized("name", "이름"),
        ],
        requests,
    )?;
    let calls = rows.invocations.iter().map(|row| {
        let caller = or_empty(row.caller.as_ref().map(ToString::to_string));
        [row.id.to_string(), caller, row.callee.to_string(), value_name(&row.status), row.wanted.clone()]
    });
    table::print_table(
        out,
        &localized("Calls", "호출"),
        [
            "",
            &localized("from", "보낸 에이전트"),
            &localized("to", "받는 에이전트"),
            &localized("state", "상태"),
            &localized("task", "작업"),
        ],
        calls,
    )?;
    let loops = rows.loops.iter().map(|row| {
        let rounds = row.rounds.len().to_string();
        [row.id.to_string(), row.task.to_string(), value_name(&row.status), rounds]
    });
    table::print_table(
        out,
        &localized("Feedback loops", "피드백 루프"),
        [
            "",
            &localized("task", "작업"),
            &localized("state", "상태"),
            &localized("failed rounds", "실패한 회차"),
        ],
        loops,
    )?;
    let escalations = rows.escalations.iter().map(|row| {
        let (severity, level) = (value_name(&row.severity), value_name(&row.level));
        let title = in_locale(&row.title, row.korean.as_deref());
        [row.id.to_string(), value_name(&row.status), severity, level, title]
    });
    table::print_table(
        out,
        &localized("Problems", "문제"),
        [
            "",
            &localized("state", "상태"),
            &localized("severity", "심각도"),
            &localized("level", "담당"),
            &localized("title", "제목"),
        ],
        escalations,
    )
}

/// Lists what a task waits for.
fn waiting_for(views: &Views, row: &TaskRow) -> String {
    let locale = environment_locale();
    let blocked = row.blocked.iter().map(|TaskBlocker { on, .. }| party(locale, on));
    let open = row.waits_for.iter().map(|dependency| match dependency {
        UnmetDependency::Task { task, failed: false } => task.to_string(),
        UnmetDependency::Task { task, failed: true } => {
            let state = views.rows().tasks.get(task).map(|row| task_state(locale, row.state));
            format!("{task} ({})", state.unwrap_or_default())
        }
        UnmetDependency::Phase { phase } => {
            localized(format!("the gate of phase {phase}"), format!("{phase}단계 게이트"))
        }
        UnmetDependency::External { name } => name.clone(),
    });
    let mut all: Vec<_> = blocked.chain(open).collect();
    let n_more = (row.n_waits_for as usize).saturating_sub(row.waits_for.len());
    if n_more > 0 {
        all.push(localized(format!("{n_more} more"), format!("외 {n_more}개")));
    }
    all.join(", ")
}

fn usage_text(used: &UsageTotals) -> String {
    format!(
        "{}, {}",
        describe_used_tokens(environment_locale(), used),
        describe_used_cost(environment_locale(), used)
    )
}

/// Returns the Korean text of a row in a Korean environment, if it has one.
fn in_locale(english: &str, korean: Option<&str>) -> String {
    korean.filter(|_| environment_locale() == Locale::Ko).unwrap_or(english).to_owned()
}
