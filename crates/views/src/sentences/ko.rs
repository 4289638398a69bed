//! Describes every event in one Korean sentence. Text from agents and users is not translated.
//!
//! A Korean particle depends on the sound before it, which is unknown for an id or a name. So a noun, a mark or the
//! end of the sentence follows each of them.
//!
//! No `_`: a new event must be described here.

mod engine_texts;
mod escalation_title;
mod evidence;
mod inputs;
mod phrases;
pub(crate) mod plan_changes;

use domain::{
    Actor, AgentInvocationOutcome, CheckpointOutcome, ClaimEvidence, ClaimSource, EscalationLevel, Event,
    FeedbackLoopOutcome, Locale, MergeOutcome, ParkMode, PostponementCause, ProvidedResource, QuestionRoute,
    RunOutcome, TaskReturnReason, WorkChange, events, without_key_marks,
};

pub use self::engine_texts::translate_engine_text;
pub(crate) use self::{
    escalation_title::escalation_title,
    evidence::{evidence_question, large_file_question},
    inputs::describe_input,
    phrases::{check_obstacle, check_result, command_origin, failure_reason, permission_question},
    plan_changes::summarize_plan_changes,
};
use self::{
    evidence::missing_evidence,
    phrases::{
        agent_as_subject, agent_name, awaited_item, decision, escalation_level_name, escalation_type_name,
        join_leading_names, join_names_of_total, permission_action, priority_name, reason_suffix, role_name,
        severity_name, subject_name,
    },
    plan_changes::plan_field_name,
};
use crate::{
    Rows,
    rows::EscalationRow,
    sentence::{
        SentenceContext, first_line, is_action_name, prefix_with_colon, retry_hint, short_commit, to_usize,
    },
    sentences::{
        describe_proof,
        landing::{cleanup_result, landing_result},
    },
};

