//! Sessions that live by themselves: a folder for each, found again by name after everything else has died.

use std::{
    collections::BTreeMap,
    env,
    ffi::{OsStr, OsString},
    fs::{self, File},
    io::{self, Read, Write},
    os::unix::fs::{DirBuilderExt, OpenOptionsExt, symlink},
    path::{Path, PathBuf},
    process::Child,
    sync::{Arc, Mutex, PoisonError},
    thread,
    time::{Duration, Instant, SystemTime, UNIX_EPOCH},
};

use domain::{SessionKey, Timestamp};
use holder::{
    ClientError, END_GRACE, HolderConnection, SOCKET_NAME, kill_orphans,
    protocol::{Attachment, LaunchSpec, Reply, Request, ResourceLimits, SessionPhase, SessionStatus},
    spool::Exit,
    status,
};
use serde::{Deserialize, Serialize};

use crate::{
    error::SessionError,
    holder_program::holder_program,
    launch::AgentLaunch,
    sandbox::{self, Prepared, Sandbox, SandboxError, SandboxReport, Surroundings},
    secrets::agent_secrets,
};

/// What is known of a session from its start on.
const METADATA_FILE: &str = "about.json";
/// How long a holder may take to answer. It answers at once; a machine can be very busy.
const ANSWER_MAX: Duration = Duration::from_secs(10);
/// How long the descendants of an agent that has ended may go on.
const LEFTOVER_GRACE: Duration = Duration::from_millis(500);
/// How long a holder may take to say its first word. It takes a millisecond; a machine can be very busy.
const STARTING_MS_MAX: i64 = 5_000;
/// How long one that listens already may take to answer.
const ANSWERING_MS_MAX: i64 = 1000;
/// How long whoever makes a session's folder may take to write down whose it is.
const MAKING_MAX: Duration = Duration::from_secs(1);
/// How often it is looked whether that is done.
const MAKING_LOOK: Duration = Duration::from_millis(20);
/// How much of a key is chance. It stops quotations, not programs: those can read the environment.
const KEY_SIGNS: usize = 4;
/// Leaves room for a number behind it.
const NAME_STEM_MAX: usize = 40;
/// An agent is ended before the programs of its user when memory runs out.
const OOM_SCORE: u16 = 500;

/// All sessions below a data directory.
#[derive(Debug, Clone)]
pub struct Sessions {
    data: PathBuf,
    root: PathBuf,
    /// The holders that were started here and not yet seen to have ended. The system keeps a dead one until its starter
    /// has asked about it.
    holders: Arc<Mutex<Vec<Child>>>,
}

/// What to start.
#[derive(Debug, Clone)]
pub struct StartRequest {
    /// The session's name; without one it is called after its command.
    pub name: Option<String>,
    /// The command and its arguments.
    pub command: Vec<OsString>,
    /// Where it starts.
    pub directory: PathBuf,
    /// How it is connected.
    pub attachment: Attachment,
    /// Variables beside those of our own environment.
    pub environment: BTreeMap<OsString, OsString>,
    /// What all its processes may need together.
    pub memory_bytes_max: Option<u64>,
    /// How it is kept in.
    pub sandbox: Sandbox,
    /// Which agent it is, where it is one that a driver speaks with.
    pub agent: Option<AgentLaunch>,
}

/// What is known of a session from its start on.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct SessionMetadata {
    /// The command line, for people.
    pub command: Vec<String>,
    /// Where it was started.
    pub directory: PathBuf,
    /// When it was started.
    pub started_at: Timestamp,
    /// Whether it has a terminal.
    pub has_terminal: bool,
    /// The word by which it shows that a message is its own.
    pub key: SessionKey,
    /// The boot of the machine that it was started in, if the system tells.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub boot: Option<String>,
    /// How it is kept in, where somebody wished it to be.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sandbox: Option<SandboxReport>,
    /// Which agent it is, where it is one that a driver speaks with.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent: Option<Box<AgentLaunch>>,
}

/// A session that was found.
#[derive(Debug, Clone)]
pub struct SessionEntry {
    /// Its name.
    pub name: String,
    /// Its folder, with the spool.
    pub directory: PathBuf,
    /// What is known from its start on.
    pub metadata: SessionMetadata,
    /// How it is.
    pub state: SessionState,
}

