//! A choice that is kept for the project: in its file, and nothing else of the file changes.

use crate::load::load_file;
use config::{KeepError, keep_permission};

/// Keeps a permission and a refusal in a file, and compares all of it.
#[track_caller]
fn check(before: &str, expected: &str) {
    let kept = keep_permission(before, "=run:cargo test", true).unwrap();
    let kept = keep_permission(&kept, "=edit:src/*.rs", false).unwrap();
    assert_eq!(kept, expected);
    let policy = load_file(kept.as_bytes()).unwrap().config.settings.permissions;
    assert!(policy.allow.contains(&"run:cargo test".to_owned()));
    assert!(policy.deny.contains(&"=edit:src/*.rs".to_owned()));
}

#[test]
fn a_file_without_permissions_gets_a_table() {
    let table = "[permissions]\nallow = [\"run:cargo test\"]\ndeny = [\"=edit:src/*.rs\"]\n";
    check("", table);
    let before = "# Ours.\nlocale = \"ko\" # Korean\n\n[park]\ncold_after = '1h'\n";
    check(before, &format!("{before}\n{table}"));
}

#[test]
fn a_list_keeps_its_form_and_its_comments() {
    check(
        "[permissions]\n# What passes.\nallow = [ 'a', 'b' ] # two\ndeny = []\n\n[park] # later\n",
        "[permissions]\n# What passes.\nallow = [ 'a', 'b', \"run:cargo test\" ] # two\ndeny = [\"=edit:src/*.rs\"]\n\n[park] # later\n",
    );
    check(
        "[permissions]\nallow = [\n  'a', # why\n  # The next.\n  'b', # too\n]\ndeny = [\n  'c' # last\n]\n",
        "[permissions]\nallow = [\n  'a', # why\n  # The next.\n  'b', # too\n  \"run:cargo test\",\n]\ndeny = [\n  'c', # last\n  \"=edit:src/*.rs\"\n]\n",
    );
}

#[test]
fn permissions_in_any_form_are_kept() {
    check(
        "permissions = 'ask' # all\n",
        "permissions = { mode = 'ask', allow = [\"run:cargo test\"], deny = [\"=edit:src/*.rs\"] } # all\n",
    );
    check(
        "permissions.mode = 'ask'\nlocale = 'en'\n",
        "permissions.mode = 'ask'\npermissions.allow = [\"run:cargo test\"]\npermissions.deny = [\"=edit:src/*.rs\"]\nlocale = 'en'\n",
    );
    check(
        "permissions = { allow = ['a'] }\n",
        "permissions = { allow = ['a', \"run:cargo test\"], deny = [\"=edit:src/*.rs\"] }\n",
    );
    check(
        "\u{feff}[permissions]\r\nmode = 'ask'\r\n",
        "\u{feff}[permissions]\r\nmode = 'ask'\r\nallow = [\"run:cargo test\"]\r\ndeny = [\"=edit:src/*.rs\"]\r\n",
    );
}

#[test]
fn the_last_choice_counts_and_stands_once() {
    let keep = |text: &str, allowed| keep_permission(text, "=run:git push", allowed).unwrap();
    let denied = keep("[permissions]\ndeny = ['x']\n", false);
    assert_eq!(denied, "[permissions]\ndeny = ['x', \"run:git push\"]\n");
    assert_eq!(keep(&denied, false), denied);
    assert_eq!(keep(&denied, true), "[permissions]\ndeny = ['x']\nallow = [\"run:git push\"]\n");
}

#[test]
fn a_file_that_is_broken_is_left_alone() {
    let keep = |text: &str| keep_permission(text, "run:x", true).unwrap_err();
    assert!(matches!(keep("[permissions"), KeepError::Broken(_)));
    assert_eq!(keep("permissions = 3"), KeepError::Wrong("permissions"));
    assert_eq!(keep("permissions.allow = 'x'"), KeepError::Wrong("permissions"));
    assert_eq!(keep("permissions.deny = 'x'"), KeepError::Wrong("permissions"));
    assert_eq!(keep("[[permissions]]"), KeepError::Wrong("permissions"));
}
