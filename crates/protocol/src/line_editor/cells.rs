//! The cells of a line: writing, overwriting, erasing, moving.
//!
//! Works on characters, not bytes. Invariant: the cells' text is never longer than the limit.

use unicode_width::UnicodeWidthChar;

use crate::{escape::LineEdit, line::SourcePiece};

/// The last column for movement, insertion and deletion, as on a very wide terminal.
const COLUMNS_MAX: usize = 1024;
const TAB_COLUMNS: usize = 8;

/// A line as a terminal shows it.
#[derive(Debug)]
pub(super) struct LineCells {
    cells: Vec<Cell>,
    /// Texts of cells with more than one character: a base and the zero-width characters that joined it.
    clusters: Vec<String>,
    clusters_free: Vec<u32>,
    cursor: usize,
    text_bytes: usize,
    text_bytes_max: usize,
    /// Cells before this one are blank; keeps repeated erasing to the start cheap.
    blank_until: usize,
    too_long: bool,
}

/// A column of the line, and the byte of the line that drew it.
#[derive(Debug, Clone, Copy)]
struct Cell {
    glyph: Glyph,
    source: u32,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Glyph {
    Narrow(char),
    /// A character of two columns, followed by a `WideTail`.
    Wide(char),
    WideTail,
    /// A tab written after the last cell, followed by `TabTail`s up to the next tab stop.
    Tab,
    TabTail,
    Cluster(u32),
    WideCluster(u32),
}

impl LineCells {
    pub(super) fn new(text_bytes_max: usize) -> Self {
        Self {
            cells: Vec::new(),
            clusters: Vec::new(),
            clusters_free: Vec::new(),
            cursor: 0,
            text_bytes: 0,
            text_bytes_max,
            blank_until: 0,
            too_long: false,
        }
    }

    /// Writes the text and its byte origins, relative to the line's first byte.
    pub(super) fn copy_text_to(&self, text: &mut String, pieces: &mut Vec<SourcePiece>) {
        text.clear();
        pieces.clear();
        for cell in &self.cells {
            let source = u64::from(cell.source);
            let follows =
                pieces.last().is_some_and(|piece| piece.source + (text.len() - piece.text) as u64 == source);
            if !follows {
                pieces.push(SourcePiece { text: text.len(), source });
            }
            match cell.glyph {
                Glyph::Narrow(character) | Glyph::Wide(character) => text.push(character),
                Glyph::Tab => text.push('\t'),
                Glyph::Cluster(index) | Glyph::WideCluster(index) => text.push_str(self.cluster(index)),
                Glyph::WideTail | Glyph::TabTail => {
                    if !follows {
                        pieces.pop();
                    }
                }
            }
        }
    }

    pub(super) fn is_too_long(&self) -> bool {
        self.too_long
    }

    /// Marks the line as too long; further text is discarded.
    pub(super) fn mark_too_long(&mut self) {
        self.too_long = true;
    }

    pub(super) fn carriage_return(&mut self) {
        self.cursor = 0;
    }

    pub(super) fn backspace(&mut self) {
        self.cursor = self.cursor.saturating_sub(1);
    }

    /// Writes a character whose first byte is byte `source` of the line.
    pub(super) fn write(&mut self, character: char, source: u32) {
        if self.too_long {
            return;
        }
        let columns = character.width().unwrap_or(1);
        if columns == 0 && self.join_zero_width(character, source) {
            return;
        }
        self.fill_gap(source);
        if self.too_long {
            return;
        }
        if columns == 2 {
            self.replace_or_append_cell(self.cursor, Cell { glyph: Glyph::Wide(character), source });
            self.replace_or_append_cell(self.cursor + 1, Cell { glyph: Glyph::WideTail, source });
            self.cursor += 2;
        } else {
            self.replace_or_append_cell(self.cursor, Cell { glyph: Glyph::Narrow(character), source });
            self.cursor += 1;
        }
    }

    /// Moves over existing cells to the next tab stop; after the last cell, writes the tab.
    pub(super) fn write_tab(&mut self, source: u32) {
        let stop = (self.cursor / TAB_COLUMNS + 1) * TAB_COLUMNS;
        if self.cursor >= self.cells.len() && !self.too_long {
            self.fill_gap(source);
            for column in self.cursor..stop {
                let glyph = if column == self.cursor { Glyph::Tab } else { Glyph::TabTail };
                self.replace_or_append_cell(column, Cell { glyph, source });
            }
        }
        self.cursor = stop;
    }

