//! The configuration as plain data.

use std::{num::NonZeroU32, path::PathBuf};

use domain::{
    AgentName, Budget, GateApproval, Locale, OrchestrationMode, PermissionMode, PermissionPolicy, Role,
    RunSettings,
};

use crate::{measure::TIME_MS_MAX, problem::Problems, value::Value, values::Values};

/// All that is settled before a run starts.
#[derive(Debug, Clone, PartialEq)]
pub struct Config {
    /// How a run behaves.
    pub settings: RunSettings,
    /// Who does what nobody is named for.
    pub team: Team,
    /// What is said of agents, in the form of presets; names and tables.
    pub agents: toml::Table,
    /// What is said of agents as members of the team.
    pub members: Vec<Described>,
    /// What a task and a phase may cost that say nothing of it.
    pub budgets: TaskBudgets,
    /// Where tasks work.
    pub worktree: Worktree,
    /// What keeps agents inside.
    pub sandbox: Sandbox,
    /// The file that replaces the task prompt.
    pub template: Option<PathBuf>,
    /// Whether the boxes of done tasks are ticked in the plan file.
    pub write_back: bool,
    /// The port of the page; 0 where any will do.
    pub port: u16,
}

/// Who does what nobody is named for.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Team {
    /// Does tasks.
    pub worker: Option<AgentName>,
    /// Tests them.
    pub tester: Option<AgentName>,
    /// Judges phases.
    pub verifier: Option<AgentName>,
    /// Talks to the person.
    pub orchestrator: Option<AgentName>,
    /// Leads the workers of a phase.
    pub operator: Option<AgentName>,
}

/// What an `[agents.NAME]` says of its place in the team.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Described {
    /// The agent.
    pub name: AgentName,
    /// What it is for; nothing where that is not said.
    pub role: Option<Role>,
    /// How many tasks it may do at once.
    pub slots: Option<NonZeroU32>,
}

/// What tasks and phases may cost that say nothing of it.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct TaskBudgets {
    /// One task.
    pub task: Option<Budget>,
    /// All tasks of a phase.
    pub phase: Vec<Budget>,
}

/// Where tasks work.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Worktree {
    /// Whether each has a worktree of its own.
    pub isolation: bool,
    /// The commands that make a new one ready.
    pub setup: Vec<String>,
    /// Ignored files that each needs, from the project's root on; none leaves it.
    pub copy: Vec<PathBuf>,
    /// Whether they have the submodules that the checkout has.
    pub submodules: bool,
    /// The ports that they share out.
    pub ports: Ports,
    /// How much room they may take together.
    pub disk_budget_bytes: Option<u64>,
}

/// The ports that worktrees share out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Ports {
    /// The first.
    pub first: u16,
    /// The last.
    pub last: u16,
    /// How many each worktree has.
    pub per_task: u16,
}

/// What keeps agents inside of their worktrees.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sandbox {
    /// Whether, and how badly.
    pub mode: SandboxMode,
    /// What they may write to beside that, from the root on.
    pub write: Vec<PathBuf>,
}

/// Whether agents are kept inside.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum SandboxMode {
    /// They may do what their user may.
    Off,
    /// As well as it can be done here.
    Worktree,
    /// Whole, or no session starts.
    Required,
}

/// Makes the configuration of all values, and complains about those that don't go together.
pub(crate) fn config(values: &Values, problems: &mut Problems) -> Config {
    let isolated = values.is("worktree.isolation");
    Config {
        settings: settings(values),
        team: Team {
            worker: values.agent("team.worker"),
            tester: values.agent("team.tester"),
            verifier: values.agent("team.verifier"),
            orchestrator: values.agent("team.orchestrator"),
            operator: values.agent("team.operator"),
        },
        agents: values.presets(),
        members: values.agents.keys().filter_map(|name| described(values, name)).collect(),
        budgets: task_budgets(values, problems),
        worktree: Worktree {
            isolation: isolated,
            setup: values.texts("worktree.setup"),
            copy: values.texts("worktree.copy").into_iter().map(PathBuf::from).collect(),
            submodules: values.is("worktree.submodules"),
            ports: ports(values, problems),
            disk_budget_bytes: values.size("worktree.disk_budget"),
        },
        sandbox: Sandbox {
            mode: match values.word("sandbox.mode") {
                "worktree" => SandboxMode::Worktree,
                "required" => SandboxMode::Required,
                _ => SandboxMode::Off,
            },
            write: values.texts("sandbox.write").into_iter().map(PathBuf::from).collect(),
        },
        template: values.text("prompt.template").map(PathBuf::from),
        write_back: values.is("plan.write_back"),
        port: values.number("server.port").and_then(|port| u16::try_from(port).ok()).unwrap_or(0),
    }
}

