//! What a person can do about a log that can't be read or written.

use std::error::Error;

use store::StoreError;

use crate::failure::Failure;

/// Turns an error of the store into words.
pub fn failure(error: StoreError) -> Failure {
    let mut what = error.to_string();
    let mut source = error.source();
    while let Some(cause) = source {
        what = format!("{what}: {cause}");
        source = cause.source();
    }
    Failure { what, hint: Some(hint(&error)), exit: 1 }
}

fn hint(error: &StoreError) -> String {
    match error {
        StoreError::DirectoryMissing { .. } | StoreError::LogMissing { .. } => {
            "name the data directory with --data or JANGDAN_DATA".to_owned()
        }
        StoreError::Locked { holder: Some(holder), .. } => {
            format!("process {holder} has it; stop that one, or ask it")
        }
        StoreError::Locked { holder: None, .. } => "stop the other process, or ask it".to_owned(),
        StoreError::ReadOnly { path } | StoreError::Lock { path, .. } => {
            format!("check who may write it: ls -ld {}", path.display())
        }
        StoreError::DiskFull { .. } => "make room on the disk, then try again".to_owned(),
        StoreError::Corrupt { .. } | StoreError::DamagedEvent { .. } => {
            "keep a copy of the file, and look at the disk; an older copy can take its place".to_owned()
        }
        StoreError::Foreign { .. } => "name Jangdan's own data directory with --data".to_owned(),
        StoreError::NewerVersion { .. } | StoreError::NewerEvent { .. } | StoreError::UnknownEvent { .. } => {
            "a newer Jangdan wrote it; use that one".to_owned()
        }
        StoreError::OlderVersion { .. } => {
            "an older Jangdan wrote it; whatever opens it for writing brings it up to date".to_owned()
        }
        StoreError::Busy { .. } => "close the other program, then try again".to_owned(),
        StoreError::Open { path, .. } | StoreError::Io { path, .. } => {
            format!("check the file and the disk: ls -l {}", path.display())
        }
        StoreError::Database { .. }
        | StoreError::Conflict { .. }
        | StoreError::AheadOfLog { .. }
        | StoreError::TooLarge { .. }
        | StoreError::Unwritable { .. }
        | StoreError::Stopped => "this is a mistake in Jangdan; please report it".to_owned(),
    }
}
