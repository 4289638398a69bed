//! Encrypts and decrypts values.

use chacha20poly1305::{
    KeyInit, XChaCha20Poly1305,
    aead::{Aead, Payload},
};
use rustix::rand::{GetRandomFlags, getrandom};
use sha2::{Digest, Sha256};
use zeroize::Zeroizing;

use crate::{entry::SecretScope, secret::SecretName};

pub(crate) const KEY_BYTES: usize = 32;
const NONCE_BYTES: usize = 24;
/// Bytes of a hash that identify a key.
const KEY_ID_BYTES: usize = 8;
/// Starts the authenticated data, so that they have no other meaning elsewhere.
const CONTEXT: &[u8] = b"jangdan vault entry 1";

/// The key of a vault. Zeroed on drop.
#[derive(Clone, PartialEq, Eq)]
pub(crate) struct VaultKey(Zeroizing<[u8; KEY_BYTES]>);

/// What is authenticated together with a value: nothing of it can be changed without the key.
pub(crate) struct EntryIdentity<'a> {
    pub(crate) scope: &'a SecretScope,
    pub(crate) name: &'a SecretName,
    pub(crate) version: u64,
    pub(crate) set_at_ms: i64,
    pub(crate) is_secret: bool,
}

/// A nonce and the ciphertext.
pub(crate) struct SealedValue {
    pub(crate) nonce: Vec<u8>,
    pub(crate) ciphertext: Vec<u8>,
}

impl VaultKey {
    pub(crate) fn generate() -> std::io::Result<Self> {
        let mut key = Zeroizing::new([0; KEY_BYTES]);
        fill_random(key.as_mut_slice())?;
        Ok(Self(key))
    }

    pub(crate) fn from_bytes(bytes: &[u8]) -> Option<Self> {
        Some(Self(Zeroizing::new(bytes.try_into().ok()?)))
    }

    pub(crate) fn bytes(&self) -> &[u8] {
        self.0.as_slice()
    }

    /// Returns what the file of the vault names the key by.
    pub(crate) fn id(&self) -> String {
        let hash = Sha256::new().chain_update(b"jangdan vault key 1").chain_update(self.bytes()).finalize();
        to_hex(hash.get(..KEY_ID_BYTES).unwrap_or_default())
    }

    pub(crate) fn seal(&self, identity: &EntryIdentity<'_>, value: &str) -> std::io::Result<SealedValue> {
        let mut nonce = [0; NONCE_BYTES];
        fill_random(&mut nonce)?;
        let payload = Payload { msg: value.as_bytes(), aad: &identity.to_bytes() };
        // Fails only for messages of many gigabytes.
        let ciphertext = self
            .cipher()
            .encrypt(&nonce.into(), payload)
            .map_err(|_| std::io::Error::other("the value cannot be encrypted"))?;
        Ok(SealedValue { nonce: nonce.to_vec(), ciphertext })
    }

    /// Returns `None` if the value, its identity or the key is another one.
    pub(crate) fn open(
        &self,
        identity: &EntryIdentity<'_>,
        sealed: &SealedValue,
    ) -> Option<Zeroizing<String>> {
        let nonce: [u8; NONCE_BYTES] = sealed.nonce.as_slice().try_into().ok()?;
        let payload = Payload { msg: &sealed.ciphertext, aad: &identity.to_bytes() };
        let value = Zeroizing::new(self.cipher().decrypt(&nonce.into(), payload).ok()?);
        Some(Zeroizing::new(std::str::from_utf8(&value).ok()?.to_owned()))
    }

    fn cipher(&self) -> XChaCha20Poly1305 {
        let key: &[u8; KEY_BYTES] = &self.0;
        XChaCha20Poly1305::new(key.into())
    }
}

impl EntryIdentity<'_> {
    /// Each part has its length before it, so that no two identities have the same bytes.
    fn to_bytes(&self) -> Vec<u8> {
        let (kind, scope) = match self.scope {
            SecretScope::User => ("user", ""),
            SecretScope::Project(path) => ("project", path.as_str()),
        };
        let mut bytes = CONTEXT.to_vec();
        for part in [kind.as_bytes(), scope.as_bytes(), self.name.as_str().as_bytes()] {
            bytes.extend_from_slice(&(part.len() as u64).to_be_bytes());
            bytes.extend_from_slice(part);
        }
        bytes.extend_from_slice(&self.version.to_be_bytes());
        bytes.extend_from_slice(&self.set_at_ms.to_be_bytes());
        bytes.push(u8::from(self.is_secret));
        bytes
    }
}

fn fill_random(mut buffer: &mut [u8]) -> std::io::Result<()> {
    while !buffer.is_empty() {
        let count = getrandom(&mut *buffer, GetRandomFlags::empty())?;
        buffer = buffer.get_mut(count..).unwrap_or_default();
    }
    Ok(())
}

pub(crate) fn to_hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

pub(crate) fn from_hex(text: &str) -> Option<Zeroizing<Vec<u8>>> {
    let digits = text.as_bytes();
    if !digits.len().is_multiple_of(2) || !digits.iter().all(u8::is_ascii_hexdigit) {
        return None;
    }
    let pairs = digits.chunks(2).map(|pair| u8::from_str_radix(std::str::from_utf8(pair).ok()?, 16).ok());
    pairs.collect::<Option<Vec<u8>>>().map(Zeroizing::new)
}
