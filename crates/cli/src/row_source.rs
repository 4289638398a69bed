//! The rows of runs: from the server, or from the log if no server is running.
//!
//! Only reads, and never starts a server: showing a run must not continue it.

use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
    sync::Arc,
};

use domain::{RecordedEvent, RunId, Sequence};
use runtime::{DamagedRun, ReplayedRun, RunEnvironment, find_damaged_runs};
use serde::{Deserialize, de::DeserializeOwned};
use serde_json::Value;
use server::{Client, DamagedRunEntry};
use store::{RunHead, SqliteReader, StoreError};
use views::{RowKind, RunReport, RunRow, TableRow, Views};

use crate::{
    arguments::CommonArguments,
    failure::Failure,
    localized::localized,
    remote,
    run_lookup::{describe, find_by_name, find_by_project},
    screen::board::{self, Board},
    store_failure,
};

/// How many entries are read at once.
const PAGE_ENTRIES: usize = 500;

/// Rows by the names of their kinds.
pub(crate) type RowsByKind = BTreeMap<String, Vec<Value>>;

/// The origin of rows.
pub(crate) struct RowSource {
    data: PathBuf,
    backend: Backend,
}

enum Backend {
    Server(Client),
    Log(Box<SqliteReader>),
}

#[derive(Deserialize)]
struct RowsResponse {
    rows: RowsByKind,
}

impl RowSource {
    /// Connects to the server, or opens the log if none is running.
    pub(crate) fn open(common: &CommonArguments) -> Result<Self, Failure> {
        Self::open_or_store_error(common)?.map_err(store_failure::failure)
    }

    /// Like [`Self::open`]; `None` if the data directory has no runs yet.
    pub(crate) fn open_if_present(common: &CommonArguments) -> Result<Option<Self>, Failure> {
        match Self::open_or_store_error(common)? {
            Ok(source) => Ok(Some(source)),
            Err(StoreError::DirectoryMissing { .. } | StoreError::LogMissing { .. }) => Ok(None),
            Err(error) => Err(store_failure::failure(error)),
        }
    }

    fn open_or_store_error(common: &CommonArguments) -> Result<Result<Self, StoreError>, Failure> {
        let data = common.data_directory()?;
        let backend = match remote::connect(common)? {
            Some(client) => Ok(Backend::Server(client)),
            None => SqliteReader::open(&data).map(|reader| Backend::Log(Box::new(reader))),
        };
        Ok(backend.map(|backend| Self { data, backend }))
    }

    /// Connects to the server, which must be running.
    pub(crate) fn connect_to_server(common: &CommonArguments) -> Result<Self, Failure> {
        Ok(Self { data: common.data_directory()?, backend: Backend::Server(remote::require_client(common)?) })
    }

    /// Returns the data directory.
    pub(crate) fn data_directory(&self) -> &Path {
        &self.data
    }

    /// Returns the client; `None` if no server is running.
    pub(crate) fn client(&self) -> Option<&Client> {
        match &self.backend {
            Backend::Server(client) => Some(client),
            Backend::Log(_) => None,
        }
    }

    /// Returns all runs, the oldest first.
    pub(crate) fn runs(&self) -> Result<Vec<RunRow>, Failure> {
        let reader = match &self.backend {
            Backend::Server(client) => return client.runs().map_err(|error| remote::client_failure(&error)),
            Backend::Log(reader) => reader,
        };
        let mut rows = Vec::new();
        for head in reader.runs().map_err(store_failure::failure)? {
            // A damaged run must not hide the others; it is listed as damaged.
            if let Ok(views) = rebuild_rows(reader, &head.run) {
                rows.extend(views.rows().run.get(&()).cloned());
            }
        }
        rows.sort_by_key(|row: &RunRow| row.started_at);
        Ok(rows)
    }

    /// Returns the runs that cannot be continued or read.
    pub(crate) fn damaged_runs(&self) -> Result<Vec<DamagedRunEntry>, Failure> {
        match &self.backend {
            Backend::Server(client) => {
                client.get("/api/damage").map_err(|error| remote::client_failure(&error))
            }
            Backend::Log(reader) => {
                let heads = reader.runs().map_err(store_failure::failure)?;
                Ok(damaged_runs_in(&self.data, &heads, |run| {
                    rebuild_rows(reader, run).err().map(|failure| failure.what)
                }))
            }
        }
    }

    /// Returns the rows of some kinds.
    pub(crate) fn rows_of_kinds(&self, run: &RunId, kinds: &[RowKind]) -> Result<RowsByKind, Failure> {
        match &self.backend {
            Backend::Server(client) => {
                let kinds: Vec<_> = kinds.iter().map(|kind| format!("kind={}", kind.name())).collect();
                let path = format!("/api/runs/{run}/rows?{}", kinds.join("&"));
                let response: RowsResponse =
                    client.get(&path).map_err(|error| remote::client_failure(&error))?;
                Ok(response.rows)
            }
            Backend::Log(reader) => {
                let views = rebuild_rows(reader, run)?;
                let json = |row: &views::Row| serde_json::to_value(row).unwrap_or_default();
                let rows = |kind: &RowKind| views.rows().of_kind(*kind).iter().map(json).collect();
                Ok(kinds.iter().map(|kind| (kind.name().to_owned(), rows(kind))).collect())
            }
        }
    }

