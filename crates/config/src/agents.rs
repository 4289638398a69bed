//! Whether the agents that are named are there, and whole.

use std::collections::BTreeSet;

use crate::{near::nearest, origin::Origin, problem::Problems, value::Value, values::Values};

/// What every agent must have, from its own table or from the one that it takes over.
const NEEDED: [&str; 2] = ["driver", "command"];

/// Checks every name of an agent, and that each agent can be started.
pub(crate) fn check_agents(values: &Values, own: &[String], problems: &mut Problems) {
    let names = Names { values, own };
    for name in values.agents.keys() {
        names.check_base(name, problems);
    }
    for role in ["worker", "tester", "verifier", "orchestrator", "operator"] {
        if let Some(placed) = values.placed(&format!("team.{role}"))
            && let (Value::Text(name), [origin, ..]) = (&placed.value, placed.origins.as_slice())
            && !names.has(name)
        {
            names.complain(name, origin, problems);
        }
    }
}

/// The agents that there are.
struct Names<'a> {
    values: &'a Values,
    own: &'a [String],
}

impl<'a> Names<'a> {
    fn is_own(&self, name: &str) -> bool {
        self.own.iter().any(|own| own == name)
    }

    fn has(&self, name: &str) -> bool {
        self.is_own(name) || self.values.agents.contains_key(name)
    }

    fn complain(&self, name: &str, origin: &Origin, problems: &mut Problems) {
        let all = || self.own.iter().chain(self.values.agents.keys()).map(String::as_str);
        problems.error(
            || origin.clone(),
            || {
                let hint = match nearest(name, all()) {
                    Some(near) => format!("did you mean \"{near}\"?"),
                    None => format!(
                        "there are {}; add one as [agents.NAME]",
                        all().collect::<BTreeSet<_>>().into_iter().collect::<Vec<_>>().join(", ")
                    ),
                };
                (format!("there is no agent '{name}'"), Some(hint))
            },
        );
    }

    /// Returns what an agent takes over, and where that is said.
    fn base(&self, name: &str) -> Option<(&'a str, &'a Origin)> {
        let extends = self.values.of_agent(name, "extends")?;
        match (&extends.value, extends.origins.as_slice()) {
            (Value::Text(base), [origin, ..]) => Some((base, origin)),
            _ => None,
        }
    }

    /// Follows what an agent takes over, down to one of Jangdan's own or to one that stands alone.
    fn check_base(&self, agent: &'a str, problems: &mut Problems) {
        let mut chain = vec![agent];
        let mut name = agent;
        loop {
            match self.base(name) {
                // A table that takes over its own name means Jangdan's.
                None if self.is_own(name) => return,
                Some((base, _)) if base == name && self.is_own(name) => return,
                None => break,
                Some((base, _)) if chain.contains(&base) => {
                    // Each agent of a circle is told of itself alone.
                    if let Some((_, origin)) = self.base(agent).filter(|_| base == agent) {
                        let hint = Some("let one of them stand alone".to_owned());
                        problems.error(
                            || origin.clone(),
                            || (format!("the agent '{agent}' extends itself"), hint),
                        );
                    }
                    return;
                }
                Some((base, origin)) if !self.has(base) => {
                    if name == agent {
                        self.complain(base, origin, problems);
                    }
                    return;
                }
                Some((base, _)) => {
                    chain.push(base);
                    name = base;
                    // Jangdan's own that nobody changes is whole.
                    if !self.values.agents.contains_key(base) {
                        return;
                    }
                }
            }
        }
        // Only the one that stands alone is told what it needs.
        let Some(origin) = self.values.agents.get(agent).filter(|_| name == agent) else { return };
        let is_missing = |key: &&&str| self.values.of_agent(agent, key).is_none();
        let missing: Vec<_> = NEEDED.iter().filter(is_missing).map(|key| format!("`{key}`")).collect();
        if !missing.is_empty() {
            let hint = "say it, or take over another agent: extends = \"shell\"".to_owned();
            let what = format!("the agent '{agent}' has no {}", missing.join(" and no "));
            problems.error(|| origin.clone(), || (what, Some(hint)));
        }
    }
}
