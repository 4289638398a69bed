//! The port on loopback, which every program and every page of every site can reach: only who may is answered.

use std::{
    io::{Read, Write},
    net::TcpStream,
    os::unix::fs::PermissionsExt,
};

use crate::{looking::worker, site::Site};

/// A request as bytes; HOST, TOKEN and COOKIE stand for the right ones.
pub struct Door {
    pub site: Site,
    host: String,
    token: String,
    cookie: String,
}

impl Door {
    pub fn open() -> Self {
        let site = Site::open();
        let link = site.client.link(None).unwrap().unwrap();
        let (address, token) = link.split_once("/?token=").unwrap();
        let host = address.strip_prefix("http://").unwrap().to_owned();
        let mut door = Self { site, host, token: token.to_owned(), cookie: String::new() };
        let answer = door.send("GET /?token=TOKEN HTTP/1.1\r\nhost: HOST\r\n\r\n");
        let cookie = header(&answer, "set-cookie").unwrap();
        door.cookie = cookie.split(';').next().unwrap().to_owned();
        door
    }

    fn filled(&self, request: &str) -> String {
        let (_, port) = self.host.rsplit_once(':').unwrap();
        request
            .replace("HOST", &self.host)
            .replace("PORT", port)
            .replace("TOKEN", &self.token)
            .replace("COOKIE", &self.cookie)
    }

    /// Sends a request whose answer may have no end, and returns its status.
    fn status_of_open(&self, request: &str) -> u16 {
        let mut stream = TcpStream::connect(&self.host).unwrap();
        stream.write_all(self.filled(request).as_bytes()).unwrap();
        let mut head = [0; 12];
        stream.read_exact(&mut head).unwrap();
        status(std::str::from_utf8(&head).unwrap())
    }

    pub fn send(&self, request: &str) -> String {
        let request = self.filled(request);
        let mut stream = TcpStream::connect(&self.host).unwrap();
        let request = request.replacen("\r\n", "\r\nconnection: close\r\n", 1);
        // A server that has heard enough may answer and close before all is written.
        let _ = stream.write_all(request.as_bytes());
        let mut answer = Vec::new();
        let _ = stream.read_to_end(&mut answer);
        String::from_utf8_lossy(&answer).into_owned()
    }
}

pub fn status(answer: &str) -> u16 {
    answer.split(' ').nth(1).and_then(|status| status.parse().ok()).unwrap_or(0)
}

pub fn header<'a>(answer: &'a str, name: &str) -> Option<&'a str> {
    let head = answer.split("\r\n\r\n").next().unwrap_or_default();
    head.lines().find_map(|line| {
        line.split_once(": ").filter(|(found, _)| found.eq_ignore_ascii_case(name)).map(|(_, value)| value)
    })
}

pub const PROGRAM: &str = "authorization: Bearer TOKEN\r\n";
const JSON_BODY: &str = "content-type: application/json\r\ncontent-length: 2\r\n\r\n{}";
const UPGRADE: &str = "connection: upgrade\r\nupgrade: websocket\r\nsec-websocket-version: 13\r\nsec-websocket-key: dGhlIHNhbXBsZSBub25jZQ==\r\n";

