//! Executes the effects of a run, and reports their outcomes.
//!
//! Makes no decisions. After a restart an effect may be executed again, and then finds the result of the first attempt: a
//! session by its name, a check by the id of its effect, a merge by its commit.

mod check_worktree;
mod disk_full;
mod gate;
mod ignored_files;
mod job;
mod merge;
mod open_turns;
mod overlap_watch;
mod process;
mod run_context;
mod session;
mod stop_token;
mod task_brief;
mod wake_up;
mod worktree_removal;

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::{Arc, mpsc::SyncSender},
    thread::{self, JoinHandle},
    time::{Duration, Instant},
};

use domain::{CheckpointId, CheckpointOutcome, EffectId, ParkMode, Report, RunId, SessionId, TaskId};
use engine::Effect;
use views::{SessionRow, TaskRow};

use crate::{
    DurableRun,
    environment::RunEnvironment,
    git::{LandReport, LandScope, RunGit},
    host::{HostError, HostState, ShutdownMode},
    run_loop::RunRequest,
};
pub(crate) use check_worktree::is_in_use as is_check_worktree_in_use;
use open_turns::OpenTurns;
use overlap_watch::OverlapWatch;
use run_context::{RunContext, error_chain};
use session::{RecoveryState, SessionCommand, SessionHandle, SessionStop};
use stop_token::StopToken;
use task_brief::task_brief;
use worktree_removal::WorktreeRemoval;

/// Time between two checks of the disk budget while tasks wait for it.
pub(crate) const DISK_BUDGET_POLL_INTERVAL: Duration = Duration::from_secs(2);

/// Executes the effects of one run.
pub(crate) struct Executor {
    context: Arc<RunContext>,
    sessions: BTreeMap<SessionId, SessionHandle>,
    jobs: Vec<RunningJob>,
    overlap_watch: Option<OverlapWatch>,
    disk_budget_poll: Option<DiskBudgetPoll>,
    worktree_removal: Option<WorktreeRemoval>,
}

/// An effect that is executed on its own thread.
struct RunningJob {
    effect: EffectId,
    stop_token: StopToken,
    thread: JoinHandle<()>,
}

/// Thread that checks the disk budget once.
struct DiskBudgetPoll {
    thread: JoinHandle<()>,
    started_at: Instant,
}

impl Executor {
    pub(crate) fn open(
        host: Arc<HostState>,
        run: RunId,
        environment: RunEnvironment,
        requests: SyncSender<RunRequest>,
    ) -> Result<Self, HostError> {
        let git = RunGit::open(&host.data, &run, &environment)?;
        if let Some(git) = &git {
            git.recover()?;
        }
        let open_turns = OpenTurns::default();
        let context = Arc::new(RunContext { host, run, environment, git, open_turns, requests });
        Ok(Self {
            context,
            sessions: BTreeMap::new(),
            jobs: Vec::new(),
            overlap_watch: None,
            disk_budget_poll: None,
            worktree_removal: None,
        })
    }

    /// Starts threads for the sessions that the run had before a restart.
    pub(crate) fn recover_sessions(&mut self, durable_run: &DurableRun) {
        self.update_worktree_registry(durable_run.views().rows().tasks.iter());
        durable_run
            .views()
            .rows()
            .sessions
            .iter()
            .for_each(|session| self.schedule_worktree_removal(session));
        let woken: BTreeSet<SessionId> = durable_run
            .pending_effects()
            .iter()
            .filter_map(|(_, effect)| match effect {
                Effect::WakeSession { session, from: ParkMode::Cold } => Some(*session),
                _ => None,
            })
            .collect();
        for living in durable_run.state().live_sessions() {
            let state = if living.is_starting {
                // The effect that starts it is executed again.
                continue;
            } else if living.is_cold || woken.contains(&living.session) {
                RecoveryState::Cold
            } else {
                RecoveryState::Running
            };
            self.start_session(living.session, state, durable_run);
        }
    }

    /// Looks for files that several unfinished tasks have changed. Overlaps are reported to the run loop.
    pub(crate) fn request_overlap_scan(&mut self, durable_run: &DurableRun) {
        OverlapWatch::request_scan(&mut self.overlap_watch, &self.context, durable_run);
    }

