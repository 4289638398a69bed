//! How an agent stands: at work, done with its turn, or waiting for somebody; since when, and by whose word.

use domain::Timestamp;
use drivers::{Happening, TurnOutcome};

use crate::living::{Moment, Seen};

/// What an agent does.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Stand {
    /// It is not ready to be told anything.
    Starting,
    /// It works on a turn.
    Working,
    /// It waits for a permission.
    AsksPermission {
        /// To do what.
        subject: String,
    },
    /// It waits for an answer in the middle of its turn.
    Asks {
        /// The question.
        question: String,
    },
    /// Its turn is over.
    Idle {
        /// How, where that was seen.
        outcome: Option<TurnOutcome>,
    },
}

/// How an agent stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Standing {
    /// What it does.
    pub stand: Stand,
    /// Since when.
    pub since: Timestamp,
    /// When it last showed a sign of life.
    pub heard_at: Timestamp,
    /// The prompts that it waits for, the oldest first.
    open: Vec<(String, Stand)>,
}

impl Standing {
    /// Begins with what is known before anything is heard.
    pub fn new(stand: Stand, since: Timestamp) -> Self {
        Self { stand, since, heard_at: since, open: Vec::new() }
    }

    /// Takes what was seen.
    pub fn take(&mut self, moment: &Moment) {
        self.heard_at = moment.at;
        for seen in &moment.seen {
            let stand = match seen {
                Seen::Happened(happening) => self.after(happening),
                // Something was told: it works on that.
                Seen::Typed { .. } => {
                    self.open.clear();
                    Some(Stand::Working)
                }
                Seen::Ended(_) | Seen::Lost => None,
            };
            if let Some(stand) = stand.filter(|stand| *stand != self.stand) {
                self.stand = stand;
                self.since = moment.at;
            }
        }
    }

    fn after(&mut self, happening: &Happening) -> Option<Stand> {
        match happening {
            Happening::Ready { .. } if self.stand == Stand::Starting => Some(Stand::Idle { outcome: None }),
            Happening::Permission { wish, .. } => {
                let asks = Stand::AsksPermission { subject: wish.subject.clone() };
                self.open.push((wish.prompt.clone(), asks));
                self.first_open()
            }
            Happening::Prompt { prompt, asked } => {
                self.open.push((prompt.clone(), Stand::Asks { question: asked.question.clone() }));
                self.first_open()
            }
            Happening::Withdrawn { prompt } => {
                self.open.retain(|(open, _)| open != prompt);
                self.first_open().or(Some(Stand::Working))
            }
            Happening::TurnEnded { outcome, .. } => {
                self.open.clear();
                Some(Stand::Idle { outcome: Some(outcome.clone()) })
            }
            // While it waits, helpers of its own may go on.
            Happening::Words { .. } | Happening::ToolCall(_) if self.open.is_empty() => Some(Stand::Working),
            Happening::Ready { .. }
            | Happening::Words { .. }
            | Happening::ToolCall(_)
            | Happening::Model { .. }
            | Happening::Said { .. }
            | Happening::Plan { .. }
            | Happening::Mode { .. }
            | Happening::Usage(_)
            | Happening::Trouble(_) => None,
        }
    }

    fn first_open(&self) -> Option<Stand> {
        self.open.first().map(|(_, stand)| stand.clone())
    }
}
