//! Events in the format of server-sent events. Each is formatted once for all subscribers.

use bytes::Bytes;
use domain::{RunId, Sequence, SessionId};
use runtime::AgentActivity;
use serde::Serialize;
use store::Position;
use views::{Row, RowKind, ViewChange};

use super::filter::StreamFilter;
use crate::problem::Problem;

/// Event name of session activity, which is not recorded in the log.
pub(crate) const ACTIVITY: &str = "session.activity";
/// Event name of the problem that ends a stream.
pub(crate) const PROBLEM: &str = "problem";

/// The frames of one log entry: one for each event name of each row change.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct EntryFrames {
    pub run: RunId,
    pub position: Position,
    pub text: Bytes,
    /// The frames in `text`, in order.
    frames: Vec<Frame>,
}

/// One frame of an entry.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Frame {
    kind: RowKind,
    /// The sessions of the row before and after the change.
    sessions: Vec<SessionId>,
    /// Byte offset of its end in the text.
    end: usize,
}

/// The frame of one piece of session activity.
#[derive(Debug, Clone)]
pub(crate) struct ActivityFrame {
    pub run: RunId,
    pub session: SessionId,
    pub text: Bytes,
}

/// A row that was added, changed or removed.
#[derive(Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub(crate) struct RowChange<'a> {
    run: &'a RunId,
    /// Sequence number of the event in the run.
    sequence: Sequence,
    /// Kind of the row, such as `task`.
    kind: &'static str,
    /// Key of the row, unique within its kind.
    key: &'a str,
    /// The row after the change; `null` if it was removed.
    #[cfg_attr(feature = "typescript", ts(type = "unknown"))]
    row: Option<&'a Row>,
}

/// Current activity of a session. It is not recorded in the log.
#[derive(Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub(crate) struct SessionActivity<'a> {
    run: &'a RunId,
    session: SessionId,
    activity: &'a AgentActivity,
}

impl EntryFrames {
    /// Formats the changes of an entry.
    ///
    /// Only the last frame has the id, so a client that has the id has all frames. An entry without changes is an id alone.
    pub(crate) fn from_changes(
        run: &RunId,
        position: Position,
        sequence: Sequence,
        changes: &[ViewChange],
    ) -> Self {
        let (mut text, mut frames) = (Vec::new(), Vec::new());
        let mut named = changes
            .iter()
            .flat_map(|change| change.names().into_iter().map(move |name| (name, change)))
            .peekable();
        while let Some((name, change)) = named.next() {
            let (kind, row) = (change.kind.name(), change.row.as_ref());
            let data = RowChange { run, sequence, kind, key: &change.key, row };
            write_event(&mut text, name, named.peek().is_none().then_some(position), &data);
            frames.push(Frame { kind: change.kind, sessions: change.sessions().collect(), end: text.len() });
        }
        if text.is_empty() {
            text = id_frame(position);
        }
        Self { run: run.clone(), position, text: text.into(), frames }
    }

    /// Returns the frames that a filter includes; `None` if there are none.
    ///
    /// The id comes last even if the last frame is excluded, so a client that has the id has all included frames.
    pub(crate) fn filtered(&self, filter: &StreamFilter) -> Option<Bytes> {
        if !filter.includes_run(&self.run) {
            return None;
        }
        if filter.is_unfiltered() {
            return Some(self.text.clone());
        }
        let (mut text, mut start, mut has_last) = (Vec::new(), 0, false);
        for frame in &self.frames {
            has_last = filter.includes_change(frame.kind, &frame.sessions);
            if has_last {
                text.extend_from_slice(self.text.get(start..frame.end).unwrap_or_default());
            }
            start = frame.end;
        }
        if !text.is_empty() && !has_last {
            text.extend(id_frame(self.position));
        }
        (!text.is_empty()).then(|| text.into())
    }
}

fn id_frame(position: Position) -> Vec<u8> {
    format!("id: {position}\n\n").into_bytes()
}

