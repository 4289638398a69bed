//! Words for states, roles and kinds of rows: their names in JSON, and in Korean.

use domain::{Locale, ParkMode};
use serde::Serialize;
use views::SessionRow;

use crate::{localized::localized, remote::environment_locale};

/// Returns the name of a value in JSON, so that both outputs use the same names; in Korean its word.
pub(crate) fn value_name<T: Serialize>(value: &T) -> String {
    let name = serde_json::to_value(value).ok().and_then(|value| value.as_str().map(str::to_owned));
    let name = name.unwrap_or_default();
    let korean = korean_word(&name).filter(|_| environment_locale() == Locale::Ko);
    korean.map_or(name, str::to_owned)
}

/// Returns the state of a session, or how it is parked.
pub(crate) fn session_state_name(row: &SessionRow) -> String {
    match row.park {
        Some(ParkMode::Hot) => localized("idle", "대기"),
        Some(ParkMode::Frozen) => localized("suspended", "일시 중단"),
        Some(ParkMode::Cold) => localized("stopped, resumes on answer", "중지됨, 답변하면 재개"),
        None => value_name(&row.state),
    }
}

/// Returns the Korean word for a name; a name of a newer version has none.
fn korean_word(name: &str) -> Option<&'static str> {
    Some(match name {
        "waiting" => "대기",
        "ready" => "준비",
        "running" | "inProgress" => "진행 중",
        "paused" => "일시 정지",
        "blocked" => "막힘",
        "checking" => "검증 중",
        "merging" => "병합 중",
        "done" | "completed" => "완료",
        "success" => "통과",
        "failed" => "실패",
        "skipped" => "건너뜀",
        "cancelled" => "중단됨",
        "atGate" => "승인 대기",
        "approved" => "승인됨",
        "landed" => "병합됨",
        "closed" => "승인 전",
        "verifying" => "검증자 확인 중",
        "review" => "승인 필요",
        "rework" => "수정 중",
        "starting" => "시작 중",
        "active" => "활성",
        "waitingInput" => "답변 대기",
        "parked" => "대기",
        "ended" => "종료됨",
        "lost" => "연결 끊김",
        "asked" => "요청됨",
        "withOrchestrator" => "오케스트레이터 검토 중",
        "pending" => "처리 전",
        "answered" => "답변함",
        "delivered" => "전달됨",
        "resumed" => "답변 후 재개",
        "withdrawn" => "철회됨",
        "expired" => "만료됨",
        "provided" => "제공함",
        "refused" => "거절함",
        "escalated" => "상위에 보고됨",
        "open" => "열림",
        "resolved" => "해결됨",
        "orchestrator" => "오케스트레이터",
        "operator" => "오퍼레이터",
        "worker" => "작업자",
        "tester" => "테스터",
        "verifier" => "검증자",
        "specialist" => "전문가",
        "person" => "사용자",
        "low" => "낮음",
        "medium" => "보통",
        "high" => "높음",
        "critical" => "매우 높음",
        "api_key" => "API 키",
        "env_variable" => "환경 변수",
        "service" => "서비스",
        "file" => "파일",
        "permission" => "권한",
        "package" => "패키지",
        "query" => "질문",
        "feedback" => "피드백",
        "result" => "결과",
        "message" => "메시지",
        "file_path" => "파일 경로",
        "github_issue" => "GitHub 이슈",
        "sent" => "보냄",
        "received" => "받는 중",
        "acknowledged" => "전달됨",
        _ => return None,
    })
}
