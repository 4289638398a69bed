//! The spool: all output of an agent in append-only segment files, together with inputs and other events.
//!
//! Content is never interpreted. Offsets count output bytes over all segments and streams, so a reader can continue
//! at the last offset it knows. Only complete records with a valid checksum are trusted; an incomplete one at the
//! end, left by a crash, is cut off when the spool is opened for writing.

mod follow;
mod reader;
mod record;
mod repair;
mod segment;
mod writer;

use std::{io, path::PathBuf};

pub use follow::Follower;
pub use reader::{Reader, end_offset};
pub use record::{Body, EndReason, Exit, PAYLOAD_BYTES_MAX, Record, Stream};
pub use repair::{Repaired, repair};
pub use segment::{SEGMENT_BYTES_MAX, first_offset, forget_before};
pub use writer::{Appended, Writer};

/// A spool could not be read or written.
#[derive(Debug, thiserror::Error)]
pub enum SpoolError {
    /// A file operation failed.
    #[error("cannot {action} {}", .path.display())]
    Io {
        /// Verb that completes "cannot …".
        action: &'static str,
        /// Path of the file or folder.
        path: PathBuf,
        /// Error of the operating system.
        source: io::Error,
    },
    /// The requested output is in a deleted segment.
    #[error("offset {asked} was deleted: the spool starts at {first}")]
    Forgotten {
        /// Offset that was requested.
        asked: u64,
        /// First available offset.
        first: u64,
    },
    /// The offset is beyond the end of the spool.
    #[error("offset {asked} is beyond the end of the spool at {end}")]
    Beyond {
        /// Offset that was requested.
        asked: u64,
        /// End of the spool.
        end: u64,
    },
    /// A complete record is invalid.
    #[error("{} is damaged at byte {position}: {problem}", .path.display())]
    Damaged {
        /// Path of the segment.
        path: PathBuf,
        /// Position of the record in the file.
        position: u64,
        /// What is invalid.
        problem: &'static str,
    },
}

impl SpoolError {
    fn io(action: &'static str, path: impl Into<PathBuf>, source: io::Error) -> Self {
        Self::Io { action, path: path.into(), source }
    }
}
