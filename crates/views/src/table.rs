//! The rows of one kind, and which of them an event has touched.
//!
//! A row that nobody knows is not changed: an event about it says nothing that could be shown.

use std::collections::BTreeMap;

use domain::SessionId;

use crate::{Row, RowKind};

/// The sessions that a row is about: two at most.
pub type RowSessions = [Option<SessionId>; 2];

/// What a table can hold.
pub trait TableRow: Clone + Into<Row> {
    /// Names a row within its kind; rows are sorted by it.
    type Key: Ord + Clone;

    /// The kind.
    const KIND: RowKind;

    /// Returns the row's name.
    fn key(&self) -> Self::Key;

    /// Returns a name as it is written; where rows are a list with a cursor, in their order.
    fn write_key(key: &Self::Key) -> String;

    /// Returns the sessions that the row is about.
    fn sessions(&self) -> RowSessions {
        [None; 2]
    }
}

/// A row that was touched.
pub(crate) struct TouchedRow {
    /// Its name.
    pub key: String,
    /// How it looks now.
    pub row: Option<Row>,
    /// The sessions that it was about before, and those that it is about now.
    pub sessions: [RowSessions; 2],
}

/// All rows of one kind.
#[derive(Debug, Clone)]
pub struct Table<R: TableRow> {
    /// Boxed: rows mostly arrive in the order of their keys, and a B-tree that grows at its end is half empty.
    rows: BTreeMap<R::Key, Box<R>>,
    /// With the sessions that each was about before.
    touched: BTreeMap<R::Key, RowSessions>,
}

impl<R: TableRow> Default for Table<R> {
    fn default() -> Self {
        Self { rows: BTreeMap::new(), touched: BTreeMap::new() }
    }
}

impl<R: TableRow> Table<R> {
    /// Returns a row.
    pub fn get(&self, key: &R::Key) -> Option<&R> {
        self.rows.get(key).map(Box::as_ref)
    }

    /// Returns all rows, sorted by their keys.
    pub fn iter(&self) -> impl Iterator<Item = &R> {
        self.rows.values().map(Box::as_ref)
    }

    /// Returns how many rows there are.
    pub fn len(&self) -> usize {
        self.rows.len()
    }

    /// Tells whether there is none.
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    pub(crate) fn put(&mut self, row: R) {
        let key = row.key();
        let before = self.rows.insert(key.clone(), Box::new(row)).map_or([None; 2], |row| row.sessions());
        self.touched.entry(key).or_insert(before);
    }

    pub(crate) fn change(&mut self, key: &R::Key, change: impl FnOnce(&mut R)) {
        if let Some(row) = self.rows.get_mut(key) {
            let before = row.sessions();
            change(row);
            self.touched.entry(key.clone()).or_insert(before);
        }
    }

    pub(crate) fn remove(&mut self, key: &R::Key) {
        if let Some(row) = self.rows.remove(key) {
            self.touched.entry(key.clone()).or_insert(row.sessions());
        }
    }

    /// Returns what was touched since the last time, each row once.
    pub(crate) fn take_touched(&mut self) -> Vec<TouchedRow> {
        let touched = std::mem::take(&mut self.touched);
        let look = |(key, before)| {
            let row = self.rows.get(&key).map(Box::as_ref);
            let sessions = [before, row.map_or([None; 2], R::sessions)];
            TouchedRow { key: R::write_key(&key), row: row.cloned().map(Into::into), sessions }
        };
        touched.into_iter().map(look).collect()
    }
}
