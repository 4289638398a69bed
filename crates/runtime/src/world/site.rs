//! What everybody who works for a run has at hand.

use std::{
    error::Error,
    fs, io,
    path::{Path, PathBuf},
    sync::{Arc, mpsc::SyncSender},
    time::Duration,
};

use domain::{Command, Role, RunId, SessionId, TaskId};
use repo::{GitOptions, RepoError};
use sessions::{Sandbox, SandboxPolicy};

use super::{
    bring::bring,
    job::{Job, run},
    leash::Leash,
    process::end_for_good,
    turns::Turns,
};
use crate::{
    Glimpse, Published,
    choices::keep_permission,
    crank::Mail,
    disk::NoRoom,
    git::Git,
    host::Shared,
    outfit::{Outfit, SandboxMode},
    ports::Place,
};

/// How long a set-up command may take.
const SETUP_MS_MAX: u64 = 30 * 60 * 1000;

/// How long whoever sits in the way may take to leave.
const GRACE: Duration = Duration::from_secs(1);

pub(super) struct Site {
    pub(super) shared: Arc<Shared>,
    pub(super) run: RunId,
    pub(super) outfit: Outfit,
    pub(super) git: Option<Git>,
    pub(super) turns: Turns,
    pub(super) mail: SyncSender<Mail>,
}

/// Why a task has no place to be worked at.
pub(super) enum NoPlace {
    Git(RepoError),
    Room(NoRoom),
}

impl Site {
    /// Tells the loop what the world did. A loop that is gone asks again with the next start.
    pub(super) fn report(&self, command: Command) {
        drop(self.mail.send(Mail::report(command)));
    }

    /// Tells the loop what an agent said.
    pub(super) fn said(&self, session: SessionId, command: Command) {
        drop(self.mail.send(Mail::said(session, command)));
    }

    pub(super) fn glimpse(&self, session: SessionId, what: Glimpse) {
        self.shared.publish(Published::Seen { run: self.run.clone(), session, what });
    }

    /// Returns where a task is worked at, and whether nobody was there before. A new worktree needs room.
    pub(super) fn place(&self, task: &TaskId) -> Result<(PathBuf, bool), NoPlace> {
        let Some(git) = &self.git else { return Ok((self.outfit.project.clone(), false)) };
        if let Some(worktree) = git.existing(task) {
            return Ok((worktree.path, false));
        }
        let Shared { data, disk, .. } = &*self.shared;
        let made = disk.with_room(data, self.outfit.disk_budget_bytes, || git.worktree(task));
        let (worktree, is_new) = made.map_err(NoPlace::Room)?.map_err(NoPlace::Git)?;
        Ok((worktree.path, is_new))
    }

    /// Returns the tree that the project's folder is now, where all work in it and git knows it.
    pub(super) fn tree_in_place(&self) -> Option<String> {
        let beside = self.shared.folder(&self.run);
        let tree = repo::checkout_tree(&self.outfit.project, &GitOptions::from_environment(), &beside);
        // A check is worth having also where nobody can tell what it was of.
        tree.ok().flatten()
    }

    /// Looks whether there is room for worktrees again, and says so.
    pub(super) fn look_for_room(&self) {
        let budget = self.outfit.disk_budget_bytes;
        if budget.is_none_or(|budget| self.shared.disk.has_room(&self.shared.data, budget)) {
            self.report(Command::ReportDiskSpaceAvailable);
        }
    }

    /// Returns where somebody sits who works at no task, and whether nobody was there before.
    pub(super) fn desk(&self, session: SessionId) -> Result<(PathBuf, bool), RepoError> {
        match &self.git {
            Some(git) => git.desk(session),
            None => Ok((self.outfit.project.clone(), false)),
        }
    }

    /// Runs the project's set-up commands in a worktree, once for each that is made.
    pub(super) fn set_up(
        &self,
        place: &Path,
        task: &TaskId,
        is_new: bool,
        leash: &Leash,
    ) -> Result<(), String> {
        self.run_set_up(place, &task.to_string(), Some(task), is_new, leash)
    }

    /// Makes a desk ready. Whoever leads others must not wait for packages: questions wait for them.
    pub(super) fn set_up_desk(
        &self,
        place: &Path,
        session: SessionId,
        role: Role,
        is_new: bool,
        leash: &Leash,
    ) -> Result<(), String> {
        match role {
            Role::Orchestrator | Role::Operator => self.bring_files(place),
            Role::Verifier | Role::Specialist | Role::Tester | Role::Worker => {
                self.run_set_up(place, &format!("desk-{session}"), None, is_new, leash)
            }
        }
    }

