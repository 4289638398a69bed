//! Ids of tasks and phases.

use std::{borrow::Cow, cmp::Ordering, collections::BTreeSet, fmt, str::FromStr, sync::Arc};

use serde::{Deserialize, Serialize};

use crate::ParseError;

/// Number of a phase, starting at 1 in most plans.
pub type PhaseNumber = u32;

/// Separates an area from the id: `FE/T1`.
const AREA_SIGN: &str = "/";
/// Stands for [`AREA_SIGN`] in names of files and refs. No id contains it.
const AREA_SIGN_IN_NAMES: &str = "+";

/// Bounds what a hostile text can make us store.
const TASK_ID_BYTES_MAX: usize = 64;

/// Id of a task in a plan as written there, e.g. `T1.3`, `T001`, `1.2`, `1.4a`, `ST-001`, `P1-R1-T1` or `FE/T1`.
///
/// Letters and digits of ASCII, with `.`, `-`, `_` and `/` between them, and at least one digit. Names of files and of
/// git branches contain [`TaskId::to_file_name`]. The form `q_1` is reserved for ids that Jangdan assigns. Ids are equal
/// only if spelled the same; they are ordered by their numbers. Cheap to clone, because a plan mentions each task many
/// times.
///
/// ```
/// # use domain::TaskId;
/// assert!("T1.3".parse::<TaskId>().is_ok());
/// assert!("ST-001".parse::<TaskId>().is_ok());
/// assert!("FE/T1".parse::<TaskId>().is_ok());
/// assert!("T1.3, T1.4".parse::<TaskId>().is_err());
/// assert!("T2".parse::<TaskId>().unwrap() < "T10".parse().unwrap());
/// assert_ne!("T1".parse::<TaskId>().unwrap(), "T01".parse().unwrap());
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(type = "string"))]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema), schema(value_type = String))]
#[serde(try_from = "String", into = "String")]
pub struct TaskId(Arc<str>);

/// The shape of a task id.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TaskIdForm {
    /// `T` and numbers: `T1`, `T1.3`, `T001`.
    Letter,
    /// Numbers only: `1.2`, as in Kiro and Task Master.
    Number,
    /// Any other: `1.4a`, `ST-001`, `FE/T1`.
    Other,
}

impl TaskId {
    pub fn as_str(&self) -> &str {
        &self.0
    }

    pub fn form(&self) -> TaskIdForm {
        form_of(&self.0)
    }

    /// Returns the id as one part of a path, of a ref or of a branch: `FE+T1` for `FE/T1`.
    ///
    /// No other id has the same name, because no id contains a `+`; `P5` and `P5/T1` can both be branches.
    pub fn to_file_name(&self) -> Cow<'_, str> {
        if self.0.contains(AREA_SIGN) {
            Cow::Owned(self.0.replace(AREA_SIGN, AREA_SIGN_IN_NAMES))
        } else {
            Cow::Borrowed(&self.0)
        }
    }

    /// Parses a name that [`TaskId::to_file_name`] returned.
    pub fn from_file_name(name: &str) -> Result<Self, ParseError> {
        // A name is one part of a path; with a slash it is none of ours.
        if name.contains(AREA_SIGN) {
            return Err(invalid_id_error(name));
        }
        name.replace(AREA_SIGN_IN_NAMES, AREA_SIGN).parse()
    }

    /// Whether the id is a `T` and numbers.
    pub fn has_letter_prefix(&self) -> bool {
        self.form() == TaskIdForm::Letter
    }

    /// Numbers of the id as written, from left to right.
    pub fn numbers(&self) -> impl Iterator<Item = &str> {
        self.0.split(|character: char| !character.is_ascii_digit()).filter(|number| !number.is_empty())
    }

    /// Compares by numbers only, so that `T7` and `T007` are equal.
    pub fn cmp_numbers(&self, other: &Self) -> Ordering {
        self.numbers().map(DecimalNumber).cmp(other.numbers().map(DecimalNumber))
    }
}