impl ActivityFrame {
    pub(crate) fn from_activity(run: &RunId, session: SessionId, activity: &AgentActivity) -> Self {
        let mut text = Vec::new();
        write_event(&mut text, ACTIVITY, None, &SessionActivity { run, session, activity });
        Self { run: run.clone(), session, text: text.into() }
    }
}

/// Formats the problem that ends a stream.
pub(super) fn problem_frame(problem: &Problem) -> Bytes {
    let mut text = Vec::new();
    write_event(&mut text, PROBLEM, None, problem);
    text.into()
}

/// Formats the first frame, whose id lets a client resume even if it is disconnected before the first event.
pub(super) fn stream_start(at: Position) -> Bytes {
    format!("retry: 1000\nid: {at}\n\n").into()
}

fn write_event(text: &mut Vec<u8>, name: &str, id: Option<Position>, data: &impl Serialize) {
    text.extend_from_slice(format!("event: {name}\n").as_bytes());
    if let Some(id) = id {
        text.extend_from_slice(format!("id: {id}\n").as_bytes());
    }
    text.extend_from_slice(b"data: ");
    // JSON contains no line break. Serialization fails only for maps with non-string keys, and rows have none.
    let _ = serde_json::to_writer(&mut *text, data);
    text.extend_from_slice(b"\n\n");
}

#[cfg(test)]
mod tests {
    use domain::{
        Actor, Event, PlannedTask, PlannedWork, RecordedEvent, Role, RunSettings, Sequence, SessionId,
        TeamMember, Timestamp, events,
    };
    use runtime::ReplayedRun;
    use store::Position;
    use views::RowKind;

    use super::{EntryFrames, StreamFilter};

    #[test]
    fn session_filter_includes_the_change_that_removes_a_row_from_the_session() {
        let (task, agent): (domain::TaskId, domain::AgentName) =
            ("T1".parse().unwrap(), "dev".parse().unwrap());
        let open = |session| {
            Event::SessionOpened(events::SessionOpened {
                session: SessionId(session),
                parent: None,
                depth: 2,
                role: Role::Worker,
                agent: Some(agent.clone()),
                task: Some(task.clone()),
                phase: None,
                resumes: None,
            })
        };
        let resume = |session| {
            Event::TaskResumed(events::TaskResumed { task: task.clone(), session: SessionId(session) })
        };
        let planned = PlannedTask::new(task.clone(), 1, "Build".to_owned());
        let run_started = Event::RunStarted(events::RunStarted {
            project: "shop".to_owned(),
            work: Box::new(PlannedWork { tasks: vec![planned], ..PlannedWork::default() }),
            settings: Box::new(RunSettings::default()),
            team: vec![TeamMember {
                name: agent.clone(),
                role: Role::Worker,
                slots: None,
                is_turn_end_guessed: false,
                protocol: domain::AgentProtocol::Text,
            }],
            is_evidence_required: true,
        });
        let started = Event::TaskStarted(events::TaskStarted {
            task: task.clone(),
            attempt: 1,
            agent: agent.clone(),
            session: SessionId(1),
        });

        let run: domain::RunId = "r1".parse().unwrap();
        let mut replayed = ReplayedRun::new(run.clone());
        let filter = |session| StreamFilter {
            kinds: vec![RowKind::Task],
            sessions: vec![SessionId(session)],
            ..StreamFilter::default()
        };
        let mut received = [0_u64, 1, 2].map(|_| Vec::new());
        for (index, event) in
            [run_started, open(1), started, open(2), resume(2), resume(2), resume(1)].into_iter().enumerate()
        {
            let sequence = Sequence(index as u64 + 1);
            let event = RecordedEvent { sequence, at: Timestamp(1), actor: Actor::System, event };
            let frames =
                EntryFrames::from_changes(&run, Position(sequence.0), sequence, &replayed.apply(&event));
            for (session, received) in (1..).zip(&mut received) {
                received.extend(frames.filtered(&filter(session)).map(|_| sequence.0));
            }
        }
        // The row enters session 1 at 3, moves to session 2 at 5, and back at 7.
        assert_eq!(received, [vec![3, 5, 7], vec![5, 6, 7], vec![]]);
    }
}
