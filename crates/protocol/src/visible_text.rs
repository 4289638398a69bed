//! The visible text of a line.

use crate::{assemble::LINE_BYTES_MAX, render::LineRenderer};

/// Returns the text that a terminal shows for a line: without escape sequences and overwritten text.
///
/// ```
/// assert_eq!(protocol::visible_text(b"\x1b[32m50%\r100%\x1b[0m done"), "100% done");
/// ```
pub fn visible_text(line: &[u8]) -> String {
    let line = line.strip_suffix(b"\n").unwrap_or(line);
    LineRenderer::default().render(line, 0, 0, LINE_BYTES_MAX).text.to_owned()
}
