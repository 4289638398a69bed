//! Notices that the system clock was set, or that the machine was suspended.

use std::time::{Duration, Instant};

use domain::Timestamp;

/// Difference that counts as a jump. Time servers correct a clock in smaller steps.
const JUMP_MS_MIN: i64 = 5_000;

/// Compares the system clock with the monotonic one, which stands still while the machine is suspended.
pub(super) struct ClockWatch {
    wall: Timestamp,
    monotonic: Instant,
}

impl ClockWatch {
    pub(super) fn new(wall: Timestamp, monotonic: Instant) -> Self {
        Self { wall, monotonic }
    }

    /// Returns by how many milliseconds the system clock ran ahead of the monotonic one since the last call.
    pub(super) fn take_jump(&mut self, wall: Timestamp, monotonic: Instant) -> Option<i64> {
        let elapsed = monotonic.saturating_duration_since(self.monotonic);
        let ahead = wall.0.saturating_sub(self.wall.0).saturating_sub(to_ms(elapsed));
        if ahead.abs() < JUMP_MS_MIN {
            // Keeps small differences: they may add up to a jump.
            return None;
        }
        *self = Self { wall, monotonic };
        Some(ahead)
    }
}

fn to_ms(duration: Duration) -> i64 {
    i64::try_from(duration.as_millis()).unwrap_or(i64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_jump_of_the_system_clock_is_reported() {
        let start = Instant::now();
        let after = |seconds| start + Duration::from_secs(seconds);
        let mut watch = ClockWatch::new(Timestamp(1_000_000), start);
        assert_eq!(watch.take_jump(Timestamp(1_060_000), after(60)), None, "time passed");
        assert_eq!(watch.take_jump(Timestamp(1_063_000), after(60)), None, "a small correction");
        assert_eq!(watch.take_jump(Timestamp(8_260_000), after(60)), Some(7_200_000), "suspended");
        assert_eq!(watch.take_jump(Timestamp(8_261_000), after(61)), None, "once");
        assert_eq!(watch.take_jump(Timestamp(1_062_000), after(62)), Some(-7_200_000), "set back");
    }
}
