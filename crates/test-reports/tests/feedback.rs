//! What testers say becomes typed failures only if it is JSON.

use test_reports::parse_feedback;

#[test]
fn json_of_a_tester_is_typed() {
    let json = r#"{"success":false,"failures":[{"name":"login","file":"web/login.ts","line":7,"expected":"a title","actual":"none",
        "stackTrace":"at login"},"logout"],"suggestions":["add a title"],"metrics":{"total":3,"passed":1,"failed":2}}"#;
    for text in [json.to_owned(), format!("Here it is:\n```json\n{json}\n```\nDone.")] {
        let feedback = parse_feedback(&text);
        let names: Vec<&str> = feedback.failures.iter().map(|failure| failure.name.as_str()).collect();
        assert_eq!(names, ["login", "logout"]);
        let first = &feedback.failures[0];
        assert_eq!((first.file.as_deref(), first.line), (Some("web/login.ts"), Some(7)));
        assert_eq!(first.trace.as_deref(), Some("at login"));
        assert_eq!((feedback.text, feedback.suggestions.len()), (None, 1));
        assert_eq!(feedback.metrics.map(|metrics| metrics.failed), Some(2));
    }
}

#[test]
fn prose_of_a_tester_stays_text() {
    for prose in
        ["The login page has no title.\nLogout works.", "{it fails}", "[\"login\"]", "{\"verdict\":\"bad\"}"]
    {
        let feedback = parse_feedback(prose);
        assert_eq!(feedback.text.as_deref(), Some(prose));
        assert!(!feedback.success && feedback.failures.is_empty(), "{prose}");
    }
}
