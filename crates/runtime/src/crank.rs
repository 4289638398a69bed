//! The loop of one run: takes wishes one after another, records what follows, and gives the orders out.

use std::{
    collections::VecDeque,
    path::PathBuf,
    sync::{
        Arc,
        mpsc::{Receiver, RecvTimeoutError, SyncSender},
    },
    time::{self, SystemTime, UNIX_EPOCH},
};

use domain::{Actor, Command, SessionId, TaskId, Timestamp};
use views::{Change, Row, RunRow, TaskState, WORKER_COMPLETE};

use crate::{
    Kept, Published, WishError,
    host::{AfterStop, HostError, Shared, Shown, shown},
    learned::Duration,
    outfit::Outfit,
    plan_file::PlanFile,
    world::{LOOK_FOR_ROOM, World},
};

/// How many wishes are taken in one go before the rows are saved.
const BATCH_MAX: usize = 256;
/// How long the loop sleeps when it waits for nothing. Only so that a clock that was set is seen.
const SLEEP_MAX: time::Duration = time::Duration::from_secs(60);
/// How long to wait before what could not be recorded is tried again.
const RETRY: time::Duration = time::Duration::from_millis(200);
/// So much waits for a log that can't be written; then whoever says more waits too.
const POSTPONED_MAX: usize = 4096;
/// How long the rows may be behind the log while there is much to do.
const SAVE_EVERY: time::Duration = time::Duration::from_secs(1);

/// What a run's loop is sent.
pub(crate) enum Mail {
    /// Somebody wishes something.
    Wish(Wish),
    /// Somebody wants to see the rows.
    Rows(SyncSender<Shown>),
    /// Somebody wants to see how the run stands.
    Row(SyncSender<Option<RunRow>>),
    /// Everything stops.
    Stop(AfterStop),
}

pub(crate) struct Wish {
    actor: Actor,
    command: Command,
    reply: Option<SyncSender<Result<domain::Sequence, HostError>>>,
}

impl Mail {
    pub(crate) fn wish(
        actor: Actor,
        command: Command,
        reply: Option<SyncSender<Result<domain::Sequence, HostError>>>,
    ) -> Self {
        Self::Wish(Wish { actor, command, reply })
    }

    /// What the world reports.
    pub(crate) fn report(command: Command) -> Self {
        Self::wish(Actor::System, command, None)
    }

    /// What an agent says.
    pub(crate) fn said(session: SessionId, command: Command) -> Self {
        Self::wish(Actor::Agent(session), command, None)
    }
}

/// The loop of one run.
pub(crate) struct Crank {
    shared: Arc<Shared>,
    kept: Kept,
    world: World,
    inbox: Receiver<Mail>,
    /// What was said or reported and could not be recorded, in order: nobody will say it again.
    postponed: VecDeque<Wish>,
    was_over: bool,
    saved_at: std::time::Instant,
    plan_file: Option<PlanFile>,
    /// The project's folder.
    project: PathBuf,
}

impl Crank {
    pub(crate) fn new(
        shared: Arc<Shared>,
        kept: Kept,
        outfit: Outfit,
        mail: SyncSender<Mail>,
        inbox: Receiver<Mail>,
    ) -> Result<Self, HostError> {
        let run = kept.id().clone();
        let was_over = kept.run().outcome().is_some();
        let mut plan_file = PlanFile::of(&outfit, &shared.data);
        if let Some(file) = &mut plan_file {
            file.remember_done(done_by_run(&kept));
        }
        let project = outfit.project.clone();
        let world = World::open(Arc::clone(&shared), run, outfit, mail)?;
        Ok(Self {
            shared,
            kept,
            world,
            inbox,
            postponed: VecDeque::new(),
            was_over,
            saved_at: std::time::Instant::now(),
            plan_file,
            project,
        })
    }

