//! What went wrong, in a line, in Korean for people.

use domain::{EscalationCause, EscalationSubject};

/// Returns the title of a problem that Jangdan found itself. What agents or services say stays as they said it.
pub(crate) fn title(cause: &EscalationCause) -> String {
    match cause {
        EscalationCause::RepeatedFailure { task, failures } => format!("{task} 작업이 {failures}번 실패함"),
        EscalationCause::TaskFailed { task, why } => format!("{task} 작업이 실패함: {why}"),
        EscalationCause::TestsFailing { task } => format!("{task} 작업이 테스트를 통과하지 못함"),
        EscalationCause::TestingFailed { task } => format!("{task} 작업을 테스트하지 못함"),
        EscalationCause::MergeFailed { task } => format!("{task} 작업을 병합할 수 없음"),
        EscalationCause::TaskTimeout { task } => format!("{task} 작업이 너무 오래 걸림"),
        EscalationCause::RateLimitPersists { task } => format!("{task} 작업이 풀리지 않는 한도를 기다림"),
        EscalationCause::GateFailed { phase } => format!("{phase}단계가 게이트를 통과하지 못함"),
        EscalationCause::BudgetNearlyUsed { of: EscalationSubject::Task { task } } => {
            format!("{task} 작업의 예산을 거의 다 씀")
        }
        EscalationCause::BudgetNearlyUsed { of: EscalationSubject::Phase { phase } } => {
            format!("{phase}단계의 예산을 거의 다 씀")
        }
        EscalationCause::BudgetNearlyUsed { of: EscalationSubject::Run } => {
            "실행의 예산을 거의 다 씀".to_owned()
        }
        EscalationCause::ProtocolViolated { session } => format!("{session} 세션이 프로토콜을 지키지 않음"),
        EscalationCause::RequestRefused { name } => format!("{name} 요청이 거절됨"),
        EscalationCause::QuestionExpired => "제때 답한 사람이 없음".to_owned(),
        EscalationCause::RunTimeout => "실행이 너무 오래 걸림".to_owned(),
        EscalationCause::DiskBudgetExhausted => "작업 폴더를 더 만들 공간이 없음".to_owned(),
        EscalationCause::OrchestratorLost => "오케스트레이터가 사라짐".to_owned(),
        EscalationCause::MainAgentSilent => "주 에이전트가 아무 말도 하지 않음".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use domain::{EscalationCause, EscalationSubject, SessionId};

    use super::title;

    #[test]
    fn what_jangdan_finds_has_a_title_in_both_languages() {
        let task = || "T1.2".parse::<domain::TaskId>().unwrap();
        for (cause, english, korean) in [
            (
                EscalationCause::RepeatedFailure { task: task(), failures: 3 },
                "T1.2 failed 3 times",
                "T1.2 작업이 3번 실패함",
            ),
            (
                EscalationCause::TaskFailed { task: task(), why: "no credit".to_owned() },
                "T1.2 failed: no credit",
                "T1.2 작업이 실패함: no credit",
            ),
            (
                EscalationCause::MergeFailed { task: task() },
                "T1.2 could not be merged",
                "T1.2 작업을 병합할 수 없음",
            ),
            (
                EscalationCause::GateFailed { phase: 2 },
                "phase 2 did not pass its gate",
                "2단계가 게이트를 통과하지 못함",
            ),
            (
                EscalationCause::BudgetNearlyUsed { of: EscalationSubject::Phase { phase: 2 } },
                "the budget of phase 2 is nearly used up",
                "2단계의 예산을 거의 다 씀",
            ),
            (
                EscalationCause::BudgetNearlyUsed { of: EscalationSubject::Run },
                "the budget of the run is nearly used up",
                "실행의 예산을 거의 다 씀",
            ),
            (
                EscalationCause::ProtocolViolated { session: SessionId(3) },
                "s_3 keeps sending invalid messages",
                "s_3 세션이 프로토콜을 지키지 않음",
            ),
            (
                EscalationCause::QuestionExpired,
                "a question was not answered in time",
                "제때 답한 사람이 없음",
            ),
        ] {
            assert_eq!((cause.to_string().as_str(), title(&cause).as_str()), (english, korean));
        }
    }
}
