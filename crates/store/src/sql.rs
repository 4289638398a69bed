//! All statements of the store, with PostgreSQL parameters such as `$1`.
//!
//! SQLite uses `?1`, so each statement is rewritten when it is first used. `$` only occurs in parameters.

use std::sync::OnceLock;

/// A statement in the form that all databases share.
#[derive(Debug)]
pub(crate) struct PortableStatement {
    text: &'static str,
    sqlite: OnceLock<String>,
}

impl PortableStatement {
    const fn new(text: &'static str) -> Self {
        Self { text, sqlite: OnceLock::new() }
    }

    /// Returns the statement for SQLite.
    pub(crate) fn sqlite_text(&self) -> &str {
        self.sqlite.get_or_init(|| self.text.replace('$', "?"))
    }
}

pub(crate) static RUN_ID: PortableStatement = PortableStatement::new("SELECT id FROM run WHERE name = $1");

pub(crate) static RUN_ADD: PortableStatement =
    PortableStatement::new("INSERT INTO run (name) VALUES ($1) RETURNING id");

/// The last indexed entry of a run; unindexed entries may follow it.
pub(crate) static RUN_LAST_INDEXED: PortableStatement = PortableStatement::new(
    "SELECT sequence, position FROM place WHERE run = $1 ORDER BY sequence DESC LIMIT 1",
);

/// The last unindexed entry of a run.
pub(crate) static RUN_LAST_UNINDEXED: PortableStatement = PortableStatement::new(
    "SELECT sequence, position FROM entry \
     WHERE position > (SELECT position FROM placed) AND run = $1 ORDER BY position DESC LIMIT 1",
);

/// The last entry of every run with unindexed entries.
pub(crate) static RUNS_UNINDEXED: PortableStatement = PortableStatement::new(
    "SELECT run.name, run.id, max(entry.sequence), max(entry.position) FROM entry JOIN run ON run.id = entry.run \
     WHERE entry.position > (SELECT position FROM placed) GROUP BY run.id",
);

/// The newest sequence of each run comes from the index, so that only unindexed entries are read.
pub(crate) static RUNS: PortableStatement = PortableStatement::new(
    "SELECT run.name, coalesce(newest.sequence, (SELECT max(sequence) FROM place WHERE place.run = run.id), 0) \
     FROM run LEFT JOIN ( \
       SELECT run, max(sequence) AS sequence FROM entry \
       WHERE position > (SELECT position FROM placed) GROUP BY run \
     ) AS newest ON newest.run = run.id ORDER BY run.id",
);

pub(crate) static LAST_POSITION: PortableStatement =
    PortableStatement::new("SELECT coalesce(max(position), 0) FROM entry");

pub(crate) static ENTRY_ADD: PortableStatement = PortableStatement::new(
    "INSERT INTO entry (position, run, sequence, previous, at, actor, kind, version, payload) \
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)",
);

pub(crate) static ENTRY_AT: PortableStatement = PortableStatement::new(
    "SELECT run, sequence, previous, at, actor, kind, version, payload FROM entry WHERE position = $1",
);

/// The first indexed entry of a run at or after a sequence.
pub(crate) static INDEX_FROM: PortableStatement = PortableStatement::new(
    "SELECT sequence, position FROM place WHERE run = $1 AND sequence >= $2 ORDER BY sequence LIMIT 1",
);

pub(crate) static INDEXED_POSITION: PortableStatement = PortableStatement::new("SELECT position FROM placed");

/// An entry may be indexed twice: by its sequence, and as the last of its run.
pub(crate) static INDEX_ADD: PortableStatement = PortableStatement::new(
    "INSERT INTO place (run, sequence, position) VALUES ($1, $2, $3) ON CONFLICT (run, sequence) DO NOTHING",
);

pub(crate) static INDEXED_POSITION_SET: PortableStatement =
    PortableStatement::new("UPDATE placed SET position = $1");

pub(crate) static ENTRIES: PortableStatement = PortableStatement::new(
    "SELECT run.name, sequence, position, at, actor, kind, version, payload \
     FROM entry JOIN run ON run.id = entry.run WHERE position > $1 ORDER BY position LIMIT $2",
);

pub(crate) static ROW_PUT: PortableStatement = PortableStatement::new(
    "INSERT INTO row (run, kind, key, json, sequence) VALUES ($1, $2, $3, $4, $5) \
     ON CONFLICT (run, kind, key) DO UPDATE SET json = excluded.json, sequence = excluded.sequence",
);

pub(crate) static ROW_DELETE: PortableStatement =
    PortableStatement::new("DELETE FROM row WHERE run = $1 AND kind = $2 AND key = $3");

pub(crate) static ROWS: PortableStatement = PortableStatement::new(
    "SELECT kind, key, json, sequence FROM row \
     WHERE run = (SELECT id FROM run WHERE name = $1) ORDER BY kind, key",
);

pub(crate) static ROW: PortableStatement = PortableStatement::new(
    "SELECT kind, key, json, sequence FROM row \
     WHERE run = (SELECT id FROM run WHERE name = $1) AND kind = $2 AND key = $3",
);

pub(crate) static ROWS_POSITION: PortableStatement =
    PortableStatement::new("SELECT rows_sequence FROM run WHERE name = $1");

pub(crate) static ROWS_POSITION_SET: PortableStatement =
    PortableStatement::new("UPDATE run SET rows_sequence = $2 WHERE id = $1");

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parameters_are_numbered_as_sqlite_numbers_them() {
        assert_eq!(ROW_DELETE.sqlite_text(), "DELETE FROM row WHERE run = ?1 AND kind = ?2 AND key = ?3");
    }
}
