//! Ids of tasks and phases.

use std::{cmp::Ordering, fmt, str::FromStr, sync::Arc};

use serde::{Deserialize, Serialize};

use crate::ParseError;

/// Number of a phase, starting at 1 in most plans.
pub type PhaseNumber = u32;

/// Bounds what a hostile text can make us store.
const TASK_ID_BYTES_MAX: usize = 64;

/// Id of a task in a plan, e.g. `T1.3`, `T001` or `1.2`.
///
/// Ids are equal only if spelled the same; they are ordered by their numbers. Cheap to clone, because a plan mentions
/// each task many times.
///
/// ```
/// # use domain::TaskId;
/// assert!("T1.3".parse::<TaskId>().is_ok());
/// assert!("T1.3, T1.4".parse::<TaskId>().is_err());
/// assert!("T2".parse::<TaskId>().unwrap() < "T10".parse().unwrap());
/// assert_ne!("T1".parse::<TaskId>().unwrap(), "T01".parse().unwrap());
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(type = "string"))]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema), schema(value_type = String))]
#[serde(try_from = "String", into = "String")]
pub struct TaskId(Arc<str>);

impl TaskId {
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Whether the id starts with `T`; ids of Kiro and Task Master do not.
    pub fn has_letter_prefix(&self) -> bool {
        self.0.starts_with('T')
    }

    /// Numbers of the id as written, from left to right.
    pub fn numbers(&self) -> impl Iterator<Item = &str> {
        self.0.trim_start_matches('T').split('.')
    }

    /// Compares by numbers only, so that `T7` and `T007` are equal.
    pub fn cmp_numbers(&self, other: &Self) -> Ordering {
        self.numbers().map(DecimalNumber).cmp(other.numbers().map(DecimalNumber))
    }
}

impl FromStr for TaskId {
    type Err = ParseError;

    fn from_str(text: &str) -> Result<Self, ParseError> {
        let digits = text.strip_prefix('T').unwrap_or(text);
        let numbers_hold =
            digits.split('.').all(|number| !number.is_empty() && number.bytes().all(|b| b.is_ascii_digit()));
        if numbers_hold && text.len() <= TASK_ID_BYTES_MAX {
            Ok(Self(text.into()))
        } else {
            Err(ParseError::new(text, "task id (write T1, T1.3, T001 or 1.2)"))
        }
    }
}

impl TryFrom<String> for TaskId {
    type Error = ParseError;

    fn try_from(text: String) -> Result<Self, ParseError> {
        text.parse()
    }
}

impl From<TaskId> for String {
    fn from(id: TaskId) -> Self {
        id.0.as_ref().to_owned()
    }
}

impl fmt::Display for TaskId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.0)
    }
}

impl Ord for TaskId {
    fn cmp(&self, other: &Self) -> Ordering {
        // Written differently but equal by number (T1, T01): the text decides, so that order agrees with equality.
        self.cmp_numbers(other).then_with(|| self.0.cmp(&other.0))
    }
}

impl PartialOrd for TaskId {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// A decimal number of any length, compared by value.
struct DecimalNumber<'a>(&'a str);

impl PartialEq for DecimalNumber<'_> {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for DecimalNumber<'_> {}

impl Ord for DecimalNumber<'_> {
    fn cmp(&self, other: &Self) -> Ordering {
        let (left, right) = (self.0.trim_start_matches('0'), other.0.trim_start_matches('0'));
        left.len().cmp(&right.len()).then_with(|| left.cmp(right))
    }
}

impl PartialOrd for DecimalNumber<'_> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// A task id with an optional phase: `P1-T1.3` is task T1.3 of phase 1.
///
/// ```
/// # use domain::TaskReference;
/// let reference: TaskReference = "P1-T1.3".parse().unwrap();
/// assert_eq!((reference.task.as_str(), reference.phase), ("T1.3", Some(1)));
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct TaskReference {
    pub task: TaskId,
    /// Set if the text contains it.
    pub phase: Option<PhaseNumber>,
}

impl FromStr for TaskReference {
    type Err = ParseError;

    fn from_str(text: &str) -> Result<Self, ParseError> {
        let Some((phase, task)) = text.strip_prefix('P').and_then(|rest| rest.split_once('-')) else {
            return Ok(Self { task: text.parse()?, phase: None });
        };
        let wrong = || ParseError::new(text, "task id (write P1-T1.3)");
        if !phase.bytes().all(|b| b.is_ascii_digit()) {
            return Err(wrong());
        }
        let phase = phase.parse().map_err(|_| wrong())?;
        Ok(Self { task: task.parse().map_err(|_| wrong())?, phase: Some(phase) })
    }
}
