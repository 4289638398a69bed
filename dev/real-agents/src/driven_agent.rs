//! A real agent in a session of Jangdan's, led by its driver as a run leads it.

use std::{
    collections::VecDeque,
    process::Command,
    time::{Duration, Instant},
};

use agents::{
    Begin, Demand, Found, Happening, Living, LivingError, Sandbox, Seen, Sessions, Start, Told, TurnOutcome,
    preset::{Launch, Preset},
};
use anyhow::{Context, Result, bail, ensure};
use domain::{PermissionWish, Role, Usage};
use protocol::Item;

use crate::place::Place;

/// What does not come within this time does not come. The slowest agent takes 8 s for its first start.
const PATIENCE: Duration = Duration::from_secs(45);
/// How long an agent may take to end politely.
const END_GRACE: Duration = Duration::from_secs(3);

/// A real agent.
pub struct Led {
    sessions: Sessions,
    /// Its session.
    pub found: Found,
    living: Living,
    seen: VecDeque<Seen>,
    /// The number of the last input.
    number: u32,
    /// The agent's own id of its session, where it has said one.
    pub agent_session: Option<String>,
}

/// A turn that is over.
#[derive(Debug)]
pub struct Turn {
    /// The messages in it, and what was not quite one.
    pub items: Vec<Item>,
    /// Its words, for people.
    pub words: String,
    /// What it used.
    pub used: Usage,
    /// How it ended.
    pub outcome: TurnOutcome,
}

impl Led {
    /// Starts an agent by its preset, and waits until it is ready.
    pub fn start(preset: &Preset, place: &Place, launch: Launch<'_>) -> Result<Self> {
        let sessions = Sessions::open(&place.data)?;
        let line = preset.command_line(launch);
        let mut environment = line.environment;
        environment.extend(place.environment().clone());
        let start = Start {
            name: None,
            command: line.command,
            directory: place.work.clone(),
            attachment: line.attachment,
            environment,
            memory_bytes_max: None,
            sandbox: Sandbox { demand: Demand::Off, write: Vec::new() },
            agent: None,
        };
        let found = sessions.start(&start)?;
        let begin = Begin {
            launch,
            directory: &place.work,
            key: &found.about.key,
            role: Role::Worker,
            has_numeric_ids: false,
            left: None,
        };
        let opened = Living::open(&found.directory, agents::driver(preset, &begin), begin.aside(), 0);
        let (living, seen) = opened?;
        let mut led = Self { sessions, found, living, seen: seen.into(), number: 0, agent_session: None };
        led.agent_session = led.until("that it is ready", |seen| match seen {
            Seen::Happened(Happening::Ready { agent_session }) => Some(agent_session.clone()),
            _ => None,
        })?;
        Ok(led)
    }

    /// Tells it something.
    pub fn tell(&mut self, told: &Told) -> Result<()> {
        self.number += 1;
        let until = Instant::now() + PATIENCE;
        loop {
            match self.living.tell(told, self.number) {
                Ok(seen) => {
                    self.seen.extend(seen);
                    return Ok(());
                }
                // A turn that has just begun may not have said its name.
                Err(LivingError::Untold(_)) if Instant::now() < until => {
                    let soon = Instant::now() + Duration::from_millis(20);
                    self.seen.extend(self.living.next(Some(soon))?);
                }
                Err(error) => return Err(error).context("tell it something"),
            }
        }
    }

    /// Tells it a prompt, and waits for the end of the turn.
    pub fn ask(&mut self, prompt: &str) -> Result<Turn> {
        self.prompt(prompt)?;
        self.turn()
    }

    /// Tells it a prompt.
    pub fn prompt(&mut self, prompt: &str) -> Result<()> {
        self.tell(&Told::Prompt { text: prompt.to_owned() })
    }

    /// Waits for a permission prompt.
    pub fn permission(&mut self) -> Result<PermissionWish> {
        self.until("a permission prompt", |seen| match seen {
            Seen::Happened(Happening::Permission { wish, .. }) => Some(wish.clone()),
            _ => None,
        })
    }

