//! Files that only their owner can read, written as a whole or not at all.

use std::{
    fs::{self, File, OpenOptions},
    io::{self, Read, Write},
    os::unix::fs::{MetadataExt, OpenOptionsExt},
    path::{Path, PathBuf},
};

use rustix::process::geteuid;
use zeroize::Zeroizing;

use crate::error::VaultError;

/// Size limit of a file of the vault.
const BYTES_MAX: u64 = 64 << 20;
/// Permissions of the group and of other users.
const FOREIGN_BITS: u32 = 0o077;

/// Reads a file; `None` if it does not exist. Refuses a file that other users could read or replace.
pub(crate) fn read(path: &Path) -> Result<Option<Zeroizing<Vec<u8>>>, VaultError> {
    let failed = |source| VaultError::Io { action: "read", path: path.to_owned(), source };
    let not_private = |problem| VaultError::NotPrivate { path: path.to_owned(), problem };
    match fs::symlink_metadata(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(failed(error)),
        Ok(metadata) if !metadata.is_file() => return Err(not_private("it is not a plain file")),
        Ok(_) => {}
    }
    let file = File::open(path).map_err(failed)?;
    let metadata = file.metadata().map_err(failed)?;
    if metadata.uid() != geteuid().as_raw() {
        return Err(not_private("it belongs to another user"));
    }
    if metadata.mode() & FOREIGN_BITS != 0 {
        return Err(not_private("other users can open it; run chmod 600"));
    }
    if metadata.len() > BYTES_MAX {
        return Err(VaultError::Malformed { path: path.to_owned(), problem: "it is too large".to_owned() });
    }
    // Sized in advance: a vector that grows leaves copies in freed memory.
    let size = usize::try_from(metadata.len()).unwrap_or(0);
    let mut bytes = Zeroizing::new(Vec::with_capacity(size + 1));
    file.take(BYTES_MAX).read_to_end(&mut bytes).map_err(failed)?;
    Ok(Some(bytes))
}

/// Replaces a file. After a crash it has the old content or the new one.
pub(crate) fn replace(path: &Path, bytes: &[u8]) -> Result<(), VaultError> {
    let failed = |source| VaultError::Io { action: "write", path: path.to_owned(), source };
    let temporary = temporary_path(path);
    // One that a crash left could have another mode.
    match fs::remove_file(&temporary) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(failed(error)),
        Ok(()) | Err(_) => {}
    }
    let mut file =
        OpenOptions::new().write(true).create_new(true).mode(0o600).open(&temporary).map_err(failed)?;
    file.write_all(bytes).and_then(|()| file.sync_all()).map_err(failed)?;
    fs::rename(&temporary, path).map_err(failed)?;
    let folder = path.parent().unwrap_or(Path::new("."));
    File::open(folder).and_then(|folder| folder.sync_all()).map_err(failed)
}

fn temporary_path(path: &Path) -> PathBuf {
    path.with_extension("new")
}
