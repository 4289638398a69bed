//! JSON values with their position in the file.

use std::{borrow::Cow, fmt, ops::Range};

use serde::{
    Deserialize, Deserializer,
    de::{IgnoredAny, MapAccess, Visitor},
};
use serde_json::value::RawValue;

use crate::{
    diagnostic::{Diagnostic, DiagnosticCode, DiagnosticSink},
    text::{join_lines, span_of_slice, truncate_for_message},
};

/// A JSON value as written.
#[derive(Debug, Clone, Copy)]
pub(super) struct SpannedJson<'a> {
    pub(super) raw: &'a str,
    text: &'a str,
}

impl<'a> SpannedJson<'a> {
    pub(super) fn span(&self, text: &str) -> Range<usize> {
        span_of_slice(text, self.raw, 0)
    }

    /// Returns the text of an id. A number keeps its spelling, so that `1.10` is not `1.1`.
    pub(super) fn id_text(&self) -> Cow<'a, str> {
        match serde_json::from_str::<String>(self.raw) {
            Ok(string) => Cow::Owned(string.trim().to_owned()),
            Err(_) => Cow::Borrowed(self.raw),
        }
    }
}

/// The outermost object of a file.
#[derive(Debug)]
pub(super) struct TasksDocument<'a> {
    pub(super) title: String,
    pub(super) tasks: Vec<SpannedJson<'a>>,
}

impl<'a> TasksDocument<'a> {
    /// Parses an object with `tasks`, or with tags that contain `tasks`; of several tags, `master` or the first is
    /// read.
    pub(super) fn parse(text: &'a str, diagnostics: &mut DiagnosticSink) -> Option<Self> {
        let object: JsonObject<'a> = match serde_json::from_str(text) {
            Ok(object) => object,
            Err(error) => {
                diagnostics.push(invalid_json_error(text, &error));
                return None;
            }
        };
        if let Some(tasks) = object.get("tasks") {
            let meta = object.get("metadata").or_else(|| object.get("meta"));
            return Some(Self {
                title: project_name(meta),
                tasks: parse_task_list(tasks, text, "tasks", diagnostics),
            });
        }
        let tags: Vec<_> = object
            .members
            .iter()
            .filter_map(|(name, raw)| {
                let tag: JsonObject<'a> = serde_json::from_str(raw.get()).ok()?;
                let tasks = tag.get("tasks")?;
                Some((name, tasks, tag.get("metadata")))
            })
            .collect();
        let (name, tasks, metadata) =
            tags.iter().find(|(name, ..)| name.as_ref() == "master").or(tags.first())?;
        if tags.len() > 1 {
            let others: Vec<_> =
                tags.iter().filter(|(other, ..)| other != name).map(|(other, ..)| other.as_ref()).collect();
            let message = format!(
                "only the tag '{name}' is read; ignored: {}",
                truncate_for_message(&others.join(", "))
            );
            let start = span_of_slice(text, tasks.get(), 0).start;
            diagnostics.push(
                Diagnostic::warning(start..start + 1, message)
                    .with_hint("move the tasks you need into a separate file"),
            );
        }
        Some(Self {
            title: project_name(*metadata),
            tasks: parse_task_list(tasks, text, "tasks", diagnostics),
        })
    }
}

/// Returns the project's name from the metadata, or an empty string.
fn project_name(metadata: Option<&RawValue>) -> String {
    #[derive(Deserialize)]
    struct Metadata {
        #[serde(rename = "projectName")]
        project_name: Option<String>,
    }
    let metadata = metadata.and_then(|raw| serde_json::from_str::<Metadata>(raw.get()).ok());
    metadata.and_then(|metadata| metadata.project_name).map_or_else(String::new, |name| join_lines(&name))
}

/// The fields of a task that a plan uses.
#[derive(Debug, Deserialize)]
struct RawTaskFields<'a> {
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

/// The fields of a task with their positions.
#[derive(Debug)]
pub(super) struct TaskFields<'a> {
    text: &'a str,
    pub(super) id: Option<SpannedJson<'a>>,
    pub(super) title: Option<SpannedJson<'a>>,
    pub(super) description: Option<SpannedJson<'a>>,
    pub(super) details: Option<SpannedJson<'a>>,
    pub(super) test_strategy: Option<SpannedJson<'a>>,
    pub(super) status: Option<SpannedJson<'a>>,
    pub(super) dependencies: Option<SpannedJson<'a>>,
    pub(super) priority: Option<SpannedJson<'a>>,
    pub(super) subtasks: Option<SpannedJson<'a>>,
}

