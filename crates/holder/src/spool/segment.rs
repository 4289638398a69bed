//! Segment files: names, headers and deletion.
//!
//! `0000000003-00000000000012582912.spool` is the third segment and starts at that output byte. The name alone
//! locates an offset; the header repeats it to detect renamed files.

use std::{
    fs,
    path::{Path, PathBuf},
};

use super::SpoolError;

/// Size at which a new segment starts: small enough to delete old output, large enough to keep the number of files
/// low.
pub const SEGMENT_BYTES_MAX: u64 = 4 << 20;

pub(super) const HEAD_BYTES: usize = 32;

const MAGIC: [u8; 8] = *b"JDSPOOL\x01";

/// A segment, identified by its file name.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Segment {
    pub(super) number: u64,
    /// Offset of its first output byte.
    pub(super) offset: u64,
}

impl Segment {
    pub(super) fn path(&self, directory: &Path) -> PathBuf {
        directory.join(format!("{:010}-{:020}.spool", self.number, self.offset))
    }

    fn from_name(name: &str) -> Option<Self> {
        let (number, offset) = name.strip_suffix(".spool")?.split_once('-')?;
        Some(Self { number: number.parse().ok()?, offset: offset.parse().ok()? })
    }

    pub(super) fn encode_header(&self) -> [u8; HEAD_BYTES] {
        let mut head = [0; HEAD_BYTES];
        head[..8].copy_from_slice(&MAGIC);
        head[8..16].copy_from_slice(&self.number.to_le_bytes());
        head[16..24].copy_from_slice(&self.offset.to_le_bytes());
        let checksum = crc32fast::hash(&head[..24]);
        head[24..28].copy_from_slice(&checksum.to_le_bytes());
        head
    }
}

/// Returns all segments in order.
pub(super) fn list(directory: &Path) -> Result<Vec<Segment>, SpoolError> {
    let failed = |source| SpoolError::io("list the spool", directory, source);
    let mut segments = Vec::new();
    for entry in fs::read_dir(directory).map_err(failed)? {
        let name = entry.map_err(failed)?.file_name();
        segments.extend(name.to_str().and_then(Segment::from_name));
    }
    segments.sort();
    Ok(segments)
}

/// Returns the first available offset, 0 for an empty spool.
pub fn first_offset(directory: &Path) -> Result<u64, SpoolError> {
    Ok(list(directory)?.first().map_or(0, |segment| segment.offset))
}

/// Deletes the segments that end at or before an offset; returns the first available offset.
///
/// The last segment always stays, because its name says where the spool continues.
pub fn delete_before(directory: &Path, offset: u64) -> Result<u64, SpoolError> {
    let segments = list(directory)?;
    for pair in segments.windows(2) {
        let [old, next] = pair else { break };
        if next.offset > offset {
            break;
        }
        let path = old.path(directory);
        fs::remove_file(&path).map_err(|source| SpoolError::io("remove", path, source))?;
    }
    first_offset(directory)
}
