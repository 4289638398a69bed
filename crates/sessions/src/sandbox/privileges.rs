//! Drops the capabilities of root, except those that builds in a container need.
//!
//! Root keeps access to its own files. Executing a program does not restore capabilities, because the sandbox sets
//! "no new privileges".

use std::io;

use rustix::thread::{CapabilitySet, CapabilitySets, capabilities, set_capabilities};

/// Files of any owner and mode, within the paths of the sandbox; other users; low ports. All others reach processes,
/// limits, devices, the network or the kernel outside of the sandbox.
const KEPT_CAPABILITIES: CapabilitySet = CapabilitySet::CHOWN
    .union(CapabilitySet::DAC_OVERRIDE)
    .union(CapabilitySet::FOWNER)
    .union(CapabilitySet::FSETID)
    .union(CapabilitySet::SETGID)
    .union(CapabilitySet::SETUID)
    .union(CapabilitySet::NET_BIND_SERVICE);

/// Drops the capabilities. Has no effect for ordinary users, who have none.
pub(super) fn drop_capabilities() -> io::Result<()> {
    let current = capabilities(None)?;
    let sets = CapabilitySets {
        effective: current.effective.intersection(KEPT_CAPABILITIES),
        permitted: current.permitted.intersection(KEPT_CAPABILITIES),
        inheritable: current.inheritable.intersection(KEPT_CAPABILITIES),
    };
    Ok(set_capabilities(None, sets)?)
}
