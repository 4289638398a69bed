//! A secret that an agent prints is masked in every response.

use std::fs;

use serde_json::{Value, json};

use crate::{fixture::Fixture, queries::worker_session};

const KEY: &str = "sk-planted-5f0c9a";

/// An agent that prints its key as text, in a question and with an answer.
const PRINTS_KEY: &str = r#"read task
echo "my key is $SHOP_API_KEY"
printf '[ASK_USER %s]\nquestion: Is %s right?\ncontext: the address is %s\n[/ASK_USER %s]\n' \
    "$JANGDAN_KEY" "$SHOP_API_KEY" "$SHOP_URL" "$JANGDAN_KEY"
read answer
echo "I was told: $answer, and have $SHOP_API_KEY"
echo "DONE:$JANGDAN_TASK:it is there $JANGDAN_KEY"
read end
"#;

#[test]
fn key_that_an_agent_prints_is_in_no_response() {
    let fixture = Fixture::open();
    fs::write(fixture.project().join("asks.sh"), PRINTS_KEY).unwrap();
    let mut new = serde_json::to_value(fixture.new_run(1)).unwrap();
    let variables = json!({"SHOP_API_KEY": KEY, "SHOP_URL": format!("https://ana:{KEY}@shop.example/")});
    new["environment"]["presets"]["asks"]["environment"] = variables;
    let run = fixture.client.start_run(&serde_json::from_value(new).unwrap()).unwrap();
    fixture.wait_for(&run, |row| row.waits_for.person == 1);
    let session = worker_session(&fixture, &run);
    let get_all_paths = |fixture: &Fixture| {
        let description: Value = fixture.client.get("/api/openapi.json").unwrap();
        let mut all = String::new();
        for (path, operations) in description["paths"].as_object().unwrap() {
            // A stream does not end, and a terminal is a WebSocket.
            if operations.get("get").is_none() || path == "/api/live" || path.ends_with("/terminal") {
                continue;
            }
            let path =
                path.replace("{run}", run.as_str()).replace("{task}", "T1.1").replace("{session}", &session);
            let (status, body) = fixture.request("GET", &path, "");
            assert!(status < 500, "{path}: {body}");
            assert!(!body.contains(KEY), "{path}: {body}");
            all.push_str(&body);
        }
        all
    };
    // The same key in the configuration of a project.
    let config = format!(
        "[agents.dev]\nextends = 'shell'\nenvironment = {{ SHOP_API_KEY = '{KEY}', SHOP_URL = 'https://ana:{KEY}@shop' }}\n"
    );
    fs::write(fixture.project().join("jangdan.toml"), config).unwrap();
    for path in ["/api/config", "/api/agents"] {
        let (status, body) =
            fixture.request("GET", &format!("{path}?project={}", fixture.project().display()), "");
        assert!(status == 200 && body.contains("dev") && !body.contains(KEY), "{path}: {body}");
    }
    let masked = "*".repeat(KEY.len());
    let bodies = get_all_paths(&fixture);
    for text in
        [format!("my key is {masked}"), format!("Is {masked} right?"), format!("https://ana:{masked}@shop")]
    {
        assert!(bodies.contains(&text), "{text} is missing: {bodies}");
    }
    // The agent prints its key again with the answer.
    let body = json!({"person": "ana", "command": {"answer": {"question": "q_1", "answer": "yes"}}});
    fixture.request("POST", &format!("/api/runs/{run}/commands"), &body.to_string());
    fixture.wait_for(&run, |row| row.status == views::RunState::Done);
    let bodies = get_all_paths(&fixture);
    assert!(bodies.contains(&format!("and have {masked}")), "{bodies}");
    let position =
        fixture.client.get::<Value>(&format!("/api/runs/{run}/rows?kind=run")).unwrap()["position"]
            .to_string();
    let live = fixture.read_live_events(&format!("/api/live?run={run}"), "0", usize::MAX, &position);
    assert!(live.len() > 10, "{}", live.len());
    for event in live {
        assert!(!event.data.unwrap_or_default().contains(KEY), "{}", event.name);
    }
}
