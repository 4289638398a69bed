//! A repository, a data directory, and a host whose agents are shell scripts.

use std::{
    collections::BTreeMap,
    fs,
    num::NonZeroU32,
    path::{Path, PathBuf},
    process::Command as Program,
    time::Duration,
};

use domain::{
    Command, Event, GateApproval, PermissionScope, PlannedPhase, PlannedTask, PlannedWork, QuestionId, Role,
    RunId, RunOutcome, RunSettings, Sequence, TaskId, TeamMember,
};
use runtime::{Host, HostEvent, Isolation, NewRun, Ports, RunEnvironment, SandboxMode, ShutdownMode};
use tempfile::TempDir;
use views::{QuestionRow, QuestionState, Rows, RunState, TaskState, Views};

/// A machine that does nothing for so long is stuck.
const PATIENCE: Duration = Duration::from_secs(20);

/// Silence that ends a turn of an agent here. A script that works has nothing to wait for.
const QUIET_MS: u32 = 400;

pub struct Lab {
    pub host: Host,
    folder: TempDir,
    presets: toml::Table,
    team: Vec<TeamMember>,
}

/// An agent that is a script.
pub struct Agent<'a> {
    pub name: &'a str,
    pub role: Role,
    pub script: &'a str,
    /// What its preset has beside; `form = 'text'`.
    pub preset: &'a str,
}

/// Makes an agent that is a script and is told things as JSON.
pub fn agent<'a>(name: &'a str, role: Role, script: &'a str) -> Agent<'a> {
    Agent { name, role, script, preset: "" }
}

/// Returns settings under which nobody waits for a person by accident.
pub fn settings() -> RunSettings {
    RunSettings {
        slots: NonZeroU32::new(4).unwrap(),
        gate_approval: GateApproval::Automatic,
        ..RunSettings::default()
    }
}

