//! What the threads of a run share: the host, the environment, git, and the queue of the run loop.

use std::{
    borrow::Cow,
    error::Error,
    fs, io,
    path::{Path, PathBuf},
    sync::{Arc, mpsc::SyncSender},
    time::Duration,
};

use domain::{AgentOutput, Report, RunId, RunInput, SessionId, TaskId};
use engine::MergedCommits;
use holder::mask::{SECRETS_BYTES_MAX, Secret};
use repo::{GitOptions, RepoError, WorktreeSnapshot};
use sessions::{EnvironmentFile, EnvironmentFileError, PackageCaches, Sandbox, SandboxPolicy};
use sha2::{Digest, Sha256};
use tracing::warn;
use vault::{MASKED_BYTES_MIN, SecretEntry, SecretValue, Vault};

use super::{
    ignored_files::copy_ignored_files,
    job::{CheckedWork, Job, hex, run},
    process::end_session_processes_and_wait,
    provision::ResolvedVariable,
    stop_token::StopToken,
};
use crate::{
    AgentActivity, HostEvent,
    disk_budget::DiskBudgetExceeded,
    environment::{RunEnvironment, SandboxMode},
    error_chain::error_chain,
    git::RunGit,
    host::{HostError, HostState},
    ports::PortOwner,
    project_secrets::project_secret_path,
    run_loop::{OutputBound, RunRequest},
    saved_permissions::save_permission,
};

/// Length of the name of a project's folder of caches.
const CACHE_NAME_CHARS: usize = 16;

/// Leaves space for the run, `setup` and the numbers in the 64 bytes of the name of a session.
const SESSION_NAME_PART_BYTES_MAX: usize = 32;

/// Time that the processes of an ended run have to exit.
const GRACE: Duration = Duration::from_secs(1);

/// What the threads of a run share.
pub(crate) struct RunContext {
    pub(super) host: Arc<HostState>,
    pub(super) run: RunId,
    pub(super) environment: RunEnvironment,
    pub(super) git: Option<RunGit>,
    pub(super) requests: SyncSender<RunRequest>,
    pub(super) output_bound: Arc<OutputBound>,
    pub(super) vault: Vault,
    /// The project in the vault.
    pub(super) secret_project: String,
}

/// Why a task has no worktree.
pub(super) enum WorktreeError {
    Git(RepoError),
    DiskBudget(DiskBudgetExceeded),
}

/// Why a worktree is not set up.
enum SetupError {
    TimedOut(String),
    Failed(String),
}

impl SetupError {
    fn into_text(self) -> String {
        match self {
            Self::TimedOut(text) | Self::Failed(text) => text,
        }
    }
}

impl RunContext {
    /// Opens the repository of a run, whose log has these merges, and repairs its worktrees after a crash.
    pub(crate) fn open(
        host: Arc<HostState>,
        run: RunId,
        environment: RunEnvironment,
        merges: &[MergedCommits],
        requests: SyncSender<RunRequest>,
    ) -> Result<Self, HostError> {
        let mut git = RunGit::open(&host.data, &run, &environment)?;
        if let Some(git) = &mut git {
            git.recover(merges, &host.run_folder(&run))?;
        }
        Ok(Self::new(host, run, environment, git, requests))
    }

    /// Returns a context for an operation outside the run's loop, which receives no reports of it.
    pub(crate) fn without_run_loop(
        host: Arc<HostState>,
        run: RunId,
        environment: RunEnvironment,
        git: RunGit,
    ) -> Self {
        let (requests, _) = std::sync::mpsc::sync_channel(0);
        Self::new(host, run, environment, Some(git), requests)
    }

    fn new(
        host: Arc<HostState>,
        run: RunId,
        environment: RunEnvironment,
        git: Option<RunGit>,
        requests: SyncSender<RunRequest>,
    ) -> Self {
        let vault = Vault::new(&host.data);
        let secret_project = project_secret_path(&environment.project);
        Self { host, run, environment, git, requests, output_bound: Arc::default(), vault, secret_project }
    }