    /// Joins a zero-width character to the cell before the cursor; returns `false` if there is no such cell.
    fn join_zero_width(&mut self, character: char, source: u32) -> bool {
        self.fill_gap(source);
        let Some(mut index) = self.cursor.checked_sub(1) else { return false };
        if matches!(self.cells.get(index), Some(Cell { glyph: Glyph::WideTail, .. })) {
            index = index.saturating_sub(1);
        }
        let Some(glyph) = self.cells.get(index).map(|cell| cell.glyph) else { return false };
        if matches!(glyph, Glyph::Tab | Glyph::TabTail | Glyph::WideTail) {
            return false;
        }
        if self.text_bytes + character.len_utf8() > self.text_bytes_max {
            self.too_long = true;
            return true;
        }
        self.text_bytes += character.len_utf8();
        self.blank_until = self.blank_until.min(index);
        let glyph = match glyph {
            Glyph::Narrow(base) => Glyph::Cluster(self.store_cluster(String::from_iter([base, character]))),
            Glyph::Wide(base) => Glyph::WideCluster(self.store_cluster(String::from_iter([base, character]))),
            Glyph::Cluster(cluster) | Glyph::WideCluster(cluster) => {
                if let Some(text) = self.clusters.get_mut(cluster as usize) {
                    text.push(character);
                }
                glyph
            }
            Glyph::Tab | Glyph::TabTail | Glyph::WideTail => glyph,
        };
        if let Some(cell) = self.cells.get_mut(index) {
            cell.glyph = glyph;
        }
        true
    }

    fn store_cluster(&mut self, text: String) -> u32 {
        match self.clusters_free.pop() {
            Some(index) => {
                if let Some(slot) = self.clusters.get_mut(index as usize) {
                    *slot = text;
                }
                index
            }
            None => {
                self.clusters.push(text);
                (self.clusters.len() - 1) as u32
            }
        }
    }

    fn cluster(&self, index: u32) -> &str {
        self.clusters.get(index as usize).map_or("", String::as_str)
    }

    pub(super) fn apply_edit(&mut self, edit: LineEdit) {
        if self.too_long {
            return;
        }
        match edit {
            LineEdit::EraseToEnd => self.truncate(self.cursor),
            LineEdit::EraseAll => {
                self.truncate(0);
                // The gap before the next text is at most as wide as a terminal.
                self.cursor = self.cursor.min(COLUMNS_MAX - 1);
            }
            LineEdit::EraseToStart => {
                self.erase(self.blank_until, self.cursor + 1);
                self.blank_until = (self.cursor + 1).min(self.cells.len());
            }
            LineEdit::EraseCells(count) => self.erase(self.cursor, self.cursor + count.min(COLUMNS_MAX)),
            LineEdit::ToColumn(column) => self.cursor = column.min(COLUMNS_MAX - 1),
            LineEdit::Right(count) => {
                self.cursor = self.cursor.max(self.cursor.saturating_add(count).min(COLUMNS_MAX - 1));
            }
            LineEdit::Left(count) => self.cursor = self.cursor.saturating_sub(count),
            LineEdit::DeleteCells(count) => self.delete(count),
            LineEdit::InsertBlanks(count) => self.insert_blank_cells(count),
        }
    }

    fn truncate(&mut self, length: usize) {
        self.blank_straddling_glyph(length);
        self.discount_cell_text(length, self.cells.len());
        self.cells.truncate(length);
        self.blank_until = self.blank_until.min(length);
    }

    /// Stops counting the text of cells that are about to be removed or overwritten.
    fn discount_cell_text(&mut self, from: usize, to: usize) {
        for index in from..to {
            let Some(cell) = self.cells.get(index) else { return };
            self.text_bytes -= self.glyph_bytes(cell.glyph);
            if let Glyph::Cluster(cluster) | Glyph::WideCluster(cluster) = cell.glyph {
                self.clusters_free.push(cluster);
            }
        }
    }

    fn erase(&mut self, from: usize, to: usize) {
        let to = to.min(self.cells.len());
        if from < to {
            self.blank_straddling_glyph(from);
            self.blank_straddling_glyph(to);
            self.discount_cell_text(from, to);
            self.fill_with_blanks(from, to);
            self.blank_until = self.blank_until.min(from);
        }
    }

    fn delete(&mut self, count: usize) {
        let end = self.cells.len().min(COLUMNS_MAX);
        if self.cursor >= end {
            return;
        }
        let count = count.min(end - self.cursor);
        self.blank_straddling_glyph(self.cursor);
        self.blank_straddling_glyph(self.cursor + count);
        if end != self.cells.len() {
            self.blank_straddling_glyph(end);
        }
        self.discount_cell_text(self.cursor, self.cursor + count);
        if end == self.cells.len() {
            self.cells.drain(self.cursor..self.cursor + count);
        } else {
            // The line is longer than a terminal is wide: cells beyond the edge do not move.
            self.cells.copy_within(self.cursor + count..end, self.cursor);
            self.fill_with_blanks(end - count, end);
        }
        self.blank_until = self.blank_until.min(self.cursor);
    }

