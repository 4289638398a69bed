//! Executes the effects of a run, and reports their outcomes. The only way in which a run acts on the world.
//!
//! Makes no decisions and reads neither rows nor the state of the run: an effect is self-contained. After a restart an
//! effect may be executed again, and then finds the result of the first attempt: a session by its name, a check by the id
//! of its effect, a merge by its commit.

mod check_worktree;
mod disk_full;
mod gate;
mod ignored_files;
mod job;
mod land;
mod merge;
mod observers;
mod overlap_watch;
mod process;
mod run_context;
mod session;
mod stop_token;
mod task_check;
mod wake_up;

use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex, PoisonError},
    thread::{self, JoinHandle},
};

use domain::{CheckpointId, CheckpointOutcome, EffectId, ParkMode, Report, SessionId, TaskId};
use engine::{ApprovedPhase, Effect, ExpectedSession, SessionAssignment, TaskDuration};
use tracing::{Span, info_span, warn};

use crate::{
    host::ShutdownMode,
    land::{LandReport, LandScope},
    plan_file::PlanFileWatcher,
    task_durations::DurationRecord,
};
pub(crate) use check_worktree::is_in_use as is_check_worktree_in_use;
pub(crate) use disk_full::DiskFull;
use disk_full::JobError;
pub(crate) use land::{CheckoutPolicy, LandError, LandingOrder, land};
pub(crate) use observers::RunObservers;
pub(crate) use run_context::RunContext;
use run_context::error_chain;
use session::{RecoveryState, SessionCommand, SessionHandle, SessionStop};
pub(crate) use stop_token::StopToken;

/// Executes the effects of one run. Outcomes are reported to its run loop.
pub(crate) trait Executor {
    /// Executes an effect, or starts its execution. An effect that was executed before takes no effect again.
    fn execute(&mut self, id: EffectId, effect: Effect);

    /// Ends the execution of an effect whose outcome is no longer needed. Without effect if it has ended.
    fn cancel(&mut self, id: EffectId);

    /// Finds the sessions and worktrees that the run had before a restart. Called once, before any effect is executed.
    fn recover(&mut self, expected: ExpectedState);
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
    jobs: Vec<RunningJob>,
    plan_file: Option<Arc<Mutex<PlanFileWatcher>>>,
}

/// An effect that is executed on its own thread.
struct RunningJob {
    effect: EffectId,
    stop_token: StopToken,
    thread: JoinHandle<()>,
}

impl LocalExecutor {
    pub(crate) fn new(context: Arc<RunContext>, plan_file: Option<Arc<Mutex<PlanFileWatcher>>>) -> Self {
        Self { context, sessions: BTreeMap::new(), jobs: Vec::new(), plan_file }
    }

    /// Detaches from all sessions and jobs, or ends them.
    pub(crate) fn stop(&mut self, mode: ShutdownMode) {
        for job in &self.jobs {
            match mode {
                ShutdownMode::KeepSessions => job.stop_token.detach(),
                ShutdownMode::EndSessions => job.stop_token.kill(),
            }
        }
        let stop = match mode {
            ShutdownMode::KeepSessions => SessionStop::Detach,
            ShutdownMode::EndSessions => SessionStop::Shutdown,
        };
        self.sessions.values().for_each(|handle| handle.stop(stop));
        for (_, handle) in std::mem::take(&mut self.sessions) {
            handle.join();
        }
        for job in std::mem::take(&mut self.jobs) {
            // A panic was reported by the thread itself.
            drop(job.thread.join());
        }
    }

    fn create_checkpoint(
        &mut self,
        id: EffectId,
        checkpoint: CheckpointId,
        task: TaskId,
        agent_session: Option<String>,
    ) {
        self.start_disk_job(id, move |context, _| {
            let outcome = match &context.git {
                None => {
                    let tree = context.project_tree();
                    CheckpointOutcome::Made { commit: String::new(), agent_session, tree }
                }
                Some(git) => match git.snapshot_worktree(&task, &format!("checkpoint {checkpoint}")) {
                    Ok(snapshot) => CheckpointOutcome::Made {
                        commit: snapshot.commit.to_string(),
                        agent_session,
                        tree: Some(snapshot.tree),
                    },
                    Err(error) => match JobError::new(context, &error) {
                        JobError::DiskFull(full) => return Err(full),
                        JobError::Failed(error) => CheckpointOutcome::Failed { error },
                    },
                },
            };
            Ok(Report::CheckpointFinished { checkpoint, outcome })
        });
    }

