//! The `given` section of a scenario: settings, team, phases, tasks, and how the executor behaves.

use std::num::NonZeroU32;

use domain::{
    AgentProtocol, GateApproval, OrchestrationMode, OrchestratorPower, PermissionMode, PlanStatus,
    PlannedPhase, PlannedTask, PlannedWork, Role, RunSettings, TaskId, TeamMember,
};

use crate::{clock::parse_duration, scenario_file::Line};

#[derive(Debug, Default)]
pub(crate) struct ScenarioSetup {
    pub settings: RunSettings,
    pub team: Vec<TeamMember>,
    pub work: PlannedWork,
    /// Lines for the fake executor.
    pub executor_lines: Vec<String>,
}

impl ScenarioSetup {
    pub(crate) fn read_line(&mut self, line: &Line) -> Result<(), String> {
        let text = line.text.as_str();
        let words: Vec<&str> = text.split_whitespace().collect();
        let first = words.first().copied().unwrap_or_default().trim_end_matches(',');
        if let Some(team) = text.strip_prefix("team: ") {
            self.team = team.split(", ").map(read_member).collect::<Result<_, _>>()?;
        } else if first.parse::<TaskId>().is_ok() && first.starts_with(|sign: char| sign.is_ascii_uppercase())
        {
            self.work.tasks.push(read_task(text)?);
        } else if first == "phase" {
            self.work.phases.push(read_phase(text)?);
        } else if !self.read_setting(&words, text)? {
            self.executor_lines.push(text.to_owned());
        }
        Ok(())
    }

    fn read_setting(&mut self, words: &[&str], text: &str) -> Result<bool, String> {
        let settings = &mut self.settings;
        match words {
            ["agents", "work", "in", "the", "project's", "folder"] => settings.has_worktrees = false,
            ["slots", n] => settings.slots = parse_value(n)?,
            ["memory", n] => settings.memory_mib = Some(parse_value(n)?),
            ["retries", n] => settings.retries_max = parse_value(n)?,
            ["timeout", time @ ..] => settings.timeout_ms = parse_duration(time)?,
            ["questions", "expire", "after", time @ ..] => {
                settings.question_expires_after_ms = Some(parse_duration(time)?);
            }
            ["requests", "use", "their", "default"] => settings.requests_auto_default = true,
            ["park", "frozen", "after", time @ ..] => settings.park_frozen_after_ms = parse_duration(time)?,
            ["park", "cold", "after", time @ ..] => settings.park_cold_after_ms = parse_duration(time)?,
            ["permissions", "ask"] => settings.permissions.mode = PermissionMode::Ask,
            ["permissions", "worktree"] => settings.permissions.mode = PermissionMode::Worktree,
            ["permissions", "all"] => settings.permissions.mode = PermissionMode::All,
            ["allow", ..] => settings.permissions.allow.push(text["allow ".len()..].to_owned()),
            ["deny", ..] => settings.permissions.deny.push(text["deny ".len()..].to_owned()),
            ["verify", ..] => settings.verify = Some(strip_quotes(&text["verify ".len()..])),
            ["the", "orchestrator", "may", "decide", "nothing"] => settings.orchestrator_may = Vec::new(),
            ["the", "orchestrator", "may", powers @ ..] => {
                let parse = |word: &&str| match *word {
                    "answer" => Ok(OrchestratorPower::Answer),
                    "permit" => Ok(OrchestratorPower::Permission),
                    word => Err(format!("'{word}' is not a power of the orchestrator")),
                };
                let powers = powers.iter().filter(|word| **word != "and");
                settings.orchestrator_may = powers.map(parse).collect::<Result<_, _>>()?;
            }
            ["gates", "are", "approved", "automatically"] => settings.gate_approval = GateApproval::Automatic,
            ["budget", budget] => settings.budgets.push(parse_value(budget)?),
            ["time", time @ ..] => settings.time_ms = Some(parse_duration(time)?),
            ["thin", "mode"] => settings.mode = OrchestrationMode::Thin,
            ["thin", "wait", time @ ..] => settings.thin_wait_ms = parse_duration(time)?,
            _ => return Ok(false),
        }
        Ok(true)
    }

    /// Adds the defaults: a worker, and the phases of the tasks, each after the previous one.
    pub(crate) fn add_defaults(&mut self) -> Result<(), String> {
        if self.team.is_empty() {
            self.team.push(read_member("Coder worker")?);
        }
        let mut numbers: Vec<u32> = self.work.tasks.iter().map(|task| task.phase).collect();
        numbers.sort_unstable();
        numbers.dedup();
        for (index, number) in numbers.iter().copied().enumerate() {
            if self.work.phases.iter().all(|phase| phase.number != number) {
                let mut phase = read_phase(&format!("phase {number}"))?;
                phase.after = numbers.get(..index).unwrap_or_default().last().copied().into_iter().collect();
                self.work.phases.push(phase);
            }
        }
        self.work.phases.sort_by_key(|phase| phase.number);
        "A scenario".clone_into(&mut self.work.title);
        Ok(())
    }
}

/// Parses a plan: tasks and phases separated by semicolons.
pub(crate) fn read_planned_work(text: &str) -> Result<PlannedWork, String> {
    let mut setup = ScenarioSetup::default();
    for part in text.split("; ") {
        match part.starts_with("phase ") {
            true => setup.work.phases.push(read_phase(part)?),
            false => setup.work.tasks.push(read_task(part)?),
        }
    }
    setup.add_defaults()?;
    Ok(setup.work)
}

