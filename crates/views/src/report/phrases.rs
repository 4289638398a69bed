//! The words of a report, in English and Korean.

use domain::{AttemptNumber, DependencyType, EscalationAction, Locale, PhaseNumber};

use crate::{PhaseState, QuestionState, RequestState, RunState, TaskState};

/// Headings and names of columns.
pub(super) struct Phrases {
    locale: Locale,
    pub(super) report: &'static str,
    pub(super) run: &'static str,
    pub(super) state: &'static str,
    pub(super) tasks: &'static str,
    pub(super) started: &'static str,
    pub(super) ended: &'static str,
    pub(super) not_ended: &'static str,
    pub(super) made: &'static str,
    pub(super) unproved: &'static str,
    pub(super) all_proved: &'static str,
    pub(super) done_before: &'static str,
    pub(super) phase_without_check: &'static str,
    pub(super) phase_waived: &'static str,
    pub(super) default_used: &'static str,
    pub(super) approved_by: &'static str,
    pub(super) gate_checks: &'static str,
    pub(super) task: &'static str,
    pub(super) agent: &'static str,
    pub(super) attempts: &'static str,
    pub(super) estimated: &'static str,
    pub(super) worked: &'static str,
    pub(super) blocked_time: &'static str,
    pub(super) usage: &'static str,
    pub(super) tree: &'static str,
    pub(super) output: &'static str,
    pub(super) questions: &'static str,
    pub(super) asked_by: &'static str,
    pub(super) question: &'static str,
    pub(super) answer: &'static str,
    pub(super) answered_by: &'static str,
    pub(super) waited: &'static str,
    pub(super) requests: &'static str,
    pub(super) kind: &'static str,
    pub(super) request: &'static str,
    pub(super) outcome: &'static str,
    pub(super) decided_by: &'static str,
    pub(super) with_default: &'static str,
    pub(super) problems: &'static str,
    pub(super) open: &'static str,
    pub(super) cause_disappeared: &'static str,
    pub(super) none: &'static str,
    pub(super) time_and_cost: &'static str,
    pub(super) predicted: &'static str,
    pub(super) no_estimates: &'static str,
    pub(super) elapsed: &'static str,
    pub(super) work: &'static str,
    pub(super) verification: &'static str,
    pub(super) coordination: &'static str,
    pub(super) total: &'static str,
    pub(super) done: &'static str,
    pub(super) failed: &'static str,
    pub(super) skipped: &'static str,
    pub(super) cancelled: &'static str,
    pub(super) blocked: &'static str,
    pub(super) waiting: &'static str,
    pub(super) running: &'static str,
}

static ENGLISH: Phrases = Phrases {
    locale: Locale::En,
    report: "Report",
    run: "Run",
    state: "State",
    tasks: "Tasks",
    started: "Started",
    ended: "Ended",
    not_ended: "not yet",
    made: "Report of",
    unproved: "What is not proved",
    all_proved: "Every done task has a receipt of a passed check.",
    done_before: "done before this run",
    phase_without_check: "no check is set: nothing proves this phase",
    phase_waived: "approved despite failed checks",
    default_used: "not answered in time; the default was used",
    approved_by: "Approved by",
    gate_checks: "Checks of the gate:",
    task: "Task",
    agent: "Agent",
    attempts: "Attempts",
    estimated: "Estimate",
    worked: "Working time",
    blocked_time: "Blocked",
    usage: "Usage",
    tree: "tree",
    output: "output",
    questions: "Questions and answers",
    asked_by: "Asked by",
    question: "Question",
    answer: "Answer",
    answered_by: "Answered by",
    waited: "Waited",
    requests: "Requests",
    kind: "Kind",
    request: "Request",
    outcome: "Outcome",
    decided_by: "Decided by",
    with_default: "with the default",
    problems: "Problems and decisions",
    open: "open",
    cause_disappeared: "its cause disappeared",
    none: "None.",
    time_and_cost: "Time and cost",
    predicted: "Predicted by the plan (longest chain of tasks)",
    no_estimates: "the plan has no estimates",
    elapsed: "Elapsed",
    work: "Work",
    verification: "Testing and verification",
    coordination: "Coordination",
    total: "Total",
    done: "done",
    failed: "failed",
    skipped: "skipped",
    cancelled: "cancelled",
    blocked: "blocked",
    waiting: "waiting",
    running: "running",
};

