//! The socket in the data directory. Only its owner has access, and the socket of a running server is never replaced.

use std::{
    error::Error,
    fs, io,
    os::unix::{
        fs::{FileTypeExt, MetadataExt, PermissionsExt},
        net::UnixStream,
    },
    path::{Path, PathBuf},
};

use store::StoreError;
use tokio::net::{UnixListener, UnixSocket};
use tracing::warn;

const SOCKET_FILE: &str = "server.sock";
/// Clients that may wait to be accepted.
const BACKLOG: u32 = 128;
/// Length limit of a socket path: the size of the system's field without the terminating zero.
const PATH_BYTES_MAX: usize = if cfg!(target_os = "linux") { 107 } else { 103 };

/// Why a server cannot start.
#[derive(Debug, thiserror::Error)]
pub enum ServerError {
    #[error("the socket path {} has {} bytes; the system allows {PATH_BYTES_MAX}", .path.display(), .path.as_os_str().len())]
    PathTooLong { path: PathBuf },
    #[error("a server already listens on {}", .path.display())]
    AlreadyListening { path: PathBuf },
    #[error("{} exists and is not a socket", .path.display())]
    NotASocket { path: PathBuf },
    #[error("cannot listen on {}", .path.display())]
    Listen { path: PathBuf, source: io::Error },
    /// Port 0 means any free port.
    #[error("cannot listen on 127.0.0.1:{port}")]
    Port { port: u16, source: io::Error },
    #[error("cannot read or write the token in {}", .path.display())]
    Token { path: PathBuf, source: io::Error },
    #[error("cannot read the log")]
    Store(#[from] StoreError),
    #[error("cannot start the thread of the server")]
    Thread(#[source] io::Error),
}

impl ServerError {
    /// Returns what to do next.
    pub fn hint(&self) -> &'static str {
        match self {
            Self::PathTooLong { .. } => "use a data directory with a shorter path: --data or JANGDAN_DATA",
            Self::AlreadyListening { .. } => "use that server, or stop it first",
            Self::NotASocket { .. } => "check the file and move it away",
            Self::Listen { .. } => "check the permissions of the data directory and its disk",
            Self::Port { .. } => {
                "set another port in the configuration (server.port); 0 selects any free port"
            }
            Self::Token { .. } => "check the permissions of the data directory",
            Self::Store(_) => "check the data directory and its disk",
            Self::Thread(_) => "check the limit of processes and threads: ulimit -u",
        }
    }
}

/// Returns the socket path of a data directory.
pub fn socket_path(data: &Path) -> Result<PathBuf, ServerError> {
    let path = data.join(SOCKET_FILE);
    if path.as_os_str().len() > PATH_BYTES_MAX {
        return Err(ServerError::PathTooLong { path });
    }
    Ok(path)
}

/// The file of a bound socket. Removed when dropped.
pub(crate) struct SocketFile {
    path: PathBuf,
    /// Identity of the file, so that only this one is removed.
    file: Option<(u64, u64)>,
}

impl SocketFile {
    /// Listens in a data directory. The caller must hold its lock.
    pub(crate) fn listen(data: &Path) -> Result<(Self, UnixListener), ServerError> {
        let path = socket_path(data)?;
        remove_stale_socket(&path)?;
        let failed = |source| ServerError::Listen { path: path.clone(), source };
        let socket = UnixSocket::new_stream().map_err(failed)?;
        socket.bind(&path).map_err(failed)?;
        let socket_file = Self { file: file_id(&path), path: path.clone() };
        // No client can connect before `listen`, so the permissions are set in time.
        fs::set_permissions(&path, fs::Permissions::from_mode(0o600)).map_err(failed)?;
        let listener = socket.listen(BACKLOG).map_err(failed)?;
        Ok((socket_file, listener))
    }
}

impl SocketFile {
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }
}

impl Drop for SocketFile {
    fn drop(&mut self) {
        if self.file.is_some() && file_id(&self.path) == self.file {
            // If this fails, the next server removes it.
            if let Err(error) = fs::remove_file(&self.path) {
                warn!(socket = %self.path.display(), error = &error as &dyn Error, "cannot remove the socket");
            }
        }
    }
}

/// Removes a socket without a listening server.
fn remove_stale_socket(path: &Path) -> Result<(), ServerError> {
    let failed = |source| ServerError::Listen { path: path.to_owned(), source };
    let metadata = match fs::symlink_metadata(path) {
        Ok(metadata) => metadata,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        Err(error) => return Err(failed(error)),
    };
    if !metadata.file_type().is_socket() {
        return Err(ServerError::NotASocket { path: path.to_owned() });
    }
    match UnixStream::connect(path) {
        Ok(_) => Err(ServerError::AlreadyListening { path: path.to_owned() }),
        Err(error) if error.kind() == io::ErrorKind::ConnectionRefused => {
            fs::remove_file(path).map_err(failed)
        }
        Err(error) => Err(failed(error)),
    }
}

/// Returns device and inode of a file; `None` if it does not exist.
pub(crate) fn file_id(path: &Path) -> Option<(u64, u64)> {
    let metadata = fs::symlink_metadata(path).ok()?;
    Some((metadata.dev(), metadata.ino()))
}