/// Parses `QA tester`, `Coder worker with 1 slot`, `Coder worker on a terminal`, or `Coder worker without the protocol`.
fn read_member(text: &str) -> Result<TeamMember, String> {
    let (text, protocol) = match text.strip_suffix(" without the protocol") {
        Some(member) => (member, AgentProtocol::None),
        None => (text, AgentProtocol::Text),
    };
    let (text, is_turn_end_guessed) = match text.strip_suffix(" on a terminal") {
        Some(member) => (member, true),
        None => (text, false),
    };
    let (name, role, slots) = match text.split_whitespace().collect::<Vec<_>>().as_slice() {
        [name, role] => (*name, *role, None),
        [name, role, "with", n, "slot" | "slots"] => (*name, *role, Some(parse_value::<NonZeroU32>(n)?)),
        _ => return Err(format!("'{text}' is not a team member (write QA tester)")),
    };
    let role = match role {
        "orchestrator" => Role::Orchestrator,
        "operator" => Role::Operator,
        "worker" => Role::Worker,
        "tester" => Role::Tester,
        "verifier" => Role::Verifier,
        "specialist" => Role::Specialist,
        _ => return Err(format!("'{role}' is not a role")),
    };
    Ok(TeamMember { name: parse_value(name)?, role, slots, is_turn_end_guessed, protocol })
}

/// Parses `T2 after T1 and T3, touches src/**, verify "cargo test", tester QA, phase 2`.
pub(crate) fn read_task(text: &str) -> Result<PlannedTask, String> {
    let mut parts = text.split(", ");
    let (id, first) =
        parts.next().unwrap_or_default().split_once(' ').map_or((text, ""), |(id, rest)| (id, rest));
    let id: TaskId = parse_value(id.split(',').next().unwrap_or(id))?;
    let mut task = PlannedTask::new(id.clone(), 1, format!("The work of {id}"));
    for part in std::iter::once(first).chain(parts).filter(|part| !part.is_empty()) {
        match part.split_whitespace().collect::<Vec<_>>().as_slice() {
            ["after", names @ ..] => task.depends_on = read_list(names)?,
            ["needs", ..] => task.external.push(strip_quotes(&part["needs ".len()..])),
            ["agent", name] => task.agent = Some(parse_value(name)?),
            ["tester", name] => task.tester = Some(parse_value(name)?),
            ["touches", names @ ..] => {
                task.touches = names.iter().filter(|name| **name != "and").map(ToString::to_string).collect();
            }
            ["verify", ..] => task.verify = Some(strip_quotes(&part["verify ".len()..])),
            ["timeout", time @ ..] => task.timeout_ms = Some(parse_duration(time)?),
            ["estimate", time @ ..] => task.estimate_ms = Some(parse_duration(time)?),
            ["priority", priority] => task.priority = parse_value(priority)?,
            ["memory", n] => task.memory_mib = parse_value(n)?,
            ["budget", budget] => task.budget = Some(parse_value(budget)?),
            ["worktree", path] => task.worktree = Some((*path).to_owned()),
            ["phase", n] => task.phase = parse_value(n)?,
            ["title", ..] => task.title = strip_quotes(&part["title ".len()..]),
            ["text", ..] => task.text = strip_quotes(&part["text ".len()..]),
            ["done", "already"] => task.plan_status = PlanStatus::Done,
            ["skipped"] => task.plan_status = PlanStatus::Skipped,
            _ => return Err(format!("'{part}' is not a property of a task")),
        }
    }
    Ok(task)
}

/// Parses `phase 2 after 1, named Build, verify "make", artefacts docs/**, budget 100k`.
fn read_phase(text: &str) -> Result<PlannedPhase, String> {
    let mut phase = PlannedPhase {
        number: 0,
        name: String::new(),
        after: Vec::new(),
        verify: None,
        artefacts: Vec::new(),
        budgets: Vec::new(),
    };
    for part in text.split(", ") {
        match part.split_whitespace().collect::<Vec<_>>().as_slice() {
            ["phase", n] => phase.number = parse_value(n)?,
            ["phase", n, "after", names @ ..] => {
                (phase.number, phase.after) = (parse_value(n)?, read_list(names)?)
            }
            ["named", ..] => part["named ".len()..].clone_into(&mut phase.name),
            ["verify", ..] => phase.verify = Some(strip_quotes(&part["verify ".len()..])),
            ["artefacts", names @ ..] => phase.artefacts = names.iter().map(ToString::to_string).collect(),
            ["budget", budget] => phase.budgets.push(parse_value(budget)?),
            _ => return Err(format!("'{part}' is not a property of a phase")),
        }
    }
    Ok(phase)
}

/// Parses `T1 and T2`, or a single value.
pub(crate) fn read_list<T: std::str::FromStr>(words: &[&str]) -> Result<Vec<T>, String> {
    words.iter().filter(|word| **word != "and").map(|word| parse_value(word.trim_end_matches(','))).collect()
}

pub(crate) fn parse_value<T: std::str::FromStr>(text: &str) -> Result<T, String> {
    text.parse().map_err(|_| format!("cannot parse '{text}'"))
}

pub(crate) fn strip_quotes(text: &str) -> String {
    text.trim().trim_matches('"').to_owned()
}