static KOREAN: Phrases = Phrases {
    locale: Locale::Ko,
    report: "보고서",
    run: "실행",
    state: "상태",
    tasks: "작업",
    started: "시작",
    ended: "종료",
    not_ended: "진행 중",
    made: "보고서 작성",
    unproved: "확인되지 않은 항목",
    all_proved: "완료된 모든 작업에 통과한 검증 기록이 있습니다.",
    done_before: "이번 실행 전에 완료됨",
    phase_without_check: "설정된 검증이 없어 이 단계를 확인할 수 없습니다",
    phase_waived: "검증에 실패했지만 승인됨",
    default_used: "답변이 없어 기본값을 사용함",
    approved_by: "승인:",
    gate_checks: "게이트 검증:",
    task: "작업",
    agent: "에이전트",
    attempts: "시도",
    estimated: "예상 시간",
    worked: "작업 시간",
    blocked_time: "막힌 시간",
    usage: "사용량",
    tree: "트리",
    output: "출력",
    questions: "질문과 답변",
    asked_by: "질문한 에이전트",
    question: "질문",
    answer: "답변",
    answered_by: "답변자",
    waited: "대기 시간",
    requests: "요청",
    kind: "종류",
    request: "요청 내용",
    outcome: "결과",
    decided_by: "결정한 사람",
    with_default: "기본값 사용",
    problems: "문제와 결정",
    open: "미해결",
    cause_disappeared: "원인이 사라짐",
    none: "없음",
    time_and_cost: "시간과 비용",
    predicted: "계획상 예상 시간(임계 경로)",
    no_estimates: "계획에 예상 시간이 없음",
    elapsed: "경과 시간",
    work: "작업",
    verification: "테스트와 검증",
    coordination: "조율",
    total: "합계",
    done: "완료",
    failed: "실패",
    skipped: "건너뜀",
    cancelled: "취소",
    blocked: "막힘",
    waiting: "대기",
    running: "진행 중",
};

