//! The file of the vault: its entries, and the operations on them.

use std::{
    fs::{File, OpenOptions},
    os::unix::fs::OpenOptionsExt,
    path::{Path, PathBuf},
};

use domain::Timestamp;
use serde::{Deserialize, Serialize};

use crate::{
    cipher::{EntryIdentity, SealedValue, VaultKey, from_hex, to_hex},
    entry::{SecretEntry, SecretScope},
    error::VaultError,
    key_file::KeyFile,
    private_file,
    secret::{SecretName, SecretValue},
};

/// Number of secrets of all projects together.
pub const ENTRIES_MAX: usize = 1000;
/// Version of the file's format.
const FORMAT: u32 = 1;

/// The secrets of a data directory. Every operation reads the file again, so that several processes may use it.
#[derive(Debug, Clone)]
pub struct Vault {
    folder: PathBuf,
}

/// The content of the file. The serialized names must not change.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct VaultContent {
    format: u32,
    key_id: String,
    /// Version of the value that is stored next. Never decreases, so that an old value cannot replace a newer one.
    next_version: u64,
    entries: Vec<StoredEntry>,
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct StoredEntry {
    scope: SecretScope,
    name: String,
    version: u64,
    set_at: Timestamp,
    is_secret: bool,
    nonce: String,
    ciphertext: String,
}

/// The opened file with its key.
struct OpenVault {
    key: VaultKey,
    content: VaultContent,
}

impl Vault {
    /// Returns the vault of a data directory. Nothing is read or created yet.
    pub fn new(data: &Path) -> Self {
        Self { folder: data.to_owned() }
    }

    /// Returns the file that has the key.
    pub fn key_path(&self) -> PathBuf {
        self.key_file().path().to_owned()
    }

    /// Stores a value. Replaces an earlier value of the same name and scope; returns its version.
    pub fn set(
        &self,
        scope: &SecretScope,
        name: &SecretName,
        value: &SecretValue,
        is_secret: bool,
        now: Timestamp,
    ) -> Result<u64, VaultError> {
        let _lock = self.lock()?;
        let mut vault = self.open_or_create()?;
        let version = vault.content.next_version;
        let entry = self.seal(&vault.key, (scope, name, version, now, is_secret), value)?;
        vault.content.entries.retain(|entry| !entry.is_of(scope, name));
        if vault.content.entries.len() >= ENTRIES_MAX {
            return Err(VaultError::Full);
        }
        vault.content.entries.push(entry);
        vault.content.next_version = version + 1;
        self.write(&vault.content)?;
        Ok(version)
    }

    /// Returns a value and whether it is a secret; `None` if nothing is stored under this name and scope.
    pub fn get(
        &self,
        scope: &SecretScope,
        name: &SecretName,
    ) -> Result<Option<(SecretEntry, SecretValue)>, VaultError> {
        let Some(vault) = self.open()? else { return Ok(None) };
        let entry = vault.content.entries.iter().find(|entry| entry.is_of(scope, name));
        entry.map(|entry| self.open_entry(&vault.key, entry)).transpose()
    }

    /// Returns the value that a project uses: its own, else that of the user.
    pub fn find(
        &self,
        project: &str,
        name: &SecretName,
    ) -> Result<Option<(SecretEntry, SecretValue)>, VaultError> {
        let of_project = self.get(&SecretScope::Project(project.to_owned()), name)?;
        if of_project.is_some() { Ok(of_project) } else { self.get(&SecretScope::User, name) }
    }

    /// Returns all values that a project may use. One that was changed outside of the vault is left out: the others are
    /// still needed, and using it reports the error.
    pub fn values_of_project(&self, project: &str) -> Result<Vec<(SecretEntry, SecretValue)>, VaultError> {
        let Some(vault) = self.open()? else { return Ok(Vec::new()) };
        let applies = |scope: &SecretScope| match scope {
            SecretScope::User => true,
            SecretScope::Project(path) => path == project,
        };
        let entries = vault.content.entries.iter().filter(|entry| applies(&entry.scope));
        Ok(entries.filter_map(|entry| self.open_entry(&vault.key, entry).ok()).collect())
    }

    /// Returns the names of all secrets, in the order of their scopes and names.
    pub fn list(&self) -> Result<Vec<SecretEntry>, VaultError> {
        let Some(content) = self.read()? else { return Ok(Vec::new()) };
        let entries: Result<Vec<_>, _> =
            content.entries.iter().map(|entry| self.listed_entry(entry)).collect();
        let mut entries = entries?;
        entries.sort_by(|a, b| (&a.scope, &a.name).cmp(&(&b.scope, &b.name)));
        Ok(entries)
    }

    /// Removes a secret, and returns whether it existed.
    pub fn remove(&self, scope: &SecretScope, name: &SecretName) -> Result<bool, VaultError> {
        let _lock = self.lock()?;
        let Some(mut content) = self.read()? else { return Ok(false) };
        let before = content.entries.len();
        content.entries.retain(|entry| !entry.is_of(scope, name));
        if content.entries.len() == before {
            return Ok(false);
        }
        self.write(&content)?;
        Ok(true)
    }

