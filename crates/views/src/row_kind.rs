//! Every kind of row, in one table: its name, its type, where it is kept.

use domain::Event;
use serde::{Serialize, Serializer};

use crate::{
    event_names,
    rows::{
        AgentRow, AttemptRow, ChannelRow, ChatRow, CheckpointRow, DirectMessageRow, EscalationRow, GateRow,
        InboxRow, InvocationRow, LoopRow, OverlapRow, PhaseRow, PlanOfferRow, ProgressRow, QuestionRow,
        ReceiptRow, RequestRow, ResultRow, RunRow, SessionRow, TaskDetailRow, TaskRow, TimelineRow, TurnRow,
        UsageRow,
    },
    table::{Table, TableRow, TouchedRow},
    view_change::ViewChange,
};

macro_rules! kinds {
    ($($(#[$doc:meta])* $table:ident: $kind:ident($row:ident) = $name:literal;)*) => {
        /// What a row is a row of.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum RowKind {$(
            $(#[$doc])*
            $kind,
        )*}

        impl RowKind {
            /// All kinds.
            pub const ALL: &[Self] = &[$(Self::$kind),*];

            /// Returns its name, as the store has it.
            pub fn name(self) -> &'static str {
                match self {$(Self::$kind => $name,)*}
            }

            /// Returns what the live stream calls a row of this kind that is new or looks different.
            pub fn changed(self) -> &'static str {
                match self {$(Self::$kind => concat!($name, ".changed"),)*}
            }

            /// Returns what the live stream calls a row of this kind that is gone.
            pub fn removed(self) -> &'static str {
                match self {$(Self::$kind => concat!($name, ".removed"),)*}
            }
        }

        /// One row, of any kind.
        #[derive(Debug, Clone, PartialEq)]
        pub enum Row {$(
            $(#[$doc])*
            $kind(Box<$row>),
        )*}

        impl Row {
            /// Returns what it is a row of.
            pub fn kind(&self) -> RowKind {
                match self {$(Self::$kind(_) => RowKind::$kind,)*}
            }

            /// Returns its name within its kind.
            pub fn key(&self) -> String {
                match self {$(Self::$kind(row) => $row::write_key(&row.key()),)*}
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

        /// The type of the rows of each kind, by the kind's name.
        #[cfg(feature = "typescript")]
        #[derive(Debug, ts_rs::TS)]
        pub struct RowOf {$(
            $(#[$doc])*
            #[ts(rename = $name)]
            pub $table: $row,
        )*}

        /// Lists of rows by the names of their kinds, of all kinds or some.
        #[cfg(feature = "openapi")]
        #[derive(Debug, utoipa::ToSchema)]
        pub struct RowsByKind {$(
            $(#[$doc])*
            #[schema(rename = $name, required = false)]
            pub $table: Vec<$row>,
        )*}

        /// All rows of a run, a table for each kind.
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
            /// Returns the rows of a kind, sorted by their keys.
            pub fn of(&self, kind: RowKind) -> Vec<Row> {
                match kind {$(RowKind::$kind => self.$table.iter().cloned().map(Row::from).collect(),)*}
            }

            /// Returns what an event has touched.
            pub(crate) fn take_changes(&mut self, event: &Event) -> Vec<ViewChange> {
                let mut changes = Vec::new();
                $(for TouchedRow { key, row, sessions } in self.$table.take_touched() {
                    let kind = <$row as TableRow>::KIND;
                    let names = event_names::names_of(event, kind, row.as_ref());
                    changes.push(ViewChange { kind, key, row, names, sessions });
                })*
                changes
            }
        }
    };
}

kinds! {
    /// The run itself; there is one.
    run: Run(RunRow) = "run";
    /// A phase.
    phases: Phase(PhaseRow) = "phase";
    /// A task, as far as it changes.
    tasks: Task(TaskRow) = "task";
    /// What the plan says about a task.
    task_details: TaskDetail(TaskDetailRow) = "taskDetail";
    /// One try at a task.
    attempts: Attempt(AttemptRow) = "attempt";
    /// A member of the team.
    agents: Agent(AgentRow) = "agent";
    /// A living agent process, or a level that Jangdan plays.
    sessions: Session(SessionRow) = "session";
    /// How far a session is with its task.
    progress: Progress(ProgressRow) = "progress";
    /// What somebody must answer.
    questions: Question(QuestionRow) = "question";
    /// What somebody must provide.
    requests: Request(RequestRow) = "request";
    /// One agent calling another.
    invocations: Invocation(InvocationRow) = "invocation";
    /// What an agent delivers to another.
    results: Result(ResultRow) = "result";
    /// The line between two sessions.
    channels: Channel(ChannelRow) = "channel";
    /// What one session says to another.
    direct_messages: DirectMessage(DirectMessageRow) = "directMessage";
    /// A worker and a tester at one task.
    loops: Loop(LoopRow) = "feedbackLoop";
    /// A problem handed upward.
    escalations: Escalation(EscalationRow) = "escalation";
    /// The check and approval at the end of a phase.
    gates: Gate(GateRow) = "gate";
    /// A point that a task can go back to.
    checkpoints: Checkpoint(CheckpointRow) = "checkpoint";
    /// The proof that a command ran.
    receipts: Receipt(ReceiptRow) = "receipt";
    /// Files that two unfinished tasks both changed.
    overlaps: Overlap(OverlapRow) = "overlap";
    /// One utterance in a task's conversation.
    turns: Turn(TurnRow) = "turn";
    /// One utterance in the chat of the run.
    chat: Chat(ChatRow) = "chat";
    /// What happened, a line for each event that a person would want.
    timeline: Timeline(TimelineRow) = "timeline";
    /// A change of the plan file that may be taken.
    plan_offers: PlanOffer(PlanOfferRow) = "planOffer";
    /// What waits for the person.
    inbox: Inbox(InboxRow) = "inbox";
    /// What was used, and by whom.
    usage: Usage(UsageRow) = "usage";
}

/// The rows of one kind as a list to serialize, without a copy of them.
#[derive(Debug, Clone, Copy)]
pub struct RowList<'a> {
    rows: &'a Rows,
    kind: RowKind,
}

impl Rows {
    /// Returns the rows of a kind to serialize, sorted by their keys.
    pub fn list(&self, kind: RowKind) -> RowList<'_> {
        RowList { rows: self, kind }
    }
}

impl Row {
    /// Returns the row as JSON.
    pub fn to_json(&self) -> String {
        // No row has a map whose keys are no texts, and that is all that could fail.
        serde_json::to_string(self).unwrap_or_default()
    }
}
