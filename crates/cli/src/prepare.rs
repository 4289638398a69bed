//! From a plan file, the configuration and this machine to a run that can begin.

mod place;
mod plan;
mod team;

use std::path::{Path, PathBuf};

use ::config::Loaded;
use runtime::{NewRun, Outfit, PlanReading, Ports, SandboxMode, kept_permissions};

use crate::{failure::Failure, remote::person};

/// What the command line says of a run.
#[derive(Debug, Clone, Default)]
pub struct Wanted {
    /// The plan file; without it the one that is found.
    pub plan: Option<PathBuf>,
    /// In which format it is.
    pub format: Option<::plan::Format>,
    /// Whether optional tasks are done too.
    pub with_optional: bool,
    /// Who does what nobody is named for.
    pub agent: Option<String>,
    /// Whether all work in the project's own folder.
    pub in_place: bool,
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
pub fn prepare(project: &Path, data: &Path, loaded: &Loaded, wanted: &Wanted) -> Result<Prepared, Failure> {
    let mut notes = Vec::new();
    let file = plan::find(project, wanted.plan.as_deref())?;
    let read = plan::read(&file, wanted.format)?;
    let mut work = engine::planned(&read, wanted.with_optional);
    let config = &loaded.config;
    let place = place::find(project, &config.worktree, wanted.in_place)?;
    notes.extend(place.notes);
    let team = team::team(config, &work, wanted.agent.as_deref())?;
    notes.extend(team.note);
    let reading = PlanReading {
        format: wanted.format.map(|format| format.to_string()),
        with_optional: wanted.with_optional,
        tester: team.tester,
        task_budget: config.budgets.task,
        phase_budgets: config.budgets.phase.clone(),
        write_back: config.write_back,
    };
    reading.complete(&mut work);
    let mut settings = config.settings.clone();
    let kept = kept_permissions(data, &place.root);
    settings.permissions.allow.extend(kept.allow);
    settings.permissions.deny.extend(kept.deny);
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
        plan: Some(file),
        reading,
    };
    let name = place.root.file_name().map(|name| name.to_string_lossy().into_owned());
    let new = NewRun {
        project: name.unwrap_or_else(|| place.root.display().to_string()),
        work,
        settings,
        team: team.members,
        outfit,
        person: person(),
    };
    Ok(Prepared { new, notes })
}

fn read_template(path: &Path) -> Result<String, Failure> {
    std::fs::read_to_string(path).map_err(|error| Failure {
        what: format!("read the prompt template {}: {error}", path.display()),
        hint: Some("write the path of a text file at prompt.template".to_owned()),
        exit: 1,
    })
}
