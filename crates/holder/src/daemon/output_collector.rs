//! Moves output from the agent to the spool: read, mask, append.
//!
//! Invariant: nothing is read while the spool waits for disk space. The agent's output is then in its own pipe, in
//! the spool, or in the one unwritten record, and the agent blocks.

use std::{
    os::fd::OwnedFd,
    time::{Duration, Instant},
};

use rustix::io::Errno;

use crate::{
    mask::{Masker, Secret},
    spool::{AppendResult, OutputSource, RecordBody, SpoolWriter},
};

/// Amount read before a record is written. A terminal returns at most 4 KiB per read.
const BUFFER_BYTES: usize = 32 << 10;
/// How long the beginning of a possible secret is held back.
const HOLD_BACK_MAX: Duration = Duration::from_millis(100);
/// Delay before a full disk is retried, at first and at most.
const RETRY_MIN: Duration = Duration::from_millis(20);
const RETRY_MAX: Duration = Duration::from_secs(1);

/// Result of reading an output.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ReadResult {
    /// There may be more.
    More,
    /// Nothing available for now.
    Empty,
    /// The output is closed.
    Closed,
}

pub(super) struct AgentOutput {
    stream: OutputSource,
    pub(super) pipe: OwnedFd,
    masker: Masker,
}

/// All outputs of an agent, and their spool.
pub(super) struct OutputCollector {
    pub(super) open: Vec<AgentOutput>,
    spool: SpoolWriter,
    buffer: Vec<u8>,
    secrets: Vec<Secret>,
    flush_at: Option<Instant>,
    retry_at: Option<Instant>,
    retry_pause: Duration,
}

impl OutputCollector {
    pub(super) fn new(
        spool: SpoolWriter,
        streams: Vec<(OutputSource, OwnedFd)>,
        secrets: Vec<Secret>,
    ) -> Self {
        let open = streams
            .into_iter()
            .map(|(stream, pipe)| AgentOutput { stream, pipe, masker: Masker::default() })
            .collect();
        let buffer = vec![0; BUFFER_BYTES];
        let (flush_at, retry_at) = (None, None);
        let mut outputs =
            Self { open, spool, buffer, secrets: Vec::new(), flush_at, retry_at, retry_pause: RETRY_MIN };
        outputs.set_secrets(secrets);
        outputs
    }

    pub(super) fn set_secrets(&mut self, secrets: Vec<Secret>) {
        for output in &mut self.open {
            output.masker.set_secrets(&secrets);
        }
        self.secrets = secrets;
    }

    /// Returns the values that are masked and those of `added` that are not among them.
    pub(super) fn secrets_with(&self, added: Vec<Secret>) -> Vec<Secret> {
        let mut secrets = self.secrets.clone();
        for secret in added {
            if !secrets.contains(&secret) {
                secrets.push(secret);
            }
        }
        secrets
    }

    pub(super) fn offset(&self) -> u64 {
        self.spool.offset()
    }

    pub(super) fn is_blocked(&self) -> bool {
        self.spool.is_blocked()
    }

    /// Returns when the next scheduled action is due.
    pub(super) fn next_action_at(&self) -> Option<Instant> {
        match (self.flush_at, self.retry_at) {
            (_, Some(retry_at)) => Some(retry_at),
            (flush_at, None) => flush_at,
        }
    }

    /// Performs due actions: retries a full disk, releases held-back output.
    pub(super) fn tick(&mut self, now: Instant) {
        if self.retry_at.is_some_and(|at| now >= at) {
            let appended = self.spool.write_pending();
            self.update_write_retry(appended, now);
        }
        if self.flush_at.is_some_and(|at| now >= at) && !self.is_blocked() {
            self.flush(now);
        }
    }

    /// Appends a record other than output, after all output read so far.
    pub(super) fn append_record(&mut self, body: &RecordBody, now: Instant) {
        let appended = self.spool.append(body);
        self.update_write_retry(appended, now);
    }

    /// Appends a written input, masked.
    pub(super) fn append_input(&mut self, number: u64, bytes: &[u8], now: Instant) {
        let bytes = self.mask_secrets(bytes);
        self.append_record(&RecordBody::Input { number, bytes }, now);
    }

    /// Appends a message from the socket, masked.
    pub(super) fn append_side_channel(&mut self, bytes: &[u8], now: Instant) {
        let bytes = self.mask_secrets(bytes);
        self.append_record(&RecordBody::Output { stream: OutputSource::SideChannel, bytes }, now);
    }

    fn mask_secrets(&self, bytes: &[u8]) -> Vec<u8> {
        let mut masker = Masker::default();
        masker.set_secrets(&self.secrets);
        let mut shown = Vec::with_capacity(bytes.len());
        masker.push(bytes, &mut shown);
        masker.flush(&mut shown);
        shown
    }

    /// Reads one output until it is empty or the buffer is full, and appends the bytes.
    pub(super) fn read(&mut self, index: usize, now: Instant) -> ReadResult {
        let Some(output) = self.open.get_mut(index).filter(|_| !self.spool.is_blocked()) else {
            return ReadResult::Empty;
        };
        let mut filled = 0;
        let flow = loop {
            let Some(room) = self.buffer.get_mut(filled..).filter(|room| !room.is_empty()) else {
                break ReadResult::More;
            };
            match rustix::io::read(&output.pipe, room) {
                Ok(0) => break ReadResult::Closed,
                Ok(length) => filled += length,
                Err(Errno::AGAIN) => break ReadResult::Empty,
                Err(Errno::INTR) => {}
                Err(_) => break ReadResult::Closed,
            }
        };
        let bytes = self.buffer.get(..filled).unwrap_or_default();
        let mut appended = AppendResult::Written;
        if output.masker.has_nothing_to_mask() {
            if !bytes.is_empty() {
                appended = self.spool.append_output(output.stream, bytes);
            }
        } else {
            let mut shown = Vec::with_capacity(bytes.len());
            output.masker.push(bytes, &mut shown);
            if flow == ReadResult::Closed {
                output.masker.flush(&mut shown);
            }
            if !shown.is_empty() {
                appended = self.spool.append_output(output.stream, &shown);
            }
            if output.masker.has_held_back_output() {
                self.flush_at.get_or_insert(now + HOLD_BACK_MAX);
            }
        }
        if flow == ReadResult::Closed {
            self.open.remove(index);
        }
        self.update_write_retry(appended, now);
        flow
    }

    /// Reads remaining output; returns whether there may be more.
    pub(super) fn drain_once(&mut self, now: Instant) -> bool {
        (0..self.open.len()).any(|index| self.read(index, now) != ReadResult::Empty)
    }

    /// Releases held-back output.
    pub(super) fn flush(&mut self, now: Instant) {
        self.flush_at = None;
        for index in 0..self.open.len() {
            let Some(output) = self.open.get_mut(index).filter(|output| output.masker.has_held_back_output())
            else {
                continue;
            };
            let mut shown = Vec::new();
            output.masker.flush(&mut shown);
            let appended = self.spool.append_output(output.stream, &shown);
            self.update_write_retry(appended, now);
        }
    }

    fn update_write_retry(&mut self, appended: AppendResult, now: Instant) {
        match appended {
            AppendResult::Written => {
                self.retry_at = None;
                self.retry_pause = RETRY_MIN;
            }
            AppendResult::Blocked => {
                self.retry_at = Some(now + self.retry_pause);
                self.retry_pause = (self.retry_pause * 2).min(RETRY_MAX);
            }
        }
    }
}
