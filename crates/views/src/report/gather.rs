//! Gathers the report from the rows.

use std::collections::BTreeMap;

use domain::{Actor, CompletionProof, SessionId, TaskId, Timestamp};

use super::{
    AttemptReport, CheckReport, FAILED_TESTS_MAX, PhaseReport, ProblemReport, QuestionReport, RequestReport,
    RunReport, RunTime, TaskReport, UnprovedWork, UsageByWork, actor_name, add_by_role,
};
use crate::{
    EscalationState, PhaseRow, PhaseState, QuestionState, ReceiptPurpose, ReceiptRow, Rows, TaskMark,
    TaskRow, TaskState, describe_check, failure_title,
    schedule::{BarKind, GatedGraph, schedule},
};

/// Working and blocked time of a task.
#[derive(Debug, Clone, Copy, Default)]
struct TaskTime {
    worked_ms: u64,
    blocked_ms: u64,
}

pub(super) fn report(rows: &Rows, now: Timestamp) -> Option<RunReport> {
    let run = rows.run.get(&())?;
    let end = run.ended_at.unwrap_or(now);
    let times = task_times(rows, end);
    let mut usage = UsageByWork::default();
    rows.sessions.iter().for_each(|session| add_by_role(&mut usage, session.role, &session.used));
    let mut checks = checks_by_task(rows);
    let phases: Vec<PhaseReport> =
        rows.phases.iter().map(|phase| phase_report(rows, phase, &times, &mut checks)).collect();
    let (predicted_ms, n_unestimated) = predicted(rows);
    Some(RunReport {
        run: run.id.clone(),
        project: run.project.clone(),
        title: run.title.clone(),
        status: run.status,
        started_at: run.started_at,
        ended_at: run.ended_at,
        made_at: now,
        tasks: run.tasks,
        time: RunTime {
            predicted_ms,
            n_unestimated,
            elapsed_ms: between_ms(run.started_at, end),
            worked_ms: times.values().map(|time| time.worked_ms).sum(),
            blocked_ms: times.values().map(|time| time.blocked_ms).sum(),
        },
        usage,
        unproved: unproved(rows, &phases),
        phases,
        questions: questions(rows),
        requests: requests(rows),
        problems: problems(rows),
    })
}

fn between_ms(from: Timestamp, to: Timestamp) -> u64 {
    u64::try_from(to.0.saturating_sub(from.0)).unwrap_or(0)
}

fn task_times(rows: &Rows, end: Timestamp) -> BTreeMap<TaskId, TaskTime> {
    let mut times: BTreeMap<TaskId, TaskTime> = BTreeMap::new();
    for bar in schedule(rows, end).bars {
        let time = times.entry(bar.task).or_default();
        let length = between_ms(bar.start_at, bar.end_at);
        match bar.kind {
            BarKind::Past | BarKind::Now => time.worked_ms = time.worked_ms.saturating_add(length),
            BarKind::Blocked => time.blocked_ms = time.blocked_ms.saturating_add(length),
            BarKind::Predicted => {}
        }
    }
    times
}

/// Returns the longest chain of estimates, and the number of tasks without one.
fn predicted(rows: &Rows) -> (Option<u64>, u32) {
    let graph = GatedGraph::of(rows);
    let estimate = |row: &&TaskRow| rows.task_details.get(&row.id).and_then(|detail| detail.estimate_ms);
    let estimates: Vec<Option<u64>> = graph.tasks.iter().map(estimate).collect();
    let n_unestimated = estimates.iter().filter(|estimate| estimate.is_none()).count();
    let is_estimated = n_unestimated < estimates.len();
    let milliseconds: Vec<u64> = estimates.into_iter().map(Option::unwrap_or_default).collect();
    let longest = graph.remaining_ms(&milliseconds).into_iter().max();
    (longest.filter(|_| is_estimated), u32::try_from(n_unestimated).unwrap_or(u32::MAX))
}

