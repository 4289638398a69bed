//! Diagrams of a run, layout and schedule, and its report.

use views::{BarKind, Layout, RunReport, Schedule};

use crate::fixture::Fixture;

#[test]
fn layout_has_all_tasks_and_schedule_has_their_questions() {
    let fixture = Fixture::open();
    let run = fixture.start_run_with_questions(2);
    let layout: Layout = fixture.client.get(&format!("/api/runs/{run}/layout")).unwrap();
    let names: Vec<_> = layout.nodes.iter().map(|node| node.task.as_str()).collect();
    assert_eq!(names, ["T1.1", "T1.2"]);
    assert_eq!(layout.lanes.iter().map(|lane| lane.title.as_str()).collect::<Vec<_>>(), ["Paint"]);

    let schedule: Schedule = fixture.client.get(&format!("/api/runs/{run}/schedule")).unwrap();
    let blocked = schedule.bars.iter().filter(|bar| bar.kind == BarKind::Blocked);
    assert_eq!(blocked.filter(|bar| bar.text.as_deref() == Some("Which colour?")).count(), 2, "{schedule:?}");
    assert!(schedule.end_at.is_some_and(|end| end > schedule.now_at), "{schedule:?}");
}

#[test]
fn unknown_run_has_no_diagram() {
    let fixture = Fixture::open();
    for diagram in ["layout", "schedule"] {
        assert_eq!(fixture.request_problem("GET", &format!("/api/runs/unknown/{diagram}"), "").0, 404);
    }
}

#[test]
fn report_is_data_or_a_file() {
    let fixture = Fixture::open();
    let run = fixture.start_run_with_questions(1);
    let path = format!("/api/runs/{run}/report");
    let report: RunReport = fixture.client.get(&path).unwrap();
    let question = report.questions.first().unwrap();
    assert_eq!((report.phases.len(), question.text.as_str(), &question.answer), (1, "Which colour?", &None));
    for (query, expected) in [
        ("as=markdown", "## Questions and answers"),
        ("as=markdown&locale=ko", "## 질문과 답변"),
        ("as=html", "<h2>Questions and answers</h2>"),
    ] {
        let (status, text) = fixture.request("GET", &format!("{path}?{query}"), "");
        assert!(status == 200 && text.contains(expected), "{query}: {text}");
    }
    for wrong in ["as=pdf", "locale=de", "form=html"] {
        assert_eq!(fixture.request_problem("GET", &format!("{path}?{wrong}"), "").0, 400, "{wrong}");
    }
    assert_eq!(fixture.request_problem("GET", "/api/runs/unknown/report", "").0, 404);
}
