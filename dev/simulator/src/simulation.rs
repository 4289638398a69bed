//! The main loop of a simulated run: takes the next scheduled event and sends its command to the engine.

use std::collections::BTreeSet;

use domain::{EffectId, Event, OrchestrationMode, RecordedEvent, Report, RunInput, RunStart, SessionId};
use engine::Run;

use crate::{
    FailedRun, Options, Summary,
    allowed_actions::ActionTable,
    environment::{Environment, ScheduledEvent},
    generate::{GeneratedRun, generate},
    model::Model,
    random::Random,
    rule::{Rule, RuleViolation},
    trace::Trace,
    user_commands,
};

/// Time from the start of a run to its many messages: some tasks work, and others wait.
const MANY_MESSAGES_DELAY_MS: i64 = 60_000;

/// The outcome of a command.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum InputOutcome {
    /// Its events are in the log, or it was refused.
    Processed,
    /// The server crashed before its events were in the log.
    Lost,
}

/// One simulated run.
pub(crate) struct Simulation {
    pub(crate) seed: u64,
    pub(crate) options: Options,
    pub(crate) run: Run,
    /// A run that only applies events: the same log must give the same state.
    pub(crate) mirror: Run,
    pub(crate) model: Model,
    pub(crate) environment: Environment,
    pub(crate) log: Vec<RecordedEvent>,
    pub(crate) actions: ActionTable,
    pub(crate) effects_seen: BTreeSet<EffectId>,
    pub(crate) random: Random,
    /// Random numbers for plan edits: separate, so that edits do not change the rest of a run.
    pub(crate) edit_random: Random,
    /// Random numbers for overlap reports: separate, so that they do not change the rest of a run.
    pub(crate) overlap_random: Random,
    /// Random numbers for landings, cleanups and stopped sessions: separate, so that they do not change the rest of a run.
    project_random: Random,
    pub(crate) trace: Trace,
    pub(crate) step: u64,
    pub(crate) summary: Summary,
    pub(crate) faults: FaultRates,
}

/// How often faults happen in a run.
#[derive(Debug, Clone, Copy)]
pub(crate) struct FaultRates {
    /// The server crashes once in this number of commands; never if 0.
    pub crash_once_in: usize,
    /// Whether the clock jumps sometimes.
    pub clock_jumps: bool,
    /// Maximum seconds between two commands of users.
    pub user_command_seconds: u32,
}

impl Simulation {
    /// Creates the run of a seed.
    pub(crate) fn new(seed: u64, options: &Options, trace: Trace) -> Self {
        let mut random = Random::new(seed);
        let faults = FaultRates {
            crash_once_in: if random.once_in(2) { 0 } else { random.below(60) + 20 },
            clock_jumps: random.once_in(6),
            user_command_seconds: random.between(20, 900),
        };
        // Only some runs have a full disk, so that the seeds found earlier keep their runs.
        let disk_random = (seed % 8 == 1).then(|| Random::new(seed ^ 0x0D15_CF01_1000_0001));
        let environment = Environment::new(Random::new(seed ^ 0x5EED_0F77_E017_D5A5), disk_random);
        Self {
            seed,
            options: *options,
            run: Run::new(),
            mirror: Run::new(),
            model: Model::default(),
            environment,
            log: Vec::new(),
            actions: ActionTable::default(),
            effects_seen: BTreeSet::new(),
            random,
            edit_random: Random::new(seed ^ 0xED17_0F77_E91A_4F11),
            overlap_random: Random::new(seed ^ 0x0E7E_5000_0000_0001),
            project_random: Random::new(seed ^ 0x1A4D_0000_0000_0001),
            trace,
            step: 0,
            summary: Summary::default(),
            faults,
        }
    }

