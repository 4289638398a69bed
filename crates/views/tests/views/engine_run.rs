//! Random runs of a real engine: random agent messages, user commands and failing effects.
//!
//! Rejected commands are ignored; the events of the others are applied to the rows.

use std::collections::BTreeMap;

use domain::{
    AgentError, AgentMessage, AgentName, AgentOutput, AskUser, AskUserType, CheckObstacle, CheckpointOutcome,
    DeliverResult, DependencyRequest, DependencyType, DirectMessage, DoneMessage, EffectId, ErrorType,
    EscalationAction, EscalationId, FailMessage, GateApproval, GateReport, InvokeMessage, LandReport,
    LargeFile, MergeOutcome, MessageOffset, NeedHuman, PermissionKind, PermissionRequest, PermissionScope,
    PhaseComplete, PlannedPhase, PlannedTask, PlannedWork, Priority, ProgressMessage, ProvidedResource,
    ProvisionOutcome, QuestionId, Receipt, RecordedEvent, Recovery, Report, RequestId, ResultType, Role,
    RunInput, RunSettings, RunStart, SessionId, StepComplete, TaskId, TeamMember, TestFailure, TestFeedback,
    Timestamp, TurnTools, Usage, UserCommand,
};
use engine::{Effect, Run};
use views::{RowKind, Views};

use crate::sample_log::parse_task_id;

pub(crate) struct EngineRun {
    pub run: Run,
    pub views: Views,
    /// Number of events by name.
    pub event_counts: BTreeMap<&'static str, u32>,
    pub log: Vec<RecordedEvent>,
    /// Rows made from the changes alone.
    pub rows_from_changes: BTreeMap<(RowKind, String), String>,
    now: i64,
    effects: Vec<(EffectId, Effect)>,
    offset: u64,
}

/// Random numbers for choices.
pub(crate) struct RandomChoices(pub u64);

impl RandomChoices {
    fn below(&mut self, n: usize) -> usize {
        // What is left over decides the next choice; the constant mixes it (Knuth).
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).unwrap_or_default() % n.max(1)
    }

    fn pick<T: Clone>(&mut self, of: &[T]) -> Option<T> {
        let n = self.below(of.len());
        of.get(n).cloned()
    }

    fn once_in(&mut self, one_in: usize) -> bool {
        self.below(one_in) == 0
    }
}

fn agent_name(name: &str) -> AgentName {
    name.parse().unwrap()
}

fn test_user() -> String {
    "ana".to_owned()
}

impl EngineRun {
    pub(crate) fn new(chance: &mut RandomChoices) -> Self {
        let phase = |number, after: &[u32], verify: Option<&str>| PlannedPhase {
            number,
            name: format!("Phase {number}"),
            after: after.to_vec(),
            verify: verify.map(str::to_owned),
            artefacts: Vec::new(),
            budgets: Vec::new(),
        };
        let planned = |id: &str, phase, after: &[&str]| PlannedTask {
            depends_on: after.iter().map(|id| parse_task_id(id)).collect(),
            ..PlannedTask::new(parse_task_id(id), phase, format!("Title of {id}"))
        };
        let tasks = vec![
            planned("T1.1", 1, &[]),
            PlannedTask { verify: Some("make".to_owned()), ..planned("T1.2", 1, &["T1.1"]) },
            PlannedTask { tester: Some(agent_name("qa")), ..planned("T1.3", 1, &[]) },
            PlannedTask { external: vec!["contract".to_owned()], ..planned("T2.1", 2, &["T1.2"]) },
            PlannedTask { budget: "1k".parse().ok(), ..planned("T2.2", 2, &["T1.1"]) },
            planned("T2.3", 2, &["T2.1", "T2.2"]),
        ];
        let check = chance.once_in(2).then_some("make phase");
        let work = PlannedWork {
            title: "Plan".to_owned(),
            phases: vec![phase(1, &[], None), phase(2, &[1], check)],
            tasks,
        };
        let member = |(agent, role): (&str, Role)| TeamMember {
            name: agent_name(agent),
            role,
            slots: None,
            is_turn_end_guessed: false,
            protocol: domain::AgentProtocol::Text,
        };
        let mut team = vec![("backend", Role::Worker), ("qa", Role::Tester), ("designer", Role::Specialist)];
        team.extend(chance.once_in(2).then_some(("lead", Role::Orchestrator)));
        team.extend(chance.once_in(2).then_some(("verifier", Role::Verifier)));
        let settings = RunSettings {
            gate_approval: if chance.once_in(3) { GateApproval::Automatic } else { GateApproval::Person },
            question_expires_after_ms: chance.once_in(3).then_some(600_000),
            ..RunSettings::default()
        };
        let views = Views::new("r1".parse().unwrap());
        let mut engine_run = Self {
            run: Run::new(),
            views,
            event_counts: BTreeMap::new(),
            log: Vec::new(),
            rows_from_changes: BTreeMap::new(),
            now: 1_000,
            effects: Vec::new(),
            offset: 0,
        };
        let team = team.into_iter().map(member).collect();
        let start = Box::new(RunStart { project: "shop".to_owned(), work, settings, team });
        engine_run.execute_input(RunInput::Start { person: test_user(), origin: None, start });
        engine_run
    }

