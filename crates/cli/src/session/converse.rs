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

use domain::Role;
use drivers::{
    AgentInput, DriverCheckpoint, DriverContext, DriverEvent, DriverSetup, SendError, TurnOutcome,
    set_up_driver,
};
use sessions::{
    InputOrder, InputQueue, InputRecord, RefusedInput, Session, SessionEntry, SessionError, SessionReport,
    Waker,
};

use super::{answers::Waits, failure, show::Show};
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
pub fn attach(found: &SessionEntry) -> Result<ExitCode, Failure> {
    let mut conversation = Conversation::open(found, Output::Shown)?;
    let events = listen(&conversation.session.waker()).map_err(|error| Failure {
        what: format!("listen to this terminal: {error}"),
        hint: None,
        exit: 1,
    })?;
    if io::stdin().is_terminal() {
        eprintln!("attached to {}; Ctrl-C stops its turn, Ctrl-D leaves it", found.name);
    }
    conversation.lead(&events)
}

/// Sends an agent one input; waits for what it says to it, where that is wished.
pub fn say(found: &SessionEntry, text: &str, waits: bool) -> Result<ExitCode, Failure> {
    let mut conversation = Conversation::open(found, Output::Quiet)?;
    conversation.catch_up()?;
    let input = conversation.waits.meant(text).map_err(|hint| Failure {
        what: format!("{} waits for an answer, and that is none", found.name),
        hint: Some(hint),
        exit: 1,
    })?;
    if waits {
        conversation.output = Output::Shown;
    }
    let number = conversation.add(input)?;
    conversation.until_told(number)?;
    if waits { conversation.until_over() } else { Ok(ExitCode::SUCCESS) }
}

/// Returns the driver of a session's agent; none if no driver speaks with it.
pub fn driver_of(found: &SessionEntry, checkpoint: DriverCheckpoint) -> Option<DriverSetup> {
    let agent = found.metadata.agent.as_deref()?;
    let context = DriverContext {
        launch: agent.launch(),
        directory: &found.metadata.directory,
        key: &found.metadata.key,
        role: Role::Worker,
        has_numeric_ids: false,
        checkpoint: Some(checkpoint),
    };
    Some(set_up_driver(&agent.preset, &context))
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Output {
    Shown,
    Quiet,
}

struct Conversation<'a> {
    found: &'a SessionEntry,
    session: Session,
    inputs: InputQueue<AgentInput>,
    record: InputRecord,
    waits: Waits,
    show: Show<anstream::AutoStream<io::Stdout>>,
    output: Output,
    typed: Vec<u32>,
    outcome: Option<TurnOutcome>,
    over: Option<SessionReport>,
}

impl<'a> Conversation<'a> {
    /// Continues the conversation where the last process left it.
    fn open(found: &'a SessionEntry, output: Output) -> Result<Self, Failure> {
        if found.metadata.agent.as_ref().is_some_and(|agent| agent.is_owned_by_run) {
            let what = format!("session '{}' belongs to a run", found.name);
            let hint = "its questions are answered in the run; read along: jangdan session log --follow";
            return Err(Failure { what, hint: Some(format!("{hint} {}", found.name)), exit: 1 });
        }
        let checkpoint = InputRecord::read(&found.directory).map_err(failure)?.progress.checkpoint;
        let driver = driver_of(found, checkpoint).ok_or_else(|| Failure {
            what: format!("no driver speaks with session '{}'", found.name),
            hint: None,
            exit: 1,
        })?;
        let (session, seen) = Session::open(&found.directory, driver).map_err(failure)?;
        // Another process may have added to it before this one had the session.
        let record = InputRecord::read(&found.directory).map_err(failure)?;
        let mut conversation = Self {
            found,
            session,
            inputs: InputQueue::new(InputOrder::OnePromptPerTurn, record.progress.idle_after),
            record,
            waits: Waits::default(),
            show: Show::new(anstream::stdout()),
            output,
            typed: Vec::new(),
            outcome: None,
            over: None,
        };
        conversation.seen(seen)?;
        for (number, input) in conversation.record.unfinished().cloned().collect::<Vec<_>>() {
            conversation.inputs.push(number, input).map_err(failure)?;
        }
        conversation.send()?;
        Ok(conversation)
    }

