-- A run's state is replayed from its entries, as its rows are: snapshots of it saved no reading.

DROP TABLE snapshot;

-- Rows have other names and fields than before: they are made again from the entries when their run is opened.

DELETE FROM row;
UPDATE run SET rows_sequence = 0;
