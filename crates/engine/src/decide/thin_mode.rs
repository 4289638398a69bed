//! The thin protocol: a main agent asks for the next tasks and requests them itself.

use domain::{
    BlockReason, EscalationCause, EscalationSubject, EscalationType, PhaseNumber, Priority, SessionId,
    SessionInput, Severity, StartTaskMessage, TaskId, events,
};

use super::{DecisionContext, escalation::NewEscalation};
use crate::{
    run::Run,
    state::{GateState, Task, TaskStage},
    touched_paths::TouchedPaths,
};

/// Maximum number of tasks listed in an escalation.
const NAMED_MAX: usize = 5;

impl Run {
    /// Returns the line that answers RESOLVE_NEXT, `None` while there is nothing to answer.
    pub fn resolve_next_reply(&self, phase: Option<PhaseNumber>) -> Option<String> {
        if self.tasks.is_empty() {
            return Some("ERROR:TASKS_NOT_FOUND".to_owned());
        }
        if let Some(phase) = phase.filter(|phase| !self.phases.contains_key(phase)) {
            return Some(format!("ERROR:TASKS_NOT_FOUND:phase {phase}"));
        }
        let is_in_phase = |task: &&Task| phase.is_none_or(|phase| task.planned.phase == phase);
        let tasks: Vec<&Task> = self.tasks.iter().filter(is_in_phase).collect();
        let ready: Vec<&Task> =
            tasks.iter().filter(|task| task.awaits_main_agent_request()).copied().collect();
        if !ready.is_empty() {
            return Some(format!("READY:{}", disjoint_groups_text(&ready)));
        }
        if tasks.iter().all(|task| task.stage.is_final()) {
            return Some(phase.map_or("ALL_DONE".to_owned(), |phase| format!("PHASE_DONE:{phase}")));
        }
        let proceeds = |task: &&Task| {
            let waits_for_person = |reason: &BlockReason| match reason {
                BlockReason::Question { .. }
                | BlockReason::Request { .. }
                | BlockReason::Escalated { .. }
                | BlockReason::Approval { .. }
                | BlockReason::Paused { .. } => true,
                BlockReason::Invocation { .. } | BlockReason::RateLimited { .. } => false,
            };
            (task.stage.is_in_progress() || task.stage == TaskStage::Ready)
                && !task.block_reasons.iter().any(waits_for_person)
        };
        let gate_is_open = self
            .phases
            .values()
            .any(|phase| matches!(phase.gate, GateState::Checking | GateState::Verifying(_)));
        if gate_is_open || self.tasks.iter().any(|task| proceeds(&task)) {
            return None;
        }
        let blocked = tasks.iter().filter(|task| !task.stage.is_final() && task.stage != TaskStage::Waiting);
        let blocked = join_task_ids(blocked.copied());
        let waiting = join_task_ids(tasks.iter().filter(|task| task.stage == TaskStage::Waiting).copied());
        Some(format!("CUSTOM:HUMAN:{}", if blocked.is_empty() { waiting } else { blocked }))
    }

    /// Returns the line that lists the tasks in progress.
    fn wait_line(&self) -> String {
        format!("CUSTOM:WAIT:{}", join_task_ids(self.tasks.iter().filter(|task| task.stage.is_in_progress())))
    }
}

