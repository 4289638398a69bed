//! Renders a report as Markdown. Texts of agents and users are escaped, so that they stay text.

use super::outline::{Block, Document, Section};

/// Characters with a meaning in Markdown, also of GitHub, or in HTML.
const SPECIAL: [char; 17] =
    ['\\', '`', '*', '_', '{', '}', '[', ']', '<', '>', '#', '|', '~', '&', '!', '$', '@'];

pub(super) fn render(document: &Document) -> String {
    let mut text = format!("# {}\n", escaped(&document.title));
    for Section { heading, blocks } in &document.sections {
        if let Some(heading) = heading {
            text.push_str(&format!("\n## {}\n", escaped(heading)));
        }
        blocks.iter().for_each(|block| render_block(block, &mut text));
    }
    text
}

fn render_block(block: &Block, text: &mut String) {
    text.push('\n');
    match block {
        Block::Heading(heading) => text.push_str(&format!("### {}\n", escaped(heading))),
        Block::Paragraph(paragraph) => text.push_str(&format!("{}\n", escaped(paragraph))),
        Block::List(items) => {
            for item in items {
                text.push_str(&format!("- {}\n", escaped(item)));
            }
        }
        Block::Table { head, rows } => {
            let columns = rows.first().map_or(head.len(), Vec::len);
            let empty = vec![String::new(); columns];
            let head = if head.is_empty() { &empty } else { head };
            text.push_str(&table_row(head));
            text.push_str(&format!("|{}\n", " --- |".repeat(columns)));
            rows.iter().for_each(|row| text.push_str(&table_row(row)));
        }
    }
}

fn table_row(cells: &[String]) -> String {
    let cells = cells.iter().map(|cell| format!(" {} |", escaped(cell)));
    format!("|{}\n", cells.collect::<String>())
}

/// Returns a text on one line in which nothing has a meaning.
fn escaped(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    let mut words = text.split_whitespace();
    for (index, word) in words.by_ref().enumerate() {
        if index > 0 {
            escaped.push(' ');
        }
        // Addresses would become links.
        let word = word.replace("://", ":\u{200b}//");
        for char in word.chars() {
            if SPECIAL.contains(&char) {
                escaped.push('\\');
            }
            if !char.is_control() && !is_bidi_control(char) {
                escaped.push(char);
            }
        }
    }
    // A list or a rule at the beginning of a line.
    if escaped.starts_with(['-', '+', '=']) || escaped.starts_with(|char: char| char.is_ascii_digit()) {
        return escape_beginning(&escaped);
    }
    escaped
}

/// Escapes `- `, `+ `, `=` and `1. ` at the beginning.
fn escape_beginning(text: &str) -> String {
    let digits = text.len() - text.trim_start_matches(|char: char| char.is_ascii_digit()).len();
    let (number, rest) = text.split_at(digits);
    match rest.chars().next() {
        Some('.' | ')') if digits > 0 && matches!(rest.chars().nth(1), Some(' ') | None) => {
            format!("{number}\\{rest}")
        }
        Some('-' | '+' | '=') if digits == 0 => format!("\\{rest}"),
        Some(_) | None => text.to_owned(),
    }
}

/// Characters that change the direction of the text around them.
pub(super) fn is_bidi_control(char: char) -> bool {
    matches!(char, '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

#[cfg(test)]
mod tests {
    use super::escaped;

    #[test]
    fn texts_stay_texts() {
        assert_eq!(escaped("a|b\n*c* [x](y) <b>"), "a\\|b \\*c\\* \\[x\\](y) \\<b\\>");
        assert_eq!(escaped("- item"), "\\- item");
        assert_eq!(escaped("1. item"), "1\\. item");
        assert_eq!(escaped("1.5k"), "1.5k");
        assert_eq!(escaped("https://a.b"), "https:\u{200b}//a.b");
        assert_eq!(escaped("a\u{202e}b\u{1b}[1m"), "ab\\[1m");
    }
}
