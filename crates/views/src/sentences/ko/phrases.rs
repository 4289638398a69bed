//! Korean phrases: reasons, lists, and names of values.

use domain::{
    Actor, AttemptFailure, BlockReason, CheckObstacle, CommandInterface, CommandOrigin, EscalationAction,
    EscalationLevel, EscalationSubject, EscalationType, PermissionKind, PermissionRequest, Priority, Receipt,
    Role, Severity, signal_name,
};

use super::engine_texts::translate_engine_text;
use crate::sentence::{SentenceContext, first_line, leading_names, prefix_with_colon};

const PRODUCT: &str = "Jangdan";

/// Returns the name of an agent with the noun for one; Jangdan itself has a Korean name.
pub(super) fn agent_name(name: &str) -> String {
    if name == PRODUCT { "장단".to_owned() } else { format!("{name} 에이전트") }
}

/// Returns the same with the particle of a subject.
pub(super) fn agent_as_subject(name: &str) -> String {
    if name == PRODUCT { "장단이".to_owned() } else { format!("{name} 에이전트가") }
}

/// Returns where a command came from: the interface and the calling process.
pub(crate) fn command_origin(origin: &CommandOrigin) -> String {
    let interface = match origin.interface {
        CommandInterface::Terminal => "터미널",
        CommandInterface::Page => "웹 페이지",
        CommandInterface::Api => "API",
    };
    match (&origin.program, origin.process) {
        (Some(program), Some(process)) => format!("{interface}, {program}({process})"),
        (None, Some(process)) => format!("{interface}, 프로세스 {process}"),
        (_, None) => interface.to_owned(),
    }
}

/// Joins names for a sentence: the first few, and the number of the others.
pub(super) fn join_leading_names<T: ToString>(items: &[T]) -> String {
    join_names_of_total(items, items.len())
}

/// Joins the first names of `n_items`.
pub(super) fn join_names_of_total<T: ToString>(items: &[T], n_items: usize) -> String {
    let names = leading_names(items);
    let rest = match n_items.saturating_sub(names.len()) {
        0 => String::new(),
        n_more => format!(" 외 {n_more}개"),
    };
    format!("{}{rest}", names.join(", "))
}

pub(super) fn awaited_item(context: SentenceContext<'_>, reason: &BlockReason) -> String {
    match reason {
        BlockReason::Question { question } => format!("{} 답변", context.question_korean(*question)),
        BlockReason::Request { request } => context.request(*request),
        BlockReason::Invocation { invocation } => {
            format!("{} 에이전트", context.call_parties(*invocation).1)
        }
        BlockReason::Approval { phase } => format!("{phase}단계 승인"),
        BlockReason::RateLimited { .. } => "에이전트의 사용량 제한 해제".to_owned(),
        BlockReason::Escalated { escalation } => {
            let row = context.escalation_row(*escalation);
            let title = row.map(|row| row.korean.as_ref().unwrap_or(&row.title));
            let title = title.map(|title| format!(" ({})", first_line(title))).unwrap_or_default();
            format!("문제 {escalation}{title} 결정")
        }
        BlockReason::Paused { by: Actor::Person(name) } => format!("{name} 님의 일시 정지 해제"),
        BlockReason::Paused { .. } => "일시 정지 해제".to_owned(),
    }
}

/// Returns a reason after a colon, in Korean if the engine wrote it.
pub(super) fn reason_suffix(reason: &str) -> String {
    prefix_with_colon(&translate_engine_text(reason))
}

pub(crate) fn failure_reason(failure: &AttemptFailure) -> String {
    match failure {
        AttemptFailure::Reported { reason } => {
            format!("에이전트가 실패를 보고함{}", reason_suffix(reason))
        }
        AttemptFailure::Exited { exit_status: Some(status) } => format!("프로세스 종료 코드 {status}"),
        AttemptFailure::Exited { exit_status: None } => "프로세스가 시그널로 종료됨".to_owned(),
        AttemptFailure::Lost { reason } => format!("프로세스가 사라짐{}", reason_suffix(reason)),
        AttemptFailure::Checks => "검증 반복 실패".to_owned(),
        AttemptFailure::Merge { reason } => format!("병합 실패{}", reason_suffix(reason)),
        AttemptFailure::Error { message } => {
            format!("에이전트가 오류를 보고함{}", prefix_with_colon(message))
        }
        AttemptFailure::MarkedFailed => "실패로 표시됨".to_owned(),
    }
}

pub(crate) fn check_result(receipt: &Receipt) -> String {
    if let Some(obstacle) = &receipt.obstacle {
        return format!("실행 불가 ({})", check_obstacle(obstacle));
    }
    match receipt.exit_status {
        Some(0) => "통과".to_owned(),
        Some(status) => format!("실패 (종료 코드 {status})"),
        None => "중단 (시그널로 종료됨)".to_owned(),
    }
}

