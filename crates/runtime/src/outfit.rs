//! What a run needs of this machine, beyond what the engine must know: folders, presets, set-up commands.
//!
//! Written beside the log before the run starts, so that a restart finds the same. Nothing in it decides anything.

use std::{
    collections::BTreeMap,
    fs, io,
    path::{Component, Path, PathBuf},
};

use domain::{AgentName, Budget, PlannedWork};
use serde::{Deserialize, Serialize};

const FILE: &str = "outfit.json";

/// What a run needs of this machine.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct Outfit {
    /// The project's folder.
    #[cfg_attr(feature = "openapi", schema(value_type = String))]
    pub project: PathBuf,
    /// Where its agents work.
    pub isolation: Isolation,
    /// Which preset each member of the team has.
    pub agents: BTreeMap<AgentName, String>,
    /// Presets of the project's own, and what it changes about ours.
    #[serde(default)]
    #[cfg_attr(feature = "openapi", schema(value_type = Object))]
    pub presets: toml::Table,
    /// What is run in a new worktree before an agent comes in.
    #[serde(default)]
    pub setup: Vec<String>,
    /// Files that git ignores and that a new worktree gets all the same, from the project's folder on.
    #[serde(default)]
    #[cfg_attr(feature = "openapi", schema(value_type = Vec<String>))]
    pub copy: Vec<PathBuf>,
    /// Whether worktrees have the submodules that the project's folder has.
    #[serde(default = "yes")]
    pub submodules: bool,
    /// How much room the worktrees of the data directory may take; as much as they like where nothing is said.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub disk_budget_bytes: Option<u64>,
    /// The ports that tasks share out.
    #[serde(default)]
    pub ports: Ports,
    /// How agents are kept in.
    #[serde(default)]
    pub sandbox: SandboxMode,
    /// What they may write to all the same.
    #[serde(default)]
    #[cfg_attr(feature = "openapi", schema(value_type = Vec<String>))]
    pub sandbox_write: Vec<PathBuf>,
    /// The project's own template of a task's prompt.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub template: Option<String>,
    /// The file that the plan came from.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(value_type = Option<String>))]
    pub plan: Option<PathBuf>,
    /// How that file is read.
    #[serde(default)]
    pub reading: PlanReading,
}

/// How a plan file is read, so that it means the same whenever it is read again.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct PlanReading {
    /// The format, where it is not to be found out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub format: Option<String>,
    /// Whether optional tasks are done too.
    #[serde(default)]
    pub with_optional: bool,
    /// Who tests tasks that name nobody for it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tester: Option<AgentName>,
    /// What a task may cost that says nothing of it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub task_budget: Option<Budget>,
    /// What a phase may cost.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub phase_budgets: Vec<Budget>,
    /// Who does tasks that name nobody.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub worker: Option<AgentName>,
    /// How much memory whoever does a task may have, and so how much the task needs, in MiB.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub memory_mib: BTreeMap<AgentName, u64>,
    /// Whether the boxes of done tasks are ticked in the file.
    #[serde(default)]
    pub write_back: bool,
}

impl PlanReading {
    /// Gives tasks and phases what the plan leaves open.
    pub fn complete(&self, work: &mut PlannedWork) {
        for task in &mut work.tasks {
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

    /// Returns how the reader of plans is to take the file.
    pub(crate) fn options(&self) -> plan::ParseOptions {
        plan::ParseOptions { format: self.format.as_ref().and_then(|name| name.parse().ok()) }
    }
}

fn yes() -> bool {
    true
}

/// Where agents work.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(tag = "type", rename_all = "camelCase", rename_all_fields = "camelCase")]
pub enum Isolation {
    /// Each task in a worktree of its own.
    Worktrees {
        /// The commit that the run starts from.
        base: String,
        /// The branch on which it lands; none where nobody is on one.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        target: Option<String>,
    },
    /// All in the project's own folder.
    InPlace,
}

/// The ports that tasks share out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct Ports {
    /// The first.
    pub first: u16,
    /// The last.
    pub last: u16,
    /// How many each task has for itself.
    pub per_task: u16,
}

impl Default for Ports {
    fn default() -> Self {
        Self { first: 20_000, last: 29_999, per_task: 10 }
    }
}

/// How agents are kept in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub enum SandboxMode {
    /// Not at all.
    #[default]
    Off,
    /// Where the machine can: an agent writes to its worktree and its own state alone.
    Worktree,
    /// As before, or it does not start.
    Required,
}

impl Outfit {
    /// Returns a file that would be taken from elsewhere than the project, or be put elsewhere than into a worktree.
    pub(crate) fn leads_out(&self) -> Option<&Path> {
        let is_inside = |part: Component<'_>| matches!(part, Component::Normal(_) | Component::CurDir);
        self.copy.iter().map(PathBuf::as_path).find(|path| !path.components().all(is_inside))
    }

    /// Writes it into a run's folder, whole or not at all.
    pub(crate) fn write(&self, folder: &Path) -> io::Result<()> {
        fs::create_dir_all(folder)?;
        let text = serde_json::to_vec_pretty(self).map_err(io::Error::other)?;
        let new = folder.join("outfit.new");
        fs::write(&new, text)?;
        fs::File::open(&new)?.sync_all()?;
        fs::rename(&new, folder.join(FILE))
    }

    /// Reads it from a run's folder.
    pub(crate) fn read(folder: &Path) -> io::Result<Self> {
        let bytes = fs::read(folder.join(FILE))?;
        serde_json::from_slice(&bytes).map_err(io::Error::other)
    }
}

#[cfg(test)]
mod tests {
    use domain::{PlannedPhase, PlannedTask, PlannedWork};

    use super::PlanReading;

    #[test]
    fn what_a_plan_leaves_open_is_settled_and_what_it_says_stays() {
        let phase = |number: u32, budgets: &[&str]| PlannedPhase {
            number,
            name: String::new(),
            after: Vec::new(),
            verify: None,
            artefacts: Vec::new(),
            budgets: budgets.iter().map(|budget| budget.parse().unwrap()).collect(),
        };
        let task = |id: &str| PlannedTask::new(id.parse().unwrap(), 1, String::new());
        let said = PlannedTask {
            tester: Some("own".parse().unwrap()),
            budget: Some("1k".parse().unwrap()),
            ..task("T1.2")
        };
        let open = PlannedWork {
            title: String::new(),
            phases: vec![phase(1, &[]), phase(2, &["$1"])],
            tasks: vec![task("T1.1"), said],
        };
        let mut work = open.clone();
        PlanReading::default().complete(&mut work);
        assert_eq!(work, open);
        let reading = PlanReading {
            tester: Some("codex".parse().unwrap()),
            task_budget: Some("5k".parse().unwrap()),
            phase_budgets: vec!["$3".parse().unwrap()],
            worker: Some("claude".parse().unwrap()),
            memory_mib: std::collections::BTreeMap::from([("claude".parse().unwrap(), 512)]),
            ..PlanReading::default()
        };
        reading.complete(&mut work);
        let mut expected = open;
        expected.tasks[0].tester = Some("codex".parse().unwrap());
        expected.tasks[0].budget = Some("5k".parse().unwrap());
        expected.tasks.iter_mut().for_each(|task| task.memory_mib = 512);
        expected.phases[0].budgets = vec!["$3".parse().unwrap()];
        assert_eq!(work, expected);
    }
}
