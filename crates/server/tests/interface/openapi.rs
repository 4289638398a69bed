//! The OpenAPI description has a schema for every object, and only the commands that a person may send.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use crate::fixture::Fixture;

/// Objects without a schema, and the reason.
const UNDESCRIBED: [&str; 1] = [
    // Presets have the keys of `agents.NAME` in jangdan.toml, which are checked when the run starts.
    "/components/schemas/RunEnvironment/properties/presets",
];

#[test]
fn every_object_of_the_description_has_a_schema() {
    let fixture = Fixture::open();
    let description: Value = fixture.client.get("/api/openapi.json").unwrap();
    let mut undescribed = Vec::new();
    find_undescribed(&description, "", &mut undescribed);
    assert_eq!(undescribed, UNDESCRIBED);
}

/// Finds object schemas without properties, and empty schemas.
fn find_undescribed(value: &Value, at: &str, undescribed: &mut Vec<String>) {
    match value {
        Value::Object(fields) => {
            let has_any = |names: &[&str]| names.iter().any(|name| fields.contains_key(*name));
            let is_object = fields.get("type").is_some_and(|kind| {
                kind == "object" || kind.as_array().is_some_and(|kinds| kinds.contains(&json!("object")))
            });
            if is_object && !has_any(&["properties", "additionalProperties", "oneOf", "allOf", "$ref"]) {
                undescribed.push(at.to_owned());
            }
            for (name, inner) in
                fields.iter().filter(|(name, _)| !["example", "examples"].contains(&name.as_str()))
            {
                let at = format!("{at}/{name}");
                if name == "schema" && inner.as_object().is_some_and(serde_json::Map::is_empty) {
                    undescribed.push(at.clone());
                }
                find_undescribed(inner, &at, undescribed);
            }
        }
        Value::Array(items) => {
            items
                .iter()
                .enumerate()
                .for_each(|(index, item)| find_undescribed(item, &format!("{at}/{index}"), undescribed));
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

/// Every command, some with unknown objects; the last one ends the run.
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
    r#"{"landRun":{"into":"release"}}"#,
    r#"{"cleanRun":{}}"#,
    r#"{"stopSession":"s_9"}"#,
    r#""cancelRun""#,
];

#[test]
fn the_description_has_the_commands_that_a_person_may_send() {
    let fixture = Fixture::open();
    let run = fixture.start_run_with_questions(1);
    let description: Value = fixture.client.get("/api/openapi.json").unwrap();
    let schemas = description["components"]["schemas"]["UserCommand"]["oneOf"].as_array().unwrap();
    let described: BTreeSet<String> = schemas.iter().flat_map(command_names).collect();

    // The error for an unknown command lists all commands.
    let error = serde_json::from_str::<domain::UserCommand>("\"tick\"").unwrap_err().to_string();
    let accepted = error.split('`').skip(1).step_by(2).filter(|name| *name != "tick").map(str::to_owned);
    assert_eq!(described, accepted.collect());

    let mut sent = BTreeSet::new();
    for command in COMMANDS {
        let parsed: Value = serde_json::from_str(command).unwrap();
        let name = parsed.as_str().or_else(|| Some(parsed.as_object()?.keys().next()?.as_str()));
        sent.insert(name.unwrap().to_owned());
        let body = format!(r#"{{"person":"ana","command":{command}}}"#);
        let (status, response) = fixture.request("POST", &format!("/api/runs/{run}/commands"), &body);
        assert!(matches!(status, 200 | 404 | 409 | 422), "{command}: {status} {response}");
        assert!(!response.contains("reserved for agents"), "{command}: {response}");
    }
    assert_eq!(described, sent);
}

/// Returns the names of the commands that a schema describes.
fn command_names(schema: &Value) -> Vec<String> {
    match (schema["enum"].as_array(), schema["properties"].as_object()) {
        (Some(names), None) => names.iter().map(|name| name.as_str().unwrap().to_owned()).collect(),
        (None, Some(fields)) => {
            assert_eq!(fields.len(), 1, "{schema}");
            assert_eq!(schema["required"], json!(fields.keys().collect::<Vec<_>>()));
            fields.keys().cloned().collect()
        }
        _ => panic!("{schema} is not a schema of a command"),
    }
}
