//! Diagrams of plans: nothing overlaps, and the same plan gives the same diagram.

use std::collections::BTreeMap;

use domain::{PlannedPhase, PlannedTask, TaskId, Timestamp};
use proptest::prelude::{ProptestConfig, Strategy, prop_assert, prop_assert_eq, proptest};
use views::{Layout, NODE_HEIGHT, NODE_WIDTH, Node, layout};

use crate::sample_log::{SampleLog, parse_task_id, phase};

const NOW: Timestamp = Timestamp(1_000_000);

/// Phases, and tasks that depend on tasks with smaller numbers.
fn plan_strategy() -> impl Strategy<Value = (Vec<PlannedPhase>, Vec<PlannedTask>)> {
    let phases = proptest::collection::vec(proptest::option::of(0_u32..4), 1..5);
    let tasks = proptest::collection::vec((0_u32..5, proptest::collection::vec(1_usize..20, 0..4)), 0..60);
    (phases, tasks).prop_map(|(phases, tasks)| {
        let phases: Vec<_> = (1..)
            .zip(phases)
            .map(|(number, after)| {
                phase(
                    number,
                    &after.filter(|after| *after > 0 && *after < number).into_iter().collect::<Vec<_>>(),
                )
            })
            .collect();
        let planned = tasks.into_iter().enumerate().map(|(n, (phase, back))| PlannedTask {
            depends_on: back
                .iter()
                .filter_map(|back| Some(numbered_task_id(n.checked_sub(*back)?)))
                .collect(),
            ..PlannedTask::new(numbered_task_id(n), phase + 1, format!("Title {n}"))
        });
        let planned = planned.collect();
        (phases, planned)
    })
}

fn numbered_task_id(n: usize) -> TaskId {
    parse_task_id(&format!("T{n}"))
}

fn layout_of_plan(phases: Vec<PlannedPhase>, tasks: Vec<PlannedTask>) -> Layout {
    layout(SampleLog::with_phases(phases, tasks).views.rows(), NOW)
}

fn overlaps(left: &Node, right: &Node) -> bool {
    (left.x - right.x).abs() < NODE_WIDTH && (left.y - right.y).abs() < NODE_HEIGHT
}

/// Counts crossing pairs of edges between the same two columns.
fn crossings(picture: &Layout) -> usize {
    let places: BTreeMap<_, _> = picture.nodes.iter().map(|node| (&node.task, (node.x, node.y))).collect();
    let ends: Vec<_> = picture.edges.iter().map(|edge| (places[&edge.from], places[&edge.to])).collect();
    let crosses = |(a, b): ((i64, i64), (i64, i64)), (c, d): ((i64, i64), (i64, i64))| {
        a.0 == c.0 && b.0 == d.0 && (a.1 - c.1) * (b.1 - d.1) < 0
    };
    ends.iter()
        .enumerate()
        .map(|(n, one)| ends.iter().skip(n).filter(|other| crosses(*one, **other)).count())
        .sum()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn nothing_overlaps((phases, tasks) in plan_strategy()) {
        let picture = layout_of_plan(phases.clone(), tasks.clone());
        prop_assert_eq!(&picture, &layout_of_plan(phases, tasks.clone()));
        prop_assert_eq!(picture.nodes.len(), tasks.len());
        for (n, node) in picture.nodes.iter().enumerate() {
            let other = picture.nodes[n + 1..].iter().find(|other| overlaps(node, other));
            prop_assert!(other.is_none(), "{node:?} {other:?}");
            let phase = tasks.iter().find(|task| task.id == node.task).map(|task| task.phase);
            let lane = picture.lanes.iter().find(|lane| Some(lane.phase) == phase).unwrap();
            let inside = lane.x <= node.x && node.x + NODE_WIDTH <= lane.x + lane.width
                && lane.y <= node.y && node.y + NODE_HEIGHT <= lane.y + lane.height;
            prop_assert!(inside, "{node:?} {lane:?}");
        }
        for (n, lane) in picture.lanes.iter().enumerate() {
            prop_assert!(lane.x >= 0 && lane.y >= 0);
            prop_assert!(lane.x + lane.width <= picture.width && lane.y + lane.height <= picture.height);
            let other = picture.lanes[n + 1..].iter().find(|other| {
                lane.x < other.x + other.width && other.x < lane.x + lane.width
                    && lane.y < other.y + other.height && other.y < lane.y + lane.height
            });
            prop_assert!(other.is_none(), "{lane:?} {other:?}");
        }
    }

    #[test]
    fn every_edge_goes_to_the_right((phases, tasks) in plan_strategy()) {
        let picture = layout_of_plan(phases, tasks.clone());
        let xs: BTreeMap<_, _> = picture.nodes.iter().map(|node| (&node.task, node.x)).collect();
        for edge in &picture.edges {
            prop_assert!(xs[&edge.from] + NODE_WIDTH <= xs[&edge.to], "{edge:?}");
        }
    }

    #[test]
    fn the_critical_path_is_marked_from_task_to_task((phases, tasks) in plan_strategy()) {
        let picture = layout_of_plan(phases, tasks.clone());
        prop_assert_eq!(picture.nodes.iter().any(|node| node.is_critical), !tasks.is_empty());
        let is_critical = |id: &TaskId| picture.nodes.iter().any(|node| node.task == *id && node.is_critical);
        for edge in picture.edges.iter().filter(|edge| edge.is_critical) {
            prop_assert!(is_critical(&edge.from) && is_critical(&edge.to), "{edge:?}");
        }
    }
}

