//! Encrypted storage of secrets, in a file of the data directory.
//!
//! Each value is encrypted with XChaCha20-Poly1305; its scope, name and version are authenticated with it, so that entries
//! cannot be exchanged. The key is in a file beside it that only its owner can read; sandboxes hide the folder of both. Nothing
//! here delivers values to agents (`runtime` does), and no function writes a value in plain text.

mod cipher;
mod entry;
mod error;
mod key_file;
mod private_file;
mod secret;
mod vault_file;

pub use entry::{SecretEntry, SecretScope};
pub use error::VaultError;
pub use secret::{
    NAME_BYTES_MAX, SecretName, SecretNameError, SecretValue, SecretValueError, VALUE_BYTES_MAX,
};
pub use vault_file::{ENTRIES_MAX, Vault};

/// Values with fewer bytes are stored, but not masked: masking `3000` would destroy ordinary output.
pub const MASKED_BYTES_MIN: usize = 8;
