//! What is said about the interface is so: the description, the page for people, and its examples.

use std::{
    collections::BTreeSet,
    fs,
    io::{Read, Write},
    net::TcpStream,
    path::Path,
    process::Command,
};

use serde_json::Value;

use crate::site::Site;

const METHODS: [&str; 4] = ["GET", "POST", "PUT", "DELETE"];

fn page() -> String {
    fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/api.md")).unwrap()
}

/// Returns each method and path of the description.
fn described(description: &Value) -> BTreeSet<(String, String)> {
    let mut found = BTreeSet::new();
    for (path, operations) in description["paths"].as_object().unwrap() {
        let methods = operations.as_object().unwrap().keys().map(|method| method.to_uppercase());
        found.extend(
            methods.filter(|method| METHODS.contains(&method.as_str())).map(|method| (method, path.clone())),
        );
    }
    found
}

#[test]
fn the_description_names_what_the_server_answers_and_the_page_names_the_same() {
    let site = Site::open();
    let description: Value = site.client.get("/api/openapi.json").unwrap();
    let described = described(&description);
    assert!(described.len() > 20, "{described:?}");

    let paths: BTreeSet<_> = described.iter().map(|(_, path)| path).collect();
    for path in paths {
        for method in METHODS {
            let (status, body) = match (method, path.as_str()) {
                // These answer without an end, or end the server.
                ("GET", "/api/live") => site.ask(method, "/api/live?run=nobody", ""),
                _ => site.ask(
                    method,
                    &path.replace("{run}", "nobody").replace("{task}", "T1").replace("{session}", "s_1"),
                    "",
                ),
            };
            let is_there = described.contains(&(method.to_owned(), path.clone()));
            assert_eq!(status != 405, is_there, "{method} {path}: {status} {body}");
            assert!(!body.contains("lists all paths"), "{method} {path}: {body}");
        }
    }

    let rows = page();
    let rows =
        rows.lines().filter_map(|line| line.strip_prefix("| `")?.split_once('`')).map(|(name, _)| name);
    let on_page: BTreeSet<_> = rows
        .filter_map(|request| request.split_once(" /"))
        .map(|(method, path)| {
            (
                method.to_owned(),
                format!("/{path}")
                    .replace("RUN", "{run}")
                    .replace("TASK", "{task}")
                    .replace("SESSION", "{session}"),
            )
        })
        .filter(|(_, path)| path != "/api/openapi.json")
        .collect();
    assert_eq!(on_page, described);
}

