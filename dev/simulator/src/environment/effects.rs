//! Executes effects: slowly, with failures, or never.

use domain::{
    CheckObstacle, CheckpointOutcome, EffectId, GateReport, LandReport, LeftOutFiles, MergeOutcome, MovedRef,
    ProvisionOutcome, Receipt, Report, Role, SessionId, TaskId, Timestamp,
};
use engine::Effect;

use super::{Environment, OutputItem, ProcessState, ScheduledEvent};
use crate::model::Model;

/// One in this number of hindered effects finds a moved ref instead of a full disk.
const MOVED_REF_ONCE_IN: u64 = 4;
/// One in this number of resources cannot be delivered.
const UNPROVIDED_ONCE_IN: u64 = 5;

impl Environment {
    /// Executes an effect once; a second time only its report is repeated.
    pub(crate) fn execute(&mut self, id: EffectId, effect: &Effect, model: &Model) {
        if let Some(report) = self.executed.get(&id) {
            let mut repeated = report.clone().filter(|_| !self.is_reported_later(effect));
            if let (Effect::SendInput { session, input, .. }, Some(report)) = (effect, &mut repeated) {
                *report = self.input_report(*session, *input);
            }
            return repeated.into_iter().for_each(|command| self.schedule_report(command));
        }
        let report = match self.hinder(id, effect) {
            Some(report) => Some(report),
            None => self.simulate_effect(id, effect, model),
        };
        self.executed.insert(id, report.clone());
        let report = report.filter(|_| !self.is_reported_later(effect));
        report.into_iter().for_each(|command| self.schedule_report(command));
    }

    /// Sometimes reports that an effect could not write to a full disk, or that another program moved a ref.
    fn hinder(&mut self, id: EffectId, effect: &Effect) -> Option<Report> {
        let writes_to_repository = match effect {
            Effect::RunCheck(_)
            | Effect::Merge(_)
            | Effect::CheckGate(_)
            | Effect::LandPhase { .. }
            | Effect::MakeCheckpoint { .. }
            | Effect::RestoreCheckpoint { .. } => true,
            Effect::SpawnAgent(_)
            | Effect::SendInput { .. }
            | Effect::ParkSession { .. }
            | Effect::WakeSession { .. }
            | Effect::EndSession { .. }
            // Its report says so: a user waits for it.
            | Effect::LandRun { .. }
            | Effect::CleanRun { .. }
            | Effect::StopSession { .. }
            | Effect::SavePermissionRule { .. }
            | Effect::TickPlan { .. }
            | Effect::RecordDuration(_)
            | Effect::ReleaseWorktree { .. }
            | Effect::RemoveWorktree { .. }
            | Effect::ProvideResource(_) => false,
        };
        let disk_random = self.disk_random.as_mut().filter(|_| writes_to_repository && !self.is_faultless)?;
        if !disk_random.once_in(3) {
            return None;
        }
        // Without another draw, so that the seeds found earlier keep their runs.
        if id.sequence.0.is_multiple_of(MOVED_REF_ONCE_IN) {
            let (name, found) = ("refs/heads/jangdan/r1/run".to_owned(), "foreign".to_owned());
            let moved = MovedRef { name, found, recorded: "merged".to_owned() };
            return Some(Report::RefMoved { effect: Some(id), moved });
        }
        Some(Report::DiskFull { effect: id, error: "no space".to_owned() })
    }

    /// Tells whether the outcome is reported when it happens, not when the effect is ordered.
    pub(super) fn is_reported_later(&self, effect: &Effect) -> bool {
        match effect {
            Effect::SendInput { session, input, .. } => {
                self.processes.get(session).is_none_or(|process| process.next <= *input)
            }
            Effect::SpawnAgent(_)
            | Effect::ParkSession { .. }
            | Effect::WakeSession { .. }
            | Effect::EndSession { .. }
            | Effect::RunCheck(_)
            | Effect::Merge(_)
            | Effect::CheckGate(_)
            | Effect::LandPhase { .. }
            | Effect::LandRun { .. }
            | Effect::CleanRun { .. }
            | Effect::StopSession { .. }
            | Effect::MakeCheckpoint { .. }
            | Effect::RestoreCheckpoint { .. }
            | Effect::SavePermissionRule { .. }
            | Effect::TickPlan { .. }
            | Effect::RecordDuration(_)
            | Effect::ReleaseWorktree { .. }
            | Effect::RemoveWorktree { .. }
            | Effect::ProvideResource(_) => false,
        }
    }

    /// Schedules a report; sometimes a second one much later.
    pub(crate) fn schedule_report(&mut self, report: Report) {
        let delay_ms = self.random.seconds_as_ms(0, 30);
        if self.random.once_in(12) && !self.is_faultless {
            let late_ms = delay_ms + self.random.seconds_as_ms(0, 1_200);
            self.schedule(late_ms, ScheduledEvent::Report(Box::new(report.clone())));
        }
        self.schedule(delay_ms, ScheduledEvent::Report(Box::new(report)));
    }

