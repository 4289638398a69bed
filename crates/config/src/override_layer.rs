//! Reads environment variables and flags as layers.

use std::collections::BTreeMap;

use crate::{
    keys::KEYS,
    layer::{Layer, is_shorthand},
    location::ValueLocation,
    origin::Origin,
    path::split,
    problem_text::{ProblemHint, ProblemMessage},
    raw_value::RawValue,
};

/// Prefix of environment variables.
const PREFIX: &str = "JANGDAN_";

impl Layer<'_> {
    /// Reads settings from environment variables such as `JANGDAN_PARK__COLD_AFTER=1h`.
    ///
    /// `__` separates the parts of a key. A variable without it is a setting only if a key has its name: other variables
    /// share the prefix.
    pub(crate) fn read_environment(&mut self, environment: &BTreeMap<String, String>) {
        for (variable, value) in environment {
            let Some(name) = variable.strip_prefix(PREFIX) else { continue };
            let location = ValueLocation::Override(Origin::Environment { variable: variable.clone() });
            if name.contains("__") {
                self.set(path_of_variable(name), RawValue::Text(value), &location);
                continue;
            }
            let name = name.to_lowercase();
            if KEYS.iter().any(|key| key.name == name) || is_shorthand(&name) {
                self.set(vec![name], RawValue::Text(value), &location);
            } else if let Some(key) = KEYS.iter().find(|key| key.name.replace('.', "_") == name) {
                let name = format!("{PREFIX}{}", key.name.replace('.', "__").to_uppercase());
                let hint = Some(ProblemHint::WriteVariable { name });
                self.problems.push_error(|| location.origin(), || (ProblemMessage::NotASetting, hint));
            }
        }
    }

    /// Reads flags such as `park.cold_after=1h`.
    pub(crate) fn read_flags(&mut self, flags: &[String]) {
        for flag in flags {
            let key = flag.split_once('=').map_or(flag.as_str(), |(key, _)| key);
            let location = ValueLocation::Override(Origin::Flag { key: key.to_owned() });
            match flag.split_once('=') {
                Some((name, value)) => self.set(split(name), RawValue::Text(value.trim_start()), &location),
                None => self.problems.push_error(
                    || location.origin(),
                    || (ProblemMessage::FlagWithoutValue, Some(ProblemHint::WriteKeyValue)),
                ),
            }
        }
    }
}

/// Returns the path of a variable's name: in lower case, except the names of an agent's own environment variables.
fn path_of_variable(name: &str) -> Vec<String> {
    let mut is_variable = false;
    let part = |part: &str| {
        let part = if is_variable { part.to_owned() } else { part.to_lowercase() };
        is_variable |= part == "environment";
        part
    };
    name.split("__").map(part).collect()
}