/// Makes a plan of one phase: `T3:T1,T2` is a task that waits for two.
pub fn plan(tasks: &[&str]) -> PlannedWork {
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

impl Lab {
    pub fn new(script: &str) -> Self {
        Self::with_team(&[agent("worker", Role::Worker, script)])
    }

    pub fn with_team(agents: &[Agent<'_>]) -> Self {
        let mut lab = Self::without_team();
        for Agent { name, role, script, preset } in agents {
            let path = lab.write(&format!("{name}.sh"), script);
            let quiet = if preset.contains("quiet_ms") { "" } else { &format!("quiet_ms = {QUIET_MS}") };
            let preset = format!(
                "extends = 'shell'\narguments = ['{}']\n{quiet}\n\
                 environment = {{ BARRIER = '{}' }}\n{preset}",
                path.display(),
                lab.meeting("").display()
            );
            lab.hire(name, *role, &preset);
        }
        lab
    }

    pub fn without_team() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let project = folder.path().join("project");
        fs::create_dir_all(&project).unwrap();
        fs::create_dir_all(folder.path().join("barrier")).unwrap();
        fs::write(project.join("README.md"), "A project\n").unwrap();
        let host = Host::open(&folder.path().join("data")).unwrap();
        let lab = Self { host, folder, presets: toml::Table::new(), team: Vec::new() };
        lab.git(&["init", "--quiet", "--initial-branch=main"]);
        lab.git(&["add", "."]);
        lab.git(&["-c", "user.name=a", "-c", "user.email=a@b", "commit", "--quiet", "-m", "begin"]);
        lab
    }

    /// Takes an agent into the team, by the lines of its preset.
    pub fn hire(&mut self, name: &str, role: Role, preset: &str) {
        self.presets.extend(format!("[{name}]\n{preset}").parse::<toml::Table>().unwrap());
        self.team.push(TeamMember { name: name.parse().unwrap(), role, slots: None });
    }

    /// Writes a file beside the project.
    pub fn write(&self, name: &str, text: &str) -> PathBuf {
        let path = self.folder.path().join(name);
        fs::write(&path, text).unwrap();
        path
    }

    pub fn start(&self, work: PlannedWork) -> RunId {
        self.start_with(work, settings())
    }

    pub fn start_with(&self, work: PlannedWork, settings: RunSettings) -> RunId {
        self.start_in(work, settings, self.environment())
    }

    pub fn start_in(&self, work: PlannedWork, settings: RunSettings, environment: RunEnvironment) -> RunId {
        let (project, person) = ("project".to_owned(), "ana".to_owned());
        let new = NewRun { project, work, settings, team: self.team.clone(), environment, person };
        self.host.start(new).unwrap()
    }

    /// Returns what a run needs of this machine, unless a test wants something else.
    pub fn environment(&self) -> RunEnvironment {
        RunEnvironment {
            project: self.project(),
            isolation: Isolation::Worktrees {
                base: self.git(&["rev-parse", "HEAD"]).trim().to_owned(),
                target: Some("main".to_owned()),
            },
            agents: BTreeMap::new(),
            presets: self.presets.clone(),
            setup: Vec::new(),
            copy: vec![".env".into()],
            submodules: true,
            disk_budget_bytes: None,
            ports: Ports::default(),
            sandbox: SandboxMode::Off,
            sandbox_write: Vec::new(),
            template: None,
            plan: None,
            plan_options: runtime::PlanOptions::default(),
        }
    }

    /// Stops the host as a killed server would leave it, and opens another one.
    pub fn reopen(&mut self) {
        self.reopen_after(ShutdownMode::KeepSessions);
    }

    pub fn reopen_after(&mut self, stop: ShutdownMode) {
        self.host.stop(stop);
        let data = self.data();
        // The store's lock is free when the last one who has it is gone.
        let spare = tempfile::tempdir().unwrap();
        self.host = Host::open(spare.path()).unwrap();
        self.host = Host::open(&data).unwrap();
    }

    pub fn data(&self) -> PathBuf {
        self.folder.path().join("data")
    }

    pub fn project(&self) -> PathBuf {
        self.folder.path().join("project")
    }

    /// Returns a file through which scripts and tests meet.
    pub fn meeting(&self, name: &str) -> PathBuf {
        self.folder.path().join("barrier").join(name)
    }

    /// Lets scripts go on that wait for a file.
    pub fn let_go(&self, name: &str) {
        fs::write(self.meeting(name), "").unwrap();
    }

    /// Returns what a script wrote for the test to see; nothing where it wrote nothing.
    pub fn met(&self, name: &str) -> String {
        fs::read_to_string(self.meeting(name)).unwrap_or_default()
    }

    /// Wishes something that must not be refused.
    pub fn wish(&self, run: &RunId, command: Command) {
        self.host.execute(run, "ana", command).unwrap();
    }

    /// Wishes something that must be refused, and returns the words.
    pub fn refused(&self, run: &RunId, command: Command) -> String {
        self.host.execute(run, "ana", command).unwrap_err().to_string()
    }

    pub fn answer(&self, run: &RunId, question: QuestionId, answer: &str) {
        self.wish(run, answer_to(question, answer));
    }

    /// Returns everything that was recorded.
    pub fn events(&self, run: &RunId) -> Vec<Event> {
        let entries = self.host.log().read(run, Sequence(0), 100_000).unwrap();
        entries.iter().map(|entry| entry.recorded().unwrap().event).collect()
    }

    /// Waits until a task stands like this.
    pub fn until_task(&self, run: &RunId, task: &str, state: TaskState) {
        self.until(run, |views| (state_of(views, task)? == state).then_some(()));
    }

    /// Waits until so many questions wait for the person, and returns them.
    pub fn until_pending(&self, run: &RunId, n_questions: usize) -> Vec<QuestionRow> {
        self.until(run, |views| {
            let is_pending = |row: &&QuestionRow| row.status == QuestionState::Pending;
            let pending: Vec<_> = views.rows().questions.iter().filter(is_pending).cloned().collect();
            (pending.len() == n_questions).then_some(pending)
        })
    }

    pub fn git(&self, arguments: &[&str]) -> String {
        git(&self.project(), arguments)
    }

    /// Returns the files on a run's branch.
    pub fn files_of(&self, run: &RunId) -> Vec<String> {
        let listed = self.git(&["ls-tree", "-r", "--name-only", &format!("jangdan/{run}/run")]);
        listed.lines().map(str::to_owned).collect()
    }

    /// Returns a file on a run's branch.
    pub fn show(&self, run: &RunId, file: &str) -> String {
        self.git(&["show", &format!("jangdan/{run}/run:{file}")])
    }

    pub fn rows(&self, run: &RunId) -> Rows {
        self.host.snapshot(run).unwrap().views.rows().clone()
    }

    /// Waits until the rows show something.
    pub fn until<T>(&self, run: &RunId, look: impl Fn(&Views) -> Option<T>) -> T {
        let mut live = self.host.subscribe();
        let (sender, woken) = std::sync::mpsc::channel();
        std::thread::spawn(move || {
            while let Ok(news) = live.blocking_recv() {
                if matches!(*news, HostEvent::Recorded { .. }) && sender.send(()).is_err() {
                    return;
                }
            }
        });
        loop {
            let shown = self.host.snapshot(run).unwrap();
            if let Some(found) = look(&shown.views) {
                return found;
            }
            if woken.recv_timeout(PATIENCE).is_err() {
                let lines: Vec<String> = self.timeline(run);
                panic!("nothing happens any more:\n{}", lines.join("\n"));
            }
        }
    }

    pub fn outcome(&self, run: &RunId) -> RunOutcome {
        self.until(run, |views| match views.rows().run.iter().next()?.status {
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

impl Drop for Lab {
    /// Leaves nothing behind, also where a test has failed.
    fn drop(&mut self) {
        self.host.stop(ShutdownMode::EndSessions);
    }
}

/// Answers a question, by its number.
pub fn answer_to(question: QuestionId, answer: &str) -> Command {
    Command::Answer {
        question: Some(question),
        task: None,
        answer: answer.to_owned(),
        scope: PermissionScope::Once,
    }
}

pub fn state_of(views: &Views, task: &str) -> Option<TaskState> {
    Some(views.rows().tasks.get(&task.parse().unwrap())?.state)
}

fn git(folder: &Path, arguments: &[&str]) -> String {
    let output = Program::new("git").arg("-C").arg(folder).args(arguments).output().unwrap();
    assert!(output.status.success(), "git {arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}
