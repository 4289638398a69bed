//! The team of a run, and what a plan leaves open.

use domain::{AgentName, Member, PlannedWork, Role};

use crate::config::Config;

impl Config {
    /// Returns the members of the team: those with a part to play first, then the other agents that are described.
    ///
    /// `worker` does tasks that name nobody where the configuration names nobody either. An agent that plays two parts is
    /// a member for each.
    pub fn members(&self, worker: &AgentName) -> Vec<Member> {
        let team = &self.team;
        let parts = [
            (Role::Worker, team.worker.as_ref().or_else(|| self.with_role(Role::Worker)).or(Some(worker))),
            (Role::Tester, team.tester.as_ref().or_else(|| self.with_role(Role::Tester))),
            (Role::Verifier, team.verifier.as_ref().or_else(|| self.with_role(Role::Verifier))),
            (Role::Orchestrator, team.orchestrator.as_ref().or_else(|| self.with_role(Role::Orchestrator))),
            (Role::Operator, team.operator.as_ref().or_else(|| self.with_role(Role::Operator))),
        ];
        let parts = parts.into_iter().filter_map(|(role, name)| Some((role, name?)));
        let mut members: Vec<_> = parts.map(|(role, name)| self.member(name, role)).collect();
        for described in &self.members {
            let role = described.role.unwrap_or(Role::Specialist);
            let is_member = |member: &Member| {
                member.name == described.name && (described.role.is_none() || member.role == role)
            };
            if !members.iter().any(is_member) {
                members.push(self.member(&described.name, role));
            }
        }
        members
    }

    /// Settles what a plan leaves open: who tests a task, and what a task and a phase may cost.
    pub fn complete(&self, work: &mut PlannedWork) {
        let tester = self.team.tester.as_ref().or_else(|| self.with_role(Role::Tester));
        for task in &mut work.tasks {
            task.tester = task.tester.take().or_else(|| tester.cloned());
            task.budget = task.budget.or(self.budgets.task);
        }
        for phase in work.phases.iter_mut().filter(|phase| phase.budgets.is_empty()) {
            phase.budgets.clone_from(&self.budgets.phase);
        }
    }

    fn with_role(&self, role: Role) -> Option<&AgentName> {
        self.members.iter().find(|described| described.role == Some(role)).map(|described| &described.name)
    }

    fn member(&self, name: &AgentName, role: Role) -> Member {
        let described = self.members.iter().find(|described| described.name == *name);
        Member { name: name.clone(), role, slots: described.and_then(|described| described.slots) }
    }
}
