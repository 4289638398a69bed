//! Writes a choice into the project's file that was kept for every run. What else is in the file stays as it is.

use thiserror::Error;
use toml_edit::{Array, DocumentMut, InlineTable, Item, TableLike, Value, value};

use crate::place::BOM;

/// Why a choice can't be written into a file.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum KeepError {
    /// The file can't be read.
    #[error("the file is broken: {0}")]
    Broken(String),
    /// A key is not what it must be.
    #[error("`{0}` in the file is not what it must be")]
    Wrong(&'static str),
}

/// Returns a project's file with what agents may do from now on, or may never: `run:cargo test`.
///
/// A choice about exactly one thing (`=run:cargo test`) is written as a pattern that fits nothing else, where there is one.
/// One that stands in the other list leaves it.
pub fn keep_permission(text: &str, pattern: &str, allowed: bool) -> Result<String, KeepError> {
    let pattern = readable(pattern);
    let (bom, body) = text.strip_prefix(BOM).map_or(("", text), |body| (BOM, body));
    let mut document: DocumentMut =
        body.parse().map_err(|error: toml_edit::TomlError| KeepError::Broken(error.message().to_owned()))?;
    let permissions = permissions(&mut document)?;
    let n_keys = permissions.len();
    let (list, other) = if allowed { ("allow", "deny") } else { ("deny", "allow") };
    if let Some(other) = permissions.get_mut(other) {
        let other = other.as_array_mut().ok_or(KeepError::Wrong("permissions"))?;
        other.retain(|item| item.as_str().map(readable) != Some(pattern));
    }
    let list = permissions.entry(list).or_insert_with(|| value(Array::new()));
    let list = list.as_array_mut().ok_or(KeepError::Wrong("permissions"))?;
    if !list.iter().any(|item| item.as_str().map(readable) == Some(pattern)) {
        push(list, pattern);
    }
    if n_keys < permissions.len() {
        // On one line, a new key stands between its neighbours as they stand.
        permissions.fmt();
    }
    let written = document.to_string();
    // The writer ends the lines that it made as it likes; those of the file all end in the same way.
    let is_windows = body.contains("\r\n") && body.matches('\n').count() == body.matches("\r\n").count();
    let written = if is_windows { written.replace("\r\n", "\n").replace('\n', "\r\n") } else { written };
    Ok(format!("{bom}{written}"))
}

/// Returns the pattern of a choice: without `=` it says the same, unless a `*` or a second line is in it.
fn readable(pattern: &str) -> &str {
    let is_plain = |rest: &&str| !rest.contains(['*', '\n']);
    pattern.strip_prefix('=').filter(is_plain).unwrap_or(pattern)
}

/// Returns the table of permissions, made if it is not there. One that is written as a word becomes a table.
fn permissions(document: &mut DocumentMut) -> Result<&mut dyn TableLike, KeepError> {
    let item = document.entry("permissions").or_insert_with(toml_edit::table);
    if let Item::Value(mode @ Value::String(_)) = item {
        let mut table = InlineTable::new();
        *table.decor_mut() = mode.decor().clone();
        mode.decor_mut().clear();
        table.insert("mode", mode.clone());
        *item = value(table);
    }
    item.as_table_like_mut().ok_or(KeepError::Wrong("permissions"))
}

/// Puts an item at the end of a list, on a line of its own where the others have one; comments stay where they are.
fn push(list: &mut Array, pattern: &str) {
    let raw = |text: Option<&toml_edit::RawString>| {
        text.and_then(|text| text.as_str()).unwrap_or_default().to_owned()
    };
    let Some(last) = list.len().checked_sub(1).and_then(|last| list.get_mut(last)) else {
        return list.push(pattern);
    };
    let (prefix, suffix) = (raw(last.decor().prefix()), raw(last.decor().suffix()));
    last.decor_mut().set_suffix("");
    let Some((_, indent)) = prefix.rsplit_once('\n') else {
        return list.push_formatted(Value::from(pattern).decorated(" ", suffix));
    };
    let behind = suffix + &raw(Some(list.trailing()));
    // What stood behind the last item, a comment perhaps, stands before the new one.
    let before = behind.rsplit_once('\n').map_or("\n", |(before, _)| before).to_owned();
    let before = if before.ends_with('\n') { before } else { before + "\n" };
    list.push_formatted(Value::from(pattern).decorated(before + indent, ""));
    list.set_trailing("\n");
}
