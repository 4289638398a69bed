//! The file with the key of the vault: one key in hexadecimal digits on a line, two while the key is replaced.

use std::path::{Path, PathBuf};

use zeroize::Zeroizing;

use crate::{
    cipher::{VaultKey, from_hex, to_hex},
    error::VaultError,
    private_file,
};

/// Keys in the file: the present one, and the next one while the key is replaced.
const KEYS_MAX: usize = 2;

pub(crate) struct KeyFile {
    path: PathBuf,
}

impl KeyFile {
    pub(crate) fn new(folder: &Path) -> Self {
        Self { path: folder.join("vault.key") }
    }

    /// Returns the keys; none if the file does not exist.
    pub(crate) fn read(&self) -> Result<Vec<VaultKey>, VaultError> {
        let Some(bytes) = private_file::read(&self.path)? else { return Ok(Vec::new()) };
        let text = std::str::from_utf8(&bytes).map_err(|_| self.malformed())?;
        let key = |line: &str| from_hex(line.trim()).and_then(|bytes| VaultKey::from_bytes(&bytes));
        let keys: Option<Vec<VaultKey>> = text.lines().map(key).collect();
        keys.filter(|keys| (1..=KEYS_MAX).contains(&keys.len())).ok_or_else(|| self.malformed())
    }

    pub(crate) fn write(&self, keys: &[&VaultKey]) -> Result<(), VaultError> {
        let mut text = Zeroizing::new(String::with_capacity(KEYS_MAX * 80));
        for key in keys {
            let line = Zeroizing::new(to_hex(key.bytes()));
            text.push_str(&line);
            text.push('\n');
        }
        private_file::replace(&self.path, text.as_bytes())
    }

    /// Returns the key with this id.
    pub(crate) fn find(&self, id: &str) -> Result<VaultKey, VaultError> {
        let found = self.read()?.into_iter().find(|key| key.id() == id);
        found.ok_or_else(|| VaultError::WrongKey { path: self.path.clone() })
    }

    pub(crate) fn generate_key(&self) -> Result<VaultKey, VaultError> {
        let failed = |source| VaultError::Io { action: "create a key for", path: self.path.clone(), source };
        VaultKey::generate().map_err(failed)
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    fn malformed(&self) -> VaultError {
        VaultError::Malformed { path: self.path.clone(), problem: "it is not a key file".to_owned() }
    }
}
