//! The sessions below a data directory: starts them, and finds them again by name, also after Jangdan was killed.

use std::{
    collections::BTreeMap,
    env,
    error::Error,
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
    mask::Secret,
    protocol::{LaunchSpec, Reply, Request, ResourceLimits, SessionPhase, SessionStatus, StdioAttachment},
    spool::Exit,
    status,
};
use serde::{Deserialize, Serialize};
use tracing::{debug, info, warn};

use crate::{
    error::SessionError,
    holder_program::holder_program,
    launch::AgentLaunch,
    own_program::own_program,
    sandbox::{
        self, PreparedSandbox, Sandbox, SandboxContext, SandboxError, SandboxReport, remove_temporary_folder,
    },
    secrets::agent_secrets,
};

/// Written before the agent starts.
const METADATA_FILE: &str = "about.json";
/// Time allowed for a holder's reply. It replies at once unless the machine is overloaded.
const REPLY_TIMEOUT: Duration = Duration::from_secs(10);
/// Time that descendants of an agent get to end after the agent has ended.
const LEFTOVER_GRACE: Duration = Duration::from_millis(500);
/// Time allowed for a holder to start. It takes a millisecond unless the machine is overloaded.
const START_MS_MAX: i64 = 5_000;
/// Time allowed for a holder to reply that has already created its socket.
const LISTENING_MS_MAX: i64 = 1000;
/// Time allowed for the creator of a session's folder to write `about.json`.
const METADATA_TIMEOUT: Duration = Duration::from_secs(1);
const METADATA_POLL_INTERVAL: Duration = Duration::from_millis(20);
/// The random part of a key. Enough against quoted messages; a program could read the key from the environment.
const KEY_RANDOM_CHARS: usize = 4;
/// Leaves room for a number at the end of the name.
const NAME_STEM_CHARS_MAX: usize = 40;
/// When memory runs out, the kernel kills an agent before other programs of its user.
const OOM_SCORE: u16 = 500;
/// Usual limit of the output of a process. Days of work of a talkative agent write less.
pub const OUTPUT_BYTES_MAX: u64 = 1 << 30;

/// All sessions below a data directory.
#[derive(Debug, Clone)]
pub struct Sessions {
    data: PathBuf,
    root: PathBuf,
    /// Holders started by this process. After its exit, each stays a zombie until it is waited for.
    holders: Arc<Mutex<Vec<Child>>>,
}

/// A new session.
#[derive(Debug, Clone)]
pub struct StartRequest {
    /// If none, the name is derived from the command.
    pub name: Option<String>,
    /// The program and its arguments.
    pub command: Vec<OsString>,
    /// The working directory.
    pub directory: PathBuf,
    pub attachment: StdioAttachment,
    /// Added to the environment of this process.
    pub environment: BTreeMap<OsString, OsString>,
    /// The limit for all processes of the session together.
    pub memory_bytes_max: Option<u64>,
    /// Output after which the agent is ended; `None` for the usual limit.
    pub output_bytes_max: Option<u64>,
    pub sandbox: Sandbox,
    /// Values that are masked in the output, in addition to those of variables whose names mark a secret.
    pub secrets: Vec<Secret>,
    /// The agent, if the session has a driver.
    pub agent: Option<AgentLaunch>,
}

/// The content of `about.json`. Sessions outlive Jangdan: the serialized names must not change.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct SessionMetadata {
    /// The command line, for people.
    pub command: Vec<String>,
    /// The working directory.
    pub directory: PathBuf,
    pub started_at: Timestamp,
    pub has_terminal: bool,
    /// The key that marks messages as the agent's own.
    pub key: SessionKey,
    /// The boot id of the machine at the start, if available.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub boot: Option<String>,
    /// `None` if no sandbox was requested.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sandbox: Option<SandboxReport>,
    /// The temporary folder of a sandboxed process.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub temporary: Option<PathBuf>,
    /// The agent, if the session has a driver.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent: Option<Box<AgentLaunch>>,
}

