//! A session for tests: starts a holder in a temporary folder, and ends everything on drop.

use std::{
    fs,
    path::{Path, PathBuf},
    sync::atomic::{AtomicU32, Ordering},
    time::{Duration, Instant},
};

use holder::{
    HolderConnection, LaunchedSession, TOKEN_NAME, kill_orphans,
    mask::Secret,
    protocol::{
        LaunchSpec, Reply, Request, ResourceLimits, SessionPhase, SessionStatus, StartedAgent, StderrMode,
        StdioAttachment, WindowSize,
    },
    spool::{Exit, Record, RecordBody, RecordReader},
};
use tempfile::TempDir;

/// Upper bound for every wait; allows for a busy machine.
pub(crate) const PATIENCE: Duration = Duration::from_secs(20);

static COUNTER: AtomicU32 = AtomicU32::new(0);

pub(crate) struct TestSession {
    _folder: TempDir,
    pub directory: PathBuf,
    pub session: String,
    pub launched: LaunchedSession,
    pub started: StartedAgent,
}

/// A terminal of common size.
pub(crate) fn terminal_attachment() -> StdioAttachment {
    StdioAttachment::Terminal(WindowSize { columns: 80, rows: 24 })
}

pub(crate) fn pipe_attachment() -> StdioAttachment {
    StdioAttachment::Pipes { stderr: StderrMode::Apart }
}

/// Returns a launch that runs a shell script.
pub(crate) fn script_launch(text: &str, attachment: StdioAttachment) -> LaunchSpec {
    let counted = COUNTER.fetch_add(1, Ordering::Relaxed);
    LaunchSpec {
        session: format!("test-{}-{counted}", std::process::id()),
        command: "sh".into(),
        arguments: vec!["-c".into(), text.into()],
        environment: vec![("PATH".into(), std::env::var_os("PATH").unwrap_or_default())],
        directory: "/".into(),
        attachment,
        limits: ResourceLimits {
            memory_bytes_max: None,
            time_max: None,
            end_grace: Duration::from_millis(500),
            oom_score: 300,
            output_bytes_max: None,
        },
        cgroup_parent: None,
        leftover_grace: Duration::from_millis(200),
        secrets: Vec::new(),
        temporary: None,
    }
}

pub(crate) fn holder_program() -> &'static Path {
    Path::new(env!("CARGO_BIN_EXE_jangdan-holder"))
}

impl TestSession {
    pub(crate) fn start(launch: &LaunchSpec) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let directory = folder.path().join("session");
        Self::start_in(folder, directory, launch)
    }

    pub(crate) fn start_in(folder: TempDir, directory: PathBuf, launch: &LaunchSpec) -> Self {
        let mut launched = holder::launch_session(holder_program(), &directory, launch).unwrap();
        let started = launched.wait_until_started().unwrap();
        Self { _folder: folder, directory, session: launch.session.clone(), launched, started }
    }

    pub(crate) fn start_script(text: &str) -> Self {
        Self::start(&script_launch(text, terminal_attachment()))
    }

    pub(crate) fn request(&mut self, request: &Request) -> Reply {
        self.launched.connection.request(request, PATIENCE).unwrap()
    }

    pub(crate) fn connect(&self) -> HolderConnection {
        HolderConnection::connect(&self.directory).unwrap()
    }

    /// Returns the token that socket clients must present.
    pub(crate) fn token(&self) -> Secret {
        Secret::new(fs::read(self.directory.join(TOKEN_NAME)).unwrap())
    }

    /// Returns an encoded hello.
    pub(crate) fn encoded_hello(&self) -> Vec<u8> {
        Request::Hello { version_min: 2, version_max: 2, token: Some(self.token()) }.encode(1).to_vec()
    }

    pub(crate) fn status(&mut self) -> SessionStatus {
        match self.request(&Request::Status) {
            Reply::Status(status) => status,
            other => panic!("{other:?}"),
        }
    }

    pub(crate) fn status_phase(&mut self) -> SessionPhase {
        self.status().phase
    }

    pub(crate) fn agent_pid(&self) -> i32 {
        self.started.agent_pid.cast_signed()
    }

    /// Sends an input and waits until it is written.
    pub(crate) fn send_input(&mut self, number: u64, text: &str) {
        let input = Request::Input { number, bytes: text.into() };
        assert_eq!(self.request(&input), Reply::InputWritten { number });
    }

    pub(crate) fn records(&self) -> Vec<Record> {
        records(&self.directory)
    }

    /// Returns all output of the agent.
    pub(crate) fn output(&self) -> Vec<u8> {
        output(&self.records())
    }

    pub(crate) fn output_text(&self) -> String {
        String::from_utf8_lossy(&self.output()).into_owned()
    }

    /// Waits until the agent has written a text.
    pub(crate) fn wait_text(&self, expected: &str) -> String {
        wait_for(&format!("the agent writes {expected:?}"), || {
            let text = self.output_text();
            text.contains(expected).then_some(text)
        })
    }

    /// Waits until the holder has exited, and returns how the agent ended.
    pub(crate) fn wait_end(&mut self) -> Exit {
        wait_for("the holder ends", || self.launched.holder.try_wait().unwrap());
        match self.records().pop().map(|record| record.body) {
            Some(RecordBody::Exit(exit)) => exit,
            other => panic!("the last record is {other:?}"),
        }
    }
}

