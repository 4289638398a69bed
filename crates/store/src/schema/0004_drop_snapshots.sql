-- A run's state is replayed from its entries, as its rows are: snapshots of it saved no reading.

DROP TABLE snapshot;