    /// Simulates the whole run.
    pub(crate) fn run(&mut self) -> Result<Summary, FailedRun> {
        let outcome = self
            .start_run()
            .and_then(|()| self.run_with_faults())
            .and_then(|()| self.check_quiescence())
            .and_then(|()| self.complete_run());
        match outcome {
            Ok(()) => {
                self.summary.runs = 1;
                self.summary.commands = self.step;
                self.summary.events = self.log.len() as u64;
                let done = |task: &&crate::model::Task| task.stage == crate::model::Stage::Done;
                self.summary.done = self.model.tasks.values().filter(done).count() as u64;
                let is_applied =
                    |recorded: &&RecordedEvent| matches!(recorded.event, Event::PlanChangeApplied(_));
                self.summary.amended = self.log.iter().filter(is_applied).count() as u64;
                Ok(self.summary)
            }
            Err(violation) => {
                self.trace_unfinished();
                Err(FailedRun { seed: self.seed, step: self.step, violation })
            }
        }
    }

    /// Returns the lines of the trace.
    pub(crate) fn into_trace(self) -> Vec<String> {
        self.trace.into_lines()
    }

    fn start_run(&mut self) -> Result<(), RuleViolation> {
        let GeneratedRun { work, settings, team } = generate(&mut self.random, self.options.tasks);
        let start = Box::new(RunStart { project: "simulated".to_owned(), work, settings, team });
        self.send_input(RunInput::Start { person: "ana".to_owned(), origin: None, start })?;
        if !self.model.started {
            return Err(RuleViolation::new(Rule::RunCompletes, "the run does not start"));
        }
        let delay_ms = self.random.seconds_as_ms(1, self.faults.user_command_seconds);
        self.environment.schedule(delay_ms, ScheduledEvent::UserCommand);
        // Only in some runs, so that the seeds found earlier keep their runs.
        if self.seed % 3 == 1 {
            self.schedule_plan_edit();
        }
        // Also only in some runs.
        if self.seed % 32 == 7 {
            self.environment.schedule(MANY_MESSAGES_DELAY_MS, ScheduledEvent::ManyMessages);
        }
        // Also only in some runs.
        if self.seed % 16 == 7 {
            self.schedule_project_command();
        }
        if self.faults.clock_jumps {
            let delay_ms = self.random.seconds_as_ms(60, 3_600);
            self.environment.schedule(delay_ms, ScheduledEvent::ClockJump);
        }
        Ok(())
    }

    /// Runs the configured number of steps with faults.
    fn run_with_faults(&mut self) -> Result<(), RuleViolation> {
        let steps = u64::from(self.options.steps);
        while self.step < steps && self.process_next_event()? {}
        Ok(())
    }

    /// Processes the next scheduled event or deadline; returns whether there was one.
    pub(crate) fn process_next_event(&mut self) -> Result<bool, RuleViolation> {
        if let Some(deadline) = self.run.next_deadline()
            && self.environment.is_deadline_next(deadline)
        {
            self.environment.wait_until(deadline);
            let now = self.environment.now();
            let before = self.log.len();
            let outcome = self.send_input(Report::TimerFired.into())?;
            let has_no_event = outcome == InputOutcome::Processed && self.log.len() == before;
            if has_no_event && self.run.next_deadline().is_some_and(|next| next <= now) {
                let how = format!("{now:?} is past {:?}", self.run.next_deadline());
                return Err(RuleViolation::new(Rule::DeadlineMoves, how));
            }
            return Ok(true);
        }
        let Some(event) = self.environment.next_event() else { return Ok(false) };
        match event {
            ScheduledEvent::Report(report) => self.send_report(*report)?,
            ScheduledEvent::Output(session) => self.environment.perform_next_action(session),
            ScheduledEvent::Read(session) => self.read_output(session)?,
            ScheduledEvent::TypeInput(session) => {
                if let Some(input) = self.environment.type_next_input(session, &self.model) {
                    let report = self.environment.input_report(session, input);
                    self.environment.schedule_report(report);
                }
            }
            ScheduledEvent::UserCommand => {
                if let Some((person, command)) =
                    user_commands::next_user_command(&mut self.random, &self.model)
                {
                    self.send_user_command(person, command)?;
                }
                let delay_ms = self.random.seconds_as_ms(1, self.faults.user_command_seconds);
                self.environment.schedule(delay_ms, ScheduledEvent::UserCommand);
            }
            ScheduledEvent::ManyMessages => {
                for (person, command) in user_commands::many_messages(&self.model) {
                    self.send_user_command(person, command)?;
                }
            }
            ScheduledEvent::PlanEdit => self.edit_plan()?,
            ScheduledEvent::ProjectCommand => {
                if let Some(command) = user_commands::project_command(&mut self.project_random, &self.model) {
                    self.send_user_command("ana", command)?;
                }
                self.schedule_project_command();
            }
            ScheduledEvent::ClockJump => {
                let by_ms = self.environment.jump_clock();
                self.trace.add_note("the clock jumps");
                // The run loop reports a jump before it evaluates any deadline.
                self.send_report(Report::ClockJumped { by_ms })?;
                let delay_ms = self.random.seconds_as_ms(60, 7_200);
                self.environment.schedule(delay_ms, ScheduledEvent::ClockJump);
            }
        }
        Ok(true)
    }

