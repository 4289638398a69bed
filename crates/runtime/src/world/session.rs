//! A session of a run, and the thread beside it: tells it what is ordered, hears what it says, and reports both.

mod hear;
mod tell;

use std::{
    sync::{
        Arc, Mutex, PoisonError,
        mpsc::{Receiver, Sender, channel},
    },
    thread::{self, JoinHandle},
    time::{Duration, Instant},
};

use domain::{Command, EffectId, InputNumber, Locale, SessionId, SessionInput, Usage};
use drivers::{Happening, TurnOutcome, preset, preset::DriverName};
use protocol::say::Task;
use sessions::{InputOrder, InputQueue, Seen, SessionError, Waker};

use super::{
    full,
    leash::{Leash, Pull},
    process::{Process, ProcessError, Seat, end_all, settle},
    site::{NoPlace, Site, chain},
};
use crate::Kept;

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

/// What whoever is posted at a session is to do.
pub(super) enum Order {
    Tell {
        number: InputNumber,
        input: Box<SessionInput>,
        brief: Option<Box<Task>>,
    },
    Freeze {
        effect: EffectId,
    },
    Thaw {
        effect: EffectId,
    },
    Cool {
        effect: EffectId,
    },
    Warm {
        effect: EffectId,
        replay: Option<Box<Task>>,
    },
    End,
    /// It ends with everything else, and goes on with the next start.
    Stop,
    Leave,
}

/// The thread beside a session.
pub(super) struct Post {
    orders: Sender<Order>,
    waker: Arc<Mutex<Option<Waker>>>,
    leash: Leash,
    thread: JoinHandle<()>,
}

impl Post {
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
        let (orders, received) = channel();
        let (waker, leash) = (Arc::new(Mutex::new(None)), Leash::new());
        let clerk = Clerk {
            site,
            seat,
            locale: kept.run().settings().locale,
            read_from: assignment.read_from,
            orders: received,
            waker: Arc::clone(&waker),
            leash: leash.clone(),
            inputs: InputQueue::new(InputOrder::AsQueued, 0),
            told: Vec::new(),
            replay: None,
            is_ending: false,
        };
        let thread = thread::Builder::new().name(format!("session-{session}"));
        let thread = thread.spawn(move || clerk.work(situation)).map_err(|error| chain(&error))?;
        Ok(Self { orders, waker, leash, thread })
    }

    /// Gives an order. One that is over takes none, and has said so.
    pub(super) fn order(&self, order: Order) {
        match order {
            Order::Leave => self.leash.leave(),
            Order::End | Order::Stop => self.leash.end(),
            Order::Tell { .. }
            | Order::Freeze { .. }
            | Order::Thaw { .. }
            | Order::Cool { .. }
            | Order::Warm { .. } => {}
        }
        if self.orders.send(order).is_ok()
            && let Some(waker) = &*self.waker.lock().unwrap_or_else(PoisonError::into_inner)
        {
            waker.wake();
        }
    }

    pub(super) fn join(self) {
        // One that panicked has said so itself.
        drop(self.thread.join());
    }
}

/// An input of the run, with the brief of the task that it begins.
struct QueuedInput {
    input: Box<SessionInput>,
    brief: Option<Box<Task>>,
}

/// How it goes on with a session.
enum Next {
    Living(Box<Process>),
    Cold,
    Over,
}

struct Clerk {
    site: Arc<Site>,
    seat: Seat,
    locale: Locale,
    read_from: u64,
    orders: Receiver<Order>,
    waker: Arc<Mutex<Option<Waker>>>,
    /// Holds the set-up of its place.
    leash: Leash,
    inputs: InputQueue<QueuedInput>,
    /// The inputs that were written to this process.
    told: Vec<(InputNumber, QueuedInput)>,
    /// What an agent must be told again that can't remember.
    replay: Option<Box<Task>>,
    /// Whether its process is ended because nobody needs it any more.
    is_ending: bool,
}

