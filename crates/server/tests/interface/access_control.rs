//! Access to the loopback port, which every program and every page of every site can reach.

use std::{
    io::{Read, Write},
    net::TcpStream,
    os::unix::fs::PermissionsExt,
};

use crate::{fixture::Fixture, queries::worker_session};

/// Sends raw requests over loopback; replaces HOST, PORT, TOKEN and COOKIE by the valid values.
pub(crate) struct LoopbackClient {
    pub fixture: Fixture,
    host: String,
    token: String,
    cookie: String,
}

impl LoopbackClient {
    pub(crate) fn open() -> Self {
        let fixture = Fixture::open();
        let link = fixture.client.link(None).unwrap().unwrap();
        let (address, code) = link.split_once("/?login=").unwrap();
        let host = address.strip_prefix("http://").unwrap().to_owned();
        let token = fixture.token();
        let mut loopback = Self { fixture, host, token, cookie: String::new() };
        let response = loopback.send(&format!("GET /?login={code} HTTP/1.1\r\nhost: HOST\r\n\r\n"));
        let cookie = header(&response, "set-cookie").unwrap();
        loopback.cookie = cookie.split(';').next().unwrap().to_owned();
        loopback
    }

    fn fill_in(&self, request: &str) -> String {
        let (_, port) = self.host.rsplit_once(':').unwrap();
        request
            .replace("HOST", &self.host)
            .replace("PORT", port)
            .replace("TOKEN", &self.token)
            .replace("COOKIE", &self.cookie)
    }

    /// Sends a request whose response may not end; returns its status.
    fn send_and_read_status(&self, request: &str) -> u16 {
        let mut stream = TcpStream::connect(&self.host).unwrap();
        stream.write_all(self.fill_in(request).as_bytes()).unwrap();
        let mut head = [0; 12];
        stream.read_exact(&mut head).unwrap();
        status(std::str::from_utf8(&head).unwrap())
    }

    pub(crate) fn send(&self, request: &str) -> String {
        let request = self.fill_in(request);
        let mut stream = TcpStream::connect(&self.host).unwrap();
        let request = request.replacen("\r\n", "\r\nconnection: close\r\n", 1);
        // The server may respond and close before everything is written.
        let _ = stream.write_all(request.as_bytes());
        let mut response = Vec::new();
        let _ = stream.read_to_end(&mut response);
        String::from_utf8_lossy(&response).into_owned()
    }
}

pub(crate) fn status(response: &str) -> u16 {
    response.split(' ').nth(1).and_then(|status| status.parse().ok()).unwrap_or(0)
}

pub(crate) fn header<'a>(response: &'a str, name: &str) -> Option<&'a str> {
    let head = response.split("\r\n\r\n").next().unwrap_or_default();
    head.lines().find_map(|line| {
        line.split_once(": ").filter(|(key, _)| key.eq_ignore_ascii_case(name)).map(|(_, value)| value)
    })
}

pub(crate) const TOKEN_HEADER: &str = "authorization: Bearer TOKEN\r\n";
const JSON_BODY: &str = "content-type: application/json\r\ncontent-length: 2\r\n\r\n{}";
const UPGRADE: &str = "connection: upgrade\r\nupgrade: websocket\r\nsec-websocket-version: 13\r\nsec-websocket-key: dGhlIHNhbXBsZSBub25jZQ==\r\n";

