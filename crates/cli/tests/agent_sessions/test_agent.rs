//! A scripted agent in a session, started as a run would start it.

use std::{
    collections::VecDeque,
    fs,
    path::Path,
    time::{Duration, Instant},
};

use domain::{PlanTaskIds, Role, Usage};
use drivers::{
    AgentInput, DriverCheckpoint, DriverContext, DriverEvent, TurnOutcome,
    preset::{self, LaunchMode, Preset},
};
use holder::protocol::{Reply, Request};
use sessions::{Sandbox, Session, SessionEntry, SessionReport, Sessions, StartRequest, command_line};
use tempfile::TempDir;

/// Much longer than any step takes, also on a busy machine.
const TIMEOUT: Duration = Duration::from_secs(60);
/// The silence that ends a turn on a terminal; longer than it takes to read the output.
pub(crate) const QUIET_MS: u64 = 1000;

#[derive(Debug, Clone, Copy)]
pub(crate) enum ImitatedProtocol {
    Claude,
    Codex,
    Acp,
    Plain,
    Screen,
}

#[derive(Debug)]
pub(crate) struct EndedTurn {
    /// The names of its messages.
    pub messages: Vec<&'static str>,
    pub text: String,
    pub used: Usage,
    pub outcome: TurnOutcome,
}

pub(crate) struct TestAgent {
    session: Option<Session>,
    pub entry: SessionEntry,
    sessions: Sessions,
    preset: Preset,
    launch: (bool, String),
    reports: VecDeque<SessionReport>,
    agent_session: Option<String>,
    used: Usage,
    read_from: u64,
    last_input: (u32, Option<AgentInput>),
    folder: TempDir,
}

impl ImitatedProtocol {
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
        preset::resolve_preset("player", &added).unwrap()
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

impl TestAgent {
    pub(crate) fn start(protocol: ImitatedProtocol, script: &str, launch: LaunchMode<'_>) -> Self {
        let folder = TempDir::new().unwrap();
        let path = folder.path().join("script.toml");
        fs::write(&path, format!("voice = '{}'\nmemory = 'memory'\n{script}", protocol.name())).unwrap();
        Self::start_in(folder, protocol.preset(&path.to_string_lossy()), launch)
    }

    fn start_in(folder: TempDir, preset: Preset, launch: LaunchMode<'_>) -> Self {
        // Stored and loaded, as in a run.
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
            output_bytes_max: None,
            sandbox: Sandbox::off(),
            secrets: Vec::new(),
            agent: None,
        };
        let entry = sessions.start(&start).unwrap();
        let launch = match launch {
            LaunchMode::Fresh(id) => (false, id.to_owned()),
            LaunchMode::Resume(id) => (true, id.to_owned()),
        };
        let (session, reports) = open_session(&preset, &entry, &launch, None);
        Self {
            session: Some(session),
            entry,
            sessions,
            preset,
            launch,
            reports: reports.into(),
            agent_session: None,
            used: Usage::default(),
            read_from: 0,
            last_input: (0, None),
            folder,
        }
    }

    pub(crate) fn session(&mut self) -> &mut Session {
        self.session.as_mut().unwrap()
    }

    /// Starts the agent again in the same folder.
    pub(crate) fn restart(self, launch: LaunchMode<'_>) -> Self {
        Self::start_in(self.folder, self.preset, launch)
    }

    /// Opens the session again from the current checkpoint.
    pub(crate) fn reconnect(&mut self) {
        let checkpoint = DriverCheckpoint {
            is_in_turn: false,
            has_text: false,
            read_from: self.read_from,
            agent_session: self.agent_session.clone(),
            usage: self.used.clone(),
        };
        // Only one connection may send input to an agent.
        self.session = None;
        let (session, reports) = open_session(&self.preset, &self.entry, &self.launch, Some(checkpoint));
        (self.session, self.reports) = (Some(session), reports.into());
    }

    /// Opens the session again and reads it from the start.
    pub(crate) fn reopen_from_start(&mut self) {
        self.session = None;
        let (session, reports) = open_session(&self.preset, &self.entry, &self.launch, None);
        (self.session, self.reports) = (Some(session), reports.into());
    }

    /// Waits for a report that `select` accepts.
    pub(crate) fn wait_for<T>(
        &mut self,
        what: &str,
        mut select: impl FnMut(&SessionReport) -> Option<T>,
    ) -> T {
        let deadline = Instant::now() + TIMEOUT;
        let mut skipped = Vec::new();
        loop {
            while let Some(report) = self.reports.pop_front() {
                match &report {
                    SessionReport::Event(DriverEvent::Ready { agent_session: Some(id) }) => {
                        self.agent_session = Some(id.clone());
                    }
                    SessionReport::Event(DriverEvent::Usage(usage)) => add_usage(&mut self.used, usage),
                    SessionReport::Event(DriverEvent::TurnEnded { read_from, .. }) => {
                        self.read_from = *read_from
                    }
                    _ => {}
                }
                if let Some(value) = select(&report) {
                    return value;
                }
                skipped.push(report);
            }
            assert!(Instant::now() < deadline, "waited for {what}, got {skipped:?}");
            let next = self.session().next_reports(Some(deadline)).unwrap();
            self.reports.extend(next);
        }
    }

