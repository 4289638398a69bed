//! The socket in the data directory: for its owner alone, and never taken from somebody who listens.

use std::{
    fs, io,
    os::unix::{
        fs::{FileTypeExt, MetadataExt, PermissionsExt},
        net::UnixStream,
    },
    path::{Path, PathBuf},
};

use store::StoreError;
use tokio::net::{UnixListener, UnixSocket};

/// The name of the socket.
const SOCKET_FILE: &str = "server.sock";
/// How many clients may wait to be let in.
const WAITING_MAX: u32 = 128;
/// How long the name of a socket can be: what the systems' own field takes, with a zero at its end.
const NAME_BYTES_MAX: usize = if cfg!(target_os = "linux") { 107 } else { 103 };

/// Why there is no server.
#[derive(Debug, thiserror::Error)]
pub enum ServerError {
    /// The socket's name is too long for the system.
    #[error("{} has {} bytes, and the name of a socket has {NAME_BYTES_MAX} at most", .path.display(), .path.as_os_str().len())]
    NameTooLong {
        /// The socket.
        path: PathBuf,
    },
    /// Somebody listens there.
    #[error("a server listens on {} already", .path.display())]
    Taken {
        /// The socket.
        path: PathBuf,
    },
    /// There is something else.
    #[error("{} is there, and is no socket", .path.display())]
    NoSocket {
        /// What is there.
        path: PathBuf,
    },
    /// The socket can't be made.
    #[error("listen on {}", .path.display())]
    Listen {
        /// The socket.
        path: PathBuf,
        /// Why not.
        source: io::Error,
    },
    /// The port can't be had.
    #[error("listen on 127.0.0.1:{port}")]
    Port {
        /// The port; 0 where any would do.
        port: u16,
        /// Why not.
        source: io::Error,
    },
    /// The token can't be read or written.
    #[error("keep a token in {}", .path.display())]
    Token {
        /// The data directory.
        path: PathBuf,
        /// Why not.
        source: io::Error,
    },
    /// The log can't be read.
    #[error("use the log")]
    Store(#[from] StoreError),
    /// The thread could not be started.
    #[error("start the server's thread")]
    Thread(#[source] io::Error),
}

impl ServerError {
    /// Returns what to do about it.
    pub fn hint(&self) -> &'static str {
        match self {
            Self::NameTooLong { .. } => "name a data directory with a shorter path: --data or JANGDAN_DATA",
            Self::Taken { .. } => "use that server, or stop it first",
            Self::NoSocket { .. } => "look at what it is, and move it away",
            Self::Listen { .. } => "check who may write the data directory, and the disk",
            Self::Port { .. } => {
                "name another port in the configuration, server.port; 0 takes any that is free"
            }
            Self::Token { .. } => "check who may read and write the data directory",
            Self::Store(_) => "look at the data directory and its disk",
            Self::Thread(_) => "check how many processes and threads you may have: ulimit -u",
        }
    }
}

/// Returns where the server of a data directory listens.
pub fn socket_path(data: &Path) -> Result<PathBuf, ServerError> {
    let path = data.join(SOCKET_FILE);
    if path.as_os_str().len() > NAME_BYTES_MAX {
        return Err(ServerError::NameTooLong { path });
    }
    Ok(path)
}

/// A socket that is listened on. Its file goes when this does.
pub struct Bound {
    path: PathBuf,
    /// Which file it is, so that only that one is removed.
    file: Option<(u64, u64)>,
}

impl Bound {
    /// Listens in a data directory. Only for whoever has its lock.
    pub fn listen(data: &Path) -> Result<(Self, UnixListener), ServerError> {
        let path = socket_path(data)?;
        make_room(&path)?;
        let failed = |source| ServerError::Listen { path: path.clone(), source };
        let socket = UnixSocket::new_stream().map_err(failed)?;
        socket.bind(&path).map_err(failed)?;
        let bound = Self { file: identity(&path), path: path.clone() };
        // Nobody can connect before it is listened on, so nobody can before this.
        fs::set_permissions(&path, fs::Permissions::from_mode(0o600)).map_err(failed)?;
        let listener = socket.listen(WAITING_MAX).map_err(failed)?;
        Ok((bound, listener))
    }
}

impl Drop for Bound {
    fn drop(&mut self) {
        if self.file.is_some() && identity(&self.path) == self.file {
            // One that stays is removed by the next server.
            let _ = fs::remove_file(&self.path);
        }
    }
}

/// Removes a socket on which nobody listens.
fn make_room(path: &Path) -> Result<(), ServerError> {
    let failed = |source| ServerError::Listen { path: path.to_owned(), source };
    let metadata = match fs::symlink_metadata(path) {
        Ok(metadata) => metadata,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        Err(error) => return Err(failed(error)),
    };
    if !metadata.file_type().is_socket() {
        return Err(ServerError::NoSocket { path: path.to_owned() });
    }
    match UnixStream::connect(path) {
        Ok(_) => Err(ServerError::Taken { path: path.to_owned() }),
        Err(error) if error.kind() == io::ErrorKind::ConnectionRefused => {
            fs::remove_file(path).map_err(failed)
        }
        Err(error) => Err(failed(error)),
    }
}

/// Returns which file it is, if there is one.
pub fn identity(path: &Path) -> Option<(u64, u64)> {
    let metadata = fs::symlink_metadata(path).ok()?;
    Some((metadata.dev(), metadata.ino()))
}
