//! Markdown → the few blocks that plans are made of, each with its place.
//!
//! Keeps headings, paragraphs, rules and tables that stand on their own, and the items of lists at any depth.
//! What is inside quotes, code blocks and HTML comments is no block here, so it can never be taken for a task.
//! Never keeps text: a reader cuts what it wants out of the source.

use std::ops::Range;

use pulldown_cmark::{Event, Options, Parser, Tag, TagEnd};

/// Items that are nested deeper are only text: nobody writes them, and a line can hold millions.
const DEPTH_MAX: usize = 64;

/// So many bytes have about one block in a check list; other files have fewer blocks.
const BLOCK_BYTES: usize = 64;

/// The blocks of a file in its order.
#[derive(Debug, Default)]
pub(crate) struct Outline {
    pub(crate) blocks: Vec<Block>,
}

/// A block and the bytes it covers.
#[derive(Debug)]
pub(crate) struct Block {
    pub(crate) kind: BlockKind,
    pub(crate) span: Range<usize>,
}

/// What kind of block it is.
#[derive(Debug)]
pub(crate) enum BlockKind {
    /// A heading; 1 is the largest.
    Heading { level: u8 },
    /// An item of a list, with everything nested in it; 0 is the outermost.
    Item { depth: usize },
    /// A paragraph.
    Paragraph,
    /// A table.
    Table(Box<TableSpans>),
    /// A line across the page.
    Rule,
}

/// Where the head of a table and its other rows are.
#[derive(Debug, Default)]
pub(crate) struct TableSpans {
    pub(crate) head: Range<usize>,
    pub(crate) rows: Vec<Range<usize>>,
}

impl Outline {
    pub(crate) fn new(text: &str) -> Self {
        // Boxes are read by others; the parser would take them for links, and look for their targets.
        let options =
            Options::ENABLE_TABLES | Options::ENABLE_TASKLISTS | Options::ENABLE_YAML_STYLE_METADATA_BLOCKS;
        let mut walk = OutlineBuilder::default();
        walk.blocks.reserve(text.len() / BLOCK_BYTES);
        for (event, span) in Parser::new_ext(text, options).into_offset_iter() {
            walk.event(event, span);
        }
        Self { blocks: walk.blocks }
    }
}

/// Where we are in the nesting of containers.
#[derive(Default)]
struct OutlineBuilder {
    blocks: Vec<Block>,
    n_items: usize,
    n_quotes: usize,
}

impl OutlineBuilder {
    fn event(&mut self, event: Event<'_>, span: Range<usize>) {
        match event {
            Event::Start(tag) => self.start(&tag, span),
            Event::End(TagEnd::Item) => self.n_items = self.n_items.saturating_sub(1),
            Event::End(TagEnd::BlockQuote(_)) => self.n_quotes = self.n_quotes.saturating_sub(1),
            Event::Rule if self.is_top_level() => self.push(BlockKind::Rule, span),
            _ => {}
        }
    }

    fn start(&mut self, tag: &Tag<'_>, span: Range<usize>) {
        match tag {
            Tag::Item => {
                if self.n_quotes == 0 && self.n_items < DEPTH_MAX {
                    self.push(BlockKind::Item { depth: self.n_items }, span);
                }
                self.n_items += 1;
            }
            Tag::BlockQuote(_) => self.n_quotes += 1,
            Tag::Heading { level, .. } if self.is_top_level() => {
                self.push(BlockKind::Heading { level: *level as u8 }, span);
            }
            Tag::Paragraph if self.is_top_level() => self.push(BlockKind::Paragraph, span),
            Tag::Table(_) if self.is_top_level() => self.push(BlockKind::Table(Box::default()), span),
            Tag::TableHead if self.is_top_level() => {
                if let Some(Block { kind: BlockKind::Table(table), .. }) = self.blocks.last_mut() {
                    table.head = span;
                }
            }
            Tag::TableRow if self.is_top_level() => {
                if let Some(Block { kind: BlockKind::Table(table), .. }) = self.blocks.last_mut() {
                    table.rows.push(span);
                }
            }
            _ => {}
        }
    }

    fn is_top_level(&self) -> bool {
        self.n_items == 0 && self.n_quotes == 0
    }

    fn push(&mut self, kind: BlockKind, span: Range<usize>) {
        self.blocks.push(Block { kind, span });
    }
}
