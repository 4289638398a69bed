//! Changes of the plan file during a run are offered to the user, and completed tasks are ticked in it.

use std::fs;

use domain::{OfferId, RunOutcome, RunSettings, TaskId, UserCommand};
use runtime::{PlanOptions, RunEnvironment};
use views::{PlanOfferState, TaskState};

use crate::{
    fixture::{RunFixture, plan, settings},
    processes::wait_until,
};

/// Reports done when it is released, and records its further inputs.
const WAITS: &str = r#"
read -r task
printf '%s' "$JANGDAN_PORT_BASE" > "$BARRIER/port-$JANGDAN_TASK"
while [ ! -e "$BARRIER/go-$JANGDAN_TASK" ]; do sleep 0.01; done
echo "$JANGDAN_TASK" > "$JANGDAN_TASK.txt"
echo "DONE:$JANGDAN_TASK"
while read -r line; do
    printf '%s\n' "$line" >> "$BARRIER/input-$JANGDAN_TASK"
    echo "DONE:$JANGDAN_TASK"
done
"#;

const PLAN: &str = "# A plan\n\n## Phase 1: All\n\n- [ ] T1 Do T1\n- [ ] T2 Do T2\n";

fn environment(fixture: &RunFixture) -> RunEnvironment {
    let file = fixture.write_file("TASKS.md", PLAN);
    let plan_options = PlanOptions { write_back: true, ..PlanOptions::default() };
    RunEnvironment { plan: Some(file), plan_options, ..fixture.environment() }
}

fn task_id(id: &str) -> TaskId {
    id.parse().unwrap()
}

#[test]
fn change_is_offered_and_applied_and_completed_tasks_are_ticked() {
    let mut fixture = RunFixture::new(WAITS);
    let ticking = RunSettings { ticks_plan: true, ..settings() };
    let run = fixture.start_with_environment(plan(&["T1", "T2:T1"]), ticking, environment(&fixture));
    wait_until("T1 works", || {
        fixture.rows(&run).tasks.get(&task_id("T1")).unwrap().state == TaskState::Running
    });
    let changed = PLAN.replace("Do T1\n", "Do T1\n  - in blue\n").replace("- [ ] T2 Do T2", "- [ ] T3 Do T3");
    fixture.write_file("TASKS.md", &changed);
    wait_until("the change is offered", || !fixture.rows(&run).plan_offers.is_empty());
    let rows = fixture.rows(&run);
    let offer = rows.plan_offers.get(&OfferId(1)).unwrap();
    let changes = &offer.changes;
    assert_eq!(offer.problem, None);
    assert_eq!(changes.added.iter().map(|task| task.id.as_str()).collect::<Vec<_>>(), ["T3"]);
    assert_eq!(changes.removed, [task_id("T2")]);
    assert_eq!(changes.changed.len(), 1, "{changes:?}");

    // A pending offer survives a restart.
    fixture.restart();
    fixture.execute(&run, UserCommand::ApplyPlanChange { offer: OfferId(1) });
    fixture.release_barrier("go-T1");
    fixture.release_barrier("go-T3");
    assert_eq!(fixture.wait_for_outcome(&run), RunOutcome::Done);
    let rows = fixture.rows(&run);
    let state = |id: &str| rows.tasks.get(&task_id(id)).unwrap().state;
    assert_eq!(
        [state("T1"), state("T2"), state("T3")],
        [TaskState::Done, TaskState::Skipped, TaskState::Done]
    );
    assert_eq!(rows.plan_offers.len(), 1);
    assert_eq!(rows.plan_offers.get(&OfferId(1)).unwrap().state, PlanOfferState::Applied);
    assert!(fixture.script_output("input-T1").contains("in blue"), "{}", fixture.script_output("input-T1"));
    assert_ne!(
        fixture.script_output("port-T1"),
        fixture.script_output("port-T3"),
        "an added task has its own ports"
    );
    let file = fs::read_to_string(fixture.project_folder().with_file_name("TASKS.md")).unwrap();
    assert_eq!(file, changed.replace("[ ]", "[x]"));
}

#[test]
fn later_run_has_estimates() {
    let fixture = RunFixture::new(WAITS);
    fixture.release_barrier("go-T1");
    let first = fixture.start(plan(&["T1"]));
    assert_eq!(fixture.wait_for_outcome(&first), RunOutcome::Done);
    let estimate = |run| fixture.rows(run).task_details.get(&task_id("T1")).unwrap().estimate_ms;
    assert_eq!(estimate(&first), None);
    let second = fixture.start(plan(&["T1"]));
    assert!(estimate(&second).is_some_and(|estimate| estimate < 60_000), "{:?}", estimate(&second));
    assert_eq!(fixture.wait_for_outcome(&second), RunOutcome::Done);
}
