//! The description says what everything looks like, and only the commands that a person may send.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use crate::site::Site;

/// Objects of which nothing is said, and why.
const BARE: [&str; 1] = [
    // Presets have the keys of `agents.NAME` in jangdan.toml, which are checked when the run begins.
    "/components/schemas/RunEnvironment/properties/presets",
];

#[test]
fn no_object_of_the_description_is_bare() {
    let site = Site::open();
    let description: Value = site.client.get("/api/openapi.json").unwrap();
    let mut bare = Vec::new();
    find_bare(&description, "", &mut bare);
    assert_eq!(bare, BARE);
}

/// Finds schemas that are said to be objects, and nothing else; and such of which nothing at all is said.
fn find_bare(value: &Value, at: &str, bare: &mut Vec<String>) {
    match value {
        Value::Object(fields) => {
            let says = |words: &[&str]| words.iter().any(|word| fields.contains_key(*word));
            let is_object = fields.get("type").is_some_and(|kind| {
                kind == "object" || kind.as_array().is_some_and(|kinds| kinds.contains(&json!("object")))
            });
            if is_object && !says(&["properties", "additionalProperties", "oneOf", "allOf", "$ref"]) {
                bare.push(at.to_owned());
            }
            for (name, inner) in
                fields.iter().filter(|(name, _)| !["example", "examples"].contains(&name.as_str()))
            {
                let at = format!("{at}/{name}");
                if name == "schema" && inner.as_object().is_some_and(serde_json::Map::is_empty) {
                    bare.push(at.clone());
                }
                find_bare(inner, &at, bare);
            }
        }
        Value::Array(items) => {
            items
                .iter()
                .enumerate()
                .for_each(|(index, item)| find_bare(item, &format!("{at}/{index}"), bare));
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

/// Each command, with things that may not be there; the last one ends the run.
const COMMANDS: &[&str] = &[
    r#""pauseRun""#,
    r#""continueRun""#,
    r#"{"pausePhase":1}"#,
    r#"{"continuePhase":1}"#,
    r#"{"cancelPhase":9}"#,
    r#"{"pauseTask":"T1.1"}"#,
    r#"{"continueTask":"T1.1"}"#,
    r#"{"cancelTask":"T9"}"#,
    r#"{"retryTask":{"task":"T9"}}"#,
    r#"{"skipTask":"T9"}"#,
    r#"{"prioritizeTask":{"task":"T1.1","priority":"high"}}"#,
    r#"{"reassignTask":{"task":"T9","agent":"dev"}}"#,
    r#"{"sendMessage":{"task":"T9","text":"use tabs"}}"#,
    r#"{"rewindTask":{"task":"T9","checkpoint":"k_3"}}"#,
    r#"{"createCheckpoint":"T9"}"#,
    r#"{"addTask":{"id":"T1.9","phase":1,"title":"One more"}}"#,
    r#"{"addDependency":{"earlier":"T1.1","later":"T1.9"}}"#,
    r#"{"removeDependency":{"earlier":"T1.1","later":"T1.9"}}"#,
    r#"{"markExternalMet":{"name":"the certificate"}}"#,
    r#"{"applyPlanChange":{"offer":"p_1"}}"#,
    r#"{"ignorePlanChange":{"offer":"p_1"}}"#,
    r#"{"answer":{"question":"q_9","answer":"yes"}}"#,
    r#"{"requestClarification":{"question":"q_9","text":"Which of the two?"}}"#,
    r#"{"chat":{"text":"How far are you?","talkOnly":true}}"#,
    r#"{"provide":{"request":"d_2","provided":{"type":"environment","names":["API_KEY"]}}}"#,
    r#"{"refuse":{"request":"d_2","reason":"there is none"}}"#,
    r#"{"skipRequest":"d_2"}"#,
    r#"{"approveGate":{"phase":1}}"#,
    r#"{"rejectGate":{"phase":1,"reason":"no tests"}}"#,
    r#"{"resolve":{"escalation":"e_4","action":{"type":"retry"}}}"#,
    r#""cancelRun""#,
];

#[test]
fn the_description_has_the_commands_that_a_person_may_send() {
    let site = Site::open();
    let run = site.start_asking(1);
    let description: Value = site.client.get("/api/openapi.json").unwrap();
    let shapes = description["components"]["schemas"]["Command"]["oneOf"].as_array().unwrap();
    let described: BTreeSet<String> = shapes.iter().flat_map(names_of).collect();

    // What is not among them is answered with all that are.
    let refusal = serde_json::from_str::<domain::Command>("\"tick\"").unwrap_err().to_string();
    let accepted = refusal.split('`').skip(1).step_by(2).filter(|name| *name != "tick").map(str::to_owned);
    assert_eq!(described, accepted.collect());

    let mut tried = BTreeSet::new();
    for command in COMMANDS {
        let read: Value = serde_json::from_str(command).unwrap();
        let name = read.as_str().or_else(|| Some(read.as_object()?.keys().next()?.as_str()));
        tried.insert(name.unwrap().to_owned());
        let body = format!(r#"{{"person":"ana","command":{command}}}"#);
        let (status, answer) = site.ask("POST", &format!("/api/runs/{run}/commands"), &body);
        assert!(status == 200 || status == 409, "{command}: {status} {answer}");
        assert!(!answer.contains("people can't wish this"), "{command}: {answer}");
    }
    assert_eq!(described, tried);
}

/// Returns the names of the commands that a schema describes.
fn names_of(shape: &Value) -> Vec<String> {
    match (shape["enum"].as_array(), shape["properties"].as_object()) {
        (Some(words), None) => words.iter().map(|word| word.as_str().unwrap().to_owned()).collect(),
        (None, Some(fields)) => {
            assert_eq!(fields.len(), 1, "{shape}");
            assert_eq!(shape["required"], json!(fields.keys().collect::<Vec<_>>()));
            fields.keys().cloned().collect()
        }
        _ => panic!("{shape} is not a schema of a command"),
    }
}
