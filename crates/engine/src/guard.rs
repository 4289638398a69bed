//! The rules that keep a run right, by name, so that a test can switch one off and see that it is missed.
//!
//! Every build but that of the simulator's negative controls has all of them on, at no cost.

/// A rule that can be switched off, in tests alone.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Guard {
    /// A task starts only when all that it waits for is met.
    Dependencies,
    /// A task has at most one live try.
    OneAttempt,
    /// No more tasks run than there are slots.
    Slots,
    /// No more tasks of an agent run than it has slots.
    AgentSlots,
    /// No two running tasks touch the same thing.
    Touches,
    /// A blocked task gives its slot back.
    BlockedGivesSlot,
    /// A question gets one answer.
    OneAnswer,
    /// An answer goes to the session that asked.
    AnswerToAsker,
    /// Chat answers a question only while exactly one is pending.
    ChatNeedsOne,
    /// A default is taken only where the answer is not required.
    DefaultOnlyOptional,
    /// A message is taken once.
    MessageOnce,
    /// A prompt is taken once.
    PromptOnce,
    /// What is reported of an earlier try changes nothing.
    StaleReports,
    /// A task with a check is done only with a receipt.
    Receipt,
    /// One merge after the other.
    OneMerge,
    /// A later phase starts only when the gate before it is approved.
    GateFirst,
    /// Calls do not wait for each other in a circle.
    NoCallCycle,
    /// The last try is not repeated but escalated.
    TriesBounded,
    /// A run ends only when nothing can move and nobody is asked.
    EndsIdle,
    /// An agent says only what is its to say.
    OwnWords,
    /// A required request is not skipped.
    RequiredRequest,
}

impl Guard {
    /// All of them.
    pub const ALL: [Self; 21] = [
        Self::Dependencies,
        Self::OneAttempt,
        Self::Slots,
        Self::AgentSlots,
        Self::Touches,
        Self::BlockedGivesSlot,
        Self::OneAnswer,
        Self::AnswerToAsker,
        Self::ChatNeedsOne,
        Self::DefaultOnlyOptional,
        Self::MessageOnce,
        Self::PromptOnce,
        Self::StaleReports,
        Self::Receipt,
        Self::OneMerge,
        Self::GateFirst,
        Self::NoCallCycle,
        Self::TriesBounded,
        Self::EndsIdle,
        Self::OwnWords,
        Self::RequiredRequest,
    ];
}

/// Which guards are on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Guards {
    #[cfg(feature = "sabotage")]
    off: Option<Guard>,
}

impl Guards {
    /// All but one.
    #[cfg(feature = "sabotage")]
    pub(crate) fn without(guard: Guard) -> Self {
        Self { off: Some(guard) }
    }

    /// Tells whether a guard is on.
    #[cfg(feature = "sabotage")]
    pub(crate) fn on(self, guard: Guard) -> bool {
        self.off != Some(guard)
    }

    /// Tells whether a guard is on.
    #[cfg(not(feature = "sabotage"))]
    #[expect(clippy::unused_self, reason = "with the feature there is something to ask")]
    pub(crate) const fn on(self, _guard: Guard) -> bool {
        true
    }
}
