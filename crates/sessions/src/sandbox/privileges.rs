//! Gives up what would lead root around a sandbox: powers that reach past files by their path.
//!
//! Root stays root in its own files. Nobody gets a power back by starting a program, because that is switched off
//! together with the sandbox.

use std::io;

use rustix::thread::{CapabilitySet, CapabilitySets, capabilities, set_capabilities};

/// Other processes' memory and environment, files by their number, disks, devices, mounts and the kernel itself.
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

/// Gives them up; an ordinary user has none of them.
pub(super) fn drop() -> io::Result<()> {
    let held = capabilities(None)?;
    let sets = CapabilitySets {
        effective: held.effective.difference(DROPPED),
        permitted: held.permitted.difference(DROPPED),
        inheritable: held.inheritable.difference(DROPPED),
    };
    Ok(set_capabilities(None, sets)?)
}
