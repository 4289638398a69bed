//! The rules of the formats, each as a small file and its meaning.

#![expect(clippy::unwrap_used, reason = "a failed setup must fail the test")]

use std::fmt::Write;

use domain::{Budget, Locale};
use plan::{ParseOptions, parse};

const ANY: ParseOptions<'static> = ParseOptions { format: None, tag: None };

/// Summarizes a plan: one line per phase, and one per task with its dependencies.
fn summarize_plan(source: &str) -> String {
    let parsed = parse(source.as_bytes(), ANY);
    let mut out = String::new();
    for phase in &parsed.plan.phases {
        writeln!(out, "phase {} {:?} after {:?}", phase.number, phase.name, phase.after).unwrap();
    }
    for task in &parsed.plan.tasks {
        let ids: Vec<&str> = task.depends_on.iter().map(|id| id.as_str()).collect();
        write!(out, "{} @{} {:?} <-", task.id, task.phase, task.title).unwrap();
        for id in ids {
            write!(out, " {id}").unwrap();
        }
        for name in &task.external {
            write!(out, " <{name}>").unwrap();
        }
        let flags = [(task.done, " done"), (task.optional, " optional")];
        out.extend(flags.iter().filter(|(is_set, _)| *is_set).map(|(_, word)| *word));
        out.push('\n');
    }
    for diagnostic in &parsed.diagnostics {
        writeln!(out, "! {} {}", diagnostic.code().as_str(), diagnostic.text(Locale::En).message).unwrap();
    }
    out
}

#[track_caller]
fn assert_plan_summary(source: &str, expected: &str) {
    let expected: String = expected.lines().map(|line| format!("{}\n", line.trim())).skip(1).collect();
    let expected = expected.trim_end();
    assert_eq!(summarize_plan(source).trim_end(), expected, "\n{source}");
}

#[test]
fn a_row_and_a_section_with_the_same_id_are_one_task_and_the_section_wins() {
    assert_plan_summary(
        "| ID | Task | Layer | Dependencies |\n|---|---|---|---|\n| T1 | a | CODE | - |\n| T2 | b | CODE | T1 |\n\
         ### T2: [CODE] [P] better\n- **Dependencies**: Epic 3\n",
        r#"
        phase 1 "" after []
        T1 @1 "a" <-
        T2 @1 "[P] better" <- <Epic 3>"#,
    );
}

#[test]
fn a_section_description_replaces_the_row_description_and_precedes_its_prose() {
    let text = |source: &str| parse(source.as_bytes(), ANY).plan.tasks[0].text.clone();
    let table = "| ID | Description |\n|---|---|\n| T1 | row |\n";
    assert_eq!(
        text(&format!("{table}\n### T1: a\n- **Description**: section\n\nprose\n")),
        "section\n\nprose"
    );
    assert_eq!(text(&format!("### T1: a\n- **Description**: section\n\n## List\n\n{table}")), "section");
    assert_eq!(text(&format!("{table}\n### T1: a\n\nprose\n")), "row\n\nprose");
    assert_eq!(text(&format!("### T1: a\n\nprose\n\n## List\n\n{table}")), "row\n\nprose");
}

#[test]
fn a_section_wins_even_before_the_table() {
    assert_plan_summary(
        "### T1: section\n- **Agent**: x\n\n## List\n\n| ID | Task |\n|---|---|\n| T1 | row |\n",
        r#"
        phase 1 "" after []
        T1 @1 "section" <-"#,
    );
}

#[test]
fn phases_come_from_headings_keys_or_dotted_ids() {
    assert_plan_summary(
        "## Phase 2: Design\n### T1: a\n## Other\n### T2: b\n- **Phase**: 3\n### P4-T3: c\n",
        r#"
        phase 2 "Design" after []
        phase 3 "" after [2]
        phase 4 "" after [3]
        T1 @2 "a" <-
        T2 @3 "b" <-
        T3 @4 "c" <-"#,
    );
    assert_plan_summary(
        "### T1.1: a\n### T2.1: b\n",
        r#"
        phase 1 "" after []
        phase 2 "" after [1]
        T1.1 @1 "a" <-
        T2.1 @2 "b" <-"#,
    );
    assert_plan_summary(
        "### T1: a\n### T2: b\n",
        r#"
        phase 1 "" after []
        T1 @1 "a" <-
        T2 @1 "b" <-"#,
    );
}

