//! Finds out whether the first program of a check exists on this machine.
//!
//! Only a bare name is looked up. A path such as `./run-tests.sh` is part of the work: its absence is a failed check.

use std::{
    env,
    ffi::OsStr,
    os::unix::fs::PermissionsExt,
    path::{Path, PathBuf},
};

/// Words that a POSIX shell, or a common one, does not look up on `PATH`.
const SHELL_WORDS: &[&str] = &[
    "alias", "bg", "break", "builtin", "case", "cd", "command", "continue", "declare", "do", "done", "echo",
    "elif", "else", "esac", "eval", "exec", "exit", "export", "false", "fc", "fg", "fi", "for", "function",
    "getopts", "hash", "if", "in", "jobs", "kill", "let", "local", "printf", "pwd", "read", "readonly",
    "return", "select", "set", "shift", "shopt", "source", "test", "then", "time", "times", "trap", "true",
    "type", "typeset", "ulimit", "umask", "unalias", "unset", "until", "wait", "while", ".", ":",
];

/// Returns the first program of a shell command if it is a bare name that no folder has. The folders are those of
/// `PATH`, after `bin` if there is one; relative ones are below the directory of the check.
pub(crate) fn find_missing_program(
    command: &str,
    bin: Option<&Path>,
    path: Option<&OsStr>,
    directory: &Path,
) -> Option<String> {
    let program = first_program(command)?;
    let folders = path.map(|path| env::split_paths(path).collect::<Vec<PathBuf>>())?;
    let is_there = |folder: &Path| is_executable(&directory.join(folder).join(program));
    let is_found = bin.is_some_and(is_there) || folders.iter().any(|folder| is_there(folder));
    (!is_found).then(|| program.to_owned())
}

/// Returns the bare name of the program that a shell command starts first; `None` if it starts with anything else.
fn first_program(command: &str) -> Option<&str> {
    let mut rest = command.trim_start();
    loop {
        let end = rest.find(|char: char| char.is_whitespace() || ";|&<>()".contains(char));
        let (word, after) = rest.split_at(end.unwrap_or(rest.len()));
        if let Some((name, _)) = word.split_once('=').filter(|(name, _)| is_variable_name(name)) {
            // A value may contain blanks in quotes, and another PATH has other programs.
            let is_plain = !word.contains(['\'', '"', '\\', '$', '`']);
            if name == "PATH" || !is_plain || !after.starts_with(' ') {
                return None;
            }
            rest = after.trim_start();
            continue;
        }
        let is_bare = !word.is_empty() && word.chars().all(is_name_char);
        let is_function = after.trim_start_matches(' ').starts_with('(');
        return Some(word).filter(|word| is_bare && !is_function && !SHELL_WORDS.contains(word));
    }
}

fn is_variable_name(name: &str) -> bool {
    !name.is_empty() && name.chars().all(|char| char.is_ascii_alphanumeric() || char == '_')
}

fn is_name_char(char: char) -> bool {
    char.is_alphanumeric() || matches!(char, '_' | '-' | '.' | '+' | '@' | ',' | '%')
}

fn is_executable(file: &Path) -> bool {
    file.metadata().is_ok_and(|metadata| metadata.is_file() && metadata.permissions().mode() & 0o111 != 0)
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn first_program_is_a_bare_name_that_the_shell_looks_up() {
        for (command, expected) in [
            ("pytest -q", Some("pytest")),
            ("  cargo nextest run && true", Some("cargo")),
            ("make;", Some("make")),
            ("RUST_LOG=debug CI=1 cargo test", Some("cargo")),
            ("g++-12 --version | cat", Some("g++-12")),
            ("PATH=bin:$PATH tool", None),
            ("NAME='a b' tool", None),
            ("./run-tests.sh", None),
            ("scripts/test", None),
            ("/opt/tool", None),
            ("$TOOL test", None),
            ("\"my tool\" test", None),
            ("[ -e a ]", None),
            ("! grep x y", None),
            ("(cd a; make)", None),
            ("cd sub && pytest", None),
            ("if make; then true; fi", None),
            ("check() { make; }; check", None),
            ("check () { make; }; check", None),
            ("true", None),
            ("# nothing", None),
            ("", None),
        ] {
            assert_eq!(first_program(command), expected, "{command}");
        }
    }

    #[test]
    fn program_is_missing_only_if_no_folder_has_it_as_an_executable_file() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        for name in ["bin", "tools"] {
            fs::create_dir(at(name)).unwrap();
        }
        let write = |path: &Path, mode: u32| {
            fs::write(path, "").unwrap();
            fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
        };
        write(&at("bin/own"), 0o755);
        write(&at("tools/runs"), 0o755);
        write(&at("tools/data"), 0o644);
        fs::create_dir(at("tools/folder")).unwrap();
        let missing = |command: &str| {
            find_missing_program(command, Some(&at("bin")), Some(OsStr::new("/nowhere:tools")), folder.path())
        };
        for command in ["own", "runs -q", "cd tools", "./absent.sh", "tools/data"] {
            assert_eq!(missing(command), None, "{command}");
        }
        for command in ["data", "folder", "absent"] {
            assert_eq!(missing(command).as_deref(), Some(command));
        }
        // The shell then has a default of its own.
        assert_eq!(find_missing_program("absent", Some(&at("bin")), None, folder.path()), None);
    }
}
