//! Runs that are started from a plan file or text: like `jangdan run`, and only in listed projects.

use std::{fs, os::unix::fs::symlink, path::Path, process::Command};

use domain::RunId;
use serde_json::{Value, json};

use crate::fixture::Fixture;

const CONFIG: &str = "[team]\nworker = \"asks\"\n\n[agents.asks]\nextends = \"shell\"\narguments = [\"asks.sh\"]\n\n[worktree]\nisolation = false\n\n[sandbox]\nmode = \"off\"\n";
const PLAN: &str =
    "# Walls\n\n## Phase 1: Paint\n\n- [ ] T1.1 Paint the wall\n- [ ] T1.2 Paint the loopback\n";
const NAMED: &str = "# Walls\n\n| ID | Task | Dependencies | Agent |\n|---|---|---|---|\n| T1.1 | Paint the wall | - | stranger |\n| T1.2 | Paint the loopback | - | asks |\n\n## Phase 1: Paint\n\n### T1.1: Paint the wall\n\n### T1.2: Paint the loopback\n";
const WRONG: &str = "# Walls\n\n## Phase 1: Paint\n\n- [ ] T1.1 Paint it (depends on T9.9)\n";

/// Returns a server whose project has a run, so that it is listed, and a plan and a configuration.
fn fixture() -> Fixture {
    let fixture = Fixture::open();
    fixture.start_run_with_questions(1);
    fs::write(fixture.project().join("jangdan.toml"), CONFIG).unwrap();
    fs::write(fixture.project().join("TASKS.md"), PLAN).unwrap();
    fixture
}

fn get(fixture: &Fixture, path: &str) -> Value {
    let (status, body) = fixture.request("GET", path, "");
    assert_eq!(status, 200, "{path}: {body}");
    serde_json::from_str(&body).unwrap()
}

fn start_run_from_plan(fixture: &Fixture, body: &Value) -> RunId {
    let (status, body) = fixture.request("POST", "/api/plans/start", &body.to_string());
    assert_eq!(status, 201, "{body}");
    serde_json::from_str::<Value>(&body).unwrap()["run"].as_str().unwrap().parse().unwrap()
}

#[test]
fn plan_file_becomes_a_run_with_the_team_of_the_project() {
    let fixture = fixture();
    let project = fixture.project();
    let folder = project.display();
    assert_eq!(get(&fixture, "/api/projects")[0]["folder"], json!(project));
    let plans = get(&fixture, &format!("/api/plans?project={folder}"));
    assert_eq!(plans, json!([{"path": "TASKS.md", "bytes": PLAN.len()}]));
    let text = get(&fixture, &format!("/api/plans/text?project={folder}&path=TASKS.md"));
    assert_eq!(text, json!({"path": "TASKS.md", "text": PLAN}));

    let run =
        start_run_from_plan(&fixture, &json!({"project": project, "path": "TASKS.md", "person": "ana"}));
    // In a checklist each task depends on the one before it.
    let row = fixture.wait_for(&run, |row| row.waits_for.person == 1);
    assert_eq!((row.title.as_str(), row.n_tasks), ("Walls", 2));
    let environment =
        fs::read_to_string(fixture.data_directory().join(format!("runs/{run}/environment.json"))).unwrap();
    let environment: Value = serde_json::from_str(&environment).unwrap();
    assert_eq!(environment["plan"], json!(project.canonicalize().unwrap().join("TASKS.md")));
    assert_eq!(environment["agents"], json!({"asks": "asks"}));
}

#[test]
fn agents_and_configuration_depend_on_the_project() {
    let fixture = fixture();
    let folder = fixture.project();
    let names = |path: &str| {
        let agents = get(&fixture, path);
        let names = agents.as_array().unwrap().iter().map(|agent| agent["name"].as_str().unwrap().to_owned());
        names.collect::<Vec<_>>()
    };
    let worker = |path: &str| {
        let rows = get(&fixture, path);
        rows.as_array().unwrap().iter().find(|row| row["key"] == "team.worker").unwrap()["value"].clone()
    };
    let query = format!("?project={}", folder.display());
    for _ in 0..2 {
        assert!(names(&format!("/api/agents{query}")).contains(&"asks".to_owned()));
        assert!(!names("/api/agents").contains(&"asks".to_owned()));
        assert_eq!(worker(&format!("/api/config{query}")), json!("asks"));
        assert_ne!(worker("/api/config"), json!("asks"));
    }
    for path in ["/api/agents", "/api/config"] {
        assert_eq!(fixture.request_problem("GET", &format!("{path}?project=/etc"), "").0, 404);
        assert_eq!(fixture.request_problem("GET", &format!("{path}?folder=/etc"), "").0, 400);
    }
}

