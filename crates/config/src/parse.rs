//! Parses a raw value according to the kind of its key.

use std::{
    ops::Range,
    path::{Component, Path},
};

use domain::{AgentName, Budget, PermissionKind};

use crate::{
    closest_name::closest_name,
    problem::PROBLEMS_MAX,
    problem_text::{ProblemHint, ProblemMessage},
    raw_value::{ListItem, RawValue},
    units::{parse_port_range, parse_price, parse_size_bytes, parse_time_ms},
    value::Value,
    value_kind::ValueKind,
};

const KINDS: [PermissionKind; 5] = [
    PermissionKind::Edit,
    PermissionKind::Run,
    PermissionKind::Read,
    PermissionKind::Fetch,
    PermissionKind::Other,
];

/// Why a value is invalid.
#[derive(Debug, Default)]
pub(crate) struct ValueError {
    /// Message; `None` if the description of the kind is enough.
    pub(crate) message: Option<ProblemMessage>,
    /// How to fix it.
    pub(crate) hint: Option<ProblemHint>,
    /// Location of the invalid part, if it is not the whole value.
    pub(crate) span: Option<Range<usize>>,
}

/// The folders that relative paths start from.
#[derive(Debug, Clone, Copy)]
pub(crate) struct PathBase<'a> {
    pub(crate) folder: &'a Path,
    pub(crate) home: Option<&'a Path>,
}

/// Parses a value, or returns everything that is wrong with it.
pub(crate) fn parse(
    kind: ValueKind,
    raw: RawValue<'_>,
    base: PathBase<'_>,
) -> Result<Value, Vec<ValueError>> {
    let plain = |value: Option<Value>| value.ok_or_else(|| vec![plain_value_error(kind, raw)]);
    let text = || match raw.text() {
        Some(text) if has_no_nul(&text) => Ok(text),
        Some(_) => Err(vec![nul_error(None)]),
        None => Err(invalid_value_error()),
    };
    let texts = || raw.texts().ok_or_else(|| vec![not_a_list_error(raw)]).and_then(require_strings);
    match kind {
        ValueKind::Boolean => plain(raw.as_boolean().map(Value::Boolean)),
        ValueKind::Number { min, max } => {
            let number = raw.number().filter(|number| (min..=max).contains(number));
            plain(number.map(Value::Number))
        }
        ValueKind::Choice(names) => choice(&text()?, names),
        ValueKind::Choices(names) => {
            let items = texts()?;
            let is_known = |item: &ListItem| names.contains(&item.text.as_str());
            if items.iter().all(is_known) { Ok(texts_value(items)) } else { Err(invalid_value_error()) }
        }
        ValueKind::Text => Ok(Value::Text(text()?.into_owned())),
        ValueKind::Texts => texts().map(texts_value),
        ValueKind::Pair => match texts()? {
            items if items.len() == 2 => Ok(texts_value(items)),
            _ => Err(invalid_value_error()),
        },
        ValueKind::Time { never } => time(raw, never),
        ValueKind::Size { none } => match text()?.as_ref() {
            "none" if none => Ok(Value::Size(None)),
            size => {
                parse_size_bytes(size).map(|size| Value::Size(Some(size))).ok_or_else(invalid_value_error)
            }
        },
        ValueKind::Tokens => match budget(raw, "") {
            Some(tokens @ Budget::Tokens(1..)) => Ok(Value::Budget(tokens)),
            _ => Err(invalid_value_error()),
        },
        ValueKind::Money => match budget(raw, "$") {
            Some(money @ Budget::Cents(1..)) => Ok(Value::Budget(money)),
            _ => Err(invalid_value_error()),
        },
        ValueKind::Price => {
            let price =
                raw.number_literal().map(str::to_owned).or_else(|| raw.text().map(|text| text.into_owned()));
            price.and_then(|text| parse_price(&text)).map(Value::Price).ok_or_else(invalid_value_error)
        }
        ValueKind::Agent => agent(&text()?),
        ValueKind::Patterns => checked_items(texts()?, check_pattern),
        ValueKind::Path => match text()?.as_ref() {
            "" => Err(invalid_value_error()),
            path => Ok(Value::Text(base.absolute_path(path))),
        },
        ValueKind::Paths => {
            let paths = texts()?;
            Ok(Value::Texts(paths.iter().map(|item| base.absolute_path(&item.text)).collect()))
        }
        ValueKind::InnerPaths => checked_items(texts()?, check_inner_path),
        ValueKind::Names => checked_items(texts()?, check_name),
        ValueKind::Identity => identity(&text()?),
        ValueKind::CommitMessage => commit_message(&text()?),
        ValueKind::Ports => parse_port_range(&text()?)
            .map(|(first, last)| Value::Ports(first, last))
            .ok_or_else(invalid_value_error),
    }
}