    /// Returns the file in memory with the variables that were provided to a session.
    pub(super) fn environment_file(
        &self,
        session: SessionId,
    ) -> Result<EnvironmentFile, EnvironmentFileError> {
        EnvironmentFile::open(&self.host.data, &environment_file_name(&self.run, session))
    }

    pub(super) fn remove_environment_file(&self, session: SessionId) {
        if let Ok(file) = self.environment_file(session)
            && let Err(error) = file.remove()
        {
            warn!(%session, error = &error as &dyn Error, "cannot remove the environment file of an ended session");
        }
    }

    /// Removes the files of sessions that ended without this program.
    pub(super) fn remove_leftover_environment_files(&self, existing: &[SessionId]) {
        let kept: Vec<String> =
            existing.iter().map(|session| environment_file_name(&self.run, *session)).collect();
        let removed = EnvironmentFile::remove_others(&self.host.data, &format!("{}-", self.run), &kept);
        if let Err(error) = removed {
            warn!(error = &error as &dyn Error, "cannot remove the environment files of ended sessions");
        }
    }

    /// Returns the secret values of the vault that this project may use, as far as a holder can mask them.
    pub(super) fn masked_values(&self) -> Vec<SecretValue> {
        let values = self.vault.values_of_project(&self.secret_project).unwrap_or_else(|error| {
            // Nothing can be delivered from it either.
            warn!(error = &error as &dyn Error, "cannot read the vault, so its values are not masked");
            Vec::new()
        });
        let mut available = SECRETS_BYTES_MAX;
        let is_masked = |(entry, value): &(SecretEntry, SecretValue)| {
            entry.is_secret && value.expose().len() >= MASKED_BYTES_MIN
        };
        values
            .into_iter()
            .filter(is_masked)
            .map_while(|(_, value)| {
                available = available.checked_sub(value.expose().len())?;
                Some(value)
            })
            .collect()
    }

    /// Returns the values that a new process must not show: what it gets, then everything else in the vault.
    pub(super) fn values_to_mask(&self, provided: &[ResolvedVariable]) -> Vec<Secret> {
        let mut available = SECRETS_BYTES_MAX;
        let own =
            provided.iter().filter(|variable| variable.is_masked).map(|variable| variable.value.clone());
        let mut secrets: Vec<Secret> = Vec::new();
        for value in own.chain(self.masked_values()) {
            let secret = Secret::new(value.expose().as_bytes().to_vec());
            if !secrets.contains(&secret) && secret.byte_length() <= available {
                available -= secret.byte_length();
                secrets.push(secret);
            }
        }
        secrets
    }

    /// Sends the run loop a report of the executor. If the loop has ended, the next start executes the effect again.
    pub(super) fn report_to_run_loop(&self, report: Report) {
        drop(self.requests.send(RunRequest::without_reply(report.into())));
    }

    /// Sends the run loop the output of an agent. Waits while too many outputs wait there.
    pub(super) fn send_agent_output(&self, session: SessionId, output: AgentOutput) {
        let permit = self.output_bound.acquire();
        drop(self.requests.send(RunRequest::with_permit(RunInput::Agent { session, output }, permit)));
    }

    pub(super) fn publish_activity(&self, session: SessionId, activity: AgentActivity) {
        self.host.publish(HostEvent::Activity { run: self.run.clone(), session, activity });
    }

    /// Returns the directory of a task, and whether it is new. A new worktree must be within the disk budget.
    pub(super) fn find_or_create_task_directory(
        &self,
        task: &TaskId,
    ) -> Result<(PathBuf, bool), WorktreeError> {
        let Some(git) = &self.git else { return Ok((self.environment.project.clone(), false)) };
        if let Some(worktree) = git.find_worktree(task) {
            return Ok((worktree.path, false));
        }
        let HostState { data, disk_budget, .. } = &*self.host;
        let created =
            disk_budget.create_within(data, self.environment.disk_budget_bytes, || git.create_worktree(task));
        let (worktree, is_new) = created.map_err(WorktreeError::DiskBudget)?.map_err(WorktreeError::Git)?;
        Ok((worktree.path, is_new))
    }

