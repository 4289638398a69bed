//! The longest way, the widest moment, the order, the cycles.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on should stop")]

use plan::{ParseOptions, TaskGraph, parse};

#[track_caller]
fn check(source: &str, path: &str, widest: usize, order: &str) {
    let plan = parse(source.as_bytes(), ParseOptions { format: None }).plan;
    let graph = TaskGraph::new(&plan);
    let ids = |places: Vec<usize>| {
        places.into_iter().map(|place| plan.tasks[place].id.to_string()).collect::<Vec<_>>().join(" ")
    };
    assert_eq!(
        (
            ids(graph.critical_path()).as_str(),
            graph.max_parallel_tasks(),
            ids(graph.topological_order()).as_str()
        ),
        (path, widest, order),
        "\n{source}"
    );
}

/// Writes a table from lines `T1 L T2,T3`: id, complexity, dependencies.
fn table(rows: &str) -> String {
    let rows = rows.lines().map(|row| {
        let mut words = row.split_whitespace();
        let (id, size, waits) = (words.next().unwrap(), words.next().unwrap(), words.next().unwrap_or("-"));
        let (size, status) = size.strip_suffix('!').map_or((size, "todo"), |size| (size, "done"));
        format!("| {id} | {size} | {waits} | {status} |\n")
    });
    format!("| ID | Complexity | Dependencies | Status |\n|---|---|---|---|\n{}", rows.collect::<String>())
}

#[test]
fn the_longest_way_is_by_complexity() {
    check(&table("T1 S\nT2 XL\nT3 S T1\nT4 S T3\nT5 S T2"), "T2 T5", 2, "T1 T2 T3 T4 T5");
    check(&table("T1 -\nT2 - T1\nT3 M"), "T1 T2", 2, "T1 T2 T3");
}

#[test]
fn of_equal_ways_the_smaller_id_decides() {
    check(&table("T10 M\nT2 M\nT3 S T10,T2\nT4 S T2"), "T2 T3", 2, "T2 T4 T10 T3");
    check(&table("T1 S\nT2 M T1\nT3 S T1\nT4 S T3"), "T1 T2", 2, "T1 T2 T3 T4");
}

#[test]
fn what_is_done_takes_no_time_and_no_agent() {
    check(&table("T1 XL!\nT2 S T1\nT3 S T1"), "T2", 2, "T1 T2 T3");
    check(&table("T1 S!\nT2 S! T1"), "", 0, "T1 T2");
}

#[test]
fn what_is_done_holds_nobody_up_even_if_it_waits_itself() {
    check(&table("T1 XL\nT2 S! T1\nT3 S T2"), "T1", 2, "T1 T2 T3");
    check(&table("T1 S\nT2 S! T1\nT3 M T2\nT4 S T3"), "T3 T4", 2, "T1 T2 T3 T4");
}

#[test]
fn a_task_that_ends_makes_room_for_the_next() {
    check(&table("T1 S\nT2 S T1\nT3 S T2"), "T1 T2 T3", 1, "T1 T2 T3");
    // T1 still runs when T3 and T4 begin.
    check(&table("T1 L\nT2 S\nT3 S T2\nT4 S T2"), "T1", 3, "T1 T2 T3 T4");
}

#[test]
fn the_gates_of_phases_hold_tasks_back() {
    check(&table("T1.1 S\nT1.2 L\nT2.1 S\nT2.2 S\nT2.3 S"), "T1.2 T2.1", 3, "T1.1 T1.2 T2.1 T2.2 T2.3");
}

#[test]
fn an_empty_plan_has_no_way_and_no_width() {
    check("# nothing\n", "", 0, "");
}

#[test]
fn an_optional_task_is_not_waited_for() {
    check("- [ ] 1. a\n- [ ]* 2. b\n- [ ] 3. c\n- [ ]* 4. d\n", "1 3", 1, "1 2 3 4");
}

#[test]
fn what_is_in_a_cycle_or_behind_one_is_left_out() {
    check(&table("T1 S T2\nT2 S T1\nT3 S T2\nT4 S"), "T4", 1, "T4");
}
