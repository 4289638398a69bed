//! An agent that plays a script, hired as a run would hire it.

use std::{
    collections::VecDeque,
    fs,
    path::Path,
    time::{Duration, Instant},
};

use domain::{Role, Usage};
use drivers::{
    AgentInput, DriverCheckpoint, DriverContext, DriverEvent, TurnOutcome,
    preset::{self, LaunchMode, Preset},
};
use holder::protocol::{Reply, Request};
use sessions::{
    Sandbox, SandboxPolicy, Session, SessionEntry, SessionReport, Sessions, StartRequest, command_line,
};
use tempfile::TempDir;

/// Far more than anything takes; a machine can be very busy.
const PATIENCE: Duration = Duration::from_secs(60);
/// How long a silence ends a turn on a terminal. Longer than it takes to read what was written.
pub const QUIET_MS: u64 = 1000;

#[derive(Debug, Clone, Copy)]
pub enum Voice {
    Claude,
    Codex,
    Acp,
    Plain,
    Screen,
}

/// A turn that is over.
#[derive(Debug)]
pub struct Turn {
    /// The names of the messages in it.
    pub said: Vec<&'static str>,
    pub words: String,
    pub used: Usage,
    pub outcome: TurnOutcome,
}

pub struct Hired {
    living: Option<Session>,
    pub found: SessionEntry,
    sessions: Sessions,
    preset: Preset,
    launch: (bool, String),
    seen: VecDeque<SessionReport>,
    agent_session: Option<String>,
    used: Usage,
    read_from: u64,
    last_told: (u32, Option<AgentInput>),
    folder: TempDir,
}

impl Voice {
    fn preset(self, script: &str) -> Preset {
        let jangdan = env!("CARGO_BIN_EXE_jangdan");
        let table = match self {
            Self::Claude => {
                "extends = 'claude'\narguments = ['play', 'SCRIPT', '--permission-prompt-tool', 'stdio', '--include-partial-messages']"
            }
            Self::Codex => "extends = 'codex'\narguments = ['play', 'SCRIPT']",
            Self::Acp => "driver = 'acp'\narguments = ['play', 'SCRIPT']",
            Self::Plain => "driver = 'pty'\nmode = 'lines'\narguments = ['play', 'SCRIPT']\nquiet_ms = QUIET",
            Self::Screen => {
                "driver = 'pty'\nmode = 'screen'\narguments = ['play', 'SCRIPT']\nquiet_ms = QUIET\n\
                 typing = { paste = true, submit = \"\\r\", submit_after_ms = 200, verify = true, interrupt = \"\\u001b\" }"
            }
        };
        let table = table.replace("SCRIPT", script).replace("QUIET", &QUIET_MS.to_string());
        let added = format!("[player]\ncommand = '{jangdan}'\n{table}").parse().unwrap();
        preset::pick("player", &added).unwrap()
    }

    fn name(self) -> &'static str {
        match self {
            Self::Claude => "claude",
            Self::Codex => "codex",
            Self::Acp => "acp",
            Self::Plain => "plain",
            Self::Screen => "screen",
        }
    }
}

impl Hired {
    pub fn start(voice: Voice, script: &str, launch: LaunchMode<'_>) -> Self {
        let folder = TempDir::new().unwrap();
        let path = folder.path().join("script.toml");
        fs::write(&path, format!("voice = '{}'\nmemory = 'memory'\n{script}", voice.name())).unwrap();
        Self::start_in(folder, voice.preset(&path.to_string_lossy()), launch)
    }