/// How a session is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SessionState {
    /// It lives.
    Alive(SessionStatus),
    /// It ended, like this.
    Ended {
        /// How its process ended.
        exit: Exit,
        /// How many bytes it wrote.
        offset: u64,
    },
    /// It is about to begin.
    Starting,
    /// Its holder was killed, and nobody knows how it ended.
    Lost,
}

impl Sessions {
    /// Opens the sessions below a data directory, and makes their folder where there is none.
    pub fn open(data: &Path) -> Result<Self, SessionError> {
        let root = data.join("sessions");
        let made = fs::DirBuilder::new().recursive(true).mode(0o700).create(&root);
        made.map_err(|source| SessionError::Io { action: "make", path: root.clone(), source })?;
        Ok(Self { data: data.to_owned(), root, holders: Arc::default() })
    }

    /// Starts a session, which lives on when we end.
    pub fn start(&self, start: &StartRequest) -> Result<SessionEntry, SessionError> {
        let key = new_key().map_err(|source| SessionError::Io {
            action: "make a key for a session in",
            path: self.root.clone(),
            source,
        })?;
        self.start_with_key(start, key)
    }

    /// Starts a session whose agent knows its key already: one that goes on where another process of it ended.
    pub fn start_with_key(
        &self,
        start: &StartRequest,
        key: SessionKey,
    ) -> Result<SessionEntry, SessionError> {
        let program = holder_program(&self.data).map_err(|source| SessionError::Io {
            action: "write the holder below",
            path: self.data.clone(),
            source,
        })?;
        let mut environment: BTreeMap<OsString, OsString> = env::vars_os().collect();
        self.introduce(&mut environment, &key);
        environment.extend(start.environment.clone());
        let sandbox = self.prepare_sandbox(start, &environment)?;

        let name = self.claim(start)?;
        let directory = self.root.join(&name);
        let command = match &sandbox {
            Some(sandbox) => sandbox.wrap(&start.command, &directory),
            None => Ok(start.command.clone()),
        };
        let command = command.map_err(|source| {
            let _ = fs::remove_dir_all(&directory);
            SessionError::Io { action: "sandbox", path: directory.clone(), source }
        })?;
        let mut command = command.into_iter();
        let launch = LaunchSpec {
            session: mark(&name, &key),
            command: command.next().unwrap_or_default(),
            arguments: command.collect(),
            secrets: agent_secrets(&start.environment, &environment),
            environment: environment.into_iter().collect(),
            directory: start.directory.clone(),
            attachment: start.attachment,
            limits: ResourceLimits {
                memory_bytes_max: start.memory_bytes_max,
                time_max: None,
                end_grace: END_GRACE,
                oom_score: OOM_SCORE,
            },
            cgroup_parent: holder::delegated_cgroup(),
            leftover_grace: LEFTOVER_GRACE,
        };
        // Before the agent can ask for it.
        let metadata = SessionMetadata {
            command: start.command.iter().map(|part| part.to_string_lossy().into_owned()).collect(),
            directory: start.directory.clone(),
            started_at: now(),
            boot: boot_id(),
            has_terminal: matches!(start.attachment, Attachment::Terminal(_)),
            key,
            sandbox: sandbox.map(|sandbox| sandbox.report),
            agent: start.agent.clone().map(Box::new),
        };
        write_metadata(&directory, &metadata)?;
        match holder::launch_session(&program, &directory, &launch) {
            Ok(launched) => {
                self.ask_about_holders(Some(launched.holder));
                Ok(SessionEntry { name, directory, metadata, state: SessionState::Alive(JUST_STARTED) })
            }
            Err(source) => {
                // One whose holder was killed as it began may have begun; nothing of it is kept.
                kill_orphans(&directory, &mark(&name, &metadata.key), ANSWER_MAX);
                let _ = fs::remove_dir_all(&directory);
                Err(SessionError::Holder { name, source })
            }
        }
    }

    /// Lets the system forget the holders that have ended.
    fn ask_about_holders(&self, started: Option<Child>) {
        // What is inside is whole after each step.
        let mut holders = self.holders.lock().unwrap_or_else(PoisonError::into_inner);
        holders.extend(started);
        holders.retain_mut(|holder| matches!(holder.try_wait(), Ok(None)));
    }

