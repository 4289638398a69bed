//! What one layer says: values are read and put over those before; what is wrong is gathered.

use std::path::Path;

use crate::{
    given::Given,
    key::{Look, header, look, meant, names},
    keys::KEYS,
    origin::Origin,
    path::dotted,
    place::Spot,
    problem::{Problem, Problems, Severity},
    read::{Ground, read},
    values::Values,
};

/// Old names: they are taken, and the right one is said.
const OLD: [(&str, &str); 1] = [("orchestration.timeout_per_port", "orchestration.timeout_per_task")];

/// Tables that may be written as one word: `sandbox = "worktree"`.
const SHORT: [(&str, &str); 2] = [("permissions", "permissions.mode"), ("sandbox", "sandbox.mode")];

/// More agents than this are no team.
const AGENTS_MAX: usize = 256;

/// What a layer is read with.
pub(crate) struct Layer<'a> {
    pub(crate) ground: Ground<'a>,
    pub(crate) values: &'a mut Values,
    pub(crate) problems: &'a mut Problems,
}

impl Layer<'_> {
    /// Takes the value at a path.
    pub(crate) fn take(&mut self, path: Vec<String>, given: Given<'_>, spot: &Spot<'_>) {
        let path = self.renamed(path, given, spot);
        let whole = || match given {
            Given::Toml(value) => spot.part(value.span()),
            Given::Words(_) => spot.origin(),
        };
        match look(&path) {
            Look::Nothing => self.problems.error(
                || spot.origin(),
                || {
                    let name = path.last().map_or("", String::as_str);
                    (format!("unknown key `{name}`"), Some(meant(&path)))
                },
            ),
            Look::Table => self.problems.error(whole, || {
                let hint = match given {
                    Given::Toml(_) => format!("write {} on a line of its own, its keys below", header(&path)),
                    Given::Words(_) => names(&path),
                };
                (format!("`{}` is a table of keys", dotted(&path)), Some(hint))
            }),
            Look::Key(_) if !is_variable(&path) => self
                .problems
                .error(|| spot.origin(), || ("this can't be the name of a variable".to_owned(), None)),
            Look::Key(key) if self.meets_agent(&path, spot) => match read(key.form, given, self.ground) {
                Ok(value) => self.values.put(path, key, value, whole()),
                Err(wrongs) => {
                    for wrong in wrongs {
                        let origin = || wrong.span.map_or_else(whole, |span| spot.part(span));
                        let must = || format!("`{}` must be {}", dotted(&path), key.form.words());
                        self.problems.error(origin, || (wrong.what.unwrap_or_else(must), wrong.hint));
                    }
                }
            },
            Look::Key(_) => {}
        }
    }

    /// Notes the agent that a path belongs to, if it does; tells whether there can be such a one.
    pub(crate) fn meets_agent(&mut self, path: &[String], spot: &Spot<'_>) -> bool {
        let [root, name, ..] = path else { return true };
        if root != "agents" || self.values.agents.contains_key(name) {
            return true;
        }
        let wrong = if name.parse::<domain::AgentName>().is_err() {
            Some(("this can't be the name of an agent", "a name has letters, digits, '_', '-' and '.'"))
        } else if self.values.agents.len() >= AGENTS_MAX {
            Some(("there are more agents than Jangdan can lead", "256 are enough"))
        } else {
            self.values.agents.insert(name.clone(), spot.origin());
            None
        };
        if let Some((message, hint)) = wrong {
            self.problems.error(|| spot.origin(), || (message.to_owned(), Some(hint.to_owned())));
        }
        wrong.is_none()
    }

    /// Returns the right path of what is written the old way, or short.
    fn renamed(&mut self, path: Vec<String>, given: Given<'_>, spot: &Spot<'_>) -> Vec<String> {
        let right = |name: &str| name.split('.').map(str::to_owned).collect::<Vec<_>>();
        let is = |name: &str| name.split('.').eq(path.iter().map(String::as_str));
        if let Some((old, new)) = OLD.iter().find(|(old, _)| is(old)) {
            self.problems.push(|| Problem {
                severity: Severity::Warning,
                origin: spot.origin(),
                message: format!("`{old}` is an old name"),
                hint: Some(format!("write `{new}`, which means the same")),
            });
            return right(new);
        }
        let short = SHORT.iter().find(|(short, _)| is(short));
        short.filter(|_| given.text().is_some()).map_or(path, |(_, long)| right(long))
    }
}

/// Tells whether a path can be one, where it ends with the name of a variable.
fn is_variable(path: &[String]) -> bool {
    match path {
        [_, _, table, name] if table == "environment" => !name.is_empty() && !name.contains(['=', '\0']),
        _ => true,
    }
}

/// Tells whether a table may be written as one word.
pub(crate) fn is_short(name: &str) -> bool {
    SHORT.iter().any(|(short, _)| *short == name)
}

/// Puts the default of every key that has one.
pub(crate) fn put_defaults(values: &mut Values) {
    let ground = Ground { folder: Path::new(""), home: None };
    for key in KEYS.iter().filter(|key| !key.default.is_empty()) {
        // A default that can't be read would be missed by the test below.
        if let Ok(value) = read(key.form, Given::Words(key.default), ground) {
            values.put(key.name.split('.').map(str::to_owned).collect(), key, value, Origin::Default);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::put_defaults;
    use crate::{keys::KEYS, values::Values};

    #[test]
    fn every_default_can_be_read() {
        let mut values = Values::default();
        put_defaults(&mut values);
        for key in KEYS.iter().filter(|key| !key.default.is_empty()) {
            assert!(values.get(key.name).is_some(), "{}", key.name);
        }
    }
}
