//! CPU time of the current thread, independent of other threads and processes.

use std::time::Duration;

#[cfg(all(target_os = "linux", target_pointer_width = "64"))]
pub(crate) fn thread_cpu_time() -> Duration {
    #[repr(C)]
    struct TimeSpec {
        seconds: i64,
        nanoseconds: i64,
    }
    #[expect(unsafe_code, reason = "only the C library has a thread clock")]
    let time = {
        const THREAD_CPU_TIME: i32 = 3;
        // SAFETY: this is the function's signature on 64-bit targets.
        unsafe extern "C" {
            fn clock_gettime(clock: i32, time: *mut TimeSpec) -> i32;
        }
        let mut time = TimeSpec { seconds: 0, nanoseconds: 0 };
        // SAFETY: the pointer refers to a valid `TimeSpec`, which the function only writes.
        unsafe { clock_gettime(THREAD_CPU_TIME, &raw mut time) };
        time
    };
    Duration::new(time.seconds.unsigned_abs(), u32::try_from(time.nanoseconds).unwrap_or(0))
}

/// Returns the elapsed time, where no thread clock is available.
#[cfg(not(all(target_os = "linux", target_pointer_width = "64")))]
#[expect(clippy::disallowed_methods, clippy::disallowed_types, reason = "the test measures time")]
pub fn thread_cpu_time() -> Duration {
    use std::{sync::OnceLock, time::Instant};
    static BEGIN: OnceLock<Instant> = OnceLock::new();
    BEGIN.get_or_init(Instant::now).elapsed()
}