    /// Returns the rows of one kind.
    pub(crate) fn rows_of_kind<R: TableRow + DeserializeOwned>(
        &self,
        run: &RunId,
    ) -> Result<Vec<R>, Failure> {
        rows_in(&mut self.rows_of_kinds(run, &[R::KIND])?)
    }

    /// Returns the report of a run.
    pub(crate) fn report(&self, run: &RunId) -> Result<RunReport, Failure> {
        match &self.backend {
            Backend::Server(client) => {
                client.get(&format!("/api/runs/{run}/report")).map_err(|error| remote::client_failure(&error))
            }
            Backend::Log(reader) => {
                let views = rebuild_rows(reader, run)?;
                let report = RunReport::of_rows(views.rows(), crate::watch::now());
                report.ok_or_else(|| Failure {
                    what: localized(
                        format!("Run {run} has no events."),
                        format!("실행 {run}에 이벤트가 없습니다."),
                    ),
                    hint: None,
                    exit: 1,
                })
            }
        }
    }

    /// Returns the rows that a screen shows.
    pub(crate) fn board(&self, run: &RunId) -> Result<Board, Failure> {
        let mut board = Board::default();
        board.put_rows(&self.rows_of_kinds(run, board::KINDS)?);
        Ok(board)
    }

    /// Returns the run of this name, or of this project if none is named.
    pub(crate) fn find_run(&self, name: Option<&str>) -> Result<RunRow, Failure> {
        let runs = self.runs()?;
        match name {
            Some(name) => find_by_name(runs, name, |run| &run.id, describe),
            None => find_by_project(runs, |run| self.is_run_of_this_project(run)),
        }
    }

    /// Tells whether the current directory is in the run's project.
    fn is_run_of_this_project(&self, run: &RunId) -> bool {
        let here = std::env::current_dir().and_then(|here| here.canonicalize());
        let project = project_of(&self.data, run).and_then(|project| project.canonicalize().ok());
        here.is_ok_and(|here| project.is_some_and(|project| here.starts_with(project)))
    }
}

/// Returns the damaged runs of a data directory without a log that can be read.
pub(crate) fn damaged_runs_without_log(common: &CommonArguments) -> Result<Vec<DamagedRunEntry>, Failure> {
    Ok(damaged_runs_in(&common.data_directory()?, &[], |_| None))
}

fn damaged_runs_in(
    data: &Path,
    heads: &[RunHead],
    read_error: impl Fn(&RunId) -> Option<String>,
) -> Vec<DamagedRunEntry> {
    let locale = remote::environment_locale();
    let entry = |damaged: DamagedRun| DamagedRunEntry {
        cause: damaged.cause(locale),
        remedy: damaged.remedy(data, locale),
        run: damaged.run,
        sessions: damaged.sessions,
    };
    find_damaged_runs(data, heads, read_error).into_iter().map(entry).collect()
}

fn project_of(data: &Path, run: &RunId) -> Option<PathBuf> {
    let environment = RunEnvironment::read(&data.join("runs").join(run.as_str()));
    environment.ok().map(|environment| environment.project)
}

/// Rebuilds the rows of a run from the log.
fn rebuild_rows(reader: &SqliteReader, run: &RunId) -> Result<Arc<Views>, Failure> {
    let mut replayed = ReplayedRun::new(run.clone());
    let mut after = Sequence(0);
    loop {
        let entries = reader.read(run, after, PAGE_ENTRIES).map_err(store_failure::failure)?;
        let Some(last) = entries.last() else { return Ok(replayed.into_parts().1) };
        after = last.sequence;
        for entry in &entries {
            let recorded: RecordedEvent = entry.to_recorded_event().map_err(store_failure::failure)?;
            replayed.apply(&recorded);
        }
    }
}

/// Takes the rows of one kind.
pub(crate) fn rows_in<R: TableRow + DeserializeOwned>(rows: &mut RowsByKind) -> Result<Vec<R>, Failure> {
    let rows = rows.remove(R::KIND.name()).unwrap_or_default();
    let read: Result<_, _> = rows.into_iter().map(serde_json::from_value).collect();
    read.map_err(|error| Failure {
        what: localized(
            format!("Cannot read the server's rows ({error})."),
            format!("서버의 데이터를 읽을 수 없습니다({error})."),
        ),
        hint: Some(localized(
            "Use the server's version of jangdan, or restart the server.",
            "서버와 같은 버전의 jangdan을 사용하거나 서버를 다시 시작하세요.",
        )),
        exit: 1,
    })
}
