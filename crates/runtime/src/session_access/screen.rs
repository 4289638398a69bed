//! Stream of a session's screen: a snapshot of its current content, then all further output.

mod scrollback;

use std::{path::Path, time::Instant};

use avt::Terminal;
use holder::spool::{
    OutputSource, Record, RecordBody, RecordFollower, SpoolError, first_offset, spool_end_offset,
};

use super::WINDOW_SIDE_MAX;
use scrollback::Scrollback;

/// Columns and rows of a terminal before the first resize.
const DEFAULT_SIZE: (u16, u16) = (400, 50);

/// Limit of output that is rendered for the snapshot: more than the scrollback holds, and quick to render.
const RENDERED_BYTES_MAX: u64 = 16 << 20;

/// Stream of the screen of a process.
pub struct ScreenStream {
    follower: RecordFollower,
    snapshot: Option<ScreenSnapshot>,
    /// Whether the process has ended and [`ScreenUpdate::Ended`] was not returned yet.
    has_ended: bool,
    /// Bytes of an incomplete character at the end of the output.
    partial: Vec<u8>,
}

/// Content of a screen at an offset of the output.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ScreenSnapshot {
    /// Offset of the output that follows.
    pub offset: u64,
    /// Characters of a line.
    pub columns: u16,
    /// Number of lines.
    pub rows: u16,
    /// Output that draws the screen on an empty terminal of this size.
    pub text: String,
}

/// A change of a screen.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ScreenUpdate {
    /// Content of the screen; always the first update.
    Snapshot(ScreenSnapshot),
    /// Output that follows the snapshot or earlier output.
    Output {
        /// Offset of the first byte.
        offset: u64,
        /// Only complete characters.
        text: String,
    },
    /// The window was resized.
    Resized {
        /// Characters of a line.
        columns: u16,
        /// Number of lines.
        rows: u16,
    },
    /// The process ended.
    Ended,
}

impl ScreenStream {
    /// Renders the output so far. `has_ended` tells that the process is known to have ended, even if the spool does not
    /// say so.
    pub(super) fn open(directory: &Path, has_ended: bool) -> Result<Self, SpoolError> {
        Self::open_with_limit(directory, has_ended, RENDERED_BYTES_MAX)
    }

    fn open_with_limit(
        directory: &Path,
        has_ended: bool,
        rendered_bytes_max: u64,
    ) -> Result<Self, SpoolError> {
        let follower = RecordFollower::open(directory, first_offset(directory)?)?;
        let mut screen = Self { follower, snapshot: None, has_ended, partial: Vec::new() };
        let (mut columns, mut rows) = DEFAULT_SIZE;
        // Fails only for a size of zero.
        let mut terminal = Terminal::new(columns.into(), rows.into()).ok();
        let mut scrollback = Scrollback::default();
        let from = spool_end_offset(directory)?.saturating_sub(rendered_bytes_max);
        while let Some(record) = screen.follower.try_next()? {
            match screen.update_for_record(record) {
                // Skipped output; sizes are applied from the start.
                Some(ScreenUpdate::Output { offset, .. }) if offset < from => {}
                Some(ScreenUpdate::Output { text, .. }) => {
                    if let Some(terminal) = &mut terminal {
                        terminal.feed_with(text.as_str(), &mut scrollback);
                    }
                }
                Some(ScreenUpdate::Resized { columns: new_columns, rows: new_rows }) => {
                    (columns, rows) = (new_columns, new_rows);
                    if let Some(terminal) = &mut terminal {
                        terminal.resize_with(columns.into(), rows.into(), &mut scrollback);
                    }
                }
                Some(ScreenUpdate::Ended) => screen.has_ended = true,
                Some(ScreenUpdate::Snapshot(_)) | None => {}
            }
        }
        let text = terminal.map(|terminal| render(&scrollback, &terminal)).unwrap_or_default();
        // An incomplete character is not rendered: it is part of the next update.
        let offset = screen.follower.offset().saturating_sub(screen.partial.len() as u64);
        screen.snapshot = Some(ScreenSnapshot { offset, columns, rows, text });
        Ok(screen)
    }

    /// Returns the next update, or `None` if the deadline passes.
    pub fn next(&mut self, deadline: Instant) -> Result<Option<ScreenUpdate>, SpoolError> {
        if let Some(snapshot) = self.snapshot.take() {
            return Ok(Some(ScreenUpdate::Snapshot(snapshot)));
        }
        if std::mem::take(&mut self.has_ended) {
            return Ok(Some(ScreenUpdate::Ended));
        }
        while let Some(record) = self.follower.next_until(Some(deadline))? {
            if let Some(update) = self.update_for_record(record) {
                return Ok(Some(update));
            }
        }
        Ok(None)
    }

    fn update_for_record(&mut self, record: Record) -> Option<ScreenUpdate> {
        match record.body {
            RecordBody::Output { stream: OutputSource::SideChannel, .. } => None,
            RecordBody::Output { bytes, .. } => {
                let offset = record.offset.saturating_sub(self.partial.len() as u64);
                let text = take_whole_characters(&mut self.partial, bytes);
                (!text.is_empty()).then_some(ScreenUpdate::Output { offset, text })
            }
            RecordBody::Resize { columns, rows } => Some(ScreenUpdate::Resized {
                columns: columns.clamp(1, WINDOW_SIDE_MAX),
                rows: rows.clamp(1, WINDOW_SIDE_MAX),
            }),
            RecordBody::Exit(_) => Some(ScreenUpdate::Ended),
            RecordBody::Input { .. }
            | RecordBody::TurnEnd { .. }
            | RecordBody::Gap { .. }
            | RecordBody::Unknown { .. } => None,
        }
    }
}

