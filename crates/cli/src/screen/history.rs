//! Lines for events, which scroll up above the screen.

use anstyle::{AnsiColor, Style};
use domain::Locale;
use views::{TimelineRow, describe_used_tokens};

use super::{
    DrawContext,
    amounts::{elapsed_ms, format_duration},
    board::Board,
    line::{Line, collapse_whitespace},
};

const FAINT: Style = Style::new().dimmed();
const PLAIN: Style = Style::new();
const GOOD: Style = AnsiColor::Green.on_default();
const BAD: Style = AnsiColor::Red.on_default();
const ASKS: Style = AnsiColor::Yellow.on_default();

/// Returns the line of an event; `None` if it is not shown.
pub(crate) fn history_line(context: DrawContext, board: &Board, row: &TimelineRow) -> Option<Line> {
    let style = style(&row.kind)?;
    let started = board.run.as_ref().map_or(row.happened_at, |run| run.started_at);
    let at = format_duration(context.locale, elapsed_ms(started, row.happened_at));
    let text = collapse_whitespace(localized_text(context.locale, row));
    let line = Line::styled(FAINT, &format!("{at} ")).append(style, &text);
    Some(line.append(FAINT, &ended_task_summary(context, board, row)))
}

/// Returns the style of an event; `None` if it is not shown.
fn style(kind: &str) -> Option<Style> {
    Some(match kind {
        "RunStarted" | "RunContinued" | "RunReopened" | "PhaseStarted" | "PhaseContinued"
        | "TaskReassigned" | "ChatMessageSent" => PLAIN,
        "LandingRequested"
        | "LandingFinished"
        | "CleanupFinished"
        | "SessionStopRequested"
        | "KeysTyped"
        | "ClockJumped" => PLAIN,
        "PhaseLanded" | "TaskDone" | "QuestionAnswered" | "RequestProvided" | "GateApproved"
        | "EscalationResolved" => GOOD,
        // Only failed effects are in the timeline.
        "RunCancelled"
        | "PhaseCancelled"
        | "AttemptFailed"
        | "TaskFailed"
        | "RequestRefused"
        | "ProvisionFailed"
        | "GateFailed"
        | "SessionLost"
        | "SessionStopFinished"
        | "ErrorReported"
        | "EffectFinished" => BAD,
        "RunPaused"
        | "PhasePaused"
        | "TaskReturned"
        | "TaskReopened"
        | "GateReopened"
        | "TaskRewound"
        | "QuestionExpired"
        | "EscalationRaised"
        | "ManyQuestionsAsked"
        | "EffectPostponed"
        | "ChatAnsweredWithStatus" => ASKS,
        "TaskSkipped" | "TaskCancelled" | "QuestionWithdrawn" | "RequestSkipped" => FAINT,
        _ => return None,
    })
}

fn is_task_end(row: &TimelineRow) -> bool {
    matches!(row.kind.as_str(), "TaskDone" | "TaskFailed" | "TaskSkipped" | "TaskCancelled")
}

/// Returns the title, duration and usage of an ended task.
fn ended_task_summary(context: DrawContext, board: &Board, row: &TimelineRow) -> String {
    if is_task_end(row) { task_summary(context.locale, board, row) } else { String::new() }
}

/// Returns the title, duration and usage of the task that an event concerns.
fn task_summary(locale: Locale, board: &Board, row: &TimelineRow) -> String {
    let Some(task) = row.task.as_ref().and_then(|task| board.tasks.get(task)) else {
        return String::new();
    };
    let mut parts = vec![collapse_whitespace(&task.title)];
    if let (Some(from), Some(to)) = (task.started_at, task.ended_at) {
        parts.push(format_duration(locale, elapsed_ms(from, to)));
    }
    if task.used.tokens > 0 {
        parts.push(describe_used_tokens(locale, &task.used));
    }
    format!(" · {}", parts.join(" · "))
}

fn localized_text(locale: Locale, row: &TimelineRow) -> &str {
    match (locale, &row.korean) {
        (Locale::Ko, Some(korean)) => korean,
        (Locale::Ko, None) | (Locale::En, _) => &row.text,
    }
}

/// Returns the line of an event for output without a screen; `None` if it does not concern a person.
pub(crate) fn plain_line(locale: Locale, board: &Board, row: &TimelineRow) -> Option<Line> {
    let style = match row.kind.as_str() {
        "TaskStarted" => PLAIN,
        "MergeFinished" => GOOD,
        // The screen shows these as entries or in its totals.
        "QuestionAsked"
        | "RequestMade"
        | "GatePassed"
        | "LoopRoundFailed"
        | "PlanChangeDetected"
        | "PlanUnreadable"
        | "DiskBudgetExhausted" => ASKS,
        "RunEnded" => Style::new().bold(),
        kind => style(kind)?,
    };
    let at = crate::timestamp::format_utc(row.happened_at);
    let is_start = row.kind == "TaskStarted";
    let summary = if is_start || is_task_end(row) { task_summary(locale, board, row) } else { String::new() };
    let line = Line::styled(FAINT, &format!("{at} "));
    Some(line.append(style, &collapse_whitespace(localized_text(locale, row))).append(FAINT, &summary))
}
