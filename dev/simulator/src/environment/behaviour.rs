//! The behaviour of simulated agents: work, questions, calls, false reports, invalid output, and silence.

mod messages;

use domain::{
    AgentMessage, AgentName, CustomMessage, DeliverResult, DoneMessage, FailMessage, NeedHuman,
    OrchestrationMode, PhaseComplete, ResolveNextRequest, ResultType, Role, SessionInput, StartTaskMessage,
    TaskId, TestFailure, TestFeedback,
};

use super::{OutputItem, Process};
use crate::{model::Model, random::Random};

/// Number of detours after which an agent finishes its task.
const DETOURS_MAX: u32 = 4;

/// A planned action of an agent.
#[derive(Debug, Clone)]
pub(super) enum AgentAction {
    /// Writes an item of output.
    Output(Box<OutputItem>),
    /// Changes a file in its worktree.
    ChangeFile,
    /// Waits for some minutes.
    Sleep,
    /// Ends with this status.
    Exit(Option<i32>),
    /// Is killed by an unknown cause.
    Vanish,
    /// Does nothing until its timeout.
    Hang,
}

/// An agent with what it knows.
pub(super) struct AgentContext<'a> {
    pub process: &'a mut Process,
    /// The run that it works for.
    pub model: &'a Model,
    /// Whether it makes no mistakes.
    pub is_faultless: bool,
}

impl AgentContext<'_> {
    /// Tells whether its task is blocked.
    fn is_blocked(&self) -> bool {
        let task = self.process.task.as_ref().and_then(|task| self.model.tasks.get(task));
        task.is_some_and(|task| !task.reasons.is_empty())
    }
}

/// Returns the actions of an agent after an input.
pub(super) fn actions_after_input(
    random: &mut Random,
    agent: &mut AgentContext<'_>,
    input: &SessionInput,
) -> Vec<AgentAction> {
    match input {
        SessionInput::Chat { .. } | SessionInput::Resume { .. }
            if agent.model.settings.mode == OrchestrationMode::Thin
                && agent.process.role == Role::Orchestrator =>
        {
            request_next_actions()
        }
        SessionInput::Task { .. }
        | SessionInput::Answer { .. }
        | SessionInput::Provided { .. }
        | SessionInput::Refused { .. }
        | SessionInput::InvocationEnded { .. }
        | SessionInput::Permission { .. }
        | SessionInput::Feedback { .. }
        | SessionInput::Conflict { .. }
        | SessionInput::Rework { .. }
        | SessionInput::UserMessage { .. }
        | SessionInput::TaskChanged { .. }
        | SessionInput::ClarificationRequest { .. }
        | SessionInput::Reminder
        | SessionInput::EvidenceRequest { .. }
        | SessionInput::Resume { .. } => work_actions(random, agent),
        SessionInput::InvalidMessage { .. } => {
            // Most agents notice that they have to wait.
            let waits = agent.is_blocked() && !random.once_in(8);
            if waits { vec![turn_end_action("I wait")] } else { work_actions(random, agent) }
        }
        SessionInput::NearMiss { .. }
        | SessionInput::Result { .. }
        | SessionInput::Direct { .. }
        | SessionInput::Chat { .. } => {
            if agent.process.task.is_some() {
                work_actions(random, agent)
            } else {
                vec![turn_end_action("noted")]
            }
        }
        SessionInput::Invocation { from, .. } => call_actions(random, agent, from),
        SessionInput::Test { task, .. } => test_actions(random, agent, task),
        SessionInput::Verify { phase, .. } => verify_actions(random, agent, *phase),
        SessionInput::Question { options, .. } => question_actions(random, agent, options),
        SessionInput::Escalation { task, .. } => escalation_actions(random, agent, task.as_ref()),
        SessionInput::ThinLine { line } => main_agent_actions(random, agent, line),
    }
}

/// Returns the actions that finish an agent's task.
pub(super) fn finish_actions(process: &Process) -> Vec<AgentAction> {
    let end = |task: TaskId| match process.role {
        Role::Tester => {
            output_action(OutputItem::Feedback(TestFeedback { success: true, ..TestFeedback::default() }))
        }
        Role::Orchestrator | Role::Operator | Role::Worker | Role::Verifier | Role::Specialist => {
            done_message(task)
        }
    };
    let work = (process.role == Role::Worker).then_some(AgentAction::ChangeFile);
    let end = process.task.clone().map(end);
    work.into_iter().chain(end).chain([turn_end_action("there it is")]).collect()
}

