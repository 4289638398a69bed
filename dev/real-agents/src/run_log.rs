//! The log of a run, as `jangdan log` prints it.

use anyhow::{Context, Result, ensure};
use serde_json::Value;

use crate::project::Project;

/// Events that a run without a fault does not have.
const FAULTS: [&str; 6] = [
    "AttemptFailed",
    "SessionLost",
    "EscalationRaised",
    "MessageRejected",
    "NearMissReceived",
    "ErrorReported",
];

/// The log of a run.
#[derive(Debug, Default)]
pub(crate) struct Log(Vec<Value>);

impl Log {
    /// Reads the events so far.
    pub(crate) fn read(project: &Project) -> Result<Self> {
        let text = project.jangdan(&["log", &project.run_name()?, "--json"])?;
        let events = text.lines().map(serde_json::from_str::<Value>);
        Ok(Self(
            events
                .map(|event| Ok(event?.get("event").cloned().unwrap_or_default()))
                .collect::<Result<_>>()?,
        ))
    }

    /// Returns all events of a kind.
    pub(crate) fn events_of_kind<'a>(&'a self, kind: &'a str) -> impl Iterator<Item = &'a Value> {
        self.0.iter().filter(move |event| text_field(event, "type") == kind)
    }

    /// Returns all events of a kind about a session, a task or a question.
    pub(crate) fn events_about<'a>(
        &'a self,
        kind: &'a str,
        name: &'a str,
    ) -> impl Iterator<Item = &'a Value> {
        let names = ["session", "task", "question"];
        self.events_of_kind(kind)
            .filter(move |event| names.iter().any(|field| text_field(event, field) == name))
    }

    /// Returns the sessions of an agent.
    pub(crate) fn sessions_of_agent<'a>(&'a self, agent: &'a str) -> impl Iterator<Item = &'a str> {
        self.events_of_kind("SessionOpened")
            .filter(move |event| text_field(event, "agent") == agent)
            .map(|event| text_field(event, "session"))
    }

    /// Returns all events, in their order.
    pub(crate) fn events(&self) -> &[Value] {
        &self.0
    }

    /// Checks that the run is done, and that no agent failed, was lost or was misunderstood.
    pub(crate) fn check_end(&self) -> Result<()> {
        let end = self.events_of_kind("RunEnded").last().context("the run has not ended")?;
        ensure!(text_field(end, "outcome") == "done", "the run ended with {end}");
        for kind in FAULTS {
            let fault = self.events_of_kind(kind).next();
            ensure!(fault.is_none(), "unexpected event: {fault:?}");
        }
        Ok(())
    }
}

/// Returns a text of an event; empty if it has none of this name.
pub(crate) fn text_field<'a>(event: &'a Value, name: &str) -> &'a str {
    event.get(name).and_then(Value::as_str).unwrap_or_default()
}

/// Returns the tokens of a reported usage.
pub(crate) fn n_tokens(event: &Value) -> u64 {
    let n = |name: &str| event.pointer(name).and_then(Value::as_u64).unwrap_or_default();
    n("/usage/inputTokens") + n("/usage/outputTokens")
}
