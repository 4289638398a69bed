//! The current token of a running server, and the one-time codes that stand for it.

use std::{
    io,
    path::{Path, PathBuf},
    sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock},
    time::{Duration, Instant},
};

use crate::token::{Token, random_hex};

/// Time in which a link must be opened.
pub(crate) const LINK_VALID: Duration = Duration::from_secs(10 * 60);
/// Links that may be open at once; a new one replaces the oldest.
const LINKS_MAX: usize = 32;
/// Bytes of the random code in a link.
const LINK_BYTES: usize = 16;

/// The current token of a running server, and the one-time codes that stand for it.
pub(crate) struct SharedToken {
    data: PathBuf,
    token: RwLock<Arc<Token>>,
    /// The codes of links that were not opened yet, the oldest first.
    links: Mutex<Vec<(String, Instant)>>,
}

impl SharedToken {
    /// Reads the token of a data directory, or creates it.
    pub(crate) fn open(data: &Path) -> io::Result<Self> {
        let token = RwLock::new(Arc::new(Token::load_or_create(data)?));
        Ok(Self { data: data.to_owned(), token, links: Mutex::default() })
    }

    pub(crate) fn token(&self) -> Arc<Token> {
        // The value is replaced as a whole, so a poisoned lock is safe.
        Arc::clone(&self.token.read().unwrap_or_else(PoisonError::into_inner))
    }

    /// Replaces the token: all cookies and links are void.
    pub(crate) fn rotate(&self) -> io::Result<()> {
        let new = Token::create(&self.data)?;
        self.links().clear();
        *self.token.write().unwrap_or_else(PoisonError::into_inner) = Arc::new(new);
        Ok(())
    }

    /// Creates the code of a link that can be opened once, within [`LINK_VALID`].
    pub(crate) fn create_link_code(&self) -> io::Result<String> {
        let code = random_hex(LINK_BYTES)?;
        let mut links = self.links();
        if links.len() >= LINKS_MAX {
            links.remove(0);
        }
        links.push((code.clone(), Instant::now() + LINK_VALID));
        Ok(code)
    }

    /// Uses up the code of a link. Returns whether it was valid.
    pub(crate) fn redeem_link_code(&self, code: &str) -> bool {
        let mut links = self.links();
        links.retain(|(_, end)| *end > Instant::now());
        let at = links.iter().position(|(known, _)| crate::token::is_equal(known, code));
        at.map(|at| links.remove(at)).is_some()
    }

    fn links(&self) -> MutexGuard<'_, Vec<(String, Instant)>> {
        // The list is consistent after each step, so a poisoned lock is safe.
        self.links.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_link_is_valid_once_and_until_the_token_is_replaced() {
        let folder = tempfile::tempdir().unwrap();
        let shared = SharedToken::open(folder.path()).unwrap();
        let codes: Vec<String> = (0..LINKS_MAX + 1).map(|_| shared.create_link_code().unwrap()).collect();
        assert!(!shared.redeem_link_code(&codes[0]), "the oldest was replaced");
        assert!(shared.redeem_link_code(&codes[1]) && !shared.redeem_link_code(&codes[1]));
        let before = shared.token();
        shared.rotate().unwrap();
        assert!(!shared.redeem_link_code(&codes[2]));
        assert!(
            !shared.token().matches_token(before.text()) && !shared.token().matches_cookie(before.cookie())
        );
        assert_eq!(Token::read(folder.path()).unwrap().unwrap().text(), shared.token().text());
    }
}