#[test]
fn a_phase_can_name_its_predecessors() {
    assert_plan_summary(
        "## Phase 1\n### T1: a\n## Phase 2\n- **After**: -\n### T2: b\n## Phase 3\n- **After**: 1, Phase 2\n### T3: c\n",
        r#"
        phase 1 "" after []
        phase 2 "" after []
        phase 3 "" after [1, 2]
        T1 @1 "a" <-
        T2 @2 "b" <-
        T3 @3 "c" <-"#,
    );
}

#[test]
fn a_phase_has_its_own_check_artefacts_and_budgets() {
    let text = "## Phase 1\n- **Verify**: `cargo test`\n- **Artefacts**: docs/*.md, `a b`\n- **Budget**: 200k, $2\n\
        ### T1: a\n- **Verify**: true\n- **Artefacts**: no key of a task\n\
        ## 2단계\n- **산출물**:\n  - x\n  - y\n- **Verify**:\n\n  ```sh\n  a\n  b\n  ```\n\n### T2: b\n";
    let parsed = parse(text.as_bytes(), ANY);
    assert!(parsed.diagnostics.is_empty(), "{:?}", parsed.diagnostics);
    let [one, two] = &parsed.plan.phases[..] else { panic!("{:?}", parsed.plan.phases) };
    assert_eq!(one.verify.as_deref(), Some("cargo test"));
    assert_eq!(one.artefacts, ["docs/*.md", "a b"]);
    assert_eq!(one.budgets, [Budget::Tokens(200_000), Budget::Cents(200)]);
    assert_eq!(two.verify.as_deref(), Some("a\nb"));
    assert_eq!(two.artefacts, ["x", "y"]);
    assert_eq!(parsed.plan.tasks[0].verify.as_deref(), Some("true"));
    assert_eq!(parsed.plan.tasks[1].verify, None);
}

#[test]
fn repeated_phase_headings_are_merged_and_the_first_value_wins() {
    let text = "## Phase 1\n- **Artefacts**: a.md\n### T1: a\n## Phase 2: Later\n### T2: b\n\
        ## Phase 1: Begin\n- **Verify**: make\n- **Artefacts**: b.md\n- **Budget**: 5k\n### T3: c\n\
        ## Phase 1: Again\n- **Verify**: ninja\n- **Budget**: 7k\n### T4: d\n";
    let parsed = parse(text.as_bytes(), ANY);
    let [one, two] = &parsed.plan.phases[..] else { panic!("{:?}", parsed.plan.phases) };
    assert_eq!((one.name.as_str(), one.verify.as_deref()), ("Begin", Some("make")));
    assert_eq!(
        (&one.artefacts[..], &one.budgets[..]),
        (&["a.md".to_owned()][..], &[Budget::Tokens(5000)][..])
    );
    assert_eq!((two.verify.as_deref(), two.artefacts.len(), two.budgets.len()), (None, 0, 0));
}

#[test]
fn a_range_contains_only_ids_of_the_plan() {
    assert_plan_summary(
        "### T1: a\n### T2: b\n### T10: c\n- **Dependencies**: T1-T99999999999999999999\n### T2.5: d\n- **Phase**: 1\n",
        r#"
        phase 1 "" after []
        phase 2 "" after [1]
        phase 10 "" after [2]
        T1 @1 "a" <-
        T2 @2 "b" <-
        T10 @10 "c" <- T1 T2 T2.5 T10
        T2.5 @1 "d" <-
        ! CIRCULAR_DEP circular dependency: T10->T10"#,
    );
    assert_plan_summary(
        "### T007: a\n### T008: b\n### T009: c\n- **Dependencies**: T8~T7\n",
        r#"
        phase 1 "" after []
        T007 @1 "a" <-
        T008 @1 "b" <-
        T009 @1 "c" <- T007 T008"#,
    );
}

