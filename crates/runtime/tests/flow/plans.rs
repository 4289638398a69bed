//! A plan file that changes while it is run: what differs is offered, and what is done is ticked.

use std::fs;

use domain::{Command, OfferId, RunOutcome, TaskId};
use runtime::{PlanOptions, RunEnvironment};
use views::{PlanOfferState, TaskState};

use crate::{
    lab::{Lab, plan, settings},
    processes::until,
};

/// Says that it is done when the test lets it, and writes down what it is told meanwhile.
const WAITS: &str = r#"
read -r task
printf '%s' "$JANGDAN_PORT_BASE" > "$BARRIER/port-$JANGDAN_TASK"
while [ ! -e "$BARRIER/go-$JANGDAN_TASK" ]; do sleep 0.01; done
echo "$JANGDAN_TASK" > "$JANGDAN_TASK.txt"
echo "DONE:$JANGDAN_TASK"
while read -r line; do
    printf '%s\n' "$line" >> "$BARRIER/told-$JANGDAN_TASK"
    echo "DONE:$JANGDAN_TASK"
done
"#;

const PLAN: &str = "# A plan\n\n## Phase 1: All\n\n- [ ] T1 Do T1\n- [ ] T2 Do T2\n";

fn environment(lab: &Lab) -> RunEnvironment {
    let file = lab.write("TASKS.md", PLAN);
    let plan_options = PlanOptions { write_back: true, ..PlanOptions::default() };
    RunEnvironment { plan: Some(file), plan_options, ..lab.environment() }
}

fn task(id: &str) -> TaskId {
    id.parse().unwrap()
}

#[test]
fn a_change_of_the_file_is_offered_taken_told_and_done_and_its_boxes_are_ticked() {
    let mut lab = Lab::new(WAITS);
    let run = lab.start_in(plan(&["T1", "T2:T1"]), settings(), environment(&lab));
    until("T1 works", || lab.rows(&run).tasks.get(&task("T1")).unwrap().state == TaskState::Running);
    let changed = PLAN.replace("Do T1\n", "Do T1\n  - in blue\n").replace("- [ ] T2 Do T2", "- [ ] T3 Do T3");
    lab.write("TASKS.md", &changed);
    until("the change is offered", || !lab.rows(&run).plan_offers.is_empty());
    let rows = lab.rows(&run);
    let offer = rows.plan_offers.get(&OfferId(1)).unwrap();
    let changes = &offer.changes;
    assert_eq!(offer.problem, None);
    assert_eq!(changes.added.iter().map(|task| task.id.as_str()).collect::<Vec<_>>(), ["T3"]);
    assert_eq!(changes.removed, [task("T2")]);
    assert_eq!(changes.changed.len(), 1, "{changes:?}");

    // What waits for the person outlives the server.
    lab.reopen();
    lab.wish(&run, Command::ApplyPlanChange { offer: OfferId(1) });
    lab.let_go("go-T1");
    lab.let_go("go-T3");
    assert_eq!(lab.outcome(&run), RunOutcome::Done);
    let rows = lab.rows(&run);
    let state = |id: &str| rows.tasks.get(&task(id)).unwrap().state;
    assert_eq!(
        [state("T1"), state("T2"), state("T3")],
        [TaskState::Done, TaskState::Skipped, TaskState::Done]
    );
    assert_eq!(rows.plan_offers.len(), 1);
    assert_eq!(rows.plan_offers.get(&OfferId(1)).unwrap().state, PlanOfferState::Applied);
    assert!(lab.met("told-T1").contains("in blue"), "{}", lab.met("told-T1"));
    assert_ne!(lab.met("port-T1"), lab.met("port-T3"), "whoever joins later has ports of their own");
    let file = fs::read_to_string(lab.project().with_file_name("TASKS.md")).unwrap();
    assert_eq!(file, changed.replace("[ ]", "[x]"));
}

#[test]
fn a_later_run_knows_how_long_tasks_take() {
    let lab = Lab::new(WAITS);
    lab.let_go("go-T1");
    let first = lab.start(plan(&["T1"]));
    assert_eq!(lab.outcome(&first), RunOutcome::Done);
    let estimate = |run| lab.rows(run).task_details.get(&task("T1")).unwrap().estimate_ms;
    assert_eq!(estimate(&first), None);
    let second = lab.start(plan(&["T1"]));
    assert!(estimate(&second).is_some_and(|estimate| estimate < 60_000), "{:?}", estimate(&second));
    assert_eq!(lab.outcome(&second), RunOutcome::Done);
}
