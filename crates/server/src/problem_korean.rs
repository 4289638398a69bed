//! Problems in Korean, by their codes. The server writes them in English; names and numbers are taken from there.

use axum::{
    body::Body, extract::Request, http::header::CONTENT_LENGTH, middleware::Next, response::Response,
};
use domain::Locale;

use crate::{extract::RequestLocale, problem::Problem};

/// The part of the server's English text that the Korean text keeps.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum KeptDetail {
    None,
    /// Ids, numbers and quoted words.
    Names,
    /// The object and its state, of a text such as "T1 is done".
    State,
    /// All of it: it has the cause.
    All,
}

/// The Korean text of a code.
struct KoreanText {
    what: &'static str,
    detail: KeptDetail,
    hint: &'static str,
    /// Start of English hints that end with a list; the list is kept.
    list_after: &'static str,
}

/// Answers with the Korean problem if the client prefers Korean.
pub(crate) async fn translate_problem(locale: RequestLocale, request: Request, next: Next) -> Response {
    let mut response = next.run(request).await;
    if locale.0 == Locale::Ko
        && let Some(problem) = response.extensions_mut().remove::<Problem>()
    {
        // Cannot fail: no field is a map.
        *response.body_mut() =
            Body::from(serde_json::to_string(&korean_problem(&problem)).unwrap_or_default());
        response.headers_mut().remove(CONTENT_LENGTH);
    }
    response
}

/// Returns a problem with its detail and hint in Korean; a code of a newer version stays as it is.
pub fn korean_problem(problem: &Problem) -> Problem {
    let Some(text) = text_of_code(&problem.code) else { return problem.clone() };
    let detail = match text.detail {
        KeptDetail::None => String::new(),
        KeptDetail::Names => names_in(&problem.detail),
        KeptDetail::State => object_state(&problem.detail),
        KeptDetail::All => problem.detail.clone(),
    };
    let what = match detail.as_str() {
        "" => format!("{}.", text.what),
        detail => format!("{}: {detail}", text.what),
    };
    let list = list_in_hint(&problem.hint, text.list_after);
    let list = list.map(|list| format!(" {}.", list.trim_end_matches('.').replace(" or ", ", ")));
    let hint = format!("{}{}", text.hint, list.unwrap_or_default());
    Problem { detail: what, hint, ..problem.clone() }
}

/// Returns the list at the end of a hint, which may begin with a capital letter.
fn list_in_hint<'a>(hint: &'a str, before: &str) -> Option<&'a str> {
    let start = hint.get(..before.len()).filter(|start| !start.is_empty())?;
    start.eq_ignore_ascii_case(before).then(|| &hint[before.len()..])
}

/// Translates "T1 is done": "T1 (완료)".
fn object_state(text: &str) -> String {
    let Some((object, state)) = text.trim_end_matches('.').split_once(" is ") else { return text.to_owned() };
    let phase = object.strip_prefix("phase ").or(object.strip_prefix("Phase "));
    let object = match (object, phase) {
        ("the run" | "The run", _) => "실행".to_owned(),
        (_, Some(number)) => format!("{number}단계"),
        (other, None) => other.to_owned(),
    };
    let state = match state {
        "waiting" => "대기",
        "ready" => "준비",
        "running" => "진행 중",
        "checking" | "being checked" => "검증 중",
        "merging" => "병합 중",
        "done" => "완료",
        "failed" => "실패",
        "skipped" => "건너뜀",
        "cancelled" => "취소됨",
        "already paused" => "이미 일시 정지됨",
        "not paused" => "일시 정지 상태 아님",
        "not active" => "진행 중이 아님",
        "not started" => "시작 전",
        "already being merged" => "이미 병합 중",
        "already being cleaned up" => "이미 정리 중",
        "still active" => "아직 진행 중",
        "already finished" => "이미 끝남",
        "already met" => "이미 충족됨",
        "already approved" => "이미 승인됨",
        "already at its gate" => "이미 게이트에 있음",
        "not at its gate" => "아직 게이트가 아님",
        "escalated" => "문제 해결 필요",
        other => other,
    };
    format!("{object} ({state})")
}

