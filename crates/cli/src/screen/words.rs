//! The words of the screen, in English and Korean.
//!
//! What agents, plans and people wrote stays as it is.

use domain::{DependencyType, Locale, PermissionKind, PermissionScope, PhaseNumber, Severity};
use views::{Party, RunState, TaskState};

use super::amount::about;
use crate::{moment::moment, plural::plural};

/// Returns the one of two texts that is in the language.
pub fn pick<'a>(locale: Locale, english: &'a str, korean: &'a str) -> &'a str {
    match locale {
        Locale::En => english,
        Locale::Ko => korean,
    }
}

/// Returns how a task stands.
pub fn task_state(locale: Locale, state: TaskState) -> &'static str {
    match state {
        TaskState::Waiting => pick(locale, "waiting", "대기"),
        TaskState::Ready => pick(locale, "ready", "준비"),
        TaskState::Running => pick(locale, "running", "진행"),
        TaskState::Blocked => pick(locale, "blocked", "막힘"),
        TaskState::Checking => pick(locale, "checking", "검사"),
        TaskState::Merging => pick(locale, "merging", "병합"),
        TaskState::Done => pick(locale, "done", "완료"),
        TaskState::Failed => pick(locale, "failed", "실패"),
        TaskState::Skipped => pick(locale, "skipped", "건너뜀"),
        TaskState::Cancelled => pick(locale, "cancelled", "취소"),
    }
}

/// Returns how a run stands.
pub fn run_state(locale: Locale, state: RunState) -> &'static str {
    match state {
        RunState::Running => pick(locale, "running", "진행 중"),
        RunState::Paused => pick(locale, "paused", "일시 정지"),
        RunState::Done => pick(locale, "done", "완료"),
        RunState::Failed => pick(locale, "failed", "실패"),
        RunState::Cancelled => pick(locale, "cancelled", "취소됨"),
    }
}

/// Returns on whom something waits.
pub fn party(locale: Locale, party: &Party) -> String {
    match party {
        Party::Person => pick(locale, "you", "나").to_owned(),
        Party::Orchestrator => pick(locale, "the orchestrator", "오케스트레이터").to_owned(),
        Party::Operator => pick(locale, "the operator", "오퍼레이터").to_owned(),
        Party::Agent { agent: Some(agent) } => agent.to_string(),
        Party::Agent { agent: None } => pick(locale, "an agent", "에이전트").to_owned(),
        Party::Clock { until } => format!("{} UTC", moment(*until)),
        Party::Jangdan => "Jangdan".to_owned(),
    }
}

/// Says that something waits for somebody.
pub fn waits_for(locale: Locale, whom: &str) -> String {
    match locale {
        Locale::En => format!("waits for {whom}"),
        Locale::Ko => format!("기다림: {whom}"),
    }
}

/// Says how much something holds up; nothing where it holds up nothing.
pub fn holds_up(locale: Locale, held: domain::BlockedWork) -> Option<String> {
    let (n_tasks, time) = (held.tasks as usize, about(locale, held.time_ms));
    let (has_tasks, has_time) = (held.tasks > 0, held.time_ms > 0);
    let what = match (locale, has_tasks, has_time) {
        (_, false, false) => return None,
        (Locale::En, true, true) => format!("{}, {time}", plural(n_tasks, "task")),
        (Locale::En, true, false) => plural(n_tasks, "task"),
        (Locale::Ko, true, true) => format!("작업 {n_tasks}개, {time}"),
        (Locale::Ko, true, false) => format!("작업 {n_tasks}개"),
        (_, false, true) => time,
    };
    Some(format!("{} {what}", pick(locale, "holds up", "막는 것:")))
}

/// Returns what a phase is called.
pub fn phase(locale: Locale, number: PhaseNumber, name: &str) -> String {
    let number = match locale {
        Locale::En => format!("Phase {number}"),
        Locale::Ko => format!("{number}단계"),
    };
    if name.is_empty() { number } else { format!("{number} {name}") }
}

/// Returns how bad a problem is.
pub fn severity(locale: Locale, severity: Severity) -> &'static str {
    match severity {
        Severity::Low => pick(locale, "low", "낮음"),
        Severity::Medium => pick(locale, "medium", "보통"),
        Severity::High => pick(locale, "high", "높음"),
        Severity::Critical => pick(locale, "critical", "심각"),
    }
}

/// Returns for how long an answer holds.
pub fn keep(locale: Locale, keep: PermissionScope) -> &'static str {
    match keep {
        PermissionScope::Once => pick(locale, "once", "이번만"),
        PermissionScope::Task => pick(locale, "for this task", "이 작업 동안"),
        PermissionScope::Run => pick(locale, "for this run", "이 실행 동안"),
        PermissionScope::Project => pick(locale, "for the project", "이 프로젝트에서"),
    }
}

/// Returns what an agent wants to do.
pub fn act(locale: Locale, kind: PermissionKind) -> &'static str {
    match kind {
        PermissionKind::Edit => pick(locale, "wants to change", "바꾸려 함"),
        PermissionKind::Run => pick(locale, "wants to run", "실행하려 함"),
        PermissionKind::Read => pick(locale, "wants to read", "읽으려 함"),
        PermissionKind::Fetch => pick(locale, "wants to fetch", "받아 오려 함"),
        PermissionKind::Other => pick(locale, "wants permission", "허락을 구함"),
    }
}

/// Returns what kind of thing is needed.
pub fn dependency(locale: Locale, kind: DependencyType) -> &'static str {
    match kind {
        DependencyType::ApiKey => pick(locale, "an API key", "API 키"),
        DependencyType::EnvVariable => pick(locale, "a variable", "환경 변수"),
        DependencyType::Service => pick(locale, "a service", "서비스"),
        DependencyType::File => pick(locale, "a file", "파일"),
        DependencyType::Permission => pick(locale, "a permission", "허락"),
        DependencyType::Package => pick(locale, "a package", "패키지"),
    }
}