fn form_of(id: &str) -> TaskIdForm {
    let is_numbers = |text: &str| text.split('.').all(|number| !number.is_empty() && is_all_digits(number));
    match id.strip_prefix('T') {
        Some(rest) if is_numbers(rest) => TaskIdForm::Letter,
        None if is_numbers(id) => TaskIdForm::Number,
        _ => TaskIdForm::Other,
    }
}

fn invalid_id_error(text: &str) -> ParseError {
    ParseError::new(text, "task id (write T1, T1.3, 1.2, ST-001 or FE/T1)")
}

/// Whether the parts of `FE/T1` are areas with an id behind them. `T1/T2` and `1/2` are not one id.
fn has_valid_areas(text: &str) -> bool {
    let is_bounded = |part: &str| {
        let bytes = part.as_bytes();
        bytes.first().is_some_and(u8::is_ascii_alphanumeric)
            && bytes.last().is_some_and(u8::is_ascii_alphanumeric)
    };
    match text.rsplit_once(AREA_SIGN) {
        None => is_bounded(text),
        Some((areas, id)) => {
            let is_area = |area: &str| is_bounded(area) && form_of(area) == TaskIdForm::Other;
            is_bounded(id) && areas.split(AREA_SIGN).all(is_area)
        }
    }
}

/// Whether a text is or ends with an id that Jangdan assigns, such as `q_1`; folders of sessions are named `desk-s_12`.
fn is_reserved(text: &str) -> bool {
    let last_part = text.rsplit('-').next().unwrap_or_default();
    last_part.split_once('_').is_some_and(|(kind, number)| {
        kind.bytes().all(|byte| byte.is_ascii_lowercase()) && is_all_digits(number)
    })
}

fn is_all_digits(text: &str) -> bool {
    text.bytes().all(|byte| byte.is_ascii_digit())
}

impl FromStr for TaskId {
    type Err = ParseError;

    fn from_str(text: &str) -> Result<Self, ParseError> {
        let is_allowed = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'-' | b'_' | b'/');
        let bytes = text.as_bytes();
        let is_valid = text.len() <= TASK_ID_BYTES_MAX
            && bytes.iter().all(|&byte| is_allowed(byte))
            && bytes.iter().any(u8::is_ascii_digit)
            && has_valid_areas(text)
            // Git accepts neither in the name of a branch.
            && !text.contains("..")
            && !text.ends_with(".lock")
            && !is_reserved(text);
        if is_valid { Ok(Self(text.into())) } else { Err(invalid_id_error(text)) }
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

/// The task ids of a plan that a message can name, as far as the decoder must know them: ids such as `T1.3` always count.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
pub struct PlanTaskIds {
    /// Whether the plan has ids without a letter, such as `1.2`; then every id of that form counts.
    has_numbers: bool,
    /// Ids of any other form; only these count.
    others: Arc<BTreeSet<TaskId>>,
}

impl PlanTaskIds {
    pub fn insert(&mut self, id: &TaskId) {
        match id.form() {
            TaskIdForm::Letter => {}
            TaskIdForm::Number => self.has_numbers = true,
            TaskIdForm::Other => {
                Arc::make_mut(&mut self.others).insert(id.clone());
            }
        }
    }

    /// Parses a task id, with or without its phase: `P1-T1.3` is task T1.3 of phase 1, unless the plan has a task
    /// `P1-T1.3`.
    ///
    /// ```
    /// # use domain::PlanTaskIds;
    /// let mut ids = PlanTaskIds::default();
    /// let reference = ids.parse_reference("P1-T1.3").unwrap();
    /// assert_eq!((reference.task.as_str(), reference.phase), ("T1.3", Some(1)));
    ///
    /// ids.insert(&"P1-T1.3".parse().unwrap());
    /// let reference = ids.parse_reference("P1-T1.3").unwrap();
    /// assert_eq!((reference.task.as_str(), reference.phase), ("P1-T1.3", None));
    /// ```
    pub fn parse_reference(&self, text: &str) -> Option<TaskReference> {
        let parse = |text: &str| text.parse().ok().filter(|id| self.contains(id));
        if let Some(task) = parse(text) {
            return Some(TaskReference { task, phase: None });
        }
        let (phase, task) = text.strip_prefix('P')?.split_once('-')?;
        let phase = is_all_digits(phase).then(|| phase.parse().ok())??;
        Some(TaskReference { task: parse(task)?, phase: Some(phase) })
    }

