//! Generates the start of a run: a random plan, settings and team.

use std::num::NonZeroU32;

use domain::{
    AgentName, Budget, Complexity, GateApproval, OrchestrationMode, OrchestratorPower, PermissionMode,
    PermissionPolicy, PlanStatus, PlannedPhase, PlannedTask, PlannedWork, Priority, Role, RunSettings,
    TaskId, TeamMember,
};

use crate::random::Random;

const MINUTE_MS: u64 = 60_000;

/// Names of external dependencies.
pub(crate) const EXTERNALS: [&str; 2] = ["staging", "licence"];

/// The input of a run.
#[derive(Debug, Clone)]
pub(crate) struct GeneratedRun {
    /// The plan of the run.
    pub work: PlannedWork,
    pub settings: RunSettings,
    pub team: Vec<TeamMember>,
}

/// Generates a run with at most `tasks_max` tasks; most are small, so that many can be simulated.
pub(crate) fn generate(random: &mut Random, tasks_max: u32) -> GeneratedRun {
    let tasks_max = tasks_max.max(1);
    let usual = if random.once_in(20) { tasks_max } else { tasks_max.min(10) };
    let n_tasks = random.between(usual.min(2), usual);
    let mode = if random.once_in(8) { OrchestrationMode::Thin } else { OrchestrationMode::Automatic };
    let team = generate_team(random, mode);
    let settings = generate_settings(random, mode);
    let work = generate_work(random, n_tasks, &team);
    GeneratedRun { work, settings, team }
}

/// Generates a task that is added during the run.
pub(crate) fn generate_added_task(
    random: &mut Random,
    phase: u32,
    n: u32,
    team: &[TeamMember],
) -> Option<PlannedTask> {
    generate_task(random, phase, n, team)
}

fn generate_team(random: &mut Random, mode: OrchestrationMode) -> Vec<TeamMember> {
    let mut members = Vec::new();
    for n in 1..=random.between(1, 3) {
        members.push((format!("worker-{n}"), Role::Worker));
    }
    let others = [
        ("lead", Role::Orchestrator, 50),
        ("operator", Role::Operator, 30),
        ("tester", Role::Tester, 60),
        ("judge", Role::Verifier, 50),
        ("database", Role::Specialist, 60),
        ("writer", Role::Specialist, 30),
    ];
    for (name, role, percent) in others {
        if random.chance_percent(percent) || (mode == OrchestrationMode::Thin && role == Role::Orchestrator) {
            members.push((name.to_owned(), role));
        }
    }
    let member = |(name, role): (String, Role)| {
        let slots = if random.once_in(3) { NonZeroU32::new(random.between(1, 2)) } else { None };
        Some(TeamMember {
            name: name.parse().ok()?,
            role,
            slots,
            is_turn_end_guessed: false,
            protocol: domain::AgentProtocol::Text,
        })
    };
    members.into_iter().filter_map(member).collect()
}

fn generate_settings(random: &mut Random, mode: OrchestrationMode) -> RunSettings {
    let number = |n: u32| NonZeroU32::new(n).unwrap_or(NonZeroU32::MIN);
    RunSettings {
        mode,
        slots: number(random.between(1, 4)),
        memory_mib: random.once_in(3).then_some(2_048),
        timeout_ms: u64::from(random.between(10, 60)) * MINUTE_MS,
        retries_max: number(random.between(1, 4)),
        question_expires_after_ms: random.once_in(3).then(|| u64::from(random.between(1, 60)) * MINUTE_MS),
        requests_auto_default: random.once_in(4),
        park_frozen_after_ms: u64::from(random.between(1, 5)) * MINUTE_MS,
        park_cold_after_ms: u64::from(random.between(5, 30)) * MINUTE_MS,
        permissions: PermissionPolicy {
            mode: random
                .pick(&[PermissionMode::Ask, PermissionMode::Worktree, PermissionMode::All])
                .copied()
                .unwrap_or_default(),
            allow: if random.once_in(2) { vec!["run:cargo*".to_owned()] } else { Vec::new() },
            deny: if random.once_in(3) { vec!["run:rm*".to_owned()] } else { Vec::new() },
        },
        verify: random.once_in(4).then(|| "make check".to_owned()),
        gate_approval: if random.once_in(2) { GateApproval::Person } else { GateApproval::Automatic },
        budgets: if random.once_in(8) { vec![generate_budget(random, 6)] } else { Vec::new() },
        time_ms: random.once_in(12).then(|| u64::from(random.between(60, 600)) * MINUTE_MS),
        orchestrator_may: random
            .pick(&[
                vec![OrchestratorPower::Answer],
                vec![OrchestratorPower::Answer, OrchestratorPower::Permission],
                Vec::new(),
            ])
            .cloned()
            .unwrap_or_default(),
        thin_wait_ms: u64::from(random.between(1, 10)) * MINUTE_MS,
        ..RunSettings::default()
    }
}