#[test]
fn a_checked_box_or_a_status_marks_a_task_done() {
    assert_plan_summary(
        "### [x] T1: a\n### T2: b\n- **Status**: 완료\n### T3: c\n- **Status**: `[x]`\n### T4: d\n**Status**: in progress\n",
        r#"
        phase 1 "" after []
        T1 @1 "a" <- done
        T2 @1 "b" <- done
        T3 @1 "c" <- done
        T4 @1 "d" <-"#,
    );
}

#[test]
fn a_dependency_on_a_deferred_task_is_external() {
    assert_plan_summary(
        "### T1: a\n- **Status**: deferred\n### T2: b\n- **Dependencies**: T1\n",
        r#"
        phase 1 "" after []
        T2 @1 "b" <- <T1>
        ! NOTE task T1 is deferred and not part of the plan: a"#,
    );
}

#[test]
fn code_quotes_and_comments_contain_no_tasks() {
    assert_plan_summary(
        "### T1: a\n```\n### T2: b\n```\n> ### T3: c\n\n<!--\n### T4: d\n-->\n\n- ### T5: e\n",
        r#"
        phase 1 "" after []
        T1 @1 "a" <-"#,
    );
}

#[test]
fn spec_kit_tasks_are_sequential_except_parallel_ones() {
    assert_plan_summary(
        "- [x] T001 a\n- [ ] T002 [P] b\n- [ ] T003 [P] [US1] c\n- [ ] T004 d\n- [ ] T005 [P] e\n",
        r#"
        phase 1 "" after []
        T001 @1 "a" <- done
        T002 @1 "b" <- T001
        T003 @1 "c" <- T001
        T004 @1 "d" <- T001 T002 T003
        T005 @1 "e" <- T004"#,
    );
}

#[test]
fn consecutive_user_stories_run_in_parallel() {
    assert_plan_summary(
        "## Phase 1: Setup\n- [ ] T001 a\n## Phase 2: User Story 1\n- [ ] T002 b\n## Phase 3: User Story 2\n- [ ] T003 c\n\
         ## Phase 4: Polish\n- [ ] T004 d\n## Phase 5: Ship\n- [ ] T005 e\n",
        r#"
        phase 1 "Setup" after []
        phase 2 "User Story 1" after [1]
        phase 3 "User Story 2" after [1]
        phase 4 "Polish" after [2, 3]
        phase 5 "Ship" after [4]
        T001 @1 "a" <-
        T002 @2 "b" <-
        T003 @3 "c" <-
        T004 @4 "d" <-
        T005 @5 "e" <-"#,
    );
}

#[test]
fn sections_about_dependencies_have_only_tasks_that_are_nowhere_else() {
    assert_plan_summary(
        "## Phase 1: Install dependencies\n- [ ] T001 a\n### Dependencies of b\n- [ ] T002 b\n## Dependencies\n- [ ] T001 again\n\
         ### Phase 2: x\n- [ ] T009 y\n## Phase 3: Go on\n- [ ] T003 c\n",
        r#"
        phase 1 "Install dependencies" after []
        phase 3 "Go on" after [1]
        T001 @1 "a" <-
        T002 @1 "b" <- T001
        T009 @1 "y" <- T001 T002
        T003 @3 "c" <-
        ! NOTE - [ ] T001 again mentions task T001 of line 2 and is not another task"#,
    );
}

#[test]
fn phrases_in_a_spec_kit_task_add_dependencies() {
    assert_plan_summary(
        "## Phase 1\n- [ ] T001 a\n- [ ] T002 [P] b\n## Phase 2\n- [ ] T003 [P] c (depends on T001-T002)\n- [ ] T004 [P] d\n  - **Depends on T003, Epic 3**\n",
        r#"
        phase 1 "" after []
        phase 2 "" after [1]
        T001 @1 "a" <-
        T002 @1 "b" <- T001
        T003 @2 "c (depends on T001-T002)" <- T001 T002
        T004 @2 "d" <- T003 <Epic 3>"#,
    );
}

