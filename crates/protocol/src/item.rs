//! The decoder's results, and their JSON form in `jangdan decode`.

use domain::AgentMessage;
use serde::{Serialize, Serializer, ser::SerializeStruct};

/// One result of the decoder.
#[derive(Debug, Clone, PartialEq)]
pub enum DecodedItem {
    Message(DecodedMessage),
    /// An attempted message that breaks a rule of the protocol.
    Invalid(InvalidMessage),
    /// A line that resembles a message but is text.
    NearMiss(NearMiss),
}

#[derive(Debug, Clone, PartialEq)]
pub struct DecodedMessage {
    pub message: AgentMessage,
    pub span: Span,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InvalidMessage {
    /// The name of the attempted message.
    pub message_name: &'static str,
    /// The first broken rule, with field and value.
    pub error: String,
    pub span: Span,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NearMiss {
    /// The name of the message that the line resembles.
    pub message_name: &'static str,
    pub span: Span,
}

/// A position in the output.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Span {
    /// The decoded text, truncated after 4 KiB with `…`.
    pub raw: String,
    /// The offset of the byte that drew the first character.
    pub start: u64,
    /// The offset after the last line's newline.
    pub end: u64,
    /// Distinguishes items of a screen with the same offset; 0 in line mode.
    pub ordinal: u32,
}

impl DecodedItem {
    pub fn span(&self) -> &Span {
        match self {
            Self::Message(message) => &message.span,
            Self::Invalid(invalid) => &invalid.span,
            Self::NearMiss(near_miss) => &near_miss.span,
        }
    }

    pub(crate) fn span_mut(&mut self) -> &mut Span {
        match self {
            Self::Message(message) => &mut message.span,
            Self::Invalid(invalid) => &mut invalid.span,
            Self::NearMiss(near_miss) => &mut near_miss.span,
        }
    }
}

impl Serialize for DecodedItem {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut object = serializer.serialize_struct("DecodedItem", 6)?;
        match self {
            Self::Message(DecodedMessage { message, .. }) => {
                object.serialize_field("type", message.name())?;
                object.serialize_field("target", &message.target())?;
                serialize_payload(message, &mut object)?;
            }
            Self::Invalid(InvalidMessage { message_name, error, .. }) => {
                object.serialize_field("type", "INVALID")?;
                object.serialize_field("protocol", message_name)?;
                object.serialize_field("error", error)?;
            }
            Self::NearMiss(NearMiss { message_name, .. }) => {
                object.serialize_field("type", "NEAR")?;
                object.serialize_field("near", message_name)?;
            }
        }
        let Span { raw, start, end, .. } = self.span();
        object.serialize_field("raw", raw)?;
        object.serialize_field("start", start)?;
        object.serialize_field("end", end)?;
        object.end()
    }
}

fn serialize_payload<O: SerializeStruct>(message: &AgentMessage, object: &mut O) -> Result<(), O::Error> {
    // The target is printed next to the payload, so these three payloads are printed without it.
    match message {
        AgentMessage::Invoke(domain::InvokeMessage { target: _, task, context }) => {
            object.serialize_field("payload", &InvokePayload { task, context: context.as_deref() })
        }
        AgentMessage::DeliverResult(domain::DeliverResult { target: _, result_type, content }) => {
            object.serialize_field("payload", &ResultPayload { result_type: *result_type, content })
        }
        AgentMessage::Direct(domain::DirectMessage { target: _, r#type, content }) => {
            object.serialize_field("payload", &DirectPayload { r#type: *r#type, content })
        }
        AgentMessage::AskUser(payload) => object.serialize_field("payload", payload),
        AgentMessage::StepComplete(payload) => object.serialize_field("payload", payload),
        AgentMessage::Progress(payload) => object.serialize_field("payload", payload),
        AgentMessage::DependencyRequest(payload) => object.serialize_field("payload", payload),
        AgentMessage::UserQuestion(payload) => object.serialize_field("payload", payload),
        AgentMessage::PhaseComplete(payload) => object.serialize_field("payload", payload),
        AgentMessage::Error(payload) => object.serialize_field("payload", payload),
        AgentMessage::NeedHuman(payload) => object.serialize_field("payload", payload),
        AgentMessage::ResolveNext(payload) => object.serialize_field("payload", payload),
        AgentMessage::Ready(payload) => object.serialize_field("payload", payload),
        AgentMessage::PhaseDone(payload) => object.serialize_field("payload", payload),
        AgentMessage::AllDone => object.serialize_field("payload", &EmptyPayload {}),
        AgentMessage::Task(payload) => object.serialize_field("payload", payload),
        AgentMessage::Done(payload) => object.serialize_field("payload", payload),
        AgentMessage::Fail(payload) => object.serialize_field("payload", payload),
        AgentMessage::ResolveError(payload) => object.serialize_field("payload", payload),
        AgentMessage::Custom(payload) => object.serialize_field("payload", payload),
    }
}

#[derive(Serialize)]
struct InvokePayload<'a> {
    task: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    context: Option<&'a str>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct ResultPayload<'a> {
    result_type: domain::ResultType,
    content: &'a str,
}

#[derive(Serialize)]
struct DirectPayload<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    r#type: Option<domain::DirectType>,
    content: &'a str,
}

#[derive(Serialize)]
struct EmptyPayload {}