/// Returns the request of a main agent for its next tasks; its turn continues with the answer.
pub(super) fn request_next_actions() -> Vec<AgentAction> {
    vec![message_action(AgentMessage::ResolveNext(ResolveNextRequest { phase: None, force: false }))]
}

fn work_actions(random: &mut Random, agent: &mut AgentContext<'_>) -> Vec<AgentAction> {
    let Some(task) = agent.process.task.clone() else { return vec![turn_end_action("noted")] };
    if agent.process.role == Role::Tester {
        return test_actions(random, agent, &task);
    }
    if agent.is_faultless {
        return finish_actions(agent.process);
    }
    let mut actions = Vec::new();
    for _ in 0..random.below(4) {
        let extra = messages::extra_output(random, agent, &task);
        actions.extend(extra.actions);
        agent.process.n_detours += u32::from(extra.waits);
        if extra.in_turn || (extra.waits && random.chance_percent(75)) {
            // A prompt keeps the turn open until its answer.
            if !extra.in_turn {
                actions.push(turn_end_action("I wait"));
            }
            return actions;
        }
    }
    let is_bounded = agent.process.n_detours >= DETOURS_MAX;
    // Some agents do nothing and report their task as done all the same.
    if is_bounded || random.chance_percent(80) {
        actions.push(AgentAction::ChangeFile);
    }
    let end = if is_bounded { 0 } else { random.below(100) };
    let phase = agent.process.phase.unwrap_or(1);
    match end {
        0..6 if !is_bounded => {
            actions.extend([done_with_reason(task), turn_end_action("there is nothing to do")]);
        }
        0..62 => actions.extend([done_message(task), turn_end_action("it is done")]),
        62..70 => actions.extend([fail_message(task), turn_end_action("it is not possible")]),
        70..74 => actions.push(turn_end_action("I have read it")),
        74..78 => actions.push(turn_end_action("Which database do you want me to use?")),
        78..84 => actions.extend([phase_complete_message(phase), turn_end_action("the phase is complete")]),
        84..86 => actions.extend([
            phase_complete_message(phase + 1),
            done_message(task),
            turn_end_action("all is complete"),
        ]),
        86..88 => actions.extend([done_message(task), AgentAction::Exit(Some(0))]),
        88..90 => actions.push(AgentAction::Exit(Some(0))),
        90..93 => actions.push(AgentAction::Exit(Some(1))),
        93..95 => actions.push(AgentAction::Vanish),
        95..98 => actions.push(AgentAction::Hang),
        _ => actions.extend([
            done_message(task.clone()),
            done_with_reason(task),
            turn_end_action("done, done"),
        ]),
    }
    agent.process.n_detours += u32::from(end >= 62);
    actions
}

fn call_actions(random: &mut Random, agent: &mut AgentContext<'_>, from: &AgentName) -> Vec<AgentAction> {
    let result = message_action(AgentMessage::DeliverResult(DeliverResult {
        target: from.clone(),
        result_type: ResultType::Message,
        content: "here".to_owned(),
    }));
    if agent.is_faultless {
        return vec![result, turn_end_action("delivered")];
    }
    match random.below(20) {
        0..8 => vec![result, turn_end_action("delivered")],
        8..13 => vec![turn_end_action("this is the answer")],
        13 => vec![AgentAction::Exit(Some(1))],
        14 => vec![AgentAction::Hang],
        15 => vec![result.clone(), result, turn_end_action("delivered twice")],
        16 | 17 => vec![messages::question_message(random), turn_end_action("I wait")],
        18 => vec![messages::request_message(random), turn_end_action("I wait")],
        _ => {
            let mut actions = messages::call_output(random, agent).actions;
            actions.push(turn_end_action("I need help"));
            actions
        }
    }
}