    fn insert_blank_cells(&mut self, count: usize) {
        let end = self.cells.len().min(COLUMNS_MAX);
        if self.cursor >= end {
            return;
        }
        self.blank_straddling_glyph(self.cursor);
        let count = count.min(COLUMNS_MAX - self.cursor);
        // Cells that are pushed over the edge of a terminal are lost.
        let room = COLUMNS_MAX.saturating_sub(self.cells.len()).min(count);
        self.blank_straddling_glyph(end + room - count);
        self.blank_straddling_glyph(end);
        self.discount_cell_text(end + room - count, end);
        let blank = Cell {
            glyph: Glyph::Narrow(' '),
            source: self.cells.get(self.cursor).map_or(0, |cell| cell.source),
        };
        self.cells.splice(end..end, std::iter::repeat_n(blank, room));
        self.cells.copy_within(self.cursor..end + room - count, self.cursor + count);
        self.fill_with_blanks(self.cursor, self.cursor + count);
        self.blank_until = self.blank_until.min(self.cursor);
    }

    /// Fills cells with blanks; their old text must have been released.
    fn fill_with_blanks(&mut self, from: usize, to: usize) {
        for cell in self.cells.get_mut(from..to).unwrap_or_default() {
            cell.glyph = Glyph::Narrow(' ');
            self.text_bytes += 1;
        }
        if self.text_bytes > self.text_bytes_max {
            self.too_long = true;
        }
    }

    fn fill_gap(&mut self, source: u32) {
        let end = self.cells.len();
        if end < self.cursor {
            self.cells.resize(self.cursor, Cell { glyph: Glyph::WideTail, source });
            self.fill_with_blanks(end, self.cursor);
        }
    }

    /// Replaces a cell, or appends one after the last.
    fn replace_or_append_cell(&mut self, index: usize, cell: Cell) {
        let old_bytes = self.cells.get(index).map_or(0, |old| self.glyph_bytes(old.glyph));
        // A tab has more columns than bytes, so the width is limited too.
        let is_wide = index >= self.text_bytes_max;
        if is_wide || self.text_bytes - old_bytes + self.glyph_bytes(cell.glyph) > self.text_bytes_max {
            self.too_long = true;
        }
        if self.too_long {
            return;
        }
        if index < self.cells.len() {
            // The first cell of a group is written already; every other cell may split the groups on both sides.
            if !matches!(cell.glyph, Glyph::WideTail | Glyph::TabTail) {
                self.blank_straddling_glyph(index);
            }
            self.blank_straddling_glyph(index + 1);
            self.replace(index, cell);
            self.blank_until = self.blank_until.min(index);
        } else {
            self.text_bytes += self.glyph_bytes(cell.glyph);
            self.cells.push(cell);
        }
    }

    fn replace(&mut self, index: usize, cell: Cell) {
        let Some(old) = self.cells.get(index).copied() else { return };
        self.text_bytes = self.text_bytes + self.glyph_bytes(cell.glyph) - self.glyph_bytes(old.glyph);
        if let Glyph::Cluster(cluster) | Glyph::WideCluster(cluster) = old.glyph {
            self.clusters_free.push(cluster);
        }
        if let Some(slot) = self.cells.get_mut(index) {
            *slot = cell;
        }
    }

    /// Replaces a wide character or a tab across the border before `index` by spaces.
    fn blank_straddling_glyph(&mut self, index: usize) {
        let is_tail =
            |cell: Option<&Cell>| matches!(cell, Some(Cell { glyph: Glyph::WideTail | Glyph::TabTail, .. }));
        if !is_tail(self.cells.get(index)) {
            return;
        }
        let mut first = index;
        while first > 0 && is_tail(self.cells.get(first)) {
            first -= 1;
        }
        let mut column = first;
        while column == first || is_tail(self.cells.get(column)) {
            let source = self.cells.get(column).map_or(0, |cell| cell.source);
            self.replace(column, Cell { glyph: Glyph::Narrow(' '), source });
            column += 1;
        }
    }

    fn glyph_bytes(&self, glyph: Glyph) -> usize {
        match glyph {
            Glyph::Narrow(character) | Glyph::Wide(character) => character.len_utf8(),
            Glyph::Tab => 1,
            Glyph::WideTail | Glyph::TabTail => 0,
            Glyph::Cluster(index) | Glyph::WideCluster(index) => self.cluster(index).len(),
        }
    }
}