    /// Takes one random step.
    pub(crate) fn step(&mut self, chance: &mut RandomChoices) {
        self.now += 500;
        match chance.below(12) {
            0..=4 => self.execute_effect(chance),
            5 | 6 => self.send_message(chance),
            7 => {
                let at = self.run.next_deadline().map_or(self.now, |at| at.0.max(self.now));
                self.now = if chance.once_in(2) { at } else { self.now + 5_000 };
                self.execute_input(RunInput::Report(Report::TimerFired));
            }
            8 | 9 => self.resolve_item(chance),
            10 => self.send_command(chance),
            _ => {
                let Some(session) = self.random_session(chance) else { return };
                let (read_from, words, tools) = (self.offset, "Words.".to_owned(), TurnTools::default());
                if chance.once_in(12) {
                    self.execute_input(RunInput::Agent {
                        session,
                        output: AgentOutput::TurnInterrupted { read_from, text: words, tools },
                    });
                    let lost = Report::SessionLost { session, reason: "gone".to_owned() };
                    return self.execute_input(RunInput::Report(lost));
                }
                self.execute_input(RunInput::Agent {
                    session,
                    output: AgentOutput::TurnEnded { read_from, text: words, tools, failure: None },
                });
            }
        }
    }

    fn execute_input(&mut self, input: RunInput) {
        let Ok(decision) = self.run.decide(Timestamp(self.now), input) else { return };
        for (recorded, actions) in decision.events.iter().zip(&decision.actions) {
            *self.event_counts.entry(recorded.event.name()).or_default() += 1;
            for change in self.views.apply(recorded, actions) {
                let key = (change.kind, change.key);
                match change.row {
                    Some(row) => drop(self.rows_from_changes.insert(key, row.to_json())),
                    None => drop(self.rows_from_changes.remove(&key)),
                }
            }
        }
        self.log.extend(decision.events);
        self.effects.extend(decision.effects);
    }

