//! Client side: starts a holder, or connects to a running one.
//!
//! Calls block with deadlines. An event loop can poll `HolderConnection::as_fd` and call [`HolderConnection::try_receive`], or
//! use `protocol` alone with its own IO.

mod holder_connection;

use std::{
    fs::{self, DirBuilder},
    io,
    os::{
        fd::OwnedFd,
        unix::{
            fs::{DirBuilderExt, MetadataExt},
            net::UnixStream,
        },
    },
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    thread,
    time::{Duration, Instant},
};

use crate::{
    mask::Secret,
    protocol::{
        FRAME_BYTES_MAX, FrameTooLarge, LaunchSpec, Refusal, Reply, Request, StartedAgent, VERSION_MAX,
        VERSION_MIN,
    },
};

pub use holder_connection::HolderConnection;

/// Usually takes about a millisecond; allows for a very busy machine.
const START_MAX: Duration = Duration::from_secs(20);

/// Delay before retrying to start a program file that is open for writing.
const BUSY_DELAY: Duration = Duration::from_millis(5);

/// A client could not communicate with a holder.
#[derive(Debug, thiserror::Error)]
pub enum ClientError {
    /// A file, socket or process operation failed.
    #[error("cannot {action} {}", .path.display())]
    Io {
        /// Verb that completes "cannot …".
        action: &'static str,
        /// Path of the file or folder.
        path: PathBuf,
        /// Error of the operating system.
        source: io::Error,
    },
    /// The session has ended, or its holder was killed.
    #[error("no holder is running in {}", .directory.display())]
    HolderNotRunning {
        /// Folder of the session.
        directory: PathBuf,
    },
    /// Other users could access the session's folder.
    #[error("{} must belong to the current user and have mode 0700", .directory.display())]
    InsecureDirectory {
        /// Folder of the session.
        directory: PathBuf,
    },
    /// The holder closed the connection.
    #[error("the holder closed the connection")]
    Closed,
    /// The holder did not answer in time.
    #[error("the holder did not answer in time")]
    TimedOut,
    /// The holder refused the request.
    #[error("the holder refused the request")]
    Refused(#[source] Refusal),
    /// The payload of the reply is malformed.
    #[error("malformed reply from the holder")]
    Malformed,
    /// The reply exceeds the frame limit.
    #[error("malformed reply from the holder")]
    FrameTooLarge(#[source] FrameTooLarge),
    /// The request exceeds the frame limit, for example with a very large environment or input.
    #[error("the request has {bytes} bytes, the limit is {FRAME_BYTES_MAX}")]
    RequestTooLong {
        /// Size of the encoded request.
        bytes: usize,
    },
    /// Too many records arrived before the reply; use a connection without a subscription.
    #[error("too many records arrived before the reply")]
    TooManyPendingReplies,
}

/// A session that was just started.
#[derive(Debug)]
pub struct LaunchedSession {
    /// The holder's process. Dropping this does not end it; a longer-living parent should wait for it.
    pub holder: Child,
    /// Connection used for the launch.
    pub connection: HolderConnection,
    tag: u32,
}

impl LaunchedSession {
    /// Waits until the agent's process exists, and returns how it was started. Call it once.
    pub fn wait_until_started(&mut self) -> Result<StartedAgent, ClientError> {
        match self.connection.wait_for_reply(self.tag, Instant::now() + START_MAX)? {
            Reply::Started(started) => Ok(started),
            Reply::Refused(refusal) => Err(ClientError::Refused(refusal)),
            Reply::Hello(_)
            | Reply::Accepted
            | Reply::Done
            | Reply::InputWritten { .. }
            | Reply::Status(_)
            | Reply::Record(_)
            | Reply::Unknown { .. } => Err(ClientError::Malformed),
        }
    }
}

/// A running holder without a session.
///
/// Starting the holder is half of the cost of a launch, so keeping one idle makes the next launch faster. It exits
/// when its parent does, or by [`IdleHolder::shut_down`].
#[derive(Debug)]
pub struct IdleHolder {
    holder: Child,
    connection: HolderConnection,
    hello: u32,
}

impl IdleHolder {
    /// Starts a holder. Once it has an agent, it survives its parent.
    pub fn start(program: &Path) -> Result<Self, ClientError> {
        let failed = |action| move |source| ClientError::Io { action, path: program.to_owned(), source };
        let (ours, theirs) = UnixStream::pair().map_err(failed("make a socket for"))?;
        let mut command = Command::new(program);
        command.env_clear().stdin(OwnedFd::from(theirs)).stdout(Stdio::null()).stderr(Stdio::null());
        let holder = spawn_with_retry(&mut command).map_err(failed("start"))?;
        // Drop our copy of its end, otherwise we would wait forever for a holder that is gone.
        drop(command);
        let mut connection = HolderConnection::new(ours, program)?;
        let hello = connection.send(&hello_request(None))?;
        Ok(Self { holder, connection, hello })
    }

    /// Starts an agent in a new session.
    ///
    /// `directory` becomes the session's folder; its parent must exist. On failure nothing is left. Returns when
    /// everything needed is available: the program was found, and terminal, spool and socket exist. A program that
    /// cannot be executed after all says so in the session's output and ends with 126 or 127, as in a shell;
    /// [`LaunchedSession::wait_until_started`] waits for the agent's process.
    pub fn launch(mut self, directory: &Path, launch: &LaunchSpec) -> Result<LaunchedSession, ClientError> {
        match self.request_launch(directory, launch) {
            Ok(tag) => Ok(LaunchedSession { holder: self.holder, connection: self.connection, tag }),
            Err(error) => {
                // A holder that refuses exits by itself. Otherwise it may already have an agent, which notices the
                // end of its terminal and can be found by the session variable.
                if !matches!(error, ClientError::Refused(_)) {
                    // Fails only if it has exited.
                    let _ = self.holder.kill();
                }
                self.shut_down();
                Err(error)
            }
        }
    }

    fn request_launch(&mut self, directory: &Path, launch: &LaunchSpec) -> Result<u32, ClientError> {
        let failed = |action| move |source| ClientError::Io { action, path: directory.to_owned(), source };
        match DirBuilder::new().mode(0o700).create(directory) {
            Err(error) if error.kind() != io::ErrorKind::AlreadyExists => return Err(failed("make")(error)),
            Ok(()) | Err(_) => {}
        }
        check_directory_is_private(directory)?;
        let deadline = Instant::now() + START_MAX;
        let absolute = std::path::absolute(directory).map_err(failed("find"))?;
        let start = Request::Start { directory: absolute, launch: Box::new(launch.clone()) };
        let tag = self.connection.send(&start)?;
        self.connection.receive_greeting(self.hello, deadline)?;
        match self.connection.wait_for_reply(tag, deadline)? {
            Reply::Accepted => Ok(tag),
            Reply::Refused(refusal) => Err(ClientError::Refused(refusal)),
            Reply::Hello(_)
            | Reply::Started(_)
            | Reply::Done
            | Reply::InputWritten { .. }
            | Reply::Status(_)
            | Reply::Record(_)
            | Reply::Unknown { .. } => Err(ClientError::Malformed),
        }
    }

    /// Ends an unused holder and waits until it has exited.
    pub fn shut_down(mut self) {
        drop(self.connection);
        // Fails only if something else has waited for it.
        let _ = self.holder.wait();
    }
}

/// Starts a holder and an agent in a new session. [`IdleHolder`] does the same in two steps.
pub fn launch_session(
    program: &Path,
    directory: &Path,
    launch: &LaunchSpec,
) -> Result<LaunchedSession, ClientError> {
    IdleHolder::start(program)?.launch(directory, launch)
}

/// Starts a program that was possibly just written: a process forked meanwhile keeps the file open for a moment.
fn spawn_with_retry(command: &mut Command) -> io::Result<Child> {
    let deadline = Instant::now() + START_MAX;
    loop {
        match command.spawn() {
            Err(error) if error.kind() == io::ErrorKind::ExecutableFileBusy && Instant::now() < deadline => {
                thread::sleep(BUSY_DELAY);
            }
            spawned => return spawned,
        }
    }
}

fn hello_request(token: Option<Secret>) -> Request {
    Request::Hello { version_min: VERSION_MIN, version_max: VERSION_MAX, token }
}

/// Fails if other users could have placed files in the folder.
fn check_directory_is_private(directory: &Path) -> Result<(), ClientError> {
    let metadata = fs::metadata(directory).map_err(|source| {
        if source.kind() == io::ErrorKind::NotFound {
            ClientError::HolderNotRunning { directory: directory.to_owned() }
        } else {
            ClientError::Io { action: "inspect", path: directory.to_owned(), source }
        }
    })?;
    if metadata.uid() == rustix::process::geteuid().as_raw() && metadata.mode() & 0o077 == 0 {
        Ok(())
    } else {
        Err(ClientError::InsecureDirectory { directory: directory.to_owned() })
    }
}
