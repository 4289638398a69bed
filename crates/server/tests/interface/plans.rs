//! A run from a plan that is picked or pasted: the same as by `jangdan run`, in projects that are known, and nowhere else.

use std::{fs, os::unix::fs::symlink};

use domain::RunId;
use serde_json::{Value, json};

use crate::site::Site;

const CONFIG: &str = "[team]\nworker = \"asks\"\n\n[agents.asks]\nextends = \"shell\"\narguments = [\"asks.sh\"]\n\n[worktree]\nisolation = false\n";
const PLAN: &str = "# Walls\n\n## Phase 1: Paint\n\n- [ ] T1.1 Paint the wall\n- [ ] T1.2 Paint the door\n";
const NAMED: &str = "# Walls\n\n| ID | Task | Dependencies | Agent |\n|---|---|---|---|\n| T1.1 | Paint the wall | - | stranger |\n| T1.2 | Paint the door | - | asks |\n\n## Phase 1: Paint\n\n### T1.1: Paint the wall\n\n### T1.2: Paint the door\n";
const WRONG: &str = "# Walls\n\n## Phase 1: Paint\n\n- [ ] T1.1 Paint it (depends on T9.9)\n";

/// Returns a site whose project had a run, so that it is known, and has a plan and a configuration.
fn site() -> Site {
    let site = Site::open();
    site.start_asking(1);
    fs::write(site.project().join("jangdan.toml"), CONFIG).unwrap();
    fs::write(site.project().join("TASKS.md"), PLAN).unwrap();
    site
}

fn get(site: &Site, path: &str) -> Value {
    let (status, body) = site.ask("GET", path, "");
    assert_eq!(status, 200, "{path}: {body}");
    serde_json::from_str(&body).unwrap()
}

fn start(site: &Site, body: &Value) -> RunId {
    let (status, body) = site.ask("POST", "/api/plans/start", &body.to_string());
    assert_eq!(status, 201, "{body}");
    serde_json::from_str::<Value>(&body).unwrap()["run"].as_str().unwrap().parse().unwrap()
}

#[test]
fn a_plan_is_picked_and_becomes_a_run_with_the_projects_own_team() {
    let site = site();
    let project = site.project();
    let folder = project.display();
    assert_eq!(get(&site, "/api/projects")[0]["folder"], json!(project));
    let plans = get(&site, &format!("/api/plans?project={folder}"));
    assert_eq!(plans, json!([{"path": "TASKS.md", "bytes": PLAN.len()}]));
    let text = get(&site, &format!("/api/plans/text?project={folder}&path=TASKS.md"));
    assert_eq!(text, json!({"path": "TASKS.md", "text": PLAN}));

    let run = start(&site, &json!({"project": project, "path": "TASKS.md", "person": "ana"}));
    // In a list of boxes each waits for the one before it.
    let row = site.wait_for(&run, |row| row.waits_for.person == 1);
    assert_eq!((row.title.as_str(), row.n_tasks), ("Walls", 2));
    let environment = fs::read_to_string(site.data().join(format!("runs/{run}/environment.json"))).unwrap();
    let environment: Value = serde_json::from_str(&environment).unwrap();
    assert_eq!(environment["plan"], json!(project.canonicalize().unwrap().join("TASKS.md")));
    assert_eq!(environment["agents"], json!({"asks": "asks"}));
}

#[test]
fn a_project_has_its_own_agents_and_its_own_configuration() {
    let site = site();
    let folder = site.project();
    let names = |path: &str| {
        let agents = get(&site, path);
        let names = agents.as_array().unwrap().iter().map(|agent| agent["name"].as_str().unwrap().to_owned());
        names.collect::<Vec<_>>()
    };
    let worker = |path: &str| {
        let rows = get(&site, path);
        rows.as_array().unwrap().iter().find(|row| row["key"] == "team.worker").unwrap()["value"].clone()
    };
    let here = format!("?project={}", folder.display());
    for _ in 0..2 {
        assert!(names(&format!("/api/agents{here}")).contains(&"asks".to_owned()));
        assert!(!names("/api/agents").contains(&"asks".to_owned()));
        assert_eq!(worker(&format!("/api/config{here}")), json!("asks"));
        assert_ne!(worker("/api/config"), json!("asks"));
    }
    for path in ["/api/agents", "/api/config"] {
        assert_eq!(site.problem("GET", &format!("{path}?project=/etc"), "").0, 404);
        assert_eq!(site.problem("GET", &format!("{path}?folder=/etc"), "").0, 400);
    }
}