/// Returns the complete characters, and keeps the bytes of an incomplete one at the end.
pub(super) fn take_whole_characters(partial: &mut Vec<u8>, bytes: Vec<u8>) -> String {
    let mut input = std::mem::take(partial);
    input.extend(bytes);
    let end = match std::str::from_utf8(&input) {
        // Incomplete at the end; other invalid bytes are replaced.
        Err(error) if error.error_len().is_none() => error.valid_up_to(),
        _ => input.len(),
    };
    *partial = input.split_off(end);
    String::from_utf8_lossy(&input).into_owned()
}

/// Returns output that draws the scrollback, scrolls it off the screen, and then draws the screen.
fn render(scrollback: &Scrollback, terminal: &Terminal) -> String {
    let (_, rows) = terminal.size();
    let mut text = String::new();
    scrollback.append_to(&mut text);
    if !scrollback.is_empty() {
        text.push_str(&"\r\n".repeat(rows.saturating_sub(1)));
        text.push_str("\u{1b}[H");
    }
    text.push_str(&terminal.dump());
    text
}

#[cfg(test)]
mod tests {
    use holder::spool::{AppendResult, EndReason, Exit, SpoolWriter};

    use super::*;

    #[test]
    fn character_in_two_chunks_is_decoded() {
        for cut in 0..="a한b".len() {
            let (head, tail) = "a한b".as_bytes().split_at(cut);
            let mut partial = Vec::new();
            let text = take_whole_characters(&mut partial, head.to_vec())
                + &take_whole_characters(&mut partial, tail.to_vec());
            assert_eq!((text.as_str(), partial.len()), ("a한b", 0));
        }
        let mut partial = Vec::new();
        assert_eq!(take_whole_characters(&mut partial, b"a\xffb".to_vec()), "a\u{fffd}b");
    }

    #[test]
    fn stream_opened_after_the_end_has_a_snapshot_and_the_end() {
        let exit = Exit { code: Some(0), signal: None, reason: EndReason::AgentExited };
        for (has_exit, has_ended) in [(true, false), (true, true), (false, true)] {
            let folder = tempfile::TempDir::new().unwrap();
            let mut writer = SpoolWriter::open(folder.path()).unwrap();
            // The last character is incomplete: it is not rendered, and the offset excludes it.
            assert_eq!(
                writer.append_output(OutputSource::Terminal, b"last words \xed"),
                AppendResult::Written
            );
            if has_exit {
                assert_eq!(writer.append(&RecordBody::Exit(exit)), AppendResult::Written);
            }
            let mut screen = ScreenStream::open(folder.path(), has_ended).unwrap();
            let deadline = Instant::now() + std::time::Duration::from_secs(10);
            let Some(ScreenUpdate::Snapshot(snapshot)) = screen.next(deadline).unwrap() else {
                panic!("no snapshot")
            };
            assert!(snapshot.text.contains("last words"), "{snapshot:?}");
            assert_eq!(snapshot.offset, 11);
            assert_eq!(screen.next(deadline).unwrap(), Some(ScreenUpdate::Ended));
        }
    }

    #[test]
    fn snapshot_of_long_output_has_its_end_and_the_last_size() {
        let folder = tempfile::TempDir::new().unwrap();
        let mut writer = SpoolWriter::open(folder.path()).unwrap();
        assert_eq!(writer.append(&RecordBody::Resize { columns: 90, rows: 3 }), AppendResult::Written);
        assert_eq!(writer.append_output(OutputSource::Terminal, b"long ago\r\n"), AppendResult::Written);
        assert_eq!(writer.append_output(OutputSource::Terminal, b"now"), AppendResult::Written);
        let mut screen = ScreenStream::open_with_limit(folder.path(), true, 3).unwrap();
        let Some(ScreenUpdate::Snapshot(snapshot)) = screen.next(Instant::now()).unwrap() else {
            panic!("no snapshot")
        };
        assert_eq!((snapshot.columns, snapshot.rows, snapshot.offset), (90, 3, writer.offset()));
        assert!(snapshot.text.contains("now") && !snapshot.text.contains("long ago"));
    }

    #[test]
    fn snapshot_draws_the_same_screen_and_scrollback() {
        let mut first = Terminal::new(20, 5).unwrap();
        let mut scrollback = Scrollback::default();
        for number in 0..12 {
            first.feed_with(format!("line {number}\r\n").as_str(), &mut scrollback);
        }
        first.feed_with("\u{1b}[31mred\u{1b}[0m", &mut scrollback);
        let mut copy = Terminal::with_scrollback(20, 5, Some(100)).unwrap();
        copy.feed(render(&scrollback, &first).as_str());
        let lines = |terminal: &Terminal| {
            terminal.screen().visible_lines().map(|line| line.text()).collect::<Vec<_>>()
        };
        assert_eq!(lines(&copy), lines(&first));
        assert_eq!(copy.cursor().position(), first.cursor().position());
        let all: Vec<_> =
            copy.primary_screen().all_lines().map(|line| line.text().trim().to_owned()).collect();
        assert!(all.contains(&"line 0".to_owned()), "{all:?}");
    }
}
