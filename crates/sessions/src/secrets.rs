//! The secrets of an agent's environment, for its holder to hide in all that the agent prints.

use std::{collections::BTreeMap, ffi::OsString};

use domain::find_secret;
use holder::mask::{SECRET_BYTES_MAX, SECRETS_BYTES_MAX, Secret};

/// What is shorter is found in ordinary text, too.
const BYTES_MIN: usize = 8;

/// Returns those that the agent is given, then those that it inherits. What is too much for a holder is left out, so that
/// no agent fails for it.
pub fn agent_secrets(
    given: &BTreeMap<OsString, OsString>,
    all: &BTreeMap<OsString, OsString>,
) -> Vec<Secret> {
    let inherited = all.iter().filter(|(name, _)| !given.contains_key(*name));
    let (mut secrets, mut left) = (Vec::new(), SECRETS_BYTES_MAX);
    for (name, value) in given.iter().chain(inherited) {
        let value = value.to_string_lossy();
        let secret = find_secret(&name.to_string_lossy(), &value).map(str::as_bytes).unwrap_or_default();
        if (BYTES_MIN..=SECRET_BYTES_MAX.min(left)).contains(&secret.len()) {
            left -= secret.len();
            secrets.push(Secret::new(secret.to_vec()));
        }
    }
    secrets
}

#[cfg(test)]
mod tests {
    use holder::mask::check;

    use super::*;

    fn environment(variables: &[(&str, &str)]) -> BTreeMap<OsString, OsString> {
        variables.iter().map(|(name, value)| (name.into(), value.into())).collect()
    }

    #[test]
    fn what_is_secret_and_not_too_short_is_hidden_and_never_more_than_a_holder_takes() {
        let long = "x".repeat(SECRET_BYTES_MAX);
        let longer = "y".repeat(SECRET_BYTES_MAX + 1);
        let given = environment(&[("A_KEY", "12345678"), ("B_KEY", "1234567"), ("MODEL", "a-long-name")]);
        let inherited =
            [("C_TOKEN", long.as_str()), ("D_TOKEN", &longer), ("E_TOKEN", &long), ("F_TOKEN", "87654321")];
        let mut all = environment(&inherited);
        all.extend(given.clone());
        let secrets = agent_secrets(&given, &all);
        let expected = ["12345678", long.as_str(), "87654321"].map(|value| Secret::new(value.into()));
        assert!(secrets == expected, "{secrets:?}");
        assert_eq!(check(&secrets), Ok(()));
    }
}
