//! Reduces Markdown to the blocks that plans consist of, each with its span in the source.
//!
//! Contains top-level headings, paragraphs, rules and tables, and list items of any depth. Quotes, code blocks and
//! HTML comments are omitted, so their content is never read as a task.

use std::ops::Range;

use pulldown_cmark::{Event, Options, Parser, Tag, TagEnd};

/// Items nested deeper are treated as text; a single line could otherwise hold millions.
const DEPTH_MAX: usize = 64;

/// Typical bytes per block in a checklist, used to reserve memory.
const BLOCK_BYTES: usize = 64;

/// The blocks of a file in file order.
#[derive(Debug, Default)]
pub(crate) struct Outline {
    pub(crate) blocks: Vec<Block>,
}

#[derive(Debug)]
pub(crate) struct Block {
    pub(crate) kind: BlockKind,
    pub(crate) span: Range<usize>,
}

#[derive(Debug)]
pub(crate) enum BlockKind {
    /// Level 1 is the largest.
    Heading {
        level: u8,
    },
    /// A list item with everything nested in it; depth 0 is the outermost.
    Item {
        depth: usize,
    },
    Paragraph,
    Table(Box<TableSpans>),
    /// A horizontal rule.
    Rule,
}

/// Spans of a table's header and of its other rows.
#[derive(Debug, Default)]
pub(crate) struct TableSpans {
    pub(crate) head: Range<usize>,
    pub(crate) rows: Vec<Range<usize>>,
}

impl Outline {
    pub(crate) fn new(text: &str) -> Self {
        // Without the task list option the parser would treat check boxes as links and search for their targets.
        let options =
            Options::ENABLE_TABLES | Options::ENABLE_TASKLISTS | Options::ENABLE_YAML_STYLE_METADATA_BLOCKS;
        let mut walk = OutlineBuilder::default();
        walk.blocks.reserve(text.len() / BLOCK_BYTES);
        for (event, span) in Parser::new_ext(text, options).into_offset_iter() {
            walk.add_event(event, span);
        }
        Self { blocks: walk.blocks }
    }
}

/// Collects blocks and tracks the nesting of containers.
#[derive(Default)]
struct OutlineBuilder {
    blocks: Vec<Block>,
    n_items: usize,
    n_quotes: usize,
}

impl OutlineBuilder {
    fn add_event(&mut self, event: Event<'_>, span: Range<usize>) {
        match event {
            Event::Start(tag) => self.add_start_tag(&tag, span),
            Event::End(TagEnd::Item) => self.n_items = self.n_items.saturating_sub(1),
            Event::End(TagEnd::BlockQuote(_)) => self.n_quotes = self.n_quotes.saturating_sub(1),
            Event::Rule if self.is_top_level() => self.push_block(BlockKind::Rule, span),
            Event::End(_)
            | Event::Text(_)
            | Event::Code(_)
            | Event::InlineMath(_)
            | Event::DisplayMath(_)
            | Event::Html(_)
            | Event::InlineHtml(_)
            | Event::FootnoteReference(_)
            | Event::SoftBreak
            | Event::HardBreak
            | Event::Rule
            | Event::TaskListMarker(_) => {}
        }
    }

    fn add_start_tag(&mut self, tag: &Tag<'_>, span: Range<usize>) {
        match tag {
            Tag::Item => {
                if self.n_quotes == 0 && self.n_items < DEPTH_MAX {
                    self.push_block(BlockKind::Item { depth: self.n_items }, span);
                }
                self.n_items += 1;
            }
            Tag::BlockQuote(_) => self.n_quotes += 1,
            Tag::Heading { level, .. } if self.is_top_level() => {
                self.push_block(BlockKind::Heading { level: *level as u8 }, span);
            }
            Tag::Paragraph if self.is_top_level() => self.push_block(BlockKind::Paragraph, span),
            Tag::Table(_) if self.is_top_level() => self.push_block(BlockKind::Table(Box::default()), span),
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
            Tag::Paragraph
            | Tag::Heading { .. }
            | Tag::CodeBlock(_)
            | Tag::HtmlBlock
            | Tag::List(_)
            | Tag::FootnoteDefinition(_)
            | Tag::DefinitionList
            | Tag::DefinitionListTitle
            | Tag::DefinitionListDefinition
            | Tag::Table(_)
            | Tag::TableHead
            | Tag::TableRow
            | Tag::TableCell
            | Tag::Emphasis
            | Tag::Strong
            | Tag::Strikethrough
            | Tag::Superscript
            | Tag::Subscript
            | Tag::Link { .. }
            | Tag::Image { .. }
            | Tag::MetadataBlock(_) => {}
        }
    }

    fn is_top_level(&self) -> bool {
        self.n_items == 0 && self.n_quotes == 0
    }

    fn push_block(&mut self, kind: BlockKind, span: Range<usize>) {
        self.blocks.push(Block { kind, span });
    }
}
