//! Translates the paths of a sandbox to Landlock rules.
//!
//! Landlock rules only allow, and a rule for a folder applies to everything below it. To hide a folder, its ancestors get
//! no rule, and all other entries of the ancestors get one each.

use std::{
    fs, io,
    os::fd::OwnedFd,
    path::{Path, PathBuf},
};

use landlock::{AccessFs, BitFlags, make_bitflags};
use rustix::fs::{FileType, Mode, OFlags, fstat, open};

use super::SandboxPaths;

/// A Landlock rule: an open path, and the allowed access to it and everything below.
pub(super) struct Rule {
    pub(super) path: OwnedFd,
    pub(super) access: BitFlags<AccessFs>,
}

/// Reading, executing, and (if the kernel distinguishes it) connecting to a socket.
const READ: BitFlags<AccessFs> = make_bitflags!(AccessFs::{ReadFile | ReadDir | Execute | ResolveUnix});
/// Also changing. Creating devices is excluded: root could create one for the disk.
const WRITE: BitFlags<AccessFs> = make_bitflags!(AccessFs::{
    ReadFile | ReadDir | Execute | ResolveUnix | WriteFile | Truncate | RemoveDir | RemoveFile | MakeDir | MakeReg
    | MakeSock | MakeFifo | MakeSym | Refer
});
/// The rights that apply to files.
const FILE: BitFlags<AccessFs> =
    make_bitflags!(AccessFs::{ReadFile | Execute | ResolveUnix | WriteFile | Truncate});
/// Devices through which root could read hidden files. Disks are excluded by their type.
const MEMORY_DEVICES: &[&str] = &["mem", "kmem", "port"];
const DEVICE_FOLDER: &str = "/dev";

/// Returns the access rights that the kernel denies unless a rule allows them.
pub(super) fn handled_access() -> BitFlags<AccessFs> {
    WRITE | AccessFs::MakeChar | AccessFs::MakeBlock
}

/// Returns the rules. Fails if a path in `paths` cannot be used; others are skipped.
pub(super) fn rules(paths: &SandboxPaths) -> io::Result<Vec<Rule>> {
    let hide = paths.hide.as_deref().map(fs::canonicalize).transpose()?;
    let root = Path::new("/");
    // All folders may be listed: without that, programs fail to resolve paths.
    let mut rules = vec![required_rule(root, AccessFs::ReadDir.into())?];
    for path in entries_beside_hidden(root, hide.as_deref()) {
        if path == Path::new(DEVICE_FOLDER) {
            rules.extend(entries_beside_hidden(&path, None).iter().filter_map(|path| device_rule(path)));
        } else {
            rules.extend(entry_rule(&path, READ, |_| true));
        }
    }
    for path in &paths.make_folders {
        rules.push(required_rule(path, READ | AccessFs::MakeDir | AccessFs::RemoveDir)?);
    }
    for path in &paths.show {
        rules.push(required_rule(path, READ)?);
    }
    let write_files = WRITE & !BitFlags::from(AccessFs::MakeFifo);
    let write = paths.write.iter().map(|path| (path, WRITE));
    for (path, access) in write.chain(paths.write_files.iter().map(|path| (path, write_files))) {
        let path = fs::canonicalize(path)?;
        match &hide {
            Some(hide) if hide.starts_with(&path) => {
                let paths = entries_beside_hidden(&path, Some(hide));
                rules.extend(paths.iter().filter_map(|path| entry_rule(path, access, |_| true)));
            }
            Some(_) | None => rules.push(required_rule(&path, access)?),
        }
    }
    Ok(rules)
}

/// Returns the entries of `folder` and of all folders between it and `hide`, without the ancestors of `hide` and `hide`
/// itself. Folders that cannot be listed are skipped.
fn entries_beside_hidden(folder: &Path, hide: Option<&Path>) -> Vec<PathBuf> {
    let mut paths = Vec::new();
    let mut folder = folder.to_owned();
    while hide != Some(&folder) {
        let toward_hidden =
            hide.and_then(|hide| hide.ancestors().find(|path| path.parent() == Some(&folder)));
        let entries = fs::read_dir(&folder).into_iter().flatten().flatten().map(|entry| entry.path());
        paths.extend(entries.filter(|path| Some(path.as_path()) != toward_hidden));
        let Some(next) = toward_hidden else { break };
        folder = next.to_owned();
    }
    paths
}

/// Returns a rule for a path that was requested.
fn required_rule(path: &Path, access: BitFlags<AccessFs>) -> io::Result<Rule> {
    let path = open(path, OFlags::PATH | OFlags::CLOEXEC, Mode::empty())?;
    let kind = FileType::from_raw_mode(fstat(&path)?.st_mode);
    Ok(Rule { path, access: applicable_access(kind, access) })
}

/// Returns a rule for a directory entry that passes `is_included`. Symbolic links get none, because they may point at
/// hidden files, and other targets have rules of their own. Entries that were deleted meanwhile get none either.
fn entry_rule(
    path: &Path,
    access: BitFlags<AccessFs>,
    is_included: impl Fn(FileType) -> bool,
) -> Option<Rule> {
    let path = open(path, OFlags::PATH | OFlags::NOFOLLOW | OFlags::CLOEXEC, Mode::empty()).ok()?;
    let kind = FileType::from_raw_mode(fstat(&path).ok()?.st_mode);
    let access = applicable_access(kind, access);
    (kind != FileType::Symlink && is_included(kind)).then_some(Rule { path, access })
}

/// Returns a rule for a character device that does not expose memory. Subfolders are skipped, as they may contain disks;
/// those that programs need are writable anyway.
fn device_rule(path: &Path) -> Option<Rule> {
    let is_memory = MEMORY_DEVICES.iter().any(|name| path.ends_with(name));
    entry_rule(path, READ, |kind| kind == FileType::CharacterDevice && !is_memory)
}

fn applicable_access(kind: FileType, access: BitFlags<AccessFs>) -> BitFlags<AccessFs> {
    if kind == FileType::Directory { access } else { access & FILE }
}

#[cfg(test)]
mod tests {
    use std::{fs, path::Path};

    use super::entries_beside_hidden;

    #[test]
    fn entries_beside_the_hidden_folder_are_listed_and_its_ancestors_are_not() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path();
        for path in ["a/b/data/vault", "a/b/other", "a/x", "y"] {
            fs::create_dir_all(root.join(path)).unwrap();
        }
        let names = |from: &str, hide: Option<&str>| -> Vec<String> {
            let hide = hide.map(|hide| root.join(hide));
            let mut paths = entries_beside_hidden(&root.join(from), hide.as_deref());
            paths.sort();
            let name = |path: &Path| path.strip_prefix(root).unwrap().display().to_string();
            paths.iter().map(|path| name(path)).collect()
        };
        assert_eq!(names("", Some("a/b/data")), ["a/b/other", "a/x", "y"]);
        assert_eq!(names("a/b", Some("a/b/data")), ["a/b/other"]);
        assert_eq!(names("a/b/data", Some("a/b/data")), Vec::<String>::new());
        assert_eq!(names("a", None), ["a/b", "a/x"]);
    }
}
