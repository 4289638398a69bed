//! The time of a start: until the call returns, and until the agent runs.
//!
//! `session` is the usual start: `Sessions::start` without a prepared holder. `tmux` is `tmux new-session -d` with its
//! server running, `tmux, first` the same including the start of the server. `holder` is the holder's part of a session's
//! start, `ready holder` the same with a holder that was started before.

use std::{
    collections::BTreeMap,
    thread,
    time::{Duration, Instant},
};

use anyhow::{Context, Result};
use holder::{
    IdleHolder,
    protocol::{Request, StdioAttachment},
};
use rustix::process::{Pid, Signal, WaitOptions, kill_process, waitpid};
use sessions::{Sandbox, SessionEntry, StartRequest};
use testkit::bench::{Report, Timings, run_named_variants_in_turns};

use crate::child::{self, SignalPipe, WAIT_MAX};

use super::{
    Fixture,
    session::{SILENT, Session, WINDOW, shell},
    tmux::Tmux,
};

const NAMES: [&str; 5] = ["session", "holder", "ready holder", "tmux", "tmux, first"];
const ROUNDS: usize = 41;
/// Pause between two starts, so that the processes of the last one have ended.
const PAUSE: Duration = Duration::from_millis(10);

/// The times of starts.
pub(super) struct StartTimings {
    /// Until the call returned.
    pub returned: Timings,
    /// Until the agent ran.
    pub running: Timings,
}

impl StartTimings {
    pub(super) fn add_figures(&self, report: &mut Report) {
        for (until, timings) in [("", &self.returned), (", until it runs", &self.running)] {
            for name in NAMES {
                report.add_figure(&format!("{name} start{until} ms"), timings.median_seconds(name) * 1e3);
            }
            for (name, than) in [
                ("session", "tmux"),
                ("session", "tmux, first"),
                ("holder", "tmux"),
                ("ready holder", "tmux"),
            ] {
                let name_both = format!("{name} start/{than}{until}");
                report.add_figure(&name_both, timings.times_longer(name, than));
            }
        }
    }
}

/// Starts each kind in turns.
pub(super) fn measure(fixture: &Fixture) -> Result<StartTimings> {
    let mut pipe = SignalPipe::create(&fixture.root_path().join("started"))?;
    let script = format!("echo > '{}'; {SILENT}", pipe.path.display());
    let tmux = Tmux::with_new_socket()?;
    if fixture.has_tmux {
        tmux.new_session(&shell(SILENT))?;
    }
    let names = if fixture.has_tmux { &NAMES[..] } else { &NAMES[..3] };
    let times = run_named_variants_in_turns(ROUNDS, names, |n| -> Result<[Duration; 2]> {
        let ready = if n == 2 { Some(IdleHolder::start(&fixture.program)?) } else { None };
        let first = if n == 4 { Some(Tmux::with_new_socket()?) } else { None };
        thread::sleep(PAUSE);
        let begin = Instant::now();
        let session = match n {
            0 => RunningSession::Product(start_session(fixture, &script)?),
            1 => RunningSession::Holder(Session::start(&fixture.program, fixture.root_path(), &script)?),
            2 => {
                let ready = ready.context("the holder is missing")?;
                RunningSession::Holder(Session::start_in_holder(ready, fixture.root_path(), &script)?)
            }
            3 => RunningSession::Tmux(tmux.new_session(&shell(&script))?),
            _ => RunningSession::Tmux(
                first.as_ref().context("the tmux server is missing")?.new_session(&shell(&script))?,
            ),
        };
        let returned = begin.elapsed();
        let running = pipe.wait(WAIT_MAX)?.duration_since(begin);
        drop(session);
        if n == 3 {
            tmux.end_all_but_first_session()?;
        }
        Ok([returned, running])
    })?;
    let pick = |which: usize| {
        let times = times.iter().map(|times| times.iter().map(|pair| pair[which]).collect());
        Timings::new(NAMES.into_iter().zip(times).collect())
    };
    Ok(StartTimings { returned: pick(0), running: pick(1) })
}

/// A session that is ended when dropped. Those of tmux end with their server.
#[expect(dead_code, reason = "only dropped")]
enum RunningSession<'a> {
    Product(ProductSession<'a>),
    Holder(Session),
    Tmux(()),
}

/// A session that was started like those of the product.
struct ProductSession<'a> {
    fixture: &'a Fixture,
    found: SessionEntry,
}

fn start_session<'a>(fixture: &'a Fixture, script: &str) -> Result<ProductSession<'a>> {
    let found = fixture.sessions.start(&StartRequest {
        name: None,
        command: shell(script).into(),
        directory: "/".into(),
        attachment: StdioAttachment::Terminal(WINDOW),
        environment: BTreeMap::new(),
        memory_bytes_max: None,
        output_bytes_max: None,
        sandbox: Sandbox::off(),
        secrets: Vec::new(),
        agent: None,
    })?;
    Ok(ProductSession { fixture, found })
}

impl Drop for ProductSession<'_> {
    fn drop(&mut self) {
        let Self { fixture: Fixture { sessions, .. }, found } = self;
        if sessions.request(found, &Request::End { grace: Duration::ZERO }, WAIT_MAX).is_err() {
            sessions.kill_orphans(found);
        }
        // The summary is written after the reply to the start, so it is complete only now.
        let holder = holder::status::read(&found.directory).ok().flatten().map(|summary| summary.holder_pid);
        if let Some(holder) = holder.and_then(|pid| i32::try_from(pid).ok()).and_then(Pid::from_raw) {
            if !child::ends_within(holder, WAIT_MAX).unwrap_or(false) {
                let _ = kill_process(holder, Signal::KILL);
            }
            let _ = waitpid(Some(holder), WaitOptions::empty());
        }
        let _ = sessions.remove(found);
    }
}