    /// Returns all sessions, the oldest first.
    pub fn list(&self) -> Result<Vec<SessionEntry>, SessionError> {
        let mut found: Vec<SessionEntry> =
            self.names()?.into_iter().filter_map(|name| self.look(name).ok()).collect();
        found.sort_by_key(|session| session.metadata.started_at);
        Ok(found)
    }

    /// Finds a session by its name, or by the beginning of it where that is enough.
    pub fn find(&self, name: &str) -> Result<SessionEntry, SessionError> {
        if let Some(found) = self.find_exactly(name)? {
            return Ok(found);
        }
        let known = self.names()?;
        let mut meant: Vec<String> = known.iter().filter(|known| known.starts_with(name)).cloned().collect();
        match meant.len() {
            1 => self.look(meant.remove(0)),
            0 => Err(SessionError::Unknown { name: name.to_owned(), known }),
            _ => Err(SessionError::Ambiguous { name: name.to_owned(), known: meant }),
        }
    }

    /// Finds a session by its whole name, however many there are.
    pub fn find_exactly(&self, name: &str) -> Result<Option<SessionEntry>, SessionError> {
        self.ask_about_holders(None);
        let is_there = is_name(name) && self.is_there(name);
        is_there.then(|| self.look(name.to_owned())).transpose()
    }

    /// Connects to a session that lives.
    pub fn connect(&self, found: &SessionEntry) -> Result<HolderConnection, SessionError> {
        HolderConnection::connect(&found.directory).map_err(|source| match source {
            ClientError::HolderNotRunning { .. } => SessionError::Over { name: found.name.clone() },
            source => SessionError::Holder { name: found.name.clone(), source },
        })
    }

    /// Asks a session's holder for something.
    pub fn request(
        &self,
        found: &SessionEntry,
        request: &Request,
        time_max: Duration,
    ) -> Result<Reply, SessionError> {
        let failed = |source| SessionError::Holder { name: found.name.clone(), source };
        match self.connect(found)?.request(request, time_max) {
            Ok(Reply::Refused(refusal)) => Err(failed(ClientError::Refused(refusal))),
            Ok(reply) => Ok(reply),
            // It said goodbye before it answered: what was asked for may have ended it.
            Err(ClientError::Closed) => Err(SessionError::Over { name: found.name.clone() }),
            Err(source) => Err(failed(source)),
        }
    }

    /// Ends what a lost session left behind, and returns how many processes that were.
    pub fn kill_orphans(&self, found: &SessionEntry) -> usize {
        kill_orphans(&found.directory, &mark(&found.name, &found.metadata.key), ANSWER_MAX).killed
    }

    /// Removes a session that is over, with everything it wrote.
    pub fn remove(&self, found: &SessionEntry) -> Result<(), SessionError> {
        fs::remove_dir_all(&found.directory).map_err(|source| SessionError::Io {
            action: "remove",
            path: found.directory.clone(),
            source,
        })
    }

    /// Tells a session where it is, and puts our helper commands on its path.
    fn introduce(&self, environment: &mut BTreeMap<OsString, OsString>, key: &SessionKey) {
        let bin = self.data.join("bin");
        if let Ok(own) = env::current_exe() {
            link(&own, &bin.join("jangdan"));
        }
        let path = environment.get(OsStr::new("PATH")).cloned().unwrap_or_default();
        let parts = std::iter::once(bin).chain(env::split_paths(&path));
        if let Ok(path) = env::join_paths(parts) {
            environment.insert("PATH".into(), path);
        }
        environment.insert("JANGDAN_PROTOCOL".into(), "1".into());
        environment.insert("JANGDAN_DATA".into(), self.data.clone().into());
        environment.insert("JANGDAN_KEY".into(), key.as_str().into());
    }