fn test_actions(random: &mut Random, agent: &mut AgentContext<'_>, task: &TaskId) -> Vec<AgentAction> {
    let success = agent.is_faultless || random.chance_percent(60);
    let failure = TestFailure { name: "it works".to_owned(), ..TestFailure::default() };
    let feedback = TestFeedback {
        success,
        failures: if success { Vec::new() } else { vec![failure] },
        ..TestFeedback::default()
    };
    let feedback = output_action(OutputItem::Feedback(feedback));
    if agent.is_faultless {
        return vec![feedback, turn_end_action("tested")];
    }
    match random.below(20) {
        0..11 => vec![feedback, turn_end_action("tested")],
        11 => vec![feedback.clone(), feedback, turn_end_action("tested twice")],
        12 | 13 => vec![done_message(task.clone()), turn_end_action("fine")],
        14 | 15 => vec![fail_message(task.clone()), turn_end_action("not fine")],
        16 => vec![turn_end_action("I looked at it")],
        17 => vec![AgentAction::Exit(Some(1))],
        18 => vec![AgentAction::Vanish],
        _ => vec![AgentAction::Hang],
    }
}

fn verify_actions(random: &mut Random, agent: &mut AgentContext<'_>, phase: u32) -> Vec<AgentAction> {
    let tasks = agent.model.tasks.iter().filter(|(_, task)| task.plan.phase == phase);
    let tasks: Vec<TaskId> = tasks.map(|(id, _)| id.clone()).collect();
    let blamed = random.pick(&tasks).cloned().map(fail_message);
    let verdict = |verdict: &str| {
        let value = format!(r#"{{"verdict":"{verdict}","summary":"I looked at it"}}"#);
        message_action(AgentMessage::Custom(CustomMessage { kind: "VERDICT".to_owned(), value }))
    };
    if agent.is_faultless {
        return vec![verdict("accept"), turn_end_action("it may pass")];
    }
    match random.below(24) {
        0..5 => blamed.into_iter().chain([turn_end_action("this must be better")]).collect(),
        5 => vec![AgentAction::Exit(Some(1))],
        6 => vec![AgentAction::Hang],
        7 => vec![output_action(OutputItem::Invalid), turn_end_action("hm")],
        8 => vec![turn_end_action("it may pass")],
        9 => vec![turn_end_action(r#"{"verdict":"accept"}"#)],
        10 => vec![verdict("reject"), turn_end_action("not yet")],
        11 => vec![verdict("maybe"), verdict("accept"), turn_end_action("so be it")],
        12 => vec![verdict("accept"), verdict("reject"), turn_end_action("I changed my mind")],
        13 => tasks.into_iter().take(1).map(done_message).chain([turn_end_action("done")]).collect(),
        _ => vec![verdict("accept"), turn_end_action("it may pass")],
    }
}

fn question_actions(
    random: &mut Random,
    agent: &mut AgentContext<'_>,
    options: &[String],
) -> Vec<AgentAction> {
    let word = random.pick(options).cloned().unwrap_or_else(|| "yes".to_owned());
    let forward =
        message_action(AgentMessage::NeedHuman(NeedHuman { question: "what do you think?".to_owned() }));
    if agent.is_faultless {
        return if random.once_in(2) {
            vec![turn_end_action(&word)]
        } else {
            vec![forward, turn_end_action("I asked")]
        };
    }
    match random.below(20) {
        0..8 => vec![turn_end_action(&word)],
        8..15 => vec![forward, turn_end_action("I asked")],
        15 => vec![turn_end_action("")],
        16 => vec![forward.clone(), forward, turn_end_action("I asked twice")],
        17 => vec![AgentAction::Hang],
        18 => vec![AgentAction::Exit(Some(0))],
        _ => vec![output_action(OutputItem::Invalid), turn_end_action("none of these")],
    }
}

fn escalation_actions(
    random: &mut Random,
    agent: &mut AgentContext<'_>,
    task: Option<&TaskId>,
) -> Vec<AgentAction> {
    let custom = |kind: &str| {
        let value = task.map_or_else(|| "T9.9".to_owned(), ToString::to_string);
        let value = if kind == "ESCALATE" { format!("{value} it is not clear") } else { value };
        message_action(AgentMessage::Custom(CustomMessage { kind: kind.to_owned(), value }))
    };
    match random.below(if agent.is_faultless { 14 } else { 23 }) {
        0..4 => vec![custom("RETRY"), turn_end_action("again")],
        4..6 => vec![custom("SKIP"), turn_end_action("without it")],
        6..14 => vec![turn_end_action("a person should look at it")],
        14 => vec![custom("PRIORITY"), turn_end_action("first")],
        15 => vec![custom("DANCE"), turn_end_action("la la")],
        16 => vec![
            message_action(AgentMessage::NeedHuman(NeedHuman { question: "help?".to_owned() })),
            turn_end_action("I asked"),
        ],
        17 => vec![AgentAction::Exit(Some(1))],
        18 => vec![AgentAction::Hang],
        19 => vec![custom("ESCALATE"), turn_end_action("higher up")],
        20 => vec![custom("REASSIGN"), custom("REASSIGN"), custom("REASSIGN"), turn_end_action("to whom?")],
        21 => (0..4).map(|_| custom("DANCE")).chain([turn_end_action("la la la")]).collect(),
        _ => vec![AgentAction::Vanish],
    }
}

/// Returns the actions of a main agent after a thin line: it names the tasks to start.
fn main_agent_actions(random: &mut Random, agent: &mut AgentContext<'_>, line: &str) -> Vec<AgentAction> {
    let named = line.strip_prefix("READY:").unwrap_or_default();
    let tasks = named.split([',', '|', ';', '+', ' ', '[', ']', '(', ')']).map(str::trim);
    let tasks: Vec<TaskId> = tasks.filter_map(|name| name.parse().ok()).collect();
    let start = |task: TaskId| {
        message_action(AgentMessage::Task(StartTaskMessage {
            task_id: task,
            phase: None,
            worktree: None,
            meta: None,
        }))
    };
    if !agent.is_faultless && random.once_in(40) {
        return vec![AgentAction::Hang];
    }
    let mut actions: Vec<AgentAction> = tasks.into_iter().map(start).collect();
    if line.starts_with("CUSTOM") && (agent.is_faultless || random.once_in(2)) {
        actions.push(turn_end_action("I wait for people"));
        return actions;
    }
    if line.starts_with("CUSTOM") {
        actions.push(AgentAction::Sleep);
    }
    if !agent.is_faultless && random.once_in(10) {
        actions.extend("T9.99".parse().ok().map(start));
    }
    // After ALL_DONE no task is left; a user may still add tasks, and send a message.
    let has_more = !agent.process.actions.is_empty();
    if line.starts_with("ALL_DONE") {
        actions.push(turn_end_action("all is done"));
    } else if !has_more || !(line.starts_with("DONE") || line.starts_with("FAIL")) {
        actions.extend(request_next_actions());
    }
    actions
}

pub(super) fn message_action(said: AgentMessage) -> AgentAction {
    output_action(OutputItem::Message(said))
}

pub(super) fn output_action(item: OutputItem) -> AgentAction {
    AgentAction::Output(Box::new(item))
}

pub(super) fn turn_end_action(words: &str) -> AgentAction {
    output_action(OutputItem::TurnEnd(words.to_owned()))
}

pub(super) fn done_message(task_id: TaskId) -> AgentAction {
    message_action(AgentMessage::Done(DoneMessage {
        task_id,
        phase: None,
        reason: None,
        fields: std::collections::BTreeMap::new(),
    }))
}

fn done_with_reason(task_id: TaskId) -> AgentAction {
    message_action(AgentMessage::Done(DoneMessage {
        task_id,
        phase: None,
        reason: Some("it exists already".to_owned()),
        fields: std::collections::BTreeMap::new(),
    }))
}

fn fail_message(task_id: TaskId) -> AgentAction {
    let reason = Some("it is not possible".to_owned());
    message_action(AgentMessage::Fail(FailMessage {
        task_id,
        phase: None,
        reason,
        fields: std::collections::BTreeMap::new(),
    }))
}

fn phase_complete_message(phase: u32) -> AgentAction {
    message_action(AgentMessage::PhaseComplete(PhaseComplete {
        phase,
        name: None,
        documents: vec!["docs/report.md".to_owned()],
    }))
}