impl SessionMetadata {
    /// Returns whether a sandbox confines the process, at least partly.
    pub fn is_sandboxed(&self) -> bool {
        self.sandbox.as_ref().is_some_and(|report| report.state != sandbox::Enforcement::NotAvailable)
    }
}

/// A session and its state at the time of the lookup.
#[derive(Debug, Clone)]
pub struct SessionEntry {
    pub name: String,
    /// The session's folder, with the spool.
    pub directory: PathBuf,
    pub metadata: SessionMetadata,
    pub state: SessionState,
}

/// The state of a session.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SessionState {
    /// The holder runs.
    Alive(SessionStatus),
    Ended {
        exit: Exit,
        /// The total output in bytes.
        offset: u64,
    },
    /// The holder does not reply yet.
    Starting,
    /// The holder was killed, so the exit status is unknown.
    Lost,
}

impl Sessions {
    /// Opens the sessions below a data directory. Creates their folder if it does not exist.
    pub fn open(data: &Path) -> Result<Self, SessionError> {
        let root = data.join("sessions");
        let created = fs::DirBuilder::new().recursive(true).mode(0o700).create(&root);
        created.map_err(|source| SessionError::Io { action: "create", path: root.clone(), source })?;
        Ok(Self { data: data.to_owned(), root, holders: Arc::default() })
    }

    /// Starts a session. It outlives this process.
    pub fn start(&self, start: &StartRequest) -> Result<SessionEntry, SessionError> {
        let key = new_key().map_err(|source| SessionError::Io {
            action: "create a key for a session in",
            path: self.root.clone(),
            source,
        })?;
        self.start_with_key(start, key)
    }

    /// Starts a session with an existing key, for an agent that continues its session in a new process.
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
        self.add_session_variables(&mut environment, &key);
        environment.extend(start.environment.clone());
        let temporary = sandbox::create_private_folders(&start.sandbox, &mut environment, &start.environment)
            .map_err(sandbox_error)?;
        let sandbox = self.prepare_sandbox(start, &environment)?;

