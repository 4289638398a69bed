//! The path of this program, for processes that execute it again.

use std::{
    env, io,
    path::{Path, PathBuf},
};

/// What Linux appends to the path of a running program whose file was replaced or removed.
const DELETED_SUFFIX: &str = " (deleted)";

/// Returns the path of this program. After an upgrade while it runs, the new version is at the same path.
pub fn own_program() -> io::Result<PathBuf> {
    Ok(current_path(env::current_exe()?))
}

fn current_path(path: PathBuf) -> PathBuf {
    let replaced = path.to_str().and_then(|path| path.strip_suffix(DELETED_SUFFIX)).map(Path::new);
    match replaced {
        Some(replaced) if !path.exists() && replaced.exists() => replaced.to_owned(),
        Some(_) | None => path,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn replaced_program_is_found_at_its_path() {
        let folder = tempfile::tempdir().unwrap();
        let (program, deleted) = (folder.path().join("jangdan"), folder.path().join("jangdan (deleted)"));
        assert_eq!(current_path(deleted.clone()), deleted, "nothing is there");
        std::fs::write(&program, "").unwrap();
        assert_eq!(current_path(deleted.clone()), program);
        assert_eq!(current_path(program.clone()), program);
        std::fs::write(&deleted, "").unwrap();
        assert_eq!(current_path(deleted.clone()), deleted, "a program may have such a name");
    }
}
