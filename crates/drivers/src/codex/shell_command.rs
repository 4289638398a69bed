//! Extracts the command from a shell invocation.

use std::borrow::Cow;

/// Returns the command of a shell invocation; the whole text if it is not one shell with one command.
///
/// `/bin/bash -lc 'cargo test'` is `cargo test`, which people and patterns refer to.
pub(super) fn unwrap_shell_command(command: &str) -> Cow<'_, str> {
    let inner = || {
        let (program, rest) = command.split_once(' ')?;
        let (option, rest) = rest.split_once(' ')?;
        let shell = program.rsplit('/').next()?;
        let is_shell = matches!(shell, "bash" | "sh" | "zsh" | "dash") && matches!(option, "-c" | "-lc");
        parse_single_word(rest).filter(|_| is_shell)
    };
    inner().map_or(Cow::Borrowed(command), Cow::Owned)
}

/// Parses a text that is exactly one word of a shell.
fn parse_single_word(text: &str) -> Option<String> {
    let mut word = String::new();
    let mut chars = text.chars();
    while let Some(c) = chars.next() {
        match c {
            '\'' => loop {
                match chars.next()? {
                    '\'' => break,
                    c => word.push(c),
                }
            },
            '"' => loop {
                match chars.next()? {
                    '"' => break,
                    '\\' => match chars.next()? {
                        c @ ('"' | '\\' | '$' | '`') => word.push(c),
                        c => word.extend(['\\', c]),
                    },
                    // The outer shell would substitute an unknown value.
                    '$' | '`' => return None,
                    c => word.push(c),
                }
            },
            '\\' => word.push(chars.next()?),
            c if c.is_alphanumeric() || "_-./:=,@%+".contains(c) => word.push(c),
            _ => return None,
        }
    }
    (!word.is_empty()).then_some(word)
}

#[cfg(test)]
mod tests {
    use super::unwrap_shell_command;

    #[test]
    fn shell_with_one_command_is_reduced_to_the_command() {
        let cases = [
            ("/bin/bash -lc 'touch a && cat b'", "touch a && cat b"),
            ("bash -lc ls", "ls"),
            (r#"/usr/bin/zsh -lc "echo 'a' \"b\" \$c""#, r#"echo 'a' "b" $c"#),
            (r"sh -c 'it'\''s'", "it's"),
            ("cargo test", "cargo test"),
        ];
        for (command, expected) in cases {
            assert_eq!(unwrap_shell_command(command), expected);
        }
    }

    #[test]
    fn other_invocations_are_unchanged() {
        let kept = [
            "bash -lc 'cargo test' extra",
            "bash -lc 'cargo test'; rm -rf x",
            "bash -lc 'open",
            "bash -x 'cargo test'",
            "env bash -lc 'cargo test'",
            "bash -lc \"$HOME/x\"",
            "bash -lc ''",
            "bash",
        ];
        for command in kept {
            assert_eq!(unwrap_shell_command(command), command);
        }
    }
}
