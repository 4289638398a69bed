//! Parser for an id at the beginning of a text: `T1.3`, `1.4a`, `P1-T1.3`, `ST-001`, `P1-R1-T1`, `FE/T1`.

use std::borrow::Cow;

use domain::{PhaseNumber, TaskId};

/// An id as written, with its phase if one is given: `P1-T1.3`.
#[derive(Debug, Clone)]
pub(crate) struct IdReference<'a> {
    pub(crate) phase: Option<PhaseNumber>,
    /// Without the phase.
    pub(crate) id: Cow<'a, str>,
}

/// Length of areas before an id; a longer id would not be valid.
const AREAS_BYTES_MAX: usize = 64;

/// The longest word at the end of an id: `T1.1-DESIGN`.
const SUFFIX_LETTERS_MAX: usize = 8;

/// The shape of an id, which decides where it may stand without further marks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum IdShape {
    /// A `T` and a number: `T1.3`, `P1-T1.3`.
    Letter,
    /// A number alone: `1.2`.
    Number,
    /// Several parts: `ST-001`, `P1-R1-T1`, `FE/T1`.
    Compound,
    /// Another letter and a number: `S1`, `US2`.
    Short,
}

impl<'a> IdReference<'a> {
    /// Parses a reference at the beginning of a text, and returns its byte length too.
    pub(crate) fn parse_prefix(text: &'a str) -> Option<(Self, usize)> {
        if let Some(length) = id_with_area_length(text) {
            return Some((Self { phase: None, id: Cow::Borrowed(&text[..length]) }, length));
        }
        Self::parse_prefix_without_area(text)
    }

    fn parse_prefix_without_area(text: &'a str) -> Option<(Self, usize)> {
        if let Some(length) = plain_id_length(text) {
            return Some((Self { phase: None, id: Cow::Borrowed(&text[..length]) }, length));
        }
        let phase_length = phase_prefix_length(text);
        if phase_length > 0
            && let Some(id_length) = plain_id_length(&text[phase_length..])
        {
            let phase = Some(text[1..phase_length - 1].parse().ok()?);
            let end = phase_length + id_length;
            return Some((Self { phase, id: Cow::Borrowed(&text[phase_length..end]) }, end));
        }
        let length = compound_id_length(text)?;
        Some((Self { phase: None, id: Cow::Borrowed(&text[..length]) }, length))
    }

    /// Parses a text that is an id as a whole.
    pub(crate) fn parse_whole(text: &'a str) -> Option<Self> {
        let (reference, length) = Self::parse_prefix(text)?;
        (length == text.len() && reference.is_valid_id()).then_some(reference)
    }

    /// Returns the id, or `None` if it is longer than a task id may be.
    pub(crate) fn task_id(&self) -> Option<TaskId> {
        self.id.parse().ok()
    }

    /// Tells whether `task_id` would succeed.
    pub(crate) fn is_valid_id(&self) -> bool {
        // Short plain ids are always valid; skip the parser.
        let is_plain = matches!(self.shape(), IdShape::Letter | IdShape::Number);
        self.id.len() <= 16 && is_plain || self.task_id().is_some()
    }

    /// Returns the id with its phase: `P1-T1.3`.
    pub(crate) fn with_phase(&self) -> Cow<'_, str> {
        match self.phase {
            Some(phase) => Cow::Owned(format!("P{phase}-{}", self.id)),
            None => Cow::Borrowed(&self.id),
        }
    }

    pub(crate) fn shape(&self) -> IdShape {
        let bytes = self.id.as_bytes();
        match bytes {
            [b'T', b'0'..=b'9', ..] => IdShape::Letter,
            [b'0'..=b'9', ..] => IdShape::Number,
            _ if memchr::memchr3(b'-', b'_', b'/', bytes).is_some() => IdShape::Compound,
            _ => IdShape::Short,
        }
    }

    pub(crate) fn has_letter_prefix(&self) -> bool {
        self.shape() != IdShape::Number
    }

    /// Returns the phase that an id of the form `P1-R1-T1` or `P1/T1` names.
    pub(crate) fn phase_of_compound(&self) -> Option<PhaseNumber> {
        match self.id.split_once('/') {
            Some((area, _)) => area.strip_prefix('P')?.parse().ok(),
            None => match phase_prefix_length(&self.id) {
                0 => None,
                length => self.id[1..length - 1].parse().ok(),
            },
        }
    }
}

