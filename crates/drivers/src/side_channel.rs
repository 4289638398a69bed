//! Protocol messages that an agent's helper commands send beside its output.

use domain::MessageOffset;
use protocol::{Decoder, DecoderOptions};

use crate::driver::DriverEvent;

/// Decodes the side channel of a session. Each record holds whole messages, which are identified by the record's offset.
#[derive(Debug)]
pub struct SideChannelReader(Decoder);

impl SideChannelReader {
    /// Returns a reader; `options` must require the session's key.
    pub fn new(options: DecoderOptions) -> Self {
        Self(Decoder::new(options))
    }

    /// Decodes one record. `read_from` is the offset from which the agent's driver would start again.
    pub fn read_record(&mut self, offset: u64, bytes: &[u8], read_from: u64) -> Vec<DriverEvent> {
        let mut items = self.0.push(bytes);
        items.extend(self.0.end_turn());
        let read_from = read_from.min(offset + bytes.len() as u64);
        let event = |(item, ordinal)| DriverEvent::Message {
            offset: MessageOffset { start: offset, ordinal },
            read_from,
            item,
        };
        items.into_iter().zip(0..).map(event).collect()
    }
}