    /// Waits for words with this in them.
    pub fn first_words(&mut self, part: &str) -> Result<()> {
        self.until("words", |seen| match seen {
            Seen::Happened(Happening::Words { text }) if text.contains(part) => Some(()),
            _ => None,
        })
    }

    /// Waits for the end of a turn, and allows what is asked for in it.
    pub fn turn(&mut self) -> Result<Turn> {
        let (mut items, mut used) = (Vec::new(), Usage::default());
        loop {
            let next = self.until("the end of the turn", |seen| {
                let Seen::Happened(happening) = seen else { return None };
                match happening {
                    Happening::Said { item, .. } => items.push(item.clone()),
                    Happening::Usage(usage) => used = usage.clone(),
                    Happening::Permission { .. } | Happening::TurnEnded { .. } => {
                        return Some(happening.clone());
                    }
                    _ => {}
                }
                None
            })?;
            match next {
                Happening::Permission { wish, .. } => {
                    self.tell(&Told::Permission { prompt: wish.prompt, allowed: true })?;
                }
                Happening::TurnEnded { words, outcome, .. } => {
                    return Ok(Turn { items, words, used, outcome });
                }
                _ => {}
            }
        }
    }

    /// Lets the conversation go on until something outside of it is so.
    pub fn go_on_until(&mut self, what: &str, is_so: impl Fn() -> bool) -> Result<()> {
        let deadline = Instant::now() + PATIENCE;
        while !is_so() {
            ensure!(Instant::now() < deadline, "{what} did not come");
            let soon = Instant::now() + Duration::from_millis(20);
            let seen = self.living.next(Some(soon))?;
            self.seen.extend(seen);
        }
        Ok(())
    }

    /// Waits until something is seen.
    pub fn until<T>(&mut self, what: &str, mut is_it: impl FnMut(&Seen) -> Option<T>) -> Result<T> {
        let deadline = Instant::now() + PATIENCE;
        let mut passed = VecDeque::new();
        loop {
            while let Some(seen) = self.seen.pop_front() {
                if let Some(it) = is_it(&seen) {
                    return Ok(it);
                }
                let is_over = matches!(seen, Seen::Ended(_) | Seen::Lost);
                passed.push_back(format!("{seen:?}"));
                if is_over {
                    bail!("waited for {what}, and it ended; saw {passed:#?}");
                }
                if passed.len() > 12 {
                    passed.pop_front();
                }
            }
            ensure!(Instant::now() < deadline, "{what} did not come; the last that came were {passed:#?}");
            let seen = self.living.next(Some(deadline))?;
            self.seen.extend(seen);
        }
    }

    /// Stops all its processes, and sees that none of them says anything for a while.
    pub fn freeze(&mut self, still: Duration) -> Result<()> {
        self.living.pause()?;
        // What it had written before is read; from then on there must be nothing.
        loop {
            let before = self.living.next(Some(Instant::now()))?;
            if before.is_empty() {
                break;
            }
            self.seen.extend(before);
        }
        let silence = self.living.next(Some(Instant::now() + still))?;
        ensure!(silence.is_empty(), "it stands still, and says {silence:?}");
        self.living.go_on()?;
        Ok(())
    }

    /// Says that nothing more will be told, and ends it where it does not end by itself.
    pub fn close(mut self) -> Result<()> {
        self.living.close()?;
        let deadline = Instant::now() + END_GRACE;
        while Instant::now() < deadline {
            let seen = self.living.next(Some(deadline))?;
            if seen.iter().any(|seen| matches!(seen, Seen::Ended(_))) {
                return Ok(());
            }
        }
        self.stop()
    }

    /// Kills the holder, and with it all that the session is.
    pub fn kill(self) -> Result<()> {
        let status = holder::status::read(&self.found.directory)?.context("the holder noted its process")?;
        let killed = Command::new("kill").args(["-9", &status.holder_pid.to_string()]).status()?;
        ensure!(killed.success(), "the holder could not be killed");
        self.sessions.bury(&self.found);
        Ok(())
    }

    /// Ends the session.
    pub fn stop(mut self) -> Result<()> {
        Ok(self.living.stop(END_GRACE)?)
    }
}