    fn start_in(folder: TempDir, preset: Preset, launch: LaunchMode<'_>) -> Self {
        // Kept and read again, as a run does it.
        let preset: Preset = serde_json::from_str(&serde_json::to_string(&preset).unwrap()).unwrap();
        let sessions = Sessions::open(&folder.path().join("data")).unwrap();
        let line = command_line(&preset, launch);
        let start = StartRequest {
            name: None,
            command: line.command,
            directory: folder.path().to_owned(),
            attachment: line.attachment,
            environment: line.environment,
            memory_bytes_max: None,
            sandbox: Sandbox { policy: SandboxPolicy::Off, write: Vec::new() },
            agent: None,
        };
        let found = sessions.start(&start).unwrap();
        let launch = match launch {
            LaunchMode::Fresh(id) => (false, id.to_owned()),
            LaunchMode::Resume(id) => (true, id.to_owned()),
        };
        let (living, seen) = open(&preset, &found, &launch, None);
        Self {
            living: Some(living),
            found,
            sessions,
            preset,
            launch,
            seen: seen.into(),
            agent_session: None,
            used: Usage::default(),
            read_from: 0,
            last_told: (0, None),
            folder,
        }
    }

    pub fn living(&mut self) -> &mut Session {
        self.living.as_mut().unwrap()
    }

    /// Starts the agent again, in the same folder.
    pub fn again(self, launch: LaunchMode<'_>) -> Self {
        Self::start_in(self.folder, self.preset, launch)
    }

    /// A new one takes the session over from where this one stands.
    pub fn take_over(&mut self) {
        let checkpoint = DriverCheckpoint {
            is_in_turn: false,
            has_text: false,
            read_from: self.read_from,
            agent_session: self.agent_session.clone(),
            usage: self.used.clone(),
        };
        // Only one can speak with an agent.
        self.living = None;
        let (living, seen) = open(&self.preset, &self.found, &self.launch, Some(checkpoint));
        (self.living, self.seen) = (Some(living), seen.into());
    }

    /// A new one reads everything again.
    pub fn read_again(&mut self) {
        self.living = None;
        let (living, seen) = open(&self.preset, &self.found, &self.launch, None);
        (self.living, self.seen) = (Some(living), seen.into());
    }

    /// Looks until something is seen.
    pub fn until<T>(&mut self, what: &str, mut is_it: impl FnMut(&SessionReport) -> Option<T>) -> T {
        let deadline = Instant::now() + PATIENCE;
        let mut passed = Vec::new();
        loop {
            while let Some(seen) = self.seen.pop_front() {
                match &seen {
                    SessionReport::Event(DriverEvent::Ready { agent_session: Some(id) }) => {
                        self.agent_session = Some(id.clone());
                    }
                    SessionReport::Event(DriverEvent::Usage(usage)) => add(&mut self.used, usage),
                    SessionReport::Event(DriverEvent::TurnEnded { read_from, .. }) => {
                        self.read_from = *read_from
                    }
                    _ => {}
                }
                if let Some(it) = is_it(&seen) {
                    return it;
                }
                passed.push(seen);
            }
            assert!(Instant::now() < deadline, "waited for {what}, saw {passed:?}");
            let next = self.living().next(Some(deadline)).unwrap();
            self.seen.extend(next);
        }
    }

    pub fn await_ready(&mut self) {
        self.until("ready", |seen| {
            matches!(seen, SessionReport::Event(DriverEvent::Ready { .. })).then_some(())
        });
    }

    pub fn await_typed(&mut self) {
        let number = self.last_told.0;
        self.until("typed", |seen| (*seen == SessionReport::InputWritten { number }).then_some(()));
    }

    pub fn await_permission(&mut self) -> String {
        self.until("a permission prompt", |seen| match seen {
            SessionReport::Event(DriverEvent::Permission { request, .. }) => Some(request.prompt.clone()),
            _ => None,
        })
    }

