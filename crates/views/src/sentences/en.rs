//! Describes every event in one English sentence.
//!
//! No `_`: a new event must be described here.

pub(crate) mod inputs;
pub(crate) mod plan_changes;

use domain::{
    Actor, AgentInvocationOutcome, AttemptFailure, BlockReason, CheckpointOutcome, ClaimEvidence,
    ClaimSource, EscalationAction, EscalationLevel, EscalationSubject, EscalationType, Event,
    FeedbackLoopOutcome, Locale, MergeOutcome, ParkMode, PostponementCause, ProvidedResource, QuestionRoute,
    Receipt, RunOutcome, TaskReturnReason, WorkChange, events, without_key_marks,
};

use self::{
    inputs::describe_input,
    plan_changes::{plan_field_name, summarize_plan_changes},
};
use crate::{
    Rows,
    sentence::{
        EventSentence, SentenceContext, first_line, is_action_name, join_leading_names, join_names_of_total,
        prefix_with_colon, retry_hint, short_commit, to_usize,
    },
    sentences::{
        describe_proof,
        landing::{cleanup_result, landing_result},
    },
};

/// Describes an event in English. `rows` must already include the event: they have the names of what it refers to.
pub fn describe_event(event: &Event, rows: &Rows, actor: &Actor) -> EventSentence {
    let context = SentenceContext { rows, actor };
    let agent = |session| context.agent(session);
    let by = context.acting_user().map(|name| format!(" by {name}")).unwrap_or_default();
    match event {
        Event::RunStarted(events::RunStarted { project, work, .. }) => {
            let tasks = plural(work.tasks.len(), "task");
            EventSentence::new(format!("Run of {project} started{}, {tasks}", prefix_with_colon(&work.title)))
        }
        Event::RunPaused(events::RunPaused {}) => EventSentence::new(format!("Run paused{by}")),
        Event::RunContinued(events::RunContinued {}) => EventSentence::new(format!("Run resumed{by}")),
        Event::RunCancelled(events::RunCancelled {}) => EventSentence::new(format!("Run cancelled{by}")),
        Event::RunEnded(events::RunEnded { outcome, failed, waiting }) => EventSentence::new(match outcome {
            RunOutcome::Done => match rows.run.get(&()).map_or(0, |run| to_usize(run.tasks.skipped)) {
                0 => "Run done".to_owned(),
                n_skipped => format!("Run done, {} skipped", plural(n_skipped, "task")),
            },
            RunOutcome::Cancelled => "Run ended: cancelled".to_owned(),
            RunOutcome::Failed if waiting.is_empty() => {
                format!("Run failed: {} failed", join_leading_names(failed))
            }
            RunOutcome::Failed => {
                let unstarted = plural(waiting.len(), "task");
                format!("Run failed: {} failed, {unstarted} never started", join_leading_names(failed))
            }
        }),
        Event::RunReopened(events::RunReopened {}) => EventSentence::new(format!("Run reopened{by}")),

        Event::PhaseStarted(events::PhaseStarted { phase, session }) => {
            EventSentence::new(format!("Phase {phase} started")).with_phase(*phase).with_session(*session)
        }
        Event::PhasePaused(events::PhasePaused { phase }) => {
            EventSentence::new(format!("Phase {phase} paused{by}")).with_phase(*phase)
        }
        Event::PhaseContinued(events::PhaseContinued { phase }) => {
            EventSentence::new(format!("Phase {phase} resumed{by}")).with_phase(*phase)
        }
        Event::PhaseCancelled(events::PhaseCancelled { phase }) => {
            EventSentence::new(format!("Phase {phase} cancelled{by}")).with_phase(*phase)
        }
        Event::PhaseLanded(events::PhaseLanded { phase }) => {
            EventSentence::new(format!("Phase {phase} merged")).with_phase(*phase)
        }

        Event::LandingRequested(events::LandingRequested { landing, into, .. }) => {
            let target = into.as_ref().map(|branch| format!(" into {branch}")).unwrap_or_default();
            EventSentence::new(format!("Merging the work of the run{target} started{by}")).with_id(landing)
        }
        Event::LandingFinished(events::LandingFinished { landing, report }) => {
            EventSentence::new(landing_result(Locale::En, report)).with_id(landing)
        }
        Event::CleanupRequested(events::CleanupRequested { cleanup, .. }) => {
            EventSentence::new(format!("Deleting finished worktrees started{by}"))
                .with_id(cleanup)
                .mark_internal()
        }
        Event::CleanupFinished(events::CleanupFinished { cleanup, report, error }) => {
            EventSentence::new(cleanup_result(Locale::En, report, error.as_deref())).with_id(cleanup)
        }

        Event::TasksBecameReady(events::TasksBecameReady { tasks }) => match tasks.as_slice() {
            [task] => EventSentence::new(format!("{task} is ready")).with_task(task),
            tasks => EventSentence::new(format!("Ready to start: {}", join_leading_names(tasks))),
        },
        Event::TaskStarted(events::TaskStarted { task, attempt, agent, session }) => {
            let attempt = if *attempt > 1 { format!(", attempt {attempt}") } else { String::new() };
            EventSentence::new(format!("{agent} started {task}{attempt}"))
                .with_task(task)
                .with_session(*session)
        }
        Event::TaskResumed(events::TaskResumed { task, session }) => {
            EventSentence::new(format!("{} resumed {task}", agent(*session)))
                .with_task(task)
                .with_session(*session)
        }
        Event::TaskBlocked(events::TaskBlocked { task, reason }) => {
            EventSentence::new(format!("{task} is blocked, waiting for {}", awaited_item(context, reason)))
                .with_task(task)
        }
        Event::TaskUnblocked(events::TaskUnblocked { task, reason }) => {
            EventSentence::new(format!("{task} is no longer waiting for {}", awaited_item(context, reason)))
                .with_task(task)
        }
        Event::TaskClaimed(events::TaskClaimed { task, source, reason, .. }) => {
            EventSentence::new(match source {
                ClaimSource::DoneMessage => format!(
                    "{task} reported done{}",
                    prefix_with_colon(reason.as_deref().unwrap_or_default())
                ),
                ClaimSource::TurnEnd => format!("{task} counts as done: its agent ended its turn"),
                ClaimSource::PhaseMarker => format!("{task} reported done together with its phase"),
                ClaimSource::Exit => format!("{task} counts as done: its process exited successfully"),
            })
            .with_task(task)
        }
        Event::ClaimAccepted(events::ClaimAccepted { task, evidence, change, is_claimed }) => {
            let evidence = match (is_claimed, evidence, change) {
                (false, _, _) => "not reported as done, but its files have changed",
                (true, ClaimEvidence::Change, _) => "its files have changed",
                (true, ClaimEvidence::Result, _) => "it delivered a result",
                (true, ClaimEvidence::NotRequired, _) => "its agent says so",
                (true, ClaimEvidence::Reason, WorkChange::Unknown) => "its agent gave a reason",
                (true, ClaimEvidence::Reason, WorkChange::SameAsLastRound) => {
                    "no changes since the last round, its agent gave a reason"
                }
                (true, ClaimEvidence::Reason, WorkChange::Unchanged | WorkChange::Changed) => {
                    "no changes, its agent gave a reason"
                }
            };
            EventSentence::new(format!("{task}: {evidence}")).with_task(task)
        }
        Event::EvidenceRequested(events::EvidenceRequested { task, missing }) => {
            let missing: Vec<String> = missing.iter().map(ToString::to_string).collect();
            EventSentence::new(format!("{task} is not done yet: {}", missing.join(" "))).with_task(task)
        }
        Event::CommandExecuted(events::CommandExecuted { command, origin }) => {
            EventSentence::new(format!("{command} came from: {origin}")).mark_internal()
        }
        Event::ClockJumped(events::ClockJumped { by_ms }) => {
            let seconds = by_ms / 1000;
            EventSentence::new(format!("The clock jumped by {seconds} s: time limits move with it"))
        }
        Event::TurnWaitExpired(events::TurnWaitExpired { task }) => {
            EventSentence::new(format!("{task} continues: the turn of its agent did not end in time"))
                .with_task(task)
        }
        Event::CheckStarted(events::CheckStarted { task, command, .. }) => {
            EventSentence::new(format!("Checking {task}{}", prefix_with_colon(command))).with_task(task)
        }
        Event::CheckFinished(events::CheckFinished { task, receipt, .. }) => {
            EventSentence::new(format!("{task}: check {}", check_result(receipt))).with_task(task)
        }
        Event::TestStarted(events::TestStarted { task, session }) => {
            EventSentence::new(format!("{} is testing {task}", agent(*session)))
                .with_task(task)
                .with_session(*session)
        }
        Event::TaskReturned(events::TaskReturned { task, reason }) => EventSentence::new(match reason {
            TaskReturnReason::Check => format!("{task} failed its check; its agent continues"),
            TaskReturnReason::Test => format!("{task} failed its tests; its agent continues"),
            TaskReturnReason::Conflict => format!("{task} has a merge conflict; its agent is resolving it"),
            TaskReturnReason::Rework => format!("Changes requested in {task}; its agent continues"),
        })
        .with_task(task),
        Event::MergeStarted(events::MergeStarted { task, .. }) => {
            EventSentence::new(format!("Merging {task}")).with_task(task)
        }
        Event::MergeFinished(events::MergeFinished { task, outcome, .. }) => {
            EventSentence::new(match outcome {
                MergeOutcome::Merged { commit, .. } => format!("{task} merged as {}", short_commit(commit)),
                MergeOutcome::Conflicted { files } => {
                    format!("{task} conflicts in {}", join_leading_names(files))
                }
                MergeOutcome::CheckFailed { receipt } => {
                    format!("{task} not merged: its check on the merged files {}", check_result(receipt))
                }
                MergeOutcome::Failed { error } => {
                    format!("{task} could not be merged{}", prefix_with_colon(error))
                }
            })
            .with_task(task)
        }
        Event::TaskDone(events::TaskDone { task, proof }) => {
            let proof = describe_proof(Locale::En, rows, task, *proof);
            EventSentence::new(format!("{task} done, {proof}")).with_task(task)
        }
        Event::AttemptFailed(events::AttemptFailed { task, attempt, failure, counted }) => {
            let counted = if *counted { "" } else { " (not counted)" };
            EventSentence::new(format!(
                "Attempt {attempt} of {task} failed{counted}: {}",
                failure_reason(failure)
            ))
            .with_task(task)
        }
        Event::TaskRetried(events::TaskRetried { task, hint, .. }) => {
            let hint = retry_hint(hint.as_deref()).map(prefix_with_colon).unwrap_or_default();
            EventSentence::new(format!("Retrying {task}{hint}")).with_task(task)
        }
        Event::TaskFailed(events::TaskFailed { task, failure }) => {
            EventSentence::new(format!("{task} failed: {}", failure_reason(failure))).with_task(task)
        }
        Event::TaskSkipped(events::TaskSkipped { task }) => {
            EventSentence::new(format!("{task} skipped{by}")).with_task(task)
        }
        Event::TaskCancelled(events::TaskCancelled { task }) => {
            EventSentence::new(format!("{task} cancelled{by}")).with_task(task)
        }
        Event::TaskReopened(events::TaskReopened { task, reason }) => {
            EventSentence::new(format!("{task} reopened{}", prefix_with_colon(reason))).with_task(task)
        }
        Event::TaskPrioritized(events::TaskPrioritized { task, priority }) => {
            let priority = format!("{priority:?}").to_lowercase();
            EventSentence::new(format!("Priority of {task} set to {priority}")).with_task(task)
        }
        Event::TaskMessageSent(events::TaskMessageSent { task, text }) => {
            EventSentence::new(format!("{} to {task}: {text}", context.acting_party_name())).with_task(task)
        }
        Event::TaskReassigned(events::TaskReassigned { task, agent }) => {
            EventSentence::new(format!("{task} assigned to {agent}")).with_task(task)
        }
        Event::TaskRewound(events::TaskRewound { task, checkpoint }) => {
            EventSentence::new(match checkpoint {
                None => format!("{task} restored to its start"),
                Some(checkpoint) => format!("{task} restored to checkpoint {checkpoint}"),
            })
            .with_task(task)
        }
        Event::TaskRequested(events::TaskRequested { task, .. }) => {
            EventSentence::new(format!("Start of {task} requested{by}")).with_task(task)
        }
        Event::PlanChangeDetected(events::PlanChangeDetected { offer, changes, problem }) => {
            let problem = problem.as_deref().map(|problem| format!("; cannot be applied: {problem}"));
            let problem = problem.unwrap_or_default();
            EventSentence::new(format!("Plan file changed: {}{problem}", summarize_plan_changes(changes)))
                .with_id(offer)
        }
        Event::PlanChangeWithdrawn(events::PlanChangeWithdrawn { offer, reason }) => {
            EventSentence::new(format!("Plan change withdrawn{}", prefix_with_colon(reason))).with_id(offer)
        }
        Event::PlanUnreadable(events::PlanUnreadable { problem }) => {
            EventSentence::new(format!("Plan file cannot be read{}", prefix_with_colon(problem)))
        }
        Event::PlanChangeApplied(events::PlanChangeApplied { offer, .. }) => {
            EventSentence::new(format!("Plan updated{by}")).with_id(offer)
        }
        Event::PlanChangeIgnored(events::PlanChangeIgnored { offer }) => {
            EventSentence::new(format!("Plan change ignored{by}")).with_id(offer)
        }
        Event::PhaseAdded(events::PhaseAdded { phase }) => {
            let (number, name) = (phase.number, prefix_with_colon(&phase.name));
            EventSentence::new(format!("Phase {number} added to the plan{name}")).with_phase(number)
        }
        Event::PhaseChanged(events::PhaseChanged { phase, after, .. }) => {
            EventSentence::new(match after.as_slice() {
                [] => format!("Phase {phase} no longer depends on another phase"),
                [earlier] => format!("Phase {phase} now depends on phase {earlier}"),
                after => format!("Phase {phase} now depends on phases {}", join_leading_names(after)),
            })
            .with_phase(*phase)
        }
        Event::TaskChanged(events::TaskChanged { task, fields }) => {
            let names: Vec<&str> = fields.iter().map(|field| plan_field_name(*field)).collect();
            EventSentence::new(format!("{} changed in the plan: {}", task.id, names.join(", ")))
                .with_task(&task.id)
        }
        Event::TaskAdded(events::TaskAdded { task, .. }) => {
            EventSentence::new(format!("{} added to the plan{}", task.id, prefix_with_colon(&task.title)))
                .with_task(&task.id)
        }
        Event::DependencyAdded(events::DependencyAdded { earlier, later }) => {
            EventSentence::new(format!("{later} now depends on {earlier}")).with_task(later)
        }
        Event::DependencyRemoved(events::DependencyRemoved { earlier, later }) => {
            EventSentence::new(format!("{later} no longer depends on {earlier}")).with_task(later)
        }
        Event::ExternalDependencyMet(events::ExternalDependencyMet { name }) => {
            EventSentence::new(format!("External dependency available: {name}"))
        }

        Event::SessionOpened(events::SessionOpened { session, role, agent, task, phase, .. }) => {
            let name = agent.as_ref().map_or("Jangdan", |agent| agent.as_str());
            let role = format!("{role:?}").to_lowercase();
            let sentence = EventSentence::new(format!("{name} joined as {role}")).with_session(*session);
            let sentence = sentence.with_optional_task(task.as_ref());
            if let Some(phase) = phase { sentence.with_phase(*phase) } else { sentence }
        }
        Event::SessionActivated(events::SessionActivated { session, .. }) => {
            EventSentence::new(format!("{}'s process is running", agent(*session)))
                .with_session(*session)
                .mark_internal()
        }
        Event::SessionParked(events::SessionParked { session, mode }) => {
            let mode = match mode {
                ParkMode::Hot => "idle",
                ParkMode::Frozen => "suspended",
                ParkMode::Cold => "stopped and resumes on answer",
            };
            EventSentence::new(format!("{} is {mode}", agent(*session))).with_session(*session)
        }
        Event::SessionWoken(events::SessionWoken { session }) => {
            EventSentence::new(format!("{} resumed", agent(*session))).with_session(*session)
        }
        Event::SessionDismissed(events::SessionDismissed { session }) => {
            EventSentence::new(format!("{} is asked to exit", agent(*session)))
                .with_session(*session)
                .mark_internal()
        }
        Event::SessionStopRequested(events::SessionStopRequested { session }) => {
            EventSentence::new(format!("{}'s process is being stopped{by}", agent(*session)))
                .with_session(*session)
        }
        Event::SessionStopFinished(events::SessionStopFinished { session, error }) => match error {
            None => EventSentence::new(format!("{}'s process was told to end", agent(*session)))
                .with_session(*session)
                .mark_internal(),
            Some(error) => {
                let error = prefix_with_colon(error);
                EventSentence::new(format!("{}'s process could not be stopped{error}", agent(*session)))
                    .with_session(*session)
            }
        },
        Event::KeysTyped(events::KeysTyped { session, bytes }) => {
            let who = context.acting_party_name();
            let text = format!("{who} typed {bytes} bytes into {}'s terminal", agent(*session));
            EventSentence::new(text).with_session(*session)
        }
        Event::SessionEnded(events::SessionEnded { session, exit_status }) => {
            let agent = agent(*session);
            EventSentence::new(match exit_status {
                Some(0) => format!("{agent}'s process exited"),
                Some(status) => format!("{agent}'s process exited with status {status}"),
                None => format!("{agent}'s process stopped"),
            })
            .with_session(*session)
        }
        Event::SessionLost(events::SessionLost { session, reason }) => {
            EventSentence::new(format!("{}'s process was lost{}", agent(*session), prefix_with_colon(reason)))
                .with_session(*session)
        }
        Event::InputQueued(events::InputQueued { session, content, .. }) => {
            let input = prefix_with_colon(&describe_input(content));
            EventSentence::new(format!("Sent to {}{input}", agent(*session))).with_session(*session)
        }
        Event::InputSent(events::InputSent { session, input, .. }) => {
            EventSentence::new(format!("{} received input {input}", agent(*session)))
                .with_session(*session)
                .mark_internal()
        }
        Event::MessageReceived(events::MessageReceived { session, message, .. }) => {
            EventSentence::new(format!("{} sent {}", agent(*session), message.name()))
                .with_session(*session)
                .mark_internal()
        }
        Event::MessageRejected(events::MessageRejected { session, protocol, error, .. }) => {
            let error = prefix_with_colon(error);
            EventSentence::new(format!("{} sent an invalid {protocol}{error}", agent(*session)))
                .with_session(*session)
        }
        Event::NearMissReceived(events::NearMissReceived { session, near, raw, .. }) => {
            let raw = prefix_with_colon(raw);
            EventSentence::new(format!("{} sent an incomplete {near}{raw}", agent(*session)))
                .with_session(*session)
        }
        Event::TurnEnded(events::TurnEnded { session, text, .. }) => EventSentence::new(format!(
            "{} ended its turn{}",
            agent(*session),
            prefix_with_colon(&without_key_marks(text))
        ))
        .with_session(*session),
        Event::TurnInterrupted(events::TurnInterrupted { session, text, .. }) => EventSentence::new(format!(
            "{} was interrupted{}",
            agent(*session),
            prefix_with_colon(&without_key_marks(text))
        ))
        .with_session(*session),

        Event::QuestionAsked(events::QuestionAsked { question, session, task, text, .. }) => {
            let text = prefix_with_colon(text);
            let sentence = EventSentence::new(format!("{} asks {question}{text}", agent(*session)));
            sentence.with_question(*question).with_session(*session).with_optional_task(task.as_ref())
        }
        Event::QuestionRouted(events::QuestionRouted { question, to }) => {
            let label = context.question(*question);
            EventSentence::new(match to {
                QuestionRoute::Orchestrator => format!("The orchestrator has {label}"),
                QuestionRoute::Person => format!("{label} is waiting for your answer"),
            })
            .with_question(*question)
        }
        Event::QuestionForwarded(events::QuestionForwarded { question, text }) => EventSentence::new(
            format!("{} forwards {question} to you{}", context.acting_party_name(), prefix_with_colon(text)),
        )
        .with_question(*question),
        Event::ClarificationRequested(events::ClarificationRequested { question, text }) => {
            let label = context.question(*question);
            EventSentence::new(format!(
                "{} asks about {label}{}",
                context.acting_party_name(),
                prefix_with_colon(text)
            ))
            .with_question(*question)
        }
        Event::QuestionAnswered(events::QuestionAnswered { question, answer, reason }) => {
            let label = context.question(*question);
            let reason =
                reason.as_ref().map(|reason| format!(" ({})", first_line(reason))).unwrap_or_default();
            EventSentence::new(format!(
                "{} answered {label}{}{reason}",
                context.acting_party_name(),
                prefix_with_colon(answer)
            ))
            .with_question(*question)
        }
        Event::QuestionDelivered(events::QuestionDelivered { question, session }) => {
            let label = context.question(*question);
            EventSentence::new(format!("{} received the answer to {label}", agent(*session)))
                .with_question(*question)
                .with_session(*session)
        }
        Event::QuestionResumed(events::QuestionResumed { question }) => {
            let label = context.question(*question);
            EventSentence::new(format!("Work continues with the answer to {label}")).with_question(*question)
        }
        Event::QuestionWithdrawn(events::QuestionWithdrawn { question, reason }) => {
            let label = context.question(*question);
            EventSentence::new(format!("{label} withdrawn{}", prefix_with_colon(reason)))
                .with_question(*question)
        }
        Event::QuestionExpired(events::QuestionExpired { question, default_used }) => {
            let label = context.question(*question);
            EventSentence::new(match default_used {
                Some(default) => format!("{label} expired, default used{}", prefix_with_colon(default)),
                None => format!("{label} expired without an answer"),
            })
            .with_question(*question)
        }
        Event::ManyQuestionsAsked(events::ManyQuestionsAsked { agent, phase, count }) => {
            EventSentence::new(format!("{agent} asked {count} questions in phase {phase}")).with_phase(*phase)
        }
        Event::PermissionDecided(events::PermissionDecided { session, request, allowed, rule }) => {
            let may = if *allowed { "may" } else { "may not" };
            let (action, subject) = (request.kind.pattern_name(), first_line(&request.subject));
            EventSentence::new(format!("{} {may} {action} {subject} ({rule})", agent(*session)))
                .with_session(*session)
                .mark_internal()
        }
        Event::PermissionRuleSaved(events::PermissionRuleSaved { task, pattern, allowed, .. }) => {
            let rule = if *allowed { "Always allowed" } else { "Always denied" };
            EventSentence::new(format!("{rule}: {pattern}")).with_optional_task(task.as_ref())
        }

        Event::RequestMade(events::RequestMade { request, session, task, dependency, .. }) => {
            let (name, purpose) = (&dependency.name, prefix_with_colon(&dependency.description));
            let sentence =
                EventSentence::new(format!("{} requests {name} ({request}){purpose}", agent(*session)));
            sentence.with_id(request).with_session(*session).with_optional_task(task.as_ref())
        }
        Event::ProvisionStarted(events::ProvisionStarted { request, provided, default, .. }) => {
            let resource = resource_name(provided);
            let default = if *default { " (the agent's default)" } else { "" };
            EventSentence::new(format!(
                "{} is being provided: {resource}{default}",
                context.request(*request)
            ))
            .with_id(request)
        }
        Event::ProvisionFailed(events::ProvisionFailed { request, error }) => {
            let label = context.request(*request);
            EventSentence::new(format!("{label} could not be provided{}", prefix_with_colon(error)))
                .with_id(request)
        }
        Event::RequestProvided(events::RequestProvided { request, provided, default, .. }) => {
            let resource = resource_name(provided);
            let default = if *default { " (the agent's default)" } else { "" };
            EventSentence::new(format!("{} provided: {resource}{default}", context.request(*request)))
                .with_id(request)
        }
        Event::RequestRefused(events::RequestRefused { request, reason }) => {
            EventSentence::new(format!("{} refused{}", context.request(*request), prefix_with_colon(reason)))
                .with_id(request)
        }
        Event::RequestSkipped(events::RequestSkipped { request, .. }) => {
            EventSentence::new(format!("Continuing without {}", context.request(*request))).with_id(request)
        }
        Event::RequestDelivered(events::RequestDelivered { request, session }) => {
            let label = context.request(*request);
            EventSentence::new(format!("{} was informed about {label}", agent(*session)))
                .with_id(request)
                .with_session(*session)
                .mark_internal()
        }

        Event::InvocationMade(events::InvocationMade { invocation, caller, callee, task, .. }) => {
            EventSentence::new(format!("{} calls {callee}{}", agent(*caller), prefix_with_colon(task)))
                .with_id(invocation)
                .with_session(*caller)
        }
        Event::InvocationStarted(events::InvocationStarted { invocation, session }) => {
            let (caller, callee) = context.call_parties(*invocation);
            EventSentence::new(format!("{callee} started work for {caller}"))
                .with_id(invocation)
                .with_session(*session)
        }
        Event::InvocationEnded(events::InvocationEnded { invocation, outcome }) => {
            let (caller, callee) = context.call_parties(*invocation);
            EventSentence::new(match outcome {
                AgentInvocationOutcome::Completed { content, .. } => {
                    format!("{callee} finished its work for {caller}{}", prefix_with_colon(content))
                }
                AgentInvocationOutcome::Failed { reason } => {
                    format!("{callee} failed to do its work for {caller}{}", prefix_with_colon(reason))
                }
            })
            .with_id(invocation)
        }
        Event::ResultSubmitted(events::ResultSubmitted { result, from, to, content, .. }) => {
            EventSentence::new(format!("Result from {} for {to}{}", agent(*from), prefix_with_colon(content)))
                .with_id(result)
                .with_session(*from)
        }
        Event::ResultDelivered(events::ResultDelivered { result, session }) => {
            let sender = context.result_sender(*result);
            EventSentence::new(format!("{} received the result from {sender}", agent(*session)))
                .with_id(result)
                .with_session(*session)
        }
        Event::ChannelCreated(events::ChannelCreated { channel, session_a, session_b }) => {
            let (first, second) = (agent(*session_a), agent(*session_b));
            EventSentence::new(format!("Channel {channel} between {first} and {second} opened"))
                .with_id(channel)
                .with_session(*session_a)
                .mark_internal()
        }
        Event::ChannelClosed(events::ChannelClosed { channel }) => {
            EventSentence::new(format!("Channel {channel} closed")).with_id(channel).mark_internal()
        }
        Event::DirectMessageSent(events::DirectMessageSent { message, from, to, content, .. }) => {
            let (from_agent, to_agent) = (agent(*from), agent(*to));
            EventSentence::new(format!("{from_agent} to {to_agent}{}", prefix_with_colon(content)))
                .with_id(message)
                .with_session(*from)
        }
        Event::DirectMessageReceived(events::DirectMessageReceived { message }) => {
            EventSentence::new(format!("Delivering message {message}")).with_id(message).mark_internal()
        }
        Event::DirectMessageAcknowledged(events::DirectMessageAcknowledged { message }) => {
            EventSentence::new(format!("Message {message} delivered")).with_id(message).mark_internal()
        }

        Event::PhaseCompletionReported(events::PhaseCompletionReported { phase, session, .. }) => {
            EventSentence::new(format!("{} reported phase {phase} complete", agent(*session)))
                .with_phase(*phase)
                .with_session(*session)
        }
        Event::GateOpened(events::GateOpened { phase, round, .. }) => {
            let round = if *round > 1 { format!(", round {round}") } else { String::new() };
            EventSentence::new(format!("Phase {phase} reached its gate{round}")).with_phase(*phase)
        }
        Event::GateChecked(events::GateChecked { phase, report, .. }) => {
            let result = if report.passed { "passed" } else { "failed" };
            let summary = prefix_with_colon(&report.summary);
            EventSentence::new(format!("Checks of phase {phase} {result}{summary}")).with_phase(*phase)
        }
        Event::GateVerifierStarted(events::GateVerifierStarted { phase, session, .. }) => {
            EventSentence::new(format!("{} is verifying phase {phase}", agent(*session)))
                .with_phase(*phase)
                .with_session(*session)
        }
        Event::GateVerdictGiven(events::GateVerdictGiven { phase, session, verdict, .. }) => {
            let verb = if verdict.accepted { "accepted" } else { "rejected" };
            let summary = Some(verdict.summary.as_str()).filter(|summary| !summary.is_empty());
            let summary = summary.map(prefix_with_colon).unwrap_or_default();
            EventSentence::new(format!("{} {verb} phase {phase}{summary}", agent(*session)))
                .with_phase(*phase)
                .with_session(*session)
        }
        Event::GatePassed(events::GatePassed { phase, .. }) => {
            EventSentence::new(format!("Phase {phase} passed its checks and needs approval"))
                .with_phase(*phase)
        }
        Event::GateApproved(events::GateApproved { phase, waived, note }) => {
            let waived = if *waived { " despite failed checks" } else { "" };
            let note = note.as_deref().map(prefix_with_colon).unwrap_or_default();
            EventSentence::new(format!("Phase {phase} approved{by}{waived}{note}")).with_phase(*phase)
        }
        Event::GateFailed(events::GateFailed { phase, reason, tasks, .. }) => {
            let tasks = if tasks.is_empty() {
                String::new()
            } else {
                format!(" (to redo: {})", join_leading_names(tasks))
            };
            EventSentence::new(format!("Phase {phase} needs changes{}{tasks}", prefix_with_colon(reason)))
                .with_phase(*phase)
        }
        Event::GateReopened(events::GateReopened { phase, task, .. }) => {
            EventSentence::new(format!("Phase {phase} is open again: {task} is done again"))
                .with_phase(*phase)
                .with_task(task)
        }

        Event::LoopStarted(events::LoopStarted { feedback_loop, task, tester }) => {
            let tester = tester.as_ref().map(|tester| format!(" by {tester}")).unwrap_or_default();
            EventSentence::new(format!("{task} is tested{tester} until its tests pass"))
                .with_id(feedback_loop)
                .with_task(task)
        }
        Event::LoopRoundFailed(events::LoopRoundFailed { feedback_loop, round, feedback }) => {
            let names: Vec<_> = feedback.failures.iter().map(|failure| failure.name.clone()).collect();
            let (task, failures) = (context.loop_task(*feedback_loop), plural(names.len(), "failure"));
            EventSentence::new(format!(
                "{task}: {failures} in test round {round}{}",
                prefix_with_colon(&join_leading_names(&names))
            ))
            .with_id(feedback_loop)
        }
        Event::LoopEnded(events::LoopEnded { feedback_loop, outcome }) => {
            let result = match outcome {
                FeedbackLoopOutcome::Success => "tests passed",
                FeedbackLoopOutcome::Failed => "testing ended without a result",
                FeedbackLoopOutcome::Escalated => "tests failed too often",
            };
            EventSentence::new(format!("{}: {result}", context.loop_task(*feedback_loop)))
                .with_id(feedback_loop)
        }

        Event::EscalationRaised(events::EscalationRaised {
            escalation,
            severity,
            subject,
            session,
            title,
            ..
        }) => {
            let severity = format!("{severity:?}").to_lowercase();
            let text = format!("Problem {escalation}, severity {severity}{}", prefix_with_colon(title));
            let sentence = EventSentence::new(text).with_id(escalation);
            let sentence =
                if let Some(session) = session { sentence.with_session(*session) } else { sentence };
            with_subject(sentence, subject)
        }
        Event::EscalationForwarded(events::EscalationForwarded { escalation, to, .. }) => {
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
            .with_id(escalation)
        }
        Event::EscalationResolved(events::EscalationResolved { escalation, action, note }) => {
            let subject = subject_name(&context.escalation_subject(*escalation));
            let title = context.escalation_row(*escalation).map(|row| row.title.clone()).unwrap_or_default();
            let text = match action {
                None => format!("Problem {escalation} disappeared{}", prefix_with_colon(&title)),
                Some(action) => {
                    let could_run =
                        context.escalation_row(*escalation).is_none_or(|row| row.could_check_run());
                    let decision = decision(action, &subject, &title, could_run);
                    format!("{} {decision}", context.acting_party_name())
                }
            };
            // The name of the action alone adds nothing.
            let is_action = action.as_ref().is_some_and(|action| is_action_name(action, note));
            let note = if is_action { String::new() } else { prefix_with_colon(note) };
            EventSentence::new(format!("{text}{note}")).with_id(escalation)
        }

        Event::ErrorReported(events::ErrorReported { session, task, error }) => {
            let message = prefix_with_colon(&error.message);
            let sentence = EventSentence::new(format!("{} reported an error{message}", agent(*session)));
            sentence.with_session(*session).with_optional_task(task.as_ref())
        }
        Event::UsageReported(events::UsageReported { session, task, usage }) => {
            let sentence = EventSentence::new(format!("{} used {} tokens", agent(*session), usage.tokens()));
            sentence.with_session(*session).with_optional_task(task.as_ref()).mark_internal()
        }
        Event::BudgetRaised(events::BudgetRaised { subject, budget }) => {
            let text = format!("Budget of {} raised to {budget}", subject_name(subject));
            with_subject(EventSentence::new(text), subject)
        }
        Event::LimitWaived(events::LimitWaived { subject, limit }) => {
            let text = format!("{} for {} waived", limit_name(*limit), subject_name(subject));
            with_subject(EventSentence::new(text), subject)
        }

        Event::CheckpointRequested(events::CheckpointRequested { checkpoint, task, .. }) => {
            EventSentence::new(format!("Creating checkpoint {checkpoint} of {task}"))
                .with_id(checkpoint)
                .with_task(task)
                .mark_internal()
        }
        Event::CheckpointFinished(events::CheckpointFinished { checkpoint, outcome }) => {
            let task = context.checkpoint_task(*checkpoint).map(|task| format!(" of {task}"));
            let task = task.unwrap_or_default();
            match outcome {
                CheckpointOutcome::Made { commit, .. } => {
                    let commit = short_commit(commit);
                    EventSentence::new(format!("Checkpoint {checkpoint}{task} created: {commit}"))
                        .with_id(checkpoint)
                        .mark_internal()
                }
                CheckpointOutcome::Failed { error } => {
                    let error = prefix_with_colon(error);
                    EventSentence::new(format!("Checkpoint {checkpoint}{task} could not be created{error}"))
                        .with_id(checkpoint)
                }
            }
        }
        Event::DiskBudgetExhausted(events::DiskBudgetExhausted { escalation, task }) => {
            let text = format!("Disk budget reached: no worktree for {task}, and no new task starts");
            EventSentence::new(text).with_task(task).with_id(escalation)
        }
        Event::OverlapDetected(events::OverlapDetected { overlap }) => {
            let [first, second] = &overlap.tasks;
            let files = join_names_of_total(&overlap.files, to_usize(overlap.n_files));
            EventSentence::new(format!("{first} and {second} both change {files}")).with_task(second)
        }
        Event::OverlapResolved(events::OverlapResolved { tasks: [first, second] }) => {
            EventSentence::new(format!("{first} and {second} no longer change the same files"))
                .with_task(second)
        }
        Event::EffectPostponed(events::EffectPostponed { cause, error, .. }) => {
            let what = match cause {
                PostponementCause::DiskFull => "The disk is full; the step is retried",
                PostponementCause::RefMoved => "A ref was moved; the step is retried",
                PostponementCause::ExecutionFailed => "A step could not be executed and is retried",
            };
            EventSentence::new(format!("{what}{}", prefix_with_colon(error)))
        }
        Event::EffectRetried(events::EffectRetried { effect }) => {
            EventSentence::new(format!("Effect {}.{} retried", effect.sequence, effect.index)).mark_internal()
        }
        Event::EffectFinished(events::EffectFinished { effect, error }) => match error {
            None => EventSentence::new(format!("Effect {}.{} finished", effect.sequence, effect.index))
                .mark_internal(),
            Some(error) => EventSentence::new(format!("An internal step failed{}", prefix_with_colon(error))),
        },

        Event::ChatMessageSent(events::ChatMessageSent { text, answers }) => {
            let sentence =
                EventSentence::new(format!("{}{}", context.acting_party_name(), prefix_with_colon(text)));
            if let Some(question) = answers { sentence.with_question(*question) } else { sentence }
        }
        Event::ChatReplyOverdue(events::ChatReplyOverdue { session }) => EventSentence::new(format!(
            "{} has not replied to the chat for 10 minutes; the run does not wait for it",
            agent(*session)
        ))
        .with_session(*session),
        Event::ChatAnsweredWithStatus(events::ChatAnsweredWithStatus {
            n_done,
            n_tasks,
            running,
            n_running,
            questions,
            n_waiting,
        }) => {
            let running = match *n_running {
                0 => "No agent is working".to_owned(),
                n => format!("Running: {}", join_names_of_total(running, to_usize(n))),
            };
            let waiting = match (*n_waiting, questions.as_slice()) {
                (0, _) => "Nothing is waiting for you".to_owned(),
                (n, []) => format!("{n} in your inbox"),
                (n, questions) => format!("Waiting for you: {}", join_names_of_total(questions, to_usize(n))),
            };
            EventSentence::new(format!(
                "No orchestrator agent is running to answer. {n_done} of {n_tasks} tasks are done. \
                 {running}. {waiting}. To reach an agent, answer its question, write in its terminal, or retry its \
                 task with a hint."
            ))
        }
        Event::ResolveRequested(events::ResolveRequested { session, phase }) => {
            let text = format!("{} asks for its next task", agent(*session));
            let sentence = EventSentence::new(text).with_session(*session).mark_internal();
            if let Some(phase) = phase { sentence.with_phase(*phase) } else { sentence }
        }
        Event::ResolveAnswered(events::ResolveAnswered { session, line }) => {
            EventSentence::new(format!("Replied to {}: {}", agent(*session), first_line(line)))
                .with_session(*session)
                .mark_internal()
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

fn awaited_item(context: SentenceContext<'_>, reason: &BlockReason) -> String {
    match reason {
        BlockReason::Question { question } => format!("the answer to {}", context.question(*question)),
        BlockReason::Request { request } => context.request(*request),
        BlockReason::Invocation { invocation } => context.call_parties(*invocation).1,
        BlockReason::Approval { phase } => format!("the approval of phase {phase}"),
        BlockReason::RateLimited { .. } => "its rate limit to reset".to_owned(),
        BlockReason::Escalated { escalation } => {
            let title =
                context.escalation_row(*escalation).map(|row| format!(" ({})", first_line(&row.title)));
            format!("a decision on {escalation}{}", title.unwrap_or_default())
        }
        BlockReason::Paused { by: Actor::Person(name) } => format!("{name}, who paused it"),
        BlockReason::Paused { .. } => "the end of the pause".to_owned(),
    }
}

pub(super) fn failure_reason(failure: &AttemptFailure) -> String {
    match failure {
        AttemptFailure::Reported { reason } => {
            format!("its agent reported a failure{}", prefix_with_colon(reason))
        }
        AttemptFailure::Exited { exit_status: Some(status) } => {
            format!("its process exited with status {status}")
        }
        AttemptFailure::Exited { exit_status: None } => "its process was killed by a signal".to_owned(),
        AttemptFailure::Lost { reason } => format!("its process was lost{}", prefix_with_colon(reason)),
        AttemptFailure::Checks => "its checks failed too often".to_owned(),
        AttemptFailure::Merge { reason } => format!("it could not be merged{}", prefix_with_colon(reason)),
        AttemptFailure::Error { message } => {
            format!("its agent reported an error{}", prefix_with_colon(message))
        }
        AttemptFailure::MarkedFailed => "marked as failed".to_owned(),
    }
}

pub(super) fn check_result(receipt: &Receipt) -> String {
    if let Some(obstacle) = &receipt.obstacle {
        return format!("could not run: {obstacle}");
    }
    match receipt.exit_status {
        Some(0) => "passed".to_owned(),
        Some(status) => format!("failed with exit status {status}"),
        None => "was killed by a signal".to_owned(),
    }
}

/// Completes "ana …" with the decision on a problem.
fn decision(action: &EscalationAction, subject: &str, title: &str, could_check_run: bool) -> String {
    match action {
        EscalationAction::Retry { .. } => format!("retried {subject}"),
        EscalationAction::Reassign { agent } => format!("reassigned {subject} to {agent}"),
        EscalationAction::Skip => format!("skipped {subject}"),
        EscalationAction::Waive if could_check_run => format!("accepted {subject} despite its failed check"),
        EscalationAction::Waive => format!("accepted {subject} without its check"),
        EscalationAction::RaiseBudget { budget } => format!("raised the budget of {subject} to {budget}"),
        EscalationAction::MarkFailed => format!("marked {subject} as failed"),
        EscalationAction::Dismiss => format!("dismissed the problem{}", prefix_with_colon(title)),
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
        EscalationType::CheckNotRun => "Check",
    }
}

fn with_subject(sentence: EventSentence, subject: &EscalationSubject) -> EventSentence {
    match subject {
        EscalationSubject::Task { task } => sentence.with_task(task),
        EscalationSubject::Phase { phase } => sentence.with_phase(*phase),
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

fn resource_name(provided: &ProvidedResource) -> String {
    match provided {
        ProvidedResource::Environment { names } => join_leading_names(names),
        ProvidedResource::File { path, .. } => path.clone(),
        ProvidedResource::Permission { granted: true } => "granted".to_owned(),
        ProvidedResource::Permission { granted: false } => "not granted".to_owned(),
        ProvidedResource::Package { name, .. } => name.clone(),
    }
}