pub(crate) fn check_obstacle(obstacle: &CheckObstacle) -> String {
    match obstacle {
        CheckObstacle::ProgramNotFound { program } => format!("PATH에서 찾을 수 없는 프로그램: {program}"),
        CheckObstacle::Signal { signal } => format!("시그널로 종료됨: {}", signal_name(*signal)),
        CheckObstacle::ExitStatus { exit_status, signal } => {
            format!("종료 상태 {exit_status}, {} 뒤와 같음", signal_name(*signal))
        }
        CheckObstacle::NotStarted { reason } => translate_engine_text(reason),
    }
}

pub(super) fn subject_name(subject: &EscalationSubject) -> String {
    match subject {
        EscalationSubject::Task { task } => task.to_string(),
        EscalationSubject::Phase { phase } => format!("{phase}단계"),
        EscalationSubject::Run => "실행".to_owned(),
    }
}

/// Returns the subject of a problem as the object of a verb.
fn subject_as_object(subject: &EscalationSubject) -> String {
    match subject {
        EscalationSubject::Task { task } => format!("{task} 작업을"),
        EscalationSubject::Phase { phase } => format!("{phase}단계를"),
        EscalationSubject::Run => "실행을".to_owned(),
    }
}

/// Completes "ana 님이 …" with the decision on a problem.
pub(super) fn decision(
    action: &EscalationAction,
    subject: &EscalationSubject,
    title: &str,
    could_check_run: bool,
) -> String {
    let object = subject_as_object(subject);
    match action {
        EscalationAction::Retry { .. } => format!("{object} 다시 시도합니다"),
        EscalationAction::Reassign { agent } => format!("{object} {agent} 에이전트에 재배정했습니다"),
        EscalationAction::Skip => format!("{object} 건너뛰었습니다"),
        EscalationAction::Waive if could_check_run => format!("검증 실패에도 {object} 승인했습니다"),
        EscalationAction::Waive => format!("검증 없이 {object} 승인했습니다"),
        EscalationAction::RaiseBudget { budget } => {
            format!("{} 예산을 늘렸습니다: {budget}", subject_name(subject))
        }
        EscalationAction::MarkFailed => format!("{object} 실패로 표시했습니다"),
        EscalationAction::Dismiss => format!("문제를 무시했습니다{}", prefix_with_colon(title)),
    }
}

pub(super) fn role_name(role: Role) -> &'static str {
    match role {
        Role::Orchestrator => "오케스트레이터",
        Role::Operator => "오퍼레이터",
        Role::Worker => "작업자",
        Role::Tester => "테스터",
        Role::Verifier => "검증자",
        Role::Specialist => "전문가",
    }
}

pub(super) fn escalation_level_name(level: EscalationLevel) -> &'static str {
    match level {
        EscalationLevel::Worker => "작업자",
        EscalationLevel::Operator => "오퍼레이터",
        EscalationLevel::Orchestrator => "오케스트레이터",
        EscalationLevel::Person => "내",
    }
}

pub(super) fn priority_name(priority: Priority) -> &'static str {
    match priority {
        Priority::Low => "낮음",
        Priority::Normal => "보통",
        Priority::High => "높음",
        Priority::Critical => "긴급",
    }
}

pub(super) fn severity_name(severity: Severity) -> &'static str {
    match severity {
        Severity::Low => "낮음",
        Severity::Medium => "보통",
        Severity::High => "높음",
        Severity::Critical => "매우 높음",
    }
}

pub(super) fn escalation_type_name(kind: EscalationType) -> &'static str {
    match kind {
        EscalationType::General => "일반",
        EscalationType::Blocked => "막힘",
        EscalationType::Decision => "결정",
        EscalationType::TestFailure => "테스트 실패",
        EscalationType::TokenExhausted => "토큰",
        EscalationType::Timeout => "시간",
        EscalationType::Conflict => "병합 충돌",
        EscalationType::Dependency => "외부 의존성",
        EscalationType::Quality => "게이트",
        EscalationType::Protocol => "프로토콜",
        EscalationType::CheckNotRun => "검증 실행 불가",
    }
}

pub(super) fn permission_action(kind: PermissionKind) -> &'static str {
    match kind {
        PermissionKind::Edit => "파일 수정",
        PermissionKind::Run => "명령 실행",
        PermissionKind::Read => "파일 읽기",
        PermissionKind::Fetch => "네트워크 접근",
        PermissionKind::Other => "기타 동작",
    }
}

/// Asks for the permission that an agent needs.
pub(crate) fn permission_question(request: &PermissionRequest) -> String {
    let question = match request.kind {
        PermissionKind::Edit => "이 파일을 수정하도록 허용할까요?",
        PermissionKind::Run => "이 명령을 실행하도록 허용할까요?",
        PermissionKind::Read => "이 파일을 읽도록 허용할까요?",
        PermissionKind::Fetch => "이 주소에 접근하도록 허용할까요?",
        PermissionKind::Other => "이 동작을 허용할까요?",
    };
    format!("{question} {}", request.subject)
}
