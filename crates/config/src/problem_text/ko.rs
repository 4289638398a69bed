//! Problems of the configuration in Korean. No particle follows an inserted name.

use super::{ProblemHint, ProblemMessage};
use crate::value_kind::ValueKind;

pub(super) fn message(message: &ProblemMessage) -> String {
    use ProblemMessage as M;
    match message {
        M::MoreProblems { n_omitted } => format!("문제 {n_omitted}개는 표시하지 않았습니다"),
        M::FileTooLarge { max_kib } => format!("파일이 {max_kib} KiB보다 큽니다"),
        M::NotUtf8 => "UTF-8 텍스트 파일이 아닙니다".to_owned(),
        M::Syntax { message } => format!("TOML 문법 오류: {message}"),
        M::UnknownKey { name } => format!("알 수 없는 키: `{name}`"),
        M::TableOfKeys { path } => format!("값이 아니라 키의 테이블입니다: `{path}`"),
        M::InvalidVariableName => "환경 변수 이름이 올바르지 않습니다".to_owned(),
        M::WrongValue { path, kind } => {
            format!("`{path}` 값이 올바르지 않습니다. 필요한 값: {}", describe(*kind))
        }
        M::InvalidAgentName => "에이전트 이름이 올바르지 않습니다".to_owned(),
        M::TooManyAgents => "에이전트가 너무 많습니다".to_owned(),
        M::RenamedKey { old } => format!("이름이 바뀐 키입니다: `{old}`"),
        M::UnknownAgent { name } => format!("알 수 없는 에이전트: '{name}'"),
        M::ExtendsItself { agent } => format!("자기 자신을 상속하는 에이전트: '{agent}'"),
        M::MissingAgentKeys { agent, keys } => {
            let keys: Vec<_> = keys.iter().map(|key| format!("`{key}`")).collect();
            format!("'{agent}' 에이전트에 필요한 키가 없습니다: {}", keys.join(", "))
        }
        M::NotASetting => "설정이 아닌 변수입니다".to_owned(),
        M::FlagWithoutValue => "옵션에 값이 없습니다".to_owned(),
        M::NulCharacter => "글에 NUL 문자가 있습니다".to_owned(),
        M::NotAString => "문자열이어야 합니다".to_owned(),
        M::EmptyCommitMessage => "메시지가 비어 있습니다".to_owned(),
        M::UnknownPlaceholder { name } => format!("메시지에 알 수 없는 자리 표시자가 있습니다: {{{name}}}"),
        M::EmptyPattern => "패턴이 비어 있습니다".to_owned(),
        M::UnknownPatternKind => "패턴의 종류를 알 수 없습니다".to_owned(),
        M::NameMatchesEverything => "모든 파일과 일치하는 이름입니다".to_owned(),
        M::NameContainsSlash => "이름에 /가 있습니다".to_owned(),
        M::GitFolder => "`.git` 폴더는 복사할 수 없습니다. 워크트리마다 따로 있습니다".to_owned(),
        M::PathOutsideProject => "프로젝트 밖의 경로입니다".to_owned(),
        M::SeveralTaskBudgets => "작업의 예산은 하나만 지정할 수 있습니다".to_owned(),
        M::TooFewPorts => "작업 하나에 필요한 포트보다 범위가 좁습니다".to_owned(),
    }
}

