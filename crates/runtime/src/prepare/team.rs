//! Who is in the team of a run, and by which preset each is started.

use std::collections::BTreeMap;

use config::Config;
use domain::{AgentName, PlannedWork, Role, TeamMember};
use drivers::preset;
use sessions::detect::{Machine, choose};

use super::PrepareError;

#[cfg(test)]
mod tests;

/// The team of a run.
#[derive(Debug)]
pub struct Team {
    /// Its members, whoever does what nobody is named for first.
    pub members: Vec<TeamMember>,
    /// By which preset each is started.
    pub presets: BTreeMap<AgentName, String>,
    /// Who tests tasks that name nobody for it.
    pub tester: Option<AgentName>,
    /// What was chosen.
    pub note: Option<String>,
}

/// Puts a team together.
pub fn team(config: &Config, work: &PlannedWork, wanted: Option<&str>) -> Result<Team, PrepareError> {
    let (worker, note) = worker(config, work, wanted)?;
    let mut team =
        Gathering { config, members: Vec::new(), presets: BTreeMap::new(), fallback: worker.clone() };
    team.add(&worker, Role::Worker);
    for role in [Role::Orchestrator, Role::Operator, Role::Verifier] {
        if let Some(name) = config.agent_for(role) {
            team.add(name, role);
        }
    }
    let tester = config.agent_for(Role::Tester).map(|tester| team.add(tester, Role::Tester));
    for task in &work.tasks {
        if let Some(agent) = &task.agent {
            team.add_named(agent, Role::Worker);
        }
        if let Some(tester) = &task.tester {
            team.add_named(tester, Role::Tester);
        }
    }
    for described in &config.members {
        // Whoever the configuration describes can be called by others.
        team.add_named(&described.name, described.role.unwrap_or(Role::Specialist));
    }
    Ok(Team { members: team.members, presets: team.presets, tester, note })
}

struct Gathering<'a> {
    config: &'a Config,
    members: Vec<TeamMember>,
    presets: BTreeMap<AgentName, String>,
    /// The preset of those who have none of their own name.
    fallback: AgentName,
}

impl Gathering<'_> {
    /// Adds a member with a role of its own: somebody who is there in another role is there once more under the role's name.
    fn add(&mut self, name: &AgentName, role: Role) -> AgentName {
        let is_there = self.members.iter().any(|member| member.name == *name && member.role != role);
        let member = match (is_there, word(role).parse()) {
            (true, Ok(own)) => own,
            _ => name.clone(),
        };
        self.put(&member, role, name);
        member
    }

    /// Adds somebody whom the plan or the configuration names, in whatever role they are already.
    fn add_named(&mut self, name: &AgentName, role: Role) {
        if self.members.iter().all(|member| member.name != *name) {
            self.put(name, role, name);
        }
    }

    fn put(&mut self, member: &AgentName, role: Role, preset: &AgentName) {
        if self.members.iter().any(|there| there.name == *member) {
            return;
        }
        let described = self.config.members.iter().find(|described| described.name == *preset);
        let slots = described.and_then(|described| described.slots);
        self.members.push(TeamMember { name: member.clone(), role, slots });
        let is_known = preset::pick(preset.as_str(), &self.config.agents).is_ok();
        let preset = if is_known { preset } else { &self.fallback };
        self.presets.insert(member.clone(), preset.to_string());
    }
}

/// Returns who does what nobody is named for: as the person says, the configuration, or what is installed.
fn worker(
    config: &Config,
    work: &PlannedWork,
    wanted: Option<&str>,
) -> Result<(AgentName, Option<String>), PrepareError> {
    let known = |name: &str| preset::pick(name, &config.agents);
    if let Some(wanted) = wanted {
        let name = wanted.parse::<AgentName>().map_err(|error| error.to_string());
        let name = name.and_then(|name| known(wanted).map(|_| name).map_err(|error| error.to_string()));
        return name.map(|name| (name, None)).map_err(|problem| PrepareError::UnknownAgent { problem });
    }
    if let Some(worker) = config.agent_for(Role::Worker) {
        return Ok((worker.clone(), None));
    }
    // Where every task names somebody whom we know, nobody else is needed.
    let first = work.tasks.iter().find_map(|task| task.agent.clone());
    let is_known = |name: &AgentName| known(name.as_str()).is_ok();
    if work.tasks.iter().all(|task| task.agent.as_ref().is_some_and(is_known))
        && let Some(first) = first
    {
        return Ok((first, None));
    }
    let names = preset::names(&config.agents);
    let presets = names.into_iter().filter_map(|name| known(&name).ok().map(|preset| (name, preset)));
    let found = Machine::here().find(presets.collect());
    let chosen = choose(&found).ok_or(PrepareError::NoAgent)?;
    let note = format!("{} does the work, as nobody else is named", chosen.preset.title);
    Ok((chosen.name.parse()?, Some(note)))
}

fn word(role: Role) -> &'static str {
    match role {
        Role::Orchestrator => "orchestrator",
        Role::Operator => "operator",
        Role::Worker => "worker",
        Role::Tester => "tester",
        Role::Verifier => "verifier",
        Role::Specialist => "specialist",
    }
}
