//! Pages of the input and output of a process, read from its spool.

use holder::spool::{AppendResult, EndReason, Exit, SpoolWriter};
use tempfile::TempDir;

use super::*;

/// A spool of small files, so that a few records need several files.
struct Spool {
    folder: TempDir,
    writer: SpoolWriter,
}

impl Spool {
    fn new() -> Self {
        let folder = TempDir::new().unwrap();
        let writer = SpoolWriter::open_with_segment_size(folder.path(), 200).unwrap();
        Self { folder, writer }
    }

    fn append_record(&mut self, body: &RecordBody) {
        assert_eq!(self.writer.append(body), AppendResult::Written);
    }

    fn append_output(&mut self, stream: OutputSource, bytes: &[u8]) {
        assert_eq!(self.writer.append_output(stream, bytes), AppendResult::Written);
    }

    fn read(&self, start: PageStart, bytes_max: u64) -> PageBuilder {
        read_page(self.folder.path(), start, bytes_max).unwrap()
    }
}

/// Abbreviates records: `>` input, `<` output, `!` standard error.
fn abbreviate(page: &PageBuilder) -> Vec<String> {
    let sign = |direction| match direction {
        IoDirection::Input(_) => '>',
        IoDirection::Output => '<',
        IoDirection::Error => '!',
    };
    page.records
        .iter()
        .map(|record| format!("{}{}{}", record.offset, sign(record.direction), record.text))
        .collect()
}

#[test]
fn input_and_output_are_in_order_and_a_line_is_one_record() {
    let mut spool = Spool::new();
    spool.append_record(&RecordBody::Input { number: 1, bytes: b"ask\n".to_vec() });
    spool.append_output(OutputSource::Output, b"one ");
    spool.append_output(OutputSource::Output, b"line\n");
    spool.append_output(OutputSource::Error, b"oh\n");
    spool.append_output(OutputSource::SideChannel, b"beside");
    spool.append_output(OutputSource::Output, b"two\n");
    let all = spool.read(PageStart::After(0), 1000);
    assert_eq!(abbreviate(&all), ["0>ask\n", "0<one line\n", "9!oh\n", "18<two\n"]);
    assert_eq!((all.offset, all.next, all.is_at_end, all.has_exit), (0, 22, true, false));
    assert!(all.records.iter().all(|record| record.at > Timestamp(0)));
    spool.append_record(&RecordBody::Exit(Exit {
        code: Some(0),
        signal: None,
        reason: EndReason::AgentExited,
    }));
    assert!(spool.read(PageStart::After(22), 1000).has_exit);
}

#[test]
fn pages_from_the_end_to_the_start_are_complete() {
    let mut spool = Spool::new();
    let mut written = String::new();
    for number in 0..60 {
        let line = format!("{number}: 한글과 ascii\n");
        // Chunks end anywhere, also within a character.
        for bytes in line.as_bytes().chunks(7) {
            spool.append_output(OutputSource::Output, bytes);
        }
        written.push_str(&line);
        spool.append_record(&RecordBody::Input { number, bytes: b"go\n".to_vec() });
    }
    for bytes_max in [4, 5, 50, 333, 100_000] {
        let mut page = spool.read(PageStart::End, bytes_max);
        assert_eq!((page.next, page.is_at_end), (written.len() as u64, true));
        let mut pages = Vec::new();
        loop {
            let before = page.offset;
            pages.push(page);
            if before == 0 {
                break;
            }
            page = spool.read(PageStart::Before(before), bytes_max);
            assert_eq!(page.next, before, "no gap");
        }
        let records: Vec<_> = pages.into_iter().rev().flat_map(|page| page.records).collect();
        let text: String = records
            .iter()
            .filter(|record| record.direction == IoDirection::Output)
            .map(|record| record.text.as_str())
            .collect();
        assert_eq!(text, written, "{bytes_max}");
        let mut inputs: Vec<_> = records
            .iter()
            .filter(|record| record.direction != IoDirection::Output)
            .map(|record| record.direction)
            .collect();
        inputs.dedup();
        assert_eq!(inputs, (0..60).map(IoDirection::Input).collect::<Vec<_>>(), "{bytes_max}");
    }
}

#[test]
fn reading_each_new_byte_gives_complete_characters_once() {
    let mut spool = Spool::new();
    let (mut at, mut text) = (0, String::new());
    for byte in "a한b글\n".bytes() {
        spool.append_output(OutputSource::Output, &[byte]);
        let page = spool.read(PageStart::After(at), 1000);
        text.extend(page.records.iter().map(|record| record.text.as_str()));
        at = page.next;
    }
    assert_eq!(text, "a한b글\n");
}

#[test]
fn forgotten_output_is_not_part_of_the_last_page() {
    let mut spool = Spool::new();
    for _ in 0..20 {
        spool.append_output(OutputSource::Output, &[b'x'; 99]);
    }
    spool::delete_before(spool.folder.path(), 900).unwrap();
    let page = spool.read(PageStart::End, 1_000_000);
    assert!(page.first > 0 && page.offset == page.first, "{page:?}");
    assert!(matches!(
        read_page(spool.folder.path(), PageStart::After(0), 9),
        Err(SpoolError::Deleted { .. })
    ));
    assert!(matches!(
        read_page(spool.folder.path(), PageStart::Before(9_999), 9),
        Err(SpoolError::BeyondEnd { .. })
    ));
}
