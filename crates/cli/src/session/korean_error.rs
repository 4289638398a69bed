//! Errors of sessions in Korean. Causes from the system stay as they are.

use std::error::Error;

use runtime::error_chain;
use sessions::SessionError;

/// Returns what failed.
pub(super) fn text(error: &SessionError) -> String {
    let cause = || error.source().map(|source| format!(" ({})", error_chain(source))).unwrap_or_default();
    match error {
        SessionError::Io { path, .. } => format!("사용할 수 없는 경로입니다: {}{}", path.display(), cause()),
        SessionError::BadName { name } => {
            format!("세션 이름에는 글자, 숫자, '-', '_', '.'만 쓸 수 있습니다: '{name}'")
        }
        SessionError::NameInUse { name } => format!("이미 있는 세션입니다: '{name}'"),
        SessionError::Unknown { name, .. } => format!("세션이 없습니다: '{name}'"),
        SessionError::Ambiguous { name, .. } => {
            format!("이 이름으로 시작하는 세션이 여러 개입니다: '{name}'")
        }
        SessionError::NotRunning { name } => format!("실행 중인 세션이 아닙니다: '{name}'"),
        SessionError::NoSandbox { reason } => format!("필요한 샌드박스를 사용할 수 없습니다: {reason}"),
        SessionError::NoProgram { program } => format!("프로그램이 없습니다: {}", program.display()),
        SessionError::Holder { name, .. } => {
            format!("세션이 요청을 처리하지 못했습니다: '{name}'{}", cause())
        }
        SessionError::Spool { name, .. } => format!("세션의 출력을 읽을 수 없습니다: '{name}'{}", cause()),
        SessionError::InUse { name } => format!("다른 프로세스가 입력을 보내고 있는 세션입니다: '{name}'"),
        SessionError::Refused(_) => format!("입력을 보낼 수 없습니다{}", cause()),
        SessionError::QueueFull => "에이전트가 처리하지 않은 입력이 너무 많습니다".to_owned(),
    }
}