    /// Executes an effect, or reports its failure.
    fn execute_effect(&mut self, chance: &mut RandomChoices) {
        if self.effects.is_empty() {
            return;
        }
        let (effect, order) = self.effects.remove(chance.below(self.effects.len().min(3)));
        // A third of the checks fail, every twelfth cannot run.
        let drawn = chance.below(12);
        let receipt = Receipt {
            command: "make".to_owned(),
            exit_status: Some(i32::from(drawn.is_multiple_of(3))),
            obstacle: (drawn == 0).then(|| CheckObstacle::ProgramNotFound { program: "make".to_owned() }),
            attempts: 1,
            output_hash: "h".to_owned(),
            output_tail: String::new(),
            tests: None,
            tree: "t".to_owned(),
            commit: None,
            left_out: None,
            started_at: Timestamp(self.now),
            finished_at: Timestamp(self.now),
        };
        let report = match order {
            Effect::SpawnAgent(assignment) if chance.once_in(15) => {
                Report::SessionEnded { session: assignment.session, exit_status: Some(1) }
            }
            Effect::SpawnAgent(assignment) => {
                Report::SessionStarted { session: assignment.session, agent_session: None }
            }
            Effect::SendInput { session, input, reports_tree, .. } => {
                let tree = reports_tree.then(|| "t0".to_owned());
                Report::InputSent { session, input, text: None, tree }
            }
            Effect::EndSession { session } => Report::SessionEnded { session, exit_status: Some(0) },
            Effect::RunCheck(order) => {
                Report::CheckFinished { task: order.task, attempt: order.attempt, receipt }
            }
            Effect::Merge(order) => {
                let receipt = Receipt { exit_status: Some(1), ..receipt };
                let outcome = match chance.below(8) {
                    0 => MergeOutcome::Conflicted { files: vec!["a".to_owned()] },
                    1 => MergeOutcome::CheckFailed { receipt },
                    2 => MergeOutcome::Failed { error: "locked".to_owned() },
                    _ => {
                        MergeOutcome::Merged { commit: "c".to_owned(), receipt: None, tree: None, onto: None }
                    }
                };
                Report::MergeFinished { task: order.task, attempt: order.attempt, outcome }
            }
            Effect::CheckGate(gate) => {
                let passed = !chance.once_in(3) && receipt.obstacle.is_none();
                let receipts = if receipt.passed() == passed { vec![receipt] } else { Vec::new() };
                let report = GateReport { passed, receipts, ..GateReport::default() };
                Report::GateChecked { phase: gate.phase, round: gate.round, report }
            }
            Effect::MakeCheckpoint { checkpoint, large_files: committed, .. } => {
                let tree = chance.pick(&["t0", "t1", "t2"]).map(|tree| (*tree).to_owned());
                let is_listed = |file: &LargeFile| !committed.contains(file);
                let large = LargeFile { path: "data.bin".to_owned(), bytes: 20 << 20 };
                let large_files = chance.once_in(4).then_some(large).filter(is_listed).into_iter().collect();
                let commit = "c".to_owned();
                let outcome = CheckpointOutcome::Made { commit, agent_session: None, tree, large_files };
                Report::CheckpointFinished { checkpoint, outcome }
            }
            Effect::LandRun { landing, .. } => {
                let report = LandReport::AlreadyLanded { branch: "main".to_owned() };
                Report::LandingFinished { landing, report: Box::new(report) }
            }
            Effect::CleanRun { cleanup, .. } => {
                Report::CleanupFinished { cleanup, report: Box::default(), error: None }
            }
            Effect::StopSession { .. } if chance.once_in(3) => {
                Report::EffectFinished { effect, error: Some("no holder".to_owned()) }
            }
            Effect::StopSession { session } => Report::SessionEnded { session, exit_status: None },
            Effect::ParkSession { .. }
            | Effect::WakeSession { .. }
            | Effect::LandPhase { .. }
            | Effect::RestoreCheckpoint { .. }
            | Effect::SavePermissionRule { .. }
            | Effect::TickPlan { .. }
            | Effect::RecordDuration(_)
            | Effect::ReleaseWorktree { .. }
            | Effect::RemoveWorktree { .. } => Report::EffectFinished { effect, error: None },
            Effect::ProvideResource(order) => {
                let outcome = match chance.once_in(4) {
                    true => ProvisionOutcome::Failed { error: "no value is stored".to_owned() },
                    false => ProvisionOutcome::Provided { provided: order.provided, detail: None },
                };
                Report::ProvisionFinished { effect, request: order.request, outcome }
            }
        };
        self.execute_input(report.into());
    }

