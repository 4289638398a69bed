//! A plan file that changes while it is run, and what it waits for, settled by commands.

use std::{
    fs,
    time::{Duration, Instant},
};

use domain::{GateApproval, RunSettings};

use crate::office::{Office, plan};

const WAITS: &str = r#"
read -r task
while [ ! -e "$OFFICE/go" ]; do sleep 0.02; done
echo "DONE:$JANGDAN_TASK"
"#;

const PLAN: &str = "\
# A plan

## Phase 1: All

### T1: Do T1

### T2: Do T2

- **Dependencies**: T1, Epic 3
";

/// Asks for the difference until there is one.
fn see_difference(office: &Office) -> String {
    let end = Instant::now() + Duration::from_secs(60);
    loop {
        let (exit, text) = office.jangdan(&["plan", "diff"]);
        assert!(exit == 0 && Instant::now() < end, "{text}");
        if !text.contains("No change of the plan file is waiting for you") {
            return text;
        }
    }
}

#[test]
fn a_plan_that_changed_is_seen_left_and_taken() {
    let mut office = Office::open(WAITS);
    fs::write(office.path("TASKS.md"), PLAN).unwrap();
    let mut work = plan(&["T1", "T2:T1"]);
    work.tasks[1].external.push("Epic 3".to_owned());
    let settings = RunSettings { gate_approval: GateApproval::Automatic, ..RunSettings::default() };
    let run = office.start(work, settings);

    office.prints(&["status"], "tasks wait until this is there: Epic 3");
    office.refuses(&["plan", "met", "Epic 4"], 1, "there is no external dependency 'Epic 4'");
    office.prints(&["plan", "met", "Epic 3", "--run", run.as_str()], "marked 'Epic 3' as met");
    office.refuses(&["plan", "met", "Epic 3"], 1, "met already");
    office.refuses(&["plan", "take"], 1, "No change of the plan file is waiting");

    let changed = PLAN.replace("T1, Epic 3\n", "T1\n- **Description**: in blue\n\n### T3: Do T3\n");
    fs::write(office.path("TASKS.md"), &changed).unwrap();
    let seen = see_difference(&office);
    assert!(seen.contains("+ T3 Do T3 (phase 1)\n"), "{seen}");
    assert!(
        seen.contains("~ T2 Do T2: description, dependencies outside of the plan\n    + in blue\n"),
        "{seen}"
    );
    office.prints(&["status"], "T3 new; T2 changed");
    office.prints(&["inbox"], "1 take it  2 leave it");
    office.prints(&["plan", "diff", "--json"], "\"id\":\"p_1\"");
    office.prints(&["plan", "leave"], "plan unchanged");
    office.prints(&["plan", "diff"], "No change of the plan file is waiting for you");

    fs::write(office.path("TASKS.md"), format!("{changed}\n### T4: Do T4\n")).unwrap();
    assert!(see_difference(&office).contains("+ T4 Do T4 (phase 1)\n"));
    office.prints(&["plan", "take"], "plan updated");
    fs::write(office.path("go"), "").unwrap();
    office.prints(&["watch"], "4 of 4 done");
    office.close();
}
