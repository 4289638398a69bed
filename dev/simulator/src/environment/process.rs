//! A simulated agent process: it gets inputs, chooses its actions, and does them one by one.

use std::collections::{BTreeMap, VecDeque};

use domain::{InputNumber, LargeFile, ParkMode, PhaseNumber, Report, Role, SessionId, SessionInput, TaskId};

use super::{
    Environment, ScheduledEvent,
    behaviour::{self, AgentAction, AgentContext},
    spool::{OutputItem, Spool},
};
use crate::model::Model;

/// Time for which a main agent waits for a person.
const SLEEP_MS: i64 = 600_000;

/// The state of a process.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ProcessState {
    NotStarted,
    Running,
    /// Suspended, or ended until it is resumed.
    Parked,
    Ended,
}

/// A process with its output and its planned actions.
#[derive(Debug, Clone)]
pub(crate) struct Process {
    pub role: Role,
    pub task: Option<TaskId>,
    /// The phase of its task, or the phase that it leads or verifies.
    pub phase: Option<PhaseNumber>,
    pub state: ProcessState,
    pub spool: Spool,
    /// Whether it does nothing in the middle of a turn.
    pub hangs: bool,
    /// Number of its detours, which are bounded.
    pub n_detours: u32,
    pub(super) actions: VecDeque<AgentAction>,
    pub(super) is_scheduled: bool,
    pub(super) inputs: BTreeMap<InputNumber, SessionInput>,
    /// Files above the size limit that belong to the trees before the inputs.
    pub(super) large_files: BTreeMap<InputNumber, Vec<LargeFile>>,
    /// Trees before the inputs that were typed.
    pub(super) trees: BTreeMap<InputNumber, String>,
    /// The input that is typed next.
    pub(super) next: InputNumber,
    pub(super) n_prompts: u32,
}

impl Environment {
    /// Creates the process of a session, which is not started yet.
    pub(super) fn create_process(&mut self, id: SessionId, model: &Model) {
        let Some(session) = model.sessions.get(&id) else { return };
        if session.agent.is_none() {
            return;
        }
        let phase_of = |task: &TaskId| model.tasks.get(task).map(|task| task.plan.phase);
        self.processes.entry(id).or_insert_with(|| Process {
            role: session.role,
            task: session.task.clone(),
            phase: session.task.as_ref().and_then(phase_of).or(session.phase),
            state: ProcessState::NotStarted,
            spool: Spool::default(),
            hangs: false,
            n_detours: 0,
            actions: VecDeque::new(),
            is_scheduled: false,
            inputs: BTreeMap::new(),
            large_files: BTreeMap::new(),
            trees: BTreeMap::new(),
            next: 1,
            n_prompts: 0,
        });
    }

    /// Starts or resumes a process.
    pub(crate) fn start_or_resume_process(&mut self, id: SessionId) {
        let Some(process) = self.processes.get_mut(&id) else { return };
        if process.state == ProcessState::Ended {
            return;
        }
        process.state = ProcessState::Running;
        self.schedule(200, ScheduledEvent::TypeInput(id));
        self.schedule_next_action(id);
    }

    /// Parks a process if that is possible; returns whether it succeeded.
    pub(super) fn park_process(&mut self, id: SessionId, mode: ParkMode, is_possible: bool) -> bool {
        let Some(process) = self.processes.get_mut(&id) else { return is_possible };
        match (process.state, mode) {
            // A process that ended by itself counts as parked; its last output comes too late.
            (ProcessState::Ended, ParkMode::Cold) => {
                process.state = ProcessState::Parked;
                return true;
            }
            (ProcessState::Running, ParkMode::Frozen) if is_possible => process.state = ProcessState::Parked,
            (ProcessState::Running, ParkMode::Cold) if is_possible => {
                process.state = ProcessState::Parked;
                // The process is ended, with its planned actions.
                process.hangs = false;
                process.actions.clear();
            }
            _ => {}
        }
        is_possible
    }

    /// Lets a main agent ask for its first task.
    pub(crate) fn schedule_task_request(&mut self, id: SessionId) {
        if let Some(process) = self.processes.get_mut(&id).filter(|process| process.actions.is_empty()) {
            process.actions.extend(behaviour::request_next_actions());
            self.schedule_next_action(id);
        }
    }

