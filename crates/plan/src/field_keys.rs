//! The names of table columns and of `- **Key**: value` lines.

/// A field of a task or a phase.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum FieldKey {
    Id,
    Title,
    Dependencies,
    Complexity,
    Layer,
    Agent,
    Tester,
    Phase,
    Description,
    Acceptance,
    Touches,
    Verify,
    Timeout,
    Priority,
    Budget,
    Worktree,
    Status,
    Optional,
    References,
    /// Phases only: the phases to wait for.
    After,
    /// Phases only: patterns of the files to produce.
    Artefacts,
    /// Files that a task produces: paths among words.
    Files,
    /// Columns only: a number that may be an id.
    Number,
}

/// Lower-case names of each key; the first one is written by `to_tasks_md`.
const KEY_NAMES: [(&str, FieldKey); 85] = [
    ("id", FieldKey::Id),
    ("task id", FieldKey::Id),
    ("작업 id", FieldKey::Id),
    ("태스크 id", FieldKey::Id),
    ("번호", FieldKey::Id),
    ("task", FieldKey::Title),
    ("title", FieldKey::Title),
    ("작업", FieldKey::Title),
    ("태스크", FieldKey::Title),
    ("작업명", FieldKey::Title),
    ("태스크명", FieldKey::Title),
    ("제목", FieldKey::Title),
    ("任务", FieldKey::Title),
    ("タスク", FieldKey::Title),
    ("dependencies", FieldKey::Dependencies),
    ("depends on", FieldKey::Dependencies),
    ("depends", FieldKey::Dependencies),
    ("depends_on", FieldKey::Dependencies),
    ("dependency", FieldKey::Dependencies),
    ("deps", FieldKey::Dependencies),
    ("blocked by", FieldKey::Dependencies),
    ("의존성", FieldKey::Dependencies),
    ("의존", FieldKey::Dependencies),
    ("의존 관계", FieldKey::Dependencies),
    ("의존관계", FieldKey::Dependencies),
    ("선행", FieldKey::Dependencies),
    ("선행 작업", FieldKey::Dependencies),
    ("선행 태스크", FieldKey::Dependencies),
    ("依赖", FieldKey::Dependencies),
    ("依存", FieldKey::Dependencies),
    ("依存関係", FieldKey::Dependencies),
    ("complexity", FieldKey::Complexity),
    ("복잡도", FieldKey::Complexity),
    ("난이도", FieldKey::Complexity),
    ("layer", FieldKey::Layer),
    ("agent", FieldKey::Agent),
    ("담당", FieldKey::Agent),
    ("tester", FieldKey::Tester),
    ("검증", FieldKey::Tester),
    ("phase", FieldKey::Phase),
    ("단계", FieldKey::Phase),
    ("description", FieldKey::Description),
    ("설명", FieldKey::Description),
    ("描述", FieldKey::Description),
    ("説明", FieldKey::Description),
    ("acceptance criteria", FieldKey::Acceptance),
    ("acceptance_criteria", FieldKey::Acceptance),
    ("acceptance", FieldKey::Acceptance),
    ("완료 조건", FieldKey::Acceptance),
    ("완료조건", FieldKey::Acceptance),
    ("완료 기준", FieldKey::Acceptance),
    ("인수 조건", FieldKey::Acceptance),
    ("인수조건", FieldKey::Acceptance),
    ("수용 기준", FieldKey::Acceptance),
    ("touches", FieldKey::Touches),
    ("files", FieldKey::Files),
    ("file", FieldKey::Files),
    ("파일", FieldKey::Files),
    ("수정 파일", FieldKey::Files),
    ("대상 파일", FieldKey::Files),
    ("구현 파일", FieldKey::Files),
    ("deliverables", FieldKey::Files),
    ("verify", FieldKey::Verify),
    ("timeout", FieldKey::Timeout),
    ("priority", FieldKey::Priority),
    ("우선순위", FieldKey::Priority),
    ("우선 순위", FieldKey::Priority),
    ("budget", FieldKey::Budget),
    ("worktree", FieldKey::Worktree),
    ("status", FieldKey::Status),
    ("상태", FieldKey::Status),
    ("진행 상태", FieldKey::Status),
    ("状态", FieldKey::Status),
    ("状態", FieldKey::Status),
    ("状況", FieldKey::Status),
    ("optional", FieldKey::Optional),
    ("references", FieldKey::References),
    ("참조", FieldKey::References),
    ("after", FieldKey::After),
    ("artefacts", FieldKey::Artefacts),
    ("artifacts", FieldKey::Artefacts),
    ("산출물", FieldKey::Artefacts),
    ("#", FieldKey::Number),
    ("no", FieldKey::Number),
    ("no.", FieldKey::Number),
];

impl FieldKey {
    pub(crate) fn from_column_heading(head: &str) -> Option<Self> {
        Self::from_name(undecorated(head))
    }

    /// Splits `**Key**: value` into the key and the trimmed value.
    pub(crate) fn parse_key_line(line: &str) -> Option<(Self, &str)> {
        let (name, value) = split_key_line(line)?;
        Some((Self::from_name(name)?, value))
    }

    /// Returns the unknown key of a line, and the known one that it resembles.
    pub(crate) fn misspelled_key_line(line: &str) -> Option<(&str, &'static str)> {
        let (name, _) = split_key_line(line)?;
        Some((name, closest_key_name(name)?))
    }

