//! Decides inputs: validates an input, emits its events, then emits the events that follow from those.
//!
//! Every event is applied immediately, so that the next rule sees its result. An input is rejected before its first
//! event or not at all.

mod agent_error;
mod agent_message;
mod chat;
mod check_not_run;
mod cleanup;
mod collaboration;
mod completion;
mod control;
mod correction;
mod custom_message;
mod deadline;
mod disk_budget;
mod disk_full;
mod escalation;
mod evidence;
mod file_overlap;
mod follow_up;
mod gate;
mod input;
mod landing;
mod large_files;
mod message_limits;
mod moved_ref;
mod permission;
mod plan_change;
mod plan_edit;
mod question;
mod request;
mod session;
mod session_input;
mod start;
mod thin_mode;
mod turn;
mod user_act;

pub(crate) use custom_message::VERDICT;
pub(crate) use gate::describe_receipt;
pub(crate) use request::resource_from_request_default;

use domain::{ActionUpdate, Actor, EffectId, Event, RecordedEvent, RunInput, TaskId, Timestamp, events};

use crate::{
    effect::Effect,
    rejection::Rejection,
    run::{Run, RunStatus},
    state::TaskIndex,
};

/// The result of an accepted input.
#[derive(Debug, Clone, PartialEq)]
pub struct Decision {
    /// To be recorded before any effect is executed.
    pub events: Vec<RecordedEvent>,
    /// Which actions are allowed after each of the events.
    pub actions: Vec<ActionUpdate>,
    /// To be executed once the events are recorded.
    pub effects: Vec<(EffectId, Effect)>,
}

impl Run {
    /// Decides an input and applies the resulting events. A rejected input changes nothing.
    ///
    /// The caller records all events or none; if recording fails, it rebuilds the run from the log.
    pub fn decide(&mut self, now: Timestamp, input: RunInput) -> Result<Decision, Rejection> {
        let mut context = DecisionContext {
            run: self,
            now,
            actor: input.actor(),
            events: Vec::new(),
            actions: Vec::new(),
            effects: Vec::new(),
        };
        context.decide_input(input)?;
        if context.actor != Actor::Clock {
            context.actor = Actor::System;
        }
        context.emit_follow_up_events();
        Ok(Decision { events: context.events, actions: context.actions, effects: context.effects })
    }
}

/// The input being decided, with the events and effects so far.
struct DecisionContext<'a> {
    run: &'a mut Run,
    now: Timestamp,
    actor: Actor,
    events: Vec<RecordedEvent>,
    actions: Vec<ActionUpdate>,
    effects: Vec<(EffectId, Effect)>,
}

impl DecisionContext<'_> {
    /// Applies an event and adds it to the decision.
    fn emit(&mut self, event: impl Into<Event>) {
        let recorded = RecordedEvent {
            sequence: self.run.sequence.next(),
            at: self.now,
            actor: self.actor.clone(),
            event: event.into(),
        };
        self.effects.extend(self.run.apply_in_decision(&recorded));
        self.actions.push(self.run.action_update(&recorded.event));
        self.events.push(recorded);
    }

    /// Emits an event whose actor is the system, regardless of the input's actor.
    fn emit_as_system(&mut self, event: impl Into<Event>) {
        let actor = std::mem::replace(&mut self.actor, Actor::System);
        self.emit(event);
        self.actor = actor;
    }

    fn find_task(&self, task: &TaskId) -> Result<TaskIndex, Rejection> {
        self.run.find_task(task).ok_or_else(|| Rejection::UnknownTask { task: task.clone() })
    }

    fn task_id(&self, task: TaskIndex) -> TaskId {
        self.run.task(task).planned.id.clone()
    }

    /// Reopens an ended run, because a command makes progress possible again.
    fn reopen_run(&mut self) {
        if matches!(self.run.status, RunStatus::Ended(_)) {
            self.emit(events::RunReopened {});
            self.wake_sessions();
            let has_root = self.run.root_session.is_some_and(|root| self.run.session(root).is_alive());
            if !has_root {
                let last =
                    self.run.root_session.filter(|root| self.run.session(*root).agent_session.is_some());
                self.open_orchestrator(last);
            }
        }
    }
}
