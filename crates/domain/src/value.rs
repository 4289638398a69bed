//! Small values shared by plans and messages.

use std::{fmt, str::FromStr};

use serde::{Deserialize, Serialize};

use crate::ParseError;

/// Priority of a task; among ready tasks higher priorities start first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "snake_case")]
pub enum Priority {
    Low,
    #[default]
    Normal,
    High,
    Critical,
}

impl FromStr for Priority {
    type Err = ParseError;

    fn from_str(text: &str) -> Result<Self, ParseError> {
        match text.to_ascii_lowercase().as_str() {
            "low" => Ok(Self::Low),
            "normal" => Ok(Self::Normal),
            "high" => Ok(Self::High),
            "critical" => Ok(Self::Critical),
            _ => Err(ParseError::new(text, "priority (low, normal, high or critical)")),
        }
    }
}

/// Size of a task, used for estimates until durations are known.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub enum Complexity {
    S,
    M,
    L,
    #[serde(rename = "XL")]
    Xl,
}

impl Complexity {
    /// Weight in estimates: S 1, M 2, L 4, XL 8.
    pub fn weight(self) -> u32 {
        match self {
            Self::S => 1,
            Self::M => 2,
            Self::L => 4,
            Self::Xl => 8,
        }
    }
}

impl FromStr for Complexity {
    type Err = ParseError;

    fn from_str(text: &str) -> Result<Self, ParseError> {
        match text.to_ascii_uppercase().as_str() {
            "S" => Ok(Self::S),
            "M" => Ok(Self::M),
            "L" => Ok(Self::L),
            "XL" => Ok(Self::Xl),
            _ => Err(ParseError::new(text, "complexity (S, M, L or XL)")),
        }
    }
}

/// Limit in tokens or money, e.g. `200k` tokens or `$2`.
///
/// ```
/// # use domain::Budget;
/// assert_eq!("200k".parse(), Ok(Budget::Tokens(200_000)));
/// assert_eq!("$2.50".parse(), Ok(Budget::Cents(250)));
/// assert_eq!(Budget::Cents(200).to_string(), "$2");
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(type = "string"))]
#[serde(try_from = "String", into = "String")]
pub enum Budget {
    Tokens(u64),
    /// Cents of a US dollar.
    Cents(u64),
}

impl FromStr for Budget {
    type Err = ParseError;

    fn from_str(text: &str) -> Result<Self, ParseError> {
        let wrong = || ParseError::new(text, "budget (write 200k, 1m or $2)");
        let budget = match text.strip_prefix('$') {
            Some(dollars) => parse_scaled_decimal(dollars.trim(), 2).map(Self::Cents),
            None => {
                let (number, digits) = match text.as_bytes().last() {
                    Some(b'k' | b'K') => (&text[..text.len() - 1], 3),
                    Some(b'm' | b'M') => (&text[..text.len() - 1], 6),
                    _ => (text, 0),
                };
                parse_scaled_decimal(number.trim(), digits).map(Self::Tokens)
            }
        };
        budget.ok_or_else(wrong)
    }
}

/// Parses a decimal number times ten to the power of `digits`, if the result is a whole number.
fn parse_scaled_decimal(text: &str, digits: usize) -> Option<u64> {
    let (whole, part) = text.split_once('.').unwrap_or((text, "0"));
    let all_digits = |text: &str| !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
    if !all_digits(whole) || !all_digits(part) {
        return None;
    }
    let part = part.trim_end_matches('0');
    let zeros = digits.checked_sub(part.len())?;
    let scale = 10_u64.pow(u32::try_from(digits).ok()?);
    let part: u64 = if part.is_empty() { 0 } else { part.parse().ok()? };
    let part = part.checked_mul(10_u64.pow(u32::try_from(zeros).ok()?))?;
    whole.parse::<u64>().ok()?.checked_mul(scale)?.checked_add(part)
}

impl fmt::Display for Budget {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::Tokens(n) if n > 0 && n % 1_000_000 == 0 => write!(f, "{}m", n / 1_000_000),
            Self::Tokens(n) if n > 0 && n % 1_000 == 0 => write!(f, "{}k", n / 1_000),
            Self::Tokens(n) => write!(f, "{n}"),
            Self::Cents(n) if n % 100 == 0 => write!(f, "${}", n / 100),
            Self::Cents(n) => write!(f, "${}.{:02}", n / 100, n % 100),
        }
    }
}

impl TryFrom<String> for Budget {
    type Error = ParseError;

    fn try_from(text: String) -> Result<Self, ParseError> {
        text.parse()
    }
}

impl From<Budget> for String {
    fn from(budget: Budget) -> Self {
        budget.to_string()
    }
}
