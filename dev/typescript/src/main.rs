//! `cargo xtask types`: writes down for the page what the server says and understands.
//!
//! The page's types are the server's own, so that they can't differ; the test below fails when the file is old.

use std::{fs, path::PathBuf};

use anyhow::{Context, Result};

const HEADER: &str = "\
/**
 * What the server says and understands, made from its own types by `cargo xtask types`. Not edited by hand.
 *
 * Times are milliseconds since 1970. What can be missing is `null`, or left out where there is a question mark.
 */
";

fn main() -> Result<()> {
    let path = path();
    fs::write(&path, text()?).with_context(|| format!("write {}", path.display()))?;
    eprintln!("   written: {}", path.display());
    Ok(())
}

fn path() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../web/src/api/generated.ts")
}

fn text() -> Result<String> {
    let mut text = HEADER.to_owned();
    for declaration in server::declarations()?.values() {
        text.push('\n');
        text.push_str(&laid_out(declaration));
    }
    Ok(text)
}

/// Puts a declaration into lines as people read them: one for each field, with what it means in one line above.
fn laid_out(declaration: &str) -> String {
    let (mut text, mut depth) = (String::new(), 0_usize);
    for (index, piece) in declaration.split("/**").enumerate() {
        let (comment, code) = match index {
            0 => ("", piece),
            _ => piece.split_once("*/").unwrap_or(("", piece)),
        };
        let meaning = first_paragraph(comment);
        if !meaning.is_empty() {
            text.push_str(&format!("{}/** {meaning} */\n", "  ".repeat(depth)));
        }
        for line in code.replace(", }", ",\n}").replace("} | ", "}\n| ").lines().map(str::trim) {
            let closes = line.chars().take_while(|sign| matches!(sign, '}' | ')' | ']')).count();
            if !line.is_empty() {
                text.push_str(&format!("{}{line}\n", "  ".repeat(depth.saturating_sub(closes))));
            }
            let count = |signs: [char; 3]| line.chars().filter(|sign| signs.contains(sign)).count();
            depth = (depth + count(['{', '(', '['])).saturating_sub(count(['}', ')', ']']));
        }
    }
    text
}

/// Returns the first paragraph of a comment in one line: the rest is for those who write Rust.
fn first_paragraph(comment: &str) -> String {
    let lines = comment.trim().lines().map(|line| line.trim().trim_start_matches('*').trim());
    lines.take_while(|line| !line.is_empty()).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use std::iter::repeat;

    use super::*;

    #[test]
    fn the_page_has_the_types_of_the_server() {
        let (made, kept) = (text().unwrap(), fs::read_to_string(path()).unwrap_or_default());
        let pairs = kept.lines().map(Some).chain(repeat(None)).zip(made.lines().map(Some).chain([None]));
        let first = pairs.enumerate().find(|(_, (kept, made))| kept != made);
        let first = first.map(|(index, (kept, made))| {
            format!("line {}:\n- {}\n+ {}", index + 1, kept.unwrap_or_default(), made.unwrap_or_default())
        });
        assert!(
            made == kept,
            "web/src/api/generated.ts is not what the server's types are, from {}\nrun `cargo xtask types`, then `npm run types` in web/",
            first.unwrap_or_default(),
        );
    }
}
