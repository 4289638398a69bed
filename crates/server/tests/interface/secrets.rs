//! A key that an agent has, and prints in every way it can, is in no answer.

use std::fs;

use serde_json::{Value, json};

use crate::{looking::worker, site::Site};

const KEY: &str = "sk-planted-5f0c9a";

/// Prints its key as words, as a question, as progress and as what it was told; then waits.
const TELLS: &str = r#"read task
echo "my key is $SHOP_API_KEY"
printf '[ASK_USER %s]\nquestion: Is %s right?\ncontext: the address is %s\n[/ASK_USER %s]\n' \
    "$JANGDAN_KEY" "$SHOP_API_KEY" "$SHOP_URL" "$JANGDAN_KEY"
read answer
echo "I was told: $answer, and have $SHOP_API_KEY"
echo "DONE:$JANGDAN_TASK $JANGDAN_KEY"
read end
"#;

#[test]
fn a_key_that_an_agent_prints_is_in_no_answer() {
    let site = Site::open();
    fs::write(site.project().join("asks.sh"), TELLS).unwrap();
    let mut new = serde_json::to_value(site.new_run(1)).unwrap();
    let variables = json!({"SHOP_API_KEY": KEY, "SHOP_URL": format!("https://ana:{KEY}@shop.example/")});
    new["environment"]["presets"]["asks"]["environment"] = variables;
    let run = site.client.start(&serde_json::from_value(new).unwrap()).unwrap();
    site.wait_for(&run, |row| row.waits_for.person == 1);
    let session = worker(&site, &run);
    let asks_in_all_places = |site: &Site| {
        let description: Value = site.client.get("/api/openapi.json").unwrap();
        let mut all = String::new();
        for (path, operations) in description["paths"].as_object().unwrap() {
            // A stream has no end, and a terminal is no answer.
            if operations.get("get").is_none() || path == "/api/live" || path.ends_with("/terminal") {
                continue;
            }
            let path =
                path.replace("{run}", run.as_str()).replace("{task}", "T1.1").replace("{session}", &session);
            let (status, body) = site.ask("GET", &path, "");
            assert!(status < 500, "{path}: {body}");
            assert!(!body.contains(KEY), "{path}: {body}");
            all.push_str(&body);
        }
        all
    };
    // The same key in a project's own file.
    let own = format!(
        "[agents.dev]\nextends = 'shell'\nenvironment = {{ SHOP_API_KEY = '{KEY}', SHOP_URL = 'https://ana:{KEY}@shop' }}\n"
    );
    fs::write(site.project().join("jangdan.toml"), own).unwrap();
    for path in ["/api/config", "/api/agents"] {
        let (status, body) = site.ask("GET", &format!("{path}?project={}", site.project().display()), "");
        assert!(status == 200 && body.contains("dev") && !body.contains(KEY), "{path}: {body}");
    }
    let masked = "*".repeat(KEY.len());
    let said = asks_in_all_places(&site);
    for words in
        [format!("my key is {masked}"), format!("Is {masked} right?"), format!("https://ana:{masked}@shop")]
    {
        assert!(said.contains(&words), "{words} is nowhere: {said}");
    }
    // What somebody types is printed again, and hidden there, too.
    let body = json!({"person": "ana", "command": {"answer": {"question": "q_1", "answer": "yes"}}});
    site.ask("POST", &format!("/api/runs/{run}/commands"), &body.to_string());
    site.wait_for(&run, |row| row.status == views::RunState::Done);
    let said = asks_in_all_places(&site);
    assert!(said.contains(&format!("and have {masked}")), "{said}");
    let position =
        site.client.get::<Value>(&format!("/api/runs/{run}/rows?kind=run")).unwrap()["position"].to_string();
    let live = site.listen(&format!("/api/live?run={run}"), "0", usize::MAX, &position);
    assert!(live.len() > 10, "{}", live.len());
    for event in live {
        assert!(!event.data.unwrap_or_default().contains(KEY), "{}", event.name);
    }
}