#[test]
fn kiro_tasks_are_sequential_and_skip_optional_ones() {
    assert_plan_summary(
        "- [x] 1. a\n- [ ] 2. parent\n  - [-] 2.1 b\n  - [ ]* 2.2 c\n  - [ ] 2.3 d\n- [ ] 3. e\n",
        r#"
        phase 1 "" after []
        1 @1 "a" <- done
        2.1 @1 "b" <- 1
        2.2 @1 "c" <- 2.1 optional
        2.3 @1 "d" <- 2.1
        3 @1 "e" <- 2.3"#,
    );
}

#[test]
fn a_kiro_parent_only_groups_its_tasks_even_without_indentation() {
    assert_plan_summary(
        "- [ ] 1. parent\n- [ ] 1.1 a\n- [ ] 1.2 b\n",
        r#"
        phase 1 "" after []
        1.1 @1 "a" <-
        1.2 @1 "b" <- 1.1"#,
    );
}

#[test]
fn a_kiro_parent_with_only_optional_tasks_is_a_task() {
    assert_plan_summary(
        "- [ ] 1. a\n  - [ ]* 1.1 tests\n- [ ] 2. b\n",
        r#"
        phase 1 "" after []
        1 @1 "a" <-
        1.1 @1 "tests" <- 1 optional
        2 @1 "b" <- 1"#,
    );
}

#[test]
fn task_master_subtasks_replace_their_task() {
    assert_plan_summary(
        r#"{"tasks": [
            {"id": 1, "title": "a", "dependencies": []},
            {"id": "2", "title": "parent", "dependencies": [1], "subtasks": [
                {"id": 1, "title": "b"}, {"id": 2, "title": "c", "dependencies": [1, "1"]}]},
            {"id": 3, "title": "d", "dependencies": ["2", 2.1]}]}"#,
        r#"
        phase 1 "" after []
        1 @1 "a" <-
        2.1 @1 "b" <- 1
        2.2 @1 "c" <- 1 2.1
        3 @1 "d" <- 2.1 2.2"#,
    );
}

#[test]
fn task_master_status_marks_tasks_done_or_deferred() {
    assert_plan_summary(
        r#"{"master": {"tasks": [
            {"id": 1, "title": "a", "status": "cancelled"}, {"id": 2, "title": "b", "status": "deferred"},
            {"id": 3, "title": "c", "status": "blocked", "dependencies": [1, 2]},
            {"id": 4, "title": "d", "status": "done", "subtasks": [{"id": 1, "title": "e", "status": "pending"}]},
            {"id": 5, "title": "f", "status": "deferred", "subtasks": [{"id": 1, "title": "g"}]},
            {"id": 6, "title": "h", "status": "review", "dependencies": [4, 5]}]}}"#,
        r#"
        phase 1 "" after []
        1 @1 "a" <- done
        3 @1 "c" <- 1 <2>
        4.1 @1 "e" <- done
        6 @1 "h" <- 4.1 <5>
        ! NOTE task 2 is deferred and not part of the plan: b
        ! NOTE task 5 is deferred and not part of the plan: f
        ! NOTE task 5.1 is deferred and not part of the plan: g"#,
    );
}

#[test]
fn a_phase_reference_must_name_the_right_phase() {
    assert_plan_summary(
        "### P1-T1.1: a\n### P2-T2.1: b\n- **Dependencies**: P1-T1.1\n### P2-T2.2: c\n- **Dependencies**: P2-T1.1\n",
        r#"
        phase 1 "" after []
        phase 2 "" after [1]
        T1.1 @1 "a" <-
        T2.1 @2 "b" <- T1.1
        T2.2 @2 "c" <-
        ! MISSING_DEP T1.1 is in phase 1, not phase 2"#,
    );
}

