//! The merged configuration as plain data.

use std::{collections::BTreeMap, num::NonZeroU32, path::PathBuf};

use domain::{
    AgentName, Budget, GateApproval, Locale, ModelPrice, OrchestrationMode, OrchestratorPower,
    PermissionMode, PermissionPolicy, Role, RunSettings,
};

use crate::{
    problem::ProblemList,
    problem_text::{ProblemHint, ProblemMessage},
    units::TIME_MS_MAX,
    value::Value,
    values::Values,
};

/// The settings that a run starts with.
#[derive(Debug, Clone, PartialEq)]
pub struct Config {
    /// Settings that the engine records with the run.
    pub settings: RunSettings,
    /// Default agent of each role.
    pub team: TeamConfig,
    /// Configured agents as presets: a table for each name.
    pub agents: toml::Table,
    /// Role and slots of the configured agents.
    pub members: Vec<MemberConfig>,
    /// Budgets of tasks and phases without a budget of their own.
    pub budgets: BudgetConfig,
    /// Prices of models whose cost the agents do not report.
    pub prices: BTreeMap<String, ModelPrice>,
    /// Settings of task worktrees.
    pub worktree: WorktreeConfig,
    /// Settings of the sandbox.
    pub sandbox: SandboxConfig,
    /// Form of the commits of a run.
    pub commit: CommitConfig,
    /// Report files that checks write; paths relative to the directory in which they run.
    pub check_reports: Vec<PathBuf>,
    /// How the work of a run is brought into the user's branch.
    pub land_strategy: LandStrategy,
    /// Age in milliseconds from which saved states of ended runs may be deleted; `None` is never.
    pub refs_after_ms: Option<u64>,
    /// Disk space of the saved states of an ended run.
    pub refs_budget_bytes: Option<u64>,
    /// Absolute path of the file that replaces the task prompt.
    pub template: Option<PathBuf>,
    /// Whether checkboxes of done tasks are ticked in the plan file.
    pub write_back: bool,
    /// Port of the page; 0 for any free port.
    pub port: u16,
}

/// Default agent of each role, for tasks and phases that name none.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct TeamConfig {
    /// Works on tasks.
    pub worker: Option<AgentName>,
    /// Tests the work of tasks.
    pub tester: Option<AgentName>,
    /// Judges phases at their gate.
    pub verifier: Option<AgentName>,
    /// Answers questions first and talks to the user.
    pub orchestrator: Option<AgentName>,
    /// Leads the workers of a phase.
    pub operator: Option<AgentName>,
}

/// Role and slots of an `[agents.NAME]` table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MemberConfig {
    /// Name of the table.
    pub name: AgentName,
    /// Role in the team, if set.
    pub role: Option<Role>,
    /// Maximum number of concurrent tasks.
    pub slots: Option<NonZeroU32>,
}

/// Budgets of tasks and phases without a budget of their own.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct BudgetConfig {
    /// Budget of one task.
    pub task: Option<Budget>,
    /// Budgets of all tasks of a phase together.
    pub phase: Vec<Budget>,
}

/// Settings of task worktrees.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WorktreeConfig {
    /// Whether each task has a worktree.
    pub isolation: bool,
    /// Commands that prepare a new worktree.
    pub setup: Vec<String>,
    /// Time limit of each of these commands in milliseconds.
    pub setup_timeout_ms: u64,
    /// Ignored files to copy, relative to the project's root and inside it.
    pub copy: Vec<PathBuf>,
    /// Names of untracked files and folders that are not committed.
    pub caches: Vec<String>,
    /// Size in bytes above which untracked files are committed only if the user says so.
    pub max_file_bytes: u64,
    /// Whether worktrees contain the submodules of the checkout.
    pub submodules: bool,
    /// Ports that are divided among worktrees.
    pub ports: PortConfig,
    /// Disk budget of all worktrees; `None` is unlimited.
    pub disk_budget_bytes: Option<u64>,
}

/// Ports that are divided among worktrees.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PortConfig {
    /// First port of the range.
    pub first: u16,
    /// Last port of the range.
    pub last: u16,
    /// Ports per worktree.
    pub per_task: u16,
}

/// Form of the commits of a run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CommitConfig {
    /// Whether landing brings one commit for each task.
    pub is_squashed: bool,
    /// Author of the work of agents, as `NAME <EMAIL>`.
    pub author: Option<String>,
    /// Message of a task's commit, with placeholders.
    pub message: String,
}

