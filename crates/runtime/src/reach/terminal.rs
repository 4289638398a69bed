//! A session's screen for somebody who comes late: as it looks now, then everything that is written.

mod history;

use std::{path::Path, time::Instant};

use avt::Terminal;
use holder::spool::{Record, RecordBody, RecordFollower, SpoolError, Stream, end_offset, first_offset};

use super::SIDE_MAX;
use history::History;

/// The window of an agent before anybody says another size.
const WINDOW: (u16, u16) = (400, 50);

/// How much of what was written is drawn at most: more than any history holds, and little enough to be quick.
const DRAWN_BYTES_MAX: u64 = 16 << 20;

/// A screen that is followed.
pub struct Screen {
    follower: RecordFollower,
    picture: Option<Picture>,
    /// Whether its end was seen while it was drawn, and is still to be told.
    has_ended: bool,
    /// The bytes of an unfinished character, and where they begin.
    partial: Vec<u8>,
}

/// A screen as it looks at some place of what was written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Picture {
    /// The place.
    pub offset: u64,
    /// Characters in a line.
    pub columns: u16,
    /// Lines.
    pub rows: u16,
    /// What to write onto an empty terminal of that size.
    pub text: String,
}

/// What is shown next.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Shown {
    /// The whole screen.
    Picture(Picture),
    /// More was written.
    Output {
        /// Where it begins.
        offset: u64,
        /// What.
        text: String,
    },
    /// The window has another size from here on.
    Resized {
        /// Characters in a line.
        columns: u16,
        /// Lines.
        rows: u16,
    },
    /// The process ended.
    Ended,
}

impl Screen {
    /// Draws everything that was written so far, and follows what comes.
    ///
    /// `is_over` says that its process is gone, as far as anybody knows beside the spool.
    pub(super) fn open(directory: &Path, is_over: bool) -> Result<Self, SpoolError> {
        Self::open_with(directory, is_over, DRAWN_BYTES_MAX)
    }

    fn open_with(directory: &Path, is_over: bool, drawn_bytes_max: u64) -> Result<Self, SpoolError> {
        let follower = RecordFollower::open(directory, first_offset(directory)?)?;
        let mut screen = Self { follower, picture: None, has_ended: is_over, partial: Vec::new() };
        let (mut columns, mut rows) = WINDOW;
        // The size is not zero, so there is a terminal.
        let mut terminal = Terminal::new(columns.into(), rows.into()).ok();
        let mut history = History::default();
        let from = end_offset(directory)?.saturating_sub(drawn_bytes_max);
        while let Some(record) = screen.follower.try_next()? {
            match screen.shown(record) {
                // The size is known from the start on, whatever is left out.
                Some(Shown::Output { offset, .. }) if offset < from => {}
                Some(Shown::Output { text, .. }) => {
                    if let Some(terminal) = &mut terminal {
                        terminal.feed_with(text.as_str(), &mut history);
                    }
                }
                Some(Shown::Resized { columns: wide, rows: high }) => {
                    (columns, rows) = (wide, high);
                    if let Some(terminal) = &mut terminal {
                        terminal.resize_with(columns.into(), rows.into(), &mut history);
                    }
                }
                Some(Shown::Ended) => screen.has_ended = true,
                Some(Shown::Picture(_)) | None => {}
            }
        }
        let text = terminal.map(|terminal| drawn(&history, &terminal)).unwrap_or_default();
        // The start of a character that is not whole is not drawn yet: it comes with its rest.
        let offset = screen.follower.offset().saturating_sub(screen.partial.len() as u64);
        screen.picture = Some(Picture { offset, columns, rows, text });
        Ok(screen)
    }

    /// Returns what comes next, or nothing where a deadline passes.
    pub fn next(&mut self, deadline: Instant) -> Result<Option<Shown>, SpoolError> {
        if let Some(picture) = self.picture.take() {
            return Ok(Some(Shown::Picture(picture)));
        }
        if std::mem::take(&mut self.has_ended) {
            return Ok(Some(Shown::Ended));
        }
        while let Some(record) = self.follower.next_until(Some(deadline))? {
            if let Some(shown) = self.shown(record) {
                return Ok(Some(shown));
            }
        }
        Ok(None)
    }

    fn shown(&mut self, record: Record) -> Option<Shown> {
        match record.body {
            RecordBody::Output { stream: Stream::SideChannel, .. } => None,
            RecordBody::Output { bytes, .. } => {
                let offset = record.offset.saturating_sub(self.partial.len() as u64);
                let text = whole(&mut self.partial, bytes);
                (!text.is_empty()).then_some(Shown::Output { offset, text })
            }
            RecordBody::Resize { columns, rows } => {
                Some(Shown::Resized { columns: columns.clamp(1, SIDE_MAX), rows: rows.clamp(1, SIDE_MAX) })
            }
            RecordBody::Exit(_) => Some(Shown::Ended),
            RecordBody::Input { .. }
            | RecordBody::TurnEnd { .. }
            | RecordBody::Gap { .. }
            | RecordBody::Unknown { .. } => None,
        }
    }
}