    fn schedule_project_command(&mut self) {
        let delay_ms = self.project_random.seconds_as_ms(1, 600);
        self.environment.schedule(delay_ms, ScheduledEvent::ProjectCommand);
    }

    fn send_report(&mut self, report: Report) -> Result<(), RuleViolation> {
        let started = match &report {
            Report::SessionStarted { session, .. } => Some(*session),
            Report::SessionEnded { .. }
            | Report::SessionLost { .. }
            | Report::SessionStopped { .. }
            | Report::InputSent { .. }
            | Report::CheckFinished { .. }
            | Report::MergeFinished { .. }
            | Report::GateChecked { .. }
            | Report::CheckpointFinished { .. }
            | Report::ProvisionFinished { .. }
            | Report::LandingFinished { .. }
            | Report::CleanupFinished { .. }
            | Report::EffectFinished { .. }
            | Report::DiskFull { .. }
            | Report::ExecutionFailed { .. }
            | Report::PhaseNotLanded { .. }
            | Report::PlanChanged { .. }
            | Report::PlanUnreadable { .. }
            | Report::UserActRefused { .. }
            | Report::RefMoved { .. }
            | Report::KeysTyped { .. }
            | Report::DiskBudgetExceeded { .. }
            | Report::DiskSpaceAvailable
            | Report::OverlapsFound { .. }
            | Report::ClockJumped { .. }
            | Report::TimerFired => None,
        };
        let is_checkpoint = matches!(report, Report::CheckpointFinished { .. });
        let outcome = self.send_input(report.clone().into())?;
        if is_checkpoint && outcome == InputOutcome::Processed {
            self.report_overlaps()?;
        }
        if outcome == InputOutcome::Lost {
            // A report is repeated until it is in the log.
            self.environment.schedule_report(report);
        } else if let Some(session) = started.filter(|session| self.is_main_agent(*session)) {
            self.environment.schedule_task_request(session);
        }
        Ok(())
    }

    fn is_main_agent(&self, session: SessionId) -> bool {
        let leads = |session: &crate::model::Session| session.role == domain::Role::Orchestrator;
        self.model.settings.mode == OrchestrationMode::Thin
            && self.model.sessions.get(&session).is_some_and(leads)
    }

    fn read_output(&mut self, session: SessionId) -> Result<(), RuleViolation> {
        let Some(input) = self.environment.read_next_input(session) else {
            self.environment.end_read(session);
            return Ok(());
        };
        match self.send_input(input)? {
            InputOutcome::Processed => self.environment.mark_processed(session),
            InputOutcome::Lost => self.environment.end_read(session),
        }
        Ok(())
    }
}
