//! A run on a real log: recorded before it counts, found again after anything, and never ahead of its log.

#![expect(clippy::unwrap_used, clippy::panic, reason = "a test that can't run its run has failed")]

use std::{
    collections::{BTreeSet, VecDeque},
    path::Path,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
};

use domain::{Actor, Command, EffectId, RunId, RunOutcome, Sequence};
use engine::{Effect, Rejection, TaskState};
use runtime::{Kept, WishError};
use store::{
    Appended, Entry, Log, NewEntry, Position, Row, RowChange, RunHead, Snapshot, SqliteLog, StoreError,
    Subscription, Then,
};
use tempfile::TempDir;
use testkit::{
    run_loop::{start_command, success_reports},
    workloads::{GraphShape, generate},
};

/// A log that can be told to fail, as a full disk does.
struct Failing {
    log: SqliteLog,
    /// How many appends still succeed.
    left: AtomicU64,
}

impl Log for Failing {
    fn append_then(&self, run: &RunId, expected: Sequence, entries: Vec<NewEntry>, then: Then<Appended>) {
        let taken = self.left.fetch_update(Ordering::SeqCst, Ordering::SeqCst, |left| left.checked_sub(1));
        match taken {
            Ok(_) => self.log.append_then(run, expected, entries, then),
            Err(_) => then(Err(StoreError::Stopped)),
        }
    }

    fn read(&self, run: &RunId, after: Sequence, limit: usize) -> Result<Vec<Entry>, StoreError> {
        self.log.read(run, after, limit)
    }

    fn read_all(&self, after: Position, limit: usize) -> Result<Vec<Entry>, StoreError> {
        self.log.read_all(after, limit)
    }

    fn subscribe(&self, after: Position) -> Result<Box<dyn Subscription>, StoreError> {
        self.log.subscribe(after)
    }

    fn runs(&self) -> Result<Vec<RunHead>, StoreError> {
        self.log.runs()
    }

    fn save_snapshot(&self, run: &RunId, snapshot: Snapshot) -> Result<(), StoreError> {
        self.log.save_snapshot(run, snapshot)
    }

    fn load_snapshot(&self, run: &RunId) -> Result<Option<Snapshot>, StoreError> {
        self.log.load_snapshot(run)
    }

    fn prune_snapshots(&self, run: &RunId, keep: usize) -> Result<(), StoreError> {
        self.log.prune_snapshots(run, keep)
    }

    fn save_rows(
        &self,
        run: &RunId,
        up_to: Sequence,
        changes: Vec<RowChange>,
    ) -> Result<Sequence, StoreError> {
        self.log.save_rows(run, up_to, changes)
    }

    fn rows_position(&self, run: &RunId) -> Result<Sequence, StoreError> {
        self.log.rows_position(run)
    }

    fn rows(&self, run: &RunId) -> Result<Vec<Row>, StoreError> {
        self.log.rows(run)
    }

    fn row(&self, run: &RunId, kind: &str, key: &str) -> Result<Option<Row>, StoreError> {
        self.log.row(run, kind, key)
    }

    fn delete_rows(&self, run: &RunId) -> Result<(), StoreError> {
        self.log.delete_rows(run)
    }
}

fn open(directory: &Path) -> Arc<SqliteLog> {
    Arc::new(SqliteLog::open(directory).unwrap())
}

fn id() -> RunId {
    "r1".parse().unwrap()
}

fn ana() -> Actor {
    Actor::Person("ana".to_owned())
}

/// A world that does each order once, by its id, and reports it.
#[derive(Default)]
struct World {
    orders: VecDeque<(EffectId, Effect)>,
    done: BTreeSet<EffectId>,
    clock: i64,
}

impl World {
    /// Does one order, and tells whether there was one.
    fn turn(&mut self, kept: &mut Kept) -> bool {
        let Some((effect_id, effect)) = self.orders.pop_front() else { return false };
        self.done.insert(effect_id);
        for (actor, command) in success_reports(effect_id, effect) {
            self.clock += 1;
            match kept.wish(domain::Timestamp(self.clock), &actor, command) {
                Ok(step) => self.orders.extend(step.orders),
                Err(WishError::Rejected(Rejection::Stale | Rejection::UnknownSession { .. })) => {}
                Err(error) => panic!("{error:?}"),
            }
        }
        true
    }
}