    /// Removes a desk of a session that is over. One that can't be goes when room is needed, or when somebody cleans up.
    pub(super) fn clear_desk(&self, session: SessionId) {
        if let Some(git) = &self.git
            && git.remove_desk(session).is_ok()
        {
            let _ = fs::remove_file(self.mark(&format!("desk-{session}")));
        }
    }

    /// Removes all desks of a run that is over, with whoever has not left yet.
    pub(super) fn clear_desks(&self) {
        for session in self.git.as_ref().map(Git::desks).unwrap_or_default() {
            end_for_good(self, session, GRACE);
            self.clear_desk(session);
        }
    }

    /// Brings files along that git ignores.
    fn bring_files(&self, place: &Path) -> Result<(), String> {
        // The project's own folder has them.
        if self.git.is_none() {
            return Ok(());
        }
        bring(&self.outfit.project, &self.outfit.copy, place)
    }

    /// Returns the file that says that a place is set up.
    fn mark(&self, name: &str) -> PathBuf {
        self.shared.folder(&self.run).join(format!("ready-{name}"))
    }

    /// Runs them where merged trees are checked. Where that fails, the check will say so.
    pub(super) fn prepare(&self, place: &Path, is_new: bool, task: Option<&TaskId>, leash: &Leash) {
        drop(self.run_set_up(place, "check", task, is_new, leash));
    }

    fn run_set_up(
        &self,
        place: &Path,
        name: &str,
        task: Option<&TaskId>,
        is_new: bool,
        leash: &Leash,
    ) -> Result<(), String> {
        // The project's own folder is as its people want it.
        if self.git.is_none() {
            return Ok(());
        }
        let mark = self.mark(name);
        if is_new {
            let _ = fs::remove_file(&mark);
        } else if mark.exists() {
            return Ok(());
        }
        self.bring_files(place)?;
        for (number, command) in self.outfit.setup.iter().enumerate() {
            let name = format!("setup-{name}-{number}");
            let job = Job {
                name: &name,
                command,
                place,
                task,
                time_max_ms: SETUP_MS_MAX,
                leash,
                is_of_agents: false,
            };
            let ended = run(self, &job)?;
            if ended.exit_status != Some(0) {
                let tail = ended.output_tail.trim_end();
                return Err(format!("the set-up command `{command}` failed: {tail}"));
            }
        }
        fs::write(mark, "").map_err(|error| chain(&error))
    }

    /// Returns variables that every process of a place finds.
    pub(super) fn variables(&self, task: Option<&TaskId>, place: &Path) -> Vec<(String, String)> {
        // Empty, not absent: a server that an agent started would else hand on that agent's.
        let task = task.map(ToString::to_string).unwrap_or_default();
        let folder = place.file_name().map(|name| name.to_string_lossy()).unwrap_or_default();
        let place = match &self.git {
            Some(_) => Place::Worktree(&folder),
            None => Place::InPlace { run: &self.run, whose: &task },
        };
        let Shared { data, ports, .. } = &*self.shared;
        let port_base = ports.first(data, &place, self.outfit.ports).to_string();
        [("JANGDAN_RUN", self.run.to_string()), ("JANGDAN_TASK", task), ("JANGDAN_PORT_BASE", port_base)]
            .map(|(name, value)| (name.to_owned(), value))
            .to_vec()
    }

    pub(super) fn sandbox(&self) -> Sandbox {
        let policy = match self.outfit.sandbox {
            SandboxMode::Off => SandboxPolicy::Off,
            SandboxMode::Worktree => SandboxPolicy::Worktree,
            SandboxMode::Required => SandboxPolicy::Required,
        };
        Sandbox { policy, write: self.outfit.sandbox_write.clone() }
    }

    /// Writes a choice about a permission down for later runs of the project.
    pub(super) fn keep_permission(&self, pattern: &str, allowed: bool) -> io::Result<()> {
        keep_permission(&self.shared.data, &self.outfit.project, pattern, allowed)
    }
}

/// Returns an error with all its causes, in a line.
pub(super) fn chain(error: &dyn Error) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        text.push_str(": ");
        text.push_str(&error.to_string());
        cause = error.source();
    }
    text
}
