//! Why the vault cannot be used.

use std::{io, path::PathBuf};

use crate::{secret::SecretName, vault_file::ENTRIES_MAX};

/// Why a secret cannot be stored or read.
#[derive(Debug, thiserror::Error)]
pub enum VaultError {
    /// A file could not be read or written.
    #[error("cannot {action} {}", .path.display())]
    Io { action: &'static str, path: PathBuf, source: io::Error },
    /// Other users could read or change the file, or it is not a plain file.
    #[error("{} is not a private file of this user ({problem})", .path.display())]
    NotPrivate { path: PathBuf, problem: &'static str },
    /// The file was not written by this program, or by a newer version of it.
    #[error("{} cannot be read: {problem}", .path.display())]
    Malformed { path: PathBuf, problem: String },
    /// The vault was encrypted with a key that the key file does not have.
    #[error("{} does not have the key of the vault", .path.display())]
    WrongKey { path: PathBuf },
    /// The value was changed or exchanged, since it was stored, without the key.
    #[error("the stored value of {name} was changed outside of the vault")]
    Tampered { name: SecretName },
    /// The vault is full.
    #[error("the vault has {ENTRIES_MAX} secrets, which is its limit")]
    Full,
}
