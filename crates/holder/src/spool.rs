//! The spool: everything an agent wrote, in append-only segment files, with what was typed and what happened between.
//!
//! Never interprets a byte of it. Offsets count the agent's output bytes, over all segments and both streams, so a
//! reader that was killed goes on at the last offset it knows. A record is trusted only when it is whole and its
//! checksum fits; what a crash left half written at the end is cut off when the spool is opened for writing.

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

/// Why a spool can't be read or written.
#[derive(Debug, thiserror::Error)]
pub enum SpoolError {
    /// A file or the folder could not be used.
    #[error("{action} {}", .path.display())]
    Io {
        /// What was tried.
        action: &'static str,
        /// On which file or folder.
        path: PathBuf,
        /// Why it failed.
        source: io::Error,
    },
    /// The bytes that were asked for are in a segment that was removed.
    #[error("offset {asked} was forgotten: the spool begins at {first}")]
    Forgotten {
        /// The offset that was asked for.
        asked: u64,
        /// The first offset that is still there.
        first: u64,
    },
    /// The offset lies behind everything that was written.
    #[error("offset {asked} is behind the end of the spool at {end}")]
    Beyond {
        /// The offset that was asked for.
        asked: u64,
        /// The end of the spool.
        end: u64,
    },
    /// A record is whole, but not what was written.
    #[error("{} is damaged at byte {position}: {problem}", .path.display())]
    Damaged {
        /// The segment.
        path: PathBuf,
        /// Where in the file the record begins.
        position: u64,
        /// What does not fit.
        problem: &'static str,
    },
}

impl SpoolError {
    fn io(action: &'static str, path: impl Into<PathBuf>, source: io::Error) -> Self {
        Self::Io { action, path: path.into(), source }
    }
}
