//! The timeline of a run: a line for each event that a person would want.

use domain::{
    Actor, CheckpointId, EscalationId, Event, InvocationId, LoopId, PhaseNumber, QuestionId, RequestId,
    Sequence, SessionId, TaskId, Timestamp,
};
use serde::{Deserialize, Serialize};

use crate::{
    RowKind, RowSessions, TableRow, Views,
    sentences::{en::describe_event, ko},
    views::EventMoment,
};

/// One line.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct TimelineRow {
    /// The event.
    pub sequence: Sequence,
    /// The name of its kind.
    pub kind: String,
    /// Who made it happen.
    pub actor: Actor,
    /// What happened.
    pub text: String,
    /// The same in Korean; rows of older logs have none.
    #[serde(default)]
    pub korean: Option<String>,
    /// The task it is about.
    pub task: Option<TaskId>,
    /// The phase it is about.
    pub phase: Option<PhaseNumber>,
    /// The session it is about.
    pub session: Option<SessionId>,
    /// The question it is about.
    pub question: Option<QuestionId>,
    /// What else it is about, by its id: a request, a call, an escalation and so on.
    pub id: Option<String>,
    /// When.
    pub happened_at: Timestamp,
}

impl TableRow for TimelineRow {
    type Key = Sequence;
    const KIND: RowKind = RowKind::Timeline;

    fn key(&self) -> Sequence {
        self.sequence
    }

    fn write_key(key: &Sequence) -> String {
        format!("{:012}", key.0)
    }

    fn sessions(&self) -> RowSessions {
        [self.session, None]
    }
}

impl Views {
    /// Adds the line of an event, where it has one that people want.
    pub(crate) fn add_timeline_row(&mut self, moment: EventMoment<'_>, event: &Event) {
        let sentence = describe_event(event, &self.rows, moment.actor);
        if sentence.is_internal {
            return;
        }
        let task = sentence.task.or_else(|| self.rows.questions.get(&sentence.question?)?.task.clone());
        let task = task.or_else(|| self.task_with_id(sentence.id.as_ref()?));
        let task = task.or_else(|| self.task_of(sentence.session?));
        let korean = ko::describe_event_in_korean(event, &self.rows, moment.actor);
        self.rows.timeline.put(TimelineRow {
            sequence: moment.sequence,
            kind: event.name().to_owned(),
            actor: moment.actor.clone(),
            text: sentence.text,
            korean: Some(korean),
            task,
            phase: sentence.phase,
            session: sentence.session,
            question: sentence.question,
            id: sentence.id,
            happened_at: moment.at,
        });
    }

    /// Returns the task of whatever has this id.
    fn task_with_id(&self, id: &str) -> Option<TaskId> {
        let rows = &self.rows;
        let request = |id: RequestId| rows.requests.get(&id)?.task.clone();
        let escalation = |id: EscalationId| rows.escalations.get(&id)?.task.clone();
        let feedback_loop = |id: LoopId| Some(rows.loops.get(&id)?.task.clone());
        let checkpoint = |id: CheckpointId| Some(rows.checkpoints.get(&id)?.task.clone());
        let invocation = |id: InvocationId| self.task_of(rows.invocations.get(&id)?.caller_session);
        // Each kind of id has a letter of its own, so at most one of these reads it.
        let found = id.parse().ok().and_then(request);
        let found = found.or_else(|| id.parse().ok().and_then(escalation));
        let found = found.or_else(|| id.parse().ok().and_then(feedback_loop));
        let found = found.or_else(|| id.parse().ok().and_then(checkpoint));
        found.or_else(|| id.parse().ok().and_then(invocation))
    }
}
