//! A repository with a server, and runs whose agents are shell scripts or played scripts.

use std::{
    fs,
    io::{BufRead, BufReader},
    path::{Path, PathBuf},
    process::{Child, Command, Output, Stdio},
    thread,
    time::{Duration, Instant},
};

use domain::{
    GateApproval, PlannedPhase, PlannedTask, PlannedWork, Role, RunId, RunSettings, TaskId, TeamMember,
};
use runtime::{Isolation, NewRun, RunEnvironment, ShutdownMode};
use server::Client;
use tempfile::TempDir;

/// A temporary repository with a server.
pub(crate) struct TestProject {
    folder: TempDir,
    server: Option<Child>,
}

/// Makes a plan of one phase; `T3:T1,T2` is a task that depends on two.
pub(crate) fn one_phase_plan(tasks: &[&str]) -> PlannedWork {
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

/// Reads up to the line that the server prints when it listens, or to the end. It prints what it finds damaged before.
pub(crate) fn read_until_serving(output: &mut impl BufRead) -> String {
    let mut text = String::new();
    while output.read_line(&mut text).unwrap() > 0 && !text.contains("Serving") {}
    text
}

impl TestProject {
    /// Creates a project with a server, whose agents run this shell script.
    pub(crate) fn create_with_server(script: &str) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let mut project = Self { folder, server: None };
        fs::create_dir_all(project.root()).unwrap();
        fs::write(project.root().join("README.md"), "A project\n").unwrap();
        // In the script, not in the environment of a run, whose values end with the server.
        let folder = format!("FOLDER='{}'\n", project.folder.path().display());
        fs::write(project.temp_path("agent.sh"), folder + script).unwrap();
        project.git(&["init", "--quiet", "--initial-branch=main"]);
        project.git(&["add", "."]);
        project.git(&["-c", "user.name=a", "-c", "user.email=a@b", "commit", "--quiet", "-m", "begin"]);
        project.start_server();
        project
    }

    /// Starts a server.
    pub(crate) fn start_server(&mut self) {
        self.start_server_with(self.command(&["serve"]));
    }

    /// Starts a server with this command.
    pub(crate) fn start_server_with(&mut self, mut command: Command) {
        let mut server = command.stderr(Stdio::piped()).spawn().unwrap();
        let printed = read_until_serving(&mut BufReader::new(server.stderr.take().unwrap()));
        assert!(printed.contains("Serving"), "{printed}");
        self.server = Some(server);
    }

    /// Deletes the server's folder, and waits until the server has ended.
    pub(crate) fn delete_data(&mut self) {
        fs::remove_dir_all(self.data()).unwrap();
        let mut server = self.server.take().unwrap();
        let deadline = Instant::now() + Duration::from_secs(30);
        while server.try_wait().unwrap().is_none() {
            assert!(Instant::now() < deadline, "the server does not end");
            thread::sleep(Duration::from_millis(20));
        }
    }

    /// Kills the server.
    pub(crate) fn kill_server(&mut self) {
        if let Some(mut server) = self.server.take() {
            server.kill().unwrap();
            server.wait().unwrap();
        }
    }

    /// Starts a run whose agents run the shell script.
    pub(crate) fn start_run(&self, work: PlannedWork, settings: RunSettings) -> RunId {
        let preset = format!("extends = 'shell'\narguments = ['{}']", self.temp_path("agent.sh").display());
        self.start_run_with_workers(work, settings, &[("worker", &preset)])
    }

    /// Starts a run with a task for each of these protocols, whose agents play a script.
    pub(crate) fn start_scripted_run(&self, voices: &[&str], script: &str) -> RunId {
        let preset = |voice: &&str| {
            let (extends, arguments) = match *voice {
                "claude" => ("claude", "'-p', '--permission-prompt-tool', 'stdio'"),
                "acp" => ("gemini", ""),
                other => (other, ""),
            };
            let path = self.temp_path(format!("{voice}.toml"));
            let script = script.replace("{voice}", voice);
            fs::write(&path, format!("voice = '{voice}'\n{script}")).unwrap();
            let (program, path) = (env!("CARGO_BIN_EXE_jangdan"), path.display());
            format!(
                "extends = '{extends}'\ncommand = '{program}'\narguments = ['play', '{path}', {arguments}]"
            )
        };
        let presets: Vec<String> = voices.iter().map(preset).collect();
        let ids: Vec<String> = (1..=voices.len()).map(|number| format!("T{number}")).collect();
        let mut work = one_phase_plan(&ids.iter().map(String::as_str).collect::<Vec<_>>());
        for (task, voice) in work.tasks.iter_mut().zip(voices) {
            task.agent = Some(voice.parse().unwrap());
        }
        let workers: Vec<_> =
            voices.iter().zip(&presets).map(|(voice, preset)| (*voice, &**preset)).collect();
        let settings = RunSettings { gate_approval: GateApproval::Automatic, ..RunSettings::default() };
        self.start_run_with_workers(work, settings, &workers)
    }

    /// Starts a run with these workers and their presets.
    pub(crate) fn start_run_with_workers(
        &self,
        work: PlannedWork,
        settings: RunSettings,
        workers: &[(&str, &str)],
    ) -> RunId {
        self.start_run_with_environment(work, settings, workers, |_| {})
    }

    /// Starts a run with a changed environment.
    pub(crate) fn start_run_with_environment(
        &self,
        work: PlannedWork,
        settings: RunSettings,
        workers: &[(&str, &str)],
        change: impl FnOnce(&mut RunEnvironment),
    ) -> RunId {
        let worker = |name: &str| TeamMember {
            name: name.parse().unwrap(),
            role: Role::Worker,
            slots: None,
            is_turn_end_guessed: false,
            protocol: domain::AgentProtocol::Text,
        };
        let team: Vec<TeamMember> = workers.iter().map(|(name, _)| worker(name)).collect();
        let presets = workers.iter().map(|(name, preset)| format!("['{name}']\n{preset}\n"));
        let base = self.git(&["rev-parse", "HEAD"]).trim().to_owned();
        let mut environment = RunEnvironment {
            project: self.root(),
            isolation: Isolation::Worktrees { base, target: Some("main".to_owned()) },
            agents: team.iter().map(|worker| (worker.name.clone(), worker.name.to_string())).collect(),
            presets: presets.collect::<String>().parse().unwrap(),
            setup: Vec::new(),
            setup_timeout_ms: 60_000,
            copy: Vec::new(),
            caches: vec!["__pycache__".to_owned()],
            max_file_bytes: Some(10 << 20),
            submodules: true,
            prices: std::collections::BTreeMap::new(),
            disk_budget_bytes: None,
            ports: runtime::Ports::default(),
            sandbox: runtime::SandboxMode::Off,
            sandbox_write: Vec::new(),
            private_caches: false,
            unconfined_checks: false,
            check_reports: Vec::new(),
            commit: runtime::CommitStyle::default(),
            must_ask: false,
            land_strategy: runtime::LandStrategy::Merge,
            refs_after_ms: None,
            refs_budget_bytes: None,
            template: None,
            plan: Some(self.temp_path("TASKS.md")).filter(|plan| plan.exists()),
            plan_options: runtime::PlanOptions::default(),
        };
        change(&mut environment);
        let (project, person) = ("project".to_owned(), "ana".to_owned());
        self.client()
            .start_run(&NewRun { project, work, settings, team, environment, person, origin: None })
            .unwrap()
    }

    /// Waits for a line of the server's log that contains all parts.
    pub(crate) fn wait_for_log_line(&self, parts: &[&str]) -> String {
        let deadline = Instant::now() + Duration::from_secs(30);
        loop {
            let log = self.server_log();
            let mut lines = log.lines();
            if let Some(line) = lines.find(|line| parts.iter().all(|part| line.contains(part))) {
                return line.to_owned();
            }
            assert!(Instant::now() < deadline, "no line with {parts:?} in:\n{log}");
            thread::sleep(Duration::from_millis(20));
        }
    }

    /// Returns the server's log.
    pub(crate) fn server_log(&self) -> String {
        fs::read_to_string(self.data().join("logs/jangdan.log")).unwrap_or_default()
    }

    /// Returns a command of a user in the project.
    pub(crate) fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_jangdan"));
        command.env("JANGDAN_DATA", self.data()).env("USER", "ana").env("NO_COLOR", "1").env("LC_ALL", "C");
        command.env("TERM", "xterm").current_dir(self.root()).args(arguments).stdin(Stdio::null());
        command
    }

    /// Runs a command. Returns its exit status and its output.
    pub(crate) fn run_jangdan(&self, arguments: &[&str]) -> (i32, String) {
        let Output { status, stdout, stderr } = self.command(arguments).output().unwrap();
        let text = [stdout, stderr].map(|bytes| String::from_utf8(bytes).unwrap()).concat();
        (status.code().unwrap(), text)
    }

    /// Runs a command that must succeed and print `expected`.
    pub(crate) fn assert_succeeds(&self, arguments: &[&str], expected: &str) {
        let (exit, text) = self.run_jangdan(arguments);
        assert!(exit == 0 && text.contains(expected), "{arguments:?} exits {exit}:\n{text}");
    }

    /// Runs a command that must exit with this status and print `expected`.
    pub(crate) fn assert_fails(&self, arguments: &[&str], status: i32, expected: &str) {
        let (exit, text) = self.run_jangdan(arguments);
        assert!(exit == status && text.contains(expected), "{arguments:?} exits {exit}:\n{text}");
    }

    /// Stops the server and its agents.
    pub(crate) fn stop_server(&mut self) {
        if let Some(mut server) = self.server.take() {
            self.client().stop_server(ShutdownMode::EndSessions).unwrap();
            server.wait().unwrap();
        }
    }

    pub(crate) fn client(&self) -> Client {
        Client::connect(&self.data()).unwrap().unwrap()
    }

    pub(crate) fn git(&self, arguments: &[&str]) -> String {
        let output = Command::new("git").arg("-C").arg(self.root()).args(arguments).output().unwrap();
        assert!(output.status.success(), "git {arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap()
    }

    /// Returns a path beside the project.
    pub(crate) fn temp_path(&self, name: impl AsRef<Path>) -> PathBuf {
        self.folder.path().join(name)
    }

    pub(crate) fn root(&self) -> PathBuf {
        self.temp_path("project")
    }

    pub(crate) fn data(&self) -> PathBuf {
        self.temp_path("data")
    }
}

impl Drop for TestProject {
    fn drop(&mut self) {
        if let Some(mut server) = self.server.take() {
            let client = Client::connect(&self.data()).ok().flatten();
            match client.map(|client| client.stop_server(ShutdownMode::EndSessions)) {
                Some(Ok(())) => drop(server.wait()),
                Some(Err(_)) | None => drop(server.kill()),
            }
        }
    }
}
