//! The example plans, as `jangdan plan check --json` prints them.

#![expect(clippy::disallowed_methods, reason = "the examples are files")]

use std::{fs, path::Path};

use plan::{ParseOptions, PlanReport, parse};

#[test]
fn every_example_parses_without_diagnostics() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples");
    for name in [
        "tasks-md/TASKS.md",
        "tasks-md-ko/TASKS.md",
        "spec-kit/tasks.md",
        "kiro/tasks.md",
        "task-master/tasks.json",
    ] {
        let source = fs::read(root.join(name)).unwrap();
        let parsed = parse(&source, ParseOptions { format: None });
        assert!(parsed.diagnostics.is_empty(), "{name}: {:?}", parsed.diagnostics);
        let json = serde_json::to_string_pretty(&PlanReport::new(&parsed, &source)).unwrap();
        insta::assert_snapshot!(name.replace(['/', '.'], "_"), json);
        insta::assert_snapshot!(
            format!("{}_written", name.replace(['/', '.'], "_")),
            plan::to_tasks_md(&parsed.plan)
        );
    }
}
