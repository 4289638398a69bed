//! Which variables of an environment hold something that nobody may see.
//!
//! Goes by the names that people give to keys and passwords, and by addresses with a password in them: nothing else is
//! known about a value. Not every value is taken, for what is hidden is hidden in all that an agent prints: a path or
//! the name of a model would be missing where it matters.

/// Parts of names that mean a secret wherever they stand.
const PARTS: [&str; 7] = ["KEY", "TOKEN", "SECRET", "PASSWORD", "PASSWD", "PASSPHRASE", "CREDENTIAL"];
/// Words that mean one only as a whole: `COMPASS` and `AUTHOR` hold none.
const WORDS: [&str; 7] = ["AUTH", "AUTHORIZATION", "PASS", "PWD", "PAT", "DSN", "COOKIE"];
/// Last words of names whose value is where something is, not what it is.
const PLACES: [&str; 5] = ["FILE", "PATH", "DIR", "FOLDER", "SOCK"];
/// What Jangdan itself tells an agent; its key is a word that the agent is to print.
const OURS: &str = "JANGDAN_";

/// Returns the part of a variable's value that must not be seen.
///
/// ```
/// # use domain::secret_in;
/// assert_eq!(secret_in("GITHUB_TOKEN", "ghp_123"), Some("ghp_123"));
/// assert_eq!(secret_in("DATABASE_URL", "postgres://ana:pw123@db/shop"), Some("pw123"));
/// assert_eq!(secret_in("ANTHROPIC_MODEL", "opus"), None);
/// ```
pub fn find_secret<'a>(variable: &str, value: &'a str) -> Option<&'a str> {
    if is_secret(variable) { Some(value) } else { password(value) }.filter(|secret| !secret.is_empty())
}

/// Tells whether a variable's name says that its value is a secret.
fn is_secret(variable: &str) -> bool {
    let variable = variable.to_uppercase();
    let words: Vec<&str> = variable.split(|sign: char| !sign.is_alphanumeric()).collect();
    let is_place = words.last().is_some_and(|word| PLACES.contains(word));
    // The folder that a shell is in has this name.
    let is_folder = ["PWD", "OLDPWD"].contains(&variable.as_str());
    let means_one =
        PARTS.iter().any(|part| variable.contains(part)) || WORDS.iter().any(|word| words.contains(word));
    means_one && !is_place && !is_folder && !variable.starts_with(OURS)
}

/// Returns the password of an address such as `scheme://name:password@host`.
fn password(value: &str) -> Option<&str> {
    let (_, behind) = value.split_once("://")?;
    let host_and_before = behind.split(['/', '?', '#']).next()?;
    let (user, _) = host_and_before.rsplit_once('@')?;
    user.split_once(':').map(|(_, password)| password)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_secret_is_known_by_its_name_or_as_a_password_in_an_address() {
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
            assert_eq!(find_secret(name, "value"), Some("value"), "{name}");
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
            assert_eq!(find_secret(name, "value"), None, "{name}");
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
            assert_eq!(find_secret("URL", value), expected, "{value}");
        }
    }
}
