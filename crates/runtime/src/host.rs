//! All runs of one data directory, each with its own loop.
//!
//! Invariant: a [`Host`] holds the lock of the store, so each data directory has at most one.

mod active_runs;
mod error;
mod provide;
mod results;
mod run_list;

use std::{
    collections::BTreeSet,
    error::Error,
    fs::{self, File},
    io::{self, Read},
    os::unix::fs::{DirBuilderExt, MetadataExt},
    path::{Path, PathBuf},
    sync::{Arc, Mutex},
};

use domain::{
    CommandOrigin, PlannedWork, Report, Role, RunId, RunInput, RunSettings, RunStart, Sequence, SessionId,
    TeamMember, UserCommand,
};
use engine::LandingOrder;
use serde::{Deserialize, Serialize};
use sessions::Sessions;
use store::{LOG_FILE, Log, Position, SCHEMA_VERSION, SqliteLog};
use tokio::sync::broadcast;
use tracing::{error, info, warn};
use views::{Rows, Views};

use crate::{
    DurableRun, HostEvent,
    disk_budget::DiskBudget,
    environment::{Isolation, RunEnvironment},
    event_trace::trace_event,
    executor::StopToken,
    git::RunGit,
    ports::PortRegistry,
    private_data::{create_private_directory, open_private_directory},
    run_loop::RunRequest,
    task_durations::DurationHistory,
};
use active_runs::ActiveRuns;
pub use error::HostError;
pub use provide::ProvidedValue;

/// Events that a subscriber may lag behind before it is disconnected.
const EVENTS_MAX: usize = 4096;
/// Random characters in a run's id.
const ID_CHARS: usize = 5;
/// Name of the empty file that marks a run as ended, so that a start does not have to read its log.
pub(crate) const ENDED_MARKER: &str = "over";

/// Request to start a run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct NewRun {
    /// Display name of the project.
    pub project: String,
    /// Phases and tasks.
    pub work: PlannedWork,
    /// Settings of the run.
    pub settings: RunSettings,
    /// Members of the team.
    pub team: Vec<TeamMember>,
    /// Environment on this machine.
    pub environment: RunEnvironment,
    /// User who starts the run.
    pub person: String,
    /// Where the request comes from, as the server knows it.
    #[serde(skip)]
    pub origin: Option<CommandOrigin>,
}

/// The user who sends a command, and where it comes from.
#[derive(Debug, Clone)]
pub struct CommandSender<'a> {
    /// Name of the user.
    pub person: &'a str,
    /// `None` for commands of this process.
    pub origin: Option<CommandOrigin>,
}

impl<'a> From<&'a str> for CommandSender<'a> {
    fn from(person: &'a str) -> Self {
        Self { person, origin: None }
    }
}

impl<'a> From<&'a String> for CommandSender<'a> {
    fn from(person: &'a String) -> Self {
        Self { person, origin: None }
    }
}

/// The rows of a run after one of its events.
#[derive(Debug, Clone)]
pub struct RunSnapshot {
    /// Position of the event in the log of all runs.
    pub position: Position,
    /// Sequence number of the event in the run.
    pub sequence: Sequence,
    /// Rows, shared with the run's loop.
    pub views: Arc<Views>,
    /// How the approved work is landed.
    approved_landing: LandingOrder,
    /// How all merged work is landed.
    full_landing: LandingOrder,
}

impl RunSnapshot {
    fn landing_order(self, is_all: bool, into: Option<String>, is_squash: bool) -> LandingOrder {
        let order = if is_all { self.full_landing } else { self.approved_landing };
        LandingOrder { into, is_squash, ..order }
    }

    pub(crate) fn from_durable_run(durable_run: &DurableRun) -> Self {
        Self {
            position: durable_run.position(),
            sequence: durable_run.state().sequence(),
            views: Arc::clone(durable_run.views()),
            approved_landing: durable_run.state().landing_order(false, None, false),
            full_landing: durable_run.state().landing_order(true, None, false),
        }
    }
}

/// What happens to running sessions when the server stops.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub enum ShutdownMode {
    /// Their processes continue, and the next server recovers them.
    #[serde(rename = "leave")]
    KeepSessions,
    /// Their processes end; their tasks continue when a server starts again.
    #[serde(rename = "end")]
    EndSessions,
}

