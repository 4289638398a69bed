//! Prepares a run from a plan, the configuration and the agents of this machine.
//!
//! The terminal and the page both start runs with it. Prints nothing and starts nothing.

mod config_sources;
mod error;
pub mod input;
mod loaded_plan;
mod location;
mod plan_files;
mod team;

use std::{
    collections::BTreeMap,
    env,
    path::{Path, PathBuf},
};

use crate::{LandStrategy, NewRun, PlanOptions, Ports, RunEnvironment, SandboxMode};
use ::config::Config;
use domain::{AgentName, PermissionMode, PermissionPolicy};
use sessions::detect::AgentDetector;

use location::RunLocation;

pub use error::PrepareError;
pub use loaded_plan::LoadedPlan;
pub use plan_files::{NAMES as PLAN_NAMES, PlanFile, find_plan_files};

pub use config_sources::ConfigSources;

/// Options of a run.
#[derive(Debug, Clone, Default)]
pub struct RunOptions {
    /// Whether optional tasks are included.
    pub with_optional: bool,
    /// Agent for tasks that name none; overrides the configuration.
    pub agent: Option<String>,
    /// Whether all agents work in the project's folder instead of worktrees.
    pub in_place: bool,
    /// User who starts the run.
    pub person: String,
}

/// A run that is ready to start.
#[derive(Debug)]
pub struct PreparedRun {
    /// Request for the server.
    pub new: NewRun,
    /// Defaults that were chosen and other remarks for the user.
    pub notes: Vec<String>,
}

/// Checks the plan, finds the repository and assembles the team.
pub fn prepare_run(
    project: &Path,
    config: &Config,
    plan: &LoadedPlan,
    options: &RunOptions,
) -> Result<PreparedRun, PrepareError> {
    plan.check_valid()?;
    let mut notes = Vec::new();
    let mut work = engine::planned_work(&plan.reading.plan, options.with_optional);
    let location = location::find(project, &config.worktree, options.in_place)?;
    notes.extend(uncommitted_note(&location, plan.file.as_deref()));
    notes.extend(location.notes);
    let team = team::assemble_team(config, &work, options.agent.as_deref())?;
    notes.extend(team::check_programs(&team, config, &AgentDetector::from_environment())?);
    notes.extend(team.note);
    let plan_options = PlanOptions {
        format: plan.format.map(|format| format.to_string()),
        with_optional: options.with_optional,
        tester: team.tester,
        task_budget: config.budgets.task,
        phase_budgets: config.budgets.phase.clone(),
        worker: team.members.first().map(|member| member.name.clone()),
        memory_mib: memory_limits(config, &team.presets),
        write_back: config.write_back,
    };
    plan_options.apply_defaults(&mut work);
    let template = config.template.as_deref().map(read_template).transpose()?;
    let environment = RunEnvironment {
        project: location.root.clone(),
        isolation: location.isolation,
        agents: team.presets,
        presets: config.agents.clone(),
        setup: config.worktree.setup.clone(),
        copy: config.worktree.copy.clone(),
        submodules: config.worktree.submodules,
        disk_budget_bytes: config.worktree.disk_budget_bytes,
        check_retries: config.check_retries,
        prices: config.prices.clone(),
        ports: Ports {
            first: config.worktree.ports.first,
            last: config.worktree.ports.last,
            per_task: config.worktree.ports.per_task,
        },
        sandbox: match config.sandbox.mode {
            ::config::SandboxMode::Off => SandboxMode::Off,
            ::config::SandboxMode::Worktree => SandboxMode::Worktree,
            ::config::SandboxMode::Required => SandboxMode::Required,
        },
        sandbox_write: config.sandbox.write.clone(),
        must_ask: must_ask(&config.settings.permissions),
        land_strategy: match config.land_strategy {
            ::config::LandStrategy::Merge => LandStrategy::Merge,
            ::config::LandStrategy::Squash => LandStrategy::Squash,
        },
        template,
        plan: plan.file.clone(),
        plan_options,
    };
    let name = location.root.file_name().map(|name| name.to_string_lossy().into_owned());
    let new = NewRun {
        project: name.unwrap_or_else(|| location.root.display().to_string()),
        work,
        settings: config.settings.clone(),
        team: team.members,
        environment,
        person: options.person.clone(),
    };
    Ok(PreparedRun { new, notes })
}

/// Returns whether rules of the user decide about edits in the worktree: patterns that deny, or the mode `ask`.
fn must_ask(policy: &PermissionPolicy) -> bool {
    let asks = match policy.mode {
        PermissionMode::Ask => true,
        PermissionMode::Worktree | PermissionMode::All => false,
    };
    asks || !policy.deny.is_empty()
}

/// Returns a remark about changes in the user's checkout that agents do not see.
fn uncommitted_note(location: &RunLocation, plan: Option<&Path>) -> Option<String> {
    const NAMED_MAX: usize = 3;
    // Jangdan reads these from the checkout itself.
    let is_read_here = |path: &PathBuf| {
        path.ends_with(::config::PROJECT_FILE) || plan.is_some_and(|plan| plan == location.root.join(path))
    };
    let files: Vec<&PathBuf> = location.uncommitted.iter().filter(|path| !is_read_here(path)).collect();
    let named: Vec<String> = files.iter().take(NAMED_MAX).map(|path| path.display().to_string()).collect();
    let more = match files.len() - named.len() {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    let note = "Agents start from the last commit and do not see your uncommitted changes";
    (!files.is_empty()).then(|| format!("{note}: {}{more}.", named.join(", ")))
}

/// Returns the memory limit of each member that has one, in MiB.
fn memory_limits(config: &Config, presets: &BTreeMap<AgentName, String>) -> BTreeMap<AgentName, u64> {
    let of = |preset: &String| drivers::preset::resolve_preset(preset, &config.agents).ok()?.memory_mib;
    presets.iter().filter_map(|(name, preset)| Some((name.clone(), of(preset)?))).collect()
}

/// Returns the login name of the user, or `person` if the environment has none.
pub fn user_name() -> String {
    let set = |name| env::var(name).ok().filter(|value| !value.trim().is_empty());
    set("USER").or_else(|| set("LOGNAME")).unwrap_or_else(|| "person".to_owned())
}

fn read_template(path: &Path) -> Result<String, PrepareError> {
    std::fs::read_to_string(path).map_err(|source| PrepareError::Template { path: path.to_owned(), source })
}

#[cfg(test)]
mod tests {
    use std::path::{Path, PathBuf};

    use super::{RunLocation, uncommitted_note};
    use crate::Isolation;

    fn note_about(files: &[&str]) -> Option<String> {
        let location = RunLocation {
            root: PathBuf::from("/project"),
            isolation: Isolation::InPlace,
            uncommitted: files.iter().map(PathBuf::from).collect(),
            notes: Vec::new(),
        };
        uncommitted_note(&location, Some(Path::new("/project/docs/TASKS.md")))
    }

    #[test]
    fn uncommitted_changes_that_agents_do_not_see_are_mentioned() {
        assert_eq!(note_about(&[]), None);
        assert_eq!(note_about(&["docs/TASKS.md", "jangdan.toml"]), None);
        let note = note_about(&["a", "b", "c", "d", "docs/TASKS.md"]).unwrap();
        assert!(note.ends_with("do not see your uncommitted changes: a, b, c and 1 more."), "{note}");
    }
}
