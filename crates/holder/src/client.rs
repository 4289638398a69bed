//! The client's side: starts a holder, or connects to one that lives, and speaks with it.
//!
//! Blocking with deadlines. Who has an event loop waits on [`AsFd::as_fd`] and calls [`Connection::try_receive`], or
//! takes `protocol` alone and does the IO itself.

mod connection;

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
        FRAME_BYTES_MAX, Launch, Refusal, Reply, Request, Started, TooLarge, VERSION_MAX, VERSION_MIN,
    },
};

pub use connection::Connection;

/// How long a holder may take to answer at the start. It takes about a millisecond; a machine can be very busy.
const START_MAX: Duration = Duration::from_secs(20);

/// How long to wait before a program is started again that somebody has open.
const BUSY_PAUSE: Duration = Duration::from_millis(5);

/// Why a client and a holder do not come together.
#[derive(Debug, thiserror::Error)]
pub enum ClientError {
    /// A file, a socket or a process could not be used.
    #[error("{action} {}", .path.display())]
    Io {
        /// What was tried.
        action: &'static str,
        /// On what.
        path: PathBuf,
        /// Why it failed.
        source: io::Error,
    },
    /// Nobody listens: the session has ended, or its holder was killed.
    #[error("no holder lives in {}", .directory.display())]
    NoHolder {
        /// The session's folder.
        directory: PathBuf,
    },
    /// Others than we could reach into the session's folder.
    #[error("{} belongs to somebody else or is open to others: it must be ours with mode 0700", .directory.display())]
    Exposed {
        /// The session's folder.
        directory: PathBuf,
    },
    /// The holder has closed the connection.
    #[error("the holder closed the connection")]
    Closed,
    /// The holder did not answer in time.
    #[error("the holder did not answer in time")]
    TimedOut,
    /// The holder says no.
    #[error("the holder refuses")]
    Refused(#[source] Refusal),
    /// What came is no reply.
    #[error("the holder's reply can't be understood")]
    Malformed,
    /// What came is no frame.
    #[error("the holder's reply can't be understood")]
    TooLarge(#[source] TooLarge),
    /// What is to be sent does not fit into a frame: a very large environment, or a very long input.
    #[error("a request of {bytes} bytes: at most {FRAME_BYTES_MAX} are allowed")]
    TooLong {
        /// How long it would be.
        bytes: usize,
    },
    /// So many records came that the reply was not reached; ask on a connection without a subscription.
    #[error("too many records wait before the reply")]
    Flooded,
}

/// A session that was just started.
#[derive(Debug)]
pub struct Launched {
    /// The holder's process. It lives on when this is dropped; who lives longer should wait for it at the end.
    pub holder: Child,
    /// The first connection.
    pub connection: Connection,
    tag: u32,
}

impl Launched {
    /// Waits until the agent's process is there, and returns how it was started. Answers once.
    pub fn started(&mut self) -> Result<Started, ClientError> {
        match self.connection.wait_for(self.tag, Instant::now() + START_MAX)? {
            Reply::Started(started) => Ok(started),
            Reply::Refused(refusal) => Err(ClientError::Refused(refusal)),
            Reply::Hello(_)
            | Reply::Accepted
            | Reply::Done
            | Reply::Typed { .. }
            | Reply::Status(_)
            | Reply::Record(_)
            | Reply::Unknown { .. } => Err(ClientError::Malformed),
        }
    }
}

/// A holder that has no session yet.
///
/// Half of a start is the holder's own. Who keeps one ready pays only for the agent's when it is time. It ends when its
/// keeper does; one that is not needed any more is dismissed.
#[derive(Debug)]
pub struct Ready {
    holder: Child,
    connection: Connection,
    hello: u32,
}

impl Ready {
    /// Starts a holder. It leads a session of its own and, once it has an agent, survives its starter.
    pub fn start(program: &Path) -> Result<Self, ClientError> {
        let failed = |action| move |source| ClientError::Io { action, path: program.to_owned(), source };
        let (ours, theirs) = UnixStream::pair().map_err(failed("make a socket for"))?;
        let mut command = Command::new(program);
        command.env_clear().stdin(OwnedFd::from(theirs)).stdout(Stdio::null()).stderr(Stdio::null());
        let holder = spawn(&mut command).map_err(failed("start"))?;
        // It has the other end, and we would wait for ever for one that is gone.
        drop(command);
        let mut connection = Connection::new(ours, program)?;
        let hello = connection.send(&hello(None))?;
        Ok(Self { holder, connection, hello })
    }

    /// Makes it the holder of a new session, which starts the agent.
    ///
    /// `directory` becomes the session's folder; its parent must exist. If it fails, nothing of it is left. It returns when
    /// nothing is missing any more: the program was found, and terminal, spool and socket are there. A program that can't
    /// be run all the same says so in the session's output and ends with 126 or 127, as it would in a shell;
    /// [`Launched::started`] waits for the agent's process.
    pub fn launch(mut self, directory: &Path, launch: &Launch) -> Result<Launched, ClientError> {
        match self.try_launch(directory, launch) {
            Ok(tag) => Ok(Launched { holder: self.holder, connection: self.connection, tag }),
            Err(error) => {
                // One that refuses ends by itself. One that can't be understood may even have an agent by now, which hears
                // of the end by its terminal and carries the mark.
                if !matches!(error, ClientError::Refused(_)) {
                    let _ = self.holder.kill();
                }
                self.dismiss();
                Err(error)
            }
        }
    }

    fn try_launch(&mut self, directory: &Path, launch: &Launch) -> Result<u32, ClientError> {
        let failed = |action| move |source| ClientError::Io { action, path: directory.to_owned(), source };
        match DirBuilder::new().mode(0o700).create(directory) {
            Err(error) if error.kind() != io::ErrorKind::AlreadyExists => return Err(failed("make")(error)),
            Ok(()) | Err(_) => {}
        }
        check_private(directory)?;
        let deadline = Instant::now() + START_MAX;
        let absolute = std::path::absolute(directory).map_err(failed("find"))?;
        let start = Request::Start { directory: absolute, launch: Box::new(launch.clone()) };
        let tag = self.connection.send(&start)?;
        self.connection.greet(self.hello, deadline)?;
        match self.connection.wait_for(tag, deadline)? {
            Reply::Accepted => Ok(tag),
            Reply::Refused(refusal) => Err(ClientError::Refused(refusal)),
            Reply::Hello(_)
            | Reply::Started(_)
            | Reply::Done
            | Reply::Typed { .. }
            | Reply::Status(_)
            | Reply::Record(_)
            | Reply::Unknown { .. } => Err(ClientError::Malformed),
        }
    }

    /// Lets a holder go that is not needed, and waits until it is gone.
    pub fn dismiss(mut self) {
        drop(self.connection);
        let _ = self.holder.wait();
    }
}

/// Starts a holder for a new session and its agent with it. [`Ready`] does the same in two steps.
pub fn launch(program: &Path, directory: &Path, launch: &Launch) -> Result<Launched, ClientError> {
    Ready::start(program)?.launch(directory, launch)
}

/// Starts a program that may just have been written: whoever was forked meanwhile has it open until it is a program of its
/// own, which is a moment.
fn spawn(command: &mut Command) -> io::Result<Child> {
    let deadline = Instant::now() + START_MAX;
    loop {
        match command.spawn() {
            Err(error) if error.kind() == io::ErrorKind::ExecutableFileBusy && Instant::now() < deadline => {
                thread::sleep(BUSY_PAUSE);
            }
            spawned => return spawned,
        }
    }
}

fn hello(token: Option<Secret>) -> Request {
    Request::Hello { version_min: VERSION_MIN, version_max: VERSION_MAX, token }
}

/// Refuses a folder that others could have put something into.
fn check_private(directory: &Path) -> Result<(), ClientError> {
    let found = fs::metadata(directory).map_err(|source| {
        if source.kind() == io::ErrorKind::NotFound {
            ClientError::NoHolder { directory: directory.to_owned() }
        } else {
            ClientError::Io { action: "look at", path: directory.to_owned(), source }
        }
    })?;
    if found.uid() == rustix::process::geteuid().as_raw() && found.mode() & 0o077 == 0 {
        Ok(())
    } else {
        Err(ClientError::Exposed { directory: directory.to_owned() })
    }
}