/// All runs of one data directory.
#[derive(Clone)]
pub struct Host {
    state: Arc<HostState>,
}

/// State of a host that the loops of its runs share.
pub(crate) struct HostState {
    pub(crate) data: PathBuf,
    pub(crate) log: Arc<dyn Log>,
    /// The file of the log when it was opened.
    log_identity: Option<(u64, u64)>,
    pub(crate) sessions: Sessions,
    pub(crate) events: broadcast::Sender<Arc<HostEvent>>,
    pub(crate) disk_budget: DiskBudget,
    pub(crate) ports: PortRegistry,
    /// Ends operations outside the loops of runs when the host stops.
    stop_token: StopToken,
    active_runs: Mutex<ActiveRuns>,
}

impl HostState {
    /// Returns the folder of a run.
    pub(crate) fn run_folder(&self, run: &RunId) -> PathBuf {
        self.data.join("runs").join(run.as_str())
    }

    /// Sets or removes the marker of an ended run. Only a hint: the log is authoritative.
    pub(crate) fn set_ended_marker(&self, run: &RunId, has_ended: bool) {
        let path = self.run_folder(run).join(ENDED_MARKER);
        let changed = if has_ended { fs::write(&path, "") } else { fs::remove_file(&path) };
        if let Err(error) = changed {
            warn!(%run, path = %path.display(), error = &error as &dyn Error, "cannot change the marker of an ended run");
        }
    }

    /// Sends an event to all subscribers, if any. What was recorded is logged.
    pub(crate) fn publish(&self, event: HostEvent) {
        if let HostEvent::Recorded { events, .. } = &event {
            events.iter().for_each(|event| trace_event(event.sequence, &event.changes));
        }
        // Fails only if there is no subscriber.
        drop(self.events.send(Arc::new(event)));
    }
}

impl Host {
    /// Returns what the loops of its runs share.
    #[cfg(test)]
    pub(crate) fn shared_state(&self) -> Arc<HostState> {
        Arc::clone(&self.state)
    }

    /// Opens a data directory and loads every run that has not ended, each on its own thread. Does not wait for them.
    pub fn open(data: &Path) -> Result<Self, HostError> {
        let data = open_private_directory(data)?;
        let failed = |source| HostError::Io { action: "create a folder in", path: data.clone(), source };
        create_private_directory(&data.join("runs")).map_err(failed)?;
        let log: Arc<dyn Log> = Arc::new(SqliteLog::open(&data)?);
        let sessions = Sessions::open(&data)?;
        let (events, _) = broadcast::channel(EVENTS_MAX);
        let log_identity = file_identity(&data.join(LOG_FILE));
        let state = HostState {
            data,
            log,
            log_identity,
            sessions,
            events,
            disk_budget: DiskBudget::default(),
            ports: PortRegistry::default(),
            stop_token: StopToken::new(),
            active_runs: Mutex::default(),
        };
        let host = Self { state: Arc::new(state) };
        let with_session_worktrees = runs_with_session_worktrees(&host.state.data);
        let mut n_recovered = 0_usize;
        // A run without events has lost them, and is listed as damaged.
        for head in host.state.log.runs()?.into_iter().filter(|head| head.sequence.0 > 0) {
            // If a server was killed at the end of a run, session worktrees and their processes may remain.
            if !host.has_run_ended(&head.run) || with_session_worktrees.contains(&head.run) {
                // A run that fails to load must not block the others; its error is returned on access.
                match host.activate_run(&head.run) {
                    Ok(_) => n_recovered += 1,
                    Err(error) => {
                        error!(run = %head.run, error = &error as &dyn Error, "cannot continue the run");
                    }
                }
            }
        }
        let data = &host.state.data;
        info!(
            data = %data.display(),
            store = %data.join(LOG_FILE).display(),
            schema = SCHEMA_VERSION,
            recovered_runs = n_recovered,
            "data directory opened"
        );
        Ok(host)
    }

    /// Returns the log of all runs.
    pub fn log(&self) -> &Arc<dyn Log> {
        &self.state.log
    }

