//! Adds the values of one layer to those of weaker layers, and collects its problems.

use std::path::Path;

use crate::{
    key::{PathKind, known_names, path_kind, suggestion, table_header},
    keys::KEYS,
    location::ValueLocation,
    origin::Origin,
    parse::{PathBase, parse},
    path::dotted,
    problem::{Problem, ProblemList, Severity},
    problem_text::{ProblemHint, ProblemMessage},
    raw_value::RawValue,
    values::Values,
};

/// Old names of keys: accepted with a warning.
const RENAMED_KEYS: [(&str, &str); 1] =
    [("orchestration.timeout_per_port", "orchestration.timeout_per_task")];

/// Tables that accept a string for one of their keys: `sandbox = "worktree"`.
const SHORTHANDS: [(&str, &str); 2] = [("permissions", "permissions.mode"), ("sandbox", "sandbox.mode")];

/// Limit of configured agents.
const AGENTS_MAX: usize = 256;

/// A layer that is being read.
pub(crate) struct Layer<'a> {
    pub(crate) base: PathBase<'a>,
    pub(crate) values: &'a mut Values,
    pub(crate) problems: &'a mut ProblemList,
}

impl Layer<'_> {
    /// Parses and sets the value of a path, or reports why it is invalid.
    pub(crate) fn set(&mut self, path: Vec<String>, raw: RawValue<'_>, location: &ValueLocation<'_>) {
        let path = self.canonical_path(path, raw, location);
        let whole = || match raw {
            RawValue::Toml(value) => location.origin_of_part(value.span()),
            RawValue::Text(_) => location.origin(),
        };
        match path_kind(&path) {
            PathKind::Unknown => self.problems.push_error(
                || location.origin(),
                || {
                    let name = path.last().cloned().unwrap_or_default();
                    (ProblemMessage::UnknownKey { name }, suggestion(&path))
                },
            ),
            PathKind::Table => self.problems.push_error(whole, || {
                let hint = match raw {
                    RawValue::Toml(_) => ProblemHint::TableHeader { header: table_header(&path) },
                    RawValue::Text(_) => known_names(&path),
                };
                (ProblemMessage::TableOfKeys { path: dotted(&path) }, Some(hint))
            }),
            PathKind::Key(_) if !has_valid_variable_name(&path) => {
                self.problems.push_error(|| location.origin(), || (ProblemMessage::InvalidVariableName, None))
            }
            PathKind::Key(key) if self.register_agent(&path, location) => {
                match parse(key.kind, raw, self.base) {
                    Ok(value) => self.values.set(path, key, value, whole()),
                    Err(errors) => {
                        for error in errors {
                            let origin =
                                || error.span.map_or_else(whole, |span| location.origin_of_part(span));
                            let must = || ProblemMessage::WrongValue { path: dotted(&path), kind: key.kind };
                            self.problems
                                .push_error(origin, || (error.message.unwrap_or_else(must), error.hint));
                        }
                    }
                }
            }
            PathKind::Key(_) => {}
        }
    }

    /// Registers the agent of a path below `agents`. Returns whether the path can be used; a problem is reported if not.
    pub(crate) fn register_agent(&mut self, path: &[String], location: &ValueLocation<'_>) -> bool {
        let [root, name, ..] = path else { return true };
        if root != "agents" || self.values.agents.contains_key(name) {
            return true;
        }
        let problem = if name.parse::<domain::AgentName>().is_err() {
            Some((ProblemMessage::InvalidAgentName, ProblemHint::AgentNameCharacters))
        } else if self.values.agents.len() >= AGENTS_MAX {
            Some((ProblemMessage::TooManyAgents, ProblemHint::AgentLimit))
        } else {
            self.values.agents.insert(name.clone(), location.origin());
            None
        };
        let is_usable = problem.is_none();
        if let Some((message, hint)) = problem {
            self.problems.push_error(|| location.origin(), || (message, Some(hint)));
        }
        is_usable
    }

    /// Returns the path for an old name or a shorthand; warns about an old name.
    fn canonical_path(
        &mut self,
        path: Vec<String>,
        raw: RawValue<'_>,
        location: &ValueLocation<'_>,
    ) -> Vec<String> {
        let split = |name: &str| name.split('.').map(str::to_owned).collect::<Vec<_>>();
        let is = |name: &str| name.split('.').eq(path.iter().map(String::as_str));
        if let Some((old, new)) = RENAMED_KEYS.iter().find(|(old, _)| is(old)) {
            self.problems.push(|| Problem {
                severity: Severity::Warning,
                origin: location.origin(),
                message: ProblemMessage::RenamedKey { old },
                hint: Some(ProblemHint::Write { text: format!("`{new}`") }),
            });
            return split(new);
        }
        let short = SHORTHANDS.iter().find(|(short, _)| is(short));
        short.filter(|_| raw.text().is_some()).map_or(path, |(_, long)| split(long))
    }
}

/// Tells whether the last part of an `environment` path is a valid variable name; true for other paths.
fn has_valid_variable_name(path: &[String]) -> bool {
    match path {
        [_, _, .., table, name] if table == "environment" => !name.is_empty() && !name.contains(['=', '\0']),
        _ => true,
    }
}

/// Tells whether a table has a shorthand.
pub(crate) fn is_shorthand(name: &str) -> bool {
    SHORTHANDS.iter().any(|(short, _)| *short == name)
}

/// Sets the defaults of all keys.
pub(crate) fn set_defaults(values: &mut Values) {
    let base = PathBase { folder: Path::new(""), home: None };
    for key in KEYS.iter().filter(|key| !key.default.is_empty()) {
        // The test below fails for a default that does not parse.
        if let Ok(value) = parse(key.kind, RawValue::Text(key.default), base) {
            values.set(key.name.split('.').map(str::to_owned).collect(), key, value, Origin::Default);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::set_defaults;
    use crate::{keys::KEYS, values::Values};

    #[test]
    fn every_default_is_valid() {
        let mut values = Values::default();
        set_defaults(&mut values);
        for key in KEYS.iter().filter(|key| !key.default.is_empty()) {
            assert!(values.get(key.name).is_some(), "{}", key.name);
        }
    }
}
