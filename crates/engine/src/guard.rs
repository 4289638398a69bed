//! The rules that the simulator can switch off to verify that a test detects the violation.
//!
//! Without the feature `fault-injection` all guards are on, at no cost.

/// A rule of the engine that tests can switch off.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Guard {
    /// A task starts only when all its dependencies are met.
    Dependencies,
    /// A task has at most one attempt in progress.
    OneAttempt,
    /// No more tasks run than the run has slots.
    Slots,
    /// No more tasks of an agent run than the agent has slots.
    AgentSlots,
    /// No two running tasks touch the same path or lock.
    TouchedPaths,
    /// A blocked task releases its slot.
    BlockedReleasesSlot,
    /// A question is answered once.
    OneAnswer,
    /// An answer goes to the session that asked.
    AnswerToAskingSession,
    /// A chat message answers a question only while exactly one is pending.
    ChatAnswersOnlyQuestion,
    /// A default is used only if the answer is not required.
    DefaultsForOptionalOnly,
    /// A message of an agent is processed once.
    MessageOnce,
    /// A prompt of an agent is processed once.
    PromptOnce,
    /// A report about an earlier attempt changes nothing.
    RejectStaleReports,
    /// A task with a check is done only with a receipt of that check.
    CheckReceipt,
    /// Only one merge runs at a time.
    SerialMerges,
    /// A later phase starts only after the gate before it is approved.
    GateBeforeNextPhase,
    /// Calls between agents never wait for each other in a cycle.
    NoCallCycle,
    /// After the last allowed attempt the task is escalated instead of retried.
    AttemptLimit,
    /// A run ends only when nothing can proceed and no question, request or approval is open.
    EndOnlyWhenIdle,
    /// An agent sends only the messages that its role allows.
    MessagesOfRole,
    /// A required request is not skipped.
    RequiredRequests,
}

impl Guard {
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

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Guards {
    #[cfg(feature = "fault-injection")]
    disabled: Option<Guard>,
}

impl Guards {
    #[cfg(feature = "fault-injection")]
    pub(crate) fn all_except(guard: Guard) -> Self {
        Self { disabled: Some(guard) }
    }

    #[cfg(feature = "fault-injection")]
    pub(crate) fn is_on(self, guard: Guard) -> bool {
        self.disabled != Some(guard)
    }

    #[cfg(not(feature = "fault-injection"))]
    #[expect(clippy::unused_self, reason = "used only with the feature fault-injection")]
    pub(crate) const fn is_on(self, _guard: Guard) -> bool {
        true
    }
}
