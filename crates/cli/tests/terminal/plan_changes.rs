//! Commands for changes of the plan file and for external dependencies.

use std::{
    fs,
    time::{Duration, Instant},
};

use domain::{GateApproval, RunSettings};

use crate::test_project::{TestProject, one_phase_plan};

const WAITS: &str = r#"
read -r task
while [ ! -e "$FOLDER/go" ]; do sleep 0.02; done
echo "DONE:$JANGDAN_TASK:it is there"
"#;

const PLAN: &str = "\
# A plan

## Phase 1: All

### T1: Do T1

### T2: Do T2

- **Dependencies**: T1, Epic 3
";

/// Waits for a difference and returns it.
fn wait_for_difference(project: &TestProject) -> String {
    let end = Instant::now() + Duration::from_secs(60);
    loop {
        let (exit, text) = project.run_jangdan(&["plan", "diff"]);
        assert!(exit == 0 && Instant::now() < end, "{text}");
        if !text.contains("No change of the plan file is waiting for you") {
            return text;
        }
    }
}

#[test]
fn plan_changes_are_shown_ignored_and_applied() {
    let mut project = TestProject::create_with_server(WAITS);
    fs::write(project.temp_path("TASKS.md"), PLAN).unwrap();
    let mut work = one_phase_plan(&["T1", "T2:T1"]);
    work.tasks[1].external.push("Epic 3".to_owned());
    let settings = RunSettings { gate_approval: GateApproval::Automatic, ..RunSettings::default() };
    let run = project.start_run(work, settings);

    project.assert_succeeds(&["status"], "Waiting for an external dependency: Epic 3");
    project.assert_fails(&["plan", "met", "Epic 4"], 1, "There is no external dependency 'Epic 4'");
    project.assert_succeeds(&["plan", "met", "Epic 3", "--run", run.as_str()], "marked 'Epic 3' as met");
    project.assert_fails(&["plan", "met", "Epic 3"], 1, "already met");
    project.assert_fails(&["plan", "take"], 1, "No change of the plan file is waiting");

    let changed = PLAN.replace("T1, Epic 3\n", "T1\n- **Description**: in blue\n\n### T3: Do T3\n");
    fs::write(project.temp_path("TASKS.md"), &changed).unwrap();
    let difference = wait_for_difference(&project);
    assert!(difference.contains("+ T3 Do T3 (phase 1)\n"), "{difference}");
    assert!(
        difference.contains("~ T2 Do T2: description, external dependencies\n    + in blue\n"),
        "{difference}"
    );
    project.assert_succeeds(&["status"], "T3 added; T2 changed");
    project.assert_succeeds(&["inbox"], "1 apply changes  2 ignore");
    project.assert_succeeds(&["plan", "diff", "--json"], "\"id\":\"p_1\"");
    project.assert_succeeds(&["plan", "leave"], "plan unchanged");
    project.assert_succeeds(&["plan", "diff"], "No change of the plan file is waiting for you");

    fs::write(project.temp_path("TASKS.md"), format!("{changed}\n### T4: Do T4\n")).unwrap();
    assert!(wait_for_difference(&project).contains("+ T4 Do T4 (phase 1)\n"));
    project.assert_succeeds(&["plan", "take"], "plan updated");
    fs::write(project.temp_path("go"), "").unwrap();
    project.assert_succeeds(&["watch"], "4 of 4 done");
    project.stop_server();
}
