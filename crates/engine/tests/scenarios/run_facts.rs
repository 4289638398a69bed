//! The state of sessions, questions and other objects, derived from the events and named as in scenarios.

use std::collections::BTreeMap;

use domain::{
    EscalationLevel, EscalationType, Event, ParkMode, QuestionId, QuestionRoute, Role, RunOutcome, SessionId,
    events,
};
use serde_json::Value;

#[derive(Debug, Default)]
pub(crate) struct RunFacts {
    pub sessions: Vec<SessionFacts>,
    /// State of `q_1`, `e_2`, `phase 1`, `the run` and so on.
    pub status: BTreeMap<String, String>,
    /// The dependency of each request.
    pub requests: BTreeMap<String, Value>,
    /// The last attempt at each task, and the last round of each gate.
    pub counts: BTreeMap<String, u32>,
}

#[derive(Debug)]
pub(crate) struct SessionFacts {
    pub id: SessionId,
    pub role: Role,
    pub agent: Option<String>,
    pub task: Option<String>,
    pub status: &'static str,
}

impl SessionFacts {
    /// Returns whether a name means this session: its task, its agent, `orchestrator`, `QA on T1`.
    fn has_name(&self, name: &str) -> bool {
        let agent = self.agent.as_deref();
        let task = self.task.as_deref();
        match name.split_once(" on ") {
            Some((first, second)) => agent == Some(first) && task == Some(second),
            None if name == "orchestrator" => self.role == Role::Orchestrator,
            None if name == "operator" => self.role == Role::Operator,
            None => agent == Some(name) || (task == Some(name) && self.role != Role::Tester),
        }
    }
}

impl RunFacts {
    /// Returns the last session with a name, preferably one that has not ended.
    pub(crate) fn session(&self, name: &str) -> Result<&SessionFacts, String> {
        let name = name.strip_prefix("the ").unwrap_or(name);
        let mut called = self.sessions.iter().filter(|session| session.has_name(name)).rev();
        let is_running = |session: &&SessionFacts| !matches!(session.status, "ended" | "lost");
        let first = called.clone().next();
        called.find(is_running).or(first).ok_or_else(|| format!("there is no session of {name}"))
    }

    /// Returns whether an id means a session with this name.
    pub(crate) fn session_has_name(&self, id: &str, name: &str) -> bool {
        id.starts_with("s_")
            && self.sessions.iter().any(|session| session.id.to_string() == id && session.has_name(name))
    }

    fn set_object_status(&mut self, name: impl ToString, status: &str) {
        self.status.insert(name.to_string(), status.to_owned());
    }

    fn set_session_status(&mut self, id: SessionId, status: &'static str) {
        self.sessions
            .iter_mut()
            .filter(|session| session.id == id)
            .for_each(|session| session.status = status);
    }

    fn is_question_with_orchestrator(&self, question: QuestionId) -> bool {
        self.status.get(&question.to_string()).is_some_and(|status| status == "with the orchestrator")
    }

    pub(crate) fn record_event(&mut self, event: &Event) {
        self.record_session_event(event);
        self.update_object_status(event);
        match event {
            Event::RunStarted(_)
            | Event::RunContinued(events::RunContinued {})
            | Event::RunReopened(events::RunReopened {}) => self.set_object_status("the run", "running"),
            Event::RunPaused(events::RunPaused {}) => self.set_object_status("the run", "paused"),
            Event::RunCancelled(events::RunCancelled {}) => self.set_object_status("the run", "cancelled"),
            Event::RunEnded(events::RunEnded { outcome, .. }) => {
                let outcome = match outcome {
                    RunOutcome::Done => "done",
                    RunOutcome::Failed => "failed",
                    RunOutcome::Cancelled => "cancelled",
                };
                self.set_object_status("the run", outcome);
            }
            Event::GateOpened(events::GateOpened { phase, round, .. }) => {
                self.counts.insert(format!("phase {phase}"), *round);
                self.set_object_status(format!("phase {phase}"), "at its gate");
            }
            Event::GatePassed(events::GatePassed { phase, .. }) => {
                self.set_object_status(format!("phase {phase}"), "passed")
            }
            Event::GateApproved(events::GateApproved { phase, .. }) => {
                self.set_object_status(format!("phase {phase}"), "approved")
            }
            Event::GateFailed(events::GateFailed { phase, .. }) => {
                self.set_object_status(format!("phase {phase}"), "failed")
            }
            Event::GateReopened(events::GateReopened { phase, .. }) => {
                self.set_object_status(format!("phase {phase}"), "open")
            }
            Event::PhaseLanded(events::PhaseLanded { phase }) => {
                self.set_object_status(format!("phase {phase}"), "landed")
            }
            Event::TaskStarted(events::TaskStarted { task, attempt, .. }) => {
                self.counts.insert(task.to_string(), *attempt);
            }
            _ => {}
        }
    }

