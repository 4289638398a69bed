//! Polls descriptors with a deadline, regardless of interruptions.

use std::time::{Duration, Instant};

use rustix::{
    event::{PollFd, Timespec, poll},
    io::Errno,
};

/// Waits until a descriptor is ready; returns false if the deadline passed or polling failed.
pub(crate) fn until_ready(polled: &mut [PollFd<'_>], deadline: Option<Instant>) -> bool {
    loop {
        let timeout = deadline.map(|deadline| timespec(deadline.saturating_duration_since(Instant::now())));
        match poll(polled, timeout.as_ref()) {
            Ok(0) => {
                if deadline.is_some_and(|deadline| Instant::now() >= deadline) {
                    return false;
                }
            }
            Ok(_) => return true,
            Err(Errno::INTR) => {}
            Err(_) => return false,
        }
    }
}

/// Converts a duration for the kernel.
pub(crate) fn timespec(duration: Duration) -> Timespec {
    Timespec {
        tv_sec: i64::try_from(duration.as_secs()).unwrap_or(i64::MAX),
        tv_nsec: i64::from(duration.subsec_nanos()),
    }
}