#[test]
fn agents_named_by_a_plan_text_use_configured_presets() {
    let fixture = fixture();
    let body = json!({"project": fixture.project(), "text": NAMED, "person": "ana", "inPlace": true});
    let run = start_run_from_plan(&fixture, &body);
    fixture.wait_for(&run, |row| row.waits_for.person == 2);
    let environment =
        fs::read_to_string(fixture.data_directory().join(format!("runs/{run}/environment.json"))).unwrap();
    let environment: Value = serde_json::from_str(&environment).unwrap();
    assert!(environment.get("plan").is_none(), "{environment}");
    assert!(
        environment["agents"].as_object().unwrap().values().all(|preset| preset == "asks"),
        "{environment}"
    );
}

/// Asks nothing and reports its task as done.
const DOES: &str = "while read -r line; do echo \"DONE:$JANGDAN_TASK:it is there\"; done\n";

#[test]
fn a_plan_whose_tasks_are_done_is_refused_unless_it_is_run_again() {
    let fixture = fixture();
    let project = fixture.project();
    fs::write(project.join("does.sh"), DOES).unwrap();
    let configuration = CONFIG.replace("asks.sh", "does.sh");
    let configuration = format!("orchestration.gate_approval = \"automatic\"\n{configuration}");
    fs::write(project.join("jangdan.toml"), configuration).unwrap();
    let body = json!({"project": project, "path": "TASKS.md", "person": "ana"});
    let run = start_run_from_plan(&fixture, &body);
    fixture.wait_for(&run, |row| row.status == views::RunState::Done);
    for more in [json!({}), json!({"open": true})] {
        let mut body = body.clone();
        body.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        let (status, problem) = fixture.request_problem("POST", "/api/plans/start", &body.to_string());
        assert_eq!((status, problem["code"].as_str()), (409, Some("plan-done")), "{problem}");
        assert!(problem["hint"].as_str().unwrap().contains(run.as_str()), "{problem}");
    }
    let again = json!({"project": project, "path": "TASKS.md", "person": "ana", "again": true});
    let again = start_run_from_plan(&fixture, &again);
    fixture.wait_for(&again, |row| row.status == views::RunState::Done);
}

#[test]
fn remarks_are_shown_before_the_start_in_the_language_of_the_request() {
    let fixture = fixture();
    let project = fixture.project();
    git(&project, &["init", "--quiet"]);
    git(&project, &["add", "--all"]);
    git(
        &project,
        &["-c", "user.name=Ana", "-c", "user.email=a@b.invalid", "commit", "--quiet", "--message", "x"],
    );
    let configuration = CONFIG.replace("isolation = false", "isolation = true");
    fs::write(project.join("jangdan.toml"), configuration).unwrap();
    fs::write(project.join("notes.txt"), "not committed").unwrap();
    let n_runs = fixture.client.runs().unwrap().len();
    let remarks = |language: &str, include_changes: bool| {
        let body = json!({
            "project": project, "path": "TASKS.md", "person": "ana", "includeChanges": include_changes,
        });
        let body = body.to_string();
        let request = format!(
            "POST /api/plans/preview HTTP/1.1\r\nhost: x\r\nconnection: close\r\naccept-language: {language}\r\n\
             authorization: Bearer {}\r\ncontent-type: application/json\r\ncontent-length: {}\r\n\r\n{body}",
            fixture.token(),
            body.len()
        );
        let (status, answer) = fixture.send_raw(request.as_bytes());
        assert_eq!(status, 200, "{answer}");
        let preview: Value = serde_json::from_str(&answer).unwrap();
        let texts =
            preview["remarks"].as_array().unwrap().iter().map(|remark| remark["text"].as_str().unwrap());
        texts.collect::<Vec<_>>().join("\n")
    };
    for (language, include_changes, expected) in [
        ("en", false, "do not see your uncommitted changes in 1 file: notes.txt."),
        ("ko", false, "커밋하지 않은 변경(파일 1개)을 볼 수 없습니다: notes.txt."),
        ("ko-KR,en;q=0.5", true, "커밋하지 않은 변경(파일 1개)을 포함해 시작합니다: notes.txt."),
    ] {
        let remarks = remarks(language, include_changes);
        assert!(remarks.contains(expected), "{remarks}");
        assert!(!remarks.contains("--"), "no options of the terminal: {remarks}");
    }
    assert_eq!(git(&project, &["status", "--porcelain"]).lines().count(), 2, "the checkout is unchanged");
    assert_eq!(fixture.client.runs().unwrap().len(), n_runs, "no run was started");

    let start = json!({"project": project, "path": "TASKS.md", "person": "ana", "includeChanges": true});
    let (status, answer) = fixture.request("POST", "/api/plans/start", &start.to_string());
    assert_eq!(status, 201, "{answer}");
    assert!(answer.contains("Your uncommitted changes are included, in 1 file: notes.txt."), "{answer}");
}

