//! Finds out whether a process that calls the server belongs to a session of the same data directory.

use holder::{process_origin, status};
use rustix::{
    io::Errno,
    process::{Pid, test_kill_process},
};

use crate::sessions::{Sessions, process_tag, session_name_from_tag};

/// Where a process comes from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CallerOrigin {
    /// It belongs to a session of this data directory, also if it left the session's process group or its holder was killed.
    Session {
        /// Name of the session.
        name: String,
    },
    /// It belongs to no session of this data directory.
    Outside,
    /// It has ended, or hides what is needed to find out.
    Unknown,
}

impl Sessions {
    /// Finds out where a process comes from. Sessions of other data directories do not count.
    pub fn caller_origin(&self, pid: u32) -> CallerOrigin {
        // Without a session there is none to belong to: reading all ancestors would delay the first answer of a server.
        if !self.has_any() && process_exists(pid) {
            return CallerOrigin::Outside;
        }
        let Some(origin) = process_origin(pid) else { return CallerOrigin::Unknown };
        let by_mark =
            origin.sessions.iter().find(|tag| self.is_own_tag(tag)).map(|tag| session_name_from_tag(tag));
        let name = match by_mark {
            Some(name) => Some(name.to_owned()),
            None if origin.holders.is_empty() => None,
            // The agent has cleared its environment.
            None => self.find_session_of_holder(&origin.holders),
        };
        name.map_or(CallerOrigin::Outside, |name| CallerOrigin::Session { name })
    }

    fn is_own_tag(&self, tag: &str) -> bool {
        let name = session_name_from_tag(tag);
        self.read_key(name).is_some_and(|key| process_tag(name, &key) == tag)
    }

    fn find_session_of_holder(&self, holders: &[u32]) -> Option<String> {
        self.names().ok()?.into_iter().find(|name| {
            let summary = status::read(&self.folder(name)).ok().flatten();
            summary.is_some_and(|summary| summary.exit.is_none() && holders.contains(&summary.holder_pid))
        })
    }
}

fn process_exists(pid: u32) -> bool {
    let pid = i32::try_from(pid).ok().and_then(Pid::from_raw);
    // Not permitted means that it exists.
    pid.is_some_and(|pid| !matches!(test_kill_process(pid), Err(Errno::SRCH)))
}
