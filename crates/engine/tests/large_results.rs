//! The content of a large result is in the log once, and reaches the receiver as a whole.

#![expect(clippy::unwrap_used, reason = "failures in tests")]

use domain::{
    AgentMessage, AgentOutput, CheckpointId, CheckpointOutcome, DeliverResult, MessageOffset, PlannedPhase,
    PlannedTask, PlannedWork, Report, ResultType, Role, RunInput, RunSettings, RunStart, SessionId,
    SessionInput, TeamMember, Timestamp, TurnTools,
};
use engine::{Effect, Run};

const SENDER: SessionId = SessionId(3);
const RECEIVER: SessionId = SessionId(4);

fn start() -> RunInput {
    let phase = PlannedPhase {
        number: 1,
        name: String::new(),
        after: Vec::new(),
        verify: None,
        artefacts: Vec::new(),
        budgets: Vec::new(),
    };
    let task = |id: &str, agent: &str| PlannedTask {
        agent: Some(agent.parse().unwrap()),
        ..PlannedTask::new(id.parse().unwrap(), 1, "one".to_owned())
    };
    let tasks = vec![task("T1", "dev"), task("T2", "writer")];
    let work = PlannedWork { title: "two".to_owned(), phases: vec![phase], tasks };
    let member = |name: &str| TeamMember {
        name: name.parse().unwrap(),
        role: Role::Worker,
        slots: None,
        is_turn_end_guessed: false,
        protocol: domain::AgentProtocol::Text,
    };
    let (settings, team) = (RunSettings::default(), vec![member("dev"), member("writer")]);
    let start = Box::new(RunStart { project: "p".to_owned(), work, settings, team });
    RunInput::Start { person: "ana".to_owned(), origin: None, start }
}

#[test]
fn a_large_result_is_in_the_log_once() {
    let content = "a line of a long result\n".repeat(40_000);
    let (mut run, mut log, mut sent) = (Run::new(), Vec::new(), None);
    let mut step = |input: RunInput| {
        let decision = run.decide(Timestamp(1000), input).unwrap();
        log.extend(decision.events.iter().map(|event| serde_json::to_string(event).unwrap()));
        for (_, effect) in decision.effects {
            if let Effect::SendInput { input, content, .. } = effect
                && let SessionInput::Result { content, .. } = *content
            {
                sent = Some((input, content));
            }
        }
        sent.clone()
    };
    step(start());
    for session in [SENDER, RECEIVER] {
        step(Report::SessionStarted { session, agent_session: None }.into());
        step(Report::InputSent { session, input: 1, text: None, tree: None }.into());
    }
    let message = AgentMessage::DeliverResult(DeliverResult {
        target: "writer".parse().unwrap(),
        result_type: ResultType::Markdown,
        content: content.clone(),
    });
    let offset = MessageOffset { start: 0, ordinal: 0 };
    let output = AgentOutput::Message { offset, read_from: 8, message: Box::new(message) };
    step(RunInput::Agent { session: SENDER, output });
    let output = AgentOutput::TurnEnded {
        read_from: 8,
        text: "a step is done".to_owned(),
        tools: TurnTools::default(),
        failure: None,
    };
    step(RunInput::Agent { session: RECEIVER, output });
    let outcome = CheckpointOutcome::Made {
        commit: String::new(),
        agent_session: None,
        tree: None,
        large_files: Vec::new(),
    };
    let checkpoint = CheckpointId(1);
    let (input, received) = step(Report::CheckpointFinished { checkpoint, outcome }.into()).unwrap();
    assert_eq!(received, content, "the receiver gets the whole content");
    let text = Some(format!("Result from dev: {content}"));
    step(Report::InputSent { session: RECEIVER, input, text, tree: None }.into());
    let bytes: usize = log.iter().map(String::len).sum();
    assert!(bytes < content.len() * 5 / 4, "{bytes} bytes of log for {} bytes of result", content.len());
}
