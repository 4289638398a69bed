//! Attempts to bypass the access check.

use crate::access_control::{LoopbackClient, TOKEN_HEADER, send_and_read_head, status};

#[test]
fn cookie_alone_does_not_start_arbitrary_commands() {
    let loopback = LoopbackClient::open();
    let body = serde_json::to_string(&loopback.fixture.new_run(1)).unwrap();
    let start = |credentials: &str| {
        let head = "POST /api/runs HTTP/1.1\r\nhost: HOST\r\ncontent-type: application/json\r\n";
        loopback.send(&format!("{head}{credentials}content-length: {}\r\n\r\n{body}", body.len()))
    };
    let page = "cookie: COOKIE\r\norigin: http://HOST\r\n";
    let response = start(page);
    assert_eq!(status(&response), 401, "{response}");
    assert!(response.contains("POST /api/plans/start"), "{response}");
    assert!(loopback.fixture.client.runs().unwrap().is_empty());

    assert_eq!(status(&start(TOKEN_HEADER)), 201);
    // Not in a listed project either: the request would still choose the commands.
    assert_eq!(status(&start(page)), 401);
    assert_eq!(loopback.fixture.client.runs().unwrap().len(), 1);
}

#[test]
fn no_spelling_of_a_path_bypasses_the_access_check() {
    let loopback = LoopbackClient::open();
    let prefixes = [
        "/%61pi/",
        "/%61%70%69/",
        "//api/",
        "///api//",
        "/./api/",
        "/API/",
        "/Api/",
        "/api%2f",
        "/api;/",
        "/\\api/",
        "/api/../api/",
        "/x/../api/",
        "/x/%2e%2e/api/",
    ];
    for prefix in prefixes {
        for name in ["status", "runs", "live", "openapi.json"] {
            let request = format!("GET {prefix}{name} HTTP/1.1\r\nhost: HOST\r\n\r\n");
            let head = send_and_read_head(&loopback, &request, true);
            let first = head.iter().find(|line| line.starts_with("HTTP/1.1 ")).unwrap();
            // It is refused, or it is the page, which contains no data of a run.
            let is_page = || head.iter().any(|line| line.starts_with("content-type: text/html"));
            assert!(status(first) >= 400 || is_page(), "{request}{head:?}");
        }
    }
}

#[test]
fn a_pasted_plan_with_commands_needs_a_code_from_a_terminal() {
    let loopback = LoopbackClient::open();
    let fixture = &loopback.fixture;
    let project = fixture.project();
    let git = |arguments: &[&str]| {
        let identity = ["-c", "user.name=Ana", "-c", "user.email=ana@example.invalid"];
        let git =
            std::process::Command::new("git").arg("-C").arg(&project).args(identity).args(arguments).output();
        assert!(git.unwrap().status.success(), "{arguments:?}");
    };
    git(&["init", "--quiet"]);
    std::fs::write(
        project.join("jangdan.toml"),
        "[agents.dev]\nextends = \"shell\"\narguments = [\"asks.sh\"]\n",
    )
    .unwrap();
    git(&["add", "--all"]);
    git(&["commit", "--quiet", "--message", "first"]);
    // A run makes the project a listed one.
    fixture.client.start_run(&fixture.new_run(1)).unwrap();
    let plan = "- [ ] T1 Do it\n";
    let start = |text: &str, code: Option<&str>, credentials: &str| {
        let body = serde_json::json!({"project": project, "text": text, "person": "ana", "agent": "dev", "code": code});
        let body = body.to_string();
        let head = "POST /api/plans/start HTTP/1.1\r\nhost: HOST\r\ncontent-type: application/json\r\n";
        loopback.send(&format!("{head}{credentials}content-length: {}\r\n\r\n{body}", body.len()))
    };
    let page = "cookie: COOKIE\r\norigin: http://HOST\r\n";
    let response = start(plan, None, page);
    assert_eq!(status(&response), 201, "without commands: {response}");
    let with_command = "# P\n\n## Phase 1: A\n\n### T1.1 Do it\n- **Verify**: true\n";
    for code in [None, Some("000000x")] {
        let response = start(with_command, code, page);
        assert!(status(&response) == 403 && response.contains("code-required"), "{response}");
    }
    let code = fixture.client.create_confirmation_code().unwrap();
    assert_eq!(status(&start(with_command, Some(&code), page)), 201);
    assert_eq!(status(&start(with_command, Some(&code), page)), 403, "a code is valid once");
    assert_eq!(status(&start(with_command, None, TOKEN_HEADER)), 201, "a program has the token");
}
