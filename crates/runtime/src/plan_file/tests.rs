//! A plan file on a real disk: what is reported of it, and what is written into it.

use std::{fs, os::unix::fs::PermissionsExt, path::PathBuf, time::Instant};

use domain::Command;
use tempfile::TempDir;

use super::{LOOK_EVERY, PlanFile, PlanReading};

struct Desk {
    folder: TempDir,
    file: PlanFile,
}

fn desk(text: &str) -> Desk {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("TASKS.md");
    fs::write(&path, text).unwrap();
    let reading = PlanReading { write_back: true, ..PlanReading::default() };
    let file = PlanFile {
        path,
        reading,
        data: folder.path().to_owned(),
        project: PathBuf::from("/shop"),
        looked_at: Instant::now(),
        seen: None,
        read: None,
        unticked: std::collections::BTreeMap::new(),
    };
    Desk { folder, file }
}

impl Desk {
    fn text(&self) -> String {
        fs::read_to_string(&self.file.path).unwrap()
    }

    /// Looks as often as it takes until the file has come to rest, as if time had gone by.
    fn reports(&mut self) -> Vec<String> {
        let mut reports = Vec::new();
        for _ in 0..3 {
            self.file.looked_at = Instant::now().checked_sub(LOOK_EVERY).unwrap();
            reports.extend(self.file.look().map(|report| match report {
                Command::ReportPlan { work } => {
                    work.tasks.iter().map(|task| task.id.to_string()).collect::<Vec<_>>().join(" ")
                }
                Command::ReportPlanUnreadable { problem } => problem,
                other => format!("{other:?}"),
            }));
        }
        reports
    }

    fn tick(&mut self, task: &str, title: &str) {
        self.file.tick(task.parse().unwrap(), title.to_owned());
    }
}

#[test]
fn a_file_is_reported_once_for_each_change_when_it_has_come_to_rest() {
    let mut desk = desk("- [ ] T001 Begin\n");
    assert_eq!(desk.file.look(), None, "it is not time to look");
    assert_eq!(desk.reports(), ["T001"]);
    assert_eq!(desk.reports(), Vec::<String>::new());
    fs::write(&desk.file.path, "- [ ] T001 Begin\n- [ ] T002 Go on\n").unwrap();
    desk.file.looked_at = Instant::now().checked_sub(LOOK_EVERY).unwrap();
    assert_eq!(desk.file.look(), None, "somebody may still write");
    assert_eq!(desk.reports(), ["T001 T002"]);
}

#[test]
fn what_is_wrong_with_a_file_is_told_and_nothing_of_it_reported() {
    let mut desk = desk("- [ ] T001 Begin (depends on T009)\n");
    let reports = desk.reports();
    assert!(reports[0].starts_with("TASKS.md: line 1: ") && reports[0].contains("T009"), "{reports:?}");
    fs::remove_file(&desk.file.path).unwrap();
    assert_eq!(desk.reports(), ["TASKS.md: the file is gone; the run goes on with the plan that it has"]);
    assert_eq!(desk.reports(), Vec::<String>::new());
}

#[test]
fn a_box_is_ticked_and_nothing_else_of_the_file_is_touched() {
    let text = "\u{feff}# Plan\r\n\r\n- [ ] T001 Begin\r\n- [ ] T002 Go on\r\n";
    let mut desk = desk(text);
    fs::set_permissions(&desk.file.path, fs::Permissions::from_mode(0o640)).unwrap();
    assert_eq!(desk.reports(), ["T001 T002"]);
    desk.tick("T002", "Go on");
    assert_eq!(desk.text(), text.replace("[ ] T002", "[x] T002"));
    let mode = fs::metadata(&desk.file.path).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o640);
    assert_eq!(desk.reports(), Vec::<String>::new(), "our own change is no news");
    let left: Vec<_> = fs::read_dir(desk.folder.path()).unwrap().collect();
    assert_eq!(left.len(), 1, "{left:?}");
}

#[test]
fn a_task_that_is_another_one_now_is_not_ticked() {
    let mut desk = desk("- [ ] T001 Begin anew\n- [x] T002 Go on\n");
    desk.tick("T001", "Begin");
    desk.tick("T002", "Go on");
    desk.tick("T003", "End");
    assert_eq!(desk.text(), "- [ ] T001 Begin anew\n- [x] T002 Go on\n");
    assert!(desk.file.unticked.is_empty());
}

#[test]
fn a_file_that_is_broken_is_ticked_when_it_is_whole_again() {
    let mut desk = desk("- [ ] T001 Begin (depends on T009)\n");
    desk.tick("T001", "Begin");
    assert!(!desk.text().contains("[x]"));
    fs::write(&desk.file.path, "- [ ] T001 Begin\n- [ ] T002 Go on\n").unwrap();
    assert_eq!(desk.reports(), ["T001 T002"], "it was ticked first, and then read as it is");
    assert_eq!(desk.text(), "- [x] T001 Begin\n- [ ] T002 Go on\n");
}

#[test]
fn nothing_is_written_where_nobody_asked_for_it() {
    let mut desk = desk("- [ ] T001 Begin\n");
    desk.file.reading.write_back = false;
    desk.tick("T001", "Begin");
    assert_eq!(desk.text(), "- [ ] T001 Begin\n");
}