    fn contains(&self, id: &TaskId) -> bool {
        match id.form() {
            TaskIdForm::Letter => true,
            TaskIdForm::Number => self.has_numbers,
            TaskIdForm::Other => self.others.contains(id),
        }
    }
}

impl<'a> FromIterator<&'a TaskId> for PlanTaskIds {
    fn from_iter<I: IntoIterator<Item = &'a TaskId>>(ids: I) -> Self {
        let mut plan_ids = Self::default();
        ids.into_iter().for_each(|id| plan_ids.insert(id));
        plan_ids
    }
}

/// A task id as a message names it.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct TaskReference {
    pub task: TaskId,
    /// Set if the text contains it.
    pub phase: Option<PhaseNumber>,
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::{TaskId, TaskIdForm};

    #[test]
    fn ids_of_real_plans_are_accepted_as_written() {
        for (text, form) in [
            ("T1", TaskIdForm::Letter),
            ("T1.3.2", TaskIdForm::Letter),
            ("1.2", TaskIdForm::Number),
            ("1.4a", TaskIdForm::Other),
            ("T020a", TaskIdForm::Other),
            ("ST-001", TaskIdForm::Other),
            ("P1-R1-T1", TaskIdForm::Other),
            ("P2-S1-V", TaskIdForm::Other),
            ("TASK_7", TaskIdForm::Other),
            ("FE/T1", TaskIdForm::Other),
            ("P5/T1.1", TaskIdForm::Other),
            ("web/admin-ui/T1", TaskIdForm::Other),
        ] {
            assert_eq!(text.parse::<TaskId>().map(|id| id.form()).ok(), Some(form), "{text}");
        }
    }

    #[test]
    fn other_texts_are_not_ids() {
        let too_long = format!("T{}", "1".repeat(64));
        for text in [
            "", "T", "setup", "T1 ", "T1:x", "T1/2", "../1", "-1", ".1", "1.", "T1..2", "1.lock", "작업1",
            "q_1", "s_12", "desk-s_1", &too_long, "T1/T2", "1/2", "1.1/T2", "FE//T1", "/T1", "FE/",
            "FE/../T1", "FE/.T1", "-FE/T1", "FE/-1", "FE+T1",
        ] {
            assert!(text.parse::<TaskId>().is_err(), "{text}");
        }
    }

    #[test]
    fn names_of_ids_are_one_part_of_a_path_and_distinct() {
        let ids = ["FE/T1", "FE-T1", "FE_T1", "FE.T1", "P5", "P5/T1", "P5-T1", "T1", "a/b/T1", "a/b-T1"];
        let ids: Vec<TaskId> = ids.iter().map(|id| id.parse().unwrap()).collect();
        let names: BTreeSet<String> = ids.iter().map(|id| id.to_file_name().into_owned()).collect();
        assert_eq!(names.len(), ids.len(), "{names:?}");
        for id in &ids {
            let name = id.to_file_name();
            assert!(!name.contains('/'), "{name}");
            assert_eq!(TaskId::from_file_name(&name).as_ref(), Ok(id));
        }
        assert_eq!(ids[0].to_file_name(), "FE+T1");
        assert!(TaskId::from_file_name("FE/T1").is_err());
        assert!(TaskId::from_file_name("T1+T2").is_err());
    }

    #[test]
    fn ids_are_ordered_by_their_numbers() {
        let sorted = ["T1", "T1.0", "1.4", "1.4a", "1.4b", "1.5", "ST-2", "T2", "T10"];
        let mut ids: Vec<TaskId> = sorted.iter().rev().map(|id| id.parse().unwrap()).collect();
        ids.sort();
        assert_eq!(ids.iter().map(TaskId::as_str).collect::<Vec<_>>(), sorted);
    }
}
