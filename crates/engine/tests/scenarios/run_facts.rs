//! The state of sessions, questions and other objects, derived from the events and named as in scenarios.

use std::collections::BTreeMap;

use domain::{
    EscalationLevel, EscalationType, Event, ParkMode, QuestionId, QuestionRoute, Role, RunOutcome, SessionId,
};
use serde_json::Value;

#[derive(Debug, Default)]
pub struct RunFacts {
    pub sessions: Vec<SessionFacts>,
    /// State of `q_1`, `e_2`, `phase 1`, `the run` and so on.
    pub status: BTreeMap<String, String>,
    /// The dependency of each request.
    pub requests: BTreeMap<String, Value>,
    /// The last attempt at each task, and the last round of each gate.
    pub counts: BTreeMap<String, u32>,
}

#[derive(Debug)]
pub struct SessionFacts {
    pub id: SessionId,
    pub role: Role,
    pub agent: Option<String>,
    pub task: Option<String>,
    pub status: &'static str,
}

impl SessionFacts {
    /// Returns whether a name means this session: its task, its agent, `orchestrator`, `QA on T1`.
    fn is_called(&self, name: &str) -> bool {
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
    pub fn session(&self, name: &str) -> Result<&SessionFacts, String> {
        let name = name.strip_prefix("the ").unwrap_or(name);
        let mut called = self.sessions.iter().filter(|session| session.is_called(name)).rev();
        let is_running = |session: &&SessionFacts| !matches!(session.status, "ended" | "lost");
        let first = called.clone().next();
        called.find(is_running).or(first).ok_or_else(|| format!("there is no session of {name}"))
    }

    /// Returns whether an id means a session with this name.
    pub fn is_called(&self, id: &str, name: &str) -> bool {
        id.starts_with("s_")
            && self.sessions.iter().any(|session| session.id.to_string() == id && session.is_called(name))
    }

    fn set(&mut self, name: impl ToString, status: &str) {
        self.status.insert(name.to_string(), status.to_owned());
    }

    fn set_session(&mut self, id: SessionId, status: &'static str) {
        self.sessions
            .iter_mut()
            .filter(|session| session.id == id)
            .for_each(|session| session.status = status);
    }

    fn is_with_orchestrator(&self, question: QuestionId) -> bool {
        self.status.get(&question.to_string()).is_some_and(|status| status == "with the orchestrator")
    }

    pub fn note(&mut self, event: &Event) {
        self.note_session(event);
        self.note_object(event);
        match event {
            Event::RunStarted { .. } | Event::RunContinued {} | Event::RunReopened {} => {
                self.set("the run", "running")
            }
            Event::RunPaused {} => self.set("the run", "paused"),
            Event::RunCancelled {} => self.set("the run", "cancelled"),
            Event::RunEnded { outcome, .. } => {
                let outcome = match outcome {
                    RunOutcome::Done => "done",
                    RunOutcome::Failed => "failed",
                    RunOutcome::Cancelled => "cancelled",
                };
                self.set("the run", outcome);
            }
            Event::GateOpened { phase, round, .. } => {
                self.counts.insert(format!("phase {phase}"), *round);
                self.set(format!("phase {phase}"), "at its gate");
            }
            Event::GatePassed { phase, .. } => self.set(format!("phase {phase}"), "passed"),
            Event::GateApproved { phase, .. } => self.set(format!("phase {phase}"), "approved"),
            Event::GateFailed { phase, .. } => self.set(format!("phase {phase}"), "failed"),
            Event::PhaseLanded { phase } => self.set(format!("phase {phase}"), "landed"),
            Event::TaskStarted { task, attempt, .. } => {
                self.counts.insert(task.to_string(), *attempt);
            }
            _ => {}
        }
    }

    fn note_session(&mut self, event: &Event) {
        match event {
            Event::SessionOpened { session, role, agent, task, .. } => self.sessions.push(SessionFacts {
                id: *session,
                role: *role,
                agent: agent.as_ref().map(ToString::to_string),
                task: task.as_ref().map(ToString::to_string),
                status: "starting",
            }),
            Event::SessionActivated { session, .. } | Event::SessionWoken { session } => {
                self.set_session(*session, "active");
            }
            Event::SessionParked { session, mode } => {
                let status = match mode {
                    ParkMode::Hot => "parked hot",
                    ParkMode::Frozen => "parked frozen",
                    ParkMode::Cold => "parked cold",
                };
                self.set_session(*session, status);
            }
            Event::SessionDismissed { session } => self.set_session(*session, "dismissed"),
            Event::SessionEnded { session, .. } => self.set_session(*session, "ended"),
            Event::SessionLost { session, .. } => self.set_session(*session, "lost"),
            _ => {}
        }
    }

    fn note_object(&mut self, event: &Event) {
        match event {
            Event::QuestionAsked { question, .. } => self.set(question, "asked"),
            Event::QuestionRouted { question, to: QuestionRoute::Orchestrator } => {
                self.set(question, "with the orchestrator")
            }
            Event::QuestionRouted { question, to: QuestionRoute::Person } => self.set(question, "pending"),
            Event::QuestionForwarded { question, .. } if self.is_with_orchestrator(*question) => {
                self.set(question, "pending");
            }
            Event::QuestionAnswered { question, .. } => self.set(question, "answered"),
            Event::QuestionDelivered { question, .. } => self.set(question, "delivered"),
            Event::QuestionResumed { question } => self.set(question, "resumed"),
            Event::QuestionWithdrawn { question, .. } => self.set(question, "withdrawn"),
            Event::QuestionExpired { question, .. } => self.set(question, "expired"),
            Event::RequestMade { request, dependency, .. } => {
                self.requests
                    .insert(request.to_string(), serde_json::to_value(dependency).unwrap_or_default());
                self.set(request, "asked");
            }
            Event::RequestProvided { request, .. } => self.set(request, "provided"),
            Event::RequestRefused { request, .. } => self.set(request, "refused"),
            Event::RequestSkipped { request } => self.set(request, "skipped"),
            Event::RequestDelivered { request, .. } => self.set(request, "delivered"),
            Event::InvocationMade { invocation, .. } => self.set(invocation, "pending"),
            Event::InvocationStarted { invocation, .. } => self.set(invocation, "in progress"),
            Event::InvocationEnded { invocation, outcome: domain::InvocationOutcome::Completed { .. } } => {
                self.set(invocation, "completed");
            }
            Event::InvocationEnded { invocation, .. } => self.set(invocation, "failed"),
            Event::ResultSubmitted { result, .. } => self.set(result, "pending"),
            Event::ResultDelivered { result, .. } => self.set(result, "delivered"),
            Event::ChannelCreated { channel, .. } => self.set(channel, "open"),
            Event::ChannelClosed { channel } => self.set(channel, "closed"),
            Event::EscalationRaised { escalation, kind, title, cause, .. } => {
                // Only errors in the words of an agent have no translatable cause.
                let is_reported_by_agent = *kind == EscalationType::General;
                assert_eq!(
                    cause.as_ref().map(ToString::to_string),
                    (!is_reported_by_agent).then(|| title.clone())
                );
                self.set(escalation, "open");
            }
            Event::EscalationForwarded { escalation, to, .. } => self.set(escalation, level(*to)),
            Event::EscalationResolved { escalation, .. } => self.set(escalation, "resolved"),
            Event::LoopStarted { feedback_loop, .. } => self.set(feedback_loop, "running"),
            Event::LoopEnded { feedback_loop, outcome } => {
                self.set(feedback_loop, &format!("{outcome:?}").to_lowercase());
            }
            _ => {}
        }
    }
}

fn level(level: EscalationLevel) -> &'static str {
    match level {
        EscalationLevel::Worker => "with the worker",
        EscalationLevel::Operator => "with the operator",
        EscalationLevel::Orchestrator => "with the orchestrator",
        EscalationLevel::Person => "with the user",
    }
}
