//! Applies events about tasks.

use domain::{
    Actor, AgentName, AttemptNumber, BlockReason, CheckpointId, CompletionProof, MergeOutcome, PhaseNumber,
    Receipt, SessionId, SessionInput, TaskId, TaskReturnReason, Timestamp, events,
};

use super::start::add_ms;
use crate::{
    effect::{CheckOrder, Effect, MergeOrder, MergedCommits, TaskDuration},
    effect_sink::EffectSink,
    failure_text::failure_text,
    graph::Node,
    run::{NodeKind, Run},
    schedule::HoldReason,
    state::{
        Attempt, Deadline, EffectKey, RateLimitWaits, RoundOrigin, TaskIndex, TaskStage, WorkItem, WorkState,
    },
    touched_paths::TouchedPaths,
};

/// Number of merged tasks that a conflict is attributed to.
const LAST_MERGED_MAX: usize = 32;

impl Run {
    pub(super) fn apply_tasks_became_ready(&mut self, tasks: &[TaskId]) {
        self.schedule.clear_newly_ready();
        for id in tasks {
            if let Some(task) = self.find_task(id) {
                self.set_task_stage(task, TaskStage::Ready);
            }
        }
    }

    pub(super) fn apply_task_started(
        &mut self,
        at: Timestamp,
        id: &TaskId,
        attempt: AttemptNumber,
        session: SessionId,
    ) {
        let Some(task_ref) = self.find_task(id) else { return };
        self.schedule.mark_running(self.task(task_ref).node);
        let Some(task) = self.task_mut(task_ref) else { return };
        task.last_attempt =
            Some(Attempt { number: attempt, session, tester: None, worked_ms: 0, is_phase_marked: false });
        self.set_task_stage(task_ref, TaskStage::Running(WorkState::default()));
        self.start_work_clock(at, task_ref);
    }

    pub(super) fn apply_task_resumed(&mut self, at: Timestamp, id: &TaskId) {
        let Some(task_ref) = self.find_task(id) else { return };
        self.schedule.mark_running(self.task(task_ref).node);
        self.mark_task_affected(task_ref);
        if self.task(task_ref).stage.is_running() {
            self.start_work_clock(at, task_ref);
        }
        if let Some(session) = self.task(task_ref).session() {
            self.timers.clear(Deadline::Park(session));
        }
    }

    pub(super) fn apply_task_blocked(&mut self, at: Timestamp, id: &TaskId, reason: &BlockReason) {
        let Some(task_ref) = self.find_task(id) else { return };
        self.stop_work_clock(at, task_ref);
        let node = self.task(task_ref).node;
        if self.task(task_ref).stage.is_in_progress() {
            self.schedule.block(node);
        } else {
            self.schedule.hold(node, HoldReason::TaskPaused);
        }
        if let BlockReason::RateLimited { until } = reason {
            self.timers.set(*until, Deadline::TaskRateLimit(task_ref));
        }
        if let BlockReason::Approval { phase } = reason {
            self.marked_phases.insert(*phase);
        }
        self.mark_task_affected(task_ref);
        let Some(task) = self.task_mut(task_ref) else { return };
        task.block_reasons.push(reason.clone());
        if matches!(reason, BlockReason::RateLimited { .. }) {
            task.rate_limit.get_or_insert(RateLimitWaits { count: 0, since: at }).count += 1;
        }
        if let Some(session) = task.session() {
            self.schedule_parking(at, session);
        }
    }