/// Returns the ids, numbers and quoted words of a text.
fn names_in(text: &str) -> String {
    let words = text.split_whitespace().map(|word| word.trim_end_matches(['.', ',', ';', ':']));
    let is_name =
        |word: &&str| word.chars().any(|char| char.is_ascii_digit()) || word.starts_with(['\'', '`']);
    words.filter(is_name).collect::<Vec<_>>().join(", ")
}

#[rustfmt::skip] // A table is read by its columns.
fn text_of_code(code: &str) -> Option<KoreanText> {
    use KeptDetail::{All, Names, State};
    const NOTHING: KeptDetail = KeptDetail::None;
    let (what, detail, hint, list_after) = match code {
        "already-answered" => ("이미 답변한 질문입니다", Names, "에이전트에 더 알릴 것이 있으면 작업에 메시지를 보내세요.", ""),
        "already-started" => ("이미 시작한 실행입니다", NOTHING, "다른 실행을 시작하세요.", ""),
        "bad-request" => ("요청이 올바르지 않습니다", All, "명령을 확인하세요.", ""),
        "body-timeout" => ("요청이 제시간에 도착하지 않았습니다", NOTHING, "다시 시도하세요.", ""),
        "busy" => ("다른 프로세스가 데이터 폴더를 사용 중입니다", NOTHING, "잠시 후 다시 시도하세요.", ""),
        "caller-in-session" => ("에이전트는 사용자 권한으로 명령할 수 없습니다", Names, "세션 안에서는 jangdan say를 사용하고, 사용자 명령은 세션 밖의 터미널에서 실행하세요.", ""),
        "code-required" => ("붙여 넣은 계획의 명령을 실행하려면 확인 코드가 필요합니다", NOTHING, "터미널에서 jangdan link --code로 받은 코드를 입력하거나 계획을 프로젝트에 저장하세요.", ""),
        "cross-origin" => ("다른 사이트의 요청은 허용되지 않습니다", NOTHING, "Jangdan의 페이지에서 요청하세요.", ""),
        "dependency-cycle" => ("의존성이 순환합니다", Names, "순환하는 의존성 하나를 제거하세요.", ""),
        "disk-full" => ("디스크가 가득 찼습니다", NOTHING, "공간을 확보한 뒤 다시 시도하세요.", ""),
        "empty-text" => ("내용이 비어 있습니다", NOTHING, "한 단어 이상 입력하세요.", ""),
        "escalation-resolved" => ("이미 해결된 문제입니다", Names, "처리 내용은 실행 기록에서 확인하세요: jangdan log", ""),
        "git-failed" => ("git 오류", All, "저장소를 확인한 뒤 다시 시도하세요.", ""),
        "internal-error" => ("서버 내부 오류", All, "서버 로그를 확인하세요.", ""),
        "invalid-configuration" => ("설정에 오류가 있습니다", All, "설정을 고치세요. 확인: jangdan config check", ""),
        "invalid-plan" => ("계획에 오류가 있습니다", All, "계획을 고친 뒤 다시 시도하세요. 확인: jangdan plan check FILE", ""),
        "invalid-token" => ("토큰이 올바르지 않습니다", NOTHING, "새 링크를 여세요: jangdan link", ""),
        "key-in-progress" => ("같은 요청을 처리하고 있습니다", NOTHING, "잠시 후 다시 시도하세요.", ""),
        "key-reused" => ("이미 다른 요청에 사용한 키입니다", NOTHING, "명령을 다시 실행하세요.", ""),
        "limit-reached" => ("한도에 도달했습니다", Names, "먼저 보낸 것이 처리될 때까지 기다리세요.", ""),
        "method-not-allowed" => ("허용되지 않는 요청입니다", NOTHING, "서버와 같은 버전의 jangdan을 사용하세요.", ""),
        "missing-token" => ("토큰이 없습니다", NOTHING, "링크를 여세요: jangdan link", ""),
        "no-agent" => ("사용할 수 있는 에이전트가 없습니다", All, "부족한 것 확인: jangdan agents", ""),
        "no-pending-question" => ("답변할 질문이 없습니다", NOTHING, "작업에 메시지를 보내려면: jangdan tell TASK TEXT", ""),
        "no-terminal" => ("터미널이 없는 세션입니다", Names, "대화 보기: jangdan conversation TASK", ""),
        "no-worktrees" => ("워크트리 없이 프로젝트 폴더에서 작업하는 실행입니다", NOTHING, "변경 내용은 git diff로 확인하세요.", ""),
        "not-an-option" => ("선택지에 없는 답변입니다", Names, "다음 중에서 선택하세요:", "choose "),
        "not-json" => ("요청이 JSON이 아닙니다", NOTHING, "서버와 같은 버전의 jangdan을 사용하세요.", ""),
        "not-started" => ("아직 시작하지 않은 실행입니다", NOTHING, "실행이 시작된 뒤 다시 시도하세요.", ""),
        "output-unavailable" => ("출력이 남아 있지 않습니다", NOTHING, "처음부터 다시 읽으세요.", ""),
        "plan-done" => ("열린 작업을 이전 실행에서 모두 완료했습니다", Names, "결과를 병합하려면: jangdan land", ""),
        "question-not-pending" => ("답변을 기다리지 않는 질문입니다", Names, "대신 작업에 메시지를 보내세요: jangdan tell TASK TEXT", ""),
        "request-required" => ("반드시 필요한 요청입니다", Names, "제공하거나 거절하세요.", ""),
        "request-settled" => ("이미 처리된 요청입니다", Names, "에이전트에 다른 것이 필요하면 작업에 메시지를 보내세요.", ""),
        "run-cancelled" => ("중단된 실행입니다", NOTHING, "중단된 실행은 재개할 수 없습니다. 새로 시작하세요.", ""),
        "session-not-running" => ("실행 중인 세션이 아닙니다", Names, "세션 목록에서 상태를 확인하세요.", ""),
        "several-pending-questions" => ("답변할 질문이 여러 개입니다", NOTHING, "하나를 지정하세요:", "name one: "),
        "stale-report" => ("이미 끝났습니다", NOTHING, "무시해도 됩니다. 실행은 계속되었습니다.", ""),
        "stopping" => ("서버가 중지되는 중입니다", NOTHING, "실행을 재개하세요: jangdan resume", ""),
        "too-large" => ("요청이 너무 큽니다", NOTHING, "내용을 줄이거나 파일로 전달하세요.", ""),
        "too-many-attempts" => ("잘못된 토큰을 너무 많이 보냈습니다", NOTHING, "잠시 후 다시 시도하세요.", ""),
        "too-many-subscribers" => ("열려 있는 이벤트 스트림이 너무 많습니다", NOTHING, "다른 화면을 닫은 뒤 다시 시도하세요.", ""),
        "too-many-terminals" => ("열려 있는 터미널이 너무 많습니다", NOTHING, "다른 터미널을 닫은 뒤 다시 시도하세요.", ""),
        "unknown-agent" => ("팀에 없는 에이전트입니다", Names, "팀의 에이전트 이름을 지정하세요. 목록: jangdan agents", ""),
        "unknown-caller" => ("호출한 프로세스를 확인할 수 없습니다", NOTHING, "응답을 받을 때까지 실행되는 프로세스에서 호출하세요.", ""),
        "unknown-object" => ("찾을 수 없습니다", Names, "이름을 확인하세요.", ""),
        "unknown-path" => ("서버에 없는 경로입니다", NOTHING, "서버와 같은 버전의 jangdan을 사용하세요.", ""),
        "unknown-phase" => ("없는 단계입니다", Names, "단계 번호를 확인하세요.", ""),
        "unknown-plan" => ("없는 계획 파일입니다", All, "경로를 확인하세요.", ""),
        "unknown-position" => ("로그에 없는 위치입니다", NOTHING, "처음부터 다시 읽으세요.", ""),
        "unknown-project" => ("없는 프로젝트입니다", All, "경로를 확인하세요.", ""),
        "unknown-run" => ("없는 실행입니다", Names, "이름을 확인하세요.", ""),
        "unknown-session" => ("없는 세션입니다", Names, "이름을 확인하세요.", ""),
        "unknown-task" => ("없는 작업입니다", Names, "id를 확인하세요.", ""),
        "unsuitable-action" => ("이 문제에는 사용할 수 없는 처리 방법입니다", Names, "가능한 방법:", "use "),
        "unsuitable-pattern" => ("이 요청에는 사용할 수 없는 패턴입니다", Names, "요청과 일치하는 패턴과 적용 범위를 지정하세요. 예: --similar 'run:npm test *' --for run", ""),
        "wrong-host" => ("다른 호스트로 보낸 요청입니다", NOTHING, "주소를 확인하세요.", ""),
        "wrong-resource-kind" => ("요청한 종류가 아닙니다", Names, "요청에 맞는 것을 제공하세요.", ""),
        "wrong-run-state" => ("지금 상태에서는 할 수 없습니다", State, "실행의 상태를 확인하세요.", ""),
        "wrong-task-state" => ("작업의 지금 상태에서는 할 수 없습니다", State, "작업의 상태를 확인하세요.", ""),
        _ => return None,
    };
    Some(KoreanText { what, detail, hint, list_after })
}

