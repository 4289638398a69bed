//! The token that lets a browser or a program in: made once for a data directory, and readable by its owner alone.
//!
//! A browser gets a cookie that is made of the token, so that the token itself stands in a link and a file and nowhere
//! else.

use std::{
    fs::{self, File, OpenOptions},
    io::{self, Read, Write},
    os::unix::fs::{MetadataExt, OpenOptionsExt},
    path::Path,
};

use sha2::{Digest, Sha256};

/// The name of its file.
const FILE: &str = "token";
/// How much of it is chance: far more than anybody can try.
const RANDOM_BYTES: usize = 32;
/// What the cookie is made with, beside the token.
const COOKIE_SALT: &[u8] = b"jangdan cookie:";

/// The token of a data directory.
#[derive(Clone)]
pub struct Token {
    text: String,
    cookie: String,
}

impl Token {
    /// Reads the token, or makes one. One that others could have read is replaced.
    pub fn of(data: &Path) -> io::Result<Self> {
        match Self::read(data)? {
            Some(token) => Ok(token),
            None => Self::make(data),
        }
    }

    /// Reads the token; nothing where there is none that can be trusted.
    pub fn read(data: &Path) -> io::Result<Option<Self>> {
        let file = match File::open(data.join(FILE)) {
            Ok(file) => file,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(error),
        };
        if file.metadata()?.mode() & 0o077 != 0 {
            return Ok(None);
        }
        let mut text = String::new();
        // One more than a token has, so that what is longer is seen to be.
        let read = file.take(2 * RANDOM_BYTES as u64 + 1).read_to_string(&mut text);
        let is_token = text.len() == 2 * RANDOM_BYTES && text.bytes().all(|sign| sign.is_ascii_hexdigit());
        Ok((read.is_ok() && is_token).then(|| Self::from(text)))
    }

    fn make(data: &Path) -> io::Result<Self> {
        let mut random = [0; RANDOM_BYTES];
        File::open("/dev/urandom")?.read_exact(&mut random)?;
        let text = hex(&random);
        let new = data.join("token.new");
        // What a killed server left must not decide who can read it.
        let _ = fs::remove_file(&new);
        let mut file = OpenOptions::new().write(true).create_new(true).mode(0o600).open(&new)?;
        file.write_all(text.as_bytes())?;
        file.sync_all()?;
        fs::rename(&new, data.join(FILE))?;
        Ok(Self::from(text))
    }

    fn from(text: String) -> Self {
        let cookie = hex(&Sha256::new().chain_update(COOKIE_SALT).chain_update(&text).finalize());
        Self { text, cookie }
    }

    /// Returns the token itself. Only for a link that its owner is shown.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Returns what a browser is given in its place.
    pub fn cookie(&self) -> &str {
        &self.cookie
    }

    /// Tells whether somebody has the token.
    pub fn is(&self, given: &str) -> bool {
        is_same(given, &self.text)
    }

    /// Tells whether somebody has the cookie.
    pub fn is_cookie(&self, given: &str) -> bool {
        is_same(given, &self.cookie)
    }
}

/// Compares what they hash to, so that the time it takes says nothing of how much is right.
fn is_same(given: &str, expected: &str) -> bool {
    Sha256::digest(given) == Sha256::digest(expected)
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
    fn it_is_made_once_and_for_its_owner_alone() {
        let folder = TempDir::new().unwrap();
        assert!(Token::read(folder.path()).unwrap().is_none());
        let made = Token::of(folder.path()).unwrap();
        let file = folder.path().join(FILE);
        assert_eq!(fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o600);
        assert_eq!(Token::of(folder.path()).unwrap().text(), made.text());
        assert!(made.is(made.text()) && made.is_cookie(made.cookie()));
        assert!(!made.is(made.cookie()) && !made.is_cookie(made.text()) && !made.is(""));
    }

    #[test]
    fn one_that_others_could_read_or_that_is_none_is_replaced() {
        let folder = TempDir::new().unwrap();
        let file = folder.path().join(FILE);
        let first = Token::of(folder.path()).unwrap();
        fs::set_permissions(&file, fs::Permissions::from_mode(0o644)).unwrap();
        let second = Token::of(folder.path()).unwrap();
        assert_ne!(second.text(), first.text());
        for wrong in ["", "secret", &"f".repeat(65), &"x".repeat(64)] {
            fs::write(&file, wrong).unwrap();
            assert_ne!(Token::of(folder.path()).unwrap().text(), wrong);
        }
    }
}
