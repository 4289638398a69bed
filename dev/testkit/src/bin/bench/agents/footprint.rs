//! Memory: of one session that has printed much, and of one that prints on and on.

use std::{fs, path::Path};

use anyhow::{Result, ensure};
use holder::spool;

use super::{
    Ground,
    process::{private_kib, wait_for, wait_quiet},
    session::{SILENT, Session, shell},
    tmux::Tmux,
};

/// How often the flood flows in the long run: a gigabyte in all.
const N_FLOODS: u64 = 16;
/// How many of them flow before the first look: a little more than 100 MB.
const N_EARLY: u64 = 2;
/// How much of the spool is left behind the end while a flood goes on.
const KEPT_BYTES: u64 = 32 << 20;

/// KiB of private memory after the flood.
pub struct Footprint {
    pub holder: f64,
    pub tmux: f64,
    pub tmux_silent: f64,
}

/// Looks at a holder and at a tmux server after each has taken the same flood.
pub fn measure_all(ground: &Ground) -> Result<Footprint> {
    let done = ground.path().join("done");
    let script = ground.flood_script("", &format!(": > '{}'; {SILENT}", done.display()));
    let session = Session::start(&ground.program, ground.path(), &script)?;
    let holder = settled(session.pid(), &done)?;
    drop(session);
    if !ground.has_tmux {
        return Ok(Footprint { holder, tmux: f64::NAN, tmux_silent: f64::NAN });
    }
    let (silent, flooded) = (Tmux::prepare()?, Tmux::prepare()?);
    silent.new_session(&shell(SILENT))?;
    wait_quiet(&[silent.pid()?])?;
    let tmux_silent = private_kib(silent.pid()?)?;
    drop(silent);
    flooded.new_session(&shell(&script))?;
    Ok(Footprint { holder, tmux: settled(flooded.pid()?, &done)?, tmux_silent })
}

/// Waits until the agent has written all and its keeper is quiet, and returns the keeper's memory.
fn settled(pid: u32, done: &Path) -> Result<f64> {
    wait_for("the agent has written all of the flood", || Ok(done.exists()))?;
    wait_quiet(&[pid])?;
    let private = private_kib(pid)?;
    fs::remove_file(done)?;
    Ok(private)
}

/// What is needed in two pauses of a long flood, and at most in between, in KiB.
///
/// In a flood it changes by how much of the program is mapped in that moment, so pauses are compared.
pub struct Flatness {
    pub early: f64,
    pub late: f64,
    pub most: f64,
}

impl Flatness {
    /// Returns by how much the two differ, whichever is larger.
    pub fn ratio(&self) -> f64 {
        (self.late / self.early).max(self.early / self.late)
    }
}

/// Lets a gigabyte flow through one session, forgets what is old, and watches the holder's memory.
pub fn measure_long(ground: &Ground) -> Result<Flatness> {
    let done = ground.path().join("done");
    let flood = ground.flood_script("", "");
    let (mark, rest) = (done.display(), N_FLOODS - N_EARLY);
    let script = format!(
        "stty -opost; for n in $(seq {N_EARLY}); do {flood} done; : > '{mark}'; \
         while [ -e '{mark}' ]; do sleep 0.1; done; \
         for n in $(seq {rest}); do {flood} done; : > '{mark}'; {SILENT}"
    );
    let mut session = Session::start(&ground.program, ground.path(), &script)?;
    let total = N_FLOODS * ground.flood.bytes.len() as u64;
    let early = settled(session.pid(), &done)?;
    let mut most = early;
    wait_for("a gigabyte has flowed", || {
        // The folder says how far it is; asking the holder would change what is measured.
        let offset = newest(&session.directory)?;
        spool::forget_before(&session.directory, offset.saturating_sub(KEPT_BYTES))?;
        most = most.max(private_kib(session.pid())?);
        Ok(offset + spool::SEGMENT_BYTES_MAX >= total)
    })?;
    let late = settled(session.pid(), &done)?;
    let written = session.status()?.offset;
    ensure!(written == total, "{total} bytes were written, {written} are in the spool");
    Ok(Flatness { early, late, most })
}

/// Returns the offset at which the newest segment of a spool begins, as its name says.
fn newest(directory: &Path) -> Result<u64> {
    let mut newest = 0;
    for entry in fs::read_dir(directory)? {
        let name = entry?.file_name();
        let offset = name.to_str().and_then(|name| name.strip_suffix(".spool")?.split_once('-'));
        newest = newest.max(offset.and_then(|(_, offset)| offset.parse().ok()).unwrap_or(0));
    }
    Ok(newest)
}
