//! An agent's bytes → messages, and what we say to agents.
//!
//! Takes output as it comes and never fails: what can't be understood is an item too. Never does IO, never decides
//! what a message means. The way of a byte: `decoder` cuts lines, `line_filter` skips those that cannot begin a message,
//! `render` and `editor` make text of the rest, `head` parses how a line begins, `assemble` puts messages together, and
//! `body`, `block`, `thin`, `human`, `marker` and `task` read them.

mod assemble;
mod block;
mod body;
mod decoder;
mod decoration;
mod echo;
mod editor;
mod encode;
mod escape;
mod fence;
mod head;
mod human;
mod item;
mod line;
mod line_filter;
mod line_start;
mod list;
mod marker;
mod near;
mod options;
mod plain;
mod raw;
mod render;
pub mod say;
mod screen;
mod tag;
mod task;
mod thin;

pub use decoder::Decoder;
pub use encode::{Misread, Unencodable, encode};
pub use item::{Invalid, Item, Message, Near, Span};
pub use options::{Keys, Options};
pub use plain::plain;