#[test]
fn only_who_may_is_answered() {
    let door = Door::open();
    let get = |path: &str, headers: &str| format!("GET {path} HTTP/1.1\r\n{headers}\r\n");
    let post = |headers: &str| format!("POST /api/runs HTTP/1.1\r\n{headers}{JSON_BODY}");
    let check = |request: String, expected: u16| {
        let answer = door.send(&request);
        assert_eq!(status(&answer), expected, "{request}\n{answer}");
        assert!(!answer.contains(&door.token), "{request}\n{answer}");
        if expected >= 400 {
            assert_eq!(header(&answer, "content-type"), Some("application/problem+json"), "{answer}");
        }
    };
    let ours = "host: HOST\r\n";
    // Those who may.
    check(get("/api/status", &format!("{ours}{PROGRAM}")), 200);
    check(get("/api/status", &format!("{ours}cookie: COOKIE\r\n")), 200);
    check(get("/api/status", &format!("{ours}cookie: a=b; COOKIE; c=d\r\n")), 200);
    check(get("/api/status", &format!("host: localhost:PORT\r\n{PROGRAM}")), 200);
    check(get("/api/status", &format!("host: [::1]:PORT\r\n{PROGRAM}")), 200);
    check(post(&format!("{ours}{PROGRAM}")), 400);
    check(post(&format!("{ours}cookie: COOKIE\r\norigin: http://HOST\r\n")), 400);
    check(post(&format!("{ours}cookie: COOKIE\r\nsec-fetch-site: same-origin\r\n")), 400);
    check(get("/", ours), 200);
    check(get("/runs/r1", ours), 200);

    // Another host: a name that somebody points at this machine.
    for host in
        ["evil.example", "evil.example:PORT", "127.0.0.1", "127.0.0.1:1", "127.0.0.1.evil.example:PORT"]
    {
        check(get("/api/status", &format!("host: {host}\r\n{PROGRAM}")), 421);
        check(get("/", &format!("host: {host}\r\n")), 421);
    }
    check(get("/api/status", PROGRAM), 421);
    check(get("/api/status", &format!("{ours}host: evil.example\r\n{PROGRAM}")), 421);
    check(get("http://evil.example/api/status", &format!("{ours}{PROGRAM}")), 421);
    check("GET /api/status HTTP/1.0\r\nauthorization: Bearer TOKEN\r\n\r\n".to_owned(), 421);

    // No token, or not this one.
    check(get("/api/status", ours), 401);
    check(get("/api/runs", &format!("{ours}cookie: jangdan=COOKIE\r\n")), 401);
    check(get("/api/live", ours), 401);
    check(get("/api/nothing", ours), 401);
    check(get("/api/openapi.json", ours), 401);
    check(get("/api/status?token=TOKEN", ours), 401);
    check(post(ours), 401);
    check(get("/api/status", &format!("{ours}authorization: Basic TOKEN\r\n")), 401);
    check(get("/api/status", &format!("{ours}authorization: Bearer \r\n")), 401);
    check(get("/api/status", &format!("{ours}authorization: Bearer wrong\r\ncookie: COOKIE\r\n")), 401);

    // A page of another site, of another port, or of nobody knows where.
    for origin in
        ["http://evil.example", "https://HOST", "http://127.0.0.1:1", "http://localhost", "null", ""]
    {
        check(post(&format!("{ours}cookie: COOKIE\r\norigin: {origin}\r\n")), 403);
        check(get("/api/runs", &format!("{ours}cookie: COOKIE\r\norigin: {origin}\r\n")), 403);
        check(get("/api/live", &format!("{ours}cookie: COOKIE\r\n{UPGRADE}origin: {origin}\r\n")), 403);
    }
    for site in ["cross-site", "same-site", "nonsense"] {
        check(post(&format!("{ours}cookie: COOKIE\r\nsec-fetch-site: {site}\r\n")), 403);
        check(get("/api/runs", &format!("{ours}cookie: COOKIE\r\nsec-fetch-site: {site}\r\n")), 403);
    }
    check(post(&format!("{ours}cookie: COOKIE\r\n")), 403);
    check(get("/api/live", &format!("{ours}cookie: COOKIE\r\n{UPGRADE}")), 403);

    // Ways out of where one is.
    for request in ["GET /api/plans", "GET /api/plans/text", "POST /api/plans/start"] {
        check(format!("{request} HTTP/1.1\r\n{ours}{JSON_BODY}"), 401);
        check(
            format!(
                "{request} HTTP/1.1\r\n{ours}cookie: COOKIE\r\norigin: http://evil.example\r\n{JSON_BODY}"
            ),
            403,
        );
    }
    for path in ["/api/../token", "/api/runs/..%2f..%2ftoken", "/api/runs/r1/tasks/..%2f..%2ftoken/diff"] {
        check(get(path, &format!("{ours}{PROGRAM}")), 404);
    }
    // None of these requests started a run.
    assert!(door.site.client.runs().unwrap().is_empty());
}

#[test]
fn a_terminal_opens_for_our_own_page_alone() {
    let door = Door::open();
    let run = door.site.start_asking(1);
    let path = format!("/api/runs/{run}/sessions/{}/terminal", worker(&door.site, &run));
    let check = |who: &str, expected: u16| {
        let request = format!("GET {path} HTTP/1.1\r\nhost: HOST\r\n{UPGRADE}{who}\r\n");
        assert_eq!(door.status_of_open(&request), expected, "{who}");
    };
    check("cookie: COOKIE\r\norigin: http://HOST\r\n", 101);
    check("authorization: Bearer TOKEN\r\n", 101);
    for origin in ["http://evil.example", "http://127.0.0.1:1", "https://HOST", "null"] {
        check(&format!("cookie: COOKIE\r\norigin: {origin}\r\n"), 403);
        check(&format!("authorization: Bearer TOKEN\r\norigin: {origin}\r\n"), 403);
    }
    check("cookie: COOKIE\r\nsec-fetch-site: cross-site\r\norigin: http://HOST\r\n", 403);
    check("cookie: COOKIE\r\n", 403);
    check("origin: http://HOST\r\n", 401);
}

