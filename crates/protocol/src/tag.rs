//! Parses tags and the phase marker.

use domain::{AgentName, PhaseNumber, SessionKey};

use crate::{
    line_head::TagTarget,
    need_human,
    options::{DecoderOptions, KeyRequirement},
};

/// The tags of dialects A and B.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum TagName {
    AskUser,
    Invoke,
    DeliverResult,
    StepComplete,
    Progress,
    Direct,
    DependencyRequest,
    UserQuestion,
    Error,
}

impl TagName {
    pub(crate) const ALL: [Self; 9] = [
        Self::AskUser,
        Self::Invoke,
        Self::DeliverResult,
        Self::StepComplete,
        Self::Progress,
        Self::Direct,
        Self::DependencyRequest,
        Self::UserQuestion,
        Self::Error,
    ];

    pub(crate) fn text(self) -> &'static str {
        match self {
            Self::AskUser => "ASK_USER",
            Self::Invoke => "INVOKE",
            Self::DeliverResult => "DELIVER_RESULT",
            Self::StepComplete => "STEP_COMPLETE",
            Self::Progress => "PROGRESS",
            Self::Direct => "DIRECT",
            Self::DependencyRequest => "DEPENDENCY_REQUEST",
            Self::UserQuestion => "USER_QUESTION",
            Self::Error => "ERROR",
        }
    }

    /// Returns every name that may follow a bracket at the start of a line.
    pub(crate) fn bracket_names() -> impl Iterator<Item = &'static str> {
        Self::ALL.into_iter().map(Self::text).chain([need_human::NAME])
    }

    pub(crate) fn is_block(self) -> bool {
        matches!(self, Self::DependencyRequest | Self::UserQuestion | Self::Error)
    }

    pub(crate) fn has_target(self) -> bool {
        matches!(self, Self::Invoke | Self::DeliverResult | Self::Direct)
    }
}

#[derive(Debug)]
pub(crate) struct Tag<'t> {
    pub(crate) name: TagName,
    pub(crate) is_closing: bool,
    pub(crate) target: TagTarget,
    /// The word in the position of the key.
    pub(crate) word: Option<&'t str>,
    /// The text after the closing bracket.
    pub(crate) after: &'t str,
}

impl<'t> Tag<'t> {
    /// Parses the tag that `text` begins with.
    pub(crate) fn parse(text: &'t str, options: &DecoderOptions) -> Option<Self> {
        let (inner, after) = text.strip_prefix('[')?.split_once(']')?;
        let inner = inner.trim();
        let (is_closing, inner) = match inner.strip_prefix('/') {
            Some(rest) => (true, rest.trim_start()),
            None => (false, inner),
        };
        let end = inner
            .find(|character: char| !(character.is_ascii_uppercase() || character == '_'))
            .unwrap_or(inner.len());
        let (word, rest) = inner.split_at(end);
        let name = TagName::ALL.into_iter().find(|name| name.text() == word)?;
        let rest_is_apart = rest.is_empty()
            || rest.starts_with(|character: char| character.is_whitespace() || character == ':');
        if !rest_is_apart {
            return None;
        }
        let (target, word) = match rest.trim_start().strip_prefix(':') {
            Some(names) if name.has_target() => parse_address(names, options),
            Some(_) => return None,
            None => {
                let word = at_most_one_word(rest)?;
                let target =
                    if name.has_target() && !is_closing { missing_target() } else { TagTarget::None };
                // `[INVOKE PO]` lacks its colon: a near miss.
                if name.has_target() && !is_closing && word.is_some_and(|word| !options.is_key(word)) {
                    return None;
                }
                (target, word)
            }
        };
        Some(Self { name, is_closing, target, word, after })
    }
}

/// Parses `=== PHASE N COMPLETE ===`, and the word in the position of the key.
pub(crate) fn parse_phase_marker(text: &str) -> Option<(PhaseNumber, Option<&str>)> {
    let inner = text.trim_start_matches('=');
    let opening = text.len() - inner.len();
    let inner_text = inner.trim_end_matches('=');
    let closing = inner.len() - inner_text.len();
    if opening < 3 || closing < 3 {
        return None;
    }
    let mut words = inner_text.split_whitespace();
    let is_phase = words.next().is_some_and(|word| word.eq_ignore_ascii_case("phase"));
    let number = words.next().filter(|word| word.bytes().all(|byte| byte.is_ascii_digit()))?;
    let is_complete = words.next().is_some_and(|word| word.eq_ignore_ascii_case("complete"));
    let key = words.next();
    let is_whole = is_phase && is_complete && words.next().is_none();
    is_whole.then_some((number.parse().ok()?, key))
}

/// Parses the text after a tag's colon: a name, and the key.
fn parse_address<'t>(names: &'t str, options: &DecoderOptions) -> (TagTarget, Option<&'t str>) {
    let names = names.trim();
    let Some((name, last)) = names.rsplit_once(char::is_whitespace) else {
        return (parse_target(names), None);
    };
    let name = name.trim_end();
    let is_one_name = !name.contains(char::is_whitespace);
    let is_wrong_key = is_one_name
        && (SessionKey::looks_like_key(last) || options.key_requirement == KeyRequirement::Required);
    if options.is_key(last) || is_wrong_key {
        (parse_target(name), Some(last))
    } else {
        (parse_target(names), None)
    }
}

fn parse_target(name: &str) -> TagTarget {
    if name.is_empty() {
        return missing_target();
    }
    match name.parse::<AgentName>() {
        Ok(name) => TagTarget::Agent(name),
        Err(error) => TagTarget::Invalid(format!(
            "invalid value '{}' for field 'target': not a valid {}",
            truncate_value(name),
            error.expected
        )),
    }
}

fn missing_target() -> TagTarget {
    TagTarget::Invalid("missing required field 'target'".to_owned())
}

/// Truncates a value for an error message.
pub(crate) fn truncate_value(value: &str) -> String {
    const CHARACTERS_MAX: usize = 80;
    match value.char_indices().nth(CHARACTERS_MAX) {
        Some((end, _)) => format!("{}…", &value[..end]),
        None => value.to_owned(),
    }
}

/// Returns the only word of a text, if any; `None` if it has several.
fn at_most_one_word(text: &str) -> Option<Option<&str>> {
    let mut words = text.split_whitespace();
    let word = words.next();
    words.next().is_none().then_some(word)
}
