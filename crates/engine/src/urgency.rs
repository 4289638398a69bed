//! Which of several messages that wait is taken first.

use domain::Said;

/// Returns the place of a message among those of a run that are heard and not yet decided: the smallest goes first, and
/// within one place the order of the output holds.
pub fn urgency(said: &Said) -> u8 {
    match said {
        Said::Error(_) => 0,
        Said::PhaseComplete(_) => 1,
        Said::DependencyRequest(_) => 2,
        Said::AskUser(_) | Said::UserQuestion(_) | Said::NeedHuman(_) => 3,
        Said::Invoke(_)
        | Said::DeliverResult(_)
        | Said::StepComplete(_)
        | Said::Progress(_)
        | Said::Direct(_)
        | Said::ResolveNext(_)
        | Said::Ready(_)
        | Said::PhaseDone(_)
        | Said::AllDone
        | Said::Task(_)
        | Said::Done(_)
        | Said::Fail(_)
        | Said::ResolveError(_)
        | Said::Custom(_) => 4,
    }
}