#[test]
fn the_text_of_a_section_excludes_its_key_lines() {
    let source = "### T1: a\n- **Description**: first\n  second\n- **Notes**: kept\n- **Agent**: x\n\nprose\n\n#### Detail\n\n```\ncode\n```\n\n---\n\n### T2: b\n";
    let parsed = parse(source.as_bytes(), ANY);
    assert_eq!(
        parsed.plan.tasks[0].text,
        "first\nsecond\n\n- **Notes**: kept\n\nprose\n\n#### Detail\n\n```\ncode\n```"
    );
}

#[test]
fn the_numbers_of_a_list_are_not_dependencies() {
    let source = "### 1.1: a\n\n### 1.2: b\n\n### 2.1: c\n- **Dependencies**:\n  1. 1.2\n  2. 1.1\n";
    let ids: Vec<_> =
        parse(source.as_bytes(), ANY).plan.tasks[2].depends_on.iter().map(ToString::to_string).collect();
    assert_eq!(ids, ["1.1", "1.2"]);
}

#[test]
fn lines_below_a_single_value_and_repeated_keys_are_text() {
    let source = "### T1: a\n- **Status**: todo\n  - [ ] first\n- **Agent**: codex\n  - [ ] second\n- **Verify**: test\n- **Verify**: again\n  - [ ] third\n";
    let parsed = parse(source.as_bytes(), ANY);
    let task = &parsed.plan.tasks[0];
    assert_eq!((task.agent.as_deref(), task.verify.as_deref()), (Some("codex"), Some("test")));
    assert_eq!(task.text, "  - [ ] first\n\n  - [ ] second\n\n- **Verify**: again\n  - [ ] third");
}

#[test]
fn text_between_criteria_is_a_criterion() {
    let source = "### T1: a\n- **Acceptance**: first\n  - second\n\n  between\n\n  - third\n";
    let parsed = parse(source.as_bytes(), ANY);
    assert_eq!(parsed.plan.tasks[0].acceptance, ["first", "second", "between", "third"]);
}

#[test]
fn a_heading_above_an_id_line_is_the_title() {
    for (heading, summary) in [
        ("### T1: Build it", "T1 @1 \"Build it\" <-"),
        ("### Build it", "T1 @1 \"Build it\" <-"),
        ("### [x] Build it", "T1 @1 \"Build it\" <- done"),
        ("### T9: Build it", "T1 @1 \"T9: Build it\" <-"),
    ] {
        let source = format!("{heading}\n- **ID**: T1\n  - [ ] step\n");
        assert_plan_summary(&source, &format!("\nphase 1 \"\" after []\n{summary}"));
        assert_eq!(parse(source.as_bytes(), ANY).plan.tasks[0].text, "  - [ ] step");
    }
    let parsed = parse(b"### Build it\n- **ID**: T1\n- **Title**: Make it\n\nmore\n", ANY);
    assert_eq!(parsed.plan.tasks[0].title, "Make it");
    assert_eq!(parsed.plan.tasks[0].text, "Build it\n\nmore");
}

#[test]
fn columns_that_are_not_keys_are_text() {
    let source = "| ID | Task | Owner | Notes | Description |\n|---|---|---|---|---|\n| T1 | a | Kim | use b \\| c | what |\n| T2 | b | - | | |\n";
    let parsed = parse(source.as_bytes(), ANY);
    assert_eq!(parsed.plan.tasks[0].text, "what\n\nOwner: Kim\nNotes: use b | c");
    assert_eq!(parsed.plan.tasks[1].text, "");
}

#[test]
fn a_table_in_a_section_that_has_other_rows_is_also_text() {
    let table = "| Task | Notes |\n|---|---|\n| T2 | x |\n| then | T3 |";
    let parsed = parse(format!("### T1: a\n\n{table}\n").as_bytes(), ANY);
    assert_eq!(parsed.plan.tasks[0].text, table);
    assert_eq!(parsed.plan.tasks[1].id.as_str(), "T2");
}

#[test]
fn lines_behind_a_nested_task_belong_to_the_one_around_it() {
    let parsed = parse(b"- [ ] T1 a\n  - [ ] T2 b\n  not below T2\n    * nor this\n", ANY);
    assert_eq!(parsed.plan.tasks[0].text, "not below T2\n  * nor this");
}

