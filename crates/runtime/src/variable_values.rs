//! Values of agents' environment variables, which may be secrets: files of runs have only their names.
//!
//! The values come from the request that starts a run, and after a restart of the server from the configuration.

use toml::{Table, Value};
use tracing::warn;

/// Name of the table of an agent's environment variables.
const VARIABLES: &str = "environment";

/// Returns presets without the values of environment variables.
pub(crate) fn without_values(presets: &Table) -> Table {
    let mut stripped = presets.clone();
    for variables in variable_tables(&mut stripped) {
        variables.iter_mut().for_each(|(_, value)| *value = Value::String(String::new()));
    }
    stripped
}

/// Returns whether a preset has a variable without a value.
pub(crate) fn has_missing_values(presets: &Table) -> bool {
    let is_missing = |value: &Value| value.as_str().is_some_and(str::is_empty);
    presets
        .values()
        .filter_map(|preset| preset.get(VARIABLES)?.as_table())
        .flatten()
        .any(|(_, value)| is_missing(value))
}

/// Fills in values from the configuration. Values in the files of earlier versions stay; a variable that nothing sets is
/// left out.
pub(crate) fn fill_in_values(presets: &mut Table, configured: &Table) {
    for (name, preset) in presets.iter_mut() {
        let Some(variables) = preset.get_mut(VARIABLES).and_then(Value::as_table_mut) else { continue };
        let known = configured.get(name).and_then(|preset| preset.get(VARIABLES)?.as_table());
        variables.retain(|variable, value| {
            if !value.as_str().is_some_and(str::is_empty) {
                return true;
            }
            let Some(found) = known.and_then(|known| known.get(variable)) else {
                warn!(agent = name, variable, "the configuration no longer sets a variable of the run");
                return false;
            };
            *value = found.clone();
            true
        });
    }
}

fn variable_tables(presets: &mut Table) -> impl Iterator<Item = &mut Table> {
    presets.iter_mut().filter_map(|(_, preset)| preset.get_mut(VARIABLES)?.as_table_mut())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_names_are_stored_and_values_come_from_the_configuration() {
        let presets: Table =
            "[a]\ncommand = \"x\"\nenvironment = { KEY = \"secret\", OLD = \"secret\" }\n[b]\n"
                .parse()
                .unwrap();
        let mut stored = without_values(&presets);
        assert!(!stored.to_string().contains("secret") && has_missing_values(&stored), "{stored}");
        let configured: Table = "[a]\nenvironment = { KEY = \"newer\" }\n".parse().unwrap();
        fill_in_values(&mut stored, &configured);
        let expected: Table =
            "[a]\ncommand = \"x\"\nenvironment = { KEY = \"newer\" }\n[b]\n".parse().unwrap();
        assert_eq!(stored, expected);
        // Files of earlier versions have the values.
        let mut earlier = presets.clone();
        fill_in_values(&mut earlier, &configured);
        assert_eq!(earlier, presets);
    }
}
