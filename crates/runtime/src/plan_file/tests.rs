//! Reports about a plan file, and the checkboxes ticked in it.

#![expect(clippy::wildcard_enum_match_arm, reason = "a test looks at few of the variants")]

use std::{fs, os::unix::fs::PermissionsExt, path::PathBuf, time::Instant};

use domain::{EffectId, Report, Sequence};
use tempfile::TempDir;

use super::{ATTEMPTS_MAX, POLL_INTERVAL, PlanFileWatcher, PlanOptions};

const EFFECT: EffectId = EffectId { sequence: Sequence(7), index: 0 };

struct PlanFileTest {
    folder: TempDir,
    watcher: PlanFileWatcher,
}

fn create_plan_file_test(text: &str) -> PlanFileTest {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("TASKS.md");
    fs::write(&path, text).unwrap();
    let options = PlanOptions { write_back: true, ..PlanOptions::default() };
    let watcher = PlanFileWatcher {
        path,
        options,
        data: folder.path().to_owned(),
        project: PathBuf::from("/shop"),
        polled_at: Instant::now(),
        polled: None,
        read: None,
        unticked: std::collections::BTreeMap::new(),
        n_failures: 0,
    };
    PlanFileTest { folder, watcher }
}

impl PlanFileTest {
    fn text(&self) -> String {
        fs::read_to_string(&self.watcher.path).unwrap()
    }

    /// Polls until the file is stable, without waiting, and returns the reports.
    fn reports(&mut self) -> Vec<String> {
        let mut reports = Vec::new();
        for _ in 0..3 {
            self.watcher.polled_at = Instant::now().checked_sub(POLL_INTERVAL).unwrap();
            reports.extend(self.watcher.poll().into_iter().map(|report| match report {
                Report::PlanChanged { work, .. } => {
                    work.tasks.iter().map(|task| task.id.to_string()).collect::<Vec<_>>().join(" ")
                }
                Report::PlanUnreadable { problem } => problem,
                Report::EffectFinished { effect, error: None } => format!("effect {effect:?} finished"),
                other => format!("{other:?}"),
            }));
        }
        reports
    }

    /// Ticks a task, and returns the number of finished effects.
    fn tick_checkbox(&mut self, task: &str, title: &str) -> usize {
        self.watcher.tick_checkbox(EFFECT, task.parse().unwrap(), title.to_owned()).len()
    }
}

#[test]
fn change_is_reported_once_when_the_file_is_stable() {
    let mut test = create_plan_file_test("- [ ] T001 Begin\n");
    assert_eq!(test.watcher.poll(), [], "it is not time to poll");
    assert_eq!(test.reports(), ["T001"]);
    assert_eq!(test.reports(), Vec::<String>::new());
    fs::write(&test.watcher.path, "- [ ] T001 Begin\n- [ ] T002 Go on\n").unwrap();
    test.watcher.polled_at = Instant::now().checked_sub(POLL_INTERVAL).unwrap();
    assert_eq!(test.watcher.poll(), [], "the file may still be written");
    assert_eq!(test.reports(), ["T001 T002"]);
}

#[test]
fn error_is_reported_instead_of_the_plan() {
    let mut test = create_plan_file_test("- [ ] T001 Begin (depends on T009)\n");
    let reports = test.reports();
    assert!(reports[0].starts_with("TASKS.md: line 1: ") && reports[0].contains("T009"), "{reports:?}");
    fs::remove_file(&test.watcher.path).unwrap();
    assert_eq!(
        test.reports(),
        ["TASKS.md: the file does not exist; the run continues with its current plan"]
    );
    assert_eq!(test.reports(), Vec::<String>::new());
}

#[test]
fn ticking_changes_only_the_checkbox() {
    let text = "\u{feff}# Plan\r\n\r\n- [ ] T001 Begin\r\n- [ ] T002 Go on\r\n";
    let mut test = create_plan_file_test(text);
    fs::set_permissions(&test.watcher.path, fs::Permissions::from_mode(0o640)).unwrap();
    assert_eq!(test.reports(), ["T001 T002"]);
    assert_eq!(test.tick_checkbox("T002", "Go on"), 1);
    assert_eq!(test.text(), text.replace("[ ] T002", "[x] T002"));
    let mode = fs::metadata(&test.watcher.path).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o640);
    assert_eq!(test.reports(), Vec::<String>::new(), "the own change is not reported");
    let entries: Vec<_> = fs::read_dir(test.folder.path()).unwrap().collect();
    assert_eq!(entries.len(), 1, "{entries:?}");
}

#[test]
fn id_of_another_task_is_not_ticked() {
    let mut test = create_plan_file_test("- [ ] T001 Begin anew\n- [x] T002 Go on\n");
    for (task, title) in [("T001", "Begin"), ("T002", "Go on"), ("T003", "End")] {
        assert_eq!(test.tick_checkbox(task, title), 1, "no further attempt is needed");
    }
    assert_eq!(test.text(), "- [ ] T001 Begin anew\n- [x] T002 Go on\n");
    assert!(test.watcher.unticked.is_empty());
}

#[test]
fn invalid_file_is_ticked_when_it_is_valid_again() {
    let mut test = create_plan_file_test("- [ ] T001 Begin (depends on T009)\n");
    assert_eq!(test.tick_checkbox("T001", "Begin"), 0);
    assert!(!test.text().contains("[x]"));
    fs::write(&test.watcher.path, "- [ ] T001 Begin\n- [ ] T002 Go on\n").unwrap();
    let finished = format!("effect {EFFECT:?} finished");
    assert_eq!(test.reports(), [finished.as_str(), "T001 T002"], "it was ticked and then read");
    assert_eq!(test.text(), "- [x] T001 Begin\n- [ ] T002 Go on\n");
}

#[test]
fn nothing_is_written_without_the_option() {
    let mut test = create_plan_file_test("- [ ] T001 Begin\n");
    test.watcher.options.write_back = false;
    assert_eq!(test.tick_checkbox("T001", "Begin"), 1);
    assert_eq!(test.text(), "- [ ] T001 Begin\n");
}

#[test]
fn file_that_stays_invalid_is_given_up_and_the_effect_ends_with_the_reason() {
    let mut test = create_plan_file_test("- [ ] T001 Begin (depends on T009)\n");
    assert_eq!(test.tick_checkbox("T001", "Begin"), 0);
    for _ in 2..ATTEMPTS_MAX {
        assert_eq!(test.watcher.tick_pending_checkboxes(), []);
    }
    let reports = test.watcher.tick_pending_checkboxes();
    let [Report::EffectFinished { effect: EFFECT, error: Some(error) }] = &reports[..] else {
        panic!("{reports:?}")
    };
    assert!(error.ends_with("the plan has errors"), "{error}");
    assert_eq!(test.watcher.tick_pending_checkboxes(), []);
}

#[test]
fn box_without_an_id_is_found_by_its_text() {
    let mut test = create_plan_file_test("- [ ] Something new\n- [ ] Begin\n- [ ] Go on\n");
    assert_eq!(test.tick_checkbox("T2", "Go on"), 1);
    assert_eq!(test.text(), "- [ ] Something new\n- [ ] Begin\n- [x] Go on\n");
}
