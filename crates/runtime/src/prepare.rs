//! Prepares a run from a plan, the configuration and the agents of this machine.
//!
//! The terminal and the page both start runs with it. Prints nothing and starts nothing.

mod check_commands;
mod config_sources;
mod cost;
mod earlier_runs;
mod error;
mod files_text;
pub mod input;
mod loaded_plan;
mod location;
mod plan_files;
mod remark;
mod team;

use std::{
    collections::BTreeMap,
    env,
    path::{Path, PathBuf},
};

use crate::{CommitStyle, Isolation, LandStrategy, NewRun, PlanOptions, Ports, RunEnvironment, SandboxMode};
use ::config::Config;
use domain::{AgentName, PermissionMode, PermissionPolicy};
use sessions::{Enforcement, SandboxReport, detect::AgentDetector};

use location::RunLocation;

pub use check_commands::{UnrunnableCheck, find_unrunnable_checks};
pub use earlier_runs::{EarlierRun, RepeatPolicy, earlier_runs_of_project};
pub use error::PrepareError;
pub use loaded_plan::LoadedPlan;
pub use plan_files::{NAMES as PLAN_NAMES, PlanFile, find_plan_files};
pub use remark::StartRemark;

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
    /// Whether the run starts from a commit with the uncommitted changes of the user's checkout.
    pub include_changes: bool,
    /// What is done with tasks that an earlier run did.
    pub repeat: RepeatPolicy,
    /// Earlier runs of the project, the newest first.
    pub earlier_runs: Vec<EarlierRun>,
    /// User who starts the run.
    pub person: String,
}

/// A run that is ready to start.
#[derive(Debug)]
pub struct PreparedRun {
    /// Request for the server.
    pub new: NewRun,
    /// Defaults that were chosen and other remarks for the user.
    pub remarks: Vec<StartRemark>,
}

/// Checks the plan, finds the repository and assembles the team.
pub fn prepare_run(
    project: &Path,
    config: &Config,
    plan: &LoadedPlan,
    options: &RunOptions,
) -> Result<PreparedRun, PrepareError> {
    plan.check_valid()?;
    let mut remarks = earlier_runs::active_run_remarks(&options.earlier_runs);
    let mut work = engine::planned_work(&plan.reading.plan, options.with_optional);
    let mut location = location::find(project, &config.worktree, options.in_place)?;
    let (unseen, read_here) = partition_changes(&location, plan.file.as_deref());
    if options.include_changes && !unseen.is_empty() {
        location.include_changes(&options.person, &read_here, config.worktree.max_file_bytes)?;
        remarks.push(StartRemark::ChangesIncluded { files: unseen });
    } else if !unseen.is_empty() {
        remarks.push(StartRemark::Uncommitted { files: unseen });
    }
    remarks.extend(location.remarks);
    let is_isolated = matches!(location.isolation, Isolation::Worktrees { .. });
    if is_isolated && config.commit.is_squashed && config.commit.author.is_none() && location.user.is_none() {
        remarks.push(StartRemark::NoUserIdentity);
    }
    let done_before =
        earlier_runs::apply_repeat_policy(&work, &options.earlier_runs, options.repeat, &mut remarks)?;
    let team = team::assemble_team(config, &work, options.agent.as_deref())?;
    remarks.extend(team::check_programs(&team, config, &AgentDetector::from_environment())?);
    remarks.extend(check_commands::check_commands(&work, config, &location.root)?);
    remarks.extend(sandbox_remark(config.sandbox.mode, sessions::supported_sandbox()));
    remarks.extend(cost::cost_remarks(config, &team, &options.earlier_runs));
    remarks.extend(team.remarks);
    let plan_options = PlanOptions {
        format: plan.format.map(|format| format.to_string()),
        tag: plan.tag.clone(),
        with_optional: options.with_optional,
        tester: team.tester,
        task_budget: config.budgets.task,
        phase_budgets: config.budgets.phase.clone(),
        worker: team.members.first().map(|member| member.name.clone()),
        memory_mib: memory_limits(config, &team.presets),
        write_back: config.write_back,
        done_before,
    };
    plan_options.apply_defaults(&mut work);
    let template = config.template.as_deref().map(read_template).transpose()?;
    let environment = RunEnvironment {
        project: location.root.clone(),
        isolation: location.isolation,
        agents: team.presets,
        presets: config.agents.clone(),
        setup: config.worktree.setup.clone(),
        setup_timeout_ms: config.worktree.setup_timeout_ms,
        copy: config.worktree.copy.clone(),
        caches: config.worktree.caches.clone(),
        max_file_bytes: Some(config.worktree.max_file_bytes),
        submodules: config.worktree.submodules,
        disk_budget_bytes: config.worktree.disk_budget_bytes,
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
        private_caches: !config.sandbox.shares_caches,
        unconfined_checks: !config.sandbox.includes_checks,
        check_reports: config.check_reports.clone(),
        commit: commit_style(&config.commit, location.user.as_deref()),
        must_ask: must_ask(&config.settings.permissions),
        land_strategy: match config.land_strategy {
            ::config::LandStrategy::Merge => LandStrategy::Merge,
            ::config::LandStrategy::Rebase => LandStrategy::Rebase,
            ::config::LandStrategy::Squash => LandStrategy::Squash,
        },
        refs_after_ms: config.refs_after_ms,
        refs_budget_bytes: config.refs_budget_bytes,
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
        origin: None,
    };
    Ok(PreparedRun { new, remarks })
}