#[cfg(test)]
mod tests {
    use super::{korean_problem, text_of_code};
    use crate::problem::Problem;

    /// Returns the quoted words with this form in a part of a source file.
    fn codes_in(source: &str, start: &str, before: &str) -> Vec<String> {
        let part = source.split(start).nth(1).unwrap().split("\n    }\n").next().unwrap();
        let after = part.split(before).skip(1);
        after.filter_map(|rest| rest.split('"').next()).map(str::to_owned).collect()
    }

    #[test]
    fn every_code_of_the_engine_and_the_server_has_a_korean_text() {
        let engine = codes_in(include_str!("../../engine/src/rejection.rs"), "pub fn code(", "=> \"");
        let server = include_str!("problem_code.rs");
        let server = codes_in(server, "fn name_status_title(", "=> (\"");
        assert!(engine.len() > 20 && server.len() > 30, "{} {}", engine.len(), server.len());
        for code in engine.into_iter().chain(server) {
            assert!(text_of_code(&code).is_some(), "{code}");
        }
    }

    #[test]
    fn korean_texts_keep_names_and_lists() {
        let check = |code: &str, detail: &str, hint: &str, expected: (&str, &str)| {
            let problem = Problem {
                code: code.to_owned(),
                title: String::new(),
                status: 409,
                detail: detail.to_owned(),
                hint: hint.to_owned(),
                pending: Vec::new(),
                diagnostics: Vec::new(),
            };
            let korean = korean_problem(&problem);
            assert_eq!((korean.detail.as_str(), korean.hint.as_str()), expected);
        };
        check(
            "already-answered",
            "q_1 is already answered.",
            "Send a message.",
            ("이미 답변한 질문입니다: q_1", "에이전트에 더 알릴 것이 있으면 작업에 메시지를 보내세요."),
        );
        check(
            "not-an-option",
            "'maybe' is not an option of q_1.",
            "Choose allow, deny.",
            ("선택지에 없는 답변입니다: 'maybe', q_1", "다음 중에서 선택하세요: allow, deny."),
        );
        check(
            "several-pending-questions",
            "2 questions are pending (q_1, q_2)",
            "name one: q_1 or q_2",
            ("답변할 질문이 여러 개입니다.", "하나를 지정하세요: q_1, q_2."),
        );
        let hint = "실행의 상태를 확인하세요.";
        let paused = ("지금 상태에서는 할 수 없습니다: 실행 (이미 일시 정지됨)", hint);
        check("wrong-run-state", "the run is already paused", "", paused);
        let closed = ("지금 상태에서는 할 수 없습니다: 1단계 (아직 게이트가 아님)", hint);
        check("wrong-run-state", "phase 1 is not at its gate", "", closed);
        check("empty-text", "the text is empty", "", ("내용이 비어 있습니다.", "한 단어 이상 입력하세요."));
        check("newer-code", "new", "hint", ("new", "hint"));
    }
}