impl Clerk {
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
                Err(_) if self.leash.pulled() == Some(Pull::Leave) => return,
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
                self.site.shared.sessions.bury(&process.found);
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
            Some(task) => self.site.set_up(&place, task, is_new, &self.leash),
            None => self.site.set_up_desk(&place, session, role, is_new, &self.leash),
        };
        made.map_err(ProcessError::Place)?;
        Ok(place)
    }

    fn start(&mut self) -> Result<Next, ProcessError> {
        let (process, seen) = Process::start(&self.site, &self.seat)?;
        self.told.clear();
        self.welcome(process, seen)
    }

    fn welcome(&mut self, process: Process, seen: Vec<Seen>) -> Result<Next, ProcessError> {
        *self.waker.lock().unwrap_or_else(PoisonError::into_inner) = Some(process.living.waker());
        let mut process = process;
        self.see_all(seen, &mut process)?.map_or_else(|| Ok(Next::Living(Box::new(process))), Ok)
    }

    /// Goes on with a process until it is over, or somebody wants it to be.
    fn attend(&mut self, mut process: Process) -> Result<Next, ProcessError> {
        loop {
            while let Ok(order) = self.orders.try_recv() {
                if let Some(next) = self.obey(order, &mut process)? {
                    return Ok(next);
                }
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

    fn obey(&mut self, order: Order, process: &mut Process) -> Result<Option<Next>, ProcessError> {
        match order {
            Order::Tell { number, input, brief } => self.inputs.push(number, QueuedInput { input, brief })?,
            Order::Freeze { effect } => self.report_effect(effect, process.living.pause()),
            Order::Thaw { effect } => self.report_effect(effect, process.living.go_on()),
            Order::Warm { effect, replay } => {
                // Another server started it, and it was told nothing yet.
                self.replay = replay.filter(|_| !process.was_told);
                self.report_effect(effect, Ok(()));
            }
            Order::Cool { effect } => {
                self.close(process)?;
                self.report_effect(effect, Ok(()));
                return Ok(Some(Next::Cold));
            }
            // That it is over is seen in what it wrote last.
            Order::End => {
                self.is_ending = true;
                process.living.stop(GRACE)?;
            }
            Order::Stop => {
                process.note_stopped(&self.site, self.seat.session);
                process.living.stop(GRACE)?;
                return Ok(Some(Next::Over));
            }
            Order::Leave => return Ok(Some(Next::Over)),
        }
        Ok(None)
    }

    /// Lets a process end by itself, or ends it, and hears it to its end.
    fn close(&mut self, process: &mut Process) -> Result<(), ProcessError> {
        drop(process.living.go_on());
        // One on a terminal can't be told so.
        let is_closing = process.living.close().is_ok();
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
                    Seen::Ended(_) | Seen::Lost => return Ok(()),
                    // Its turn did not fail: it was cut off, and goes on when it comes back.
                    Seen::Happened(Happening::TurnEnded {
                        read_from,
                        words,
                        tools,
                        outcome: TurnOutcome::Failed { .. },
                    }) => {
                        let read_from = process.place(read_from);
                        self.site.said(
                            self.seat.session,
                            Command::InterruptTurn { read_from, text: words, tools },
                        );
                    }
                    Seen::Happened(happening) => self.happened(happening, process),
                    Seen::Typed { number } => self.typed(number),
                }
            }
        }
    }

    fn wait_in_the_cold(&mut self) -> Result<Next, ProcessError> {
        loop {
            match self.orders.recv() {
                Ok(Order::Tell { number, input, brief }) => {
                    self.inputs.push(number, QueuedInput { input, brief })?;
                }
                Ok(Order::Freeze { effect } | Order::Thaw { effect } | Order::Cool { effect }) => {
                    self.report_effect(effect, Ok(()));
                }
                Ok(Order::Warm { effect, replay }) => {
                    self.replay = replay;
                    let next = self.start()?;
                    self.report_effect(effect, Ok(()));
                    return Ok(next);
                }
                Ok(Order::End) => {
                    let session = self.seat.session;
                    self.site.report(Command::ReportEnded { session, exit_status: None });
                    return Ok(Next::Over);
                }
                Ok(Order::Leave | Order::Stop) | Err(_) => return Ok(Next::Over),
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
