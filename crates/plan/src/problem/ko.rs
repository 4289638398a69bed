//! The Korean sentences.

use super::{NearestLine, Problem, ProblemText, ValueField, example_line, join_up_to_limit};

fn join_names(names: &[String]) -> String {
    join_up_to_limit(names, |n| format!("외 {n}개"))
}

pub(super) fn text(problem: &Problem) -> ProblemText {
    let new = |message: String, hint: String| ProblemText::new(message, hint);
    match problem {
        Problem::Unreadable { message, hint, .. } => new(message.clone(), hint.clone()),
        Problem::TooManyMarks { max } => {
            new(format!("괄호 등 마크다운 기호가 {max}개를 넘습니다"), "계획을 여러 파일로 나누세요".into())
        }
        Problem::FileTooLarge { mib } => {
            new(format!("파일이 {mib}MiB보다 큽니다"), "계획을 여러 파일로 나누세요".into())
        }
        Problem::NotUtf8 => new("UTF-8 파일이 아닙니다".into(), "UTF-8로 저장하세요".into()),
        Problem::Utf16 => new("UTF-8이 아니라 UTF-16 파일입니다".into(), "UTF-8로 저장하세요".into()),
        Problem::EmptyFile => {
            new("파일이 비어 있습니다".into(), "작업을 적으세요: ### T1: 제목 또는 - [ ] 제목".into())
        }
        Problem::NoTasks { nearest: Some(NearestLine { line, text, rewritten }), .. } => new(
            format!("작업이 없습니다. {line}행이 가장 비슷합니다: {text}"),
            format!("작업이라면 이렇게 쓰세요: {rewritten}"),
        ),
        Problem::NoTasks { format: None, nearest: None } => new(
            "작업이 없습니다".into(),
            "'### T1: 제목' 형식의 제목, ID 열이 있는 표, '- [ ] 제목' 형식의 체크박스 중 하나로 적으세요"
                .into(),
        ),
        Problem::NoTasks { format: Some(format), nearest: None } => {
            new("작업이 없습니다".into(), format!("이렇게 쓰세요: {}", example_line(*format)))
        }
        Problem::EmptyTag { tag, others } => new(
            format!("'{tag}' 태그에 작업이 없습니다. 작업이 있는 태그: {}", join_names(others)),
            format!("다른 태그를 읽으려면: --tag {}", others.first().map_or("NAME", String::as_str)),
        ),
        Problem::UnknownTag { tag, others } => {
            new(format!("'{tag}' 태그가 없습니다"), format!("이 파일의 태그: {}", join_names(others)))
        }
        Problem::OtherTags { tag, others } => new(
            format!("'{tag}' 태그만 읽습니다. 읽지 않는 태그: {}", join_names(others)),
            format!("다른 태그를 읽으려면: --tag {}", others.first().map_or("NAME", String::as_str)),
        ),
        Problem::MoreProblems { n, .. } => new(
            format!("문제 {n}개는 표시하지 않았습니다"),
            "먼저 위 문제를 고친 뒤 실행하세요: jangdan plan check FILE".into(),
        ),
        Problem::DuplicateId { id, first_line, are_done } => new(
            format!("{id} 작업이 {first_line}행에 이미 있습니다"),
            match are_done {
                true => "둘 다 완료되어 첫 번째만 읽습니다",
                false => "하나를 고치거나, 뒤의 ID를 바꾸게 하세요: jangdan plan check FILE --rename",
            }
            .into(),
        ),
        Problem::NotATaskId { text } => new(
            format!("작업 ID가 아닙니다: '{text}'"),
            "T1, T1.3, 1.2, ST-001, P1-R1-T1처럼 영문자와 숫자로 쓰세요".into(),
        ),
        Problem::NoId => new("작업에 ID가 없습니다".into(), "\"id\": 1을 추가하세요".into()),
        Problem::PhaseNumberTooLarge { id } => new(
            format!("{id}의 첫 번째 숫자가 단계 번호로 쓰기에 너무 큽니다"),
            "더 작은 번호를 쓰거나 이 작업의 단계를 지정하세요".into(),
        ),
        Problem::MissingDependency { id, ids } => {
            new(format!("이 계획에 {id} 작업이 없습니다"), missing_dependency_hint(ids))
        }
        Problem::MissingRange { first, last, ids } => {
            new(format!("{first}부터 {last}까지에 해당하는 작업이 없습니다"), missing_dependency_hint(ids))
        }
        Problem::WrongPhase { id, phase, written } => new(
            format!("{id} 작업은 {written}단계가 아니라 {phase}단계에 있습니다"),
            format!("이렇게 쓰세요: P{phase}-{id} 또는 {id}"),
        ),
        Problem::AmbiguousId { id, candidates } => new(
            format!("{id}에 해당하는 작업이 여러 개입니다"),
            format!("이 중 하나를 쓰세요: {}", join_names(candidates)),
        ),
        Problem::TooManyDependencies { limit } => new(
            format!("범위와 그룹을 펼치면 의존성이 {limit}개를 넘습니다"),
            "단계를 쓰세요. 단계는 앞 단계의 모든 작업을 기다립니다".into(),
        ),
        Problem::CircularDependency { cycle, are_done: false } => {
            new(format!("의존성이 순환합니다: {cycle}"), "이 의존성 중 하나를 지우세요".into())
        }
        Problem::CircularDependency { cycle, are_done: true } => {
            new(format!("완료된 작업의 의존성이 순환합니다: {cycle}"), "실행에는 영향이 없습니다".into())
        }
        Problem::NotAPhase { text } => new(format!("단계가 아닙니다: '{text}'"), "단계 번호를 쓰세요".into()),
        Problem::MissingPhase { number } => new(
            format!("{number}단계가 없거나 작업이 없습니다"),
            "있는 단계의 번호를 쓰고, 없으면 '-'를 쓰세요".into(),
        ),
        Problem::UnknownKey { name, known } => new(
            format!("알 수 없는 항목이어서 읽지 않습니다: '{name}'. 비슷한 항목: '{known}'"),
            format!("혹시 **{known}**?"),
        ),
        Problem::InvalidValue { field, text } => {
            let (name, hint) = match field {
                ValueField::Priority => ("우선순위", "low, normal, high, critical 중 하나를 쓰세요"),
                ValueField::TaskMasterPriority => {
                    ("우선순위", "low, medium, high, critical 중 하나를 쓰세요")
                }
                ValueField::Timeout => ("제한 시간", "90s, 30m, 2h, 1h30m처럼 쓰세요"),
                ValueField::Budget => ("예산", "토큰은 200k나 1m, 금액은 $2처럼 쓰세요"),
                ValueField::Status => {
                    ("상태", "대기, 진행 중, 검토, 차단, 보류, 완료, 취소 중 하나를 쓰세요")
                }
            };
            new(format!("{name} 값이 올바르지 않습니다: '{text}'"), hint.into())
        }
        Problem::Deferred { id, title } => new(
            format!("작업 {id}은(는) 보류되어 계획에서 빠집니다: {title}"),
            "이 작업에 의존하는 작업은 사용자가 확인할 때까지 기다립니다".into(),
        ),
        Problem::OrderFromDiagram { n } => new(
            format!("작업에 의존성이 없어 다이어그램의 의존성 {n}개를 읽었습니다"),
            "바꾸려면 작업에 - **의존성**: 을 쓰세요".into(),
        ),
        Problem::UnclearStatus { text } => new(
            format!("'{text}'에서 상태를 알 수 없어 미완료 작업으로 읽었습니다"),
            "끝난 작업이면 '완료'라고 쓰세요".into(),
        ),
        Problem::UnknownComplexity { text } => new(
            format!("S, M, L, XL이 아닌 복잡도는 읽지 않습니다: '{text}'"),
            "S, M, L, XL 중 하나를 쓰세요".into(),
        ),
        Problem::PhaseWithoutNumber { text } => new(
            format!("단계 '{text}'에 번호가 없어 읽지 않습니다"),
            "2 또는 Phase 2: 이름처럼 쓰세요".into(),
        ),
        Problem::CellCount { n_cells, n_columns, has_bar } => new(
            format!("이 행은 {n_cells}칸인데 표는 {n_columns}열입니다"),
            if n_cells > n_columns {
                "글자로 쓰는 세로줄은 \\|로 쓰세요"
            } else if *has_bar {
                "빠진 칸을 추가하세요. 빈 칸은 | |로 씁니다"
            } else {
                "표와 아래 글 사이에 빈 줄을 넣으세요"
            }
            .into(),
        ),
        Problem::MalformedTable { expected } => new(
            "올바른 표가 아닙니다. 둘째 줄이 머리글과 맞지 않습니다".into(),
            format!("둘째 줄을 이렇게 쓰세요: {expected}"),
        ),
        Problem::InvalidJson { reason } => {
            new(format!("올바른 JSON이 아닙니다: {reason}"), "쉼표가 빠졌거나 더 있는지 확인하세요".into())
        }
        Problem::NotATask => new(
            "올바른 작업이 아닙니다. 같은 필드가 반복되지 않는 객체여야 합니다".into(),
            "{\"id\": 1, \"title\": \"…\"}처럼 쓰세요".into(),
        ),
        Problem::NotAString { field } => {
            new(format!("'{field}' 값은 문자열이어야 합니다"), "값을 큰따옴표로 묶으세요".into())
        }
        Problem::NotAList { field } => {
            new(format!("'{field}' 값은 목록이어야 합니다"), "값을 대괄호로 묶으세요".into())
        }
        Problem::NestedSubtasks => {
            new("하위 작업의 하위 작업은 읽지 않습니다".into(), "작업의 하위 작업으로 옮기세요".into())
        }
        Problem::BoxesWithoutId { n, example } => new(
            match n {
                1 => "이 체크박스에는 ID가 없어 작업으로 읽지 않습니다".into(),
                n => format!("이 체크박스와 다른 {}개에는 ID가 없어 작업으로 읽지 않습니다", n - 1),
            },
            format!("작업이라면 {example}처럼 쓰세요"),
        ),
        Problem::ReadAsDependency { text, id } => new(
            format!("{id} 작업에 대한 의존성으로 읽습니다: '{text}'"),
            "계획 밖의 것을 뜻한다면 큰따옴표로 묶으세요".into(),
        ),
        Problem::NotRead { line, n_more } => new(
            match n_more {
                0 => format!("작업으로 읽지 않습니다: {line}"),
                n => format!("작업으로 읽지 않습니다: {line} 외 {n}줄"),
            },
            "작업이라면 이 파일의 다른 작업과 같은 형식으로 쓰세요".into(),
        ),
        Problem::ListedAgain { line, id, first_line, n_more } => new(
            match n_more {
                0 => format!("새 작업이 아니라 {first_line}행의 {id} 작업을 가리킵니다: {line}"),
                n => format!(
                    "새 작업이 아니라 이 계획의 작업을 가리킵니다({id}: {first_line}행): {line} 외 {n}줄"
                ),
            },
            "요약이라면 그대로 두어도 됩니다".into(),
        ),
        Problem::GroupHeading { id, members } => new(
            format!("{id} 항목은 그룹으로 읽습니다: {}", join_names(members)),
            "이 그룹에 의존하면 모두에 의존하는 것입니다".into(),
        ),
        Problem::AllBoxesTicked { id } => new(
            format!("{id} 작업의 체크박스가 모두 선택되어 있지만 상태가 없어 아직 할 작업으로 읽습니다"),
            "끝난 작업이라면 다음 줄을 추가하세요: **상태**: 완료".into(),
        ),
        Problem::ParentIsTask { id, children } => new(
            format!(
                "하위 작업에 없는 내용이 있어 {id} 항목을 별도의 작업으로 읽습니다. 뒤에 할 작업: {}",
                join_names(children)
            ),
            "제목일 뿐이라면 내용을 지우세요".into(),
        ),
        Problem::ParentIsContext { id, children } => ProblemText::without_hint(format!(
            "{id} 항목은 제목으로 읽고 그 내용을 각 하위 작업의 프롬프트에 넣습니다: {}",
            join_names(children)
        )),
        Problem::AssignedIds { first, last } => new(
            match first == last {
                true => format!("ID가 있는 줄이 없어 이 체크박스를 {first} 작업으로 읽습니다"),
                false => {
                    format!("ID가 있는 줄이 없어 체크박스를 순서대로 작업으로 읽습니다: {first}–{last}")
                }
            },
            "ID를 고정하려면 직접 쓰세요: - [ ] T001 …".into(),
        ),
        Problem::InNoWave { id } => new(
            format!("{id} 작업은 의존성 그래프의 어느 웨이브에도 없어 바로 앞 작업 다음에 실행합니다"),
            "다르게 하려면 웨이브에 추가하세요".into(),
        ),
        Problem::ForwardDependency { from, to } => new(
            format!("이 파일에서 {from} 작업보다 뒤에 있어 의존성으로 읽지 않습니다: {to}"),
            "작업을 옮기거나 작업에 직접 의존성을 쓰세요".into(),
        ),
        Problem::NotAnAgent { key, text } => new(
            format!("에이전트 이름이 아니므로 {key} 대신 내용으로 읽습니다: '{text}'"),
            "한 단어로 쓰세요".into(),
        ),
    }
}

fn missing_dependency_hint(ids: &Option<std::ops::RangeInclusive<String>>) -> String {
    match ids {
        Some(ids) if ids.start() == ids.end() => {
            format!("이 계획의 작업 ID: {}. 다른 이름은 큰따옴표로 묶으세요", ids.start())
        }
        Some(ids) => format!(
            "이 계획의 작업 ID: {}부터 {}까지. 다른 이름은 큰따옴표로 묶으세요",
            ids.start(),
            ids.end()
        ),
        None => "의존성이 없으면 '-'를 쓰세요".into(),
    }
}
