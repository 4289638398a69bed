//! Translates the reasons and descriptions that the engine and the runtime write in English, because agents read them too.
//!
//! Text of agents, services and users matches no pattern and stays as it is.

/// English patterns and their Korean. `*` stands for a number, an id or an amount; at the end of a pattern, and before a
/// text that is long enough to be recognized, for any text.
const TEXTS: &[(&str, &str)] = &[
    // Failures of attempts.
    ("The last attempt failed: *", "이전 시도 실패: *"),
    ("the agent exited with status *", "에이전트 프로세스 종료 코드 *"),
    ("the agent was killed by a signal", "에이전트 프로세스가 시그널로 종료됨"),
    ("the agent was lost: *", "에이전트 프로세스가 사라짐: *"),
    ("the agent gave no reason", "에이전트가 이유를 밝히지 않음"),
    ("its checks failed", "검증 실패"),
    ("it could not be merged: *", "병합하지 못함: *"),
    ("it was marked as failed", "실패로 표시됨"),
    ("its work still conflicts with merged work", "병합된 작업과 여전히 충돌함"),
    (
        "its holder was killed; * of its processes were ended",
        "세션 홀더가 강제 종료되어 프로세스 *개를 종료함",
    ),
    // Descriptions of problems.
    ("* failed * test rounds", "* 작업이 테스트에 *회 실패함"),
    ("* has expired", "* 질문 만료"),
    ("further messages of this minute are ignored", "1분이 지날 때까지 이후 메시지는 무시됩니다"),
    ("it sent *, which only the user may do; it was refused", "사용자만 할 수 있는 요청을 보내 거부함: *"),
    ("* invalid messages in a row", "잘못된 메시지 연속 *건"),
    ("* invalid messages of one kind", "같은 종류의 잘못된 메시지 *건"),
    ("* of * tokens", "토큰 *개 사용 (한도 *개)"),
    ("* of * tokens, $* of $*", "토큰 *개 사용 (한도 *개), $* 사용 (한도 $*)"),
    ("$* of $*", "$* 사용 (한도 $*)"),
    ("* tasks wait for its request: *", "작업 *개가 시작 요청을 기다리는 중: *"),
    ("* waits so far", "지금까지 *회 대기"),
    (
        "check its terminal: it may wait for you or hang",
        "터미널을 확인하세요. 입력을 기다리거나 멈춰 있을 수 있습니다",
    ),
    (
        "its process ended too often; questions now go to you directly",
        "프로세스가 너무 자주 종료되어 이제 질문이 나에게 바로 전달됩니다",
    ),
    ("no new task starts; running tasks continue", "새 작업을 시작하지 않으며, 진행 중인 작업은 계속합니다"),
    ("ran for * minutes", "*분 동안 실행"),
    ("the tester ended its turn without a verdict", "테스터가 판정 없이 응답을 마침"),
    ("the tester ended without a verdict", "테스터가 판정 없이 종료됨"),
    ("the verifier ended its turn without a verdict", "검증자가 판정 없이 응답을 마침"),
    ("the verifier ended without a verdict", "검증자가 판정 없이 종료됨"),
    ("worked for * minutes", "*분 동안 작업"),
    // Results of a gate, joined by semicolons.
    ("`*` passed", "`*` 통과"),
    ("`*` failed", "`*` 실패"),
    ("`*` could not run", "`*` 실행 불가"),
    ("retry runs the check again, without the agent", "재시도하면 에이전트 없이 검증을 다시 실행합니다"),
    ("no file matches `*`", "일치하는 파일 없음: `*`"),
    ("too few files match `*`", "일치하는 파일 부족: `*`"),
    ("`*` was reported but does not exist", "보고되었으나 없는 문서: `*`"),
    ("`*` was reported but is not a path inside the project", "보고되었으나 프로젝트 밖에 있는 문서: `*`"),
    ("`*` was reported but is not a regular file", "보고되었으나 일반 파일이 아닌 문서: `*`"),
    ("no check is set: nothing proves this phase", "설정된 검증이 없어 이 단계를 확인할 수 없음"),
    // Remarks about a new run, and about worktrees that are not deleted.
    (
        "* works on the tasks: no other agent is configured.",
        "설정된 에이전트가 없어 * 에이전트가 작업합니다.",
    ),
    (
        "No branch is checked out: the work stays on the run's own branch.",
        "체크아웃한 브랜치가 없어 결과는 실행의 브랜치에 남습니다.",
    ),
    ("the task has not ended", "끝나지 않은 작업"),
    // Reasons of other events and of inputs.
    ("* is done", "* 작업 완료"),
    ("* is retried", "* 작업 재시도"),
    ("* was cancelled", "* 작업 취소"),
    ("* was marked as failed", "* 작업이 실패로 표시됨"),
    ("* was not answered in time", "* 질문이 제때 답변되지 않음"),
    ("* was skipped", "* 작업 건너뜀"),
    ("Jangdan was stopped during your turn", "응답 중에 장단이 중지됨"),
    ("cannot examine the phase: *", "단계를 검사할 수 없음: *"),
    ("continue the test of *", "* 작업의 테스트 계속"),
    ("it is open again in the plan", "계획에서 다시 열림"),
    ("its process ended too early", "프로세스가 너무 일찍 종료됨"),
    ("its session ended", "세션 종료"),
    ("skipped", "건너뜀"),
    ("the caller has ended", "호출한 에이전트가 종료됨"),
    ("the phase has no work", "단계에 할 작업이 없음"),
    ("the plan file can no longer be read", "계획 파일을 더 이상 읽을 수 없음"),
    ("the plan file matches the run again", "계획 파일이 실행과 다시 일치함"),
    ("the run continues", "실행 재개"),
    ("the run has ended", "실행 종료"),
];

