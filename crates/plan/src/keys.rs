//! The names that columns and `- **Key**: value` lines have.

/// What a column or a key line says about a task.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Key {
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
    /// Of a phase, not of a task: the phases it waits for.
    After,
    /// Of a phase, not of a task: what it is to leave behind.
    Artefacts,
}

/// Names in lower case; the first of a key is the one that is written.
const NAMES: [(&str, Key); 33] = [
    ("id", Key::Id),
    ("task", Key::Title),
    ("title", Key::Title),
    ("작업", Key::Title),
    ("dependencies", Key::Dependencies),
    ("depends on", Key::Dependencies),
    ("의존성", Key::Dependencies),
    ("complexity", Key::Complexity),
    ("복잡도", Key::Complexity),
    ("layer", Key::Layer),
    ("agent", Key::Agent),
    ("담당", Key::Agent),
    ("tester", Key::Tester),
    ("검증", Key::Tester),
    ("phase", Key::Phase),
    ("단계", Key::Phase),
    ("description", Key::Description),
    ("설명", Key::Description),
    ("acceptance criteria", Key::Acceptance),
    ("완료 조건", Key::Acceptance),
    ("touches", Key::Touches),
    ("verify", Key::Verify),
    ("timeout", Key::Timeout),
    ("priority", Key::Priority),
    ("budget", Key::Budget),
    ("worktree", Key::Worktree),
    ("status", Key::Status),
    ("optional", Key::Optional),
    ("references", Key::References),
    ("after", Key::After),
    ("artefacts", Key::Artefacts),
    ("artifacts", Key::Artefacts),
    ("산출물", Key::Artefacts),
];

impl Key {
    /// Returns the key of a column's head.
    pub(crate) fn of_column(head: &str) -> Option<Self> {
        Self::named(head.trim_matches(|c: char| c.is_whitespace() || matches!(c, '*' | '_' | '`')))
    }

    /// Takes `**Key**:` from the beginning of a line, and returns what follows.
    pub(crate) fn of_line(line: &str) -> Option<(Self, &str)> {
        let (name, rest) = line.strip_prefix("**")?.split_once("**")?;
        let colons = [':', '：'];
        // Both `**Key**: value` and `**Key:** value` are written.
        let (name, rest) = match name.trim_end().strip_suffix(colons) {
            Some(name) => (name, rest),
            None => (name, rest.trim_start().strip_prefix(colons)?),
        };
        Some((Self::named(name.trim())?, rest.trim()))
    }

    fn named(name: &str) -> Option<Self> {
        NAMES.iter().find(|(known, _)| name.eq_ignore_ascii_case(known)).map(|&(_, key)| key)
    }
}

#[cfg(test)]
mod tests {
    use super::Key;

    #[test]
    fn a_key_line_is_bold_with_a_colon() {
        for line in ["**Agent**: a b", "**agent:** a b", "**Agent** : a b", "**담당**： a b"] {
            assert_eq!(Key::of_line(line), Some((Key::Agent, "a b")), "{line}");
        }
        for line in ["Agent: x", "**Agent** x", "**Notes**: x", "*Agent*: x", "**"] {
            assert_eq!(Key::of_line(line), None, "{line}");
        }
    }

    #[test]
    fn a_column_may_be_decorated() {
        assert_eq!(Key::of_column(" **Depends on** "), Some(Key::Dependencies));
        assert_eq!(Key::of_column("완료 조건"), Some(Key::Acceptance));
        assert_eq!(Key::of_column("Owner"), None);
    }
}