    /// Finds out how a session can be kept in, before there is anything of it.
    fn prepare_sandbox(
        &self,
        start: &StartRequest,
        environment: &BTreeMap<OsString, OsString>,
    ) -> Result<Option<Prepared>, SessionError> {
        let program = start.command.first().map(OsString::as_os_str).unwrap_or_default();
        let around = Surroundings { data: &self.data, directory: &start.directory, program, environment };
        let prepared = sandbox::prepare(&start.sandbox, &around).map_err(|error| match error {
            SandboxError::Required(reason) => SessionError::NoSandbox { reason },
            SandboxError::Path { path, source } => SessionError::Io { action: "allow", path, source },
        })?;
        // The holder sees a program that is missing, but not behind the one that restricts itself.
        if prepared.is_some() && !is_there(program, &start.directory, environment) {
            return Err(SessionError::NoProgram { program: program.into() });
        }
        Ok(prepared)
    }

    fn names(&self) -> Result<Vec<String>, SessionError> {
        let failed = |source| SessionError::Io { action: "list", path: self.root.clone(), source };
        let mut names = Vec::new();
        for entry in fs::read_dir(&self.root).map_err(failed)? {
            let entry = entry.map_err(failed)?;
            if let Ok(name) = entry.file_name().into_string()
                && self.is_there(&name)
            {
                names.push(name);
            }
        }
        names.sort();
        Ok(names)
    }

    fn is_there(&self, name: &str) -> bool {
        self.root.join(name).join(METADATA_FILE).exists()
    }

    /// Makes the folder of a new session: whoever makes it has the name.
    fn claim(&self, start: &StartRequest) -> Result<String, SessionError> {
        if let Some(name) = &start.name {
            if !is_name(name) {
                return Err(SessionError::BadName { name: name.clone() });
            }
            let is_ours = self.make_folder(name)? || self.take_abandoned(name)?;
            return if is_ours { Ok(name.clone()) } else { Err(SessionError::Taken { name: name.clone() }) };
        }
        let program = start.command.first().map(PathBuf::from).unwrap_or_default();
        let stem = program.file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default();
        let stem: String = stem.chars().filter(|sign| is_sign(*sign)).take(NAME_STEM_MAX).collect();
        let stem = if stem.is_empty() { "session".to_owned() } else { stem };
        for number in 1_u32.. {
            let name = format!("{stem}-{number}");
            if self.make_folder(&name)? {
                return Ok(name);
            }
        }
        Err(SessionError::BadName { name: stem })
    }

    fn make_folder(&self, name: &str) -> Result<bool, SessionError> {
        let path = self.root.join(name);
        match fs::DirBuilder::new().mode(0o700).create(&path) {
            Ok(()) => Ok(true),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(false),
            Err(source) => Err(SessionError::Io { action: "make", path, source }),
        }
    }

    /// Takes a folder over whose maker was killed before it wrote anything down.
    fn take_abandoned(&self, name: &str) -> Result<bool, SessionError> {
        let path = self.root.join(name);
        let deadline = Instant::now() + MAKING_MAX;
        // Whoever makes one now writes it down in a moment.
        while !path.join(METADATA_FILE).exists() {
            if Instant::now() >= deadline {
                let emptied = fs::remove_dir_all(&path);
                emptied.map_err(|source| SessionError::Io { action: "remove", path, source })?;
                return self.make_folder(name);
            }
            thread::sleep(MAKING_LOOK);
        }
        Ok(false)
    }

    fn look(&self, name: String) -> Result<SessionEntry, SessionError> {
        let directory = self.root.join(&name);
        let metadata = read_metadata(&directory)?;
        let age_ms = now().0.saturating_sub(metadata.started_at.0);
        let state = match state(&directory) {
            // Its holder was killed before it could say anything.
            SessionState::Starting if age_ms > starting_ms_max(&directory) => SessionState::Lost,
            state => state,
        };
        Ok(SessionEntry { name, directory, metadata, state })
    }
}

/// Returns how long a holder may say nothing. One that listened and does not answer was there already.
fn starting_ms_max(directory: &Path) -> i64 {
    if directory.join(SOCKET_NAME).exists() { ANSWERING_MS_MAX } else { STARTING_MS_MAX }
}

/// How a session is in the moment of its start: asking the holder again would double the time it takes.
const JUST_STARTED: SessionStatus = SessionStatus {
    phase: SessionPhase::Running,
    agent_pid: None,
    offset: 0,
    inputs_accepted: 0,
    inputs_written: 0,
    is_disk_full: false,
    exit: None,
};

