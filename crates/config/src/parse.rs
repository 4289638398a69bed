//! A given value → what it means, by the form of its key.

use std::{
    ops::Range,
    path::{Component, Path},
};

use domain::{AgentName, Budget, PermissionKind};

use crate::{
    form::Form,
    given::{Given, Piece},
    measure::{ports, size_bytes, time_ms},
    near::nearest,
    problem::PROBLEMS_MAX,
    value::Value,
};

const KINDS: [PermissionKind; 5] = [
    PermissionKind::Edit,
    PermissionKind::Run,
    PermissionKind::Read,
    PermissionKind::Fetch,
    PermissionKind::Other,
];

/// A value that is not what its key takes.
#[derive(Debug, Default)]
pub(crate) struct Wrong {
    /// What is wrong, where the form alone does not say it.
    pub(crate) what: Option<String>,
    /// What to write instead.
    pub(crate) hint: Option<String>,
    /// The part of the value that is wrong.
    pub(crate) span: Option<Range<usize>>,
}

/// From where paths lead.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Ground<'a> {
    pub(crate) folder: &'a Path,
    pub(crate) home: Option<&'a Path>,
}

/// Reads a value in the form of its key, or tells all that is wrong with it.
pub(crate) fn read(form: Form, given: Given<'_>, ground: Ground<'_>) -> Result<Value, Vec<Wrong>> {
    let plain = |value: Option<Value>| value.ok_or_else(|| vec![without_quotes(form, given)]);
    let text = || match given.text() {
        Some(text) if is_passable(&text) => Ok(text),
        Some(_) => Err(vec![unpassable(None)]),
        None => Err(wrong()),
    };
    let texts = || given.texts().ok_or_else(|| vec![no_list(given)]).and_then(whole);
    match form {
        Form::Flag => plain(given.flag().map(Value::Flag)),
        Form::Number { min, max } => {
            let number = given.number().filter(|number| (min..=max).contains(number));
            plain(number.map(Value::Number))
        }
        Form::Choice(words) => choice(&text()?, words),
        Form::Text => Ok(Value::Text(text()?.into_owned())),
        Form::Texts => texts().map(all),
        Form::Pair => match texts()? {
            pieces if pieces.len() == 2 => Ok(all(pieces)),
            _ => Err(wrong()),
        },
        Form::Time { never } => time(given, never),
        Form::Size { none } => match text()?.as_ref() {
            "none" if none => Ok(Value::Size(None)),
            size => size_bytes(size).map(|size| Value::Size(Some(size))).ok_or_else(wrong),
        },
        Form::Tokens => match budget(given, "") {
            Some(tokens @ Budget::Tokens(1..)) => Ok(Value::Budget(tokens)),
            _ => Err(wrong()),
        },
        Form::Money => match budget(given, "$") {
            Some(money @ Budget::Cents(1..)) => Ok(Value::Budget(money)),
            _ => Err(wrong()),
        },
        Form::Agent => agent(&text()?),
        Form::Patterns => each(texts()?, pattern),
        Form::Path => match text()?.as_ref() {
            "" => Err(wrong()),
            path => Ok(Value::Text(ground.path(path))),
        },
        Form::Paths => {
            let paths = texts()?;
            Ok(Value::Texts(paths.iter().map(|piece| ground.path(&piece.text)).collect()))
        }
        Form::InnerPaths => each(texts()?, inner_path),
        Form::Ports => ports(&text()?).map(|(first, last)| Value::Ports(first, last)).ok_or_else(wrong),
    }
}

impl Ground<'_> {
    /// Returns a path from the root on, where `~` is the person's own folder.
    fn path(self, text: &str) -> String {
        let at_home = text.strip_prefix("~/").and_then(|rest| Some(self.home?.join(rest)));
        at_home.unwrap_or_else(|| self.folder.join(text)).to_string_lossy().into_owned()
    }
}

/// Tells whether a text can be handed to another program.
fn is_passable(text: &str) -> bool {
    !text.contains('\0')
}

fn unpassable(span: Option<Range<usize>>) -> Wrong {
    let what = Some("no program can be given this text".to_owned());
    Wrong { what, hint: Some("take the NUL out of it".to_owned()), span }
}

fn wrong() -> Vec<Wrong> {
    vec![Wrong::default()]
}

fn all(pieces: Vec<Piece>) -> Value {
    Value::Texts(pieces.into_iter().map(|piece| piece.text).collect())
}