    /// Looks until a turn is over.
    pub fn turn(&mut self) -> Turn {
        let mut said = Vec::new();
        let mut used = Usage::default();
        self.until("the end of a turn", |seen| {
            match seen {
                SessionReport::Event(DriverEvent::Message {
                    item: protocol::DecodedItem::Message(message),
                    ..
                }) => {
                    said.push(message.message.name());
                }
                SessionReport::Event(DriverEvent::Message {
                    item: protocol::DecodedItem::Invalid(item),
                    ..
                }) => {
                    panic!("{item:?}")
                }
                SessionReport::Event(DriverEvent::Usage(usage)) => add(&mut used, usage),
                SessionReport::Event(DriverEvent::TurnEnded { text, outcome, .. }) => {
                    let (said, used) = (std::mem::take(&mut said), std::mem::take(&mut used));
                    return Some(Turn { said, words: text.clone(), used, outcome: outcome.clone() });
                }
                _ => {}
            }
            None
        })
    }

    pub fn prompt(&mut self, text: &str) {
        self.tell(&AgentInput::Prompt { text: text.to_owned() });
    }

    pub fn tell(&mut self, told: &AgentInput) {
        self.last_told = (self.last_told.0 + 1, Some(told.clone()));
        self.repeat_last();
    }

    /// Stops the turn, as soon as it is known to run.
    pub fn interrupt(&mut self) {
        self.last_told.0 += 1;
        let deadline = Instant::now() + PATIENCE;
        let number = self.last_told.0;
        while let Err(error) = self.living().send_input(&AgentInput::Interrupt, number) {
            assert!(Instant::now() < deadline, "{error}");
            let soon = Instant::now() + Duration::from_millis(20);
            let next = self.living().next(Some(soon)).unwrap();
            self.seen.extend(next);
        }
    }

    pub fn repeat_last(&mut self) {
        let (number, told) = self.last_told.clone();
        let seen = self.living().send_input(&told.unwrap(), number).unwrap();
        self.seen.extend(seen);
    }

    /// Types as one does who attaches.
    pub fn type_by_hand(&self, text: &str) {
        let Reply::Status(status) = self.sessions.request(&self.found, &Request::Status, PATIENCE).unwrap()
        else {
            panic!("a status was asked for");
        };
        let input = Request::Input { number: status.inputs_accepted + 1, bytes: text.as_bytes().to_vec() };
        self.sessions.request(&self.found, &input, PATIENCE).unwrap();
    }

    pub fn say_aside(&self, text: &str) {
        let request = Request::WriteSideChannel { bytes: text.as_bytes().to_vec() };
        self.sessions.request(&self.found, &request, PATIENCE).unwrap();
    }

    /// Kills the holder, with all that the session is, and returns the agent's own id of the session.
    pub fn kill(&mut self) -> String {
        let pid = holder_pid(&self.found.directory);
        let killed = std::process::Command::new("kill").args(["-9", &pid.to_string()]).status().unwrap();
        assert!(killed.success());
        self.sessions.kill_orphans(&self.found);
        self.agent_session.clone().unwrap_or_default()
    }

    pub fn stop(mut self) {
        self.living().stop(Duration::ZERO).unwrap();
        self.until("its end", |seen| matches!(seen, SessionReport::Ended(_)).then_some(()));
    }
}

fn open(
    preset: &Preset,
    found: &SessionEntry,
    launch: &(bool, String),
    checkpoint: Option<DriverCheckpoint>,
) -> (Session, Vec<SessionReport>) {
    let begin = DriverContext {
        launch: if launch.0 { LaunchMode::Resume(&launch.1) } else { LaunchMode::Fresh(&launch.1) },
        directory: &found.metadata.directory,
        key: &found.metadata.key,
        role: Role::Worker,
        has_numeric_ids: false,
        checkpoint,
    };
    Session::open(&found.directory, drivers::set_up_driver(preset, &begin)).unwrap()
}

fn holder_pid(directory: &Path) -> u32 {
    holder::status::read(directory).unwrap().unwrap().holder_pid
}

fn add(sum: &mut Usage, usage: &Usage) {
    sum.input_tokens += usage.input_tokens;
    sum.output_tokens += usage.output_tokens;
    sum.cached_tokens += usage.cached_tokens;
    sum.cost_micros += usage.cost_micros;
}