    pub(crate) fn await_ready(&mut self) {
        self.wait_for("ready", |report| {
            matches!(report, SessionReport::Event(DriverEvent::Ready { .. })).then_some(())
        });
    }

    pub(crate) fn await_written(&mut self) {
        let number = self.last_input.0;
        self.wait_for("typed", |report| (*report == SessionReport::InputWritten { number }).then_some(()));
    }

    pub(crate) fn await_permission(&mut self) -> String {
        self.wait_for("a permission prompt", |report| match report {
            SessionReport::Event(DriverEvent::Permission { request, .. }) => Some(request.prompt.clone()),
            _ => None,
        })
    }

    /// Waits for the end of a turn.
    pub(crate) fn wait_for_turn_end(&mut self) -> EndedTurn {
        let mut messages = Vec::new();
        let mut used = Usage::default();
        self.wait_for("the end of a turn", |report| {
            match report {
                SessionReport::Event(DriverEvent::Message {
                    item: protocol::DecodedItem::Message(message),
                    ..
                }) => {
                    messages.push(message.message.name());
                }
                SessionReport::Event(DriverEvent::Message {
                    item: protocol::DecodedItem::Invalid(item),
                    ..
                }) => {
                    panic!("{item:?}")
                }
                SessionReport::Event(DriverEvent::Usage(usage)) => add_usage(&mut used, usage),
                SessionReport::Event(DriverEvent::TurnEnded { text, outcome, .. }) => {
                    let (messages, used) = (std::mem::take(&mut messages), std::mem::take(&mut used));
                    return Some(EndedTurn { messages, text: text.clone(), used, outcome: outcome.clone() });
                }
                _ => {}
            }
            None
        })
    }

    pub(crate) fn prompt(&mut self, text: &str) {
        self.send(&AgentInput::Prompt { text: text.to_owned() });
    }

    pub(crate) fn send(&mut self, input: &AgentInput) {
        self.last_input = (self.last_input.0 + 1, Some(input.clone()));
        self.resend_last();
    }

    /// Interrupts the turn as soon as the agent has reported that it runs.
    pub(crate) fn interrupt(&mut self) {
        self.last_input.0 += 1;
        let deadline = Instant::now() + TIMEOUT;
        let number = self.last_input.0;
        while let Err(error) = self.session().send_input(&AgentInput::Interrupt, number) {
            assert!(Instant::now() < deadline, "{error}");
            let soon = Instant::now() + Duration::from_millis(20);
            let next = self.session().next_reports(Some(soon)).unwrap();
            self.reports.extend(next);
        }
    }

    pub(crate) fn resend_last(&mut self) {
        let (number, input) = self.last_input.clone();
        let reports = self.session().send_input(&input.unwrap(), number).unwrap();
        self.reports.extend(reports);
    }

    /// Types as an attached user does.
    pub(crate) fn type_as_user(&self, text: &str) {
        let Reply::Status(status) = self.sessions.request(&self.entry, &Request::Status, TIMEOUT).unwrap()
        else {
            panic!("not a status");
        };
        let input = Request::Input { number: status.inputs_accepted + 1, bytes: text.as_bytes().to_vec() };
        self.sessions.request(&self.entry, &input, TIMEOUT).unwrap();
    }

    pub(crate) fn send_on_side_channel(&self, text: &str) {
        let request = Request::WriteSideChannel { bytes: text.as_bytes().to_vec() };
        self.sessions.request(&self.entry, &request, TIMEOUT).unwrap();
    }

    /// Kills the holder and all processes of the session; returns the agent's own session id.
    pub(crate) fn kill(&mut self) -> String {
        let pid = holder_pid(&self.entry.directory);
        let killed = std::process::Command::new("kill").args(["-9", &pid.to_string()]).status().unwrap();
        assert!(killed.success());
        self.sessions.kill_orphans(&self.entry);
        self.agent_session.clone().unwrap_or_default()
    }

    pub(crate) fn stop(mut self) {
        self.session().stop(Duration::ZERO).unwrap();
        self.wait_for("its end", |report| matches!(report, SessionReport::Ended(_)).then_some(()));
    }
}

fn open_session(
    preset: &Preset,
    entry: &SessionEntry,
    launch: &(bool, String),
    checkpoint: Option<DriverCheckpoint>,
) -> (Session, Vec<SessionReport>) {
    let context = DriverContext {
        launch: if launch.0 { LaunchMode::Resume(&launch.1) } else { LaunchMode::Fresh(&launch.1) },
        directory: &entry.metadata.directory,
        key: &entry.metadata.key,
        role: Role::Worker,
        task_ids: PlanTaskIds::default(),
        checkpoint,
        confinement: drivers::AgentConfinement { is_sandboxed: false, must_ask: true },
    };
    Session::open(&entry.directory, drivers::set_up_driver(preset, &context)).unwrap()
}

fn holder_pid(directory: &Path) -> u32 {
    holder::status::read(directory).unwrap().unwrap().holder_pid
}

fn add_usage(sum: &mut Usage, usage: &Usage) {
    sum.input_tokens += usage.input_tokens;
    sum.output_tokens += usage.output_tokens;
    sum.cached_tokens += usage.cached_tokens;
    sum.cost_micros += usage.cost_micros;
}
