//! File operations in a folder that an agent can change at any time.
//!
//! The folder is held open, and every step of a path is opened relative to the one before without following links. So an
//! operation stays in the folder, whatever the agent replaces by a link meanwhile.

use std::{
    ffi::OsStr,
    fs::{self, File, Metadata},
    io::{self, Read},
    os::fd::{AsRawFd, OwnedFd},
    path::{Component, Path, PathBuf},
};

use rustix::{
    fs::{AtFlags, CWD, Mode, OFlags, RenameFlags, mkdirat, openat, readlinkat, renameat_with},
    fs::{statat, symlinkat, unlinkat},
    io::Errno,
};

const FOLDER_FLAGS: OFlags =
    OFlags::PATH.union(OFlags::DIRECTORY).union(OFlags::NOFOLLOW).union(OFlags::CLOEXEC);

/// A folder whose content an agent can change. All paths are relative to it.
#[derive(Debug)]
pub struct ConfinedFolder {
    fd: OwnedFd,
}

impl ConfinedFolder {
    /// Opens a folder. Fails if the path is a link.
    pub fn open(path: &Path) -> io::Result<Self> {
        Ok(Self { fd: openat(CWD, path, FOLDER_FLAGS, Mode::empty())? })
    }

    /// Opens a folder below this one.
    pub fn open_folder(&self, path: &Path) -> io::Result<Self> {
        let mut folder = Self { fd: self.fd.try_clone()? };
        for name in path_parts(path)? {
            folder = Self { fd: openat(&folder.fd, name, FOLDER_FLAGS, Mode::empty())? };
        }
        Ok(folder)
    }

    /// Opens a folder below this one, and creates it and its parents if they do not exist.
    pub fn create_folder(&self, path: &Path) -> io::Result<Self> {
        let mut folder = Self { fd: self.fd.try_clone()? };
        for name in path_parts(path)? {
            match mkdirat(&folder.fd, name, Mode::from_raw_mode(0o777)) {
                Ok(()) | Err(Errno::EXIST) => {}
                Err(error) => return Err(error.into()),
            }
            folder = Self { fd: openat(&folder.fd, name, FOLDER_FLAGS, Mode::empty())? };
        }
        Ok(folder)
    }

    /// Tells whether a path exists, also as a link to nothing.
    pub fn exists(&self, path: &Path) -> io::Result<bool> {
        let found = self
            .parent_of(path)
            .and_then(|(folder, name)| Ok(statat(&folder.fd, name, AtFlags::SYMLINK_NOFOLLOW)?));
        match found {
            Ok(_) => Ok(true),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
            Err(error) => Err(error),
        }
    }

    /// Opens a regular file for reading. Fails for links, and does not wait for a writer of a pipe.
    pub fn open_file(&self, path: &Path) -> io::Result<File> {
        let (folder, name) = self.parent_of(path)?;
        let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
        let file = File::from(openat(&folder.fd, name, flags, Mode::empty())?);
        if file.metadata()?.is_file() {
            Ok(file)
        } else {
            Err(io::Error::new(io::ErrorKind::InvalidInput, "not a regular file"))
        }
    }

    /// Reads a regular file.
    pub fn read(&self, path: &Path) -> io::Result<Vec<u8>> {
        let mut bytes = Vec::new();
        self.open_file(path)?.read_to_end(&mut bytes)?;
        Ok(bytes)
    }

    /// Reads the target of a link.
    pub fn read_link(&self, path: &Path) -> io::Result<Vec<u8>> {
        let (folder, name) = self.parent_of(path)?;
        Ok(readlinkat(&folder.fd, name, Vec::new())?.into_bytes())
    }

    /// Creates a file for writing. Fails if anything with this name exists, also a link.
    pub fn create_file(&self, path: &Path) -> io::Result<File> {
        let (folder, name) = self.parent_of(path)?;
        let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        Ok(openat(&folder.fd, name, flags, Mode::from_raw_mode(0o666))?.into())
    }

    /// Creates a link. Fails if anything with this name exists.
    pub fn create_link(&self, target: &Path, path: &Path) -> io::Result<()> {
        let (folder, name) = self.parent_of(path)?;
        Ok(symlinkat(target, &folder.fd, name)?)
    }

    /// Renames a file in its folder; replaces a file with the new name.
    pub fn rename(&self, path: &Path, new_name: &OsStr) -> io::Result<()> {
        let (folder, name) = self.parent_of(path)?;
        Ok(renameat_with(&folder.fd, name, &folder.fd, new_name, RenameFlags::empty())?)
    }

    /// Removes a file or link.
    pub fn remove_file(&self, path: &Path) -> io::Result<()> {
        let (folder, name) = self.parent_of(path)?;
        Ok(unlinkat(&folder.fd, name, AtFlags::empty())?)
    }

    /// Returns the parent of a path, and the last name of it.
    fn parent_of<'a>(&self, path: &'a Path) -> io::Result<(Self, &'a OsStr)> {
        let name = path.file_name().ok_or(io::ErrorKind::InvalidInput)?;
        Ok((self.open_folder(path.parent().unwrap_or(Path::new("")))?, name))
    }

    /// Returns a path that leads to the open folder, wherever it is. It is valid as long as this value, also in child
    /// processes until they execute a program.
    pub fn current_path(&self) -> PathBuf {
        format!("/proc/self/fd/{}", self.fd.as_raw_fd()).into()
    }
}

/// Returns the names of a relative path. Fails if it leads out of its folder.
fn path_parts(path: &Path) -> io::Result<Vec<&OsStr>> {
    let name = |part| match part {
        Component::Normal(name) => Ok(name),
        Component::CurDir | Component::ParentDir | Component::RootDir | Component::Prefix(_) => {
            Err(io::Error::new(io::ErrorKind::InvalidInput, "the path leads out of its folder"))
        }
    };
    path.components().map(name).collect()
}

/// Reads a regular file; `None` if it does not exist, or if the path is a link or another kind of file.
pub(crate) fn read_regular_file(path: &Path) -> io::Result<Option<Vec<u8>>> {
    let (Some(folder), Some(name)) = (path.parent(), path.file_name()) else { return Ok(None) };
    match ConfinedFolder::open(folder).and_then(|folder| folder.read(Path::new(name))) {
        Err(error) if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::InvalidInput) => {
            Ok(None)
        }
        Err(error) if error.raw_os_error() == Some(Errno::LOOP.raw_os_error()) => Ok(None),
        read => read.map(Some),
    }
}

/// Changes the mode of a folder. Fails if the path is a link.
pub(crate) fn set_folder_mode(path: &Path, permissions: fs::Permissions) -> io::Result<()> {
    fs::set_permissions(ConfinedFolder::open(path)?.current_path(), permissions)
}

/// Tells whether a path is a folder itself, not a link to one.
pub(crate) fn is_real_folder(path: &Path) -> bool {
    path.symlink_metadata().as_ref().is_ok_and(Metadata::is_dir)
}
