//! All runs of one data directory, each with a loop of its own.
//!
//! Invariant: whoever has a [`Host`] has the store's lock, so there is one per data directory.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs::{self, File},
    io::{self, Read},
    path::{Path, PathBuf},
    sync::{
        Arc, Mutex, MutexGuard, OnceLock, PoisonError,
        mpsc::{Receiver, SyncSender, sync_channel},
    },
    thread::JoinHandle,
};

use domain::{
    Actor, Command, PhaseNumber, PlannedWork, Role, RunId, RunSettings, Sequence, SessionId, TaskId,
    TeamMember,
};
use engine::Rejection;
use holder::spool::SpoolError;
use repo::RepoError;
use serde::{Deserialize, Serialize};
use sessions::{SessionError, Sessions};
use store::{Log, Position, RunHead, SqliteLog, StoreError};
use tokio::sync::broadcast;
use views::{GateState, Kind, RunRow, Views};

use crate::{
    Kept, Published, WishError,
    crank::{Crank, Mail},
    disk::Disk,
    git::{Cleaned, Git, Land, Landed},
    learned::Learned,
    outfit::Outfit,
    ports::PortBook,
    world,
};

/// News that a listener may be behind before it is cut off.
const NEWS_MAX: usize = 4096;
/// Wishes that wait for a run's loop. Whoever wishes more waits.
const MAIL_MAX: usize = 1024;
/// How much of a run's name is chance.
const NAME_SIGNS: usize = 5;
/// The key of a run's own row.
const RUN_KEY: &str = "run";
/// Says that a run is over, so that a start need not look into it.
pub(crate) const OVER: &str = "over";