/// Returns the pieces of a list if all of them are texts.
fn whole(items: Vec<Result<Piece, Range<usize>>>) -> Result<Vec<Piece>, Vec<Wrong>> {
    let wrongs = items.iter().filter_map(|item| match item {
        Ok(Piece { text, .. }) if is_passable(text) => None,
        Ok(Piece { span, .. }) => Some(unpassable(span.clone())),
        Err(span) => Some(Wrong {
            what: Some("this must be a text".to_owned()),
            hint: Some("put it between quotes".to_owned()),
            span: Some(span.clone()),
        }),
    });
    // More would not be told anyway.
    let wrongs: Vec<_> = wrongs.take(PROBLEMS_MAX + 1).collect();
    if wrongs.is_empty() { Ok(items.into_iter().flatten().collect()) } else { Err(wrongs) }
}

/// Returns all pieces if nothing is wrong with any of them.
fn each(
    pieces: Vec<Piece>,
    wrong: impl Fn(&str) -> Option<(&'static str, Option<String>)>,
) -> Result<Value, Vec<Wrong>> {
    let found = pieces.iter().filter_map(|Piece { text, span }| {
        let (what, hint) = wrong(text)?;
        Some(Wrong { what: Some(what.to_owned()), hint, span: span.clone() })
    });
    // More would not be told anyway.
    let found: Vec<_> = found.take(PROBLEMS_MAX + 1).collect();
    if found.is_empty() { Ok(all(pieces)) } else { Err(found) }
}

/// Complains about a value, and sees whether it would do without its quotes.
fn without_quotes(form: Form, given: Given<'_>) -> Wrong {
    let words = given.text().filter(|_| given.is_quoted()).unwrap_or_default();
    let ground = Ground { folder: Path::new(""), home: None };
    let would_do = given.is_quoted() && read(form, Given::Words(&words), ground).is_ok();
    Wrong { hint: would_do.then(|| format!("write {} without quotes", words.trim())), ..Wrong::default() }
}

fn no_list(given: Given<'_>) -> Wrong {
    let text = given.text().map(|text| Value::Texts(vec![text.into_owned()]).to_toml());
    Wrong { hint: text.map(|list| format!("write {list}")), ..Wrong::default() }
}

fn choice(text: &str, words: &[&'static str]) -> Result<Value, Vec<Wrong>> {
    match words.iter().find(|word| **word == text) {
        Some(word) => Ok(Value::Text((*word).to_owned())),
        None => {
            let near = nearest(text, words.iter().copied());
            Err(vec![Wrong {
                hint: near.map(|word| format!("did you mean \"{word}\"?")),
                ..Wrong::default()
            }])
        }
    }
}

fn time(given: Given<'_>, never: bool) -> Result<Value, Vec<Wrong>> {
    if let Some(digits) = given.digits() {
        let hint = format!("a time has a unit: \"{digits}s\", \"{digits}m\" or \"{digits}h\"");
        return Err(vec![Wrong { hint: Some(hint), ..Wrong::default() }]);
    }
    match given.text().ok_or_else(wrong)?.as_ref() {
        "never" if never => Ok(Value::Time(None)),
        text => time_ms(text).map(|time| Value::Time(Some(time))).ok_or_else(wrong),
    }
}

/// Reads tokens or money, which may be a bare number.
fn budget(given: Given<'_>, sign: &str) -> Option<Budget> {
    let text = given.digits().map(str::to_owned).or_else(|| given.text().map(|text| text.into_owned()))?;
    let text = text.trim();
    if text.starts_with(sign) { text.parse().ok() } else { format!("{sign}{text}").parse().ok() }
}

fn agent(text: &str) -> Result<Value, Vec<Wrong>> {
    let hint = || Some("a name has letters, digits, '_', '-' and '.'".to_owned());
    match text.parse::<AgentName>() {
        Ok(name) => Ok(Value::Text(name.into())),
        Err(_) => Err(vec![Wrong { hint: hint(), ..Wrong::default() }]),
    }
}

fn pattern(text: &str) -> Option<(&'static str, Option<String>)> {
    let rest = text.strip_prefix('=').unwrap_or(text);
    let (kind, subject) = rest.split_once(':').unwrap_or(("", rest));
    if subject.is_empty() {
        return Some(("this pattern names nothing", None));
    }
    // A colon may be of the subject; a kind with a slip in it never is.
    let kinds = KINDS.map(PermissionKind::word);
    let near = nearest(kind, kinds).filter(|_| !kinds.contains(&kind))?;
    Some(("this pattern has an unknown kind", Some(format!("did you mean \"{near}:{subject}\"?"))))
}

fn inner_path(text: &str) -> Option<(&'static str, Option<String>)> {
    let is_name = |part| matches!(part, Component::Normal(_) | Component::CurDir);
    let path = Path::new(text);
    let hint = || Some("name a file from the project's root on".to_owned());
    if path.starts_with(".git") {
        return Some(("a worktree has a `.git` of its own", None));
    }
    let is_inner = !text.is_empty() && path.components().all(is_name);
    (!is_inner).then(|| ("this path leaves the project", hint()))
}
