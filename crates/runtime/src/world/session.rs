//! A session of a run and the thread that leads it: sends its inputs, reads its output, and reports both to the run loop.

mod hear;
mod inbox;
mod tell;

use std::{
    sync::Arc,
    thread::{self, JoinHandle},
    time::{Duration, Instant},
};

use domain::{Command, EffectId, InputNumber, Locale, SessionId, SessionInput, Usage};
use drivers::{DriverEvent, TurnOutcome, preset, preset::DriverName};
use protocol::prompts::TaskPrompt;
use sessions::{InputOrder, InputQueue, SessionError, SessionReport};

use super::{
    full,
    process::{Process, ProcessError, Seat, end_all, settle},
    site::{NoPlace, Site, chain},
};
use crate::Kept;
pub(super) use inbox::{COMMANDS_MAX, SessionCommand, SessionStop};
use inbox::{SessionInbox, SessionOutbox, inbox};

/// How long an agent may take to end by itself when nothing more will be told to it.
const CLOSING_MAX: Duration = Duration::from_secs(5);
/// How long processes may take to end before they are killed.
const GRACE: Duration = Duration::from_secs(1);

/// What a session is found in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Situation {
    /// Its process is to be started, or was just about to be.
    New,
    /// Its process should be there.
    Working,
    /// Its process was ended until it is needed again.
    Cold,
}

/// The thread of a session, as the run loop sees it.
pub(super) struct SessionHandle {
    outbox: SessionOutbox,
    thread: JoinHandle<()>,
}

impl SessionHandle {
    pub(super) fn new(
        site: Arc<Site>,
        session: SessionId,
        situation: Situation,
        kept: &Kept,
    ) -> Result<Self, String> {
        let assignment = kept.run().assignment(session).ok_or("it is nobody's")?;
        let preset = site.outfit.agents.get(&assignment.agent).cloned();
        let preset = preset.unwrap_or_else(|| assignment.agent.to_string());
        let preset = preset::pick(&preset, &site.outfit.presets).map_err(|error| chain(&error))?;
        let used = kept
            .views()
            .rows()
            .sessions
            .get(&session)
            .map(|row| Usage { cost_micros: row.used.cost_micros, ..Usage::default() });
        let seat = Seat {
            session,
            preset,
            role: assignment.role,
            task: assignment.task,
            place: site.outfit.project.clone(),
            has_numeric_ids: kept.run().task_ids().any(|task| !task.has_letter_prefix()),
            agent_session: assignment.agent_session,
            is_in_turn: assignment.is_in_turn,
            has_spoken: assignment.has_spoken,
            used: used.unwrap_or_default(),
        };
        if situation == Situation::Working && seat.is_in_turn {
            begin_turn(&site, &seat);
        }
        let (outbox, inbox) = inbox();
        let worker = SessionWorker {
            site,
            seat,
            locale: kept.run().settings().locale,
            read_from: assignment.read_from,
            inbox,
            inputs: InputQueue::new(InputOrder::AsQueued, 0),
            told: Vec::new(),
            replay: None,
            is_ending: false,
        };
        let thread = thread::Builder::new().name(format!("session-{session}"));
        let thread = thread.spawn(move || worker.work(situation)).map_err(|error| chain(&error))?;
        Ok(Self { outbox, thread })
    }

    pub(super) fn send(&self, command: SessionCommand) {
        self.outbox.send(command);
    }

    pub(super) fn stop(&self, stop: SessionStop) {
        self.outbox.stop(stop);
    }

    pub(super) fn join(self) {
        // One that panicked has said so itself.
        drop(self.thread.join());
    }
}

/// An input of the run, with the brief of the task that it begins.
struct QueuedInput {
    input: Box<SessionInput>,
    brief: Option<Box<TaskPrompt>>,
}

/// How it goes on with a session.
enum Next {
    Living(Box<Process>),
    Cold,
    Over,
}

struct SessionWorker {
    site: Arc<Site>,
    seat: Seat,
    locale: Locale,
    read_from: u64,
    inbox: SessionInbox,
    inputs: InputQueue<QueuedInput>,
    /// The inputs that were written to this process.
    told: Vec<(InputNumber, QueuedInput)>,
    /// What an agent must be told again that can't remember.
    replay: Option<Box<TaskPrompt>>,
    /// Whether its process is ended because nobody needs it any more.
    is_ending: bool,
}