#[test]
fn every_message_of_the_page_has_its_request() {
    let site = Site::open();
    let run = site.start_asking(1);
    let page = page();
    let rows = page.lines().filter_map(|line| {
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
    // What waits is asked for before it is answered.
    rows.sort_by_key(|(_, (method, _), _)| *method == "POST");
    for (message, (method, path), body) in rows {
        let path = path.replace("RUN", run.as_str()).replace("TASK", "T1.1");
        let (status, answer) = site.ask(method, &path, body);
        assert_eq!(status, 200, "{message}: {answer}");
        let expected = match message {
            "GET_PENDING_HUMAN_QUERIES" | "GET_TASK_CONVERSATION" => "Which colour?",
            _ => "sequence",
        };
        assert!(answer.contains(expected), "{message}: {answer}");
    }
}

#[test]
fn answers_have_what_the_description_promises() {
    let site = Site::open();
    let run = site.start_asking(1);
    let description: Value = site.client.get("/api/openapi.json").unwrap();
    let check_value = |name: &str, answer: &Value| {
        let schema = &description["components"]["schemas"][name];
        let promised: BTreeSet<_> = schema["properties"].as_object().unwrap().keys().collect();
        for required in schema["required"].as_array().unwrap() {
            assert!(answer.get(required.as_str().unwrap()).is_some(), "{name} without {required}: {answer}");
        }
        let found: BTreeSet<_> = answer.as_object().unwrap().keys().collect();
        assert!(found.is_subset(&promised), "{name}: {answer}");
    };
    let check = |name: &str, answer: &str| check_value(name, &serde_json::from_str(answer).unwrap());
    let commands = format!("/api/runs/{run}/commands");
    check("Status", &site.ask("GET", "/api/status", "").1);
    check("Layout", &site.ask("GET", &format!("/api/runs/{run}/layout"), "").1);
    let rows = site.ask("GET", &format!("/api/runs/{run}/rows"), "").1;
    check("RunRows", &rows);
    let rows: Value = serde_json::from_str(&rows).unwrap();
    let kinds = &description["components"]["schemas"]["RowsByKind"]["properties"];
    assert_eq!(kinds.as_object().unwrap().len(), views::RowKind::ALL.len());
    for (kind, rows) in rows["rows"].as_object().unwrap() {
        let name = kinds[kind]["items"]["$ref"].as_str().unwrap().rsplit('/').next().unwrap();
        rows.as_array().unwrap().iter().for_each(|row| check_value(name, row));
    }
    check("TaskWhole", &site.ask("GET", &format!("/api/runs/{run}/tasks/T1.1"), "").1);
    check("Schedule", &site.ask("GET", &format!("/api/runs/{run}/schedule"), "").1);
    check("Accepted", &site.ask("POST", &commands, r#"{"person":"ana","command":"pauseRun"}"#).1);
    check("Problem", &site.ask("POST", &commands, r#"{"person":"ana","command":"tick"}"#).1);
    let new = serde_json::to_string(&site.new_run(1)).unwrap();
    check("Started", &site.ask("POST", "/api/runs", &new).1);
}

#[test]
fn every_example_of_the_page_is_answered_as_it_says() {
    let site = Site::open();
    let run = site.start_asking(1);
    fs::write(site.project().join("TASKS.md"), "- [ ] T1.1 Build the cart\n").unwrap();
    fs::write(
        site.project().join("jangdan.toml"),
        "agents.build = { extends = \"shell\", arguments = [\"asks.sh\"] }\n",
    )
    .unwrap();
    let page = page();
    let mut n_examples = 0;
    for example in page.split("```sh answers=").skip(1) {
        let (status, rest) = example.split_once('\n').unwrap();
        let (script, _) = rest.split_once("```").unwrap();
        // The shell reads the words; what would be curl prints them, each with a zero behind it.
        let script =
            script.lines().filter(|line| !line.starts_with("SOCKET=")).collect::<Vec<_>>().join("\n");
        let words = Command::new("sh")
            .arg("-c")
            .arg(format!("curl() {{ printf '%s\\0' \"$@\"; }}\n{script}"))
            .env("SOCKET", site.data().join("server.sock"))
            .env("RUN", run.as_str())
            .env("PROJECT", site.project())
            .env("ADDRESS", site.client.status().unwrap().address.unwrap())
            .env("TOKEN", fs::read_to_string(site.data().join("token")).unwrap())
            .output()
            .unwrap();
        let words = String::from_utf8(words.stdout).unwrap();
        assert_eq!(answered(&site, &words.split_terminator('\0').collect::<Vec<_>>()), status, "{script}");
        n_examples += 1;
    }
    assert_eq!(n_examples, 12);
}

/// Does what curl would do with these words, and returns the status.
fn answered(site: &Site, words: &[&str]) -> String {
    let after = |option: &str| words.iter().position(|word| *word == option).map(|at| words[at + 1]);
    if let Some(header) = after("--header") {
        let url = words.iter().find_map(|word| word.strip_prefix("http://")).unwrap();
        let (host, path) = url.split_once('/').unwrap();
        let mut stream = TcpStream::connect(host).unwrap();
        write!(stream, "GET /{path} HTTP/1.0\r\nhost: {host}\r\n{header}\r\n\r\n").unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        return answer.split(' ').nth(1).unwrap().to_owned();
    }
    assert_eq!(after("--unix-socket"), site.data().join("server.sock").to_str());
    let path = words.iter().find_map(|word| word.strip_prefix("http://jangdan")).unwrap();
    if path.starts_with("/api/live") {
        let events = site.listen(path, "0", usize::MAX, "1");
        assert!(events.iter().any(|event| event.id.as_deref() == Some("1")));
        return "200".to_owned();
    }
    let (status, body) = match after("--json") {
        Some(body) => site.ask("POST", path, body),
        None => site.ask("GET", path, ""),
    };
    serde_json::from_str::<Value>(&body).unwrap_or_else(|error| panic!("{body}: {error}"));
    status.to_string()
}
