//! Logs for tests: the golden one, and short ones built event by event.

use domain::{
    Actor, AgentName, Event, PlannedPhase, PlannedTask, PlannedWork, RecordedEvent, Role, RunSettings,
    Sequence, SessionId, TaskId, TeamMember, Timestamp, events,
};
use engine::Run;
use views::{ViewChange, Views};

/// Returns the events of the golden log.
pub(crate) fn golden_log() -> Vec<RecordedEvent> {
    let lines = include_str!("../golden/log-1.jsonl").lines();
    lines.map(|line| serde_json::from_str(line).unwrap_or_else(|error| panic!("{error}: {line}"))).collect()
}

/// Folds a whole log.
pub(crate) fn fold(log: &[RecordedEvent]) -> Views {
    let mut replay = Replay::new();
    for recorded in log {
        replay.apply(recorded);
    }
    replay.views
}

/// Rows with the actions of an engine that applies the same events.
pub(crate) struct Replay {
    run: Run,
    pub views: Views,
}

impl Replay {
    pub(crate) fn new() -> Self {
        Self { run: Run::new(), views: Views::new("r1".parse().unwrap()) }
    }

    pub(crate) fn apply(&mut self, recorded: &RecordedEvent) -> Vec<ViewChange> {
        self.run.apply(recorded);
        self.views.apply(recorded, &self.run.action_update(&recorded.event))
    }
}

/// Returns every row as a line.
pub(crate) fn row_lines(views: &Views) -> Vec<String> {
    views.all_rows().map(|row| format!("{} {} {}", row.kind().name(), row.key(), row.to_json())).collect()
}

/// A log built event by event.
pub(crate) struct SampleLog {
    pub views: Views,
    run: Run,
    sequence: Sequence,
}

impl SampleLog {
    /// Starts a run of these tasks: id, phase, dependencies.
    pub(crate) fn with_tasks(tasks: &[(&str, u32, &[&str])]) -> Self {
        let planned = |(id, phase, after): &(&str, u32, &[&str])| PlannedTask {
            depends_on: after.iter().map(|id| parse_task_id(id)).collect(),
            ..PlannedTask::new(parse_task_id(id), *phase, format!("Title of {id}"))
        };
        Self::with_planned_tasks(tasks.iter().map(planned).collect())
    }

    /// Starts a run of these tasks in two phases.
    pub(crate) fn with_planned_tasks(tasks: Vec<PlannedTask>) -> Self {
        Self::with_phases(vec![phase(1, &[]), phase(2, &[1])], tasks)
    }

    /// Starts a run of these tasks in these phases.
    pub(crate) fn with_phases(phases: Vec<PlannedPhase>, tasks: Vec<PlannedTask>) -> Self {
        let work = PlannedWork { title: "Plan".to_owned(), phases, tasks };
        let member = TeamMember {
            name: sample_agent_name(),
            role: Role::Worker,
            slots: None,
            is_turn_end_guessed: false,
            protocol: domain::AgentProtocol::Text,
        };
        let mut log =
            Self { views: Views::new("r1".parse().unwrap()), run: Run::new(), sequence: Sequence(0) };
        log.record(Event::RunStarted(events::RunStarted {
            project: "shop".to_owned(),
            work: Box::new(work),
            settings: Box::new(RunSettings::default()),
            team: vec![member],
            is_evidence_required: true,
        }));
        log
    }

    /// Appends an event and applies it.
    pub(crate) fn record(&mut self, event: Event) -> Vec<ViewChange> {
        self.sequence = self.sequence.next();
        let at = Timestamp(1_000 * self.sequence.0.cast_signed());
        let recorded = RecordedEvent { sequence: self.sequence, at, actor: Actor::System, event };
        self.run.apply(&recorded);
        self.views.apply(&recorded, &self.run.action_update(&recorded.event))
    }

    /// Opens a session and starts a task in it.
    pub(crate) fn start_task(&mut self, id: &str, session: u32) {
        let session = SessionId(session);
        self.record(Event::SessionOpened(events::SessionOpened {
            session,
            parent: None,
            depth: 2,
            role: Role::Worker,
            agent: Some(sample_agent_name()),
            task: Some(parse_task_id(id)),
            phase: None,
            resumes: None,
        }));
        self.record(Event::SessionActivated(events::SessionActivated { session, agent_session: None }));
        self.record(Event::TaskStarted(events::TaskStarted {
            task: parse_task_id(id),
            attempt: 1,
            agent: sample_agent_name(),
            session,
        }));
    }
}

pub(crate) fn phase(number: u32, after: &[u32]) -> PlannedPhase {
    PlannedPhase {
        number,
        name: String::new(),
        after: after.to_vec(),
        verify: None,
        artefacts: Vec::new(),
        budgets: Vec::new(),
    }
}

pub(crate) fn sample_agent_name() -> AgentName {
    "backend".parse().unwrap()
}

pub(crate) fn parse_task_id(id: &str) -> TaskId {
    id.parse().unwrap()
}
