//! JSON values that know where they are in the file.

use std::{borrow::Cow, fmt, ops::Range};

use serde::{
    Deserialize, Deserializer,
    de::{IgnoredAny, MapAccess, Visitor},
};
use serde_json::value::RawValue;

use crate::{
    diagnostic::{Diagnostic, DiagnosticCode, Diagnostics},
    text::{one_line, shorten, span_in},
};

/// A value as it is written.
#[derive(Debug, Clone, Copy)]
pub(super) struct Spanned<'a> {
    pub(super) raw: &'a str,
    text: &'a str,
}

impl<'a> Spanned<'a> {
    pub(super) fn span(&self, text: &str) -> Range<usize> {
        span_in(text, self.raw, 0)
    }

    /// Returns an id's words: those of a string, or of a number as it is written, so that `1.10` is not `1.1`.
    pub(super) fn id_words(&self) -> Cow<'a, str> {
        match serde_json::from_str::<String>(self.raw) {
            Ok(string) => Cow::Owned(string.trim().to_owned()),
            Err(_) => Cow::Borrowed(self.raw),
        }
    }
}

/// The tasks of a file.
#[derive(Debug)]
pub(super) struct Document<'a> {
    pub(super) title: String,
    pub(super) tasks: Vec<Spanned<'a>>,
}

impl<'a> Document<'a> {
    /// Reads the outermost object: `tasks` themselves, or tags with tasks below them.
    pub(super) fn read(text: &'a str, diagnostics: &mut Diagnostics) -> Option<Self> {
        let object: Object<'a> = match serde_json::from_str(text) {
            Ok(object) => object,
            Err(error) => {
                diagnostics.push(broken(text, &error));
                return None;
            }
        };
        if let Some(tasks) = object.get("tasks") {
            let meta = object.get("metadata").or_else(|| object.get("meta"));
            return Some(Self { title: title(meta), tasks: list(tasks, text, "tasks", diagnostics) });
        }
        let tags: Vec<_> = object
            .members
            .iter()
            .filter_map(|(name, raw)| {
                let tag: Object<'a> = serde_json::from_str(raw.get()).ok()?;
                let tasks = tag.get("tasks")?;
                Some((name, tasks, tag.get("metadata")))
            })
            .collect();
        let (name, tasks, metadata) =
            tags.iter().find(|(name, ..)| name.as_ref() == "master").or(tags.first())?;
        if tags.len() > 1 {
            let others: Vec<_> =
                tags.iter().filter(|(other, ..)| other != name).map(|(other, ..)| other.as_ref()).collect();
            let message = format!("only tag '{name}' is read, not {}", shorten(&others.join(", ")));
            let start = span_in(text, tasks.get(), 0).start;
            diagnostics.push(
                Diagnostic::warning(start..start + 1, message)
                    .hint("put the tasks that are meant into a file of their own"),
            );
        }
        Some(Self { title: title(*metadata), tasks: list(tasks, text, "tasks", diagnostics) })
    }
}

/// Returns the project's name, which Task Master keeps beside the tasks.
fn title(metadata: Option<&RawValue>) -> String {
    #[derive(Deserialize)]
    struct Metadata {
        #[serde(rename = "projectName")]
        project_name: Option<String>,
    }
    let metadata = metadata.and_then(|raw| serde_json::from_str::<Metadata>(raw.get()).ok());
    metadata.and_then(|metadata| metadata.project_name).map_or_else(String::new, |name| one_line(&name))
}

/// The fields of a task that a plan needs.
#[derive(Debug, Deserialize)]
struct RawFields<'a> {
    #[serde(borrow)]
    id: Option<&'a RawValue>,
    #[serde(borrow)]
    title: Option<&'a RawValue>,
    #[serde(borrow)]
    description: Option<&'a RawValue>,
    #[serde(borrow)]
    details: Option<&'a RawValue>,
    #[serde(borrow, rename = "testStrategy")]
    test_strategy: Option<&'a RawValue>,
    #[serde(borrow)]
    status: Option<&'a RawValue>,
    #[serde(borrow)]
    dependencies: Option<&'a RawValue>,
    #[serde(borrow)]
    priority: Option<&'a RawValue>,
    #[serde(borrow)]
    subtasks: Option<&'a RawValue>,
}

/// The fields of a task, each with its place.
#[derive(Debug)]
pub(super) struct Fields<'a> {
    text: &'a str,
    pub(super) id: Option<Spanned<'a>>,
    pub(super) title: Option<Spanned<'a>>,
    pub(super) description: Option<Spanned<'a>>,
    pub(super) details: Option<Spanned<'a>>,
    pub(super) test_strategy: Option<Spanned<'a>>,
    pub(super) status: Option<Spanned<'a>>,
    pub(super) dependencies: Option<Spanned<'a>>,
    pub(super) priority: Option<Spanned<'a>>,
    pub(super) subtasks: Option<Spanned<'a>>,
}