impl SessionWorker {
    fn work(mut self, situation: Situation) {
        let site = Arc::clone(&self.site);
        let _seat = self
            .seat
            .task
            .as_ref()
            .map(|task| site.shared.disk.books.sit(&site.run, self.seat.session, task));
        let mut next = self.begin(situation);
        loop {
            if !matches!(next, Ok(Next::Living(_))) {
                self.site.turns.end(self.seat.session);
            }
            next = match next {
                Ok(Next::Living(process)) => self.attend(*process),
                Ok(Next::Cold) => self.wait_in_the_cold(),
                Ok(Next::Over) => return,
                // What could not be had because the server stops, the next one may have.
                Err(_) if self.inbox.stop_request() == Some(SessionStop::Detach) => return,
                Err(ProcessError::Room(reason)) => {
                    let session = self.seat.session;
                    return self.site.report(Command::ReportDiskBudgetExceeded { session, reason });
                }
                Err(error) => {
                    let (session, reason) = (self.seat.session, chain(&error));
                    // Whoever can't be led must not work on beside the one that takes its place.
                    end_all(&self.site, session, GRACE);
                    return self.site.report(Command::ReportLost { session, reason });
                }
            };
        }
    }

    fn begin(&mut self, situation: Situation) -> Result<Next, ProcessError> {
        self.seat.place = self.find_place()?;
        settle(&self.site, self.seat.session)?;
        let found = Process::find(&self.site, &self.seat, self.read_from)?;
        match (found, situation) {
            (Some((process, _)), Situation::Cold) if process.is_over() => Ok(Next::Cold),
            (Some((process, _)), Situation::New) if self.was_stopped(&process) => self.start(),
            // A server was killed as it started it: nobody was ever there.
            (Some((process, _)), Situation::New) if process.has_not_begun() => {
                self.site.shared.sessions.kill_orphans(&process.found);
                self.start()
            }
            (Some((process, seen)), _) => self.welcome(process, seen),
            (None, Situation::New) => self.start(),
            (None, Situation::Cold) => Ok(Next::Cold),
            (None, Situation::Working) => Err(ProcessError::Place("nothing is left of it".to_owned())),
        }
    }

    /// Tells whether a process was ended together with the server before this one.
    fn was_stopped(&self, process: &Process) -> bool {
        process.is_over() && process.was_stopped(&self.site, self.seat.session)
    }

    /// Finds out where it works; a place where nobody was before is made ready first.
    fn find_place(&self) -> Result<std::path::PathBuf, ProcessError> {
        let placed = match &self.seat.task {
            Some(task) => self.site.place(task),
            None => self.site.desk(self.seat.session).map_err(NoPlace::Git),
        };
        let (place, is_new) = placed.map_err(|error| match error {
            NoPlace::Git(error) => match chain(&error) {
                reason if full::is_meant(&reason) => ProcessError::Room(reason),
                reason => ProcessError::Place(reason),
            },
            NoPlace::Room(missing) => ProcessError::Room(missing.to_string()),
        })?;
        let Seat { session, role, .. } = self.seat;
        let made = match &self.seat.task {
            Some(task) => self.site.set_up(&place, task, is_new, &self.inbox.leash),
            None => self.site.set_up_desk(&place, session, role, is_new, &self.inbox.leash),
        };
        made.map_err(ProcessError::Place)?;
        Ok(place)
    }

    fn start(&mut self) -> Result<Next, ProcessError> {
        let (process, seen) = Process::start(&self.site, &self.seat)?;
        self.told.clear();
        self.welcome(process, seen)
    }

    fn welcome(&mut self, process: Process, seen: Vec<SessionReport>) -> Result<Next, ProcessError> {
        self.inbox.set_waker(process.living.waker());
        let mut process = process;
        self.see_all(seen, &mut process)?.map_or_else(|| Ok(Next::Living(Box::new(process))), Ok)
    }

    /// Leads a process until it ends or the thread has to stop.
    fn attend(&mut self, mut process: Process) -> Result<Next, ProcessError> {
        loop {
            while let Ok(command) = self.inbox.commands.try_recv() {
                if let Some(next) = self.obey(command, &mut process)? {
                    return Ok(next);
                }
            }
            match self.inbox.stop_request() {
                Some(SessionStop::Detach) => return Ok(Next::Over),
                Some(SessionStop::Shutdown) => {
                    process.note_stopped(&self.site, self.seat.session);
                    process.living.stop(GRACE)?;
                    return Ok(Next::Over);
                }
                Some(SessionStop::Overflow) => return Err(ProcessError::Overflow),
                // The end is reported when the output has been read.
                Some(SessionStop::End) if !self.is_ending => {
                    self.is_ending = true;
                    process.living.stop(GRACE)?;
                }
                Some(SessionStop::End) | None => {}
            }
            if let Some(next) = self.send_inputs(&mut process)? {
                return Ok(next);
            }
            let seen = process.living.next(None)?;
            if let Some(next) = self.see_all(seen, &mut process)? {
                return Ok(next);
            }
        }
    }