impl Drop for TestSession {
    fn drop(&mut self) {
        let _ = self.launched.holder.kill();
        let _ = self.launched.holder.wait();
        kill_orphans(&self.directory, &self.session, Duration::from_secs(5));
    }
}

pub(crate) fn records(directory: &Path) -> Vec<Record> {
    let mut reader = RecordReader::open(directory, 0).unwrap();
    std::iter::from_fn(|| reader.next_record().unwrap()).collect()
}

pub(crate) fn output(records: &[Record]) -> Vec<u8> {
    let bytes = |record: &Record| match &record.body {
        RecordBody::Output { bytes, .. } => bytes.clone(),
        _ => Vec::new(),
    };
    records.iter().flat_map(bytes).collect()
}

/// Waits until `look` returns a value.
pub(crate) fn wait_for<T>(what: &str, mut look: impl FnMut() -> Option<T>) -> T {
    let deadline = Instant::now() + PATIENCE;
    loop {
        if let Some(found) = look() {
            return found;
        }
        assert!(Instant::now() < deadline, "timed out: {what}");
        std::thread::sleep(Duration::from_millis(1));
    }
}

/// Returns the state of a process from `/proc`; `None` if it does not exist or is a zombie.
pub(crate) fn process_state(pid: i32) -> Option<char> {
    let text = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    let (_, behind) = text.rsplit_once(')')?;
    behind.trim_start().chars().next().filter(|state| *state != 'Z' && *state != 'X')
}

/// Returns the number that a script printed as `name=123`.
pub(crate) fn printed_pid(text: &str, name: &str) -> i32 {
    let (_, behind) = text.split_once(&format!("{name}=")).unwrap_or_else(|| panic!("no {name} in {text:?}"));
    behind.chars().take_while(char::is_ascii_digit).collect::<String>().parse().unwrap()
}

/// Returns the number of repetitions: `HOLDER_ROUNDS` for a long run, otherwise a few.
pub(crate) fn repetition_count(few: usize) -> usize {
    std::env::var("HOLDER_ROUNDS").ok().and_then(|rounds| rounds.parse().ok()).unwrap_or(few)
}

/// Returns the numbers of voluntary and involuntary context switches of a process.
pub(crate) fn context_switches(pid: u32) -> Vec<u64> {
    let text = std::fs::read_to_string(format!("/proc/{pid}/status")).unwrap();
    let lines = text.lines().filter(|line| line.contains("ctxt_switches"));
    lines.map(|line| line.split_whitespace().nth(1).unwrap().parse().unwrap()).collect()
}

impl TestSession {
    /// Waits until the holder is idle, and returns its context switches so far.
    pub(crate) fn wait_until_idle(&mut self) -> Vec<u64> {
        let holder = self.launched.holder.id();
        wait_for("the holder sleeps", || {
            let before = context_switches(holder);
            let deadline = Instant::now() + Duration::from_millis(150);
            assert_eq!(self.launched.connection.receive(deadline).unwrap(), None);
            (context_switches(holder) == before).then_some(before)
        })
    }
}
