//! A disk that is full for a while is no fault of anybody's work: what failed for it is tried again.

use std::{
    thread,
    time::{Duration, Instant},
};

use super::leash::Leash;

/// How often it is tried again.
const TRY_EVERY: Duration = Duration::from_millis(200);
/// How long; afterwards somebody must make room.
const PATIENCE: Duration = Duration::from_secs(600);
/// How the system and git put it.
const WORDS: [&str; 3] = ["No space left on device", "Out of diskspace", "Disk quota exceeded"];

/// Tries something until the disk has room for it, somebody calls it back, or it takes too long.
pub(super) fn outwait<T>(leash: &Leash, mut attempt: impl FnMut() -> Result<T, String>) -> Result<T, String> {
    let deadline = Instant::now() + PATIENCE;
    loop {
        match attempt() {
            Err(reason) if is_meant(&reason) && !leash.is_pulled() && Instant::now() < deadline => {
                thread::sleep(TRY_EVERY);
            }
            settled => return settled,
        }
    }
}

/// Tells whether something failed because the disk is full.
pub(super) fn is_meant(reason: &str) -> bool {
    WORDS.iter().any(|words| reason.contains(words))
}

#[cfg(test)]
mod tests {
    use super::*;

    const FULL: &str = "git update-index: fatal: index.lock write error. Out of diskspace";

    fn check(reasons: &[&str], leash: &Leash, expected: (Result<(), &str>, usize)) {
        let mut n_tries = 0;
        let outcome = outwait(leash, || {
            n_tries += 1;
            reasons.get(n_tries - 1).map_or(Ok(()), |reason| Err((*reason).to_owned()))
        });
        assert_eq!((outcome, n_tries), (expected.0.map_err(str::to_owned), expected.1));
    }

    #[test]
    fn what_fails_for_a_full_disk_is_tried_until_it_works() {
        let write = std::io::Error::from_raw_os_error(28).to_string();
        check(&[FULL, &write], &Leash::new(), (Ok(()), 3));
    }

    #[test]
    fn what_fails_for_another_reason_is_not_tried_again() {
        check(&["no such branch"], &Leash::new(), (Err("no such branch"), 1));
    }

    #[test]
    fn nobody_waits_who_was_called_back() {
        let leash = Leash::new();
        leash.leave();
        check(&[FULL], &leash, (Err(FULL), 1));
    }
}
