//! Renders a report as one HTML page without scripts and references. Every text is escaped.

use domain::Locale;

use super::{
    markdown::is_bidi_control,
    outline::{Block, Document, Section},
};

/// Forbids everything that a page could load or run, should an escape be missing.
const POLICY: &str = "default-src 'none'; style-src 'unsafe-inline'";

const STYLE: &str = "body{font:15px/1.5 system-ui,sans-serif;max-width:75rem;margin:2rem auto;padding:0 1rem;color:#1c1c1e;background:#fff}\
h1{font-size:1.5rem}h2{font-size:1.15rem;margin-top:2rem;border-bottom:1px solid #ddd}h3{font-size:1rem;margin-bottom:.2rem}\
table{border-collapse:collapse;margin:.5rem 0;display:block;overflow-x:auto}\
th,td{text-align:left;vertical-align:top;padding:.25rem .75rem .25rem 0;border-bottom:1px solid #eee;overflow-wrap:anywhere}\
ul{padding-left:1.2rem}li{overflow-wrap:anywhere}\
@media(prefers-color-scheme:dark){body{color:#eee;background:#1c1c1e}h2{border-color:#444}th,td{border-color:#333}}";

pub(super) fn render(document: &Document, locale: Locale) -> String {
    let title = escaped(&document.title);
    let language = match locale {
        Locale::En => "en",
        Locale::Ko => "ko",
    };
    let mut page = format!(
        "<!doctype html>\n<html lang=\"{language}\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"{POLICY}\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <title>{title}</title>\n<style>{STYLE}</style>\n</head>\n<body>\n<h1>{title}</h1>\n"
    );
    for Section { heading, blocks } in &document.sections {
        if let Some(heading) = heading {
            page.push_str(&format!("<h2>{}</h2>\n", escaped(heading)));
        }
        blocks.iter().for_each(|block| render_block(block, &mut page));
    }
    page.push_str("</body>\n</html>\n");
    page
}

fn render_block(block: &Block, page: &mut String) {
    match block {
        Block::Heading(heading) => page.push_str(&format!("<h3>{}</h3>\n", escaped(heading))),
        Block::Paragraph(paragraph) => page.push_str(&format!("<p>{}</p>\n", escaped(paragraph))),
        Block::List(items) => {
            page.push_str("<ul>\n");
            items.iter().for_each(|item| page.push_str(&format!("<li>{}</li>\n", escaped(item))));
            page.push_str("</ul>\n");
        }
        Block::Table { head, rows } => {
            page.push_str("<table>\n");
            if !head.is_empty() {
                page.push_str(&table_row(head, "th"));
            }
            rows.iter().for_each(|row| page.push_str(&table_row(row, "td")));
            page.push_str("</table>\n");
        }
    }
}

fn table_row(cells: &[String], tag: &str) -> String {
    let cells = cells.iter().map(|cell| format!("<{tag}>{}</{tag}>", escaped(cell)));
    format!("<tr>{}</tr>\n", cells.collect::<String>())
}

fn escaped(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for char in text.chars() {
        match char {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\'' => escaped.push_str("&#39;"),
            '\n' => escaped.push_str("<br>"),
            char if char.is_control() || is_bidi_control(char) => {}
            char => escaped.push(char),
        }
    }
    escaped
}
