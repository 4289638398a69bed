//! Carries out what the engine orders, slowly, badly, or never.

use domain::{
    CheckpointOutcome, Command, EffectId, GateReport, MergeOutcome, Receipt, Role, SessionId, TaskId,
    Timestamp,
};
use engine::Effect;

use super::{Awake, Happening, Spoken, World};
use crate::model::Model;

impl World {
    /// Does something once; a second time it only says again what came of it.
    pub fn carry_out(&mut self, id: EffectId, effect: &Effect, model: &Model) {
        if let Some(known) = self.done.get(&id) {
            let again = known.clone().filter(|_| !self.must_wait(effect));
            return again.into_iter().for_each(|command| self.report(command));
        }
        let report = self.begin(id, effect, model);
        self.done.insert(id, report.clone());
        let now = report.filter(|_| !self.must_wait(effect));
        now.into_iter().for_each(|command| self.report(command));
    }

    /// Tells whether the outcome is reported when it happens, and not when it is asked for.
    pub(super) fn must_wait(&self, effect: &Effect) -> bool {
        match effect {
            Effect::Say { session, input, .. } => {
                self.processes.get(session).is_none_or(|process| process.next <= *input)
            }
            Effect::SpawnAgent { .. }
            | Effect::ParkSession { .. }
            | Effect::WakeSession { .. }
            | Effect::EndSession { .. }
            | Effect::RunCheck { .. }
            | Effect::Merge { .. }
            | Effect::CheckGate { .. }
            | Effect::LandPhase { .. }
            | Effect::MakeCheckpoint { .. }
            | Effect::RestoreCheckpoint { .. }
            | Effect::KeepPermission { .. } => false,
        }
    }

    /// Says what came of something, after a while, sometimes twice, sometimes once more much later.
    pub fn report(&mut self, command: Command) {
        let delay_ms = self.random.seconds(0, 30);
        if self.random.once_in(12) && !self.kind {
            let late_ms = delay_ms + self.random.seconds(0, 1_200);
            self.plan(late_ms, Happening::Report(Box::new(command.clone())));
        }
        self.plan(delay_ms, Happening::Report(Box::new(command)));
    }

    fn begin(&mut self, id: EffectId, effect: &Effect, model: &Model) -> Option<Command> {
        match effect {
            Effect::SpawnAgent { session } => self.spawn(*session, model),
            Effect::Say { session, input, content } => {
                self.make_process(*session, model);
                if let Some(process) = self.processes.get_mut(session) {
                    process.inputs.insert(*input, (**content).clone());
                }
                self.plan(300, Happening::Type(*session));
                Some(Command::ReportInputSent { session: *session, input: *input })
            }
            Effect::ParkSession { session, mode } => {
                let can = !self.fails(15);
                Some(done(id, self.park(*session, *mode, can)))
            }
            Effect::WakeSession { session, .. } => {
                if self.fails(30) {
                    self.end_process(*session, Spoken::Lost);
                } else {
                    self.wake(*session);
                }
                Some(done(id, true))
            }
            Effect::EndSession { session } => {
                self.make_process(*session, model);
                let how = if self.fails(10) { Spoken::Lost } else { Spoken::Ended(None) };
                self.end_process(*session, how);
                None
            }
            Effect::RunCheck { task, attempt, command } => {
                let receipt = self.receipt(command, 70);
                Some(Command::ReportCheck { task: task.clone(), attempt: *attempt, receipt })
            }
            Effect::Merge { task, attempt } => {
                let outcome = self.merge();
                Some(Command::ReportMerge { task: task.clone(), attempt: *attempt, outcome })
            }
            Effect::CheckGate { phase, round } => {
                let report = self.gate(*phase, model);
                Some(Command::ReportGate { phase: *phase, round: *round, report })
            }
            Effect::MakeCheckpoint { checkpoint, .. } => {
                let outcome = if self.fails(8) {
                    CheckpointOutcome::Failed { error: "the disk is full".to_owned() }
                } else {
                    CheckpointOutcome::Made {
                        commit: format!("c{}", id.sequence),
                        agent_session: None,
                        tree: None,
                    }
                };
                Some(Command::ReportCheckpoint { checkpoint: *checkpoint, outcome })
            }
            Effect::LandPhase { .. } | Effect::RestoreCheckpoint { .. } | Effect::KeepPermission { .. } => {
                Some(done(id, !self.fails(8)))
            }
        }
    }

