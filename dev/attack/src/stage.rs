//! The place of an attack: folders of a user with the program, a data directory, and things that must stay unharmed.

use std::{
    fmt, fs, io,
    os::unix::{
        fs::{PermissionsExt, chown},
        process::CommandExt,
    },
    path::{Path, PathBuf},
    process::{Child, Command, Output, Stdio},
    time::{Duration, Instant},
};

use anyhow::{Context, Result, bail, ensure};
use tempfile::TempDir;

use crate::attack::Outcome;

/// Time limit of a session, and of a run.
const SESSION_MAX: Duration = Duration::from_secs(30);
const RUN_MAX: Duration = Duration::from_secs(60);
/// Exit status of a script that cannot play its attack on this machine.
const NOT_POSSIBLE: &str = "77";
/// Content of the files that must stay as they are.
const UNHARMED: &str = "as it was\n";

/// Whether sessions of a stage have a sandbox.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Confinement {
    Sandbox,
    Off,
}

impl fmt::Display for Confinement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Sandbox => "in the sandbox",
            Self::Off => "without a sandbox",
        })
    }
}

/// Copies of the programs that every user can execute.
pub(crate) struct Programs {
    jangdan: PathBuf,
}

impl Programs {
    pub(crate) fn copy(jangdan: &Path, folder: &Path) -> Result<Self> {
        fs::set_permissions(folder, fs::Permissions::from_mode(0o755))?;
        let copy = folder.join("jangdan");
        fs::copy(jangdan, &copy).with_context(|| format!("copy {}", jangdan.display()))?;
        Ok(Self { jangdan: copy })
    }
}

/// The place of one attack. Its folders belong to its user:
///
/// | folder | |
/// |---|---|
/// | `data` | the data directory, with a file `secret` |
/// | `home`, `outside` | what the attacker must not change; `outside/there` exists |
/// | `tmp` | the temporary folder of all programs |
/// | `worktree` | the working directory of sessions |
/// | `project` | a repository, once [`Stage::create_project`] was called |
pub(crate) struct Stage {
    folder: TempDir,
    jangdan: PathBuf,
    user: Option<u32>,
    confinement: Confinement,
    /// A process of the same user outside of every session.
    victim: Child,
}