    /// Turns until it is told to stop.
    pub(crate) fn turn(mut self) {
        self.world.take_up(&self.kept);
        for (id, effect) in self.kept.outstanding() {
            self.world.carry_out(id, effect, &self.kept);
        }
        self.world.look_for_overlaps(&self.kept);
        loop {
            self.try_postponed();
            if self.postponed.len() >= POSTPONED_MAX {
                std::thread::sleep(RETRY);
                continue;
            }
            let mut batch = match self.inbox.recv_timeout(self.patience()) {
                Ok(mail) => vec![mail],
                Err(RecvTimeoutError::Timeout) if !self.postponed.is_empty() => continue,
                Err(RecvTimeoutError::Timeout) if self.is_late() => {
                    vec![Mail::wish(Actor::Clock, Command::Tick, None)]
                }
                Err(RecvTimeoutError::Timeout) => Vec::new(),
                Err(RecvTimeoutError::Disconnected) => return,
            };
            batch.extend(self.inbox.try_iter().take(BATCH_MAX));
            sort(&mut batch);
            for mail in batch {
                match mail {
                    Mail::Wish(wish) => self.take(wish),
                    Mail::Rows(reply) => drop(reply.try_send(shown(&self.kept))),
                    Mail::Row(reply) => {
                        drop(reply.try_send(self.kept.views().rows().run.iter().next().cloned()));
                    }
                    Mail::Stop(agents) => return self.stop(agents),
                }
            }
            self.look_at_plan();
            self.world.look_for_room(&self.kept);
            self.save();
        }
    }

    /// Reports what the plan file says, where it has changed.
    fn look_at_plan(&mut self) {
        if self.was_over {
            return;
        }
        if let Some(Mail::Wish(report)) = self.plan_file.as_mut().and_then(PlanFile::look).map(Mail::report) {
            self.take(report);
        }
    }

    /// Writes down how long a task took that is done, and ticks its box.
    fn note_done(&mut self, changes: &[Change]) {
        let done = |change: &Change| match &change.row {
            Some(Row::Task(row)) if change.names().contains(&WORKER_COMPLETE) => Some((**row).clone()),
            Some(_) | None => None,
        };
        for row in changes.iter().filter_map(done) {
            let detail = self.kept.views().rows().task_details.get(&row.id);
            let worked_ms = self.kept.run().worked_ms(&row.id).unwrap_or(0);
            let duration = Duration {
                project: self.project.clone(),
                title: row.title.clone(),
                agent: row.agent,
                complexity: detail.and_then(|detail| detail.complexity),
                worked_ms,
            };
            // What could not be written down was not learned.
            drop(duration.keep(&self.shared.data));
            if let Some(file) = &mut self.plan_file {
                file.tick(row.id, row.title);
            }
        }
    }

    /// Takes a wish in its turn. What can't be recorded now is kept, unless somebody waits for the answer.
    fn take(&mut self, wish: Wish) {
        if wish.reply.is_none() && !self.postponed.is_empty() {
            return self.postponed.push_back(wish);
        }
        if let Some(wish) = self.try_take(wish) {
            self.postponed.push_back(wish);
        }
    }

    fn try_postponed(&mut self) {
        while let Some(wish) = self.postponed.pop_front() {
            if let Some(wish) = self.try_take(wish) {
                return self.postponed.push_front(wish);
            }
        }
    }

    /// Decides and records; gives the wish back where it could not be recorded and nobody was told.
    fn try_take(&mut self, wish: Wish) -> Option<Wish> {
        let Wish { actor, command, reply } = wish;
        let moves_files = moves_files(&command);
        // Nobody says it again, but a person.
        let again = reply.is_none().then(|| command.clone());
        let result = self.kept.wish(now(), &actor, command);
        let answer = match (result, again) {
            (Err(WishError::Store { .. }), Some(command)) => {
                return Some(Wish { actor, command, reply: None });
            }
            (Ok(step), _) => {
                for event in step.shown {
                    self.note_done(&event.changes);
                    self.world.note_tasks(event.changes.iter().filter_map(|change| match &change.row {
                        Some(Row::Task(row)) => Some(&**row),
                        _ => None,
                    }));
                    for change in &event.changes {
                        if let Some(Row::Session(row)) = &change.row {
                            self.world.note_session(row);
                        }
                    }
                    self.shared.publish(Published::Recorded {
                        run: self.kept.id().clone(),
                        position: event.position,
                        sequence: event.sequence,
                        changes: event.changes,
                    });
                }
                for (id, effect) in step.orders {
                    self.world.carry_out(id, effect, &self.kept);
                }
                if moves_files {
                    self.world.look_for_overlaps(&self.kept);
                }
                Ok(step.sequence)
            }
            (Err(error), _) => Err(HostError::from(error)),
        };
        if let Some(reply) = reply {
            // Whoever wished it may have gone.
            drop(reply.try_send(answer));
        }
        self.world.drop_what_nobody_needs(&self.kept);
        self.note_end();
        None
    }

