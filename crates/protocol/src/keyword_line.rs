//! Dialect D: keyword lines, each of which is a whole message, such as `DONE:T1.3`.

use std::collections::BTreeMap;

use domain::{
    AgentMessage, CustomMessage, DoneMessage, FailMessage, PhaseNumber, PhaseTasksDone, ReadyTasksMessage,
    ResolveNextError, ResolveNextErrorCode, ResolveNextRequest, StartTaskMessage, TaskId, TaskReference,
};
use unicode_segmentation::UnicodeSegmentation;

use crate::{
    line_head::MessageError,
    options::{DecoderOptions, KeyCheck},
    tag::truncate_value,
};

const REASON_CHARACTERS_MAX: usize = 100;

/// The word that a keyword line begins with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum LineKeyword {
    ResolveNext,
    Ready,
    PhaseDone,
    AllDone,
    TaskId,
    Done,
    Fail,
    Error,
    Custom,
}

impl LineKeyword {
    pub(crate) const ALL: [Self; 9] = [
        Self::ResolveNext,
        Self::Ready,
        Self::PhaseDone,
        Self::AllDone,
        Self::TaskId,
        Self::Done,
        Self::Fail,
        Self::Error,
        Self::Custom,
    ];

    pub(crate) fn text(self) -> &'static str {
        match self {
            Self::ResolveNext => "RESOLVE_NEXT",
            Self::Ready => "READY",
            Self::PhaseDone => "PHASE_DONE",
            Self::AllDone => "ALL_DONE",
            Self::TaskId => "TASK_ID",
            Self::Done => "DONE",
            Self::Fail => "FAIL",
            Self::Error => "ERROR",
            Self::Custom => "CUSTOM",
        }
    }
}

#[derive(Debug)]
pub(crate) enum KeywordLine {
    Message(Result<AgentMessage, MessageError>),
    /// The first line of a message that the next lines may continue.
    TaskStart(StartTaskMessage),
}

/// Parses a line without its decoration; `None` if it is not a keyword line.
pub(crate) fn parse_keyword_line(line: &str, options: &DecoderOptions) -> Option<(KeywordLine, KeyCheck)> {
    let line = line.trim_end();
    let (without_key, word) = match line.rsplit_once(char::is_whitespace) {
        Some((before, last)) if options.is_key(last) => (before.trim_end(), Some(last)),
        _ => (line, None),
    };
    if let Some(line) = parse_keyword_and_fields(without_key, options) {
        return Some((line, options.check_key(word)));
    }
    // If the last word has the form of a key, the line is a message of another session and not text.
    let (before, last) = line.rsplit_once(char::is_whitespace)?;
    if !domain::SessionKey::looks_like_key(last) {
        return None;
    }
    Some((parse_keyword_and_fields(before.trim_end(), options)?, KeyCheck::Wrong))
}

fn parse_keyword_and_fields(line: &str, options: &DecoderOptions) -> Option<KeywordLine> {
    let (word, rest) = match line.split_once(':') {
        Some((word, rest)) => (word, Some(rest.trim_start())),
        None => (line, None),
    };
    let keyword = LineKeyword::ALL.into_iter().find(|keyword| keyword.text() == word)?;
    let message = match keyword {
        LineKeyword::ResolveNext => AgentMessage::ResolveNext(parse_resolve_next(rest)?),
        LineKeyword::Ready => AgentMessage::Ready(parse_ready(rest?, options)?),
        LineKeyword::PhaseDone => {
            AgentMessage::PhaseDone(PhaseTasksDone { phase: parse_phase_number(rest?)? })
        }
        LineKeyword::AllDone if rest.is_none() => AgentMessage::AllDone,
        LineKeyword::AllDone => return None,
        LineKeyword::TaskId => {
            let TaskReference { task, phase } = parse_task_reference(rest?, options)?;
            return Some(KeywordLine::TaskStart(StartTaskMessage {
                task_id: task,
                phase,
                worktree: None,
                meta: None,
            }));
        }
        LineKeyword::Done => AgentMessage::Done(parse_done(rest?, options)?),
        LineKeyword::Fail => AgentMessage::Fail(parse_fail(rest?, options)?),
        LineKeyword::Error => AgentMessage::ResolveError(parse_resolve_error(rest?)?),
        LineKeyword::Custom => return parse_custom_message(rest?, options).map(KeywordLine::Message),
    };
    Some(KeywordLine::Message(Ok(message)))
}

fn parse_resolve_next(rest: Option<&str>) -> Option<ResolveNextRequest> {
    let Some(rest) = rest else { return Some(ResolveNextRequest { phase: None, force: false }) };
    let mut parts = rest.split(':').map(str::trim_start);
    let mut part = parts.next();
    let mut phase = None;
    if part == Some("PHASE") {
        phase = Some(parse_phase_number(parts.next()?)?);
        part = parts.next();
    }
    let force = part == Some("FORCE");
    if force {
        part = parts.next();
    }
    part.is_none().then_some(ResolveNextRequest { phase, force })
}

