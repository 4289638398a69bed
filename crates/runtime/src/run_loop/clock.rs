//! Notices that the system clock was set, or that the machine was suspended; also while no server ran.

use std::{fs, io, path::Path};

use domain::Timestamp;
use rustix::time::{ClockId, clock_gettime};

/// Difference that counts as a jump. Time servers correct a clock in smaller steps.
const JUMP_MS_MIN: i64 = 5_000;
/// Name of the file in a run's folder with the last clock times that agreed.
const CLOCK_FILE: &str = "clock";
/// Changes with each boot, which starts the monotonic clock again.
const BOOT_ID_FILE: &str = "/proc/sys/kernel/random/boot_id";

/// Times of both clocks at one moment. The monotonic one stands still while the machine is suspended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct ClockTimes {
    pub wall: Timestamp,
    pub monotonic_ms: i64,
}

impl ClockTimes {
    /// Reads the monotonic clock.
    pub(super) fn at(wall: Timestamp) -> Self {
        let time = clock_gettime(ClockId::Monotonic);
        Self { wall, monotonic_ms: time.tv_sec.saturating_mul(1000).saturating_add(time.tv_nsec / 1_000_000) }
    }
}

/// Compares the system clock with the monotonic one.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct ClockWatch {
    agreed: ClockTimes,
    /// Of this boot; `None` if the system does not name it.
    boot: Option<String>,
}

impl ClockWatch {
    /// Continues the comparison of an earlier server since the same boot, or begins one.
    pub(super) fn resume(folder: &Path, times: ClockTimes) -> Self {
        let boot = fs::read_to_string(BOOT_ID_FILE).ok().map(|id| id.trim().to_owned());
        let agreed = boot.as_deref().and_then(|boot| read_times(folder, boot));
        Self { agreed: agreed.unwrap_or(times), boot }
    }

    /// Returns by how many milliseconds the system clock ran ahead of the monotonic one since the last call.
    pub(super) fn take_jump(&mut self, times: ClockTimes) -> Option<i64> {
        let elapsed_ms = times.monotonic_ms.saturating_sub(self.agreed.monotonic_ms);
        let ahead = times.wall.0.saturating_sub(self.agreed.wall.0).saturating_sub(elapsed_ms);
        if ahead.abs() < JUMP_MS_MIN {
            // Keeps small differences: they may add up to a jump.
            return None;
        }
        self.agreed = times;
        Some(ahead)
    }

    /// Writes the times for a later server.
    ///
    /// Not synchronized: a power failure that loses the file ends the boot as well.
    pub(super) fn save(&self, folder: &Path) -> io::Result<()> {
        let Self { agreed: ClockTimes { wall, monotonic_ms }, boot: Some(boot) } = self else {
            return Ok(());
        };
        fs::write(folder.join(CLOCK_FILE), format!("{boot} {} {monotonic_ms}\n", wall.0))
    }
}

fn read_times(folder: &Path, boot: &str) -> Option<ClockTimes> {
    let text = fs::read_to_string(folder.join(CLOCK_FILE)).ok()?;
    let mut words = text.split_whitespace();
    if words.next() != Some(boot) {
        return None;
    }
    let mut next = || words.next()?.parse().ok();
    Some(ClockTimes { wall: Timestamp(next()?), monotonic_ms: next()? })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn times(wall_s: i64, monotonic_s: i64) -> ClockTimes {
        ClockTimes { wall: Timestamp(wall_s * 1000), monotonic_ms: monotonic_s * 1000 }
    }

    #[test]
    fn only_a_jump_of_the_system_clock_is_reported() {
        let mut watch = ClockWatch { agreed: times(1_000, 0), boot: None };
        assert_eq!(watch.take_jump(times(1_060, 60)), None, "time passed");
        assert_eq!(watch.take_jump(times(1_063, 60)), None, "a small correction");
        assert_eq!(watch.take_jump(times(8_260, 60)), Some(7_200_000), "suspended");
        assert_eq!(watch.take_jump(times(8_261, 61)), None, "once");
        assert_eq!(watch.take_jump(times(1_062, 62)), Some(-7_200_000), "set back");
    }

    #[test]
    fn a_jump_while_no_server_ran_is_noticed_unless_the_machine_was_booted() {
        let folder = tempfile::tempdir().unwrap();
        let first = ClockWatch::resume(folder.path(), times(1_000, 50));
        first.save(folder.path()).unwrap();
        let mut next = ClockWatch::resume(folder.path(), times(9_000, 100));
        assert_eq!(next.take_jump(times(9_000, 100)), Some(7_950_000));
        next.save(folder.path()).unwrap();
        assert_eq!(ClockWatch::resume(folder.path(), times(9_100, 200)).take_jump(times(9_100, 200)), None);

        for other in ["another-boot 1000000 50000", "", "no numbers here", "\u{0}"] {
            fs::write(folder.path().join(CLOCK_FILE), other).unwrap();
            let mut begun = ClockWatch::resume(folder.path(), times(9_000, 100));
            assert_eq!(begun.take_jump(times(9_000, 100)), None, "{other}");
        }
    }
}
