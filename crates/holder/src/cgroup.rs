//! A cgroup v2 folder for one session, if available: freezes or kills all its processes with one write.
//!
//! Freezing and killing need no controller. A memory limit needs a controller that the parent delegates; without it
//! the caller limits each process.

use std::{
    fs::{self, File, OpenOptions},
    io::{self, Write},
    os::fd::OwnedFd,
    path::{Path, PathBuf},
};

/// File system type of cgroup v2.
const CGROUP2: rustix::fs::FsWord = 0x6367_7270;
/// Start of the folder name of a session's cgroup.
const NAME_PREFIX: &str = "jangdan-";

pub(crate) struct Cgroup {
    path: PathBuf,
}

impl Cgroup {
    pub(crate) fn create(parent: &Path, session: &str) -> io::Result<Self> {
        let path = parent.join(format!("{NAME_PREFIX}{session}"));
        match fs::create_dir(&path) {
            Err(error) if error.kind() != io::ErrorKind::AlreadyExists => Err(error),
            Ok(()) | Err(_) => Ok(Self { path }),
        }
    }

    /// Uses a cgroup that another process created.
    pub(crate) fn from_path(path: PathBuf) -> Self {
        Self { path }
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// Limits the memory of all processes together; returns false if the kernel cannot do that here.
    pub(crate) fn limit_memory(&self, bytes_max: u64) -> bool {
        // Swapped memory would not count, so swap is disabled; kernels without swap have no such file.
        let _ = self.write_control_file("memory.swap.max", "0");
        // Without the group only one process is killed at the limit.
        let _ = self.write_control_file("memory.oom.group", "1");
        self.write_control_file("memory.max", &bytes_max.to_string()).is_ok()
    }

    /// Opens the folder, so that a process can be created in it.
    pub(crate) fn open_folder(&self) -> io::Result<OwnedFd> {
        File::open(&self.path).map(OwnedFd::from)
    }

    pub(crate) fn freeze(&self) -> bool {
        self.write_control_file("cgroup.freeze", "1").is_ok()
    }

    pub(crate) fn thaw(&self) {
        // Fails only if the group is gone, with all members.
        let _ = self.write_control_file("cgroup.freeze", "0");
    }

    /// Tells whether all members are frozen.
    pub(crate) fn is_frozen(&self) -> bool {
        fs::read_to_string(self.path.join("cgroup.events"))
            .is_ok_and(|events| events.lines().any(|line| line == "frozen 1"))
    }

    /// Kills all members, including frozen ones.
    pub(crate) fn kill(&self) {
        // Older kernels have no such file; the caller also signals each process.
        let _ = self.write_control_file("cgroup.kill", "1");
    }

    pub(crate) fn remove(&self) {
        // A group with members stays; an empty group costs nothing.
        let _ = fs::remove_dir(&self.path);
    }

    fn write_control_file(&self, file: &str, text: &str) -> io::Result<()> {
        // Files are not created: a folder of another file system must stay unchanged.
        OpenOptions::new().write(true).open(self.path.join(file))?.write_all(text.as_bytes())
    }
}

/// Returns the sessions in the cgroups of a process, as `/proc/PID/cgroup` lists them.
pub(crate) fn sessions_of_groups(groups: &str) -> impl Iterator<Item = &str> {
    groups.split(['/', '\n']).filter_map(|name| name.strip_prefix(NAME_PREFIX))
}

/// Returns the cgroup v2 folder of this process if child cgroups can be created in it.
pub fn delegated_cgroup() -> Option<PathBuf> {
    let path_in_hierarchy = fs::read_to_string("/proc/self/cgroup").ok()?;
    let path_in_hierarchy = path_in_hierarchy.lines().find_map(|line| line.strip_prefix("0::/"))?;
    let path = cgroup_mount_point()?.join(path_in_hierarchy);
    rustix::fs::access(&path, rustix::fs::Access::WRITE_OK).is_ok().then_some(path)
}

/// Returns the mount point of cgroup v2: a usual path, or else from the list of mounts. Reading that list takes 0.1
/// ms, a tenth of a session's start.
fn cgroup_mount_point() -> Option<PathBuf> {
    let usual_paths = ["/sys/fs/cgroup", "/sys/fs/cgroup/unified"];
    let is_there =
        |path: &&str| rustix::fs::statfs(*path).is_ok_and(|statistics| statistics.f_type == CGROUP2);
    if let Some(path) = usual_paths.into_iter().find(is_there) {
        return Some(path.into());
    }
    let mounts = fs::read_to_string("/proc/self/mounts").ok()?;
    mounts.lines().find_map(|line| {
        let mut fields = line.split(' ').skip(1);
        let path = fields.next()?;
        (fields.next()? == "cgroup2").then(|| path.into())
    })
}