#[test]
fn only_authorized_requests_are_served() {
    let loopback = LoopbackClient::open();
    let get = |path: &str, headers: &str| format!("GET {path} HTTP/1.1\r\n{headers}\r\n");
    let post = |headers: &str| format!("POST /api/runs HTTP/1.1\r\n{headers}{JSON_BODY}");
    let check = |request: String, expected: u16| {
        let response = loopback.send(&request);
        assert_eq!(status(&response), expected, "{request}\n{response}");
        assert!(!response.contains(&loopback.token), "{request}\n{response}");
        if expected >= 400 {
            assert_eq!(header(&response, "content-type"), Some("application/problem+json"), "{response}");
        }
    };
    let host = "host: HOST\r\n";
    // Authorized.
    check(get("/api/status", &format!("{host}{TOKEN_HEADER}")), 200);
    check(get("/api/status", &format!("{host}cookie: COOKIE\r\n")), 200);
    check(get("/api/status", &format!("{host}cookie: a=b; COOKIE; c=d\r\n")), 200);
    check(get("/api/status", &format!("host: localhost:PORT\r\n{TOKEN_HEADER}")), 200);
    check(get("/api/status", &format!("host: [::1]:PORT\r\n{TOKEN_HEADER}")), 200);
    check(post(&format!("{host}{TOKEN_HEADER}")), 400);
    check(post(&format!("{host}cookie: COOKIE\r\norigin: http://HOST\r\n")), 400);
    check(post(&format!("{host}cookie: COOKIE\r\nsec-fetch-site: same-origin\r\n")), 400);
    check(get("/", host), 200);
    check(get("/runs/r1", host), 200);

    // Another host: a foreign name that resolves to this machine.
    for host in
        ["evil.example", "evil.example:PORT", "127.0.0.1", "127.0.0.1:1", "127.0.0.1.evil.example:PORT"]
    {
        check(get("/api/status", &format!("host: {host}\r\n{TOKEN_HEADER}")), 421);
        check(get("/", &format!("host: {host}\r\n")), 421);
    }
    check(get("/api/status", TOKEN_HEADER), 421);
    check(get("/api/status", &format!("{host}host: evil.example\r\n{TOKEN_HEADER}")), 421);
    check(get("http://evil.example/api/status", &format!("{host}{TOKEN_HEADER}")), 421);
    check("GET /api/status HTTP/1.0\r\nauthorization: Bearer TOKEN\r\n\r\n".to_owned(), 421);

    // Missing or invalid token.
    check(get("/api/status", host), 401);
    check(get("/api/runs", &format!("{host}cookie: jangdan=COOKIE\r\n")), 401);
    check(get("/api/live", host), 401);
    check(get("/api/nothing", host), 401);
    check(get("/api/openapi.json", host), 401);
    check(get("/api/status?token=TOKEN", host), 401);
    check(post(host), 401);
    check(get("/api/status", &format!("{host}authorization: Basic TOKEN\r\n")), 401);
    check(get("/api/status", &format!("{host}authorization: Bearer \r\n")), 401);
    check(get("/api/status", &format!("{host}authorization: Bearer wrong\r\ncookie: COOKIE\r\n")), 401);

    // A page of another site, of another port, or of unknown origin.
    for origin in
        ["http://evil.example", "https://HOST", "http://127.0.0.1:1", "http://localhost", "null", ""]
    {
        check(post(&format!("{host}cookie: COOKIE\r\norigin: {origin}\r\n")), 403);
        check(get("/api/runs", &format!("{host}cookie: COOKIE\r\norigin: {origin}\r\n")), 403);
        check(get("/api/live", &format!("{host}cookie: COOKIE\r\n{UPGRADE}origin: {origin}\r\n")), 403);
    }
    for fetch_site in ["cross-site", "same-site", "nonsense"] {
        check(post(&format!("{host}cookie: COOKIE\r\nsec-fetch-site: {fetch_site}\r\n")), 403);
        check(get("/api/runs", &format!("{host}cookie: COOKIE\r\nsec-fetch-site: {fetch_site}\r\n")), 403);
    }
    check(post(&format!("{host}cookie: COOKIE\r\n")), 403);
    check(get("/api/live", &format!("{host}cookie: COOKIE\r\n{UPGRADE}")), 403);

    // Path traversal, and paths that read files.
    for request in
        ["GET /api/plans", "GET /api/plans/text", "POST /api/plans/preview", "POST /api/plans/start"]
    {
        check(format!("{request} HTTP/1.1\r\n{host}{JSON_BODY}"), 401);
        check(
            format!(
                "{request} HTTP/1.1\r\n{host}cookie: COOKIE\r\norigin: http://evil.example\r\n{JSON_BODY}"
            ),
            403,
        );
    }
    for path in ["/api/../token", "/api/runs/..%2f..%2ftoken", "/api/runs/r1/tasks/..%2f..%2ftoken/diff"] {
        check(get(path, &format!("{host}{TOKEN_HEADER}")), 404);
    }
    // None of these requests started a run.
    assert!(loopback.fixture.client.runs().unwrap().is_empty());
}

