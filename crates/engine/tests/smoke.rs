//! The shortest run: one task, one agent, from start to end.

use domain::{
    AgentMessage, AgentOutput, CheckpointId, CheckpointOutcome, DoneMessage, GateApproval, GateReport,
    MergeOutcome, MessageOffset, PlannedPhase, PlannedTask, PlannedWork, Report, Role, RunInput, RunOutcome,
    RunSettings, RunStart, SessionId, TeamMember, Timestamp, TurnTools,
};
use engine::{Effect, Run, TaskState};

#[test]
fn one_task_runs_to_done_and_its_log_replays_to_the_same_state() {
    let id: domain::TaskId = "T1".parse().unwrap();
    let phase = PlannedPhase {
        number: 1,
        name: String::new(),
        after: Vec::new(),
        verify: None,
        artefacts: Vec::new(),
        budgets: Vec::new(),
    };
    let work = PlannedWork {
        title: "one".to_owned(),
        phases: vec![phase],
        tasks: vec![PlannedTask::new(id.clone(), 1, "one".to_owned())],
    };
    let team = vec![TeamMember {
        name: "dev".parse().unwrap(),
        role: Role::Worker,
        slots: None,
        is_turn_end_guessed: false,
        protocol: domain::AgentProtocol::Text,
    }];
    let settings = RunSettings { gate_approval: GateApproval::Automatic, ..RunSettings::default() };
    let start = Box::new(RunStart { project: "p".to_owned(), work, settings, team });

    let mut run = Run::new();
    let mut log = Vec::new();
    let mut effects = Vec::new();
    let mut step = |run: &mut Run, input: RunInput| {
        let decision = run.decide(Timestamp(1000), input).unwrap();
        log.extend(decision.events);
        effects.extend(decision.effects.clone());
        decision.effects
    };
    step(&mut run, RunInput::Start { person: "ana".to_owned(), origin: None, start });
    assert_eq!(run.task_state(&id), Some(TaskState::Running));
    let session = SessionId(3);
    step(&mut run, RunInput::Report(Report::SessionStarted { session, agent_session: None }));
    step(&mut run, RunInput::Report(Report::InputSent { session, input: 1, text: None, tree: None }));
    let message = AgentMessage::Done(DoneMessage {
        task_id: id.clone(),
        phase: None,
        reason: Some("there is nothing to change".to_owned()),
        fields: std::collections::BTreeMap::new(),
    });
    let offset = MessageOffset { start: 0, ordinal: 0 };
    step(
        &mut run,
        RunInput::Agent {
            session,
            output: AgentOutput::Message { offset, read_from: 8, message: Box::new(message) },
        },
    );
    assert_eq!(run.task_state(&id), Some(TaskState::Checking));
    let turn_end = AgentOutput::TurnEnded {
        read_from: 8,
        text: String::new(),
        tools: TurnTools::default(),
        failure: None,
    };
    step(&mut run, RunInput::Agent { session, output: turn_end });
    let outcome = CheckpointOutcome::Made {
        commit: String::new(),
        agent_session: None,
        tree: None,
        large_files: Vec::new(),
    };
    let checkpoint = CheckpointId(1);
    step(&mut run, RunInput::Report(Report::CheckpointFinished { checkpoint, outcome }));
    assert_eq!(run.task_state(&id), Some(TaskState::Merging));
    let outcome = MergeOutcome::Merged { commit: "c".to_owned(), receipt: None, tree: None, onto: None };
    step(&mut run, RunInput::Report(Report::MergeFinished { task: id.clone(), attempt: 1, outcome }));
    assert_eq!(run.task_state(&id), Some(TaskState::Done));
    let report = GateReport { passed: true, ..GateReport::default() };
    let effects_of_gate =
        step(&mut run, RunInput::Report(Report::GateChecked { phase: 1, round: 1, report }));
    let (landing, _) =
        effects_of_gate.iter().find(|(_, effect)| matches!(effect, Effect::LandPhase { .. })).unwrap();
    step(&mut run, RunInput::Report(Report::EffectFinished { effect: *landing, error: None }));
    assert_eq!(run.outcome(), Some(RunOutcome::Done));

    let mut replayed = Run::new();
    let replayed_effects: Vec<_> = log.iter().flat_map(|recorded| replayed.apply(recorded)).collect();
    assert_eq!(replayed_effects, effects);
    assert_eq!(replayed, run);
}
