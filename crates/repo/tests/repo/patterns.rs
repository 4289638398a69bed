//! Files of a commit that match a pattern of the plan.

use std::path::Path;

use crate::fixture::{Fixture, write_file};

#[test]
fn a_pattern_matches_files_of_the_commit_and_not_of_the_users_tree() {
    let fixture = Fixture::with_base_files(|user| {
        write_file(user, "docs/a.md", "a\n");
        write_file(user, "docs/deep/b.md", "b\n");
        write_file(user, "top.md", "top\n");
        write_file(user, "odd [x].md", "odd\n");
    });
    write_file(&fixture.user_folder(), "docs/later.md", "not committed\n");
    let commit = fixture.run.run_tip().unwrap();
    let cases: [(&str, &[&str]); 7] = [
        ("docs/**", &["docs/a.md", "docs/deep/b.md"]),
        ("docs", &["docs/a.md", "docs/deep/b.md"]),
        ("docs/*.md", &["docs/a.md"]),
        ("**/*.md", &["docs/a.md", "docs/deep/b.md", "odd [x].md", "top.md"]),
        ("*.md", &["odd [x].md", "top.md"]),
        ("top.md", &["top.md"]),
        ("none/*", &[]),
    ];
    for (pattern, expected) in cases {
        let files = fixture.run.files_matching(&commit, pattern).unwrap();
        let expected: Vec<_> = expected.iter().map(|file| Path::new(file).to_owned()).collect();
        assert_eq!(files, expected, "{pattern}");
    }
}

#[test]
fn a_pattern_outside_the_repository_matches_nothing() {
    let fixture = Fixture::with_base_files(|user| write_file(user, "top.md", "top\n"));
    let outside = fixture.user_folder().parent().unwrap().join("secret.md");
    std::fs::write(&outside, "secret\n").unwrap();
    let commit = fixture.run.run_tip().unwrap();
    let absolute = outside.display().to_string();
    let patterns = [
        "../secret.md",
        "docs/../../secret.md",
        "../**",
        absolute.as_str(),
        "/etc/passwd",
        ".git/config",
        ".git/**",
        ":(top)../secret.md",
        ":!none",
        ")secret",
        "--others",
        "-z",
        "\u{0}",
        "top.md\u{0}../secret.md",
    ];
    for pattern in patterns {
        // An error or no match are the same to a gate: the file is missing.
        let files = fixture.run.files_matching(&commit, pattern).unwrap_or_default();
        assert_eq!(files, Vec::<std::path::PathBuf>::new(), "{pattern:?}");
    }
}
