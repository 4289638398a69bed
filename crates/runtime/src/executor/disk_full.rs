//! Retries operations that fail because the disk is full, since that is not the fault of the agent's work.

use std::{
    thread,
    time::{Duration, Instant},
};

use super::stop_token::StopToken;

/// Time between two attempts.
const RETRY_INTERVAL: Duration = Duration::from_millis(200);
/// Time after which the operation fails.
const RETRY_MAX: Duration = Duration::from_secs(600);
/// Messages of the system and of git.
const MESSAGES: [&str; 3] = ["No space left on device", "Out of diskspace", "Disk quota exceeded"];

/// Repeats an operation while it fails with a full disk, until a stop is requested or [`RETRY_MAX`] has passed.
pub(super) fn retry<T>(
    stop_token: &StopToken,
    mut attempt: impl FnMut() -> Result<T, String>,
) -> Result<T, String> {
    let deadline = Instant::now() + RETRY_MAX;
    loop {
        match attempt() {
            Err(reason) if is_disk_full(&reason) && !stop_token.is_stopped() && Instant::now() < deadline => {
                thread::sleep(RETRY_INTERVAL);
            }
            result => return result,
        }
    }
}

/// Tells whether an error message says that the disk is full.
pub(super) fn is_disk_full(reason: &str) -> bool {
    MESSAGES.iter().any(|message| reason.contains(message))
}

#[cfg(test)]
mod tests {
    use super::*;

    const FULL: &str = "git update-index: fatal: index.lock write error. Out of diskspace";

    fn assert_retry_outcome(reasons: &[&str], stop_token: &StopToken, expected: (Result<(), &str>, usize)) {
        let mut n_attempts = 0;
        let outcome = retry(stop_token, || {
            n_attempts += 1;
            reasons.get(n_attempts - 1).map_or(Ok(()), |reason| Err((*reason).to_owned()))
        });
        assert_eq!((outcome, n_attempts), (expected.0.map_err(str::to_owned), expected.1));
    }

    #[test]
    fn full_disk_is_retried_until_the_operation_succeeds() {
        let write = std::io::Error::from_raw_os_error(28).to_string();
        assert_retry_outcome(&[FULL, &write], &StopToken::new(), (Ok(()), 3));
    }

    #[test]
    fn other_errors_are_not_retried() {
        assert_retry_outcome(&["no such branch"], &StopToken::new(), (Err("no such branch"), 1));
    }

    #[test]
    fn stop_request_ends_the_retries() {
        let stop_token = StopToken::new();
        stop_token.detach();
        assert_retry_outcome(&[FULL], &stop_token, (Err(FULL), 1));
    }
}
