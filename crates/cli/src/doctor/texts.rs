//! Names of the subjects that `jangdan doctor` examines.

use super::findings::FindingSubject;
use crate::localized::localized;

pub(super) fn subject_name(subject: FindingSubject) -> String {
    match subject {
        FindingSubject::Version => localized("Jangdan", "장단"),
        FindingSubject::Git => localized("Git", "Git"),
        FindingSubject::Data => localized("Data directory", "데이터 폴더"),
        FindingSubject::Store => localized("Runs", "실행 기록"),
        FindingSubject::Server => localized("Server", "서버"),
        FindingSubject::Sandbox => localized("Sandbox", "샌드박스"),
        FindingSubject::Cgroup => localized("Memory limits", "메모리 제한"),
        FindingSubject::Configuration => localized("Configuration", "설정"),
        FindingSubject::Agent => localized("Agent", "에이전트"),
        FindingSubject::Check => localized("Check", "검증"),
        FindingSubject::Plan => localized("Plan", "계획"),
        FindingSubject::Run => localized("Run", "실행"),
    }
}
