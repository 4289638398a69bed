//! Memory of a holder: after much output, and during 1 GB of output.

use std::{fs, path::Path};

use anyhow::{Result, ensure};
use holder::spool;

use super::{
    Fixture,
    process::{private_kib, wait_for_condition, wait_until_idle},
    session::{SILENT, Session, shell},
    tmux::Tmux,
};

/// Number of times the output is written for the growth: 1 GB in all.
const N_OUTPUTS: u64 = 16;
/// Number of them before the first measurement: a little more than 100 MB.
const N_EARLY: u64 = 2;
/// Size of the spool that is retained meanwhile.
const RETAINED_BYTES: u64 = 32 << 20;

/// KiB of private memory after the output.
pub(super) struct MemoryFigures {
    pub holder: f64,
    pub tmux: f64,
    pub tmux_idle: f64,
}

/// Measures a holder and a tmux server after each has read the same output.
pub(super) fn measure(fixture: &Fixture) -> Result<MemoryFigures> {
    let done = fixture.root_path().join("done");
    let script = fixture.shell_script_with_output("", &format!(": > '{}'; {SILENT}", done.display()));
    let session = Session::start(&fixture.program, fixture.root_path(), &script)?;
    let holder = memory_when_idle(session.holder_pid(), &done)?;
    drop(session);
    if !fixture.has_tmux {
        return Ok(MemoryFigures { holder, tmux: f64::NAN, tmux_idle: f64::NAN });
    }
    let (idle, busy) = (Tmux::with_new_socket()?, Tmux::with_new_socket()?);
    idle.new_session(&shell(SILENT))?;
    wait_until_idle(&[idle.pid()?])?;
    let tmux_idle = private_kib(idle.pid()?)?;
    drop(idle);
    busy.new_session(&shell(&script))?;
    Ok(MemoryFigures { holder, tmux: memory_when_idle(busy.pid()?, &done)?, tmux_idle })
}

/// Waits until the agent has written all and the process that reads it is idle, and returns the memory of the latter.
fn memory_when_idle(pid: u32, done: &Path) -> Result<f64> {
    wait_for_condition("the agent has written its output", || Ok(done.exists()))?;
    wait_until_idle(&[pid])?;
    let private = private_kib(pid)?;
    fs::remove_file(done)?;
    Ok(private)
}

/// Memory in two pauses of a long output, and the peak in between, in KiB.
///
/// During output it varies with the pages that are mapped at that moment, so pauses are compared.
pub(super) struct MemoryGrowth {
    pub early: f64,
    pub late: f64,
    pub peak: f64,
}

impl MemoryGrowth {
    /// Returns the factor between the two, at least 1.
    pub(super) fn ratio(&self) -> f64 {
        (self.late / self.early).max(self.early / self.late)
    }
}

/// Writes 1 GB through one session, removes old segments, and measures the holder's memory meanwhile.
pub(super) fn measure_growth(fixture: &Fixture) -> Result<MemoryGrowth> {
    let done = fixture.root_path().join("done");
    let output = fixture.shell_script_with_output("", "");
    let (mark, rest) = (done.display(), N_OUTPUTS - N_EARLY);
    let script = format!(
        "stty -opost; for n in $(seq {N_EARLY}); do {output} done; : > '{mark}'; \
         while [ -e '{mark}' ]; do sleep 0.1; done; \
         for n in $(seq {rest}); do {output} done; : > '{mark}'; {SILENT}"
    );
    let mut session = Session::start(&fixture.program, fixture.root_path(), &script)?;
    let total = N_OUTPUTS * fixture.output.bytes.len() as u64;
    let early = memory_when_idle(session.holder_pid(), &done)?;
    let mut peak = early;
    wait_for_condition("1 GB is written", || {
        // The position is read from the folder; a request to the holder would change its memory.
        let offset = newest_segment_offset(&session.directory)?;
        spool::delete_before(&session.directory, offset.saturating_sub(RETAINED_BYTES))?;
        peak = peak.max(private_kib(session.holder_pid())?);
        Ok(offset + spool::SEGMENT_BYTES_MAX >= total)
    })?;
    let late = memory_when_idle(session.holder_pid(), &done)?;
    let written = session.status()?.offset;
    ensure!(written == total, "{total} bytes were written, {written} are in the spool");
    Ok(MemoryGrowth { early, late, peak })
}

/// Returns the start of the newest segment of a spool, from its file name.
fn newest_segment_offset(directory: &Path) -> Result<u64> {
    let mut newest = 0;
    for entry in fs::read_dir(directory)? {
        let name = entry?.file_name();
        let offset = name.to_str().and_then(|name| name.strip_suffix(".spool")?.split_once('-'));
        newest = newest.max(offset.and_then(|(_, offset)| offset.parse().ok()).unwrap_or(0));
    }
    Ok(newest)
}