    /// Returns the current tree of the project's folder, if it is in a git repository.
    pub(super) fn project_tree(&self) -> Option<String> {
        let temporary = self.host.run_folder(&self.run);
        let options = GitOptions::from_environment();
        let tree = repo::compute_checkout_tree(&self.environment.project, &options, &temporary);
        tree.unwrap_or_else(|error| {
            // A check is useful even if its tree is unknown.
            warn!(project = %self.environment.project.display(), error = &error as &dyn Error, "cannot read the tree of the project");
            None
        })
    }

    /// Reports to the run loop if there is space for worktrees, after removing unused ones if necessary.
    pub(super) fn report_available_space(&self) {
        let budget = self.environment.disk_budget_bytes;
        if budget.is_none_or(|budget| self.host.disk_budget.ensure_space(&self.host.data, budget)) {
            self.report_to_run_loop(Report::DiskSpaceAvailable);
        }
    }

    /// Returns the directory of a session without a task, and whether it is new.
    pub(super) fn find_or_create_session_directory(
        &self,
        session: SessionId,
    ) -> Result<(PathBuf, bool), RepoError> {
        match &self.git {
            Some(git) => git.create_session_worktree(session),
            None => Ok((self.environment.project.clone(), false)),
        }
    }

    /// Runs the project's set-up commands in the worktree of a task, once for each new worktree. What they change is not
    /// part of the work.
    pub(super) fn prepare_task_worktree(
        &self,
        directory: &Path,
        task: &TaskId,
        is_new: bool,
        stop_token: &StopToken,
    ) -> Result<(), String> {
        let name = task.to_file_name();
        let Some(git) = self.git.as_ref().filter(|_| !self.environment.setup.is_empty()) else {
            return self
                .set_up_worktree(directory, &name, Some(task), is_new, stop_token)
                .map_err(SetupError::into_text);
        };
        let work_file = self.host.run_folder(&self.run).join(format!("setup-{name}-work.json"));
        if is_new {
            let _ = fs::remove_file(&work_file);
        } else if self.ready_marker(&name).exists() && !work_file.exists() {
            return Ok(());
        }
        // Work is there if the set-up runs again because its packages were removed. After a failure the first work counts.
        let saved = fs::read(&work_file).ok().and_then(|bytes| serde_json::from_slice(&bytes).ok());
        let work: CheckedWork = match saved {
            Some(work) => work,
            None => {
                let snapshot = git.snapshot_worktree(task, "before the set-up", &[]);
                let WorktreeSnapshot { tree, large_files, .. } =
                    snapshot.map_err(|error| error_chain(&error))?;
                let work = CheckedWork { tree, commit: None, large_files };
                let bytes = serde_json::to_vec(&work).map_err(|error| error_chain(&error))?;
                fs::write(&work_file, bytes).map_err(|error| error_chain(&error))?;
                work
            }
        };
        self.set_up_worktree(directory, &name, Some(task), is_new, stop_token)
            .map_err(SetupError::into_text)?;
        git.record_setup_leftovers(task, &work.tree, &work.large_files)
            .map_err(|error| error_chain(&error))?;
        fs::remove_file(&work_file).map_err(|error| error_chain(&error))
    }

    /// Sets up the worktree of a session without a task, without the set-up commands if the run says so.
    pub(super) fn prepare_session_worktree(
        &self,
        directory: &Path,
        session: SessionId,
        runs_setup: bool,
        is_new: bool,
        stop_token: &StopToken,
    ) -> Result<(), String> {
        if !runs_setup {
            return self.copy_ignored_files(directory);
        }
        let name = session_worktree_name(session);
        self.set_up_worktree(directory, &name, None, is_new, stop_token).map_err(SetupError::into_text)
    }

