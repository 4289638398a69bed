//! Applies a sandbox with Landlock and a filter of system calls to this process and all its descendants. It cannot be
//! removed.

use landlock::{
    ABI, Access, AccessFs, BitFlags, CompatLevel, Compatible, PathBeneath, Ruleset, RulesetAttr,
    RulesetCreatedAttr, RulesetError, RulesetStatus, Scope,
};

use super::{
    SandboxPaths, privileges,
    rules::{handled_access, rules},
    system_calls,
};

/// The kernel's support for the sandbox.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum KernelSupport {
    Full,
    /// With what is missing.
    Partial(String),
    /// With the reason.
    None(String),
}

/// The reason why a process could not be restricted.
#[derive(Debug, thiserror::Error)]
pub enum RestrictError {
    #[error("cannot use a path of the sandbox")]
    Path(#[source] std::io::Error),
    #[error("cannot drop the capabilities of root")]
    Privileges(#[source] std::io::Error),
    #[error("the kernel refused the sandbox")]
    Refused(#[from] RulesetError),
    #[error("the kernel refused the filter of system calls")]
    Filter(#[from] seccompiler::Error),
    #[error("Landlock is missing or disabled in this kernel")]
    Missing,
}

/// Restricts this process and all its future descendants, irrevocably.
pub fn restrict(paths: &SandboxPaths) -> Result<(), RestrictError> {
    let rules = rules(paths).map_err(RestrictError::Path)?;
    let mut ruleset = Ruleset::default()
        .set_compatibility(CompatLevel::BestEffort)
        .handle_access(handled_access())?
        // If supported: processes in the sandbox cannot signal the holder, the server or other sessions, and cannot connect
        // to sockets without a path, such as those of a desktop.
        .scope(Scope::Signal | Scope::AbstractUnixSocket)?
        .create()?;
    for rule in &rules {
        ruleset = ruleset.add_rule(PathBeneath::new(&rule.path, rule.access))?;
    }
    privileges::drop_capabilities().map_err(RestrictError::Privileges)?;
    // Also sets "no new privileges", so that sudo and the like cannot leave the sandbox.
    match ruleset.restrict_self()?.ruleset {
        RulesetStatus::FullyEnforced | RulesetStatus::PartiallyEnforced => {}
        RulesetStatus::NotEnforced => return Err(RestrictError::Missing),
    }
    if system_calls::is_supported() {
        system_calls::filter_system_calls()?;
    }
    Ok(())
}

/// Detects what the kernel supports, without restricting anything.
pub(super) fn kernel_support() -> KernelSupport {
    if is_supported(AccessFs::from_all(ABI::V3)) {
        if system_calls::is_supported() {
            return KernelSupport::Full;
        }
        let reason = "system calls cannot be filtered, because this kernel or processor does not support it";
        KernelSupport::Partial(reason.to_owned())
    } else if is_supported(AccessFs::from_all(ABI::V1)) {
        let reason =
            "Landlock of this kernel cannot prevent that files elsewhere are truncated; Linux 6.2 can";
        KernelSupport::Partial(reason.to_owned())
    } else {
        let reason = "Landlock is missing or disabled in this kernel; Linux 5.13 and later support it";
        KernelSupport::None(reason.to_owned())
    }
}

/// What the sandbox does not cover on this kernel although a later one does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SandboxGap {
    /// Signals to processes outside, and sockets without a path.
    Signals,
    /// Sockets with a path, such as Docker's.
    Sockets,
}

impl SandboxGap {
    /// Returns the version of Linux that covers it.
    pub fn covered_since(self) -> &'static str {
        match self {
            Self::Signals => "6.12",
            Self::Sockets => "7.1",
        }
    }
}

/// Returns the gaps of a sandbox on this kernel.
pub fn sandbox_gaps() -> Vec<SandboxGap> {
    let scopes = Ruleset::default().set_compatibility(CompatLevel::HardRequirement);
    let scopes = scopes.scope(Scope::Signal | Scope::AbstractUnixSocket).and_then(Ruleset::create);
    let covered = [
        (SandboxGap::Signals, scopes.is_ok()),
        (SandboxGap::Sockets, is_supported(AccessFs::ResolveUnix.into())),
    ];
    covered.into_iter().filter(|(_, is_covered)| !is_covered).map(|(gap, _)| gap).collect()
}

fn is_supported(access: BitFlags<AccessFs>) -> bool {
    let ruleset = Ruleset::default().set_compatibility(CompatLevel::HardRequirement).handle_access(access);
    ruleset.and_then(Ruleset::create).is_ok()
}
