//! A conversation with an agent in its session: lines for it from this terminal, its words on it.
//!
//! This process runs the driver. Killed at any moment it loses nothing: the next one goes on from the session's folder.

use std::{
    io::{self, BufRead, IsTerminal, Read},
    os::unix::net::UnixStream,
    process::ExitCode,
    sync::mpsc::{Receiver, SyncSender, sync_channel},
    thread,
    time::{Duration, Instant},
};

use drivers::{Happening, Told, TurnOutcome};
use sessions::{Found, LivingError, Seen, Talk, TalkError, Waker};

use super::{answers::Waits, show::Show};
use crate::failure::Failure;

/// So many lines may wait to be told.
const EVENTS_MAX: usize = 64;
/// After so long one is told why nothing happens.
const NOTICE_AFTER: Duration = Duration::from_secs(2);

/// What comes from this terminal.
enum Event {
    Line(String),
    End,
    Interrupt,
}

/// Leads the conversation until it is left or over.
pub fn attach(found: &Found) -> Result<ExitCode, Failure> {
    let (talk, seen) = Talk::open(found).map_err(|error| failure(found, error))?;
    let events = listen(&talk.waker()).map_err(|error| Failure {
        what: format!("listen to this terminal: {error}"),
        hint: None,
        exit: 1,
    })?;
    if io::stdin().is_terminal() {
        eprintln!("attached to {}; Ctrl-C stops its turn, Ctrl-D leaves it", found.name);
    }
    let mut conversation = Conversation::new(found, talk);
    conversation.seen(seen)?;
    conversation.lead(&events)
}

/// Tells an agent one thing; waits for what it says to it, where that is wished.
pub fn say(found: &Found, text: &str, waits: bool) -> Result<ExitCode, Failure> {
    let (talk, seen) = Talk::open(found).map_err(|error| failure(found, error))?;
    let mut conversation = Conversation::new(found, talk);
    conversation.is_quiet = true;
    conversation.seen(seen)?;
    conversation.catch_up()?;
    let told = conversation.waits.meant(text).map_err(|hint| Failure {
        what: format!("{} waits for an answer, and that is none", found.name),
        hint: Some(hint),
        exit: 1,
    })?;
    conversation.is_quiet = !waits;
    let number = conversation.tell(told)?;
    conversation.until_told(number)?;
    if waits { conversation.until_over() } else { Ok(ExitCode::SUCCESS) }
}

struct Conversation<'a> {
    found: &'a Found,
    talk: Talk,
    waits: Waits,
    show: Show<anstream::AutoStream<io::Stdout>>,
    /// Nothing is shown.
    is_quiet: bool,
    typed: Vec<u32>,
    outcome: Option<TurnOutcome>,
    over: Option<Seen>,
}

impl<'a> Conversation<'a> {
    fn new(found: &'a Found, talk: Talk) -> Self {
        Self {
            found,
            talk,
            waits: Waits::default(),
            show: Show::new(anstream::stdout()),
            is_quiet: false,
            typed: Vec::new(),
            outcome: None,
            over: None,
        }
    }

    fn lead(&mut self, events: &Receiver<Event>) -> Result<ExitCode, Failure> {
        let mut is_left = false;
        while self.over.is_none() {
            while let Ok(event) = events.try_recv() {
                match event {
                    Event::Line(line) if line.trim().is_empty() => {}
                    Event::Line(line) => match self.waits.meant(&line) {
                        Ok(told) => {
                            self.tell(told)?;
                        }
                        Err(hint) => self.shown(|show| show.note(&format!("── {hint}")))?,
                    },
                    Event::Interrupt if self.talk.is_busy() => {
                        self.tell(Told::Interrupt)?;
                    }
                    Event::End | Event::Interrupt => is_left = true,
                }
            }
            // Lines that were piped in are still to be answered; a person who leaves has seen enough.
            if is_left && (io::stdin().is_terminal() || !self.talk.is_busy() || self.waits.is_open()) {
                eprintln!("left {}; it goes on", self.found.name);
                break;
            }
            let seen = self.talk.next(None).map_err(|error| failure(self.found, error))?;
            self.seen(seen)?;
        }
        Ok(self.exit())
    }

    fn tell(&mut self, told: Told) -> Result<u32, Failure> {
        let (number, seen) = self.talk.tell(told).map_err(|error| failure(self.found, error))?;
        self.seen(seen)?;
        Ok(number)
    }

    /// Hears what is there already.
    fn catch_up(&mut self) -> Result<(), Failure> {
        loop {
            let seen = self.talk.next(Some(Instant::now())).map_err(|error| failure(self.found, error))?;
            if seen.is_empty() {
                return Ok(());
            }
            self.seen(seen)?;
        }
    }

    fn until_told(&mut self, number: u32) -> Result<(), Failure> {
        let mut notice = Some(Instant::now() + NOTICE_AFTER);
        while !self.typed.contains(&number) {
            if let Some(over) = &self.over {
                let what = format!("{} ended before it could be told: {}", self.found.name, ending(over));
                let hint = Some(format!("see what it said: jangdan session log {}", self.found.name));
                return Err(Failure { what, hint, exit: 1 });
            }
            if let Some(outcome) = self.outcome.take().filter(|outcome| *outcome != TurnOutcome::Finished) {
                return Err(failed(self.found, &outcome));
            }
            let seen = self.talk.next(notice).map_err(|error| failure(self.found, error))?;
            if notice.is_some_and(|notice| Instant::now() >= notice) {
                notice = None;
                eprintln!("{} is busy; it is told as soon as it listens", self.found.name);
            }
            self.seen(seen)?;
        }
        Ok(())
    }