/// Tells whether an id is usually that of a requirement, a user story or a risk: `FR-001`, `US1`, `R-2`.
pub(crate) fn is_requirement_id(id: &str) -> bool {
    const PREFIXES: [&str; 21] = [
        "FR", "NFR", "REQ", "US", "AC", "SC", "UC", "BR", "ADR", "RFC", "R", "Q", "RISK", "D", "KPI", "OKR",
        "UTF", "SHA", "ISO", "M", "P",
    ];
    let letters = id.find(|c: char| !c.is_ascii_uppercase()).map_or(id, |end| &id[..end]);
    // `P1-R1-T1` names a task, `P1` a phase or a priority; an area stands before ids of tasks only.
    let is_phase_prefix = letters == "P" && phase_prefix_length(id) > 0;
    PREFIXES.contains(&letters) && !is_phase_prefix && !id.contains('/')
}

/// Returns the length of `P1-`, or 0.
fn phase_prefix_length(text: &str) -> usize {
    let Some(rest) = text.strip_prefix('P') else { return 0 };
    let n_digits = rest.bytes().take_while(u8::is_ascii_digit).count();
    if n_digits > 0 && rest[n_digits..].starts_with('-') { n_digits + 2 } else { 0 }
}

/// Returns the length of `FE/T1` or `web/admin/ST-001`.
///
/// The areas are words, not ids: `T1/T2` are two tasks. `src/T1.rs` and `src/T1/` are paths.
fn id_with_area_length(text: &str) -> Option<usize> {
    let bytes = text.as_bytes();
    let mut at = 0;
    while at < AREAS_BYTES_MAX {
        let area = &bytes[at..];
        if !area.first().is_some_and(u8::is_ascii_alphabetic) {
            break;
        }
        let is_inside = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_');
        let length = area.iter().take_while(|byte| is_inside(byte)).count();
        let is_id = matches!(area, [b'T', b'0'..=b'9', ..]);
        if area.get(length) != Some(&b'/') || is_id || !area[length - 1].is_ascii_alphanumeric() {
            break;
        }
        at += length + 1;
    }
    if at == 0 {
        return None;
    }
    let (reference, length) = IdReference::parse_prefix_without_area(&text[at..])?;
    let is_certain = match reference.shape() {
        IdShape::Letter => true,
        IdShape::Compound => !is_requirement_id(&reference.id),
        IdShape::Number | IdShape::Short => false,
    };
    let end = at + length;
    let continues = match bytes.get(end) {
        Some(b'/') => true,
        Some(b'.') => bytes.get(end + 1).is_some_and(u8::is_ascii_alphanumeric),
        _ => false,
    };
    (is_certain && !continues).then_some(end)
}

/// Returns the length of `T1.3`, `1.2`, `T020a`, `T1.1-BE` or `1.V`.
fn plain_id_length(text: &str) -> Option<usize> {
    let bytes = text.as_bytes();
    let start = usize::from(bytes.first() == Some(&b'T'));
    let end = numbers_end(bytes, start)?;
    let end = end + capitals_length(bytes, end, b'.', 1);
    // A single letter belongs to an id such as `1.4a`, but not to `3rd` or `30m`.
    let accepts_letter = start > 0 || memchr::memchr(b'.', &bytes[..end]).is_some();
    if !accepts_letter {
        return Some(end);
    }
    let end = end + suffix_length(bytes, end);
    Some(end + capitals_length(bytes, end, b'-', SUFFIX_LETTERS_MAX))
}

/// Returns the length of a separator with capitals behind it that end a word, such as `-BE`, or 0.
fn capitals_length(bytes: &[u8], at: usize, separator: u8, letters_max: usize) -> usize {
    if bytes.get(at) != Some(&separator) {
        return 0;
    }
    let n_letters = bytes[at + 1..].iter().take_while(|byte| byte.is_ascii_uppercase()).count();
    // `T1-FE/T3` is a range.
    let continues = |next: &u8| next.is_ascii_alphanumeric() || matches!(next, b'-' | b'_' | b'/');
    let is_word =
        (1..=letters_max).contains(&n_letters) && !bytes.get(at + 1 + n_letters).is_some_and(continues);
    if is_word { 1 + n_letters } else { 0 }
}

/// Returns the end of numbers that are separated by dots.
fn numbers_end(bytes: &[u8], start: usize) -> Option<usize> {
    let mut end = start;
    loop {
        let n_digits = bytes[end..].iter().take_while(|byte| byte.is_ascii_digit()).count();
        if n_digits == 0 {
            return None;
        }
        end += n_digits;
        // A dot belongs to the id only before a digit: `T7..T11` is a range, and `T7.` ends a sentence.
        if bytes.get(end) == Some(&b'.') && bytes.get(end + 1).is_some_and(u8::is_ascii_digit) {
            end += 1;
        } else {
            return Some(end);
        }
    }
}

