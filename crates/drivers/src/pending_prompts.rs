//! The open prompts of an agent, and the input that answered each.

use crate::driver::SendError;

/// When there are more, the oldest is dropped.
const PROMPTS_MAX: usize = 256;

/// The open prompts of a session.
#[derive(Debug)]
pub(crate) struct PendingPrompts<T> {
    open: Vec<Prompt<T>>,
}

#[derive(Debug)]
struct Prompt<T> {
    id: String,
    asked: T,
    /// The number of the input that answered it.
    answered_by: Option<u32>,
}

impl<T> PendingPrompts<T> {
    pub(crate) fn new() -> Self {
        Self { open: Vec::new() }
    }

    pub(crate) fn add(&mut self, id: String, asked: T) {
        self.open.retain(|prompt| prompt.id != id);
        if self.open.len() == PROMPTS_MAX {
            self.open.remove(0);
        }
        self.open.push(Prompt { id, asked, answered_by: None });
    }

    /// Returns the answer to a prompt. Only one input may answer it, which may be sent repeatedly.
    pub(crate) fn record_answer<A>(
        &mut self,
        id: &str,
        number: u32,
        answer: impl FnOnce(&T) -> Option<A>,
    ) -> Result<A, SendError> {
        let unknown = || SendError::UnknownPrompt { prompt: id.to_owned() };
        let waits = |prompt: &&mut Prompt<T>| {
            prompt.id == id && prompt.answered_by.is_none_or(|answered| answered == number)
        };
        let prompt = self.open.iter_mut().find(waits).ok_or_else(unknown)?;
        let answer = answer(&prompt.asked).ok_or_else(unknown)?;
        prompt.answered_by = Some(number);
        Ok(answer)
    }

    /// Removes the prompts that the agent no longer waits for, and returns the ids of the unanswered ones.
    pub(crate) fn withdraw(&mut self, is_settled: impl Fn(&str, &T) -> bool) -> Vec<String> {
        let (settled, open): (Vec<_>, Vec<_>) = std::mem::take(&mut self.open)
            .into_iter()
            .partition(|prompt| is_settled(&prompt.id, &prompt.asked));
        self.open = open;
        let unanswered = |prompt: Prompt<T>| prompt.answered_by.is_none().then_some(prompt.id);
        settled.into_iter().filter_map(unanswered).collect()
    }

    pub(crate) fn clear(&mut self) {
        self.open.clear();
    }
}
