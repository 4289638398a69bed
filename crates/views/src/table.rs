//! The rows of one kind, and which of them an event has touched.
//!
//! A row that nobody knows is not changed: an event about it says nothing that could be shown.

use std::collections::{BTreeMap, BTreeSet};

use crate::{Kind, Row};

/// What a table can hold.
pub trait Record: Clone + Into<Row> {
    /// Names a row within its kind; rows are sorted by it.
    type Key: Ord + Clone;

    /// The kind.
    const KIND: Kind;

    /// Returns the row's name.
    fn key(&self) -> Self::Key;

    /// Returns a name as it is written; where rows are a list with a cursor, in their order.
    fn write_key(key: &Self::Key) -> String;
}

/// All rows of one kind.
#[derive(Debug, Clone)]
pub struct Table<R: Record> {
    rows: BTreeMap<R::Key, R>,
    touched: BTreeSet<R::Key>,
}

impl<R: Record> Default for Table<R> {
    fn default() -> Self {
        Self { rows: BTreeMap::new(), touched: BTreeSet::new() }
    }
}

impl<R: Record> Table<R> {
    /// Returns a row.
    pub fn get(&self, key: &R::Key) -> Option<&R> {
        self.rows.get(key)
    }

    /// Returns all rows, sorted by their keys.
    pub fn iter(&self) -> impl Iterator<Item = &R> {
        self.rows.values()
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
        self.touched.insert(row.key());
        self.rows.insert(row.key(), row);
    }

    pub(crate) fn change(&mut self, key: &R::Key, change: impl FnOnce(&mut R)) {
        if let Some(row) = self.rows.get_mut(key) {
            change(row);
            self.touched.insert(key.clone());
        }
    }

    pub(crate) fn remove(&mut self, key: &R::Key) {
        if self.rows.remove(key).is_some() {
            self.touched.insert(key.clone());
        }
    }

    /// Returns what was touched since the last time, each row once: its name, and how it looks now.
    pub(crate) fn take_touched(&mut self) -> Vec<(String, Option<Row>)> {
        let touched = std::mem::take(&mut self.touched);
        let look = |key: &R::Key| (R::write_key(key), self.rows.get(key).cloned().map(Into::into));
        touched.iter().map(look).collect()
    }
}
