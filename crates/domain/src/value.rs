//! Small values that plans and messages share.

use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::ParseError;

/// How urgent a task is; a higher one starts first among those that are ready.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Priority {
    /// When nothing else is to be done.
    Low,
    /// As the plan has it.
    #[default]
    Normal,
    /// Before the others.
    High,
    /// Before all.
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

/// How large a task is, for estimates until durations are learned.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Complexity {
    /// Small.
    S,
    /// Medium.
    M,
    /// Large.
    L,
    /// Very large.
    #[serde(rename = "XL")]
    Xl,
}

impl Complexity {
    /// Returns the weight in estimates: S 1, M 2, L 4, XL 8.
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