/// Runs git in a folder, and returns its output.
fn git(folder: &Path, arguments: &[&str]) -> String {
    let output = Command::new("git").args(arguments).current_dir(folder).output().unwrap();
    assert!(output.status.success(), "{arguments:?}: {output:?}");
    String::from_utf8(output.stdout).unwrap()
}

#[test]
fn errors_of_a_plan_have_locations() {
    let fixture = fixture();
    let body = json!({"project": fixture.project(), "text": WRONG, "person": "ana"});
    let (status, problem) = fixture.request_problem("POST", "/api/plans/start", &body.to_string());
    assert_eq!((status, problem["code"].as_str()), (422, Some("invalid-plan")), "{problem}");
    let diagnostic = &problem["diagnostics"][0];
    assert_eq!(
        (diagnostic["severity"].as_str(), diagnostic["line"].as_u64()),
        (Some("error"), Some(5)),
        "{problem}"
    );
}

#[test]
fn only_plans_of_listed_projects_are_read_or_run() {
    let fixture = fixture();
    let project = fixture.project();
    let outside = fixture.data_directory().parent().unwrap().join("outside");
    fs::create_dir(&outside).unwrap();
    for name in ["TASKS.md", "plan.md"] {
        fs::write(outside.join(name), PLAN).unwrap();
    }
    fs::write(project.join("notes.md"), PLAN).unwrap();
    symlink(outside.join("plan.md"), project.join("plan-of-others.md")).unwrap();
    symlink(&outside, project.join("docs")).unwrap();
    let n_runs = fixture.client.runs().unwrap().len();

    let start = |body: Value, expected: u16| {
        let (status, problem) = fixture.request_problem("POST", "/api/plans/start", &body.to_string());
        assert_eq!(status, expected, "{body}: {problem}");
    };
    // Folders of no listed project.
    for folder in ["/", "/etc", "", ".", "..", "project", "~", "\0"] {
        start(json!({"project": folder, "text": PLAN, "person": "ana"}), 404);
    }
    for folder in [project.join(".."), project.join("../outside"), project.join("docs"), outside.clone()] {
        start(json!({"project": folder, "text": PLAN, "person": "ana"}), 404);
    }
    // Files that are not plans of the project.
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
        let (status, body) = fixture.request("GET", &query, "");
        assert_eq!(status, 404, "{query}: {body}");
    }
    // A request cannot set anything else of a run.
    for field in ["environment", "presets", "team", "settings", "agents", "command", "data"] {
        start(json!({"project": project, "text": PLAN, "person": "ana", field: {"sh": "sh"}}), 400);
    }
    for agent in ["unknown", "/bin/sh", "../asks", ""] {
        start(json!({"project": project, "text": PLAN, "person": "ana", "agent": agent}), 400);
    }
    for field in ["agent", "name"] {
        start(json!({"project": project, "text": WRONG, "person": "ana", field: "x".repeat(100_000)}), 400);
    }
    start(json!({"project": project, "text": PLAN, "path": "TASKS.md", "person": "ana"}), 400);
    start(json!({"project": project, "person": "ana"}), 400);
    start(json!({"project": project, "text": PLAN, "person": " "}), 400);
    start(json!({"project": project, "text": "", "person": "ana"}), 422);
    // Worktrees require a repository.
    fs::write(project.join("jangdan.toml"), CONFIG.replace("isolation = false", "isolation = true")).unwrap();
    start(json!({"project": project, "text": PLAN, "person": "ana"}), 409);
    fs::write(project.join("jangdan.toml"), "team = 3").unwrap();
    start(json!({"project": project, "text": PLAN, "person": "ana"}), 409);

    assert_eq!(fixture.client.runs().unwrap().len(), n_runs, "no run was started");
}