    /// Returns the data directory.
    pub fn data_directory(&self) -> &Path {
        &self.state.data
    }

    /// Starts a run and returns its id when the start is recorded.
    pub fn start_run(&self, new: NewRun) -> Result<RunId, HostError> {
        if let Some(path) = new.environment.find_copy_path_outside_project() {
            return Err(HostError::OutsideProject { path: path.to_owned() });
        }
        let run = self.create_run_folder()?;
        let folder = self.state.run_folder(&run);
        let failed = |source| HostError::Io { action: "write", path: folder.clone(), source };
        new.environment.write(&folder).map_err(failed)?;
        let NewRun { project, mut work, mut settings, team, person, origin, environment } = new;
        let worker = team.iter().find(|member| member.role == Role::Worker).map(|member| &member.name);
        DurationHistory::read(&self.state.data, &environment.project)
            .set_missing_estimates(&mut work.tasks, worker);
        settings.has_worktrees = environment.isolation != Isolation::InPlace;
        let start = Box::new(RunStart { project, work, settings, team });
        let input = RunInput::Start { person, origin, start };
        // With the values of variables, which the file does not have.
        self.activate_run_in_environment(&run, Some(environment))?;
        match self.send_run_request(&run, |reply| RunRequest::with_reply(input, reply)) {
            Ok(Ok(_)) => Ok(run),
            Ok(Err(error)) | Err(error) => {
                // Nothing was recorded.
                self.deactivate_run(&run);
                warn!(%run, error = &error as &dyn Error, "cannot start the run");
                if let Err(error) = fs::remove_dir_all(&folder) {
                    warn!(%run, path = %folder.display(), error = &error as &dyn Error, "cannot remove the folder of a run");
                }
                Err(error)
            }
        }
    }

