//! The timeline of a run: one sentence per event that concerns the user.

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

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct TimelineRow {
    pub sequence: Sequence,
    /// Name of the event type.
    pub kind: String,
    pub actor: Actor,
    pub text: String,
    /// Missing in rows of older versions.
    #[serde(default)]
    pub korean: Option<String>,
    pub task: Option<TaskId>,
    pub phase: Option<PhaseNumber>,
    pub session: Option<SessionId>,
    pub question: Option<QuestionId>,
    /// Id of anything else: a request, an invocation, an escalation and so on.
    pub id: Option<String>,
    pub happened_at: Timestamp,
}

impl TableRow for TimelineRow {
    type Key = Sequence;
    const KIND: RowKind = RowKind::Timeline;

    fn key(&self) -> Sequence {
        self.sequence
    }

    fn key_to_text(key: &Sequence) -> String {
        format!("{:012}", key.0)
    }

    fn sessions(&self) -> RowSessions {
        [self.session, None]
    }
}

impl Views {
    /// Adds the sentence of an event, unless the event is internal.
    pub(crate) fn add_timeline_row(&mut self, moment: EventMoment<'_>, event: &Event) {
        let sentence = describe_event(event, &self.rows, moment.actor);
        if sentence.is_internal {
            return;
        }
        let task = sentence.task.or_else(|| self.rows.questions.get(&sentence.question?)?.task.clone());
        let task = task.or_else(|| self.task_of_item(sentence.id.as_ref()?));
        let task = task.or_else(|| self.task_of_session(sentence.session?));
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

    /// Returns the task of a request, escalation, loop, checkpoint or invocation.
    fn task_of_item(&self, id: &str) -> Option<TaskId> {
        let rows = &self.rows;
        let request = |id: RequestId| rows.requests.get(&id)?.task.clone();
        let escalation = |id: EscalationId| rows.escalations.get(&id)?.task.clone();
        let feedback_loop = |id: LoopId| Some(rows.loops.get(&id)?.task.clone());
        let checkpoint = |id: CheckpointId| Some(rows.checkpoints.get(&id)?.task.clone());
        let invocation = |id: InvocationId| self.task_of_session(rows.invocations.get(&id)?.caller_session);
        // Each kind of id has its own prefix, so at most one of these parses.
        let task = id.parse().ok().and_then(request);
        let task = task.or_else(|| id.parse().ok().and_then(escalation));
        let task = task.or_else(|| id.parse().ok().and_then(feedback_loop));
        let task = task.or_else(|| id.parse().ok().and_then(checkpoint));
        task.or_else(|| id.parse().ok().and_then(invocation))
    }
}
