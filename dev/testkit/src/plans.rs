//! Generates plan files of any length in each format, without errors and of a realistic density.

use std::fmt::Write as _;

use serde_json::json;

use crate::random::Random;

/// Number of tasks in a phase.
const PHASE_TASKS: usize = 100;

const VERBS: [&str; 8] = ["Add", "Move", "Split", "Check", "Store", "Show", "Measure", "Document"];
const THINGS: [&str; 12] = [
    "login form",
    "order table",
    "payment webhook",
    "retry queue",
    "search index",
    "audit log",
    "session store",
    "invoice export",
    "rate limiter",
    "결제 화면",
    "사용자 설정",
    "알림 센터",
];
const LAYERS: [&str; 4] = ["Backend", "Frontend", "Database", "Infra"];
const PATHS: [&str; 6] = [
    "src/login/form.rs",
    "src/orders/table.rs",
    "web/src/Payment.tsx",
    "db/migrations/0042.sql",
    "src/queue.rs",
    "docs/api.md",
];

/// The parts of a task that every format needs.
struct TaskDraft {
    phase: usize,
    /// Counted from 1 within its phase.
    number: usize,
    title: String,
    /// Earlier tasks, counted from 0 over the whole plan.
    depends_on: Vec<usize>,
}

fn generate_drafts(n_tasks: usize) -> Vec<TaskDraft> {
    let mut random = Random::new(11);
    let draft = |n: usize| {
        let title = format!("{} the {}", random.pick(&VERBS), random.pick(&THINGS));
        let mut depends_on: Vec<usize> =
            (0..random.below(4)).filter_map(|_| n.checked_sub(1 + random.below(30))).collect();
        depends_on.sort_unstable();
        depends_on.dedup();
        TaskDraft { phase: n / PHASE_TASKS + 1, number: n % PHASE_TASKS + 1, title, depends_on }
    };
    (0..n_tasks).map(draft).collect()
}

/// Writes a plan with headings, a table for each phase, and a section for each task.
pub fn tasks_md_plan(n_tasks: usize) -> String {
    let mut random = Random::new(12);
    let drafts = generate_drafts(n_tasks);
    let id = |draft: &TaskDraft| format!("T{}.{}", draft.phase, draft.number);
    let needs = |draft: &TaskDraft| {
        let ids: Vec<String> = draft.depends_on.iter().filter_map(|n| drafts.get(*n)).map(id).collect();
        if ids.is_empty() { "-".to_owned() } else { ids.join(", ") }
    };
    let mut text =
        String::from("# The shop\n\nWhat is left until the first customers can order, phase by phase.\n");
    for phase in drafts.chunks(PHASE_TASKS) {
        let number = phase.first().map_or(0, |draft| draft.phase);
        let _ = writeln!(text, "\n## Phase {number}: Milestone {number}\n");
        text.push_str("| ID | Task | Dependencies | Complexity | Layer |\n|----|------|--------------|------------|-------|\n");
        for draft in phase {
            let (complexity, layer) = (random.pick(&["S", "M", "L", "XL"]), random.pick(&LAYERS));
            let _ = writeln!(
                text,
                "| {} | {} | {} | {complexity} | {layer} |",
                id(draft),
                draft.title,
                needs(draft)
            );
        }
        for draft in phase {
            let path = random.pick(&PATHS);
            let _ = writeln!(text, "\n### {}: {}\n", id(draft), draft.title);
            let _ = writeln!(
                text,
                "- **Description**: {} so that `{path}` has one owner and one test.",
                draft.title
            );
            let _ = writeln!(text, "- **Dependencies**: {}", needs(draft));
            let _ = writeln!(text, "- **Touches**: `{path}`");
            let _ = writeln!(text, "- **Verify**: `cargo test {}`", draft.number);
            text.push_str(
                "- **Acceptance Criteria**:\n  - [ ] The old behaviour is kept\n  - [ ] 테스트가 통과한다\n",
            );
            if random.once_in(5) {
                text.push_str("\nThe signature should look like this:\n\n```rust\nfn total(order: &Order) -> Money;\n```\n");
            }
        }
    }
    text
}

/// Writes a plan that consists of one table.
pub fn table_plan(n_tasks: usize) -> String {
    let mut random = Random::new(14);
    let drafts = generate_drafts(n_tasks);
    let id = |draft: &TaskDraft| format!("T{}.{}", draft.phase, draft.number);
    let mut text = String::from(
        "| ID | Task | Dependencies | Complexity | Layer | Agent | Status |\n|----|------|--------------|------------|-------|-------|--------|\n",
    );
    for draft in &drafts {
        let ids: Vec<String> = draft.depends_on.iter().filter_map(|n| drafts.get(*n)).map(id).collect();
        let needs = if ids.is_empty() { "-".to_owned() } else { ids.join(", ") };
        let (complexity, layer) = (random.pick(&["S", "M", "L", "XL"]), random.pick(&LAYERS));
        let _ = writeln!(
            text,
            "| {} | {} | {needs} | {complexity} | {layer} | claude | todo |",
            id(draft),
            draft.title
        );
    }
    text
}

/// Writes a plan as GitHub Spec Kit does.
pub fn checklist_plan(n_tasks: usize) -> String {
    let mut random = Random::new(13);
    let mut text = String::from("# Tasks: The shop\n\n**Input**: design documents\n");
    for (n, draft) in generate_drafts(n_tasks).iter().enumerate() {
        if draft.number == 1 {
            let _ = writeln!(text, "\n## Phase {}: Milestone {}\n", draft.phase, draft.phase);
        }
        let parallel = if random.once_in(3) { "" } else { "[P] " };
        let _ = writeln!(text, "- [ ] T{:05} {parallel}{} in `{}`", n + 1, draft.title, random.pick(&PATHS));
        if random.once_in(4) {
            text.push_str("  - Keep the old behaviour until the gate\n");
        }
    }
    text
}

/// Writes a plan as Task Master does.
pub fn taskmaster_plan(n_tasks: usize) -> String {
    let mut random = Random::new(14);
    let tasks: Vec<serde_json::Value> = generate_drafts(n_tasks)
        .iter()
        .enumerate()
        .map(|(n, draft)| {
            json!({
                "id": n + 1,
                "title": draft.title,
                "description": format!("{} so that it has one owner and one test.", draft.title),
                "details": "Keep the old behaviour until the gate.\nThen take it out.",
                "testStrategy": "Run the tests of the module.",
                "status": "pending",
                "dependencies": draft.depends_on.iter().map(|n| n + 1).collect::<Vec<_>>(),
                "priority": random.pick(&["low", "medium", "high"]),
                "subtasks": [],
            })
        })
        .collect();
    format!("{:#}\n", json!({ "master": { "tasks": tasks } }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_format_contains_every_task() {
        let (tasks, rows, list, json) =
            (tasks_md_plan(250), table_plan(250), checklist_plan(250), taskmaster_plan(250));
        assert_eq!(rows.matches("\n| T").count(), 250);
        assert_eq!(tasks.matches("\n### T").count(), 250);
        assert_eq!(tasks.matches("\n| T").count(), 250);
        assert_eq!(list.matches("\n- [ ] T").count(), 250);
        assert_eq!(json.matches("\"testStrategy\"").count(), 250);
    }
}
