//! One key of the configuration, and what a path of a file may be.

use crate::{
    form::Form,
    keys::KEYS,
    near::nearest,
    path::{dotted, quoted},
};

/// Keys that look right and are elsewhere.
const ELSEWHERE: [(&str, &str); 2] = [
    ("budgets.task.time", "orchestration.timeout_per_task"),
    ("budgets.task.timeout", "orchestration.timeout_per_task"),
];

/// What one key is called, takes and means. A `*` in its name stands for any name.
#[derive(Debug, Clone, Copy)]
pub struct Key {
    /// The whole name, from the root on: `park.cold_after`.
    pub name: &'static str,
    /// What it takes.
    pub form: Form,
    /// What holds where nobody says anything, as it would be given in a flag; empty where there is nothing.
    pub default: &'static str,
    /// What it means, in one line.
    pub about: &'static str,
    /// Whether each layer adds to it, instead of replacing it.
    pub adds: bool,
}

/// What stands at a path.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Look {
    Key(&'static Key),
    Table,
    Nothing,
}

/// Tells what a path is.
pub(crate) fn look(path: &[String]) -> Look {
    let fits = |key: &&Key| begins(key, path);
    if let Some(key) = KEYS.iter().filter(fits).find(|key| key.name.split('.').count() == path.len()) {
        return Look::Key(key);
    }
    if KEYS.iter().any(|key| fits(&key)) { Look::Table } else { Look::Nothing }
}

/// Returns what the writer of an unknown path may have meant: the right path, else what there is.
pub(crate) fn meant(path: &[String]) -> String {
    if let Some((_, right)) = ELSEWHERE.iter().find(|(name, _)| *name == dotted(path)) {
        return format!("did you mean `{right}`?");
    }
    let known = (1..=path.len()).take_while(|&n| !matches!(look(&path[..n]), Look::Nothing)).count();
    let (parent, rest) = path.split_at(known.min(path.len().saturating_sub(1)));
    let Some((word, below)) = rest.split_first() else { return String::new() };
    if let Some(right) = nearest(word, names_in(parent)) {
        let right = [parent, &[right.to_owned()], below].concat();
        return format!("did you mean `{}`?", dotted(&right));
    }
    let last = below.last().unwrap_or(word);
    let elsewhere = KEYS.iter().filter(|key| !key.name.contains('*'));
    let elsewhere = elsewhere.filter_map(|key| Some((key.name.rsplit('.').next()?, key.name)));
    let elsewhere: Vec<_> = elsewhere.collect();
    if let Some(right) = nearest(last, elsewhere.iter().map(|(last, _)| *last)) {
        let right: Vec<_> = elsewhere.iter().filter(|(last, _)| *last == right).collect();
        let right: Vec<_> = right.iter().map(|(_, whole)| format!("`{whole}`")).collect();
        return format!("did you mean {}?", right.join(" or "));
    }
    names(parent)
}

/// Returns what there is below a path, in words.
pub(crate) fn names(parent: &[String]) -> String {
    let names: Vec<_> = names_in(parent).collect();
    match parent {
        [] => format!("there are {}", names.join(", ")),
        parent => format!("`{}` has {}", dotted(parent), names.join(", ")),
    }
}

/// Returns how to write a path as a table.
pub(crate) fn header(path: &[String]) -> String {
    format!("[{}]", path.iter().map(|part| quoted(part)).collect::<Vec<_>>().join("."))
}

/// Returns the names that can stand below a path.
fn names_in(parent: &[String]) -> impl Iterator<Item = &'static str> {
    let mut before = "";
    KEYS.iter()
        .filter(move |key| begins(key, parent))
        .filter_map(move |key| key.name.split('.').nth(parent.len()))
        .filter(move |name| *name != "*" && std::mem::replace(&mut before, name) != *name)
}

/// Tells whether a key's name begins with a path.
fn begins(key: &Key, path: &[String]) -> bool {
    let mut parts = key.name.split('.');
    path.iter().all(|part| parts.next().is_some_and(|name| name == "*" || name == part))
}
