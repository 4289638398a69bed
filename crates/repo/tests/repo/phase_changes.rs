//! Files and diff of the tasks of a phase.

use std::path::Path;

use domain::{ChangeSummary, FileChange, LineCounts};
use repo::{MergeAttempt, TaskMerge};

use crate::fixture::{Fixture, write_file};

fn merge_work(fixture: &Fixture, task: &str, change: impl FnOnce(&Path)) -> TaskMerge {
    fixture.commit_task_work(task, change);
    let MergeAttempt::Merged { onto, commit, .. } = fixture.merge(task) else { panic!("merges") };
    TaskMerge { onto, commit }
}

fn file(path: &str, lines: Option<(u32, u32)>) -> FileChange {
    let lines = lines.map(|(added, removed)| LineCounts { added, removed });
    FileChange { path: path.to_owned(), lines }
}

#[test]
fn summary_has_each_changed_file_with_its_lines() {
    let fixture = Fixture::new();
    let first = merge_work(&fixture, "T1", |path| {
        write_file(path, "file", "one\nTWO\nthree\n");
        write_file(path, "new", "a\nb\n");
    });
    let second = merge_work(&fixture, "T2", |path| write_file(path, "binary", [0, 1, 2]));
    let merges = [first, second];
    let expected = vec![file("binary", None), file("file", Some((1, 1))), file("new", Some((2, 0)))];
    let summary = fixture.run.summarize_merges(&merges, None).unwrap();
    assert_eq!(summary, ChangeSummary { files: expected, n_files: 3, n_added: 3, n_removed: 1 });
    let diff = fixture.run.diff_merges(&merges, None).unwrap();
    assert!(diff.contains("+TWO") && diff.contains("+++ b/new") && diff.contains("b/binary"), "{diff}");
    assert_eq!(fixture.run.summarize_merges(&[], None).unwrap(), ChangeSummary::default());
    assert_eq!(fixture.run.diff_merges(&[], None).unwrap(), "");
}

#[test]
fn files_of_another_phase_that_was_merged_in_between_are_left_out() {
    let fixture = Fixture::new();
    let first = merge_work(&fixture, "T1", |path| write_file(path, "own", "one\n"));
    merge_work(&fixture, "T9", |path| write_file(path, "other", "other\n"));
    let second = merge_work(&fixture, "T2", |path| write_file(path, "own", "one\ntwo\n"));
    let merges = [first, second];
    let summary = fixture.run.summarize_merges(&merges, None).unwrap();
    assert_eq!(summary.files, [file("own", Some((2, 0)))]);
    let diff = fixture.run.diff_merges(&merges, None).unwrap();
    assert!(!diff.contains("other"), "{diff}");
}

#[test]
fn changes_since_a_commit_are_those_of_later_merges() {
    let fixture = Fixture::new();
    let first = merge_work(&fixture, "T1", |path| write_file(path, "own", "one\n"));
    let rejected = first.commit.clone();
    let before = std::slice::from_ref(&first);
    assert_eq!(fixture.run.summarize_merges(before, Some(&rejected)).unwrap(), ChangeSummary::default());
    let second = merge_work(&fixture, "T2", |path| write_file(path, "own", "one\ntwo\n"));
    let merges = [first, second];
    let since = fixture.run.summarize_merges(&merges, Some(&rejected)).unwrap();
    assert_eq!(since.files, [file("own", Some((1, 0)))]);
    let diff = fixture.run.diff_merges(&merges, Some(&rejected)).unwrap();
    assert!(diff.contains("+two") && !diff.contains("+one"), "{diff}");
}

#[test]
fn list_of_files_is_bounded_and_the_totals_are_not() {
    let fixture = Fixture::new();
    let n_files = ChangeSummary::FILES_MAX + 5;
    let merge = merge_work(&fixture, "T1", |path| {
        (0..n_files).for_each(|number| write_file(path, format!("many/{number:04}"), "x\n"));
    });
    let summary = fixture.run.summarize_merges(&[merge], None).unwrap();
    assert_eq!(
        (summary.files.len(), summary.n_files as usize),
        (ChangeSummary::FILES_MAX, ChangeSummary::FILES_MAX + 5)
    );
    assert_eq!(summary.n_added, u32::try_from(n_files).unwrap());
}
