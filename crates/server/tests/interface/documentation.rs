//! The OpenAPI description, docs/api.md and its examples match the server.

use std::{
    collections::BTreeSet,
    fs,
    io::{Read, Write},
    net::TcpStream,
    path::Path,
    process::Command,
};

use serde_json::Value;

use crate::fixture::Fixture;

const METHODS: [&str; 4] = ["GET", "POST", "PUT", "DELETE"];

fn api_document() -> String {
    fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/api.md")).unwrap()
}

/// Returns each method and path of the description.
fn described_requests(description: &Value) -> BTreeSet<(String, String)> {
    let mut requests = BTreeSet::new();
    for (path, operations) in description["paths"].as_object().unwrap() {
        let methods = operations.as_object().unwrap().keys().map(|method| method.to_uppercase());
        requests.extend(
            methods.filter(|method| METHODS.contains(&method.as_str())).map(|method| (method, path.clone())),
        );
    }
    requests
}

#[test]
fn description_and_document_list_every_route_of_the_server() {
    let fixture = Fixture::open();
    let description: Value = fixture.client.get("/api/openapi.json").unwrap();
    let described = described_requests(&description);
    assert!(described.len() > 20, "{described:?}");

    let paths: BTreeSet<_> = described.iter().map(|(_, path)| path).collect();
    for path in paths {
        for method in METHODS {
            let (status, body) = match (method, path.as_str()) {
                // The response would not end.
                ("GET", "/api/live") => fixture.request(method, "/api/live?run=unknown", ""),
                _ => fixture.request(
                    method,
                    &path
                        .replace("{run}", "unknown")
                        .replace("{task}", "T1")
                        .replace("{phase}", "1")
                        .replace("{session}", "s_1"),
                    "",
                ),
            };
            let is_described = described.contains(&(method.to_owned(), path.clone()));
            assert_eq!(status != 405, is_described, "{method} {path}: {status} {body}");
            assert!(!body.contains("lists all paths"), "{method} {path}: {body}");
        }
    }

    let rows = api_document();
    let rows =
        rows.lines().filter_map(|line| line.strip_prefix("| `")?.split_once('`')).map(|(name, _)| name);
    let in_document: BTreeSet<_> = rows
        .filter_map(|request| request.split_once(" /"))
        .map(|(method, path)| {
            (
                method.to_owned(),
                format!("/{path}")
                    .replace("RUN", "{run}")
                    .replace("TASK", "{task}")
                    .replace("PHASE", "{phase}")
                    .replace("SESSION", "{session}"),
            )
        })
        .filter(|(_, path)| path != "/api/openapi.json")
        .collect();
    assert_eq!(in_document, described);
}

#[test]
fn every_documented_message_maps_to_a_request() {
    let fixture = Fixture::open();
    let run = fixture.start_run_with_questions(1);
    let document = api_document();
    let rows = document.lines().filter_map(|line| {
        let cells: Vec<_> =
            line.strip_prefix('|')?.split('|').map(|cell| cell.trim().trim_matches('`')).collect();
        let [message, request, body, ..] = cells[..] else { return None };
        let is_message =
            message.contains('_') && message.bytes().all(|byte| byte.is_ascii_uppercase() || byte == b'_');
        Some((message, request.split_once(' ')?, body)).filter(|_| is_message)
    });
    let mut rows: Vec<_> = rows.collect();
    let messages: Vec<_> = rows.iter().map(|(message, ..)| *message).collect();
    assert_eq!(
        messages,
        ["HUMAN_QUERY_RESPONSE", "CHAT_SEND", "GET_TASK_CONVERSATION", "GET_PENDING_HUMAN_QUERIES"]
    );
    // Pending questions are requested before they are answered.
    rows.sort_by_key(|(_, (method, _), _)| *method == "POST");
    for (message, (method, path), body) in rows {
        let path = path.replace("RUN", run.as_str()).replace("TASK", "T1.1");
        let (status, response) = fixture.request(method, &path, body);
        assert_eq!(status, 200, "{message}: {response}");
        let expected = match message {
            "GET_PENDING_HUMAN_QUERIES" | "GET_TASK_CONVERSATION" => "Which colour?",
            _ => "sequence",
        };
        assert!(response.contains(expected), "{message}: {response}");
    }
}