    fn simulate_effect(&mut self, id: EffectId, effect: &Effect, model: &Model) -> Option<Report> {
        match effect {
            Effect::SpawnAgent(assignment) => self.spawn(assignment.session, model),
            Effect::SendInput { session, input, content, large_files, .. } => {
                self.create_process(*session, model);
                if let Some(process) = self.processes.get_mut(session) {
                    process.inputs.insert(*input, (**content).clone());
                    process.large_files.insert(*input, large_files.clone());
                }
                self.schedule(300, ScheduledEvent::TypeInput(*session));
                Some(self.input_report(*session, *input))
            }
            Effect::ParkSession { session, mode } => {
                let is_possible = !self.should_fail(15);
                Some(effect_report(id, self.park_process(*session, *mode, is_possible)))
            }
            Effect::WakeSession { session, .. } => {
                if self.should_fail(30) {
                    self.end_process(*session, OutputItem::Lost);
                } else {
                    self.start_or_resume_process(*session);
                }
                Some(effect_report(id, true))
            }
            Effect::EndSession { session } => {
                self.create_process(*session, model);
                let how = if self.should_fail(10) { OutputItem::Lost } else { OutputItem::Exited(None) };
                self.end_process(*session, how);
                None
            }
            Effect::RunCheck(order) => {
                let left_out = self.check_leftovers(&order.task);
                let mut receipt = Receipt { left_out, ..self.random_receipt(&order.command, 70) };
                if id.sequence.0.is_multiple_of(2) {
                    receipt.commit = Some(format!("work-{}", id.sequence));
                }
                Some(Report::CheckFinished { task: order.task.clone(), attempt: order.attempt, receipt })
            }
            Effect::Merge(order) => {
                let (task, attempt) = (&order.task, &order.attempt);
                let outcome = self.random_merge_outcome(id);
                Some(Report::MergeFinished { task: task.clone(), attempt: *attempt, outcome })
            }
            Effect::CheckGate(gate) => {
                let (phase, round) = (&gate.phase, &gate.round);
                let report = self.random_gate_report(*phase, *round, model);
                Some(Report::GateChecked { phase: *phase, round: *round, report })
            }
            Effect::MakeCheckpoint { checkpoint, task, large_files, .. } => {
                let outcome = if self.should_fail(8) {
                    CheckpointOutcome::Failed { error: "the disk is full".to_owned() }
                } else {
                    let commit = format!("c{}", id.sequence);
                    self.checkpoints.insert(commit.clone(), self.content(task));
                    let (tree, large_files) = self.tree(task, large_files);
                    CheckpointOutcome::Made { commit, agent_session: None, tree: Some(tree), large_files }
                };
                Some(Report::CheckpointFinished { checkpoint: *checkpoint, outcome })
            }
            Effect::RestoreCheckpoint { task, commit } => {
                let is_possible = !self.should_fail(8);
                let content = commit.as_ref().map_or(Some(0), |commit| self.checkpoints.get(commit).copied());
                if let Some(content) = content.filter(|_| is_possible) {
                    self.contents.insert(task.clone(), content);
                }
                Some(effect_report(id, is_possible))
            }
            Effect::LandRun { landing, .. } => {
                let branch = "main".to_owned();
                let report = if self.should_fail(3) {
                    LandReport::Failed { reason: "the branch was moved".to_owned() }
                } else {
                    LandReport::AlreadyLanded { branch }
                };
                Some(Report::LandingFinished { landing: *landing, report: Box::new(report) })
            }
            Effect::CleanRun { cleanup, .. } => {
                let error = self.should_fail(3).then(|| "git failed".to_owned());
                Some(Report::CleanupFinished { cleanup: *cleanup, report: Box::default(), error })
            }
            Effect::ProvideResource(order) => {
                // Without a draw, so that the seeds found earlier keep their runs.
                let outcome = match id.sequence.0.is_multiple_of(UNPROVIDED_ONCE_IN) && !self.is_faultless {
                    true => ProvisionOutcome::Failed { error: "it is not there".to_owned() },
                    false => ProvisionOutcome::Provided { provided: order.provided.clone(), detail: None },
                };
                Some(Report::ProvisionFinished { effect: id, request: order.request, outcome })
            }
            Effect::StopSession { session } => {
                let is_possible = !self.should_fail(5);
                if is_possible {
                    self.end_process(*session, OutputItem::Exited(None));
                }
                Some(effect_report(id, is_possible))
            }
            Effect::LandPhase { .. }
            | Effect::SavePermissionRule { .. }
            | Effect::TickPlan { .. }
            | Effect::RecordDuration(_)
            | Effect::ReleaseWorktree { .. }
            | Effect::RemoveWorktree { .. } => Some(effect_report(id, !self.should_fail(8))),
        }
    }

