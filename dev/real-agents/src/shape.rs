//! The shape of what a program says in JSON: which fields of which kind stand where, whatever is in them.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

/// The fields of each kind of line.
pub type Shapes = BTreeMap<String, BTreeSet<String>>;

/// What is below these is the caller's, and of any shape.
const FREE: [&str; 6] = ["input", "rawInput", "rawOutput", "tool_use_result", "tool_input", "_meta"];

/// Returns the shapes of many lines. The kind says what of a line tells it apart from others.
pub fn shapes(lines: &[Value], kind: fn(&Value) -> String) -> Shapes {
    let mut shapes = Shapes::new();
    for line in lines {
        walk(line, String::new(), shapes.entry(kind(line)).or_default());
    }
    shapes
}

/// Returns what one has and the other has not.
pub fn made_up(ours: &Shapes, theirs: &Shapes) -> Vec<String> {
    let mut made_up = Vec::new();
    for (kind, fields) in ours {
        let Some(known) = theirs.get(kind) else {
            made_up.push(format!("{kind}: they never say this"));
            continue;
        };
        for field in fields.iter().filter(|field| !is_known(field, known)) {
            made_up.push(format!("{kind}: {field}"));
        }
    }
    made_up
}

/// A field may be null where it is something elsewhere, and the other way round.
fn is_known(field: &str, known: &BTreeSet<String>) -> bool {
    let Some((place, kind)) = field.rsplit_once(' ') else { return false };
    known.contains(field)
        || known.contains(&format!("{place} null"))
        || kind == "null" && known.iter().any(|other| other.starts_with(&format!("{place} ")))
}

fn walk(value: &Value, place: String, fields: &mut BTreeSet<String>) {
    let kind = match value {
        Value::Null => "null",
        Value::Bool(_) => "boolean",
        Value::Number(_) => "number",
        Value::String(_) => "text",
        Value::Array(items) => {
            // An empty list says nothing about what is in it.
            items.iter().for_each(|item| walk(item, format!("{place}/*"), fields));
            "list"
        }
        Value::Object(object) => {
            for (name, value) in object {
                // Below this stands a name that is not the protocol's.
                let name = if place.ends_with("modelUsage") { "*" } else { name.as_str() };
                let place = format!("{place}/{name}");
                if FREE.contains(&name) {
                    fields.insert(format!("{place} any"));
                } else {
                    walk(value, place, fields);
                }
            }
            "object"
        }
    };
    fields.insert(format!("{place} {kind}"));
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn what_only_one_of_them_has_is_found() {
        let kind = |value: &Value| value["type"].as_str().unwrap_or_default().to_owned();
        let theirs =
            shapes(&[json!({ "type": "a", "n": 1, "list": [{ "x": null }], "input": { "z": 1 } })], kind);
        let ours = shapes(&[json!({ "type": "a", "n": "1", "list": [{ "x": true }], "input": {} })], kind);
        assert_eq!(made_up(&ours, &theirs), ["a: /n text"]);
        assert_eq!(made_up(&theirs, &theirs), Vec::<String>::new());
        assert_eq!(made_up(&shapes(&[json!({ "type": "b" })], kind), &theirs), ["b: they never say this"]);
    }
}
