//! JSON values with their position in the file.

use std::{borrow::Cow, fmt, ops::Range};

use serde::{
    Deserialize, Deserializer,
    de::{IgnoredAny, MapAccess, Visitor},
};
use serde_json::value::RawValue;

use crate::{
    diagnostic::DiagnosticSink,
    problem::Problem,
    text::{join_lines, span_of_slice},
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
    /// The tags that are not read.
    pub(super) other_tags: Vec<Range<usize>>,
}

impl<'a> TasksDocument<'a> {
    /// Parses a list of tasks, an object with `tasks`, or one with tags that contain `tasks`; of several tags, the named
    /// one, `master` or the first is read.
    pub(super) fn parse(text: &'a str, tag: Option<&str>, diagnostics: &mut DiagnosticSink) -> Option<Self> {
        if text.trim_start().starts_with('[') {
            let list = serde_json::from_str::<&'a RawValue>(text);
            let list = list.map_err(|error| push_invalid_json(text, &error, diagnostics)).ok()?;
            let tasks = parse_task_list(list, text, "tasks", diagnostics);
            return Some(Self { title: String::new(), tasks, other_tags: Vec::new() });
        }
        let object: JsonObject<'a> = match serde_json::from_str(text) {
            Ok(object) => object,
            Err(error) => {
                push_invalid_json(text, &error, diagnostics);
                return None;
            }
        };
        if let Some(tasks) = object.get("tasks") {
            let meta = object.get("metadata").or_else(|| object.get("meta"));
            return Some(Self {
                title: project_name(meta),
                tasks: parse_task_list(tasks, text, "tasks", diagnostics),
                other_tags: Vec::new(),
            });
        }
        // Some files have all tags below one member.
        let below: Option<JsonObject<'a>> =
            object.get("tags").and_then(|tags| serde_json::from_str(tags.get()).ok());
        let members = below.iter().chain([&object]).flat_map(|object| &object.members);
        let tags: Vec<TagContent<'_, 'a>> = members
            .filter_map(|(name, raw)| {
                let tag: JsonObject<'a> = serde_json::from_str(raw.get()).ok()?;
                let tasks = tag.get("tasks")?;
                Some(TagContent { name: name.as_ref(), tasks, metadata: tag.get("metadata") })
            })
            .collect();
        let chosen = choose_tag(&tags, tag, text, diagnostics)?;
        let others = tags.iter().filter(|tag| tag.name != chosen.name);
        let other_tags = others.map(|tag| span_of_slice(text, tag.tasks.get(), 0)).collect();
        Some(Self {
            title: project_name(chosen.metadata),
            tasks: parse_task_list(chosen.tasks, text, "tasks", diagnostics),
            other_tags,
        })
    }
}

/// The content of a tag.
struct TagContent<'o, 'a> {
    name: &'o str,
    tasks: &'a RawValue,
    metadata: Option<&'a RawValue>,
}

impl TagContent<'_, '_> {
    fn has_tasks(&self) -> bool {
        self.tasks.get().trim_start_matches(['[', ' ', '\n', '\r', '\t']) != "]"
    }
}

/// Returns the tag to read, and reports those that are not read.
fn choose_tag<'t, 'o, 'a>(
    tags: &'t [TagContent<'o, 'a>],
    wanted: Option<&str>,
    text: &str,
    diagnostics: &mut DiagnosticSink,
) -> Option<&'t TagContent<'o, 'a>> {
    let named = |name: &str| tags.iter().find(|tag| tag.name == name);
    let names =
        |tags: &mut dyn Iterator<Item = &TagContent<'o, 'a>>| tags.map(|tag| tag.name.to_owned()).collect();
    let Some(chosen) = wanted.map_or_else(|| named("master").or(tags.first()), named) else {
        if let Some(tag) = wanted {
            let problem = Problem::UnknownTag { tag: tag.to_owned(), others: names(&mut tags.iter()) };
            diagnostics.push(0..0, problem);
        }
        return None;
    };
    let mut others = tags.iter().filter(|tag| tag.name != chosen.name && tag.has_tasks()).peekable();
    if wanted.is_none() && others.peek().is_some() {
        let tag = chosen.name.to_owned();
        let others = names(&mut others);
        let start = span_of_slice(text, chosen.tasks.get(), 0).start;
        let problem = match chosen.has_tasks() {
            true => Problem::OtherTags { tag, others },
            false => Problem::EmptyTag { tag, others },
        };
        diagnostics.push(start..start + 1, problem);
    }
    Some(chosen)
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
                diagnostics.push(span, Problem::NotATask);
                None
            }
        }
    }

    /// Returns the content of a string or of a list of strings, or an empty one if it is missing or has another type.
    pub(super) fn string_or_empty(
        &self,
        value: Option<SpannedJson<'a>>,
        name: &str,
        diagnostics: &mut DiagnosticSink,
    ) -> String {
        let Some(value) = value.filter(|value| value.raw != "null") else { return String::new() };
        if let Ok(text) = serde_json::from_str(value.raw) {
            return text;
        }
        if let Ok(lines) = serde_json::from_str::<Vec<String>>(value.raw) {
            return lines.iter().map(|line| format!("- {line}")).collect::<Vec<_>>().join("\n");
        }
        diagnostics.push(value.span(self.text), Problem::NotAString { field: name.to_owned() });
        String::new()
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
            let span = span.start..span.end.min(span.start + 1);
            diagnostics.push(span, Problem::NotAList { field: name.to_owned() });
            Vec::new()
        }
    }
}

/// Reports a parser error at its position.
fn push_invalid_json(text: &str, error: &serde_json::Error, diagnostics: &mut DiagnosticSink) {
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
    diagnostics.push(start..end, Problem::InvalidJson { reason: text.to_owned() });
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
