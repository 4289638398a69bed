//! Both sides of a session, read from its spool in pieces.

use holder::spool::{AppendResult, EndReason, Exit, SpoolWriter};
use tempfile::TempDir;

use super::*;

/// A spool of small files, so that a few pieces are several of them.
struct Spool {
    folder: TempDir,
    writer: SpoolWriter,
}

impl Spool {
    fn new() -> Self {
        let folder = TempDir::new().unwrap();
        let writer = SpoolWriter::open_with(folder.path(), 200).unwrap();
        Self { folder, writer }
    }

    fn put(&mut self, body: &RecordBody) {
        assert_eq!(self.writer.append(body), AppendResult::Written);
    }

    fn wrote(&mut self, stream: Stream, bytes: &[u8]) {
        assert_eq!(self.writer.append_output(stream, bytes), AppendResult::Written);
    }

    fn read(&self, place: Place, bytes_max: u64) -> Read {
        read(self.folder.path(), place, bytes_max).unwrap()
    }
}

/// Both sides in short: `>` went in, `<` came out, `!` is an error.
fn short(read: &Read) -> Vec<String> {
    let sign = |way| match way {
        Way::Input(_) => '>',
        Way::Output => '<',
        Way::Error => '!',
    };
    read.pieces.iter().map(|piece| format!("{}{}{}", piece.offset, sign(piece.way), piece.text)).collect()
}

#[test]
fn both_sides_come_in_order_and_a_line_is_one_piece() {
    let mut spool = Spool::new();
    spool.put(&RecordBody::Input { number: 1, bytes: b"ask\n".to_vec() });
    spool.wrote(Stream::Output, b"one ");
    spool.wrote(Stream::Output, b"line\n");
    spool.wrote(Stream::Error, b"oh\n");
    spool.wrote(Stream::SideChannel, b"beside");
    spool.wrote(Stream::Output, b"two\n");
    let all = spool.read(Place::After(0), 1000);
    assert_eq!(short(&all), ["0>ask\n", "0<one line\n", "9!oh\n", "18<two\n"]);
    assert_eq!((all.offset, all.next, all.is_last, all.has_exit), (0, 22, true, false));
    assert!(all.pieces.iter().all(|piece| piece.at > Timestamp(0)));
    spool.put(&RecordBody::Exit(Exit { code: Some(0), signal: None, reason: EndReason::AgentExited }));
    assert!(spool.read(Place::After(22), 1000).has_exit);
}

#[test]
fn from_the_end_to_the_start_nothing_is_missing_and_nothing_is_cut() {
    let mut spool = Spool::new();
    let mut whole = String::new();
    for number in 0..60 {
        let line = format!("{number}: 한글과 ascii\n");
        // Pieces are cut anywhere, also within a character.
        for bytes in line.as_bytes().chunks(7) {
            spool.wrote(Stream::Output, bytes);
        }
        whole.push_str(&line);
        spool.put(&RecordBody::Input { number, bytes: b"go\n".to_vec() });
    }
    for bytes_max in [4, 5, 50, 333, 100_000] {
        let mut read = spool.read(Place::End, bytes_max);
        assert_eq!((read.next, read.is_last), (whole.len() as u64, true));
        let mut answers = Vec::new();
        loop {
            let before = read.offset;
            answers.push(read);
            if before == 0 {
                break;
            }
            read = spool.read(Place::Before(before), bytes_max);
            assert_eq!(read.next, before, "no gap");
        }
        let pieces: Vec<_> = answers.into_iter().rev().flat_map(|read| read.pieces).collect();
        let text: String =
            pieces.iter().filter(|piece| piece.way == Way::Output).map(|piece| piece.text.as_str()).collect();
        assert_eq!(text, whole, "{bytes_max}");
        let mut inputs: Vec<_> =
            pieces.iter().filter(|piece| piece.way != Way::Output).map(|piece| piece.way).collect();
        inputs.dedup();
        assert_eq!(inputs, (0..60).map(Way::Input).collect::<Vec<_>>(), "{bytes_max}");
    }
}

#[test]
fn who_follows_gets_whole_characters_and_each_byte_once() {
    let mut spool = Spool::new();
    let (mut at, mut text) = (0, String::new());
    for byte in "a한b글\n".bytes() {
        spool.wrote(Stream::Output, &[byte]);
        let read = spool.read(Place::After(at), 1000);
        text.extend(read.pieces.iter().map(|piece| piece.text.as_str()));
        at = read.next;
    }
    assert_eq!(text, "a한b글\n");
}

#[test]
fn what_was_forgotten_is_not_asked_for_from_the_end() {
    let mut spool = Spool::new();
    for _ in 0..20 {
        spool.wrote(Stream::Output, &[b'x'; 99]);
    }
    spool::delete_before(spool.folder.path(), 900).unwrap();
    let read = spool.read(Place::End, 1_000_000);
    assert!(read.first > 0 && read.offset == read.first, "{read:?}");
    assert!(matches!(super::read(spool.folder.path(), Place::After(0), 9), Err(SpoolError::Deleted { .. })));
    assert!(matches!(
        super::read(spool.folder.path(), Place::Before(9_999), 9),
        Err(SpoolError::BeyondEnd { .. })
    ));
}
