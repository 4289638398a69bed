//! Reads the standard error of an ACP agent. Its last line may explain why the process ended.

const LINE_BYTES_MAX: usize = 4096;

/// Reads an agent's standard error.
#[derive(Debug, Default)]
pub(super) struct StderrReader {
    line: Vec<u8>,
    last: Option<String>,
}

impl StderrReader {
    pub(super) fn push(&mut self, bytes: &[u8]) {
        for piece in bytes.split_inclusive(|byte| *byte == b'\n') {
            let room = LINE_BYTES_MAX.saturating_sub(self.line.len());
            self.line.extend_from_slice(&piece[..piece.len().min(room)]);
            if piece.ends_with(b"\n") {
                let line = std::mem::take(&mut self.line);
                let line = protocol::visible_text(&line).trim().to_owned();
                if !line.is_empty() {
                    self.last = Some(line);
                }
            }
        }
    }

    /// Returns the last line.
    pub(super) fn last_line(&self) -> Option<&str> {
        self.last.as_deref()
    }

    pub(super) fn clear(&mut self) {
        self.last = None;
    }
}