        let name = self.reserve_name(start)?;
        let directory = self.root.join(&name);
        let command = match &sandbox {
            Some(sandbox) => sandbox.wrap(&start.command, &directory),
            None => Ok(start.command.clone()),
        };
        let command = command.map_err(|source| {
            remove_unused_folder(&directory);
            SessionError::Io { action: "sandbox", path: directory.clone(), source }
        })?;
        let mut command = command.into_iter();
        let launch = LaunchSpec {
            session: process_tag(&name, &key),
            command: command.next().unwrap_or_default(),
            arguments: command.collect(),
            secrets: agent_secrets(&start.secrets, &start.environment, &environment),
            environment: environment.into_iter().collect(),
            directory: start.directory.clone(),
            attachment: start.attachment,
            limits: ResourceLimits {
                memory_bytes_max: start.memory_bytes_max,
                time_max: None,
                end_grace: END_GRACE,
                oom_score: OOM_SCORE,
                output_bytes_max: Some(start.output_bytes_max.unwrap_or(OUTPUT_BYTES_MAX)),
            },
            cgroup_parent: holder::delegated_cgroup(),
            leftover_grace: LEFTOVER_GRACE,
            temporary: temporary.path().map(Path::to_owned),
        };
        // Written before the agent starts, because the agent's helper commands read it.
        let metadata = SessionMetadata {
            command: start.command.iter().map(|part| part.to_string_lossy().into_owned()).collect(),
            directory: start.directory.clone(),
            started_at: now(),
            boot: boot_id(),
            has_terminal: matches!(start.attachment, StdioAttachment::Terminal(_)),
            key,
            sandbox: sandbox.map(|sandbox| sandbox.report),
            temporary: temporary.path().map(Path::to_owned),
            agent: start.agent.clone().map(Box::new),
        };
        write_metadata(&directory, &metadata)?;
        match holder::launch_session(&program, &directory, &launch) {
            Ok(launched) => {
                self.reap_holders(Some(launched.holder));
                temporary.keep();
                let program = metadata.command.first();
                info!(process = name, program, directory = %metadata.directory.display(), "process started");
                Ok(SessionEntry { name, directory, metadata, state: SessionState::Alive(JUST_STARTED) })
            }
            Err(source) => {
                // The agent may have started before its holder was killed.
                kill_orphans(&directory, &process_tag(&name, &metadata.key), REPLY_TIMEOUT);
                remove_unused_folder(&directory);
                let program = metadata.command.first();
                warn!(process = name, program, error = &source as &dyn Error, "cannot start the process");
                Err(SessionError::Holder { name, source })
            }
        }
    }

    /// Reaps the holders that have ended.
    fn reap_holders(&self, started: Option<Child>) {
        // The list is consistent after every step, so a panic elsewhere does not matter.
        let mut holders = self.holders.lock().unwrap_or_else(PoisonError::into_inner);
        holders.extend(started);
        holders.retain_mut(|holder| matches!(holder.try_wait(), Ok(None)));
    }

    /// Returns all sessions, the oldest first.
    pub fn list(&self) -> Result<Vec<SessionEntry>, SessionError> {
        let mut entries: Vec<SessionEntry> =
            self.names()?.into_iter().filter_map(|name| self.read_listed_entry(name)).collect();
        entries.sort_by_key(|session| session.metadata.started_at);
        Ok(entries)
    }

    /// Finds a session by its name or by an unambiguous prefix of it.
    pub fn find(&self, name: &str) -> Result<SessionEntry, SessionError> {
        if let Some(session) = self.find_exactly(name)? {
            return Ok(session);
        }
        let known = self.names()?;
        let mut matches: Vec<String> =
            known.iter().filter(|known| known.starts_with(name)).cloned().collect();
        match matches.len() {
            1 => self.read_entry(matches.remove(0)),
            0 => Err(SessionError::Unknown { name: name.to_owned(), known }),
            _ => Err(SessionError::Ambiguous { name: name.to_owned(), known: matches }),
        }
    }

    /// Finds a session by its complete name.
    pub fn find_exactly(&self, name: &str) -> Result<Option<SessionEntry>, SessionError> {
        self.reap_holders(None);
        let exists = is_name(name) && self.exists(name);
        exists.then(|| self.read_entry(name.to_owned())).transpose()
    }

    /// Connects to the holder of a running session.
    pub fn connect(&self, session: &SessionEntry) -> Result<HolderConnection, SessionError> {
        HolderConnection::connect(&session.directory).map_err(|source| match source {
            ClientError::HolderNotRunning { .. } => SessionError::NotRunning { name: session.name.clone() },
            source @ ClientError::Io { .. }
            | source @ ClientError::InsecureDirectory { .. }
            | source @ ClientError::Closed
            | source @ ClientError::TimedOut
            | source @ ClientError::Refused(_)
            | source @ ClientError::Malformed
            | source @ ClientError::FrameTooLarge(_)
            | source @ ClientError::RequestTooLong { .. }
            | source @ ClientError::TooManyPendingReplies => {
                SessionError::Holder { name: session.name.clone(), source }
            }
        })
    }

    /// Sends a request to a session's holder, and returns the reply.
    pub fn request(
        &self,
        session: &SessionEntry,
        request: &Request,
        time_max: Duration,
    ) -> Result<Reply, SessionError> {
        let failed = |source| SessionError::Holder { name: session.name.clone(), source };
        match self.connect(session)?.request(request, time_max) {
            Ok(Reply::Refused(refusal)) => Err(failed(ClientError::Refused(refusal))),
            Ok(reply) => Ok(reply),
            // The holder exited before it replied; the request may be the reason.
            Err(ClientError::Closed) => Err(SessionError::NotRunning { name: session.name.clone() }),
            Err(source) => Err(failed(source)),
        }
    }

    /// Kills the remaining processes of a lost session, and returns their number.
    pub fn kill_orphans(&self, session: &SessionEntry) -> usize {
        let tag = process_tag(&session.name, &session.metadata.key);
        let killed = kill_orphans(&session.directory, &tag, REPLY_TIMEOUT).killed;
        session.metadata.temporary.iter().for_each(|path| remove_temporary_folder(path));
        warn!(process = session.name, killed, "the holder is gone; its remaining processes were killed");
        killed
    }

    /// Kills the processes of sessions whose folders are missing, by the start of their names. Returns their number.
    ///
    /// The names must be unique on the machine, since the keys of the sessions are lost.
    pub fn kill_unlisted(&self, name_prefix: &str) -> usize {
        let killed = holder::kill_orphans_by_prefix(name_prefix, REPLY_TIMEOUT).killed;
        if killed > 0 {
            warn!(
                prefix = name_prefix,
                killed, "the folders of sessions are missing; their processes were killed"
            );
        }
        killed
    }

    /// Deletes the folder of an ended session, including its output.
    pub fn remove(&self, session: &SessionEntry) -> Result<(), SessionError> {
        fs::remove_dir_all(&session.directory).map_err(|source| SessionError::Io {
            action: "remove",
            path: session.directory.clone(),
            source,
        })
    }

    /// Adds the variables of a session, and the folder of the helper commands to `PATH`.
    fn add_session_variables(&self, environment: &mut BTreeMap<OsString, OsString>, key: &SessionKey) {
        let bin = self.data.join("bin");
        if let Ok(own) = own_program() {
            update_program_link(&own, &bin.join("jangdan"));
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

    /// Prepares the sandbox, before anything of the session is created.
    fn prepare_sandbox(
        &self,
        start: &StartRequest,
        environment: &BTreeMap<OsString, OsString>,
    ) -> Result<Option<PreparedSandbox>, SessionError> {
        let program = start.command.first().map(OsString::as_os_str).unwrap_or_default();
        let command = &start.command;
        let context = SandboxContext { data: &self.data, directory: &start.directory, command, environment };
        let prepared = sandbox::prepare(&start.sandbox, &context).map_err(sandbox_error)?;
        // Behind the sandboxing program, the holder would not notice a missing program.
        if prepared.is_some() && !program_exists(program, &start.directory, environment) {
            warn!(process = start.name, program = %program.display(), "cannot start the process: its program is missing");
            return Err(SessionError::NoProgram { program: program.into() });
        }
        Ok(prepared)
    }

    pub(crate) fn folder(&self, name: &str) -> PathBuf {
        self.root.join(name)
    }

    /// Returns the key of a session; `None` if there is no such session.
    pub(crate) fn read_key(&self, name: &str) -> Option<SessionKey> {
        is_name(name).then(|| read_metadata(&self.folder(name)).ok()).flatten().map(|metadata| metadata.key)
    }

    pub(crate) fn names(&self) -> Result<Vec<String>, SessionError> {
        let failed = |source| SessionError::Io { action: "list", path: self.root.clone(), source };
        let mut names = Vec::new();
        for entry in fs::read_dir(&self.root).map_err(failed)? {
            let entry = entry.map_err(failed)?;
            if let Ok(name) = entry.file_name().into_string()
                && self.exists(&name)
            {
                names.push(name);
            }
        }
        names.sort();
        Ok(names)
    }

    /// Returns whether there may be a session.
    pub fn has_any(&self) -> bool {
        // A folder that cannot be read may contain some.
        fs::read_dir(&self.root).map_or(true, |mut entries| entries.next().is_some())
    }

    fn exists(&self, name: &str) -> bool {
        self.root.join(name).join(METADATA_FILE).exists()
    }

    /// Creates the folder of a new session, which reserves its name.
    fn reserve_name(&self, start: &StartRequest) -> Result<String, SessionError> {
        if let Some(name) = &start.name {
            if !is_name(name) {
                return Err(SessionError::BadName { name: name.clone() });
            }
            let is_reserved = self.create_folder(name)? || self.take_over_abandoned(name)?;
            return if is_reserved {
                Ok(name.clone())
            } else {
                Err(SessionError::NameInUse { name: name.clone() })
            };
        }
        let program = start.command.first().map(PathBuf::from).unwrap_or_default();
        let stem = program.file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default();
        let stem: String =
            stem.chars().filter(|character| is_name_char(*character)).take(NAME_STEM_CHARS_MAX).collect();
        let stem = if stem.is_empty() { "session".to_owned() } else { stem };
        for number in 1_u32.. {
            let name = format!("{stem}-{number}");
            if self.create_folder(&name)? {
                return Ok(name);
            }
        }
        Err(SessionError::BadName { name: stem })
    }

    fn create_folder(&self, name: &str) -> Result<bool, SessionError> {
        let path = self.root.join(name);
        match fs::DirBuilder::new().mode(0o700).create(&path) {
            Ok(()) => Ok(true),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(false),
            Err(source) => Err(SessionError::Io { action: "create", path, source }),
        }
    }

    /// Takes over a folder whose creator was killed before it wrote `about.json`.
    fn take_over_abandoned(&self, name: &str) -> Result<bool, SessionError> {
        let path = self.root.join(name);
        let deadline = Instant::now() + METADATA_TIMEOUT;
        // A creator that is still running writes the file in a moment.
        while !path.join(METADATA_FILE).exists() {
            if Instant::now() >= deadline {
                let removed = fs::remove_dir_all(&path);
                removed.map_err(|source| SessionError::Io { action: "remove", path, source })?;
                return self.create_folder(name);
            }
            thread::sleep(METADATA_POLL_INTERVAL);
        }
        Ok(false)
    }

    /// Reads a session of a list; `None` if it was removed meanwhile or cannot be read.
    fn read_listed_entry(&self, name: String) -> Option<SessionEntry> {
        let entry = self.read_entry(name.clone());
        entry
            .inspect_err(|error| {
                debug!(process = name, error = error as &dyn Error, "the session is not listed")
            })
            .ok()
    }

    fn read_entry(&self, name: String) -> Result<SessionEntry, SessionError> {
        let directory = self.root.join(&name);
        let metadata = read_metadata(&directory)?;
        let age_ms = now().0.saturating_sub(metadata.started_at.0);
        let state = match read_session_state(&directory) {
            // The holder was killed before it wrote its status.
            SessionState::Starting if age_ms > holder_start_ms_max(&directory) => SessionState::Lost,
            state @ SessionState::Alive(_)
            | state @ SessionState::Ended { .. }
            | state @ SessionState::Starting
            | state @ SessionState::Lost => state,
        };
        Ok(SessionEntry { name, directory, metadata, state })
    }
}

/// Returns the time allowed for a holder to reply after its start: less if it has created its socket already.
fn holder_start_ms_max(directory: &Path) -> i64 {
    if directory.join(SOCKET_NAME).exists() { LISTENING_MS_MAX } else { START_MS_MAX }
}

/// The status of a session at its start. Asking the holder would double the time of a start.
const JUST_STARTED: SessionStatus = SessionStatus {
    phase: SessionPhase::Running,
    agent_pid: None,
    offset: 0,
    inputs_accepted: 0,
    inputs_written: 0,
    is_disk_full: false,
    exit: None,
};

fn read_session_state(directory: &Path) -> SessionState {
    let alive = HolderConnection::connect(directory).ok().and_then(|mut connection| {
        match connection.request(&Request::Status, REPLY_TIMEOUT) {
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

fn sandbox_error(error: SandboxError) -> SessionError {
    match error {
        SandboxError::Required(reason) => SessionError::NoSandbox { reason },
        SandboxError::Path { path, source } => SessionError::Io { action: "allow", path, source },
    }
}

/// Removes the folder of a session that did not start. If it remains, its name is taken over by the next start.
fn remove_unused_folder(directory: &Path) {
    if let Err(error) = fs::remove_dir_all(directory) {
        warn!(folder = %directory.display(), error = &error as &dyn Error, "cannot remove the folder of a session");
    }
}

/// Returns whether a program exists where the system will look for it.
fn program_exists(program: &OsStr, directory: &Path, environment: &BTreeMap<OsString, OsString>) -> bool {
    let name = Path::new(program);
    if name.components().count() > 1 || name.is_absolute() {
        return directory.join(name).exists();
    }
    let path = environment.get(OsStr::new("PATH")).cloned().unwrap_or_default();
    env::split_paths(&path).any(|folder| directory.join(folder).join(name).exists())
}

/// Returns the tag that all processes of a session carry in `JANGDAN_SESSION`. The key distinguishes sessions of the
/// same name below different data directories.
pub(crate) fn process_tag(name: &str, key: &SessionKey) -> String {
    format!("{name}.{key}")
}

/// Returns the name of the session that a process tag belongs to.
pub fn session_name_from_tag(tag: &str) -> &str {
    tag.rsplit_once('.').map_or(tag, |(name, _)| name)
}

/// Points a symbolic link at this program. On failure the agent has no helper commands, and everything else works.
fn update_program_link(program: &Path, link: &Path) {
    let is_current = || fs::read_link(link).is_ok_and(|target| target == program);
    if is_current() {
        return;
    }
    let new = link.with_file_name(format!(".link-{}", std::process::id()));
    let updated = symlink(program, &new).and_then(|()| fs::rename(&new, link));
    // Another thread may have updated it at the same time.
    if let Err(error) = updated
        && !is_current()
    {
        warn!(link = %link.display(), error = &error as &dyn Error, "agents have no helper commands");
    }
}

/// Creates a random key of letters and digits, easy to type.
fn new_key() -> io::Result<SessionKey> {
    const CHARS: &[u8] = b"abcdefghjkmnpqrstuvwxyz23456789";
    let mut random = [0; KEY_RANDOM_CHARS];
    File::open("/dev/urandom")?.read_exact(&mut random)?;
    let to_char = |byte: &u8| CHARS.get(usize::from(*byte) % CHARS.len()).copied().map_or('x', char::from);
    let chars: String = random.iter().map(to_char).collect();
    format!("k{chars}7").parse().map_err(io::Error::other)
}

fn is_name_char(character: char) -> bool {
    character.is_ascii_alphanumeric() || matches!(character, '-' | '_' | '.')
}

fn is_name(name: &str) -> bool {
    (1..=64).contains(&name.len()) && name.chars().all(is_name_char) && !name.starts_with('.')
}

fn read_metadata(directory: &Path) -> Result<SessionMetadata, SessionError> {
    let path = directory.join(METADATA_FILE);
    let read = fs::read(&path).and_then(|text| serde_json::from_slice(&text).map_err(io::Error::from));
    read.map_err(SessionError::io_error_mapper("read", &path))
}

fn write_metadata(directory: &Path, metadata: &SessionMetadata) -> Result<(), SessionError> {
    let path = directory.join(METADATA_FILE);
    let text = serde_json::to_vec(metadata).map_err(io::Error::from);
    text.and_then(|text| replace_file(&path, &text)).map_err(SessionError::io_error_mapper("write", &path))
}

/// Replaces a file atomically: readers see the old or the new content, also if the writer is killed.
pub(crate) fn replace_file(path: &Path, content: &[u8]) -> io::Result<()> {
    let new = path.with_extension("new");
    let mut file = fs::OpenOptions::new().write(true).create(true).truncate(true).mode(0o600).open(&new)?;
    file.write_all(content)?;
    fs::rename(&new, path)
}

/// Returns the boot id, which changes with each start of the machine; `None` if the system has none.
pub fn boot_id() -> Option<String> {
    fs::read_to_string("/proc/sys/kernel/random/boot_id").ok().map(|id| id.trim().to_owned())
}

pub(crate) fn now() -> Timestamp {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    Timestamp(i64::try_from(since.as_millis()).unwrap_or(i64::MAX))
}
