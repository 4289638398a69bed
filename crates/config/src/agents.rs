//! Checks that every agent that the configuration names exists and can be started.

use std::collections::BTreeSet;

use crate::{
    closest_name::closest_name,
    origin::Origin,
    problem::ProblemList,
    problem_text::{ProblemHint, ProblemMessage},
    value::Value,
    values::Values,
};

/// Keys that an agent must have, from its own table or from the agent that it extends.
const REQUIRED_KEYS: [&str; 2] = ["driver", "command"];

/// Reports unknown agent names, circular `extends` and agents without a required key.
pub(crate) fn check_agents(values: &Values, builtin: &[String], problems: &mut ProblemList) {
    let names = KnownAgents { values, builtin };
    for name in values.agents.keys() {
        names.check_base(name, problems);
    }
    for role in ["worker", "tester", "verifier", "orchestrator", "operator"] {
        if let Some(default) = values.sourced_value(&format!("team.{role}"))
            && let (Value::Text(name), [origin, ..]) = (&default.value, default.origins.as_slice())
            && !names.has(name)
        {
            names.report_unknown(name, origin, problems);
        }
    }
}

struct KnownAgents<'a> {
    values: &'a Values,
    builtin: &'a [String],
}

impl<'a> KnownAgents<'a> {
    fn is_builtin(&self, name: &str) -> bool {
        self.builtin.iter().any(|builtin| builtin == name)
    }

    fn has(&self, name: &str) -> bool {
        self.is_builtin(name) || self.values.agents.contains_key(name)
    }

    fn report_unknown(&self, name: &str, origin: &Origin, problems: &mut ProblemList) {
        let all = || self.builtin.iter().chain(self.values.agents.keys()).map(String::as_str);
        problems.push_error(
            || origin.clone(),
            || {
                let hint = match closest_name(name, all()) {
                    Some(name) => ProblemHint::DidYouMean { names: vec![format!("\"{name}\"")] },
                    None => {
                        let names: BTreeSet<_> = all().map(str::to_owned).collect();
                        ProblemHint::KnownAgents { names: names.into_iter().collect() }
                    }
                };
                (ProblemMessage::UnknownAgent { name: name.to_owned() }, Some(hint))
            },
        );
    }

    /// Returns the agent that an agent extends, with the origin of that setting.
    fn base(&self, name: &str) -> Option<(&'a str, &'a Origin)> {
        let extends = self.values.agent_value(name, "extends")?;
        match (&extends.value, extends.origins.as_slice()) {
            (Value::Text(base), [origin, ..]) => Some((base, origin)),
            _ => None,
        }
    }

    /// Follows `extends` down to a built-in agent or to one that extends nothing, and reports what is wrong on the way.
    fn check_base(&self, agent: &'a str, problems: &mut ProblemList) {
        let mut chain = vec![agent];
        let mut name = agent;
        loop {
            match self.base(name) {
                // An agent that extends its own name extends the built-in one.
                None if self.is_builtin(name) => return,
                Some((base, _)) if base == name && self.is_builtin(name) => return,
                None => break,
                Some((base, _)) if chain.contains(&base) => {
                    // Each agent of a cycle is reported once, at its own table.
                    if let Some((_, origin)) = self.base(agent).filter(|_| base == agent) {
                        let message = ProblemMessage::ExtendsItself { agent: agent.to_owned() };
                        problems
                            .push_error(|| origin.clone(), || (message, Some(ProblemHint::RemoveExtends)));
                    }
                    return;
                }
                Some((base, origin)) if !self.has(base) => {
                    if name == agent {
                        self.report_unknown(base, origin, problems);
                    }
                    return;
                }
                Some((base, _)) => {
                    chain.push(base);
                    name = base;
                    // An unchanged built-in agent is complete.
                    if !self.values.agents.contains_key(base) {
                        return;
                    }
                }
            }
        }
        // Missing keys are reported at the agent that extends nothing.
        let Some(origin) = self.values.agents.get(agent).filter(|_| name == agent) else { return };
        let is_missing = |key: &&&str| self.values.agent_value(agent, key).is_none();
        let keys: Vec<_> = REQUIRED_KEYS.iter().filter(is_missing).copied().collect();
        if !keys.is_empty() {
            let message = ProblemMessage::MissingAgentKeys { agent: agent.to_owned(), keys };
            problems.push_error(|| origin.clone(), || (message, Some(ProblemHint::AddAgentKey)));
        }
    }
}
