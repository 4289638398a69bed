//! The spool: complete records are read from any offset, incomplete ones cut off, damage is reported.

#![expect(clippy::wildcard_enum_match_arm, reason = "a test looks at few of the variants")]
#![expect(clippy::unwrap_used, reason = "a failed setup must fail the test")]

use std::{fs, path::Path};

use holder::spool::{
    AppendResult, EndReason, Exit, OutputSource, Record, RecordBody, RecordFollower, RecordReader,
    SpoolError, SpoolWriter, delete_before, repair,
};
use proptest::{collection::vec, prelude::*};
use tempfile::TempDir;

/// Small segments, so that a few records span several files.
const SEGMENT_BYTES: u64 = 400;

fn writer(directory: &Path) -> SpoolWriter {
    SpoolWriter::open_with_segment_size(directory, SEGMENT_BYTES).unwrap()
}

fn append_output(writer: &mut SpoolWriter, bytes: &[u8]) {
    assert_eq!(writer.append_output(OutputSource::Terminal, bytes), AppendResult::Written);
}

fn append_turn_end(writer: &mut SpoolWriter) {
    let offset = writer.offset();
    assert_eq!(writer.append(&RecordBody::TurnEnd { offset }), AppendResult::Written);
}

fn read_records(directory: &Path, from: u64) -> Result<Vec<Record>, SpoolError> {
    let mut reader = RecordReader::open(directory, from)?;
    std::iter::from_fn(|| reader.next_record().transpose()).collect()
}

fn output(records: &[Record]) -> Vec<u8> {
    let bytes = |record: &Record| match &record.body {
        RecordBody::Output { bytes, .. } => bytes.clone(),
        _ => Vec::new(),
    };
    records.iter().flat_map(bytes).collect()
}

/// Returns the segment files in order.
fn files(directory: &Path) -> Vec<std::path::PathBuf> {
    let mut files: Vec<_> = fs::read_dir(directory).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    files
}

#[test]
fn every_kind_of_record_decodes_to_itself() {
    let folder = TempDir::new().unwrap();
    let exit = Exit { code: None, signal: Some(9), reason: EndReason::TimeLimit };
    let bodies = [
        RecordBody::Output { stream: OutputSource::Output, bytes: b"out".to_vec() },
        RecordBody::Output { stream: OutputSource::Error, bytes: b"err".to_vec() },
        RecordBody::Input { number: 3, bytes: b"in".to_vec() },
        RecordBody::TurnEnd { offset: 4 },
        RecordBody::Resize { columns: 80, rows: 24 },
        RecordBody::Gap { cut_bytes: 12 },
        RecordBody::Unknown { kind: 200 },
        RecordBody::Exit(exit),
    ];
    let mut writer = writer(folder.path());
    for body in &bodies {
        assert_eq!(writer.append(body), AppendResult::Written);
    }
    let records = read_records(folder.path(), 0).unwrap();
    let offsets: Vec<u64> = records.iter().map(|record| record.offset).collect();
    assert_eq!(offsets, [0, 3, 6, 6, 6, 6, 6, 6]);
    assert_eq!(records.into_iter().map(|record| record.body).collect::<Vec<_>>(), bodies);
}

#[test]
fn an_incomplete_end_is_cut_off_at_any_position() {
    let whole = TempDir::new().unwrap();
    let mut writer = SpoolWriter::open(whole.path()).unwrap();
    append_output(&mut writer, b"first and whole");
    let path = files(whole.path()).pop().unwrap();
    let good = fs::metadata(&path).unwrap().len();
    append_output(&mut writer, b"second, the last record");
    let bytes = fs::read(&path).unwrap();
    for length in 0..bytes.len() {
        let folder = TempDir::new().unwrap();
        fs::write(folder.path().join(path.file_name().unwrap()), &bytes[..length]).unwrap();
        // Before the repair, a reader sees the complete records only.
        let expected: &[u8] = if length as u64 >= good { b"first and whole" } else { b"" };
        assert_eq!(output(&read_records(folder.path(), 0).unwrap()), expected, "cut at {length}");
        let repaired = repair(folder.path()).unwrap();
        assert_eq!(repaired.end, expected.len() as u64, "cut at {length}");
        assert_eq!(repair(folder.path()).unwrap().cut_bytes, 0, "a second repair changes nothing");
        let mut writer = SpoolWriter::open(folder.path()).unwrap();
        assert_eq!(writer.offset(), expected.len() as u64);
        append_output(&mut writer, b" and on");
        let records = read_records(folder.path(), 0).unwrap();
        assert_eq!(output(&records), [expected, b" and on"].concat(), "cut at {length}");
    }
}

#[test]
fn a_gap_is_recorded_for_cut_off_bytes() {
    let folder = TempDir::new().unwrap();
    let mut first = SpoolWriter::open(folder.path()).unwrap();
    append_output(&mut first, b"one");
    append_output(&mut first, b"two");
    let path = files(folder.path()).pop().unwrap();
    let length = fs::metadata(&path).unwrap().len();
    fs::OpenOptions::new().write(true).open(&path).unwrap().set_len(length - 1).unwrap();
    drop(first);
    drop(SpoolWriter::open(folder.path()).unwrap());
    let last = read_records(folder.path(), 0).unwrap().pop().unwrap();
    assert_eq!((last.offset, last.body), (3, RecordBody::Gap { cut_bytes: 28 + 2 }));
}

