//! The file with the environment variables that were provided to a session, in memory (`tmpfs`) and readable only by its user.
//!
//! It is a shell script of `export` lines, so that every shell that an agent starts can read it: scripts source the file that
//! `JANGDAN_ENV_FILE` names, bash reads the one of `BASH_ENV`, Claude Code that of `CLAUDE_ENV_FILE`.

use std::{
    ffi::OsString,
    fs::{self, OpenOptions},
    io::{self, Write},
    os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt},
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

use rustix::process::geteuid;

/// Names the file for the processes of a session.
pub const ENV_FILE_VARIABLE: &str = "JANGDAN_ENV_FILE";
/// Variables that name scripts which shells read.
const BASH_VARIABLE: &str = "BASH_ENV";
const CLAUDE_VARIABLE: &str = "CLAUDE_ENV_FILE";
/// Permissions of the group and of other users.
const FOREIGN_BITS: u32 = 0o077;
/// Folder in memory of systems without `XDG_RUNTIME_DIR`.
const SHARED_MEMORY: &str = "/dev/shm";

/// Why variables were not delivered.
#[derive(Debug, thiserror::Error)]
pub enum EnvironmentFileError {
    #[error("no folder in memory is available: neither XDG_RUNTIME_DIR nor {SHARED_MEMORY}")]
    NoMemoryFolder,
    #[error("cannot {action} {}", .path.display())]
    Io { action: &'static str, path: PathBuf, source: io::Error },
    #[error("{} belongs to another user, or other users can open it", .path.display())]
    NotPrivate { path: PathBuf },
    /// The file is there, and a shell that reads it has another value.
    #[error("a shell that reads the file does not see {name}")]
    NotVisible { name: String },
}

/// The file of one session.
#[derive(Debug, Clone)]
pub struct EnvironmentFile {
    folder: PathBuf,
}

impl EnvironmentFile {
    /// Returns the file of a session, by a name that is unique in the data directory. Creates its folder.
    pub fn open(data: &Path, name: &str) -> Result<Self, EnvironmentFileError> {
        let base = base_folder(data)?;
        create_private_folder(&base)?;
        let folder = base.join(name);
        create_private_folder(&folder)?;
        Ok(Self { folder })
    }

    /// Returns the path that `JANGDAN_ENV_FILE` has.
    pub fn path(&self) -> PathBuf {
        self.folder.join("env")
    }

    /// Returns the variables that lead the shells of a session to the file. `bash_env` is the user's own script.
    pub fn variables(
        &self,
        bash_env: Option<OsString>,
    ) -> Result<Vec<(OsString, OsString)>, EnvironmentFileError> {
        let script = self.folder.join("shell.sh");
        let mut text = String::new();
        if let Some(own) = bash_env.as_ref().and_then(|path| path.to_str()).filter(|path| !path.is_empty()) {
            text.push_str(&format!("[ -r {0} ] && . {0}\n", quote(own)));
        }
        // Claude Code keeps the text of this script; the file that it reads may change.
        let path = self.path();
        text.push_str(&format!("[ -r {0} ] && . {0}\n", quote(&path.to_string_lossy())));
        self.replace(&script, text.as_bytes())?;
        if !path.exists() {
            self.replace(&path, b"")?;
        }
        Ok(vec![
            (ENV_FILE_VARIABLE.into(), path.into()),
            (BASH_VARIABLE.into(), script.clone().into()),
            (CLAUDE_VARIABLE.into(), script.into()),
        ])
    }

    /// Writes all variables of the session, and verifies that a shell that reads the file has them.
    pub fn write(&self, variables: &[(&str, &str)]) -> Result<(), EnvironmentFileError> {
        let mut text = String::new();
        for (name, value) in variables {
            text.push_str(&format!("export {name}={}\n", quote(value)));
        }
        self.replace(&self.path(), text.as_bytes())?;
        variables.iter().try_for_each(|(name, value)| self.verify(name, value))
    }

