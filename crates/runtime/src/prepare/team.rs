//! Assembles the team of a run: its members and the preset that starts each.

use std::collections::{BTreeMap, BTreeSet};

use config::Config;
use domain::{AgentName, PlanStatus, PlannedWork, Role, TaskId, TeamMember};
use drivers::preset;
use sessions::detect::{AgentDetector, choose_default};

use super::{PrepareError, StartRemark};

#[cfg(test)]
mod tests;

/// The team of a run.
#[derive(Debug)]
pub(super) struct Team {
    /// Members; the default worker is the first.
    pub members: Vec<TeamMember>,
    /// Preset of each member.
    pub presets: BTreeMap<AgentName, String>,
    /// Default tester, for tasks that name none.
    pub tester: Option<AgentName>,
    pub remarks: Vec<StartRemark>,
}

/// Assembles the team from the configuration and the plan. `agent` overrides the default worker.
pub(super) fn assemble_team(
    config: &Config,
    work: &PlannedWork,
    agent: Option<&str>,
) -> Result<Team, PrepareError> {
    let (worker, remark) = choose_default_worker(config, work, agent)?;
    let mut remarks: Vec<StartRemark> = remark.into_iter().collect();
    for (task, name) in named_in_plan(work) {
        remarks.extend(check_plan_agent(config, task, name, &worker)?);
    }
    let mut team =
        TeamBuilder { config, members: Vec::new(), presets: BTreeMap::new(), fallback: worker.clone() };
    team.add_for_role(&worker, Role::Worker);
    for role in [Role::Orchestrator, Role::Operator, Role::Verifier] {
        if let Some(name) = config.agent_for(role) {
            team.add_for_role(name, role);
        }
    }
    let tester = config.agent_for(Role::Tester).map(|tester| team.add_for_role(tester, Role::Tester));
    for task in &work.tasks {
        if let Some(agent) = &task.agent {
            team.add_named(agent, Role::Worker);
        }
        if let Some(tester) = &task.tester {
            team.add_named(tester, Role::Tester);
        }
    }
    for member in &config.members {
        // Other members can call every configured agent.
        team.add_named(&member.name, member.role.unwrap_or(Role::Specialist));
    }
    Ok(Team { members: team.members, presets: team.presets, tester, remarks })
}

/// Fails if a program of the team is not installed. Returns remarks about agents that only other agents call, and about
/// agents that seem to be signed out.
pub(super) fn check_programs(
    team: &Team,
    config: &Config,
    detector: &AgentDetector,
) -> Result<Vec<StartRemark>, PrepareError> {
    let mut remarks = Vec::new();
    let mut is_checked = BTreeSet::new();
    // Members that work on tasks come first, so that their presets are not taken for those of callees.
    let (callees, workers): (Vec<_>, Vec<_>) =
        team.members.iter().partition(|member| member.role == Role::Specialist);
    for member in workers.into_iter().chain(callees) {
        let Some(name) = team.presets.get(&member.name).filter(|name| is_checked.insert(*name)) else {
            continue;
        };
        let Ok(preset) = preset::resolve_preset(name, &config.agents) else { continue };
        if preset.executes_its_inputs() {
            return Err(PrepareError::NoScript { name: name.clone() });
        }
        // A path of the project is looked up in the worktree of each task.
        let is_project_path = preset.command.contains('/') && !preset.command.starts_with('/');
        if is_project_path || detector.find_program(&preset.command).is_some() {
            // The login of the preset that it extends is that of another program.
            let login = preset.login.as_ref().filter(|_| !is_inherited(config, name, "login"));
            let environment = detector.with_variables(&preset.environment);
            if let Some(login) = login.filter(|login| environment.is_signed_out(login)) {
                let is_worker = member.role != Role::Specialist;
                if is_worker && !environment.may_sign_in_otherwise(login) {
                    return Err(PrepareError::SignedOut { name: name.clone(), how: login.how.clone() });
                }
                let (title, how) = (preset.title.clone(), login.how.clone());
                remarks.push(StartRemark::MaybeSignedOut { title, how });
            }
            continue;
        }
        let error = PrepareError::NotInstalled {
            name: name.clone(),
            command: preset.command.clone(),
            install: if is_inherited(config, name, "install") {
                String::new()
            } else {
                preset.install.clone()
            },
        };
        if member.role != Role::Specialist {
            return Err(error);
        }
        remarks.push(StartRemark::SpecialistMissing { name: name.clone(), command: preset.command });
    }
    Ok(remarks)
}

/// Tells whether a configured agent has a program of its own, but this key of the preset that it extends.
fn is_inherited(config: &Config, name: &str, key: &str) -> bool {
    let table = config.agents.get(name).and_then(toml::Value::as_table);
    table.is_some_and(|table| table.contains_key("command") && !table.contains_key(key))
}

/// Returns the agents that open tasks name, each with the first task.
fn named_in_plan(work: &PlannedWork) -> Vec<(&TaskId, &AgentName)> {
    let mut is_seen = BTreeSet::new();
    let open = work.tasks.iter().filter(|task| task.plan_status == PlanStatus::Open);
    let named = open.flat_map(|task| task.agent.iter().chain(&task.tester).map(move |name| (&task.id, name)));
    named.filter(|(_, name)| is_seen.insert(*name)).collect()
}

