//! Hostile input: nothing panics, takes long, or reports without bound.

use crate::load::{load_file, load_layers};
use config::{FILE_BYTES_MAX, PROBLEMS_MAX, to_toml};
use proptest::prelude::{Strategy, any, prop, prop_assert, proptest};

const WHOLE: &str = include_str!("cases/good/whole.toml");

/// A valid file with parts removed, repeated or replaced.
fn damaged_files() -> impl Strategy<Value = String> {
    let insertions = prop::sample::select(vec![
        "",
        "[",
        "]",
        "{",
        "}",
        "\"",
        "'''",
        "=",
        ".",
        "\n",
        "\\",
        "\u{feff}",
        "agents.",
        "[[",
        "-1",
        "1e999",
        "0x",
        "1979-05-27",
        "\u{0}",
        "기획자",
        "extends",
        "\r",
    ]);
    let edit = (any::<prop::sample::Index>(), 0..40usize, insertions);
    prop::collection::vec(edit, 1..8).prop_map(|edits| {
        edits.into_iter().fold(WHOLE.to_owned(), |text, (at, n_cut, insertion)| {
            let chars: Vec<char> = text.chars().collect();
            let at = at.index(chars.len() + 1);
            let after = chars.get((at + n_cut).min(chars.len())..).unwrap_or_default();
            let before = chars.get(..at).unwrap_or_default();
            before.iter().copied().chain(insertion.chars()).chain(after.iter().copied()).collect()
        })
    })
}

/// Loads a file, and checks that the result can be written or that every problem has a valid location.
fn check_load(bytes: &[u8]) -> Result<(), proptest::test_runner::TestCaseError> {
    match load_file(bytes) {
        Ok(loaded) => {
            // The written configuration is valid; hidden values differ.
            let written = to_toml(&loaded, true);
            let again = load_file(written.as_bytes());
            prop_assert!(again.is_ok(), "{written}\n{:?}", again.err());
        }
        Err(problems) => {
            prop_assert!(!problems.is_empty() && problems.len() <= PROBLEMS_MAX + 1);
            for problem in problems {
                if let config::Origin::File { at: Some(at), .. } = problem.origin {
                    prop_assert!(at.line >= 1 && at.column >= 1);
                    prop_assert!(at.span.start <= at.span.end && at.span.end <= bytes.len(), "{at:?}");
                    let text = std::str::from_utf8(bytes).unwrap_or_default();
                    prop_assert!(text.is_char_boundary(at.span.start) && text.is_char_boundary(at.span.end));
                }
            }
        }
    }
    Ok(())
}

proptest! {
    #[test]
    fn random_bytes_never_panic(bytes: Vec<u8>) {
        check_load(&bytes)?;
    }

    #[test]
    fn random_text_never_panics(text in "[\\[\\]{}=\"'.,# \n\\ra-c0-9_가\\u{feff}-]{0,120}") {
        check_load(text.as_bytes())?;
    }

    #[test]
    fn damaged_files_never_panic(text in damaged_files()) {
        check_load(text.as_bytes())?;
    }

    #[test]
    fn random_variables_and_flags_never_panic(name in "[A-Z_]{0,30}", value: String, flag: String) {
        let name = format!("JANGDAN_{name}");
        let _ = load_layers(&[], &[(&name, &value)], &[&flag, &format!("checks.verify={value}")]);
    }
}

#[test]
fn large_invalid_files_are_reported_quickly_and_within_the_limit() {
    let fill = |piece: &str| piece.repeat(FILE_BYTES_MAX / piece.len());
    let numbered = |line: &dyn Fn(usize) -> String| (0..10_000).map(line).collect::<String>();
    let texts = [
        fill("["),
        fill("a.b."),
        fill("a = [[[[[[[["),
        fill("= \n"),
        fill("x = 1\n"),
        format!("locale = '{}'", fill("x").get(..FILE_BYTES_MAX - 100).unwrap()),
        fill("permissions.allow = ['rnu:x']\n"),
        format!("permissions.deny = [{}]", fill("'rnu:x',").get(..FILE_BYTES_MAX / 2).unwrap()),
        numbered(&|n| format!("key_number_{n} = 1\n")),
        format!("team = {{ {} }}", numbered(&|n| format!("k{n} = 1, "))),
        numbered(&|n| format!("[agents.a{n}]\nextends = 'a{}'\n", n + 1)),
    ];
    for text in texts {
        let problems = load_file(text.as_bytes()).unwrap_err();
        assert!(problems.len() <= PROBLEMS_MAX + 1);
    }
    let agents: String = (0..300).map(|n| format!("[agents.a{n}]\nextends = 'shell'\n")).collect();
    let too_many = load_file(agents.as_bytes()).unwrap_err();
    assert_eq!(too_many.len(), 300 - 256);
    let too_large = load_file(&vec![b'\n'; FILE_BYTES_MAX + 1]).unwrap_err();
    assert_eq!(
        too_large[0].to_string(),
        "jangdan.toml: the file is larger than 256 KiB (check that it is the right file)"
    );
}