#[test]
fn what_is_brought_into_a_worktree_comes_from_the_project() {
    let door = Door::open();
    let head =
        format!("POST /api/runs HTTP/1.1\r\nhost: HOST\r\n{PROGRAM}content-type: application/json\r\n");
    let check = |file: &str, expected: u16| {
        let mut new = serde_json::to_value(door.site.new_run(1)).unwrap();
        new["environment"]["copy"] = serde_json::json!([file]);
        let body = new.to_string();
        let answer = door.send(&format!("{head}content-length: {}\r\n\r\n{body}", body.len()));
        assert_eq!(status(&answer), expected, "{file}: {answer}");
    };
    for file in ["../secret", "a/../../secret", "/etc/passwd", ".."] {
        check(file, 400);
    }
    assert!(door.site.client.runs().unwrap().is_empty());
    check("./settings/local.env", 201);
}

#[test]
fn what_is_too_large_is_refused_and_nobody_else_is_harmed() {
    let door = Door::open();
    let body = " ".repeat(33 << 20);
    let head =
        format!("POST /api/runs HTTP/1.1\r\nhost: HOST\r\n{PROGRAM}content-type: application/json\r\n");
    let answer = door.send(&format!("{head}content-length: {}\r\n\r\n{body}", body.len()));
    assert_eq!(status(&answer), 413, "{answer}");
    let answer = door.send(&format!("GET /{} HTTP/1.1\r\nhost: HOST\r\n\r\n", "x".repeat(100_000)));
    assert_eq!(status(&answer), 431, "{answer}");
    assert_eq!(status(&door.send("GET / HTTP/1.1\r\nhost: HOST\r\n\r\n")), 200);
}

#[test]
fn a_token_becomes_a_cookie_and_leaves_the_address() {
    let door = Door::open();
    let check = |path: &str, place: &str| {
        let answer = door.send(&format!("GET {path} HTTP/1.1\r\nhost: HOST\r\n\r\n"));
        assert_eq!((status(&answer), header(&answer, "location")), (303, Some(place)), "{answer}");
        let cookie = header(&answer, "set-cookie").unwrap();
        assert!(cookie.ends_with("; Path=/; HttpOnly; SameSite=Strict"), "{cookie}");
        assert!(!answer.contains(&door.token), "{answer}");
    };
    check("/?token=TOKEN", "/");
    let run = "r1".parse().unwrap();
    let link = door.site.client.link(Some(&run)).unwrap().unwrap();
    check(link.strip_prefix(&format!("http://{}", door.host)).unwrap(), "/runs/r1");
    check("/runs/r1?tab=diff&token=TOKEN&x=1", "/runs/r1?tab=diff&x=1");
    // Never to another host, and nothing is put into the head.
    check("//evil.example/?token=TOKEN", "/evil.example/");
    check("///evil.example?token=TOKEN", "/evil.example");
    check("/x%0d%0aset-cookie:%20a=b?token=TOKEN&y=%0d%0a", "/x%0d%0aset-cookie:%20a=b?y=%0d%0a");
    let answer = door.send("GET /?token=wrong HTTP/1.1\r\nhost: HOST\r\n\r\n");
    assert_eq!((status(&answer), header(&answer, "set-cookie")), (401, None), "{answer}");
}

#[test]
fn guesses_are_counted_and_lock_nobody_out() {
    let door = Door::open();
    let guess = |how: &str| status(&door.send(&format!("GET {how}\r\n\r\n")));
    let statuses: Vec<_> = (0..15)
        .map(|round| match round % 3 {
            0 => guess("/?token=wrong HTTP/1.1\r\nhost: HOST"),
            1 => guess("/api/status HTTP/1.1\r\nhost: HOST\r\nauthorization: Bearer wrong"),
            _ => guess("/api/status HTTP/1.1\r\nhost: HOST\r\ncookie: jangdan_PORT=wrong"),
        })
        .collect();
    assert_eq!(statuses[..10], [401; 10]);
    assert_eq!(statuses[11..], [429; 4], "{statuses:?}");
    assert_eq!(guess("/api/status HTTP/1.1\r\nhost: HOST\r\nauthorization: Bearer TOKEN"), 200);
    assert_eq!(guess("/api/status HTTP/1.1\r\nhost: HOST\r\ncookie: COOKIE"), 200);
}

#[test]
fn every_answer_tells_the_browser_what_it_may_not_do() {
    let door = Door::open();
    for path in ["/", "/runs/r1", "/api/status", "/api/nothing", "/?token=wrong"] {
        let answer = door.send(&format!("GET {path} HTTP/1.1\r\nhost: HOST\r\ncookie: COOKIE\r\n\r\n"));
        let policy = header(&answer, "content-security-policy").unwrap();
        assert!(policy.starts_with("default-src 'none'; script-src 'self';"), "{policy}");
        assert!(!policy.contains("unsafe") && policy.contains("frame-ancestors 'none'"), "{policy}");
        let has = |name, value| assert_eq!(header(&answer, name), Some(value), "{path}");
        has("x-content-type-options", "nosniff");
        has("x-frame-options", "DENY");
        has("referrer-policy", "no-referrer");
        has("cross-origin-opener-policy", "same-origin");
        has("cross-origin-resource-policy", "same-origin");
        assert!(
            header(&answer, "cache-control").is_some()
                && header(&answer, "access-control-allow-origin").is_none()
        );
    }
}

