//! What screens show: the events of a run, folded into rows.
//!
//! Everything follows from the events alone, so rows can be thrown away and made anew. Nothing is decided here and
//! nothing can fail: an event about something unknown changes nothing.
//!
//! [`layout`] and [`schedule`] are pictures of the rows: where tasks stand, and when.

mod change;
mod facts;
mod fold;
mod graph;
mod kind;
mod korean;
mod layout;
mod line;
mod names;
mod plans;
mod rows;
mod say;
mod schedule;
mod table;
mod views;
mod words;

pub use change::Change;
#[cfg(feature = "typescript")]
pub use kind::RowOf;
#[cfg(feature = "openapi")]
pub use kind::RowsByKind;
pub use kind::{Kind, Row, RowList, Rows};
pub use korean::line as in_korean;
pub use layout::{Edge, Lane, Layout, NODE_HEIGHT, NODE_WIDTH, Node, layout};
pub use line::Line;
pub use names::{
    DIRECT_MESSAGE, ESCALATION_NEW, ESCALATION_RESOLVED, HUMAN_QUERY_ANSWERED, HUMAN_QUERY_REQUESTED,
    SESSION_END, SESSION_START, TASK_RESUMED_AFTER_HUMAN_QUERY, WORKER_COMPLETE, WORKER_FEEDBACK,
    WORKER_PROGRESS, WORKER_SPAWN,
};
pub use plans::{field_word, summary};
pub use rows::{
    AgentRow, Approval, AskedBack, AsksALot, AttemptRow, AttemptState, Author, Blocked, ChannelRow,
    ChannelState, ChatRow, CheckpointRow, CheckpointState, DirectMessageRow, DirectMessageState,
    EscalationRow, EscalationState, GateRound, GateRow, GateState, InboxItem, InboxRow, InvocationRow,
    InvocationState, LoopRound, LoopRow, LoopState, OverlapRow, Party, PendingQuestion, PhaseRow, PhaseState,
    PlanOfferRow, PlanOfferState, ProgressRow, Purpose, QuestionRow, QuestionState, ReceiptRow, RequestRow,
    RequestState, ResultRow, ResultState, RunRow, RunState, RunWaits, Scope, SessionRow, SessionState,
    Speaker, TaskCounts, TaskDetailRow, TaskMark, TaskReceipt, TaskRow, TaskState, TimelineRow, TurnKind,
    TurnRow, UsageRow, Used, WaitsFor,
};
pub use say::say;
pub use schedule::{Bar, BarKind, Schedule, critical_path, schedule};
pub use table::{Record, Sessions, Table};
pub use views::Views;
pub use words::line;
