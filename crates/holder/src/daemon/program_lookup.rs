//! Finds the agent's program before the process is created, so that a missing program can be reported.

use std::{
    ffi::{OsStr, OsString},
    io,
    os::{
        fd::BorrowedFd,
        unix::ffi::{OsStrExt, OsStringExt},
    },
};

use rustix::{
    fs::{Access, AtFlags, FileType, accessat, statat},
    io::Errno,
};

/// Used if the environment has no `PATH`.
const DEFAULT_PATH: &[u8] = b"/usr/local/bin:/bin:/usr/bin";

/// Resolves a command like `execvp`, for a process that starts in `folder`.
pub(super) fn find(
    command: &OsStr,
    environment: &[(OsString, OsString)],
    folder: BorrowedFd<'_>,
) -> io::Result<OsString> {
    if command.as_bytes().contains(&b'/') {
        check_executable(command, folder)?;
        return Ok(command.to_owned());
    }
    let path = environment.iter().rev().find(|(name, _)| name == "PATH");
    let path = path.map_or(DEFAULT_PATH, |(_, value)| value.as_bytes());
    let mut failure = Errno::NOENT;
    for part in path.split(|byte| *byte == b':') {
        // An empty part means the current folder.
        let part = if part.is_empty() { b"." } else { part };
        let candidate = OsString::from_vec([part, b"/", command.as_bytes()].concat());
        match check_executable(&candidate, folder) {
            Ok(()) => return Ok(candidate),
            Err(Errno::ACCESS) => failure = Errno::ACCESS,
            Err(_) => {}
        }
    }
    Err(failure.into())
}

fn check_executable(path: &OsStr, folder: BorrowedFd<'_>) -> Result<(), Errno> {
    accessat(folder, path, Access::EXEC_OK, AtFlags::empty())?;
    // Folders can be executable, too.
    let is_file =
        FileType::from_raw_mode(statat(folder, path, AtFlags::empty())?.st_mode) == FileType::RegularFile;
    if is_file { Ok(()) } else { Err(Errno::ACCESS) }
}

#[cfg(test)]
mod tests {
    use std::{fs, os::fd::AsFd, os::unix::fs::PermissionsExt};

    use super::*;

    #[test]
    fn a_program_is_resolved_like_execvp() {
        let root = tempfile::tempdir().unwrap();
        for (name, mode) in
            [("first/tool", 0o600), ("second/tool", 0o700), ("first/plain", 0o600), ("here", 0o700)]
        {
            let path = root.path().join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(&path, "").unwrap();
            fs::set_permissions(&path, PermissionsExt::from_mode(mode)).unwrap();
        }
        fs::create_dir(root.path().join("first/folder")).unwrap();
        let folder = fs::File::open(root.path()).unwrap();
        let check = |command: &str, path: &str, expected: Result<&str, i32>| {
            let environment = [("PATH".into(), path.into())];
            let program = find(command.as_ref(), &environment, folder.as_fd());
            let program = program.map_err(|error| error.raw_os_error().unwrap());
            assert_eq!(program, expected.map(OsString::from), "{command} in {path}");
        };
        check("tool", "first:none:second", Ok("second/tool"));
        check("here", "first:", Ok("./here"));
        check("./here", "", Ok("./here"));
        check("first/tool", "", Err(libc::EACCES));
        check("plain", "first:second", Err(libc::EACCES));
        check("folder", "first", Err(libc::EACCES));
        check("here", "first", Err(libc::ENOENT));
        check("", "first", Err(libc::EACCES));
        check("none/tool", "first", Err(libc::ENOENT));
    }
}
