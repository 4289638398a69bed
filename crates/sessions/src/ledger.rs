//! Which input of a session was typed under which number, so that nothing is typed twice and nothing is forgotten.
//!
//! A holder types numbered inputs once each, in order. What is to be told has names of its own: the handshake, an input
//! of the run, a reply to something the agent sent. The ledger joins the two. It is written before anything is sent, so
//! that after a crash the same name gets the same number again.

use std::{
    collections::BTreeMap,
    fs::{self, File, OpenOptions},
    io::{self, Read, Write},
    os::unix::fs::OpenOptionsExt,
    path::Path,
};

use rustix::fs::{FlockOperation, flock};

const NAME: &str = "inputs";

/// What an input is, among all that a session is told.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Cause {
    /// What is sent when the process is there.
    Opening,
    /// An input of the run, by its number.
    Told(u32),
    /// A reply to what the agent sent, by the offset of that.
    Reply(u64),
}

/// The ledger of one session.
#[derive(Debug)]
pub struct Ledger {
    file: File,
    spans: Spans,
    next: u64,
}

/// The inputs of the run that a session was told, for those who only read.
#[derive(Debug)]
pub struct Told {
    spans: Spans,
}

/// The first number and how many there are, for each cause.
type Spans = BTreeMap<Cause, (u64, u64)>;

impl Told {
    /// Reads the ledger in a session's folder; one that is not there is empty.
    pub fn read(directory: &Path) -> io::Result<Self> {
        match fs::read_to_string(directory.join(NAME)) {
            Ok(text) => Ok(Self { spans: read_lines(&text) }),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Self { spans: Spans::new() }),
            Err(error) => Err(error),
        }
    }

    /// Returns the input of the run that is typed as a whole with this number.
    pub fn ends_with(&self, number: u64) -> Option<u32> {
        self.spans.iter().find_map(|(cause, (first, count))| match cause {
            Cause::Told(told) if first + count == number + 1 => Some(*told),
            Cause::Told(_) | Cause::Opening | Cause::Reply(_) => None,
        })
    }
}

impl Ledger {
    /// Opens the ledger in a session's folder, or begins one. Only one can have it open: two would type over each other.
    pub fn open(directory: &Path) -> io::Result<Self> {
        let mut file =
            OpenOptions::new().read(true).append(true).create(true).mode(0o600).open(directory.join(NAME))?;
        flock(&file, FlockOperation::NonBlockingLockExclusive)?;
        let mut text = String::new();
        file.read_to_string(&mut text)?;
        let spans = read_lines(&text);
        let next = spans.values().map(|(first, count)| first + count).max().unwrap_or(1);
        if !text.is_empty() && !text.ends_with('\n') {
            file.write_all(b"\n")?;
        }
        Ok(Self { file, spans, next })
    }

    /// Returns the numbers of a cause's inputs; a cause that is new gets the next ones.
    pub fn numbers(&mut self, cause: Cause, count: u64) -> io::Result<std::ops::Range<u64>> {
        if let Some((first, count)) = self.spans.get(&cause) {
            return Ok(*first..first + count);
        }
        let first = self.next;
        self.file.write_all(format!("{} {first} {count}\n", word(cause)).as_bytes())?;
        self.file.sync_data()?;
        self.spans.insert(cause, (first, count));
        self.next += count;
        Ok(first..first + count)
    }

    /// Leaves numbers out that somebody else has used, who typed beside us.
    pub fn skip_to(&mut self, number: u64) {
        self.next = self.next.max(number);
    }

    /// Returns the numbers that a cause has, if it has some.
    pub fn find(&self, cause: Cause) -> Option<std::ops::Range<u64>> {
        self.spans.get(&cause).map(|(first, count)| *first..first + count)
    }

    /// Returns the inputs of the run that are typed when all up to a number are.
    pub fn told_up_to(&self, typed: u64) -> impl Iterator<Item = u32> {
        self.spans.iter().filter_map(move |(cause, (first, count))| match cause {
            Cause::Told(number) if first + count <= typed + 1 => Some(*number),
            Cause::Told(_) | Cause::Opening | Cause::Reply(_) => None,
        })
    }
}

/// A line that is not whole was never acted on.
fn read_lines(text: &str) -> Spans {
    let whole = text.split_inclusive('\n').filter_map(|line| line.strip_suffix('\n'));
    whole.filter_map(read_line).map(|(cause, first, count)| (cause, (first, count))).collect()
}

fn word(cause: Cause) -> String {
    match cause {
        Cause::Opening => "opening".to_owned(),
        Cause::Told(number) => format!("told:{number}"),
        Cause::Reply(offset) => format!("reply:{offset}"),
    }
}

fn read_line(line: &str) -> Option<(Cause, u64, u64)> {
    let mut words = line.split(' ');
    let cause = match words.next()?.split_once(':') {
        None => Cause::Opening,
        Some(("told", number)) => Cause::Told(number.parse().ok()?),
        Some(("reply", offset)) => Cause::Reply(offset.parse().ok()?),
        Some(_) => return None,
    };
    Some((cause, words.next()?.parse().ok()?, words.next()?.parse().ok()?))
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::{Cause, Ledger, NAME, Told};

    #[test]
    fn a_cause_keeps_its_numbers_over_restarts_and_a_torn_line_counts_for_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let mut ledger = Ledger::open(folder.path()).unwrap();
        assert_eq!(ledger.numbers(Cause::Opening, 2).unwrap(), 1..3);
        assert_eq!(ledger.numbers(Cause::Told(1), 1).unwrap(), 3..4);
        assert_eq!(ledger.numbers(Cause::Told(1), 1).unwrap(), 3..4);
        assert!(Ledger::open(folder.path()).is_err(), "there is one who speaks with an agent");
        drop(ledger);
        let path = folder.path().join(NAME);
        let mut text = fs::read(&path).unwrap();
        text.extend(b"told:2 4");
        fs::write(&path, text).unwrap();
        let mut ledger = Ledger::open(folder.path()).unwrap();
        assert_eq!(ledger.find(Cause::Told(2)), None);
        assert_eq!(ledger.numbers(Cause::Reply(77), 1).unwrap(), 4..5);
        assert_eq!(ledger.numbers(Cause::Told(2), 2).unwrap(), 5..7);
        drop(ledger);
        let mut ledger = Ledger::open(folder.path()).unwrap();
        assert_eq!(ledger.numbers(Cause::Opening, 9).unwrap(), 1..3);
        assert_eq!(ledger.find(Cause::Told(2)), Some(5..7));
        assert_eq!(ledger.told_up_to(4).collect::<Vec<_>>(), [1]);
        assert_eq!(ledger.told_up_to(5).collect::<Vec<_>>(), [1], "half of an input is not typed");
        assert_eq!(ledger.told_up_to(6).collect::<Vec<_>>(), [1, 2]);
        let told = Told::read(folder.path()).unwrap();
        assert_eq!([2, 3, 5, 6].map(|number| told.ends_with(number)), [None, Some(1), None, Some(2)]);
    }
}
