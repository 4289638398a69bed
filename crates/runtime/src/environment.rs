//! The environment of a run on this machine: folders, presets, set-up commands, limits. The engine does not use it.
//!
//! Written into the run's folder before the run starts, so that it is the same after a restart.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs, io,
    path::{Component, Path, PathBuf},
};

use domain::{AgentName, Budget, ModelPrice, PlanStatus, PlannedWork, TaskId};
use serde::{Deserialize, Serialize};

use crate::{
    commit_style::CommitStyle,
    prepare::ConfigSources,
    private_data::{create_private_directory, write_private_file},
    variable_values::{fill_in_values, has_missing_values, without_values},
};

const FILE: &str = "environment.json";
/// Name of the file in runs of earlier versions. Read if the run's folder has no [`FILE`].
const FILE_OF_EARLIER_VERSIONS: &str = "outfit.json";

/// The environment of a run on this machine.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct RunEnvironment {
    /// Folder of the project.
    #[cfg_attr(feature = "openapi", schema(value_type = String))]
    pub project: PathBuf,
    /// Where agents work.
    pub isolation: Isolation,
    /// Preset of each team member.
    pub agents: BTreeMap<AgentName, String>,
    /// Presets of the project and its changes to built-in ones.
    #[serde(default)]
    #[cfg_attr(feature = "openapi", schema(value_type = Object))]
    pub presets: toml::Table,
    /// Commands that run in a new worktree before an agent starts there.
    #[serde(default)]
    pub setup: Vec<String>,
    /// Time limit of each of them in milliseconds.
    #[serde(default = "default_setup_timeout_ms")]
    pub setup_timeout_ms: u64,
    /// Files ignored by git that are copied into new worktrees; paths relative to the project's folder.
    #[serde(default)]
    #[cfg_attr(feature = "openapi", schema(value_type = Vec<String>))]
    pub copy: Vec<PathBuf>,
    /// Names of untracked files and folders that are not committed; `*` matches any characters.
    #[serde(default)]
    pub caches: Vec<String>,
    /// Size above which untracked files are committed only if the user says so; no limit if absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_file_bytes: Option<u64>,
    /// Whether the project's submodules are checked out in worktrees.
    #[serde(default = "default_true")]
    pub submodules: bool,
    /// Disk space that all worktrees of the data directory may use; unlimited if absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub disk_budget_bytes: Option<u64>,
    /// Prices of models whose cost the agents do not report.
    #[serde(default)]
    pub prices: BTreeMap<String, ModelPrice>,
    /// Ports that are divided among tasks.
    #[serde(default)]
    pub ports: Ports,
    /// How agents are confined.
    #[serde(default)]
    pub sandbox: SandboxMode,
    /// Paths that confined agents may write to.
    #[serde(default)]
    #[cfg_attr(feature = "openapi", schema(value_type = Vec<String>))]
    pub sandbox_write: Vec<PathBuf>,
    /// Whether confined programs write to caches of package managers that only the project has.
    #[serde(default)]
    pub private_caches: bool,
    /// Whether checks and set-up commands are not confined.
    #[serde(default)]
    pub unconfined_checks: bool,
    /// Report files that checks write; paths relative to the directory in which they run.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[cfg_attr(feature = "openapi", schema(value_type = Vec<String>))]
    pub check_reports: Vec<PathBuf>,
    /// Author, message and number of the commits with the work of agents.
    #[serde(default)]
    pub commit: CommitStyle,
    /// Whether the user's rules must decide every edit and command: also agents with a sandbox of their own then ask.
    #[serde(default)]
    pub must_ask: bool,
    /// How the run's work is brought into a branch that has moved on.
    #[serde(default)]
    pub land_strategy: LandStrategy,
    /// Age in milliseconds from which saved states may be deleted after the run; never if absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub refs_after_ms: Option<u64>,
    /// Disk space of saved states above which the oldest may be deleted after the run; unlimited if absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub refs_budget_bytes: Option<u64>,
    /// The project's template of a task's prompt.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub template: Option<String>,
    /// Path of the plan file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(value_type = Option<String>))]
    pub plan: Option<PathBuf>,
    /// How the plan file is interpreted.
    #[serde(default, alias = "reading")]
    pub plan_options: PlanOptions,
}

