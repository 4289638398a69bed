-- Each entry knows the one before it in its run, so that a run is followed from any of its places. `place` then needs
-- only some of them: it was as large as there are entries, and writing it cost more than the entries themselves.

INSERT INTO place (run, sequence, position)
SELECT run, sequence, position FROM entry WHERE position > (SELECT position FROM placed);

UPDATE placed SET position = (SELECT coalesce(max(position), 0) FROM entry);

ALTER TABLE entry RENAME TO entry_before;

-- `previous` is the position of the entry before it in its run, 0 for the first. It comes before the payload, so that
-- following the chain need not read the payload.
CREATE TABLE entry (
    position INTEGER PRIMARY KEY,
    run INTEGER NOT NULL REFERENCES run (id),
    sequence INTEGER NOT NULL,
    previous INTEGER NOT NULL,
    at INTEGER NOT NULL,
    actor TEXT NOT NULL,
    kind TEXT NOT NULL,
    version INTEGER NOT NULL,
    payload TEXT NOT NULL
) STRICT;

INSERT INTO entry (position, run, sequence, previous, at, actor, kind, version, payload)
SELECT position, run, sequence,
    coalesce((SELECT place.position FROM place
              WHERE place.run = entry_before.run AND place.sequence = entry_before.sequence - 1), 0),
    at, actor, kind, version, payload
FROM entry_before ORDER BY position;

DROP TABLE entry_before;

-- What stays is the last place of each run, and one in so many, as the writer leaves them.
DELETE FROM place
WHERE sequence % 256 <> 0
    AND sequence < (SELECT max(sequence) FROM place AS other WHERE other.run = place.run);
