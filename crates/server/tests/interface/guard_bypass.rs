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
