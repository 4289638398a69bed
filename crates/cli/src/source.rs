//! The rows of runs, wherever they are known: from the server, or from the log where none runs.
//!
//! Only reads. Whoever only looks must not wake a run that was left.

use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
};

use domain::{RecordedEvent, RunId, Sequence};
use serde::{Deserialize, de::DeserializeOwned};
use serde_json::Value;
use server::Client;
use store::SqliteReader;
use views::{Kind, Record, RunRow, RunState, Views};

use crate::{
    failure::Failure,
    remote::{self, Common},
    screen::board::{self, Board},
    store_failure,
};

/// How many entries are read at once.
const PAGE_ENTRIES: usize = 500;
/// How many runs are named in a hint.
const RUNS_NAMED_MAX: usize = 8;

/// Rows by the names of their kinds.
pub type Rows = BTreeMap<String, Vec<Value>>;

/// Where rows come from.
pub struct Source {
    data: PathBuf,
    from: From,
}

enum From {
    Server(Client),
    Log(Box<SqliteReader>),
}

#[derive(Deserialize)]
struct Answer {
    rows: Rows,
}

impl Source {
    /// Finds the server, else the log.
    pub fn open(common: &Common) -> Result<Self, Failure> {
        let data = common.data()?;
        let from = match common.connect()? {
            Some(client) => From::Server(client),
            None => From::Log(Box::new(SqliteReader::open(&data).map_err(store_failure::failure)?)),
        };
        Ok(Self { data, from })
    }

    /// Uses a server that is there.
    pub fn of(common: &Common, client: Client) -> Result<Self, Failure> {
        Ok(Self { data: common.data()?, from: From::Server(client) })
    }

    /// Returns the way to the server; nothing where none runs.
    pub fn client(&self) -> Option<&Client> {
        match &self.from {
            From::Server(client) => Some(client),
            From::Log(_) => None,
        }
    }

    /// Returns all runs, the oldest first.
    pub fn runs(&self) -> Result<Vec<RunRow>, Failure> {
        let reader = match &self.from {
            From::Server(client) => return client.runs().map_err(|error| remote::failure(&error)),
            From::Log(reader) => reader,
        };
        let mut rows = Vec::new();
        for head in reader.runs().map_err(store_failure::failure)? {
            rows.extend(fold(reader, &head.run)?.rows().run.get(&()).cloned());
        }
        rows.sort_by_key(|row: &RunRow| row.started_at);
        Ok(rows)
    }

    /// Returns the rows of some kinds.
    pub fn rows(&self, run: &RunId, kinds: &[Kind]) -> Result<Rows, Failure> {
        match &self.from {
            From::Server(client) => {
                let kinds: Vec<_> = kinds.iter().map(|kind| format!("kind={}", kind.name())).collect();
                let path = format!("/api/runs/{run}/rows?{}", kinds.join("&"));
                let answer: Answer = client.get(&path).map_err(|error| remote::failure(&error))?;
                Ok(answer.rows)
            }
            From::Log(reader) => {
                let views = fold(reader, run)?;
                let json = |row: &views::Row| serde_json::to_value(row).unwrap_or_default();
                let rows = |kind: &Kind| views.rows().of(*kind).iter().map(json).collect();
                Ok(kinds.iter().map(|kind| (kind.name().to_owned(), rows(kind))).collect())
            }
        }
    }

    /// Returns the rows of one kind.
    pub fn all<R: Record + DeserializeOwned>(&self, run: &RunId) -> Result<Vec<R>, Failure> {
        let mut rows = self.rows(run, &[R::KIND])?;
        let rows = rows.remove(R::KIND.name()).unwrap_or_default();
        let read: Result<_, _> = rows.into_iter().map(serde_json::from_value).collect();
        read.map_err(|error| Failure {
            what: format!("the server's rows can't be understood: {error}"),
            hint: Some("use the same version as the server, or start the server again".to_owned()),
            exit: 1,
        })
    }

    /// Returns what a screen shows of a run.
    pub fn board(&self, run: &RunId) -> Result<Board, Failure> {
        let mut board = Board::default();
        board.fill(&self.rows(run, board::KINDS)?);
        Ok(board)
    }

    /// Returns the run that a person means: the one whose name begins so, or this project's.
    pub fn find(&self, named: Option<&str>) -> Result<RunRow, Failure> {
        let runs = self.runs()?;
        match named {
            Some(named) => by_name(runs, named),
            None => by_project(runs, |run| self.is_here(run)),
        }
    }