fn suffix_length(bytes: &[u8], at: usize) -> usize {
    let is_letter = bytes.get(at).is_some_and(u8::is_ascii_alphabetic);
    usize::from(is_letter && !bytes.get(at + 1).is_some_and(u8::is_ascii_alphanumeric))
}

/// Returns the length of `ST-001`, `P1-R1-T1`, `TASK_7` or `S1`: capitals and numbers, with at least one digit.
fn compound_id_length(text: &str) -> Option<usize> {
    const LETTERS_MAX: usize = 8;
    let bytes = text.as_bytes();
    if !bytes.first().is_some_and(u8::is_ascii_uppercase) {
        return None;
    }
    let mut end = 0;
    let mut has_digit = false;
    loop {
        let start = end;
        let n_letters = bytes[end..].iter().take_while(|byte| byte.is_ascii_uppercase()).count();
        if n_letters > LETTERS_MAX {
            return None;
        }
        end += n_letters;
        if let Some(after) = numbers_end(bytes, end) {
            has_digit = true;
            end = after + suffix_length(bytes, after);
        }
        if end == start || bytes.get(end).is_some_and(u8::is_ascii_alphanumeric) {
            // Not a part of an id: what came before it, without the separator, may be one.
            end = start.checked_sub(1)?;
            break;
        }
        let continues = matches!(bytes.get(end), Some(b'-' | b'_'))
            && bytes.get(end + 1).is_some_and(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit());
        if !continues {
            break;
        }
        end += 1;
    }
    (has_digit && bytes[..end].iter().any(u8::is_ascii_digit)).then_some(end)
}

#[cfg(test)]
mod tests {
    use super::{IdReference, IdShape};

    #[test]
    fn an_id_is_read_up_to_its_end() {
        for (text, expected) in [
            ("T1.3: x", Some("T1.3")),
            ("T020a x", Some("T020a")),
            ("1.4a x", Some("1.4a")),
            ("1.4abc", Some("1.4")),
            ("P1-T1.3", Some("P1-T1.3")),
            ("P1-R1-T1: x", Some("P1-R1-T1")),
            ("P2-S1-V x", Some("P2-S1-V")),
            ("P1-S0", Some("P1-S0")),
            ("ST-001-", Some("ST-001")),
            ("TASK_7 x", Some("TASK_7")),
            ("US2", Some("US2")),
            ("T7..T9", Some("T7")),
            ("T7-T9", Some("T7")),
            ("T1.1-BE: x", Some("T1.1-BE")),
            ("P1-T1.1-FE", Some("P1-T1.1-FE")),
            ("T031-MIN [P] x", Some("T031-MIN")),
            ("T7-T9-BE", Some("T7")),
            ("T7-Build x", Some("T7")),
            ("1.V Gate", Some("1.V")),
            ("1.Vx", Some("1")),
            ("3-D x", Some("3")),
            ("ST-", None),
            ("FE/T1: x", Some("FE/T1")),
            ("P5/T1.1 x", Some("P5/T1.1")),
            ("web/admin-ui/ST-001", Some("web/admin-ui/ST-001")),
            ("FE/T1.", Some("FE/T1")),
            ("T1/T2", Some("T1")),
            ("1.1/T2", Some("1.1")),
            ("src/T1.rs", None),
            ("src/T1/x", None),
            ("CI/CD2 x", None),
            ("TCP/ISO-8601", None),
            ("-/T1", None),
            ("Title", None),
            ("API", None),
        ] {
            let found = IdReference::parse_prefix(text).map(|(_, length)| &text[..length]);
            assert_eq!(found, expected, "{text}");
        }
    }

    #[test]
    fn an_id_has_a_shape_and_may_name_a_phase() {
        for (text, shape, phase) in [
            ("T1.3", IdShape::Letter, None),
            ("1.2", IdShape::Number, None),
            ("P1-R1-T1", IdShape::Compound, Some(1)),
            ("ST-001", IdShape::Compound, None),
            ("US2", IdShape::Short, None),
            ("FE/T1", IdShape::Compound, None),
            ("P5/T1.1", IdShape::Compound, Some(5)),
        ] {
            let reference = IdReference::parse_whole(text).unwrap();
            assert_eq!((reference.shape(), reference.phase_of_compound()), (shape, phase), "{text}");
        }
    }
}
