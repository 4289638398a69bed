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
use drivers::{
    Begin, Left, driver,
    preset::{Launch, Preset},
};
use holder::protocol::Request;
use serde::{Deserialize, Serialize};
use sessions::{
    Found, Hired, Living, LivingError, QueueFull, Seen, SessionError, Start, State, command_line,
};

use super::site::Site;
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
    #[error(transparent)]
    Living(#[from] LivingError),
    #[error(transparent)]
    Inputs(#[from] QueueFull),
    #[error("{action} {}", .path.display())]
    Io { action: &'static str, path: PathBuf, source: io::Error },
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

/// What is written down of a process before it is started.
#[derive(Debug, Clone, Serialize, Deserialize)]
struct Note {
    #[serde(flatten)]
    started: Started,
    /// The start of the machine that it belongs to, where that can be known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    boot: Option<String>,
}

/// How a process was started.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
enum Started {
    Fresh(String),
    Resume(String),
}

impl Started {
    /// Returns what is kept of it in the session's own folder, for those who look at sessions.
    fn hired(&self, preset: &Preset) -> Hired {
        let (Self::Fresh(session) | Self::Resume(session)) = self;
        Hired {
            name: preset.title.clone(),
            preset: preset.clone(),
            session: session.clone(),
            is_resumed: matches!(self, Self::Resume(_)),
            is_of_run: true,
        }
    }

    fn launch(&self) -> Launch<'_> {
        match self {
            Self::Fresh(id) => Launch::Fresh(id),
            Self::Resume(id) => Launch::Resume(id),
        }
    }
}

/// One process that lives, or that is read to its end.
pub(super) struct Process {
    pub(super) living: Living,
    pub(super) found: Found,
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
    ) -> Result<Option<(Self, Vec<Seen>)>, ProcessError> {
        let Some((number, found)) = last(site, seat.session)? else { return Ok(None) };
        let note = read_note(site, seat.session, number)?;
        let is_there = read_from >> RANGE_BITS == u64::from(number - 1);
        let from = if is_there { read_from & ((1 << RANGE_BITS) - 1) } else { 0 };
        Self::open(seat, found, &note, number, from).map(Some)
    }

    /// Starts the next process of a session.
    pub(super) fn start(site: &Site, seat: &Seat) -> Result<(Self, Vec<Seen>), ProcessError> {
        let (number, before) = match last(site, seat.session)? {
            Some((number, found)) => (number + 1, Some(found)),
            None => (1, None),
        };
        let resumed = seat.agent_session.clone().filter(|_| seat.preset.resumes());
        let started = match resumed {
            Some(id) => Started::Resume(id),
            None => Started::Fresh(sessions::new_session_id().map_err(|source| ProcessError::Io {
                action: "make an id for a session of",
                path: site.outfit.project.clone(),
                source,
            })?),
        };
        let note = Note { started, boot: boot_id() };
        write_note(site, seat.session, number, &note)?;
        let started = &note.started;
        let line = command_line(&seat.preset, started.launch());
        let mut environment = line.environment;
        let variables = site.variables(seat.task.as_ref(), &seat.place);
        environment.extend(variables.into_iter().map(|(name, value)| (name.into(), value.into())));
        let start = Start {
            name: Some(name(site, seat.session, number)),
            command: line.command,
            directory: seat.place.clone(),
            attachment: line.attachment,
            environment,
            memory_bytes_max: seat.preset.memory_mib.map(|mib| mib.saturating_mul(1 << 20)),
            sandbox: site.sandbox(),
            // Others may read along, and no more: what it says is for the run.
            agent: Some(started.hired(&seat.preset)),
        };
        let found = match before {
            // Whoever remembers uses the key that it was told first.
            Some(before) => site.shared.sessions.start_with(&start, before.about.key)?,
            None => site.shared.sessions.start(&start)?,
        };
        Self::open(seat, found, &note, number, 0)
    }

    fn open(
        seat: &Seat,
        found: Found,
        Note { started, boot }: &Note,
        number: u32,
        from: u64,
    ) -> Result<(Self, Vec<Seen>), ProcessError> {
        let left = Left {
            read_from: from,
            agent_session: seat.agent_session.clone(),
            is_in_turn: seat.is_in_turn,
            has_spoken: seat.has_spoken,
            used: seat.used.clone(),
        };
        let begin = Begin {
            launch: started.launch(),
            directory: &seat.place,
            key: &found.about.key,
            role: seat.role,
            has_numeric_ids: seat.has_numeric_ids,
            left: Some(left).filter(|left| left.read_from > 0),
        };
        let (living, seen) =
            Living::open(&found.directory, driver(&seat.preset, &begin), begin.aside(), from)?;
        let remembers = matches!(started, Started::Resume(_));
        let was_told = seen.iter().any(|seen| matches!(seen, Seen::Typed { .. }));
        let is_of_another_boot = boot.is_some() && *boot != boot_id();
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
        matches!(self.found.state, State::Lost | State::Starting)
    }

    /// Tells whether it is over, as far as can be seen from outside.
    pub(super) fn is_over(&self) -> bool {
        matches!(self.found.state, State::Ended { .. } | State::Lost)
    }
}

/// Waits until it is known what became of a start that a server was killed in: it takes a moment, or comes to nothing.
pub(super) fn settle(site: &Site, session: SessionId) -> Result<(), ProcessError> {
    let deadline = Instant::now() + STARTING_MAX;
    while let Some((_, Found { state: State::Starting, .. })) = last(site, session)? {
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
            State::Ended { .. } => {}
            State::Alive(_) | State::Starting => {
                // One that does not answer is ended by its marks.
                if sessions.ask(&found, &Request::End { grace }, grace * 5).is_err() {
                    sessions.bury(&found);
                }
            }
            State::Lost => {
                sessions.bury(&found);
            }
        }
    }
}