    /// Verifies that a shell that reads the file has a variable with this value.
    fn verify(&self, name: &str, value: &str) -> Result<(), EnvironmentFileError> {
        let path = self.path();
        let failed = |source| EnvironmentFileError::Io { action: "verify", path: path.clone(), source };
        let mut shell = Command::new("/bin/sh");
        shell.args(["-c", r#". "$1" && eval "printf %s \"\$$2\"""#, "sh"]).arg(&path).arg(name);
        shell.env_clear().stdin(Stdio::null()).stderr(Stdio::null());
        let output = shell.output().map_err(failed)?;
        match output.status.success() && output.stdout == value.as_bytes() {
            true => Ok(()),
            false => Err(EnvironmentFileError::NotVisible { name: name.to_owned() }),
        }
    }

    /// Removes the file and its folder.
    pub fn remove(self) -> io::Result<()> {
        fs::remove_dir_all(&self.folder)
    }

    /// Removes the files of sessions whose names begin with `prefix`, except those of `kept`.
    pub fn remove_others(data: &Path, prefix: &str, kept: &[String]) -> io::Result<()> {
        let Ok(base) = base_folder(data) else { return Ok(()) };
        let entries = match fs::read_dir(&base) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
            read => read?,
        };
        for entry in entries {
            let entry = entry?;
            let Ok(name) = entry.file_name().into_string() else { continue };
            if name.starts_with(prefix) && !kept.contains(&name) {
                fs::remove_dir_all(entry.path())?;
            }
        }
        Ok(())
    }

    /// Replaces a file, so that a shell reads the old content or the new one.
    fn replace(&self, path: &Path, bytes: &[u8]) -> Result<(), EnvironmentFileError> {
        let new = path.with_extension("new");
        let failed = |source| EnvironmentFileError::Io { action: "write", path: path.to_owned(), source };
        match fs::remove_file(&new) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(failed(error)),
            Ok(()) | Err(_) => {}
        }
        let file = OpenOptions::new().write(true).create_new(true).mode(0o600).open(&new);
        file.and_then(|mut file| file.write_all(bytes)).map_err(failed)?;
        fs::rename(&new, path).map_err(failed)
    }
}

/// Returns the folder in memory for the sessions of a data directory.
fn base_folder(data: &Path) -> Result<PathBuf, EnvironmentFileError> {
    let owner = geteuid().as_raw();
    let is_usable = |folder: &PathBuf| {
        fs::metadata(folder)
            .is_ok_and(|found| found.is_dir() && found.uid() == owner && found.mode() & FOREIGN_BITS == 0)
    };
    let runtime = std::env::var_os("XDG_RUNTIME_DIR").map(PathBuf::from);
    let hash = path_hash(data);
    if let Some(runtime) = runtime.filter(|folder| folder.is_absolute()).filter(is_usable) {
        return Ok(runtime.join(format!("jangdan-{hash:016x}")));
    }
    match Path::new(SHARED_MEMORY).is_dir() {
        true => Ok(Path::new(SHARED_MEMORY).join(format!("jangdan-{owner}-{hash:016x}"))),
        false => Err(EnvironmentFileError::NoMemoryFolder),
    }
}

/// FNV-1a: the same in every version, because sessions outlive the program that started them.
fn path_hash(path: &Path) -> u64 {
    let bytes = path.as_os_str().as_encoded_bytes();
    bytes
        .iter()
        .fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(*byte)).wrapping_mul(0x100_0000_01b3))
}

/// Creates a folder for this user only. One that another user has created in its place is refused.
fn create_private_folder(path: &Path) -> Result<(), EnvironmentFileError> {
    let failed = |source| EnvironmentFileError::Io { action: "create", path: path.to_owned(), source };
    match fs::DirBuilder::new().mode(0o700).create(path) {
        Err(error) if error.kind() != io::ErrorKind::AlreadyExists => return Err(failed(error)),
        Ok(()) | Err(_) => {}
    }
    let found = fs::symlink_metadata(path).map_err(failed)?;
    match found.is_dir() && found.uid() == geteuid().as_raw() && found.mode() & FOREIGN_BITS == 0 {
        true => Ok(()),
        false => Err(EnvironmentFileError::NotPrivate { path: path.to_owned() }),
    }
}

