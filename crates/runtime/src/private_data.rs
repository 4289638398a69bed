//! Keeps the data directory private: it has sockets, output of agents and settings, which other users must not read.

use std::{
    fs, io,
    os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt, PermissionsExt},
    path::{Path, PathBuf},
};

use rustix::process::geteuid;
use tracing::warn;

use crate::HostError;

const DIRECTORY_MODE: u32 = 0o700;
const FILE_MODE: u32 = 0o600;
/// Permissions of the group and of other users.
const FOREIGN_BITS: u32 = 0o077;

/// Creates a data directory that only its owner can open, and returns its canonical path.
///
/// Takes away permissions of other users from an existing one, and refuses one that belongs to another user.
pub(crate) fn open_private_directory(path: &Path) -> Result<PathBuf, HostError> {
    let failed = |action| move |source| HostError::Io { action, path: path.to_owned(), source };
    create_private_directory(path).map_err(failed("create"))?;
    let path_found = path.canonicalize().map_err(failed("open"))?;
    let metadata = fs::metadata(&path_found).map_err(failed("open"))?;
    if metadata.uid() != geteuid().as_raw() {
        return Err(HostError::ForeignDirectory { path: path_found, owner: metadata.uid() });
    }
    if metadata.mode() & FOREIGN_BITS != 0 {
        let mode = fs::Permissions::from_mode(metadata.mode() & !FOREIGN_BITS);
        fs::set_permissions(&path_found, mode).map_err(failed("take permissions of other users from"))?;
        warn!(
            path = %path_found.display(),
            mode = format!("{:04o}", metadata.mode() & 0o7777),
            "other users could open the data directory; their permissions were removed"
        );
    }
    Ok(path_found)
}

/// Creates a data directory as [`open_private_directory`] does, for a program that opens no runs.
pub fn create_data_directory(path: &Path) -> Result<(), HostError> {
    open_private_directory(path).map(drop)
}

/// Creates a folder and its parents, as far as they are missing, for their owner only.
pub(crate) fn create_private_directory(path: &Path) -> io::Result<()> {
    fs::DirBuilder::new().recursive(true).mode(DIRECTORY_MODE).create(path)
}

/// Writes a file that only its owner can read.
pub(crate) fn write_private_file(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let options = fs::OpenOptions::new().write(true).create(true).truncate(true).mode(FILE_MODE).to_owned();
    let mut file = options.open(path)?;
    // The mode does not apply to an existing file.
    file.set_permissions(fs::Permissions::from_mode(FILE_MODE))?;
    io::Write::write_all(&mut file, bytes)?;
    file.sync_all()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Host;

    fn mode(path: &Path) -> u32 {
        fs::metadata(path).unwrap().mode() & 0o777
    }

    #[test]
    fn the_data_directory_and_the_log_are_private_also_if_they_were_not() {
        let folder = tempfile::tempdir().unwrap();
        let data = folder.path().join("new/data");
        drop(Host::open(&data).unwrap());
        let log = data.join(store::LOG_FILE);
        assert_eq!((mode(&data), mode(&data.join("runs")), mode(&log)), (0o700, 0o700, 0o600));
        fs::set_permissions(&data, fs::Permissions::from_mode(0o755)).unwrap();
        fs::set_permissions(&log, fs::Permissions::from_mode(0o644)).unwrap();
        drop(Host::open(&data).unwrap());
        assert_eq!((mode(&data), mode(&log)), (0o700, 0o600));
    }

    #[test]
    fn a_data_directory_of_another_user_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let data = folder.path().join("data");
        fs::create_dir(&data).unwrap();
        // Only root can give files away.
        if !geteuid().is_root() {
            return;
        }
        std::os::unix::fs::chown(&data, Some(12_345), None).unwrap();
        let error = Host::open(&data).err().unwrap();
        assert!(matches!(error, HostError::ForeignDirectory { owner: 12_345, .. }), "{error}");
        assert!(fs::read_dir(&data).unwrap().next().is_none(), "nothing was written");
    }
}
