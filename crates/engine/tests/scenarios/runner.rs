//! Runs a scenario on a run and on a replica that only replays the recorded events.
//!
//! After every step the two must be equal, a rejected input must have changed nothing, every effect has an id of its own
//! and is no longer pending once it is reported, and the action updates list every change of the allowed actions.

use std::collections::{BTreeMap, BTreeSet};

use domain::{
    ActionUpdate, EffectId, InboxAction, InboxItem, RecordedEvent, Report, RunAction, RunInput, RunStart,
    TaskAction, TaskId, Timestamp,
};
use engine::{Effect, Run};

use crate::{
    agent_output::AgentOutputs, clock, fake_executor::FakeExecutor, run_facts::RunFacts, setup::ScenarioSetup,
};

/// Maximum number of ticks while time passes; more means that a deadline is never cleared.
const TICKS_MAX: usize = 1000;

pub(crate) struct ScenarioRunner {
    pub run: Run,
    replica: Run,
    pub now: Timestamp,
    pub log: Vec<RecordedEvent>,
    pub facts: RunFacts,
    /// Effects that are not reported yet.
    pub pending: Vec<(EffectId, Effect)>,
    /// All effects so far.
    effect_ids: BTreeSet<EffectId>,
    actions: UpdatedActions,
    /// Length of the log at the start of this round of steps.
    pub round_start: usize,
    /// Effects of this round.
    pub effects: Vec<Effect>,
    /// Rejections that no expectation has matched yet.
    pub rejections: Vec<String>,
    pub executor: FakeExecutor,
    pub outputs: AgentOutputs,
}

impl ScenarioRunner {
    /// Starts the run.
    pub(crate) fn start(setup: ScenarioSetup) -> Result<Self, String> {
        let mut runner = Self {
            run: Run::new(),
            replica: Run::new(),
            now: clock::START,
            log: Vec::new(),
            facts: RunFacts::default(),
            pending: Vec::new(),
            effect_ids: BTreeSet::new(),
            actions: UpdatedActions::default(),
            round_start: 0,
            effects: Vec::new(),
            rejections: Vec::new(),
            executor: FakeExecutor::default(),
            outputs: AgentOutputs::default(),
        };
        for line in &setup.executor_lines {
            if !runner.executor.read_line(line) {
                return Err(format!("'{line}' is not a setting"));
            }
        }
        let (work, settings, team) = (setup.work, setup.settings, setup.team);
        let start = Box::new(RunStart { project: "shop".to_owned(), work, settings, team });
        runner.execute_input(RunInput::Start { person: "ana".to_owned(), origin: None, start })?;
        runner.run_executor()?;
        Ok(runner)
    }

    /// Begins a new round: expectations now refer to later events only.
    pub(crate) fn start_expectation_round(&mut self) {
        self.round_start = self.log.len();
        self.effects.clear();
    }

    /// Executes an input and keeps a rejection for the next expectation.
    pub(crate) fn execute_input(&mut self, input: RunInput) -> Result<(), String> {
        if let Some(rejection) = self.decide(input)? {
            self.rejections.push(rejection);
        }
        Ok(())
    }

    /// Lets the run decide, and returns the reason of a rejection.
    fn decide(&mut self, input: RunInput) -> Result<Option<String>, String> {
        let before = self.run.clone();
        let description = format!("{input:?}");
        let decision = match self.run.decide(self.now, input) {
            Ok(decision) => decision,
            Err(rejection) if self.run == before => return Ok(Some(rejection.with_hint())),
            Err(rejection) => {
                return Err(format!("was rejected ({rejection}) but changed the state: {description}"));
            }
        };
        let mut effects = Vec::new();
        for recorded in &decision.events {
            let expected = self.log.len() as u64 + 1;
            if recorded.sequence.0 != expected {
                return Err(format!("event {} has sequence number {}", expected, recorded.sequence));
            }
            self.facts.record_event(&recorded.event);
            effects.extend(self.replica.apply(&json_round_trip(recorded)?));
            self.log.push(recorded.clone());
        }
        if effects != decision.effects {
            return Err(format!(
                "the replica returned other effects: {effects:#?}, not {:#?} ({description})",
                decision.effects
            ));
        }
        decision.actions.iter().for_each(|update| self.actions.apply(update));
        self.actions.check(&self.run)?;
        for (id, effect) in &decision.effects {
            if !self.effect_ids.insert(*id) {
                return Err(format!("two effects have the id {id:?}; one is {effect:?}"));
            }
            if let Effect::SpawnAgent(assignment) = effect {
                self.outputs.set_task_ids(assignment.session, assignment.task_ids.clone());
                let worker_task = assignment.task.clone().filter(|_| assignment.role == domain::Role::Worker);
                if let Some(task) = worker_task {
                    self.executor.set_task(assignment.session, task);
                }
            }
        }
        self.effects.extend(decision.effects.iter().map(|(_, effect)| effect.clone()));
        self.pending.extend(decision.effects);
        self.compare_with_replica(&description)?;
        Ok(None)
    }

