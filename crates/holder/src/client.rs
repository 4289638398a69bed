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
    time::{Duration, Instant},
};

use crate::protocol::{Launch, Refusal, Reply, Request, Started, TooLarge};

pub use connection::Connection;

/// How long a holder may take to answer at the start. It takes about a millisecond; a machine can be very busy.
const START_MAX: Duration = Duration::from_secs(20);

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
    /// How the agent was started.
    pub started: Started,
}

/// Starts a holder for a new session and its agent with it.
///
/// `directory` becomes the session's folder; its parent must exist. The holder leads a session of its own and survives
/// its starter.
pub fn launch(program: &Path, directory: &Path, launch: &Launch) -> Result<Launched, ClientError> {
    let io = |action, path: &Path| {
        let path = path.to_owned();
        move |source| ClientError::Io { action, path, source }
    };
    match DirBuilder::new().mode(0o700).create(directory) {
        Err(error) if error.kind() != io::ErrorKind::AlreadyExists => {
            return Err(io("make", directory)(error));
        }
        Ok(()) | Err(_) => {}
    }
    let directory = fs::canonicalize(directory).map_err(io("find", directory))?;
    check_private(&directory)?;
    let (ours, theirs) = UnixStream::pair().map_err(io("make a socket for", &directory))?;
    let holder = Command::new(program)
        .arg(&directory)
        .env_clear()
        .stdin(OwnedFd::from(theirs))
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .map_err(io("start", program))?;
    let mut connection = Connection::new(ours, &directory)?;
    let deadline = Instant::now() + START_MAX;
    // Both at once: the holder wakes up a single time.
    let tag = connection.send_all(&[hello(), Request::Start(Box::new(launch.clone()))])?;
    connection.greet(tag.wrapping_sub(1), deadline)?;
    match connection.wait_for(tag, deadline)? {
        Reply::Started(started) => Ok(Launched { holder, connection, started }),
        Reply::Refused(refusal) => Err(ClientError::Refused(refusal)),
        Reply::Hello(_)
        | Reply::Done
        | Reply::Typed { .. }
        | Reply::Status(_)
        | Reply::Record(_)
        | Reply::Unknown { .. } => Err(ClientError::Malformed),
    }
}

fn hello() -> Request {
    Request::Hello { version_min: crate::protocol::VERSION_MIN, version_max: crate::protocol::VERSION_MAX }
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
