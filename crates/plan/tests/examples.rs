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
        let parsed = parse(&source, ParseOptions::default());
        let problems = parsed.diagnostics.iter().filter(|found| found.severity() != plan::Severity::Note);
        assert_eq!(problems.collect::<Vec<_>>(), Vec::<&plan::Diagnostic>::new(), "{name}");
        let json =
            serde_json::to_string_pretty(&PlanReport::new(&parsed, &source, domain::Locale::En)).unwrap();
        insta::assert_snapshot!(name.replace(['/', '.'], "_"), json);
        insta::assert_snapshot!(
            format!("{}_written", name.replace(['/', '.'], "_")),
            plan::to_tasks_md(&parsed.plan)
        );
    }
}

/// Returns the fenced blocks of a document that are marked as plans.
fn plans_of_document(text: &str) -> Vec<String> {
    let fenced = text.split("```markdown plan\n").skip(1);
    fenced.map(|rest| rest.split("```").next().unwrap_or_default().to_owned()).collect()
}

#[test]
fn plans_in_the_documentation_are_valid() {
    let document = include_str!("../../../docs/plans.md");
    let plans = plans_of_document(document);
    let n_tasks: Vec<usize> = plans
        .iter()
        .map(|text| {
            let parsed = plan::parse(text.as_bytes(), plan::ParseOptions::default());
            assert!(parsed.diagnostics.is_empty(), "{:?}\n{text}", parsed.diagnostics);
            parsed.plan.tasks.len()
        })
        .collect();
    assert_eq!(n_tasks, [4, 2, 2]);
    let first = plan::parse(plans[0].as_bytes(), plan::ParseOptions::default()).plan;
    let task = &first.tasks[1];
    assert_eq!(task.verify.as_deref(), Some("cargo test store"));
    assert_eq!((task.agent.as_deref(), task.timeout_seconds), (Some("codex"), Some(1200)));
    assert_eq!(first.tasks[0].acceptance.len(), 2);
    assert!(first.tasks[3].optional);
    assert_eq!(first.phases[1].after, [1]);
}
