//! Descriptions of work for agents, as data. The executor renders them.
//!
//! Lists of other tasks are bounded: a prompt names the tasks that matter, not the plan.

use domain::{PhaseNumber, Role, SessionId, SessionInput};

use crate::{
    decide::describe_receipt,
    effect::{InputBrief, PhaseBrief, TaskBrief, TaskHandoff},
    run::{NodeKind, Run},
    state::{TaskIndex, TaskStage},
};

/// Completed tasks in the brief of a task.
const DONE_MAX: usize = 8;
/// Nodes of the graph that are searched for completed tasks.
const SEARCHED_MAX: usize = 64;
/// Tasks of other agents in the brief of a task.
const PARALLEL_MAX: usize = 6;
/// Files and documents in the brief of a phase.
const FILES_MAX: usize = 50;
/// Tasks in the brief of a phase.
const PHASE_TASKS_MAX: usize = 50;

impl Run {
    /// Describes the work that an input starts.
    pub(crate) fn input_brief(&self, session: SessionId, input: &SessionInput) -> Option<InputBrief> {
        match input {
            SessionInput::Task { task, .. } | SessionInput::Test { task, .. } => {
                self.find_task(task).map(|task| InputBrief::Task(self.task_brief(task, None)))
            }
            SessionInput::Verify { phase, .. } => self.phase_brief(*phase).map(InputBrief::Phase),
            SessionInput::Conflict { .. } => {
                let task = self.task(self.session(session).task?).planned.id.clone();
                let merged = self.last_merged.iter().rev().map(|task| self.task_handoff(*task));
                Some(InputBrief::Merged { task, merged: merged.collect() })
            }
            SessionInput::Answer { .. }
            | SessionInput::ClarificationRequest { .. }
            | SessionInput::Permission { .. }
            | SessionInput::Provided { .. }
            | SessionInput::Refused { .. }
            | SessionInput::Invocation { .. }
            | SessionInput::InvocationEnded { .. }
            | SessionInput::Result { .. }
            | SessionInput::Direct { .. }
            | SessionInput::Feedback { .. }
            | SessionInput::InvalidMessage { .. }
            | SessionInput::NearMiss { .. }
            | SessionInput::Reminder
            | SessionInput::EvidenceRequest { .. }
            | SessionInput::Rework { .. }
            | SessionInput::Question { .. }
            | SessionInput::Escalation { .. }
            | SessionInput::ThinLine { .. }
            | SessionInput::Chat { .. }
            | SessionInput::UserMessage { .. }
            | SessionInput::TaskChanged { .. }
            | SessionInput::Resume { .. } => None,
        }
    }

    /// Describes a task for its agent; `conversation` is repeated to an agent that does not remember it.
    pub(crate) fn task_brief(&self, task: TaskIndex, conversation: Option<&str>) -> TaskBrief {
        let state = self.task(task);
        let planned = &state.planned;
        TaskBrief {
            task: planned.id.clone(),
            project: self.project.clone(),
            phase: planned.phase,
            phase_title: self.phase_title(planned.phase),
            title: planned.title.clone(),
            text: planned.text.clone(),
            criteria: planned.acceptance.clone(),
            touches: planned.touches.clone(),
            check: self.check_of_task(task).cloned(),
            agent: self.team.agent_name(state.agent).cloned(),
            done: self.completed_before(task).into_iter().map(|task| self.task_handoff(task)).collect(),
            parallel: self.in_progress_beside(task).into_iter().map(|task| self.task_handoff(task)).collect(),
            conversation: conversation.map(str::to_owned),
        }
    }

    pub(crate) fn phase_title(&self, phase: PhaseNumber) -> String {
        self.phases.get(&phase).map(|phase| phase.name.clone()).unwrap_or_default()
    }

    fn phase_brief(&self, phase: PhaseNumber) -> Option<PhaseBrief> {
        let phase = self.phases.get(&phase)?;
        let report = phase.report.as_deref();
        let is_done = |task: &&TaskIndex| self.task(**task).stage == TaskStage::Done;
        let describe =
            |task: &TaskIndex| (self.task_handoff(*task), self.task(*task).planned.acceptance.clone());
        Some(PhaseBrief {
            title: phase.name.clone(),
            tasks: phase.tasks.iter().filter(is_done).take(PHASE_TASKS_MAX).map(describe).collect(),
            artefacts: phase.artefacts.clone(),
            documents: phase.reported_documents().into_iter().take(FILES_MAX).collect(),
            files: report.iter().flat_map(|report| &report.artefacts).take(FILES_MAX).cloned().collect(),
            checks: report.iter().flat_map(|report| &report.receipts).map(describe_receipt).collect(),
            changes: report.and_then(|report| report.changes.clone()),
        })
    }

    /// Returns the completed tasks that a task builds on, those it names first.
    fn completed_before(&self, task: TaskIndex) -> Vec<TaskIndex> {
        let graph = self.schedule.graph();
        let (mut nodes, mut next) = (vec![self.task(task).node], 0);
        let mut completed = Vec::new();
        while let Some(node) = nodes.get(next).copied() {
            next += 1;
            for dependency in graph.dependencies(node) {
                if nodes.len() >= SEARCHED_MAX || completed.len() >= DONE_MAX {
                    return completed;
                }
                if nodes.contains(dependency) {
                    continue;
                }
                nodes.push(*dependency);
                if let NodeKind::Task(task) = self.node_kind(*dependency)
                    && self.task(task).stage == TaskStage::Done
                {
                    completed.push(task);
                }
            }
        }
        completed
    }

    /// Returns the tasks that other workers have in progress.
    fn in_progress_beside(&self, task: TaskIndex) -> Vec<TaskIndex> {
        let workers =
            self.alive.iter().map(|id| self.session(*id)).filter(|session| session.role == Role::Worker);
        let tasks = workers.filter_map(|session| session.task);
        let others = tasks.filter(|other| *other != task && self.task(*other).stage.is_in_progress());
        others.take(PARALLEL_MAX).collect()
    }

    fn task_handoff(&self, task: TaskIndex) -> TaskHandoff {
        let state = self.task(task);
        TaskHandoff {
            task: state.planned.id.clone(),
            title: state.planned.title.clone(),
            agent: self.team.agent_name(state.agent).cloned(),
            summary: state.summary.clone(),
            reported: state.reported.clone(),
            commit: state.merged_commit.clone(),
            decisions: state.history.decisions.clone(),
            results: state.history.results.clone(),
            failures: state.history.failures.clone(),
        }
    }
}