#[test]
fn a_run_goes_on_after_a_crash_at_any_step_and_its_rows_are_those_of_its_log() {
    let folder = TempDir::new().unwrap();
    let work = generate(GraphShape::Chains, 12, 3);
    let mut world = World::default();
    let mut kept = Kept::open(open(folder.path()), id()).unwrap();
    world.orders.extend(kept.wish(domain::Timestamp(0), &ana(), start_command(&work, 3)).unwrap().orders);
    let mut n_steps = 0_u32;
    while world.turn(&mut kept) {
        n_steps += 1;
        if n_steps.is_multiple_of(7) {
            let state = kept.run().snapshot();
            if n_steps.is_multiple_of(2) {
                kept.save().unwrap();
            }
            // Everything in memory is gone, the orders that were under way too.
            drop(kept);
            kept = Kept::open(open(folder.path()), id()).unwrap();
            assert_eq!(kept.run().snapshot(), state, "after step {n_steps}");
            let open = kept.outstanding();
            world.orders = open.into_iter().filter(|(order, _)| !world.done.contains(order)).collect();
        }
    }
    assert_eq!(kept.run().outcome(), Some(RunOutcome::Done));
    kept.save().unwrap();
    drop(kept);

    let log = open(folder.path());
    let saved = log.rows(&id()).unwrap();
    log.delete_rows(&id()).unwrap();
    let mut again = Kept::open(log.clone(), id()).unwrap();
    again.save().unwrap();
    assert_eq!(log.rows(&id()).unwrap(), saved);
    assert!(!saved.is_empty());
}

#[test]
fn what_can_not_be_recorded_has_not_happened_and_can_be_wished_again() {
    let folder = TempDir::new().unwrap();
    let log = Arc::new(Failing { log: SqliteLog::open(folder.path()).unwrap(), left: AtomicU64::new(1) });
    let mut kept = Kept::open(log.clone(), id()).unwrap();
    let work = generate(GraphShape::Chains, 4, 1);
    kept.wish(domain::Timestamp(0), &ana(), start_command(&work, 1)).unwrap();
    let before = kept.run().snapshot();
    let task = kept.run().task_ids().next().unwrap().clone();

    let pause = || Command::PauseTask(task.clone());
    let error = kept.wish(domain::Timestamp(1), &ana(), pause()).unwrap_err();
    assert!(matches!(error, WishError::Store { .. }), "{error}");
    assert_eq!(kept.run().snapshot(), before, "the state is what the log says");

    log.left.store(9, Ordering::SeqCst);
    kept.wish(domain::Timestamp(2), &ana(), pause()).unwrap();
    assert!(matches!(kept.run().task_state(&task), Some(TaskState::Blocked(_))));
}

#[test]
fn a_damaged_snapshot_costs_a_replay_and_nothing_else() {
    let folder = TempDir::new().unwrap();
    let log = open(folder.path());
    let mut kept = Kept::open(log.clone(), id()).unwrap();
    kept.wish(domain::Timestamp(0), &ana(), start_command(&generate(GraphShape::Random, 5, 2), 2)).unwrap();
    let (state, sequence) = (kept.run().snapshot(), kept.run().sequence());
    let mut bytes = state.clone();
    bytes[20] ^= 1;
    let version = engine::SNAPSHOT_VERSION;
    log.save_snapshot(&id(), Snapshot { sequence, version, bytes }).unwrap();
    assert_eq!(Kept::open(log, id()).unwrap().run().snapshot(), state);
}

#[test]
fn readers_share_the_rows_and_an_event_copies_them_only_for_a_reader() {
    let folder = TempDir::new().unwrap();
    let mut kept = Kept::open(open(folder.path()), id()).unwrap();
    let work = generate(GraphShape::Chains, 5, 1);
    kept.wish(domain::Timestamp(1), &ana(), start_command(&work, 1)).unwrap();

    let (first, second) = (Arc::clone(kept.views()), Arc::clone(kept.views()));
    assert!(Arc::ptr_eq(&first, &second), "reads of the same moment are one copy");
    let read_at = first.sequence();
    kept.wish(domain::Timestamp(2), &ana(), Command::PauseRun).unwrap();
    assert_eq!(first.sequence(), read_at, "what was read stays as it was");
    assert!(kept.views().sequence() > read_at);
    drop((first, second));

    let place = Arc::as_ptr(kept.views());
    kept.wish(domain::Timestamp(3), &ana(), Command::ContinueRun).unwrap();
    assert_eq!(Arc::as_ptr(kept.views()), place, "without a reader nothing is copied");
}
