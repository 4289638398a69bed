//! A run in which nothing goes wrong: every order is carried out at once, every agent says DONE.

use std::{
    collections::{BTreeMap, VecDeque},
    num::NonZeroU32,
};

use domain::{
    Actor, AgentMessage, CheckpointOutcome, Command, DoneMessage, EffectId, GateApproval, GateReport,
    MergeOutcome, MessageOffset, PlannedPhase, PlannedTask, PlannedWork, RecordedEvent, Role, RunSettings,
    SessionInput, TeamMember, Timestamp,
};
use engine::{Effect, Rejection, Run};
use views::Views;

use crate::runs::Work;

/// A run, and what the world has still to do for it.
pub struct Crank {
    /// The run.
    pub run: Run,
    /// All that happened.
    pub log: Vec<RecordedEvent>,
    /// How often something was wished of it.
    pub n_steps: u64,
    /// The rows of it, where they are kept.
    pub rows: Option<Views>,
    orders: VecDeque<(EffectId, Effect)>,
    keeps_log: bool,
}

/// What is kept of a run besides its state.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Keeps {
    /// Nothing.
    Nothing,
    /// All that happened.
    Log,
    /// The rows, as the one who leads a run has them.
    Rows,
}

impl Crank {
    /// Starts a run of so much work.
    pub fn start(work: &Work, slots: u32, keeps: Keeps) -> Result<Self, Rejection> {
        let mut crank = Self {
            run: Run::new(),
            log: Vec::new(),
            n_steps: 0,
            rows: "r1".parse().ok().filter(|_| keeps == Keeps::Rows).map(Views::new),
            orders: VecDeque::new(),
            keeps_log: keeps == Keeps::Log,
        };
        crank.wish(&Actor::Person("ana".to_owned()), start(work, slots))?;
        Ok(crank)
    }

    /// Goes on until the world has nothing to do.
    pub fn turn(&mut self) -> Result<(), Rejection> {
        while let Some((id, effect)) = self.orders.pop_front() {
            match self.carry_out(id, effect) {
                // Two reports may cross; the later one is too late, as in life.
                Ok(()) | Err(Rejection::Stale | Rejection::UnknownSession { .. }) => {}
                Err(rejection) => return Err(rejection),
            }
        }
        Ok(())
    }

    fn carry_out(&mut self, id: EffectId, effect: Effect) -> Result<(), Rejection> {
        for (actor, command) in answer(id, effect) {
            self.wish(&actor, command)?;
        }
        Ok(())
    }

    fn wish(&mut self, actor: &Actor, command: Command) -> Result<(), Rejection> {
        self.n_steps += 1;
        let now = Timestamp(i64::try_from(self.n_steps).unwrap_or(i64::MAX));
        let decision = self.run.decide(now, actor, command)?;
        self.orders.extend(decision.effects);
        if let Some(rows) = &mut self.rows {
            for recorded in &decision.events {
                rows.apply(recorded);
            }
        }
        if self.keeps_log {
            self.log.extend(decision.events);
        }
        Ok(())
    }
}

/// Returns the wish that starts so much work.
pub fn start(work: &Work, slots: u32) -> Command {
    let name = |number: usize| format!("T{}", number + 1).parse();
    let mut tasks = Vec::new();
    for (number, duration) in work.durations.iter().enumerate() {
        let Ok(id) = name(number) else { continue };
        let mut task = PlannedTask::new(id, 1, format!("Task {number} of the plan"));
        task.estimate_ms = Some(*duration);
        task.text = "What is to be done, in a few words of which a task usually has some more.".to_owned();
        tasks.push(task);
    }
    for (earlier, later) in &work.edges {
        if let (Ok(earlier), Some(later)) = (name(*earlier), tasks.get_mut(*later))
            && !later.depends_on.contains(&earlier)
        {
            later.depends_on.push(earlier);
        }
    }
    let phase = PlannedPhase {
        number: 1,
        name: "All of it".to_owned(),
        after: Vec::new(),
        verify: None,
        artefacts: Vec::new(),
        budgets: Vec::new(),
    };
    let settings = RunSettings {
        slots: NonZeroU32::new(slots).unwrap_or(NonZeroU32::MIN),
        gate_approval: GateApproval::Automatic,
        ..RunSettings::default()
    };
    let name = "dev".parse().unwrap_or_else(|_| unreachable!("a name of letters is a name"));
    Command::StartRun {
        project: "a project".to_owned(),
        work: Box::new(PlannedWork { title: "A plan".to_owned(), phases: vec![phase], tasks }),
        settings: Box::new(settings),
        team: vec![TeamMember { name, role: Role::Worker, slots: None }],
    }
}

/// Returns what is reported of an order that was carried out without trouble.
pub fn answer(id: EffectId, effect: Effect) -> Vec<(Actor, Command)> {
    let command = match effect {
        Effect::SpawnAgent { session } => {
            Command::ReportStarted { session, agent_session: Some(format!("own-{session}")) }
        }
        Effect::Say { session, input, content } => {
            let mut answers = vec![(Actor::System, Command::ReportInputSent { session, input })];
            if let SessionInput::Task { task: task_id, .. } = *content {
                let said = AgentMessage::Done(DoneMessage { task_id, phase: None, fields: BTreeMap::new() });
                let heard = MessageOffset { start: 100, ordinal: 0 };
                let hear = Command::ReceiveMessage { offset: heard, read_from: 120, message: Box::new(said) };
                answers.push((Actor::Agent(session), hear));
            }
            return answers;
        }
        Effect::EndSession { session } => Command::ReportEnded { session, exit_status: Some(0) },
        Effect::Merge { task, attempt } => {
            let outcome = MergeOutcome::Merged { commit: "0123abcd".to_owned(), receipt: None, tree: None };
            Command::ReportMerge { task, attempt, outcome }
        }
        Effect::CheckGate { phase, round } => {
            let report = GateReport { passed: true, ..GateReport::default() };
            Command::ReportGate { phase, round, report }
        }
        Effect::MakeCheckpoint { checkpoint, .. } => {
            let outcome =
                CheckpointOutcome::Made { commit: "0123abcd".to_owned(), agent_session: None, tree: None };
            Command::ReportCheckpoint { checkpoint, outcome }
        }
        Effect::ParkSession { .. }
        | Effect::WakeSession { .. }
        | Effect::RunCheck { .. }
        | Effect::LandPhase { .. }
        | Effect::RestoreCheckpoint { .. }
        | Effect::KeepPermission { .. } => Command::ReportEffect { effect: id, error: None },
    };
    vec![(Actor::System, command)]
}

#[cfg(test)]
mod tests {
    use domain::RunOutcome;

    use super::{Crank, Keeps};
    use crate::runs::{Shape, generate};

    #[test]
    fn a_run_in_which_nothing_goes_wrong_ends_done() {
        let mut crank = Crank::start(&generate(Shape::Chains, 60, 1), 3, Keeps::Log).unwrap();
        crank.turn().unwrap();
        assert_eq!(crank.run.outcome(), Some(RunOutcome::Done));
        assert!(crank.log.len() > 60 * 8);
    }
}