fn parse_ready(rest: &str, options: &DecoderOptions) -> Option<ReadyTasksMessage> {
    let group = |group: &str| -> Option<Vec<TaskId>> {
        group
            .split(',')
            .map(|id| parse_task_reference(id.trim_start(), options).map(|reference| reference.task))
            .collect()
    };
    let groups = rest.split('|').map(|text| group(text.trim_start())).collect::<Option<Vec<_>>>()?;
    Some(ReadyTasksMessage { groups })
}

fn parse_done(rest: &str, options: &DecoderOptions) -> Option<DoneMessage> {
    let (id, mut rest) = split_first_part(rest);
    let TaskReference { task, phase } = parse_task_reference(id, options)?;
    let mut fields = BTreeMap::new();
    while let Some(part) = rest {
        let (first, after) = split_first_part(part);
        let Some((key, value)) = parse_field(first) else { break };
        fields.insert(key, value);
        rest = after;
    }
    // What is not a field is the reason; an empty one is neither.
    let reason = match rest {
        Some("") => return None,
        Some(reason) => Some(cut_reason(reason)),
        None => None,
    };
    Some(DoneMessage { task_id: task, phase, reason, fields })
}

/// Splits at the first colon; the second part is `None` without one.
fn split_first_part(text: &str) -> (&str, Option<&str>) {
    match text.split_once(':') {
        Some((first, rest)) => (first, Some(rest.trim_start())),
        None => (text, None),
    }
}

fn parse_fail(rest: &str, options: &DecoderOptions) -> Option<FailMessage> {
    let (id, mut rest) = match rest.split_once(':') {
        Some((id, rest)) => (id, rest.trim_start()),
        None => (rest, ""),
    };
    let TaskReference { task, phase } = parse_task_reference(id, options)?;
    let mut fields = BTreeMap::new();
    // The last part is always the reason.
    while let Some((part, after)) = rest.split_once(':') {
        let Some((key, value)) = parse_field(part) else { break };
        fields.insert(key, value);
        rest = after.trim_start();
    }
    let reason = (!rest.is_empty()).then(|| cut_reason(rest));
    Some(FailMessage { task_id: task, phase, reason, fields })
}

fn parse_resolve_error(rest: &str) -> Option<ResolveNextError> {
    let (code, detail) = match rest.split_once(':') {
        Some((code, detail)) => (code, Some(detail.trim_start())),
        None => (rest, None),
    };
    let code = match code {
        "TASKS_NOT_FOUND" => ResolveNextErrorCode::TasksNotFound,
        "CIRCULAR_DEP" => ResolveNextErrorCode::CircularDep,
        "MISSING_DEP" => ResolveNextErrorCode::MissingDep,
        "PARSE_FAIL" => ResolveNextErrorCode::ParseFail,
        "STATE_CORRUPT" => ResolveNextErrorCode::StateCorrupt,
        _ => return None,
    };
    Some(ResolveNextError { code, detail: detail.filter(|detail| !detail.is_empty()).map(str::to_owned) })
}

fn parse_custom_message(rest: &str, options: &DecoderOptions) -> Option<Result<AgentMessage, MessageError>> {
    let (kind, value) = rest.split_once(':')?;
    let value = value.trim_start();
    let is_word = !kind.is_empty()
        && kind.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-'));
    if !is_word {
        return None;
    }
    if matches!(kind, "PRIORITY" | "SKIP" | "RETRY") && parse_task_reference(value, options).is_none() {
        let error =
            format!("invalid value '{}' for field 'value': {kind} requires a task id", truncate_value(value));
        return Some(Err(MessageError { message_name: "CUSTOM", error }));
    }
    if value.is_empty() {
        return None;
    }
    Some(Ok(AgentMessage::Custom(CustomMessage { kind: kind.to_owned(), value: value.to_owned() })))
}

fn parse_task_reference(text: &str, options: &DecoderOptions) -> Option<TaskReference> {
    options.task_ids.parse_reference(text)
}

fn parse_phase_number(text: &str) -> Option<PhaseNumber> {
    text.bytes().all(|byte| byte.is_ascii_digit()).then(|| text.parse().ok())?
}

fn parse_field(text: &str) -> Option<(String, String)> {
    let (key, value) = text.split_once('=')?;
    let is_key = !key.is_empty() && key.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'_');
    let is_value = !value.is_empty() && !value.contains(char::is_whitespace);
    (is_key && is_value).then(|| (key.to_owned(), value.to_owned()))
}

/// Truncates a reason, never inside a grapheme cluster.
fn cut_reason(reason: &str) -> String {
    let mut end = 0;
    let mut characters = 0;
    for grapheme in reason.graphemes(true) {
        characters += grapheme.chars().count();
        if characters > REASON_CHARACTERS_MAX {
            break;
        }
        end += grapheme.len();
    }
    reason[..end].to_owned()
}
