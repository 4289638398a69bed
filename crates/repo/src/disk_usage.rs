//! Disk usage of worktrees.

use std::{fs, os::unix::fs::MetadataExt, path::Path};

/// Returns the allocated bytes below a folder. Entries that disappear or cannot be read count as zero.
pub fn disk_usage(path: &Path) -> u64 {
    const BLOCK_BYTES: u64 = 512;
    let mut folders = vec![path.to_owned()];
    let mut blocks = 0;
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).into_iter().flatten().flatten() {
            let Ok(metadata) = entry.metadata() else { continue };
            blocks += metadata.blocks();
            if metadata.is_dir() {
                folders.push(entry.path());
            }
        }
    }
    blocks * BLOCK_BYTES
}

/// Tells whether this user can write next to nothing to the disk of a path. False if the path does not exist.
pub fn is_disk_full(path: &Path) -> bool {
    // Git needs more than that for any operation.
    const FREE_BYTES_MIN: u64 = 64 * 1024;
    let Ok(disk) = rustix::fs::statvfs(path) else { return false };
    // File systems without a fixed number of files report zero of zero.
    let has_no_files = disk.f_files > 0 && disk.f_favail == 0;
    has_no_files || disk.f_bavail.saturating_mul(disk.f_frsize) < FREE_BYTES_MIN
}

/// Returns the bytes that this user can still write to the disk of a path; `None` if the path does not exist.
pub fn free_disk_bytes(path: &Path) -> Option<u64> {
    let disk = rustix::fs::statvfs(path).ok()?;
    Some(disk.f_bavail.saturating_mul(disk.f_frsize))
}
