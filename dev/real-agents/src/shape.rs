//! The shapes of JSON lines: which fields of which type are where, whatever their values.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

/// The fields of each kind of line.
pub(crate) type Shapes = BTreeMap<String, BTreeSet<String>>;

/// Fields whose content has any shape.
const FREE: [&str; 6] = ["input", "rawInput", "rawOutput", "tool_use_result", "tool_input", "_meta"];

/// Returns the shapes of lines, merged by their kind.
pub(crate) fn shapes(lines: &[Value], kind: fn(&Value) -> String) -> Shapes {
    let mut shapes = Shapes::new();
    for line in lines {
        collect_fields(line, String::new(), shapes.entry(kind(line)).or_default());
    }
    shapes
}

/// Returns the kinds and fields of `scripted` that `real` does not have.
pub(crate) fn scripted_only_fields(scripted: &Shapes, real: &Shapes) -> Vec<String> {
    let mut invented = Vec::new();
    for (kind, fields) in scripted {
        let Some(known) = real.get(kind) else {
            invented.push(format!("{kind}: never sent"));
            continue;
        };
        for field in fields.iter().filter(|field| !matches_known_field(field, known)) {
            invented.push(format!("{kind}: {field}"));
        }
    }
    invented
}

/// Tells whether a field is known; a field that can be null matches one with a value, and vice versa.
fn matches_known_field(field: &str, known: &BTreeSet<String>) -> bool {
    let Some((path, kind)) = field.rsplit_once(' ') else { return false };
    known.contains(field)
        || known.contains(&format!("{path} null"))
        || kind == "null" && known.iter().any(|other| other.starts_with(&format!("{path} ")))
}

fn collect_fields(value: &Value, path: String, fields: &mut BTreeSet<String>) {
    let kind = match value {
        Value::Null => "null",
        Value::Bool(_) => "boolean",
        Value::Number(_) => "number",
        Value::String(_) => "text",
        Value::Array(items) => {
            // An empty list has no shape of its items.
            items.iter().for_each(|item| collect_fields(item, format!("{path}/*"), fields));
            "list"
        }
        Value::Object(object) => {
            for (name, value) in object {
                // Its keys are names of models, not of the protocol.
                let name = if path.ends_with("modelUsage") { "*" } else { name.as_str() };
                let path = format!("{path}/{name}");
                if FREE.contains(&name) {
                    fields.insert(format!("{path} any"));
                } else {
                    collect_fields(value, path, fields);
                }
            }
            "object"
        }
    };
    fields.insert(format!("{path} {kind}"));
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn fields_of_only_one_side_are_found() {
        let kind = |value: &Value| value["type"].as_str().unwrap_or_default().to_owned();
        let real =
            shapes(&[json!({ "type": "a", "n": 1, "list": [{ "x": null }], "input": { "z": 1 } })], kind);
        let scripted =
            shapes(&[json!({ "type": "a", "n": "1", "list": [{ "x": true }], "input": {} })], kind);
        assert_eq!(scripted_only_fields(&scripted, &real), ["a: /n text"]);
        assert_eq!(scripted_only_fields(&real, &real), Vec::<String>::new());
        assert_eq!(scripted_only_fields(&shapes(&[json!({ "type": "b" })], kind), &real), ["b: never sent"]);
    }
}