#[test]
fn the_text_of_a_check_box_ends_with_its_indentation() {
    let source =
        "- [ ] T001 a\n  more\n\n  - bullet\n    deeper\n**Checkpoint**: not its text\n- [ ] T002 b\n";
    let parsed = parse(source.as_bytes(), ANY);
    assert_eq!(parsed.plan.tasks[0].text, "more\n\n- bullet\n  deeper");
}

#[test]
fn kiro_requirements_are_references() {
    let source = "- [ ] 1. a\n  - do it\n  - _Requirements: 1.1, 2.3_\n";
    let parsed = parse(source.as_bytes(), ANY);
    assert_eq!(parsed.plan.tasks[0].references, ["1.1", "2.3"]);
    assert_eq!(parsed.plan.tasks[0].text, "- do it");
}

#[test]
fn a_format_can_be_forced() {
    let source = b"- [ ] T001 a\n\n### T1: b\n";
    let as_checklist = parse(source, ParseOptions { format: Some(plan::PlanFormat::Checklist), tag: None });
    assert_eq!(as_checklist.plan.tasks[0].title, "a");
    assert_eq!(parse(source, ANY).plan.tasks[0].title, "b");
}

#[test]
fn an_unknown_number_is_a_missing_dependency() {
    assert_plan_summary(
        "### T1: a\n- **Dependencies**: 1.2\n### T2: b\n- **Dependencies**: \"1.2\"\n",
        r#"
        phase 1 "" after []
        T1 @1 "a" <-
        T2 @1 "b" <- <1.2>
        ! MISSING_DEP task 1.2 is not in this plan"#,
    );
}

#[test]
fn packages_that_a_spec_kit_task_installs_are_not_dependencies() {
    assert_plan_summary(
        "- [ ] T001 Begin (dependencies: fastapi, sqlmodel)\n- [ ] T002 [P] Go on, which depends on 2.0\n  - Dependencies: react\n\
         - [ ] T003 [P] c\n  - **Dependencies**: T002\n",
        r#"
        phase 1 "" after []
        T001 @1 "Begin (dependencies: fastapi, sqlmodel)" <-
        T002 @1 "Go on, which depends on 2.0" <- T001
        T003 @1 "c" <- T001 T002"#,
    );
}

#[test]
fn tables_without_task_ids_are_ignored_if_the_file_has_tasks() {
    assert_plan_summary(
        "| ID | Requirement |\n|---|---|\n| FR-1 | fast |\n\n| ID | Task |\n|---|---|\n| T1 | a |\n",
        r#"
        phase 1 "" after []
        T1 @1 "a" <-"#,
    );
    assert_plan_summary(
        "| ID | Task |\n|---|---|\n| FR-1 | fast |\n",
        r#"
        phase 1 "" after []
        FR-1 @1 "fast" <-"#,
    );
}

#[test]
fn a_row_with_too_few_cells_is_a_single_error() {
    assert_plan_summary(
        "| ID | Task |\n|---|---|\n| T1 | a |\nWords behind it.\n",
        r#"
        phase 1 "" after []
        T1 @1 "a" <-
        ! PARSE_FAIL this row has 1 cell, but the table has 2 columns"#,
    );
}

#[test]
fn criteria_may_follow_a_bold_line() {
    let source = "### T1: a\n**Description**: d\n**Acceptance Criteria**:\n- [ ] x\n  more\n- [x] y\n- **Agent**: me\n- tail\n\n\
                  ### T2: b\n**완료 조건**: 하나\n\n- 둘\n\nProse.\n\n- bullet\n";
    let parsed = parse(source.as_bytes(), ANY);
    let [first, second] = parsed.plan.tasks.as_slice() else { panic!("{parsed:?}") };
    assert_eq!(first.acceptance, ["x\nmore", "y"]);
    assert_eq!(first.agent.as_deref(), Some("me"));
    assert_eq!(first.text, "d\n\n- tail");
    assert_eq!(second.acceptance, ["하나", "둘"]);
    assert_eq!(second.text, "Prose.\n\n- bullet");
}

