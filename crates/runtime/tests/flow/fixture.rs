//! Test fixture: a repository, a data directory, and a host whose agents are shell scripts.

use std::{
    collections::BTreeMap,
    fs,
    num::NonZeroU32,
    path::{Path, PathBuf},
    process::Command as Program,
    time::Duration,
};

use domain::{
    AgentProtocol, Event, GateApproval, PermissionScope, PlannedPhase, PlannedTask, PlannedWork, QuestionId,
    Role, RunId, RunOutcome, RunSettings, Sequence, TaskId, TeamMember, UserCommand,
};
use runtime::{
    Host, HostEvent, Isolation, LandStrategy, NewRun, Ports, RunEnvironment, SandboxMode, ShutdownMode,
};
use tempfile::TempDir;
use views::{QuestionRow, QuestionState, Rows, RunState, TaskState, Views};

/// Time without an event after which a test fails.
const TIMEOUT: Duration = Duration::from_secs(20);

/// Silence that ends a turn of an agent. A script does not pause during a turn.
const QUIET_MS: u32 = 400;

pub(crate) struct RunFixture {
    pub host: Host,
    folder: TempDir,
    presets: toml::Table,
    team: Vec<TeamMember>,
}

/// An agent whose program is a shell script.
pub(crate) struct Agent<'a> {
    pub name: &'a str,
    pub role: Role,
    pub script: &'a str,
    /// Further lines of its preset, such as `form = 'text'`.
    pub preset: &'a str,
}

/// Makes an agent whose inputs are JSON.
pub(crate) fn agent<'a>(name: &'a str, role: Role, script: &'a str) -> Agent<'a> {
    Agent { name, role, script, preset: "" }
}

/// Returns settings without approvals by the user.
pub(crate) fn settings() -> RunSettings {
    RunSettings {
        slots: NonZeroU32::new(4).unwrap(),
        gate_approval: GateApproval::Automatic,
        ..RunSettings::default()
    }
}

/// Makes a plan of one phase. `T3:T1,T2` is task T3, which depends on T1 and T2.
pub(crate) fn plan(tasks: &[&str]) -> PlannedWork {
    let task = |text: &&str| {
        let (id, after) = text.split_once(':').unwrap_or((text, ""));
        let mut task = PlannedTask::new(id.parse().unwrap(), 1, format!("Do {id}"));
        let after = after.split(',').filter(|id| !id.is_empty());
        task.depends_on = after.map(|id| id.parse().unwrap()).collect::<Vec<TaskId>>();
        task
    };
    let phase = PlannedPhase {
        number: 1,
        name: "All".to_owned(),
        after: Vec::new(),
        verify: None,
        artefacts: Vec::new(),
        budgets: Vec::new(),
    };
    PlannedWork { title: "A plan".to_owned(), phases: vec![phase], tasks: tasks.iter().map(task).collect() }
}

impl RunFixture {
    pub(crate) fn new(script: &str) -> Self {
        Self::with_team(&[agent("worker", Role::Worker, script)])
    }

    pub(crate) fn with_team(agents: &[Agent<'_>]) -> Self {
        let mut fixture = Self::without_team();
        for Agent { name, role, script, preset } in agents {
            // In the script, not in the environment of a run, whose values end with the host.
            let barrier = format!("BARRIER='{}'\n", fixture.barrier_file("").display());
            let path = fixture.write_file(&format!("{name}.sh"), &(barrier + script));
            let quiet = if preset.contains("quiet_ms") { "" } else { &format!("quiet_ms = {QUIET_MS}") };
            let preset = format!("extends = 'shell'\narguments = ['{}']\n{quiet}\n{preset}", path.display());
            fixture.add_agent(name, *role, &preset);
        }
        fixture
    }

    pub(crate) fn without_team() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let project = folder.path().join("project");
        fs::create_dir_all(&project).unwrap();
        fs::create_dir_all(folder.path().join("barrier")).unwrap();
        fs::write(project.join("README.md"), "A project\n").unwrap();
        let host = Host::open(&folder.path().join("data")).unwrap();
        let fixture = Self { host, folder, presets: toml::Table::new(), team: Vec::new() };
        fixture.git(&["init", "--quiet", "--initial-branch=main"]);
        fixture.git(&["add", "."]);
        fixture.git(&["-c", "user.name=a", "-c", "user.email=a@b", "commit", "--quiet", "-m", "begin"]);
        fixture
    }