    pub(super) fn apply_task_unblocked(&mut self, id: &TaskId, reason: &BlockReason) {
        let Some(task_ref) = self.find_task(id) else { return };
        if matches!(reason, BlockReason::RateLimited { .. }) {
            self.timers.clear(Deadline::TaskRateLimit(task_ref));
        }
        if let BlockReason::Approval { phase } = reason {
            self.marked_phases.remove(phase);
        }
        self.mark_task_affected(task_ref);
        let Some(task) = self.task_mut(task_ref) else { return };
        task.block_reasons.retain(|block| block != reason);
        let (node, is_free, is_live) =
            (task.node, task.block_reasons.is_empty(), task.stage.is_in_progress());
        // An agent may have hit two rate limits: wait for the other one too.
        let other = task.block_reasons.iter().find_map(|block| match block {
            BlockReason::RateLimited { until } => Some(*until),
            BlockReason::Question { .. }
            | BlockReason::Request { .. }
            | BlockReason::Invocation { .. }
            | BlockReason::Escalated { .. }
            | BlockReason::Approval { .. }
            | BlockReason::Paused { .. } => None,
        });
        if let Some(until) = other {
            self.timers.set(until, Deadline::TaskRateLimit(task_ref));
        }
        if is_free && is_live {
            self.schedule.unblock(node);
        } else if is_free {
            self.schedule.release(node, HoldReason::TaskPaused);
        }
    }

    pub(super) fn queue_for_merge(&mut self, at: Timestamp, task: TaskIndex, proof: CompletionProof) {
        self.add_to_mergeable(task, proof);
        self.begin_turn_wait(at, task);
    }

    pub(super) fn add_to_mergeable(&mut self, task: TaskIndex, proof: CompletionProof) {
        // Its session stays as it is until the merge starts.
        if let Some(task) = self.task_mut(task) {
            task.stage = TaskStage::Mergeable(proof);
        }
        if !self.mergeable.contains(&task) {
            self.mergeable.push_back(task);
        }
    }

    pub(super) fn apply_check_finished(&mut self, at: Timestamp, id: &TaskId, receipt: &Receipt) {
        let Some(task_ref) = self.find_task(id) else { return };
        self.pending_effects.remove(&EffectKey::Check(task_ref));
        if receipt.obstacle.is_some() {
            // An escalation blocks it; the check is next when it is resolved.
            self.set_task_stage(task_ref, TaskStage::Accepted);
            return self.begin_turn_wait(at, task_ref);
        }
        if !receipt.passed() {
            return self.set_task_stage(task_ref, TaskStage::ChecksFailed);
        }
        self.set_task_stage(task_ref, TaskStage::Checked);
        if let Some(task) = self.task_mut(task_ref) {
            task.checked_tree = Some(receipt.tree.clone());
            task.checked_commit.clone_from(&receipt.commit);
        }
    }

    pub(super) fn check_order(&self, task: TaskIndex, attempt: AttemptNumber, command: String) -> CheckOrder {
        let state = self.task(task);
        CheckOrder {
            task: state.planned.id.clone(),
            attempt,
            title: state.planned.title.clone(),
            author: self.author_of(task),
            large_files: state.large_files.committed(),
            command,
            timeout_ms: self.settings.timeout_ms,
            retries: self.settings.check_retries,
        }
    }

    fn author_of(&self, task: TaskIndex) -> String {
        let agent = self.team.agent_name(self.task(task).agent).map(ToString::to_string);
        agent.unwrap_or_else(|| "agent".to_owned())
    }

    pub(super) fn merge_order(
        &self,
        task: TaskIndex,
        attempt: AttemptNumber,
        proof: CompletionProof,
    ) -> MergeOrder {
        let state = self.task(task);
        MergeOrder {
            task: state.planned.id.clone(),
            attempt,
            title: state.planned.title.clone(),
            author: self.author_of(task),
            large_files: state.large_files.committed(),
            commit: state.checked_commit.clone(),
            // The user accepted the work despite its check, which would fail on the merged tree too.
            check: self.check_of_task(task).filter(|_| proof != CompletionProof::Waived).cloned(),
            checked_tree: state.checked_tree.clone(),
            timeout_ms: self.settings.timeout_ms,
            retries: self.settings.check_retries,
        }
    }

    pub(super) fn apply_test_started(&mut self, id: &TaskId, session: SessionId) {
        let Some(task_ref) = self.find_task(id) else { return };
        self.set_task_stage(task_ref, TaskStage::Testing);
        if let Some(attempt) = self.task_mut(task_ref).and_then(|task| task.last_attempt.as_mut()) {
            attempt.tester = Some(session);
        }
        if let Some(session) = self.session_mut(session) {
            session.current_item = Some(WorkItem::Test(task_ref));
        }
    }

