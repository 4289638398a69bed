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

/// What the kernel calls a file system of cgroups v2.
const CGROUP2: rustix::fs::FsWord = 0x6367_7270;

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
    let own = fs::read_to_string("/proc/self/cgroup").ok()?;
    let own = own.lines().find_map(|line| line.strip_prefix("0::/"))?;
    let path = mount()?.join(own);
    rustix::fs::access(&path, rustix::fs::Access::WRITE_OK).is_ok().then_some(path)
}

/// Returns where cgroups v2 are mounted: where nearly everybody has them, or where the list of mounts says it. That list
/// takes a tenth of a millisecond to read, which is a tenth of a session's start.
fn mount() -> Option<PathBuf> {
    let usual = ["/sys/fs/cgroup", "/sys/fs/cgroup/unified"];
    let is_there = |path: &&str| rustix::fs::statfs(*path).is_ok_and(|found| found.f_type == CGROUP2);
    if let Some(path) = usual.into_iter().find(is_there) {
        return Some(path.into());
    }
    let mounts = fs::read_to_string("/proc/self/mounts").ok()?;
    mounts.lines().find_map(|line| {
        let mut words = line.split(' ').skip(1);
        let path = words.next()?;
        (words.next()? == "cgroup2").then(|| path.into())
    })
}
