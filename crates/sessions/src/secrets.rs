//! Finds the secrets in an agent's environment, which its holder masks in the agent's output.

use std::{collections::BTreeMap, ffi::OsString};

use domain::secret_in_variable;
use holder::mask::{SECRET_BYTES_MAX, SECRETS_BYTES_MAX, Secret};

/// Shorter values would occur in ordinary text.
const SECRET_BYTES_MIN: usize = 8;

/// Returns the given secrets, those among the added variables, then those among the inherited ones. Those beyond the holder's
/// limits are omitted, so that the session can start.
pub(crate) fn agent_secrets(
    given: &[Secret],
    added: &BTreeMap<OsString, OsString>,
    all: &BTreeMap<OsString, OsString>,
) -> Vec<Secret> {
    let inherited = all.iter().filter(|(name, _)| !added.contains_key(*name));
    let mut secrets: Vec<Secret> = given.to_vec();
    let mut bytes_available =
        SECRETS_BYTES_MAX.saturating_sub(secrets.iter().map(Secret::byte_length).sum::<usize>());
    for (name, value) in added.iter().chain(inherited) {
        let value = value.to_string_lossy();
        let secret =
            secret_in_variable(&name.to_string_lossy(), &value).map(str::as_bytes).unwrap_or_default();
        if (SECRET_BYTES_MIN..=SECRET_BYTES_MAX.min(bytes_available)).contains(&secret.len()) {
            let secret = Secret::new(secret.to_vec());
            if !secrets.contains(&secret) {
                bytes_available -= secret.byte_length();
                secrets.push(secret);
            }
        }
    }
    secrets
}

#[cfg(test)]
mod tests {
    use holder::mask::check_secrets;

    use super::*;

    fn environment(variables: &[(&str, &str)]) -> BTreeMap<OsString, OsString> {
        variables.iter().map(|(name, value)| (name.into(), value.into())).collect()
    }

    #[test]
    fn secrets_of_usual_length_are_found_within_the_limits_of_the_holder() {
        let long = "x".repeat(SECRET_BYTES_MAX);
        let longer = "y".repeat(SECRET_BYTES_MAX + 1);
        let added = environment(&[("A_KEY", "12345678"), ("B_KEY", "1234567"), ("MODEL", "a-long-name")]);
        let inherited =
            [("C_TOKEN", long.as_str()), ("D_TOKEN", &longer), ("E_TOKEN", &long), ("F_TOKEN", "87654321")];
        let mut all = environment(&inherited);
        all.extend(added.clone());
        let secrets = agent_secrets(&[], &added, &all);
        let expected = ["12345678", long.as_str(), "87654321"].map(|value| Secret::new(value.into()));
        assert!(secrets == expected, "{secrets:?}");
        assert_eq!(check_secrets(&secrets), Ok(()));
        // Given ones come first, and none comes twice.
        let given = ["12345678", "given-secret"].map(|value| Secret::new(value.into()));
        let secrets = agent_secrets(&given, &added, &added);
        assert!(secrets == given, "{secrets:?}");
    }
}
