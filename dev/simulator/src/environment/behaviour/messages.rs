//! Messages during the work on a task: questions, requests, calls, errors, and messages that the role does not permit.

use std::collections::BTreeMap;

use domain::{
    AgentError, AgentMessage, AgentName, AskUser, AskUserType, DeliverResult, DependencyRequest,
    DependencyType, DirectMessage, DirectType, ErrorType, InvokeMessage, NeedHuman, PermissionKind,
    PermissionRequest, ProgressMessage, QuestionCategory, ReadyTasksMessage, Recovery, ResolveNextRequest,
    ResultType, StepComplete, TaskId, Usage, UserQuestion,
};

use super::{AgentAction, AgentContext, done_message, fail_message, message_action, output_action};
use crate::{environment::OutputItem, random::Random};

/// Output before the end of a task.
pub(super) struct ExtraOutput {
    pub actions: Vec<AgentAction>,
    /// Whether the agent waits for an answer.
    pub waits: bool,
    /// Whether its turn continues with the answer.
    pub in_turn: bool,
}

pub(super) fn extra_output(random: &mut Random, agent: &mut AgentContext<'_>, task: &TaskId) -> ExtraOutput {
    let continues = |actions: Vec<AgentAction>| ExtraOutput { actions, waits: false, in_turn: false };
    let waits = |actions: Vec<AgentAction>| ExtraOutput { actions, waits: true, in_turn: false };
    let prompts = |action: AgentAction| ExtraOutput { actions: vec![action], waits: true, in_turn: true };
    match random.below(100) {
        0..12 => continues(vec![message_action(AgentMessage::Progress(ProgressMessage {
            progress: Some(0.5),
            task: None,
        }))]),
        12..20 => continues(vec![message_action(AgentMessage::StepComplete(StepComplete { summary: None }))]),
        20..34 => continues(vec![output_action(OutputItem::Usage(random_usage(random)))]),
        34..46 => {
            if random.once_in(5) {
                return prompts(question_prompt(random, agent));
            }
            let n = if random.once_in(4) { 3 } else { 1 };
            waits((0..n).map(|_| question_message(random)).collect())
        }
        46..54 => {
            // Some agents do not wait.
            let n = if random.once_in(40) { 18 } else { 1 };
            waits((0..n).map(|_| request_message(random)).collect())
        }
        54..62 => call_output(random, agent),
        62..66 => continues(vec![deliver_result_message(random, agent)]),
        66..73 => continues(vec![direct_message(random, agent)]),
        73..82 => prompts(permission_prompt(random, agent)),
        82..87 => waits(vec![error_message(random)]),
        87..90 => continues(vec![output_action(OutputItem::Invalid)]),
        90..93 => continues(vec![output_action(OutputItem::NearMiss)]),
        _ => continues(not_permitted_messages(random, agent, task)),
    }
}

/// Calls a member of the team, itself, or an unknown agent.
pub(super) fn call_output(random: &mut Random, agent: &AgentContext<'_>) -> ExtraOutput {
    let Some(target) = random_target_agent(random, agent) else {
        return ExtraOutput { actions: Vec::new(), waits: false, in_turn: false };
    };
    let invoke = InvokeMessage { target, task: "help me".to_owned(), context: None };
    ExtraOutput { actions: vec![message_action(AgentMessage::Invoke(invoke))], waits: true, in_turn: false }
}

fn random_target_agent(random: &mut Random, agent: &AgentContext<'_>) -> Option<AgentName> {
    if random.once_in(15) {
        return "unknown".parse().ok();
    }
    random.pick(&agent.model.team).map(|member| member.name.clone())
}

pub(super) fn question_message(random: &mut Random) -> AgentAction {
    let options: Vec<String> = ["left", "right"].map(str::to_owned).to_vec();
    let required = random.once_in(2);
    let default = random.once_in(2).then(|| "left".to_owned());
    if random.once_in(3) {
        let options = if random.once_in(2) { options } else { Vec::new() };
        return message_action(AgentMessage::UserQuestion(UserQuestion {
            category: QuestionCategory::Choice,
            question: "Which way?".to_owned(),
            options,
            default,
            required,
            extra: BTreeMap::new(),
        }));
    }
    message_action(AgentMessage::AskUser(random_ask_user(random, required, default)))
}

fn question_prompt(random: &mut Random, agent: &mut AgentContext<'_>) -> AgentAction {
    agent.process.n_prompts += 1;
    let asked = random_ask_user(random, true, None);
    output_action(OutputItem::Prompt(format!("prompt-{}", agent.process.n_prompts), asked))
}

