//! What scrolls up above the screen: the events that a person wants to find there later.

use anstyle::{AnsiColor, Style};
use domain::Locale;
use views::TimelineRow;

use super::{
    Look,
    amount::{since, span, tokens},
    board::Board,
    line::{Line, flat},
    words::phase,
};

const FAINT: Style = Style::new().dimmed();
const PLAIN: Style = Style::new();
const GOOD: Style = AnsiColor::Green.on_default();
const BAD: Style = AnsiColor::Red.on_default();
const ASKS: Style = AnsiColor::Yellow.on_default();

/// Returns the line of an event; none where it is not worth one.
pub fn history(look: Look, board: &Board, row: &TimelineRow) -> Option<Line> {
    let (style, korean) = kind(&row.kind)?;
    let started = board.run.as_ref().map_or(row.happened_at, |run| run.started_at);
    let at = span(look.locale, since(started, row.happened_at));
    let text = match look.locale {
        Locale::En => row.text.clone(),
        Locale::Ko => in_korean(board, row, korean),
    };
    let line = Line::of(FAINT, &format!("{at} ")).and(style, &flat(&text));
    Some(line.and(FAINT, &more(look, board, row)))
}

/// Returns how an event looks, and its words in Korean.
fn kind(name: &str) -> Option<(Style, &'static str)> {
    Some(match name {
        "RunStarted" => (PLAIN, "실행 시작"),
        "RunPaused" => (ASKS, "실행 일시 정지"),
        "RunContinued" => (PLAIN, "실행 계속"),
        "RunCancelled" => (BAD, "실행 취소"),
        "RunReopened" => (PLAIN, "실행 다시 열림"),
        "PhaseStarted" => (PLAIN, "시작"),
        "PhasePaused" => (ASKS, "일시 정지"),
        "PhaseContinued" => (PLAIN, "계속"),
        "PhaseCancelled" => (BAD, "취소"),
        "PhaseLanded" => (GOOD, "반영됨"),
        "TaskDone" => (GOOD, "완료"),
        "TaskReturned" => (ASKS, "에이전트에게 되돌려짐"),
        "AttemptFailed" => (BAD, "시도 실패"),
        "TaskFailed" => (BAD, "실패"),
        "TaskSkipped" => (FAINT, "건너뜀"),
        "TaskCancelled" => (FAINT, "취소"),
        "TaskReopened" => (ASKS, "다시 하기"),
        "TaskRewound" => (ASKS, "체크포인트로 되돌림"),
        "TaskReassigned" => (PLAIN, "다른 에이전트에게"),
        "QuestionAnswered" => (GOOD, "답변됨"),
        "QuestionExpired" => (ASKS, "기한이 지남"),
        "QuestionWithdrawn" => (FAINT, "질문 거둠"),
        "RequestProvided" => (GOOD, "제공됨"),
        "RequestRefused" => (BAD, "거절됨"),
        "RequestSkipped" => (FAINT, "건너뜀"),
        "GateApproved" => (GOOD, "승인됨"),
        "GateFailed" => (BAD, "통과하지 못함"),
        "EscalationRaised" => (ASKS, "문제 제기"),
        "EscalationResolved" => (GOOD, "문제 해결"),
        "SessionLost" => (BAD, "세션을 잃음"),
        "ErrorReported" => (BAD, "오류"),
        // Only what could not be done has a line.
        "EffectFinished" => (BAD, "하지 못한 일"),
        "QuestionsPiledUp" => (ASKS, "질문이 많음"),
        "ChatSaid" => (PLAIN, "대화"),
        _ => return None,
    })
}

fn in_korean(board: &Board, row: &TimelineRow, korean: &str) -> String {
    let subject = match (&row.question, &row.id, &row.task, row.phase) {
        (Some(question), ..) => question.to_string(),
        (None, Some(id), ..) => id.clone(),
        (None, None, Some(task), _) => task.to_string(),
        (None, None, None, Some(number)) => phase(Locale::Ko, number, ""),
        (None, None, None, None) => String::new(),
    };
    let answer = row.question.and_then(|id| board.questions.get(&id)).and_then(|row| row.answer.as_ref());
    let detail = match row.kind.as_str() {
        "QuestionAnswered" => answer.cloned(),
        // What somebody wrote stands behind the colon, in their own language.
        "ChatSaid" | "ErrorReported" | "EffectFinished" | "EscalationRaised" | "EscalationResolved"
        | "AttemptFailed" | "TaskFailed" | "TaskReopened" | "GateFailed" | "RequestRefused"
        | "SessionLost" => row.text.split_once(": ").map(|(_, said)| said.to_owned()),
        _ => None,
    };
    let detail = detail.map(|detail| format!(": {detail}")).unwrap_or_default();
    format!("{subject} {korean}{detail}").trim_start().to_owned()
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
    let style = kind(&row.kind).map_or(PLAIN, |(style, _)| style);
    Line::of(FAINT, &format!("{at} ")).and(style, &flat(&row.text))
}