    /// Waits until the turn is over, or waits for an answer.
    fn until_over(&mut self) -> Result<ExitCode, Failure> {
        while self.over.is_none() && self.talk.is_busy() && !self.waits.is_open() {
            let seen = self.talk.next(None).map_err(|error| failure(self.found, error))?;
            self.seen(seen)?;
        }
        if self.waits.is_open() {
            eprintln!("it waits for that: jangdan session say {} ANSWER", self.found.name);
        }
        Ok(self.exit())
    }

    fn seen(&mut self, seen: Vec<Seen>) -> Result<(), Failure> {
        for seen in seen {
            self.waits.take(&seen);
            self.shown(|show| show.seen(&seen))?;
            match seen {
                Seen::Typed { number } => self.typed.push(number),
                Seen::Happened(Happening::TurnEnded { outcome, .. }) => {
                    self.outcome = Some(outcome);
                    if let Some(asked) = self.waits.asked().cloned() {
                        self.shown(|show| show.question(&asked))?;
                    }
                }
                Seen::Happened(_) => {}
                Seen::Ended(_) | Seen::Lost => self.over = Some(seen),
            }
        }
        Ok(())
    }

    fn shown(
        &mut self,
        show: impl FnOnce(&mut Show<anstream::AutoStream<io::Stdout>>) -> io::Result<()>,
    ) -> Result<(), Failure> {
        if self.is_quiet {
            return Ok(());
        }
        match show(&mut self.show) {
            Ok(()) => Ok(()),
            Err(error) => Failure::from_output(&error).map_or(Ok(()), Err),
        }
    }

    fn exit(&self) -> ExitCode {
        match self.outcome {
            None | Some(TurnOutcome::Finished | TurnOutcome::Cancelled) => ExitCode::SUCCESS,
            Some(_) => ExitCode::FAILURE,
        }
    }
}

/// Reads lines and Ctrl-C on threads of their own, which end with this process.
fn listen(waker: &Waker) -> io::Result<Receiver<Event>> {
    let (sender, receiver) = sync_channel(EVENTS_MAX);
    let (mut caught, signal) = UnixStream::pair()?;
    signal_hook::low_level::pipe::register(signal_hook::consts::SIGINT, signal)?;
    let (interrupts, on_interrupt) = (sender.clone(), waker.clone());
    thread::spawn(move || {
        while caught.read_exact(&mut [0]).is_ok() && send(&interrupts, &on_interrupt, Event::Interrupt) {}
    });
    let waker = waker.clone();
    thread::spawn(move || {
        for line in io::stdin().lock().lines() {
            let Ok(line) = line else { break };
            if !send(&sender, &waker, Event::Line(line)) {
                return;
            }
        }
        send(&sender, &waker, Event::End);
    });
    Ok(receiver)
}

fn send(sender: &SyncSender<Event>, waker: &Waker, event: Event) -> bool {
    let is_sent = sender.send(event).is_ok();
    waker.wake();
    is_sent
}

fn ending(over: &Seen) -> String {
    match over {
        Seen::Ended(exit) => match (exit.code, exit.signal) {
            (Some(code), _) => format!("exit status {code}"),
            (None, Some(signal)) => format!("signal {signal}"),
            (None, None) => "nobody knows how".to_owned(),
        },
        Seen::Lost | Seen::Happened(_) | Seen::Typed { .. } => "its holder was killed".to_owned(),
    }
}

fn failed(found: &Found, outcome: &TurnOutcome) -> Failure {
    let agent = found.about.agent.as_ref();
    let (what, hint) = match outcome {
        TurnOutcome::Unauthorized { message } => {
            let how = agent.and_then(|agent| agent.preset.login.as_ref()).map(|login| login.how.clone());
            (format!("{} is not logged in: {message}", found.name), how)
        }
        TurnOutcome::NotResumable { message } => {
            let hint = "start a new one without --resume".to_owned();
            (format!("that session can't come back: {message}"), Some(hint))
        }
        TurnOutcome::Limited { message, .. } => (format!("a limit is used up: {message}"), None),
        TurnOutcome::Failed { message } => (format!("{} failed: {message}", found.name), None),
        TurnOutcome::Finished | TurnOutcome::Cancelled => (format!("{} was stopped", found.name), None),
    };
    Failure { what, hint, exit: 1 }
}

/// Puts an error into words, with what to do about it.
pub fn failure(found: &Found, error: TalkError) -> Failure {
    let hint = match &error {
        TalkError::Living { source: LivingError::Taken { .. }, .. } => {
            Some(format!("say it there, or read along: jangdan session log --follow {}", found.name))
        }
        TalkError::OfRun { .. } => Some(format!(
            "its questions are answered in the run; read along: jangdan session log --follow {}",
            found.name
        )),
        TalkError::Living { .. } | TalkError::NoAgent { .. } | TalkError::Kept { .. } => None,
    };
    let mut what = error.to_string();
    let mut source = std::error::Error::source(&error);
    while let Some(cause) = source {
        what = format!("{what}: {cause}");
        source = cause.source();
    }
    Failure { what, hint, exit: 1 }
}