fn settings(values: &Values) -> RunSettings {
    let count = |name: &str| {
        let number = values.number(name).and_then(|number| u32::try_from(number).ok());
        number.and_then(NonZeroU32::new).unwrap_or(NonZeroU32::MIN)
    };
    let parallel = values.is("orchestration.parallel_enabled");
    // The engine knows no end of time; nothing waits for a hundred years.
    let time = |name: &str| values.time(name).unwrap_or(TIME_MS_MAX);
    RunSettings {
        mode: OrchestrationMode::Automatic,
        slots: if parallel { count("orchestration.max_concurrency") } else { NonZeroU32::MIN },
        memory_mib: values.number("orchestration.memory_mib"),
        timeout_ms: time("orchestration.timeout_per_task"),
        retries_max: count("orchestration.max_retries"),
        question_expires_after_ms: values.time("questions.expire_after"),
        requests_auto_default: values.is("requests.auto_default"),
        park_frozen_after_ms: time("park.frozen_after"),
        park_cold_after_ms: time("park.cold_after"),
        permissions: PermissionPolicy {
            mode: match values.word("permissions.mode") {
                "ask" => PermissionMode::Ask,
                "all" => PermissionMode::All,
                _ => PermissionMode::Worktree,
            },
            allow: values.texts("permissions.allow"),
            deny: values.texts("permissions.deny"),
        },
        verify: values.text("checks.verify"),
        gate_approval: match values.word("orchestration.gate_approval") {
            "automatic" => GateApproval::Automatic,
            _ => GateApproval::Person,
        },
        budgets: budgets(values, "run"),
        time_ms: values.time("budgets.run.time"),
        thin_wait_ms: time("thin.wait"),
        locale: if values.word("locale") == "ko" { Locale::Ko } else { Locale::En },
    }
}

/// Returns the tokens and the money of a task, a phase or a run.
fn budgets(values: &Values, of: &str) -> Vec<Budget> {
    let budget = |what: &str| match values.get(&format!("budgets.{of}.{what}")) {
        Some(Value::Budget(budget)) => Some(*budget),
        _ => None,
    };
    [budget("tokens"), budget("money")].into_iter().flatten().collect()
}

fn task_budgets(values: &Values, problems: &mut Problems) -> TaskBudgets {
    let task = budgets(values, "task");
    if let ([_, _], Some(money)) = (task.as_slice(), values.placed("budgets.task.money"))
        && let Some(origin) = money.origins.last()
    {
        let hint = Some("say tokens or money, not both; a phase and a run may have both".to_owned());
        problems.error(|| origin.clone(), || ("a task has one budget".to_owned(), hint));
    }
    TaskBudgets { task: task.first().copied(), phase: budgets(values, "phase") }
}

fn ports(values: &Values, problems: &mut Problems) -> Ports {
    let per_task = values.number("worktree.ports_per_task").and_then(|number| u16::try_from(number).ok());
    let (first, last, per_task) = match values.get("worktree.port_range") {
        Some(Value::Ports(first, last)) => (*first, *last, per_task.unwrap_or(1)),
        _ => (0, 0, 1),
    };
    if let Some(placed) = values.placed("worktree.port_range")
        && last - first < per_task - 1
        && let Some(origin) = placed.origins.last()
    {
        let hint = Some(format!("each task has {per_task} (`worktree.ports_per_task`)"));
        problems.error(|| origin.clone(), || ("there are too few ports for one task".to_owned(), hint));
    }
    Ports { first, last, per_task }
}

fn described(values: &Values, name: &str) -> Option<Described> {
    let role = values.of_agent(name, "role").and_then(|placed| match &placed.value {
        Value::Text(role) => role_of(role),
        _ => None,
    });
    let slots = values.of_agent(name, "slots").and_then(|placed| match placed.value {
        Value::Number(slots) => u32::try_from(slots).ok().and_then(NonZeroU32::new),
        _ => None,
    });
    Some(Described { name: name.parse().ok()?, role, slots })
}

fn role_of(word: &str) -> Option<Role> {
    Some(match word {
        "orchestrator" => Role::Orchestrator,
        "operator" => Role::Operator,
        "worker" => Role::Worker,
        "tester" => Role::Tester,
        "verifier" => Role::Verifier,
        "specialist" => Role::Specialist,
        _ => return None,
    })
}
