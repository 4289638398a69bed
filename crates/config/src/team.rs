//! Who plays which part in a team.

use domain::{AgentName, Role};

use crate::config::Config;

impl Config {
    /// Returns who plays a part: whom `[team]` names for it, else the first agent whose role it is.
    pub fn player(&self, role: Role) -> Option<&AgentName> {
        let team = &self.team;
        let named = match role {
            Role::Worker => team.worker.as_ref(),
            Role::Tester => team.tester.as_ref(),
            Role::Verifier => team.verifier.as_ref(),
            Role::Orchestrator => team.orchestrator.as_ref(),
            Role::Operator => team.operator.as_ref(),
            Role::Specialist => None,
        };
        let described = || self.members.iter().find(|described| described.role == Some(role));
        named.or_else(|| described().map(|described| &described.name))
    }
}
