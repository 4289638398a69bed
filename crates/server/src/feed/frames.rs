//! News as the live stream writes it. Written once, whoever listens.

use bytes::Bytes;
use domain::{RunId, Sequence, SessionId};
use runtime::AgentActivity;
use serde::Serialize;
use store::Position;
use views::{Row, RowKind, ViewChange};

use super::wanted::Wanted;
use crate::problem::Problem;

/// The name of what is seen of a session and not recorded.
pub const SEEN: &str = "session.seen";
/// The name of what is wrong, before the stream ends.
pub const PROBLEM: &str = "problem";

/// One entry of the log: an event for each name of each change.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Frames {
    /// The run.
    pub run: RunId,
    /// Its place among all runs.
    pub position: Position,
    /// What is written.
    pub text: Bytes,
    /// Its events, in order.
    parts: Vec<Part>,
}

/// One event of an entry.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Part {
    kind: RowKind,
    /// The sessions that it is about, or was until now.
    sessions: Vec<SessionId>,
    /// Where it ends in the text.
    end: usize,
}

/// Something that is seen of a session.
#[derive(Debug, Clone)]
pub struct SeenFrames {
    /// The run.
    pub run: RunId,
    /// The session.
    pub session: SessionId,
    /// What is written.
    pub text: Bytes,
}

/// One row that is new, looks different, or is gone.
#[derive(Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct Changed<'a> {
    /// The run.
    run: &'a RunId,
    /// The place of the event in the run.
    sequence: Sequence,
    /// What it is a row of.
    kind: &'static str,
    /// Its name within its kind.
    key: &'a str,
    /// How it looks now; none where it is gone.
    #[cfg_attr(feature = "typescript", ts(type = "unknown"))]
    row: Option<&'a Row>,
}

/// What is seen of a session this moment; nobody keeps it.
#[derive(Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct Glimpsed<'a> {
    /// The run.
    run: &'a RunId,
    /// The session.
    session: SessionId,
    /// What.
    what: &'a AgentActivity,
}

impl Frames {
    /// Writes what an entry changed.
    ///
    /// Only its last event has the id: whoever has that has all of it. One that changed nothing has the id alone.
    pub fn of(run: &RunId, position: Position, sequence: Sequence, changes: &[ViewChange]) -> Self {
        let (mut text, mut parts) = (Vec::new(), Vec::new());
        let mut named = changes
            .iter()
            .flat_map(|change| change.names().into_iter().map(move |name| (name, change)))
            .peekable();
        while let Some((name, change)) = named.next() {
            let (kind, row) = (change.kind.name(), change.row.as_ref());
            let data = Changed { run, sequence, kind, key: &change.key, row };
            write_event(&mut text, name, named.peek().is_none().then_some(position), &data);
            parts.push(Part { kind: change.kind, sessions: change.sessions().collect(), end: text.len() });
        }
        if text.is_empty() {
            text = only_place(position);
        }
        Self { run: run.clone(), position, text: text.into(), parts }
    }

    /// Returns what somebody wants of it; nothing where that is nothing.
    ///
    /// Whoever has the id has all that it wants, also where the last event is none of it.
    pub fn wanted(&self, wanted: &Wanted) -> Option<Bytes> {
        if !wanted.is_of(&self.run) {
            return None;
        }
        if wanted.is_whole() {
            return Some(self.text.clone());
        }
        let (mut text, mut begin, mut has_last) = (Vec::new(), 0, false);
        for part in &self.parts {
            has_last = wanted.is_change(part.kind, &part.sessions);
            if has_last {
                text.extend_from_slice(self.text.get(begin..part.end).unwrap_or_default());
            }
            begin = part.end;
        }
        if !text.is_empty() && !has_last {
            text.extend(only_place(self.position));
        }
        (!text.is_empty()).then(|| text.into())
    }
}

fn only_place(position: Position) -> Vec<u8> {
    format!("id: {position}\n\n").into_bytes()
}

impl SeenFrames {
    /// Writes what is seen of a session.
    pub fn of(run: &RunId, session: SessionId, what: &AgentActivity) -> Self {
        let mut text = Vec::new();
        write_event(&mut text, SEEN, None, &Glimpsed { run, session, what });
        Self { run: run.clone(), session, text: text.into() }
    }
}

/// Writes why there is no more.
pub fn problem(problem: &Problem) -> Bytes {
    let mut text = Vec::new();
    write_event(&mut text, PROBLEM, None, problem);
    text.into()
}

/// Writes where the stream starts, so that one who is cut off before the first news knows it too.
pub fn beginning(at: Position) -> Bytes {
    format!("retry: 1000\nid: {at}\n\n").into()
}

fn write_event(text: &mut Vec<u8>, name: &str, id: Option<Position>, data: &impl Serialize) {
    text.extend_from_slice(format!("event: {name}\n").as_bytes());
    if let Some(id) = id {
        text.extend_from_slice(format!("id: {id}\n").as_bytes());
    }
    text.extend_from_slice(b"data: ");
    // JSON has no line break in it. No row has a map whose keys are no texts, and that is all that could fail.
    let _ = serde_json::to_writer(&mut *text, data);
    text.extend_from_slice(b"\n\n");
}

#[cfg(test)]
mod tests {
    use domain::{
        Actor, Event, PlannedTask, PlannedWork, RecordedEvent, Role, RunSettings, Sequence, SessionId,
        TeamMember, Timestamp,
    };
    use store::Position;
    use views::{RowKind, Views};

    use super::{Frames, Wanted};

    #[test]
    fn one_who_wants_a_session_hears_once_that_a_row_left_it() {
        let (task, agent): (domain::TaskId, domain::AgentName) =
            ("T1".parse().unwrap(), "dev".parse().unwrap());
        let open = |session| Event::SessionOpened {
            session: SessionId(session),
            parent: None,
            depth: 2,
            role: Role::Worker,
            agent: Some(agent.clone()),
            task: Some(task.clone()),
            phase: None,
            resumes: None,
        };
        let resume = |session| Event::TaskResumed { task: task.clone(), session: SessionId(session) };
        let planned = PlannedTask::new(task.clone(), 1, "Build".to_owned());
        let began = Event::RunStarted {
            project: "shop".to_owned(),
            work: Box::new(PlannedWork { tasks: vec![planned], ..PlannedWork::default() }),
            settings: Box::new(RunSettings::default()),
            team: vec![TeamMember { name: agent.clone(), role: Role::Worker, slots: None }],
        };
        let started = Event::TaskStarted {
            task: task.clone(),
            attempt: 1,
            agent: agent.clone(),
            session: SessionId(1),
        };

        let run: domain::RunId = "r1".parse().unwrap();
        let mut views = Views::new(run.clone());
        let wanted = |session| Wanted {
            kinds: vec![RowKind::Task],
            sessions: vec![SessionId(session)],
            ..Wanted::default()
        };
        let mut heard = [0_u64, 1, 2].map(|_| Vec::new());
        for (index, event) in
            [began, open(1), started, open(2), resume(2), resume(2), resume(1)].into_iter().enumerate()
        {
            let sequence = Sequence(index as u64 + 1);
            let event = RecordedEvent { sequence, at: Timestamp(1), actor: Actor::System, event };
            let frames = Frames::of(&run, Position(sequence.0), sequence, &views.apply(&event));
            for (session, heard) in (1..).zip(&mut heard) {
                heard.extend(frames.wanted(&wanted(session)).map(|_| sequence.0));
            }
        }
        // It came to the first at 3, left it for the second at 5, and came back at 7.
        assert_eq!(heard, [vec![3, 5, 7], vec![5, 6, 7], vec![]]);
    }
}
