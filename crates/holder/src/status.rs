//! The file `status` in a session's folder, for sessions whose holder no longer answers.
//!
//! Lines of a key and a value, readable by people. It is replaced atomically.

use std::{
    fs, io,
    io::Write,
    os::unix::{ffi::OsStrExt, fs::OpenOptionsExt},
    path::{Path, PathBuf},
};

use crate::spool::{EndReason, Exit};

const FILE_NAME: &str = "status";

/// What a holder recorded about its session.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SessionSummary {
    /// Name of the session.
    pub session: String,
    /// Process id of the holder.
    pub holder_pid: u32,
    /// Process id of the agent.
    pub agent_pid: u32,
    /// Cgroup of the session, if it has one.
    pub cgroup: Option<PathBuf>,
    /// How it ended; `None` while it runs, and if the holder was killed.
    pub exit: Option<SessionEnd>,
}

/// The end of a session.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SessionEnd {
    /// How the agent's process ended.
    pub exit: Exit,
    /// Total output in bytes.
    pub offset: u64,
    /// Number of the last written input.
    pub inputs_written: u64,
}

/// Reads the status file of a session; `None` if no agent was ever started.
pub fn read(directory: &Path) -> io::Result<Option<SessionSummary>> {
    match fs::read(directory.join(FILE_NAME)) {
        Ok(text) => parse(&text)
            .map(Some)
            .ok_or_else(|| io::Error::new(io::ErrorKind::InvalidData, "malformed status file")),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
    }
}

pub(crate) fn write(directory: &Path, summary: &SessionSummary) -> io::Result<()> {
    let new = directory.join("status.new");
    let mut file = fs::OpenOptions::new().write(true).create(true).truncate(true).mode(0o600).open(&new)?;
    file.write_all(&format(summary))?;
    fs::rename(&new, directory.join(FILE_NAME))
}

fn format(summary: &SessionSummary) -> Vec<u8> {
    let mut text =
        format!("session {}\nholder {}\nagent {}\n", summary.session, summary.holder_pid, summary.agent_pid)
            .into_bytes();
    if let Some(path) = &summary.cgroup {
        text.extend_from_slice(b"cgroup ");
        text.extend_from_slice(path.as_os_str().as_bytes());
        text.push(b'\n');
    }
    if let Some(ended) = &summary.exit {
        let reason = reason_name(ended.exit.reason);
        text.extend(
            format!("reason {reason}\noffset {}\ntyped {}\n", ended.offset, ended.inputs_written).bytes(),
        );
        text.extend(ended.exit.code.into_iter().flat_map(|code| format!("code {code}\n").into_bytes()));
        text.extend(
            ended.exit.signal.into_iter().flat_map(|signal| format!("signal {signal}\n").into_bytes()),
        );
    }
    text
}

fn parse(text: &[u8]) -> Option<SessionSummary> {
    let value = |name: &str| {
        text.split(|byte| *byte == b'\n')
            .find_map(|line| line.strip_prefix(name.as_bytes())?.strip_prefix(b" "))
    };
    let text_of = |name: &str| value(name).and_then(|value| std::str::from_utf8(value).ok());
    let exit = match text_of("reason") {
        Some(name) => Some(SessionEnd {
            exit: Exit {
                code: text_of("code").and_then(|code| code.parse().ok()),
                signal: text_of("signal").and_then(|signal| signal.parse().ok()),
                reason: EndReason::ALL.into_iter().find(|reason| reason_name(*reason) == name)?,
            },
            offset: text_of("offset")?.parse().ok()?,
            inputs_written: text_of("typed")?.parse().ok()?,
        }),
        None => None,
    };
    Some(SessionSummary {
        session: text_of("session")?.to_owned(),
        holder_pid: text_of("holder")?.parse().ok()?,
        agent_pid: text_of("agent")?.parse().ok()?,
        cgroup: value("cgroup").map(|path| PathBuf::from(std::ffi::OsStr::from_bytes(path))),
        exit,
    })
}

fn reason_name(reason: EndReason) -> &'static str {
    match reason {
        EndReason::AgentExited => "itself",
        EndReason::Request => "request",
        EndReason::TimeLimit => "time-limit",
        EndReason::HolderEnded => "holder-ended",
        EndReason::OutputLimit => "output-limit",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_summary_parses_back_to_itself() {
        let mut summary = SessionSummary {
            session: "s-1".into(),
            holder_pid: 7,
            agent_pid: 8,
            cgroup: Some("/sys/fs/cgroup/jangdan s".into()),
            exit: None,
        };
        assert_eq!(parse(&format(&summary)), Some(summary.clone()));
        let exit = Exit { code: None, signal: Some(9), reason: EndReason::TimeLimit };
        summary.exit = Some(SessionEnd { exit, offset: 1 << 40, inputs_written: 3 });
        assert_eq!(parse(&format(&summary)), Some(summary));
        assert_eq!(parse(b"session x\nholder"), None);
    }
}
