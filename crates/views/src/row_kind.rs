//! The table of all kinds of rows: name, type, and table.

use domain::Event;
use serde::{Serialize, Serializer};

use crate::{
    event_names,
    rows::{
        AgentRow, AttemptRow, ChannelRow, ChatRow, CheckpointRow, CleanupRow, DirectMessageRow,
        EscalationRow, GateRow, InboxRow, InvocationRow, LandingRow, LoopRow, OverlapRow, PhaseRow,
        PlanOfferRow, ProgressRow, QuestionRow, ReceiptRow, RequestRow, ResultRow, RunRow, SessionRow,
        TaskDetailRow, TaskRow, TimelineRow, TurnRow, UsageRow,
    },
    table::{Table, TableRow, TouchedRow},
    view_change::ViewChange,
};

macro_rules! kinds {
    ($($(#[$doc:meta])* $table:ident: $kind:ident($row:ident) = $name:literal;)*) => {
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum RowKind {$(
            $(#[$doc])*
            $kind,
        )*}

        impl RowKind {
            pub const ALL: &[Self] = &[$(Self::$kind),*];

            /// Returns the name of the kind in the store and the API.
            pub fn name(self) -> &'static str {
                match self {$(Self::$kind => $name,)*}
            }

            /// Returns the name of the stream event for a new or changed row.
            pub fn changed_event_name(self) -> &'static str {
                match self {$(Self::$kind => concat!($name, ".changed"),)*}
            }

            /// Returns the name of the stream event for a removed row.
            pub fn removed_event_name(self) -> &'static str {
                match self {$(Self::$kind => concat!($name, ".removed"),)*}
            }
        }

        /// A row of any kind.
        #[derive(Debug, Clone, PartialEq)]
        pub enum Row {$(
            $(#[$doc])*
            $kind(Box<$row>),
        )*}

        impl Row {
            pub fn kind(&self) -> RowKind {
                match self {$(Self::$kind(_) => RowKind::$kind,)*}
            }

            /// Returns the key, unique within the kind.
            pub fn key(&self) -> String {
                match self {$(Self::$kind(row) => $row::key_to_text(&row.key()),)*}
            }
        }

        impl Serialize for Row {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                match self {$(Self::$kind(row) => row.serialize(serializer),)*}
            }
        }

        $(impl From<$row> for Row {
            fn from(row: $row) -> Self {
                Self::$kind(Box::new(row))
            }
        })*

        /// Row type of each kind, by the name of the kind.
        #[cfg(feature = "typescript")]
        #[derive(Debug, ts_rs::TS)]
        pub struct RowOf {$(
            $(#[$doc])*
            #[ts(rename = $name)]
            pub $table: $row,
        )*}

        /// Lists of rows by the names of their kinds; kinds may be missing.
        #[cfg(feature = "openapi")]
        #[derive(Debug, utoipa::ToSchema)]
        pub struct RowsByKind {$(
            $(#[$doc])*
            #[schema(rename = $name, required = false)]
            pub $table: Vec<$row>,
        )*}

        /// All rows of a run, one table per kind.
        #[derive(Debug, Clone, Default)]
        pub struct Rows {$(
            $(#[$doc])*
            pub $table: Table<$row>,
        )*}

        impl Serialize for RowList<'_> {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                match self.kind {$(RowKind::$kind => serializer.collect_seq(self.rows.$table.iter()),)*}
            }
        }

        impl Rows {
            /// Returns the rows of a kind, sorted by key.
            pub fn of_kind(&self, kind: RowKind) -> Vec<Row> {
                match kind {$(RowKind::$kind => self.$table.iter().cloned().map(Row::from).collect(),)*}
            }

            /// Returns the rows that an event has changed since the last call.
            pub(crate) fn take_changes(&mut self, event: &Event) -> Vec<ViewChange> {
                let mut changes = Vec::new();
                $(for TouchedRow { key, row, sessions } in self.$table.take_touched() {
                    let kind = <$row as TableRow>::KIND;
                    let names = event_names::change_names(event, kind, row.as_ref());
                    changes.push(ViewChange { kind, key, row, names, sessions });
                })*
                changes
            }
        }
    };
}

kinds! {
    /// Exactly one per run.
    run: Run(RunRow) = "run";
    phases: Phase(PhaseRow) = "phase";
    /// The part of a task that changes during a run.
    tasks: Task(TaskRow) = "task";
    /// The part of a task that comes from the plan.
    task_details: TaskDetail(TaskDetailRow) = "taskDetail";
    /// One attempt at a task.
    attempts: Attempt(AttemptRow) = "attempt";
    /// A member of the team.
    agents: Agent(AgentRow) = "agent";
    /// A running agent process, or a level of the tree that Jangdan runs itself.
    sessions: Session(SessionRow) = "session";
    /// Progress of a session, as its agent reports it.
    progress: Progress(ProgressRow) = "progress";
    /// A question of an agent.
    questions: Question(QuestionRow) = "question";
    /// A request for something from outside, such as an API key.
    requests: Request(RequestRow) = "request";
    /// A call from one agent to another.
    invocations: Invocation(InvocationRow) = "invocation";
    /// A result that one agent delivers to another.
    results: Result(ResultRow) = "result";
    /// Connection between two sessions.
    channels: Channel(ChannelRow) = "channel";
    /// A message from one session to another.
    direct_messages: DirectMessage(DirectMessageRow) = "directMessage";
    /// The test rounds of a task.
    loops: Loop(LoopRow) = "feedbackLoop";
    /// A problem that needs a decision.
    escalations: Escalation(EscalationRow) = "escalation";
    /// The check and approval at the end of a phase.
    gates: Gate(GateRow) = "gate";
    /// A saved state of a task that can be restored.
    checkpoints: Checkpoint(CheckpointRow) = "checkpoint";
    /// Proof that a check ran.
    receipts: Receipt(ReceiptRow) = "receipt";
    /// A request to bring the work of the run into a branch.
    landings: Landing(LandingRow) = "landing";
    /// A request to remove obsolete worktrees and refs of the run.
    cleanups: Cleanup(CleanupRow) = "cleanup";
    /// Files that two unfinished tasks both changed.
    overlaps: Overlap(OverlapRow) = "overlap";
    /// One message in the conversation of a task.
    turns: Turn(TurnRow) = "turn";
    /// One message in the chat of the run.
    chat: Chat(ChatRow) = "chat";
    /// One sentence per event that concerns the user.
    timeline: Timeline(TimelineRow) = "timeline";
    /// A change of the plan file that waits for the user or was resolved.
    plan_offers: PlanOffer(PlanOfferRow) = "planOffer";
    /// An item that waits for the user.
    inbox: Inbox(InboxRow) = "inbox";
    /// Tokens and cost of a run, phase, agent or task.
    usage: Usage(UsageRow) = "usage";
}

/// Serializes the rows of one kind as a list, without copying them.
#[derive(Debug, Clone, Copy)]
pub struct RowList<'a> {
    rows: &'a Rows,
    kind: RowKind,
}

impl Rows {
    /// Returns the rows of a kind for serialization, sorted by key.
    pub fn list(&self, kind: RowKind) -> RowList<'_> {
        RowList { rows: self, kind }
    }
}

impl Row {
    pub fn to_json(&self) -> String {
        // Serialization fails only for maps whose keys are not strings; no row has one.
        serde_json::to_string(self).unwrap_or_default()
    }
}
