//! Ways in that look as if they led past the guard.

use crate::attacks::{Door, PROGRAM, head_of, status};

#[test]
fn a_page_says_not_what_a_run_executes() {
    let door = Door::open();
    let body = serde_json::to_string(&door.site.new_run(1)).unwrap();
    let begin = |who: &str| {
        let head = "POST /api/runs HTTP/1.1\r\nhost: HOST\r\ncontent-type: application/json\r\n";
        door.send(&format!("{head}{who}content-length: {}\r\n\r\n{body}", body.len()))
    };
    let page = "cookie: COOKIE\r\norigin: http://HOST\r\n";
    let answer = begin(page);
    assert_eq!(status(&answer), 401, "{answer}");
    assert!(answer.contains("POST /api/plans/start"), "{answer}");
    assert!(door.site.client.runs().unwrap().is_empty());

    assert_eq!(status(&begin(PROGRAM)), 201);
    // Not in a project that is known either: its commands would still be anybody's.
    assert_eq!(status(&begin(page)), 401);
    assert_eq!(door.site.client.runs().unwrap().len(), 1);
}

#[test]
fn no_other_way_to_write_a_path_leads_past_the_guard() {
    let door = Door::open();
    let ways = [
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
    for way in ways {
        for name in ["status", "runs", "live", "openapi.json"] {
            let request = format!("GET {way}{name} HTTP/1.1\r\nhost: HOST\r\n\r\n");
            let head = head_of(&door, &request, true);
            let first = head.iter().find(|line| line.starts_with("HTTP/1.1 ")).unwrap();
            // It is refused, or it is the page, which says nothing of any run.
            let is_page = || head.iter().any(|line| line.starts_with("content-type: text/html"));
            assert!(status(first) >= 400 || is_page(), "{request}{head:?}");
        }
    }
}