#[test]
fn responses_match_the_schemas_of_the_description() {
    let fixture = Fixture::open();
    let run = fixture.start_run_with_questions(1);
    let description: Value = fixture.client.get("/api/openapi.json").unwrap();
    let check_value = |name: &str, response: &Value| {
        let schema = &description["components"]["schemas"][name];
        let properties: BTreeSet<_> = schema["properties"].as_object().unwrap().keys().collect();
        for required in schema["required"].as_array().unwrap() {
            assert!(
                response.get(required.as_str().unwrap()).is_some(),
                "{name} without {required}: {response}"
            );
        }
        let fields: BTreeSet<_> = response.as_object().unwrap().keys().collect();
        assert!(fields.is_subset(&properties), "{name}: {response}");
    };
    let check = |name: &str, response: &str| check_value(name, &serde_json::from_str(response).unwrap());
    let commands = format!("/api/runs/{run}/commands");
    check("ServerStatus", &fixture.request("GET", "/api/status", "").1);
    check("Layout", &fixture.request("GET", &format!("/api/runs/{run}/layout"), "").1);
    let rows = fixture.request("GET", &format!("/api/runs/{run}/rows"), "").1;
    check("RunRows", &rows);
    let rows: Value = serde_json::from_str(&rows).unwrap();
    let kinds = &description["components"]["schemas"]["RowsByKind"]["properties"];
    assert_eq!(kinds.as_object().unwrap().len(), views::RowKind::ALL.len());
    for (kind, rows) in rows["rows"].as_object().unwrap() {
        let name = kinds[kind]["items"]["$ref"].as_str().unwrap().rsplit('/').next().unwrap();
        rows.as_array().unwrap().iter().for_each(|row| check_value(name, row));
    }
    check("TaskOverview", &fixture.request("GET", &format!("/api/runs/{run}/tasks/T1.1"), "").1);
    check("RunReport", &fixture.request("GET", &format!("/api/runs/{run}/report"), "").1);
    check("Schedule", &fixture.request("GET", &format!("/api/runs/{run}/schedule"), "").1);
    check(
        "CommandAccepted",
        &fixture.request("POST", &commands, r#"{"person":"ana","command":"pauseRun"}"#).1,
    );
    check("Problem", &fixture.request("POST", &commands, r#"{"person":"ana","command":"tick"}"#).1);
    let new = serde_json::to_string(&fixture.new_run(1)).unwrap();
    check("RunCreated", &fixture.request("POST", "/api/runs", &new).1);
}

#[test]
fn every_documented_example_returns_its_status() {
    let fixture = Fixture::open();
    let run = fixture.start_run_with_questions(1);
    fs::write(fixture.project().join("TASKS.md"), "- [ ] T1.1 Build the cart\n").unwrap();
    fs::write(
        fixture.project().join("jangdan.toml"),
        "agents.build = { extends = \"shell\", arguments = [\"asks.sh\"] }\n",
    )
    .unwrap();
    let document = api_document();
    let mut n_examples = 0;
    for example in document.split("```sh answers=").skip(1) {
        let (status, rest) = example.split_once('\n').unwrap();
        let (script, _) = rest.split_once("```").unwrap();
        // The shell expands the command line; a stand-in for curl prints its arguments, separated by zeros.
        let script = script
            .lines()
            .filter(|line| !line.starts_with("SOCKET=") && !line.starts_with("AUTH="))
            .collect::<Vec<_>>()
            .join("\n");
        let output = Command::new("sh")
            .arg("-c")
            .arg(format!("curl() {{ printf '%s\\0' \"$@\"; }}\n{script}"))
            .env("SOCKET", fixture.data_directory().join("server.sock"))
            .env("RUN", run.as_str())
            .env("PROJECT", fixture.project())
            .env("ADDRESS", fixture.client.status().unwrap().address.unwrap())
            .env("TOKEN", fixture.token())
            .env("AUTH", format!("authorization: Bearer {}", fixture.token()))
            .output()
            .unwrap();
        let arguments = String::from_utf8(output.stdout).unwrap();
        assert_eq!(
            status_of_curl_request(&fixture, &arguments.split_terminator('\0').collect::<Vec<_>>()),
            status,
            "{script}"
        );
        n_examples += 1;
    }
    assert_eq!(n_examples, 12);
}

/// Sends the request of a curl command line; returns the status.
fn status_of_curl_request(fixture: &Fixture, arguments: &[&str]) -> String {
    let after = |option: &str| {
        arguments.iter().position(|argument| *argument == option).map(|index| arguments[index + 1])
    };
    if let Some(header) = after("--header") {
        let url = arguments.iter().find_map(|argument| argument.strip_prefix("http://")).unwrap();
        let (host, path) = url.split_once('/').unwrap();
        let mut stream = TcpStream::connect(host).unwrap();
        write!(stream, "GET /{path} HTTP/1.0\r\nhost: {host}\r\n{header}\r\n\r\n").unwrap();
        let mut response = String::new();
        stream.read_to_string(&mut response).unwrap();
        return response.split(' ').nth(1).unwrap().to_owned();
    }
    assert_eq!(after("--unix-socket"), fixture.data_directory().join("server.sock").to_str());
    let path = arguments.iter().find_map(|argument| argument.strip_prefix("http://jangdan")).unwrap();
    if path.starts_with("/api/live") {
        let events = fixture.read_live_events(path, "0", usize::MAX, "1");
        assert!(events.iter().any(|event| event.id.as_deref() == Some("1")));
        return "200".to_owned();
    }
    let (status, body) = match after("--json") {
        Some(body) => fixture.request("POST", path, body),
        None => fixture.request("GET", path, ""),
    };
    serde_json::from_str::<Value>(&body).unwrap_or_else(|error| panic!("{body}: {error}"));
    status.to_string()
}
