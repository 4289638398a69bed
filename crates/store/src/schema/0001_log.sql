-- The log, and what stands beside it. Never edited after a release: a change is the next file.

-- The runs in the order of their first entry, and how far their rows have come.
CREATE TABLE run (
    id INTEGER PRIMARY KEY,
    name TEXT NOT NULL UNIQUE,
    rows_sequence INTEGER NOT NULL DEFAULT 0
) STRICT;

CREATE TABLE entry (
    position INTEGER PRIMARY KEY,
    run INTEGER NOT NULL REFERENCES run (id),
    sequence INTEGER NOT NULL,
    at INTEGER NOT NULL,
    actor TEXT NOT NULL,
    kind TEXT NOT NULL,
    version INTEGER NOT NULL,
    payload TEXT NOT NULL
) STRICT;

-- Where a run's entries are, up to the position in `placed`. It follows the log in steps: the entries of many runs that
-- are recorded together lie side by side, but their places do not, and each would cost a page at every commit.
CREATE TABLE place (
    run INTEGER NOT NULL REFERENCES run (id),
    sequence INTEGER NOT NULL,
    position INTEGER NOT NULL,
    PRIMARY KEY (run, sequence)
) STRICT, WITHOUT ROWID;

CREATE TABLE placed (
    position INTEGER NOT NULL
) STRICT;

INSERT INTO placed (position) VALUES (0);

CREATE TABLE snapshot (
    run INTEGER NOT NULL REFERENCES run (id),
    sequence INTEGER NOT NULL,
    version INTEGER NOT NULL,
    bytes BLOB NOT NULL,
    PRIMARY KEY (run, sequence)
) STRICT;

CREATE TABLE row (
    run INTEGER NOT NULL REFERENCES run (id),
    kind TEXT NOT NULL,
    key TEXT NOT NULL,
    json TEXT NOT NULL,
    sequence INTEGER NOT NULL,
    PRIMARY KEY (run, kind, key)
) STRICT, WITHOUT ROWID;
