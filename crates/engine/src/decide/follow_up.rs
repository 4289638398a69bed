//! The consequences of events: starts, resumes and ends tasks and sessions, merges, opens gates, ends the run.

use domain::{OrchestrationMode, Role, RunOutcome, SessionId, TaskId, events};

use super::DecisionContext;
use crate::{
    run::{NodeKind, RunStatus},
    state::{EffectKey, GateState, ProcessState, QuestionState, Session, TaskIndex, TaskStage, WorkItem},
};

impl DecisionContext<'_> {
    /// Emits follow-up events until nothing follows any more.
    pub(super) fn emit_follow_up_events(&mut self) {
        loop {
            if let Some(session) = self.run.affected_sessions.pop_first() {
                self.advance_session(session);
            } else if let Some(task) = self.run.affected_tasks.pop_first() {
                self.advance_task(task);
            } else if !(self.announce_ready_tasks()
                || self.start_next_task()
                || self.assign_next_call()
                || self.start_merge()
                || self.open_next_gate()
                || self.answer_resolve_requests()
                || self.resolve_silence_escalation()
                || self.resolve_disk_full_escalation()
                || self.end_run_if_idle())
            {
                return;
            }
        }
    }

    fn is_run_active(&self) -> bool {
        self.run.status == RunStatus::Active
    }

    fn announce_ready_tasks(&mut self) -> bool {
        let ready = self.run.schedule.newly_ready();
        if ready.is_empty() {
            return false;
        }
        let ids = ready.iter().filter_map(|node| match self.run.node_kind(*node) {
            NodeKind::Task(task) => Some(self.task_id(task)),
            NodeKind::Gate(_) | NodeKind::External => None,
        });
        let tasks: Vec<TaskId> = ids.collect();
        self.emit(events::TasksBecameReady { tasks });
        true
    }

    fn start_next_task(&mut self) -> bool {
        if !self.is_run_active() {
            return false;
        }
        let Some(node) = self.run.schedule.next_candidate() else { return false };
        let NodeKind::Task(task) = self.run.node_kind(node) else { return false };
        self.start_or_resume_task(task);
        true
    }

    fn advance_task(&mut self, task: TaskIndex) {
        self.resolve_overlaps_of_ended_task(task);
        let state = self.run.task(task);
        let has_slot = self.run.schedule.running().contains(&state.node);
        if !self.is_run_active() || state.is_blocked() || !has_slot {
            return;
        }
        match state.stage {
            TaskStage::Running(_) => self.continue_work(task),
            TaskStage::Claimed(_) | TaskStage::Accepted if self.run.awaits_turn_end(task) => {}
            TaskStage::Claimed(claim) => self.examine_claim(task, claim),
            TaskStage::Accepted => self.start_check(task),
            TaskStage::Checked => self.after_check(task),
            TaskStage::ChecksFailed => self.after_failed_round(task),
            TaskStage::Conflicted => self.after_conflict(task),
            TaskStage::Merged(_) => self.after_merge(task),
            // The merge commits the work.
            TaskStage::Mergeable(_) if state.checked_commit.is_none() => {
                self.ask_about_large_files(task);
            }
            TaskStage::Waiting
            | TaskStage::Ready
            | TaskStage::Checking
            | TaskStage::Testing
            | TaskStage::Mergeable(_)
            | TaskStage::Merging(_)
            | TaskStage::AttemptFailed
            | TaskStage::Done
            | TaskStage::Failed
            | TaskStage::Skipped
            | TaskStage::Cancelled => {}
        }
    }

    fn advance_session(&mut self, id: SessionId) {
        let session = self.run.session(id);
        // A task's questions outlive its session: queued questions are still routed.
        if let Some(question) = session.questions.front().copied()
            && self.run.questions.get(question.0).state == QuestionState::Queued
        {
            self.route_question(question);
            return;
        }
        let session = self.run.session(id);
        if !session.is_alive() || session.agent.is_none() {
            return;
        }
        if session.in_turn || session.rate_limited {
            return;
        }
        if self.is_run_active()
            && (self.send_corrections(id)
                || (self.run.session(id).task.is_none() && self.deliver_messages(id)))
        {
            return;
        }
        let session = self.run.session(id);
        if !self.is_run_active() {
            // A main agent may end its last turn after the end of the run.
            if matches!(self.run.status, RunStatus::Ended(_)) && session.is_idle() {
                self.dismiss_session(id);
            }
            return;
        }
        if session.is_idle() && !session.work_queue.is_empty() {
            self.start_next_work_item(id);
        } else if session.is_idle() && self.is_session_unneeded(id) {
            self.dismiss_session(id);
        } else if session.process() == Some(ProcessState::Active) && session.unsent_inputs.is_empty() {
            self.emit(events::SessionParked { session: id, mode: domain::ParkMode::Hot });
        }
    }

    /// Returns whether a session existed for one purpose that is fulfilled.
    fn is_session_unneeded(&self, id: SessionId) -> bool {
        let session = self.run.session(id);
        match session.role {
            Role::Orchestrator | Role::Operator => false,
            Role::Worker => session.task.is_none(),
            Role::Tester | Role::Verifier | Role::Specialist => session.current_item.is_none(),
        }
    }

    fn start_merge(&mut self) -> bool {
        if !self.is_run_active() || self.run.merging.is_some() {
            return false;
        }
        let is_startable = |task: &&TaskIndex| {
            let state = self.run.task(**task);
            !state.is_blocked()
                && self.run.schedule.running().contains(&state.node)
                && !self.run.awaits_turn_end(**task)
        };
        let Some(task) = self.run.mergeable.iter().find(is_startable).copied() else { return false };
        let attempt = self.run.task(task).attempt();
        self.emit(events::MergeStarted { task: self.task_id(task), attempt });
        true
    }

    /// Ends the run if nothing can proceed and nothing waits for the user.
    fn end_run_if_idle(&mut self) -> bool {
        if !self.is_run_active() || self.has_pending_work() {
            return false;
        }
        let ids = |stages: &[TaskStage]| -> Vec<TaskId> {
            let tasks = self.run.tasks.iter().filter(|task| stages.contains(&task.stage));
            tasks.map(|task| task.planned.id.clone()).collect()
        };
        let failed = ids(&[TaskStage::Failed, TaskStage::Cancelled]);
        let waiting = ids(&[TaskStage::Waiting]);
        let is_done = failed.is_empty() && waiting.is_empty();
        let outcome = if is_done { RunOutcome::Done } else { RunOutcome::Failed };
        self.finish_run(outcome, failed, waiting);
        true
    }

    /// Dismisses all sessions and ends the run.
    pub(super) fn finish_run(&mut self, outcome: RunOutcome, failed: Vec<TaskId>, waiting: Vec<TaskId>) {
        // A main agent that was just informed of the outcome may retry a task or finish its turn.
        let is_thin = self.run.settings.mode == OrchestrationMode::Thin && outcome != RunOutcome::Cancelled;
        let ends_its_turn =
            |session: &Session| is_thin && session.role == Role::Orchestrator && session.in_turn;
        let alive: Vec<SessionId> = self
            .run
            .sessions
            .iter()
            .filter(|(_, session)| session.is_alive() && !ends_its_turn(session))
            .map(|(number, _)| SessionId(number))
            .collect();
        for session in alive {
            self.dismiss_session(session);
        }
        let silence = self.run.silence_escalation.map(|(escalation, _)| escalation);
        let disk = self.run.disk_budget_escalation.into_iter().chain(self.run.disk_full_escalation);
        for escalation in disk.chain(silence) {
            let note = "the run has ended".to_owned();
            self.emit_as_system(events::EscalationResolved { escalation, action: None, note });
        }
        self.emit(events::RunEnded { outcome, failed, waiting });
    }

    fn has_pending_work(&self) -> bool {
        let run = &*self.run;
        if run.schedule.next_candidate().is_some() || !run.schedule.running().is_empty() {
            return true;
        }
        let can_proceed = |stage: TaskStage| stage.is_in_progress() || stage == TaskStage::Ready;
        if run
            .tasks
            .iter()
            .any(|task| can_proceed(task.stage) || (task.stage == TaskStage::Waiting && task.is_blocked()))
        {
            return true;
        }
        // Tasks that have not started wait for disk space; the escalation is open.
        if run.disk_budget_escalation.is_some() && run.tasks.iter().any(|task| !task.stage.is_final()) {
            return true;
        }
        let is_landing = run.phases.keys().any(|phase| run.pending_effects.has(&EffectKey::Land(*phase)));
        let at_gate = run.phases.values().any(|phase| match phase.gate {
            GateState::Checking | GateState::Verifying(_) | GateState::Review | GateState::Escalated(_) => {
                true
            }
            GateState::Closed | GateState::Approved => false,
        });
        // A main agent may stay in one turn for as long as it likes: queued chat messages do not keep the run open.
        let is_thin = run.settings.mode == OrchestrationMode::Thin;
        let is_busy = |session: &crate::state::Session| {
            let will_reply = session.work_queue.contains(&WorkItem::Chat) && !(is_thin && session.in_turn);
            session.is_alive()
                && session.agent.is_some()
                && session.role == Role::Orchestrator
                && !session.is_chat_overdue
                && (session.current_item == Some(WorkItem::Chat) || will_reply)
        };
        let has_chat = run.root_session.is_some_and(|root| is_busy(run.session(root)));
        let is_asked = !run.open_questions.is_empty() || !run.open_requests.is_empty();
        is_landing || at_gate || is_asked || has_chat || self.awaits_external_dependency()
    }

    /// Returns whether a task waits for an external dependency and not for a failed task.
    fn awaits_external_dependency(&self) -> bool {
        let run = &*self.run;
        if run.externals.values().all(|node| run.schedule.is_met(*node)) {
            return false;
        }
        let graph = run.schedule.graph();
        run.tasks.iter().filter(|task| task.stage == TaskStage::Waiting).any(|task| {
            let mut open = vec![task.node];
            let mut seen = std::collections::BTreeSet::new();
            let mut has_external = false;
            while let Some(node) = open.pop() {
                match run.node_kind(node) {
                    NodeKind::External => has_external |= !run.schedule.is_met(node),
                    NodeKind::Task(before)
                        if matches!(run.task(before).stage, TaskStage::Failed | TaskStage::Cancelled) =>
                    {
                        return false;
                    }
                    NodeKind::Task(_) | NodeKind::Gate(_) => {}
                }
                if !run.schedule.is_met(node) && seen.insert(node) {
                    open.extend(graph.dependencies(node));
                }
            }
            has_external
        })
    }
}