fn generate_work(random: &mut Random, n_tasks: u32, team: &[TeamMember]) -> PlannedWork {
    let n_phases = random.between(1, 3.min(n_tasks));
    let mut phases = Vec::new();
    for number in 1..=n_phases {
        phases.push(PlannedPhase {
            number,
            name: format!("Phase {number}"),
            after: if number > 1 && !random.once_in(5) { vec![number - 1] } else { Vec::new() },
            verify: random.once_in(4).then(|| "make phase".to_owned()),
            artefacts: if random.once_in(4) { vec!["docs/*.md".to_owned()] } else { Vec::new() },
            budgets: if random.once_in(10) { vec![generate_budget(random, 4)] } else { Vec::new() },
        });
    }
    let mut tasks: Vec<PlannedTask> = Vec::new();
    for n in 1..=n_tasks {
        let phase = 1 + (n - 1) * n_phases / n_tasks;
        let Some(mut task) = generate_task(random, phase, n, team) else { continue };
        for _ in 0..random.below(3) {
            let Some(earlier) = random.pick(&tasks) else { break };
            if !task.depends_on.contains(&earlier.id) {
                task.depends_on.push(earlier.id.clone());
            }
        }
        tasks.push(task);
    }
    PlannedWork { title: "A simulated plan".to_owned(), phases, tasks }
}

fn generate_task(random: &mut Random, phase: u32, n: u32, team: &[TeamMember]) -> Option<PlannedTask> {
    let id: TaskId = format!("T{phase}.{n}").parse().ok()?;
    let named = |random: &mut Random, role: Role| -> Option<AgentName> {
        let names: Vec<_> = team.iter().filter(|member| member.role == role).collect();
        random.pick(&names).map(|member| member.name.clone())
    };
    let mut task = PlannedTask::new(id, phase, format!("Task {n}"));
    if random.once_in(10) {
        task.external.extend(random.pick(&EXTERNALS).map(|name| (*name).to_owned()));
    }
    if random.once_in(2) {
        task.agent = named(random, Role::Worker);
    } else if random.once_in(10) {
        task.agent = named(random, Role::Specialist);
    }
    if random.once_in(4) {
        task.tester = named(random, Role::Tester);
    }
    if random.once_in(3) {
        let touches = ["src/login", "src/login/form.rs", "src/*.rs", "src/cart/**", "lock:database"];
        task.touches.extend(random.pick(&touches).map(|path| (*path).to_owned()));
    }
    task.verify = random.once_in(2).then(|| "make test".to_owned());
    task.timeout_ms = random.once_in(4).then(|| u64::from(random.between(2, 30)) * MINUTE_MS);
    let priorities = [Priority::Low, Priority::Normal, Priority::Normal, Priority::High, Priority::Critical];
    task.priority = random.pick(&priorities).copied().unwrap_or_default();
    let sizes = [None, Some(Complexity::S), Some(Complexity::M), Some(Complexity::L)];
    task.complexity = random.pick(&sizes).copied().flatten();
    task.memory_mib = [0, 0, 512, 1_500, 4_000].get(random.below(5)).copied().unwrap_or(0);
    task.budget = random.once_in(6).then(|| generate_budget(random, 1));
    task.worktree = random.once_in(15).then(|| "shared".to_owned());
    task.plan_status = match random.below(30) {
        0 => PlanStatus::Done,
        1 => PlanStatus::Skipped,
        _ => PlanStatus::Open,
    };
    Some(task)
}

fn generate_budget(random: &mut Random, times: u64) -> Budget {
    if random.once_in(3) {
        Budget::Cents(u64::from(random.between(50, 500)) * times)
    } else {
        Budget::Tokens(u64::from(random.between(20, 300)) * 1_000 * times)
    }
}
