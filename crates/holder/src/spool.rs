//! The spool: all output of an agent in append-only segment files, together with inputs and other events.
//!
//! Content is never interpreted. Offsets count output bytes over all segments and streams, so a reader can continue
//! at the last offset it knows. Only complete records with a valid checksum are trusted; an incomplete one at the
//! end, left by a crash, is cut off when the spool is opened for writing.

mod follower;
mod reader;
mod record;
mod repair;
mod segment;
mod writer;

use std::{io, path::PathBuf};

pub use follower::RecordFollower;
pub use reader::{RecordReader, spool_end_offset};
pub use record::{EndReason, Exit, OutputSource, PAYLOAD_BYTES_MAX, Record, RecordBody};
pub use repair::{RepairReport, repair};
pub use segment::{SEGMENT_BYTES_MAX, delete_before, first_offset};
pub use writer::{AppendResult, SpoolWriter};

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
    #[error("offset {requested} was deleted: the spool starts at {first}")]
    Deleted {
        /// Offset that was requested.
        requested: u64,
        /// First available offset.
        first: u64,
    },
    /// The offset is beyond the end of the spool.
    #[error("offset {requested} is beyond the end of the spool at {end}")]
    BeyondEnd {
        /// Offset that was requested.
        requested: u64,
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
