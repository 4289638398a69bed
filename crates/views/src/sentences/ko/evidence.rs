//! Korean texts about missing evidence and large files of a task.

use domain::{EvidenceGap, LargeFile, MissingEvidence};

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

/// Returns the question whether to commit files above the size limit.
pub(crate) fn large_file_question(files: &[LargeFile]) -> String {
    format!(
        "작업에 크기 제한을 넘는 새 파일이 있습니다: {}. 작업과 함께 커밋할까요, 제외할까요?",
        LargeFile::list_text(files)
    )
}

pub(super) fn missing_evidence(missing: MissingEvidence) -> &'static str {
    match missing {
        MissingEvidence::NoMessage => "메시지가 없습니다.",
        MissingEvidence::NoChange => "변경된 파일이 없습니다.",
        MissingEvidence::OnlyLargeFiles => "커밋하기에는 너무 큰 파일 외에는 변경된 파일이 없습니다.",
        MissingEvidence::UnchangedSinceDenial => "권한이 거부된 뒤로 변경된 파일이 없습니다.",
        MissingEvidence::UnchangedSinceRejection => "단계가 반려된 뒤로 변경된 파일이 없습니다.",
        MissingEvidence::UnchangedSinceFailedCheck => "검증이 실패한 뒤로 변경된 파일이 없습니다.",
        MissingEvidence::UnchangedSinceConflict => "충돌이 발생한 뒤로 변경된 파일이 없습니다.",
        MissingEvidence::ChangesUnknown => "어떤 파일이 변경되었는지 알 수 없습니다.",
    }
}
