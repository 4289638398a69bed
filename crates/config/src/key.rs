//! A key of the configuration, and which key a path means.

use crate::{
    closest_name::closest_name,
    keys::KEYS,
    path::{dotted, quoted},
    problem_text::ProblemHint,
    value_kind::ValueKind,
};

/// Plausible keys, with the key that has this setting.
const MOVED_KEYS: [(&str, &str); 2] = [
    ("budgets.task.time", "orchestration.timeout_per_task"),
    ("budgets.task.timeout", "orchestration.timeout_per_task"),
];

/// Name, kind and meaning of a key. A `*` in the name stands for any name.
#[derive(Debug, Clone, Copy)]
pub struct Key {
    /// Full name, such as `park.cold_after`.
    pub name: &'static str,
    pub kind: ValueKind,
    /// Default, in the syntax of a flag; empty if there is none.
    pub default: &'static str,
    /// Meaning, in one line.
    pub about: &'static str,
    /// Whether layers add to the list instead of replacing it.
    pub is_additive: bool,
}

/// What a path of a file refers to.
#[derive(Debug, Clone, Copy)]
pub(crate) enum PathKind {
    Key(&'static Key),
    Table,
    Unknown,
}

pub(crate) fn path_kind(path: &[String]) -> PathKind {
    let fits = |key: &&Key| has_prefix(key, path);
    if let Some(key) = KEYS.iter().filter(fits).find(|key| key.name.split('.').count() == path.len()) {
        return PathKind::Key(key);
    }
    if KEYS.iter().any(|key| fits(&key)) { PathKind::Table } else { PathKind::Unknown }
}

/// Returns a hint for an unknown path: a similar key, else the keys that exist there.
pub(crate) fn suggestion(path: &[String]) -> Option<ProblemHint> {
    let did_you_mean = |names: Vec<String>| Some(ProblemHint::DidYouMean { names });
    if let Some((_, right)) = MOVED_KEYS.iter().find(|(name, _)| *name == dotted(path)) {
        return did_you_mean(vec![format!("`{right}`")]);
    }
    let n_known =
        (1..=path.len()).take_while(|&n| !matches!(path_kind(&path[..n]), PathKind::Unknown)).count();
    let (parent, rest) = path.split_at(n_known.min(path.len().saturating_sub(1)));
    let (name, below) = rest.split_first()?;
    if let Some(right) = closest_name(name, names_in(parent)) {
        let right = [parent, &[right.to_owned()], below].concat();
        return did_you_mean(vec![format!("`{}`", dotted(&right))]);
    }
    let last = below.last().unwrap_or(name);
    let elsewhere = KEYS.iter().filter(|key| !key.name.contains('*'));
    let elsewhere = elsewhere.filter_map(|key| Some((key.name.rsplit('.').next()?, key.name)));
    let elsewhere: Vec<_> = elsewhere.collect();
    if let Some(right) = closest_name(last, elsewhere.iter().map(|(last, _)| *last)) {
        let right: Vec<_> = elsewhere.iter().filter(|(last, _)| *last == right).collect();
        return did_you_mean(right.iter().map(|(_, whole)| format!("`{whole}`")).collect());
    }
    Some(known_names(parent))
}

/// Lists the keys and tables below a path.
pub(crate) fn known_names(parent: &[String]) -> ProblemHint {
    ProblemHint::KnownKeys { parent: dotted(parent), names: names_in(parent).collect() }
}

/// Returns the TOML header of a table.
pub(crate) fn table_header(path: &[String]) -> String {
    format!("[{}]", path.iter().map(|part| quoted(part)).collect::<Vec<_>>().join("."))
}

/// Returns the names below a path, without wildcards.
fn names_in(parent: &[String]) -> impl Iterator<Item = &'static str> {
    let mut before = "";
    KEYS.iter()
        .filter(move |key| has_prefix(key, parent))
        .filter_map(move |key| key.name.split('.').nth(parent.len()))
        .filter(move |name| *name != "*" && std::mem::replace(&mut before, name) != *name)
}

/// Tells whether a key is at or below a path.
fn has_prefix(key: &Key, path: &[String]) -> bool {
    let mut parts = key.name.split('.');
    path.iter().all(|part| parts.next().is_some_and(|name| name == "*" || name == part))
}