fn state(directory: &Path) -> SessionState {
    let alive = HolderConnection::connect(directory).ok().and_then(|mut connection| {
        match connection.request(&Request::Status, ANSWER_MAX) {
            Ok(Reply::Status(status)) if status.phase != SessionPhase::Ended => Some(status),
            _ => None,
        }
    });
    if let Some(status) = alive {
        return SessionState::Alive(status);
    }
    match status::read(directory).ok().flatten().map(|summary| summary.exit) {
        Some(Some(ended)) => SessionState::Ended { exit: ended.exit, offset: ended.offset },
        Some(None) => SessionState::Lost,
        None => SessionState::Starting,
    }
}

/// Whether a program is where the system will look for it.
fn is_there(program: &OsStr, directory: &Path, environment: &BTreeMap<OsString, OsString>) -> bool {
    let name = Path::new(program);
    if name.components().count() > 1 || name.is_absolute() {
        return directory.join(name).exists();
    }
    let path = environment.get(OsStr::new("PATH")).cloned().unwrap_or_default();
    env::split_paths(&path).any(|folder| directory.join(folder).join(name).exists())
}

/// Returns the mark that all processes of a session carry. The key makes it unlike that of a session of the same name
/// below another data directory, whose processes must not be taken for this one's.
fn mark(name: &str, key: &SessionKey) -> String {
    format!("{name}.{key}")
}

/// Returns the name of the session that a mark is of.
pub fn session_name_from_tag(mark: &str) -> &str {
    mark.rsplit_once('.').map_or(mark, |(name, _)| name)
}

/// Points a link at our own program. One that can't be made leaves the agent without helpers, and nothing worse.
fn link(program: &Path, link: &Path) {
    if fs::read_link(link).is_ok_and(|target| target == program) {
        return;
    }
    let new = link.with_file_name(format!(".link-{}", std::process::id()));
    if symlink(program, &new).is_ok() {
        let _ = fs::rename(&new, link);
    }
}

/// Makes a key that nobody guesses and everybody can type: letters and digits, both of them.
fn new_key() -> io::Result<SessionKey> {
    const SIGNS: &[u8] = b"abcdefghjkmnpqrstuvwxyz23456789";
    let mut random = [0; KEY_SIGNS];
    File::open("/dev/urandom")?.read_exact(&mut random)?;
    let sign = |byte: &u8| SIGNS.get(usize::from(*byte) % SIGNS.len()).copied().map_or('x', char::from);
    let signs: String = random.iter().map(sign).collect();
    format!("k{signs}7").parse().map_err(io::Error::other)
}

fn is_sign(sign: char) -> bool {
    sign.is_ascii_alphanumeric() || matches!(sign, '-' | '_' | '.')
}

fn is_name(name: &str) -> bool {
    (1..=64).contains(&name.len()) && name.chars().all(is_sign) && !name.starts_with('.')
}

fn read_metadata(directory: &Path) -> Result<SessionMetadata, SessionError> {
    let path = directory.join(METADATA_FILE);
    let read = fs::read(&path).and_then(|text| serde_json::from_slice(&text).map_err(io::Error::from));
    read.map_err(SessionError::io("read", &path))
}

fn write_metadata(directory: &Path, metadata: &SessionMetadata) -> Result<(), SessionError> {
    let path = directory.join(METADATA_FILE);
    let text = serde_json::to_vec(metadata).map_err(io::Error::from);
    text.and_then(|text| replace_file(&path, &text)).map_err(SessionError::io("write", &path))
}

/// Writes a file so that a reader finds the old content or the new one, also when the writer is killed.
pub(crate) fn replace_file(path: &Path, content: &[u8]) -> io::Result<()> {
    let new = path.with_extension("new");
    let mut file = fs::OpenOptions::new().write(true).create(true).truncate(true).mode(0o600).open(&new)?;
    file.write_all(content)?;
    fs::rename(&new, path)
}

/// Returns an id that changes with each start of the machine, if the system tells.
pub fn boot_id() -> Option<String> {
    fs::read_to_string("/proc/sys/kernel/random/boot_id").ok().map(|id| id.trim().to_owned())
}

pub(crate) fn now() -> Timestamp {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    Timestamp(i64::try_from(since.as_millis()).unwrap_or(i64::MAX))
}