    /// Removes the worktree of an ended session, after ending the processes that still run there. If that fails, the
    /// worktree is removed when space is needed, or on `clean`.
    pub(super) fn remove_session_worktree(&self, session: SessionId) -> Result<(), RepoError> {
        let Some(git) = &self.git else { return Ok(()) };
        end_session_processes_and_wait(self, session, GRACE);
        let removed = git.remove_session_worktree(session);
        if removed.is_err() {
            self.host.disk_budget.registry.add_ended_session(&self.run, git, session);
        }
        removed?;
        // A marker that stays has no effect: no other session gets this id.
        let _ = fs::remove_file(self.ready_marker(&session_worktree_name(session)));
        Ok(())
    }

    /// Registers the worktrees of the run: those of unfinished tasks are in use.
    pub(super) fn register_run(&self) {
        if let Some(git) = &self.git {
            self.host.disk_budget.registry.add_run(&self.run, git);
        }
    }

    /// Removes the worktrees of ended sessions that a killed server left.
    pub(super) fn remove_leftover_worktrees(&self, ended: &[SessionId]) {
        let existing = self.git.as_ref().map(RunGit::sessions_with_worktrees).unwrap_or_default();
        for session in existing.into_iter().filter(|session| ended.contains(session)) {
            if let Err(error) = self.remove_session_worktree(session) {
                // It is removed when space is needed, or on `clean`.
                warn!(%session, error = &error as &dyn Error, "cannot remove the worktree of an ended session");
            }
        }
    }

    /// Allows the removal of an ended task's worktree when space is needed.
    pub(super) fn release_worktree(&self, task: &TaskId, is_done: bool) {
        if let Some(git) = &self.git {
            self.host.disk_budget.registry.release(&self.run, git, task, is_done);
        }
    }

    /// Copies the configured files ignored by git from the project's folder.
    fn copy_ignored_files(&self, directory: &Path) -> Result<(), String> {
        // The project's folder has them.
        if self.git.is_none() {
            return Ok(());
        }
        copy_ignored_files(&self.environment.project, &self.environment.copy, directory)
    }

    /// Returns the path of the empty file that marks a worktree as set up.
    fn ready_marker(&self, name: &str) -> PathBuf {
        self.host.run_folder(&self.run).join(format!("ready-{name}"))
    }

    /// Sets up the worktree for checks of merged trees.
    ///
    /// Returns an error if the set-up timed out, so that the check cannot run. If a command of the set-up fails, perhaps
    /// because of the merged work, the check runs and fails too.
    pub(super) fn prepare_check_worktree(
        &self,
        directory: &Path,
        is_new: bool,
        task: Option<&TaskId>,
        stop_token: &StopToken,
    ) -> Result<(), String> {
        match self.set_up_worktree(directory, "check", task, is_new, stop_token) {
            Ok(()) | Err(SetupError::Failed(_)) => Ok(()),
            Err(SetupError::TimedOut(reason)) => Err(reason),
        }
    }

    fn set_up_worktree(
        &self,
        directory: &Path,
        name: &str,
        task: Option<&TaskId>,
        is_new: bool,
        stop_token: &StopToken,
    ) -> Result<(), SetupError> {
        // The user sets up the project's folder.
        if self.git.is_none() {
            return Ok(());
        }
        let marker = self.ready_marker(name);
        if is_new {
            // With the marker of an earlier worktree, a set-up that a crash cuts off would count as complete.
            match fs::remove_file(&marker) {
                Err(error) if error.kind() != io::ErrorKind::NotFound => {
                    return Err(SetupError::Failed(format!("cannot remove {}: {error}", marker.display())));
                }
                Ok(()) | Err(_) => {}
            }
        } else if marker.exists() {
            return Ok(());
        }
        self.copy_ignored_files(directory).map_err(SetupError::Failed)?;
        for (number, command) in self.environment.setup.iter().enumerate() {
            let name = format!("setup-{}-{number}", part_of_session_name(name));
            let job = Job {
                name: &name,
                command,
                directory,
                task,
                timeout_ms: self.environment.setup_timeout_ms,
                retries: 0,
                stop_token,
            };
            let result = run(self, &job).map_err(|error| SetupError::Failed(error.into_text()))?;
            let tail = result.output_tail.trim_end();
            if result.is_timed_out {
                return Err(SetupError::TimedOut(format!(
                    "the set-up command `{command}` timed out: {tail}"
                )));
            }
            if result.exit_status != Some(0) {
                return Err(SetupError::Failed(format!("the set-up command `{command}` failed: {tail}")));
            }
        }
        fs::write(marker, "").map_err(|error| SetupError::Failed(error_chain(&error)))
    }