#[test]
fn bold_text_may_enclose_id_and_labels() {
    assert_plan_summary(
        "- [ ] **T001 [P] [US1]** a\n- [ ] **T002 [P]** b\n- [ ] **T003 c** d\n",
        r#"
        phase 1 "" after []
        T001 @1 "a" <-
        T002 @1 "b" <-
        T003 @1 "c d" <- T001 T002"#,
    );
}

#[test]
fn tasks_nested_in_an_optional_kiro_task_are_optional() {
    assert_plan_summary(
        "- [ ]* 2. x\n  - [ ] 2.1 y\n    - [ ] 2.1.1 a\n- [ ]* 3. z\n- [ ] 3.1 b\n- [ ] 4. c\n",
        r#"
        phase 1 "" after []
        2.1.1 @1 "a" <- optional
        3.1 @1 "b" <- optional
        4 @1 "c" <-"#,
    );
}

#[test]
fn none_with_a_comment_is_not_a_dependency() {
    assert_plan_summary(
        "### T1: a\n- **Dependencies**: None (start at once)\n### T2: b\n- **의존성**: 없음 (T1과 병렬 가능)\n",
        r#"
        phase 1 "" after []
        T1 @1 "a" <-
        T2 @1 "b" <-"#,
    );
}

#[test]
fn a_misspelled_key_is_a_warning_that_names_both() {
    assert_plan_summary(
        "## Phase 1\n- **Artefact**: x\n\n| ID | Task | Dependancies |\n|---|---|---|\n| T1 | a | - |\n\n\
         ### T2: b\n- **Agnet**: claude\n- **Notes**: free text\n\n**Verfy**: make\n",
        r#"
        phase 1 "" after []
        T1 @1 "a" <-
        T2 @1 "b" <-
        ! UNCLEAR unknown key 'Artefact' is ignored; it resembles 'artefacts'
        ! UNCLEAR unknown key 'Dependancies' is ignored; it resembles 'dependencies'
        ! UNCLEAR unknown key 'Agnet' is ignored; it resembles 'agent'
        ! UNCLEAR unknown key 'Verfy' is ignored; it resembles 'verify'"#,
    );
}

#[test]
fn files_and_references_of_a_kiro_parent_hold_for_the_tasks_below_it() {
    let source = "- [ ] 1. Accounts\n  - _Files: src/early.rs_\n  - [ ] 1.1 Model\n    - [ ] 1.1.1 Table\n  \
                  - _Files: src/late.rs_\n  - _Requirements: 2.3_\n- [ ] 2. Billing\n  - [ ] 2.1 Invoice\n";
    let tasks = parse(source.as_bytes(), ANY).plan.tasks;
    let [table, invoice] = tasks.as_slice() else { panic!("{tasks:?}") };
    assert_eq!((table.id.as_str(), invoice.id.as_str()), ("1.1.1", "2.1"));
    assert_eq!(table.touches, ["src/early.rs", "src/late.rs"]);
    assert_eq!(table.references, ["2.3"]);
    assert!(invoice.touches.is_empty() && invoice.references.is_empty());
}

#[test]
fn a_missing_id_with_an_area_is_compared_with_those_of_its_area() {
    let hint = |source: &str| {
        let parsed = parse(source.as_bytes(), ANY);
        let missing = parsed.diagnostics.iter().find(|found| found.code().as_str() == "MISSING_DEP").unwrap();
        missing.text(Locale::En).hint.unwrap().to_string()
    };
    let plan = "### BE/T1: a\n### FE/T1: b\n### FE/T3: c\n### T7: d\n- **Dependencies**: ";
    assert!(hint(&format!("{plan}FE/T9\n")).contains("task ids of this plan: FE/T1 to FE/T3;"));
    assert!(hint(&format!("{plan}BE/T9\n")).contains("task id of this plan: BE/T1;"));
    assert!(hint(&format!("{plan}QA/T9\n")).contains("task ids of this plan: BE/T1 to T7;"));
}
