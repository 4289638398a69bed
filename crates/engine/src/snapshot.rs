//! A run's state as bytes, so that a start need not read the log from its beginning.

use std::io;

use crate::run::Run;

/// The form in which the state is written today. One of another form is not read: the log is replayed instead.
pub const SNAPSHOT_VERSION: u32 = 7;

/// How long the checksum before the state is.
const SUM_BYTES: usize = 8;

/// Bytes that are no snapshot of this form.
#[derive(Debug, thiserror::Error)]
pub enum SnapshotError {
    /// They are cut off, or were changed.
    #[error("the snapshot is damaged")]
    Damaged,
    /// They are whole, and not understood.
    #[error("read the snapshot")]
    Form(#[from] serde_json::Error),
}

impl Run {
    /// Returns the state as bytes; equal states give equal bytes.
    pub fn snapshot(&self) -> Vec<u8> {
        // The state is numbers, texts and lists of them: writing it to memory can't fail.
        let mut length = Length(SUM_BYTES);
        let _ = serde_json::to_writer(&mut length, self);
        // Exactly as much as is needed, the checksum first: a list that grows, or a second copy, would be most of what a
        // large run needs.
        let mut bytes = Vec::with_capacity(length.0);
        bytes.resize(SUM_BYTES, 0);
        let _ = serde_json::to_writer(&mut bytes, self);
        if let Some((sum, state)) = bytes.split_first_chunk_mut::<SUM_BYTES>() {
            *sum = checksum(state).to_be_bytes();
        }
        bytes
    }

    /// Makes a run of a snapshot; one that was damaged is refused.
    pub fn restore(bytes: &[u8]) -> Result<Self, SnapshotError> {
        let Some((sum, state)) = bytes.split_first_chunk::<SUM_BYTES>() else {
            return Err(SnapshotError::Damaged);
        };
        if u64::from_be_bytes(*sum) != checksum(state) {
            return Err(SnapshotError::Damaged);
        }
        let mut run: Self = serde_json::from_slice(state)?;
        run.index_tasks();
        Ok(run)
    }
}

/// Counts what is written.
struct Length(usize);

impl io::Write for Length {
    fn write(&mut self, piece: &[u8]) -> io::Result<usize> {
        self.0 += piece.len();
        Ok(piece.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// FNV-1a: enough against what a disk does, and nobody else writes here.
fn checksum(bytes: &[u8]) -> u64 {
    bytes
        .iter()
        .fold(0xcbf2_9ce4_8422_2325, |sum, byte| (sum ^ u64::from(*byte)).wrapping_mul(0x0000_0100_0000_01b3))
}
