//! What agents say on the way: questions, requests, calls, errors, and what is not theirs to say.

use std::collections::BTreeMap;

use domain::{
    AgentError, AgentMessage, AgentName, AskUser, AskUserType, DeliverResult, DependencyRequest,
    DependencyType, DirectMessage, DirectType, ErrorType, InvokeMessage, NeedHuman, PermissionKind,
    PermissionRequest, ProgressMessage, QuestionCategory, ReadyMessage, Recovery, ResolveNext, ResultType,
    StepComplete, TaskId, Usage, UserQuestion,
};

use super::{Mind, Utterance, done, fail, say, write};
use crate::{random::Random, world::Spoken};

/// Something said on the way.
pub(super) struct Chatter {
    pub said: Vec<Utterance>,
    /// Whether the agent waits for something after it.
    pub waits: bool,
    /// Whether its turn goes on with what it waits for.
    pub in_turn: bool,
}

pub(super) fn chatter(random: &mut Random, mind: &mut Mind<'_>, task: &TaskId) -> Chatter {
    let goes_on = |said: Vec<Utterance>| Chatter { said, waits: false, in_turn: false };
    let waits = |said: Vec<Utterance>| Chatter { said, waits: true, in_turn: false };
    let prompts = |said: Utterance| Chatter { said: vec![said], waits: true, in_turn: true };
    match random.below(100) {
        0..12 => {
            goes_on(vec![say(AgentMessage::Progress(ProgressMessage { progress: Some(0.5), task: None }))])
        }
        12..20 => goes_on(vec![say(AgentMessage::StepComplete(StepComplete { summary: None }))]),
        20..34 => goes_on(vec![write(Spoken::Used(usage(random)))]),
        34..46 => {
            if random.once_in(5) {
                return prompts(prompt(random, mind));
            }
            let n = if random.once_in(4) { 3 } else { 1 };
            waits((0..n).map(|_| question(random)).collect())
        }
        46..54 => waits(vec![request(random)]),
        54..62 => call(random, mind),
        62..66 => goes_on(vec![deliver(random, mind)]),
        66..73 => goes_on(vec![direct(random, mind)]),
        73..82 => prompts(permission(random, mind)),
        82..87 => waits(vec![error(random)]),
        87..90 => goes_on(vec![write(Spoken::Invalid)]),
        90..93 => goes_on(vec![write(Spoken::Near)]),
        _ => goes_on(foreign(random, mind, task)),
    }
}

/// Calls somebody: a specialist, a colleague, itself, or nobody.
pub(super) fn call(random: &mut Random, mind: &Mind<'_>) -> Chatter {
    let Some(target) = somebody(random, mind) else {
        return Chatter { said: Vec::new(), waits: false, in_turn: false };
    };
    let invoke = InvokeMessage { target, task: "help me".to_owned(), context: None };
    Chatter { said: vec![say(AgentMessage::Invoke(invoke))], waits: true, in_turn: false }
}

fn somebody(random: &mut Random, mind: &Mind<'_>) -> Option<AgentName> {
    if random.once_in(15) {
        return "nobody".parse().ok();
    }
    random.pick(&mind.model.team).map(|member| member.name.clone())
}

pub(super) fn question(random: &mut Random) -> Utterance {
    let options: Vec<String> = ["left", "right"].map(str::to_owned).to_vec();
    let required = random.once_in(2);
    let default = random.once_in(2).then(|| "left".to_owned());
    if random.once_in(3) {
        let options = if random.once_in(2) { options } else { Vec::new() };
        return say(AgentMessage::UserQuestion(UserQuestion {
            category: QuestionCategory::Choice,
            question: "Which way?".to_owned(),
            options,
            default,
            required,
            extra: BTreeMap::new(),
        }));
    }
    say(AgentMessage::AskUser(ask(random, required, default)))
}

fn prompt(random: &mut Random, mind: &mut Mind<'_>) -> Utterance {
    mind.process.n_prompts += 1;
    let asked = ask(random, true, None);
    write(Spoken::Prompt(format!("prompt-{}", mind.process.n_prompts), asked))
}

