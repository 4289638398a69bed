//! Waits for descriptors with a deadline, whatever interrupts it.

use std::time::{Duration, Instant};

use rustix::{
    event::{PollFd, Timespec, poll},
    io::Errno,
};

/// Waits until one of the descriptors is ready. Says `false` when the deadline passed or waiting is impossible.
pub(crate) fn until_ready(polled: &mut [PollFd<'_>], deadline: Option<Instant>) -> bool {
    loop {
        let left = deadline.map(|deadline| timespec(deadline.saturating_duration_since(Instant::now())));
        match poll(polled, left.as_ref()) {
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

/// Turns a duration into what the kernel takes.
pub(crate) fn timespec(duration: Duration) -> Timespec {
    Timespec {
        tv_sec: i64::try_from(duration.as_secs()).unwrap_or(i64::MAX),
        tv_nsec: i64::from(duration.subsec_nanos()),
    }
}
