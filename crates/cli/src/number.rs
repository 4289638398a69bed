//! Numbers on the command line, with errors in the language of the environment.

use std::str::FromStr;

use crate::localized::localized;

pub(crate) fn parse_number<T: FromStr>(text: &str) -> Result<T, String> {
    text.parse()
        .map_err(|_| localized("it is not a whole number, or is too large", "정수가 아니거나 너무 큽니다"))
}
