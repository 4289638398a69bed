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
    TouchedPaths,
    /// A blocked task gives its slot back.
    BlockedReleasesSlot,
    /// A question gets one answer.
    OneAnswer,
    /// An answer goes to the session that asked.
    AnswerToAskingSession,
    /// Chat answers a question only while exactly one is pending.
    ChatAnswersOnlyQuestion,
    /// A default is taken only where the answer is not required.
    DefaultsForOptionalOnly,
    /// A message is taken once.
    MessageOnce,
    /// A prompt is taken once.
    PromptOnce,
    /// What is reported of an earlier try changes nothing.
    RejectStaleReports,
    /// A task with a check is done only with a receipt.
    CheckReceipt,
    /// One merge after the other.
    SerialMerges,
    /// A later phase starts only when the gate before it is approved.
    GateBeforeNextPhase,
    /// Calls do not wait for each other in a circle.
    NoCallCycle,
    /// The last try is not repeated but escalated.
    AttemptLimit,
    /// A run ends only when nothing can move and nobody is asked.
    EndOnlyWhenIdle,
    /// An agent says only what is its to say.
    MessagesOfRole,
    /// A required request is not skipped.
    RequiredRequests,
}

impl Guard {
    /// All of them.
    pub const ALL: [Self; 21] = [
        Self::Dependencies,
        Self::OneAttempt,
        Self::Slots,
        Self::AgentSlots,
        Self::TouchedPaths,
        Self::BlockedReleasesSlot,
        Self::OneAnswer,
        Self::AnswerToAskingSession,
        Self::ChatAnswersOnlyQuestion,
        Self::DefaultsForOptionalOnly,
        Self::MessageOnce,
        Self::PromptOnce,
        Self::RejectStaleReports,
        Self::CheckReceipt,
        Self::SerialMerges,
        Self::GateBeforeNextPhase,
        Self::NoCallCycle,
        Self::AttemptLimit,
        Self::EndOnlyWhenIdle,
        Self::MessagesOfRole,
        Self::RequiredRequests,
    ];
}

/// Which guards are on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Guards {
    #[cfg(feature = "fault-injection")]
    off: Option<Guard>,
}

impl Guards {
    /// All but one.
    #[cfg(feature = "fault-injection")]
    pub(crate) fn without(guard: Guard) -> Self {
        Self { off: Some(guard) }
    }

    /// Tells whether a guard is on.
    #[cfg(feature = "fault-injection")]
    pub(crate) fn on(self, guard: Guard) -> bool {
        self.off != Some(guard)
    }

    /// Tells whether a guard is on.
    #[cfg(not(feature = "fault-injection"))]
    #[expect(clippy::unused_self, reason = "with the feature there is something to ask")]
    pub(crate) const fn on(self, _guard: Guard) -> bool {
        true
    }
}