    /// Adds an agent with the lines of its preset to the team.
    pub(crate) fn add_agent(&mut self, name: &str, role: Role, preset: &str) {
        self.presets.extend(format!("[{name}]\n{preset}").parse::<toml::Table>().unwrap());
        let protocol = match preset.contains("protocol = 'none'") {
            true => AgentProtocol::None,
            false => AgentProtocol::Text,
        };
        self.team.push(TeamMember {
            name: name.parse().unwrap(),
            role,
            slots: None,
            is_turn_end_guessed: false,
            protocol,
        });
    }

    /// Writes a file next to the project's folder.
    pub(crate) fn write_file(&self, name: &str, text: &str) -> PathBuf {
        let path = self.folder.path().join(name);
        fs::write(&path, text).unwrap();
        path
    }

    pub(crate) fn start(&self, work: PlannedWork) -> RunId {
        self.start_with(work, settings())
    }

    pub(crate) fn start_with(&self, work: PlannedWork, settings: RunSettings) -> RunId {
        self.start_with_environment(work, settings, self.environment())
    }

    pub(crate) fn start_with_environment(
        &self,
        work: PlannedWork,
        settings: RunSettings,
        environment: RunEnvironment,
    ) -> RunId {
        let (project, person) = ("project".to_owned(), "ana".to_owned());
        let new =
            NewRun { project, work, settings, team: self.team.clone(), environment, person, origin: None };
        self.host.start_run(new).unwrap()
    }

    /// Returns the default environment of a run.
    pub(crate) fn environment(&self) -> RunEnvironment {
        RunEnvironment {
            project: self.project_folder(),
            isolation: Isolation::Worktrees {
                base: self.git(&["rev-parse", "HEAD"]).trim().to_owned(),
                target: Some("main".to_owned()),
            },
            agents: BTreeMap::new(),
            presets: self.presets.clone(),
            setup: Vec::new(),
            setup_timeout_ms: 60_000,
            copy: vec![".env".into()],
            caches: vec!["__pycache__".to_owned()],
            max_file_bytes: Some(10 << 20),
            submodules: true,
            prices: BTreeMap::new(),
            disk_budget_bytes: None,
            ports: Ports::default(),
            sandbox: SandboxMode::Off,
            sandbox_write: Vec::new(),
            private_caches: false,
            unconfined_checks: false,
            check_reports: Vec::new(),
            commit: runtime::CommitStyle::default(),
            must_ask: false,
            land_strategy: LandStrategy::Merge,
            refs_after_ms: None,
            refs_budget_bytes: None,
            template: None,
            plan: None,
            plan_options: runtime::PlanOptions::default(),
        }
    }

    /// Stops the host without ending the sessions, and opens another one.
    pub(crate) fn restart(&mut self) {
        self.restart_with(ShutdownMode::KeepSessions);
    }

    pub(crate) fn restart_with(&mut self, mode: ShutdownMode) {
        self.host.stop(mode);
        let data = self.data_directory();
        // The lock of the store is released when the old host is dropped.
        let spare = tempfile::tempdir().unwrap();
        self.host = Host::open(spare.path()).unwrap();
        self.host = Host::open(&data).unwrap();
    }

    pub(crate) fn data_directory(&self) -> PathBuf {
        self.folder.path().join("data")
    }

    pub(crate) fn project_folder(&self) -> PathBuf {
        self.folder.path().join("project")
    }

    /// Returns the path of a file that a script and the test share.
    pub(crate) fn barrier_file(&self, name: &str) -> PathBuf {
        self.folder.path().join("barrier").join(name)
    }

    /// Creates a file that scripts wait for.
    pub(crate) fn release_barrier(&self, name: &str) {
        fs::write(self.barrier_file(name), "").unwrap();
    }

    /// Returns the text that a script wrote into a shared file; empty if there is none.
    pub(crate) fn script_output(&self, name: &str) -> String {
        fs::read_to_string(self.barrier_file(name)).unwrap_or_default()
    }

    /// Executes a command that must succeed.
    pub(crate) fn execute(&self, run: &RunId, command: UserCommand) {
        self.host.execute_command(run, "ana", command).unwrap();
    }

    /// Executes a command that must be rejected, and returns the message.
    pub(crate) fn execute_rejected(&self, run: &RunId, command: UserCommand) -> String {
        self.host.execute_command(run, "ana", command).unwrap_err().to_string()
    }

