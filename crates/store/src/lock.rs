//! One server per data directory: an advisory lock that dies with its process.
//!
//! The file stays when the lock is gone; only the lock counts.

use std::{
    fs::{File, OpenOptions, TryLockError},
    io::{Read, Write},
    path::Path,
};

use crate::StoreError;

/// The name of the lock file.
pub const LOCK_FILE: &str = "log.lock";

/// Keeps other processes out as long as it lives.
#[derive(Debug)]
pub struct DirectoryLock {
    _file: File,
}

impl DirectoryLock {
    /// Takes the lock of a directory, or says who has it.
    pub fn take(directory: &Path) -> Result<Self, StoreError> {
        let path = directory.join(LOCK_FILE);
        let failed = |error| StoreError::locking(&path, error);
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
                // Who holds it is a courtesy: without it the error still says what is wrong.
                let read = file.read_to_string(&mut text);
                let holder = read.ok().and_then(|_| text.trim().parse().ok());
                return Err(StoreError::Locked { path, holder });
            }
            Err(TryLockError::Error(error)) => return Err(failed(error)),
        }
        // As wide as the widest, so that nothing is to be cut off: that can wait for everything else that the disk does.
        let line = format!("{:<10}\n", std::process::id());
        file.write_all(line.as_bytes()).map_err(failed)?;
        Ok(Self { _file: file })
    }
}
