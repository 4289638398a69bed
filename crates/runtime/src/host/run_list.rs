//! The rows of all runs, and the runs that cannot be read.

use std::{error::Error, sync::Arc};

use domain::RunId;
use store::RunHead;
use tracing::debug;
use views::{RowKind, RunRow};

use super::{Host, HostError};
use crate::{
    error_chain::error_chain,
    inventory::{DamagedRun, RunDamage, find_damaged_runs},
    run_loop::RunRequest,
};

/// Key of the single row of kind [`RowKind::Run`].
const RUN_KEY: &str = "run";

impl Host {
    /// Returns the rows of all runs, the oldest first. Ended runs are not loaded, and runs that fail to load are omitted.
    pub fn list_runs(&self) -> Result<Vec<RunRow>, HostError> {
        let mut rows = Vec::new();
        for head in self.state.log.runs()? {
            match self.current_run_row(&head) {
                Ok(row) => rows.push(row),
                Err(error) => debug!(run = %head.run, error = &error as &dyn Error, "the run is not listed"),
            }
        }
        rows.sort_by_key(|row| row.started_at);
        Ok(rows)
    }

    /// Finds the runs that cannot be continued or read.
    pub fn damaged_runs(&self) -> Result<Vec<DamagedRun>, HostError> {
        let heads = self.state.log.runs()?;
        let mut damaged = find_damaged_runs(&self.state.data, &heads, |run| {
            let head = heads.iter().find(|head| head.run == *run)?;
            self.read_error(head).map(|error| error_chain(&error))
        });
        // A run that starts has a folder before its first event.
        damaged
            .retain(|damaged| damaged.damage != RunDamage::EventsMissing || !self.is_starting(&damaged.run));
        Ok(damaged)
    }

    /// Returns why a run could not be loaded, or why its row cannot be read. Waits for a run that is loading only if it
    /// has no usable saved row, as [`Self::list_runs`] does: a run is either listed or damaged.
    fn read_error(&self, head: &RunHead) -> Option<Arc<HostError>> {
        let loaded =
            self.active_runs().runs.get(&head.run).and_then(|active| active.load_result.get().cloned());
        match loaded {
            Some(loaded) => loaded.err(),
            None => self.current_run_row(head).err().map(Arc::new),
        }
    }

    fn is_starting(&self, run: &RunId) -> bool {
        let active = self.active_runs();
        active.runs.get(run).is_some_and(|active| active.load_result.get().is_none_or(Result::is_ok))
    }

    /// Returns the row of a run.
    pub fn run_row(&self, run: &RunId) -> Result<RunRow, HostError> {
        let head = self.state.log.runs()?.into_iter().find(|head| head.run == *run);
        self.current_run_row(&head.ok_or_else(|| HostError::UnknownRun { run: run.clone() })?)
    }

    fn current_run_row(&self, head: &RunHead) -> Result<RunRow, HostError> {
        let is_loaded =
            self.active_runs().runs.get(&head.run).is_some_and(|run| run.load_result.get().is_some());
        // A saved row that is up to date avoids waiting for a run that is loading, and loading one that has ended.
        let saved = if is_loaded { None } else { self.saved_run_row(head)? };
        let has_ended = || !self.active_runs().runs.contains_key(&head.run) && self.has_run_ended(&head.run);
        let row = match saved {
            Some(row) => Some(row),
            None if has_ended() => self.run_snapshot(&head.run)?.views.rows().run.iter().next().cloned(),
            None => self.send_run_request(&head.run, RunRequest::RunRow)?,
        };
        row.ok_or_else(|| HostError::UnknownRun { run: head.run.clone() })
    }

    /// Returns the saved row of a run, if it includes the run's last event.
    fn saved_run_row(&self, head: &RunHead) -> Result<Option<RunRow>, HostError> {
        let log = &self.state.log;
        if log.rows_sequence(&head.run)? != head.sequence {
            return Ok(None);
        }
        let row = log.row(&head.run, RowKind::Run.name(), RUN_KEY)?;
        Ok(row.and_then(|row| serde_json::from_str(&row.json).ok()))
    }
}
