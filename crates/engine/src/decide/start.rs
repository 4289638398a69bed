//! The start of runs and of task attempts.

use std::collections::BTreeSet;

use domain::{PlannedWork, Role, RunStart, SessionId, SessionInput, TaskId, TeamMember, events};

use super::DecisionContext;
use crate::{
    apply::GraphLayout,
    graph::Graph,
    rejection::Rejection,
    run::RunStatus,
    state::{TaskIndex, TaskStage},
};

/// Maximum number of tasks of a plan.
pub(super) const TASKS_MAX: usize = 50_000;

impl DecisionContext<'_> {
    pub(super) fn start_run(&mut self, start: RunStart) -> Result<(), Rejection> {
        if self.run.status != RunStatus::NotStarted {
            return Err(Rejection::AlreadyStarted);
        }
        let RunStart { project, work, settings, team } = start;
        check_plan(&work, &team)?;
        let (work, settings) = (Box::new(work), Box::new(settings));
        self.emit(events::RunStarted { project, work, settings, team, is_evidence_required: true });
        self.open_orchestrator(None);
        Ok(())
    }

    /// Opens the root session: the orchestrator agent, or Jangdan itself.
    pub(super) fn open_orchestrator(&mut self, resumes: Option<SessionId>) {
        let lost_too_often = self.run.orchestrator_losses >= self.run.settings.retries_max.get();
        let member = self.run.team.first_with_role(Role::Orchestrator).filter(|_| !lost_too_often);
        let agent = member.map(|member| member.name.clone());
        let session = SessionId(self.run.sessions.next_number());
        self.emit_as_system(events::SessionOpened {
            session,
            parent: None,
            depth: 0,
            role: Role::Orchestrator,
            agent,
            task: None,
            phase: None,
            resumes,
        });
    }

    /// Starts a ready task, or resumes one that was blocked.
    pub(super) fn start_or_resume_task(&mut self, task: TaskIndex) {
        let state = self.run.task(task);
        let session = state.session();
        let is_alive = session.is_some_and(|session| self.run.session(session).is_alive());
        match (state.stage, session) {
            (TaskStage::Waiting | TaskStage::Ready | TaskStage::AttemptFailed, _) | (_, None) => {
                self.start_attempt(task)
            }
            (TaskStage::Running(_), Some(_)) if !is_alive => self.start_attempt(task),
            (TaskStage::Running(_), Some(session)) => {
                self.emit(events::TaskResumed { task: self.task_id(task), session });
                self.resume_worker(task, session);
            }
            // Its check or its merge continues without an agent.
            (_, Some(session)) => {
                self.emit(events::TaskResumed { task: self.task_id(task), session });
                self.resume_tester(task);
            }
        }
    }

    /// Continues the work of a session that waited.
    fn resume_worker(&mut self, task: TaskIndex, session: SessionId) {
        self.send_pending_inputs(task);
        let receiver = self.run.session(session);
        if receiver.is_parked_in_turn() {
            self.emit(events::SessionWoken { session });
        }
        let receiver = self.run.session(session);
        // A session that took a call in between finishes that first.
        if !receiver.in_turn && (receiver.current_item.is_some() || !self.deliver_messages(session)) {
            let reason = format!("continue {}", self.task_id(task));
            self.send_input(session, SessionInput::Resume { reason });
        }
    }

    /// Continues the work of a tester that waited with its task.
    fn resume_tester(&mut self, task: TaskIndex) {
        let state = self.run.task(task);
        let Some(tester) = state.tester().filter(|_| state.stage == TaskStage::Testing) else { return };
        let receiver = self.run.session(tester);
        if receiver.is_parked_in_turn() {
            self.emit(events::SessionWoken { session: tester });
        } else if !receiver.in_turn && receiver.questions.is_empty() {
            let reason = format!("continue the test of {}", self.task_id(task));
            self.send_input(tester, SessionInput::Resume { reason });
        }
    }

    /// Starts an attempt at a task in a new session.
    fn start_attempt(&mut self, task: TaskIndex) {
        let state = self.run.task(task);
        let Some(agent) = self.run.team.agent_name(state.agent).cloned() else { return };
        let (id, attempt, phase) =
            (state.planned.id.clone(), state.attempt().saturating_add(1), state.planned.phase);
        let parent = self.ensure_phase_operator(phase);
        let last = self.run.task(task).session();
        let is_resumed = |last: &SessionId| {
            let last = self.run.session(*last);
            last.agent.as_ref() == Some(&agent) && last.agent_session.is_some()
        };
        let resumes = last.filter(is_resumed);
        let session = SessionId(self.run.sessions.next_number());
        self.emit(events::SessionOpened {
            session,
            parent,
            depth: 2,
            role: Role::Worker,
            agent: Some(agent.clone()),
            task: Some(id.clone()),
            phase: Some(phase),
            resumes,
        });
        self.emit(events::TaskStarted { task: id.clone(), attempt, agent: agent.clone(), session });
        let state = self.run.task(task);
        let mut earlier = state.history.failures.clone();
        if state.hint.is_some() {
            // The hint says why the last attempt failed.
            earlier.pop_if(|last| last.round.is_none());
        }
        let hints: Vec<String> = state.user_hint.iter().chain(&state.hint).cloned().collect();
        let hint = (!hints.is_empty()).then(|| hints.join("\n"));
        let mut carried = state.pending_inputs.clone();
        if let Some(rework) = state.rework.as_ref().filter(|rework| !carried.contains(rework)) {
            carried.insert(0, rework.clone());
        }
        // A prompt of the ended process means nothing to the next one.
        carried.retain(|input| !matches!(input, SessionInput::Permission { .. }));
        carried.extend(self.results_for(&agent));
        if carried.iter().any(|input| matches!(input, SessionInput::Feedback { .. })) {
            // It has the history.
            earlier.clear();
        }
        self.send_input(session, SessionInput::Task { task: id, attempt, hint, earlier, carried });
    }

    /// Returns the operator session of a phase, and opens it if needed.
    fn ensure_phase_operator(&mut self, phase: u32) -> Option<SessionId> {
        let leader = self.run.phases.get(&phase)?.leader.filter(|id| self.run.session(*id).is_alive());
        if leader.is_some() {
            return leader;
        }
        let session = SessionId(self.run.sessions.next_number());
        let agent = self.run.team.first_with_role(Role::Operator).map(|member| member.name.clone());
        self.emit(events::SessionOpened {
            session,
            parent: self.run.root_session,
            depth: 1,
            role: Role::Operator,
            agent,
            task: None,
            phase: Some(phase),
            resumes: None,
        });
        self.emit(events::PhaseStarted { phase, session });
        Some(session)
    }
}