impl<'a> Fields<'a> {
    pub(super) fn read(value: Spanned<'a>, diagnostics: &mut Diagnostics) -> Option<Self> {
        let text = value.text;
        match serde_json::from_str::<RawFields<'a>>(value.raw) {
            Ok(raw) => {
                let place = |raw: Option<&'a RawValue>| raw.map(|raw| Spanned { raw: raw.get(), text });
                Some(Self {
                    text,
                    id: place(raw.id),
                    title: place(raw.title),
                    description: place(raw.description),
                    details: place(raw.details),
                    test_strategy: place(raw.test_strategy),
                    status: place(raw.status),
                    dependencies: place(raw.dependencies),
                    priority: place(raw.priority),
                    subtasks: place(raw.subtasks),
                })
            }
            Err(_) => {
                let span = value.span(text);
                let span = span.start..span.end.min(span.start + 1);
                diagnostics.push(
                    Diagnostic::error(
                        DiagnosticCode::ParseFail,
                        span,
                        "this is no task, or has a field twice",
                    )
                    .hint("write {\"id\": 1, \"title\": \"…\"}"),
                );
                None
            }
        }
    }

    /// Returns a string's content, or an empty one.
    pub(super) fn string(
        &self,
        value: Option<Spanned<'a>>,
        name: &str,
        diagnostics: &mut Diagnostics,
    ) -> String {
        let Some(value) = value else { return String::new() };
        serde_json::from_str(value.raw).unwrap_or_else(|_| {
            let message = format!("'{name}' should be a text");
            diagnostics.push(
                Diagnostic::error(DiagnosticCode::ParseFail, value.span(self.text), message)
                    .hint("put it into double quotes"),
            );
            String::new()
        })
    }

    /// Returns the members of a list, or none.
    pub(super) fn list(
        &self,
        value: Option<Spanned<'a>>,
        name: &str,
        diagnostics: &mut Diagnostics,
    ) -> Vec<Spanned<'a>> {
        match value {
            None => Vec::new(),
            Some(value) => members(value.raw, self.text, name, diagnostics),
        }
    }
}

fn list<'a>(raw: &'a RawValue, text: &'a str, name: &str, diagnostics: &mut Diagnostics) -> Vec<Spanned<'a>> {
    members(raw.get(), text, name, diagnostics)
}

fn members<'a>(raw: &'a str, text: &'a str, name: &str, diagnostics: &mut Diagnostics) -> Vec<Spanned<'a>> {
    match serde_json::from_str::<Vec<&'a RawValue>>(raw) {
        Ok(members) => members.into_iter().map(|member| Spanned { raw: member.get(), text }).collect(),
        Err(_) => {
            let span = span_in(text, raw, 0);
            let message = format!("'{name}' should be a list");
            diagnostics.push(
                Diagnostic::error(
                    DiagnosticCode::ParseFail,
                    span.start..span.end.min(span.start + 1),
                    message,
                )
                .hint("put it into square brackets"),
            );
            Vec::new()
        }
    }
}

/// Places what the JSON parser says.
fn broken(text: &str, error: &serde_json::Error) -> Diagnostic {
    let line_start = match error.line() {
        0 | 1 => 0,
        line => memchr::memchr_iter(b'\n', text.as_bytes()).nth(line - 2).map_or(0, |newline| newline + 1),
    };
    let mut start = (line_start + error.column().saturating_sub(1)).min(text.len());
    while !text.is_char_boundary(start) {
        start -= 1;
    }
    let end = text[start..].chars().next().map_or(start, |c| start + c.len_utf8());
    let words = error.to_string();
    let words = words.rsplit_once(" at line ").map_or(words.as_str(), |(words, _)| words);
    Diagnostic::error(DiagnosticCode::ParseFail, start..end, format!("broken JSON: {words}"))
        .hint("mend the JSON; a comma too many or too few is the usual reason")
}

/// An object with its members in the file's order.
struct Object<'a> {
    members: Vec<(Cow<'a, str>, &'a RawValue)>,
}

impl<'a> Object<'a> {
    fn get(&self, name: &str) -> Option<&'a RawValue> {
        self.members.iter().find(|(known, _)| known == name).map(|&(_, raw)| raw)
    }
}

impl<'de: 'a, 'a> Deserialize<'de> for Object<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Members;

        impl<'de> Visitor<'de> for Members {
            type Value = Object<'de>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<M: MapAccess<'de>>(self, mut map: M) -> Result<Object<'de>, M::Error> {
                let mut members = Vec::new();
                while let Some(name) = map.next_key::<String>()? {
                    // Bounds what a hostile object can make us keep; a file has a handful of tags.
                    if members.len() < MEMBERS_MAX {
                        members.push((Cow::Owned(name), map.next_value()?));
                    } else {
                        map.next_value::<IgnoredAny>()?;
                    }
                }
                Ok(Object { members })
            }
        }

        deserializer.deserialize_map(Members)
    }
}

const MEMBERS_MAX: usize = 1_000;