    fn obey(&mut self, command: SessionCommand, process: &mut Process) -> Result<Option<Next>, ProcessError> {
        match command {
            SessionCommand::Send { number, input, brief } => {
                self.inputs.push(number, QueuedInput { input, brief })?;
            }
            SessionCommand::Freeze { effect } => self.report_effect(effect, process.living.pause()),
            SessionCommand::Thaw { effect } => self.report_effect(effect, process.living.resume()),
            SessionCommand::Warm { effect, replay } => {
                // Another server started it, and sent it no input yet.
                self.replay = replay.filter(|_| !process.was_told);
                self.report_effect(effect, Ok(()));
            }
            SessionCommand::Cool { effect } => {
                self.close(process)?;
                self.report_effect(effect, Ok(()));
                return Ok(Some(Next::Cold));
            }
            SessionCommand::Wake => {}
        }
        Ok(None)
    }

    /// Lets a process end by itself, or ends it, and hears it to its end.
    fn close(&mut self, process: &mut Process) -> Result<(), ProcessError> {
        drop(process.living.resume());
        // One on a terminal can't be told so.
        let is_closing = process.living.close_input().is_ok();
        let deadline = Instant::now() + if is_closing { CLOSING_MAX } else { Duration::ZERO };
        let mut is_stopped = false;
        loop {
            if !is_stopped && Instant::now() >= deadline {
                is_stopped = true;
                process.living.stop(GRACE)?;
            }
            let seen = process.living.next(Some(deadline.max(Instant::now() + GRACE)))?;
            for seen in seen {
                match seen {
                    SessionReport::Ended(_) | SessionReport::Lost => return Ok(()),
                    // Its turn did not fail: it was cut off, and goes on when it comes back.
                    SessionReport::Event(DriverEvent::TurnEnded {
                        read_from,
                        text,
                        tools,
                        outcome: TurnOutcome::Failed { .. },
                    }) => {
                        let read_from = process.place(read_from);
                        self.site.said(self.seat.session, Command::InterruptTurn { read_from, text, tools });
                    }
                    SessionReport::Event(happening) => self.happened(happening, process),
                    SessionReport::InputWritten { number } => self.typed(number),
                }
            }
        }
    }

    /// Waits without a process until one is needed.
    fn wait_in_the_cold(&mut self) -> Result<Next, ProcessError> {
        loop {
            match self.inbox.stop_request() {
                Some(SessionStop::Detach | SessionStop::Shutdown) => return Ok(Next::Over),
                Some(SessionStop::Overflow) => return Err(ProcessError::Overflow),
                Some(SessionStop::End) => {
                    let session = self.seat.session;
                    self.site.report(Command::ReportEnded { session, exit_status: None });
                    return Ok(Next::Over);
                }
                None => {}
            }
            match self.inbox.commands.recv() {
                Ok(SessionCommand::Send { number, input, brief }) => {
                    self.inputs.push(number, QueuedInput { input, brief })?;
                }
                Ok(
                    SessionCommand::Freeze { effect }
                    | SessionCommand::Thaw { effect }
                    | SessionCommand::Cool { effect },
                ) => self.report_effect(effect, Ok(())),
                Ok(SessionCommand::Warm { effect, replay }) => {
                    self.replay = replay;
                    let next = self.start()?;
                    self.report_effect(effect, Ok(()));
                    return Ok(next);
                }
                Ok(SessionCommand::Wake) => {}
                Err(_) => return Ok(Next::Over),
            }
        }
    }

    fn report_effect(&self, effect: EffectId, done: Result<(), SessionError>) {
        let error = done.err().map(|error| chain(&error));
        self.site.report(Command::ReportEffect { effect, error });
    }
}

/// Notes that a turn begins whose end its agent will tell; on a terminal it can only be guessed.
fn begin_turn(site: &Site, seat: &Seat) {
    if let Some(task) = seat.task.as_ref().filter(|_| seat.preset.driver != DriverName::Pty) {
        site.turns.begin(seat.session, task);
    }
}
