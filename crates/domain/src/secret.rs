//! Detects environment variables whose values must not be shown.
//!
//! Decides by variable names and by passwords in URLs. Deliberately conservative: detected values are masked in all agent
//! output, so masking a path or a model name would hide useful text.

/// Mark a secret anywhere in a name.
const SECRET_PARTS: [&str; 7] = ["KEY", "TOKEN", "SECRET", "PASSWORD", "PASSWD", "PASSPHRASE", "CREDENTIAL"];
/// Mark a secret only as a whole word: `COMPASS` and `AUTHOR` are harmless.
const SECRET_WORDS: [&str; 7] = ["AUTH", "AUTHORIZATION", "PASS", "PWD", "PAT", "DSN", "COOKIE"];
/// Last words of names that refer to a location instead of a value.
const LOCATION_SECRET_WORDS: [&str; 5] = ["FILE", "PATH", "DIR", "FOLDER", "SOCK"];
/// Jangdan's own variables; agents print the session key on purpose.
const OWN_PREFIX: &str = "JANGDAN_";

/// Part of a variable's value that must not be shown.
///
/// ```
/// # use domain::secret_in_variable;
/// assert_eq!(secret_in_variable("GITHUB_TOKEN", "ghp_123"), Some("ghp_123"));
/// assert_eq!(secret_in_variable("DATABASE_URL", "postgres://ana:pw123@db/shop"), Some("pw123"));
/// assert_eq!(secret_in_variable("ANTHROPIC_MODEL", "opus"), None);
/// ```
pub fn secret_in_variable<'a>(variable: &str, value: &'a str) -> Option<&'a str> {
    if is_secret_name(variable) { Some(value) } else { url_password(value) }
        .filter(|secret| !secret.is_empty())
}

fn is_secret_name(variable: &str) -> bool {
    let variable = variable.to_uppercase();
    let words: Vec<&str> = variable.split(|c: char| !c.is_alphanumeric()).collect();
    let is_location = words.last().is_some_and(|word| LOCATION_SECRET_WORDS.contains(word));
    // The folder that a shell is in has this name.
    let is_folder = ["PWD", "OLDPWD"].contains(&variable.as_str());
    let names_secret = SECRET_PARTS.iter().any(|part| variable.contains(part))
        || SECRET_WORDS.iter().any(|word| words.contains(word));
    names_secret && !is_location && !is_folder && !variable.starts_with(OWN_PREFIX)
}

/// Password in a URL such as `scheme://name:password@host`.
fn url_password(value: &str) -> Option<&str> {
    let (_, behind) = value.split_once("://")?;
    let host_and_before = behind.split(['/', '?', '#']).next()?;
    let (user, _) = host_and_before.rsplit_once('@')?;
    user.split_once(':').map(|(_, password)| password)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn secrets_are_detected_by_name_or_as_a_url_password() {
        let secret = [
            "API_KEY",
            "apikey",
            "GH_TOKEN",
            "CLIENT_SECRET",
            "MYSQL_PWD",
            "DB_PASS",
            "SENTRY_DSN",
            "PROXY_AUTH",
            "GITLAB_PAT",
            "AWS_CREDENTIALS",
            "npm_config_//registry/:_authToken",
        ];
        for name in secret {
            assert_eq!(secret_in_variable(name, "value"), Some("value"), "{name}");
        }
        let harmless = [
            "PATH",
            "PWD",
            "OLDPWD",
            "COMPASS",
            "AUTHOR",
            "MODEL",
            "SSH_AUTH_SOCK",
            "TOKEN_FILE",
            "KEY_PATH",
            "JANGDAN_KEY",
            "PATCH",
        ];
        for name in harmless {
            assert_eq!(secret_in_variable(name, "value"), None, "{name}");
        }
        let addresses = [
            ("https://ana:pw@host:80/a@b", Some("pw")),
            ("postgres://:p@ss@db", Some("p@ss")),
            ("https://ana@host", None),
            ("https://host/a:b@c", None),
            ("https://host:80", None),
            ("https://ana:@host", None),
            ("a:b@c", None),
        ];
        for (value, expected) in addresses {
            assert_eq!(secret_in_variable("URL", value), expected, "{value}");
        }
    }
}