fn checks_by_task(rows: &Rows) -> BTreeMap<TaskId, Vec<CheckReport>> {
    let mut checks: BTreeMap<TaskId, Vec<CheckReport>> = BTreeMap::new();
    let mut receipts: Vec<&ReceiptRow> = rows.receipts.iter().collect();
    receipts.sort_by_key(|row| (row.sequence, row.index));
    for row in receipts {
        if let Some(task) = row.task.as_ref().filter(|_| row.purpose != ReceiptPurpose::Gate) {
            checks.entry(task.clone()).or_default().push(check_report(row));
        }
    }
    checks
}

fn check_report(row: &ReceiptRow) -> CheckReport {
    let receipt = &row.receipt;
    let report = receipt.tests.as_deref();
    let failures = report.map(|report| report.failures.as_slice()).unwrap_or_default();
    let listed = u64::try_from(failures.len()).unwrap_or(u64::MAX);
    CheckReport {
        command: receipt.command.clone(),
        passed: row.passed,
        outcome: [domain::Locale::En, domain::Locale::Ko].map(|locale| describe_check(locale, receipt)),
        tree: receipt.tree.clone(),
        output_hash: receipt.output_hash.clone(),
        failed_tests: failures.iter().take(FAILED_TESTS_MAX).map(failure_title).collect(),
        n_failed_tests: listed.saturating_add(report.map_or(0, |report| u64::from(report.n_unlisted))),
        finished_at: receipt.finished_at,
        took_ms: between_ms(receipt.started_at, receipt.finished_at),
    }
}

fn phase_report(
    rows: &Rows,
    phase: &PhaseRow,
    times: &BTreeMap<TaskId, TaskTime>,
    checks: &mut BTreeMap<TaskId, Vec<CheckReport>>,
) -> PhaseReport {
    let tasks = rows.tasks.iter().filter(|task| task.phase == phase.number);
    let tasks = tasks.map(|task| task_report(rows, task, times, checks)).collect();
    let mut receipts: Vec<&ReceiptRow> = rows.receipts.iter().collect();
    receipts.retain(|row| row.purpose == ReceiptPurpose::Gate && row.phase == Some(phase.number));
    receipts.sort_by_key(|row| (row.sequence, row.index));
    let approval = rows.gates.get(&phase.number).and_then(|gate| gate.approval.as_ref());
    PhaseReport {
        number: phase.number,
        name: phase.name.clone(),
        state: phase.state,
        rounds: phase.round,
        approved_by: approval.and_then(|approval| name(rows, &approval.by)),
        note: approval.and_then(|approval| approval.note.clone()),
        used: phase.used,
        tasks,
        checks: receipts.into_iter().map(check_report).collect(),
    }
}

fn task_report(
    rows: &Rows,
    task: &TaskRow,
    times: &BTreeMap<TaskId, TaskTime>,
    checks: &mut BTreeMap<TaskId, Vec<CheckReport>>,
) -> TaskReport {
    let TaskTime { worked_ms, blocked_ms } = times.get(&task.id).copied().unwrap_or_default();
    let attempts: Vec<AttemptReport> = rows
        .attempts
        .iter()
        .filter(|attempt| attempt.task == task.id)
        .map(|attempt| AttemptReport {
            number: attempt.number,
            agent: attempt.agent.clone(),
            state: attempt.state,
            failure: attempt.failure.clone(),
            claim_reason: attempt.claim_reason.clone(),
        })
        .collect();
    TaskReport {
        id: task.id.clone(),
        title: task.title.clone(),
        state: task.state,
        marks: task.marks.clone(),
        agent: attempts.last().map(|attempt| attempt.agent.clone()).or_else(|| task.agent.clone()),
        estimate_ms: rows.task_details.get(&task.id).and_then(|detail| detail.estimate_ms),
        worked_ms,
        blocked_ms,
        used: task.used,
        attempts,
        checks: checks.remove(&task.id).unwrap_or_default(),
    }
}

fn name(rows: &Rows, actor: &Actor) -> Option<String> {
    actor_name(actor, |session: SessionId| rows.sessions.get(&session).and_then(|row| row.agent.clone()))
}

