//! What went wrong, in a line, in Korean for people.

use domain::{Cause, Subject};

/// Returns the title of a problem that Jangdan found itself. What agents or services say stays as they said it.
pub(crate) fn title(cause: &Cause) -> String {
    match cause {
        Cause::FailedAgain { task, failures } => format!("{task} 작업이 {failures}번 실패함"),
        Cause::Failed { task, why } => format!("{task} 작업이 실패함: {why}"),
        Cause::FailsTests { task } => format!("{task} 작업이 테스트를 통과하지 못함"),
        Cause::Untested { task } => format!("{task} 작업을 테스트하지 못함"),
        Cause::Unmergeable { task } => format!("{task} 작업을 병합할 수 없음"),
        Cause::TaskTooLong { task } => format!("{task} 작업이 너무 오래 걸림"),
        Cause::LimitStays { task } => format!("{task} 작업이 풀리지 않는 한도를 기다림"),
        Cause::GateShut { phase } => format!("{phase}단계가 게이트를 통과하지 못함"),
        Cause::BudgetNearlyUsed { of: Subject::Task { task } } => format!("{task} 작업의 예산을 거의 다 씀"),
        Cause::BudgetNearlyUsed { of: Subject::Phase { phase } } => {
            format!("{phase}단계의 예산을 거의 다 씀")
        }
        Cause::BudgetNearlyUsed { of: Subject::Run } => "실행의 예산을 거의 다 씀".to_owned(),
        Cause::NoProtocol { session } => format!("{session} 세션이 프로토콜을 지키지 않음"),
        Cause::Refused { name } => format!("{name} 요청이 거절됨"),
        Cause::Unanswered => "제때 답한 사람이 없음".to_owned(),
        Cause::RunTooLong => "실행이 너무 오래 걸림".to_owned(),
        Cause::NoRoom => "작업 폴더를 더 만들 공간이 없음".to_owned(),
        Cause::OrchestratorGone => "오케스트레이터가 사라짐".to_owned(),
        Cause::MainAgentSilent => "주 에이전트가 아무 말도 하지 않음".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use domain::{Cause, SessionId, Subject};

    use super::title;

    #[test]
    fn what_jangdan_finds_has_a_title_in_both_languages() {
        let task = || "T1.2".parse::<domain::TaskId>().unwrap();
        for (cause, english, korean) in [
            (
                Cause::FailedAgain { task: task(), failures: 3 },
                "T1.2 failed 3 times",
                "T1.2 작업이 3번 실패함",
            ),
            (
                Cause::Failed { task: task(), why: "no credit".to_owned() },
                "T1.2 failed: no credit",
                "T1.2 작업이 실패함: no credit",
            ),
            (Cause::Unmergeable { task: task() }, "T1.2 can't be merged", "T1.2 작업을 병합할 수 없음"),
            (
                Cause::GateShut { phase: 2 },
                "phase 2 does not pass its gate",
                "2단계가 게이트를 통과하지 못함",
            ),
            (
                Cause::BudgetNearlyUsed { of: Subject::Phase { phase: 2 } },
                "the budget of phase 2 is nearly used",
                "2단계의 예산을 거의 다 씀",
            ),
            (
                Cause::BudgetNearlyUsed { of: Subject::Run },
                "the budget of the run is nearly used",
                "실행의 예산을 거의 다 씀",
            ),
            (
                Cause::NoProtocol { session: SessionId(3) },
                "s_3 does not keep to the protocol",
                "s_3 세션이 프로토콜을 지키지 않음",
            ),
            (Cause::Unanswered, "nobody answered in time", "제때 답한 사람이 없음"),
        ] {
            assert_eq!((cause.to_string().as_str(), title(&cause).as_str()), (english, korean));
        }
    }
}
