//! From a plan, the configuration and this machine to a run that can begin.
//!
//! Whoever starts a run, at a terminal or from the page, starts it by this. Nothing is said to a person here, and nothing
//! has begun.

mod error;
pub mod input;
mod place;
mod plan;
mod plans;
mod settings;
mod team;

use std::{collections::BTreeMap, env, path::Path};

use crate::{NewRun, Outfit, PlanReading, Ports, SandboxMode};
use ::config::Config;
use domain::AgentName;

pub use error::PrepareError;
pub use plan::ReadPlan;
pub use plans::{FoundPlan, NAMES as PLAN_NAMES, plans};

pub use settings::Settings;

/// What is wanted of a run beside its plan.
#[derive(Debug, Clone, Default)]
pub struct Wanted {
    /// Whether optional tasks are done too.
    pub with_optional: bool,
    /// Who does what nobody is named for.
    pub agent: Option<String>,
    /// Whether all work in the project's own folder.
    pub in_place: bool,
    /// Who begins it.
    pub person: String,
}

/// A run that can begin, and what a person should know before.
#[derive(Debug)]
pub struct Prepared {
    /// The run.
    pub new: NewRun,
    /// What was chosen, and what is not as one would think.
    pub notes: Vec<String>,
}

/// Makes everything ready; nothing has begun.
pub fn prepare(
    project: &Path,
    config: &Config,
    plan: &ReadPlan,
    wanted: &Wanted,
) -> Result<Prepared, PrepareError> {
    plan.must_be_right()?;
    let mut notes = Vec::new();
    let mut work = engine::planned(&plan.reading.plan, wanted.with_optional);
    let place = place::find(project, &config.worktree, wanted.in_place)?;
    notes.extend(place.notes);
    let team = team::team(config, &work, wanted.agent.as_deref())?;
    notes.extend(team.note);
    let reading = PlanReading {
        format: plan.format.map(|format| format.to_string()),
        with_optional: wanted.with_optional,
        tester: team.tester,
        task_budget: config.budgets.task,
        phase_budgets: config.budgets.phase.clone(),
        worker: team.members.first().map(|member| member.name.clone()),
        memory_mib: memory(config, &team.presets),
        write_back: config.write_back,
    };
    reading.complete(&mut work);
    let template = config.template.as_deref().map(read_template).transpose()?;
    let outfit = Outfit {
        project: place.root.clone(),
        isolation: place.isolation,
        agents: team.presets,
        presets: config.agents.clone(),
        setup: config.worktree.setup.clone(),
        copy: config.worktree.copy.clone(),
        submodules: config.worktree.submodules,
        disk_budget_bytes: config.worktree.disk_budget_bytes,
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
        template,
        plan: plan.file.clone(),
        reading,
    };
    let name = place.root.file_name().map(|name| name.to_string_lossy().into_owned());
    let new = NewRun {
        project: name.unwrap_or_else(|| place.root.display().to_string()),
        work,
        settings: config.settings.clone(),
        team: team.members,
        outfit,
        person: wanted.person.clone(),
    };
    Ok(Prepared { new, notes })
}

/// Returns how much memory each of the team may have, where that is said.
fn memory(config: &Config, presets: &BTreeMap<AgentName, String>) -> BTreeMap<AgentName, u64> {
    let of = |preset: &String| drivers::preset::pick(preset, &config.agents).ok()?.memory_mib;
    presets.iter().filter_map(|(name, preset)| Some((name.clone(), of(preset)?))).collect()
}

/// Returns the name by which the person at this machine is known.
pub fn person() -> String {
    let set = |name| env::var(name).ok().filter(|value| !value.trim().is_empty());
    set("USER").or_else(|| set("LOGNAME")).unwrap_or_else(|| "person".to_owned())
}

fn read_template(path: &Path) -> Result<String, PrepareError> {
    std::fs::read_to_string(path).map_err(|source| PrepareError::Template { path: path.to_owned(), source })
}
