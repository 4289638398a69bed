//! Calls between agents: no cycle of calls.

use std::collections::BTreeSet;

use domain::{AgentName, InvocationId, SessionId};

use super::Model;
use crate::rule::Rule;

/// A call of one agent by another.
#[derive(Debug, Clone)]
pub(crate) struct Call {
    pub caller: SessionId,
    pub callee: AgentName,
    /// The session that works on it.
    pub session: Option<SessionId>,
    /// Whether it has not ended.
    pub open: bool,
}

impl Model {
    /// Adds a call; the callee must not wait for the caller.
    pub(super) fn add_call(&mut self, id: InvocationId, caller: SessionId, callee: &AgentName) {
        if self.callee_waits_for_caller(caller, callee) {
            self.add_violation(Rule::NoCycle, format!("{id}: {callee} waits for {caller}, which calls it"));
        }
        let call = Call { caller, callee: callee.clone(), session: None, open: true };
        self.calls.insert(id, call);
    }

    /// Tells whether an agent waits for the agent of the caller, directly or through other calls.
    fn callee_waits_for_caller(&self, caller: SessionId, callee: &AgentName) -> bool {
        let agent = |session: SessionId| self.sessions.get(&session).and_then(|known| known.agent.clone());
        let Some(caller) = agent(caller) else { return false };
        let mut seen = BTreeSet::new();
        let mut open = vec![callee.clone()];
        while let Some(name) = open.pop() {
            if name == caller {
                return true;
            }
            let calls =
                self.calls.values().filter(|call| call.open && agent(call.caller).as_ref() == Some(&name));
            let called: Vec<AgentName> = calls.map(|call| call.callee.clone()).collect();
            if seen.insert(name) {
                open.extend(called);
            }
        }
        false
    }
}
