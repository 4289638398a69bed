//! The agent of each role.

use domain::{AgentName, Role};

use crate::config::Config;

impl Config {
    /// Returns the agent of a role: the one that `[team]` names, else the first agent configured with this role.
    pub fn agent_for(&self, role: Role) -> Option<&AgentName> {
        let team = &self.team;
        let named = match role {
            Role::Worker => team.worker.as_ref(),
            Role::Tester => team.tester.as_ref(),
            Role::Verifier => team.verifier.as_ref(),
            Role::Orchestrator => team.orchestrator.as_ref(),
            Role::Operator => team.operator.as_ref(),
            Role::Specialist => None,
        };
        let member = || self.members.iter().find(|member| member.role == Some(role));
        named.or_else(|| member().map(|member| &member.name))
    }

    /// Returns the configured agents that have no role.
    pub fn agents_without_role(&self) -> Vec<&str> {
        let without_role = self.members.iter().filter(|member| member.role.is_none());
        without_role.map(|member| member.name.as_str()).collect()
    }
}