#[test]
fn a_plan_is_pasted_and_whoever_it_names_is_one_of_the_configuration() {
    let site = site();
    let body = json!({"project": site.project(), "text": NAMED, "person": "ana", "inPlace": true});
    let run = start(&site, &body);
    site.wait_for(&run, |row| row.waits_for.person == 2);
    let environment = fs::read_to_string(site.data().join(format!("runs/{run}/environment.json"))).unwrap();
    let environment: Value = serde_json::from_str(&environment).unwrap();
    assert!(environment.get("plan").is_none(), "{environment}");
    assert!(
        environment["agents"].as_object().unwrap().values().all(|preset| preset == "asks"),
        "{environment}"
    );
}

#[test]
fn the_mistakes_of_a_plan_come_in_their_places() {
    let site = site();
    let body = json!({"project": site.project(), "text": WRONG, "person": "ana"});
    let (status, problem) = site.problem("POST", "/api/plans/start", &body.to_string());
    assert_eq!((status, problem["code"].as_str()), (422, Some("bad-plan")), "{problem}");
    let mistake = &problem["mistakes"][0];
    assert_eq!(
        (mistake["severity"].as_str(), mistake["line"].as_u64()),
        (Some("error"), Some(5)),
        "{problem}"
    );
}

#[test]
fn nothing_outside_of_the_plans_of_a_known_project_is_read_or_run() {
    let site = site();
    let project = site.project();
    let outside = site.data().parent().unwrap().join("outside");
    fs::create_dir(&outside).unwrap();
    for name in ["TASKS.md", "plan.md"] {
        fs::write(outside.join(name), PLAN).unwrap();
    }
    fs::write(project.join("notes.md"), PLAN).unwrap();
    symlink(outside.join("plan.md"), project.join("plan-of-others.md")).unwrap();
    symlink(&outside, project.join("docs")).unwrap();
    let n_runs = site.client.runs().unwrap().len();

    let start = |body: Value, expected: u16| {
        let (status, problem) = site.problem("POST", "/api/plans/start", &body.to_string());
        assert_eq!(status, expected, "{body}: {problem}");
    };
    // Folders that are none of a known project.
    for folder in ["/", "/etc", "", ".", "..", "project", "~", "\0"] {
        start(json!({"project": folder, "text": PLAN, "person": "ana"}), 404);
    }
    for folder in [project.join(".."), project.join("../outside"), project.join("docs"), outside.clone()] {
        start(json!({"project": folder, "text": PLAN, "person": "ana"}), 404);
    }
    // Files that are none of its plans.
    for path in [
        "../outside/TASKS.md",
        "/etc/passwd",
        "docs/TASKS.md",
        "docs/../TASKS.md",
        "./TASKS.md",
        "plan-of-others.md",
        "notes.md",
        "asks.sh",
        "jangdan.toml",
        "..",
        "",
        "-",
        "\0",
    ] {
        start(json!({"project": project, "path": path, "person": "ana"}), 404);
        let query =
            format!("/api/plans/text?project={}&path={}", project.display(), path.replace('\0', "%00"));
        let (status, body) = site.ask("GET", &query, "");
        assert_eq!(status, 404, "{query}: {body}");
    }
    // What a run needs beside its plan is not taken from a request.
    for more in ["environment", "presets", "team", "settings", "agents", "command", "data"] {
        start(json!({"project": project, "text": PLAN, "person": "ana", more: {"sh": "sh"}}), 400);
    }
    for agent in ["nobody", "/bin/sh", "../asks", ""] {
        start(json!({"project": project, "text": PLAN, "person": "ana", "agent": agent}), 400);
    }
    for long in ["agent", "name"] {
        start(json!({"project": project, "text": WRONG, "person": "ana", long: "x".repeat(100_000)}), 400);
    }
    start(json!({"project": project, "text": PLAN, "path": "TASKS.md", "person": "ana"}), 400);
    start(json!({"project": project, "person": "ana"}), 400);
    start(json!({"project": project, "text": PLAN, "person": " "}), 400);
    start(json!({"project": project, "text": "", "person": "ana"}), 422);
    // Without a repository there are no worktrees.
    fs::write(project.join("jangdan.toml"), CONFIG.replace("isolation = false", "isolation = true")).unwrap();
    start(json!({"project": project, "text": PLAN, "person": "ana"}), 409);
    fs::write(project.join("jangdan.toml"), "team = 3").unwrap();
    start(json!({"project": project, "text": PLAN, "person": "ana"}), 409);

    assert_eq!(site.client.runs().unwrap().len(), n_runs, "nothing of it has begun");
}