/// How a plan file is interpreted. Kept with the run, so that later reads give the same result.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct PlanOptions {
    /// Format of the plan; detected if absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub format: Option<String>,
    /// Tag of Task Master that is read; `master` or the first if absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tag: Option<String>,
    /// Whether optional tasks are included.
    #[serde(default)]
    pub with_optional: bool,
    /// Tester of tasks that name none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tester: Option<AgentName>,
    /// Budget of tasks that have none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub task_budget: Option<Budget>,
    /// Budgets of phases that have none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub phase_budgets: Vec<Budget>,
    /// Worker of tasks that name none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub worker: Option<AgentName>,
    /// Memory limit of each agent in MiB, which is also the memory that its tasks require.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub memory_mib: BTreeMap<AgentName, u64>,
    /// Whether the checkboxes of completed tasks are ticked in the file. Also a setting of the run, except in runs of earlier
    /// versions.
    #[serde(default)]
    pub write_back: bool,
    /// Open tasks of the file that an earlier run did; they count as done.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub done_before: BTreeSet<TaskId>,
}

impl PlanOptions {
    /// Fills in the properties of tasks and phases that the plan does not set.
    pub fn apply_defaults(&self, work: &mut PlannedWork) {
        for task in &mut work.tasks {
            if task.plan_status == PlanStatus::Open && self.done_before.contains(&task.id) {
                task.plan_status = PlanStatus::Done;
            }
            task.budget = task.budget.or(self.task_budget);
            task.tester = task.tester.take().or_else(|| self.tester.clone());
            let memory =
                task.agent.as_ref().or(self.worker.as_ref()).and_then(|name| self.memory_mib.get(name));
            if task.memory_mib == 0 {
                task.memory_mib = memory.copied().unwrap_or(0);
            }
        }
        for phase in &mut work.phases {
            if phase.budgets.is_empty() {
                phase.budgets.clone_from(&self.phase_budgets);
            }
        }
    }

    pub(crate) fn to_parse_options(&self) -> plan::ParseOptions<'_> {
        plan::ParseOptions {
            format: self.format.as_ref().and_then(|name| name.parse().ok()),
            tag: self.tag.as_deref(),
        }
    }
}

/// Time limit of a set-up command in runs of earlier versions.
fn default_setup_timeout_ms() -> u64 {
    30 * 60 * 1000
}

fn default_true() -> bool {
    true
}

/// Where agents work.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(tag = "type", rename_all = "camelCase", rename_all_fields = "camelCase")]
pub enum Isolation {
    /// Each task has its own worktree.
    Worktrees {
        /// Commit that the run starts from.
        base: String,
        /// Branch that the work is merged into; absent if none was checked out.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        target: Option<String>,
    },
    /// All agents work in the project's folder.
    InPlace,
}

/// How the work of a run is brought into a branch of the user.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub enum LandStrategy {
    /// With its commits: a fast-forward if possible, else a merge commit.
    #[default]
    Merge,
    /// With its commits: a fast-forward if possible, else copies of them.
    Rebase,
    /// As one commit.
    Squash,
}

/// A range of ports that is divided among tasks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct Ports {
    /// First port of the range.
    pub first: u16,
    /// Last port of the range.
    pub last: u16,
    /// Number of ports of each task.
    pub per_task: u16,
}

impl Default for Ports {
    fn default() -> Self {
        Self { first: 20_000, last: 29_999, per_task: 10 }
    }
}

/// How agents are confined.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub enum SandboxMode {
    /// Agents are not confined.
    #[default]
    Off,
    /// An agent can write only to its worktree and its own state, if the machine supports that.
    Worktree,
    /// Like `Worktree`; the agent does not start if the machine does not support it.
    Required,
}

impl RunEnvironment {
    /// Returns the first path of `copy` that is not inside the project.
    pub(crate) fn find_copy_path_outside_project(&self) -> Option<&Path> {
        let is_inside = |part: Component<'_>| matches!(part, Component::Normal(_) | Component::CurDir);
        self.copy.iter().map(PathBuf::as_path).find(|path| !path.components().all(is_inside))
    }