fn questions(rows: &Rows) -> Vec<QuestionReport> {
    let report = |row: &crate::QuestionRow| QuestionReport {
        id: row.id,
        task: row.task.clone(),
        agent: row.agent.clone(),
        text: row.text.clone(),
        korean: row.korean.clone(),
        status: row.status,
        answer: row.answer.clone(),
        answered_by: row.answered_by.as_ref().and_then(|actor| name(rows, actor)),
        waited_ms: row.answered_at.map(|at| between_ms(row.asked_at, at)),
    };
    rows.questions.iter().map(report).collect()
}

fn requests(rows: &Rows) -> Vec<RequestReport> {
    let report = |row: &crate::RequestRow| RequestReport {
        id: row.id,
        task: row.task.clone(),
        agent: row.agent.clone(),
        r#type: row.r#type,
        name: row.name.clone(),
        description: row.description.clone(),
        status: row.status,
        is_default: row.default_used,
        reason: row.refusal_reason.clone().or_else(|| row.failure.clone()),
        resolved_by: row.resolved_by.as_ref().and_then(|actor| name(rows, actor)),
        waited_ms: row.resolved_at.map(|at| between_ms(row.asked_at, at)),
    };
    rows.requests.iter().map(report).collect()
}

fn problems(rows: &Rows) -> Vec<ProblemReport> {
    let report = |row: &crate::EscalationRow| ProblemReport {
        id: row.id,
        task: row.task.clone(),
        title: row.title.clone(),
        korean: row.korean.clone(),
        is_open: row.status == EscalationState::Open,
        action: row.action.clone(),
        note: row.note.clone(),
        resolved_by: row.resolved_by.as_ref().and_then(|actor| name(rows, actor)),
    };
    rows.escalations.iter().map(report).collect()
}

/// Returns what counts as done or approved without a proof.
fn unproved(rows: &Rows, phases: &[PhaseReport]) -> Vec<UnprovedWork> {
    let mut found = Vec::new();
    for task in rows.tasks.iter() {
        let (id, title) = (task.id.clone(), task.title.clone());
        match task.state {
            TaskState::Done if task.proof.is_none() => {
                found.push(UnprovedWork::DoneBefore { task: id, title });
            }
            TaskState::Done => {
                let marks = unproved_marks(task);
                if !marks.is_empty() {
                    found.push(UnprovedWork::Task { task: id, title, marks });
                }
            }
            TaskState::Skipped => found.push(UnprovedWork::Skipped { task: id, title }),
            TaskState::Waiting
            | TaskState::Ready
            | TaskState::Running
            | TaskState::Blocked
            | TaskState::Checking
            | TaskState::Merging
            | TaskState::Failed
            | TaskState::Cancelled => {}
        }
    }
    for phase in phases {
        let is_approved = matches!(phase.state, PhaseState::Approved | PhaseState::Landed);
        let is_waived = rows
            .gates
            .get(&phase.number)
            .is_some_and(|gate| gate.approval.as_ref().is_some_and(|by| by.waived));
        if is_approved && is_waived {
            found.push(UnprovedWork::PhaseWaived { phase: phase.number });
        } else if is_approved && phase.checks.is_empty() {
            found.push(UnprovedWork::PhaseWithoutCheck { phase: phase.number });
        }
    }
    let is_default = |row: &&crate::QuestionRow| row.status == QuestionState::Expired && row.answer.is_some();
    found.extend(
        rows.questions.iter().filter(is_default).map(|row| UnprovedWork::DefaultUsed { question: row.id }),
    );
    found
}

/// Returns the marks of a done task that say what is not proved, and "unchecked" by its proof.
fn unproved_marks(task: &TaskRow) -> Vec<TaskMark> {
    let mut marks = task.marks.clone();
    let by_proof = match task.proof {
        Some(CompletionProof::Unchecked) => Some(TaskMark::Unchecked),
        Some(CompletionProof::Waived) => Some(TaskMark::Waived),
        Some(CompletionProof::Checked) | None => None,
    };
    marks.extend(by_proof.filter(|mark| !task.marks.contains(mark)));
    marks
}