/// Fails if a task names an agent that is likely to be misspelled. Any other unknown name is that of a member with the
/// preset of the default worker.
fn check_plan_agent(
    config: &Config,
    task: &TaskId,
    name: &AgentName,
    worker: &AgentName,
) -> Result<Option<StartRemark>, PrepareError> {
    match preset::resolve_preset(name.as_str(), &config.agents) {
        Ok(_) => Ok(None),
        Err(preset::PresetError::Unknown { .. }) => {
            let known = preset::preset_names(&config.agents);
            match config::closest_name(name.as_str(), known.iter().map(String::as_str)) {
                Some(_) => Err(unknown_agent(config, name.as_str(), Some(task))),
                None => Ok(Some(StartRemark::AgentWithoutPreset {
                    name: name.clone(),
                    preset: worker.to_string(),
                })),
            }
        }
        Err(error @ (preset::PresetError::Cycle { .. } | preset::PresetError::Wrong { .. })) => {
            Err(PrepareError::InvalidAgent { problem: error.to_string() })
        }
    }
}

fn unknown_agent(config: &Config, name: &str, task: Option<&TaskId>) -> PrepareError {
    let known = preset::preset_names(&config.agents);
    let closest = config::closest_name(name, known.iter().map(String::as_str)).map(str::to_owned);
    PrepareError::UnknownAgent { name: name.to_owned(), closest, known, task: task.cloned() }
}

struct TeamBuilder<'a> {
    config: &'a Config,
    members: Vec<TeamMember>,
    presets: BTreeMap<AgentName, String>,
    /// Preset of members without a preset of their own name.
    fallback: AgentName,
}

impl TeamBuilder<'_> {
    /// Adds a member for a role. An agent that has another role already is added again under the name of this role.
    fn add_for_role(&mut self, name: &AgentName, role: Role) -> AgentName {
        let is_taken = self.members.iter().any(|member| member.name == *name && member.role != role);
        let member = match (is_taken, role_name(role).parse()) {
            (true, Ok(own)) => own,
            _ => name.clone(),
        };
        self.insert_member(&member, role, name);
        member
    }

    /// Adds an agent that the plan or the configuration names, unless it is a member already.
    fn add_named(&mut self, name: &AgentName, role: Role) {
        if self.members.iter().all(|member| member.name != *name) {
            self.insert_member(name, role, name);
        }
    }

    fn insert_member(&mut self, member: &AgentName, role: Role, preset: &AgentName) {
        if self.members.iter().any(|existing| existing.name == *member) {
            return;
        }
        let configured = self.config.members.iter().find(|configured| configured.name == *preset);
        let slots = configured.and_then(|configured| configured.slots);
        let resolved = preset::resolve_preset(preset.as_str(), &self.config.agents);
        let preset = if resolved.is_ok() { preset } else { &self.fallback };
        let resolved = resolved.or_else(|_| preset::resolve_preset(preset.as_str(), &self.config.agents));
        let is_turn_end_guessed =
            resolved.as_ref().is_ok_and(|preset| preset.driver == preset::DriverName::Pty);
        let protocol = resolved.map(|preset| preset.protocol).unwrap_or_default();
        self.members.push(TeamMember { name: member.clone(), role, slots, is_turn_end_guessed, protocol });
        self.presets.insert(member.clone(), preset.to_string());
    }
}

/// Returns the default worker: the requested agent, the configured one, or the first usable one on this machine.
fn choose_default_worker(
    config: &Config,
    work: &PlannedWork,
    requested: Option<&str>,
) -> Result<(AgentName, Option<StartRemark>), PrepareError> {
    let known = |name: &str| preset::resolve_preset(name, &config.agents);
    if let Some(requested) = requested {
        let invalid = |problem| PrepareError::InvalidAgent { problem };
        known(requested).map_err(|error| match error {
            preset::PresetError::Unknown { .. } => unknown_agent(config, requested, None),
            preset::PresetError::Cycle { .. } | preset::PresetError::Wrong { .. } => {
                invalid(error.to_string())
            }
        })?;
        let name = requested.parse::<AgentName>().map_err(|error| invalid(error.to_string()))?;
        return Ok((name, None));
    }
    if let Some(worker) = config.agent_for(Role::Worker) {
        return Ok((worker.clone(), None));
    }
    // If every task names a known agent, no default is needed.
    let first = work.tasks.iter().find_map(|task| task.agent.clone());
    let is_known = |name: &AgentName| known(name.as_str()).is_ok();
    if work.tasks.iter().all(|task| task.agent.as_ref().is_some_and(is_known))
        && let Some(first) = first
    {
        return Ok((first, None));
    }
    let names = preset::preset_names(&config.agents);
    let presets = names.into_iter().filter_map(|name| known(&name).ok().map(|preset| (name, preset)));
    let found = AgentDetector::from_environment().detect(presets.collect());
    let own = config.agents_without_role();
    let chosen = choose_default(&found, &own).ok_or(PrepareError::NoAgent)?;
    // The title of a script is that of the preset that it extends.
    let title = if own.contains(&chosen.name.as_str()) { &chosen.name } else { &chosen.preset.title };
    let remark = StartRemark::DefaultWorker { title: title.clone() };
    Ok((chosen.name.parse()?, Some(remark)))
}

fn role_name(role: Role) -> &'static str {
    match role {
        Role::Orchestrator => "orchestrator",
        Role::Operator => "operator",
        Role::Worker => "worker",
        Role::Tester => "tester",
        Role::Verifier => "verifier",
        Role::Specialist => "specialist",
    }
}