    /// Encrypts all values with a new key, and forgets the old one. Returns the number of values.
    ///
    /// A crash at any step leaves a vault that can be opened: the key file has both keys until the values are written.
    pub fn rotate_key(&self) -> Result<usize, VaultError> {
        let _lock = self.lock()?;
        let Some(old) = self.open()? else { return Ok(0) };
        let key = self.key_file().generate_key()?;
        let mut entries = Vec::new();
        for stored in &old.content.entries {
            let (SecretEntry { scope, name, version, set_at, is_secret }, value) =
                self.open_entry(&old.key, stored)?;
            entries.push(self.seal(&key, (&scope, &name, version, set_at, is_secret), &value)?);
        }
        let count = entries.len();
        self.key_file().write(&[&old.key, &key])?;
        self.write(&VaultContent { key_id: key.id(), entries, ..old.content })?;
        self.key_file().write(&[&key])?;
        Ok(count)
    }

    fn key_file(&self) -> KeyFile {
        KeyFile::new(&self.folder)
    }

    fn path(&self) -> PathBuf {
        self.folder.join("vault.json")
    }

    /// Keeps other writers out until the file is dropped.
    fn lock(&self) -> Result<File, VaultError> {
        let path = self.folder.join("vault.lock");
        let failed = |source| VaultError::Io { action: "lock", path: path.clone(), source };
        let file = OpenOptions::new()
            .create(true)
            .truncate(false)
            .write(true)
            .mode(0o600)
            .open(&path)
            .map_err(failed)?;
        file.lock().map_err(failed)?;
        Ok(file)
    }

    /// Opens the file with its key; `None` if nothing was ever stored.
    fn open(&self) -> Result<Option<OpenVault>, VaultError> {
        let Some(content) = self.read()? else { return Ok(None) };
        let key = match self.key_file().find(&content.key_id) {
            Ok(key) => key,
            Err(VaultError::WrongKey { .. }) => {
                // Another process may have replaced the key between the two files.
                let Some(content) = self.read()? else { return Ok(None) };
                let key = self.key_file().find(&content.key_id)?;
                return Ok(Some(OpenVault { key, content }));
            }
            Err(error) => return Err(error),
        };
        Ok(Some(OpenVault { key, content }))
    }

    fn open_or_create(&self) -> Result<OpenVault, VaultError> {
        if let Some(vault) = self.open()? {
            return Ok(vault);
        }
        // A crash may have left the key of a vault without entries.
        let key = match self.key_file().read()?.into_iter().next() {
            Some(key) => key,
            None => {
                let key = self.key_file().generate_key()?;
                self.key_file().write(&[&key])?;
                key
            }
        };
        let content = VaultContent { format: FORMAT, key_id: key.id(), next_version: 1, entries: Vec::new() };
        Ok(OpenVault { key, content })
    }

    fn read(&self) -> Result<Option<VaultContent>, VaultError> {
        let Some(bytes) = private_file::read(&self.path())? else { return Ok(None) };
        let content: VaultContent =
            serde_json::from_slice(&bytes).map_err(|error| self.malformed(error.to_string()))?;
        if content.format != FORMAT {
            return Err(self.malformed(format!("format {} is unknown", content.format)));
        }
        Ok(Some(content))
    }

    fn write(&self, content: &VaultContent) -> Result<(), VaultError> {
        let bytes = serde_json::to_vec(content).map_err(|error| self.malformed(error.to_string()))?;
        private_file::replace(&self.path(), &bytes)
    }

    fn seal(
        &self,
        key: &VaultKey,
        (scope, name, version, set_at, is_secret): (&SecretScope, &SecretName, u64, Timestamp, bool),
        value: &SecretValue,
    ) -> Result<StoredEntry, VaultError> {
        let identity = EntryIdentity { scope, name, version, set_at_ms: set_at.0, is_secret };
        let failed = |source| VaultError::Io { action: "encrypt a value for", path: self.path(), source };
        let SealedValue { nonce, ciphertext } = key.seal(&identity, value.expose()).map_err(failed)?;
        Ok(StoredEntry {
            scope: scope.clone(),
            name: name.to_string(),
            version,
            set_at,
            is_secret,
            nonce: to_hex(&nonce),
            ciphertext: to_hex(&ciphertext),
        })
    }

    fn open_entry(
        &self,
        key: &VaultKey,
        stored: &StoredEntry,
    ) -> Result<(SecretEntry, SecretValue), VaultError> {
        let entry = self.listed_entry(stored)?;
        let identity = EntryIdentity {
            scope: &entry.scope,
            name: &entry.name,
            version: entry.version,
            set_at_ms: entry.set_at.0,
            is_secret: entry.is_secret,
        };
        let sealed = from_hex(&stored.nonce).zip(from_hex(&stored.ciphertext)).map(|(nonce, ciphertext)| {
            SealedValue { nonce: nonce.to_vec(), ciphertext: ciphertext.to_vec() }
        });
        let mut value = sealed.and_then(|sealed| key.open(&identity, &sealed));
        match value.as_mut().map(|value| SecretValue::new(std::mem::take(&mut **value))) {
            Some(Ok(value)) => Ok((entry, value)),
            Some(Err(_)) | None => Err(VaultError::Tampered { name: entry.name }),
        }
    }

    fn listed_entry(&self, stored: &StoredEntry) -> Result<SecretEntry, VaultError> {
        let name = stored.name.parse().map_err(|_| self.malformed("a name is not valid".to_owned()))?;
        let StoredEntry { scope, version, set_at, is_secret, .. } = stored;
        Ok(SecretEntry {
            scope: scope.clone(),
            name,
            version: *version,
            set_at: *set_at,
            is_secret: *is_secret,
        })
    }

    fn malformed(&self, problem: String) -> VaultError {
        VaultError::Malformed { path: self.path(), problem }
    }
}

impl StoredEntry {
    fn is_of(&self, scope: &SecretScope, name: &SecretName) -> bool {
        self.scope == *scope && self.name == name.as_str()
    }
}