/// Describes an event in Korean. `rows` must already include the event: they have the names of what it refers to.
pub fn describe_event_in_korean(event: &Event, rows: &Rows, actor: &Actor) -> String {
    let context = SentenceContext { rows, actor };
    let agent = |session| agent_name(&context.agent(session));
    let agent_subject = |session| agent_as_subject(&context.agent(session));
    let (actor, actor_subject) = match context.acting_user() {
        Some(name) => (format!("{name} 님"), format!("{name} 님이")),
        None => (agent_name(&context.acting_party_name()), agent_as_subject(&context.acting_party_name())),
    };
    let by = context.acting_user().map(|name| format!(" ({name} 님)")).unwrap_or_default();
    match event {
        Event::RunStarted(events::RunStarted { project, work, .. }) => {
            format!("{project} 실행 시작{}, 작업 {}개", prefix_with_colon(&work.title), work.tasks.len())
        }
        Event::RunPaused(events::RunPaused {}) => format!("실행을 일시 정지했습니다{by}"),
        Event::RunContinued(events::RunContinued {}) => format!("실행을 재개했습니다{by}"),
        Event::RunCancelled(events::RunCancelled {}) => format!("실행을 중단했습니다{by}"),
        Event::RunEnded(events::RunEnded { outcome, failed, waiting }) => match outcome {
            RunOutcome::Done => match rows.run.get(&()).map_or(0, |run| run.tasks.skipped) {
                0 => "실행이 완료되었습니다".to_owned(),
                n_skipped => format!("실행이 완료되었습니다. 건너뛴 작업: {n_skipped}개"),
            },
            RunOutcome::Cancelled => "실행이 중단되어 종료되었습니다".to_owned(),
            RunOutcome::Failed if waiting.is_empty() => {
                format!("실행이 실패했습니다. 실패한 작업: {}", join_leading_names(failed))
            }
            RunOutcome::Failed => {
                let (failed, n_waiting) = (join_leading_names(failed), waiting.len());
                format!("실행이 실패했습니다. 실패한 작업: {failed}. 시작하지 못한 작업: {n_waiting}개")
            }
        },
        Event::RunReopened(events::RunReopened {}) => format!("실행을 다시 열었습니다{by}"),

        Event::PhaseStarted(events::PhaseStarted { phase, .. }) => format!("{phase}단계를 시작했습니다"),
        Event::PhasePaused(events::PhasePaused { phase }) => format!("{phase}단계를 일시 정지했습니다{by}"),
        Event::PhaseContinued(events::PhaseContinued { phase }) => format!("{phase}단계를 재개했습니다{by}"),
        Event::PhaseCancelled(events::PhaseCancelled { phase }) => format!("{phase}단계를 취소했습니다{by}"),
        Event::PhaseLanded(events::PhaseLanded { phase }) => format!("{phase}단계의 결과를 병합했습니다"),

        Event::LandingRequested(events::LandingRequested { into, .. }) => {
            let target = into.as_ref().map(|branch| format!(" {branch} 브랜치에")).unwrap_or_default();
            format!("실행 결과를{target} 병합하기 시작했습니다{by}")
        }
        Event::LandingFinished(events::LandingFinished { report, .. }) => landing_result(Locale::Ko, report),
        Event::CleanupRequested(_) => format!("완료된 워크트리를 삭제하기 시작했습니다{by}"),
        Event::CleanupFinished(events::CleanupFinished { report, error, .. }) => {
            cleanup_result(Locale::Ko, report, error.as_deref())
        }

        Event::TasksBecameReady(events::TasksBecameReady { tasks }) => {
            format!("시작할 수 있는 작업: {}", join_leading_names(tasks))
        }
        Event::TaskStarted(events::TaskStarted { task, attempt, agent, .. }) => {
            let attempt = if *attempt > 1 { format!(" ({attempt}차 시도)") } else { String::new() };
            format!("{agent} 에이전트가 {task} 작업을 시작했습니다{attempt}")
        }
        Event::TaskResumed(events::TaskResumed { task, session }) => {
            format!("{} {task} 작업을 재개했습니다", agent_subject(*session))
        }
        Event::TaskBlocked(events::TaskBlocked { task, reason }) => {
            format!("{task} 작업 막힘: {} 대기", awaited_item(context, reason))
        }
        Event::TaskUnblocked(events::TaskUnblocked { task, reason }) => {
            format!("{task} 작업의 대기 종료: {}", awaited_item(context, reason))
        }
        Event::TaskClaimed(events::TaskClaimed { task, source, reason, .. }) => match source {
            ClaimSource::DoneMessage => format!(
                "{task} 작업 완료가 보고되었습니다{}",
                prefix_with_colon(reason.as_deref().unwrap_or_default())
            ),
            ClaimSource::TurnEnd => format!("에이전트가 응답을 마쳐 {task} 작업을 완료로 처리합니다"),
            ClaimSource::PhaseMarker => format!("{task} 작업 완료가 단계와 함께 보고되었습니다"),
            ClaimSource::Exit => format!("프로세스가 정상 종료되어 {task} 작업을 완료로 처리합니다"),
        },
        Event::ClaimAccepted(events::ClaimAccepted { task, evidence, change, is_claimed }) => {
            let evidence = match (is_claimed, evidence, change) {
                (false, _, _) => "완료 보고는 없지만 변경된 파일이 있음",
                (true, ClaimEvidence::Change, _) => "변경된 파일이 있음",
                (true, ClaimEvidence::Result, _) => "결과를 전달함",
                (true, ClaimEvidence::NotRequired, _) => "에이전트가 완료를 알림",
                (true, ClaimEvidence::Reason, WorkChange::Unknown) => "에이전트가 이유를 밝힘",
                (true, ClaimEvidence::Reason, WorkChange::SameAsLastRound) => {
                    "지난 회차와 달라진 것이 없음, 에이전트가 이유를 밝힘"
                }
                (true, ClaimEvidence::Reason, WorkChange::Unchanged | WorkChange::Changed) => {
                    "변경 없음, 에이전트가 이유를 밝힘"
                }
            };
            format!("{task} 작업: {evidence}")
        }
        Event::EvidenceRequested(events::EvidenceRequested { task, missing }) => {
            let missing: Vec<&str> = missing.iter().map(|missing| missing_evidence(*missing)).collect();
            format!("{task} 작업이 아직 완료되지 않음: {}", missing.join(" "))
        }
        Event::CommandExecuted(events::CommandExecuted { command, origin }) => {
            format!("{command} 명령의 출처: {}", command_origin(origin))
        }
        Event::ClockJumped(events::ClockJumped { by_ms }) => {
            format!("시스템 시각이 {}초 바뀌어 제한 시간을 그만큼 옮겼습니다", by_ms / 1000)
        }
        Event::TurnWaitExpired(events::TurnWaitExpired { task }) => {
            format!("에이전트의 응답이 제때 끝나지 않아 {task} 작업을 그대로 계속합니다")
        }
        Event::CheckStarted(events::CheckStarted { task, command, .. }) => {
            format!("{task} 작업 검증 중{}", prefix_with_colon(command))
        }
        Event::CheckFinished(events::CheckFinished { task, receipt, .. }) => {
            format!("{task} 작업 검증 {}", check_result(receipt))
        }
        Event::TestStarted(events::TestStarted { task, session }) => {
            format!("{} {task} 작업을 테스트하고 있습니다", agent_subject(*session))
        }
        Event::TaskReturned(events::TaskReturned { task, reason }) => match reason {
            TaskReturnReason::Check => format!("{task} 작업이 검증에 실패해 에이전트가 수정합니다"),
            TaskReturnReason::Test => format!("{task} 작업이 테스트에 실패해 에이전트가 수정합니다"),
            TaskReturnReason::Conflict => format!("{task} 작업에 병합 충돌이 있어 에이전트가 해결합니다"),
            TaskReturnReason::Rework => format!("수정 요청에 따라 에이전트가 {task} 작업을 계속합니다"),
        },
        Event::MergeStarted(events::MergeStarted { task, .. }) => format!("{task} 작업 병합 중"),
        Event::MergeFinished(events::MergeFinished { task, outcome, .. }) => match outcome {
            MergeOutcome::Merged { commit, .. } => {
                format!("{task} 작업을 병합했습니다: {}", short_commit(commit))
            }
            MergeOutcome::Conflicted { files } => {
                format!("{task} 작업 병합 충돌: {}", join_leading_names(files))
            }
            MergeOutcome::CheckFailed { receipt } => {
                format!("{task} 작업을 병합하지 않았습니다. 병합 결과 검증 {}", check_result(receipt))
            }
            MergeOutcome::Failed { error } => {
                format!("{task} 작업을 병합하지 못했습니다{}", reason_suffix(error))
            }
        },
        Event::TaskDone(events::TaskDone { task, proof }) => {
            let proof = describe_proof(Locale::Ko, rows, task, *proof);
            format!("{task} 작업 완료 ({proof})")
        }
        Event::AttemptFailed(events::AttemptFailed { task, attempt, failure, counted }) => {
            let counted = if *counted { "" } else { " (횟수에서 제외)" };
            format!("{task} 작업의 {attempt}차 시도 실패{counted}: {}", failure_reason(failure))
        }
        Event::TaskRetried(events::TaskRetried { task, hint, .. }) => {
            let hint = retry_hint(hint.as_deref()).map(prefix_with_colon).unwrap_or_default();
            format!("{task} 작업을 다시 시도합니다{hint}")
        }
        Event::TaskFailed(events::TaskFailed { task, failure }) => {
            format!("{task} 작업 실패: {}", failure_reason(failure))
        }
        Event::TaskSkipped(events::TaskSkipped { task }) => format!("{task} 작업을 건너뛰었습니다{by}"),
        Event::TaskCancelled(events::TaskCancelled { task }) => format!("{task} 작업을 취소했습니다{by}"),
        Event::TaskReopened(events::TaskReopened { task, reason }) => {
            format!("{task} 작업을 다시 열었습니다{}", reason_suffix(reason))
        }
        Event::TaskPrioritized(events::TaskPrioritized { task, priority }) => {
            format!("{task} 작업의 우선순위 변경: {}", priority_name(*priority))
        }
        Event::TaskMessageSent(events::TaskMessageSent { task, text }) => {
            format!("{actor}의 메시지 ({task} 작업): {text}")
        }
        Event::TaskReassigned(events::TaskReassigned { task, agent }) => {
            format!("{task} 작업을 {agent} 에이전트에 배정했습니다")
        }
        Event::TaskRewound(events::TaskRewound { task, checkpoint }) => match checkpoint {
            None => format!("{task} 작업을 시작 시점으로 복원했습니다"),
            Some(checkpoint) => format!("{task} 작업을 {checkpoint} 체크포인트로 복원했습니다"),
        },
        Event::TaskRequested(events::TaskRequested { task, .. }) => {
            format!("{task} 작업 시작이 요청되었습니다{by}")
        }
        Event::PlanChangeDetected(events::PlanChangeDetected { changes, problem, .. }) => {
            let problem = problem.as_deref().map(|problem| format!(". 적용할 수 없음: {problem}"));
            let problem = problem.unwrap_or_default();
            format!("계획 파일이 변경되었습니다: {}{problem}", summarize_plan_changes(changes))
        }
        Event::PlanChangeWithdrawn(events::PlanChangeWithdrawn { reason, .. }) => {
            format!("계획 변경이 철회되었습니다{}", reason_suffix(reason))
        }
        Event::PlanUnreadable(events::PlanUnreadable { problem }) => {
            format!("계획 파일을 읽을 수 없습니다{}", prefix_with_colon(problem))
        }
        Event::PlanChangeApplied(_) => format!("계획을 업데이트했습니다{by}"),
        Event::PlanChangeIgnored(_) => format!("계획 변경을 무시했습니다{by}"),
        Event::PhaseAdded(events::PhaseAdded { phase }) => {
            format!("{}단계를 계획에 추가했습니다{}", phase.number, prefix_with_colon(&phase.name))
        }
        Event::PhaseChanged(events::PhaseChanged { phase, after, .. }) => {
            if after.is_empty() {
                format!("{phase}단계가 더 이상 다른 단계에 의존하지 않습니다")
            } else {
                format!("{phase}단계의 선행 단계 변경: {}", join_leading_names(after))
            }
        }
        Event::TaskChanged(events::TaskChanged { task, fields }) => {
            let names: Vec<&str> = fields.iter().map(|field| plan_field_name(*field)).collect();
            format!("계획에서 {} 작업이 변경되었습니다: {}", task.id, names.join(", "))
        }
        Event::TaskAdded(events::TaskAdded { task, .. }) => {
            format!("{} 작업을 계획에 추가했습니다{}", task.id, prefix_with_colon(&task.title))
        }
        Event::DependencyAdded(events::DependencyAdded { earlier, later }) => {
            format!("{later} 작업의 선행 작업 추가: {earlier}")
        }
        Event::DependencyRemoved(events::DependencyRemoved { earlier, later }) => {
            format!("{later} 작업의 선행 작업 제외: {earlier}")
        }
        Event::ExternalDependencyMet(events::ExternalDependencyMet { name }) => {
            format!("외부 의존성 충족: {name}")
        }

        Event::SessionOpened(events::SessionOpened { role, agent, .. }) => {
            let name = agent.as_ref().map_or("Jangdan", |agent| agent.as_str());
            format!("{} 참여했습니다: {}", agent_as_subject(name), role_name(*role))
        }
        Event::SessionActivated(events::SessionActivated { session, .. }) => {
            format!("{}의 프로세스 실행 중", agent(*session))
        }
        Event::SessionParked(events::SessionParked { session, mode }) => {
            let mode = match mode {
                ParkMode::Hot => "대기",
                ParkMode::Frozen => "일시 중단",
                ParkMode::Cold => "종료됨, 답변하면 재개",
            };
            format!("{} 상태: {mode}", agent(*session))
        }
        Event::SessionWoken(events::SessionWoken { session }) => {
            format!("{} 재개되었습니다", agent_subject(*session))
        }
        Event::SessionDismissed(events::SessionDismissed { session }) => {
            format!("{}에 종료를 요청했습니다", agent(*session))
        }
        Event::SessionStopRequested(events::SessionStopRequested { session }) => {
            format!("{}의 프로세스를 중지하고 있습니다{by}", agent(*session))
        }
        Event::SessionStopFinished(events::SessionStopFinished { session, error }) => match error {
            None => format!("{}의 프로세스에 종료를 요청했습니다", agent(*session)),
            Some(error) => {
                let error = prefix_with_colon(error);
                format!("{}의 프로세스를 중지하지 못했습니다{error}", agent(*session))
            }
        },
        Event::KeysTyped(events::KeysTyped { session, bytes }) => {
            format!("{}의 터미널에 {bytes}바이트를 입력했습니다{by}", agent(*session))
        }
        Event::SessionEnded(events::SessionEnded { session, exit_status }) => match exit_status {
            Some(0) => format!("{}의 프로세스가 종료되었습니다", agent(*session)),
            Some(status) => format!("{}의 프로세스가 종료되었습니다 (종료 코드 {status})", agent(*session)),
            None => format!("{}의 프로세스가 중지되었습니다", agent(*session)),
        },
        Event::SessionLost(events::SessionLost { session, reason }) => {
            format!("{}의 프로세스가 사라졌습니다{}", agent(*session), reason_suffix(reason))
        }
        Event::InputQueued(events::InputQueued { session, content, .. }) => {
            format!("{}에 전송{}", agent(*session), prefix_with_colon(&describe_input(content)))
        }
        Event::InputSent(events::InputSent { session, input, .. }) => {
            format!("{}에 {input}번 입력 전송", agent(*session))
        }
        Event::MessageReceived(events::MessageReceived { session, message, .. }) => {
            format!("{}의 메시지: {}", agent(*session), message.name())
        }
        Event::MessageRejected(events::MessageRejected { session, protocol, error, .. }) => {
            format!("{}의 {protocol} 메시지가 올바르지 않습니다{}", agent(*session), prefix_with_colon(error))
        }
        Event::NearMissReceived(events::NearMissReceived { session, near, raw, .. }) => {
            format!("{}의 {near} 메시지가 불완전합니다{}", agent(*session), prefix_with_colon(raw))
        }
        Event::TurnEnded(events::TurnEnded { session, text, .. }) => {
            format!("{} 응답 완료{}", agent(*session), prefix_with_colon(&without_key_marks(text)))
        }
        Event::TurnInterrupted(events::TurnInterrupted { session, text, .. }) => {
            format!("{} 응답 중단{}", agent(*session), prefix_with_colon(&without_key_marks(text)))
        }

        Event::QuestionAsked(events::QuestionAsked { question, session, text, permission, .. }) => {
            let text = permission.as_ref().map_or(text.clone(), permission_question);
            format!("{}의 질문 {question}{}", agent(*session), prefix_with_colon(&text))
        }
        Event::QuestionRouted(events::QuestionRouted { question, to }) => {
            let label = context.question_korean(*question);
            match to {
                QuestionRoute::Orchestrator => format!("오케스트레이터 검토 중: {label}"),
                QuestionRoute::Person => format!("답변 필요: {label}"),
            }
        }
        Event::QuestionForwarded(events::QuestionForwarded { question, text }) => {
            format!("{actor_subject} {question} 질문을 나에게 전달했습니다{}", prefix_with_colon(text))
        }
        Event::ClarificationRequested(events::ClarificationRequested { question, text }) => {
            let label = context.question_korean(*question);
            format!("{actor_subject} {label} 질문에 대해 물었습니다{}", prefix_with_colon(text))
        }
        Event::QuestionAnswered(events::QuestionAnswered { question, answer, reason }) => {
            let label = context.question_korean(*question);
            let reason =
                reason.as_ref().map(|reason| format!(" ({})", first_line(reason))).unwrap_or_default();
            let answer = context.answer_korean(*question, answer);
            format!("{actor_subject} {label} 질문에 답했습니다{}{reason}", prefix_with_colon(answer))
        }
        Event::QuestionDelivered(events::QuestionDelivered { question, session }) => {
            format!("{}에 답변을 전달했습니다: {}", agent(*session), context.question_korean(*question))
        }
        Event::QuestionResumed(events::QuestionResumed { question }) => {
            format!("답변을 받아 작업을 재개했습니다: {}", context.question_korean(*question))
        }
        Event::QuestionWithdrawn(events::QuestionWithdrawn { question, reason }) => {
            format!("질문 철회: {}{}", context.question_korean(*question), reason_suffix(reason))
        }
        Event::QuestionExpired(events::QuestionExpired { question, default_used }) => {
            let label = context.question_korean(*question);
            match default_used {
                Some(default) => format!("질문 만료, 기본값 사용: {label}{}", prefix_with_colon(default)),
                None => format!("답변 없이 질문 만료: {label}"),
            }
        }
        Event::ManyQuestionsAsked(events::ManyQuestionsAsked { agent, phase, count }) => {
            format!("{agent} 에이전트가 {phase}단계에서 질문을 {count}개 했습니다")
        }
        Event::PermissionDecided(events::PermissionDecided { session, request, allowed, rule }) => {
            let decision = if *allowed { "허용" } else { "거부" };
            let (action, subject) = (permission_action(request.kind), first_line(&request.subject));
            format!("{}의 {action} {decision}: {subject} ({rule})", agent(*session))
        }
        Event::PermissionRuleSaved(events::PermissionRuleSaved { pattern, allowed, .. }) => {
            let decision = if *allowed { "허용" } else { "거부" };
            format!("항상 {decision}: {pattern}")
        }

        Event::RequestMade(events::RequestMade { request, session, dependency, .. }) => {
            let (name, purpose) = (&dependency.name, prefix_with_colon(&dependency.description));
            format!("{}의 요청: {name} ({request}){purpose}", agent(*session))
        }
        Event::ProvisionStarted(events::ProvisionStarted { request, provided, default, .. }) => {
            let resource = resource_name(provided);
            let default = if *default { " (에이전트의 기본값)" } else { "" };
            format!("{} 제공 중: {resource}{default}", context.request(*request))
        }
        Event::ProvisionFailed(events::ProvisionFailed { request, error }) => {
            format!("{} 제공하지 못했습니다{}", context.request(*request), reason_suffix(error))
        }
        Event::RequestProvided(events::RequestProvided { request, provided, default, .. }) => {
            let resource = resource_name(provided);
            let default = if *default { " (에이전트의 기본값)" } else { "" };
            format!("{} 제공 완료: {resource}{default}", context.request(*request))
        }
        Event::RequestRefused(events::RequestRefused { request, reason }) => {
            format!("{} 요청을 거절했습니다{}", context.request(*request), reason_suffix(reason))
        }
        Event::RequestSkipped(events::RequestSkipped { request, .. }) => {
            format!("{} 없이 계속합니다", context.request(*request))
        }
        Event::RequestDelivered(events::RequestDelivered { request, session }) => {
            format!("{}에 {} 요청의 결과를 알렸습니다", agent(*session), context.request(*request))
        }

        Event::InvocationMade(events::InvocationMade { caller, callee, task, .. }) => {
            format!("{} {callee} 에이전트를 호출했습니다{}", agent_subject(*caller), prefix_with_colon(task))
        }
        Event::InvocationStarted(events::InvocationStarted { invocation, .. }) => {
            let (caller, callee) = context.call_parties(*invocation);
            format!("{callee} 에이전트가 {}의 호출을 처리하고 있습니다", agent_name(&caller))
        }
        Event::InvocationEnded(events::InvocationEnded { invocation, outcome }) => {
            let (caller, callee) = context.call_parties(*invocation);
            let caller = agent_name(&caller);
            match outcome {
                AgentInvocationOutcome::Completed { content, .. } => {
                    format!(
                        "{callee} 에이전트가 {caller}의 호출을 처리했습니다{}",
                        prefix_with_colon(content)
                    )
                }
                AgentInvocationOutcome::Failed { reason } => {
                    format!(
                        "{callee} 에이전트가 {caller}의 호출을 처리하지 못했습니다{}",
                        reason_suffix(reason)
                    )
                }
            }
        }
        Event::ResultSubmitted(events::ResultSubmitted { from, to, content, .. }) => {
            format!("{}의 결과 ({to} 에이전트 앞){}", agent(*from), prefix_with_colon(content))
        }
        Event::ResultDelivered(events::ResultDelivered { result, session }) => {
            let sender = agent_name(&context.result_sender(*result));
            format!("{}에 {sender}의 결과를 전달했습니다", agent(*session))
        }
        Event::ChannelCreated(events::ChannelCreated { channel, session_a, session_b }) => {
            format!("{channel} 채널 열림: {}, {}", agent(*session_a), agent(*session_b))
        }
        Event::ChannelClosed(events::ChannelClosed { channel }) => format!("{channel} 채널 닫힘"),
        Event::DirectMessageSent(events::DirectMessageSent { from, to, content, .. }) => {
            format!("{}의 메시지 ({} 앞){}", agent(*from), agent(*to), prefix_with_colon(content))
        }
        Event::DirectMessageReceived(events::DirectMessageReceived { message }) => {
            format!("{message} 메시지 전달 중")
        }
        Event::DirectMessageAcknowledged(events::DirectMessageAcknowledged { message }) => {
            format!("{message} 메시지 전달 완료")
        }

        Event::PhaseCompletionReported(events::PhaseCompletionReported { phase, session, .. }) => {
            format!("{} {phase}단계 완료를 보고했습니다", agent_subject(*session))
        }
        Event::GateOpened(events::GateOpened { phase, round, .. }) => {
            let round = if *round > 1 { format!(" ({round}회차)") } else { String::new() };
            format!("{phase}단계가 게이트에 도달했습니다{round}")
        }
        Event::GateChecked(events::GateChecked { phase, report, .. }) => {
            let result = if report.passed { "통과" } else { "실패" };
            format!("{phase}단계 검증 {result}{}", reason_suffix(&report.summary))
        }
        Event::GateVerifierStarted(events::GateVerifierStarted { phase, session, .. }) => {
            format!("{} {phase}단계를 검증하고 있습니다", agent_subject(*session))
        }
        Event::GateVerdictGiven(events::GateVerdictGiven { phase, session, verdict, .. }) => {
            let verb = if verdict.accepted {
                "통과로 판정했습니다"
            } else {
                "반려로 판정했습니다"
            };
            let summary = Some(verdict.summary.as_str()).filter(|summary| !summary.is_empty());
            let summary = summary.map(reason_suffix).unwrap_or_default();
            format!("{} {phase}단계를 {verb}{summary}", agent_subject(*session))
        }
        Event::GatePassed(events::GatePassed { phase, .. }) => format!("{phase}단계 검증 통과: 승인 필요"),
        Event::GateApproved(events::GateApproved { phase, waived, note }) => {
            let waived = if *waived { ", 검증 실패에도 승인" } else { "" };
            let note = note.as_deref().map(reason_suffix).unwrap_or_default();
            format!("{phase}단계를 승인했습니다{by}{waived}{note}")
        }
        Event::GateFailed(events::GateFailed { phase, reason, tasks, .. }) => {
            let tasks = if tasks.is_empty() {
                String::new()
            } else {
                format!(" (다시 할 작업: {})", join_leading_names(tasks))
            };
            format!("{phase}단계 수정 필요{}{tasks}", reason_suffix(reason))
        }
        Event::GateReopened(events::GateReopened { phase, task, .. }) => {
            format!("{task} 작업을 다시 하므로 {phase}단계를 다시 엽니다")
        }

        Event::LoopStarted(events::LoopStarted { task, tester, .. }) => match tester {
            Some(tester) => format!("{tester} 에이전트가 통과할 때까지 {task} 작업을 테스트합니다"),
            None => format!("통과할 때까지 {task} 작업을 테스트합니다"),
        },
        Event::LoopRoundFailed(events::LoopRoundFailed { feedback_loop, round, feedback }) => {
            let names: Vec<_> = feedback.failures.iter().map(|failure| failure.name.clone()).collect();
            let (task, n_failures) = (context.loop_task(*feedback_loop), names.len());
            format!(
                "{task} 작업: {round}회차 테스트에서 {n_failures}건 실패{}",
                prefix_with_colon(&join_leading_names(&names))
            )
        }
        Event::LoopEnded(events::LoopEnded { feedback_loop, outcome }) => {
            let result = match outcome {
                FeedbackLoopOutcome::Success => "테스트 통과",
                FeedbackLoopOutcome::Failed => "결과 없이 테스트 종료",
                FeedbackLoopOutcome::Escalated => "테스트 반복 실패",
            };
            format!("{} 작업: {result}", context.loop_task(*feedback_loop))
        }

        Event::EscalationRaised(events::EscalationRaised { escalation, severity, title, cause, .. }) => {
            let title = cause.as_ref().map_or_else(|| title.clone(), escalation_title);
            format!("문제 {escalation}, 심각도 {}{}", severity_name(*severity), prefix_with_colon(&title))
        }
        Event::EscalationForwarded(events::EscalationForwarded { escalation, to, .. }) => {
            let subject = subject_name(&context.escalation_subject(*escalation));
            match to {
                EscalationLevel::Person => format!("{subject} 문제: 결정 필요"),
                EscalationLevel::Worker | EscalationLevel::Operator | EscalationLevel::Orchestrator => {
                    format!("{subject} 문제: {} 결정 대기", escalation_level_name(*to))
                }
            }
        }
        Event::EscalationResolved(events::EscalationResolved { escalation, action, note }) => {
            let subject = context.escalation_subject(*escalation);
            let row = context.escalation_row(*escalation);
            let title = row.map(|row| row.korean.as_ref().unwrap_or(&row.title).clone()).unwrap_or_default();
            let text = match action {
                None => format!("문제가 해소되었습니다{}", prefix_with_colon(&title)),
                Some(action) => {
                    let could_run = row.is_none_or(EscalationRow::could_check_run);
                    format!("{actor_subject} {}", decision(action, &subject, &title, could_run))
                }
            };
            // The name of the action alone adds nothing.
            let is_action = action.as_ref().is_some_and(|action| is_action_name(action, note));
            let note = if is_action { String::new() } else { reason_suffix(note) };
            format!("{text}{note}")
        }

        Event::ErrorReported(events::ErrorReported { session, error, .. }) => {
            format!("{}의 오류 보고{}", agent(*session), prefix_with_colon(&error.message))
        }
        Event::UsageReported(events::UsageReported { session, usage, .. }) => {
            format!("{}의 사용량: 토큰 {}개", agent(*session), usage.tokens())
        }
        Event::BudgetRaised(events::BudgetRaised { subject, budget }) => {
            format!("{} 예산 증액: {budget}", subject_name(subject))
        }
        Event::LimitWaived(events::LimitWaived { subject, limit }) => {
            format!("{} 한도 면제: {}", subject_name(subject), escalation_type_name(*limit))
        }

        Event::CheckpointRequested(events::CheckpointRequested { checkpoint, task, .. }) => {
            format!("{task} 작업의 {checkpoint} 체크포인트 생성 중")
        }
        Event::CheckpointFinished(events::CheckpointFinished { checkpoint, outcome }) => {
            let task = context.checkpoint_task(*checkpoint).map(|task| format!("{task} 작업의 "));
            let task = task.unwrap_or_default();
            match outcome {
                CheckpointOutcome::Made { commit, .. } => {
                    format!("{task}{checkpoint} 체크포인트 생성: {}", short_commit(commit))
                }
                CheckpointOutcome::Failed { error } => {
                    format!("{task}{checkpoint} 체크포인트를 만들지 못했습니다{}", prefix_with_colon(error))
                }
            }
        }
        Event::DiskBudgetExhausted(events::DiskBudgetExhausted { task, .. }) => {
            format!("디스크 예산 소진: {task} 작업의 워크트리를 만들 수 없어 새 작업을 시작하지 않습니다")
        }
        Event::OverlapDetected(events::OverlapDetected { overlap }) => {
            let [first, second] = &overlap.tasks;
            let files = join_names_of_total(&overlap.files, to_usize(overlap.n_files));
            format!("{first}, {second} 작업이 같은 파일을 변경하고 있습니다: {files}")
        }
        Event::OverlapResolved(events::OverlapResolved { tasks: [first, second] }) => {
            format!("{first}, {second} 작업이 더 이상 같은 파일을 변경하지 않습니다")
        }
        Event::EffectPostponed(events::EffectPostponed { cause, error, .. }) => {
            let what = match cause {
                PostponementCause::DiskFull => "디스크가 가득 차 나중에 다시 시도합니다",
                PostponementCause::RefMoved => "참조가 옮겨져 나중에 다시 시도합니다",
                PostponementCause::ExecutionFailed => "단계를 실행하지 못해 나중에 다시 시도합니다",
            };
            format!("{what}{}", prefix_with_colon(error))
        }
        Event::EffectRetried(events::EffectRetried { effect }) => {
            format!("{}.{}번 다시 처리", effect.sequence, effect.index)
        }
        Event::EffectFinished(events::EffectFinished { effect, error }) => match error {
            None => format!("{}.{}번 처리 완료", effect.sequence, effect.index),
            Some(error) => format!("내부 처리에 실패했습니다{}", prefix_with_colon(error)),
        },

        Event::ChatMessageSent(events::ChatMessageSent { text, .. }) => {
            format!("{actor}{}", prefix_with_colon(text))
        }
        Event::ChatReplyOverdue(events::ChatReplyOverdue { session }) => {
            format!(
                "{} 10분 동안 채팅에 답하지 않았습니다. 실행은 답을 기다리지 않습니다",
                agent_subject(*session)
            )
        }
        Event::ChatAnsweredWithStatus(events::ChatAnsweredWithStatus {
            n_done,
            n_tasks,
            running,
            n_running,
            questions,
            n_waiting,
        }) => {
            let running = match *n_running {
                0 => "실행 중인 에이전트가 없습니다".to_owned(),
                n => format!("진행 중: {}", join_names_of_total(running, to_usize(n))),
            };
            let waiting = match (*n_waiting, questions.as_slice()) {
                (0, _) => "확인할 일이 없습니다".to_owned(),
                (n, []) => format!("확인할 일: {n}건"),
                (n, questions) => format!("답변 필요: {}", join_names_of_total(questions, to_usize(n))),
            };
            format!(
                "답변할 오케스트레이터 에이전트가 실행 중이지 않습니다. 작업 {n_tasks}개 중 {n_done}개를 완료했습니다. \
                 {running}. {waiting}. 에이전트에게 전할 내용이 있으면 질문에 답하거나, 터미널에 입력하거나, 힌트를 \
                 적어 작업을 다시 시도하세요."
            )
        }
        Event::ResolveRequested(events::ResolveRequested { session, .. }) => {
            format!("{}의 다음 작업 요청", agent(*session))
        }
        Event::ResolveAnswered(events::ResolveAnswered { session, line }) => {
            format!("{}에 응답: {}", agent(*session), first_line(line))
        }
    }
}

fn resource_name(provided: &ProvidedResource) -> String {
    match provided {
        ProvidedResource::Environment { names } => join_leading_names(names),
        ProvidedResource::File { path, .. } => path.clone(),
        ProvidedResource::Permission { granted: true } => "허용됨".to_owned(),
        ProvidedResource::Permission { granted: false } => "허용되지 않음".to_owned(),
        ProvidedResource::Package { name, .. } => name.clone(),
    }
}
