//! What scrolls up above the screen: the events that a person wants to find there later.

use anstyle::{AnsiColor, Style};
use domain::Locale;
use views::TimelineRow;

use super::{
    Look,
    amount::{since, span, tokens},
    board::Board,
    line::{Line, flat},
};

const FAINT: Style = Style::new().dimmed();
const PLAIN: Style = Style::new();
const GOOD: Style = AnsiColor::Green.on_default();
const BAD: Style = AnsiColor::Red.on_default();
const ASKS: Style = AnsiColor::Yellow.on_default();

/// Returns the line of an event; none where it is not worth one.
pub fn history(look: Look, board: &Board, row: &TimelineRow) -> Option<Line> {
    let style = style(&row.kind)?;
    let started = board.run.as_ref().map_or(row.happened_at, |run| run.started_at);
    let at = span(look.locale, since(started, row.happened_at));
    let text = match (look.locale, &row.korean) {
        (Locale::Ko, Some(korean)) => korean,
        (Locale::Ko, None) | (Locale::En, _) => &row.text,
    };
    let line = Line::of(FAINT, &format!("{at} ")).and(style, &flat(text));
    Some(line.and(FAINT, &more(look, board, row)))
}

/// Returns how an event looks; none where it is not worth a line.
fn style(kind: &str) -> Option<Style> {
    Some(match kind {
        "RunStarted" | "RunContinued" | "RunReopened" | "PhaseStarted" | "PhaseContinued"
        | "TaskReassigned" | "ChatMessageSent" => PLAIN,
        "PhaseLanded" | "TaskDone" | "QuestionAnswered" | "RequestProvided" | "GateApproved"
        | "EscalationResolved" => GOOD,
        // Of effects only what could not be done has a line.
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
        | "ChatAnsweredWithStatus" => ASKS,
        "TaskSkipped" | "TaskCancelled" | "QuestionWithdrawn" | "RequestSkipped" => FAINT,
        _ => return None,
    })
}

/// Returns what else is worth knowing about a task that is over: its title, how long it took, what it used.
fn more(look: Look, board: &Board, row: &TimelineRow) -> String {
    let is_end = matches!(row.kind.as_str(), "TaskDone" | "TaskFailed" | "TaskSkipped" | "TaskCancelled");
    let Some(task) = row.task.as_ref().filter(|_| is_end).and_then(|task| board.tasks.get(task)) else {
        return String::new();
    };
    let mut parts = vec![flat(&task.title)];
    if let (Some(from), Some(to)) = (task.started_at, task.ended_at) {
        parts.push(span(look.locale, since(from, to)));
    }
    if task.used.tokens > 0 {
        parts.push(tokens(task.used.tokens));
    }
    format!(" · {}", parts.join(" · "))
}

/// Returns the line of any event, for those who see no screen.
pub fn plain(row: &TimelineRow) -> Line {
    let at = crate::moment::moment(row.happened_at);
    let style = style(&row.kind).unwrap_or(PLAIN);
    Line::of(FAINT, &format!("{at} ")).and(style, &flat(&row.text))
}