fn ask(random: &mut Random, required: bool, default: Option<String>) -> AskUser {
    let options: Vec<String> = ["left", "right"].map(str::to_owned).to_vec();
    let (r#type, options, default) = match random.below(3) {
        0 => (AskUserType::Text, Vec::new(), default),
        1 => (AskUserType::Selection, options, default),
        _ => (AskUserType::Confirmation, Vec::new(), default.map(|_| "yes".to_owned())),
    };
    AskUser { question: "Which way?".to_owned(), r#type, options, context: None, default, required }
}

pub(super) fn request(random: &mut Random) -> Utterance {
    let kinds = [
        DependencyType::ApiKey,
        DependencyType::EnvVariable,
        DependencyType::Service,
        DependencyType::File,
        DependencyType::Permission,
        DependencyType::Package,
    ];
    let kind = random.pick(&kinds).copied().unwrap_or(DependencyType::File);
    say(AgentMessage::DependencyRequest(DependencyRequest {
        r#type: kind,
        name: "THING".to_owned(),
        description: "It is needed.".to_owned(),
        required: random.once_in(2),
        default: random.once_in(2).then(|| "none".to_owned()),
        extra: BTreeMap::new(),
    }))
}

fn deliver(random: &mut Random, mind: &Mind<'_>) -> Utterance {
    match somebody(random, mind) {
        Some(target) => say(AgentMessage::DeliverResult(DeliverResult {
            target,
            result_type: ResultType::Markdown,
            content: "what I found".to_owned(),
        })),
        None => write(Spoken::Near),
    }
}

fn direct(random: &mut Random, mind: &Mind<'_>) -> Utterance {
    let kinds = [None, Some(DirectType::Query), Some(DirectType::Result), Some(DirectType::Feedback)];
    match somebody(random, mind) {
        Some(target) => say(AgentMessage::Direct(DirectMessage {
            target,
            r#type: random.pick(&kinds).copied().flatten(),
            content: "a word".to_owned(),
        })),
        None => write(Spoken::Near),
    }
}

fn permission(random: &mut Random, mind: &mut Mind<'_>) -> Utterance {
    let wishes = [
        (PermissionKind::Edit, "src/main.rs"),
        (PermissionKind::Run, "cargo test"),
        (PermissionKind::Run, "rm -rf build"),
        (PermissionKind::Run, "curl example.org"),
        (PermissionKind::Fetch, "https://example.org"),
        (PermissionKind::Other, "think"),
    ];
    let (kind, subject) = random.pick(&wishes).copied().unwrap_or((PermissionKind::Other, "think"));
    if !random.once_in(20) {
        mind.process.n_prompts += 1;
    }
    write(Spoken::Permission(PermissionRequest {
        prompt: format!("prompt-{}", mind.process.n_prompts),
        kind,
        subject: subject.to_owned(),
        in_worktree: random.once_in(2),
        detail: None,
    }))
}

fn error(random: &mut Random) -> Utterance {
    let recoveries =
        [Recovery::PauseAndRetry, Recovery::PauseAndRetry, Recovery::CheckpointAndFail, Recovery::NotifyUser];
    let resets = [None, None, Some("2023-11-14T23:00:00Z"), Some("soon"), Some("2024-01-01T00:00:00Z")];
    say(AgentMessage::Error(AgentError {
        r#type: if random.once_in(2) { ErrorType::Recoverable } else { ErrorType::Fatal },
        message: "the limit is used up".to_owned(),
        details: None,
        recovery: random.pick(&recoveries).copied().unwrap_or(Recovery::NotifyUser),
        resets_at: random.pick(&resets).copied().flatten().map(str::to_owned),
        extra: BTreeMap::new(),
    }))
}

fn usage(random: &mut Random) -> Usage {
    Usage {
        input_tokens: u64::from(random.between(0, 60_000)),
        output_tokens: u64::from(random.between(0, 20_000)),
        cost_micros: u64::from(random.between(0, 400_000)),
        ..Usage::default()
    }
}

/// What is the orchestrator's to say, or Jangdan's, or another agent's.
fn foreign(random: &mut Random, mind: &Mind<'_>, task: &TaskId) -> Vec<Utterance> {
    let others: Vec<TaskId> = mind.model.tasks.keys().filter(|other| *other != task).cloned().collect();
    let other = random.pick(&others).cloned();
    let said = match random.below(8) {
        0 => Some(say(AgentMessage::NeedHuman(NeedHuman { question: "may I?".to_owned() }))),
        1 => Some(say(AgentMessage::ResolveNext(ResolveNext { phase: None, force: true }))),
        2 => Some(say(AgentMessage::Ready(ReadyMessage { groups: vec![vec![task.clone()]] }))),
        3 => Some(say(AgentMessage::AllDone)),
        4 => other.map(fail),
        _ => other.map(done),
    };
    said.into_iter().collect()
}