/// Length in bytes from which the text after a `*` identifies the pattern.
const DISTINCT_BYTES_MIN: usize = 20;

/// Returns the Korean of a text that the engine or the runtime wrote, and any other text unchanged.
pub fn translate_engine_text(text: &str) -> String {
    translate_whole_text(text).unwrap_or_else(|| {
        let parts =
            text.split("; ").map(|part| translate_whole_text(part).unwrap_or_else(|| part.to_owned()));
        parts.collect::<Vec<_>>().join("; ")
    })
}

fn translate_whole_text(text: &str) -> Option<String> {
    TEXTS.iter().find_map(|(english, korean)| {
        let parts = match_pattern(english, text.trim())?;
        let mut parts = parts.into_iter().map(translate_engine_text);
        let fill = |piece: &str| format!("{}{piece}", parts.next().unwrap_or_default());
        let (first, rest) =
            korean.split_once('*').map_or((*korean, None), |(first, rest)| (first, Some(rest)));
        let rest: String = rest.iter().flat_map(|rest| rest.split('*')).map(fill).collect();
        Some(format!("{first}{rest}"))
    })
}

/// Returns the parts of a text at the `*` of a pattern; `None` if the text does not match.
fn match_pattern<'a>(pattern: &str, text: &'a str) -> Option<Vec<&'a str>> {
    let mut literals = pattern.split('*');
    let mut rest = text.strip_prefix(literals.next()?)?;
    let mut parts = Vec::new();
    for literal in literals {
        let end = if literal.is_empty() { rest.len() } else { rest.find(literal)? };
        let (part, tail) = rest.split_at(end);
        // "It is done" can be text of an agent, "T1.2 is done" cannot.
        let is_value = part.bytes().any(|byte| byte.is_ascii_digit()) && !part.contains(char::is_whitespace);
        let is_distinct =
            literal.len() >= DISTINCT_BYTES_MIN || literal.starts_with('`') || literal.is_empty();
        if !is_distinct && !is_value {
            return None;
        }
        parts.push(part);
        rest = tail.strip_prefix(literal)?;
    }
    rest.is_empty().then_some(parts)
}

#[cfg(test)]
mod tests {
    use super::{TEXTS, translate_engine_text};

    #[test]
    fn engine_texts_are_translated_and_other_texts_are_not() {
        let check = |text: &str, expected: &str| assert_eq!(translate_engine_text(text), expected);
        check("the agent exited with status 3", "에이전트 프로세스 종료 코드 3");
        check(
            "The last attempt failed: the agent was lost: no space",
            "이전 시도 실패: 에이전트 프로세스가 사라짐: no space",
        );
        check("T1.2 is retried", "T1.2 작업 재시도");
        check("T1.2 failed 3 test rounds", "T1.2 작업이 테스트에 3회 실패함");
        check("900 of 1000 tokens", "토큰 900개 사용 (한도 1000개)");
        check("900 of 1000 tokens, $0.90 of $1.00", "토큰 900개 사용 (한도 1000개), $0.90 사용 (한도 $1.00)");
        check(
            "Claude Code works on the tasks: no other agent is configured.",
            "설정된 에이전트가 없어 Claude Code 에이전트가 작업합니다.",
        );
        check("`sh test.sh` passed; no file matches `*.md`", "`sh test.sh` 통과; 일치하는 파일 없음: `*.md`");
        check("continue the test of T1.2", "T1.2 작업의 테스트 계속");
        for text in ["It is done", "my work on T1.2 is done", "no credit", "", "the run has ended, I think"] {
            check(text, text);
        }
    }

    #[test]
    fn translations_have_the_parts_of_their_pattern_and_no_english() {
        for (english, korean) in TEXTS {
            assert_eq!(english.matches('*').count(), korean.matches('*').count(), "{english}");
            assert!(!korean.contains(|char: char| char.is_ascii_alphabetic()), "{korean}");
        }
    }
}