    fn spawn(&mut self, session: SessionId, model: &Model) -> Option<Report> {
        self.create_process(session, model);
        let is_new =
            self.processes.get(&session).is_some_and(|process| process.state == ProcessState::NotStarted);
        if let Some(report) = self.refuse_worktree(session, model) {
            return Some(report);
        }
        if !is_new || self.should_fail(40) {
            // It never starts, and is noticed only after its timeout.
            return None;
        }
        if self.should_fail(25) {
            self.end_process(session, OutputItem::Exited(Some(127)));
            return None;
        }
        self.start_or_resume_process(session);
        Some(Report::SessionStarted { session, agent_session: Some(format!("own-{session}")) })
    }

    /// Sometimes reports that there is no disk space for the worktree of a worker, and later that there is space again.
    fn refuse_worktree(&mut self, session: SessionId, model: &Model) -> Option<Report> {
        let is_worker =
            |session: &crate::model::Session| session.role == Role::Worker && session.task.is_some();
        let disk_random = self
            .disk_random
            .as_mut()
            .filter(|_| !self.is_faultless && model.sessions.get(&session).is_some_and(is_worker))?;
        if !disk_random.once_in(5) {
            return None;
        }
        let delay_ms = disk_random.seconds_as_ms(30, 1_200);
        self.schedule(delay_ms, ScheduledEvent::Report(Box::new(Report::DiskSpaceAvailable)));
        // No process is started.
        Some(Report::DiskBudgetExceeded { session, reason: "20 GiB are used".to_owned() })
    }

    fn random_merge_outcome(&mut self, id: EffectId) -> MergeOutcome {
        if !self.should_fail(5) {
            let receipt = if self.random.once_in(2) {
                Some(Box::new(self.random_receipt("make test", 100)))
            } else {
                None
            };
            let (commit, onto) = (format!("merge-{}", id.sequence), Some("before".to_owned()));
            return MergeOutcome::Merged { commit, receipt, tree: None, onto };
        }
        match self.random.below(4) {
            0 | 1 => MergeOutcome::Conflicted { files: vec!["src/main.rs".to_owned()] },
            2 => MergeOutcome::CheckFailed { receipt: self.random_receipt("make test", 0) },
            _ => MergeOutcome::Failed { error: "no such branch".to_owned() },
        }
    }

    fn random_gate_report(&mut self, phase: u32, round: u32, model: &Model) -> GateReport {
        let passed = !self.should_fail(3);
        let of_phase =
            |(id, task): (&TaskId, &crate::model::Task)| (task.plan.phase == phase).then(|| id.clone());
        let tasks: Vec<TaskId> = model.tasks.iter().filter_map(of_phase).collect();
        let is_unrun = !passed && self.should_fail(3);
        let receipts = if is_unrun { vec![self.unrun_receipt()] } else { Vec::new() };
        let blamed = self.random.pick(&tasks).cloned().filter(|_| !passed && self.random.once_in(2));
        GateReport {
            passed,
            receipts,
            tasks: blamed.into_iter().collect(),
            summary: "checked".to_owned(),
            commit: Some(format!("gate-{phase}-{round}")),
            ..GateReport::default()
        }
    }

    fn random_receipt(&mut self, command: &str, percent: usize) -> Receipt {
        let passed = self.is_faultless && percent > 0 || self.random.chance_percent(percent);
        let is_unrun = percent < 100 && self.should_fail(15);
        let obstacle = is_unrun.then(|| CheckObstacle::ProgramNotFound { program: command.to_owned() });
        let Timestamp(now) = self.now();
        Receipt {
            command: command.to_owned(),
            exit_status: if passed && !is_unrun { Some(0) } else { Some(1) },
            obstacle,
            attempts: 1,
            output_hash: "0".to_owned(),
            output_tail: String::new(),
            tests: None,
            tree: "1".to_owned(),
            commit: None,
            left_out: None,
            started_at: Timestamp(now),
            finished_at: Timestamp(now + 1_000),
        }
    }

    /// Some checks leave files behind. They are not part of the tree of the work, so they are no evidence of it.
    fn check_leftovers(&self, task: &TaskId) -> Option<LeftOutFiles> {
        let leaves_files = !self.is_faultless && self.content(task) % 3 == 1;
        LeftOutFiles::list(Vec::new(), leaves_files.then(|| "log.txt".to_owned()).into_iter().collect())
    }

    fn unrun_receipt(&mut self) -> Receipt {
        let obstacle = CheckObstacle::NotStarted { reason: "a lock is not free".to_owned() };
        Receipt { obstacle: Some(obstacle), exit_status: None, ..self.random_receipt("make test", 0) }
    }

    /// Returns true with a probability of one in `n`, and never once there are no more faults.
    fn should_fail(&mut self, n: usize) -> bool {
        !self.is_faultless && self.random.once_in(n)
    }
}

fn effect_report(effect: EffectId, succeeded: bool) -> Report {
    Report::EffectFinished { effect, error: (!succeeded).then(|| "the effect failed".to_owned()) }
}
