//! Names and values of secrets.

use std::{fmt, str::FromStr};

use zeroize::Zeroizing;

/// Longest name. Names of environment variables are shorter.
pub const NAME_BYTES_MAX: usize = 128;
/// Longest value: a long private key fits, and a holder can mask it.
pub const VALUE_BYTES_MAX: usize = 8 << 10;

/// Name of a secret, which is also the name of the environment variable that passes it on.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SecretName(String);

/// Why a text is not the name of a secret.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "'{name}' is not a name of an environment variable: letters, digits and _, at most {NAME_BYTES_MAX}, no digit first"
)]
pub struct SecretNameError {
    /// The text, shortened.
    pub name: String,
}

impl SecretName {
    /// Returns the name as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl FromStr for SecretName {
    type Err = SecretNameError;

    fn from_str(name: &str) -> Result<Self, SecretNameError> {
        let is_valid = name.len() <= NAME_BYTES_MAX
            && name.chars().all(|char| char.is_ascii_alphanumeric() || char == '_')
            && name.starts_with(|char: char| char.is_ascii_alphabetic() || char == '_');
        match is_valid {
            true => Ok(Self(name.to_owned())),
            false => Err(SecretNameError { name: name.chars().take(NAME_BYTES_MAX).collect() }),
        }
    }
}

impl fmt::Display for SecretName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// Value of a secret. Debug output shows only its length; zeroed on drop.
#[derive(Clone, PartialEq, Eq)]
pub struct SecretValue(Zeroizing<String>);

/// Why a text is not stored as a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum SecretValueError {
    /// An empty variable would look as if it were missing.
    #[error("the value is empty")]
    Empty,
    /// More than [`VALUE_BYTES_MAX`] bytes.
    #[error("the value is longer than 8 KiB")]
    TooLong,
    /// No environment variable can have it.
    #[error("the value has a zero byte")]
    ZeroByte,
}

impl SecretValue {
    /// Takes ownership of a value.
    pub fn new(value: String) -> Result<Self, SecretValueError> {
        let value = Zeroizing::new(value);
        match value.as_str() {
            "" => Err(SecretValueError::Empty),
            text if text.len() > VALUE_BYTES_MAX => Err(SecretValueError::TooLong),
            text if text.contains('\0') => Err(SecretValueError::ZeroByte),
            _ => Ok(Self(value)),
        }
    }

    /// Returns the value, for the process it is meant for.
    pub fn expose(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for SecretValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "SecretValue({} bytes)", self.0.len())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_those_of_environment_variables() {
        for name in ["OPENAI_API_KEY", "_x", "a1"] {
            assert_eq!(name.parse::<SecretName>().unwrap().as_str(), name);
        }
        let long = "x".repeat(NAME_BYTES_MAX + 1);
        for name in ["", "1A", "A-B", "A B", "A=B", "키", "A\n", long.as_str()] {
            assert!(name.parse::<SecretName>().is_err(), "{name:?}");
        }
    }

    #[test]
    fn values_are_those_of_environment_variables_and_debug_output_hides_them() {
        let value = |text: &str| SecretValue::new(text.to_owned());
        assert_eq!(value(""), Err(SecretValueError::Empty));
        assert_eq!(value("a\0b"), Err(SecretValueError::ZeroByte));
        assert_eq!(value(&"x".repeat(VALUE_BYTES_MAX + 1)), Err(SecretValueError::TooLong));
        assert!(value(&"x".repeat(VALUE_BYTES_MAX)).is_ok());
        let debug = format!("{:?}", value("sk-canary-1").unwrap());
        assert!(debug.contains("11 bytes") && !debug.contains("canary"), "{debug}");
    }
}
