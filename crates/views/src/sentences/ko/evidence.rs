//! Korean texts about missing evidence of a task.

use domain::{EvidenceGap, MissingEvidence};

/// Returns the question that Jangdan asks in place of an agent.
pub(crate) fn evidence_question(gap: &EvidenceGap) -> String {
    let mut text = match gap.missing.contains(&MissingEvidence::NoMessage) {
        true => "에이전트가 작업 완료를 보고하지 않고 멈췄습니다.",
        false => "에이전트가 근거 없이 작업 완료를 보고했습니다.",
    }
    .to_owned();
    for missing in gap.missing.iter().filter(|missing| **missing != MissingEvidence::NoMessage) {
        text.push(' ');
        text.push_str(missing_evidence(*missing));
    }
    if !gap.last_words.is_empty() {
        text.push_str(&format!(" 에이전트의 마지막 말: \u{201c}{}\u{201d}", gap.last_words));
    }
    text.push_str(" 어떻게 진행할까요?");
    text
}

pub(super) fn missing_evidence(missing: MissingEvidence) -> &'static str {
    match missing {
        MissingEvidence::NoMessage => "메시지가 없습니다.",
        MissingEvidence::NoChange => "변경된 파일이 없습니다.",
        MissingEvidence::UnchangedSinceDenial => "권한이 거부된 뒤로 변경된 파일이 없습니다.",
        MissingEvidence::UnchangedSinceRejection => "단계가 반려된 뒤로 변경된 파일이 없습니다.",
        MissingEvidence::UnchangedSinceFailedCheck => "검증이 실패한 뒤로 변경된 파일이 없습니다.",
        MissingEvidence::UnchangedSinceConflict => "충돌이 발생한 뒤로 변경된 파일이 없습니다.",
        MissingEvidence::ChangesUnknown => "어떤 파일이 변경되었는지 알 수 없습니다.",
    }
}
