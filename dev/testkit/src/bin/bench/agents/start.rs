//! How long a start takes: until the call returns, and until the agent says its first word.
//!
//! `session` is what people get: `Sessions::start`, with no holder kept ready. `tmux` is `tmux new-session -d` with its
//! server running, `tmux, first` the same where it has to start the server too. `holder` is the part of a session's start
//! that is the holder's, `ready holder` what is left of that where somebody keeps one ready.

use std::{
    collections::BTreeMap,
    thread,
    time::{Duration, Instant},
};

use anyhow::{Context, Result};
use holder::{
    Ready,
    protocol::{Attachment, Request},
};
use rustix::process::{Pid, Signal, WaitOptions, kill_process, waitpid};
use sessions::{Demand, Found, Sandbox, Start};
use testkit::bench::{Report, Timings, in_named_turns};

use crate::child::{self, SignalPipe, WAIT_MAX};

use super::{
    Ground,
    session::{SILENT, Session, WINDOW, shell},
    tmux::Tmux,
};

const NAMES: [&str; 5] = ["session", "holder", "ready holder", "tmux", "tmux, first"];
const ROUNDS: usize = 41;
/// Between two starts, so that what the last one left behind is over.
const REST: Duration = Duration::from_millis(10);

/// How long starts took.
pub struct Starts {
    pub returned: Timings,
    pub spoke: Timings,
}

impl Starts {
    pub fn add_figures(&self, report: &mut Report) {
        for (until, timings) in [("", &self.returned), (", to its first word", &self.spoke)] {
            for name in NAMES {
                report.figure(&format!("{name} start{until} ms"), timings.seconds(name) * 1e3);
            }
            for (name, than) in [
                ("session", "tmux"),
                ("session", "tmux, first"),
                ("holder", "tmux"),
                ("ready holder", "tmux"),
            ] {
                let name_both = format!("{name} start/{than}{until}");
                report.figure(&name_both, timings.times_longer(name, than));
            }
        }
    }
}

/// Starts each kind in turns.
pub fn measure_all(ground: &Ground) -> Result<Starts> {
    let mut pipe = SignalPipe::create(&ground.path().join("started"))?;
    let script = format!("echo > '{}'; {SILENT}", pipe.path.display());
    let tmux = Tmux::prepare()?;
    if ground.has_tmux {
        tmux.new_session(&shell(SILENT))?;
    }
    let names = if ground.has_tmux { &NAMES[..] } else { &NAMES[..3] };
    let times = in_named_turns(ROUNDS, names, |n| -> Result<[Duration; 2]> {
        let ready = if n == 2 { Some(Ready::start(&ground.program)?) } else { None };
        let first = if n == 4 { Some(Tmux::prepare()?) } else { None };
        thread::sleep(REST);
        let begin = Instant::now();
        let started = match n {
            0 => Started::Session(start_session(ground, &script)?),
            1 => Started::Holder(Session::start(&ground.program, ground.path(), &script)?),
            2 => {
                let ready = ready.context("a ready holder")?;
                Started::Holder(Session::start_with(ready, ground.path(), &script)?)
            }
            3 => Started::Tmux(tmux.new_session(&shell(&script))?),
            _ => Started::Tmux(first.as_ref().context("a tmux")?.new_session(&shell(&script))?),
        };
        let returned = begin.elapsed();
        let spoke = pipe.wait(WAIT_MAX)?.duration_since(begin);
        drop(started);
        if n == 3 {
            tmux.end_other_sessions()?;
        }
        Ok([returned, spoke])
    })?;
    let pick = |which: usize| {
        let times = times.iter().map(|times| times.iter().map(|pair| pair[which]).collect());
        Timings::new(NAMES.into_iter().zip(times).collect())
    };
    Ok(Starts { returned: pick(0), spoke: pick(1) })
}

/// What was started, and is ended when it is dropped. Those of tmux end with their server.
#[expect(dead_code, reason = "kept to be dropped")]
enum Started<'a> {
    Session(Own<'a>),
    Holder(Session),
    Tmux(()),
}

/// A session that was started as people do it.
struct Own<'a> {
    ground: &'a Ground,
    found: Found,
}

fn start_session<'a>(ground: &'a Ground, script: &str) -> Result<Own<'a>> {
    let found = ground.sessions.start(&Start {
        name: None,
        command: shell(script).into(),
        directory: "/".into(),
        attachment: Attachment::Terminal(WINDOW),
        environment: BTreeMap::new(),
        memory_bytes_max: None,
        sandbox: Sandbox { demand: Demand::Off, write: Vec::new() },
        agent: None,
    })?;
    Ok(Own { ground, found })
}

impl Drop for Own<'_> {
    fn drop(&mut self) {
        let Self { ground: Ground { sessions, .. }, found } = self;
        if sessions.ask(found, &Request::End { grace: Duration::ZERO }, WAIT_MAX).is_err() {
            sessions.bury(found);
        }
        // Written behind the reply to the start, so it is there for certain only now.
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