    pub(super) fn apply_task_returned(&mut self, at: Timestamp, id: &TaskId, reason: TaskReturnReason) {
        let Some(task_ref) = self.find_task(id) else { return };
        if let Some(task) = self.task_mut(task_ref) {
            task.conflict_returned |= reason == TaskReturnReason::Conflict;
        }
        self.return_to_agent(at, task_ref);
    }

    /// Lets the session of a task continue, or another one if it has ended.
    pub(super) fn return_to_agent(&mut self, at: Timestamp, task_ref: TaskIndex) {
        let task = self.task(task_ref);
        let (node, is_blocked) = (task.node, task.is_blocked());
        let is_alive = task.session().is_some_and(|session| self.session(session).is_alive());
        if is_alive {
            self.set_task_stage(task_ref, TaskStage::Running(WorkState::default()));
            if self.schedule.running().contains(&node) {
                self.start_work_clock(at, task_ref);
            }
        } else {
            self.set_task_stage(task_ref, TaskStage::Waiting);
            self.retry_task_node(node);
            if is_blocked {
                self.schedule.hold(node, HoldReason::TaskPaused);
            }
            self.hold_until_process_ends(task_ref);
        }
    }

    pub(super) fn apply_merge_finished(&mut self, at: Timestamp, id: &TaskId, outcome: &MergeOutcome) {
        let Some(task_ref) = self.find_task(id) else { return };
        self.pending_effects.remove(&EffectKey::Merge(task_ref));
        self.merging = None;
        self.record_merged_commits(task_ref, outcome);
        let TaskStage::Merging(proof) = self.task(task_ref).stage else { return };
        let Some(task) = self.task_mut(task_ref) else { return };
        let stage = match outcome {
            MergeOutcome::Merged { receipt, commit, .. } => {
                let commit = Some(commit.clone()).filter(|commit| !commit.is_empty());
                task.merged_commit.clone_from(&commit);
                if let Some(receipt) = receipt.as_ref().filter(|receipt| receipt.passed()) {
                    task.checked_tree = Some(receipt.tree.clone());
                }
                TaskStage::Merged(proof)
            }
            MergeOutcome::Conflicted { files } => {
                task.round.begin(RoundOrigin::Conflict);
                task.pending_inputs.push(SessionInput::Conflict { files: files.clone() });
                TaskStage::Conflicted
            }
            MergeOutcome::CheckFailed { receipt } if receipt.obstacle.is_some() => {
                // An escalation blocks it; the merge is next when it is resolved.
                return self.queue_for_merge(at, task_ref, proof);
            }
            MergeOutcome::CheckFailed { .. } => TaskStage::ChecksFailed,
            MergeOutcome::Failed { .. } => TaskStage::AttemptFailed,
        };
        self.set_task_stage(task_ref, stage);
        if let MergeOutcome::Merged { .. } = outcome {
            if self.last_merged.len() == LAST_MERGED_MAX {
                self.last_merged.pop_front();
            }
            self.last_merged.push_back(task_ref);
        }
    }

    fn record_merged_commits(&mut self, task: TaskIndex, outcome: &MergeOutcome) {
        let number = self.task(task).planned.phase;
        if let MergeOutcome::Merged { commit, onto, .. } = outcome {
            // A task without new changes reports its earlier merge.
            let is_new = self.task(task).merged_commit.as_ref() != Some(commit);
            // Logs of earlier versions do not say whether the task brought changes.
            let brings_changes = onto.is_some() || self.phases.values().all(|phase| phase.merges.is_empty());
            if is_new && brings_changes && !commit.is_empty() {
                self.merged_commit = Some(commit.clone());
            }
        }
        let Some(phase) = self.phases.get_mut(&number) else { return };
        if let MergeOutcome::Merged { commit, onto: Some(onto), .. } = outcome {
            let merge = MergedCommits { onto: onto.clone(), commit: commit.clone() };
            // A task that was reworked without changes reports its earlier merge.
            if !phase.merges.contains(&merge) {
                phase.merges.push(merge);
            }
        }
    }