impl DecisionContext<'_> {
    pub(super) fn handle_resolve_next(
        &mut self,
        session: SessionId,
        phase: Option<PhaseNumber>,
        force: bool,
    ) {
        self.emit(events::ResolveRequested { session, phase });
        if force {
            let line = self.run.resolve_next_reply(phase).unwrap_or_else(|| self.run.wait_line());
            self.send_resolve_line(session, line);
        }
    }

    /// Answers the first waiting main agent for which there is an answer.
    pub(super) fn answer_resolve_requests(&mut self) -> bool {
        let waiting = self.run.resolve_requests.iter().map(|(session, phase)| (*session, *phase));
        let answer = waiting
            .filter_map(|(session, phase)| Some((session, self.run.resolve_next_reply(phase)?)))
            .next();
        let Some((session, line)) = answer else { return false };
        self.send_resolve_line(session, line);
        true
    }

    pub(super) fn answer_with_wait_line(&mut self, session: SessionId) {
        let line = self.run.wait_line();
        self.send_resolve_line(session, line);
    }

    fn send_resolve_line(&mut self, session: SessionId, line: String) {
        self.emit_as_system(events::ResolveAnswered { session, line: line.clone() });
        self.send_input(session, SessionInput::ThinLine { line });
    }

    pub(super) fn request_task(&mut self, session: SessionId, request: StartTaskMessage) {
        let StartTaskMessage { task_id: task, worktree, meta, .. } = request;
        let Some(task_ref) = self.run.find_task(&task) else { return };
        let leaves_repository =
            |path: &String| path.starts_with('/') || path.split('/').any(|part| part == "..");
        if worktree.as_ref().is_some_and(leaves_repository) {
            let line = format!("FAIL:{task}:the worktree path must be relative to the repository root");
            return self.send_input(session, SessionInput::ThinLine { line });
        }
        let priority = meta.as_ref().and_then(|meta| meta.get("priority")).and_then(|value| value.as_str());
        let priority = priority.and_then(|word| word.parse::<Priority>().ok());
        self.emit(events::TaskRequested { task: task.clone(), worktree, meta });
        if let Some(priority) = priority {
            self.emit(events::TaskPrioritized { task, priority });
        }
        self.notify_of_task_end(task_ref);
    }

    /// Escalates a main agent that sends nothing while tasks wait for its request.
    pub(super) fn escalate_silence(&mut self) {
        let Some((session, _)) = self.run.watched_orchestrator else { return };
        let waiting = self.run.tasks.iter().filter(|task| task.awaits_main_agent_request());
        let (first, n) = (join_task_ids(waiting.clone().take(NAMED_MAX)), waiting.count());
        let escalation = NewEscalation {
            kind: EscalationType::Blocked,
            severity: Severity::Critical,
            title: EscalationCause::MainAgentSilent.into(),
            description: format!("{n} tasks wait for its request: {first}"),
            context: "check its terminal: it may wait for you or hang".to_owned(),
        };
        let escalation = self.raise_escalation(EscalationSubject::Run, Some(session), escalation);
        // The silent agent cannot resolve its own escalation.
        self.forward_escalation(escalation);
    }

    /// Resolves the escalation about a silent main agent once it sends something or no task waits.
    pub(super) fn resolve_silence_escalation(&mut self) -> bool {
        let Some((escalation, seen)) = self.run.silence_escalation else { return false };
        if self.run.watched_orchestrator == Some(seen) {
            return false;
        }
        let note = "the cause no longer exists: no task waits for the main agent".to_owned();
        self.emit_as_system(events::EscalationResolved { escalation, action: None, note });
        true
    }

    /// Informs the main agent that a task it requested has ended.
    pub(super) fn notify_of_task_end(&mut self, task: crate::state::TaskIndex) {
        let state = self.run.task(task);
        let id = &state.planned.id;
        let line = match state.stage {
            TaskStage::Done => format!("DONE:{id}"),
            TaskStage::Skipped => format!("DONE:{id}:status=skipped"),
            TaskStage::Failed => format!("FAIL:{id}:failed"),
            TaskStage::Cancelled => format!("FAIL:{id}:cancelled"),
            TaskStage::Waiting
            | TaskStage::Ready
            | TaskStage::Running(_)
            | TaskStage::Claimed(_)
            | TaskStage::Accepted
            | TaskStage::Checking
            | TaskStage::Checked
            | TaskStage::ChecksFailed
            | TaskStage::Testing
            | TaskStage::Mergeable(_)
            | TaskStage::Merging(_)
            | TaskStage::Conflicted
            | TaskStage::Merged(_)
            | TaskStage::AttemptFailed => return,
        };
        if let Some(orchestrator) = self.run.orchestrator().filter(|_| state.requested) {
            self.send_input(orchestrator, SessionInput::ThinLine { line });
        }
    }
}

/// Groups tasks so that the tasks of a group touch different paths.
fn disjoint_groups_text(ready: &[&Task]) -> String {
    let mut groups: Vec<Vec<(&TaskId, TouchedPaths)>> = Vec::new();
    for task in ready {
        let touches = TouchedPaths::parse(&task.planned.touches);
        let fits = |group: &&mut Vec<(&TaskId, TouchedPaths)>| {
            group.iter().all(|(_, other)| !other.overlaps(&touches))
        };
        match groups.iter_mut().find(fits) {
            Some(group) => group.push((&task.planned.id, touches)),
            None => groups.push(vec![(&task.planned.id, touches)]),
        }
    }
    let names = |group: &Vec<(&TaskId, TouchedPaths)>| {
        group.iter().map(|(id, _)| id.to_string()).collect::<Vec<_>>().join(",")
    };
    groups.iter().map(names).collect::<Vec<_>>().join("|")
}

fn join_task_ids<'a>(tasks: impl Iterator<Item = &'a Task>) -> String {
    tasks.map(|task| task.planned.id.to_string()).collect::<Vec<_>>().join(",")
}
