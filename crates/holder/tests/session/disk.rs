//! A full disk blocks the agent and loses no byte.
//!
//! If the tests may mount one, the disk is a file system of one megabyte; otherwise a limit on the holder's file size
//! simulates it.

use std::{path::Path, process::Command};

use crate::test_session::{TestSession, process_state, script_launch, terminal_attachment, wait_for};

const LINES: usize = 400_000;

fn expected_output() -> Vec<u8> {
    (0..LINES).flat_map(|n| format!("{}\n", 1_000_000 + n).into_bytes()).collect()
}

fn numbered_lines_script() -> String {
    format!("stty -onlcr; seq 1000000 {}; exit 6", 1_000_000 + LINES - 1)
}

#[test]
fn a_full_disk_blocks_the_agent_and_loses_no_output() {
    let folder = tempfile::tempdir().unwrap();
    let disk = folder.path().join("disk");
    std::fs::create_dir(&disk).unwrap();
    let Some(_mount) = Mount::new(&disk) else {
        eprintln!("skipped: mounting is not permitted; the test with a file size limit covers this");
        return;
    };
    let directory = disk.join("session");
    let mut session = TestSession::start_in(
        folder,
        directory,
        &script_launch(&numbered_lines_script(), terminal_attachment()),
    );
    wait_for("the disk is full", || session.status().is_disk_full.then_some(()));
    let held = session.status().offset;
    assert!(held < expected_output().len() as u64);
    // The agent is blocked, and the holder answers.
    assert!(process_state(session.agent_pid()).is_some());
    Mount::grow(&disk);
    assert_eq!(session.wait_end().code, Some(6));
    assert_eq!(session.output(), expected_output());
}

#[test]
fn a_file_size_limit_blocks_the_agent_and_loses_no_output() {
    let mut session = TestSession::start(&script_launch(
        &format!("read -r go; {}", numbered_lines_script()),
        terminal_attachment(),
    ));
    let holder = session.launched.holder.id();
    limit_file_size(holder, "400000");
    session.send_input(1, "go\n");
    wait_for("the files are full", || session.status().is_disk_full.then_some(()));
    assert!(process_state(session.agent_pid()).is_some());
    limit_file_size(holder, "unlimited");
    assert_eq!(session.wait_end().code, Some(6));
    assert!(session.output().ends_with(&expected_output()));
}

fn limit_file_size(pid: u32, length: &str) {
    let status = Command::new("prlimit")
        .args([format!("--pid={pid}"), format!("--fsize={length}:unlimited")])
        .status()
        .unwrap();
    assert!(status.success());
}

/// A small file system that is unmounted at the end of the test.
struct Mount(std::path::PathBuf);

impl Mount {
    fn new(path: &Path) -> Option<Self> {
        let mounted = Command::new("mount")
            .args(["-t", "tmpfs", "-o", "size=1m", "jangdan-test"])
            .arg(path)
            .stderr(std::process::Stdio::null())
            .status();
        mounted.is_ok_and(|status| status.success()).then(|| Self(path.to_owned()))
    }

    fn grow(path: &Path) {
        let grown = Command::new("mount").args(["-o", "remount,size=64m"]).arg(path).status().unwrap();
        assert!(grown.success());
    }
}

impl Drop for Mount {
    fn drop(&mut self) {
        // Lazy unmount: it may still be in use for a moment.
        let _ = Command::new("umount").arg("-l").arg(&self.0).status();
    }
}
