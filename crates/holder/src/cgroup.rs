//! A cgroup v2 folder of a session's own, where one can be had: stopping and ending all of it is one word to the kernel.
//!
//! Freezing and killing need no controller. A memory limit needs one that the parent hands down; where it does not,
//! the caller falls back to limits of each process.

use std::{
    fs::{self, File, OpenOptions},
    io::{self, Write},
    os::fd::OwnedFd,
    path::{Path, PathBuf},
};

/// The cgroup of one session.
pub(crate) struct Cgroup {
    path: PathBuf,
}

impl Cgroup {
    /// Makes a cgroup below a parent.
    pub(crate) fn create(parent: &Path, session: &str) -> io::Result<Self> {
        let path = parent.join(format!("jangdan-{session}"));
        match fs::create_dir(&path) {
            Err(error) if error.kind() != io::ErrorKind::AlreadyExists => Err(error),
            Ok(()) | Err(_) => Ok(Self { path }),
        }
    }

    /// Takes a cgroup that another process made.
    pub(crate) fn adopt(path: PathBuf) -> Self {
        Self { path }
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// Limits the memory of all processes together. Says `false` where the kernel can't do that here.
    pub(crate) fn limit_memory(&self, bytes_max: u64) -> bool {
        // What is swapped out would not count, so there is none; a kernel without swap has no such file.
        let _ = self.write("memory.swap.max", "0");
        let _ = self.write("memory.oom.group", "1");
        self.write("memory.max", &bytes_max.to_string()).is_ok()
    }

    /// Opens the folder; a process can be born into it.
    pub(crate) fn folder(&self) -> io::Result<OwnedFd> {
        File::open(&self.path).map(OwnedFd::from)
    }

    pub(crate) fn freeze(&self) -> bool {
        self.write("cgroup.freeze", "1").is_ok()
    }

    pub(crate) fn thaw(&self) {
        let _ = self.write("cgroup.freeze", "0");
    }

    /// Says whether every member stands still.
    pub(crate) fn is_frozen(&self) -> bool {
        fs::read_to_string(self.path.join("cgroup.events"))
            .is_ok_and(|events| events.lines().any(|line| line == "frozen 1"))
    }

    /// Kills every member; one that is frozen dies too.
    pub(crate) fn kill(&self) {
        let _ = self.write("cgroup.kill", "1");
    }

    pub(crate) fn remove(&self) {
        let _ = fs::remove_dir(&self.path);
    }

    fn write(&self, file: &str, text: &str) -> io::Result<()> {
        // Never made: a folder of another file system has no such files, and gets none.
        OpenOptions::new().write(true).open(self.path.join(file))?.write_all(text.as_bytes())
    }
}

/// Returns the cgroup v2 folder of this process if new ones can be made in it.
pub fn delegated() -> Option<PathBuf> {
    let mounts = fs::read_to_string("/proc/self/mounts").ok()?;
    let mount = mounts.lines().find_map(|line| {
        let mut words = line.split(' ').skip(1);
        let path = words.next()?;
        (words.next()? == "cgroup2").then_some(path)
    })?;
    let own = fs::read_to_string("/proc/self/cgroup").ok()?;
    let own = own.lines().find_map(|line| line.strip_prefix("0::/"))?;
    let path = Path::new(mount).join(own);
    rustix::fs::access(&path, rustix::fs::Access::WRITE_OK).is_ok().then_some(path)
}
