//! Chooses between the English and the Korean text of a message by the language of the environment.

use domain::Locale;

use crate::remote::environment_locale;

/// Returns the text of the environment's language.
pub(crate) fn localized(english: impl Into<String>, korean: impl Into<String>) -> String {
    match environment_locale() {
        Locale::En => english.into(),
        Locale::Ko => korean.into(),
    }
}