    /// Tells whether a run is one of the project whose folder this command is called in.
    fn is_here(&self, run: &RunId) -> bool {
        let here = std::env::current_dir().and_then(|here| here.canonicalize());
        let project = project_of(&self.data, run).and_then(|project| project.canonicalize().ok());
        here.is_ok_and(|here| project.is_some_and(|project| here.starts_with(project)))
    }
}

#[derive(Deserialize)]
struct OutfitFile {
    project: PathBuf,
}

/// Returns the folder of a run's project.
fn project_of(data: &Path, run: &RunId) -> Option<PathBuf> {
    let bytes = std::fs::read(data.join("runs").join(run.as_str()).join("outfit.json")).ok()?;
    serde_json::from_slice(&bytes).ok().map(|outfit: OutfitFile| outfit.project)
}

fn by_name(mut runs: Vec<RunRow>, named: &str) -> Result<RunRow, Failure> {
    if runs.iter().any(|run| run.id.as_str() == named) {
        runs.retain(|run| run.id.as_str() == named);
    }
    let (mut meant, others): (Vec<_>, Vec<_>) =
        runs.into_iter().partition(|run| run.id.as_str().starts_with(named));
    match (meant.pop(), meant.is_empty()) {
        (Some(run), true) => Ok(run),
        (Some(run), false) => {
            meant.push(run);
            let what = format!("'{named}' begins the names of {} runs", meant.len());
            Err(Failure { what, hint: Some(format!("write more of it: {}", listed(&meant))), exit: 1 })
        }
        (None, _) => {
            let hint = if others.is_empty() {
                "no run was started yet: jangdan run PLAN".to_owned()
            } else {
                format!("there are {}", listed(&others))
            };
            Err(Failure { what: format!("there is no run '{named}'"), hint: Some(hint), exit: 1 })
        }
    }
}

/// Returns the only run that there is, or of this project's the only one that goes on, else its newest.
fn by_project(runs: Vec<RunRow>, is_here: impl Fn(&RunId) -> bool) -> Result<RunRow, Failure> {
    // There is nothing else that could be meant.
    if let [run] = runs.as_slice() {
        return Ok(run.clone());
    }
    let (here, elsewhere): (Vec<_>, Vec<_>) = runs.into_iter().partition(|run| is_here(&run.id));
    let (mut live, mut over): (Vec<_>, Vec<_>) = here.into_iter().partition(is_live);
    match (live.pop(), live.is_empty()) {
        (Some(run), true) => Ok(run),
        (Some(run), false) => {
            live.push(run);
            let what = format!("{} runs of this project go on", live.len());
            Err(Failure { what, hint: Some(format!("name one: {}", listed(&live))), exit: 1 })
        }
        (None, _) => over.pop().ok_or_else(|| {
            let hint = if elsewhere.is_empty() {
                "start one: jangdan run PLAN".to_owned()
            } else {
                format!("name one of another project's: {}", listed(&elsewhere))
            };
            Failure { what: "there is no run of this project".to_owned(), hint: Some(hint), exit: 1 }
        }),
    }
}

/// Tells whether a run goes on.
pub fn is_live(run: &RunRow) -> bool {
    match run.status {
        RunState::Running | RunState::Paused => true,
        RunState::Done | RunState::Failed | RunState::Cancelled => false,
    }
}

/// Names runs with their titles, the newest first.
fn listed(runs: &[RunRow]) -> String {
    let name = |run: &RunRow| {
        let title = if run.title.trim().is_empty() { &run.project } else { &run.title };
        format!("{} ({})", run.id, title.trim())
    };
    let mut names: Vec<_> = runs.iter().rev().take(RUNS_NAMED_MAX).map(name).collect();
    if runs.len() > RUNS_NAMED_MAX {
        names.push(format!("{} more", runs.len() - RUNS_NAMED_MAX));
    }
    names.join(", ")
}

/// Makes the rows of a run anew from the log.
fn fold(reader: &SqliteReader, run: &RunId) -> Result<Views, Failure> {
    let mut views = Views::new(run.clone());
    let mut after = Sequence(0);
    loop {
        let entries = reader.read(run, after, PAGE_ENTRIES).map_err(store_failure::failure)?;
        let Some(last) = entries.last() else { return Ok(views) };
        after = last.sequence;
        for entry in &entries {
            let recorded: RecordedEvent = entry.recorded().map_err(store_failure::failure)?;
            views.apply(&recorded);
        }
    }
}
