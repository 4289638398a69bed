//! Runs that are loaded: each has a loop in a thread of its own, which is started when it is first needed.

use std::{
    collections::BTreeMap,
    error::Error,
    io,
    sync::{
        Arc, Mutex, MutexGuard, OnceLock, PoisonError,
        mpsc::{Receiver, SyncSender, sync_channel},
    },
    thread::JoinHandle,
};

use domain::RunId;
use tracing::{debug, error};

use super::{Host, HostError, HostState, ShutdownMode};
use crate::{
    DurableRun,
    environment::RunEnvironment,
    event_trace::run_span,
    executor::{LocalExecutor, RunContext, RunObservers},
    inventory::recorded_last_event,
    plan_file::PlanFileWatcher,
    run_loop::{RunLoop, RunRequest},
};

/// Requests queued for the loop of one run. Further senders block.
const REQUESTS_MAX: usize = 1024;

#[derive(Default)]
pub(super) struct ActiveRuns {
    pub(super) runs: BTreeMap<RunId, ActiveRun>,
    pub(super) is_shutting_down: bool,
}

pub(super) struct ActiveRun {
    pub(super) requests: SyncSender<RunRequest>,
    pub(super) thread: JoinHandle<()>,
    pub(super) load_result: LoadResult,
}

/// Result of loading a run, empty until its thread has read the log.
pub(super) type LoadResult = Arc<OnceLock<Result<(), Arc<HostError>>>>;

impl Host {
    pub(super) fn active_runs(&self) -> MutexGuard<'_, ActiveRuns> {
        // No change spans several statements that can panic.
        self.state.active_runs.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Sends a request to the loop of a run, and waits for the reply.
    pub(super) fn send_run_request<T>(
        &self,
        run: &RunId,
        request: impl FnOnce(SyncSender<T>) -> RunRequest,
    ) -> Result<T, HostError> {
        let (reply, received) = sync_channel(1);
        let (requests, load_result) = self.activate_run(run)?;
        let received = requests.send(request(reply)).ok().and_then(|()| received.recv().ok());
        received.ok_or_else(|| match load_result.get() {
            Some(Err(error)) => HostError::LoadFailed(Arc::clone(error)),
            Some(Ok(())) | None => HostError::ShuttingDown,
        })
    }

    /// Returns the request queue of a run's loop, which is started if necessary.
    pub(super) fn activate_run(
        &self,
        run: &RunId,
    ) -> Result<(SyncSender<RunRequest>, LoadResult), HostError> {
        self.activate_run_in_environment(run, None)
    }

    /// Like [`Host::activate_run`]; the environment is read from the run's folder if it is not given.
    pub(super) fn activate_run_in_environment(
        &self,
        run: &RunId,
        environment: Option<RunEnvironment>,
    ) -> Result<(SyncSender<RunRequest>, LoadResult), HostError> {
        let mut active_runs = self.active_runs();
        if active_runs.is_shutting_down {
            return Err(HostError::ShuttingDown);
        }
        if let Some(active) = active_runs.runs.get(run).filter(|active| !active.thread.is_finished()) {
            return Ok((active.requests.clone(), Arc::clone(&active.load_result)));
        }
        let folder = self.state.run_folder(run);
        let environment = match environment {
            Some(environment) => environment,
            None => RunEnvironment::read_with_values(&folder).map_err(|source| {
                if source.kind() == io::ErrorKind::NotFound {
                    HostError::UnknownRun { run: run.clone() }
                } else {
                    HostError::Io { action: "read", path: folder, source }
                }
            })?,
        };
        let (requests, inbox) = sync_channel(REQUESTS_MAX);
        let load_result = LoadResult::default();
        let load_and_run = {
            let (host, run, requests) = (Arc::clone(&self.state), run.clone(), requests.clone());
            let load_result = Arc::clone(&load_result);
            move || {
                let _span = run_span(&run).entered();
                // The result is set once, here.
                match load_run(host, run, environment, requests, inbox) {
                    Ok(run_loop) => {
                        debug!("run loaded");
                        // See above.
                        let _ = load_result.set(Ok(()));
                        if let (mut executor, Some(mode)) = run_loop.run() {
                            executor.stop(mode);
                        }
                        debug!("loop of the run ended");
                    }
                    // Callers that wait for a reply return this error.
                    Err(error) => {
                        error!(error = &error as &dyn Error, "cannot load the run");
                        drop(load_result.set(Err(Arc::new(error))));
                    }
                }
            }
        };
        let thread = std::thread::Builder::new().name(format!("run-{run}")).spawn(load_and_run);
        let thread = thread.map_err(|source| HostError::Io {
            action: "start a thread for",
            path: self.state.run_folder(run),
            source,
        })?;
        let active = ActiveRun { requests: requests.clone(), thread, load_result: Arc::clone(&load_result) };
        active_runs.runs.insert(run.clone(), active);
        Ok((requests, load_result))
    }

    pub(super) fn deactivate_run(&self, run: &RunId) {
        let active = self.active_runs().runs.remove(run);
        if let Some(active) = active {
            // A loop that has ended does not receive it; a panic was logged by the thread itself.
            drop(active.requests.send(RunRequest::Stop(ShutdownMode::KeepSessions)));
            drop(active.thread.join());
        }
    }
}

/// Reads the log of a run, and creates its loop.
fn load_run(
    host: Arc<HostState>,
    run: RunId,
    environment: RunEnvironment,
    requests: SyncSender<RunRequest>,
    inbox: Receiver<RunRequest>,
) -> Result<RunLoop<LocalExecutor>, HostError> {
    let durable_run = DurableRun::open(Arc::clone(&host.log), run.clone())?;
    // Continuing from an older state would start tasks a second time.
    let last = durable_run.state().sequence();
    if let Some(recorded) = recorded_last_event(&host.run_folder(&run)).filter(|recorded| *recorded > last) {
        return Err(HostError::EventsLost { run, last, recorded });
    }
    let plan_file = PlanFileWatcher::for_run(&environment, &host.data).map(|file| Arc::new(Mutex::new(file)));
    let merges = durable_run.state().merged_commits();
    let context = Arc::new(RunContext::open(Arc::clone(&host), run, environment, &merges, requests)?);
    let executor = LocalExecutor::new(Arc::clone(&context), plan_file.clone());
    let observers = RunObservers::new(context, plan_file);
    Ok(RunLoop::new(host, durable_run, executor, observers, inbox))
}
