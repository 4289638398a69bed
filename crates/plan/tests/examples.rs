//! The example plans, as `jangdan plan check --json` prints them.

#![expect(clippy::disallowed_methods, reason = "the examples are files")]

use std::{fs, path::Path};

use plan::{ParseOptions, PlanReport, parse};

#[test]
fn every_example_reads_without_a_complaint() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples");
    for name in [
        "tasks-md/TASKS.md",
        "tasks-md-ko/TASKS.md",
        "spec-kit/tasks.md",
        "kiro/tasks.md",
        "task-master/tasks.json",
    ] {
        let source = fs::read(root.join(name)).unwrap();
        let reading = parse(&source, ParseOptions { format: None });
        assert!(reading.diagnostics.is_empty(), "{name}: {:?}", reading.diagnostics);
        let json = serde_json::to_string_pretty(&PlanReport::new(&reading, &source)).unwrap();
        insta::assert_snapshot!(name.replace(['/', '.'], "_"), json);
        insta::assert_snapshot!(
            format!("{}_written", name.replace(['/', '.'], "_")),
            plan::to_tasks_md(&reading.plan)
        );
    }
}