impl PathBase<'_> {
    /// Returns the absolute path; `~/` is the home directory.
    fn absolute_path(self, text: &str) -> String {
        let at_home = text.strip_prefix("~/").and_then(|rest| Some(self.home?.join(rest)));
        at_home.unwrap_or_else(|| self.folder.join(text)).to_string_lossy().into_owned()
    }
}

/// Tells whether a text can be passed to another program.
fn has_no_nul(text: &str) -> bool {
    !text.contains('\0')
}

fn nul_error(span: Option<Range<usize>>) -> ValueError {
    ValueError { message: Some(ProblemMessage::NulCharacter), hint: Some(ProblemHint::RemoveNul), span }
}

fn invalid_value_error() -> Vec<ValueError> {
    vec![ValueError::default()]
}

fn texts_value(items: Vec<ListItem>) -> Value {
    Value::Texts(items.into_iter().map(|item| item.text).collect())
}

/// Returns the items of a list if all are valid strings.
fn require_strings(items: Vec<Result<ListItem, Range<usize>>>) -> Result<Vec<ListItem>, Vec<ValueError>> {
    let errors = items.iter().filter_map(|item| match item {
        Ok(ListItem { text, .. }) if has_no_nul(text) => None,
        Ok(ListItem { span, .. }) => Some(nul_error(span.clone())),
        Err(span) => Some(ValueError {
            message: Some(ProblemMessage::NotAString),
            hint: Some(ProblemHint::PutInQuotes),
            span: Some(span.clone()),
        }),
    });
    // More would not be reported.
    let errors: Vec<_> = errors.take(PROBLEMS_MAX + 1).collect();
    if errors.is_empty() { Ok(items.into_iter().flatten().collect()) } else { Err(errors) }
}

/// Returns the list if `check` finds nothing wrong with its items.
fn checked_items(
    items: Vec<ListItem>,
    check: impl Fn(&str) -> Option<(ProblemMessage, Option<ProblemHint>)>,
) -> Result<Value, Vec<ValueError>> {
    let errors = items.iter().filter_map(|ListItem { text, span }| {
        let (message, hint) = check(text)?;
        Some(ValueError { message: Some(message), hint, span: span.clone() })
    });
    // More would not be reported.
    let errors: Vec<_> = errors.take(PROBLEMS_MAX + 1).collect();
    if errors.is_empty() { Ok(texts_value(items)) } else { Err(errors) }
}

/// Returns the error for a value, with a hint if it would be valid without quotes.
fn plain_value_error(kind: ValueKind, raw: RawValue<'_>) -> ValueError {
    let text = raw.text().filter(|_| raw.is_string()).unwrap_or_default();
    let base = PathBase { folder: Path::new(""), home: None };
    let is_valid = raw.is_string() && parse(kind, RawValue::Text(&text), base).is_ok();
    ValueError {
        hint: is_valid.then(|| ProblemHint::WriteWithoutQuotes { text: text.trim().to_owned() }),
        ..ValueError::default()
    }
}

fn not_a_list_error(raw: RawValue<'_>) -> ValueError {
    let text = raw.text().map(|text| Value::Texts(vec![text.into_owned()]).to_toml());
    ValueError { hint: text.map(|text| ProblemHint::Write { text }), ..ValueError::default() }
}