#[test]
fn a_link_stays_good_over_a_restart_and_its_token_is_in_no_answer() {
    let mut door = Door::open();
    let link = door.site.client.link(None).unwrap();
    door.site.restart();
    assert_eq!(door.site.client.link(None).unwrap(), link);
    assert_eq!(status(&door.send("GET /api/status HTTP/1.1\r\nhost: HOST\r\ncookie: COOKIE\r\n\r\n")), 200);
    let mode = std::fs::metadata(door.site.data().join("token")).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
    for path in ["/api/status", "/api/runs", "/api/openapi.json"] {
        assert!(!door.site.ask("GET", path, "").1.contains(&door.token), "{path}");
    }
}

/// Sends a request, first thing or behind another, and returns the head of the answer without what goes with the way.
pub fn head_of(door: &Door, request: &str, is_first: bool) -> Vec<String> {
    let mut stream = TcpStream::connect(&door.host).unwrap();
    let mut head_behind = |request: &str| {
        stream.write_all(door.filled(request).as_bytes()).unwrap();
        let (mut answer, mut byte) = (Vec::new(), [0; 1]);
        while !answer.ends_with(b"\r\n\r\n") && stream.read(&mut byte).is_ok_and(|length| length > 0) {
            answer.push(byte[0]);
        }
        String::from_utf8(answer).unwrap()
    };
    if !is_first {
        head_behind("HEAD /api/status HTTP/1.1\r\nhost: HOST\r\nauthorization: Bearer TOKEN\r\n\r\n");
    }
    let of_the_way = ["date:", "connection:", "transfer-encoding:", "content-length:"];
    let answer = head_behind(request);
    let lines = answer.lines().filter(|line| !of_the_way.iter().any(|name| line.starts_with(name)));
    let mut lines: Vec<String> = lines.map(str::to_owned).collect();
    lines.sort();
    lines
}

#[test]
fn who_only_listens_is_let_in_and_turned_away_like_everybody() {
    let door = Door::open();
    let get = |path: &str, headers: &str| format!("GET {path} HTTP/1.1\r\n{headers}\r\n");
    let right = "host: HOST\r\nauthorization: Bearer TOKEN\r\n";
    let cases = [
        get("/api/live", right),
        get("/api/live?after=0", "host: HOST\r\ncookie: COOKIE\r\nsec-fetch-site: same-origin\r\n"),
        get("/api/live?after=99", right),
        get("/api/live?what=1", right),
        get("/api/live?after=x%00", right),
        get("/api/live", "host: HOST\r\n"),
        get("/api/live", "host: HOST\r\nauthorization: Bearer wrong\r\n"),
        get("/api/live", "host: evil.test\r\nauthorization: Bearer TOKEN\r\n"),
        get("/api/live", "authorization: Bearer TOKEN\r\n"),
        get("/api/live", "host: HOST\r\nhost: evil.test\r\nauthorization: Bearer TOKEN\r\n"),
        get("/api/live", "host: HOST\r\ncookie: COOKIE\r\norigin: http://evil.test\r\n"),
        get("/api/live", "host: HOST\r\ncookie: COOKIE\r\nsec-fetch-site: cross-site\r\n"),
        get("http://evil.test/api/live", right),
        get("/api/liveness", right),
        get("/api/live/", right),
        get("/api/live", &format!("{right}a b: c\r\n")),
        get("/api/live", &format!("{right}expect: 100-continue\r\n")),
        format!("GET /api/live HTTP/1.0\r\n{right}\r\n"),
        format!("GET /api/live HTTP/1.1\r\n{right}content-length: 3\r\n\r\nabc"),
        format!("GET /api/live HTTP/1.1\r\n{right}\r\nGET /api/status HTTP/1.1\r\n{right}\r\n"),
        get("/api/live", &format!("{right}{}", "x: y\r\n".repeat(80))),
        get("/api/live", &format!("{right}x: {}\r\n", "y".repeat(6000))),
    ];
    let mut statuses = Vec::new();
    for case in &cases {
        let (whole, later) = (head_of(&door, case, true), head_of(&door, case, false));
        assert_eq!(whole, later, "{case}");
        statuses.push(status(whole.iter().find(|line| line.starts_with("HTTP/")).map_or("", String::as_str)));
    }
    assert_eq!(
        statuses,
        [
            200, 200, 409, 400, 400, 401, 401, 421, 421, 421, 403, 403, 421, 404, 404, 400, 200, 200, 200,
            200, 431, 200
        ]
    );
}
