//! A run without failures: every effect succeeds at once, every agent reports DONE.

use std::{
    collections::{BTreeMap, VecDeque},
    num::NonZeroU32,
};

use domain::{
    AgentMessage, AgentOutput, CheckpointOutcome, DoneMessage, EffectId, GateApproval, GateReport,
    LandReport, MergeOutcome, MessageOffset, PlannedPhase, PlannedTask, PlannedWork, ProvisionOutcome,
    Receipt, RecordedEvent, Report, Role, RunInput, RunSettings, RunStart, SessionInput, TeamMember,
    Timestamp, TurnTools,
};
use engine::{Effect, Rejection, Run};
use views::Views;

use crate::workloads::Workload;

/// A run in memory, and the effects that are not executed yet.
pub struct RunLoop {
    /// The state of the engine.
    pub run: Run,
    /// All events, if they are recorded.
    pub log: Vec<RecordedEvent>,
    /// Number of inputs so far.
    pub n_steps: u64,
    /// The rows of the run, if they are recorded.
    pub rows: Option<Views>,
    effects: VecDeque<(EffectId, Effect)>,
    has_log: bool,
}

/// What is stored besides the state of the engine.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Recording {
    /// The state alone.
    Off,
    /// All events in memory.
    Log,
    /// The rows, as the loop of a real run has them.
    Rows,
}

impl RunLoop {
    /// Starts a run of a workload.
    pub fn start(work: &Workload, slots: u32, recording: Recording) -> Result<Self, Rejection> {
        let mut run_loop = Self {
            run: Run::new(),
            log: Vec::new(),
            n_steps: 0,
            rows: "r1".parse().ok().filter(|_| recording == Recording::Rows).map(Views::new),
            effects: VecDeque::new(),
            has_log: recording == Recording::Log,
        };
        run_loop.execute_command(start_input(work, slots))?;
        Ok(run_loop)
    }

    /// Continues until all effects are executed.
    pub fn run_to_end(&mut self) -> Result<(), Rejection> {
        while let Some((id, effect)) = self.effects.pop_front() {
            match self.execute_effect(id, effect) {
                // Two reports may cross; the engine refuses the later one.
                Ok(()) | Err(Rejection::StaleReport | Rejection::UnknownSession { .. }) => {}
                Err(rejection) => return Err(rejection),
            }
        }
        Ok(())
    }

    fn execute_effect(&mut self, id: EffectId, effect: Effect) -> Result<(), Rejection> {
        for input in success_inputs(id, effect) {
            self.execute_command(input)?;
        }
        Ok(())
    }

    fn execute_command(&mut self, input: RunInput) -> Result<(), Rejection> {
        self.n_steps += 1;
        let now = Timestamp(i64::try_from(self.n_steps).unwrap_or(i64::MAX));
        let decision = self.run.decide(now, input)?;
        self.effects.extend(decision.effects);
        if let Some(rows) = &mut self.rows {
            for (recorded, actions) in decision.events.iter().zip(&decision.actions) {
                rows.apply(recorded, actions);
            }
        }
        if self.has_log {
            self.log.extend(decision.events);
        }
        Ok(())
    }
}

