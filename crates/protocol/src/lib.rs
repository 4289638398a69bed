//! An agent's bytes → messages, and what we say to agents.
//!
//! Takes output as it comes and never fails: what can't be understood is an item too. Never does IO, never decides
//! what a message means. The way of a byte: `decoder` cuts lines, `line_filter` skips those that cannot begin a message,
//! `render` and `editor` make text of the rest, `head` parses how a line begins, `assemble` puts messages together, and
//! `body`, `block`, `thin`, `human`, `marker` and `task` read them.

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
pub use options::{DecoderOptions, KeyRequirement};
pub use visible_text::visible_text;
