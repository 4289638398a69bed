//! Lines for events, which scroll up above the screen.

use anstyle::{AnsiColor, Style};
use domain::Locale;
use views::TimelineRow;

use super::{
    DrawContext,
    amounts::{elapsed_ms, format_duration, format_tokens},
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
        "PhaseLanded" | "TaskDone" | "QuestionAnswered" | "RequestProvided" | "GateApproved"
        | "EscalationResolved" => GOOD,
        // Only failed effects are in the timeline.
        "RunCancelled" | "PhaseCancelled" | "AttemptFailed" | "TaskFailed" | "RequestRefused"
        | "GateFailed" | "SessionLost" | "ErrorReported" | "EffectFinished" => BAD,
        "RunPaused"
        | "PhasePaused"
        | "TaskReturned"
        | "TaskReopened"
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

/// Returns the title, duration and usage of an ended task.
fn ended_task_summary(context: DrawContext, board: &Board, row: &TimelineRow) -> String {
    let is_end = matches!(row.kind.as_str(), "TaskDone" | "TaskFailed" | "TaskSkipped" | "TaskCancelled");
    let Some(task) = row.task.as_ref().filter(|_| is_end).and_then(|task| board.tasks.get(task)) else {
        return String::new();
    };
    let mut parts = vec![collapse_whitespace(&task.title)];
    if let (Some(from), Some(to)) = (task.started_at, task.ended_at) {
        parts.push(format_duration(context.locale, elapsed_ms(from, to)));
    }
    if task.used.tokens > 0 {
        parts.push(format_tokens(task.used.tokens));
    }
    format!(" · {}", parts.join(" · "))
}

fn localized_text(locale: Locale, row: &TimelineRow) -> &str {
    match (locale, &row.korean) {
        (Locale::Ko, Some(korean)) => korean,
        (Locale::Ko, None) | (Locale::En, _) => &row.text,
    }
}

/// Returns the line of any event, for output without a screen.
pub(crate) fn timestamped_line(locale: Locale, row: &TimelineRow) -> Line {
    let at = crate::timestamp::format_utc(row.happened_at);
    let style = style(&row.kind).unwrap_or(PLAIN);
    Line::styled(FAINT, &format!("{at} ")).append(style, &collapse_whitespace(localized_text(locale, row)))
}
