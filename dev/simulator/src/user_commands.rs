//! Random commands of users: late, repeated, wrong or missing answers, and everything else that the page offers.

use domain::{
    Budget, DependencyRequest, DependencyType, EscalationAction, EscalationId, EscalationLevel,
    PermissionScope, PhaseNumber, Priority, ProvidedResource, QuestionId, RequestId, SessionId, TaskId,
    UserCommand,
};

use crate::{
    generate::{self, EXTERNALS},
    model::{Model, Question, QuestionState, Request, Stage},
    random::Random,
};

/// Number of messages that a user sends to the agent of a task at once.
const MANY_MESSAGES: usize = 20;

/// Returns the next command with the name of its user; `None` if none is possible.
pub(crate) fn next_user_command(random: &mut Random, model: &Model) -> Option<(&'static str, UserCommand)> {
    let person = match random.below(60) {
        // Draws without a command, so that the seeds found earlier keep their runs.
        0 => {
            random.pick(&model.sessions.keys().copied().collect::<Vec<_>>())?;
            None
        }
        1..20 => Some("ben"),
        _ => Some("ana"),
    };
    let command = match random.below(100) {
        0..50 => expected_command(random, model).or_else(|| random_intervention(random, model)),
        50..60 => invalid_command(random, model),
        60..63 => {
            let text = "how is it going?".to_owned();
            Some(UserCommand::Chat { text, talk_only: random.chance_percent(50) })
        }
        _ => random_intervention(random, model),
    };
    person.zip(command)
}

/// Returns a command that a user is expected to send next: an answer, an approval, a decision.
pub(crate) fn expected_command(random: &mut Random, model: &Model) -> Option<UserCommand> {
    let mut commands = Vec::new();
    commands.extend(model.questions_with_person().first().and_then(|id| answer_command(random, model, *id)));
    let open = model.requests.iter().find(|(_, request)| request.open);
    commands.extend(open.map(|(id, request)| request_decision_command(random, *id, request)));
    let passed = model.phases.iter().find(|(_, phase)| phase.gate.passed);
    commands.extend(passed.map(|(number, _)| UserCommand::ApproveGate { phase: *number, note: None }));
    let at_person =
        model.escalations.iter().filter(|(_, known)| known.open && known.level == EscalationLevel::Person);
    let at_person: Vec<EscalationId> = at_person.map(|(id, _)| *id).collect();
    commands.extend(random.pick(&at_person).map(|id| resolve_command(random, model, *id)));
    random.pick(&commands).cloned()
}

/// Returns the commands that continue what users have paused or not provided.
pub(crate) fn continue_commands(model: &Model) -> Vec<UserCommand> {
    let mut commands = Vec::new();
    if model.paused {
        commands.push(UserCommand::ContinueRun);
    }
    let paused = model.phases.iter().filter(|(_, phase)| phase.paused);
    commands.extend(paused.map(|(number, _)| UserCommand::ContinuePhase(*number)));
    for (id, task) in &model.tasks {
        if task.reasons.iter().any(|reason| matches!(reason, domain::BlockReason::Paused { .. })) {
            commands.push(UserCommand::ContinueTask(id.clone()));
        }
        let missing = task.plan.external.iter().filter(|name| !model.externals.contains(*name));
        if task.stage == Stage::Waiting {
            commands.extend(missing.map(|name| UserCommand::MarkExternalMet { name: name.clone() }));
        }
    }
    commands
}

/// Returns more messages to the agent of each task than may wait for it.
pub(crate) fn many_messages(model: &Model) -> Vec<(&'static str, UserCommand)> {
    let message =
        |task: &TaskId| ("ana", UserCommand::SendMessage { task: task.clone(), text: "use tabs".to_owned() });
    model.tasks.keys().flat_map(|task| std::iter::repeat_n(message(task), MANY_MESSAGES)).collect()
}