impl<'a> TaskFields<'a> {
    pub(super) fn parse(value: SpannedJson<'a>, diagnostics: &mut DiagnosticSink) -> Option<Self> {
        let text = value.text;
        match serde_json::from_str::<RawTaskFields<'a>>(value.raw) {
            Ok(raw) => {
                let spanned = |raw: Option<&'a RawValue>| raw.map(|raw| SpannedJson { raw: raw.get(), text });
                Some(Self {
                    text,
                    id: spanned(raw.id),
                    title: spanned(raw.title),
                    description: spanned(raw.description),
                    details: spanned(raw.details),
                    test_strategy: spanned(raw.test_strategy),
                    status: spanned(raw.status),
                    dependencies: spanned(raw.dependencies),
                    priority: spanned(raw.priority),
                    subtasks: spanned(raw.subtasks),
                })
            }
            Err(_) => {
                let span = value.span(text);
                let span = span.start..span.end.min(span.start + 1);
                diagnostics.push(
                    Diagnostic::error(
                        DiagnosticCode::ParseFail,
                        span,
                        "not a valid task: expected an object without duplicate fields",
                    )
                    .with_hint("write {\"id\": 1, \"title\": \"…\"}"),
                );
                None
            }
        }
    }

    /// Returns the content of a string, or an empty one if it is missing or has another type.
    pub(super) fn string_or_empty(
        &self,
        value: Option<SpannedJson<'a>>,
        name: &str,
        diagnostics: &mut DiagnosticSink,
    ) -> String {
        let Some(value) = value else { return String::new() };
        serde_json::from_str(value.raw).unwrap_or_else(|_| {
            let message = format!("'{name}' must be a string");
            diagnostics.push(
                Diagnostic::error(DiagnosticCode::ParseFail, value.span(self.text), message)
                    .with_hint("put the value in double quotes"),
            );
            String::new()
        })
    }

    /// Returns the elements of a list; empty if it is missing or has another type.
    pub(super) fn list_or_empty(
        &self,
        value: Option<SpannedJson<'a>>,
        name: &str,
        diagnostics: &mut DiagnosticSink,
    ) -> Vec<SpannedJson<'a>> {
        match value {
            None => Vec::new(),
            Some(value) => array_members(value.raw, self.text, name, diagnostics),
        }
    }
}

fn parse_task_list<'a>(
    raw: &'a RawValue,
    text: &'a str,
    name: &str,
    diagnostics: &mut DiagnosticSink,
) -> Vec<SpannedJson<'a>> {
    array_members(raw.get(), text, name, diagnostics)
}

fn array_members<'a>(
    raw: &'a str,
    text: &'a str,
    name: &str,
    diagnostics: &mut DiagnosticSink,
) -> Vec<SpannedJson<'a>> {
    match serde_json::from_str::<Vec<&'a RawValue>>(raw) {
        Ok(members) => members.into_iter().map(|member| SpannedJson { raw: member.get(), text }).collect(),
        Err(_) => {
            let span = span_of_slice(text, raw, 0);
            let message = format!("'{name}' must be a list");
            diagnostics.push(
                Diagnostic::error(
                    DiagnosticCode::ParseFail,
                    span.start..span.end.min(span.start + 1),
                    message,
                )
                .with_hint("put the value in square brackets"),
            );
            Vec::new()
        }
    }
}

/// Converts a parser error to a diagnostic at its position.
fn invalid_json_error(text: &str, error: &serde_json::Error) -> Diagnostic {
    let line_start = match error.line() {
        0 | 1 => 0,
        line => memchr::memchr_iter(b'\n', text.as_bytes()).nth(line - 2).map_or(0, |newline| newline + 1),
    };
    let mut start = (line_start + error.column().saturating_sub(1)).min(text.len());
    while !text.is_char_boundary(start) {
        start -= 1;
    }
    let end = text[start..].chars().next().map_or(start, |c| start + c.len_utf8());
    let text = error.to_string();
    let text = text.rsplit_once(" at line ").map_or(text.as_str(), |(text, _)| text);
    Diagnostic::error(DiagnosticCode::ParseFail, start..end, format!("invalid JSON: {text}"))
        .with_hint("check for a missing or extra comma here")
}

/// A JSON object with its members in file order.
struct JsonObject<'a> {
    members: Vec<(Cow<'a, str>, &'a RawValue)>,
}

impl<'a> JsonObject<'a> {
    fn get(&self, name: &str) -> Option<&'a RawValue> {
        self.members.iter().find(|(known, _)| known == name).map(|&(_, raw)| raw)
    }
}

impl<'de: 'a, 'a> Deserialize<'de> for JsonObject<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct JsonObjectVisitor;

        impl<'de> Visitor<'de> for JsonObjectVisitor {
            type Value = JsonObject<'de>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<M: MapAccess<'de>>(self, mut map: M) -> Result<JsonObject<'de>, M::Error> {
                let mut members = Vec::new();
                while let Some(name) = map.next_key::<String>()? {
                    // Bounds the memory that a malicious object can use; real files have a handful of tags.
                    if members.len() < MEMBERS_MAX {
                        members.push((Cow::Owned(name), map.next_value()?));
                    } else {
                        map.next_value::<IgnoredAny>()?;
                    }
                }
                Ok(JsonObject { members })
            }
        }

        deserializer.deserialize_map(JsonObjectVisitor)
    }
}

const MEMBERS_MAX: usize = 1_000;
