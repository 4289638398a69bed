//! Titles of problems in Korean.

use domain::{EscalationCause, EscalationSubject, MovedRef};

use super::phrases::check_obstacle;

/// Returns the title of a problem that Jangdan found itself. The reasons of agents and services are not translated.
pub(crate) fn escalation_title(cause: &EscalationCause) -> String {
    match cause {
        EscalationCause::RepeatedFailure { task, failures } => format!("{task} 작업 {failures}회 실패"),
        EscalationCause::TaskFailed { task, why } => format!("{task} 작업 실패: {why}"),
        EscalationCause::TestsFailing { task } => format!("{task} 작업이 테스트를 통과하지 못함"),
        EscalationCause::CheckNotRun { of, command, obstacle } => {
            let subject = match of {
                EscalationSubject::Task { task } => format!("{task} 작업의 검증을"),
                EscalationSubject::Phase { phase } => format!("{phase}단계의 검증을"),
                EscalationSubject::Run => "검증을".to_owned(),
            };
            format!("{subject} 실행하지 못함: `{command}`: {}", check_obstacle(obstacle))
        }
        EscalationCause::TestingFailed { task } => format!("{task} 작업을 테스트하지 못함"),
        EscalationCause::EvidenceMissing { task } => format!("{task} 작업에 진전이 없음"),
        EscalationCause::MergeFailed { task } => format!("{task} 작업을 병합하지 못함"),
        EscalationCause::TaskTimeout { task } => format!("{task} 작업 시간 초과"),
        EscalationCause::RateLimitPersists { task } => format!("{task} 작업의 사용량 제한이 해제되지 않음"),
        EscalationCause::GateFailed { phase } => format!("{phase}단계가 게이트를 통과하지 못함"),
        EscalationCause::BudgetNearlyUsed { of: EscalationSubject::Task { task } } => {
            format!("{task} 작업의 예산이 거의 소진됨")
        }
        EscalationCause::BudgetNearlyUsed { of: EscalationSubject::Phase { phase } } => {
            format!("{phase}단계의 예산이 거의 소진됨")
        }
        EscalationCause::BudgetNearlyUsed { of: EscalationSubject::Run } => {
            "실행의 예산이 거의 소진됨".to_owned()
        }
        EscalationCause::ProtocolViolated { session } => {
            format!("{session} 세션이 잘못된 메시지를 계속 보냄")
        }
        EscalationCause::MessageFlood { session } => format!("{session} 세션이 메시지를 너무 많이 보냄"),
        EscalationCause::RequestRefused { name } => format!("{name} 요청이 거절됨"),
        EscalationCause::QuestionExpired => "질문이 제때 답변되지 않음".to_owned(),
        EscalationCause::RunTimeout => "실행 시간 초과".to_owned(),
        EscalationCause::DiskBudgetExhausted => "워크트리를 만들 디스크 공간이 부족함".to_owned(),
        EscalationCause::DiskFull => "디스크가 가득 참: 공간을 확보해 주세요".to_owned(),
        EscalationCause::OrchestratorLost => "오케스트레이터가 종료됨".to_owned(),
        EscalationCause::RefMoved(MovedRef { name, .. }) => format!("다른 프로그램이 {name} 참조를 옮김"),
        EscalationCause::ActedAsUser { process } => format!("{process}: 사용자 권한으로 명령을 시도함"),
        EscalationCause::MainAgentSilent => "메인 에이전트가 응답하지 않음".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use domain::{CheckObstacle, EscalationCause, EscalationSubject, SessionId};

    use super::escalation_title;

    #[test]
    fn causes_have_a_title_in_both_languages() {
        let task = || "T1.2".parse::<domain::TaskId>().unwrap();
        for (cause, english, korean) in [
            (
                EscalationCause::RepeatedFailure { task: task(), failures: 3 },
                "T1.2 failed 3 times",
                "T1.2 작업 3회 실패",
            ),
            (
                EscalationCause::TaskFailed { task: task(), why: "no credit".to_owned() },
                "T1.2 failed: no credit",
                "T1.2 작업 실패: no credit",
            ),
            (
                EscalationCause::MergeFailed { task: task() },
                "T1.2 could not be merged",
                "T1.2 작업을 병합하지 못함",
            ),
            (
                EscalationCause::GateFailed { phase: 2 },
                "phase 2 did not pass its gate",
                "2단계가 게이트를 통과하지 못함",
            ),
            (
                EscalationCause::BudgetNearlyUsed { of: EscalationSubject::Phase { phase: 2 } },
                "the budget of phase 2 is nearly used up",
                "2단계의 예산이 거의 소진됨",
            ),
            (
                EscalationCause::BudgetNearlyUsed { of: EscalationSubject::Run },
                "the budget of the run is nearly used up",
                "실행의 예산이 거의 소진됨",
            ),
            (
                EscalationCause::ProtocolViolated { session: SessionId(3) },
                "s_3 keeps sending invalid messages",
                "s_3 세션이 잘못된 메시지를 계속 보냄",
            ),
            (
                EscalationCause::MessageFlood { session: SessionId(3) },
                "s_3 sends too many messages",
                "s_3 세션이 메시지를 너무 많이 보냄",
            ),
            (
                EscalationCause::CheckNotRun {
                    of: EscalationSubject::Task { task: task() },
                    command: "pytst -q".to_owned(),
                    obstacle: CheckObstacle::ProgramNotFound { program: "pytst".to_owned() },
                },
                "the check of T1.2 could not run: `pytst -q`: pytst is not on PATH",
                "T1.2 작업의 검증을 실행하지 못함: `pytst -q`: PATH에서 찾을 수 없는 프로그램: pytst",
            ),
            (
                EscalationCause::QuestionExpired,
                "a question was not answered in time",
                "질문이 제때 답변되지 않음",
            ),
        ] {
            assert_eq!((cause.to_string().as_str(), escalation_title(&cause).as_str()), (english, korean));
        }
    }
}
