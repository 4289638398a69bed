//! The protocol between Jangdan and agents: decodes an agent's output into messages, and writes prompts for agents.
//!
//! The decoder accepts output in chunks of any size and never fails: invalid messages are items too. The crate does no IO
//! and does not act on messages. Decoding: `decoder` splits lines, `line_filter` skips those that cannot begin a message,
//! `render` and `line_editor` produce the text of the others, `line_head` parses how a line begins, `assemble` collects
//! the lines of a message, and `tag_body`, `block`, `need_human`, `keyword_line`, `phase_marker` and `task_lines` parse it.

mod assemble;
mod block;
mod decoder;
mod decoration;
mod echo_filter;
mod encode;
mod escape;
mod fence;
mod item;
mod keyword_line;
mod line;
mod line_editor;
mod line_filter;
mod line_head;
mod line_start;
mod list;
mod near_miss;
mod need_human;
mod options;
mod phase_marker;
pub mod prompts;
mod render;
mod screen;
mod span_builder;
mod tag;
mod tag_body;
mod task_lines;
mod visible_text;

pub use decoder::Decoder;
pub use encode::{EncodeError, EncodeErrorReason, encode};
pub use item::{DecodedItem, DecodedMessage, InvalidMessage, NearMiss, Span};
pub use options::{AcceptedTaskIds, DecoderOptions, KeyRequirement};
pub use visible_text::visible_text;
