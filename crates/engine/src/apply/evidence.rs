//! Applies events about claims and their evidence.

use domain::{
    AgentMessage, CheckpointId, CheckpointOutcome, ClaimSource, CompletionProof, QuestionId, Role, SessionId,
    SessionInput, Timestamp, events,
};

use crate::{
    check_output::end_of_output,
    run::Run,
    state::{TaskClaim, TaskIndex, TaskStage, TreeExamination, WorkState},
};

impl Run {
    pub(super) fn apply_task_claimed(&mut self, at: Timestamp, event: &events::TaskClaimed) {
        let events::TaskClaimed { task, source, reason, fields } = event;
        let Some(task_ref) = self.find_task(task) else { return };
        self.stop_work_clock(at, task_ref);
        let Some(task) = self.task_mut(task_ref) else { return };
        if let Some(attempt) = &mut task.last_attempt {
            attempt.is_phase_marked = *source == ClaimSource::PhaseMarker;
        }
        if !fields.is_empty() {
            task.reported.clone_from(fields);
        }
        if let Some(reason) = reason {
            task.set_summary(reason);
        }
        // The work has changed since its last check.
        task.checked_commit = None;
        task.round.is_accepted = false;
        // The tree at the end of a turn without a message is known.
        if *source != ClaimSource::TurnEnd {
            task.round.examination = TreeExamination::NotRequested;
        }
        // An accepted report makes the corrections of earlier messages obsolete.
        let worker = task.session();
        if let Some(session) = worker.and_then(|session| self.session_mut_unmarked(session)) {
            session.corrections.clear();
        }
        let claim = TaskClaim { source: *source, has_reason: reason.is_some() };
        self.set_task_stage(task_ref, TaskStage::Claimed(claim));
        self.begin_turn_wait(at, task_ref);
    }

    pub(super) fn apply_claim_accepted(&mut self, event: &events::ClaimAccepted) {
        let Some(task_ref) = self.find_task(&event.task) else { return };
        let has_check = self.has_check(task_ref);
        if let Some(task) = self.task_mut(task_ref) {
            task.round.is_accepted = true;
        }
        if has_check {
            self.set_task_stage(task_ref, TaskStage::Accepted);
        } else {
            self.add_to_mergeable(task_ref, CompletionProof::Unchecked);
        }
    }

    pub(super) fn apply_evidence_requested(&mut self, at: Timestamp, event: &events::EvidenceRequested) {
        let events::EvidenceRequested { task: id, missing } = event;
        let Some(task_ref) = self.find_task(id) else { return };
        let Some(task) = self.task_mut(task_ref) else { return };
        task.round.is_evidence_requested = true;
        let input = SessionInput::EvidenceRequest { task: id.clone(), missing: missing.clone() };
        task.pending_inputs.push(input);
        if matches!(task.stage, TaskStage::Claimed(_)) {
            self.return_to_agent(at, task_ref);
        }
    }

    /// Returns whether a check command or a tester examines the work of a task.
    pub(crate) fn has_check(&self, task: TaskIndex) -> bool {
        self.check_of_task(task).is_some() || self.task(task).planned.tester.is_some()
    }

    /// Records the tree with which a round began, or at which a permission was denied.
    pub(super) fn record_tree_of_input(&mut self, event: &events::InputSent) {
        let unsent = &self.session(event.session).unsent_inputs;
        let sent = unsent.iter().find(|(number, _)| *number == event.input);
        let Some(content) = sent.map(|(_, content)| content.clone()) else { return };
        let worker_task = self.task_of_worker(event.session);
        let Some(tree) = &event.tree else { return };
        let Some(round) = worker_task.and_then(|task| self.task_mut(task)).map(|task| &mut task.round) else {
            return;
        };
        match is_prompt_or_denial(&content) {
            TreeUse::Prompt if round.base_tree.is_none() => round.base_tree = Some(tree.clone()),
            TreeUse::Denial => round.denied_tree = Some(tree.clone()),
            TreeUse::Prompt | TreeUse::None => {}
        }
    }

    /// Returns whether the executor must report the tree before an input.
    pub(super) fn reports_tree(&self, session: SessionId, content: &SessionInput) -> bool {
        let Some(task) = self.task_of_worker(session) else { return false };
        match is_prompt_or_denial(content) {
            TreeUse::Prompt => self.task(task).round.base_tree.is_none(),
            TreeUse::Denial => true,
            TreeUse::None => false,
        }
    }

    /// Lets the next claim be examined again: the agent works after an input.
    pub(super) fn reset_examination(&mut self, session: SessionId) {
        let task = self.task_of_worker(session);
        if let Some(task) = task.and_then(|task| self.task_mut(task)) {
            task.round.examination = TreeExamination::NotRequested;
        }
    }

