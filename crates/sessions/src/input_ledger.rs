//! The durable map from a session's inputs to the sequence numbers under which its holder writes them.
//!
//! A holder writes numbered pieces of input, each once and in order. Jangdan names its inputs differently: the
//! handshake, an input of the run, a reply to something the agent sent. The ledger maps one to the other. An entry is
//! written before anything is sent, so after a crash the same input gets the same numbers again.

use std::{
    collections::BTreeMap,
    fs::{self, File, OpenOptions},
    io::{self, Read, Write},
    os::unix::fs::OpenOptionsExt,
    path::Path,
};

use rustix::fs::{FlockOperation, flock};

const FILE_NAME: &str = "inputs";

/// What a group of holder inputs stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum InputPurpose {
    /// The first bytes for a new process.
    Handshake,
    /// An input of the session's user, by its number.
    Input(u32),
    /// A driver's reply to agent output, by the offset of that output.
    Reply(u64),
}

/// The ledger of one session, opened for writing.
#[derive(Debug)]
pub(crate) struct InputLedger {
    file: File,
    spans: SpansBySource,
    next: u64,
}

/// The entries of a session's ledger, for readers.
#[derive(Debug)]
pub(crate) struct SentInputs {
    spans: SpansBySource,
}

/// For each source, its first sequence number and how many it has.
type SpansBySource = BTreeMap<InputPurpose, (u64, u64)>;

impl SentInputs {
    /// Reads the ledger in a session's folder. A missing one is empty.
    pub(crate) fn read(directory: &Path) -> io::Result<Self> {
        match fs::read_to_string(directory.join(FILE_NAME)) {
            Ok(text) => Ok(Self { spans: parse(&text) }),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Self { spans: SpansBySource::new() }),
            Err(error) => Err(error),
        }
    }

    /// Returns the input whose last piece has this sequence number.
    pub(crate) fn input_completed_by(&self, sequence: u64) -> Option<u32> {
        self.spans.iter().find_map(|(source, (first, count))| match source {
            InputPurpose::Input(number) if first + count == sequence + 1 => Some(*number),
            InputPurpose::Input(_) | InputPurpose::Handshake | InputPurpose::Reply(_) => None,
        })
    }
}

impl InputLedger {
    /// Opens or creates the ledger in a session's folder.
    ///
    /// Fails with `WouldBlock` if another process has it open: two writers would use the same numbers.
    pub(crate) fn open(directory: &Path) -> io::Result<Self> {
        let path = directory.join(FILE_NAME);
        let mut file = OpenOptions::new().read(true).append(true).create(true).mode(0o600).open(path)?;
        flock(&file, FlockOperation::NonBlockingLockExclusive)?;
        let mut text = String::new();
        file.read_to_string(&mut text)?;
        let spans = parse(&text);
        let next = spans.values().map(|(first, count)| first + count).max().unwrap_or(1);
        if !text.is_empty() && !text.ends_with('\n') {
            file.write_all(b"\n")?;
        }
        Ok(Self { file, spans, next })
    }

    /// Returns the sequence numbers of a source. A new source gets the next `count` numbers, durably.
    pub(crate) fn allocate(&mut self, source: InputPurpose, count: u64) -> io::Result<std::ops::Range<u64>> {
        if let Some((first, count)) = self.spans.get(&source) {
            return Ok(*first..first + count);
        }
        let first = self.next;
        self.file.write_all(format!("{} {first} {count}\n", source_name(source)).as_bytes())?;
        self.file.sync_data()?;
        self.spans.insert(source, (first, count));
        self.next += count;
        Ok(first..first + count)
    }

    /// Skips the numbers below `number`: another client of the holder has used them.
    pub(crate) fn skip_to(&mut self, number: u64) {
        self.next = self.next.max(number);
    }

    pub(crate) fn find(&self, source: InputPurpose) -> Option<std::ops::Range<u64>> {
        self.spans.get(&source).map(|(first, count)| *first..first + count)
    }

