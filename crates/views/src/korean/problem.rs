//! What went wrong, in a line, in Korean for people. What agents or services say themselves stays as they said it.

/// Titles that are always the same.
const WHOLE: &[(&str, &str)] = &[
    ("nobody answered in time", "제때 답한 사람이 없음"),
    ("the run takes too long", "실행이 너무 오래 걸림"),
    ("there is no room for another worktree", "작업 폴더를 더 만들 공간이 없음"),
    ("the orchestrator is gone", "오케스트레이터가 사라짐"),
    ("the main agent says nothing", "주 에이전트가 아무 말도 하지 않음"),
    ("the budget of the run is nearly used", "실행의 예산을 거의 다 씀"),
];

/// Titles around a name: what stands before it and behind it, in both languages.
const AROUND: &[([&str; 2], [&str; 2])] = &[
    (["phase ", " does not pass its gate"], ["", "단계가 게이트를 통과하지 못함"]),
    (["the budget of phase ", " is nearly used"], ["", "단계의 예산을 거의 다 씀"]),
    (["the budget of ", " is nearly used"], ["", " 작업의 예산을 거의 다 씀"]),
    (["", " fails its tests"], ["", " 작업이 테스트를 통과하지 못함"]),
    (["", " could not be tested"], ["", " 작업을 테스트하지 못함"]),
    (["", " can't be merged"], ["", " 작업을 병합할 수 없음"]),
    (["", " takes too long"], ["", " 작업이 너무 오래 걸림"]),
    (["", " waits for a limit that does not reset"], ["", " 작업이 풀리지 않는 한도를 기다림"]),
    (["", " does not keep to the protocol"], ["", " 세션이 프로토콜을 지키지 않음"]),
    (["", " is refused"], ["", " 요청이 거절됨"]),
];

/// Puts the title of a problem into Korean, where Jangdan wrote it.
pub(crate) fn title(title: &str) -> Option<String> {
    if let Some((_, korean)) = WHOLE.iter().find(|(english, _)| *english == title) {
        return Some((*korean).to_owned());
    }
    if let Some((task, count)) = title.strip_suffix(" times").and_then(|rest| rest.split_once(" failed ")) {
        return Some(format!("{task} 작업이 {count}번 실패함"));
    }
    if let Some((task, why)) = title.split_once(" failed: ") {
        return Some(format!("{task} 작업이 실패함: {why}"));
    }
    AROUND.iter().find_map(|([before, behind], [korean_before, korean_behind])| {
        let name = title.strip_prefix(before)?.strip_suffix(behind)?;
        Some(format!("{korean_before}{name}{korean_behind}"))
    })
}

#[cfg(test)]
mod tests {
    use super::title;

    #[test]
    fn what_jangdan_writes_has_korean_and_what_others_say_stays() {
        for (english, korean) in [
            ("T1.2 failed 3 times", Some("T1.2 작업이 3번 실패함")),
            ("T1.2 failed: no credit", Some("T1.2 작업이 실패함: no credit")),
            ("T1.2 can't be merged", Some("T1.2 작업을 병합할 수 없음")),
            ("T1.2 fails its tests", Some("T1.2 작업이 테스트를 통과하지 못함")),
            ("phase 2 does not pass its gate", Some("2단계가 게이트를 통과하지 못함")),
            ("the budget of phase 2 is nearly used", Some("2단계의 예산을 거의 다 씀")),
            ("the budget of T1 is nearly used", Some("T1 작업의 예산을 거의 다 씀")),
            ("the budget of the run is nearly used", Some("실행의 예산을 거의 다 씀")),
            ("s_3 does not keep to the protocol", Some("s_3 세션이 프로토콜을 지키지 않음")),
            ("STRIPE_KEY is refused", Some("STRIPE_KEY 요청이 거절됨")),
            ("nobody answered in time", Some("제때 답한 사람이 없음")),
            ("invalid_request: model is gone", None),
        ] {
            assert_eq!(title(english).as_deref(), korean, "{english}");
        }
    }
}
