//! Paths of keys, such as `agents.claude.command`.

/// Writes a path, with quotes around parts that need them.
pub(crate) fn dotted(path: &[String]) -> String {
    path.iter().map(|part| quoted(part)).collect::<Vec<_>>().join(".")
}

/// Writes one part of a path.
pub(crate) fn quoted(name: &str) -> String {
    toml_edit::Key::new(name).display_repr().into_owned()
}

/// Splits a written path at the dots outside of quotes.
pub(crate) fn split(text: &str) -> Vec<String> {
    let mut path = Vec::new();
    let mut part = String::new();
    let mut quote = None;
    for char in text.trim().chars() {
        match (quote, char) {
            (None, '"' | '\'') => quote = Some(char),
            (Some(open), _) if open == char => quote = None,
            (None, '.') => path.push(std::mem::take(&mut part)),
            (None | Some(_), _) => part.push(char),
        }
    }
    path.push(part);
    path
}

#[cfg(test)]
mod tests {
    use super::{dotted, split};

    #[test]
    fn written_paths_are_split_again() {
        for path in
            ["park.cold_after", "agents.\"a.b\".environment.A_B", "locale", "agents.\"기획자\".command"]
        {
            assert_eq!(dotted(&split(path)), path);
        }
        assert_eq!(split("agents.기획자.command").len(), 3);
        assert_eq!(split("a..b."), ["a", "", "b", ""]);
    }
}