    /// Ticks a task in the plan file. If the file cannot be changed now, the observer of the file tries again.
    fn tick_plan(&mut self, id: EffectId, task: TaskId, title: String) {
        let finished = match &self.plan_file {
            Some(file) => file.lock().unwrap_or_else(PoisonError::into_inner).tick_checkbox(id, task, title),
            None => vec![id],
        };
        for effect in finished {
            self.report_finished(effect);
        }
    }

    /// Reports an effect that was executed at once. On a thread of its own: the run loop must not wait for its queue.
    fn report_finished(&mut self, effect: EffectId) {
        self.start_job(effect, move |_, _| Report::EffectFinished { effect, error: None });
    }

    fn record_duration(&mut self, id: EffectId, duration: TaskDuration) {
        let record = DurationRecord::new(&self.context.environment.project, &self.context.run, duration);
        self.start_job(id, move |context, _| {
            let saved = record.save_once(&context.host.data);
            Report::EffectFinished { effect: id, error: saved.err().map(|error| error.to_string()) }
        });
    }

    /// Starts the thread of a session, which finds or starts the session's process.
    fn start_session(&mut self, assignment: SessionAssignment, state: RecoveryState) {
        let session = assignment.session;
        // The thread of an earlier process may still exist.
        if let Some(old) = self.sessions.remove(&session) {
            old.stop(SessionStop::Detach);
            old.join();
        }
        match SessionHandle::new(Arc::clone(&self.context), assignment, state) {
            Ok(handle) => {
                self.sessions.insert(session, handle);
            }
            Err(reason) => self.context.report_to_run_loop(Report::SessionLost { session, reason }),
        }
    }

    fn send(&mut self, session: SessionId, command: SessionCommand) {
        // A session without a thread has ended, and its end is reported.
        if let Some(handle) = self.sessions.get(&session) {
            handle.send(command);
        }
    }

    /// Starts a thread that does `work`, and reports its outcome or that the disk is full.
    fn start_disk_job(
        &mut self,
        effect: EffectId,
        work: impl FnOnce(&RunContext, &StopToken) -> Result<Report, DiskFull> + Send + 'static,
    ) {
        self.start_job(effect, move |context, stop_token| {
            work(context, stop_token).unwrap_or_else(|DiskFull { error }| Report::DiskFull { effect, error })
        });
    }

    /// Starts a thread that does `work` and reports its outcome.
    fn start_job(
        &mut self,
        effect: EffectId,
        work: impl FnOnce(&RunContext, &StopToken) -> Report + Send + 'static,
    ) {
        let (context, stop_token) = (Arc::clone(&self.context), StopToken::new());
        let (token, span) = (stop_token.clone(), Span::current());
        let spawned = thread::Builder::new().name("job".to_owned()).spawn(move || {
            let _span = span.entered();
            let report = work(&context, &token);
            // A stopped job has no valid outcome.
            if !token.is_stopped() {
                context.report_to_run_loop(report);
            }
        });
        match spawned {
            Ok(thread) => self.jobs.push(RunningJob { effect, stop_token, thread }),
            // The effect stays pending and is executed after the next start.
            Err(error) => warn!(%error, "cannot start a thread for an effect"),
        }
    }
}

impl Executor for LocalExecutor {
    fn recover(&mut self, expected: ExpectedState) {
        let ExpectedState { sessions, ended_tasks, ended_sessions } = expected;
        self.context.register_run();
        for (task, is_done) in ended_tasks {
            self.context.release_worktree(&task, is_done);
        }
        self.context.remove_leftover_worktrees(&ended_sessions);
        for ExpectedSession { assignment, is_cold } in sessions {
            let state = if is_cold { RecoveryState::Cold } else { RecoveryState::Running };
            self.start_session(assignment, state);
        }
    }

