//! The processes of one session: the first, and one more each time that it comes back from the cold.
//!
//! Places in what a session says must grow from process to process, so each has a range of its own.

use std::{
    fs, io,
    path::PathBuf,
    thread,
    time::{Duration, Instant},
};

use domain::{MessageOffset, Role, SessionId, TaskId, Usage};
use drivers::{DriverCheckpoint, DriverContext, preset::Preset, set_up_driver};
use holder::protocol::Request;
use sessions::{
    AgentLaunch, Session, SessionEntry, SessionError, SessionReport, SessionState, StartRequest, boot_id,
    command_line,
};

use super::{session::COMMANDS_MAX, site::Site};
use crate::reach::process_name;

/// No process prints a tebibyte.
const RANGE_BITS: u32 = 40;
/// How long a holder may take to be there whose server was killed meanwhile. It takes a millisecond.
const STARTING_MAX: Duration = Duration::from_secs(1);
/// How often it is looked whether it is.
const STARTING_LOOK: Duration = Duration::from_millis(10);

/// Why a session's process can't be had.
#[derive(Debug, thiserror::Error)]
pub(super) enum ProcessError {
    #[error(transparent)]
    Session(#[from] SessionError),
    #[error("{action} {}", .path.display())]
    Io { action: &'static str, path: PathBuf, source: io::Error },
    #[error("more than {COMMANDS_MAX} commands waited for its thread")]
    Overflow,
    #[error("{0}")]
    Place(String),
    #[error("{0}")]
    Room(String),
}

/// What all processes of a session have in common.
pub(super) struct Seat {
    pub(super) session: SessionId,
    pub(super) preset: Preset,
    pub(super) role: Role,
    pub(super) task: Option<TaskId>,
    pub(super) place: PathBuf,
    pub(super) has_numeric_ids: bool,
    /// The agent's own session id, as far as it is known.
    pub(super) agent_session: Option<String>,
    /// Whether it was told something and has not ended its turn.
    pub(super) is_in_turn: bool,
    /// Whether it has said something in this turn.
    pub(super) has_spoken: bool,
    /// What the session has used so far.
    pub(super) used: Usage,
}

/// One process that lives, or that is read to its end.
pub(super) struct Process {
    pub(super) living: Session,
    pub(super) found: SessionEntry,
    /// Whether it remembers what earlier ones knew.
    pub(super) remembers: bool,
    /// Whether it was told anything.
    pub(super) was_told: bool,
    /// Whether the machine was started anew since.
    pub(super) is_of_another_boot: bool,
    number: u32,
}

impl Process {
    /// Takes up the last process of a session, from a place of the session's on; nothing where there never was one.
    pub(super) fn find(
        site: &Site,
        seat: &Seat,
        read_from: u64,
    ) -> Result<Option<(Self, Vec<SessionReport>)>, ProcessError> {
        let Some((number, found)) = last(site, seat.session)? else { return Ok(None) };
        let is_there = read_from >> RANGE_BITS == u64::from(number - 1);
        let from = if is_there { read_from & ((1 << RANGE_BITS) - 1) } else { 0 };
        Self::open(site, seat, found, number, from).map(Some)
    }

    /// Starts the next process of a session.
    pub(super) fn start(site: &Site, seat: &Seat) -> Result<(Self, Vec<SessionReport>), ProcessError> {
        let (number, before) = match last(site, seat.session)? {
            Some((number, found)) => (number + 1, Some(found)),
            None => (1, None),
        };
        let resumed = seat.agent_session.clone().filter(|_| seat.preset.can_resume());
        let agent = AgentLaunch {
            name: seat.preset.title.clone(),
            preset: seat.preset.clone(),
            is_resumed: resumed.is_some(),
            session: match resumed {
                Some(id) => id,
                None => sessions::new_session_id().map_err(|source| ProcessError::Io {
                    action: "make an id for a session of",
                    path: site.outfit.project.clone(),
                    source,
                })?,
            },
            is_owned_by_run: true,
        };
        let line = command_line(&seat.preset, agent.launch());
        let mut environment = line.environment;
        let variables = site.variables(seat.task.as_ref(), &seat.place);
        environment.extend(variables.into_iter().map(|(name, value)| (name.into(), value.into())));
        let start = StartRequest {
            name: Some(name(site, seat.session, number)),
            command: line.command,
            directory: seat.place.clone(),
            attachment: line.attachment,
            environment,
            memory_bytes_max: seat.preset.memory_mib.map(|mib| mib.saturating_mul(1 << 20)),
            sandbox: site.sandbox(),
            agent: Some(agent),
        };
        let found = match before {
            // Whoever remembers uses the key that it was told first.
            Some(before) => site.shared.sessions.start_with_key(&start, before.metadata.key)?,
            None => site.shared.sessions.start(&start)?,
        };
        Self::open(site, seat, found, number, 0)
    }

    fn open(
        site: &Site,
        seat: &Seat,
        found: SessionEntry,
        number: u32,
        from: u64,
    ) -> Result<(Self, Vec<SessionReport>), ProcessError> {
        let checkpoint = DriverCheckpoint {
            read_from: from,
            agent_session: seat.agent_session.clone(),
            is_in_turn: seat.is_in_turn,
            has_text: seat.has_spoken,
            usage: seat.used.clone(),
        };
        let Some(agent) = found.metadata.agent.as_deref() else {
            return Err(ProcessError::Place(format!("session '{}' has no agent", found.name)));
        };
        let begin = DriverContext {
            launch: agent.launch(),
            directory: &seat.place,
            key: &found.metadata.key,
            role: seat.role,
            has_numeric_ids: seat.has_numeric_ids,
            checkpoint: Some(checkpoint).filter(|checkpoint| checkpoint.read_from > 0),
        };
        let (living, seen) = Session::open(&found.directory, set_up_driver(&seat.preset, &begin))?;
        let remembers = agent.is_resumed;
        let was_told = seen.iter().any(|seen| matches!(seen, SessionReport::InputWritten { .. }));
        let boot = found.metadata.boot.clone().or_else(|| noted_boot(site, seat.session, number));
        let is_of_another_boot = boot.is_some() && boot != boot_id();
        Ok((Self { living, found, remembers, was_told, is_of_another_boot, number }, seen))
    }

    /// Returns a place of this process as one of the session's.
    pub(super) fn place(&self, offset: u64) -> u64 {
        (u64::from(self.number - 1) << RANGE_BITS) | offset
    }

    /// Returns where something stands among all that the session said.
    pub(super) fn heard(&self, heard: MessageOffset) -> MessageOffset {
        MessageOffset { start: self.place(heard.start), ordinal: heard.ordinal }
    }

    /// Writes down that it ends together with the server.
    pub(super) fn note_stopped(&self, site: &Site, session: SessionId) {
        // Where it can't be, its end counts as a failure.
        let _ = fs::write(stopped_path(site, session, self.number), "");
    }

    /// Tells whether it was ended together with a server.
    pub(super) fn was_stopped(&self, site: &Site, session: SessionId) -> bool {
        stopped_path(site, session, self.number).exists()
    }

    /// Tells whether nobody ever led it: its holder is gone, or was never there.
    pub(super) fn has_not_begun(&self) -> bool {
        matches!(self.found.state, SessionState::Lost | SessionState::Starting)
    }

    /// Tells whether it is over, as far as can be seen from outside.
    pub(super) fn is_over(&self) -> bool {
        matches!(self.found.state, SessionState::Ended { .. } | SessionState::Lost)
    }
}

/// Waits until it is known what became of a start that a server was killed in: it takes a moment, or comes to nothing.
pub(super) fn settle(site: &Site, session: SessionId) -> Result<(), ProcessError> {
    let deadline = Instant::now() + STARTING_MAX;
    while let Some((_, SessionEntry { state: SessionState::Starting, .. })) = last(site, session)? {
        if Instant::now() >= deadline {
            break;
        }
        thread::sleep(STARTING_LOOK);
    }
    Ok(())
}

/// Ends whatever processes a session has that nobody can lead any more.
pub(super) fn end_all(site: &Site, session: SessionId, grace: Duration) {
    let sessions = &site.shared.sessions;
    for number in 1.. {
        let Ok(Some(found)) = site.shared.sessions.find_exactly(&name(site, session, number)) else { return };
        match found.state {
            SessionState::Ended { .. } => {}
            SessionState::Alive(_) | SessionState::Starting => {
                // One that does not answer is ended by its marks.
                if sessions.request(&found, &Request::End { grace }, grace * 5).is_err() {
                    sessions.kill_orphans(&found);
                }
            }
            SessionState::Lost => {
                sessions.kill_orphans(&found);
            }
        }
    }
}

/// Ends what processes a session has, and waits until they are gone or can't be.
pub(super) fn end_for_good(site: &Site, session: SessionId, grace: Duration) {
    end_all(site, session, grace);
    let deadline = Instant::now() + grace * 5;
    let is_there =
        |found: &SessionEntry| matches!(found.state, SessionState::Alive(_) | SessionState::Starting);
    while last(site, session).is_ok_and(|last| last.is_some_and(|(_, found)| is_there(&found))) {
        if Instant::now() >= deadline {
            break;
        }
        thread::sleep(STARTING_LOOK);
    }
}

/// Returns the last process of a session, and its number.
fn last(site: &Site, session: SessionId) -> Result<Option<(u32, SessionEntry)>, SessionError> {
    let mut last = None;
    for number in 1.. {
        match site.shared.sessions.find_exactly(&name(site, session, number))? {
            Some(found) => last = Some((number, found)),
            None => break,
        }
    }
    Ok(last)
}

fn name(site: &Site, session: SessionId, number: u32) -> String {
    process_name(&site.run, session, number)
}

fn stopped_path(site: &Site, session: SessionId, number: u32) -> PathBuf {
    site.shared.folder(&site.run).join(format!("{session}-{number}-stopped"))
}

/// Returns the boot that the previous version of Jangdan noted beside the run when it started a process.
fn noted_boot(site: &Site, session: SessionId, number: u32) -> Option<String> {
    let text = fs::read(site.shared.folder(&site.run).join(format!("{session}-{number}.json"))).ok()?;
    let note: serde_json::Value = serde_json::from_slice(&text).ok()?;
    note.get("boot")?.as_str().map(str::to_owned)
}