/// How the work of a run is brought into the user's branch.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LandStrategy {
    /// With its commits: a fast-forward if possible, else a merge commit.
    Merge,
    /// With its commits: a fast-forward if possible, else copies of them.
    Rebase,
    /// As one commit.
    Squash,
}

/// Settings of the sandbox that restricts agents to their worktrees.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SandboxConfig {
    /// Whether agents are sandboxed.
    pub mode: SandboxMode,
    /// Absolute paths outside of the worktree that agents may write to.
    pub write: Vec<PathBuf>,
    /// Whether sandboxed programs write to the user's caches of package managers.
    pub shares_caches: bool,
    /// Whether checks and set-up commands are sandboxed too.
    pub includes_checks: bool,
}

/// Whether agents are sandboxed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum SandboxMode {
    /// No sandbox: agents have the permissions of the user.
    Off,
    /// Sandbox as far as this machine supports it.
    Worktree,
    /// Full sandbox, or the session does not start.
    Required,
}

/// Builds the configuration from all values, and reports values that contradict each other.
pub(crate) fn build(values: &Values, problems: &mut ProblemList) -> Config {
    let isolated = values.boolean("worktree.isolation");
    Config {
        settings: settings(values),
        team: TeamConfig {
            worker: values.agent("team.worker"),
            tester: values.agent("team.tester"),
            verifier: values.agent("team.verifier"),
            orchestrator: values.agent("team.orchestrator"),
            operator: values.agent("team.operator"),
        },
        agents: values.configured_presets(),
        members: values.agents.keys().filter_map(|name| member_config(values, name)).collect(),
        budgets: budget_config(values, problems),
        prices: values.prices(),
        worktree: WorktreeConfig {
            isolation: isolated,
            setup: values.texts("worktree.setup"),
            setup_timeout_ms: values.time("worktree.setup_timeout").unwrap_or(TIME_MS_MAX),
            copy: values.texts("worktree.copy").into_iter().map(PathBuf::from).collect(),
            caches: values.texts("worktree.caches"),
            max_file_bytes: values.number("worktree.max_file_mib").map_or(u64::MAX, |mib| mib << 20),
            submodules: values.boolean("worktree.submodules"),
            ports: ports(values, problems),
            disk_budget_bytes: values.size("worktree.disk_budget"),
        },
        sandbox: SandboxConfig {
            mode: match values.choice("sandbox.mode") {
                "off" => SandboxMode::Off,
                "required" => SandboxMode::Required,
                _ => SandboxMode::Worktree,
            },
            write: values.texts("sandbox.write").into_iter().map(PathBuf::from).collect(),
            shares_caches: values.choice("sandbox.caches") == "shared",
            includes_checks: values.boolean("checks.sandbox"),
        },
        commit: CommitConfig {
            is_squashed: values.boolean("commit.squash"),
            author: values.text("commit.author"),
            message: values.text("commit.message").unwrap_or_default(),
        },
        check_reports: values.texts("checks.reports").into_iter().map(PathBuf::from).collect(),
        land_strategy: match values.choice("land.strategy") {
            "squash" => LandStrategy::Squash,
            "rebase" => LandStrategy::Rebase,
            _ => LandStrategy::Merge,
        },
        refs_after_ms: values.time("clean.refs_after"),
        refs_budget_bytes: values.size("clean.refs_budget"),
        template: values.text("prompt.template").map(PathBuf::from),
        write_back: values.boolean("plan.write_back"),
        port: values.number("server.port").and_then(|port| u16::try_from(port).ok()).unwrap_or(0),
    }
}

fn settings(values: &Values) -> RunSettings {
    let count = |name: &str| {
        let number = values.number(name).and_then(|number| u32::try_from(number).ok());
        number.and_then(NonZeroU32::new).unwrap_or(NonZeroU32::MIN)
    };
    let parallel = values.boolean("orchestration.parallel_enabled");
    // The engine has no infinite duration; a hundred years stands for it.
    let time = |name: &str| values.time(name).unwrap_or(TIME_MS_MAX);
    RunSettings {
        mode: OrchestrationMode::Automatic,
        slots: if parallel { count("orchestration.max_concurrency") } else { NonZeroU32::MIN },
        memory_mib: values.number("orchestration.memory_mib"),
        timeout_ms: time("orchestration.timeout_per_task"),
        retries_max: count("orchestration.max_retries"),
        question_expires_after_ms: values.time("questions.expire_after"),
        requests_auto_default: values.boolean("requests.auto_default"),
        park_frozen_after_ms: time("park.frozen_after"),
        park_cold_after_ms: time("park.cold_after"),
        permissions: PermissionPolicy {
            mode: match values.choice("permissions.mode") {
                "ask" => PermissionMode::Ask,
                "all" => PermissionMode::All,
                _ => PermissionMode::Worktree,
            },
            allow: values.texts("permissions.allow"),
            deny: values.texts("permissions.deny"),
        },
        verify: values.text("checks.verify"),
        gate_approval: match values.choice("orchestration.gate_approval") {
            "automatic" => GateApproval::Automatic,
            _ => GateApproval::Person,
        },
        budgets: budgets_of_scope(values, "run"),
        time_ms: values.time("budgets.run.time"),
        check_retries: values
            .number("checks.retries")
            .and_then(|retries| u32::try_from(retries).ok())
            .unwrap_or(0),
        // The location of the project decides it.
        has_worktrees: true,
        ticks_plan: values.boolean("plan.write_back"),
        thin_wait_ms: time("thin.wait"),
        locale: if values.choice("locale") == "ko" { Locale::Ko } else { Locale::En },
        orchestrator_may: orchestrator_powers(values),
    }
}

