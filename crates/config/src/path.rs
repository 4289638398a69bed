//! The names on the way to a value: `agents.claude.command`.

/// Returns a path as it is written; a name that needs them has quotes.
pub(crate) fn dotted(path: &[String]) -> String {
    path.iter().map(|part| quoted(part)).collect::<Vec<_>>().join(".")
}

/// Returns one name as it is written.
pub(crate) fn quoted(name: &str) -> String {
    toml_edit::Key::new(name).display_repr().into_owned()
}

/// Takes a written path apart: dots separate, but not between quotes.
pub(crate) fn split(text: &str) -> Vec<String> {
    let mut path = Vec::new();
    let mut part = String::new();
    let mut quote = None;
    for sign in text.trim().chars() {
        match (quote, sign) {
            (None, '"' | '\'') => quote = Some(sign),
            (Some(open), _) if open == sign => quote = None,
            (None, '.') => path.push(std::mem::take(&mut part)),
            (None | Some(_), _) => part.push(sign),
        }
    }
    path.push(part);
    path
}

#[cfg(test)]
mod tests {
    use super::{dotted, split};

    #[test]
    fn a_path_that_is_written_is_read_back() {
        for path in
            ["park.cold_after", "agents.\"a.b\".environment.A_B", "locale", "agents.\"기획자\".command"]
        {
            assert_eq!(dotted(&split(path)), path);
        }
        assert_eq!(split("agents.기획자.command").len(), 3);
        assert_eq!(split("a..b."), ["a", "", "b", ""]);
    }
}