fn random_ask_user(random: &mut Random, required: bool, default: Option<String>) -> AskUser {
    let options: Vec<String> = ["left", "right"].map(str::to_owned).to_vec();
    let (r#type, options, default) = match random.below(3) {
        0 => (AskUserType::Text, Vec::new(), default),
        1 => (AskUserType::Selection, options, default),
        _ => (AskUserType::Confirmation, Vec::new(), default.map(|_| "yes".to_owned())),
    };
    AskUser { question: "Which way?".to_owned(), r#type, options, context: None, default, required }
}

pub(super) fn request_message(random: &mut Random) -> AgentAction {
    let kinds = [
        DependencyType::ApiKey,
        DependencyType::EnvVariable,
        DependencyType::Service,
        DependencyType::File,
        DependencyType::Permission,
        DependencyType::Package,
    ];
    let kind = random.pick(&kinds).copied().unwrap_or(DependencyType::File);
    message_action(AgentMessage::DependencyRequest(DependencyRequest {
        r#type: kind,
        name: "THING".to_owned(),
        description: "It is needed.".to_owned(),
        required: random.once_in(2),
        default: random.once_in(2).then(|| "none".to_owned()),
        extra: BTreeMap::new(),
    }))
}

fn deliver_result_message(random: &mut Random, agent: &AgentContext<'_>) -> AgentAction {
    match random_target_agent(random, agent) {
        Some(target) => message_action(AgentMessage::DeliverResult(DeliverResult {
            target,
            result_type: ResultType::Markdown,
            content: "what I found".to_owned(),
        })),
        None => output_action(OutputItem::NearMiss),
    }
}

fn direct_message(random: &mut Random, agent: &AgentContext<'_>) -> AgentAction {
    let kinds = [None, Some(DirectType::Query), Some(DirectType::Result), Some(DirectType::Feedback)];
    match random_target_agent(random, agent) {
        Some(target) => message_action(AgentMessage::Direct(DirectMessage {
            target,
            r#type: random.pick(&kinds).copied().flatten(),
            content: "a word".to_owned(),
        })),
        None => output_action(OutputItem::NearMiss),
    }
}

fn permission_prompt(random: &mut Random, agent: &mut AgentContext<'_>) -> AgentAction {
    let permissions = [
        (PermissionKind::Edit, "src/main.rs"),
        (PermissionKind::Run, "cargo test"),
        (PermissionKind::Run, "rm -rf build"),
        (PermissionKind::Run, "curl example.org"),
        (PermissionKind::Fetch, "https://example.org"),
        (PermissionKind::Other, "think"),
    ];
    let (kind, subject) = random.pick(&permissions).copied().unwrap_or((PermissionKind::Other, "think"));
    if !random.once_in(20) {
        agent.process.n_prompts += 1;
    }
    output_action(OutputItem::Permission(PermissionRequest {
        prompt: format!("prompt-{}", agent.process.n_prompts),
        kind,
        subject: subject.to_owned(),
        in_worktree: random.once_in(2),
        detail: None,
    }))
}

fn error_message(random: &mut Random) -> AgentAction {
    let recoveries =
        [Recovery::PauseAndRetry, Recovery::PauseAndRetry, Recovery::CheckpointAndFail, Recovery::NotifyUser];
    let resets = [None, None, Some("2023-11-14T23:00:00Z"), Some("soon"), Some("2024-01-01T00:00:00Z")];
    message_action(AgentMessage::Error(AgentError {
        r#type: if random.once_in(2) { ErrorType::Recoverable } else { ErrorType::Fatal },
        message: "the limit is used up".to_owned(),
        details: None,
        recovery: random.pick(&recoveries).copied().unwrap_or(Recovery::NotifyUser),
        resets_at: random.pick(&resets).copied().flatten().map(str::to_owned),
        extra: BTreeMap::new(),
    }))
}

fn random_usage(random: &mut Random) -> Usage {
    Usage {
        input_tokens: u64::from(random.between(0, 60_000)),
        output_tokens: u64::from(random.between(0, 20_000)),
        cost_micros: u64::from(random.between(0, 400_000)),
        ..Usage::default()
    }
}

/// Returns a message that only the orchestrator, Jangdan or another agent may send.
fn not_permitted_messages(random: &mut Random, agent: &AgentContext<'_>, task: &TaskId) -> Vec<AgentAction> {
    let others: Vec<TaskId> = agent.model.tasks.keys().filter(|other| *other != task).cloned().collect();
    let other = random.pick(&others).cloned();
    let action = match random.below(8) {
        0 => Some(message_action(AgentMessage::NeedHuman(NeedHuman { question: "may I?".to_owned() }))),
        1 => Some(message_action(AgentMessage::ResolveNext(ResolveNextRequest { phase: None, force: true }))),
        2 => {
            Some(message_action(AgentMessage::Ready(ReadyTasksMessage { groups: vec![vec![task.clone()]] })))
        }
        3 => Some(message_action(AgentMessage::AllDone)),
        4 => other.map(fail_message),
        _ => other.map(done_message),
    };
    action.into_iter().collect()
}
