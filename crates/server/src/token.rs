//! The access token of a data directory: created once, readable by its owner only.
//!
//! A browser gets a cookie that is derived from the token, so that the token itself is only in a file and a link.

use std::{
    fs::{self, File, OpenOptions},
    io::{self, Read, Write},
    os::unix::fs::{MetadataExt, OpenOptionsExt},
    path::Path,
};

use sha2::{Digest, Sha256};

const FILE: &str = "token";
const RANDOM_BYTES: usize = 32;
/// Hashed with the token to derive the cookie.
const COOKIE_SALT: &[u8] = b"jangdan cookie:";

/// The access token of a data directory.
#[derive(Clone)]
pub(crate) struct Token {
    text: String,
    cookie: String,
}

impl Token {
    /// Reads the token or creates one. Replaces a token that other users could have read.
    pub(crate) fn load_or_create(data: &Path) -> io::Result<Self> {
        match Self::read(data)? {
            Some(token) => Ok(token),
            None => Self::create(data),
        }
    }

    /// Reads the token; `None` if it is missing, malformed or readable by other users.
    pub(crate) fn read(data: &Path) -> io::Result<Option<Self>> {
        let file = match File::open(data.join(FILE)) {
            Ok(file) => file,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(error),
        };
        if file.metadata()?.mode() & 0o077 != 0 {
            return Ok(None);
        }
        let mut text = String::new();
        // One byte more than a token has, to detect a longer file.
        let read = file.take(2 * RANDOM_BYTES as u64 + 1).read_to_string(&mut text);
        let is_token = text.len() == 2 * RANDOM_BYTES && text.bytes().all(|byte| byte.is_ascii_hexdigit());
        Ok((read.is_ok() && is_token).then(|| Self::from_text(text)))
    }

    /// Creates a token, which replaces the one before.
    pub(crate) fn create(data: &Path) -> io::Result<Self> {
        let text = random_hex(RANDOM_BYTES)?;
        let new = data.join("token.new");
        // A file that a killed server left may have other permissions.
        // Usually there is none; if it cannot be removed, `create_new` fails.
        let _ = fs::remove_file(&new);
        let mut file = OpenOptions::new().write(true).create_new(true).mode(0o600).open(&new)?;
        file.write_all(text.as_bytes())?;
        file.sync_all()?;
        fs::rename(&new, data.join(FILE))?;
        Ok(Self::from_text(text))
    }

    fn from_text(text: String) -> Self {
        let cookie = hex(&Sha256::new().chain_update(COOKIE_SALT).chain_update(&text).finalize());
        Self { text, cookie }
    }

    /// Returns the token itself. Only for a link that is shown to its owner.
    pub(crate) fn text(&self) -> &str {
        &self.text
    }

    /// Returns the value of the cookie.
    pub(crate) fn cookie(&self) -> &str {
        &self.cookie
    }

    pub(crate) fn matches_token(&self, text: &str) -> bool {
        is_equal(text, &self.text)
    }

    pub(crate) fn matches_cookie(&self, text: &str) -> bool {
        is_equal(text, &self.cookie)
    }
}

/// Returns random bytes as hexadecimal digits.
pub(crate) fn random_hex(n_bytes: usize) -> io::Result<String> {
    let mut random = vec![0; n_bytes];
    File::open("/dev/urandom")?.read_exact(&mut random)?;
    Ok(hex(&random))
}

/// Compares hashes, so that the time does not depend on the number of equal characters.
pub(crate) fn is_equal(text: &str, expected: &str) -> bool {
    Sha256::digest(text) == Sha256::digest(expected)
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use tempfile::TempDir;

    use super::*;

    #[test]
    fn token_is_created_once_and_readable_by_its_owner_only() {
        let folder = TempDir::new().unwrap();
        assert!(Token::read(folder.path()).unwrap().is_none());
        let token = Token::load_or_create(folder.path()).unwrap();
        let file = folder.path().join(FILE);
        assert_eq!(fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o600);
        assert_eq!(Token::load_or_create(folder.path()).unwrap().text(), token.text());
        assert!(token.matches_token(token.text()) && token.matches_cookie(token.cookie()));
        assert!(
            !token.matches_token(token.cookie())
                && !token.matches_cookie(token.text())
                && !token.matches_token("")
        );
    }

    #[test]
    fn malformed_or_readable_token_is_replaced() {
        let folder = TempDir::new().unwrap();
        let file = folder.path().join(FILE);
        let first = Token::load_or_create(folder.path()).unwrap();
        fs::set_permissions(&file, fs::Permissions::from_mode(0o644)).unwrap();
        let second = Token::load_or_create(folder.path()).unwrap();
        assert_ne!(second.text(), first.text());
        for malformed in ["", "secret", &"f".repeat(65), &"x".repeat(64)] {
            fs::write(&file, malformed).unwrap();
            assert_ne!(Token::load_or_create(folder.path()).unwrap().text(), malformed);
        }
    }
}
