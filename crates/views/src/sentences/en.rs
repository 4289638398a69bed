//! Describes every event in one English sentence.
//!
//! No `_`: a new event must be described here.

pub(crate) mod inputs;
pub(crate) mod plan_changes;

use domain::{
    Actor, AttemptFailure, BlockReason, CheckpointOutcome, ClaimSource, CompletionProof, EscalationAction,
    EscalationLevel, EscalationSubject, EscalationType, Event, InvocationOutcome, LoopOutcome, MergeOutcome,
    ParkMode, ProvidedResource, QuestionRoute, Receipt, ReturnReason, RunOutcome,
};

use self::{
    inputs::describe_input,
    plan_changes::{plan_field_name, summarize_plan_changes},
};
use crate::{
    Rows,
    sentence::{
        EventSentence, SentenceContext, after_colon, first_line, join_first_names, join_names, short_commit,
        to_count,
    },
};

/// Describes an event in English. `rows` must already include the event: they have the names of what it refers to.
pub fn describe_event(event: &Event, rows: &Rows, actor: &Actor) -> EventSentence {
    let context = SentenceContext { rows, actor };
    let agent = |session| context.agent(session);
    let by = context.person().map(|name| format!(" by {name}")).unwrap_or_default();
    match event {
        Event::RunStarted { project, work, .. } => {
            let tasks = plural(work.tasks.len(), "task");
            EventSentence::new(format!("Run of {project} started{}, {tasks}", after_colon(&work.title)))
        }
        Event::RunPaused {} => EventSentence::new(format!("Run paused{by}")),
        Event::RunContinued {} => EventSentence::new(format!("Run resumed{by}")),
        Event::RunCancelled {} => EventSentence::new(format!("Run cancelled{by}")),
        Event::RunEnded { outcome, failed, waiting } => EventSentence::new(match outcome {
            RunOutcome::Done => "Run done".to_owned(),
            RunOutcome::Cancelled => "Run ended: cancelled".to_owned(),
            RunOutcome::Failed if waiting.is_empty() => format!("Run failed: {} failed", join_names(failed)),
            RunOutcome::Failed => {
                let unstarted = plural(waiting.len(), "task");
                format!("Run failed: {} failed, {unstarted} never started", join_names(failed))
            }
        }),
        Event::RunReopened {} => EventSentence::new(format!("Run reopened{by}")),

        Event::PhaseStarted { phase, session } => {
            EventSentence::new(format!("Phase {phase} started")).phase(*phase).session(*session)
        }
        Event::PhasePaused { phase } => EventSentence::new(format!("Phase {phase} paused{by}")).phase(*phase),
        Event::PhaseContinued { phase } => {
            EventSentence::new(format!("Phase {phase} resumed{by}")).phase(*phase)
        }
        Event::PhaseCancelled { phase } => {
            EventSentence::new(format!("Phase {phase} cancelled{by}")).phase(*phase)
        }
        Event::PhaseLanded { phase } => EventSentence::new(format!("Phase {phase} merged")).phase(*phase),

        Event::TasksBecameReady { tasks } => match tasks.as_slice() {
            [task] => EventSentence::new(format!("{task} is ready")).task(task),
            tasks => EventSentence::new(format!("Ready to start: {}", join_names(tasks))),
        },
        Event::TaskStarted { task, attempt, agent, session } => {
            let attempt = if *attempt > 1 { format!(", attempt {attempt}") } else { String::new() };
            EventSentence::new(format!("{agent} started {task}{attempt}")).task(task).session(*session)
        }
        Event::TaskResumed { task, session } => {
            EventSentence::new(format!("{} resumed {task}", agent(*session))).task(task).session(*session)
        }
        Event::TaskBlocked { task, reason } => {
            EventSentence::new(format!("{task} is blocked, waiting for {}", awaited(context, reason)))
                .task(task)
        }
        Event::TaskUnblocked { task, reason } => {
            EventSentence::new(format!("{task} is no longer waiting for {}", awaited(context, reason)))
                .task(task)
        }
        Event::TaskClaimed { task, source, .. } => EventSentence::new(match source {
            ClaimSource::DoneMessage => format!("{task} reported done"),
            ClaimSource::TurnEnd => format!("{task} counts as done: its agent ended its turn"),
            ClaimSource::PhaseMarker => format!("{task} reported done together with its phase"),
            ClaimSource::Exit => format!("{task} counts as done: its process exited successfully"),
        })
        .task(task),
        Event::CheckStarted { task, command, .. } => {
            EventSentence::new(format!("Checking {task}{}", after_colon(command))).task(task)
        }
        Event::CheckFinished { task, receipt, .. } => {
            EventSentence::new(format!("{task}: check {}", check_result(receipt))).task(task)
        }
        Event::TestStarted { task, session } => {
            EventSentence::new(format!("{} is testing {task}", agent(*session))).task(task).session(*session)
        }
        Event::TaskReturned { task, reason } => EventSentence::new(match reason {
            ReturnReason::Check => format!("{task} failed its check; its agent continues"),
            ReturnReason::Test => format!("{task} failed its tests; its agent continues"),
            ReturnReason::Conflict => format!("{task} has a merge conflict; its agent is resolving it"),
            ReturnReason::Rework => format!("Changes requested in {task}; its agent continues"),
        })
        .task(task),
        Event::MergeStarted { task, .. } => EventSentence::new(format!("Merging {task}")).task(task),
        Event::MergeFinished { task, outcome, .. } => EventSentence::new(match outcome {
            MergeOutcome::Merged { commit, .. } => format!("{task} merged as {}", short_commit(commit)),
            MergeOutcome::Conflicted { files } => format!("{task} conflicts in {}", join_names(files)),
            MergeOutcome::CheckFailed { receipt } => {
                format!("{task} not merged: its check on the merged files {}", check_result(receipt))
            }
            MergeOutcome::Failed { error } => format!("{task} could not be merged{}", after_colon(error)),
        })
        .task(task),
        Event::TaskDone { task, proof } => {
            let proof = match proof {
                CompletionProof::Checked => "checked",
                CompletionProof::Unchecked => "unchecked",
                CompletionProof::Waived => "check waived",
            };
            EventSentence::new(format!("{task} done, {proof}")).task(task)
        }
        Event::AttemptFailed { task, attempt, failure, counted } => {
            let counted = if *counted { "" } else { " (not counted)" };
            EventSentence::new(format!(
                "Attempt {attempt} of {task} failed{counted}: {}",
                failure_reason(failure)
            ))
            .task(task)
        }
        Event::TaskRetried { task, hint, .. } => {
            let hint = hint.as_deref().map(after_colon).unwrap_or_default();
            EventSentence::new(format!("Retrying {task}{hint}")).task(task)
        }
        Event::TaskFailed { task, failure } => {
            EventSentence::new(format!("{task} failed: {}", failure_reason(failure))).task(task)
        }
        Event::TaskSkipped { task } => EventSentence::new(format!("{task} skipped{by}")).task(task),
        Event::TaskCancelled { task } => EventSentence::new(format!("{task} cancelled{by}")).task(task),
        Event::TaskReopened { task, reason } => {
            EventSentence::new(format!("{task} reopened{}", after_colon(reason))).task(task)
        }
        Event::TaskPrioritized { task, priority } => {
            let priority = format!("{priority:?}").to_lowercase();
            EventSentence::new(format!("Priority of {task} set to {priority}")).task(task)
        }
        Event::TaskMessageSent { task, text } => {
            EventSentence::new(format!("{} to {task}: {text}", context.actor())).task(task)
        }
        Event::TaskReassigned { task, agent } => {
            EventSentence::new(format!("{task} assigned to {agent}")).task(task)
        }
        Event::TaskRewound { task, checkpoint } => EventSentence::new(match checkpoint {
            None => format!("{task} restored to its start"),
            Some(checkpoint) => format!("{task} restored to checkpoint {checkpoint}"),
        })
        .task(task),
        Event::TaskRequested { task, .. } => {
            EventSentence::new(format!("Start of {task} requested{by}")).task(task)
        }
        Event::PlanChangeDetected { offer, changes, problem } => {
            let problem = problem.as_deref().map(|problem| format!("; cannot be applied: {problem}"));
            let problem = problem.unwrap_or_default();
            EventSentence::new(format!("Plan file changed: {}{problem}", summarize_plan_changes(changes)))
                .id(offer)
        }
        Event::PlanChangeWithdrawn { offer, reason } => {
            EventSentence::new(format!("Plan change withdrawn{}", after_colon(reason))).id(offer)
        }
        Event::PlanUnreadable { problem } => {
            EventSentence::new(format!("Plan file cannot be read{}", after_colon(problem)))
        }
        Event::PlanChangeApplied { offer, .. } => EventSentence::new(format!("Plan updated{by}")).id(offer),
        Event::PlanChangeIgnored { offer } => {
            EventSentence::new(format!("Plan change ignored{by}")).id(offer)
        }
        Event::PhaseAdded { phase } => {
            let (number, name) = (phase.number, after_colon(&phase.name));
            EventSentence::new(format!("Phase {number} added to the plan{name}")).phase(number)
        }
        Event::PhaseChanged { phase, after, .. } => EventSentence::new(match after.as_slice() {
            [] => format!("Phase {phase} no longer depends on another phase"),
            [earlier] => format!("Phase {phase} now depends on phase {earlier}"),
            after => format!("Phase {phase} now depends on phases {}", join_names(after)),
        })
        .phase(*phase),
        Event::TaskChanged { task, fields } => {
            let names: Vec<&str> = fields.iter().map(|field| plan_field_name(*field)).collect();
            EventSentence::new(format!("{} changed in the plan: {}", task.id, names.join(", ")))
                .task(&task.id)
        }
        Event::TaskAdded { task, .. } => {
            EventSentence::new(format!("{} added to the plan{}", task.id, after_colon(&task.title)))
                .task(&task.id)
        }
        Event::DependencyAdded { earlier, later } => {
            EventSentence::new(format!("{later} now depends on {earlier}")).task(later)
        }
        Event::DependencyRemoved { earlier, later } => {
            EventSentence::new(format!("{later} no longer depends on {earlier}")).task(later)
        }
        Event::ExternalDependencyMet { name } => {
            EventSentence::new(format!("External dependency available: {name}"))
        }

        Event::SessionOpened { session, role, agent, task, phase, .. } => {
            let name = agent.as_ref().map_or("Jangdan", |agent| agent.as_str());
            let role = format!("{role:?}").to_lowercase();
            let sentence = EventSentence::new(format!("{name} joined as {role}")).session(*session);
            let sentence = sentence.maybe_task(task.as_ref());
            if let Some(phase) = phase { sentence.phase(*phase) } else { sentence }
        }
        Event::SessionActivated { session, .. } => {
            EventSentence::new(format!("{}'s process is running", agent(*session)))
                .session(*session)
                .internal()
        }
        Event::SessionParked { session, mode } => {
            let mode = match mode {
                ParkMode::Hot => "idle",
                ParkMode::Frozen => "suspended",
                ParkMode::Cold => "stopped and resumes on answer",
            };
            EventSentence::new(format!("{} is {mode}", agent(*session))).session(*session)
        }
        Event::SessionWoken { session } => {
            EventSentence::new(format!("{} resumed", agent(*session))).session(*session)
        }
        Event::SessionDismissed { session } => {
            EventSentence::new(format!("{} is asked to exit", agent(*session))).session(*session).internal()
        }
        Event::SessionEnded { session, exit_status } => {
            let agent = agent(*session);
            EventSentence::new(match exit_status {
                Some(0) => format!("{agent}'s process exited"),
                Some(status) => format!("{agent}'s process exited with status {status}"),
                None => format!("{agent}'s process stopped"),
            })
            .session(*session)
        }
        Event::SessionLost { session, reason } => {
            EventSentence::new(format!("{}'s process was lost{}", agent(*session), after_colon(reason)))
                .session(*session)
        }
        Event::InputQueued { session, content, .. } => {
            let input = after_colon(&describe_input(content));
            EventSentence::new(format!("Sent to {}{input}", agent(*session))).session(*session)
        }
        Event::InputSent { session, input } => {
            EventSentence::new(format!("{} received input {input}", agent(*session)))
                .session(*session)
                .internal()
        }
        Event::MessageReceived { session, message, .. } => {
            EventSentence::new(format!("{} sent {}", agent(*session), message.name()))
                .session(*session)
                .internal()
        }
        Event::MessageRejected { session, protocol, error, .. } => {
            let error = after_colon(error);
            EventSentence::new(format!("{} sent an invalid {protocol}{error}", agent(*session)))
                .session(*session)
        }
        Event::NearMissReceived { session, near, raw, .. } => {
            let raw = after_colon(raw);
            EventSentence::new(format!("{} sent an incomplete {near}{raw}", agent(*session)))
                .session(*session)
        }
        Event::TurnEnded { session, text, .. } => {
            EventSentence::new(format!("{} ended its turn{}", agent(*session), after_colon(text)))
                .session(*session)
        }
        Event::TurnInterrupted { session, text, .. } => {
            EventSentence::new(format!("{} was interrupted{}", agent(*session), after_colon(text)))
                .session(*session)
        }

        Event::QuestionAsked { question, session, task, text, .. } => {
            let text = after_colon(text);
            let sentence = EventSentence::new(format!("{} asks {question}{text}", agent(*session)));
            sentence.question(*question).session(*session).maybe_task(task.as_ref())
        }
        Event::QuestionRouted { question, to } => {
            let label = context.question(*question);
            EventSentence::new(match to {
                QuestionRoute::Orchestrator => format!("The orchestrator has {label}"),
                QuestionRoute::Person => format!("{label} is waiting for your answer"),
            })
            .question(*question)
        }
        Event::QuestionForwarded { question, text } => {
            EventSentence::new(format!("{} forwards {question} to you{}", context.actor(), after_colon(text)))
                .question(*question)
        }
        Event::ClarificationRequested { question, text } => {
            let label = context.question(*question);
            EventSentence::new(format!("{} asks about {label}{}", context.actor(), after_colon(text)))
                .question(*question)
        }
        Event::QuestionAnswered { question, answer } => {
            let label = context.question(*question);
            EventSentence::new(format!("{} answered {label}{}", context.actor(), after_colon(answer)))
                .question(*question)
        }
        Event::QuestionDelivered { question, session } => {
            let label = context.question(*question);
            EventSentence::new(format!("{} received the answer to {label}", agent(*session)))
                .question(*question)
                .session(*session)
        }
        Event::QuestionResumed { question } => {
            let label = context.question(*question);
            EventSentence::new(format!("Work continues with the answer to {label}")).question(*question)
        }
        Event::QuestionWithdrawn { question, reason } => {
            let label = context.question(*question);
            EventSentence::new(format!("{label} withdrawn{}", after_colon(reason))).question(*question)
        }
        Event::QuestionExpired { question, default_used } => {
            let label = context.question(*question);
            EventSentence::new(match default_used {
                Some(default) => format!("{label} expired, default used{}", after_colon(default)),
                None => format!("{label} expired without an answer"),
            })
            .question(*question)
        }
        Event::ManyQuestionsAsked { agent, phase, count } => {
            EventSentence::new(format!("{agent} asked {count} questions in phase {phase}")).phase(*phase)
        }
        Event::PermissionDecided { session, request, allowed, rule } => {
            let may = if *allowed { "may" } else { "may not" };
            let (action, subject) = (request.kind.pattern_name(), first_line(&request.subject));
            EventSentence::new(format!("{} {may} {action} {subject} ({rule})", agent(*session)))
                .session(*session)
                .internal()
        }
        Event::PermissionRuleSaved { task, pattern, allowed, .. } => {
            let rule = if *allowed { "Always allowed" } else { "Always denied" };
            EventSentence::new(format!("{rule}: {pattern}")).maybe_task(task.as_ref())
        }

        Event::RequestMade { request, session, task, dependency, .. } => {
            let (name, purpose) = (&dependency.name, after_colon(&dependency.description));
            let sentence =
                EventSentence::new(format!("{} requests {name} ({request}){purpose}", agent(*session)));
            sentence.id(request).session(*session).maybe_task(task.as_ref())
        }
        Event::RequestProvided { request, provided, default } => {
            let resource = match provided {
                ProvidedResource::Environment { names } => join_names(names),
                ProvidedResource::File { path } => path.clone(),
                ProvidedResource::Permission { granted: true } => "granted".to_owned(),
                ProvidedResource::Permission { granted: false } => "not granted".to_owned(),
                ProvidedResource::Package { name, .. } => name.clone(),
            };
            let default = if *default { " (the agent's default)" } else { "" };
            EventSentence::new(format!("{} provided: {resource}{default}", context.request(*request)))
                .id(request)
        }
        Event::RequestRefused { request, reason } => {
            EventSentence::new(format!("{} refused{}", context.request(*request), after_colon(reason)))
                .id(request)
        }
        Event::RequestSkipped { request } => {
            EventSentence::new(format!("Continuing without {}", context.request(*request))).id(request)
        }
        Event::RequestDelivered { request, session } => {
            let label = context.request(*request);
            EventSentence::new(format!("{} was informed about {label}", agent(*session)))
                .id(request)
                .session(*session)
                .internal()
        }

        Event::InvocationMade { invocation, caller, callee, task, .. } => {
            EventSentence::new(format!("{} calls {callee}{}", agent(*caller), after_colon(task)))
                .id(invocation)
                .session(*caller)
        }
        Event::InvocationStarted { invocation, session } => {
            let (caller, callee) = context.call_parties(*invocation);
            EventSentence::new(format!("{callee} started work for {caller}")).id(invocation).session(*session)
        }
        Event::InvocationEnded { invocation, outcome } => {
            let (caller, callee) = context.call_parties(*invocation);
            EventSentence::new(match outcome {
                InvocationOutcome::Completed { content, .. } => {
                    format!("{callee} finished its work for {caller}{}", after_colon(content))
                }
                InvocationOutcome::Failed { reason } => {
                    format!("{callee} failed to do its work for {caller}{}", after_colon(reason))
                }
            })
            .id(invocation)
        }
        Event::ResultSubmitted { result, from, to, content, .. } => {
            EventSentence::new(format!("Result from {} for {to}{}", agent(*from), after_colon(content)))
                .id(result)
                .session(*from)
        }
        Event::ResultDelivered { result, session } => {
            let sender = context.result_sender(*result);
            EventSentence::new(format!("{} received the result from {sender}", agent(*session)))
                .id(result)
                .session(*session)
        }
        Event::ChannelCreated { channel, session_a, session_b } => {
            let (first, second) = (agent(*session_a), agent(*session_b));
            EventSentence::new(format!("Channel {channel} between {first} and {second} opened"))
                .id(channel)
                .session(*session_a)
                .internal()
        }
        Event::ChannelClosed { channel } => {
            EventSentence::new(format!("Channel {channel} closed")).id(channel).internal()
        }
        Event::DirectMessageSent { message, from, to, content, .. } => {
            let (from_agent, to_agent) = (agent(*from), agent(*to));
            EventSentence::new(format!("{from_agent} to {to_agent}{}", after_colon(content)))
                .id(message)
                .session(*from)
        }
        Event::DirectMessageReceived { message } => {
            EventSentence::new(format!("Delivering message {message}")).id(message).internal()
        }
        Event::DirectMessageAcknowledged { message } => {
            EventSentence::new(format!("Message {message} delivered")).id(message).internal()
        }

        Event::PhaseCompletionReported { phase, session, .. } => {
            EventSentence::new(format!("{} reported phase {phase} complete", agent(*session)))
                .phase(*phase)
                .session(*session)
        }
        Event::GateOpened { phase, round, .. } => {
            let round = if *round > 1 { format!(", round {round}") } else { String::new() };
            EventSentence::new(format!("Phase {phase} reached its gate{round}")).phase(*phase)
        }
        Event::GateChecked { phase, report, .. } => {
            let result = if report.passed { "passed" } else { "failed" };
            let summary = after_colon(&report.summary);
            EventSentence::new(format!("Checks of phase {phase} {result}{summary}")).phase(*phase)
        }
        Event::GateVerifierStarted { phase, session, .. } => {
            EventSentence::new(format!("{} is verifying phase {phase}", agent(*session)))
                .phase(*phase)
                .session(*session)
        }
        Event::GatePassed { phase, .. } => {
            EventSentence::new(format!("Phase {phase} passed its checks and needs approval")).phase(*phase)
        }
        Event::GateApproved { phase, waived, note } => {
            let waived = if *waived { " despite failed checks" } else { "" };
            let note = note.as_deref().map(after_colon).unwrap_or_default();
            EventSentence::new(format!("Phase {phase} approved{by}{waived}{note}")).phase(*phase)
        }
        Event::GateFailed { phase, reason, tasks, .. } => {
            let tasks =
                if tasks.is_empty() { String::new() } else { format!(" (to redo: {})", join_names(tasks)) };
            EventSentence::new(format!("Phase {phase} needs changes{}{tasks}", after_colon(reason)))
                .phase(*phase)
        }

        Event::LoopStarted { feedback_loop, task, tester } => {
            let tester = tester.as_ref().map(|tester| format!(" by {tester}")).unwrap_or_default();
            EventSentence::new(format!("{task} is tested{tester} until its tests pass"))
                .id(feedback_loop)
                .task(task)
        }
        Event::LoopRoundFailed { feedback_loop, round, feedback } => {
            let names: Vec<_> = feedback.failures.iter().map(|failure| failure.name.clone()).collect();
            let (task, failures) = (context.loop_task(*feedback_loop), plural(names.len(), "failure"));
            EventSentence::new(format!(
                "{task}: {failures} in test round {round}{}",
                after_colon(&join_names(&names))
            ))
            .id(feedback_loop)
        }
        Event::LoopEnded { feedback_loop, outcome } => {
            let result = match outcome {
                LoopOutcome::Success => "tests passed",
                LoopOutcome::Failed => "testing ended without a result",
                LoopOutcome::Escalated => "tests failed too often",
            };
            EventSentence::new(format!("{}: {result}", context.loop_task(*feedback_loop))).id(feedback_loop)
        }

        Event::EscalationRaised { escalation, severity, subject, session, title, .. } => {
            let severity = format!("{severity:?}").to_lowercase();
            let text = format!("Problem {escalation}, severity {severity}{}", after_colon(title));
            let sentence = EventSentence::new(text).id(escalation);
            let sentence = if let Some(session) = session { sentence.session(*session) } else { sentence };
            with_subject(sentence, subject)
        }
        Event::EscalationForwarded { escalation, to, .. } => {
            let subject = context.escalation_subject(*escalation);
            let level = match to {
                EscalationLevel::Worker => "its agent",
                EscalationLevel::Operator => "the operator",
                EscalationLevel::Orchestrator => "the orchestrator",
                EscalationLevel::Person => "you",
            };
            let subject = capitalized(&subject_name(&subject));
            EventSentence::new(match to {
                EscalationLevel::Person => format!("{subject} needs your decision"),
                EscalationLevel::Worker | EscalationLevel::Operator | EscalationLevel::Orchestrator => {
                    format!("{subject} needs a decision by {level}")
                }
            })
            .id(escalation)
        }
        Event::EscalationResolved { escalation, action, note } => {
            let subject = subject_name(&context.escalation_subject(*escalation));
            let title = context.escalation(*escalation).map(|row| row.title.clone()).unwrap_or_default();
            let text = match action {
                None => format!("Problem {escalation} disappeared{}", after_colon(&title)),
                Some(action) => format!("{} {}", context.actor(), decision(action, &subject, &title)),
            };
            // The name of the action alone adds nothing.
            let is_action = action.as_ref().is_some_and(|action| action.to_string() == note.trim());
            let note = if is_action { String::new() } else { after_colon(note) };
            EventSentence::new(format!("{text}{note}")).id(escalation)
        }

        Event::ErrorReported { session, task, error } => {
            let message = after_colon(&error.message);
            let sentence = EventSentence::new(format!("{} reported an error{message}", agent(*session)));
            sentence.session(*session).maybe_task(task.as_ref())
        }
        Event::UsageReported { session, task, usage } => {
            let sentence = EventSentence::new(format!("{} used {} tokens", agent(*session), usage.tokens()));
            sentence.session(*session).maybe_task(task.as_ref()).internal()
        }
        Event::BudgetRaised { subject, budget } => {
            let text = format!("Budget of {} raised to {budget}", subject_name(subject));
            with_subject(EventSentence::new(text), subject)
        }
        Event::LimitWaived { subject, limit } => {
            let text = format!("{} for {} waived", limit_name(*limit), subject_name(subject));
            with_subject(EventSentence::new(text), subject)
        }

        Event::CheckpointRequested { checkpoint, task, .. } => {
            EventSentence::new(format!("Creating checkpoint {checkpoint} of {task}"))
                .id(checkpoint)
                .task(task)
                .internal()
        }
        Event::CheckpointFinished { checkpoint, outcome } => {
            let task = context.checkpoint_task(*checkpoint).map(|task| format!(" of {task}"));
            let task = task.unwrap_or_default();
            match outcome {
                CheckpointOutcome::Made { commit, .. } => {
                    let commit = short_commit(commit);
                    EventSentence::new(format!("Checkpoint {checkpoint}{task} created: {commit}"))
                        .id(checkpoint)
                        .internal()
                }
                CheckpointOutcome::Failed { error } => {
                    let error = after_colon(error);
                    EventSentence::new(format!("Checkpoint {checkpoint}{task} could not be created{error}"))
                        .id(checkpoint)
                }
            }
        }
        Event::DiskBudgetExhausted { escalation, task } => {
            let text = format!("Disk budget reached: no worktree for {task}, and no new task starts");
            EventSentence::new(text).task(task).id(escalation)
        }
        Event::OverlapDetected { overlap } => {
            let [first, second] = &overlap.tasks;
            let files = join_first_names(&overlap.files, to_count(overlap.n_files));
            EventSentence::new(format!("{first} and {second} both change {files}")).task(second)
        }
        Event::OverlapResolved { tasks: [first, second] } => {
            EventSentence::new(format!("{first} and {second} no longer change the same files")).task(second)
        }
        Event::EffectFinished { effect, error } => match error {
            None => {
                EventSentence::new(format!("Effect {}.{} finished", effect.sequence, effect.index)).internal()
            }
            Some(error) => EventSentence::new(format!("An internal step failed{}", after_colon(error))),
        },

        Event::ChatMessageSent { text, answers } => {
            let sentence = EventSentence::new(format!("{}{}", context.actor(), after_colon(text)));
            if let Some(question) = answers { sentence.question(*question) } else { sentence }
        }
        Event::ChatAnsweredWithStatus { n_done, n_tasks, running, n_running, questions, n_waiting } => {
            let running = match *n_running {
                0 => "No agent is working".to_owned(),
                n => format!("Running: {}", join_first_names(running, to_count(n))),
            };
            let waiting = match (*n_waiting, questions.as_slice()) {
                (0, _) => "Nothing is waiting for you".to_owned(),
                (n, []) => format!("{n} in your inbox"),
                (n, questions) => format!("Waiting for you: {}", join_first_names(questions, to_count(n))),
            };
            EventSentence::new(format!(
                "No orchestrator agent is running to answer. {n_done} of {n_tasks} tasks are done. \
                 {running}. {waiting}. To reach an agent, answer its question, write in its terminal, or retry its \
                 task with a hint."
            ))
        }
        Event::ResolveRequested { session, phase } => {
            let text = format!("{} asks for its next task", agent(*session));
            let sentence = EventSentence::new(text).session(*session).internal();
            if let Some(phase) = phase { sentence.phase(*phase) } else { sentence }
        }
        Event::ResolveAnswered { session, line } => {
            EventSentence::new(format!("Replied to {}: {}", agent(*session), first_line(line)))
                .session(*session)
                .internal()
        }
    }
}