    pub(super) fn finish_examination(&mut self, checkpoint: CheckpointId, outcome: &CheckpointOutcome) {
        let task = self.checkpoints.get(checkpoint.0).task;
        let is_examined =
            |task: &TaskIndex| self.task(*task).round.examination == TreeExamination::Requested(checkpoint);
        let Some(task) = task.filter(is_examined).and_then(|task| self.task_mut(task)) else { return };
        let tree = match outcome {
            // Without worktrees the tree is that of the project's folder, which others change too.
            CheckpointOutcome::Made { commit, tree, .. } => tree.clone().filter(|_| !commit.is_empty()),
            CheckpointOutcome::Failed { .. } => None,
        };
        task.round.examination = TreeExamination::Finished { tree };
    }

    /// Adds what an agent sends after its claim: a reason, or DONE after the end of its process was taken as a claim.
    pub(super) fn update_claim(&mut self, session: SessionId, message: &AgentMessage) {
        let Some(task) = self.task_of_worker(session) else { return };
        if let AgentMessage::Done(done) = message
            && let Some(task) = self.task_mut(task)
            && let TaskStage::Claimed(claim) = &mut task.stage
        {
            claim.source = ClaimSource::DoneMessage;
            claim.has_reason |= done.reason.is_some();
        }
    }

    pub(super) fn record_result(&mut self, session: SessionId) {
        let has_own_work = self.session(session).current_item.is_none();
        let task = self.task_of_worker(session).filter(|_| has_own_work);
        if let Some(task) = task.and_then(|task| self.task_mut(task)) {
            task.round.has_result = true;
        }
    }

    /// Keeps the end of what a worker wrote in a turn of its own task.
    pub(super) fn record_last_words(&mut self, session: SessionId, text: &str) {
        let has_own_work = self.session(session).current_item.is_none();
        let is_about_task = has_own_work && !text.trim().is_empty();
        let task = self.task_of_worker(session).filter(|_| is_about_task);
        if let Some(task) = task.and_then(|task| self.task_mut(task)) {
            task.round.last_words = end_of_output(text.trim());
        }
    }

    pub(super) fn record_evidence_question(&mut self, question: QuestionId, session: SessionId) {
        let Some(task_ref) = self.task_of_worker(session) else { return };
        let Some(task) = self.task_mut(task_ref) else { return };
        task.round.add_question(question);
        if matches!(task.stage, TaskStage::Claimed(_)) {
            self.set_task_stage(task_ref, TaskStage::Running(WorkState::default()));
        }
    }

    pub(super) fn end_evidence_question(&mut self, question: QuestionId) {
        let task = self.questions.get(question.0).task;
        if let Some(task) = task.filter(|task| self.task(*task).round.question == Some(question))
            && let Some(task) = self.task_mut(task)
        {
            task.round.continue_with_answer();
        }
    }

    /// Returns the task whose current or last attempt a session works on.
    pub(super) fn task_of_worker(&self, session: SessionId) -> Option<TaskIndex> {
        let worker = self.session(session);
        let task = worker.task.filter(|_| worker.role == Role::Worker)?;
        (self.task(task).session() == Some(session)).then_some(task)
    }
}

/// What the tree before an input is used for.
enum TreeUse {
    /// The input can begin a round.
    Prompt,
    Denial,
    None,
}

fn is_prompt_or_denial(input: &SessionInput) -> TreeUse {
    match input {
        SessionInput::Permission { allowed: false, .. } => TreeUse::Denial,
        SessionInput::Task { .. }
        | SessionInput::Answer { prompt: None, .. }
        | SessionInput::Provided { .. }
        | SessionInput::Refused { .. }
        | SessionInput::InvocationEnded { .. }
        | SessionInput::Result { .. }
        | SessionInput::Direct { .. }
        | SessionInput::Feedback { .. }
        | SessionInput::InvalidMessage { .. }
        | SessionInput::NearMiss { .. }
        | SessionInput::Reminder
        | SessionInput::EvidenceRequest { .. }
        | SessionInput::Conflict { .. }
        | SessionInput::Rework { .. }
        | SessionInput::UserMessage { .. }
        | SessionInput::TaskChanged { .. }
        | SessionInput::Resume { .. } => TreeUse::Prompt,
        // The agent has begun to work, or works for others.
        SessionInput::Permission { allowed: true, .. }
        | SessionInput::Answer { prompt: Some(_), .. }
        | SessionInput::ClarificationRequest { .. }
        | SessionInput::Invocation { .. }
        | SessionInput::Test { .. }
        | SessionInput::Verify { .. }
        | SessionInput::Question { .. }
        | SessionInput::Escalation { .. }
        | SessionInput::ThinLine { .. }
        | SessionInput::Chat { .. } => TreeUse::None,
    }
}