    /// Decides on a command of a user. Returns when the resulting events are durable.
    pub fn execute_command<'a>(
        &self,
        run: &RunId,
        sender: impl Into<CommandSender<'a>>,
        command: UserCommand,
    ) -> Result<Sequence, HostError> {
        let CommandSender { person, origin } = sender.into();
        let input = RunInput::User { person: person.to_owned(), origin, command };
        self.send_run_request(run, |reply| RunRequest::with_reply(input, reply))?
    }

    /// Has the loop of a run record what a user typed into the terminal of a session.
    pub(crate) fn record_typed_input(
        &self,
        run: &RunId,
        person: &str,
        session: SessionId,
        bytes: u64,
    ) -> Result<(), HostError> {
        let (requests, _) = self.activate_run(run)?;
        let request = RunRequest::Typed { person: person.to_owned(), session, bytes };
        requests.send(request).map_err(|_| HostError::ShuttingDown)
    }

    /// Sends a report to the loop of a run that has not ended, and waits until it is handled.
    pub(crate) fn report(&self, run: &RunId, report: Report) -> Result<Sequence, HostError> {
        if self.has_run_ended(run) {
            return Err(HostError::UnknownRun { run: run.clone() });
        }
        self.send_run_request(run, |reply| RunRequest::with_reply(report.into(), reply))?
    }

    /// Returns the current rows of a run.
    pub fn run_snapshot(&self, run: &RunId) -> Result<RunSnapshot, HostError> {
        if !self.active_runs().runs.contains_key(run) && self.has_run_ended(run) {
            // An ended run needs no loop to be read.
            let mut durable_run = DurableRun::open(Arc::clone(&self.state.log), run.clone())?;
            // A migration may have deleted its rows.
            durable_run.save_rows()?;
            return Ok(RunSnapshot::from_durable_run(&durable_run));
        }
        self.send_run_request(run, RunRequest::Snapshot)
    }

    /// Returns the first file of the data directory that was removed or replaced while the host uses it.
    pub fn find_lost_file(&self) -> Option<PathBuf> {
        let data = &self.state.data;
        let log = data.join(LOG_FILE);
        let is_replaced = file_identity(&log) != self.state.log_identity;
        let folders = [data.clone(), data.join("runs"), data.join("sessions")];
        let lost = folders.into_iter().find(|folder| !folder.is_dir());
        lost.or_else(|| is_replaced.then_some(log))
    }

    fn has_run_ended(&self, run: &RunId) -> bool {
        self.state.run_folder(run).join(ENDED_MARKER).exists()
    }

    /// Returns a receiver of all events from now on.
    pub fn subscribe(&self) -> broadcast::Receiver<Arc<HostEvent>> {
        self.state.events.subscribe()
    }

    /// Waits until `find` finds something in the rows of a run.
    pub(crate) fn wait_for_rows<T: Send + 'static>(
        &self,
        run: &RunId,
        find: impl Fn(&Rows) -> Option<T> + Send + 'static,
    ) -> Result<T, HostError> {
        self.send_run_request(run, |reply| {
            RunRequest::Watch(Box::new(move |rows| match find(rows) {
                // The caller waits, and the reply has space for one.
                Some(found) => {
                    drop(reply.try_send(found));
                    true
                }
                None => false,
            }))
        })
    }

    /// Stops the loops of all runs, and returns when they have ended.
    pub fn stop(&self, mode: ShutdownMode) {
        info!(?mode, "stopping all runs");
        let runs = {
            let mut active_runs = self.active_runs();
            active_runs.is_shutting_down = true;
            std::mem::take(&mut active_runs.runs)
        };
        self.state.stop_token.kill();
        for run in runs.values() {
            // A loop that has ended does not receive it.
            drop(run.requests.send(RunRequest::Stop(mode)));
        }
        for run in runs.into_values() {
            // A panic was logged by the thread itself.
            drop(run.thread.join());
        }
    }

    /// Returns the environment of a run.
    pub fn run_environment(&self, run: &RunId) -> Result<RunEnvironment, HostError> {
        let folder = self.state.run_folder(run);
        RunEnvironment::read(&folder).map_err(|source| HostError::Io { action: "read", path: folder, source })
    }

    /// Returns the sessions of the data directory, including those without a run.
    pub(crate) fn session_store(&self) -> &Sessions {
        &self.state.sessions
    }

    /// Returns the git operations of a run, shared with its loop if it is active, so that they have the same lock.
    fn run_git(&self, run: &RunId) -> Result<RunGit, HostError> {
        if let Some(git) = self.state.disk_budget.registry.run_git(run) {
            return Ok(git);
        }
        let environment = self.run_environment(run)?;
        RunGit::open(&self.state.data, run, &environment)?
            .ok_or_else(|| HostError::InPlace { run: run.clone() })
    }

    /// Creates the folder of a new run, and returns the run's id.
    fn create_run_folder(&self) -> Result<RunId, HostError> {
        let failed =
            |source| HostError::Io { action: "create a run in", path: self.state.data.clone(), source };
        loop {
            let mut bytes = [0; ID_CHARS];
            File::open("/dev/urandom").and_then(|mut file| file.read_exact(&mut bytes)).map_err(failed)?;
            let name: String = bytes.iter().map(|byte| run_id_char(*byte)).collect();
            let run: RunId = format!("r{name}").parse().map_err(|error| failed(io::Error::other(error)))?;
            if fs::DirBuilder::new().mode(0o700).create(self.state.run_folder(&run)).is_ok() {
                return Ok(run);
            }
        }
    }
}

/// Returns the runs that have worktrees of sessions without a task.
fn runs_with_session_worktrees(data: &Path) -> BTreeSet<RunId> {
    // Missing until the first worktree is created.
    let folders = fs::read_dir(data.join("worktrees")).into_iter().flatten().flatten();
    let run = |name: &str| name.split_once("-desk-")?.0.parse().ok();
    folders.filter_map(|entry| run(entry.file_name().to_str()?)).collect()
}

/// Returns device and inode of a file; `None` if it does not exist.
fn file_identity(path: &Path) -> Option<(u64, u64)> {
    fs::metadata(path).ok().map(|metadata| (metadata.dev(), metadata.ino()))
}

/// Maps a random byte to a letter or digit. Characters that look alike are left out.
fn run_id_char(byte: u8) -> char {
    const CHARS: &[u8; 32] = b"abcdefghjkmnpqrstuvwxyz234567890";
    CHARS.get(usize::from(byte) % CHARS.len()).copied().map_or('x', char::from)
}
