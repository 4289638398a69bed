//! What Korean sentences are made of: reasons, lists and names of values.

use domain::{
    Actor, AttemptFailure, BlockReason, EscalationAction, EscalationLevel, EscalationSubject, EscalationType,
    PermissionKind, PermissionRequest, Priority, Receipt, Role, Severity,
};

use crate::line::{colon, first};

/// Joins names for a sentence; of many only the first are named.
pub(super) fn list<T: ToString>(items: &[T]) -> String {
    list_of(items, items.len())
}

/// Joins names for a sentence, of which only the first are at hand.
pub(super) fn list_of<T: ToString>(items: &[T], n_items: usize) -> String {
    let named = first(items);
    let rest = match n_items.saturating_sub(named.len()) {
        0 => String::new(),
        n_more => format!(" 외 {n_more}개"),
    };
    format!("{}{rest}", named.join(", "))
}

/// Returns for what something waits.
pub(super) fn wait(reason: &BlockReason) -> String {
    match reason {
        BlockReason::Question { question } => format!("{question} 질문의 답변"),
        BlockReason::Request { request } => format!("{request} 요청의 처리"),
        BlockReason::Invocation { invocation } => format!("{invocation} 호출의 결과"),
        BlockReason::Approval { phase } => format!("{phase}단계 게이트"),
        BlockReason::RateLimited { .. } => "에이전트의 사용 한도".to_owned(),
        BlockReason::Escalated { escalation } => format!("{escalation} 문제의 해결"),
        BlockReason::Paused { by: Actor::Person(name) } => format!("일시 정지의 해제 ({name})"),
        BlockReason::Paused { by } => format!("일시 정지의 해제 ({by})"),
    }
}

pub(super) fn fail(failure: &AttemptFailure) -> String {
    match failure {
        AttemptFailure::Reported { reason } => format!("에이전트의 말{}", colon(reason)),
        AttemptFailure::Exited { exit_status: Some(status) } => {
            format!("프로세스가 상태 {status}번으로 끝남")
        }
        AttemptFailure::Exited { exit_status: None } => "프로세스가 시그널을 받아 끝남".to_owned(),
        AttemptFailure::Lost { reason } => format!("프로세스가 사라짐{}", colon(reason)),
        AttemptFailure::Checks => "검증에 너무 여러 번 실패함".to_owned(),
        AttemptFailure::Merge { reason } => format!("병합하지 못함{}", colon(reason)),
        AttemptFailure::Error { message } => format!("오류를 알림{}", colon(message)),
        AttemptFailure::MarkedFailed => "포기함".to_owned(),
    }
}

pub(super) fn passed(receipt: &Receipt) -> String {
    match receipt.exit_status {
        Some(0) => "통과".to_owned(),
        Some(status) => format!("실패 (종료 상태 {status})"),
        None => "시그널을 받아 끝남".to_owned(),
    }
}

pub(super) fn name(subject: &EscalationSubject) -> String {
    match subject {
        EscalationSubject::Task { task } => format!("{task} 작업"),
        EscalationSubject::Phase { phase } => format!("{phase}단계"),
        EscalationSubject::Run => "실행".to_owned(),
    }
}

pub(super) fn action(action: &EscalationAction) -> String {
    match action {
        EscalationAction::Retry { .. } => "다시 시도".to_owned(),
        EscalationAction::Reassign { agent } => format!("{agent} 에이전트에게 맡김"),
        EscalationAction::Skip => "건너뜀".to_owned(),
        EscalationAction::Waive => "그대로 통과시킴".to_owned(),
        EscalationAction::RaiseBudget { budget } => format!("예산을 {budget}까지 늘림"),
        EscalationAction::MarkFailed => "포기함".to_owned(),
        EscalationAction::Dismiss => "무시함".to_owned(),
    }
}

pub(super) fn role(role: Role) -> &'static str {
    match role {
        Role::Orchestrator => "오케스트레이터",
        Role::Operator => "오퍼레이터",
        Role::Worker => "작업자",
        Role::Tester => "테스터",
        Role::Verifier => "검증자",
        Role::Specialist => "전문가",
    }
}

pub(super) fn level(level: EscalationLevel) -> &'static str {
    match level {
        EscalationLevel::Worker => "작업자",
        EscalationLevel::Operator => "오퍼레이터",
        EscalationLevel::Orchestrator => "오케스트레이터",
        EscalationLevel::Person => "나",
    }
}

pub(super) fn priority(priority: Priority) -> &'static str {
    match priority {
        Priority::Low => "낮음",
        Priority::Normal => "보통",
        Priority::High => "높음",
        Priority::Critical => "긴급",
    }
}

pub(super) fn severity(severity: Severity) -> &'static str {
    match severity {
        Severity::Low => "낮음",
        Severity::Medium => "중간",
        Severity::High => "높음",
        Severity::Critical => "치명적",
    }
}

/// Returns what a limit is about.
pub(super) fn limit(kind: EscalationType) -> &'static str {
    match kind {
        EscalationType::General => "일반",
        EscalationType::Blocked => "막힘",
        EscalationType::Decision => "결정",
        EscalationType::TestFailure => "테스트 실패",
        EscalationType::TokenExhausted => "토큰",
        EscalationType::Timeout => "시간",
        EscalationType::Conflict => "병합 충돌",
        EscalationType::Dependency => "바깥에서 올 것",
        EscalationType::Quality => "게이트",
        EscalationType::Protocol => "프로토콜",
    }
}

pub(super) fn act(kind: PermissionKind) -> &'static str {
    match kind {
        PermissionKind::Edit => "파일 수정",
        PermissionKind::Run => "명령 실행",
        PermissionKind::Read => "파일 읽기",
        PermissionKind::Fetch => "네트워크 접근",
        PermissionKind::Other => "다른 일",
    }
}

/// Asks whether an agent may do what it wants to.
pub(crate) fn permission(wish: &PermissionRequest) -> String {
    let may = match wish.kind {
        PermissionKind::Edit => "파일을 고쳐도 될까요?",
        PermissionKind::Run => "명령을 실행해도 될까요?",
        PermissionKind::Read => "파일을 읽어도 될까요?",
        PermissionKind::Fetch => "네트워크에서 가져와도 될까요?",
        PermissionKind::Other => "이 일을 해도 될까요?",
    };
    format!("{may} {}", wish.subject)
}
