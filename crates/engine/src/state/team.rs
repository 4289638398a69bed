//! The members of the team, and the default worker.

use std::num::NonZeroU32;

use domain::{AgentName, AgentProtocol, Role, TeamMember};

use crate::schedule::AgentIndex;

#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct Team {
    pub(crate) members: Vec<TeamMember>,
}

impl Team {
    pub(crate) fn agent_index(&self, name: &AgentName) -> Option<AgentIndex> {
        self.members.iter().position(|member| member.name == *name).map(AgentIndex)
    }

    pub(crate) fn first_with_role(&self, role: Role) -> Option<&TeamMember> {
        self.members.iter().find(|member| member.role == role)
    }

    /// Returns the agent for unassigned tasks: the first worker, else the first specialist, else the first member.
    pub(crate) fn default_worker(&self) -> AgentIndex {
        let of = |role: Role| self.members.iter().position(|member| member.role == role);
        AgentIndex(of(Role::Worker).or_else(|| of(Role::Specialist)).unwrap_or(0))
    }

    pub(crate) fn agent_name(&self, agent: AgentIndex) -> Option<&AgentName> {
        self.members.get(agent.0).map(|member| &member.name)
    }

    pub(crate) fn agent_role(&self, name: &AgentName) -> Option<Role> {
        self.members.iter().find(|member| member.name == *name).map(|member| member.role)
    }

    /// Returns whether an agent reports the end of its turns, so that it can be waited for.
    pub(crate) fn reports_turn_end(&self, name: &AgentName) -> bool {
        self.members.iter().any(|member| member.name == *name && !member.is_turn_end_guessed)
    }

    /// Returns whether an agent knows the messages of the protocol.
    pub(crate) fn knows_protocol(&self, name: &AgentName) -> bool {
        let member = self.members.iter().find(|member| member.name == *name);
        member.is_none_or(|member| member.protocol == AgentProtocol::Text)
    }

    pub(crate) fn agent_names(&self) -> Vec<AgentName> {
        self.members.iter().map(|member| member.name.clone()).collect()
    }

    /// Returns how many tasks each member may do at the same time.
    pub(crate) fn slots_per_agent(&self) -> Vec<NonZeroU32> {
        self.members.iter().map(|member| member.slots.unwrap_or(NonZeroU32::MAX)).collect()
    }
}
