//! Allows one server per data directory, with advisory locks that end with its process.
//!
//! The directory itself is locked, so that a removed lock file does not admit a second server. The lock file names the
//! process; it remains after its lock is released, and is the only lock where the file system cannot lock directories.

use std::{
    fs::{File, OpenOptions, TryLockError},
    io::{Read, Write},
    path::Path,
};

use crate::StoreError;

pub(crate) const LOCK_FILE: &str = "log.lock";

/// Excludes other processes while it exists.
#[derive(Debug)]
pub(crate) struct DirectoryLock {
    _file: File,
    /// `None` if the file system cannot lock directories.
    _directory: Option<File>,
}

impl DirectoryLock {
    /// Locks a directory; fails with the process id of the current holder.
    pub(crate) fn take(directory: &Path) -> Result<Self, StoreError> {
        let path = directory.join(LOCK_FILE);
        let failed = |error| StoreError::from_lock_error(&path, error);
        let mut file = OpenOptions::new()
            .read(true)
            .write(true)
            .create(true)
            .truncate(false)
            .open(&path)
            .map_err(failed)?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => {
                let mut text = String::new();
                // The process id is optional: the error is clear without it.
                let read = file.read_to_string(&mut text);
                let holder = read.ok().and_then(|_| text.trim().parse().ok());
                return Err(StoreError::Locked { path, holder });
            }
            Err(TryLockError::Error(error)) => return Err(failed(error)),
        }
        let opened = File::open(directory).map_err(failed)?;
        let directory = match opened.try_lock() {
            Ok(()) => Some(opened),
            // The lock file was removed, and this one is new.
            Err(TryLockError::WouldBlock) => return Err(StoreError::Locked { path, holder: None }),
            Err(TryLockError::Error(_)) => None,
        };
        // Padded to a fixed width, so that the file need not be truncated, which could wait for the disk.
        let line = format!("{:<10}\n", std::process::id());
        file.write_all(line.as_bytes()).map_err(failed)?;
        Ok(Self { _file: file, _directory: directory })
    }
}
