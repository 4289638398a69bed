//! The order in which pending agent messages are processed.

use domain::AgentMessage;

/// Returns the rank of a received message that is not yet decided: the smallest is processed first, messages of equal
/// rank in output order.
pub fn message_urgency(message: &AgentMessage) -> u8 {
    match message {
        AgentMessage::Error(_) => 0,
        AgentMessage::PhaseComplete(_) => 1,
        AgentMessage::DependencyRequest(_) => 2,
        AgentMessage::AskUser(_) | AgentMessage::UserQuestion(_) | AgentMessage::NeedHuman(_) => 3,
        AgentMessage::Invoke(_)
        | AgentMessage::DeliverResult(_)
        | AgentMessage::StepComplete(_)
        | AgentMessage::Progress(_)
        | AgentMessage::Direct(_)
        | AgentMessage::ResolveNext(_)
        | AgentMessage::Ready(_)
        | AgentMessage::PhaseDone(_)
        | AgentMessage::AllDone
        | AgentMessage::Task(_)
        | AgentMessage::Done(_)
        | AgentMessage::Fail(_)
        | AgentMessage::ResolveError(_)
        | AgentMessage::Custom(_) => 4,
    }
}
