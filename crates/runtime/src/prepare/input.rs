//! Reads a file that a command names, or standard input for `-`.
//!
//! Every way in which that can go wrong is one clear sentence.

use std::{
    fs::File,
    io::{self, Read},
    path::{Path, PathBuf},
};

use thiserror::Error;

/// A file that could not be read.
#[derive(Debug, Error)]
#[error("{}: {}", .path.display(), .reason)]
pub struct InputError {
    /// The file as it was named.
    pub path: PathBuf,
    /// What is the matter with it.
    pub reason: Reason,
}

/// Why a file could not be read.
#[derive(Debug, Error)]
pub enum Reason {
    /// There is none.
    #[error("no such file")]
    NotFound,
    /// It is a directory.
    #[error("this is a directory, not a file")]
    Directory,
    /// We may not.
    #[error("not allowed to read this file")]
    NotAllowed,
    /// There is more of it than anybody meant.
    #[error("the file is larger than {}", size(*.bytes_max))]
    TooLarge {
        /// The limit.
        bytes_max: usize,
    },
    /// Something else.
    #[error("cannot be read")]
    Other(#[source] io::Error),
}

impl InputError {
    /// Makes one of what the system says.
    pub fn of(path: &Path, error: io::Error) -> Self {
        Self { path: path.to_owned(), reason: reason(error) }
    }

    /// Returns what to do about it.
    pub fn hint(&self) -> String {
        match &self.reason {
            Reason::NotFound => "check the name, and the directory you are in".to_owned(),
            Reason::Directory => "name a file in it".to_owned(),
            Reason::NotAllowed => format!("check who may read it: ls -l {}", self.path.display()),
            Reason::TooLarge { .. } => "split it, or check that it is the file you meant".to_owned(),
            Reason::Other(source) => format!("the system says: {source}"),
        }
    }
}

/// Reads a whole file of at most so many bytes.
pub fn read(path: &Path, bytes_max: usize) -> Result<Vec<u8>, InputError> {
    let mut bytes = Vec::new();
    // One byte more than allowed tells a file that is too large, even where its size is not known beforehand.
    let limit = u64::try_from(bytes_max).unwrap_or(u64::MAX).saturating_add(1);
    open(path)?.take(limit).read_to_end(&mut bytes).map_err(|error| InputError::of(path, error))?;
    if bytes.len() > bytes_max {
        return Err(InputError { path: path.to_owned(), reason: Reason::TooLarge { bytes_max } });
    }
    Ok(bytes)
}

/// Opens a file, or standard input for `-`.
pub fn open(path: &Path) -> Result<Box<dyn Read>, InputError> {
    if path == Path::new("-") {
        return Ok(Box::new(io::stdin().lock()));
    }
    let file = File::open(path).map_err(|error| InputError::of(path, error))?;
    Ok(Box::new(file))
}

fn size(bytes: usize) -> String {
    const MIB: usize = 1024 * 1024;
    if bytes < MIB { format!("{} KiB", bytes / 1024) } else { format!("{} MiB", bytes / MIB) }
}

fn reason(error: io::Error) -> Reason {
    match error.kind() {
        io::ErrorKind::NotFound | io::ErrorKind::NotADirectory => Reason::NotFound,
        io::ErrorKind::IsADirectory => Reason::Directory,
        io::ErrorKind::PermissionDenied => Reason::NotAllowed,
        _ => Reason::Other(error),
    }
}