/// Returns a command that acts on the project or on a process; `None` if no session was opened yet.
pub(crate) fn project_command(random: &mut Random, model: &Model) -> Option<UserCommand> {
    Some(match random.below(4) {
        0 | 1 => UserCommand::LandRun { all: random.once_in(2), into: None, squash: false },
        2 => UserCommand::CleanRun { refs: random.once_in(2) },
        _ => {
            let sessions: Vec<SessionId> = model.sessions.keys().copied().collect();
            UserCommand::StopSession(*random.pick(&sessions)?)
        }
    })
}

/// Returns a command that should be refused.
fn invalid_command(random: &mut Random, model: &Model) -> Option<UserCommand> {
    let questions: Vec<QuestionId> = model.questions.keys().copied().collect();
    let requests: Vec<RequestId> = model.requests.keys().copied().collect();
    let escalations: Vec<EscalationId> = model.escalations.keys().copied().collect();
    let answer = |question: QuestionId, answer: &str| UserCommand::Answer {
        question: Some(question),
        task: None,
        answer: answer.to_owned(),
        scope: PermissionScope::Once,
        pattern: None,
        reason: None,
    };
    match random.below(10) {
        0..4 => random.pick(&questions).map(|id| answer(*id, "left")),
        4 => random.pick(&questions).map(|id| answer(*id, "neither")),
        5 => random.pick(&questions).map(|id| answer(*id, "")),
        6 => random.pick(&requests).map(|id| UserCommand::SkipRequest(*id)),
        7 => random
            .pick(&requests)
            .map(|id| UserCommand::Provide { request: *id, provided: ProvidedResource::file("a.txt") }),
        8 => random.pick(&escalations).map(|id| resolve_command(random, model, *id)),
        _ => Some(UserCommand::Chat { text: "left".to_owned(), talk_only: false }),
    }
}

/// Returns one of the commands that are possible at any time.
fn random_intervention(random: &mut Random, model: &Model) -> Option<UserCommand> {
    let tasks: Vec<TaskId> = model.tasks.keys().cloned().collect();
    let phases: Vec<PhaseNumber> = model.phases.keys().copied().collect();
    let task = random.pick(&tasks)?.clone();
    let other = random.pick(&tasks)?.clone();
    let phase = *random.pick(&phases)?;
    Some(match random.below(116) {
        0..10 => UserCommand::PauseTask(task),
        10..20 => UserCommand::ContinueTask(task),
        20..24 => UserCommand::CancelTask(task),
        24..32 => UserCommand::RetryTask { task, hint: Some("try harder".to_owned()) },
        32..36 => UserCommand::SkipTask(task),
        36..42 => UserCommand::PrioritizeTask { task, priority: Priority::Critical },
        42..47 => UserCommand::ReassignTask { task, agent: random.pick(&model.team)?.name.clone() },
        47..52 => {
            let checkpoints = model.checkpoints.iter().filter(|(_, (of, _))| *of == task);
            let checkpoints: Vec<_> = checkpoints.map(|(id, _)| *id).collect();
            UserCommand::RewindTask { task, checkpoint: random.pick(&checkpoints).copied() }
        }
        52..56 => UserCommand::CreateCheckpoint(task),
        56..60 => {
            let n = 100 + u32::try_from(model.tasks.len()).unwrap_or(0);
            let mut added = generate::generate_added_task(random, phase, n, &model.team)?;
            added.depends_on.push(task);
            UserCommand::AddTask(Box::new(added))
        }
        60..66 => UserCommand::AddDependency { earlier: task, later: other },
        66..70 => {
            let later = model.tasks.get(&task)?;
            UserCommand::RemoveDependency { earlier: later.earlier.first()?.clone(), later: task }
        }
        70..76 => UserCommand::MarkExternalMet { name: (*random.pick(&EXTERNALS)?).to_owned() },
        76..80 => UserCommand::PauseRun,
        80..86 => UserCommand::ContinueRun,
        86..89 => UserCommand::PausePhase(phase),
        89..94 => UserCommand::ContinuePhase(phase),
        94 => UserCommand::CancelPhase(phase),
        95 if random.once_in(4) => UserCommand::CancelRun,
        95..99 => {
            let reason = "it is not good".to_owned();
            UserCommand::RejectGate {
                phase,
                reason,
                tasks: if random.once_in(2) { vec![task] } else { Vec::new() },
            }
        }
        99..102 => UserCommand::ApproveGate { phase, note: None },
        102..106 => {
            let question = random.pick(&model.questions_with_person()).copied()?;
            UserCommand::RequestClarification { question, text: "what do you mean?".to_owned() }
        }
        106..109 => {
            let (id, request) = model.requests.iter().find(|(_, request)| request.open)?;
            if request.asked.required {
                UserCommand::Refuse { request: *id, reason: "no".to_owned() }
            } else {
                UserCommand::SkipRequest(*id)
            }
        }
        109..112 => UserCommand::SendMessage { task, text: "agent the gap".to_owned() },
        _ => UserCommand::Answer {
            question: None,
            task: Some(task),
            answer: "left".to_owned(),
            scope: PermissionScope::Once,
            pattern: None,
            reason: None,
        },
    })
}