/// Ends what processes a session has, and waits until they are gone or can't be.
pub(super) fn end_for_good(site: &Site, session: SessionId, grace: Duration) {
    end_all(site, session, grace);
    let deadline = Instant::now() + grace * 5;
    let is_there = |found: &Found| matches!(found.state, State::Alive(_) | State::Starting);
    while last(site, session).is_ok_and(|last| last.is_some_and(|(_, found)| is_there(&found))) {
        if Instant::now() >= deadline {
            break;
        }
        thread::sleep(STARTING_LOOK);
    }
}

/// Returns the last process of a session, and its number.
fn last(site: &Site, session: SessionId) -> Result<Option<(u32, Found)>, SessionError> {
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

fn started_path(site: &Site, session: SessionId, number: u32) -> PathBuf {
    site.shared.folder(&site.run).join(format!("{session}-{number}.json"))
}

fn stopped_path(site: &Site, session: SessionId, number: u32) -> PathBuf {
    site.shared.folder(&site.run).join(format!("{session}-{number}-stopped"))
}

fn write_note(site: &Site, session: SessionId, number: u32, note: &Note) -> Result<(), ProcessError> {
    let path = started_path(site, session, number);
    let written = serde_json::to_vec(note).map_err(io::Error::other).and_then(|text| fs::write(&path, text));
    written.map_err(|source| ProcessError::Io { action: "write", path, source })
}

fn read_note(site: &Site, session: SessionId, number: u32) -> Result<Note, ProcessError> {
    let path = started_path(site, session, number);
    let read = fs::read(&path).and_then(|text| serde_json::from_slice(&text).map_err(io::Error::other));
    read.map_err(|source| ProcessError::Io { action: "read", path, source })
}

/// Returns what is another one after each start of the machine, where the system says it.
fn boot_id() -> Option<String> {
    fs::read_to_string("/proc/sys/kernel/random/boot_id").ok().map(|id| id.trim().to_owned())
}