pub(super) fn hint(hint: &ProblemHint) -> String {
    use ProblemHint as H;
    match hint {
        H::DidYouMean { names } => format!("혹시 {}?", names.join(" 또는 ")),
        H::KnownAgents { names } => {
            format!("사용할 수 있는 에이전트: {}. 추가하려면: [agents.NAME]", names.join(", "))
        }
        H::KnownKeys { parent, names } if parent.is_empty() => {
            format!("사용할 수 있는 키: {}", names.join(", "))
        }
        H::KnownKeys { parent, names } => format!("`{parent}`의 키: {}", names.join(", ")),
        H::TableHeader { header } => format!("{header}만 한 줄에 쓰고 그 아래에 키를 쓰세요"),
        H::RemoveExtends => "그중 하나에서 `extends`를 지우세요".to_owned(),
        H::AddAgentKey => "키를 추가하거나 다른 에이전트를 상속하세요: extends = \"shell\"".to_owned(),
        H::WriteVariable { name } => format!("키의 부분은 `_` 두 개로 나눕니다: {name}"),
        H::WriteKeyValue => "KEY=VALUE 형식으로 쓰세요. 예: park.cold_after=1h".to_owned(),
        H::Write { text } => format!("이렇게 쓰세요: {text}"),
        H::WriteWithoutQuotes { text } => format!("따옴표 없이 쓰세요: {text}"),
        H::WriteUnit { digits } => {
            format!("시간에는 단위를 쓰세요: \"{digits}s\", \"{digits}m\" 또는 \"{digits}h\"")
        }
        H::PutInQuotes => "따옴표로 감싸세요".to_owned(),
        H::RemoveNul => "지우세요. 어떤 프로그램도 받아들이지 않습니다".to_owned(),
        H::AgentNameCharacters => "이름에는 문자, 숫자, '_', '-', '.'만 쓸 수 있습니다".to_owned(),
        H::AgentLimit => "256개까지 설정할 수 있습니다".to_owned(),
        H::Placeholders => "{id}, {title}, {agent}, {run} 중에서 쓰세요".to_owned(),
        H::NameAtAnyDepth => "파일이나 폴더의 이름을 쓰세요. 모든 깊이에 적용됩니다".to_owned(),
        H::PathInProject => "프로젝트 루트를 기준으로 한 경로를 쓰세요".to_owned(),
        H::TokensOrMoney => {
            "토큰과 금액 중 하나만 지정하세요. 단계와 실행에는 둘 다 지정할 수 있습니다".to_owned()
        }
        H::PortsPerTask { n_ports } => {
            format!("작업마다 포트 {n_ports}개가 필요합니다(`worktree.ports_per_task`)")
        }
        H::CheckFile => "파일을 올바르게 지정했는지 확인하세요".to_owned(),
        H::SaveAsUtf8 => "UTF-8로 저장하세요".to_owned(),
        H::FixOthersFirst => "먼저 이 문제들을 고친 뒤 다시 확인하세요".to_owned(),
    }
}

/// Describes the accepted values.
fn describe(kind: ValueKind) -> String {
    let text = match kind {
        ValueKind::Boolean => "true 또는 false",
        ValueKind::Number { min, max } => return format!("{min}에서 {max} 사이의 정수"),
        ValueKind::Choice(names) => {
            let names: Vec<_> = names.iter().map(|name| format!("\"{name}\"")).collect();
            return format!("{} 중 하나", names.join(", "));
        }
        ValueKind::Choices(names) => {
            let names: Vec<_> = names.iter().map(|name| format!("\"{name}\"")).collect();
            return format!("{} 중에서 고른 목록", names.join(", "));
        }
        ValueKind::Text => "문자열",
        ValueKind::Texts => "문자열 목록",
        ValueKind::Pair => "문자열 두 개의 목록",
        ValueKind::Time { never: true } => "\"30m\"이나 \"1h30m\" 같은 시간 또는 \"never\"",
        ValueKind::Time { never: false } => "\"30m\"이나 \"1h30m\" 같은 시간",
        ValueKind::Size { none: true } => "\"20 GiB\" 같은 크기 또는 \"none\"",
        ValueKind::Size { none: false } => "\"20 GiB\" 같은 크기",
        ValueKind::Tokens => "200000, \"200k\", \"1m\" 같은 토큰 수",
        ValueKind::Money => "\"$2.50\" 같은 미국 달러 금액",
        ValueKind::Price => "1.25나 \"$1.25\" 같은 토큰 100만 개당 미국 달러 가격",
        ValueKind::Agent => "에이전트 이름",
        ValueKind::Patterns => "\"run:cargo test*\" 같은 패턴의 목록",
        ValueKind::Path => "경로",
        ValueKind::Paths | ValueKind::InnerPaths => "경로 목록",
        ValueKind::Names => "\"__pycache__\"나 \"*.pyc\" 같은 이름의 목록",
        ValueKind::Identity => "`Ada Kim <ada@example.org>` 같은 작성자",
        ValueKind::CommitMessage => "\"{id}: {title}\" 같은 글",
        ValueKind::Ports => "\"20000-29999\"처럼 1023보다 큰 포트의 범위",
    };
    text.to_owned()
}
