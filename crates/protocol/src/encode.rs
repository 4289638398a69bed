//! Encodes a message as text: for `jangdan say`, scripts and the scripted agent.
//!
//! Each message has one form, the one least likely to be misread. The result is decoded again: a message that does not
//! decode to itself is refused with the field that causes it.

mod block;
mod field_error;
mod line;
mod tag;

use domain::{AgentMessage, PlanTaskIds, Role, SessionKey, TaskId};

use crate::{
    decoder::Decoder,
    item::DecodedItem,
    options::{AcceptedTaskIds, DecoderOptions, KeyRequirement},
};

/// A message cannot be encoded because one of its values would not be decoded as it is.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message_name} cannot contain this {field}: {reason}")]
pub struct EncodeError {
    pub message_name: &'static str,
    /// The field that causes the error, as `jangdan decode` names it; `key` for the session's key.
    pub field: &'static str,
    pub reason: EncodeErrorReason,
}

/// The reason why a message cannot be encoded.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum EncodeErrorReason {
    /// The message would break a rule of the protocol, as the decoder reports it.
    #[error("{0}")]
    Invalid(String),
    /// Another value would be decoded.
    #[error("it would be read as '{0}'")]
    ReadsDifferently(String),
    /// The text would decode to no message, to several, or to one without an end.
    #[error("one of its lines ends the message or keeps it open")]
    NotSelfContained,
    /// Each value can be encoded, but the whole message is too long.
    #[error("the message is too long")]
    TooLong,
}

/// Encodes a message as whole lines that decode to exactly this message, whatever is printed before and after them.
///
/// With a key the lines carry it, and also decode if keys are required. A message with task ids such as `1.2` decodes
/// only if the plan has such ids, and NEED_HUMAN only for an orchestrator.
///
/// # Errors
///
/// Returns an error for a value without a form in the protocol: for example a line break in the reason of a FAIL,
/// white space around a question, or a line in a body that is a message itself.
///
/// ```
/// use domain::{AgentMessage, DoneMessage};
///
/// let done = AgentMessage::Done(DoneMessage { task_id: "T1.3".parse().unwrap(), phase: None, reason: None, fields: [].into() });
/// assert_eq!(protocol::encode(&done, "k3f9".parse().ok().as_ref()).unwrap(), "DONE:T1.3 k3f9\n");
/// ```
pub fn encode(message: &AgentMessage, key: Option<&SessionKey>) -> Result<String, EncodeError> {
    let text = write_message(message, key);
    match verify_round_trip(&text, message, key) {
        Ok(()) => Ok(text),
        Err(_) => Err(field_error::find_unencodable_field(message, key)),
    }
}

fn write_message(message: &AgentMessage, key: Option<&SessionKey>) -> String {
    match message {
        AgentMessage::AskUser(ask) => tag::encode_ask_user(ask, key),
        AgentMessage::Invoke(invoke) => tag::encode_invoke(invoke, key),
        AgentMessage::DeliverResult(result) => tag::encode_deliver_result(result, key),
        AgentMessage::StepComplete(step) => tag::encode_step_complete(step, key),
        AgentMessage::Progress(progress) => tag::encode_progress(progress, key),
        AgentMessage::Direct(direct) => tag::encode_direct(direct, key),
        AgentMessage::DependencyRequest(request) => block::encode_dependency_request(request, key),
        AgentMessage::UserQuestion(question) => block::encode_user_question(question, key),
        AgentMessage::Error(error) => block::encode_agent_error(error, key),
        AgentMessage::PhaseComplete(phase) => line::encode_phase_complete(phase, key),
        AgentMessage::NeedHuman(need_human) => line::encode_need_human(need_human, key),
        AgentMessage::ResolveNext(next) => line::encode_resolve_next(next, key),
        AgentMessage::Ready(ready) => line::encode_ready(ready, key),
        AgentMessage::PhaseDone(done) => line::encode_phase_done(done, key),
        AgentMessage::AllDone => line::encode_all_done(key),
        AgentMessage::Task(request) => line::encode_task(request, key),
        AgentMessage::Done(done) => line::encode_done(done, key),
        AgentMessage::Fail(fail) => line::encode_fail(fail, key),
        AgentMessage::ResolveError(error) => line::encode_resolve_error(error, key),
        AgentMessage::Custom(custom) => line::encode_custom(custom, key),
    }
}

/// Decodes a text with the options under which most lines are messages, and compares the result.
///
/// The turn is not ended, so that only a self-contained message is accepted.
fn verify_round_trip(
    text: &str,
    message: &AgentMessage,
    key: Option<&SessionKey>,
) -> Result<(), EncodeErrorReason> {
    let options = DecoderOptions {
        role: Role::Orchestrator,
        key: key.cloned(),
        key_requirement: KeyRequirement::Optional,
        task_ids: AcceptedTaskIds::OfPlan(named_task_ids(message)),
    };
    let mut decoder = Decoder::new(options);
    let items = decoder.push(text.as_bytes());
    let is_complete = decoder.safe_offset() == text.len() as u64;
    match items.as_slice() {
        [DecodedItem::Message(decoded)] if decoded.message == *message && is_complete => Ok(()),
        [DecodedItem::Message(decoded)] if decoded.message.name() == message.name() && is_complete => {
            Err(EncodeErrorReason::ReadsDifferently(field_error::first_differing_value(
                message,
                &decoded.message,
            )))
        }
        [DecodedItem::Invalid(invalid)] if is_complete => {
            Err(EncodeErrorReason::Invalid(invalid.error.clone()))
        }
        _ => Err(EncodeErrorReason::NotSelfContained),
    }
}

/// Returns the ids that a message names, as the decoder of its session knows them.
fn named_task_ids(message: &AgentMessage) -> PlanTaskIds {
    match message {
        AgentMessage::Done(done) => [&done.task_id].into_iter().collect(),
        AgentMessage::Fail(fail) => [&fail.task_id].into_iter().collect(),
        AgentMessage::Task(request) => [&request.task_id].into_iter().collect(),
        AgentMessage::Ready(ready) => ready.groups.iter().flatten().collect(),
        AgentMessage::Custom(custom) => custom.value.parse::<TaskId>().iter().collect(),
        AgentMessage::AskUser(_)
        | AgentMessage::Invoke(_)
        | AgentMessage::DeliverResult(_)
        | AgentMessage::StepComplete(_)
        | AgentMessage::Progress(_)
        | AgentMessage::Direct(_)
        | AgentMessage::DependencyRequest(_)
        | AgentMessage::UserQuestion(_)
        | AgentMessage::PhaseComplete(_)
        | AgentMessage::Error(_)
        | AgentMessage::NeedHuman(_)
        | AgentMessage::ResolveNext(_)
        | AgentMessage::PhaseDone(_)
        | AgentMessage::AllDone
        | AgentMessage::ResolveError(_) => PlanTaskIds::default(),
    }
}

/// Returns the key with a space before it.
fn session_key_suffix(key: Option<&SessionKey>) -> String {
    key.map(|key| format!(" {key}")).unwrap_or_default()
}

/// Quotes a value that begins with a quote, because the decoder removes a pair of quotes.
fn quote_if_needed(value: &str) -> String {
    if value.starts_with(['\'', '"']) { format!("\"{value}\"") } else { value.to_owned() }
}