#[test]
fn terminal_opens_only_for_the_own_page_and_for_the_token() {
    let loopback = LoopbackClient::open();
    let run = loopback.fixture.start_run_with_questions(1);
    let path = format!("/api/runs/{run}/sessions/{}/terminal", worker_session(&loopback.fixture, &run));
    let check = |credentials: &str, expected: u16| {
        let request = format!("GET {path} HTTP/1.1\r\nhost: HOST\r\n{UPGRADE}{credentials}\r\n");
        assert_eq!(loopback.send_and_read_status(&request), expected, "{credentials}");
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
fn files_copied_into_a_worktree_come_from_the_project() {
    let loopback = LoopbackClient::open();
    let head =
        format!("POST /api/runs HTTP/1.1\r\nhost: HOST\r\n{TOKEN_HEADER}content-type: application/json\r\n");
    let check = |file: &str, expected: u16| {
        let mut new = serde_json::to_value(loopback.fixture.new_run(1)).unwrap();
        new["environment"]["copy"] = serde_json::json!([file]);
        let body = new.to_string();
        let response = loopback.send(&format!("{head}content-length: {}\r\n\r\n{body}", body.len()));
        assert_eq!(status(&response), expected, "{file}: {response}");
    };
    for file in ["../secret", "a/../../secret", "/etc/passwd", ".."] {
        check(file, 400);
    }
    assert!(loopback.fixture.client.runs().unwrap().is_empty());
    check("./settings/local.env", 201);
}

#[test]
fn too_large_requests_are_refused_and_the_server_continues() {
    let loopback = LoopbackClient::open();
    let body = " ".repeat(33 << 20);
    let head =
        format!("POST /api/runs HTTP/1.1\r\nhost: HOST\r\n{TOKEN_HEADER}content-type: application/json\r\n");
    let response = loopback.send(&format!("{head}content-length: {}\r\n\r\n{body}", body.len()));
    assert_eq!(status(&response), 413, "{response}");
    let response = loopback.send(&format!("GET /{} HTTP/1.1\r\nhost: HOST\r\n\r\n", "x".repeat(100_000)));
    assert_eq!(status(&response), 431, "{response}");
    assert_eq!(status(&loopback.send("GET / HTTP/1.1\r\nhost: HOST\r\n\r\n")), 200);
}

#[test]
fn code_in_a_link_becomes_a_cookie_once_and_is_removed_from_the_url() {
    let loopback = LoopbackClient::open();
    let code =
        || loopback.fixture.client.link(None).unwrap().unwrap().split_once("login=").unwrap().1.to_owned();
    let open = |path: &str, headers: &str| {
        loopback.send(&format!("GET {path} HTTP/1.1\r\nhost: HOST\r\n{headers}\r\n"))
    };
    let check = |path: &str, location: &str| {
        let response = open(path, "");
        assert_eq!((status(&response), header(&response, "location")), (303, Some(location)), "{response}");
        let cookie = header(&response, "set-cookie").unwrap();
        assert!(cookie.ends_with("; Path=/; Max-Age=2592000; HttpOnly; SameSite=Strict"), "{cookie}");
        assert!(!response.contains(&loopback.token), "{response}");
    };
    check(&format!("/?login={}", code()), "/");
    let run = "r1".parse().unwrap();
    let link = loopback.fixture.client.link(Some(&run)).unwrap().unwrap();
    let path = link.strip_prefix(&format!("http://{}", loopback.host)).unwrap();
    check(path, "/runs/r1");
    // A used link is void. A browser that is signed in is redirected all the same.
    let response = open(path, "");
    assert_eq!((status(&response), header(&response, "set-cookie")), (401, None), "{response}");
    let response = open(path, "cookie: COOKIE\r\n");
    assert_eq!((status(&response), header(&response, "set-cookie")), (303, None), "{response}");
    check(&format!("/runs/r1?tab=diff&login={}&x=1", code()), "/runs/r1?tab=diff&x=1");
    // Never redirects to another host, and no header is injected.
    check(&format!("//evil.example/?login={}", code()), "/evil.example/");
    check(&format!("///evil.example?login={}", code()), "/evil.example");
    check(
        &format!("/x%0d%0aset-cookie:%20a=b?login={}&y=%0d%0a", code()),
        "/x%0d%0aset-cookie:%20a=b?y=%0d%0a",
    );
    let response = open("/?login=wrong", "");
    assert_eq!((status(&response), header(&response, "set-cookie")), (401, None), "{response}");
    // The token itself is not a code, and looking at a link beforehand does not use it up.
    assert_eq!(header(&open("/?token=TOKEN", ""), "set-cookie"), None);
    assert_eq!(status(&open("/?login=TOKEN", "")), 401);
    let code = code();
    assert_eq!(status(&open(&format!("/?login={code}"), "sec-purpose: prefetch\r\n")), 200);
    assert_eq!(status(&loopback.send(&format!("HEAD /?login={code} HTTP/1.1\r\nhost: HOST\r\n\r\n"))), 200);
    check(&format!("/?login={code}"), "/");
}

#[test]
fn a_new_token_signs_out_every_browser_and_program() {
    let loopback = LoopbackClient::open();
    let ask = |headers: &str| {
        status(&loopback.send(&format!("GET /api/status HTTP/1.1\r\nhost: HOST\r\n{headers}\r\n")))
    };
    assert_eq!((ask(TOKEN_HEADER), ask("cookie: COOKIE\r\n")), (200, 200));
    let rotate = |headers: &str| {
        status(
            &loopback.send(&format!("POST /api/token/rotate HTTP/1.1\r\nhost: HOST\r\n{headers}{JSON_BODY}")),
        )
    };
    assert_eq!(rotate("cookie: COOKIE\r\norigin: http://HOST\r\n"), 401, "a cookie is not enough");
    let link = loopback.fixture.client.link(None).unwrap().unwrap();
    loopback.fixture.client.rotate_token().unwrap();
    assert_eq!((ask(TOKEN_HEADER), ask("cookie: COOKIE\r\n")), (401, 401));
    let path = link.strip_prefix(&format!("http://{}", loopback.host)).unwrap();
    assert_eq!(status(&loopback.send(&format!("GET {path} HTTP/1.1\r\nhost: HOST\r\n\r\n"))), 401);
    // Commands in a terminal read the new token by themselves.
    assert!(loopback.fixture.client.runs().unwrap().is_empty());
}

#[test]
fn a_refused_request_with_an_idempotency_key_is_not_remembered() {
    let loopback = LoopbackClient::open();
    let body = serde_json::to_string(&loopback.fixture.new_run(1)).unwrap();
    let start = |credentials: &str| {
        let head = "POST /api/runs HTTP/1.1\r\nhost: HOST\r\ncontent-type: application/json\r\nidempotency-key: k1\r\n";
        loopback.send(&format!("{head}{credentials}content-length: {}\r\n\r\n{body}", body.len()))
    };
    assert_eq!(status(&start("cookie: COOKIE\r\norigin: http://HOST\r\n")), 401);
    let started = start(TOKEN_HEADER);
    assert_eq!((status(&started), header(&started, "idempotency-replayed")), (201, None), "{started}");
    assert_eq!(header(&start(TOKEN_HEADER), "idempotency-replayed"), Some("true"));
    // The response is not for a client with less.
    assert_eq!(status(&start("cookie: COOKIE\r\norigin: http://HOST\r\n")), 422);
}

#[test]
fn silent_connections_do_not_lock_the_owner_out() {
    let loopback = LoopbackClient::open();
    let open = |request: &str| {
        let mut stream = TcpStream::connect(&loopback.host).unwrap();
        stream.write_all(loopback.fill_in(request).as_bytes()).unwrap();
        stream
    };
    let mut events = open("GET /api/live HTTP/1.1\r\nhost: HOST\r\nauthorization: Bearer TOKEN\r\n\r\n");
    let mut head = [0; 12];
    events.read_exact(&mut head).unwrap();
    assert_eq!(status(std::str::from_utf8(&head).unwrap()), 200);
    let silent: Vec<_> = (0..1200).map(|_| open("GET / HTTP/1.1\r\n")).collect();
    let since = std::time::Instant::now();
    assert_eq!(
        status(&loopback.send(&format!("GET /api/status HTTP/1.1\r\nhost: HOST\r\n{TOKEN_HEADER}\r\n"))),
        200
    );
    assert!(since.elapsed() < std::time::Duration::from_secs(5), "{:?}", since.elapsed());
    // A connection with access stays open.
    loopback.fixture.client.start_run(&loopback.fixture.new_run(1)).unwrap();
    let mut text = Vec::new();
    while !String::from_utf8_lossy(&text).contains("run.") {
        let mut part = [0; 1024];
        let length = events.read(&mut part).unwrap();
        assert!(length > 0, "the stream was closed");
        text.extend_from_slice(&part[..length]);
    }
    drop(silent);
}

#[test]
fn repeated_headers_are_refused() {
    let loopback = LoopbackClient::open();
    let own = "cookie: COOKIE\r\norigin: http://HOST\r\n";
    for repeated in [
        "origin: http://evil.example\r\n",
        "sec-fetch-site: same-origin\r\nsec-fetch-site: cross-site\r\n",
        "authorization: Bearer TOKEN\r\nauthorization: Bearer wrong\r\n",
        "idempotency-key: a\r\nidempotency-key: b\r\n",
    ] {
        let request = format!("POST /api/runs HTTP/1.1\r\nhost: HOST\r\n{own}{repeated}{JSON_BODY}");
        let response = loopback.send(&request);
        assert!(status(&response) == 400 && response.contains("several"), "{request}\n{response}");
    }
}

#[test]
fn invalid_tokens_are_limited_and_valid_ones_still_pass() {
    let loopback = LoopbackClient::open();
    let attempt = |request: &str| status(&loopback.send(&format!("GET {request}\r\n\r\n")));
    let statuses: Vec<_> = (0..15)
        .map(|round| match round % 3 {
            0 => attempt("/?login=wrong HTTP/1.1\r\nhost: HOST"),
            1 => attempt("/api/status HTTP/1.1\r\nhost: HOST\r\nauthorization: Bearer wrong"),
            _ => attempt("/api/status HTTP/1.1\r\nhost: HOST\r\ncookie: jangdan_PORT=wrong"),
        })
        .collect();
    assert_eq!(statuses[..10], [401; 10]);
    assert_eq!(statuses[11..], [429; 4], "{statuses:?}");
    assert_eq!(attempt("/api/status HTTP/1.1\r\nhost: HOST\r\nauthorization: Bearer TOKEN"), 200);
    assert_eq!(attempt("/api/status HTTP/1.1\r\nhost: HOST\r\ncookie: COOKIE"), 200);
}

#[test]
fn every_response_has_security_headers() {
    let loopback = LoopbackClient::open();
    for path in ["/", "/runs/r1", "/api/status", "/api/nothing", "/?login=wrong"] {
        let response = loopback.send(&format!("GET {path} HTTP/1.1\r\nhost: HOST\r\ncookie: COOKIE\r\n\r\n"));
        let policy = header(&response, "content-security-policy").unwrap();
        assert!(policy.starts_with("default-src 'none'; script-src 'self';"), "{policy}");
        assert!(!policy.contains("unsafe") && policy.contains("frame-ancestors 'none'"), "{policy}");
        let has = |name, value| assert_eq!(header(&response, name), Some(value), "{path}");
        has("x-content-type-options", "nosniff");
        has("x-frame-options", "DENY");
        has("referrer-policy", "no-referrer");
        has("cross-origin-opener-policy", "same-origin");
        has("cross-origin-resource-policy", "same-origin");
        assert!(
            header(&response, "cache-control").is_some()
                && header(&response, "access-control-allow-origin").is_none()
        );
    }
}

#[test]
fn browsers_stay_signed_in_after_a_restart_and_the_token_is_in_no_response() {
    let mut loopback = LoopbackClient::open();
    let link = loopback.fixture.client.link(None).unwrap().unwrap();
    assert!(!link.contains(&loopback.token), "{link}");
    loopback.fixture.restart();
    assert_eq!(
        status(&loopback.send("GET /api/status HTTP/1.1\r\nhost: HOST\r\ncookie: COOKIE\r\n\r\n")),
        200
    );
    let mode =
        std::fs::metadata(loopback.fixture.data_directory().join("token")).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
    for path in ["/api/status", "/api/runs", "/api/openapi.json"] {
        assert!(!loopback.fixture.request("GET", path, "").1.contains(&loopback.token), "{path}");
    }
}

/// Sends a request, on a new connection or after another request; returns the head of the response without headers of
/// the connection.
pub(crate) fn send_and_read_head(loopback: &LoopbackClient, request: &str, is_first: bool) -> Vec<String> {
    let mut stream = TcpStream::connect(&loopback.host).unwrap();
    let mut exchange = |request: &str| {
        stream.write_all(loopback.fill_in(request).as_bytes()).unwrap();
        let (mut response, mut byte) = (Vec::new(), [0; 1]);
        while !response.ends_with(b"\r\n\r\n") && stream.read(&mut byte).is_ok_and(|length| length > 0) {
            response.push(byte[0]);
        }
        String::from_utf8(response).unwrap()
    };
    if !is_first {
        exchange("HEAD /api/status HTTP/1.1\r\nhost: HOST\r\nauthorization: Bearer TOKEN\r\n\r\n");
    }
    let connection_headers = ["date:", "connection:", "transfer-encoding:", "content-length:"];
    let response = exchange(request);
    let lines = response.lines().filter(|line| !connection_headers.iter().any(|name| line.starts_with(name)));
    let mut lines: Vec<String> = lines.map(str::to_owned).collect();
    lines.sort();
    lines
}

#[test]
fn event_streams_have_the_same_access_check_as_requests() {
    let loopback = LoopbackClient::open();
    let get = |path: &str, headers: &str| format!("GET {path} HTTP/1.1\r\n{headers}\r\n");
    let valid = "host: HOST\r\nauthorization: Bearer TOKEN\r\n";
    let cases = [
        get("/api/live", valid),
        get("/api/live?after=0", "host: HOST\r\ncookie: COOKIE\r\nsec-fetch-site: same-origin\r\n"),
        get("/api/live?after=99", valid),
        get("/api/live?what=1", valid),
        get("/api/live?after=x%00", valid),
        get("/api/live", "host: HOST\r\n"),
        get("/api/live", "host: HOST\r\nauthorization: Bearer wrong\r\n"),
        get("/api/live", "host: evil.test\r\nauthorization: Bearer TOKEN\r\n"),
        get("/api/live", "authorization: Bearer TOKEN\r\n"),
        get("/api/live", "host: HOST\r\nhost: evil.test\r\nauthorization: Bearer TOKEN\r\n"),
        get("/api/live", "host: HOST\r\ncookie: COOKIE\r\norigin: http://evil.test\r\n"),
        get("/api/live", "host: HOST\r\ncookie: COOKIE\r\nsec-fetch-site: cross-site\r\n"),
        get("http://evil.test/api/live", valid),
        get("/api/liveness", valid),
        get("/api/live/", valid),
        get("/api/live", &format!("{valid}a b: c\r\n")),
        get("/api/live", &format!("{valid}expect: 100-continue\r\n")),
        format!("GET /api/live HTTP/1.0\r\n{valid}\r\n"),
        format!("GET /api/live HTTP/1.1\r\n{valid}content-length: 3\r\n\r\nabc"),
        format!("GET /api/live HTTP/1.1\r\n{valid}\r\nGET /api/status HTTP/1.1\r\n{valid}\r\n"),
        get("/api/live", &format!("{valid}{}", "x: y\r\n".repeat(80))),
        get("/api/live", &format!("{valid}x: {}\r\n", "y".repeat(6000))),
    ];
    let mut statuses = Vec::new();
    for case in &cases {
        let (first, second) =
            (send_and_read_head(&loopback, case, true), send_and_read_head(&loopback, case, false));
        assert_eq!(first, second, "{case}");
        statuses.push(status(first.iter().find(|line| line.starts_with("HTTP/")).map_or("", String::as_str)));
    }
    assert_eq!(
        statuses,
        [
            200, 200, 409, 400, 400, 401, 401, 421, 421, 421, 403, 403, 421, 404, 404, 400, 200, 200, 200,
            200, 431, 200
        ]
    );
}
