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
    GateApproval, Member, PlannedPhase, PlannedTask, PlannedWork, Role, RunId, RunOutcome, Settings, TaskId,
};
use runtime::{AfterStop, Host, Isolation, NewRun, Outfit, Ports, Published, SandboxMode};
use tempfile::TempDir;
use views::{Rows, RunState, Views};

/// A machine that does nothing for so long is stuck.
const PATIENCE: Duration = Duration::from_secs(60);

pub struct Lab {
    pub host: Host,
    folder: TempDir,
    script: PathBuf,
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
        let folder = tempfile::tempdir().unwrap();
        let project = folder.path().join("project");
        fs::create_dir_all(&project).unwrap();
        fs::create_dir_all(folder.path().join("barrier")).unwrap();
        fs::write(project.join("README.md"), "A project\n").unwrap();
        let path = folder.path().join("agent.sh");
        fs::write(&path, script).unwrap();
        let host = Host::open(&folder.path().join("data")).unwrap();
        let lab = Self { host, folder, script: path };
        lab.git(&["init", "--quiet", "--initial-branch=main"]);
        lab.git(&["add", "."]);
        lab.git(&["-c", "user.name=a", "-c", "user.email=a@b", "commit", "--quiet", "-m", "begin"]);
        lab
    }

    pub fn start(&self, work: PlannedWork) -> RunId {
        let settings = Settings {
            slots: NonZeroU32::new(4).unwrap(),
            gate_approval: GateApproval::Automatic,
            ..Settings::default()
        };
        self.start_with(work, settings)
    }

    pub fn start_with(&self, work: PlannedWork, settings: Settings) -> RunId {
        let worker = Member { name: "worker".parse().unwrap(), role: Role::Worker, slots: None };
        let preset = format!(
            "[script]\nextends = 'shell'\narguments = ['{}']\nenvironment = {{ BARRIER = '{}' }}",
            self.script.display(),
            self.folder.path().join("barrier").display()
        );
        let outfit = Outfit {
            project: self.project(),
            isolation: Isolation::Worktrees {
                base: self.git(&["rev-parse", "HEAD"]).trim().to_owned(),
                target: Some("main".to_owned()),
            },
            agents: BTreeMap::from([(worker.name.clone(), "script".to_owned())]),
            presets: preset.parse().unwrap(),
            setup: Vec::new(),
            copy: vec![".env".into()],
            ports: Ports::default(),
            sandbox: SandboxMode::Off,
            sandbox_write: Vec::new(),
            template: None,
            plan: None,
        };
        let new = NewRun {
            project: "project".to_owned(),
            work,
            settings,
            team: vec![worker],
            outfit,
            person: "ana".to_owned(),
        };
        self.host.start(new).unwrap()
    }

    /// Stops the host as a killed server would leave it, and opens another one.
    pub fn reopen(&mut self) {
        self.host.stop(AfterStop::LeaveWorking);
        let data = self.folder.path().join("data");
        // The store's lock is free when the last one who has it is gone.
        let spare = tempfile::tempdir().unwrap();
        self.host = Host::open(spare.path()).unwrap();
        self.host = Host::open(&data).unwrap();
    }

    pub fn project(&self) -> PathBuf {
        self.folder.path().join("project")
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
        self.host.rows(run).unwrap().views.rows().clone()
    }

    /// Waits until the rows show something.
    pub fn until<T>(&self, run: &RunId, look: impl Fn(&Views) -> Option<T>) -> T {
        let mut live = self.host.live();
        let (sender, woken) = std::sync::mpsc::channel();
        std::thread::spawn(move || {
            while let Ok(news) = live.blocking_recv() {
                if matches!(*news, Published::Recorded { .. }) && sender.send(()).is_err() {
                    return;
                }
            }
        });
        loop {
            let shown = self.host.rows(run).unwrap();
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

fn git(folder: &Path, arguments: &[&str]) -> String {
    let output = Program::new("git").arg("-C").arg(folder).args(arguments).output().unwrap();
    assert!(output.status.success(), "git {arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}