#[test]
fn a_changed_byte_is_detected_anywhere() {
    let folder = TempDir::new().unwrap();
    let mut writer = SpoolWriter::open(folder.path()).unwrap();
    append_output(&mut writer, b"some output");
    append_turn_end(&mut writer);
    append_output(&mut writer, b"more output");
    let path = files(folder.path()).pop().unwrap();
    let bytes = fs::read(&path).unwrap();
    let original = read_records(folder.path(), 0).unwrap();
    for position in 0..bytes.len() {
        let mut changed = bytes.clone();
        changed[position] ^= 0x40;
        fs::write(&path, &changed).unwrap();
        // The rest of a segment header is unused; a larger length can look like an incomplete record.
        match read_records(folder.path(), 0) {
            Ok(records) => assert!(original.starts_with(&records), "byte {position} was changed and trusted"),
            Err(SpoolError::Damaged { .. }) => {}
            Err(error) => panic!("{error}"),
        }
    }
    let mut changed = bytes.clone();
    changed[32 + 28] ^= 1;
    fs::write(&path, &changed).unwrap();
    let Err(SpoolError::Damaged { position, problem, .. }) = read_records(folder.path(), 0) else { panic!() };
    assert_eq!((position, problem), (32, "its checksum does not match"));
}

#[test]
fn a_file_of_zeros_or_garbage_is_damage() {
    for bytes in [vec![0; 4096], vec![0xff; 4096], vec![b'J'; 32]] {
        let folder = TempDir::new().unwrap();
        fs::write(folder.path().join("0000000001-00000000000000000000.spool"), bytes).unwrap();
        assert!(matches!(read_records(folder.path(), 0), Err(SpoolError::Damaged { position: 0, .. })));
        assert_eq!(repair(folder.path()).unwrap().end, 0);
    }
}

#[test]
fn an_unavailable_offset_is_an_error() {
    let folder = TempDir::new().unwrap();
    let mut writer = writer(folder.path());
    for _ in 0..10 {
        append_output(&mut writer, &[b'x'; 100]);
    }
    assert!(matches!(
        read_records(folder.path(), 1001),
        Err(SpoolError::BeyondEnd { requested: 1001, end: 1000 })
    ));
    assert_eq!(read_records(folder.path(), 1000).unwrap(), []);
    let first = delete_before(folder.path(), 500).unwrap();
    assert!(first > 0 && first <= 500);
    let Err(SpoolError::Deleted { first: available, .. }) = read_records(folder.path(), 0) else { panic!() };
    assert_eq!(available, first);
    assert_eq!(output(&read_records(folder.path(), 500).unwrap()).len(), 500);
    // The last segment always stays.
    assert!(delete_before(folder.path(), u64::MAX).unwrap() <= 1000);
    append_output(&mut writer, b"more");
    assert_eq!(output(&read_records(folder.path(), 1000).unwrap()), b"more");
}

#[test]
fn a_follower_reads_new_records_across_segments() {
    let folder = TempDir::new().unwrap();
    let mut follower = RecordFollower::open(folder.path(), 0).unwrap();
    assert_eq!(follower.try_next().unwrap(), None);
    let path = folder.path().to_owned();
    let thread = std::thread::spawn(move || {
        let mut writer = writer(&path);
        for n in 0..2000_u32 {
            append_output(&mut writer, format!("{n}\n").as_bytes());
            if n % 7 == 0 {
                append_turn_end(&mut writer);
            }
        }
    });
    let deadline = std::time::Instant::now() + std::time::Duration::from_secs(20);
    let mut got = Vec::new();
    let mut marks = 0;
    let expected: Vec<u8> = (0..2000).flat_map(|n| format!("{n}\n").into_bytes()).collect();
    while got.len() < expected.len() {
        let record = follower.next_until(Some(deadline)).unwrap().expect("the next record");
        match record.body {
            RecordBody::Output { bytes, .. } => got.extend(bytes),
            RecordBody::TurnEnd { .. } => marks += 1,
            other => panic!("{other:?}"),
        }
    }
    thread.join().unwrap();
    assert_eq!(got, expected);
    assert_eq!(marks, 286);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn reading_can_start_at_every_offset(pieces in vec(vec(any::<u8>(), 1..150), 1..30), reopen: prop::sample::Index) {
        let folder = TempDir::new().unwrap();
        let mut spool = writer(folder.path());
        for (n, piece) in pieces.iter().enumerate() {
            if n == reopen.index(pieces.len()) {
                spool = writer(folder.path());
            }
            append_output(&mut spool, piece);
            if n % 3 == 0 {
                append_turn_end(&mut spool);
            }
        }
        let all = pieces.concat();
        for from in (0..=all.len()).step_by(7) {
            let records = read_records(folder.path(), from as u64).unwrap();
            prop_assert_eq!(output(&records), &all[from..]);
            prop_assert!(records.iter().all(|record| record.offset >= from as u64));
        }
    }

    #[test]
    fn a_damaged_file_never_panics_or_grows(garbage in vec(any::<u8>(), 0..2000), at: prop::sample::Index) {
        let folder = TempDir::new().unwrap();
        let mut spool = SpoolWriter::open(folder.path()).unwrap();
        append_output(&mut spool, &[b'x'; 500]);
        let path = files(folder.path()).pop().unwrap();
        let mut bytes = fs::read(&path).unwrap();
        let at = at.index(bytes.len());
        bytes.splice(at..bytes.len().min(at + garbage.len()), garbage);
        fs::write(&path, &bytes).unwrap();
        let _ = read_records(folder.path(), 0);
        let repaired = repair(folder.path()).unwrap();
        prop_assert!(repaired.end <= bytes.len() as u64);
        prop_assert!(output(&read_records(folder.path(), 0).unwrap()).len() as u64 == repaired.end);
    }
}
