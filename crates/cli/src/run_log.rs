//! The recorded events of one run, read from the log without a server.

use domain::{RecordedEvent, RunId, Sequence};
use store::{Position, SqliteReader};

use crate::{
    arguments::RunOperandArguments, failure::Failure, row_source::RowSource, run_lookup::find_by_name,
    store_failure::failure,
};

/// How many entries are read at once.
pub(crate) const PAGE_ENTRIES: usize = 500;

/// The log, open for reading, and one of its runs.
pub(crate) struct RunLog {
    pub reader: SqliteReader,
    pub run: RunId,
    /// Number of the run's last event when it was opened.
    pub last: Sequence,
}

impl RunLog {
    /// Opens the log and finds the run.
    pub(crate) fn open(arguments: &RunOperandArguments) -> Result<Self, Failure> {
        let common = arguments.common();
        let reader = SqliteReader::open(&common.data_directory()?).map_err(failure)?;
        let heads = reader.runs().map_err(failure)?;
        let active = match arguments.run_name() {
            Some(_) => None,
            None => Some(RowSource::open(common)?.find_run(None)?.id.to_string()),
        };
        let name = arguments.run_name().or(active.as_deref()).unwrap_or_default();
        let head = find_by_name(heads, name, |head| &head.run, |head| head.run.to_string())?;
        Ok(Self { run: head.run, last: head.sequence, reader })
    }

    /// Passes every event up to `to`, in order, to `take`. Returns the position of the last one in the log of all runs.
    pub(crate) fn for_each_event<E: From<Failure>>(
        &self,
        to: Sequence,
        mut take: impl FnMut(RecordedEvent) -> Result<(), E>,
    ) -> Result<Position, E> {
        let (mut after, mut position) = (Sequence(0), Position(0));
        while after < to {
            let left = usize::try_from(to.0 - after.0).unwrap_or(usize::MAX);
            let entries = self.reader.read(&self.run, after, left.min(PAGE_ENTRIES)).map_err(failure)?;
            let Some(last) = entries.last() else { break };
            (after, position) = (last.sequence, last.position);
            for entry in &entries {
                take(entry.to_recorded_event().map_err(failure)?)?;
            }
        }
        Ok(position)
    }
}
