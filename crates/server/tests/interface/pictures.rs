//! Pictures of a run: where its tasks stand, and when they are worked at.

use views::{BarKind, Layout, Schedule};

use crate::site::Site;

#[test]
fn a_run_is_drawn_with_what_it_waits_for() {
    let site = Site::open();
    let run = site.start_asking(2);
    let layout: Layout = site.client.get(&format!("/api/runs/{run}/layout")).unwrap();
    let names: Vec<_> = layout.nodes.iter().map(|node| node.task.as_str()).collect();
    assert_eq!(names, ["T1.1", "T1.2"]);
    assert_eq!(layout.lanes.iter().map(|lane| lane.title.as_str()).collect::<Vec<_>>(), ["Paint"]);

    let schedule: Schedule = site.client.get(&format!("/api/runs/{run}/schedule")).unwrap();
    let waits = schedule.bars.iter().filter(|bar| bar.kind == BarKind::Blocked);
    assert_eq!(waits.filter(|bar| bar.text.as_deref() == Some("Which colour?")).count(), 2, "{schedule:?}");
    assert!(schedule.end_at.is_some_and(|end| end > schedule.now_at), "{schedule:?}");
}

#[test]
fn a_run_that_is_not_there_has_no_picture() {
    let site = Site::open();
    for picture in ["layout", "schedule"] {
        assert_eq!(site.problem("GET", &format!("/api/runs/nobody/{picture}"), "").0, 404);
    }
}
