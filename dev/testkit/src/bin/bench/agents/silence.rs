//! Many sessions in which nothing happens.

use std::{thread, time::Duration};

use anyhow::Result;

use super::{
    Ground,
    process::{private_kib, switches, ticks, wait_quiet},
    session::{SILENT, Session},
};

const N_SESSIONS: usize = 50;
const SILENCE: Duration = Duration::from_secs(10);

/// What all holders together did while nothing happened.
pub struct Silence {
    pub switches: f64,
    pub ticks: f64,
    /// Of each; they share their code.
    pub private_kib: f64,
}

/// Starts many silent sessions and looks away for a while.
pub fn measure_all(ground: &Ground) -> Result<Silence> {
    let start = |_| Session::start(&ground.program, ground.path(), SILENT);
    let sessions = (0..N_SESSIONS).map(start).collect::<Result<Vec<_>>>()?;
    let pids: Vec<u32> = sessions.iter().map(Session::pid).collect();
    wait_quiet(&pids)?;
    let all = |of: fn(u32) -> Result<f64>| pids.iter().map(|pid| of(*pid)).sum::<Result<f64>>();
    let (switches_before, ticks_before) = (all(switches)?, all(ticks)?);
    thread::sleep(SILENCE);
    let (switches_after, ticks_after) = (all(switches)?, all(ticks)?);
    Ok(Silence {
        switches: switches_after - switches_before,
        ticks: ticks_after - ticks_before,
        private_kib: all(private_kib)? / N_SESSIONS as f64,
    })
}