    /// Returns the inputs of the session's user that are complete once all numbers up to `written` are written.
    pub(crate) fn inputs_up_to(&self, written: u64) -> impl Iterator<Item = u32> {
        self.spans.iter().filter_map(move |(source, (first, count))| match source {
            InputPurpose::Input(number) if first + count <= written + 1 => Some(*number),
            InputPurpose::Input(_) | InputPurpose::Handshake | InputPurpose::Reply(_) => None,
        })
    }
}

/// Reads the complete lines. Nothing was sent for an incomplete one.
fn parse(text: &str) -> SpansBySource {
    let complete = text.split_inclusive('\n').filter_map(|line| line.strip_suffix('\n'));
    complete.filter_map(parse_line).map(|(source, first, count)| (source, (first, count))).collect()
}

/// Returns the name of a source in the file. Must stay readable by older and newer versions.
fn source_name(source: InputPurpose) -> String {
    match source {
        InputPurpose::Handshake => "opening".to_owned(),
        InputPurpose::Input(number) => format!("told:{number}"),
        InputPurpose::Reply(offset) => format!("reply:{offset}"),
    }
}

fn parse_line(line: &str) -> Option<(InputPurpose, u64, u64)> {
    let mut fields = line.split(' ');
    let source = match fields.next()?.split_once(':') {
        None => InputPurpose::Handshake,
        Some(("told", number)) => InputPurpose::Input(number.parse().ok()?),
        Some(("reply", offset)) => InputPurpose::Reply(offset.parse().ok()?),
        Some(_) => return None,
    };
    Some((source, fields.next()?.parse().ok()?, fields.next()?.parse().ok()?))
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::{FILE_NAME, InputLedger, InputPurpose, SentInputs};

    #[test]
    fn numbers_survive_restarts_and_an_incomplete_line_is_ignored() {
        let folder = tempfile::tempdir().unwrap();
        let mut ledger = InputLedger::open(folder.path()).unwrap();
        assert_eq!(ledger.allocate(InputPurpose::Handshake, 2).unwrap(), 1..3);
        assert_eq!(ledger.allocate(InputPurpose::Input(1), 1).unwrap(), 3..4);
        assert_eq!(ledger.allocate(InputPurpose::Input(1), 1).unwrap(), 3..4);
        assert!(InputLedger::open(folder.path()).is_err(), "only one process may send inputs");
        drop(ledger);
        let path = folder.path().join(FILE_NAME);
        let mut text = fs::read(&path).unwrap();
        text.extend(b"told:2 4");
        fs::write(&path, text).unwrap();
        let mut ledger = InputLedger::open(folder.path()).unwrap();
        assert_eq!(ledger.find(InputPurpose::Input(2)), None);
        assert_eq!(ledger.allocate(InputPurpose::Reply(77), 1).unwrap(), 4..5);
        assert_eq!(ledger.allocate(InputPurpose::Input(2), 2).unwrap(), 5..7);
        drop(ledger);
        let mut ledger = InputLedger::open(folder.path()).unwrap();
        assert_eq!(ledger.allocate(InputPurpose::Handshake, 9).unwrap(), 1..3);
        assert_eq!(ledger.find(InputPurpose::Input(2)), Some(5..7));
        assert_eq!(ledger.inputs_up_to(4).collect::<Vec<_>>(), [1]);
        assert_eq!(ledger.inputs_up_to(5).collect::<Vec<_>>(), [1], "input 2 is written only in part");
        assert_eq!(ledger.inputs_up_to(6).collect::<Vec<_>>(), [1, 2]);
        let sent = SentInputs::read(folder.path()).unwrap();
        let completed = [2, 3, 5, 6].map(|sequence| sent.input_completed_by(sequence));
        assert_eq!(completed, [None, Some(1), None, Some(2)]);
    }
}
