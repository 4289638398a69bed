//! Plans as graphs.

use plan::{ParseOptions, parse, to_dot, to_mermaid};

#[test]
fn a_diagram_has_phases_tasks_and_dependencies() {
    let text = "## Phase 1: Base\n### [x] T1: a \"quoted\" <b>\n### T2: b\n- **Dependencies**: T1\n## Phase 2\n### T3: c\n";
    let plan = parse(text.as_bytes(), ParseOptions::default()).plan;
    insta::assert_snapshot!(format!("{}\n{}", to_mermaid(&plan), to_dot(&plan)));
}