#[test]
fn interleaved_chains_do_not_cross() {
    // Each task of the second layer depends on its mirror image in the first.
    let tasks = (0..6).map(|n| PlannedTask::new(numbered_task_id(n), 1, String::new()));
    let later = (0..6).map(|n| PlannedTask {
        depends_on: vec![numbered_task_id(5 - n)],
        ..PlannedTask::new(numbered_task_id(6 + n), 1, String::new())
    });
    let picture = layout_of_plan(vec![phase(1, &[])], tasks.chain(later).collect());
    assert_eq!(crossings(&picture), 0);
    let ys: BTreeMap<_, _> = picture.nodes.iter().map(|node| (&node.task, node.y)).collect();
    assert!(picture.edges.iter().all(|edge| ys[&edge.from] == ys[&edge.to]), "{picture:#?}");
}

#[test]
fn dependent_phases_are_side_by_side_and_parallel_ones_below_each_other() {
    let phases = vec![phase(1, &[]), phase(2, &[1]), phase(3, &[1]), phase(4, &[2, 3])];
    let tasks = (0..8)
        .map(|n| PlannedTask::new(numbered_task_id(n), u32::try_from(n % 4).unwrap() + 1, String::new()));
    let picture = layout_of_plan(phases, tasks.collect());
    let [one, two, three, four] = picture.lanes.as_slice() else { panic!("{picture:#?}") };
    assert_eq!((two.x, three.x), (one.width, one.width));
    assert_eq!(three.y, two.height);
    assert_eq!((four.x, four.y, four.height), (two.x + two.width, 0, picture.height));
}

#[test]
fn phases_with_mutual_dependencies_share_their_layers() {
    let tasks = vec![
        PlannedTask::new(numbered_task_id(0), 1, String::new()),
        PlannedTask {
            depends_on: vec![numbered_task_id(0)],
            ..PlannedTask::new(numbered_task_id(1), 2, String::new())
        },
        PlannedTask {
            depends_on: vec![numbered_task_id(1)],
            ..PlannedTask::new(numbered_task_id(2), 1, String::new())
        },
    ];
    let picture = layout_of_plan(vec![phase(1, &[]), phase(2, &[])], tasks);
    let xs: Vec<_> = picture.nodes.iter().map(|node| node.x).collect();
    assert!(xs.is_sorted_by(|left, right| left < right), "{xs:?}");
}

#[test]
fn a_layer_with_very_many_tasks_is_folded() {
    let picture = layout_of_plan(
        vec![phase(1, &[])],
        (0..400).map(|n| PlannedTask::new(numbered_task_id(n), 1, String::new())).collect(),
    );
    assert!(picture.width > 2_000 && picture.height < 4_000, "{} x {}", picture.width, picture.height);
}
