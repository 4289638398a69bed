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
/// Time in which a confirmation code must be typed.
pub(crate) const CONFIRMATION_VALID: Duration = Duration::from_secs(2 * 60);
/// Wrong codes after which the right one is void too.
const CONFIRMATION_ATTEMPTS_MAX: u32 = 5;
/// Bytes of the random code in a link.
const LINK_BYTES: usize = 16;

/// The current token of a running server, and the one-time codes that stand for it.
pub(crate) struct SharedToken {
    data: PathBuf,
    token: RwLock<Arc<Token>>,
    /// The codes of links that were not opened yet, the oldest first.
    links: Mutex<Vec<(String, Instant)>>,
    confirmation: Mutex<Option<Confirmation>>,
}

/// A code of six digits that the user types into the page.
struct Confirmation {
    code: String,
    end: Instant,
    attempts_left: u32,
}

impl SharedToken {
    /// Reads the token of a data directory, or creates it.
    pub(crate) fn open(data: &Path) -> io::Result<Self> {
        let token = RwLock::new(Arc::new(Token::load_or_create(data)?));
        Ok(Self { data: data.to_owned(), token, links: Mutex::default(), confirmation: Mutex::default() })
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

    /// Creates a code of six digits, valid once, within [`CONFIRMATION_VALID`]. Replaces the last one.
    pub(crate) fn create_confirmation_code(&self) -> io::Result<String> {
        // The remainder favours some codes by less than one in a billion.
        let random = u64::from_str_radix(&random_hex(8)?, 16).map_err(io::Error::other)?;
        let code = format!("{:06}", random % 1_000_000);
        let end = Instant::now() + CONFIRMATION_VALID;
        *self.confirmation() =
            Some(Confirmation { code: code.clone(), end, attempts_left: CONFIRMATION_ATTEMPTS_MAX });
        Ok(code)
    }

    /// Uses up the confirmation code. Returns whether it was valid.
    pub(crate) fn redeem_confirmation_code(&self, code: &str) -> bool {
        let mut slot = self.confirmation();
        let Some(current) = slot.as_mut() else { return false };
        let is_valid = current.end > Instant::now() && crate::token::is_equal(&current.code, code.trim());
        current.attempts_left = current.attempts_left.saturating_sub(1);
        if is_valid || current.attempts_left == 0 {
            *slot = None;
        }
        is_valid
    }

    fn confirmation(&self) -> MutexGuard<'_, Option<Confirmation>> {
        // The value is consistent after each step, so a poisoned lock is safe.
        self.confirmation.lock().unwrap_or_else(PoisonError::into_inner)
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
    fn a_confirmation_code_is_valid_once_and_cannot_be_guessed() {
        let folder = tempfile::tempdir().unwrap();
        let shared = SharedToken::open(folder.path()).unwrap();
        assert!(!shared.redeem_confirmation_code(""));
        let code = shared.create_confirmation_code().unwrap();
        assert!(code.len() == 6 && code.bytes().all(|digit| digit.is_ascii_digit()), "{code}");
        assert!(shared.redeem_confirmation_code(&code) && !shared.redeem_confirmation_code(&code));
        let code = shared.create_confirmation_code().unwrap();
        assert!(
            (0..5).all(|_| !shared.redeem_confirmation_code("x")) && !shared.redeem_confirmation_code(&code)
        );
    }

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