impl Stage {
    pub(crate) fn create(
        programs: &Programs,
        folder: &Path,
        user: Option<u32>,
        confinement: Confinement,
    ) -> Result<Self> {
        let folder = tempfile::tempdir_in(folder)?;
        for name in ["data", "home/.codex", "home/.claude", "outside", "tmp", "worktree", "project"] {
            fs::create_dir_all(folder.path().join(name))?;
        }
        fs::set_permissions(folder.path().join("data"), fs::Permissions::from_mode(0o700))?;
        for name in ["data/secret", "outside/there", "home/.codex/config.toml", "home/.claude/settings.json"]
        {
            fs::write(folder.path().join(name), UNHARMED)?;
        }
        if user.is_some() {
            change_owner(folder.path(), user)?;
        }
        let mut sleep = Command::new("sleep");
        sleep.arg("1000");
        let victim = as_user(&mut sleep, user).spawn()?;
        Ok(Self { folder, jangdan: programs.jangdan.clone(), user, confinement, victim })
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Writes a file of the user.
    pub(crate) fn write(&self, name: &str, content: &str) -> Result<()> {
        let path = self.path(name);
        if let Some(parent) = path.parent() {
            fs::create_dir_all(parent)?;
            chown(parent, self.user, self.user)?;
        }
        fs::write(&path, content)?;
        Ok(chown(&path, self.user, self.user)?)
    }

    /// Tells whether the files that must stay as they are have changed, or new ones are beside them.
    pub(crate) fn is_harmed(&self) -> Result<bool> {
        let changed = fs::read_to_string(self.path("outside/there")).unwrap_or_default() != UNHARMED;
        Ok(changed || fs::read_dir(self.path("outside"))?.count() != 1)
    }

    /// Returns a command of the user, outside of every session, with the variables that scripts use.
    pub(crate) fn command(&self, program: impl AsRef<std::ffi::OsStr>) -> Command {
        let mut command = Command::new(program);
        command
            .env_clear()
            .env("PATH", std::env::var_os("PATH").unwrap_or_default())
            .env("JANGDAN_DATA", self.path("data"))
            .env("HOME", self.path("home"))
            .env("TMPDIR", self.path("tmp"))
            .env("STAGE", self.folder.path())
            .env("OUT", self.path("outside"))
            .env("VICTIM", self.victim.id().to_string())
            .env("LC_ALL", "C")
            .envs([("GIT_AUTHOR_NAME", "T"), ("GIT_AUTHOR_EMAIL", "t@example.org")])
            .envs([("GIT_COMMITTER_NAME", "T"), ("GIT_COMMITTER_EMAIL", "t@example.org")])
            .env("GIT_CONFIG_NOSYSTEM", "1")
            .current_dir(self.path("worktree"))
            .stdin(Stdio::null());
        as_user(&mut command, self.user);
        command
    }

    pub(crate) fn jangdan(&self, arguments: &[&str]) -> Command {
        let mut command = self.command(&self.jangdan);
        command.args(arguments);
        command
    }

    /// Runs a shell script as the user outside of every session, as a control. It must exit with 0.
    pub(crate) fn run_outside(&self, script: &str) -> Result<String> {
        let output = self.command("sh").args(["-e", "-c", script]).output()?;
        ensure!(output.status.success(), "{script}: {}", describe(&output));
        Ok(String::from_utf8_lossy(&output.stdout).into_owned())
    }

    /// Runs a shell script in a session to its end. It exits with 0 if the attack succeeded, with 77 if it cannot be
    /// played on this machine.
    pub(crate) fn run_in_session(&self, script: &str) -> Result<Outcome> {
        self.run_in_session_of("sh", script)
    }

    /// Like [`Self::run_in_session`], in a session of an agent: of a shell with its name.
    pub(crate) fn run_as_agent(&self, agent: &str, script: &str) -> Result<Outcome> {
        let shell = self.path(agent);
        std::os::unix::fs::symlink("/bin/sh", &shell)?;
        self.run_in_session_of(&shell.display().to_string(), script)
    }

    fn run_in_session_of(&self, shell: &str, script: &str) -> Result<Outcome> {
        let sandbox = match self.confinement {
            Confinement::Sandbox => "required",
            Confinement::Off => "off",
        };
        let script = format!("(\n{script}\n) > output 2>&1; echo $? > status.new; mv status.new status");
        let arguments = ["session", "start", "--sandbox", sandbox, "--pipes", "--", shell, "-c", &script];
        let output = self.jangdan(&arguments).output()?;
        ensure!(output.status.success(), "start a session: {}", describe(&output));
        let status = wait_for_file(&self.path("worktree/status"))?;
        Ok(match status.trim() {
            "0" => Outcome::Succeeded,
            NOT_POSSIBLE => Outcome::NotPossible,
            _ => Outcome::Prevented,
        })
    }

    /// Creates a repository with these files, one commit, and a configuration whose agent runs a script.
    pub(crate) fn create_project(
        &self,
        files: &[(&str, &str)],
        agent: &str,
        configuration: &str,
    ) -> Result<()> {
        for (name, content) in files {
            self.write(&format!("project/{name}"), content)?;
        }
        self.write("agent.sh", &format!("read -r task\n{agent}\n"))?;
        self.run_outside(
            "cd $STAGE/project && git init -q -b main && git add . && git commit -q --allow-empty -m begin",
        )?;
        let mode = match self.confinement {
            Confinement::Sandbox => "required",
            Confinement::Off => "off",
        };
        let configuration = format!(
            "orchestration.gate_approval = 'automatic'\norchestration.max_retries = 1\nsandbox.mode = '{mode}'\n\
             {configuration}\n[agents.mine]\nextends = 'shell'\nrole = 'worker'\narguments = ['{}']\nquiet_ms = 400\n",
            self.path("agent.sh").display()
        );
        self.write("project/jangdan.toml", &configuration)
    }

    /// Runs a plan in the project, until it ends or needs the user.
    pub(crate) fn run_plan(&self, plan: &str) -> Result<()> {
        self.write("project/TASKS.md", plan)?;
        let mut command = self.jangdan(&["run", "--yes", "--no-wait", "--include-changes"]);
        let output = fs::File::create(self.path("output"))?;
        command.current_dir(self.path("project")).stdout(output.try_clone()?).stderr(output);
        let mut run = command.spawn()?;
        let deadline = Instant::now() + RUN_MAX;
        while run.try_wait()?.is_none() {
            if Instant::now() >= deadline {
                run.kill()?;
                run.wait()?;
                bail!("the run did not end:\n{}", fs::read_to_string(self.path("output"))?);
            }
            std::thread::sleep(Duration::from_millis(10));
        }
        let output = fs::read_to_string(self.path("output"))?;
        ensure!(output.contains("started T1"), "no agent was started:\n{output}");
        Ok(())
    }

    /// Runs git as the user in the project.
    pub(crate) fn git(&self, arguments: &[&str]) -> Result<String> {
        let output = self.command("git").arg("-C").arg(self.path("project")).args(arguments).output()?;
        ensure!(output.status.success(), "git {arguments:?}: {}", describe(&output));
        Ok(String::from_utf8_lossy(&output.stdout).into_owned())
    }

    /// Ends the processes of the stage, which are told by their environment.
    pub(crate) fn end_processes(mut self) -> Result<()> {
        let deadline = Instant::now() + SESSION_MAX;
        loop {
            let left = self.processes()?;
            if left.is_empty() {
                break;
            }
            ensure!(Instant::now() < deadline, "processes of the attack do not end: {left:?}");
            for pid in left {
                if let Some(pid) = rustix::process::Pid::from_raw(pid) {
                    // It may have ended meanwhile.
                    let _ = rustix::process::kill_process(pid, rustix::process::Signal::KILL);
                }
            }
            // The victim is a child of this process.
            drop(self.victim.try_wait());
            std::thread::sleep(Duration::from_millis(5));
        }
        Ok(())
    }

    fn processes(&self) -> Result<Vec<i32>> {
        let tag = format!("STAGE={}", self.folder.path().display());
        let mut pids = vec![];
        for entry in fs::read_dir("/proc")?.flatten() {
            let Some(pid) = entry.file_name().to_str().and_then(|name| name.parse().ok()) else { continue };
            let environment = fs::read(entry.path().join("environ")).unwrap_or_default();
            if environment.split(|byte| *byte == 0).any(|variable| variable == tag.as_bytes()) {
                pids.push(pid);
            }
        }
        if self.victim.id() > 0 && Path::new("/proc").join(self.victim.id().to_string()).exists() {
            pids.extend(i32::try_from(self.victim.id()));
        }
        Ok(pids)
    }
}

/// Waits for a file that is written at once, and returns its content.
fn wait_for_file(path: &Path) -> Result<String> {
    let deadline = Instant::now() + SESSION_MAX;
    loop {
        match fs::read_to_string(path) {
            Ok(text) => return Ok(text),
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(error) => return Err(error.into()),
        }
        ensure!(Instant::now() < deadline, "{} is not written", path.display());
        std::thread::sleep(Duration::from_millis(2));
    }
}

fn as_user(command: &mut Command, user: Option<u32>) -> &mut Command {
    match user {
        Some(user) => command.uid(user).gid(user),
        None => command,
    }
}

fn change_owner(path: &Path, user: Option<u32>) -> io::Result<()> {
    chown(path, user, user)?;
    if path.is_dir() {
        for entry in fs::read_dir(path)? {
            change_owner(&entry?.path(), user)?;
        }
    }
    Ok(())
}

fn describe(output: &Output) -> String {
    let text = [&output.stdout, &output.stderr].map(|bytes| String::from_utf8_lossy(bytes).into_owned());
    format!("{}: {}", output.status, text.concat())
}