fn answer_command(random: &mut Random, model: &Model, id: QuestionId) -> Option<UserCommand> {
    let question: &Question =
        model.questions.get(&id).filter(|known| known.state == QuestionState::Person)?;
    let word = random.pick(&question.options).cloned().unwrap_or_else(|| "yes".to_owned());
    let keep = random
        .pick(&[PermissionScope::Once, PermissionScope::Task, PermissionScope::Run, PermissionScope::Project])
        .copied()
        .unwrap_or_default();
    Some(UserCommand::Answer {
        question: Some(id),
        task: None,
        answer: word,
        scope: keep,
        pattern: None,
        reason: None,
    })
}

fn request_decision_command(random: &mut Random, request: RequestId, known: &Request) -> UserCommand {
    if random.once_in(6) {
        return UserCommand::Refuse { request, reason: "too dear".to_owned() };
    }
    if random.once_in(6) && !known.asked.required {
        return UserCommand::SkipRequest(request);
    }
    // Only permissions draw a number, so that the seeds found earlier keep their runs.
    let is_granted = known.asked.r#type != DependencyType::Permission || random.once_in(2);
    UserCommand::Provide { request, provided: provided_resource(&known.asked, is_granted) }
}

/// Returns a resource of the requested kind.
pub(crate) fn provided_resource(asked: &DependencyRequest, is_granted: bool) -> ProvidedResource {
    let name = asked.name.clone();
    match asked.r#type {
        DependencyType::ApiKey | DependencyType::EnvVariable | DependencyType::Service => {
            ProvidedResource::Environment { names: vec![name] }
        }
        DependencyType::File => ProvidedResource::file("given.txt"),
        DependencyType::Permission => ProvidedResource::Permission { granted: is_granted },
        DependencyType::Package => ProvidedResource::Package { name, version: None },
    }
}

fn resolve_command(random: &mut Random, model: &Model, escalation: EscalationId) -> UserCommand {
    let suggested = model.escalations.get(&escalation).map_or(&[][..], |known| &known.suggested);
    let action = match random.below(32) {
        16..32 => random.pick(suggested).cloned().unwrap_or(EscalationAction::Dismiss),
        0..6 => EscalationAction::Retry { hint: None },
        6 => match random.pick(&model.team) {
            Some(member) => EscalationAction::Reassign { agent: member.name.clone() },
            None => EscalationAction::Skip,
        },
        7 | 8 => EscalationAction::Skip,
        9 | 10 => EscalationAction::Waive,
        11 | 12 => EscalationAction::RaiseBudget { budget: Budget::Tokens(9_000_000) },
        13 | 14 => EscalationAction::MarkFailed,
        _ => EscalationAction::Dismiss,
    };
    UserCommand::Resolve { escalation, action, note: None }
}