    pub(crate) fn answer(&self, run: &RunId, question: QuestionId, answer: &str) {
        self.execute(run, answer_to(question, answer));
    }

    /// Returns all recorded events.
    pub(crate) fn events(&self, run: &RunId) -> Vec<Event> {
        let entries = self.host.log().read(run, Sequence(0), 100_000).unwrap();
        entries.iter().map(|entry| entry.to_recorded_event().unwrap().event).collect()
    }

    /// Waits until a task has a state.
    pub(crate) fn wait_for_task(&self, run: &RunId, task: &str, state: TaskState) {
        self.wait_for(run, |views| (state_of(views, task)? == state).then_some(()));
    }

    /// Waits until the number of pending questions is `n_questions`, and returns them.
    pub(crate) fn wait_for_questions(&self, run: &RunId, n_questions: usize) -> Vec<QuestionRow> {
        self.wait_for(run, |views| {
            let is_pending = |row: &&QuestionRow| row.status == QuestionState::Pending;
            let pending: Vec<_> = views.rows().questions.iter().filter(is_pending).cloned().collect();
            (pending.len() == n_questions).then_some(pending)
        })
    }

    pub(crate) fn git(&self, arguments: &[&str]) -> String {
        git(&self.project_folder(), arguments)
    }

    /// Lists the files on a run's branch.
    pub(crate) fn branch_files(&self, run: &RunId) -> Vec<String> {
        let listed = self.git(&["ls-tree", "-r", "--name-only", &format!("jangdan/{run}/run")]);
        listed.lines().map(str::to_owned).collect()
    }

    /// Returns the text of a file on a run's branch.
    pub(crate) fn branch_file(&self, run: &RunId, file: &str) -> String {
        self.git(&["show", &format!("jangdan/{run}/run:{file}")])
    }

    pub(crate) fn rows(&self, run: &RunId) -> Rows {
        self.host.run_snapshot(run).unwrap().views.rows().clone()
    }

    /// Waits until `find` returns a value for the rows of a run.
    pub(crate) fn wait_for<T>(&self, run: &RunId, find: impl Fn(&Views) -> Option<T>) -> T {
        let mut events = self.host.subscribe();
        let (sender, woken) = std::sync::mpsc::channel();
        std::thread::spawn(move || {
            while let Ok(event) = events.blocking_recv() {
                if matches!(*event, HostEvent::Recorded { .. }) && sender.send(()).is_err() {
                    return;
                }
            }
        });
        loop {
            let snapshot = self.host.run_snapshot(run).unwrap();
            if let Some(value) = find(&snapshot.views) {
                return value;
            }
            if woken.recv_timeout(TIMEOUT).is_err() {
                let lines: Vec<String> = self.timeline(run);
                panic!("timed out; the timeline is:\n{}", lines.join("\n"));
            }
        }
    }

    pub(crate) fn wait_for_outcome(&self, run: &RunId) -> RunOutcome {
        self.wait_for(run, |views| match views.rows().run.iter().next()?.status {
            RunState::Running | RunState::Paused => None,
            RunState::Done => Some(RunOutcome::Done),
            RunState::Failed => Some(RunOutcome::Failed),
            RunState::Cancelled => Some(RunOutcome::Cancelled),
        })
    }

    fn timeline(&self, run: &RunId) -> Vec<String> {
        self.rows(run).timeline.iter().map(|row| serde_json::to_string(row).unwrap()).collect()
    }
}

impl Drop for RunFixture {
    /// Ends all processes, also if the test has failed.
    fn drop(&mut self) {
        self.host.stop(ShutdownMode::EndSessions);
    }
}

pub(crate) fn answer_to(question: QuestionId, answer: &str) -> UserCommand {
    UserCommand::Answer {
        question: Some(question),
        task: None,
        answer: answer.to_owned(),
        scope: PermissionScope::Once,
        pattern: None,
        reason: None,
    }
}

pub(crate) fn state_of(views: &Views, task: &str) -> Option<TaskState> {
    Some(views.rows().tasks.get(&task.parse().unwrap())?.state)
}

fn git(folder: &Path, arguments: &[&str]) -> String {
    let output = Program::new("git").arg("-C").arg(folder).args(arguments).output().unwrap();
    assert!(output.status.success(), "git {arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}
