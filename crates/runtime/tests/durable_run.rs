//! Runs on a real log: events are recorded before they take effect, and runs are rebuilt from the log after a crash.

#![expect(clippy::unwrap_used, clippy::panic, reason = "failures in tests")]

use std::{
    collections::{BTreeMap, BTreeSet, VecDeque},
    fs,
    path::Path,
    sync::Arc,
};

use domain::{EffectId, Report, RunId, RunInput, RunOutcome, Sequence, UserCommand};
use engine::{Effect, Rejection, TaskState};
use runtime::{DurableRun, DurableRunError, ReplayedRun};
use store::{Entry, LOG_FILE, Log, NewEntry, Row, SqliteLog};
use tempfile::TempDir;
use testkit::{
    failing_log::FailingLog,
    run_loop::{Recording, RunLoop, start_input, success_inputs},
    workloads::{GraphShape, generate},
};

fn open_log(directory: &Path) -> Arc<SqliteLog> {
    Arc::new(SqliteLog::open(directory).unwrap())
}

fn run_id() -> RunId {
    "r1".parse().unwrap()
}

fn command_of_ana(command: UserCommand) -> RunInput {
    RunInput::User { person: "ana".to_owned(), origin: None, command }
}

/// An executor that executes each effect once, and reports success.
#[derive(Default)]
struct TestExecutor {
    effects: VecDeque<(EffectId, Effect)>,
    done: BTreeSet<EffectId>,
    clock: i64,
}

impl TestExecutor {
    /// Executes one effect; `false` if there is none.
    fn execute_next(&mut self, durable_run: &mut DurableRun) -> bool {
        let Some((effect_id, effect)) = self.effects.pop_front() else { return false };
        self.done.insert(effect_id);
        for input in success_inputs(effect_id, effect) {
            self.clock += 1;
            match durable_run.execute(domain::Timestamp(self.clock), input) {
                Ok(executed) => self.effects.extend(executed.effects),
                Err(DurableRunError::Rejected(Rejection::StaleReport | Rejection::UnknownSession { .. })) => {
                }
                Err(error) => panic!("{error:?}"),
            }
        }
        true
    }
}

#[test]
fn run_continues_after_a_crash_at_any_step_and_its_rows_match_the_log() {
    let folder = TempDir::new().unwrap();
    let work = generate(GraphShape::Chains, 12, 3);
    let mut executor = TestExecutor::default();
    let mut durable_run = DurableRun::open(open_log(folder.path()), run_id()).unwrap();
    executor
        .effects
        .extend(durable_run.execute(domain::Timestamp(0), start_input(&work, 3)).unwrap().effects);
    let mut n_steps = 0_u32;
    while executor.execute_next(&mut durable_run) {
        n_steps += 1;
        if n_steps.is_multiple_of(7) {
            let state = durable_run.state().clone();
            if n_steps.is_multiple_of(2) {
                durable_run.save_rows().unwrap();
            }
            // All state in memory is lost, including effects in execution.
            drop(durable_run);
            durable_run = DurableRun::open(open_log(folder.path()), run_id()).unwrap();
            assert_eq!(*durable_run.state(), state, "after step {n_steps}");
            let pending = durable_run.pending_effects();
            executor.effects = pending.into_iter().filter(|(id, _)| !executor.done.contains(id)).collect();
        }
    }
    assert_eq!(durable_run.state().outcome(), Some(RunOutcome::Done));
    durable_run.save_rows().unwrap();
    drop(durable_run);

    let log = open_log(folder.path());
    let saved = log.rows(&run_id()).unwrap();
    assert!(!saved.is_empty());
    // A log with the same events and without rows: all rows are rebuilt.
    let fresh = TempDir::new().unwrap();
    let copy = open_log(fresh.path());
    let entries =
        log.read(&run_id(), Sequence(0), usize::MAX).unwrap().into_iter().map(to_new_entry).collect();
    copy.append(&run_id(), Sequence(0), entries).unwrap();
    DurableRun::open(copy.clone(), run_id()).unwrap().save_rows().unwrap();
    assert_eq!(copy.rows(&run_id()).unwrap(), saved);
}

fn to_new_entry(entry: Entry) -> NewEntry {
    let Entry { at, actor, kind, version, payload, .. } = entry;
    NewEntry { at, actor, kind, version, payload }
}

/// Returns the JSON of each row by its kind and key.
fn json_by_kind_and_key(rows: &[Row]) -> BTreeMap<(String, String), String> {
    rows.iter().map(|row| ((row.kind.clone(), row.key.clone()), row.json.clone())).collect()
}

/// Folds a run's events up to a sequence into rows.
fn fold_log(log: &dyn Log, up_to: Sequence) -> BTreeMap<(String, String), String> {
    let mut replayed = ReplayedRun::new(run_id());
    for entry in log.read(&run_id(), Sequence(0), usize::try_from(up_to.0).unwrap()).unwrap() {
        replayed.apply(&entry.to_recorded_event().unwrap());
    }
    let views = replayed.views();
    views.all_rows().map(|row| ((row.kind().name().to_owned(), row.key()), row.to_json())).collect()
}

