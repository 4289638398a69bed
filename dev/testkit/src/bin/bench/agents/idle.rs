//! The cost of many idle sessions.

use std::{thread, time::Duration};

use anyhow::Result;

use super::{
    Fixture,
    process::{context_switches, cpu_ticks, private_kib, wait_until_idle},
    session::{SILENT, Session},
};

const N_SESSIONS: usize = 50;
const PERIOD: Duration = Duration::from_secs(10);

/// The activity of all holders together while their agents were idle.
pub(super) struct IdleFigures {
    pub switches: f64,
    pub ticks: f64,
    /// Of each holder; they share their code.
    pub private_kib: f64,
}

/// Starts many idle sessions and counts their activity for some seconds.
pub(super) fn measure(fixture: &Fixture) -> Result<IdleFigures> {
    let start = |_| Session::start(&fixture.program, fixture.root_path(), SILENT);
    let sessions = (0..N_SESSIONS).map(start).collect::<Result<Vec<_>>>()?;
    let pids: Vec<u32> = sessions.iter().map(Session::holder_pid).collect();
    wait_until_idle(&pids)?;
    let all = |of: fn(u32) -> Result<f64>| pids.iter().map(|pid| of(*pid)).sum::<Result<f64>>();
    let (switches_before, ticks_before) = (all(context_switches)?, all(cpu_ticks)?);
    thread::sleep(PERIOD);
    let (switches_after, ticks_after) = (all(context_switches)?, all(cpu_ticks)?);
    Ok(IdleFigures {
        switches: switches_after - switches_before,
        ticks: ticks_after - ticks_before,
        private_kib: all(private_kib)? / N_SESSIONS as f64,
    })
}