/// Quotes a word for a POSIX shell.
fn quote(word: &str) -> String {
    format!("'{}'", word.replace('\'', r"'\''"))
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::{PermissionsExt, symlink};

    use super::*;

    /// A file whose folder in memory is removed with the test.
    struct TestFile(EnvironmentFile, tempfile::TempDir);

    impl TestFile {
        fn new() -> Self {
            let data = tempfile::tempdir().unwrap();
            Self(EnvironmentFile::open(data.path(), "r1-s_1").unwrap(), data)
        }
    }

    impl Drop for TestFile {
        fn drop(&mut self) {
            let _ = fs::remove_dir_all(base_folder(self.1.path()).unwrap());
        }
    }

    #[test]
    fn shells_see_any_value_and_its_change() {
        let TestFile(file, _) = &TestFile::new();
        let variables = file.variables(None).unwrap();
        let names: Vec<_> = variables.iter().map(|(name, _)| name.to_str().unwrap()).collect();
        assert_eq!(names, ["JANGDAN_ENV_FILE", "BASH_ENV", "CLAUDE_ENV_FILE"]);
        let value = "it's \"$HOME\" `id` \\ two\nlines; rm -rf / #\t한글\n";
        file.write(&[("A_KEY", value), ("B", "x")]).unwrap();
        let run = |script: &str| {
            let output = Command::new("bash").args(["-c", script]).envs(variables.clone()).output().unwrap();
            String::from_utf8(output.stdout).unwrap()
        };
        assert_eq!(run("printf %s \"$A_KEY\""), value);
        assert_eq!(run("sh -c '. \"$JANGDAN_ENV_FILE\"; printf %s \"$A_KEY$B\"'"), format!("{value}x"));
        file.write(&[("A_KEY", "second")]).unwrap();
        assert_eq!(run("printf %s \"$A_KEY\""), "second");
        assert_eq!(fs::metadata(file.path()).unwrap().permissions().mode() & 0o777, 0o600);
    }

    #[test]
    fn variable_with_another_value_is_not_called_delivered() {
        let TestFile(file, _) = &TestFile::new();
        fs::write(file.path(), "export A='other'\n").unwrap();
        assert!(matches!(file.verify("A", "ok"), Err(EnvironmentFileError::NotVisible { .. })));
    }

    #[test]
    fn users_own_script_of_bash_is_still_read() {
        let TestFile(file, data) = &TestFile::new();
        let own = data.path().join("own.sh");
        fs::write(&own, "OWN=1\n").unwrap();
        let variables = file.variables(Some(own.into())).unwrap();
        file.write(&[("B", "2")]).unwrap();
        let output = Command::new("bash").args(["-c", "echo $OWN$B"]).envs(variables).output().unwrap();
        assert_eq!(output.stdout, b"12\n");
    }

    #[test]
    fn folders_of_others_and_links_are_refused_and_files_of_ended_sessions_removed() {
        let test = TestFile::new();
        let (data, base) = (test.1.path(), base_folder(test.1.path()).unwrap());
        symlink("/tmp", base.join("r1-s_2")).unwrap();
        let linked = EnvironmentFile::open(data, "r1-s_2");
        assert!(matches!(linked, Err(EnvironmentFileError::NotPrivate { .. })), "{linked:?}");
        fs::remove_file(base.join("r1-s_2")).unwrap();
        for name in ["r1-s_3", "r2-s_1"] {
            EnvironmentFile::open(data, name).unwrap().write(&[("A", "1")]).unwrap();
        }
        EnvironmentFile::remove_others(data, "r1-", &["r1-s_1".to_owned()]).unwrap();
        let mut left: Vec<_> = fs::read_dir(&base).unwrap().map(|entry| entry.unwrap().file_name()).collect();
        left.sort();
        assert_eq!(left, ["r1-s_1", "r2-s_1"]);
    }
}