    /// Types the next input, if there is one and the process runs; returns its number.
    pub(crate) fn type_next_input(&mut self, id: SessionId, model: &Model) -> Option<InputNumber> {
        let process = self.processes.get(&id).filter(|process| process.state == ProcessState::Running)?;
        let number = process.next;
        let input = process.inputs.get(&number)?.clone();
        let large_files = process.large_files.get(&number).map(Vec::as_slice).unwrap_or_default();
        let tree = process.task.as_ref().map(|task| self.tree(task, large_files).0);
        let process = self.processes.get_mut(&id)?;
        process.trees.extend(tree.map(|tree| (number, tree)));
        process.next += 1;
        process.hangs = false;
        let mut agent = AgentContext { process, model, is_faultless: self.is_faultless };
        let actions = behaviour::actions_after_input(&mut self.random, &mut agent, &input);
        process.actions.extend(actions);
        self.schedule(500, ScheduledEvent::TypeInput(id));
        self.schedule_next_action(id);
        Some(number)
    }

    /// Returns the report that an input was typed.
    pub(crate) fn input_report(&self, session: SessionId, input: InputNumber) -> Report {
        let process = self.processes.get(&session);
        let tree = process.and_then(|process| process.trees.get(&input).cloned());
        Report::InputSent { session, input, text: None, tree }
    }

    /// Does the next planned action of an agent.
    pub(crate) fn perform_next_action(&mut self, id: SessionId) {
        let Some(process) = self.processes.get_mut(&id) else { return };
        process.is_scheduled = false;
        if process.state != ProcessState::Running {
            return;
        }
        match process.actions.pop_front() {
            Some(AgentAction::Hang) if self.is_faultless => {
                process.actions.extend(behaviour::finish_actions(process));
                self.schedule_next_action(id);
            }
            Some(AgentAction::Hang) => {
                process.hangs = true;
                process.actions.clear();
            }
            Some(AgentAction::ChangeFile) => {
                if let Some(task) = process.task.clone() {
                    self.change_file(task);
                }
                self.schedule_next_action(id);
            }
            Some(AgentAction::Sleep) => {
                process.is_scheduled = true;
                self.schedule(SLEEP_MS, ScheduledEvent::Output(id));
            }
            Some(AgentAction::Exit(status)) => self.end_process(id, OutputItem::Exited(status)),
            Some(AgentAction::Vanish) => self.end_process(id, OutputItem::Lost),
            Some(AgentAction::Output(item)) => {
                // A prompt without an answer blocks it until its timeout.
                process.hangs = matches!(*item, OutputItem::Permission(_) | OutputItem::Prompt(..));
                process.spool.push(*item, &mut self.random);
                self.schedule_spool_read(id);
                self.schedule_next_action(id);
            }
            None => {}
        }
    }

    /// Ends a process, with its planned actions; `end` is the last item of its output.
    pub(super) fn end_process(&mut self, id: SessionId, end: OutputItem) {
        let Some(process) = self.processes.get_mut(&id) else { return };
        if process.state == ProcessState::Ended {
            return;
        }
        process.state = ProcessState::Ended;
        process.actions.clear();
        process.spool.push(end, &mut self.random);
        self.schedule_spool_read(id);
    }

    /// Lets a process that hangs finish its task, and ends one that never started.
    pub(super) fn resume_hung_process(&mut self, id: SessionId) {
        let Some(process) = self.processes.get_mut(&id) else { return };
        if process.hangs && process.state != ProcessState::Ended {
            process.hangs = false;
            process.actions.extend(behaviour::finish_actions(process));
            self.schedule_next_action(id);
        }
        if self.processes.get(&id).is_some_and(|process| process.state == ProcessState::NotStarted) {
            self.end_process(id, OutputItem::Lost);
        }
    }

    pub(super) fn schedule_next_action(&mut self, id: SessionId) {
        let delay_ms = self.random.seconds_as_ms(1, 40);
        if let Some(process) = self.processes.get_mut(&id)
            && !process.is_scheduled
            && !process.actions.is_empty()
            && process.state == ProcessState::Running
        {
            process.is_scheduled = true;
            self.schedule(delay_ms, ScheduledEvent::Output(id));
        }
    }

    pub(super) fn schedule_spool_read(&mut self, id: SessionId) {
        let delay_ms = self.random.seconds_as_ms(0, 2);
        if let Some(process) = self.processes.get_mut(&id)
            && process.spool.begin_read()
        {
            self.schedule(delay_ms, ScheduledEvent::Read(id));
        }
    }
}