    fn spawn(&mut self, session: SessionId, model: &Model) -> Option<Command> {
        self.make_process(session, model);
        let lives = self.processes.get(&session).is_some_and(|process| process.awake == Awake::Unborn);
        if let Some(refusal) = self.refuse_room(session, model) {
            return Some(refusal);
        }
        if !lives || self.fails(40) {
            // It never starts: nobody hears of it before its time is over.
            return None;
        }
        if self.fails(25) {
            self.end_process(session, Spoken::Ended(Some(127)));
            return None;
        }
        self.wake(session);
        Some(Command::ReportStarted { session, agent_session: Some(format!("own-{session}")) })
    }

    /// Has no room for the worktree of a worker now and then, and some again after a while.
    fn refuse_room(&mut self, session: SessionId, model: &Model) -> Option<Command> {
        let is_worker =
            |session: &crate::model::Session| session.role == Role::Worker && session.task.is_some();
        let rooms = self
            .rooms
            .as_mut()
            .filter(|_| !self.kind && model.sessions.get(&session).is_some_and(is_worker))?;
        if !rooms.once_in(5) {
            return None;
        }
        let delay_ms = rooms.seconds(30, 1_200);
        self.plan(delay_ms, Happening::Report(Box::new(Command::ReportDiskSpaceAvailable)));
        // There is no process, and whoever is to end it is told so.
        Some(Command::ReportDiskBudgetExceeded { session, reason: "20 GiB are used".to_owned() })
    }

    fn merge(&mut self) -> MergeOutcome {
        if !self.fails(5) {
            let receipt =
                if self.random.once_in(2) { Some(Box::new(self.receipt("make test", 100))) } else { None };
            return MergeOutcome::Merged { commit: "c0ffee".to_owned(), receipt, tree: None };
        }
        match self.random.below(4) {
            0 | 1 => MergeOutcome::Conflicted { files: vec!["src/main.rs".to_owned()] },
            2 => MergeOutcome::CheckFailed { receipt: self.receipt("make test", 0) },
            _ => MergeOutcome::Failed { error: "no such branch".to_owned() },
        }
    }

    fn gate(&mut self, phase: u32, model: &Model) -> GateReport {
        let passed = !self.fails(3);
        let of_phase =
            |(id, task): (&TaskId, &crate::model::Task)| (task.plan.phase == phase).then(|| id.clone());
        let tasks: Vec<TaskId> = model.tasks.iter().filter_map(of_phase).collect();
        let blamed = self.random.pick(&tasks).cloned().filter(|_| !passed && self.random.once_in(2));
        GateReport {
            passed,
            tasks: blamed.into_iter().collect(),
            summary: "looked at".to_owned(),
            ..GateReport::default()
        }
    }

    fn receipt(&mut self, command: &str, percent: usize) -> Receipt {
        let passed = self.kind && percent > 0 || self.random.percent(percent);
        let Timestamp(now) = self.now();
        Receipt {
            command: command.to_owned(),
            exit_status: if passed { Some(0) } else { Some(1) },
            output_hash: "0".to_owned(),
            output_tail: String::new(),
            tree: "1".to_owned(),
            started_at: Timestamp(now),
            finished_at: Timestamp(now + 1_000),
        }
    }

    /// Returns true once in `n` times, and never once everybody does their part.
    fn fails(&mut self, n: usize) -> bool {
        !self.kind && self.random.once_in(n)
    }
}

fn done(effect: EffectId, could: bool) -> Command {
    Command::ReportEffect { effect, error: (!could).then(|| "it could not be done".to_owned()) }
}