    pub(super) fn apply_task_done(&mut self, at: Timestamp, id: &TaskId, sink: &mut EffectSink) {
        self.apply_task_ended(at, id, TaskStage::Done, sink);
        let Some(task_ref) = self.find_task(id) else { return };
        let number = self.task(task_ref).planned.phase;
        if let Some(phase) = self.phases.get_mut(&number) {
            phase.last_done = Some(task_ref);
        }
        if self.task(task_ref).attempt() > 0 {
            self.add_completion_effects(task_ref, sink);
        }
    }

    /// Ticks a completed task in the plan file, if the project wants that, and records its duration.
    fn add_completion_effects(&mut self, task: TaskIndex, sink: &mut EffectSink) {
        let state = self.task(task);
        let planned = &state.planned;
        let tick = self
            .settings
            .ticks_plan
            .then(|| Effect::TickPlan { task: planned.id.clone(), title: planned.title.clone() });
        let duration = Effect::RecordDuration(Box::new(TaskDuration {
            task: planned.id.clone(),
            attempt: state.attempt(),
            title: planned.title.clone(),
            agent: self.team.agent_name(state.agent).cloned(),
            complexity: planned.complexity,
            worked_ms: state.worked_ms(),
        }));
        if let Some(tick) = tick {
            sink.add(&mut self.pending_effects, EffectKey::TickPlan(task), tick);
        }
        sink.add(&mut self.pending_effects, EffectKey::RecordDuration(task), duration);
    }

    pub(super) fn apply_attempt_failed(&mut self, at: Timestamp, event: &events::AttemptFailed) {
        let events::AttemptFailed { task: id, attempt, failure, counted } = event;
        let Some(task_ref) = self.find_task(id) else { return };
        self.stop_work_clock(at, task_ref);
        self.cancel_task_effects(task_ref);
        let Some(task) = self.task_mut(task_ref) else { return };
        let words = task.round.last_words.clone();
        task.history.add_failed_attempt(*attempt, &failure_text(failure), &words);
        task.failures += u32::from(*counted);
        self.set_task_stage(task_ref, TaskStage::AttemptFailed);
    }

    /// Counts how often agents started a task again: a user must decide at last.
    pub(super) fn count_agent_retry(&mut self, actor: &Actor, task: &TaskId) {
        let Some(state) = self.find_task(task).and_then(|task| self.task_mut(task)) else { return };
        match actor {
            Actor::Agent(_) => state.agent_retries = state.agent_retries.saturating_add(1),
            Actor::Person(_) => state.agent_retries = 0,
            Actor::System | Actor::Clock => {}
        }
    }

    pub(super) fn apply_task_retried(&mut self, id: &TaskId, hint: Option<&String>, resets_attempts: bool) {
        let Some(task_ref) = self.find_task(id) else { return };
        let node = self.task(task_ref).node;
        self.cancel_task_effects(task_ref);
        self.clear_blocks(task_ref);
        let Some(task) = self.task_mut(task_ref) else { return };
        // Work that was accepted and could not be merged is still there, and so is its evidence.
        if hint.is_some() && resets_attempts && !task.round.is_accepted {
            task.round.begin(RoundOrigin::Retry);
        }
        if resets_attempts {
            task.user_hint = hint.cloned().or(task.user_hint.take());
            task.hint = None;
            task.failures = 0;
            task.losses = 0;
            task.feedback_loop = None;
            task.conflict_returned = false;
            task.rate_limit = None;
        } else {
            task.hint = hint.cloned().or(task.hint.take());
        }
        self.set_task_stage(task_ref, TaskStage::Waiting);
        self.schedule.release(node, HoldReason::TaskPaused);
        self.retry_task_node(node);
        self.hold_until_process_ends(task_ref);
    }

