//! Names of the subjects that `jangdan doctor` examines.

use super::findings::Subject;
use crate::localized::localized;

pub(super) fn subject_name(subject: Subject) -> String {
    match subject {
        Subject::Version => localized("Jangdan", "장단"),
        Subject::Git => localized("Git", "Git"),
        Subject::Data => localized("Data directory", "데이터 폴더"),
        Subject::Store => localized("Runs", "실행 기록"),
        Subject::Server => localized("Server", "서버"),
        Subject::Sandbox => localized("Sandbox", "샌드박스"),
        Subject::Cgroup => localized("Memory limits", "메모리 제한"),
        Subject::Configuration => localized("Configuration", "설정"),
        Subject::Agent => localized("Agent", "에이전트"),
        Subject::Check => localized("Check", "검증"),
        Subject::Plan => localized("Plan", "계획"),
        Subject::Run => localized("Run", "실행"),
    }
}
