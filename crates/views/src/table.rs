//! The rows of one kind, and which of them an event has changed.
//!
//! Changes of unknown rows are ignored.

use std::collections::BTreeMap;

use domain::SessionId;

use crate::{Row, RowKind};

/// Sessions that a row concerns, at most two.
pub type RowSessions = [Option<SessionId>; 2];

/// A row type that a [`Table`] can hold.
pub trait TableRow: Clone + Into<Row> {
    /// Identifies a row within its kind; rows are sorted by it.
    type Key: Ord + Clone;

    const KIND: RowKind;

    fn key(&self) -> Self::Key;

    /// Returns the key as text. Rows of kinds with a cursor must sort by it.
    fn key_to_text(key: &Self::Key) -> String;

    /// Returns the sessions that the row concerns.
    fn sessions(&self) -> RowSessions {
        [None; 2]
    }
}

/// A row that was changed or removed.
pub(crate) struct TouchedRow {
    pub key: String,
    /// `None` if it was removed.
    pub row: Option<Row>,
    /// Sessions before and after the change.
    pub sessions: [RowSessions; 2],
}

/// All rows of one kind.
#[derive(Debug, Clone)]
pub struct Table<R: TableRow> {
    /// Boxed: keys mostly arrive in order, and a B-tree that grows at its end is half empty.
    rows: BTreeMap<R::Key, Box<R>>,
    /// Changed keys with the sessions before the change.
    touched: BTreeMap<R::Key, RowSessions>,
}

impl<R: TableRow> Default for Table<R> {
    fn default() -> Self {
        Self { rows: BTreeMap::new(), touched: BTreeMap::new() }
    }
}

impl<R: TableRow> Table<R> {
    pub fn get(&self, key: &R::Key) -> Option<&R> {
        self.rows.get(key).map(Box::as_ref)
    }

    /// Returns all rows, sorted by key.
    pub fn iter(&self) -> impl Iterator<Item = &R> {
        self.rows.values().map(Box::as_ref)
    }

    pub fn len(&self) -> usize {
        self.rows.len()
    }

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

    /// Changes a row if the condition holds.
    pub(crate) fn change_if(
        &mut self,
        key: &R::Key,
        condition: impl FnOnce(&R) -> bool,
        change: impl FnOnce(&mut R),
    ) {
        if self.get(key).is_some_and(condition) {
            self.change(key, change);
        }
    }

    pub(crate) fn remove(&mut self, key: &R::Key) {
        if let Some(row) = self.rows.remove(key) {
            self.touched.entry(key.clone()).or_insert(row.sessions());
        }
    }

    /// Returns the rows changed since the last call, each once.
    pub(crate) fn take_touched(&mut self) -> Vec<TouchedRow> {
        let touched = std::mem::take(&mut self.touched);
        let look = |(key, before)| {
            let row = self.rows.get(&key).map(Box::as_ref);
            let sessions = [before, row.map_or([None; 2], R::sessions)];
            TouchedRow { key: R::key_to_text(&key), row: row.cloned().map(Into::into), sessions }
        };
        touched.into_iter().map(look).collect()
    }
}
