//! What is known of a run. Changed by `apply` alone.

mod duty;
mod exchange;
mod phase;
mod question;
mod session;
mod task;
mod team;
mod trouble;

pub(crate) use duty::{Deadline, Duty, EffectKey};
pub(crate) use exchange::{Channel, DirectMessage, Invocation, InvocationState, ResultState, Submitted};
pub(crate) use phase::{Gate, Phase};
pub(crate) use question::{Question, QuestionState, Request, RequestState};
pub(crate) use session::{Session, SessionState};
pub use task::TaskState;
pub(crate) use task::{Spent, Stage, Task, TaskRef};
pub(crate) use team::Team;
pub(crate) use trouble::{Checkpoint, Escalation, FeedbackLoop};