    pub(super) fn apply_task_message_sent(&mut self, id: &TaskId, text: &str) {
        let Some(task_ref) = self.find_task(id) else { return };
        self.mark_task_affected(task_ref);
        if let Some(task) = self.task_mut(task_ref) {
            task.pending_inputs.push(SessionInput::UserMessage { text: text.to_owned() });
        }
    }

    pub(super) fn apply_task_ended(
        &mut self,
        at: Timestamp,
        id: &TaskId,
        stage: TaskStage,
        sink: &mut EffectSink,
    ) {
        let Some(task_ref) = self.find_task(id) else { return };
        self.stop_work_clock(at, task_ref);
        self.cancel_task_effects(task_ref);
        let node = self.task(task_ref).node;
        if matches!(stage, TaskStage::Done | TaskStage::Skipped) {
            self.schedule.mark_met(node);
        } else {
            self.schedule.mark_failed(node);
        }
        self.schedule.release(node, HoldReason::TaskPaused);
        self.clear_blocks(task_ref);
        self.set_task_stage(task_ref, stage);
        if let (TaskStage::Done, Some(task)) = (stage, self.task_mut(task_ref)) {
            (task.hint, task.user_hint, task.rework) = (None, None, None);
        }
        if self.task(task_ref).attempt() > 0 {
            let effect = Effect::ReleaseWorktree { task: id.clone(), is_done: stage == TaskStage::Done };
            sink.add(&mut self.pending_effects, EffectKey::ReleaseWorktree(task_ref), effect);
        }
    }

    pub(super) fn apply_task_reopened(&mut self, id: &TaskId) {
        let Some(task_ref) = self.find_task(id) else { return };
        let node = self.task(task_ref).node;
        self.retry_task_node(node);
        self.hold_until_process_ends(task_ref);
        self.set_task_stage(task_ref, TaskStage::Waiting);
        let Some(task) = self.task_mut(task_ref) else { return };
        task.failures = 0;
        task.losses = 0;
        task.feedback_loop = None;
        task.conflict_returned = false;
        // Its failures were repaired before it was done.
        task.history.failures.clear();
    }

    pub(super) fn apply_task_reassigned(&mut self, id: &TaskId, agent: &AgentName) {
        let (Some(task_ref), Some(agent)) = (self.find_task(id), self.team.agent_index(agent)) else {
            return;
        };
        self.schedule.set_agent(self.task(task_ref).node, agent);
        if let Some(task) = self.task_mut(task_ref) {
            task.agent = agent;
        }
    }

    pub(super) fn apply_task_rewound(
        &mut self,
        id: &TaskId,
        checkpoint: Option<CheckpointId>,
        sink: &mut EffectSink,
    ) {
        let Some(task_ref) = self.find_task(id) else { return };
        self.schedule.hold(self.task(task_ref).node, HoldReason::Restoring);
        let agent_session = checkpoint.and_then(|id| self.checkpoints.get(id.0).agent_session.clone());
        let session = self.task(task_ref).session().and_then(|session| self.session_mut_unmarked(session));
        if let Some(session) = session {
            // The next attempt resumes the agent's session of that checkpoint.
            session.agent_session = agent_session;
        }
        if let Some(task) = self.task_mut(task_ref) {
            task.round.restart_from_restored_tree(checkpoint.is_none());
        }
        let commit = checkpoint.map(|id| self.checkpoints.get(id.0).commit.clone());
        let effect = Effect::RestoreCheckpoint { task: id.clone(), commit };
        sink.add(&mut self.pending_effects, EffectKey::Restore(id.clone()), effect);
    }

    pub(super) fn apply_task_requested(
        &mut self,
        id: &TaskId,
        worktree: Option<&String>,
        meta: Option<&serde_json::Map<String, serde_json::Value>>,
    ) {
        let Some(task_ref) = self.find_task(id) else { return };
        let node = self.task(task_ref).node;
        let timeout = meta.and_then(|meta| meta.get("timeout")).and_then(serde_json::Value::as_u64);
        let Some(task) = self.task_mut(task_ref) else { return };
        task.requested = true;
        if let Some(seconds) = timeout {
            task.timeout_ms = Some(seconds.saturating_mul(1000));
        }
        if let Some(path) = worktree {
            task.planned.worktree = Some(path.clone());
            let touches =
                task.planned.touches.iter().cloned().chain([format!("worktree:{path}")]).collect::<Vec<_>>();
            self.schedule.set_touches(node, TouchedPaths::parse(touches));
        }
        self.schedule.release(node, HoldReason::NotRequested);
    }

