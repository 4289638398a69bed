//! Full disks, read-only files and damaged files: a clear error, and no lost entry.
//!
//! Full and read-only disks are real: this test binary starts itself again in a mount namespace.

use std::{
    env, fs,
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

use domain::Sequence;
use rusqlite::Connection;
use store::{LOG_FILE, Log, NewEntry, Position, SqliteLog, StoreError};
use tempfile::{TempDir, tempdir};

use crate::sample::{
    ALL, append, assert_sample_entries, entry, expected_rows, open_log, run_id, save_new_rows,
};

/// Directory of the disk for the child.
const DISK: &str = "JANGDAN_TEST_DISK";

#[test]
fn a_full_disk_loses_no_entry_and_the_store_recovers() {
    run_test_in_mount_namespace(
        "mount -t tmpfs -o size=13m tmpfs \"$JANGDAN_TEST_DISK\"",
        "failures::on_a_small_disk",
    );
}

#[test]
fn a_read_only_disk_is_an_error_until_it_is_writable() {
    run_test_in_mount_namespace(
        "mount --bind \"$JANGDAN_TEST_DISK\" \"$JANGDAN_TEST_DISK\" && \
         mount -o remount,ro,bind \"$JANGDAN_TEST_DISK\"",
        "failures::on_a_read_only_disk",
    );
}

/// Not a test by itself: runs on a disk of 13 MiB.
#[test]
fn on_a_small_disk() {
    let Some(disk) = env::var_os(DISK).map(PathBuf::from) else { return };
    let (directory, other) = (disk.join("one"), disk.join("other"));
    fs::create_dir(&directory).unwrap();
    fs::create_dir(&other).unwrap();
    fs::write(disk.join("ballast"), vec![1; 7 << 20]).unwrap();
    let log = open_log(&directory);
    let (a, b) = (run_id("a"), run_id("b"));
    append(&log, &b, 0, 3);
    let large = |sequence| NewEntry { payload: "x".repeat(9_000), ..entry(&a, sequence) };
    let mut head = 0;
    let full = loop {
        match log.append(&a, Sequence(head), vec![large(head + 1), large(head + 2)]) {
            Ok(done) => head = done.sequence.0,
            Err(error) => break error,
        }
    };
    assert!(matches!(full, StoreError::DiskFull { .. }), "{full:?}");
    let still = log.append(&a, Sequence(head), vec![large(head + 1); 20]).unwrap_err();
    assert!(matches!(still, StoreError::DiskFull { .. }), "{still:?}");
    fs::write(other.join("rest"), vec![1; 13 << 20]).unwrap_err();
    let unopened = SqliteLog::open(&other).unwrap_err();
    assert!(matches!(unopened, StoreError::DiskFull { .. }), "{unopened:?}");
    assert_eq!(log.read(&a, Sequence(0), ALL).unwrap().len() as u64, head);

    fs::remove_file(disk.join("ballast")).unwrap();
    fs::remove_file(other.join("rest")).unwrap();
    log.append(&a, Sequence(head), vec![large(head + 1)]).unwrap();
    append(&log, &b, 3, 2);
    drop(log);
    let log = open_log(&directory);
    assert_eq!(log.read(&a, Sequence(0), ALL).unwrap().len() as u64, head + 1);
    assert_sample_entries(&log, &b, 5);
    save_new_rows(&log, &b);
    assert_eq!(log.rows(&b).unwrap(), expected_rows(&log, &b));
    assert_eq!(log.read_all(Position(0), ALL).unwrap().len() as u64, head + 6);
    append(&open_log(&other), &b, 0, 1);
}

/// Not a test by itself: runs on a read-only disk.
#[test]
fn on_a_read_only_disk() {
    let Some(disk) = env::var_os(DISK).map(PathBuf::from) else { return };
    let error = SqliteLog::open(&disk).unwrap_err();
    assert!(matches!(error, StoreError::ReadOnly { .. }), "{error:?}");
    assert!(fs::read_dir(&disk).unwrap().next().is_none());
    shell("mount -o remount,rw,bind \"$JANGDAN_TEST_DISK\"", &disk);
    append(&open_log(&disk), &run_id("a"), 0, 1);
    // Only the log is read-only now, not its lock.
    shell("mount --bind log.sqlite3 log.sqlite3 && mount -o remount,ro,bind log.sqlite3", &disk);
    let error = SqliteLog::open(&disk).unwrap_err();
    assert!(matches!(error, StoreError::ReadOnly { .. }), "{error:?}");
    shell("umount log.sqlite3", &disk);
    let log = open_log(&disk);
    append(&log, &run_id("a"), 1, 1);
    assert_sample_entries(&log, &run_id("a"), 2);
}

#[test]
fn a_store_recovers_after_its_file_was_immutable() {
    let directory = tempdir().unwrap();
    let log = open_log(directory.path());
    let a = run_id("a");
    append(&log, &a, 0, 2);
    let side = directory.path().join(format!("{LOG_FILE}-wal"));
    let change = |sign: &str| Command::new("chattr").arg(sign).arg(&side).stderr(Stdio::null()).status();
    if !change("+i").is_ok_and(|status| status.success()) {
        eprintln!("skipped: this user or this disk has no immutable files");
        return;
    }
    let error = log.append(&a, Sequence(2), vec![entry(&a, 3)]);
    let whole = log.read(&a, Sequence(0), ALL);
    assert!(change("-i").unwrap().success());
    assert!(matches!(error, Err(StoreError::Io { .. } | StoreError::ReadOnly { .. })), "{error:?}");
    assert_eq!(whole.unwrap().len(), 2);
    append(&log, &a, 2, 2);
    drop(log);
    assert_sample_entries(&open_log(directory.path()), &a, 4);
}

#[test]
fn a_damaged_header_is_detected_on_open() {
    let directory = directory_with_closed_log(50);
    invert_bytes(directory.path(), 0, 16);
    let error = SqliteLog::open(directory.path()).unwrap_err();
    assert!(matches!(error, StoreError::Corrupt { .. }), "{error:?}");
    invert_bytes(directory.path(), 0, 16);
    assert_sample_entries(&open_log(directory.path()), &run_id("a"), 50);
}

#[test]
fn damage_in_the_middle_is_detected_on_read() {
    let directory = directory_with_closed_log(2_000);
    let length = fs::metadata(directory.path().join(LOG_FILE)).unwrap().len() as usize;
    // The header of a page in the middle, with the positions of its entries.
    let page = length / 2 / 4096 * 4096;
    invert_bytes(directory.path(), page, 64);
    let log = open_log(directory.path());
    let errors = [log.read_all(Position(0), ALL).err(), log.read(&run_id("a"), Sequence(0), ALL).err()];
    assert!(errors.iter().flatten().any(|error| matches!(error, StoreError::Corrupt { .. })), "{errors:?}");
    drop(log);
    invert_bytes(directory.path(), page, 64);
    assert_sample_entries(&open_log(directory.path()), &run_id("a"), 2_000);
}

#[test]
fn a_lost_entry_is_detected_when_its_run_is_read() {
    // With 2,048 entries the last one is indexed, so its loss is detected.
    for gone in [1, 30, 2_048] {
        let directory = directory_with_closed_log(2_048);
        execute_sql(&directory.path().join(LOG_FILE), &format!("DELETE FROM entry WHERE position = {gone}"));
        let log = open_log(directory.path());
        let error = log.read(&run_id("a"), Sequence(0), ALL).unwrap_err();
        assert!(matches!(error, StoreError::Corrupt { .. }), "{gone}: {error:?}");
        assert_eq!(log.read(&run_id("a"), Sequence(30), 10).unwrap().len(), 10);
        // At the end of the log the position of the lost entry would be reused.
        let appended = log.append(&run_id("a"), Sequence(2_048), vec![entry(&run_id("a"), 2_049)]);
        assert_eq!(appended.is_ok(), gone < 2_048, "{gone}: {appended:?}");
    }
}

#[test]
fn newer_and_foreign_files_stay_unchanged() {
    let directory = directory_with_closed_log(5);
    let path = directory.path().join(LOG_FILE);
    execute_sql(&path, "PRAGMA user_version = 99");
    let error = SqliteLog::open(directory.path()).unwrap_err();
    assert!(matches!(error, StoreError::NewerVersion { found: 99, .. }), "{error:?}");
    execute_sql(&path, "PRAGMA application_id = 7");
    let before = fs::read(&path).unwrap();
    let error = SqliteLog::open(directory.path()).unwrap_err();
    assert!(matches!(error, StoreError::Foreign { .. }), "{error:?}");
    assert!(fs::read(&path).unwrap() == before);
}

#[test]
fn a_directory_has_one_store_at_a_time() {
    let directory = directory_with_closed_log(1);
    let log = open_log(directory.path());
    let error = SqliteLog::open(directory.path()).unwrap_err();
    let StoreError::Locked { holder, .. } = error else { panic!("{error:?}") };
    assert_eq!(holder, Some(std::process::id()));
    drop(log);
    open_log(directory.path());
}

#[test]
fn a_removed_lock_file_does_not_admit_a_second_store() {
    let directory = directory_with_closed_log(1);
    let log = open_log(directory.path());
    for _ in 0..2 {
        fs::remove_file(directory.path().join("log.lock")).unwrap();
        let error = SqliteLog::open(directory.path()).unwrap_err();
        assert!(matches!(error, StoreError::Locked { holder: None, .. }), "{error:?}");
    }
    drop(log);
    open_log(directory.path());
}

#[test]
fn a_missing_directory_is_an_error_and_not_created() {
    let directory = tempdir().unwrap();
    let missing = directory.path().join("missing");
    let error = SqliteLog::open(&missing).unwrap_err();
    assert!(matches!(error, StoreError::DirectoryMissing { .. }), "{error:?}");
    assert!(!missing.exists());
}

#[test]
fn another_program_that_locks_the_file_only_delays_the_writer() {
    let directory = directory_with_closed_log(1);
    let log = open_log(directory.path());
    let tool = Connection::open(directory.path().join(LOG_FILE)).unwrap();
    tool.execute_batch("BEGIN IMMEDIATE").unwrap();
    std::thread::scope(|scope| {
        let appended = scope.spawn(|| log.append(&run_id("a"), Sequence(1), vec![entry(&run_id("a"), 2)]));
        assert_sample_entries(&log, &run_id("a"), 1);
        tool.execute_batch("COMMIT").unwrap();
        appended.join().unwrap().unwrap();
    });
    assert_sample_entries(&log, &run_id("a"), 2);
}

/// Creates a directory with a closed log of one run.
fn directory_with_closed_log(n_entries: u64) -> TempDir {
    let directory = tempdir().unwrap();
    append(&open_log(directory.path()), &run_id("a"), 0, n_entries);
    directory
}

/// Inverts bytes of the log; a second call restores them.
fn invert_bytes(directory: &Path, at: usize, n: usize) {
    let path = directory.join(LOG_FILE);
    let mut bytes = fs::read(&path).unwrap();
    bytes[at..at + n].iter_mut().for_each(|byte| *byte = !*byte);
    fs::write(path, bytes).unwrap();
}

/// Runs a statement on a closed log.
fn execute_sql(path: &Path, statement: &str) {
    Connection::open(path).unwrap().execute_batch(statement).unwrap();
}

/// Runs one test of this binary in a mount namespace, on a disk that a script prepares.
fn run_test_in_mount_namespace(script: &str, test: &str) {
    let can = Command::new("unshare").args(["-Urm", "true"]).stderr(Stdio::null()).status();
    if !can.is_ok_and(|status| status.success()) {
        eprintln!("skipped: this machine makes no mount namespaces for this user");
        return;
    }
    let disk = tempdir().unwrap();
    let output = Command::new("unshare")
        .args(["-Urm", "sh", "-ec", &format!("{script}; exec \"$0\" --exact {test} --nocapture")])
        .arg(env::current_exe().unwrap())
        .env(DISK, disk.path())
        .output()
        .unwrap();
    let text = String::from_utf8_lossy(&output.stdout) + String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success() && text.contains("1 passed"), "{text}");
}

fn shell(script: &str, directory: &Path) {
    let status = Command::new("sh").args(["-ec", script]).current_dir(directory).status().unwrap();
    assert!(status.success(), "{script}");
}