fn choice(text: &str, names: &[&'static str]) -> Result<Value, Vec<ValueError>> {
    match names.iter().find(|name| **name == text) {
        Some(name) => Ok(Value::Text((*name).to_owned())),
        None => {
            let closest = closest_name(text, names.iter().copied());
            Err(vec![ValueError {
                hint: closest.map(|name| ProblemHint::DidYouMean { names: vec![format!("\"{name}\"")] }),
                ..ValueError::default()
            }])
        }
    }
}

fn time(raw: RawValue<'_>, never: bool) -> Result<Value, Vec<ValueError>> {
    if let Some(digits) = raw.number_literal() {
        let hint = ProblemHint::WriteUnit { digits: digits.to_owned() };
        return Err(vec![ValueError { hint: Some(hint), ..ValueError::default() }]);
    }
    match raw.text().ok_or_else(invalid_value_error)?.as_ref() {
        "never" if never => Ok(Value::Time(None)),
        text => parse_time_ms(text).map(|time| Value::Time(Some(time))).ok_or_else(invalid_value_error),
    }
}

/// Parses tokens or money, which may be a bare number. `prefix` is `$` for money.
fn budget(raw: RawValue<'_>, prefix: &str) -> Option<Budget> {
    let text =
        raw.number_literal().map(str::to_owned).or_else(|| raw.text().map(|text| text.into_owned()))?;
    let text = text.trim();
    if text.starts_with(prefix) { text.parse().ok() } else { format!("{prefix}{text}").parse().ok() }
}

fn agent(text: &str) -> Result<Value, Vec<ValueError>> {
    match text.parse::<AgentName>() {
        Ok(name) => Ok(Value::Text(name.into())),
        Err(_) => {
            Err(vec![ValueError { hint: Some(ProblemHint::AgentNameCharacters), ..ValueError::default() }])
        }
    }
}

/// Parses `NAME <EMAIL>`.
fn identity(text: &str) -> Result<Value, Vec<ValueError>> {
    let is_part = |part: &str| !part.is_empty() && !part.contains(['<', '>', '\n']);
    let parts = text.trim().strip_suffix('>').and_then(|text| text.split_once('<'));
    match parts.map(|(name, email)| (name.trim(), email.trim())) {
        Some((name, email)) if is_part(name) && is_part(email) => {
            Ok(Value::Text(format!("{name} <{email}>")))
        }
        _ => Err(invalid_value_error()),
    }
}

/// Placeholders of a commit message.
const PLACEHOLDERS: [&str; 4] = ["id", "title", "agent", "run"];

fn commit_message(text: &str) -> Result<Value, Vec<ValueError>> {
    let error = |message, hint| {
        Err(vec![ValueError { message: Some(message), hint: Some(hint), ..ValueError::default() }])
    };
    if text.trim().is_empty() {
        let example = "\"{id}: {title}\"".to_owned();
        return error(ProblemMessage::EmptyCommitMessage, ProblemHint::Write { text: example });
    }
    let is_name = |name: &&str| !name.is_empty() && name.chars().all(|char| char.is_ascii_lowercase());
    let mut names = text.split('{').skip(1).filter_map(|rest| Some(rest.split_once('}')?.0)).filter(is_name);
    match names.find(|name| !PLACEHOLDERS.contains(name)) {
        None => Ok(Value::Text(text.to_owned())),
        Some(name) => {
            let hint = match closest_name(name, PLACEHOLDERS) {
                Some(closest) => ProblemHint::DidYouMean { names: vec![format!("{{{closest}}}")] },
                None => ProblemHint::Placeholders,
            };
            error(ProblemMessage::UnknownPlaceholder { name: name.to_owned() }, hint)
        }
    }
}

fn check_pattern(text: &str) -> Option<(ProblemMessage, Option<ProblemHint>)> {
    let rest = text.strip_prefix('=').unwrap_or(text);
    let (kind, subject) = rest.split_once(':').unwrap_or(("", rest));
    if subject.is_empty() {
        return Some((ProblemMessage::EmptyPattern, None));
    }
    // The subject may contain a colon, so only a misspelled kind is an error.
    let kinds = KINDS.map(PermissionKind::pattern_name);
    let closest = closest_name(kind, kinds).filter(|_| !kinds.contains(&kind))?;
    let names = vec![format!("\"{closest}:{subject}\"")];
    Some((ProblemMessage::UnknownPatternKind, Some(ProblemHint::DidYouMean { names })))
}

fn check_name(text: &str) -> Option<(ProblemMessage, Option<ProblemHint>)> {
    let hint = Some(ProblemHint::NameAtAnyDepth);
    if text.trim_matches('*').is_empty() {
        Some((ProblemMessage::NameMatchesEverything, hint))
    } else if text.contains('/') {
        Some((ProblemMessage::NameContainsSlash, hint))
    } else {
        None
    }
}

fn check_inner_path(text: &str) -> Option<(ProblemMessage, Option<ProblemHint>)> {
    let is_name = |part| matches!(part, Component::Normal(_) | Component::CurDir);
    let path = Path::new(text);
    if path.starts_with(".git") {
        return Some((ProblemMessage::GitFolder, None));
    }
    let is_inner = !text.is_empty() && path.components().all(is_name);
    (!is_inner).then_some((ProblemMessage::PathOutsideProject, Some(ProblemHint::PathInProject)))
}