fn plural(n: usize, noun: &str) -> String {
    if n == 1 { format!("1 {noun}") } else { format!("{n} {noun}s") }
}

fn capitalized(text: &str) -> String {
    let mut chars = text.chars();
    chars.next().map(|first| first.to_uppercase().chain(chars).collect()).unwrap_or_default()
}

fn awaited(context: SentenceContext<'_>, reason: &BlockReason) -> String {
    match reason {
        BlockReason::Question { question } => format!("the answer to {}", context.question(*question)),
        BlockReason::Request { request } => context.request(*request),
        BlockReason::Invocation { invocation } => context.call_parties(*invocation).1,
        BlockReason::Approval { phase } => format!("the approval of phase {phase}"),
        BlockReason::RateLimited { .. } => "its rate limit to reset".to_owned(),
        BlockReason::Escalated { escalation } => {
            let title = context.escalation(*escalation).map(|row| format!(" ({})", first_line(&row.title)));
            format!("a decision on {escalation}{}", title.unwrap_or_default())
        }
        BlockReason::Paused { by: Actor::Person(name) } => format!("{name}, who paused it"),
        BlockReason::Paused { .. } => "the end of the pause".to_owned(),
    }
}

fn failure_reason(failure: &AttemptFailure) -> String {
    match failure {
        AttemptFailure::Reported { reason } => format!("its agent reported a failure{}", after_colon(reason)),
        AttemptFailure::Exited { exit_status: Some(status) } => {
            format!("its process exited with status {status}")
        }
        AttemptFailure::Exited { exit_status: None } => "its process was killed by a signal".to_owned(),
        AttemptFailure::Lost { reason } => format!("its process was lost{}", after_colon(reason)),
        AttemptFailure::Checks => "its checks failed too often".to_owned(),
        AttemptFailure::Merge { reason } => format!("it could not be merged{}", after_colon(reason)),
        AttemptFailure::Error { message } => format!("its agent reported an error{}", after_colon(message)),
        AttemptFailure::MarkedFailed => "marked as failed".to_owned(),
    }
}

