//! Reports the current step of a bench on standard error, and ends the process when a step exceeds its limit.
//!
//! A step that takes less than a second prints nothing.

use std::{
    fs,
    sync::{Mutex, Once, PoisonError},
    thread,
    time::{Duration, Instant},
};

use rustix::process::{Pid, Signal, kill_process};

/// Steps that take longer than this are named.
const QUIET_MAX: Duration = Duration::from_secs(1);
/// Ten times what the longest step takes on a busy machine. Waits for child processes have shorter limits of their own.
const STEP_MAX: Duration = Duration::from_secs(900);
/// Interval at which the current step is checked, so that `begin` does not have to wake a thread.
const CHECK_EVERY: Duration = Duration::from_millis(200);

static CURRENT: Mutex<Option<Step>> = Mutex::new(None);
static CHECKER: Once = Once::new();

struct Step {
    title: String,
    began: Instant,
    is_named: bool,
}

/// Starts a step, which lasts until the next one starts.
pub fn begin(title: impl Into<String>) {
    CHECKER.call_once(|| {
        thread::spawn(|| {
            loop {
                thread::sleep(CHECK_EVERY);
                abort_overdue_step();
            }
        });
    });
    let step = Step { title: title.into(), began: Instant::now(), is_named: false };
    *CURRENT.lock().unwrap_or_else(PoisonError::into_inner) = Some(step);
}

fn abort_overdue_step() {
    let mut current = CURRENT.lock().unwrap_or_else(PoisonError::into_inner);
    let Some(step) = current.as_mut() else { return };
    let elapsed = step.began.elapsed();
    if elapsed > QUIET_MAX && !step.is_named {
        step.is_named = true;
        eprintln!("   {} …", step.title);
    }
    if elapsed > STEP_MAX {
        eprintln!("error: '{}' did not end within {} s", step.title, STEP_MAX.as_secs());
        for pid in children() {
            let _ = kill_process(pid, Signal::KILL);
            eprintln!("error: killed child process {pid}, which was still running");
        }
        std::process::exit(1);
    }
}

/// Returns the child processes of this process; empty if the kernel does not list them.
fn children() -> Vec<Pid> {
    let threads = fs::read_dir("/proc/self/task").into_iter().flatten().flatten();
    let lists = threads.filter_map(|thread| fs::read_to_string(thread.path().join("children")).ok());
    let pids = |list: String| -> Vec<Pid> {
        list.split_whitespace().filter_map(|pid| Pid::from_raw(pid.parse().ok()?)).collect()
    };
    lists.flat_map(pids).collect()
}

#[cfg(test)]
mod tests {
    use std::process::Command;

    use super::*;

    #[test]
    fn child_processes_are_listed() {
        let mut child = Command::new("sleep").arg("60").spawn().unwrap();
        let listed = children();
        child.kill().unwrap();
        child.wait().unwrap();
        assert_eq!(listed, [Pid::from_child(&child)]);
    }
}