    /// Returns the environment variables of all processes in a directory.
    pub(super) fn environment_variables(
        &self,
        task: Option<&TaskId>,
        directory: &Path,
    ) -> Vec<(String, String)> {
        // Set also if empty: a server that an agent started would otherwise pass on the variable of that agent.
        let task = task.map(ToString::to_string).unwrap_or_default();
        let folder = directory.file_name().map(|name| name.to_string_lossy()).unwrap_or_default();
        let owner = match &self.git {
            Some(_) => PortOwner::Worktree(&folder),
            None => PortOwner::InPlace { run: &self.run, task: &task },
        };
        let HostState { data, ports, .. } = &*self.host;
        let port_base = ports.first_port(data, &owner, self.environment.ports).to_string();
        [("JANGDAN_RUN", self.run.to_string()), ("JANGDAN_TASK", task), ("JANGDAN_PORT_BASE", port_base)]
            .map(|(name, value)| (name.to_owned(), value))
            .to_vec()
    }

    /// Returns the sandbox of checks and set-up commands, which run code that agents wrote.
    pub(super) fn sandbox_of_commands(&self) -> Sandbox {
        if self.environment.unconfined_checks { Sandbox::off() } else { self.sandbox() }
    }

    /// Returns the sandbox of agents.
    pub(super) fn sandbox(&self) -> Sandbox {
        let policy = match self.environment.sandbox {
            SandboxMode::Off => SandboxPolicy::Off,
            SandboxMode::Worktree => SandboxPolicy::Worktree,
            SandboxMode::Required => SandboxPolicy::Required,
        };
        let caches = if self.environment.private_caches {
            let project = &self.environment.project;
            let hash = hex(&Sha256::digest(project.as_os_str().as_encoded_bytes()));
            let name: String = hash.chars().take(CACHE_NAME_CHARS).collect();
            PackageCaches::Private(self.host.data.join("caches").join(name))
        } else {
            PackageCaches::Shared
        };
        Sandbox { policy, write: self.environment.sandbox_write.clone(), caches }
    }

    /// Saves a permission for later runs of the project.
    pub(super) fn save_permission_rule(&self, pattern: &str, allowed: bool) -> io::Result<()> {
        save_permission(&self.host.data, &self.environment.project, pattern, allowed)
    }
}

/// Returns the name of a session's file with environment variables.
fn environment_file_name(run: &RunId, session: SessionId) -> String {
    format!("{run}-{session}")
}

/// Returns the name of a worktree as part of the name of a session, whose length and characters are limited.
///
/// Long ids, and ids with a slash, are replaced by a form that no id of a task has.
fn part_of_session_name(worktree: &str) -> Cow<'_, str> {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.');
    if worktree.len() <= SESSION_NAME_PART_BYTES_MAX && worktree.bytes().all(is_plain) {
        return Cow::Borrowed(worktree);
    }
    let digest = Sha256::digest(worktree.as_bytes());
    let number =
        digest.iter().take(size_of::<u64>()).fold(0, |number: u64, &byte| number << 8 | u64::from(byte));
    Cow::Owned(format!("task_{number}"))
}

/// Returns the name of a session's worktree in its ready marker.
fn session_worktree_name(session: SessionId) -> String {
    format!("desk-{session}")
}
