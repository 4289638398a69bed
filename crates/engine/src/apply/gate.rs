//! Applies events about the gate of a phase.

use domain::{AgentMessage, PhaseNumber, SessionId, SessionInput, events};

use crate::{
    decide::VERDICT,
    effect::{ArtefactRule, Effect, GateCheck},
    effect_sink::EffectSink,
    gate_verdict::parse_verdict,
    run::Run,
    state::{EffectKey, GateState, RoundOrigin, TaskIndex, WorkItem},
};

/// Objections of a verifier that are kept.
const OBJECTIONS_MAX: usize = 50;

impl Run {
    pub(super) fn apply_phase_completion_reported(&mut self, event: &events::PhaseCompletionReported) {
        let events::PhaseCompletionReported { phase, documents, session } = event;
        let task = self.session(*session).task;
        if let Some(phase) = self.phases.get_mut(phase) {
            if let Some(task) = task {
                phase.documents.insert(task, documents.clone());
            }
            phase.marked_by = task;
        }
    }

    pub(super) fn apply_gate_opened(&mut self, event: &events::GateOpened, sink: &mut EffectSink) {
        let events::GateOpened { phase, round, .. } = event;
        if let Some(phase_state) = self.phases.get_mut(phase) {
            phase_state.gate = GateState::Checking;
            phase_state.rounds = *round;
            phase_state.objections.clear();
            phase_state.verdict = None;
            phase_state.is_acceptance_reported = false;
            phase_state.report = None;
        }
        let effect = Effect::CheckGate(Box::new(self.gate_check(*phase, *round)));
        sink.add(&mut self.pending_effects, EffectKey::Gate(*phase), effect);
    }

    pub(super) fn apply_gate_checked(&mut self, event: &events::GateChecked) {
        let events::GateChecked { phase, report, .. } = event;
        self.pending_effects.remove(&EffectKey::Gate(*phase));
        if let Some(phase) = self.phases.get_mut(phase) {
            phase.examined_commit.clone_from(&report.commit);
            phase.report = Some(Box::new(report.clone()));
        }
    }

    pub(super) fn apply_gate_verifier_started(&mut self, event: &events::GateVerifierStarted) {
        let events::GateVerifierStarted { phase, session, .. } = event;
        self.set_gate_state(*phase, GateState::Verifying(*session));
        if let Some(session) = self.session_mut(*session) {
            session.current_item = Some(WorkItem::Verify(*phase));
        }
    }

    /// Records what the verifier says about its phase. It counts when the turn ends.
    pub(super) fn apply_verifier_message(&mut self, id: SessionId, message: &AgentMessage) {
        let Some(WorkItem::Verify(phase)) = self.session(id).current_item else { return };
        let Some(phase) = self.phases.get_mut(&phase) else { return };
        if let AgentMessage::Fail(fail) = message {
            if phase.objections.len() < OBJECTIONS_MAX {
                let reason = fail.reason.clone().unwrap_or_default();
                phase.objections.push((fail.task_id.clone(), reason));
            }
        } else if let AgentMessage::Custom(custom) = message {
            if custom.kind == VERDICT {
                phase.verdict = parse_verdict(&custom.value);
            }
        } else if let AgentMessage::Done(_) = message {
            phase.is_acceptance_reported = true;
        }
    }

    pub(super) fn apply_gate_passed(&mut self, event: &events::GatePassed) {
        let events::GatePassed { phase, .. } = event;
        self.remove_verify_work_item(*phase);
        self.set_gate_state(*phase, GateState::Review);
    }

    pub(super) fn apply_gate_approved(&mut self, event: &events::GateApproved, sink: &mut EffectSink) {
        let events::GateApproved { phase, .. } = event;
        self.remove_verify_work_item(*phase);
        self.pending_effects.remove(&EffectKey::Gate(*phase));
        let Some(passed) = self.phases.get_mut(phase) else { return };
        passed.gate = GateState::Approved;
        let (node, has_work) = (passed.node, passed.last_done.is_some());
        let commit = passed.examined_commit.clone();
        self.schedule.mark_met(node);
        if has_work {
            let effect = Effect::LandPhase { phase: *phase, commit, check: self.landing_check() };
            sink.add(&mut self.pending_effects, EffectKey::Land(*phase), effect);
        }
    }

    pub(super) fn apply_gate_failed(&mut self, event: &events::GateFailed) {
        let events::GateFailed { phase, reason, tasks, .. } = event;
        self.remove_verify_work_item(*phase);
        self.pending_effects.remove(&EffectKey::Gate(*phase));
        let rework: Vec<TaskIndex> = tasks.iter().filter_map(|task| self.find_task(task)).collect();
        for task in &rework {
            if let Some(task) = self.task_mut(*task) {
                task.round.begin(RoundOrigin::Rejection);
                let rework = SessionInput::Rework { phase: *phase, reason: reason.clone() };
                task.rework = Some(rework.clone());
                task.pending_inputs.push(rework);
            }
        }
        if let Some(phase) = self.phases.get_mut(phase) {
            phase.gate = GateState::Closed;
            phase.failures += 1;
            phase.rework = rework;
            phase.rejected_commit = phase.examined_commit.take().or(phase.rejected_commit.take());
        }
    }

    pub(super) fn apply_gate_reopened(&mut self, event: &events::GateReopened) {
        let events::GateReopened { phase, .. } = event;
        self.remove_verify_work_item(*phase);
        self.pending_effects.remove(&EffectKey::Gate(*phase));
        self.set_gate_state(*phase, GateState::Closed);
    }

    fn gate_check(&self, phase: PhaseNumber, round: u32) -> GateCheck {
        let state = self.phases.get(&phase);
        let own_check = state.and_then(|phase| phase.verify.clone());
        GateCheck {
            phase,
            round,
            check: own_check.or_else(|| self.settings.verify.clone()),
            artefacts: state
                .iter()
                .flat_map(|phase| &phase.artefacts)
                .map(|rule| ArtefactRule::parse(rule))
                .collect(),
            documents: state.map(|phase| phase.reported_documents()).unwrap_or_default(),
            merges: state.map(|phase| phase.merges.clone()).unwrap_or_default(),
            rejected_commit: state.and_then(|phase| phase.rejected_commit.clone()),
            timeout_ms: self.settings.timeout_ms,
            retries: self.settings.check_retries,
        }
    }

    pub(super) fn remove_verify_work_item(&mut self, phase: u32) {
        if let Some(GateState::Verifying(session)) = self.phases.get(&phase).map(|phase| phase.gate) {
            self.remove_work_item(Some(session), WorkItem::Verify(phase));
        }
    }

    pub(super) fn set_gate_state(&mut self, phase: u32, gate: GateState) {
        if let Some(phase) = self.phases.get_mut(&phase) {
            phase.gate = gate;
        }
    }
}
