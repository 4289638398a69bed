//! Which of several messages that wait is taken first.

use domain::AgentMessage;

/// Returns the place of a message among those of a run that are heard and not yet decided: the smallest goes first, and
/// within one place the order of the output holds.
pub fn urgency(said: &AgentMessage) -> u8 {
    match said {
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
