//! The two files of a conversation: what was to be told, and where its reading begins again.

use std::{
    fs::{self, OpenOptions},
    io::{self, Write},
    os::unix::fs::OpenOptionsExt,
    path::{Path, PathBuf},
};

use domain::Timestamp;
use drivers::{Left, Told};
use serde::{Deserialize, Serialize, de::DeserializeOwned};

use super::TalkError;

/// A line for each thing that was to be told.
const TOLD: &str = "told.jsonl";
/// Where the reading begins again.
const PLACE: &str = "talk.json";

/// What is kept of a conversation.
#[derive(Debug)]
pub(super) struct Kept {
    directory: PathBuf,
    pub(super) left: Left,
    /// The last input that belongs to a turn which is over.
    pub(super) idle_after: u32,
    pub(super) idle_since: Option<Timestamp>,
    pub(super) told: Vec<(u32, Told)>,
}

#[derive(Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct Place {
    left: Left,
    idle_after: u32,
    idle_since: Option<Timestamp>,
}

#[derive(Debug, Serialize, Deserialize)]
struct Line {
    number: u32,
    told: Told,
}

impl Kept {
    /// Reads what is there.
    pub(super) fn read(directory: &Path) -> Result<Self, TalkError> {
        let place: Place = match read(&directory.join(PLACE))? {
            Some(text) => parse(&directory.join(PLACE), &text)?,
            None => Place::default(),
        };
        let text = read(&directory.join(TOLD))?.unwrap_or_default();
        // A line that is not whole was never told.
        let lines = text.split_inclusive('\n').filter_map(|line| line.strip_suffix('\n'));
        let lines: Result<Vec<Line>, TalkError> =
            lines.filter(|line| !line.is_empty()).map(|line| parse(&directory.join(TOLD), line)).collect();
        Ok(Self {
            directory: directory.to_owned(),
            left: place.left,
            idle_after: place.idle_after,
            idle_since: place.idle_since,
            told: lines?.into_iter().map(|line| (line.number, line.told)).collect(),
        })
    }

    /// Reads what is there to add to it.
    pub(super) fn open(directory: &Path) -> Result<Self, TalkError> {
        let path = directory.join(TOLD);
        if let Some(text) = read(&path)?
            && let Some(end) = text.rfind('\n').map(|at| at + 1).or(Some(0)).filter(|end| *end < text.len())
        {
            let cut = OpenOptions::new().write(true).open(&path).and_then(|file| file.set_len(end as u64));
            cut.map_err(|source| TalkError::Kept { path: path.clone(), source })?;
        }
        Self::read(directory)
    }

    /// Returns what was to be told behind an input.
    pub(super) fn told_after(&self, number: u32) -> impl Iterator<Item = &(u32, Told)> {
        self.told.iter().filter(move |(told, _)| *told > number)
    }

    /// Writes something down that is to be told, and returns its number.
    pub(super) fn add(&mut self, told: &Told) -> Result<u32, TalkError> {
        let number = self.told.last().map_or(0, |(number, _)| *number) + 1;
        let path = self.directory.join(TOLD);
        let write = || -> io::Result<()> {
            let mut line = serde_json::to_vec(&Line { number, told: told.clone() })?;
            line.push(b'\n');
            let mut file = OpenOptions::new().append(true).create(true).mode(0o600).open(&path)?;
            file.write_all(&line)?;
            file.sync_data()
        };
        write().map_err(|source| TalkError::Kept { path: path.clone(), source })?;
        self.told.push((number, told.clone()));
        Ok(number)
    }

    /// Writes down where the reading begins again.
    pub(super) fn write(&self) -> Result<(), TalkError> {
        let place =
            Place { left: self.left.clone(), idle_after: self.idle_after, idle_since: self.idle_since };
        let path = self.directory.join(PLACE);
        let new = self.directory.join(format!(".{PLACE}"));
        let write = || -> io::Result<()> {
            let mut file =
                OpenOptions::new().write(true).create(true).truncate(true).mode(0o600).open(&new)?;
            file.write_all(&serde_json::to_vec(&place)?)?;
            fs::rename(&new, &path)
        };
        write().map_err(|source| TalkError::Kept { path: path.clone(), source })
    }
}

fn read(path: &Path) -> Result<Option<String>, TalkError> {
    match fs::read_to_string(path) {
        Ok(text) => Ok(Some(text)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(source) => Err(TalkError::Kept { path: path.to_owned(), source }),
    }
}

fn parse<T: DeserializeOwned>(path: &Path, text: &str) -> Result<T, TalkError> {
    serde_json::from_str(text)
        .map_err(|error| TalkError::Kept { path: path.to_owned(), source: error.into() })
}
