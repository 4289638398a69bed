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
}

/// Lower-case names of each key; the first one is written by `to_tasks_md`.
const KEY_NAMES: [(&str, FieldKey); 33] = [
    ("id", FieldKey::Id),
    ("task", FieldKey::Title),
    ("title", FieldKey::Title),
    ("작업", FieldKey::Title),
    ("dependencies", FieldKey::Dependencies),
    ("depends on", FieldKey::Dependencies),
    ("의존성", FieldKey::Dependencies),
    ("complexity", FieldKey::Complexity),
    ("복잡도", FieldKey::Complexity),
    ("layer", FieldKey::Layer),
    ("agent", FieldKey::Agent),
    ("담당", FieldKey::Agent),
    ("tester", FieldKey::Tester),
    ("검증", FieldKey::Tester),
    ("phase", FieldKey::Phase),
    ("단계", FieldKey::Phase),
    ("description", FieldKey::Description),
    ("설명", FieldKey::Description),
    ("acceptance criteria", FieldKey::Acceptance),
    ("완료 조건", FieldKey::Acceptance),
    ("touches", FieldKey::Touches),
    ("verify", FieldKey::Verify),
    ("timeout", FieldKey::Timeout),
    ("priority", FieldKey::Priority),
    ("budget", FieldKey::Budget),
    ("worktree", FieldKey::Worktree),
    ("status", FieldKey::Status),
    ("optional", FieldKey::Optional),
    ("references", FieldKey::References),
    ("after", FieldKey::After),
    ("artefacts", FieldKey::Artefacts),
    ("artifacts", FieldKey::Artefacts),
    ("산출물", FieldKey::Artefacts),
];

impl FieldKey {
    pub(crate) fn from_column_heading(head: &str) -> Option<Self> {
        Self::from_name(head.trim_matches(|c: char| c.is_whitespace() || matches!(c, '*' | '_' | '`')))
    }

    /// Splits `**Key**: value` into the key and the trimmed value.
    pub(crate) fn parse_key_line(line: &str) -> Option<(Self, &str)> {
        let (name, rest) = line.strip_prefix("**")?.split_once("**")?;
        let colons = [':', '：'];
        // Both `**Key**: value` and `**Key:** value` are common.
        let (name, rest) = match name.trim_end().strip_suffix(colons) {
            Some(name) => (name, rest),
            None => (name, rest.trim_start().strip_prefix(colons)?),
        };
        Some((Self::from_name(name.trim())?, rest.trim()))
    }

    fn from_name(name: &str) -> Option<Self> {
        KEY_NAMES.iter().find(|(known, _)| name.eq_ignore_ascii_case(known)).map(|&(_, key)| key)
    }
}

#[cfg(test)]
mod tests {
    use super::FieldKey;

    #[test]
    fn a_key_line_is_bold_with_a_colon() {
        for line in ["**Agent**: a b", "**agent:** a b", "**Agent** : a b", "**담당**： a b"] {
            assert_eq!(FieldKey::parse_key_line(line), Some((FieldKey::Agent, "a b")), "{line}");
        }
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