impl Phrases {
    pub(super) fn of(locale: Locale) -> &'static Self {
        match locale {
            Locale::En => &ENGLISH,
            Locale::Ko => &KOREAN,
        }
    }

    fn pick(&self, english: &'static str, korean: &'static str) -> &'static str {
        match self.locale {
            Locale::En => english,
            Locale::Ko => korean,
        }
    }

    pub(super) fn phase(&self, phase: PhaseNumber) -> String {
        match self.locale {
            Locale::En => format!("Phase {phase}"),
            Locale::Ko => format!("{phase}단계"),
        }
    }

    pub(super) fn attempt(&self, number: AttemptNumber, agent: &str) -> String {
        match self.locale {
            Locale::En => format!("Attempt {number} ({agent})"),
            Locale::Ko => format!("{number}차 시도({agent})"),
        }
    }

    pub(super) fn more(&self, number: u64) -> String {
        match self.locale {
            Locale::En => format!("✕ {number} more failed tests"),
            Locale::Ko => format!("✕ 외 실패한 테스트 {number}건"),
        }
    }

    pub(super) fn unestimated(&self, number: u32) -> String {
        match self.locale {
            Locale::En if number == 1 => "1 task has no estimate".to_owned(),
            Locale::En => format!("{number} tasks have no estimate"),
            Locale::Ko => format!("예상 시간이 없는 작업 {number}개 제외"),
        }
    }

    /// Names the decision on a problem.
    pub(super) fn decision(&self, action: &EscalationAction) -> String {
        match (action, self.locale) {
            (EscalationAction::Retry { .. }, _) => self.pick("retried", "재시도").to_owned(),
            (EscalationAction::Reassign { agent }, Locale::En) => format!("reassigned to {agent}"),
            (EscalationAction::Reassign { agent }, Locale::Ko) => format!("재배정: {agent}"),
            (EscalationAction::Skip, _) => self.pick("skipped", "건너뜀").to_owned(),
            (EscalationAction::Waive, _) => {
                self.pick("accepted without a passed check", "통과한 검증 없이 승인").to_owned()
            }
            (EscalationAction::RaiseBudget { budget }, Locale::En) => format!("budget raised to {budget}"),
            (EscalationAction::RaiseBudget { budget }, Locale::Ko) => format!("예산 증액: {budget}"),
            (EscalationAction::MarkFailed, _) => self.pick("marked as failed", "실패로 표시").to_owned(),
            (EscalationAction::Dismiss, _) => self.pick("dismissed", "닫음").to_owned(),
        }
    }

    pub(super) fn run_state(&self, state: RunState) -> &'static str {
        match state {
            RunState::Running => self.pick("Running", "진행 중"),
            RunState::Paused => self.pick("Paused", "일시 중지"),
            RunState::Done => self.pick("Done", "완료"),
            RunState::Failed => self.pick("Failed", "실패"),
            RunState::Cancelled => self.pick("Cancelled", "중단됨"),
        }
    }

    pub(super) fn phase_state(&self, state: PhaseState) -> &'static str {
        match state {
            PhaseState::Waiting => self.pick("waiting", "대기"),
            PhaseState::Running => self.pick("running", "진행 중"),
            PhaseState::Paused => self.pick("paused", "일시 중지"),
            PhaseState::AtGate => self.pick("at its gate", "게이트 확인 중"),
            PhaseState::Approved => self.pick("approved", "승인됨"),
            PhaseState::Landed => self.pick("merged", "병합됨"),
            PhaseState::Cancelled => self.pick("cancelled", "취소됨"),
        }
    }

    pub(super) fn task_state(&self, state: TaskState) -> &'static str {
        match state {
            TaskState::Waiting => self.pick("Waiting", "대기"),
            TaskState::Ready => self.pick("Ready", "준비됨"),
            TaskState::Running => self.pick("Running", "진행 중"),
            TaskState::Blocked => self.pick("Blocked", "막힘"),
            TaskState::Checking => self.pick("Checking", "검증 중"),
            TaskState::Merging => self.pick("Merging", "병합 중"),
            TaskState::Done => self.pick("Done", "완료"),
            TaskState::Failed => self.pick("Failed", "실패"),
            TaskState::Skipped => self.pick("Skipped", "건너뜀"),
            TaskState::Cancelled => self.pick("Cancelled", "취소됨"),
        }
    }

    pub(super) fn request_state(&self, state: RequestState) -> &'static str {
        match state {
            RequestState::Asked => self.pick("not provided", "제공하지 않음"),
            RequestState::Providing => self.pick("is being provided", "제공하는 중"),
            RequestState::Provided => self.pick("provided", "제공함"),
            RequestState::Refused => self.pick("refused", "거절함"),
            RequestState::Skipped => self.pick("skipped", "건너뜀"),
        }
    }

    pub(super) fn request_type(&self, kind: DependencyType) -> &'static str {
        match kind {
            DependencyType::ApiKey => self.pick("API key", "API 키"),
            DependencyType::EnvVariable => self.pick("environment variable", "환경 변수"),
            DependencyType::Service => self.pick("service", "서비스"),
            DependencyType::File => self.pick("file", "파일"),
            DependencyType::Permission => self.pick("permission", "권한"),
            DependencyType::Package => self.pick("package", "패키지"),
        }
    }

    pub(super) fn question_state(&self, state: QuestionState) -> &'static str {
        match state {
            QuestionState::Asked | QuestionState::WithOrchestrator | QuestionState::Pending => {
                self.pick("not answered", "답변 없음")
            }
            QuestionState::Answered | QuestionState::Delivered | QuestionState::Resumed => {
                self.pick("answered", "답변됨")
            }
            QuestionState::Withdrawn => self.pick("withdrawn", "철회됨"),
            QuestionState::Expired => self.pick("expired", "만료됨"),
        }
    }
}
