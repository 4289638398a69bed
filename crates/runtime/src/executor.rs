//! Executes the effects of a run, and reports their outcomes. The only way in which a run acts on the world.
//!
//! Makes no decisions and reads neither rows nor the state of the run: an effect is self-contained. After a restart an
//! effect may be executed again, and then finds the result of the first attempt: a session by its name, a check by the id
//! of its effect, a merge by its commit.

mod check_worktree;
mod cleanup;
mod copied_file;
mod effect_obstacle;
mod gate;
mod ignored_files;
mod job;
mod job_pool;
mod land;
mod merge;
mod observers;
mod overlap_watch;
mod package;
mod process;
mod provision;
mod requested_landing;
mod run_context;
mod session;
mod stop_token;
mod task_check;
mod wake_up;

use std::{
    collections::BTreeMap,
    io,
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use domain::{
    CheckpointId, CheckpointOutcome, EffectId, LandReport, LargeFile, ParkMode, PhaseNumber,
    ProvidedResource, Report, SessionId, TaskId,
};
use engine::{
    ApprovedPhase, Effect, ExpectedSession, LandingCheck, LandingOrder, ProvisionOrder, SessionAssignment,
    TaskDuration, WorkToLand,
};
use tracing::{Span, info_span};

use crate::{
    error_chain::error_chain, host::ShutdownMode, land::landing_problem, plan_file::PlanFileWatcher,
    session_access::end_last_process, task_durations::DurationRecord,
};
pub(crate) use check_worktree::is_in_use as is_check_worktree_in_use;
use effect_obstacle::{EffectObstacle, JobError};
use job_pool::{JobLane, JobPool};
use land::CheckoutPolicy;
pub(crate) use observers::RunObservers;
use process::end_session_processes_and_wait;
pub(crate) use requested_landing::preview_landing;
pub(crate) use run_context::RunContext;
use session::{RecoveryState, SessionCommand, SessionHandle, SessionStop, report_after_end};
pub(crate) use stop_token::StopToken;

/// Time that the processes of a session without a thread have to exit before they are killed.
const GRACE: Duration = Duration::from_secs(1);

/// Executes the effects of one run. Outcomes are reported to its run loop.
///
/// The run loop calls these methods. Invariant: they wait neither for the queue of the loop nor for a thread that reports
/// to it, because only the loop empties that queue. What is known at once is returned.
pub(crate) trait Executor {
    /// Executes an effect, or starts its execution. An effect that was executed before takes no effect again.
    fn execute(&mut self, id: EffectId, effect: Effect) -> Vec<Report>;

    /// Ends the execution of an effect whose outcome is no longer needed. Without effect if it has ended.
    fn cancel(&mut self, id: EffectId);

    /// Finds the sessions and worktrees that the run had before a restart. Called once, before any effect is executed.
    fn recover(&mut self, expected: ExpectedState) -> Vec<Report>;
}

/// What the executor of a run must find after a restart.
pub(crate) struct ExpectedState {
    pub(crate) sessions: Vec<ExpectedSession>,
    /// Ended tasks, each with whether it is done.
    pub(crate) ended_tasks: Vec<(TaskId, bool)>,
    /// Ended sessions, whose worktrees are leftovers of a killed server.
    pub(crate) ended_sessions: Vec<SessionId>,
}

/// Executes effects on this machine.
pub(crate) struct LocalExecutor {
    context: Arc<RunContext>,
    sessions: BTreeMap<SessionId, SessionHandle>,
    jobs: JobPool,
    plan_file: Option<Arc<Mutex<PlanFileWatcher>>>,
}

impl LocalExecutor {
    pub(crate) fn new(context: Arc<RunContext>, plan_file: Option<Arc<Mutex<PlanFileWatcher>>>) -> Self {
        let jobs = JobPool::new(context.requests.clone());
        Self { context, sessions: BTreeMap::new(), jobs, plan_file }
    }

    /// Detaches from all sessions and jobs, or ends them. The run loop must not take requests any more.
    pub(crate) fn stop(&mut self, mode: ShutdownMode) {
        let stop = match mode {
            ShutdownMode::KeepSessions => SessionStop::Detach,
            ShutdownMode::EndSessions => SessionStop::Shutdown,
        };
        for handle in self.sessions.values() {
            // A thread that has ended needs no stop.
            let _ = handle.stop(stop);
        }
        self.jobs.stop(mode);
        for (_, handle) in std::mem::take(&mut self.sessions) {
            handle.join();
        }
    }

    fn land_phase(
        &mut self,
        id: EffectId,
        phase: PhaseNumber,
        commit: Option<String>,
        check: LandingCheck,
    ) -> Option<Report> {
        let work = WorkToLand::Approved(vec![ApprovedPhase { number: phase, commit }]);
        let order = LandingOrder { work, into: None, is_squash: false, check };
        self.start_disk_job(JobLane::Check, id, move |context, stop_token| {
            let land = |git| land::land(context, git, &order, CheckoutPolicy::Leave, stop_token, |_| Ok(()));
            let report = context.git.as_ref().map(land).transpose();
            let error = match report.map_err(|error| error.into_job_error(context)) {
                Ok(Some(LandReport::CheckedOut { .. })) => return Ok(Report::PhaseNotLanded { effect: id }),
                Ok(report) => report.as_ref().and_then(landing_problem),
                Err(JobError::Obstacle(obstacle)) => return Err(obstacle),
                Err(JobError::Failed(error)) => Some(error),
            };
            Ok(Report::EffectFinished { effect: id, error })
        })
    }

    fn create_checkpoint(
        &mut self,
        id: EffectId,
        checkpoint: CheckpointId,
        task: TaskId,
        agent_session: Option<String>,
        large_files: Vec<LargeFile>,
    ) -> Option<Report> {
        self.start_disk_job(JobLane::Short, id, move |context, _| {
            let outcome = match &context.git {
                None => {
                    let tree = context.project_tree();
                    let (commit, large_files) = (String::new(), Vec::new());
                    CheckpointOutcome::Made { commit, agent_session, tree, large_files }
                }
                Some(git) => {
                    let label = format!("checkpoint {checkpoint}");
                    match git.snapshot_worktree(&task, &label, &large_files) {
                        Ok(snapshot) => CheckpointOutcome::Made {
                            commit: snapshot.commit.to_string(),
                            agent_session,
                            tree: Some(snapshot.tree),
                            large_files: snapshot.large_files,
                        },
                        Err(error) => match JobError::new(context, &error) {
                            JobError::Obstacle(obstacle) => return Err(obstacle),
                            JobError::Failed(error) => CheckpointOutcome::Failed { error },
                        },
                    }
                }
            };
            Ok(Report::CheckpointFinished { checkpoint, outcome })
        })
    }

    /// Ticks a task in the plan file. If the file cannot be changed now, the observer of the file tries again.
    fn tick_plan(&self, id: EffectId, task: TaskId, title: String) -> Vec<Report> {
        match &self.plan_file {
            Some(file) => file.lock().unwrap_or_else(PoisonError::into_inner).tick_checkbox(id, task, title),
            None => vec![Report::EffectFinished { effect: id, error: None }],
        }
    }

    fn record_duration(&mut self, id: EffectId, duration: TaskDuration) -> Option<Report> {
        let record = DurationRecord::new(&self.context.environment.project, &self.context.run, duration);
        self.start_file_job(id, move |context| record.save_once(&context.host.data))
    }

    /// Starts the thread of a session, which finds or starts the session's process. Returns a report if that fails.
    fn start_session(&mut self, assignment: SessionAssignment, state: RecoveryState) -> Option<Report> {
        let session = assignment.session;
        // The thread of an earlier process may still exist.
        let earlier = self.sessions.remove(&session);
        if let Some(earlier) = &earlier {
            // One that has ended needs no stop.
            let _ = earlier.stop(SessionStop::Detach);
        }
        match SessionHandle::new(Arc::clone(&self.context), assignment, state, earlier) {
            Ok(handle) => {
                self.sessions.insert(session, handle);
                None
            }
            Err(reason) => Some(Report::SessionLost { session, reason }),
        }
    }

    /// Passes a command to the thread of a session. Returns a report if the thread has ended.
    fn send(&self, session: SessionId, command: SessionCommand) -> Option<Report> {
        match self.sessions.get(&session) {
            Some(handle) => handle.send(command).err().and_then(|command| report_after_end(session, command)),
            None => report_after_end(session, command),
        }
    }

    /// Has a resource delivered: variables by the thread of their session, everything else by a job.
    fn provide_resource(&mut self, id: EffectId, order: Box<ProvisionOrder>) -> Option<Report> {
        let is_environment = matches!(order.provided, ProvidedResource::Environment { .. });
        if let Some(session) =
            order.session.filter(|session| is_environment && self.sessions.contains_key(session))
        {
            for other in self.sessions.keys().filter(|other| **other != session) {
                // A session that has ended prints nothing.
                let _ = self.send(*other, SessionCommand::MaskSecrets);
            }
            return self.send(session, SessionCommand::Provide { effect: id, order });
        }
        let lane = match order.provided {
            ProvidedResource::Package { .. } => JobLane::Check,
            ProvidedResource::Environment { .. }
            | ProvidedResource::File { .. }
            | ProvidedResource::Permission { .. } => JobLane::Short,
        };
        self.start_job(lane, id, move |context, stop_token| {
            provision::provide(context, id, &order, stop_token)
        })
    }

    /// Has the thread of a session end its processes. Without one, the processes that a killed server started are ended.
    fn end_session(&mut self, id: EffectId, session: SessionId) -> Option<Report> {
        if self.sessions.get(&session).is_some_and(|handle| handle.stop(SessionStop::End)) {
            return None;
        }
        self.start_job(JobLane::Short, id, move |context, _| {
            end_session_processes_and_wait(context, session, GRACE);
            Report::SessionLost { session, reason: "it has no thread".to_owned() }
        })
    }

    /// Has a thread write a file, and report the error or the obstacle.
    fn start_file_job(
        &mut self,
        effect: EffectId,
        work: impl FnOnce(&RunContext) -> io::Result<()> + Send + 'static,
    ) -> Option<Report> {
        self.start_disk_job(JobLane::Short, effect, move |context, _| {
            match work(context).map_err(|error| JobError::new(context, &error)) {
                Ok(()) => Ok(Report::EffectFinished { effect, error: None }),
                Err(JobError::Obstacle(obstacle)) => Err(obstacle),
                Err(JobError::Failed(error)) => Ok(Report::EffectFinished { effect, error: Some(error) }),
            }
        })
    }

    /// Has a thread do `work`, and report its outcome or the obstacle.
    fn start_disk_job(
        &mut self,
        lane: JobLane,
        effect: EffectId,
        work: impl FnOnce(&RunContext, &StopToken) -> Result<Report, EffectObstacle> + Send + 'static,
    ) -> Option<Report> {
        self.start_job(lane, effect, move |context, stop_token| {
            work(context, stop_token).unwrap_or_else(|obstacle| obstacle.into_report(effect))
        })
    }

    /// Has a thread do `work` and report its outcome. Returns a report if no thread can be started.
    fn start_job(
        &mut self,
        lane: JobLane,
        effect: EffectId,
        work: impl FnOnce(&RunContext, &StopToken) -> Report + Send + 'static,
    ) -> Option<Report> {
        let context = Arc::clone(&self.context);
        self.jobs.start(lane, effect, move |stop_token| work(&context, stop_token))
    }
}

impl Executor for LocalExecutor {
    fn recover(&mut self, expected: ExpectedState) -> Vec<Report> {
        let ExpectedState { sessions, ended_tasks, ended_sessions } = expected;
        self.context.register_run();
        for (task, is_done) in ended_tasks {
            self.context.release_worktree(&task, is_done);
        }
        self.context.remove_leftover_worktrees(&ended_sessions);
        let existing: Vec<SessionId> = sessions.iter().map(|expected| expected.assignment.session).collect();
        self.context.remove_leftover_environment_files(&existing);
        let start = |ExpectedSession { assignment, is_cold }| {
            let state = if is_cold { RecoveryState::Cold } else { RecoveryState::Running };
            self.start_session(assignment, state)
        };
        sessions.into_iter().filter_map(start).collect()
    }

    fn execute(&mut self, id: EffectId, effect: Effect) -> Vec<Report> {
        let _span = effect_span(id, &effect).entered();
        let report = match effect {
            Effect::SpawnAgent(assignment) => {
                if let Some(task) = &assignment.task {
                    self.context.host.disk_budget.registry.reclaim(&self.context.run, task);
                }
                self.start_session(*assignment, RecoveryState::New)
            }
            Effect::SendInput { session, input, content, brief, reports_tree, large_files } => {
                let tree_report = reports_tree.then_some(large_files);
                let number = input;
                self.send(session, SessionCommand::Send { number, input: content, brief, tree_report })
            }
            Effect::ParkSession { session, mode: ParkMode::Cold } => {
                self.send(session, SessionCommand::Cool { effect: id })
            }
            Effect::ParkSession { session, mode: ParkMode::Frozen | ParkMode::Hot } => {
                self.send(session, SessionCommand::Freeze { effect: id })
            }
            Effect::WakeSession { session, from: ParkMode::Cold, replay } => {
                self.send(session, SessionCommand::Warm { effect: id, replay })
            }
            Effect::WakeSession { session, from: ParkMode::Frozen | ParkMode::Hot, .. } => {
                self.send(session, SessionCommand::Thaw { effect: id })
            }
            Effect::ProvideResource(order) => self.provide_resource(id, order),
            Effect::EndSession { session } => self.end_session(id, session),
            Effect::RunCheck(order) => self.start_disk_job(JobLane::Check, id, move |context, stop_token| {
                let receipt = task_check::check_task(context, &job_name(id), &order, stop_token)?;
                Ok(Report::CheckFinished { task: order.task, attempt: order.attempt, receipt })
            }),
            Effect::Merge(order) => self.start_disk_job(JobLane::Check, id, move |context, stop_token| {
                let outcome = merge::merge_task(context, &order, &job_name(id), stop_token)?;
                Ok(Report::MergeFinished { task: order.task, attempt: order.attempt, outcome })
            }),
            Effect::CheckGate(gate) => self.start_disk_job(JobLane::Check, id, move |context, stop_token| {
                let report = gate::examine_phase(context, &job_name(id), &gate, stop_token)?;
                Ok(Report::GateChecked { phase: gate.phase, round: gate.round, report })
            }),
            Effect::LandPhase { phase, commit, check } => self.land_phase(id, phase, commit, check),
            Effect::LandRun { landing, order } => {
                self.start_job(JobLane::Check, id, move |context, stop_token| {
                    let report = requested_landing::land_as_requested(context, landing, &order, stop_token);
                    Report::LandingFinished { landing, report: Box::new(report) }
                })
            }
            Effect::CleanRun { cleanup, order } => self.start_job(JobLane::Short, id, move |context, _| {
                let (report, error) = cleanup::clean_up(context, &order);
                Report::CleanupFinished { cleanup, report: Box::new(report), error }
            }),
            Effect::StopSession { session } => self.start_job(JobLane::Short, id, move |context, _| {
                let ended = end_last_process(&context.host.sessions, &context.run, session);
                Report::EffectFinished { effect: id, error: ended.err().map(|error| error_chain(&error)) }
            }),
            Effect::MakeCheckpoint { checkpoint, task, agent_session, large_files } => {
                self.create_checkpoint(id, checkpoint, task, agent_session, large_files)
            }
            Effect::RestoreCheckpoint { task, commit } => {
                self.start_disk_job(JobLane::Short, id, move |context, _| {
                    let restored = match &context.git {
                        Some(git) => git.restore_worktree(&task, commit.as_deref()),
                        None => {
                            let error = Some("cannot restore a checkpoint without worktrees".to_owned());
                            return Ok(Report::EffectFinished { effect: id, error });
                        }
                    };
                    let error = match restored.map_err(|error| JobError::new(context, &error)) {
                        Ok(()) => None,
                        Err(JobError::Obstacle(obstacle)) => return Err(obstacle),
                        Err(JobError::Failed(error)) => Some(error),
                    };
                    Ok(Report::EffectFinished { effect: id, error })
                })
            }
            Effect::SavePermissionRule { pattern, allowed } => {
                self.start_file_job(id, move |context| context.save_permission_rule(&pattern, allowed))
            }
            Effect::TickPlan { task, title } => return self.tick_plan(id, task, title),
            Effect::RecordDuration(duration) => self.record_duration(id, *duration),
            Effect::ReleaseWorktree { task, is_done } => {
                self.context.release_worktree(&task, is_done);
                Some(Report::EffectFinished { effect: id, error: None })
            }
            Effect::RemoveWorktree { session } => self.start_job(JobLane::Short, id, move |context, _| {
                let removed = context.remove_session_worktree(session);
                Report::EffectFinished { effect: id, error: removed.err().map(|error| error_chain(&error)) }
            }),
        };
        report.into_iter().collect()
    }

    fn cancel(&mut self, id: EffectId) {
        self.jobs.cancel(id);
    }
}

/// Returns the span of an effect, with the task or session that it is about.
fn effect_span(id: EffectId, effect: &Effect) -> Span {
    let (task, session) = match effect {
        Effect::SpawnAgent(assignment) => (assignment.task.as_ref(), Some(assignment.session)),
        Effect::SendInput { session, .. }
        | Effect::ParkSession { session, .. }
        | Effect::WakeSession { session, .. }
        | Effect::EndSession { session }
        | Effect::StopSession { session }
        | Effect::RemoveWorktree { session } => (None, Some(*session)),
        Effect::RunCheck(order) => (Some(&order.task), None),
        Effect::Merge(order) => (Some(&order.task), None),
        Effect::RecordDuration(duration) => (Some(&duration.task), None),
        Effect::ProvideResource(order) => (order.task.as_ref(), order.session),
        Effect::MakeCheckpoint { task, .. }
        | Effect::RestoreCheckpoint { task, .. }
        | Effect::TickPlan { task, .. }
        | Effect::ReleaseWorktree { task, .. } => (Some(task), None),
        Effect::CheckGate(_)
        | Effect::LandPhase { .. }
        | Effect::LandRun { .. }
        | Effect::CleanRun { .. }
        | Effect::SavePermissionRule { .. } => (None, None),
    };
    let (task, session) = (task.map(ToString::to_string), session.map(|session| session.to_string()));
    info_span!("effect", effect = %job_name(id), task, session)
}

fn job_name(id: EffectId) -> String {
    format!("job-{}-{}", id.sequence, id.index)
}

#[cfg(test)]
mod tests;
