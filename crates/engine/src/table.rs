//! Items numbered from 1; items are added and never removed.
//!
//! Reading an unknown number returns a default item and writing it does nothing, so that a damaged log does not stop
//! a replay.

#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Table<T> {
    items: Vec<T>,
    default_item: T,
}

impl<T: Default> Default for Table<T> {
    fn default() -> Self {
        Self { items: Vec::new(), default_item: T::default() }
    }
}

impl<T> Table<T> {
    /// Returns the number of the next item.
    pub(crate) fn next_number(&self) -> u32 {
        u32::try_from(self.items.len()).unwrap_or(u32::MAX).saturating_add(1)
    }

    pub(crate) fn push(&mut self, item: T) {
        self.items.push(item);
    }

    pub(crate) fn has(&self, number: u32) -> bool {
        (1..self.next_number()).contains(&number)
    }

    pub(crate) fn get(&self, number: u32) -> &T {
        let index = (number as usize).checked_sub(1);
        index.and_then(|index| self.items.get(index)).unwrap_or(&self.default_item)
    }

    pub(crate) fn get_mut(&mut self, number: u32) -> Option<&mut T> {
        self.items.get_mut((number as usize).checked_sub(1)?)
    }

    /// Returns all items with their numbers, in order.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (u32, &T)> {
        (1..=u32::MAX).zip(&self.items)
    }
}