    /// Returns the unknown name of a column, and the known one that it resembles.
    pub(crate) fn misspelled_column_heading(head: &str) -> Option<(&str, &'static str)> {
        let name = undecorated(head);
        Some((name, closest_key_name(name)?))
    }

    fn from_name(name: &str) -> Option<Self> {
        KEY_NAMES.iter().find(|(known, _)| is_same_name(name, known)).map(|&(_, key)| key)
    }
}

/// Compares a name with a known one without case; `blocked_by` and `Blocked-by` are `blocked by`.
fn is_same_name(name: &str, known: &str) -> bool {
    let is_same = |(written, known): (u8, u8)| {
        written.eq_ignore_ascii_case(&known) || known == b' ' && matches!(written, b'_' | b'-')
    };
    name.len() == known.len() && name.bytes().zip(known.bytes()).all(is_same)
}

fn undecorated(head: &str) -> &str {
    head.trim_matches(|c: char| c.is_whitespace() || matches!(c, '*' | '_' | '`'))
}

/// Splits `**Key**: value` into the trimmed name and value.
fn split_key_line(line: &str) -> Option<(&str, &str)> {
    let (name, rest) = line.strip_prefix("**")?.split_once("**")?;
    let colons = [':', '：'];
    // Both `**Key**: value` and `**Key:** value` are common.
    let (name, rest) = match name.trim_end().strip_suffix(colons) {
        Some(name) => (name, rest),
        None => (name, rest.trim_start().strip_prefix(colons)?),
    };
    Some((name.trim(), rest.trim()))
}

/// Returns the known name within two edits of an unknown one; `None` for a known name. Short names have other words
/// nearby ("risk", "task"), so that they are compared more strictly.
fn closest_key_name(name: &str) -> Option<&'static str> {
    const LENGTH_MAX: usize = 30;
    // Comparing is expensive, and most names are known.
    if FieldKey::from_name(name).is_some() {
        return None;
    }
    let name = name.to_lowercase();
    // Both are close to another key, but mean something else.
    if matches!(name.as_str(), "담당자" | "검증 방법" | "검증 기준") {
        return None;
    }
    let edits_max = match name.chars().count() {
        0..=3 => return None,
        4..=5 => 1,
        6..=LENGTH_MAX => 2,
        _ => return None,
    };
    let names = KEY_NAMES.iter().filter(|(_, key)| !matches!(key, FieldKey::Files | FieldKey::Number));
    let distances = names.map(|(known, _)| (strsim::damerau_levenshtein(&name, known), *known));
    let (edits, known) = distances.min_by_key(|(edits, _)| *edits)?;
    (1..=edits_max).contains(&edits).then_some(known)
}

#[cfg(test)]
mod tests {
    use super::FieldKey;

    #[test]
    fn a_key_within_two_edits_of_a_known_one_is_misspelled() {
        let known = |name: &str| FieldKey::misspelled_column_heading(name).map(|(_, known)| known);
        for (name, expected) in [
            ("Dependancies", "dependencies"),
            ("Depend on", "depends on"),
            ("Agnet", "agent"),
            ("Verfy", "verify"),
            ("Time out", "timeout"),
            ("Acceptance criterias", "acceptance criteria"),
            ("완료 조걷", "완료 조건"),
        ] {
            assert_eq!(known(name), Some(expected), "{name}");
        }
        for name in [
            "Agent",
            "depends on",
            "Risk",
            "Tests",
            "Notes",
            "Owner",
            "Files",
            "Type",
            "",
            "담당자",
            "작업 내용",
        ] {
            assert_eq!(known(name), None, "{name}");
        }
        assert_eq!(known(&"dependencies".repeat(1000)), None);
    }

    #[test]
    fn a_key_line_is_bold_with_a_colon() {
        for line in ["**Agent**: a b", "**agent:** a b", "**Agent** : a b", "**담당**： a b"] {
            assert_eq!(FieldKey::parse_key_line(line), Some((FieldKey::Agent, "a b")), "{line}");
        }
        let key = |line: &str| FieldKey::parse_key_line(line).map(|(key, _)| key);
        assert_eq!(key("**의존**: T0.1"), Some(FieldKey::Dependencies));
        assert_eq!(key("**depends_on**: []"), Some(FieldKey::Dependencies));
        assert_eq!(key("**blocked_by**: T1"), Some(FieldKey::Dependencies));
        assert_eq!(key("**Acceptance-Criteria**:"), Some(FieldKey::Acceptance));
        assert_eq!(key("**인수 조건**:"), Some(FieldKey::Acceptance));
        for line in ["Agent: x", "**Agent** x", "**Notes**: x", "*Agent*: x", "**"] {
            assert_eq!(FieldKey::parse_key_line(line), None, "{line}");
        }
    }

    #[test]
    fn a_column_may_be_decorated() {
        assert_eq!(FieldKey::from_column_heading(" **Depends on** "), Some(FieldKey::Dependencies));
        assert_eq!(FieldKey::from_column_heading("완료 조건"), Some(FieldKey::Acceptance));
        assert_eq!(FieldKey::from_column_heading("Owner"), None);
    }
}
