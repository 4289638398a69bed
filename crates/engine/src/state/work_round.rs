//! A round of work on a task: from the prompt that begins it to the claim that ends it, and what the claim is compared with.

use domain::{CheckpointId, ClaimSource, MissingEvidence, QuestionId, WorkChange};

/// A round begins with the task, and again whenever its work is not accepted. It outlives the attempts of the task: what
/// a lost agent changed stays evidence.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct WorkRound {
    pub(crate) origin: RoundOrigin,
    /// Tree when the prompt of the round was sent; `None` until then, and without worktrees.
    pub(crate) base_tree: Option<String>,
    /// Tree when a permission was denied last.
    pub(crate) denied_tree: Option<String>,
    /// Whether the agent was told what is missing.
    pub(crate) is_evidence_requested: bool,
    /// Whether the agent delivered a result.
    pub(crate) has_result: bool,
    /// Whether its claim was accepted, and its work is not refuted.
    pub(crate) is_accepted: bool,
    pub(crate) examination: TreeExamination,
    /// The end of what the agent wrote last, without its messages.
    pub(crate) last_words: String,
    /// The open question of Jangdan about the missing evidence.
    pub(crate) question: Option<QuestionId>,
    pub(crate) questions: EvidenceQuestions,
}

/// Why a round began.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum RoundOrigin {
    #[default]
    Start,
    /// A user or an agent retried the task with a hint.
    Retry,
    /// The phase did not pass its gate.
    Rejection,
    FailedCheck,
    Conflict,
}

/// A claim that waits for its examination.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct TaskClaim {
    pub(crate) source: ClaimSource,
    /// Whether the DONE line has a reason.
    pub(crate) has_reason: bool,
}

/// The checkpoint that shows what an agent changed until the end of its turn.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) enum TreeExamination {
    #[default]
    NotRequested,
    Requested(CheckpointId),
    /// `None` if there is no worktree, or the checkpoint failed.
    Finished {
        tree: Option<String>,
    },
}

/// The questions about missing evidence since the round began, to notice an agent that repeats itself.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct EvidenceQuestions {
    pub(crate) count: u32,
    /// Number of the last questions with the same tree and words.
    pub(crate) repeated: u32,
    last_tree: Option<String>,
    last_words: String,
}

impl EvidenceQuestions {
    /// Returns whether the last question was about the same tree and words.
    pub(crate) fn is_repetition(&self, tree: Option<&String>, words: &str) -> bool {
        self.count > 0 && self.last_tree.as_ref() == tree && self.last_words == words
    }

    fn add(&mut self, tree: Option<&String>, words: &str) {
        self.repeated = if self.is_repetition(tree, words) { self.repeated + 1 } else { 1 };
        self.count += 1;
        self.last_tree = tree.cloned();
        words.clone_into(&mut self.last_words);
    }
}

impl WorkRound {
    /// Begins a new round. The next prompt to the agent determines its tree.
    pub(crate) fn begin(&mut self, origin: RoundOrigin) {
        let last_words = std::mem::take(&mut self.last_words);
        *self = Self { origin, last_words, ..Self::default() };
    }

    /// Lets the agent try again with the answer to the question about its evidence. What it changed before still counts,
    /// and the answer follows a denied permission.
    pub(crate) fn continue_with_answer(&mut self) {
        self.question = None;
        self.denied_tree = None;
        self.is_evidence_requested = false;
    }

    /// Continues from a restored tree, to which the next prompt compares. Work of the first round that a user restores
    /// from a checkpoint stays evidence.
    pub(crate) fn restart_from_restored_tree(&mut self, is_start_of_task: bool) {
        let is_own_work = self.origin == RoundOrigin::Start && !is_start_of_task;
        let base_tree = self.base_tree.take().filter(|_| is_own_work);
        let (origin, question) = (self.origin, self.question);
        let (last_words, questions) =
            (std::mem::take(&mut self.last_words), std::mem::take(&mut self.questions));
        *self = Self { origin, base_tree, question, last_words, questions, ..Self::default() };
    }

    /// Returns what the agent changed since the round began, according to the examined tree.
    pub(crate) fn change(&self) -> WorkChange {
        match (self.examined_tree(), &self.base_tree) {
            (Some(tree), Some(base)) if tree != base => WorkChange::Changed,
            (Some(_), Some(_)) => match self.origin {
                RoundOrigin::Start | RoundOrigin::Retry => WorkChange::Unchanged,
                RoundOrigin::Rejection | RoundOrigin::FailedCheck | RoundOrigin::Conflict => {
                    WorkChange::SameAsLastRound
                }
            },
            (None, _) | (_, None) => WorkChange::Unknown,
        }
    }

    /// Returns why the examined tree is not evidence.
    pub(crate) fn missing_change(&self) -> Option<MissingEvidence> {
        if self.denied_tree.is_some() && self.denied_tree.as_ref() == self.examined_tree() {
            return Some(MissingEvidence::UnchangedSinceDenial);
        }
        match self.change() {
            WorkChange::Changed => None,
            WorkChange::Unknown => Some(MissingEvidence::ChangesUnknown),
            WorkChange::Unchanged | WorkChange::SameAsLastRound => Some(match self.origin {
                RoundOrigin::Start | RoundOrigin::Retry => MissingEvidence::NoChange,
                RoundOrigin::Rejection => MissingEvidence::UnchangedSinceRejection,
                RoundOrigin::FailedCheck => MissingEvidence::UnchangedSinceFailedCheck,
                RoundOrigin::Conflict => MissingEvidence::UnchangedSinceConflict,
            }),
        }
    }

    pub(crate) fn examined_tree(&self) -> Option<&String> {
        match &self.examination {
            TreeExamination::Finished { tree } => tree.as_ref(),
            TreeExamination::NotRequested | TreeExamination::Requested(_) => None,
        }
    }

    /// Records that Jangdan asks about the missing evidence.
    pub(crate) fn add_question(&mut self, question: QuestionId) {
        self.question = Some(question);
        let tree = self.examined_tree().cloned();
        self.questions.add(tree.as_ref(), &self.last_words);
    }
}
