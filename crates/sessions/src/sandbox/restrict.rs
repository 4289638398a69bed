//! Asks the kernel for a sandbox, by Landlock: for this process and all that it starts, for good.

use landlock::{
    ABI, Access, AccessFs, BitFlags, CompatLevel, Compatible, PathBeneath, Ruleset, RulesetAttr,
    RulesetCreatedAttr, RulesetError, RulesetStatus, Scope,
};

use super::{
    SandboxPaths, privileges,
    rules::{handled, rules},
};

/// How much of a sandbox the kernel has.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Offer {
    /// All that is needed.
    Whole,
    /// Not all of it, and what is missing.
    Partly(String),
    /// Nothing, and why.
    None(String),
}

/// A process could not be restricted.
#[derive(Debug, thiserror::Error)]
pub enum RestrictError {
    /// A path of the sandbox can't be used.
    #[error("a path of the sandbox can't be used")]
    Path(#[source] std::io::Error),
    /// A power could not be given up.
    #[error("root's powers can't be given up")]
    Privileges(#[source] std::io::Error),
    /// The kernel refuses.
    #[error("the kernel refuses the sandbox")]
    Refused(#[from] RulesetError),
    /// The kernel has no such thing.
    #[error("this kernel has no Landlock, or it is switched off")]
    Missing,
}

/// Restricts this process and all that it will start. There is no way back.
pub fn restrict(paths: &SandboxPaths) -> Result<(), RestrictError> {
    let rules = rules(paths).map_err(RestrictError::Path)?;
    let mut ruleset = Ruleset::default()
        .set_compatibility(CompatLevel::BestEffort)
        .handle_access(handled())?
        // Where it can be had: nobody in the sandbox may end the holder, the server or another session.
        .scope(Scope::Signal)?
        .create()?;
    for rule in &rules {
        ruleset = ruleset.add_rule(PathBeneath::new(&rule.path, rule.access))?;
    }
    privileges::drop().map_err(RestrictError::Privileges)?;
    // Sets "no new privileges" first, so that sudo and the like are no way out.
    match ruleset.restrict_self()?.ruleset {
        RulesetStatus::FullyEnforced | RulesetStatus::PartiallyEnforced => Ok(()),
        RulesetStatus::NotEnforced => Err(RestrictError::Missing),
    }
}

/// Finds out what the kernel has, without restricting anything.
pub(super) fn offer() -> Offer {
    if knows(AccessFs::from_all(ABI::V3)) {
        Offer::Whole
    } else if knows(AccessFs::from_all(ABI::V1)) {
        let reason =
            "this kernel's Landlock can't keep a process from emptying files elsewhere; Linux 6.2 can";
        Offer::Partly(reason.to_owned())
    } else {
        let reason = "this kernel has no Landlock, or it is switched off; Linux 5.13 and later can have it";
        Offer::None(reason.to_owned())
    }
}

fn knows(access: BitFlags<AccessFs>) -> bool {
    let ruleset = Ruleset::default().set_compatibility(CompatLevel::HardRequirement).handle_access(access);
    ruleset.and_then(Ruleset::create).is_ok()
}
