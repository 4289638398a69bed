//! Phrases of the terminal in English and Korean. Text from agents, plans and users is not translated.

use domain::{DependencyType, Locale, PermissionKind, PermissionScope, PhaseNumber, Severity};
use views::{ResponsibleParty, RunState, TaskState};

use super::amounts::format_estimate;
use crate::{plural::plural, timestamp::format_utc};

/// Returns the text of the language.
pub(crate) fn pick_by_locale<'a>(locale: Locale, english: &'a str, korean: &'a str) -> &'a str {
    match locale {
        Locale::En => english,
        Locale::Ko => korean,
    }
}

pub(crate) fn task_state(locale: Locale, state: TaskState) -> &'static str {
    match state {
        TaskState::Waiting => pick_by_locale(locale, "waiting", "대기"),
        TaskState::Ready => pick_by_locale(locale, "ready", "준비"),
        TaskState::Running => pick_by_locale(locale, "running", "진행"),
        TaskState::Blocked => pick_by_locale(locale, "blocked", "막힘"),
        TaskState::Checking => pick_by_locale(locale, "checking", "검증"),
        TaskState::Merging => pick_by_locale(locale, "merging", "병합"),
        TaskState::Done => pick_by_locale(locale, "done", "완료"),
        TaskState::Failed => pick_by_locale(locale, "failed", "실패"),
        TaskState::Skipped => pick_by_locale(locale, "skipped", "건너뜀"),
        TaskState::Cancelled => pick_by_locale(locale, "cancelled", "취소됨"),
    }
}

pub(crate) fn run_state(locale: Locale, state: RunState) -> &'static str {
    match state {
        RunState::Running => pick_by_locale(locale, "running", "진행 중"),
        RunState::Paused => pick_by_locale(locale, "paused", "일시 정지"),
        RunState::Done => pick_by_locale(locale, "done", "완료"),
        RunState::Failed => pick_by_locale(locale, "failed", "실패"),
        RunState::Cancelled => pick_by_locale(locale, "cancelled", "중단됨"),
    }
}

/// Returns the name of a party that something waits for.
pub(crate) fn party(locale: Locale, party: &ResponsibleParty) -> String {
    match party {
        ResponsibleParty::Person => pick_by_locale(locale, "you", "내 확인").to_owned(),
        ResponsibleParty::Orchestrator => {
            pick_by_locale(locale, "the orchestrator", "오케스트레이터").to_owned()
        }
        ResponsibleParty::Operator => pick_by_locale(locale, "the operator", "오퍼레이터").to_owned(),
        ResponsibleParty::Agent { agent: Some(agent) } => agent.to_string(),
        ResponsibleParty::Agent { agent: None } => pick_by_locale(locale, "an agent", "에이전트").to_owned(),
        ResponsibleParty::Clock { until } => format!("{} UTC", format_utc(*until)),
        ResponsibleParty::Jangdan => "Jangdan".to_owned(),
    }
}

pub(crate) fn waiting_for(locale: Locale, party: &str) -> String {
    match locale {
        Locale::En => format!("waiting for {party}"),
        Locale::Ko => format!("{party} 대기"),
    }
}

/// Returns the tasks and the work that an open entry blocks; `None` if it blocks nothing.
pub(crate) fn blocked_work(locale: Locale, blocked: domain::BlockedWork) -> Option<String> {
    let (n_tasks, time) = (blocked.tasks as usize, format_estimate(locale, blocked.time_ms));
    // Less than a second is not worth mentioning.
    Some(match (locale, blocked.tasks > 0, blocked.time_ms >= 1000) {
        (_, false, false) => return None,
        (Locale::En, true, true) => format!("blocks {} (about {time} of work)", plural(n_tasks, "task")),
        (Locale::En, true, false) => format!("blocks {}", plural(n_tasks, "task")),
        (Locale::En, false, true) => format!("blocks about {time} of work"),
        (Locale::Ko, true, true) => format!("작업 {n_tasks}개 막힘 (약 {time} 분량)"),
        (Locale::Ko, true, false) => format!("작업 {n_tasks}개 막힘"),
        (Locale::Ko, false, true) => format!("약 {time} 분량의 작업 막힘"),
    })
}

/// Returns the number and name of a phase.
pub(crate) fn phase(locale: Locale, number: PhaseNumber, name: &str) -> String {
    let number = match locale {
        Locale::En => format!("Phase {number}"),
        Locale::Ko => format!("{number}단계"),
    };
    if name.is_empty() { number } else { format!("{number} {name}") }
}

pub(crate) fn severity(locale: Locale, severity: Severity) -> &'static str {
    match severity {
        Severity::Low => pick_by_locale(locale, "low", "낮음"),
        Severity::Medium => pick_by_locale(locale, "medium", "보통"),
        Severity::High => pick_by_locale(locale, "high", "높음"),
        Severity::Critical => pick_by_locale(locale, "critical", "매우 높음"),
    }
}

/// Returns the scope of a permission.
pub(crate) fn permission_scope(locale: Locale, scope: PermissionScope) -> &'static str {
    match scope {
        PermissionScope::Once => pick_by_locale(locale, "once", "이번만"),
        PermissionScope::Task => pick_by_locale(locale, "for this task", "이 작업 동안"),
        PermissionScope::Run => pick_by_locale(locale, "for this run", "이 실행 동안"),
        PermissionScope::Project => pick_by_locale(locale, "for the project", "이 프로젝트에서"),
    }
}

/// Returns the verb of a permission request.
pub(crate) fn permission_request(locale: Locale, kind: PermissionKind) -> &'static str {
    match kind {
        PermissionKind::Edit => pick_by_locale(locale, "wants to change", "변경 허가 요청"),
        PermissionKind::Run => pick_by_locale(locale, "wants to run", "실행 허가 요청"),
        PermissionKind::Read => pick_by_locale(locale, "wants to read", "읽기 허가 요청"),
        PermissionKind::Fetch => pick_by_locale(locale, "wants to fetch", "다운로드 허가 요청"),
        PermissionKind::Other => pick_by_locale(locale, "wants permission", "허가 요청"),
    }
}

pub(crate) fn dependency(locale: Locale, kind: DependencyType) -> &'static str {
    match kind {
        DependencyType::ApiKey => pick_by_locale(locale, "an API key", "API 키"),
        DependencyType::EnvVariable => pick_by_locale(locale, "an environment variable", "환경 변수"),
        DependencyType::Service => pick_by_locale(locale, "a service", "서비스"),
        DependencyType::File => pick_by_locale(locale, "a file", "파일"),
        DependencyType::Permission => pick_by_locale(locale, "a permission", "권한"),
        DependencyType::Package => pick_by_locale(locale, "a package", "패키지"),
    }
}