/// Returns whether rules of the user decide about edits in the worktree: patterns that deny, or the mode `ask`.
fn must_ask(policy: &PermissionPolicy) -> bool {
    let asks = match policy.mode {
        PermissionMode::Ask => true,
        PermissionMode::Worktree | PermissionMode::All => false,
    };
    asks || !policy.deny.is_empty()
}

/// Returns the form of the commits. With one commit for each task, the user is its author.
fn commit_style(config: &::config::CommitConfig, user: Option<&str>) -> CommitStyle {
    let user = user.filter(|_| config.is_squashed).map(str::to_owned);
    CommitStyle {
        is_squashed: config.is_squashed,
        author: config.author.clone().or(user),
        message: config.message.clone(),
    }
}

/// Divides the changes in the user's checkout into those that agents do not see, and those of files that Jangdan reads
/// from the checkout itself.
fn partition_changes(location: &RunLocation, plan: Option<&Path>) -> (Vec<PathBuf>, Vec<PathBuf>) {
    let is_unseen = |path: &PathBuf| {
        !path.ends_with(::config::PROJECT_FILE) && plan.is_none_or(|plan| plan != location.root.join(path))
    };
    location.uncommitted.iter().cloned().partition(is_unseen)
}

/// Returns what the user must know about a sandbox that this machine supports partly or not at all. If it is required, the
/// start of the first session says it.
fn sandbox_remark(mode: ::config::SandboxMode, report: SandboxReport) -> Option<StartRemark> {
    let is_partly = report.state == Enforcement::Partly;
    (mode == ::config::SandboxMode::Worktree)
        .then_some(report.reason)
        .flatten()
        .map(|reason| StartRemark::SandboxIncomplete { is_partly, reason })
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

    use domain::Locale;

    use super::{RunLocation, StartRemark, partition_changes};
    use crate::Isolation;

    fn unseen_changes(files: &[&str]) -> Vec<PathBuf> {
        let location = RunLocation {
            root: PathBuf::from("/project"),
            isolation: Isolation::InPlace,
            uncommitted: files.iter().map(PathBuf::from).collect(),
            user: None,
            remarks: Vec::new(),
            repository: None,
        };
        partition_changes(&location, Some(Path::new("/project/docs/TASKS.md"))).0
    }

    #[test]
    fn uncommitted_changes_that_agents_do_not_see_are_mentioned() {
        assert_eq!(unseen_changes(&[]), [] as [PathBuf; 0]);
        assert_eq!(unseen_changes(&["docs/TASKS.md", "jangdan.toml"]), [] as [PathBuf; 0]);
        let files = unseen_changes(&["a", "b", "c", "d", "docs/TASKS.md"]);
        let remark = StartRemark::Uncommitted { files };
        let text = remark.text(Locale::En);
        assert!(
            text.contains("do not see your uncommitted changes in 4 files: a, b, c and 1 more."),
            "{text}"
        );
        let text = remark.text(Locale::Ko);
        assert!(text.contains("커밋하지 않은 변경(파일 4개)을 볼 수 없습니다: a, b, c 외 1개."), "{text}");
    }
}