    /// Writes the environment into a run's folder, atomically, without values of variables.
    pub(crate) fn write(&self, folder: &Path) -> io::Result<()> {
        create_private_directory(folder)?;
        let stored = Self { presets: without_values(&self.presets), ..self.clone() };
        let text = serde_json::to_vec_pretty(&stored).map_err(io::Error::other)?;
        let new = folder.join("environment.new");
        write_private_file(&new, &text)?;
        fs::rename(&new, folder.join(FILE))
    }

    /// Reads the environment from a run's folder, with the values of variables that the configuration has now.
    pub(crate) fn read_with_values(folder: &Path) -> io::Result<Self> {
        let mut environment = Self::read(folder)?;
        if has_missing_values(&environment.presets) {
            let loaded =
                ConfigSources::read(&environment.project, &[]).ok().and_then(|sources| sources.load().ok());
            let configured = loaded.map(|loaded| loaded.config.agents).unwrap_or_default();
            fill_in_values(&mut environment.presets, &configured);
        }
        Ok(environment)
    }

    /// Reads the environment from a run's folder.
    pub fn read(folder: &Path) -> io::Result<Self> {
        let bytes = match fs::read(folder.join(FILE)) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                fs::read(folder.join(FILE_OF_EARLIER_VERSIONS))?
            }
            read => read?,
        };
        serde_json::from_slice(&bytes).map_err(io::Error::other)
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use domain::{PlannedPhase, PlannedTask, PlannedWork};

    use super::{FILE, FILE_OF_EARLIER_VERSIONS, PlanOptions, RunEnvironment};

    #[test]
    fn file_of_an_earlier_version_is_read_if_it_is_the_only_one() {
        let folder = tempfile::tempdir().unwrap();
        let read = || RunEnvironment::read(folder.path());
        assert_eq!(read().unwrap_err().kind(), std::io::ErrorKind::NotFound);
        let text = r#"{"project": "/shop", "isolation": {"type": "inPlace"}, "agents": {"ann": "claude"},
                       "reading": {"withOptional": true}}"#;
        fs::write(folder.path().join(FILE_OF_EARLIER_VERSIONS), text).unwrap();
        let earlier = read().unwrap();
        assert_eq!(earlier.project, std::path::Path::new("/shop"));
        assert!(earlier.plan_options.with_optional, "{earlier:?}");

        let newer = RunEnvironment { project: "/store".into(), ..earlier };
        newer.write(folder.path()).unwrap();
        assert!(folder.path().join(FILE).exists());
        assert_eq!(read().unwrap(), newer);
    }

    #[test]
    fn defaults_fill_in_only_what_the_plan_does_not_set() {
        let phase = |number: u32, budgets: &[&str]| PlannedPhase {
            number,
            name: String::new(),
            after: Vec::new(),
            verify: None,
            artefacts: Vec::new(),
            budgets: budgets.iter().map(|budget| budget.parse().unwrap()).collect(),
        };
        let task = |id: &str| PlannedTask::new(id.parse().unwrap(), 1, String::new());
        let complete = PlannedTask {
            tester: Some("own".parse().unwrap()),
            budget: Some("1k".parse().unwrap()),
            ..task("T1.2")
        };
        let planned = PlannedWork {
            title: String::new(),
            phases: vec![phase(1, &[]), phase(2, &["$1"])],
            tasks: vec![task("T1.1"), complete],
        };
        let mut work = planned.clone();
        PlanOptions::default().apply_defaults(&mut work);
        assert_eq!(work, planned);
        let options = PlanOptions {
            tester: Some("codex".parse().unwrap()),
            task_budget: Some("5k".parse().unwrap()),
            phase_budgets: vec!["$3".parse().unwrap()],
            worker: Some("claude".parse().unwrap()),
            memory_mib: std::collections::BTreeMap::from([("claude".parse().unwrap(), 512)]),
            ..PlanOptions::default()
        };
        options.apply_defaults(&mut work);
        let mut expected = planned;
        expected.tasks[0].tester = Some("codex".parse().unwrap());
        expected.tasks[0].budget = Some("5k".parse().unwrap());
        expected.tasks.iter_mut().for_each(|task| task.memory_mib = 512);
        expected.phases[0].budgets = vec!["$3".parse().unwrap()];
        assert_eq!(work, expected);
    }
}
