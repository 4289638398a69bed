//! Reads a file that a command names, or standard input for `-`.

use std::{
    fs::File,
    io::{self, Read},
    path::{Path, PathBuf},
};

use thiserror::Error;

/// A named file that could not be read.
#[derive(Debug, Error)]
#[error("{}: {}", .path.display(), .kind)]
pub struct InputError {
    /// Path as it was named.
    pub path: PathBuf,
    /// Why it could not be read.
    pub kind: InputErrorKind,
}

/// Why a file could not be read.
#[derive(Debug, Error)]
pub enum InputErrorKind {
    /// The file does not exist.
    #[error("no such file")]
    NotFound,
    /// The path is a directory.
    #[error("this is a directory, not a file")]
    Directory,
    /// The user has no permission to read it.
    #[error("permission denied")]
    NotAllowed,
    /// The file exceeds the size limit.
    #[error("the file is larger than {}", format_size(*.bytes_max))]
    TooLarge {
        /// Size limit in bytes.
        bytes_max: usize,
    },
    /// Another IO error.
    #[error("cannot be read")]
    Other(#[source] io::Error),
}

impl InputError {
    /// Classifies an IO error.
    pub fn from_io_error(path: &Path, error: io::Error) -> Self {
        Self { path: path.to_owned(), kind: classify_io_error(error) }
    }

    /// Returns what the user can do.
    pub fn hint(&self) -> String {
        match &self.kind {
            InputErrorKind::NotFound => "Check the name and the current directory.".to_owned(),
            InputErrorKind::Directory => "Name a file in it.".to_owned(),
            InputErrorKind::NotAllowed => format!("Check its permissions: ls -l {}", self.path.display()),
            InputErrorKind::TooLarge { .. } => "Split it, or check that it is the right file.".to_owned(),
            InputErrorKind::Other(source) => format!("The system reports: {source}."),
        }
    }
}

/// Reads a whole file of at most `bytes_max` bytes.
pub fn read(path: &Path, bytes_max: usize) -> Result<Vec<u8>, InputError> {
    let mut bytes = Vec::new();
    // Reading one byte beyond the limit detects a file that is too large without knowing its size.
    let limit = u64::try_from(bytes_max).unwrap_or(u64::MAX).saturating_add(1);
    open(path)?
        .take(limit)
        .read_to_end(&mut bytes)
        .map_err(|error| InputError::from_io_error(path, error))?;
    if bytes.len() > bytes_max {
        return Err(InputError { path: path.to_owned(), kind: InputErrorKind::TooLarge { bytes_max } });
    }
    Ok(bytes)
}

/// Opens a file, or standard input for `-`.
pub fn open(path: &Path) -> Result<Box<dyn Read>, InputError> {
    if path == Path::new("-") {
        return Ok(Box::new(io::stdin().lock()));
    }
    let file = File::open(path).map_err(|error| InputError::from_io_error(path, error))?;
    Ok(Box::new(file))
}

fn format_size(bytes: usize) -> String {
    const MIB: usize = 1024 * 1024;
    if bytes < MIB { format!("{} KiB", bytes / 1024) } else { format!("{} MiB", bytes / MIB) }
}

#[expect(clippy::wildcard_enum_match_arm, reason = "new kinds of IO errors need no case of their own")]
fn classify_io_error(error: io::Error) -> InputErrorKind {
    match error.kind() {
        io::ErrorKind::NotFound | io::ErrorKind::NotADirectory => InputErrorKind::NotFound,
        io::ErrorKind::IsADirectory => InputErrorKind::Directory,
        io::ErrorKind::PermissionDenied => InputErrorKind::NotAllowed,
        _ => InputErrorKind::Other(error),
    }
}
