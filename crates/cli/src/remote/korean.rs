//! Why a command could not reach the server, in Korean. What the server refuses is translated by its code.

use runtime::error_chain;
use server::{ClientError, korean_problem};

/// Returns what failed and what to do.
pub(super) fn client_failure_text(error: &ClientError) -> (String, String) {
    let (what, hint) = match error {
        ClientError::Refused { problem, .. } => {
            let problem = korean_problem(problem);
            return (problem.detail, problem.hint);
        }
        ClientError::Server(_) => {
            ("서버를 시작할 수 없습니다", "데이터 폴더를 확인하거나 --data DIR 옵션을 사용하세요.")
        }
        ClientError::Unreachable { .. } => {
            ("서버에 연결할 수 없습니다", "데이터 폴더의 소유자를 확인하세요.")
        }
        ClientError::ConnectionLost { .. } => {
            ("응답을 받기 전에 서버와의 연결이 끊어졌습니다", "다시 시도하세요. 접수된 명령은 유지됩니다.")
        }
        ClientError::Timeout { .. } => {
            ("서버가 제시간에 응답하지 않았습니다", "서버가 바쁜지 확인하거나 서버를 다시 시작하세요.")
        }
        ClientError::InvalidResponse { .. } => {
            ("서버의 응답을 이해할 수 없습니다", "서버와 같은 버전을 사용하거나 서버를 다시 시작하세요.")
        }
    };
    (format!("{what}: {}", error_chain(error)), hint.to_owned())
}
