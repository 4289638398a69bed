//! Which rules allow everything that may be done, and nothing that may not.
//!
//! Landlock only allows, and what is allowed for a folder is allowed below it. So where something is to be hidden, no
//! folder on the way to it is allowed, but everything that lies beside the way.

use std::{
    fs, io,
    os::fd::OwnedFd,
    path::{Path, PathBuf},
};

use landlock::{AccessFs, BitFlags, make_bitflags};
use rustix::fs::{FileType, Mode, OFlags, fstat, open};

use super::SandboxPaths;

/// What is written about a path: the path itself, held open, and what may be done below it.
pub(super) struct Rule {
    pub(super) path: OwnedFd,
    pub(super) access: BitFlags<AccessFs>,
}

/// To read, to run, and (where the kernel asks) to connect to a socket.
const READ: BitFlags<AccessFs> = make_bitflags!(AccessFs::{ReadFile | ReadDir | Execute | ResolveUnix});
/// All of that and to change it. To make devices is not part of it: root could make one for the disk.
const WRITE: BitFlags<AccessFs> = make_bitflags!(AccessFs::{
    ReadFile | ReadDir | Execute | ResolveUnix | WriteFile | Truncate | RemoveDir | RemoveFile | MakeDir | MakeReg
    | MakeSock | MakeFifo | MakeSym | Refer
});
/// What means something for a thing that is no folder.
const FILE: BitFlags<AccessFs> =
    make_bitflags!(AccessFs::{ReadFile | Execute | ResolveUnix | WriteFile | Truncate});
/// Memory and ports, through which root could read what is hidden; disks are left out by their kind.
const MEMORY: &[&str] = &["mem", "kmem", "port"];
const DEVICES: &str = "/dev";

/// Returns everything that the kernel is to be asked about; what is not named in a rule is not allowed.
pub(super) fn handled() -> BitFlags<AccessFs> {
    WRITE | AccessFs::MakeChar | AccessFs::MakeBlock
}

/// Returns the rules. A path that can't be used is an error only where it was named.
pub(super) fn rules(paths: &SandboxPaths) -> io::Result<Vec<Rule>> {
    let hide = paths.hide.as_deref().map(fs::canonicalize).transpose()?;
    let root = Path::new("/");
    // The names of everything may be seen: without that, programs do not find their way.
    let mut rules = vec![named(root, AccessFs::ReadDir.into())?];
    for path in beside(root, hide.as_deref()) {
        if path == Path::new(DEVICES) {
            rules.extend(beside(&path, None).iter().filter_map(|path| device(path)));
        } else {
            rules.extend(found(&path, READ, |_| true));
        }
    }
    for path in &paths.show {
        rules.push(named(path, READ)?);
    }
    for path in &paths.write {
        let path = fs::canonicalize(path)?;
        match &hide {
            Some(hide) if hide.starts_with(&path) => {
                let paths = beside(&path, Some(hide));
                rules.extend(paths.iter().filter_map(|path| found(path, WRITE, |_| true)));
            }
            Some(_) | None => rules.push(named(&path, WRITE)?),
        }
    }
    Ok(rules)
}

/// Returns everything in a folder and in those on the way from it to what is hidden, but not the way itself.
///
/// A folder that can't be listed has nothing that could be allowed.
fn beside(folder: &Path, hide: Option<&Path>) -> Vec<PathBuf> {
    let mut paths = Vec::new();
    let mut folder = folder.to_owned();
    while hide != Some(&folder) {
        let way = hide.and_then(|hide| hide.ancestors().find(|path| path.parent() == Some(&folder)));
        let entries = fs::read_dir(&folder).into_iter().flatten().flatten().map(|entry| entry.path());
        paths.extend(entries.filter(|path| Some(path.as_path()) != way));
        let Some(way) = way else { break };
        folder = way.to_owned();
    }
    paths
}

/// Makes a rule for a path that somebody named.
fn named(path: &Path, access: BitFlags<AccessFs>) -> io::Result<Rule> {
    let path = open(path, OFlags::PATH | OFlags::CLOEXEC, Mode::empty())?;
    let kind = FileType::from_raw_mode(fstat(&path)?.st_mode);
    Ok(Rule { path, access: meaningful(kind, access) })
}

/// Makes a rule for a path that was found, if it is of the right kind. A link gets none: it may lead to what is hidden,
/// and where it leads to elsewhere there is a rule already. Neither does one that is gone by now.
fn found(path: &Path, access: BitFlags<AccessFs>, is_right: impl Fn(FileType) -> bool) -> Option<Rule> {
    let path = open(path, OFlags::PATH | OFlags::NOFOLLOW | OFlags::CLOEXEC, Mode::empty()).ok()?;
    let kind = FileType::from_raw_mode(fstat(&path).ok()?.st_mode);
    let access = meaningful(kind, access);
    (kind != FileType::Symlink && is_right(kind)).then_some(Rule { path, access })
}

/// Makes a rule for a device through which nothing hidden can be read. Folders of devices may hold disks; those that
/// programs need are writable anyway.
fn device(path: &Path) -> Option<Rule> {
    let is_memory = MEMORY.iter().any(|name| path.ends_with(name));
    found(path, READ, |kind| kind == FileType::CharacterDevice && !is_memory)
}

fn meaningful(kind: FileType, access: BitFlags<AccessFs>) -> BitFlags<AccessFs> {
    if kind == FileType::Directory { access } else { access & FILE }
}

#[cfg(test)]
mod tests {
    use std::{fs, path::Path};

    use super::beside;

    #[test]
    fn what_lies_beside_the_way_is_found_and_the_way_is_not() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path();
        for path in ["a/b/data/vault", "a/b/other", "a/x", "y"] {
            fs::create_dir_all(root.join(path)).unwrap();
        }
        let names = |from: &str, hide: Option<&str>| -> Vec<String> {
            let hide = hide.map(|hide| root.join(hide));
            let mut paths = beside(&root.join(from), hide.as_deref());
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
