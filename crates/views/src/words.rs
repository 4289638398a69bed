//! Every event in a line of words. The ids in it are those of the rows.
//!
//! No `_`: a new event must be put into words here.

use domain::{
    Actor, AttemptFailure, BlockReason, CheckpointOutcome, ClaimSource, CompletionProof, EscalationLevel,
    EscalationSubject, Event, InvocationOutcome, LoopOutcome, MergeOutcome, ParkMode, ProvidedResource,
    QuestionRoute, Receipt, ReturnReason, RunOutcome,
};

use crate::{
    line::{Line, brief, colon, count, list, list_of, short},
    plans::{field_word, summary},
    say::say,
};

/// Puts an event into words.
pub fn line(event: &Event) -> Line {
    match event {
        Event::RunStarted { project, work, .. } => {
            let n_tasks = work.tasks.len();
            Line::new(format!("the run of {project} started{}, {n_tasks} tasks", colon(&work.title)))
        }
        Event::RunPaused {} => Line::new("the run is paused"),
        Event::RunContinued {} => Line::new("the run goes on"),
        Event::RunCancelled {} => Line::new("the run was called off"),
        Event::RunEnded { outcome, failed, waiting } => Line::new(match outcome {
            RunOutcome::Done => "the run is done".to_owned(),
            RunOutcome::Cancelled => "the run ended, called off".to_owned(),
            RunOutcome::Failed => {
                let n_waiting = waiting.len();
                format!("the run failed: {} failed, {n_waiting} never started", list(failed))
            }
        }),
        Event::RunReopened {} => Line::new("the run goes on after its end"),

        Event::PhaseStarted { phase, session } => {
            Line::new(format!("phase {phase} started")).phase(*phase).session(*session)
        }
        Event::PhasePaused { phase } => Line::new(format!("phase {phase} is paused")).phase(*phase),
        Event::PhaseContinued { phase } => Line::new(format!("phase {phase} goes on")).phase(*phase),
        Event::PhaseCancelled { phase } => Line::new(format!("phase {phase} was called off")).phase(*phase),
        Event::PhaseLanded { phase } => Line::new(format!("phase {phase} landed")).phase(*phase),

        Event::TasksBecameReady { tasks } => {
            let line = Line::new(format!("{} ready: {}", are(tasks.len()), list(tasks)));
            if let [task] = tasks.as_slice() { line.task(task) } else { line }
        }
        Event::TaskStarted { task, attempt, agent, session } => {
            let try_ = if *attempt > 1 { format!(", try {attempt}") } else { String::new() };
            Line::new(format!("{task} started by {agent} in {session}{try_}")).task(task).session(*session)
        }
        Event::TaskResumed { task, session } => {
            Line::new(format!("{task} goes on in {session}")).task(task).session(*session)
        }
        Event::TaskBlocked { task, reason } => {
            Line::new(format!("{task} waits for {}", wait(reason))).task(task)
        }
        Event::TaskUnblocked { task, reason } => {
            Line::new(format!("{task} no longer waits for {}", wait(reason))).task(task)
        }
        Event::TaskClaimed { task, source, .. } => {
            let how = match source {
                ClaimSource::DoneMessage => "its agent says so",
                ClaimSource::TurnEnd => "its agent's turn ended",
                ClaimSource::PhaseMarker => "its agent says that the phase is complete",
                ClaimSource::Exit => "its process ended well",
            };
            Line::new(format!("{task} is called done: {how}")).task(task)
        }
        Event::CheckStarted { task, command, .. } => {
            Line::new(format!("{task} is checked{}", colon(command))).task(task)
        }
        Event::CheckFinished { task, receipt, .. } => {
            Line::new(format!("the check of {task} {}", passed(receipt))).task(task)
        }
        Event::TestStarted { task, session } => {
            Line::new(format!("{task} is tested in {session}")).task(task).session(*session)
        }
        Event::TaskReturned { task, reason } => {
            let why = match reason {
                ReturnReason::Check => "its check failed",
                ReturnReason::Test => "its tester found failures",
                ReturnReason::Conflict => "it does not merge",
                ReturnReason::Rework => "its phase did not pass",
            };
            Line::new(format!("{task} went back to its agent: {why}")).task(task)
        }
        Event::MergeStarted { task, .. } => Line::new(format!("{task} is being merged")).task(task),
        Event::MergeFinished { task, outcome, .. } => Line::new(match outcome {
            MergeOutcome::Merged { commit, .. } => format!("{task} is merged as {}", short(commit)),
            MergeOutcome::Conflicted { files } => format!("{task} conflicts in {}", list(files)),
            MergeOutcome::CheckFailed { receipt } => {
                format!("{task} merges, but the check {}", passed(receipt))
            }
            MergeOutcome::Failed { error } => format!("{task} could not be merged{}", colon(error)),
        })
        .task(task),
        Event::TaskDone { task, proof } => {
            let proof = match proof {
                CompletionProof::Checked => "checked",
                CompletionProof::Unchecked => "unchecked",
                CompletionProof::Waived => "waived",
            };
            Line::new(format!("{task} is done, {proof}")).task(task)
        }
        Event::AttemptFailed { task, attempt, failure, counted } => {
            let counted = if *counted { "" } else { " (not counted)" };
            Line::new(format!("try {attempt} of {task} failed{counted}: {}", fail(failure))).task(task)
        }
        Event::TaskRetried { task, hint, .. } => {
            let hint = hint.as_deref().map(colon).unwrap_or_default();
            Line::new(format!("{task} is tried again{hint}")).task(task)
        }
        Event::TaskFailed { task, failure } => {
            Line::new(format!("{task} failed: {}", fail(failure))).task(task)
        }
        Event::TaskSkipped { task } => Line::new(format!("{task} is left out")).task(task),
        Event::TaskCancelled { task } => Line::new(format!("{task} was called off")).task(task),
        Event::TaskReopened { task, reason } => {
            Line::new(format!("{task} is to be done again{}", colon(reason))).task(task)
        }
        Event::TaskPrioritized { task, priority } => {
            let priority = format!("{priority:?}").to_lowercase();
            Line::new(format!("{task} has {priority} priority now")).task(task)
        }
        Event::TaskMessageSent { task, text } => Line::new(format!("to {task}: {text}")).task(task),
        Event::TaskReassigned { task, agent } => Line::new(format!("{task} goes to {agent}")).task(task),
        Event::TaskRewound { task, checkpoint } => {
            let to = checkpoint.map_or("its beginning".to_owned(), |checkpoint| checkpoint.to_string());
            Line::new(format!("{task} goes back to {to}")).task(task)
        }
        Event::TaskRequested { task, .. } => Line::new(format!("{task} is to start")).task(task),
        Event::PlanChangeDetected { offer, changes, problem } => {
            let problem = problem.as_deref().map(|why| format!("; it can't be taken: {why}"));
            let problem = problem.unwrap_or_default();
            Line::new(format!("the plan file changed, {offer}: {}{problem}", summary(changes))).id(offer)
        }
        Event::PlanChangeWithdrawn { offer, reason } => {
            Line::new(format!("{offer} is withdrawn{}", colon(reason))).id(offer)
        }
        Event::PlanUnreadable { problem } => {
            Line::new(format!("the plan file can't be read{}", colon(problem)))
        }
        Event::PlanChangeApplied { offer, .. } => {
            Line::new(format!("{offer} is taken: the plan changes")).id(offer)
        }
        Event::PlanChangeIgnored { offer } => {
            Line::new(format!("{offer} is left: the plan stays as it is")).id(offer)
        }
        Event::PhaseAdded { phase } => {
            let (number, name) = (phase.number, colon(&phase.name));
            Line::new(format!("phase {number} joined the plan{name}")).phase(number)
        }
        Event::PhaseChanged { phase, after, .. } => {
            let after =
                if after.is_empty() { "nothing".to_owned() } else { format!("phase {}", list(after)) };
            Line::new(format!("phase {phase} comes after {after} now")).phase(*phase)
        }
        Event::TaskChanged { task, fields } => {
            let words: Vec<&str> = fields.iter().map(|field| field_word(*field)).collect();
            Line::new(format!("the plan changes the {} of {}", words.join(", "), task.id)).task(&task.id)
        }
        Event::TaskAdded { task, .. } => {
            Line::new(format!("{} joined the plan{}", task.id, colon(&task.title))).task(&task.id)
        }
        Event::DependencyAdded { earlier, later } => {
            Line::new(format!("{later} comes after {earlier} too")).task(later)
        }
        Event::DependencyRemoved { earlier, later } => {
            Line::new(format!("{later} no longer comes after {earlier}")).task(later)
        }
        Event::ExternalDependencyMet { name } => Line::new(format!("{name} is there")),

        Event::SessionOpened { session, role, agent, task, phase, .. } => {
            let who = agent.as_ref().map_or("Jangdan", |agent| agent.as_str());
            let role = format!("{role:?}").to_lowercase();
            let line = Line::new(format!("{session} opened: {who} as {role}")).session(*session);
            let line = line.maybe_task(task.as_ref());
            if let Some(phase) = phase { line.phase(*phase) } else { line }
        }
        Event::SessionActivated { session, .. } => {
            Line::new(format!("{session} is there")).session(*session).quiet()
        }
        Event::SessionParked { session, mode } => {
            let mode = match mode {
                ParkMode::Hot => "hot",
                ParkMode::Frozen => "frozen",
                ParkMode::Cold => "cold",
            };
            Line::new(format!("{session} is parked, {mode}")).session(*session)
        }
        Event::SessionWoken { session } => Line::new(format!("{session} is woken")).session(*session),
        Event::SessionDismissed { session } => {
            Line::new(format!("{session} is to end")).session(*session).quiet()
        }
        Event::SessionEnded { session, exit_status } => {
            let how = exit_status.map_or("by a signal".to_owned(), |status| format!("with status {status}"));
            Line::new(format!("{session} ended {how}")).session(*session)
        }
        Event::SessionLost { session, reason } => {
            Line::new(format!("{session} is lost{}", colon(reason))).session(*session)
        }
        Event::InputQueued { session, content, .. } => {
            Line::new(format!("{session} is told{}", colon(&say(content)))).session(*session)
        }
        Event::InputSent { session, input } => {
            Line::new(format!("{session} has input {input}")).session(*session).quiet()
        }
        Event::MessageReceived { session, message: said, .. } => {
            Line::new(format!("{session} says {}", said.name())).session(*session).quiet()
        }
        Event::MessageRejected { session, protocol, error, .. } => {
            Line::new(format!("{session} said {protocol}, which can't be taken{}", colon(error)))
                .session(*session)
        }
        Event::NearMissReceived { session, near, raw, .. } => {
            Line::new(format!("{session} almost said {near}{}", colon(raw))).session(*session)
        }
        Event::TurnEnded { session, text: words, .. } => {
            Line::new(format!("{session} ended its turn{}", colon(words))).session(*session)
        }
        Event::TurnInterrupted { session, text: words, .. } => {
            Line::new(format!("{session} was cut off in its turn{}", colon(words))).session(*session)
        }

        Event::QuestionAsked { question, session, task, text, .. } => {
            let line = Line::new(format!("{question} asked by {session}{}", colon(text)));
            line.question(*question).session(*session).maybe_task(task.as_ref())
        }
        Event::QuestionRouted { question, to } => {
            let to = match to {
                QuestionRoute::Orchestrator => "the orchestrator",
                QuestionRoute::Person => "you",
            };
            Line::new(format!("{question} waits for {to}")).question(*question)
        }
        Event::QuestionForwarded { question, text } => {
            Line::new(format!("{question} is handed on{}", colon(text))).question(*question)
        }
        Event::ClarificationRequested { question, text } => {
            Line::new(format!("{question} is asked back{}", colon(text))).question(*question)
        }
        Event::QuestionAnswered { question, answer } => {
            Line::new(format!("{question} is answered{}", colon(answer))).question(*question)
        }
        Event::QuestionDelivered { question, session } => {
            Line::new(format!("the answer to {question} reached {session}"))
                .question(*question)
                .session(*session)
        }
        Event::QuestionResumed { question } => {
            Line::new(format!("work goes on with the answer to {question}")).question(*question)
        }
        Event::QuestionWithdrawn { question, reason } => {
            Line::new(format!("{question} is withdrawn{}", colon(reason))).question(*question)
        }
        Event::QuestionExpired { question, default_used: took_default } => {
            let took = took_default.as_ref().map(|took| format!(", its default is taken{}", colon(took)));
            Line::new(format!("{question} expired{}", took.unwrap_or_default())).question(*question)
        }
        Event::ManyQuestionsAsked { agent, phase, count } => {
            Line::new(format!("{agent} asked {count} times in phase {phase}")).phase(*phase)
        }
        Event::PermissionDecided { session, request: wish, allowed, rule } => {
            let may = if *allowed { "may" } else { "may not" };
            let (act, subject) = (wish.kind.pattern_name(), brief(&wish.subject));
            Line::new(format!("{session} {may} {act} {subject} ({rule})")).session(*session).quiet()
        }
        Event::PermissionRuleSaved { task, pattern, allowed, .. } => {
            let may = if *allowed { "allowed" } else { "denied" };
            Line::new(format!("{pattern} is {may} from now on")).maybe_task(task.as_ref())
        }

        Event::RequestMade { request, session, task, dependency: asked, .. } => {
            let line = Line::new(format!("{request} asks for {}{}", asked.name, colon(&asked.description)));
            line.id(request).session(*session).maybe_task(task.as_ref())
        }
        Event::RequestProvided { request, provided, default } => {
            let what = match provided {
                ProvidedResource::Environment { names } => list(names),
                ProvidedResource::File { path } => path.clone(),
                ProvidedResource::Permission { granted: true } => "granted".to_owned(),
                ProvidedResource::Permission { granted: false } => "not granted".to_owned(),
                ProvidedResource::Package { name, .. } => name.clone(),
            };
            let own = if *default { ", the agent's own default" } else { "" };
            Line::new(format!("{request} is provided: {what}{own}")).id(request)
        }
        Event::RequestRefused { request, reason } => {
            Line::new(format!("{request} is refused{}", colon(reason))).id(request)
        }
        Event::RequestSkipped { request } => Line::new(format!("{request} is skipped")).id(request),
        Event::RequestDelivered { request, session } => {
            Line::new(format!("{session} knows about {request}")).id(request).session(*session).quiet()
        }

        Event::InvocationMade { invocation, caller, callee, task: wanted, .. } => {
            Line::new(format!("{invocation}: {caller} calls {callee}{}", colon(wanted)))
                .id(invocation)
                .session(*caller)
        }
        Event::InvocationStarted { invocation, session } => {
            Line::new(format!("{invocation} is in hand in {session}")).id(invocation).session(*session)
        }
        Event::InvocationEnded { invocation, outcome } => Line::new(match outcome {
            InvocationOutcome::Completed { content, .. } => {
                format!("{invocation} is completed{}", colon(content))
            }
            InvocationOutcome::Failed { reason } => format!("{invocation} failed{}", colon(reason)),
        })
        .id(invocation),
        Event::ResultSubmitted { result, from, to, content, .. } => {
            Line::new(format!("{result}: {from} has something for {to}{}", colon(content)))
                .id(result)
                .session(*from)
        }
        Event::ResultDelivered { result, session } => {
            Line::new(format!("{result} reached {session}")).id(result).session(*session)
        }
        Event::ChannelCreated { channel, session_a, session_b } => {
            Line::new(format!("{channel} joins {session_a} and {session_b}"))
                .id(channel)
                .session(*session_a)
                .quiet()
        }
        Event::ChannelClosed { channel } => Line::new(format!("{channel} is closed")).id(channel).quiet(),
        Event::DirectMessageSent { message, from, to, content, .. } => {
            Line::new(format!("{message}: {from} says to {to}{}", colon(content))).id(message).session(*from)
        }
        Event::DirectMessageReceived { message } => {
            Line::new(format!("{message} is on its way")).id(message).quiet()
        }
        Event::DirectMessageAcknowledged { message } => {
            Line::new(format!("{message} has arrived")).id(message).quiet()
        }

        Event::PhaseCompletionReported { phase, session, .. } => {
            Line::new(format!("{session} says that phase {phase} is complete"))
                .phase(*phase)
                .session(*session)
        }
        Event::GateOpened { phase, round, .. } => {
            Line::new(format!("phase {phase} is at its gate, round {round}")).phase(*phase)
        }
        Event::GateChecked { phase, report, .. } => {
            let how = if report.passed { "passed" } else { "failed" };
            Line::new(format!("the checks of phase {phase} {how}{}", colon(&report.summary))).phase(*phase)
        }
        Event::GateVerifierStarted { phase, session, .. } => {
            Line::new(format!("a verifier looks at phase {phase} in {session}"))
                .phase(*phase)
                .session(*session)
        }
        Event::GatePassed { phase, .. } => {
            Line::new(format!("phase {phase} passed its checks and waits for approval")).phase(*phase)
        }
        Event::GateApproved { phase, waived, note } => {
            let waived = if *waived { " although its checks failed" } else { "" };
            let note = note.as_deref().map(colon).unwrap_or_default();
            Line::new(format!("phase {phase} is approved{waived}{note}")).phase(*phase)
        }
        Event::GateFailed { phase, reason, tasks, .. } => {
            let again = if tasks.is_empty() { String::new() } else { format!(" (again: {})", list(tasks)) };
            Line::new(format!("phase {phase} did not pass{}{again}", colon(reason))).phase(*phase)
        }

        Event::LoopStarted { feedback_loop, task, tester } => {
            let by = tester.as_ref().map(|tester| format!(" by {tester}")).unwrap_or_default();
            Line::new(format!("{feedback_loop}: {task} is implemented and tested{by} in turns"))
                .id(feedback_loop)
                .task(task)
        }
        Event::LoopRoundFailed { feedback_loop, round, feedback } => {
            let names: Vec<_> = feedback.failures.iter().map(|failure| failure.name.clone()).collect();
            Line::new(format!(
                "{feedback_loop}: round {round} found {} failing: {}",
                names.len(),
                list(&names)
            ))
            .id(feedback_loop)
        }
        Event::LoopEnded { feedback_loop, outcome } => {
            let how = match outcome {
                LoopOutcome::Success => "the tests pass",
                LoopOutcome::Failed => "the task came to another end",
                LoopOutcome::Escalated => "tried too often, escalated",
            };
            Line::new(format!("{feedback_loop} is over: {how}")).id(feedback_loop)
        }

        Event::EscalationRaised { escalation, severity, subject, session, title, .. } => {
            let severity = format!("{severity:?}").to_lowercase();
            let line = Line::new(format!("{escalation} raised ({severity}){}", colon(title))).id(escalation);
            about(if let Some(session) = session { line.session(*session) } else { line }, subject)
        }
        Event::EscalationForwarded { escalation, to, .. } => {
            let to = match to {
                EscalationLevel::Worker => "the worker",
                EscalationLevel::Operator => "the operator",
                EscalationLevel::Orchestrator => "the orchestrator",
                EscalationLevel::Person => "you",
            };
            Line::new(format!("{escalation} goes to {to}")).id(escalation)
        }
        Event::EscalationResolved { escalation, action, note } => {
            let action = action.as_ref().map_or("its cause went away".to_owned(), ToString::to_string);
            Line::new(format!("{escalation} is settled, {action}{}", colon(note))).id(escalation)
        }

        Event::ErrorReported { session, task, error } => {
            let line = Line::new(format!("{session} reports an error{}", colon(&error.message)));
            line.session(*session).maybe_task(task.as_ref())
        }
        Event::UsageReported { session, task, usage } => {
            let line = Line::new(format!("{session} used {} tokens", usage.tokens()));
            line.session(*session).maybe_task(task.as_ref()).quiet()
        }
        Event::BudgetRaised { subject, budget } => {
            about(Line::new(format!("{} may use {budget} now", name(subject))), subject)
        }
        Event::LimitWaived { subject, limit } => {
            let limit = format!("{limit:?}").to_lowercase();
            about(Line::new(format!("the limit {limit} no longer holds for {}", name(subject))), subject)
        }

        Event::CheckpointRequested { checkpoint, task, .. } => {
            Line::new(format!("{checkpoint} of {task} is to be made")).id(checkpoint).task(task).quiet()
        }
        Event::CheckpointFinished { checkpoint, outcome } => match outcome {
            CheckpointOutcome::Made { commit, .. } => {
                Line::new(format!("{checkpoint} is made: {}", short(commit))).id(checkpoint)
            }
            CheckpointOutcome::Failed { error } => {
                Line::new(format!("{checkpoint} could not be made{}", colon(error))).id(checkpoint)
            }
        },
        Event::DiskBudgetExhausted { escalation, task } => {
            Line::new(format!("there is no room for a worktree of {task}: nothing new begins"))
                .task(task)
                .id(escalation)
        }
        Event::OverlapDetected { overlap } => {
            let [first, second] = &overlap.tasks;
            let n_files = count(overlap.n_files);
            Line::new(format!("{first} and {second} both change {}", list_of(&overlap.files, n_files)))
                .task(second)
        }
        Event::OverlapResolved { tasks: [first, second] } => {
            Line::new(format!("{first} and {second} no longer change the same files")).task(second)
        }
        Event::EffectFinished { effect, error } => {
            let which = format!("effect {}.{}", effect.sequence, effect.index);
            match error {
                None => Line::new(format!("{which} is done")).quiet(),
                Some(error) => Line::new(format!("not done{}", colon(error))),
            }
        }

        Event::ChatMessageSent { text, answers } => {
            let line = Line::new(format!("said{}", colon(text)));
            if let Some(question) = answers { line.question(*question) } else { line }
        }
        Event::ChatAnsweredWithStatus { n_done, n_tasks, running, n_running, questions, n_waiting } => {
            let works = match *n_running {
                0 => "nobody is at work".to_owned(),
                n => format!("at work: {}", list_of(running, count(n))),
            };
            let waits = match (*n_waiting, questions.as_slice()) {
                (0, _) => "nothing waits for you".to_owned(),
                (n, []) => format!("{n} in the inbox for you"),
                (n, questions) => format!("waiting for you: {}", list_of(questions, count(n))),
            };
            Line::new(format!(
                "no orchestrator agent is there to answer; {n_done} of {n_tasks} tasks are done; {works}; {waits}. To \
                 reach an agent answer its question, write into its terminal, or retry its task with a hint"
            ))
        }
        Event::ResolveRequested { session, phase } => {
            let line = Line::new(format!("{session} asks what can be done next")).session(*session).quiet();
            if let Some(phase) = phase { line.phase(*phase) } else { line }
        }
        Event::ResolveAnswered { session, line } => {
            Line::new(format!("{session} is told {}", brief(line))).session(*session).quiet()
        }
    }
}