    fn note_end(&mut self) {
        let is_over = self.kept.run().outcome().is_some();
        if is_over != self.was_over {
            self.was_over = is_over;
            self.shared.note_over(self.kept.id(), is_over);
        }
    }

    /// Returns how long to wait for mail.
    fn patience(&self) -> time::Duration {
        if !self.postponed.is_empty() {
            return RETRY;
        }
        let look = self.plan_file.as_ref().filter(|_| !self.was_over).map(PlanFile::due_in);
        let look = look.unwrap_or(SLEEP_MAX);
        let sleep_max =
            if self.kept.run().is_disk_budget_exhausted() { LOOK_FOR_ROOM } else { SLEEP_MAX }.min(look);
        let Some(deadline) = self.kept.run().next_deadline() else { return sleep_max };
        let left = u64::try_from(deadline.0.saturating_sub(now().0)).unwrap_or(0);
        time::Duration::from_millis(left).min(sleep_max)
    }

    /// Tells whether the clock has come to what the run waits for.
    fn is_late(&self) -> bool {
        self.kept.run().next_deadline().is_some_and(|deadline| deadline <= now())
    }

    fn save(&mut self) {
        if self.saved_at.elapsed() >= SAVE_EVERY || self.kept.run().outcome().is_some() {
            // What could not be saved is saved with the next call; the log has it.
            drop(self.kept.save());
            self.saved_at = std::time::Instant::now();
        }
    }

    fn stop(self, agents: AfterStop) {
        let Self { mut world, mut kept, inbox, .. } = self;
        // Whoever reports now need not wait for us: it is found again with the next start.
        drop(inbox);
        world.stop(agents, kept.run().outcome().is_some());
        drop(kept.save());
    }
}

/// Returns the tasks that this run has done, with their titles.
fn done_by_run(kept: &Kept) -> impl Iterator<Item = (TaskId, String)> {
    let done = kept.views().rows().tasks.iter().filter(|row| row.state == TaskState::Done && row.attempt > 0);
    done.map(|row| (row.id.clone(), row.title.clone()))
}

/// Tells whether worktrees may look different when this is said: an agent stands still, or somebody else was at them.
fn moves_files(command: &Command) -> bool {
    matches!(
        command,
        Command::EndTurn { .. }
            | Command::ReportStarted { .. }
            | Command::ReportCheckpoint { .. }
            | Command::ReportMerge { .. }
            | Command::ReportEffect { .. }
    )
}

/// Brings the urgent messages of a batch forward. What is no message stays where it is, and nothing passes it.
fn sort(batch: &mut [Mail]) {
    for part in batch.chunk_by_mut(|left, right| is_message(left) && is_message(right)) {
        part.sort_by_key(urgency);
        read_no_further(part);
    }
}

fn is_message(mail: &Mail) -> bool {
    matches!(mail, Mail::Wish(Wish { command: Command::ReceiveMessage { .. }, .. }))
}

fn urgency(mail: &Mail) -> u8 {
    match mail {
        Mail::Wish(Wish { command: Command::ReceiveMessage { message: said, .. }, .. }) => {
            engine::urgency(said)
        }
        Mail::Wish(_) | Mail::Rows(_) | Mail::Row(_) | Mail::Stop(_) => u8::MAX,
    }
}

/// Lets no message say that reading goes on behind one of its session's that is not decided yet.
fn read_no_further(part: &mut [Mail]) {
    let mut undecided: std::collections::BTreeMap<SessionId, u64> = std::collections::BTreeMap::new();
    for mail in part.iter_mut().rev() {
        let Mail::Wish(Wish {
            actor, command: Command::ReceiveMessage { offset: heard, read_from, .. }, ..
        }) = mail
        else {
            continue;
        };
        let Some(session) = actor.session() else { continue };
        let first = undecided.entry(session).or_insert(u64::MAX);
        *read_from = (*read_from).min(*first);
        *first = (*first).min(heard.start);
    }
}

/// Returns the time by the machine's clock.
pub(crate) fn now() -> Timestamp {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    Timestamp(i64::try_from(since.as_millis()).unwrap_or(i64::MAX))
}