/// Why something can't be done.
#[derive(Debug, thiserror::Error)]
pub enum HostError {
    /// The rules say no.
    #[error(transparent)]
    Rejected(#[from] Rejection),
    /// The log does not do it.
    #[error("use the log")]
    Store(#[from] StoreError),
    /// Git does not do it.
    #[error(transparent)]
    Git(#[from] RepoError),
    /// A session can't be used.
    #[error(transparent)]
    Session(#[from] SessionError),
    /// There is no such run.
    #[error("there is no run '{run}'")]
    UnknownRun {
        /// Its name.
        run: RunId,
    },
    /// A file or folder could not be used.
    #[error("{action} {}", .path.display())]
    Io {
        /// What was tried.
        action: &'static str,
        /// On what.
        path: PathBuf,
        /// Why it failed.
        source: io::Error,
    },
    /// The run works in the project's own folder.
    #[error("run {run} has no worktrees")]
    InPlace {
        /// The run.
        run: RunId,
    },
    /// There is no such session.
    #[error("run {run} has no session {session}")]
    UnknownSession {
        /// The run.
        run: RunId,
        /// The session.
        session: SessionId,
    },
    /// The session has no process, or not that one.
    #[error("session {session} has no such process")]
    NoProcess {
        /// The session.
        session: SessionId,
    },
    /// The session is spoken with in its own protocol, and can't be typed to.
    #[error("session {session} has no terminal")]
    NoTerminal {
        /// The session.
        session: SessionId,
    },
    /// What a session wrote can't be read there.
    #[error("read what session {session} wrote")]
    Spool {
        /// The session.
        session: SessionId,
        /// Why not.
        source: SpoolError,
    },
    /// A file that is to be brought into worktrees is not in the project, or would lie beside the worktree.
    #[error("{} leads out of the project", .path.display())]
    LeadsOut {
        /// The file.
        path: PathBuf,
    },
    /// The run could not be taken up.
    #[error(transparent)]
    NotTakenUp(Arc<HostError>),
    /// Everything is about to stop.
    #[error("the server stops")]
    Stopping,
}

/// A run that is to begin.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct NewRun {
    /// The project's name.
    pub project: String,
    /// What is to be done.
    pub work: PlannedWork,
    /// How.
    pub settings: RunSettings,
    /// By whom.
    pub team: Vec<TeamMember>,
    /// What it needs of this machine.
    pub outfit: Outfit,
    /// Who begins it.
    pub person: String,
}

/// The rows of a run, and the place in the log that they stand for.
#[derive(Debug, Clone)]
pub struct Shown {
    /// The place of the last event among all runs.
    pub position: Position,
    /// Its place in the run.
    pub sequence: Sequence,
    /// The rows as they were then, shared with the run's loop.
    pub views: Arc<Views>,
}

/// What becomes of the agents when the server stops.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub enum AfterStop {
    /// They go on, and are found again.
    #[serde(rename = "leave")]
    LeaveWorking,
    /// Their processes end; their tasks go on with the next start.
    #[serde(rename = "end")]
    EndSessions,
}

/// All runs of one data directory.
#[derive(Clone)]
pub struct Host {
    shared: Arc<Shared>,
}

/// What every run's loop needs too.
pub(crate) struct Shared {
    pub(crate) data: PathBuf,
    pub(crate) log: Arc<dyn Log>,
    pub(crate) sessions: Sessions,
    pub(crate) news: broadcast::Sender<Arc<Published>>,
    pub(crate) disk: Disk,
    pub(crate) ports: PortBook,
    runs: Mutex<Runs>,
}

#[derive(Default)]
struct Runs {
    going: BTreeMap<RunId, Going>,
    is_stopping: bool,
}

struct Going {
    mail: SyncSender<Mail>,
    thread: JoinHandle<()>,
    taken_up: TakenUp,
}

/// What came of taking a run up: its log is read by its own thread, which may take a while. Empty until that is over.
type TakenUp = Arc<OnceLock<Result<(), Arc<HostError>>>>;

impl Shared {
    /// Returns the folder of a run.
    pub(crate) fn folder(&self, run: &RunId) -> PathBuf {
        self.data.join("runs").join(run.as_str())
    }

    /// Remembers whether a run is over. Only a hint: what counts is the log.
    pub(crate) fn note_over(&self, run: &RunId, is_over: bool) {
        let path = self.folder(run).join(OVER);
        let _ = if is_over { fs::write(path, "") } else { fs::remove_file(path) };
    }

    /// Tells everybody who listens. That nobody does is no mistake.
    pub(crate) fn publish(&self, news: Published) {
        drop(self.news.send(Arc::new(news)));
    }
}

impl Host {
    /// Opens a data directory, and takes up every run that is not over; each does so by itself, beside whoever asks.
    pub fn open(data: &Path) -> Result<Self, HostError> {
        let failed = |source| HostError::Io { action: "make", path: data.to_owned(), source };
        fs::create_dir_all(data.join("runs")).map_err(failed)?;
        let data = data.canonicalize().map_err(failed)?;
        let log: Arc<dyn Log> = Arc::new(SqliteLog::open(&data)?);
        let sessions = Sessions::open(&data)?;
        let (news, _) = broadcast::channel(NEWS_MAX);
        let (disk, ports, runs) = (Disk::default(), PortBook::default(), Mutex::default());
        let host = Self { shared: Arc::new(Shared { data, log, sessions, news, disk, ports, runs }) };
        let with_desks = runs_with_desks(&host.shared.data);
        for head in host.shared.log.runs()? {
            // A server that was killed when a run was over may have left desks, and those who sat there.
            if !host.is_over(&head.run) || with_desks.contains(&head.run) {
                // One that can't be taken up must not keep the others from going on; whoever asks for it is told.
                drop(host.mail(&head.run));
            }
        }
        Ok(host)
    }

    /// Returns the log behind all runs.
    pub fn log(&self) -> &Arc<dyn Log> {
        &self.shared.log
    }

    /// Returns the data directory.
    pub fn data(&self) -> &Path {
        &self.shared.data
    }

    /// Begins a run, and returns its name when that is recorded.
    pub fn start(&self, new: NewRun) -> Result<RunId, HostError> {
        if let Some(path) = new.outfit.leads_out() {
            return Err(HostError::LeadsOut { path: path.to_owned() });
        }
        let run = self.new_name()?;
        let folder = self.shared.folder(&run);
        let failed = |source| HostError::Io { action: "write", path: folder.clone(), source };
        new.outfit.write(&folder).map_err(failed)?;
        let NewRun { project, mut work, settings, team, person, outfit } = new;
        let worker = team.iter().find(|member| member.role == Role::Worker).map(|member| &member.name);
        Learned::read(&self.shared.data, &outfit.project).estimate(&mut work.tasks, worker);
        let command = Command::StartRun { project, work: Box::new(work), settings: Box::new(settings), team };
        match self.ask(&run, |reply| Mail::wish(Actor::Person(person), command, Some(reply))) {
            Ok(Ok(_)) => Ok(run),
            Ok(Err(error)) | Err(error) => {
                // Nothing of it has happened.
                self.forget(&run);
                let _ = fs::remove_dir_all(&folder);
                Err(error)
            }
        }
    }

    /// Decides on a person's wish. Returns when what follows is durable.
    pub fn wish(&self, run: &RunId, person: &str, command: Command) -> Result<Sequence, HostError> {
        let actor = Actor::Person(person.to_owned());
        self.ask(run, |reply| Mail::wish(actor, command, Some(reply)))?
    }

    /// Returns the rows of a run as they are now.
    pub fn rows(&self, run: &RunId) -> Result<Shown, HostError> {
        if !self.runs().going.contains_key(run) && self.is_over(run) {
            // An ended run needs no loop to be read.
            let mut kept = Kept::open(Arc::clone(&self.shared.log), run.clone())?;
            // A migration may have deleted its rows.
            kept.save()?;
            return Ok(shown(&kept));
        }
        self.ask(run, Mail::Rows)
    }

    /// Returns every run, the oldest first. One that is over is not opened for it, and one that can't be is left out.
    pub fn list(&self) -> Result<Vec<RunRow>, HostError> {
        let mut rows = Vec::new();
        for head in self.shared.log.runs()? {
            rows.extend(self.row_at(&head).ok());
        }
        rows.sort_by_key(|row| row.started_at);
        Ok(rows)
    }

    /// Returns how a run stands.
    pub fn row(&self, run: &RunId) -> Result<RunRow, HostError> {
        let head = self.shared.log.runs()?.into_iter().find(|head| head.run == *run);
        self.row_at(&head.ok_or_else(|| HostError::UnknownRun { run: run.clone() })?)
    }

    fn row_at(&self, head: &RunHead) -> Result<RunRow, HostError> {
        let is_open = self.runs().going.get(&head.run).is_some_and(|going| going.taken_up.get().is_some());
        // Nobody waits for a run that is being taken up, or need not be, where the row is as good.
        let saved = if is_open { None } else { self.saved_row(head)? };
        let is_over = || !self.runs().going.contains_key(&head.run) && self.is_over(&head.run);
        let row = match saved {
            Some(row) => Some(row),
            None if is_over() => self.rows(&head.run)?.views.rows().run.iter().next().cloned(),
            None => self.ask(&head.run, Mail::Row)?,
        };
        row.ok_or_else(|| HostError::UnknownRun { run: head.run.clone() })
    }

    /// Returns the row of a run as it was saved, where nothing happened since.
    fn saved_row(&self, head: &RunHead) -> Result<Option<RunRow>, HostError> {
        let log = &self.shared.log;
        if log.rows_position(&head.run)? != head.sequence {
            return Ok(None);
        }
        let row = log.row(&head.run, Kind::Run.name(), RUN_KEY)?;
        Ok(row.and_then(|row| serde_json::from_str(&row.json).ok()))
    }

    fn is_over(&self, run: &RunId) -> bool {
        self.shared.folder(run).join(OVER).exists()
    }

    /// Returns the news from now on.
    pub fn live(&self) -> broadcast::Receiver<Arc<Published>> {
        self.shared.news.subscribe()
    }

    /// Returns what a task has changed so far, as git shows it.
    pub fn diff(&self, run: &RunId, task: &TaskId) -> Result<String, HostError> {
        self.git(run)?.diff(task).map_err(HostError::from)
    }

    /// Brings what the gates of a run have let pass, or all that is merged, onto the branch that it started from.
    pub fn land(&self, run: &RunId, is_all: bool) -> Result<Landed, HostError> {
        let what = if is_all { Land::All } else { Land::Approved(approved(&self.rows(run)?.views)) };
        self.git(run)?.land_asked(&what).map_err(HostError::from)
    }

    /// Removes the worktrees of a run that nobody needs any more. What is in them is kept.
    pub fn clean(&self, run: &RunId) -> Result<Cleaned, HostError> {
        let shown = self.rows(run)?;
        let git = self.git(run)?;
        // A check that a killed server left there is taken up again, unless nobody waits for it any more.
        if self.is_over(run) || !world::is_room_taken(&self.shared.folder(run)) {
            git.remove_scratch()?;
        }
        Ok(git.clean(&shown.views))
    }

    /// Stops all loops, and returns when they have.
    pub fn stop(&self, agents: AfterStop) {
        let going = {
            let mut runs = self.runs();
            runs.is_stopping = true;
            std::mem::take(&mut runs.going)
        };
        for one in going.values() {
            // A loop that is gone needs no word.
            drop(one.mail.send(Mail::Stop(agents)));
        }
        for one in going.into_values() {
            // One that panicked has said so itself.
            drop(one.thread.join());
        }
    }

    /// Returns what a run needs of this machine.
    pub fn outfit(&self, run: &RunId) -> Result<Outfit, HostError> {
        let folder = self.shared.folder(run);
        Outfit::read(&folder).map_err(|source| HostError::Io { action: "read", path: folder, source })
    }

    /// Returns the sessions of all runs, and those that are no run's.
    pub(crate) fn sessions(&self) -> &Sessions {
        &self.shared.sessions
    }

    /// Returns the git of a run: the one that its own loop has, so that they take turns.
    fn git(&self, run: &RunId) -> Result<Git, HostError> {
        if let Some(git) = self.shared.disk.books.git(run) {
            return Ok(git);
        }
        let outfit = self.outfit(run)?;
        Git::open(&self.shared.data, run, &outfit)?.ok_or_else(|| HostError::InPlace { run: run.clone() })
    }

    fn runs(&self) -> MutexGuard<'_, Runs> {
        // What is inside is whole after each step.
        self.shared.runs.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Asks a run's loop for something.
    fn ask<T>(&self, run: &RunId, mail: impl FnOnce(SyncSender<T>) -> Mail) -> Result<T, HostError> {
        let (reply, answer) = sync_channel(1);
        let (way, taken_up) = self.mail(run)?;
        let answer = way.send(mail(reply)).ok().and_then(|()| answer.recv().ok());
        answer.ok_or_else(|| match taken_up.get() {
            Some(Err(error)) => HostError::NotTakenUp(Arc::clone(error)),
            Some(Ok(())) | None => HostError::Stopping,
        })
    }

    /// Returns the way to a run's loop, which is started if it is not there.
    fn mail(&self, run: &RunId) -> Result<(SyncSender<Mail>, TakenUp), HostError> {
        let mut runs = self.runs();
        if runs.is_stopping {
            return Err(HostError::Stopping);
        }
        if let Some(going) = runs.going.get(run).filter(|going| !going.thread.is_finished()) {
            return Ok((going.mail.clone(), Arc::clone(&going.taken_up)));
        }
        let folder = self.shared.folder(run);
        let outfit = Outfit::read(&folder).map_err(|source| match source.kind() {
            io::ErrorKind::NotFound => HostError::UnknownRun { run: run.clone() },
            _ => HostError::Io { action: "read", path: folder, source },
        })?;
        let (mail, inbox) = sync_channel(MAIL_MAX);
        let taken_up = TakenUp::default();
        let turning = {
            let (shared, run, mail) = (Arc::clone(&self.shared), run.clone(), mail.clone());
            let taken_up = Arc::clone(&taken_up);
            move || match take_up(shared, run, outfit, mail, inbox) {
                Ok(crank) => {
                    let _ = taken_up.set(Ok(()));
                    crank.turn();
                }
                // Whoever waits for an answer finds it there.
                Err(error) => drop(taken_up.set(Err(Arc::new(error)))),
            }
        };
        let thread = std::thread::Builder::new().name(format!("run-{run}")).spawn(turning);
        let thread = thread.map_err(|source| HostError::Io {
            action: "start a thread for",
            path: self.shared.folder(run),
            source,
        })?;
        runs.going.insert(run.clone(), Going { mail: mail.clone(), thread, taken_up: Arc::clone(&taken_up) });
        Ok((mail, taken_up))
    }

    fn forget(&self, run: &RunId) {
        let going = self.runs().going.remove(run);
        if let Some(going) = going {
            drop(going.mail.send(Mail::Stop(AfterStop::LeaveWorking)));
            drop(going.thread.join());
        }
    }

    /// Makes a name that no run has.
    fn new_name(&self) -> Result<RunId, HostError> {
        let failed =
            |source| HostError::Io { action: "name a run in", path: self.shared.data.clone(), source };
        loop {
            let mut bytes = [0; NAME_SIGNS];
            File::open("/dev/urandom").and_then(|mut file| file.read_exact(&mut bytes)).map_err(failed)?;
            let name: String = bytes.iter().map(|byte| sign(*byte)).collect();
            let run: RunId = format!("r{name}").parse().map_err(|error| failed(io::Error::other(error)))?;
            if fs::create_dir(self.shared.folder(&run)).is_ok() {
                return Ok(run);
            }
        }
    }
}

/// Returns the runs that have worktrees of sessions without a task.
fn runs_with_desks(data: &Path) -> BTreeSet<RunId> {
    let folders = fs::read_dir(data.join("worktrees")).into_iter().flatten().flatten();
    let run = |name: &str| name.split_once("-desk-")?.0.parse().ok();
    folders.filter_map(|entry| run(entry.file_name().to_str()?)).collect()
}

/// Reads a run's log, and makes its loop.
fn take_up(
    shared: Arc<Shared>,
    run: RunId,
    outfit: Outfit,
    mail: SyncSender<Mail>,
    inbox: Receiver<Mail>,
) -> Result<Crank, HostError> {
    let kept = Kept::open(Arc::clone(&shared.log), run)?;
    Crank::new(shared, kept, outfit, mail, inbox)
}

/// Letters and digits that nobody takes for one another.
fn sign(byte: u8) -> char {
    const SIGNS: &[u8; 32] = b"abcdefghjkmnpqrstuvwxyz234567890";
    SIGNS.get(usize::from(byte) % SIGNS.len()).copied().map_or('x', char::from)
}

pub(crate) fn shown(kept: &Kept) -> Shown {
    Shown { position: kept.position(), sequence: kept.run().sequence(), views: Arc::clone(kept.views()) }
}

impl From<WishError> for HostError {
    fn from(error: WishError) -> Self {
        match error {
            WishError::Rejected(rejection) => Self::Rejected(rejection),
            WishError::Store { source, .. } => Self::Store(source),
        }
    }
}

/// Returns the phases that somebody has let pass.
fn approved(views: &Views) -> Vec<PhaseNumber> {
    let gates = views.rows().gates.iter();
    gates.filter(|gate| gate.state == GateState::Approved).map(|gate| gate.phase).collect()
}
