//! An attack, and what is expected of it.

use anyhow::Result;

use crate::stage::Stage;

/// An attack of a list.
pub(crate) struct Attack {
    pub(crate) name: &'static str,
    pub(crate) guard: Guard,
    /// Plays it on a new stage.
    pub(crate) play: fn(&Stage) -> Result<Outcome>,
}

/// What prevents an attack.
pub(crate) enum Guard {
    /// The sandbox: without it, the attack must succeed.
    Sandbox,
    /// Something else, with and without a sandbox. The control does the same without the guard, and must succeed.
    Always { control: Option<fn(&Stage) -> Result<Outcome>> },
}

/// What came of an attack.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Outcome {
    Succeeded,
    Prevented,
    /// This machine or user cannot play it, whatever the guard.
    NotPossible,
}

impl Outcome {
    pub(crate) fn from_success(succeeded: bool) -> Self {
        if succeeded { Self::Succeeded } else { Self::Prevented }
    }
}
