//! What happens at the end of a phase.

use domain::{Event, SessionInput};

use crate::{
    effect::Effect,
    orders::Given,
    run::Run,
    state::{Duty, EffectKey, Gate, TaskRef},
};

impl Run {
    pub(super) fn take_gate(&mut self, event: &Event, given: &mut Given) {
        match event {
            Event::PhaseCompletionReported { phase, documents, session } => {
                let task = self.session(*session).task;
                if let Some(phase) = self.phases.get_mut(phase) {
                    phase.documents.extend(documents.iter().cloned());
                    phase.marked_by = task;
                }
            }
            Event::GateOpened { phase, round, .. } => {
                if let Some(at_gate) = self.phases.get_mut(phase) {
                    at_gate.gate = Gate::Checking;
                    at_gate.rounds = *round;
                    at_gate.objections.clear();
                }
                let effect = Effect::CheckGate { phase: *phase, round: *round };
                given.order(&mut self.orders, EffectKey::Gate(*phase), effect);
            }
            Event::GateChecked { phase, .. } => self.orders.close(&EffectKey::Gate(*phase)),
            Event::GateVerifierStarted { phase, session, .. } => {
                self.set_gate(*phase, Gate::Judging(*session));
                if let Some(session) = self.sessions.get_mut(session.0) {
                    session.in_hand = Some(Duty::Judge(*phase));
                }
            }
            Event::GatePassed { phase, .. } => {
                self.end_judging(*phase);
                self.set_gate(*phase, Gate::Review);
            }
            Event::GateApproved { phase, .. } => {
                self.end_judging(*phase);
                self.orders.close(&EffectKey::Gate(*phase));
                let Some(passed) = self.phases.get_mut(phase) else { return };
                passed.gate = Gate::Approved;
                let (node, has_work) = (passed.node, passed.last_done.is_some());
                self.schedule.mark_met(node);
                if has_work {
                    let effect = Effect::LandPhase { phase: *phase };
                    given.order(&mut self.orders, EffectKey::Land(*phase), effect);
                }
            }
            Event::GateFailed { phase, reason, tasks, .. } => {
                self.end_judging(*phase);
                self.orders.close(&EffectKey::Gate(*phase));
                let rework: Vec<TaskRef> = tasks.iter().filter_map(|task| self.find(task)).collect();
                for task in &rework {
                    if let Some(task) = self.task_mut(*task) {
                        task.owed.push(SessionInput::Rework { phase: *phase, reason: reason.clone() });
                    }
                }
                if let Some(phase) = self.phases.get_mut(phase) {
                    phase.gate = Gate::Closed;
                    phase.failures += 1;
                    phase.rework = rework;
                }
            }
            other => debug_assert!(false, "{} is no event of a gate", other.name()),
        }
    }

    fn end_judging(&mut self, phase: u32) {
        if let Some(Gate::Judging(session)) = self.phases.get(&phase).map(|phase| phase.gate) {
            self.drop_duty(Some(session), Duty::Judge(phase));
        }
    }

    pub(super) fn set_gate(&mut self, phase: u32, gate: Gate) {
        if let Some(phase) = self.phases.get_mut(&phase) {
            phase.gate = gate;
        }
    }
}