/// Returns the characters that are whole, and keeps the bytes of one that is not.
pub(super) fn whole(partial: &mut Vec<u8>, bytes: Vec<u8>) -> String {
    let mut input = std::mem::take(partial);
    input.extend(bytes);
    let end = match std::str::from_utf8(&input) {
        // Only what the end cuts off may become a character; the rest is none.
        Err(error) if error.error_len().is_none() => error.valid_up_to(),
        _ => input.len(),
    };
    *partial = input.split_off(end);
    String::from_utf8_lossy(&input).into_owned()
}

/// Writes what scrolled away, scrolls that away too, then draws the screen.
fn drawn(history: &History, terminal: &Terminal) -> String {
    let (_, rows) = terminal.size();
    let mut text = String::new();
    history.write(&mut text);
    if !history.is_empty() {
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
    fn a_character_in_two_pieces_comes_whole() {
        for cut in 0..="a한b".len() {
            let (head, tail) = "a한b".as_bytes().split_at(cut);
            let mut partial = Vec::new();
            let text = whole(&mut partial, head.to_vec()) + &whole(&mut partial, tail.to_vec());
            assert_eq!((text.as_str(), partial.len()), ("a한b", 0));
        }
        let mut partial = Vec::new();
        assert_eq!(whole(&mut partial, b"a\xffb".to_vec()), "a\u{fffd}b");
    }

    #[test]
    fn one_who_comes_after_the_end_sees_all_of_it_and_that_it_is_over() {
        let exit = Exit { code: Some(0), signal: None, reason: EndReason::AgentExited };
        for (has_exit, is_over) in [(true, false), (true, true), (false, true)] {
            let folder = tempfile::TempDir::new().unwrap();
            let mut writer = SpoolWriter::open(folder.path()).unwrap();
            // The last character is not whole: it is not drawn, and the picture says so.
            assert_eq!(writer.append_output(Stream::Terminal, b"last words \xed"), AppendResult::Written);
            if has_exit {
                assert_eq!(writer.append(&RecordBody::Exit(exit)), AppendResult::Written);
            }
            let mut screen = Screen::open(folder.path(), is_over).unwrap();
            let deadline = Instant::now() + std::time::Duration::from_secs(10);
            let Some(Shown::Picture(picture)) = screen.next(deadline).unwrap() else { panic!("no picture") };
            assert!(picture.text.contains("last words"), "{picture:?}");
            assert_eq!(picture.offset, 11);
            assert_eq!(screen.next(deadline).unwrap(), Some(Shown::Ended));
        }
    }

    #[test]
    fn of_a_flood_the_end_is_drawn_in_the_size_that_was_set_before_it() {
        let folder = tempfile::TempDir::new().unwrap();
        let mut writer = SpoolWriter::open(folder.path()).unwrap();
        assert_eq!(writer.append(&RecordBody::Resize { columns: 90, rows: 3 }), AppendResult::Written);
        assert_eq!(writer.append_output(Stream::Terminal, b"long ago\r\n"), AppendResult::Written);
        assert_eq!(writer.append_output(Stream::Terminal, b"now"), AppendResult::Written);
        let mut screen = Screen::open_with(folder.path(), true, 3).unwrap();
        let Some(Shown::Picture(picture)) = screen.next(Instant::now()).unwrap() else {
            panic!("no picture")
        };
        assert_eq!((picture.columns, picture.rows, picture.offset), (90, 3, writer.offset()));
        assert!(picture.text.contains("now") && !picture.text.contains("long ago"));
    }

    #[test]
    fn one_who_comes_late_sees_the_same_screen() {
        let mut first = Terminal::new(20, 5).unwrap();
        let mut history = History::default();
        for number in 0..12 {
            first.feed_with(format!("line {number}\r\n").as_str(), &mut history);
        }
        first.feed_with("\u{1b}[31mred\u{1b}[0m", &mut history);
        let mut late = Terminal::with_scrollback(20, 5, Some(100)).unwrap();
        late.feed(drawn(&history, &first).as_str());
        let seen = |terminal: &Terminal| {
            terminal.screen().visible_lines().map(|line| line.text()).collect::<Vec<_>>()
        };
        assert_eq!(seen(&late), seen(&first));
        assert_eq!(late.cursor().position(), first.cursor().position());
        let all: Vec<_> =
            late.primary_screen().all_lines().map(|line| line.text().trim().to_owned()).collect();
        assert!(all.contains(&"line 0".to_owned()), "{all:?}");
    }
}
