//! A message → the text that says it: what `jangdan say`, scripts and the player print.
//!
//! One form for each message, the one that is hardest to misread. The decoder is the judge: what it does not give back
//! exactly as it was is refused, with the field that is to field_error. Never writes a message that reads as another one.

mod block;
mod field_error;
mod line;
mod tag;

use domain::{AgentMessage, Role, SessionKey};

use crate::{
    decoder::Decoder,
    item::DecodedItem,
    options::{DecoderOptions, KeyRequirement},
};

/// A message that has no text form, because one of its values can't be read back as it is.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message_name} can't carry this {field}: {reason}")]
pub struct EncodeError {
    /// The message's name on the wire.
    pub message_name: &'static str,
    /// The field that is to field_error, as `jangdan decode` names it; `key` where it is the session's key.
    pub field: &'static str,
    /// What would become of it.
    pub reason: EncodeErrorReason,
}

/// What a reader would make of a message that can't be written.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum EncodeErrorReason {
    /// It breaks a rule of the protocol, in the decoder's words.
    #[error("{0}")]
    Invalid(String),
    /// Another value would arrive.
    #[error("it would be read as '{0}'")]
    Other(String),
    /// No message would arrive, or more than one, or one without an end.
    #[error("a line of it ends the message or keeps it open")]
    Torn,
    /// Each of its values could be written, but not all of them together.
    #[error("the message is too long")]
    TooLong,
}

/// Writes a message as whole lines that decode to exactly this message, whatever is printed before and after them.
///
/// With a key the lines carry it, and are heard where keys are required too. A message that names tasks such as `1.2`
/// is heard where the plan has such ids, and NEED_HUMAN where the speaker is an orchestrator.
///
/// # Errors
///
/// A value that has no form in the protocol is refused: for example a line break in the reason of a FAIL, white space
/// around a question, or a line in a body that is a message itself.
///
/// ```
/// use domain::{AgentMessage, DoneMessage};
///
/// let done = AgentMessage::Done(DoneMessage { task_id: "T1.3".parse().unwrap(), phase: None, fields: [].into() });
/// assert_eq!(protocol::encode(&done, "k3f9".parse().ok().as_ref()).unwrap(), "DONE:T1.3 k3f9\n");
/// ```
pub fn encode(message: &AgentMessage, key: Option<&SessionKey>) -> Result<String, EncodeError> {
    let text = write(message, key);
    match judge(&text, message, key) {
        Ok(()) => Ok(text),
        Err(_) => Err(field_error::find(message, key)),
    }
}

fn write(message: &AgentMessage, key: Option<&SessionKey>) -> String {
    match message {
        AgentMessage::AskUser(ask) => tag::ask_user(ask, key),
        AgentMessage::Invoke(invoke) => tag::invoke(invoke, key),
        AgentMessage::DeliverResult(result) => tag::deliver_result(result, key),
        AgentMessage::StepComplete(step) => tag::step_complete(step, key),
        AgentMessage::Progress(progress) => tag::progress(progress, key),
        AgentMessage::Direct(direct) => tag::direct(direct, key),
        AgentMessage::DependencyRequest(request) => block::dependency_request(request, key),
        AgentMessage::UserQuestion(question) => block::user_question(question, key),
        AgentMessage::Error(error) => block::agent_error(error, key),
        AgentMessage::PhaseComplete(phase) => line::phase_complete(phase, key),
        AgentMessage::NeedHuman(need_human) => line::need_human(need_human, key),
        AgentMessage::ResolveNext(next) => line::resolve_next(next, key),
        AgentMessage::Ready(ready) => line::ready(ready, key),
        AgentMessage::PhaseDone(done) => line::phase_done(done, key),
        AgentMessage::AllDone => line::all_done(key),
        AgentMessage::Task(request) => line::task(request, key),
        AgentMessage::Done(done) => line::done(done, key),
        AgentMessage::Fail(fail) => line::fail(fail, key),
        AgentMessage::ResolveError(error) => line::resolve_error(error, key),
        AgentMessage::Custom(custom) => line::custom(custom, key),
    }
}

/// Reads a text in the strictest way: as one in which the most lines count as messages of their own.
///
/// The turn goes on, so that a message is only accepted if it is complete by itself.
fn judge(text: &str, message: &AgentMessage, key: Option<&SessionKey>) -> Result<(), EncodeErrorReason> {
    let options = DecoderOptions {
        role: Role::Orchestrator,
        key: key.cloned(),
        key_requirement: KeyRequirement::Optional,
        numeric_ids: true,
    };
    let mut decoder = Decoder::new(options);
    let items = decoder.push(text.as_bytes());
    let is_over = decoder.safe_offset() == text.len() as u64;
    match items.as_slice() {
        [DecodedItem::Message(decoded)] if decoded.message == *message && is_over => Ok(()),
        [DecodedItem::Message(decoded)] if decoded.message.name() == message.name() && is_over => {
            Err(EncodeErrorReason::Other(field_error::difference(message, &decoded.message)))
        }
        [DecodedItem::Invalid(invalid)] if is_over => Err(EncodeErrorReason::Invalid(invalid.error.clone())),
        _ => Err(EncodeErrorReason::Torn),
    }
}

/// Returns the key as it stands after something.
fn key_word(key: Option<&SessionKey>) -> String {
    key.map(|key| format!(" {key}")).unwrap_or_default()
}

/// Puts a value in quotes where it begins with one, because a reader takes a pair of them off.
fn quoted(value: &str) -> String {
    if value.starts_with(['\'', '"']) { format!("\"{value}\"") } else { value.to_owned() }
}