fn orchestrator_powers(values: &Values) -> Vec<OrchestratorPower> {
    let names = values.texts("orchestrator.may");
    let powers =
        [("answer", OrchestratorPower::Answer), ("permission", OrchestratorPower::Permission)].into_iter();
    powers.filter(|(name, _)| names.iter().any(|listed| listed == name)).map(|(_, power)| power).collect()
}

/// Returns the token and money budgets of a `task`, `phase` or `run`.
fn budgets_of_scope(values: &Values, scope: &str) -> Vec<Budget> {
    let budget = |unit: &str| match values.get(&format!("budgets.{scope}.{unit}")) {
        Some(Value::Budget(budget)) => Some(*budget),
        _ => None,
    };
    [budget("tokens"), budget("money")].into_iter().flatten().collect()
}

fn budget_config(values: &Values, problems: &mut ProblemList) -> BudgetConfig {
    let task = budgets_of_scope(values, "task");
    if let ([_, _], Some(money)) = (task.as_slice(), values.sourced_value("budgets.task.money"))
        && let Some(origin) = money.origins.last()
    {
        let hint = Some(ProblemHint::TokensOrMoney);
        problems.push_error(|| origin.clone(), || (ProblemMessage::SeveralTaskBudgets, hint));
    }
    BudgetConfig { task: task.first().copied(), phase: budgets_of_scope(values, "phase") }
}

fn ports(values: &Values, problems: &mut ProblemList) -> PortConfig {
    let per_task = values.number("worktree.ports_per_task").and_then(|number| u16::try_from(number).ok());
    let (first, last, per_task) = match values.get("worktree.port_range") {
        Some(Value::Ports(first, last)) => (*first, *last, per_task.unwrap_or(1)),
        _ => (0, 0, 1),
    };
    if let Some(sourced) = values.sourced_value("worktree.port_range")
        && last - first < per_task - 1
        && let Some(origin) = sourced.origins.last()
    {
        let hint = Some(ProblemHint::PortsPerTask { n_ports: per_task });
        problems.push_error(|| origin.clone(), || (ProblemMessage::TooFewPorts, hint));
    }
    PortConfig { first, last, per_task }
}

fn member_config(values: &Values, name: &str) -> Option<MemberConfig> {
    let role = values.agent_value(name, "role").and_then(|sourced| match &sourced.value {
        Value::Text(role) => parse_role(role),
        Value::Boolean(_)
        | Value::Number(_)
        | Value::Texts(_)
        | Value::Time(_)
        | Value::Size(_)
        | Value::Budget(_)
        | Value::Price(_)
        | Value::Ports(..) => None,
    });
    let slots = values.agent_value(name, "slots").and_then(|sourced| match sourced.value {
        Value::Number(slots) => u32::try_from(slots).ok().and_then(NonZeroU32::new),
        Value::Boolean(_)
        | Value::Text(_)
        | Value::Texts(_)
        | Value::Time(_)
        | Value::Size(_)
        | Value::Budget(_)
        | Value::Price(_)
        | Value::Ports(..) => None,
    });
    Some(MemberConfig { name: name.parse().ok()?, role, slots })
}

fn parse_role(name: &str) -> Option<Role> {
    Some(match name {
        "orchestrator" => Role::Orchestrator,
        "operator" => Role::Operator,
        "worker" => Role::Worker,
        "tester" => Role::Tester,
        "verifier" => Role::Verifier,
        "specialist" => Role::Specialist,
        _ => return None,
    })
}