fn check_result(receipt: &Receipt) -> String {
    match receipt.exit_status {
        Some(0) => "passed".to_owned(),
        Some(status) => format!("failed with exit status {status}"),
        None => "was killed by a signal".to_owned(),
    }
}

/// Completes "ana …" with the decision on a problem.
fn decision(action: &EscalationAction, subject: &str, title: &str) -> String {
    match action {
        EscalationAction::Retry { .. } => format!("retried {subject}"),
        EscalationAction::Reassign { agent } => format!("reassigned {subject} to {agent}"),
        EscalationAction::Skip => format!("skipped {subject}"),
        EscalationAction::Waive => format!("accepted {subject} despite its check"),
        EscalationAction::RaiseBudget { budget } => format!("raised the budget of {subject} to {budget}"),
        EscalationAction::MarkFailed => format!("marked {subject} as failed"),
        EscalationAction::Dismiss => format!("dismissed the problem{}", after_colon(title)),
    }
}

fn limit_name(limit: EscalationType) -> &'static str {
    match limit {
        EscalationType::General => "Limit",
        EscalationType::Blocked => "Blocking limit",
        EscalationType::Decision => "Decision",
        EscalationType::TestFailure => "Test limit",
        EscalationType::TokenExhausted => "Token limit",
        EscalationType::Timeout => "Time limit",
        EscalationType::Conflict => "Conflict limit",
        EscalationType::Dependency => "Dependency",
        EscalationType::Quality => "Gate limit",
        EscalationType::Protocol => "Protocol limit",
    }
}

fn with_subject(sentence: EventSentence, subject: &EscalationSubject) -> EventSentence {
    match subject {
        EscalationSubject::Task { task } => sentence.task(task),
        EscalationSubject::Phase { phase } => sentence.phase(*phase),
        EscalationSubject::Run => sentence,
    }
}

fn subject_name(subject: &EscalationSubject) -> String {
    match subject {
        EscalationSubject::Task { task } => task.to_string(),
        EscalationSubject::Phase { phase } => format!("phase {phase}"),
        EscalationSubject::Run => "the run".to_owned(),
    }
}
