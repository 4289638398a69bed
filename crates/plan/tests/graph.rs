//! Critical path, maximum parallelism, topological order and cycles.

#![expect(clippy::unwrap_used, reason = "a failed setup must fail the test")]

use plan::{ParseOptions, TaskGraph, parse};

#[track_caller]
fn assert_path_parallelism_and_order(source: &str, path: &str, parallelism: usize, order: &str) {
    let plan = parse(source.as_bytes(), ParseOptions::default()).plan;
    let graph = TaskGraph::new(&plan);
    let ids = |indices: Vec<usize>| {
        indices.into_iter().map(|index| plan.tasks[index].id.to_string()).collect::<Vec<_>>().join(" ")
    };
    assert_eq!(
        (
            ids(graph.critical_path()).as_str(),
            graph.max_parallel_tasks(),
            ids(graph.topological_order()).as_str()
        ),
        (path, parallelism, order),
        "\n{source}"
    );
}

/// Writes a table from lines `T1 L T2,T3`: id, complexity, dependencies.
fn task_table(rows: &str) -> String {
    let rows = rows.lines().map(|row| {
        let mut words = row.split_whitespace();
        let (id, size, dependencies) =
            (words.next().unwrap(), words.next().unwrap(), words.next().unwrap_or("-"));
        let (size, status) = size.strip_suffix('!').map_or((size, "todo"), |size| (size, "done"));
        format!("| {id} | {size} | {dependencies} | {status} |\n")
    });
    format!("| ID | Complexity | Dependencies | Status |\n|---|---|---|---|\n{}", rows.collect::<String>())
}

#[test]
fn critical_path_is_weighted_by_complexity() {
    assert_path_parallelism_and_order(
        &task_table("T1 S\nT2 XL\nT3 S T1\nT4 S T3\nT5 S T2"),
        "T2 T5",
        2,
        "T1 T2 T3 T4 T5",
    );
    assert_path_parallelism_and_order(&task_table("T1 -\nT2 - T1\nT3 M"), "T1 T2", 2, "T1 T2 T3");
}

#[test]
fn equal_paths_are_ordered_by_the_smaller_id() {
    assert_path_parallelism_and_order(
        &task_table("T10 M\nT2 M\nT3 S T10,T2\nT4 S T2"),
        "T2 T3",
        2,
        "T2 T4 T10 T3",
    );
    assert_path_parallelism_and_order(
        &task_table("T1 S\nT2 M T1\nT3 S T1\nT4 S T3"),
        "T1 T2",
        2,
        "T1 T2 T3 T4",
    );
}

#[test]
fn done_tasks_have_no_weight() {
    assert_path_parallelism_and_order(&task_table("T1 XL!\nT2 S T1\nT3 S T1"), "T2", 2, "T1 T2 T3");
    assert_path_parallelism_and_order(&task_table("T1 S!\nT2 S! T1"), "", 0, "T1 T2");
}

#[test]
fn a_done_task_does_not_block_even_if_its_dependencies_are_open() {
    assert_path_parallelism_and_order(&task_table("T1 XL\nT2 S! T1\nT3 S T2"), "T1", 2, "T1 T2 T3");
    assert_path_parallelism_and_order(
        &task_table("T1 S\nT2 S! T1\nT3 M T2\nT4 S T3"),
        "T3 T4",
        2,
        "T1 T2 T3 T4",
    );
}

#[test]
fn a_finished_task_frees_its_slot_for_the_next() {
    assert_path_parallelism_and_order(&task_table("T1 S\nT2 S T1\nT3 S T2"), "T1 T2 T3", 1, "T1 T2 T3");
    // T1 still runs when T3 and T4 begin.
    assert_path_parallelism_and_order(&task_table("T1 L\nT2 S\nT3 S T2\nT4 S T2"), "T1", 3, "T1 T2 T3 T4");
}

#[test]
fn phase_gates_block_later_tasks() {
    assert_path_parallelism_and_order(
        &task_table("T1.1 S\nT1.2 L\nT2.1 S\nT2.2 S\nT2.3 S"),
        "T1.2 T2.1",
        3,
        "T1.1 T1.2 T2.1 T2.2 T2.3",
    );
}

#[test]
fn an_empty_plan_has_no_path_and_no_parallelism() {
    assert_path_parallelism_and_order("# nothing\n", "", 0, "");
}

#[test]
fn optional_tasks_do_not_block() {
    assert_path_parallelism_and_order(
        "- [ ] 1. a\n- [ ]* 2. b\n- [ ] 3. c\n- [ ]* 4. d\n",
        "1 3",
        1,
        "1 2 3 4",
    );
}

#[test]
fn tasks_in_or_behind_a_cycle_are_omitted() {
    assert_path_parallelism_and_order(&task_table("T1 S T2\nT2 S T1\nT3 S T2\nT4 S"), "T4", 1, "T4");
}

#[test]
fn a_cycle_of_done_tasks_holds_back_nothing() {
    assert_path_parallelism_and_order(&task_table("T1 S! T1\nT2 S T1"), "T2", 1, "T1 T2");
    assert_path_parallelism_and_order(
        &task_table("T1 S! T2\nT2 S! T1\nT3 S T2\nT4 S T3"),
        "T3 T4",
        1,
        "T1 T2 T3 T4",
    );
    assert_path_parallelism_and_order(&task_table("T1 S! T2\nT2 S! T1\nT3 S T4\nT4 S T3"), "", 0, "T1 T2");
}