fn are(n_tasks: usize) -> &'static str {
    if n_tasks == 1 { "a task is" } else { "tasks are" }
}

fn wait(reason: &BlockReason) -> String {
    match reason {
        BlockReason::Question { question } => format!("the answer to {question}"),
        BlockReason::Request { request } => format!("what {request} asks for"),
        BlockReason::Invocation { invocation } => format!("the call {invocation}"),
        BlockReason::Approval { phase } => format!("the gate of phase {phase}"),
        BlockReason::RateLimited { .. } => "its agent's limit".to_owned(),
        BlockReason::Escalated { escalation } => format!("somebody to settle {escalation}"),
        BlockReason::Paused { by: Actor::Person(name) } => format!("{name}, who paused it"),
        BlockReason::Paused { by } => format!("{by}, which paused it"),
    }
}

fn fail(failure: &AttemptFailure) -> String {
    match failure {
        AttemptFailure::Reported { reason } => format!("its agent says so{}", colon(reason)),
        AttemptFailure::Exited { exit_status: Some(status) } => {
            format!("its process ended with status {status}")
        }
        AttemptFailure::Exited { exit_status: None } => "a signal ended its process".to_owned(),
        AttemptFailure::Lost { reason } => format!("its process is lost{}", colon(reason)),
        AttemptFailure::Checks => "its checks failed too often".to_owned(),
        AttemptFailure::Merge { reason } => format!("it could not be merged{}", colon(reason)),
        AttemptFailure::Error { message } => format!("it reported an error{}", colon(message)),
        AttemptFailure::MarkedFailed => "it was given up".to_owned(),
    }
}

fn passed(receipt: &Receipt) -> String {
    match receipt.exit_status {
        Some(0) => "passed".to_owned(),
        Some(status) => format!("failed with status {status}"),
        None => "was ended by a signal".to_owned(),
    }
}

fn about(line: Line, subject: &EscalationSubject) -> Line {
    match subject {
        EscalationSubject::Task { task } => line.task(task),
        EscalationSubject::Phase { phase } => line.phase(*phase),
        EscalationSubject::Run => line,
    }
}

fn name(subject: &EscalationSubject) -> String {
    match subject {
        EscalationSubject::Task { task } => task.to_string(),
        EscalationSubject::Phase { phase } => format!("phase {phase}"),
        EscalationSubject::Run => "the run".to_owned(),
    }
}
