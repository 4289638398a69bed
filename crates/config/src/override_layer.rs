//! Variables of the environment and flags: one value each.

use std::collections::BTreeMap;

use crate::{
    given::Given,
    keys::KEYS,
    layer::{Layer, is_short},
    origin::Origin,
    path::split,
    place::Spot,
};

/// What the names of our variables begin with.
const PREFIX: &str = "JANGDAN_";

impl Layer<'_> {
    /// Takes the variables that are settings: `JANGDAN_PARK__COLD_AFTER=1h`.
    ///
    /// Two `_` separate names. A variable without them is a setting only where one is called so; there are others with
    /// the same beginning.
    pub(crate) fn take_environment(&mut self, environment: &BTreeMap<String, String>) {
        for (variable, value) in environment {
            let Some(name) = variable.strip_prefix(PREFIX) else { continue };
            let spot = Spot::Words(Origin::Environment { variable: variable.clone() });
            if name.contains("__") {
                self.take(path(name), Given::Words(value), &spot);
                continue;
            }
            let name = name.to_lowercase();
            if KEYS.iter().any(|key| key.name == name) || is_short(&name) {
                self.take(vec![name], Given::Words(value), &spot);
            } else if let Some(key) = KEYS.iter().find(|key| key.name.replace('.', "_") == name) {
                let right = format!("{PREFIX}{}", key.name.replace('.', "__").to_uppercase());
                let hint = Some(format!("two `_` separate names: write {right}"));
                self.problems.error(|| spot.origin(), || ("this variable is no setting".to_owned(), hint));
            }
        }
    }

    /// Takes the flags: `park.cold_after=1h`.
    pub(crate) fn take_flags(&mut self, flags: &[String]) {
        for flag in flags {
            let key = flag.split_once('=').map_or(flag.as_str(), |(key, _)| key);
            let spot = Spot::Words(Origin::Flag { key: key.to_owned() });
            match flag.split_once('=') {
                Some((name, value)) => self.take(split(name), Given::Words(value.trim_start()), &spot),
                None => self.problems.error(
                    || spot.origin(),
                    || {
                        let hint = "write KEY=VALUE, for example park.cold_after=1h".to_owned();
                        ("this flag has no value".to_owned(), Some(hint))
                    },
                ),
            }
        }
    }
}

/// Returns the path that a variable's name stands for: in small letters, but for the names of an agent's own variables.
fn path(name: &str) -> Vec<String> {
    let mut is_variable = false;
    let part = |part: &str| {
        let part = if is_variable { part.to_owned() } else { part.to_lowercase() };
        is_variable |= part == "environment";
        part
    };
    name.split("__").map(part).collect()
}
