//! The time that a thread has worked: what others do at the same time does not count.

use std::time::Duration;

/// Returns how long this thread has worked.
#[cfg(all(target_os = "linux", target_pointer_width = "64"))]
pub fn worked() -> Duration {
    #[repr(C)]
    struct Time {
        seconds: i64,
        nanoseconds: i64,
    }
    #[expect(unsafe_code, reason = "the standard library has no clock of a thread; the C library has")]
    let time = {
        const THREAD_CPU_TIME: i32 = 3;
        // SAFETY: this is the function's signature where a pointer has 64 bits.
        unsafe extern "C" {
            fn clock_gettime(clock: i32, time: *mut Time) -> i32;
        }
        let mut time = Time { seconds: 0, nanoseconds: 0 };
        // SAFETY: the pointer is to a whole `Time`, which is only written to.
        unsafe { clock_gettime(THREAD_CPU_TIME, &raw mut time) };
        time
    };
    Duration::new(time.seconds.unsigned_abs(), u32::try_from(time.nanoseconds).unwrap_or(0))
}

/// Returns how long this thread has lived, for want of a better clock.
#[cfg(not(all(target_os = "linux", target_pointer_width = "64")))]
#[expect(
    clippy::disallowed_methods,
    clippy::disallowed_types,
    reason = "only a clock tells how long something takes"
)]
pub fn worked() -> Duration {
    use std::{sync::OnceLock, time::Instant};
    static BEGIN: OnceLock<Instant> = OnceLock::new();
    BEGIN.get_or_init(Instant::now).elapsed()
}