    /// Checks periodically whether there is space for worktrees, if tasks wait for it.
    pub(crate) fn poll_disk_budget(&mut self, durable_run: &DurableRun) {
        let is_recent = |poll: &DiskBudgetPoll| {
            !poll.thread.is_finished() || poll.started_at.elapsed() < DISK_BUDGET_POLL_INTERVAL
        };
        if !durable_run.state().is_disk_budget_exhausted()
            || self.disk_budget_poll.as_ref().is_some_and(is_recent)
        {
            return;
        }
        let context = Arc::clone(&self.context);
        let thread = thread::Builder::new().name("disk-budget".to_owned());
        let thread = thread.spawn(move || context.report_available_space());
        // If no thread could be started, the next call tries again.
        self.disk_budget_poll =
            thread.ok().map(|thread| DiskBudgetPoll { thread, started_at: Instant::now() });
    }

    /// Updates the states of tasks in the worktree registry.
    pub(crate) fn update_worktree_registry<'a>(&self, tasks: impl Iterator<Item = &'a TaskRow>) {
        if let Some(git) = &self.context.git {
            let tasks = tasks.map(|task| (&task.id, task.state));
            self.context.host.disk_budget.registry.update_tasks(&self.context.run, git, tasks);
        }
    }

    /// Has the worktree of a session without a task removed when the session has ended.
    pub(crate) fn schedule_worktree_removal(&mut self, session: &SessionRow) {
        let has_worktree = session.agent.is_some() && session.task.is_none();
        if self.context.git.is_none() || !has_worktree || session.ended_at.is_none() {
            return;
        }
        self.context.host.disk_budget.registry.add_ended_session(&self.context.run, session.id);
        if self.worktree_removal.is_none() {
            let (context, mut tried) = (Arc::clone(&self.context), BTreeSet::new());
            self.worktree_removal = WorktreeRemoval::start(move || {
                let mut ended =
                    context.host.disk_budget.registry.sessions_with_removable_worktrees(&context.run);
                // Each is tried once: what can't be removed now is removed when space is needed or on `clean`.
                ended.retain(|session| tried.insert(*session));
                ended.into_iter().for_each(|session| context.remove_session_worktree(session));
            });
        }
        self.worktree_removal.iter().for_each(WorktreeRemoval::wake);
    }

    /// Executes an effect, or starts its execution. The outcome is reported to the run loop.
    pub(crate) fn execute(&mut self, id: EffectId, effect: Effect, durable_run: &DurableRun) {
        match effect {
            Effect::SpawnAgent { session } => self.start_session(session, RecoveryState::New, durable_run),
            Effect::SendInput { session, input, content } => {
                let brief = task_brief(&content, durable_run);
                self.send_to_session(session, SessionCommand::Send { number: input, input: content, brief });
            }
            Effect::ParkSession { session, mode: ParkMode::Cold } => {
                self.send_to_session(session, SessionCommand::Cool { effect: id });
            }
            Effect::ParkSession { session, mode: ParkMode::Frozen | ParkMode::Hot } => {
                self.send_to_session(session, SessionCommand::Freeze { effect: id });
            }
            Effect::WakeSession { session, from: ParkMode::Cold } => {
                let replay = task_brief::replay_brief(session, durable_run);
                self.send_to_session(session, SessionCommand::Warm { effect: id, replay });
            }
            Effect::WakeSession { session, from: ParkMode::Frozen | ParkMode::Hot } => {
                self.send_to_session(session, SessionCommand::Thaw { effect: id });
            }
            Effect::EndSession { session } => {
                if !self.sessions.contains_key(&session) {
                    self.start_session(session, RecoveryState::Running, durable_run);
                }
                if let Some(handle) = self.sessions.get(&session) {
                    handle.stop(SessionStop::End);
                }
            }
            Effect::RunCheck { task, attempt, command } => {
                let timeout_ms = durable_run.state().settings().timeout_ms;
                self.start_job(id, move |context, stop_token| {
                    context.open_turns.wait_for_task(&task, stop_token);
                    let receipt =
                        job::check_task(context, &job_name(id), &task, &command, timeout_ms, stop_token);
                    Report::CheckFinished { task, attempt, receipt }
                });
            }
            Effect::Merge { task, attempt } => {
                let options = merge::MergeOptions::new(&task, durable_run, job_name(id));
                self.start_job(id, move |context, stop_token| {
                    context.open_turns.wait_for_task(&task, stop_token);
                    let outcome = merge::merge(context, &task, &options, stop_token);
                    Report::MergeFinished { task, attempt, outcome }
                });
            }
            Effect::CheckGate { phase, round } => {
                let work = durable_run.state().gate_check(phase);
                let timeout_ms = durable_run.state().settings().timeout_ms;
                self.start_job(id, move |context, stop_token| {
                    let report = gate::examine_phase(context, &job_name(id), &work, timeout_ms, stop_token);
                    Report::GateChecked { phase, round, report }
                });
            }
            Effect::LandPhase { phase } => self.start_job(id, move |context, _| {
                let scope = LandScope::Approved(vec![phase]);
                let report = context.git.as_ref().map(|git| git.land(&scope)).transpose();
                let error = match report {
                    Ok(Some(LandReport::CheckedOut { .. })) => {
                        return Report::PhaseNotLanded { effect: id };
                    }
                    Ok(report) => report.and_then(|report| report.problem()),
                    Err(error) => Some(error_chain(&error)),
                };
                Report::EffectFinished { effect: id, error }
            }),
            Effect::MakeCheckpoint { checkpoint, task } => {
                self.create_checkpoint(id, checkpoint, task, durable_run);
            }
            Effect::RestoreCheckpoint { task, checkpoint } => {
                let row = checkpoint.and_then(|id| durable_run.views().rows().checkpoints.get(&id).cloned());
                let commit = row.and_then(|row| row.commit);
                self.start_job(id, move |context, _| {
                    let restored = match &context.git {
                        Some(git) => git
                            .restore_worktree(&task, commit.as_deref())
                            .map_err(|error| error_chain(&error)),
                        None => Err("cannot restore a checkpoint without worktrees".to_owned()),
                    };
                    Report::EffectFinished { effect: id, error: restored.err() }
                });
            }
            Effect::SavePermissionRule { pattern, allowed } => self.start_job(id, move |context, _| {
                let saved = context.save_permission_rule(&pattern, allowed);
                Report::EffectFinished { effect: id, error: saved.err().map(|error| error.to_string()) }
            }),
        }
    }

    /// Kills jobs whose outcome the run no longer needs, such as the check of a cancelled task.
    pub(crate) fn cancel_obsolete_jobs(&mut self, durable_run: &DurableRun) {
        self.jobs.retain(|job| !job.thread.is_finished());
        for job in self.jobs.iter().filter(|job| !durable_run.state().is_effect_pending(job.effect)) {
            job.stop_token.kill();
        }
    }

    /// Detaches from all sessions and jobs, or ends them. Removes the session worktrees of a run that has ended.
    pub(crate) fn stop(&mut self, mode: ShutdownMode, has_ended: bool) {
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
        self.overlap_watch.take().into_iter().for_each(OverlapWatch::stop);
        if let Some(poll) = self.disk_budget_poll.take() {
            drop(poll.thread.join());
        }
        self.worktree_removal.take().into_iter().for_each(WorktreeRemoval::finish);
        if has_ended {
            self.context.remove_all_session_worktrees();
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
        durable_run: &DurableRun,
    ) {
        let row = durable_run.views().rows().tasks.get(&task).and_then(|task| task.session);
        let session = row.and_then(|session| durable_run.state().session_assignment(session));
        let agent_session = session.and_then(|session| session.agent_session);
        self.start_job(id, move |context, _| {
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
                    Err(error) => CheckpointOutcome::Failed { error: error_chain(&error) },
                },
            };
            Report::CheckpointFinished { checkpoint, outcome }
        });
    }

    /// Starts the thread of a session, which finds or starts the session's process.
    fn start_session(&mut self, session: SessionId, state: RecoveryState, durable_run: &DurableRun) {
        // The thread of an earlier process may still exist.
        if let Some(old) = self.sessions.remove(&session) {
            old.stop(SessionStop::Detach);
            old.join();
        }
        match SessionHandle::new(Arc::clone(&self.context), session, state, durable_run) {
            Ok(handle) => {
                self.sessions.insert(session, handle);
            }
            Err(reason) => self.context.report_to_run_loop(Report::SessionLost { session, reason }),
        }
    }

    fn send_to_session(&mut self, session: SessionId, command: SessionCommand) {
        // A session without a thread has ended, and its end is reported.
        if let Some(handle) = self.sessions.get(&session) {
            handle.send(command);
        }
    }

    /// Starts a thread that does `work` and reports its outcome.
    fn start_job(
        &mut self,
        effect: EffectId,
        work: impl FnOnce(&RunContext, &StopToken) -> Report + Send + 'static,
    ) {
        let (context, stop_token) = (Arc::clone(&self.context), StopToken::new());
        let token = stop_token.clone();
        let spawned = thread::Builder::new().name("job".to_owned()).spawn(move || {
            let report = work(&context, &token);
            // A stopped job has no valid outcome.
            if !token.is_stopped() {
                context.report_to_run_loop(report);
            }
        });
        // If no thread could be started, the effect stays pending and is executed after the next start.
        if let Ok(thread) = spawned {
            self.jobs.push(RunningJob { effect, stop_token, thread });
        }
    }
}

fn job_name(id: EffectId) -> String {
    format!("job-{}-{}", id.sequence, id.index)
}