/// Rejects a plan that cannot be run, with the reason.
fn check_plan(work: &PlannedWork, team: &[TeamMember]) -> Result<(), Rejection> {
    let invalid = |reason: String| Err(Rejection::InvalidPlan { reason });
    if work.tasks.is_empty() {
        return invalid("it has no tasks".to_owned());
    }
    if work.tasks.len() > TASKS_MAX {
        return invalid(format!("it has more than {TASKS_MAX} tasks"));
    }
    if team.is_empty() {
        return invalid("the team has no agent".to_owned());
    }
    let known: Vec<_> = team.iter().map(|member| member.name.clone()).collect();
    let mut ids: BTreeSet<&TaskId> = BTreeSet::new();
    for task in &work.tasks {
        if !ids.insert(&task.id) {
            return invalid(format!("{} is defined twice", task.id));
        }
        if !work.phases.iter().any(|phase| phase.number == task.phase) {
            return invalid(format!("{} is in phase {}, which does not exist", task.id, task.phase));
        }
        let unknown = task.agent.iter().chain(&task.tester).find(|name| !known.contains(name));
        if let Some(name) = unknown {
            return Err(Rejection::UnknownAgent { name: name.clone(), known });
        }
    }
    for task in &work.tasks {
        if let Some(missing) = task.depends_on.iter().find(|id| !ids.contains(id)) {
            return invalid(format!("{} depends on {missing}, which does not exist", task.id));
        }
    }
    let layout = GraphLayout::new(work);
    match Graph::new(&layout.durations(work), &layout.edges(work)) {
        Ok(_) => Ok(()),
        Err(cycle) => {
            let name = |node: &crate::graph::Node| match work.tasks.get(node.index()) {
                Some(task) => task.id.to_string(),
                None => "the end of a phase".to_owned(),
            };
            Err(Rejection::DependencyCycle { path: cycle.path.iter().map(name).collect() })
        }
    }
}