    fn compare_with_replica(&self, description: &str) -> Result<(), String> {
        if self.run != self.replica {
            let difference = first_difference(&self.run, &self.replica);
            return Err(format!("the replica has another state after {description}: {difference}"));
        }
        if self.run.pending_effects() != self.replica.pending_effects() {
            return Err(format!("the replica has other pending effects after {description}"));
        }
        Ok(())
    }

    /// Executes the effects that the scenario does not handle itself.
    pub(crate) fn run_executor(&mut self) -> Result<(), String> {
        while let Some(index) = self.pending.iter().position(|(_, effect)| self.executor.executes(effect)) {
            let (id, effect) = self.pending.remove(index);
            let report = self.executor.success_report(id, &effect, self.now);
            // A late report is rejected, as in production.
            self.decide(report.into())?;
        }
        Ok(())
    }

    /// Advances the clock, with a tick at each deadline.
    pub(crate) fn advance_clock(&mut self, until: Timestamp) -> Result<(), String> {
        for _ in 0..TICKS_MAX {
            let Some(deadline) = self.run.next_deadline().filter(|deadline| *deadline <= until) else {
                self.now = until;
                return Ok(());
            };
            self.now = self.now.max(deadline);
            self.execute_input(Report::TimerFired.into())?;
            self.run_executor()?;
        }
        Err(format!("too many ticks at {}", clock::format_time(self.now)))
    }

    /// Rebuilds the run from the log, as a restart does.
    pub(crate) fn restart(&mut self) -> Result<(), String> {
        let pending = self.run.pending_effects();
        self.run = replay(&self.log)?;
        self.compare_with_replica("a restart")?;
        if self.run.pending_effects() != pending {
            return Err("a restart changes the pending effects".to_owned());
        }
        // Unreported effects are executed again.
        self.pending = self.run.pending_effects();
        self.run_executor()
    }

    /// Checks at the end that no reported effect is pending, and replays the whole log once more.
    pub(crate) fn check_end(&self) -> Result<(), String> {
        let is_reported = |id: &EffectId| !self.pending.iter().any(|(pending, _)| pending == id);
        if let Some((_, effect)) = self.run.pending_effects().into_iter().find(|(id, _)| is_reported(id)) {
            return Err(format!("was reported and is still pending: {effect:?}"));
        }
        if replay(&self.log)? == self.run {
            Ok(())
        } else {
            Err("replaying the whole log gives another state".to_owned())
        }
    }
}

/// The actions of every object, according to the updates so far.
#[derive(Default)]
struct UpdatedActions {
    run: Vec<RunAction>,
    tasks: BTreeMap<TaskId, Vec<TaskAction>>,
    inbox: BTreeMap<InboxItem, Vec<InboxAction>>,
}

impl UpdatedActions {
    fn apply(&mut self, update: &ActionUpdate) {
        if let Some(run) = &update.run {
            self.run.clone_from(run);
        }
        self.tasks.extend(update.tasks.iter().cloned());
        for (item, actions) in &update.inbox {
            // A new plan change replaces the one before.
            let is_former = |known: &InboxItem| matches!((known, item), (InboxItem::Plan(known), InboxItem::Plan(offer)) if known < offer);
            self.inbox.retain(|known, _| !is_former(known));
            self.inbox.insert(*item, actions.clone());
        }
    }

    /// Checks that the updates listed every change.
    fn check(&self, run: &Run) -> Result<(), String> {
        let obsolete_task = self.tasks.iter().find(|(task, actions)| run.task_actions(task) != **actions);
        let obsolete_item = self.inbox.iter().find(|(item, actions)| run.inbox_actions(**item) != **actions);
        if self.run != run.run_actions() {
            Err(format!("no update changed the actions of the run from {:?}", self.run))
        } else if let Some((task, actions)) = obsolete_task {
            Err(format!("no update changed the actions of {task} from {actions:?}"))
        } else if let Some((item, actions)) = obsolete_item {
            Err(format!("no update changed the actions of {item} from {actions:?}"))
        } else {
            Ok(())
        }
    }
}

fn replay(log: &[RecordedEvent]) -> Result<Run, String> {
    let mut run = Run::new();
    for recorded in log {
        run.apply(&json_round_trip(recorded)?);
    }
    Ok(run)
}

/// Serializes an event to JSON and back, as the log does.
fn json_round_trip(recorded: &RecordedEvent) -> Result<RecordedEvent, String> {
    let written = serde_json::to_string(recorded).map_err(|error| error.to_string())?;
    let read: RecordedEvent =
        serde_json::from_str(&written).map_err(|error| format!("{error}: {written}"))?;
    if &read == recorded { Ok(read) } else { Err(format!("changes in a JSON round trip: {written}")) }
}

/// Describes the first difference of two states.
fn first_difference(decided: &Run, replayed: &Run) -> String {
    let (decided, replayed) = (format!("{decided:?}"), format!("{replayed:?}"));
    let same = decided.chars().zip(replayed.chars()).take_while(|(left, right)| left == right).count();
    let around = |text: &str| text.chars().skip(same.saturating_sub(60)).take(120).collect::<String>();
    format!("\n  decided: …{}…\n  replayed: …{}…", around(&decided), around(&replayed))
}
