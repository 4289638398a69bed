//! Drops the capabilities by which root could bypass the sandbox.
//!
//! Root keeps access to its own files. Executing a program does not restore capabilities, because the sandbox sets
//! "no new privileges".

use std::io;

use rustix::thread::{CapabilitySet, CapabilitySets, capabilities, set_capabilities};

/// Access to memory and environment of other processes, files by handle, disks, devices, mounts and the kernel.
const DROPPED: CapabilitySet = CapabilitySet::SYS_PTRACE
    .union(CapabilitySet::PERFMON)
    .union(CapabilitySet::CHECKPOINT_RESTORE)
    .union(CapabilitySet::DAC_READ_SEARCH)
    .union(CapabilitySet::SYS_ADMIN)
    .union(CapabilitySet::SYS_RAWIO)
    .union(CapabilitySet::MKNOD)
    .union(CapabilitySet::BPF)
    .union(CapabilitySet::SYS_MODULE)
    .union(CapabilitySet::SYS_BOOT)
    .union(CapabilitySet::SYS_CHROOT);

/// Drops the capabilities. Has no effect for ordinary users, who have none.
pub(super) fn drop_capabilities() -> io::Result<()> {
    let current = capabilities(None)?;
    let sets = CapabilitySets {
        effective: current.effective.difference(DROPPED),
        permitted: current.permitted.difference(DROPPED),
        inheritable: current.inheritable.difference(DROPPED),
    };
    Ok(set_capabilities(None, sets)?)
}