    fn lead(&mut self, events: &Receiver<Event>) -> Result<ExitCode, Failure> {
        let mut is_left = false;
        while self.over.is_none() {
            while let Ok(event) = events.try_recv() {
                match event {
                    Event::Line(line) if line.trim().is_empty() => {}
                    Event::Line(line) => match self.waits.meant(&line) {
                        Ok(input) => {
                            self.add(input)?;
                        }
                        Err(hint) => self.shown(|show| show.note(&format!("── {hint}")))?,
                    },
                    Event::Interrupt if self.is_busy() => {
                        self.add(AgentInput::Interrupt)?;
                    }
                    Event::End | Event::Interrupt => is_left = true,
                }
            }
            // Lines that were piped in are still to be answered; a person who leaves has seen enough.
            if is_left && (io::stdin().is_terminal() || !self.is_busy() || self.waits.is_open()) {
                eprintln!("left {}; it goes on", self.found.name);
                break;
            }
            self.next(None)?;
        }
        Ok(self.exit())
    }

    /// Records an input and sends it, now or as soon as the agent takes it.
    fn add(&mut self, input: AgentInput) -> Result<u32, Failure> {
        let number = self.record.next_number();
        self.inputs.push(number, input.clone()).map_err(failure)?;
        self.record.add(number, input).map_err(failure)?;
        self.send()?;
        Ok(number)
    }

    /// Sends the inputs that can be sent now.
    fn send(&mut self) -> Result<(), Failure> {
        loop {
            let sent = self.inputs.send_next(&mut self.session, |_, input, refused| match refused {
                None => Ok(Some(input.clone())),
                Some(RefusedInput { reason: SendError::UnknownPrompt { .. }, .. }) => Ok(None),
                Some(RefusedInput { reason, .. }) => Err(SessionError::Refused(reason)),
            });
            let Some(sent) = sent.map_err(failure)? else { return Ok(()) };
            self.seen(sent.reports)?;
        }
    }

    /// Waits until the session reports something, or a deadline, and sends what can be sent then. Tells whether there was
    /// a report.
    fn next(&mut self, deadline: Option<Instant>) -> Result<bool, Failure> {
        let seen = self.session.next(deadline).map_err(failure)?;
        let is_report = !seen.is_empty();
        self.seen(seen)?;
        self.send()?;
        Ok(is_report)
    }

    /// Tells whether a turn is under way, or about to be.
    fn is_busy(&self) -> bool {
        self.inputs.is_in_turn() || !self.inputs.is_empty()
    }

    /// Reads what is there already.
    fn catch_up(&mut self) -> Result<(), Failure> {
        while self.next(Some(Instant::now()))? {}
        Ok(())
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
            self.next(notice)?;
            if notice.is_some_and(|notice| Instant::now() >= notice) {
                notice = None;
                eprintln!("{} is busy; it is told as soon as it listens", self.found.name);
            }
        }
        Ok(())
    }

    /// Waits until the turn is over, or waits for an answer.
    fn until_over(&mut self) -> Result<ExitCode, Failure> {
        while self.over.is_none() && self.is_busy() && !self.waits.is_open() {
            self.next(None)?;
        }
        if self.waits.is_open() {
            eprintln!("it waits for that: jangdan session say {} ANSWER", self.found.name);
        }
        Ok(self.exit())
    }

    fn seen(&mut self, seen: Vec<SessionReport>) -> Result<(), Failure> {
        for seen in seen {
            self.waits.take(&seen);
            self.shown(|show| show.seen(&seen))?;
            if let SessionReport::Event(happening) = &seen {
                self.record.note(happening, self.inputs.last_prompt()).map_err(failure)?;
            }
            match seen {
                SessionReport::InputWritten { number } => self.typed.push(number),
                SessionReport::Event(DriverEvent::TurnEnded { outcome, .. }) => {
                    self.inputs.end_turn();
                    self.outcome = Some(outcome);
                    if let Some(asked) = self.waits.asked().cloned() {
                        self.shown(|show| show.question(&asked))?;
                    }
                }
                SessionReport::Event(_) => {}
                SessionReport::Ended(_) | SessionReport::Lost => self.over = Some(seen),
            }
        }
        Ok(())
    }

    fn shown(
        &mut self,
        show: impl FnOnce(&mut Show<anstream::AutoStream<io::Stdout>>) -> io::Result<()>,
    ) -> Result<(), Failure> {
        if self.output == Output::Quiet {
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

fn ending(over: &SessionReport) -> String {
    match over {
        SessionReport::Ended(exit) => match (exit.code, exit.signal) {
            (Some(code), _) => format!("exit status {code}"),
            (None, Some(signal)) => format!("signal {signal}"),
            (None, None) => "nobody knows how".to_owned(),
        },
        SessionReport::Lost | SessionReport::Event(_) | SessionReport::InputWritten { .. } => {
            "its holder was killed".to_owned()
        }
    }
}

fn failed(found: &SessionEntry, outcome: &TurnOutcome) -> Failure {
    let agent = found.metadata.agent.as_ref();
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