/// The file was written by the last version with schema 3, and left in the middle of a run: with a snapshot of its
/// state, and with rows that do not know the last events yet.
#[test]
fn a_run_in_progress_of_schema_3_shows_the_same_rows_and_continues() {
    let folder = TempDir::new().unwrap();
    let golden = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden/schema-3.sqlite3");
    fs::copy(golden, folder.path().join(LOG_FILE)).unwrap();
    let log = open_log(folder.path());
    let head = log.runs().unwrap().remove(0).sequence;
    // The migration to schema 4 deletes rows of the former form. If the form of rows changes again, so must the schema.
    assert_eq!(log.rows_sequence(&run_id()).unwrap(), Sequence(0));
    assert!(log.rows(&run_id()).unwrap().is_empty());

    let mut durable_run = DurableRun::open(log.clone(), run_id()).unwrap();
    assert_eq!(durable_run.state().sequence(), head);
    durable_run.save_rows().unwrap();
    assert_eq!(json_by_kind_and_key(&log.rows(&run_id()).unwrap()), fold_log(&*log, head));
    let mut executor = TestExecutor {
        effects: durable_run.pending_effects().into(),
        clock: i64::try_from(head.0).unwrap(),
        ..TestExecutor::default()
    };
    while executor.execute_next(&mut durable_run) {}
    // The agents of the file have reported their tasks as done, and never end those turns.
    let deadline = durable_run.state().next_deadline().unwrap();
    executor.effects.extend(durable_run.execute(deadline, Report::TimerFired.into()).unwrap().effects);
    executor.clock = deadline.0;
    while executor.execute_next(&mut durable_run) {}
    assert_eq!(durable_run.state().outcome(), Some(RunOutcome::Done));
}

#[test]
fn rows_of_a_long_run_are_saved_in_several_writes() {
    let folder = TempDir::new().unwrap();
    let log = Arc::new(FailingLog::new(open_log(folder.path()), u64::MAX, 2 << 20));
    let mut run_loop = RunLoop::start(&generate(GraphShape::Chains, 400, 3), 3, Recording::Log).unwrap();
    run_loop.run_to_end().unwrap();
    let entries = run_loop.log.iter().map(|recorded| NewEntry::from_event(recorded).unwrap()).collect();
    log.append(&run_id(), Sequence(0), entries).unwrap();

    let mut durable_run = DurableRun::open(log.clone(), run_id()).unwrap();
    durable_run.save_rows().unwrap();
    let head = durable_run.state().sequence();
    assert_eq!(log.rows_sequence(&run_id()).unwrap(), head);
    assert_eq!(json_by_kind_and_key(&log.rows(&run_id()).unwrap()), fold_log(&*log, head));
}

#[test]
fn command_that_cannot_be_recorded_has_no_effect_and_can_be_repeated() {
    let folder = TempDir::new().unwrap();
    let log = Arc::new(FailingLog::new(open_log(folder.path()), 1, usize::MAX));
    let mut durable_run = DurableRun::open(log.clone(), run_id()).unwrap();
    let work = generate(GraphShape::Chains, 4, 1);
    durable_run.execute(domain::Timestamp(0), start_input(&work, 1)).unwrap();
    let before = durable_run.state().clone();
    let task = durable_run.state().task_ids().next().unwrap().clone();

    let pause = || UserCommand::PauseTask(task.clone());
    let error = durable_run.execute(domain::Timestamp(1), command_of_ana(pause())).unwrap_err();
    assert!(matches!(error, DurableRunError::Store { .. }), "{error}");
    assert_eq!(*durable_run.state(), before, "the state is rebuilt from the log");

    log.fail_after(9);
    durable_run.execute(domain::Timestamp(2), command_of_ana(pause())).unwrap();
    assert!(matches!(durable_run.state().task_state(&task), Some(TaskState::Blocked(_))));
}

#[test]
fn readers_share_the_rows_and_an_event_copies_them_only_if_there_is_a_reader() {
    let folder = TempDir::new().unwrap();
    let mut durable_run = DurableRun::open(open_log(folder.path()), run_id()).unwrap();
    let work = generate(GraphShape::Chains, 5, 1);
    durable_run.execute(domain::Timestamp(1), start_input(&work, 1)).unwrap();

    let (first, second) = (Arc::clone(durable_run.views()), Arc::clone(durable_run.views()));
    assert!(Arc::ptr_eq(&first, &second), "reads at the same sequence share one copy");
    let read_at = first.sequence();
    durable_run.execute(domain::Timestamp(2), command_of_ana(UserCommand::PauseRun)).unwrap();
    assert_eq!(first.sequence(), read_at, "a reader's rows do not change");
    assert!(durable_run.views().sequence() > read_at);
    drop((first, second));

    let address = Arc::as_ptr(durable_run.views());
    durable_run.execute(domain::Timestamp(3), command_of_ana(UserCommand::ContinueRun)).unwrap();
    assert_eq!(Arc::as_ptr(durable_run.views()), address, "nothing is copied without a reader");
}