    /// Sends a random message from a session.
    fn send_message(&mut self, chance: &mut RandomChoices) {
        let Some(session) = self.random_session(chance) else { return };
        let row = self.views.rows().sessions.get(&session).unwrap();
        let task_id = row.task.clone().unwrap_or_else(|| parse_task_id("T1.1"));
        let (phase, fields) = (None, BTreeMap::new());
        let target = agent_name(chance.pick(&["backend", "designer", "qa"]).unwrap());
        let text = || "words".to_owned();
        let said = match chance.below(16) {
            0..=3 => {
                let reason = (!chance.once_in(4)).then(text);
                AgentMessage::Done(DoneMessage { task_id, phase, reason, fields })
            }
            4 if chance.once_in(3) => {
                AgentMessage::Fail(FailMessage { task_id, phase, reason: None, fields })
            }
            4..=6 => AgentMessage::AskUser(AskUser {
                question: text(),
                r#type: AskUserType::Text,
                options: Vec::new(),
                context: None,
                default: chance.once_in(2).then(text),
                required: false,
            }),
            7 => AgentMessage::Progress(ProgressMessage { progress: Some(0.5), task: Some(text()) }),
            8 => AgentMessage::StepComplete(StepComplete { summary: Some(text()) }),
            9 => AgentMessage::DependencyRequest(DependencyRequest {
                r#type: DependencyType::EnvVariable,
                name: "KEY".to_owned(),
                description: text(),
                required: false,
                default: None,
                extra: BTreeMap::new(),
            }),
            10 => AgentMessage::Invoke(InvokeMessage { target, task: text(), context: None }),
            11 if chance.once_in(2) => {
                AgentMessage::Direct(DirectMessage { target, r#type: None, content: text() })
            }
            11 => AgentMessage::DeliverResult(DeliverResult {
                target,
                result_type: ResultType::Message,
                content: text(),
            }),
            13 => AgentMessage::NeedHuman(NeedHuman { question: text() }),
            14 => {
                let recoveries = [Recovery::PauseAndRetry, Recovery::CheckpointAndFail, Recovery::NotifyUser];
                AgentMessage::Error(AgentError {
                    r#type: ErrorType::Recoverable,
                    message: text(),
                    details: None,
                    recovery: chance.pick(&recoveries).unwrap(),
                    resets_at: None,
                    extra: BTreeMap::new(),
                })
            }
            _ => return self.act_as_session(chance, session),
        };
        self.offset += 10;
        let (heard, read_from) = (MessageOffset { start: self.offset, ordinal: 0 }, self.offset + 9);
        let said = Box::new(said);
        self.execute_input(RunInput::Agent {
            session,
            output: AgentOutput::Message { offset: heard, read_from, message: said },
        });
    }

    /// Makes a session end its turn, exit and so on.
    fn act_as_session(&mut self, chance: &mut RandomChoices, session: SessionId) {
        let failure = TestFailure { name: "t".to_owned(), ..TestFailure::default() };
        let failures = if chance.once_in(2) { vec![failure] } else { Vec::new() };
        let kind = if chance.once_in(2) { PermissionKind::Run } else { PermissionKind::Edit };
        let output = match chance.below(4) {
            0 => AgentOutput::PermissionRequested(PermissionRequest {
                prompt: "p".to_owned(),
                kind,
                subject: "rm".to_owned(),
                in_worktree: kind == PermissionKind::Edit,
                detail: None,
            }),
            1 => AgentOutput::Usage(Usage { input_tokens: 600, cost_micros: 9, ..Usage::default() }),
            2 => {
                let phase_complete = PhaseComplete { phase: 1, name: None, documents: Vec::new() };
                self.offset += 10;
                let (heard, read_from) = (MessageOffset { start: self.offset, ordinal: 0 }, self.offset + 9);
                AgentOutput::Message {
                    offset: heard,
                    read_from,
                    message: Box::new(AgentMessage::PhaseComplete(phase_complete)),
                }
            }
            _ => AgentOutput::TestFeedback(TestFeedback {
                success: failures.is_empty(),
                failures,
                ..TestFeedback::default()
            }),
        };
        self.execute_input(RunInput::Agent { session, output });
    }

    /// Resolves a random inbox item.
    fn resolve_item(&mut self, chance: &mut RandomChoices) {
        let n = u32::try_from(chance.below(12)).unwrap() + 1;
        let open: Vec<QuestionId> =
            self.views.inbox().iter().filter_map(|row| inbox_question_id(row)).collect();
        let command = match chance.below(10) {
            9 => {
                let question = chance.pick(&open).unwrap_or(QuestionId(n));
                UserCommand::RequestClarification { question, text: "which?".to_owned() }
            }
            0..=2 => {
                let question = chance.pick(&open);
                UserCommand::Answer {
                    question,
                    task: None,
                    answer: "yes".to_owned(),
                    scope: PermissionScope::Task,
                    pattern: None,
                    reason: None,
                }
            }
            3 => {
                let provided = ProvidedResource::Environment { names: vec!["KEY".to_owned()] };
                UserCommand::Provide { request: RequestId(n), provided }
            }
            4 => UserCommand::Refuse { request: RequestId(n), reason: "no".to_owned() },
            5 => UserCommand::SkipRequest(RequestId(n)),
            6 if chance.once_in(4) => {
                let (phase, reason) = (1 + n % 2, "no".to_owned());
                UserCommand::RejectGate { phase, reason, tasks: vec![parse_task_id("T1.1")] }
            }
            6 => UserCommand::ApproveGate { phase: 1 + n % 2, note: None },
            7 => UserCommand::Chat { text: "yes".to_owned(), talk_only: chance.once_in(4) },
            _ => {
                let actions = [
                    EscalationAction::Retry { hint: None },
                    EscalationAction::Waive,
                    EscalationAction::Dismiss,
                    EscalationAction::Skip,
                    EscalationAction::MarkFailed,
                    EscalationAction::RaiseBudget { budget: "9m".parse().unwrap() },
                ];
                let action = chance.pick(&actions).unwrap();
                UserCommand::Resolve { escalation: EscalationId(n), action, note: None }
            }
        };
        self.execute_input(RunInput::User { person: test_user(), origin: None, command });
    }

    /// Sends a random user command about a task.
    fn send_command(&mut self, chance: &mut RandomChoices) {
        let ids: Vec<TaskId> = self.run.task_ids().cloned().collect();
        let (one, other) = (chance.pick(&ids).unwrap(), chance.pick(&ids).unwrap());
        let command = match chance.below(25) {
            0 | 1 => UserCommand::PauseTask(one),
            2..=4 => UserCommand::ContinueTask(one),
            5 if chance.once_in(4) => UserCommand::CancelTask(one),
            6 if chance.once_in(4) => UserCommand::SkipTask(one),
            5 | 6 => UserCommand::ContinueTask(one),
            7 | 8 => UserCommand::RetryTask { task: one, hint: None },
            9 => UserCommand::PrioritizeTask { task: one, priority: Priority::High },
            10 => UserCommand::RewindTask { task: one, checkpoint: None },
            11 => UserCommand::AddDependency { earlier: one, later: other },
            12 => UserCommand::RemoveDependency { earlier: one, later: other },
            13 => UserCommand::MarkExternalMet { name: "contract".to_owned() },
            14 => {
                let id = parse_task_id(&format!("T2.{}", 10 + ids.len()));
                let depends_on = vec![one];
                let added = PlannedTask { depends_on, ..PlannedTask::new(id, 2, "More".to_owned()) };
                UserCommand::AddTask(Box::new(added))
            }
            15 => UserCommand::PauseRun,
            16..=18 => UserCommand::ContinueRun,
            19 => UserCommand::ReassignTask { task: one, agent: agent_name("designer") },
            20 if chance.once_in(8) => UserCommand::CancelPhase(2),
            20 if chance.once_in(8) => UserCommand::CancelRun,
            22 => UserCommand::LandRun { all: chance.once_in(2), into: None, squash: false },
            23 => UserCommand::CleanRun { refs: false },
            24 => match self.random_session(chance) {
                Some(session) => UserCommand::StopSession(session),
                None => return,
            },
            _ if chance.once_in(2) => UserCommand::PausePhase(1),
            _ => UserCommand::ContinuePhase(1),
        };
        self.execute_input(RunInput::User { person: test_user(), origin: None, command });
    }

    /// Returns a random session, which may have ended.
    fn random_session(&self, chance: &mut RandomChoices) -> Option<SessionId> {
        let is_there = |row: &&views::SessionRow| row.ended_at.is_none() && row.agent.is_some();
        let ids: Vec<_> = self.views.rows().sessions.iter().filter(is_there).map(|row| row.id).collect();
        chance.pick(&ids)
    }
}

fn inbox_question_id(row: &views::InboxRow) -> Option<QuestionId> {
    if let views::InboxItem::Question(id) = row.item { Some(id) } else { None }
}