    fn execute(&mut self, id: EffectId, effect: Effect) {
        self.jobs.retain(|job| !job.thread.is_finished());
        let _span = info_span!("effect", effect = %job_name(id)).entered();
        match effect {
            Effect::SpawnAgent(assignment) => {
                if let Some(task) = &assignment.task {
                    self.context.host.disk_budget.registry.reclaim(&self.context.run, task);
                }
                self.start_session(*assignment, RecoveryState::New);
            }
            Effect::SendInput { session, input, content, brief, reports_tree } => {
                let number = input;
                self.send(session, SessionCommand::Send { number, input: content, brief, reports_tree });
            }
            Effect::ParkSession { session, mode: ParkMode::Cold } => {
                self.send(session, SessionCommand::Cool { effect: id });
            }
            Effect::ParkSession { session, mode: ParkMode::Frozen | ParkMode::Hot } => {
                self.send(session, SessionCommand::Freeze { effect: id });
            }
            Effect::WakeSession { session, from: ParkMode::Cold, replay } => {
                self.send(session, SessionCommand::Warm { effect: id, replay });
            }
            Effect::WakeSession { session, from: ParkMode::Frozen | ParkMode::Hot, .. } => {
                self.send(session, SessionCommand::Thaw { effect: id });
            }
            Effect::EndSession { session } => match self.sessions.get(&session) {
                Some(handle) => handle.stop(SessionStop::End),
                None => self.start_job(id, move |_, _| Report::SessionLost {
                    session,
                    reason: "it has no thread".to_owned(),
                }),
            },
            Effect::RunCheck(order) => self.start_disk_job(id, move |context, stop_token| {
                let receipt = task_check::check_task(context, &job_name(id), &order, stop_token)?;
                Ok(Report::CheckFinished { task: order.task, attempt: order.attempt, receipt })
            }),
            Effect::Merge(order) => self.start_disk_job(id, move |context, stop_token| {
                let outcome = merge::merge_task(context, &order, &job_name(id), stop_token)?;
                Ok(Report::MergeFinished { task: order.task, attempt: order.attempt, outcome })
            }),
            Effect::CheckGate(gate) => self.start_disk_job(id, move |context, stop_token| {
                let report = gate::examine_phase(context, &job_name(id), &gate, stop_token)?;
                Ok(Report::GateChecked { phase: gate.phase, round: gate.round, report })
            }),
            Effect::LandPhase { phase, commit, check } => {
                self.start_disk_job(id, move |context, stop_token| {
                    let order = LandingOrder {
                        scope: LandScope::Approved(vec![ApprovedPhase {
                            number: phase,
                            commit: commit.clone(),
                        }]),
                        into: None,
                        is_squash: false,
                        checkout: CheckoutPolicy::Leave,
                        check: check.clone(),
                    };
                    let report = context.git.as_ref();
                    let report = report.map(|git| land::land(context, git, &order, stop_token)).transpose();
                    let error = match report.map_err(|error| error.into_job_error(context)) {
                        Ok(Some(LandReport::CheckedOut { .. })) => {
                            return Ok(Report::PhaseNotLanded { effect: id });
                        }
                        Ok(report) => report.and_then(|report| report.problem()),
                        Err(JobError::DiskFull(full)) => return Err(full),
                        Err(JobError::Failed(error)) => Some(error),
                    };
                    Ok(Report::EffectFinished { effect: id, error })
                });
            }
            Effect::MakeCheckpoint { checkpoint, task, agent_session } => {
                self.create_checkpoint(id, checkpoint, task, agent_session);
            }
            Effect::RestoreCheckpoint { task, commit } => self.start_disk_job(id, move |context, _| {
                let restored = match &context.git {
                    Some(git) => git.restore_worktree(&task, commit.as_deref()),
                    None => {
                        let error = Some("cannot restore a checkpoint without worktrees".to_owned());
                        return Ok(Report::EffectFinished { effect: id, error });
                    }
                };
                let error = match restored.map_err(|error| JobError::new(context, &error)) {
                    Ok(()) => None,
                    Err(JobError::DiskFull(full)) => return Err(full),
                    Err(JobError::Failed(error)) => Some(error),
                };
                Ok(Report::EffectFinished { effect: id, error })
            }),
            Effect::SavePermissionRule { pattern, allowed } => self.start_job(id, move |context, _| {
                let saved = context.save_permission_rule(&pattern, allowed);
                Report::EffectFinished { effect: id, error: saved.err().map(|error| error.to_string()) }
            }),
            Effect::TickPlan { task, title } => self.tick_plan(id, task, title),
            Effect::RecordDuration(duration) => self.record_duration(id, *duration),
            Effect::ReleaseWorktree { task, is_done } => {
                self.context.release_worktree(&task, is_done);
                self.report_finished(id);
            }
            Effect::RemoveWorktree { session } => self.start_job(id, move |context, _| {
                let removed = context.remove_session_worktree(session);
                Report::EffectFinished { effect: id, error: removed.err().map(|error| error_chain(&error)) }
            }),
        }
    }

    fn cancel(&mut self, id: EffectId) {
        for job in self.jobs.iter().filter(|job| job.effect == id) {
            job.stop_token.kill();
        }
    }
}

fn job_name(id: EffectId) -> String {
    format!("job-{}-{}", id.sequence, id.index)
}
