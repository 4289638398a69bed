//! What the rows say is what the engine knows, whatever happens.

use std::collections::BTreeMap;

use domain::RecordedEvent;
use proptest::prelude::{ProptestConfig, any, prop_assert_eq, proptest};
use views::{TaskState, Views};

use crate::{
    engine_run::{EngineRun, RandomChoices},
    sample_log::fold,
};

const N_STEPS: usize = 400;

/// Each is long; together they take some seconds.
const N_STORIES: u32 = 80;

/// Returns how a task stands, and why it does not go on.
type DependencyState = (TaskState, Vec<domain::BlockReason>);

fn of_engine(world: &EngineRun) -> BTreeMap<String, DependencyState> {
    let plain = |state| (state, Vec::new());
    let standing = |id: &domain::TaskId| match world.run.task_state(id).unwrap() {
        engine::TaskState::Waiting => plain(TaskState::Waiting),
        engine::TaskState::Ready => plain(TaskState::Ready),
        engine::TaskState::Running => plain(TaskState::Running),
        engine::TaskState::Checking => plain(TaskState::Checking),
        engine::TaskState::Merging => plain(TaskState::Merging),
        engine::TaskState::Done => plain(TaskState::Done),
        engine::TaskState::Failed => plain(TaskState::Failed),
        engine::TaskState::Skipped => plain(TaskState::Skipped),
        engine::TaskState::Cancelled => plain(TaskState::Cancelled),
        engine::TaskState::Blocked(reasons) => (TaskState::Blocked, reasons),
    };
    world.run.task_ids().map(|id| (id.to_string(), standing(id))).collect()
}

fn of_rows(world: &EngineRun) -> BTreeMap<String, DependencyState> {
    let standing = |row: &views::TaskRow| {
        let reasons = row.blocked.iter().map(|blocked| blocked.reason.clone()).collect();
        (row.state, reasons)
    };
    world.views.rows().tasks.iter().map(|row| (row.id.to_string(), standing(row))).collect()
}

/// Returns an event as it is when it was written and read.
fn read_back(recorded: &RecordedEvent) -> RecordedEvent {
    let text = serde_json::to_string(recorded).unwrap();
    serde_json::from_str(&text).unwrap()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(N_STORIES))]

    #[test]
    fn rows_say_what_the_engine_knows(seed in any::<u64>()) {
        let mut chance = RandomChoices(seed);
        let mut world = EngineRun::new(&mut chance);
        for step in 0..N_STEPS {
            world.step(&mut chance);
            prop_assert_eq!(of_rows(&world), of_engine(&world), "after step {}", step);
        }
        let run = world.views.rows().run.get(&()).unwrap();
        prop_assert_eq!(run.waits_for.person as usize, world.views.inbox().len());
        prop_assert_eq!(run.ended_at.is_some(), world.run.outcome().is_some());
        let rows = |views: &Views| -> BTreeMap<_, _> {
            views.all().map(|row| ((row.kind(), row.key()), row.to_json())).collect()
        };
        prop_assert_eq!(&rows(&world.views), &world.kept, "the changes say everything");
        let log: Vec<RecordedEvent> = world.log.iter().map(read_back).collect();
        prop_assert_eq!(&log, &world.log);
        prop_assert_eq!(&rows(&fold(&log)), &world.kept, "the log says everything");
    }
}

#[test]
fn chance_leads_to_most_of_what_can_happen() {
    let mut heard = BTreeMap::new();
    for seed in 0..200 {
        let mut chance = RandomChoices(seed);
        let mut world = EngineRun::new(&mut chance);
        for _ in 0..N_STEPS {
            world.step(&mut chance);
        }
        for (name, n) in world.heard {
            *heard.entry(name).or_insert(0) += n;
        }
    }
    // Nobody edits the plan file here, and nobody looks at worktrees; the simulator does.
    let of_others = |name: &str| {
        ["Plan", "Overlap", "Room"].iter().any(|start| name.starts_with(start))
            || ["PhaseAdded", "PhaseChanged", "TaskChanged"].contains(&name)
    };
    let never = domain::Event::NAMES.iter().filter(|name| !heard.contains_key(*name) && !of_others(name));
    let never: Vec<_> = never.collect();
    // Thin runs have no part in it, and some things need more luck than there is.
    assert!(never.len() < 9, "{never:?}");
}
