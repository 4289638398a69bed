//! Finds out from which session a process comes: by its ancestors, and by the session's marks in environments and cgroups.

use std::fs;

use rustix::process::Pid;

use crate::{SESSION_VARIABLE, cgroup, processes};

/// Ancestors that are followed. A longer chain counts as unreadable.
const ANCESTORS_MAX: usize = 256;
/// Attempts, because an ancestor may end while the chain is read.
const ATTEMPTS_MAX: usize = 3;
/// Start of the name of a holder's process, as the kernel stores it.
const HOLDER_NAME: &[u8] = b"jangdan-holder";

/// Holders and sessions to which a process and its ancestors belong.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ProcessOrigin {
    /// Process numbers of the holders among them.
    pub holders: Vec<u32>,
    /// Values of [`SESSION_VARIABLE`], and sessions of their cgroups.
    pub sessions: Vec<String>,
}

/// Returns the origin of a process; `None` if it has ended or hides what is needed, such as its environment.
pub fn process_origin(pid: u32) -> Option<ProcessOrigin> {
    let pid = i32::try_from(pid).ok().and_then(Pid::from_raw)?;
    (0..ATTEMPTS_MAX).find_map(|_| read_chain(pid))
}

fn read_chain(pid: Pid) -> Option<ProcessOrigin> {
    let mut origin = ProcessOrigin::default();
    let (mut next, mut child_started) = (pid, u64::MAX);
    for _ in 0..ANCESTORS_MAX {
        let state = processes::read_state(next).filter(|state| !state.is_dead())?;
        if state.started > child_started {
            // The parent has ended, and its number was reused.
            return None;
        }
        let folder = format!("/proc/{}", next.as_raw_nonzero());
        match fs::read(format!("{folder}/environ")) {
            Ok(environment) => origin.sessions.extend(session_variables(&environment)),
            // Processes of other users, and holders, hide it.
            Err(_) if next != pid => {}
            Err(_) => return None,
        }
        let groups = fs::read_to_string(format!("{folder}/cgroup")).unwrap_or_default();
        origin.sessions.extend(cgroup::sessions_of_groups(&groups).map(str::to_owned));
        if fs::read(format!("{folder}/comm")).ok()?.starts_with(HOLDER_NAME) {
            origin.holders.push(next.as_raw_nonzero().get().unsigned_abs());
        }
        let Some(parent) = Pid::from_raw(state.parent) else { return Some(origin) };
        (next, child_started) = (parent, state.started);
    }
    None
}

fn session_variables(environment: &[u8]) -> impl Iterator<Item = String> {
    environment.split(|byte| *byte == 0).filter_map(|variable| {
        let value = variable.strip_prefix(SESSION_VARIABLE.as_bytes())?.strip_prefix(b"=")?;
        Some(String::from_utf8_lossy(value).into_owned())
    })
}

#[cfg(test)]
mod tests {
    use std::process::{Command, Stdio};

    use super::*;

    #[test]
    fn the_marks_of_a_process_and_its_ancestors_are_found() {
        let mut shell = Command::new("sh");
        // The child has no environment of its own.
        shell.args(["-c", "env -i sleep 60 & echo $!; wait"]).env(SESSION_VARIABLE, "one.k1");
        let mut shell = shell.stdout(Stdio::piped()).spawn().unwrap();
        let mut line = String::new();
        let mut output = std::io::BufReader::new(shell.stdout.take().unwrap());
        std::io::BufRead::read_line(&mut output, &mut line).unwrap();
        let child: u32 = line.trim().parse().unwrap();
        assert!(process_origin(child).unwrap().sessions.contains(&"one.k1".to_owned()));
        assert!(process_origin(shell.id()).unwrap().sessions.contains(&"one.k1".to_owned()));
        let own = process_origin(std::process::id()).unwrap();
        assert!(!own.sessions.contains(&"one.k1".to_owned()), "{own:?}");
        rustix::process::kill_process(Pid::from_raw(child as i32).unwrap(), rustix::process::Signal::KILL)
            .unwrap();
        shell.wait().unwrap();
        assert_eq!(process_origin(child), None);
    }
}