    fn record_session_event(&mut self, event: &Event) {
        match event {
            Event::SessionOpened(events::SessionOpened { session, role, agent, task, .. }) => {
                self.sessions.push(SessionFacts {
                    id: *session,
                    role: *role,
                    agent: agent.as_ref().map(ToString::to_string),
                    task: task.as_ref().map(ToString::to_string),
                    status: "starting",
                })
            }
            Event::SessionActivated(events::SessionActivated { session, .. })
            | Event::SessionWoken(events::SessionWoken { session }) => {
                self.set_session_status(*session, "active");
            }
            Event::SessionParked(events::SessionParked { session, mode }) => {
                let status = match mode {
                    ParkMode::Hot => "parked hot",
                    ParkMode::Frozen => "parked frozen",
                    ParkMode::Cold => "parked cold",
                };
                self.set_session_status(*session, status);
            }
            Event::SessionDismissed(events::SessionDismissed { session }) => {
                self.set_session_status(*session, "dismissed")
            }
            Event::SessionEnded(events::SessionEnded { session, .. }) => {
                self.set_session_status(*session, "ended")
            }
            Event::SessionLost(events::SessionLost { session, .. }) => {
                self.set_session_status(*session, "lost")
            }
            _ => {}
        }
    }

    fn update_object_status(&mut self, event: &Event) {
        match event {
            Event::QuestionAsked(events::QuestionAsked { question, .. }) => {
                self.set_object_status(question, "asked")
            }
            Event::QuestionRouted(events::QuestionRouted { question, to: QuestionRoute::Orchestrator }) => {
                self.set_object_status(question, "with the orchestrator")
            }
            Event::QuestionRouted(events::QuestionRouted { question, to: QuestionRoute::Person }) => {
                self.set_object_status(question, "pending")
            }
            Event::QuestionForwarded(events::QuestionForwarded { question, .. })
                if self.is_question_with_orchestrator(*question) =>
            {
                self.set_object_status(question, "pending");
            }
            Event::QuestionAnswered(events::QuestionAnswered { question, .. }) => {
                self.set_object_status(question, "answered")
            }
            Event::QuestionDelivered(events::QuestionDelivered { question, .. }) => {
                self.set_object_status(question, "delivered")
            }
            Event::QuestionResumed(events::QuestionResumed { question }) => {
                self.set_object_status(question, "resumed")
            }
            Event::QuestionWithdrawn(events::QuestionWithdrawn { question, .. }) => {
                self.set_object_status(question, "withdrawn")
            }
            Event::QuestionExpired(events::QuestionExpired { question, .. }) => {
                self.set_object_status(question, "expired")
            }
            Event::RequestMade(events::RequestMade { request, dependency, .. }) => {
                self.requests
                    .insert(request.to_string(), serde_json::to_value(dependency).unwrap_or_default());
                self.set_object_status(request, "asked");
            }
            Event::ProvisionStarted(events::ProvisionStarted { request, .. }) => {
                self.set_object_status(request, "being provided")
            }
            Event::ProvisionFailed(events::ProvisionFailed { request, .. }) => {
                self.set_object_status(request, "asked")
            }
            Event::RequestProvided(events::RequestProvided { request, .. }) => {
                self.set_object_status(request, "provided")
            }
            Event::RequestRefused(events::RequestRefused { request, .. }) => {
                self.set_object_status(request, "refused")
            }
            Event::RequestSkipped(events::RequestSkipped { request, .. }) => {
                self.set_object_status(request, "skipped")
            }
            Event::RequestDelivered(events::RequestDelivered { request, .. }) => {
                self.set_object_status(request, "delivered")
            }
            Event::InvocationMade(events::InvocationMade { invocation, .. }) => {
                self.set_object_status(invocation, "pending")
            }
            Event::InvocationStarted(events::InvocationStarted { invocation, .. }) => {
                self.set_object_status(invocation, "in progress")
            }
            Event::InvocationEnded(events::InvocationEnded {
                invocation,
                outcome: domain::AgentInvocationOutcome::Completed { .. },
            }) => {
                self.set_object_status(invocation, "completed");
            }
            Event::InvocationEnded(events::InvocationEnded { invocation, .. }) => {
                self.set_object_status(invocation, "failed")
            }
            Event::ResultSubmitted(events::ResultSubmitted { result, .. }) => {
                self.set_object_status(result, "pending")
            }
            Event::ResultDelivered(events::ResultDelivered { result, .. }) => {
                self.set_object_status(result, "delivered")
            }
            Event::ChannelCreated(events::ChannelCreated { channel, .. }) => {
                self.set_object_status(channel, "open")
            }
            Event::ChannelClosed(events::ChannelClosed { channel }) => {
                self.set_object_status(channel, "closed")
            }
            Event::EscalationRaised(events::EscalationRaised { escalation, kind, title, cause, .. }) => {
                // Only errors in the words of an agent have no translatable cause.
                let is_reported_by_agent = *kind == EscalationType::General;
                assert_eq!(
                    cause.as_ref().map(ToString::to_string),
                    (!is_reported_by_agent).then(|| title.clone())
                );
                self.set_object_status(escalation, "open");
            }
            Event::EscalationForwarded(events::EscalationForwarded { escalation, to, .. }) => {
                self.set_object_status(escalation, escalation_level_text(*to))
            }
            Event::EscalationResolved(events::EscalationResolved { escalation, .. }) => {
                self.set_object_status(escalation, "resolved")
            }
            Event::LoopStarted(events::LoopStarted { feedback_loop, .. }) => {
                self.set_object_status(feedback_loop, "running")
            }
            Event::LoopEnded(events::LoopEnded { feedback_loop, outcome }) => {
                self.set_object_status(feedback_loop, &format!("{outcome:?}").to_lowercase());
            }
            _ => {}
        }
    }
}

fn escalation_level_text(level: EscalationLevel) -> &'static str {
    match level {
        EscalationLevel::Worker => "with the worker",
        EscalationLevel::Operator => "with the operator",
        EscalationLevel::Orchestrator => "with the orchestrator",
        EscalationLevel::Person => "with the user",
    }
}
