//! The temporary folder of a sandboxed program: its own, so that it can neither change nor plant files of others.
//!
//! It is outside of the data directory and has a short path, because programs create sockets in it. The holder removes it
//! after the last process has ended.

use std::{
    collections::BTreeMap,
    error::Error,
    ffi::{OsStr, OsString},
    fs,
    io::{self, Read},
    os::unix::fs::DirBuilderExt,
    path::{Path, PathBuf},
};

use tracing::warn;

/// The variable that nearly every program uses.
const VARIABLE: &str = "TMPDIR";
/// Variables of programs that use `/tmp` otherwise.
const OTHER_VARIABLES: &[&str] = &["CLAUDE_CODE_TMPDIR", "TMUX_TMPDIR"];
const USUAL_FOLDER: &str = "/tmp";
const NAME_PREFIX: &str = "jangdan-";
/// Attempts to find an unused name.
const ATTEMPTS: u32 = 8;

/// A folder that is removed when dropped, unless a session keeps it.
#[derive(Debug)]
pub(crate) struct TemporaryFolder {
    path: Option<PathBuf>,
}

impl TemporaryFolder {
    /// Creates a folder, and sets the variables that lead to it. Returns no folder if the user chose one in `chosen`.
    pub(super) fn create(
        environment: &mut BTreeMap<OsString, OsString>,
        chosen: &BTreeMap<OsString, OsString>,
    ) -> io::Result<Self> {
        if chosen.contains_key(OsStr::new(VARIABLE)) {
            return Ok(Self::none());
        }
        let parent = environment.get(OsStr::new(VARIABLE)).filter(|path| Path::new(path).is_absolute());
        let parent = parent.map_or_else(|| PathBuf::from(USUAL_FOLDER), PathBuf::from);
        let path = create_unused(&parent)?;
        for variable in [VARIABLE].iter().chain(OTHER_VARIABLES) {
            if !chosen.contains_key(OsStr::new(variable)) {
                environment.insert(variable.into(), path.clone().into());
            }
        }
        Ok(Self { path: Some(path) })
    }

    pub(super) fn none() -> Self {
        Self { path: None }
    }

    pub(crate) fn path(&self) -> Option<&Path> {
        self.path.as_deref()
    }

    /// Keeps the folder: the holder of the session removes it.
    pub(crate) fn keep(mut self) {
        self.path = None;
    }
}

impl Drop for TemporaryFolder {
    fn drop(&mut self) {
        if let Some(path) = &self.path {
            remove_temporary_folder(path);
        }
    }
}

/// Removes the temporary folder of a session whose holder could not.
pub(crate) fn remove_temporary_folder(path: &Path) {
    match fs::remove_dir_all(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => {
            warn!(folder = %path.display(), error = &error as &dyn Error, "cannot remove a temporary folder");
        }
        Ok(()) | Err(_) => {}
    }
}

fn create_unused(parent: &Path) -> io::Result<PathBuf> {
    let mut attempt = 1;
    loop {
        let path = parent.join(format!("{NAME_PREFIX}{}", random_name()?));
        match fs::DirBuilder::new().mode(0o700).create(&path) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists && attempt < ATTEMPTS => attempt += 1,
            created => return created.map(|()| path),
        }
    }
}

/// Returns eight random letters and digits.
fn random_name() -> io::Result<String> {
    let mut random = [0; 4];
    fs::File::open("/dev/urandom")?.read_exact(&mut random)?;
    Ok(format!("{:08x}", u32::from_le_bytes(random)))
}

#[cfg(test)]
mod tests {
    use std::{collections::BTreeMap, os::unix::fs::PermissionsExt};

    use super::*;

    #[test]
    fn temporary_folder_is_private_and_removed_unless_kept() {
        let parent = tempfile::tempdir().unwrap();
        let mut environment = BTreeMap::from([(VARIABLE.into(), parent.path().into())]);
        let folder = TemporaryFolder::create(&mut environment, &BTreeMap::new()).unwrap();
        let path = folder.path().unwrap().to_owned();
        assert_eq!(path.parent(), Some(parent.path()));
        assert_eq!(environment.get(OsStr::new(VARIABLE)), Some(&path.clone().into()));
        assert_eq!(path.metadata().unwrap().permissions().mode() & 0o777, 0o700);
        drop(folder);
        assert!(!path.exists());

        let folder = TemporaryFolder::create(&mut environment, &BTreeMap::new());
        assert!(folder.is_err(), "the parent is gone");
    }

    #[test]
    fn chosen_temporary_folder_is_used() {
        let chosen = BTreeMap::from([(VARIABLE.into(), "/var/tmp".into())]);
        let mut environment = chosen.clone();
        let folder = TemporaryFolder::create(&mut environment, &chosen).unwrap();
        assert_eq!((folder.path(), environment), (None, chosen));
    }
}
