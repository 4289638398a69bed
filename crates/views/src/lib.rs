//! Folds the events of a run into rows, the read model of all screens.
//!
//! Rows depend on the events alone and can be rebuilt at any time. Nothing is decided here, and nothing can fail: an
//! event about something unknown changes nothing.
//!
//! [`layout`] and [`schedule`] compute diagrams from the rows.

mod event_names;
mod facts;
mod fold;
mod gate_report;
mod graph;
mod layout;
mod report;
mod row_kind;
mod rows;
mod schedule;
mod sentence;
mod sentences;
mod table;
mod view_change;
mod views;

pub use event_names::{
    DIRECT_MESSAGE, ESCALATION_NEW, ESCALATION_RESOLVED, HUMAN_QUERY_ANSWERED, HUMAN_QUERY_REQUESTED,
    SESSION_END, SESSION_START, TASK_RESUMED_AFTER_HUMAN_QUERY, WORKER_COMPLETE, WORKER_FEEDBACK,
    WORKER_PROGRESS, WORKER_SPAWN,
};
pub use gate_report::gate_report_markdown;
pub use layout::{Edge, Lane, Layout, NODE_HEIGHT, NODE_WIDTH, Node, layout};
pub use report::{
    AttemptReport, CheckReport, FAILED_TESTS_MAX, PhaseReport, ProblemReport, QuestionReport, ReportForm,
    RequestReport, RunReport, RunTime, TaskReport, UnprovedWork, UsageByWork, format_duration, render_report,
};
#[cfg(feature = "typescript")]
pub use row_kind::RowOf;
#[cfg(feature = "openapi")]
pub use row_kind::RowsByKind;
pub use row_kind::{Row, RowKind, RowList, Rows};
pub use rows::{
    AgentRow, AttemptRow, AttemptState, ChannelRow, ChannelState, ChatAuthor, ChatRow, CheckpointRow,
    CheckpointState, Clarification, CleanupRow, ConversationId, CostCertainty, DirectMessageRow,
    DirectMessageState, EscalationRow, EscalationState, GateRound, GateRow, GateState, GateTask, InboxItem,
    InboxRow, InvocationRow, InvocationState, LandingRow, LoopRound, LoopRow, LoopState, ManyQuestions,
    MergedRange, OverlapRow, PendingCounts, PendingQuestion, PhaseApproval, PhaseRow, PhaseState,
    PlanOfferRow, PlanOfferState, ProgressRow, QuestionRow, QuestionState, ReceiptPurpose, ReceiptRow,
    RequestRow, RequestState, ResponsibleParty, ResultRow, ResultState, RunRow, RunState, SessionRow,
    SessionState, SimilarPermission, TaskBlocker, TaskCounts, TaskDetailRow, TaskMark, TaskReceipt, TaskRow,
    TaskState, TimelineRow, TurnKind, TurnRow, TurnSpeaker, UnmetDependency, UsageRow, UsageScope,
    UsageTotals,
};
pub use schedule::{Bar, BarKind, Schedule, critical_path, schedule};
pub use sentence::EventSentence;
pub use sentences::{
    command_origin_text, describe_attempt_failure, describe_check, describe_check_obstacle,
    describe_task_mark,
    en::{
        describe_event,
        plan_changes::{plan_field_name, summarize_plan_changes},
    },
    ko::{
        describe_event_in_korean,
        plan_changes::{
            plan_field_name as plan_field_name_in_korean,
            summarize_plan_changes as summarize_plan_changes_in_korean,
        },
        translate_engine_text,
    },
    test_report::{describe_test_counts, failure_title},
    usage::{describe_used_cost, describe_used_tokens, format_tokens},
};
pub use table::{RowSessions, Table, TableRow};
pub use view_change::ViewChange;
pub use views::Views;