    pub(super) fn set_phase_paused(&mut self, number: PhaseNumber, paused: bool) {
        let Some(phase) = self.phases.get_mut(&number) else { return };
        phase.paused = paused;
        for task in phase.tasks.clone() {
            let node = self.task(task).node;
            if paused {
                self.schedule.hold(node, HoldReason::PhasePaused);
            } else {
                self.schedule.release(node, HoldReason::PhasePaused);
            }
        }
    }

    /// Makes a task ready again; ready dependents wait for it once more.
    fn retry_task_node(&mut self, node: Node) {
        self.schedule.retry(node);
        let dependents: Vec<Node> = self.schedule.graph().dependents(node).to_vec();
        for later in dependents {
            if let NodeKind::Task(task) = self.node_kind(later)
                && self.task(task).stage == TaskStage::Ready
                && !self.schedule.has_met_dependencies(later)
            {
                self.set_task_stage(task, TaskStage::Waiting);
            }
        }
    }

    /// Holds a new attempt until the process of the last one has ended.
    fn hold_until_process_ends(&mut self, task: TaskIndex) {
        let (node, session) = (self.task(task).node, self.task(task).session());
        let has_process = session.is_some_and(|session| self.session(session).may_have_process());
        if has_process {
            self.schedule.hold(node, HoldReason::AttemptEnding);
        }
    }

    fn clear_blocks(&mut self, task: TaskIndex) {
        let phase = self.task(task).planned.phase;
        if self.is_task_blocked_by(task, &BlockReason::Approval { phase }) {
            self.marked_phases.remove(&phase);
        }
        self.timers.clear(Deadline::TaskRateLimit(task));
        if let Some(task) = self.task_mut(task) {
            task.block_reasons.clear();
        }
    }

    /// Cancels the pending check and merge of the current attempt.
    fn cancel_task_effects(&mut self, task: TaskIndex) {
        self.mergeable.retain(|waiting| *waiting != task);
        self.cancel_turn_wait(task);
        self.pending_effects.remove(&EffectKey::Check(task));
        self.pending_effects.remove(&EffectKey::Merge(task));
        if self.merging == Some(task) {
            self.merging = None;
        }
    }

    /// Returns the tasks whose agents are working.
    pub(super) fn working_tasks(&self) -> impl Iterator<Item = TaskIndex> + use<> {
        let tasks = self.schedule.running().iter().filter_map(|node| match self.node_kind(*node) {
            NodeKind::Task(task) if self.task(task).stage.is_running() => Some(task),
            NodeKind::Task(_) | NodeKind::Gate(_) | NodeKind::External => None,
        });
        tasks.collect::<Vec<_>>().into_iter()
    }

    pub(super) fn start_work_clock(&mut self, at: Timestamp, task_ref: TaskIndex) {
        let Some(task) = self.task_mut(task_ref) else { return };
        task.start_clock(at);
        if let Some(timeout) = task.timeout_ms {
            let remaining = timeout.saturating_sub(task.worked_ms());
            self.timers.set(add_ms(at, remaining), Deadline::TaskTimeout(task_ref));
        }
    }

    pub(super) fn stop_work_clock(&mut self, at: Timestamp, task_ref: TaskIndex) {
        self.timers.clear(Deadline::TaskTimeout(task_ref));
        if let Some(task) = self.task_mut(task_ref) {
            task.stop_clock(at);
        }
    }

    pub(crate) fn node_kind(&self, node: crate::graph::Node) -> NodeKind {
        self.nodes.get(node.index()).copied().unwrap_or(NodeKind::External)
    }
}