/// Returns the input that starts a run of a workload.
pub fn start_input(work: &Workload, slots: u32) -> RunInput {
    let name = |number: usize| format!("T{}", number + 1).parse();
    let mut tasks = Vec::new();
    for (number, duration) in work.durations.iter().enumerate() {
        let Ok(id) = name(number) else { continue };
        let mut task = PlannedTask::new(id, 1, format!("Task {number} of the plan"));
        task.estimate_ms = Some(*duration);
        task.text = "A description of the work, which is usually somewhat longer than this one.".to_owned();
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
    let name = "dev".parse().unwrap_or_else(|_| unreachable!("the name consists of letters"));
    let start = RunStart {
        project: "a project".to_owned(),
        work: PlannedWork { title: "A plan".to_owned(), phases: vec![phase], tasks },
        settings,
        team: vec![TeamMember {
            name,
            role: Role::Worker,
            slots: None,
            is_turn_end_guessed: false,
            protocol: domain::AgentProtocol::Text,
        }],
    };
    RunInput::Start { person: "ana".to_owned(), origin: None, start: Box::new(start) }
}

/// Returns the inputs that follow the success of an effect.
pub fn success_inputs(id: EffectId, effect: Effect) -> Vec<RunInput> {
    let report = match effect {
        Effect::SpawnAgent(assignment) => {
            let session = assignment.session;
            Report::SessionStarted { session, agent_session: Some(format!("own-{session}")) }
        }
        Effect::SendInput { session, input, content, .. } => {
            let mut inputs = vec![Report::InputSent { session, input, text: None, tree: None }.into()];
            if let SessionInput::Task { task: task_id, .. }
            | SessionInput::EvidenceRequest { task: task_id, .. } = *content
            {
                let done = AgentMessage::Done(DoneMessage {
                    task_id,
                    phase: None,
                    reason: Some("it is simulated".to_owned()),
                    fields: BTreeMap::new(),
                });
                let offset = MessageOffset { start: 100 * u64::from(input), ordinal: 0 };
                let read_from = offset.start + 20;
                let output = AgentOutput::Message { offset, read_from, message: Box::new(done) };
                inputs.push(RunInput::Agent { session, output });
                inputs.push(RunInput::Agent { session, output: turn_end(read_from) });
            }
            return inputs;
        }
        Effect::RunCheck(order) => {
            let receipt = passing_receipt(order.command);
            Report::CheckFinished { task: order.task, attempt: order.attempt, receipt }
        }
        Effect::EndSession { session } => Report::SessionEnded { session, exit_status: Some(0) },
        Effect::Merge(order) => {
            let outcome =
                MergeOutcome::Merged { commit: "0123abcd".to_owned(), receipt: None, tree: None, onto: None };
            Report::MergeFinished { task: order.task, attempt: order.attempt, outcome }
        }
        Effect::CheckGate(gate) => {
            let report = GateReport { passed: true, ..GateReport::default() };
            Report::GateChecked { phase: gate.phase, round: gate.round, report }
        }
        Effect::MakeCheckpoint { checkpoint, .. } => {
            let outcome = CheckpointOutcome::Made {
                commit: "0123abcd".to_owned(),
                agent_session: None,
                tree: None,
                large_files: Vec::new(),
            };
            Report::CheckpointFinished { checkpoint, outcome }
        }
        Effect::ProvideResource(order) => {
            let outcome = ProvisionOutcome::Provided { provided: order.provided, detail: None };
            Report::ProvisionFinished { effect: id, request: order.request, outcome }
        }
        Effect::LandRun { landing, .. } => {
            let report = LandReport::AlreadyLanded { branch: "main".to_owned() };
            Report::LandingFinished { landing, report: Box::new(report) }
        }
        Effect::CleanRun { cleanup, .. } => {
            Report::CleanupFinished { cleanup, report: Box::default(), error: None }
        }
        Effect::StopSession { session } => {
            let finished = Report::EffectFinished { effect: id, error: None };
            return vec![finished.into(), Report::SessionEnded { session, exit_status: None }.into()];
        }
        Effect::ParkSession { .. }
        | Effect::WakeSession { .. }
        | Effect::LandPhase { .. }
        | Effect::RestoreCheckpoint { .. }
        | Effect::SavePermissionRule { .. }
        | Effect::TickPlan { .. }
        | Effect::RecordDuration(_)
        | Effect::ReleaseWorktree { .. }
        | Effect::RemoveWorktree { .. } => Report::EffectFinished { effect: id, error: None },
    };
    vec![report.into()]
}

/// Returns the end of a successful turn without text.
pub fn turn_end(read_from: u64) -> AgentOutput {
    AgentOutput::TurnEnded { read_from, text: String::new(), tools: TurnTools::default(), failure: None }
}

fn passing_receipt(command: String) -> Receipt {
    Receipt {
        command,
        exit_status: Some(0),
        obstacle: None,
        attempts: 1,
        output_hash: "0".to_owned(),
        output_tail: String::new(),
        tests: None,
        tree: "1".to_owned(),
        commit: None,
        left_out: None,
        started_at: Timestamp(0),
        finished_at: Timestamp(1),
    }
}

#[cfg(test)]
mod tests {
    use domain::RunOutcome;

    use super::{Recording, RunLoop};
    use crate::workloads::{GraphShape, generate};

    #[test]
    fn a_run_without_failures_ends_done() {
        let mut run_loop = RunLoop::start(&generate(GraphShape::Chains, 60, 1), 3, Recording::Log).unwrap();
        run_loop.run_to_end().unwrap();
        assert_eq!(run_loop.run.outcome(), Some(RunOutcome::Done));
        assert!(run_loop.log.len() > 60 * 8);
    }
}
