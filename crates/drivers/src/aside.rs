//! Messages that an agent's helper commands send beside its output.

use domain::MessageOffset;
use protocol::{Decoder, Options};

use crate::driver::Happening;

/// Reads the messages of helper commands. Each record holds whole messages, and they are named by its offset.
#[derive(Debug)]
pub struct AsideReader(Decoder);

impl AsideReader {
    /// Returns a reader; `options` must require the session's key.
    pub fn new(options: Options) -> Self {
        Self(Decoder::new(options))
    }

    /// Decodes one record. `read_from` is the offset from which the agent's driver would start again.
    pub fn read(&mut self, offset: u64, bytes: &[u8], read_from: u64) -> Vec<Happening> {
        let mut items = self.0.push(bytes);
        items.extend(self.0.end_turn());
        let read_from = read_from.min(offset + bytes.len() as u64);
        let said = |(item, ordinal)| Happening::Said {
            heard: MessageOffset { start: offset, ordinal },
            read_from,
            item,
        };
        items.into_iter().zip(0..).map(said).collect()
    }
}
