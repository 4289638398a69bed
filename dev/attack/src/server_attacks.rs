//! Attacks on the server and its interfaces: acting as the user, flooding, foreign connections.

use std::{
    fs,
    io::{BufRead, BufReader, Read, Write},
    net::TcpStream,
    process::{Child, Stdio},
    thread,
    time::{Duration, Instant},
};

use anyhow::{Context, Result, ensure};

use crate::{
    attack::{Attack, Guard, Outcome},
    stage::Stage,
};

pub(crate) const ATTACKS: &[Attack] = &[
    Attack {
        name: "an agent uses the socket with the user's token",
        guard: Guard::Always { control: Some(control_of_socket) },
        play: use_socket,
    },
    Attack {
        name: "an agent uses the port with the user's token",
        guard: Guard::Always { control: Some(control_of_port) },
        play: use_port,
    },
    Attack {
        name: "a daemon that an agent left behind uses the socket",
        guard: Guard::Always { control: None },
        play: use_socket_as_daemon,
    },
    Attack {
        name: "the command line acts for an agent",
        guard: Guard::Always { control: Some(control_of_command_line) },
        play: use_command_line,
    },
    Attack {
        name: "the first of two Origin headers counts",
        guard: Guard::Always { control: Some(control_of_two_origins) },
        play: send_two_origins,
    },
    Attack {
        name: "a refusal is replayed by its idempotency key",
        guard: Guard::Always { control: None },
        play: replay_refusal,
    },
    Attack {
        name: "a link to the page works twice",
        guard: Guard::Always { control: None },
        play: use_link_twice,
    },
    Attack {
        name: "a cookie starts a pasted plan with commands",
        guard: Guard::Always { control: None },
        play: paste_plan,
    },
    Attack {
        name: "silent connections lock others out",
        guard: Guard::Always { control: None },
        play: hold_connections,
    },
    Attack {
        name: "deep plans use up the memory",
        guard: Guard::Always { control: None },
        play: send_deep_plans,
    },
    Attack {
        name: "a flood of messages uses up the memory or delays others",
        guard: Guard::Always { control: None },
        play: flood,
    },
];

/// Memory that the server may have used at its peak.
const MEMORY_KIB_MAX: u64 = 300 * 1024;
/// Time within which others are answered.
const RESPONSE_MAX: Duration = Duration::from_secs(1);

/// A server of the stage. Ends when dropped.
struct Server {
    child: Child,
    token: String,
    port: u16,
}

impl Drop for Server {
    fn drop(&mut self) {
        // It may have ended by itself.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Server {
    fn start(stage: &Stage) -> Result<Self> {
        let mut child =
            stage.jangdan(&["serve", "--json"]).stdout(Stdio::piped()).stderr(Stdio::null()).spawn()?;
        let mut line = String::new();
        BufReader::new(child.stdout.take().context("no output")?).read_line(&mut line)?;
        let port = line.split("127.0.0.1:").nth(1).context("the server has no port")?;
        let digits: String = port.chars().take_while(char::is_ascii_digit).collect();
        let token = fs::read_to_string(stage.path("data/token"))?.trim().to_owned();
        Ok(Self { child, token, port: digits.parse()? })
    }

    fn peak_memory_kib(&self) -> Result<u64> {
        let status = fs::read_to_string(format!("/proc/{}/status", self.child.id()))?;
        let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).context("no memory")?;
        Ok(line.trim().trim_end_matches(" kB").parse()?)
    }

    /// Sends a request to the port. Returns its status and the whole response.
    fn send(&self, method: &str, path: &str, headers: &[String], body: &str) -> Result<(u16, String)> {
        let mut stream = TcpStream::connect(("127.0.0.1", self.port))?;
        stream.set_read_timeout(Some(Duration::from_secs(30)))?;
        let headers: String = headers.iter().map(|header| format!("{header}\r\n")).collect();
        write!(
            stream,
            "{method} {path} HTTP/1.1\r\nhost: 127.0.0.1:{}\r\nconnection: close\r\ncontent-type: application/json\r\n\
             {headers}content-length: {}\r\n\r\n{body}",
            self.port,
            body.len()
        )?;
        read_response(stream)
    }

    fn with_token(&self) -> String {
        format!("authorization: Bearer {}", self.token)
    }

    /// Returns a new link's path with its code.
    fn link(&self) -> Result<String> {
        let (status, text) = self.send("POST", "/api/links", &[self.with_token()], "{}")?;
        ensure!(status == 200, "{text}");
        let path = text.split(&format!("127.0.0.1:{}", self.port)).last().context("no link")?;
        Ok(path.split('"').next().unwrap_or_default().to_owned())
    }
}

fn read_response(mut stream: impl Read) -> Result<(u16, String)> {
    let mut bytes = Vec::new();
    stream.read_to_end(&mut bytes)?;
    let text = String::from_utf8_lossy(&bytes).into_owned();
    let status = text.split(' ').nth(1).and_then(|status| status.parse().ok()).context("no response")?;
    Ok((status, text))
}

/// Creates a code for pasted plans, which only the user may: over the socket, whose name follows `--unix-socket`.
fn request_script(address: &str) -> String {
    format!(
        "token=$(cat $JANGDAN_DATA/token || cat $STAGE/data/token)\n\
         curl -sf {address}/api/codes -X POST -H \"authorization: Bearer $token\" >/dev/null"
    )
}

fn socket_script(stage: &Stage) -> String {
    request_script(&format!("--unix-socket {} http://jangdan", stage.path("data/server.sock").display()))
}

fn use_socket(stage: &Stage) -> Result<Outcome> {
    let _server = Server::start(stage)?;
    stage.run_in_session(&socket_script(stage))
}

fn control_of_socket(stage: &Stage) -> Result<Outcome> {
    let _server = Server::start(stage)?;
    stage.run_outside(&socket_script(stage))?;
    Ok(Outcome::Succeeded)
}

fn use_port(stage: &Stage) -> Result<Outcome> {
    let server = Server::start(stage)?;
    stage.run_in_session(&request_script(&format!("http://127.0.0.1:{}", server.port)))
}

fn control_of_port(stage: &Stage) -> Result<Outcome> {
    let server = Server::start(stage)?;
    stage.run_outside(&request_script(&format!("http://127.0.0.1:{}", server.port)))?;
    Ok(Outcome::Succeeded)
}

/// The daemon leaves the process group and the Unix session, but keeps what the kernel passes on.
fn use_socket_as_daemon(stage: &Stage) -> Result<Outcome> {
    let _server = Server::start(stage)?;
    let script = socket_script(stage);
    // It acts when its parent has ended.
    stage.write(
        "worktree/daemon.sh",
        &format!("while kill -0 $1 2>/dev/null; do sleep 0.02; done\n(\n{script}\n)\necho $? > daemon.new\nmv daemon.new daemon\n"),
    )?;
    let outcome = stage.run_in_session(
        "sh -c 'setsid sh daemon.sh $$ </dev/null >/dev/null 2>&1 &'\nwhile [ ! -e daemon ]; do sleep 0.02; done\nexit $(cat daemon)",
    )?;
    Ok(outcome)
}

fn use_command_line(stage: &Stage) -> Result<Outcome> {
    let _server = Server::start(stage)?;
    stage.run_in_session("jangdan link --code --data $STAGE/data")
}

fn control_of_command_line(stage: &Stage) -> Result<Outcome> {
    let _server = Server::start(stage)?;
    let done = stage.jangdan(&["link", "--code"]).output()?;
    Ok(Outcome::from_success(done.status.success()))
}

fn origins(server: &Server, second: &str) -> Result<Outcome> {
    let (_, page) = server.send("GET", &server.link()?, &[], "")?;
    let cookie = page.lines().find_map(|line| line.strip_prefix("set-cookie: ")).context("no cookie")?;
    let cookie = cookie.split(';').next().unwrap_or_default();
    let headers =
        [format!("cookie: {cookie}"), format!("origin: http://127.0.0.1:{}", server.port), second.to_owned()];
    let (status, _) = server.send("GET", "/api/runs", &headers, "")?;
    Ok(Outcome::from_success(status == 200))
}

fn send_two_origins(stage: &Stage) -> Result<Outcome> {
    origins(&Server::start(stage)?, "origin: http://example.org")
}

fn control_of_two_origins(stage: &Stage) -> Result<Outcome> {
    origins(&Server::start(stage)?, "x-other: http://example.org")
}

fn replay_refusal(stage: &Stage) -> Result<Outcome> {
    let server = Server::start(stage)?;
    let key = "idempotency-key: once".to_owned();
    let wrong = [key.clone(), "authorization: Bearer wrong".to_owned()];
    let (refused, text) = server.send("POST", "/api/codes", &wrong, "")?;
    ensure!(refused == 401, "{text}");
    let (status, _) = server.send("POST", "/api/codes", &[key, server.with_token()], "")?;
    Ok(Outcome::from_success(status == 401))
}

fn use_link_twice(stage: &Stage) -> Result<Outcome> {
    let server = Server::start(stage)?;
    let path = server.link()?;
    let has_cookie = |text: &str| text.to_ascii_lowercase().contains("set-cookie:");
    ensure!(has_cookie(&server.send("GET", &path, &[], "")?.1), "the link does not work at all");
    Ok(Outcome::from_success(has_cookie(&server.send("GET", &path, &[], "")?.1)))
}

fn paste_plan(stage: &Stage) -> Result<Outcome> {
    stage.create_project(&[("file", "x\n")], "echo \"DONE:$JANGDAN_TASK:it is there\"", "")?;
    let server = Server::start(stage)?;
    let (_, page) = server.send("GET", &server.link()?, &[], "")?;
    let cookie = page.lines().find_map(|line| line.strip_prefix("set-cookie: ")).context("no cookie")?;
    let project = stage.path("project").display().to_string();
    let body = format!(
        "{{\"project\": \"{project}\", \"person\": \"x\", \"text\": \"# P\\n\\n### T1: x\\n- **Verify**: touch {}/sprung\\n\"}}",
        stage.path("outside").display()
    );
    let headers = [
        format!("cookie: {}", cookie.split(';').next().unwrap_or_default()),
        format!("origin: http://127.0.0.1:{}", server.port),
    ];
    let (status, _) = server.send("POST", "/api/plans/start", &headers, &body)?;
    Ok(Outcome::from_success(status < 300 || stage.is_harmed()?))
}

fn hold_connections(stage: &Stage) -> Result<Outcome> {
    let server = Server::start(stage)?;
    let limit = rustix::process::getrlimit(rustix::process::Resource::Nofile);
    let n = limit.current.unwrap_or(4096).saturating_sub(100).min(2600);
    let held: Vec<TcpStream> =
        (0..n).map_while(|_| TcpStream::connect(("127.0.0.1", server.port)).ok()).collect();
    let start = Instant::now();
    let answered =
        server.send("GET", "/api/runs", &[server.with_token()], "").is_ok_and(|(status, _)| status == 200);
    let is_late = start.elapsed() > RESPONSE_MAX;
    drop(held);
    Ok(Outcome::from_success(!answered || is_late))
}

fn send_deep_plans(stage: &Stage) -> Result<Outcome> {
    let server = Server::start(stage)?;
    let body = format!("{{\"name\": \"p.json\", \"text\": \"{}\"}}", "[".repeat(15_000_000));
    thread::scope(|scope| {
        for _ in 0..4 {
            // It may be refused; what counts is the memory.
            scope.spawn(|| drop(server.send("POST", "/api/plans/check", &[server.with_token()], &body)));
        }
    });
    Ok(Outcome::from_success(server.peak_memory_kib()? > MEMORY_KIB_MAX))
}

/// Requests, the messages that cost most: each is a row, an item of the inbox and a reason to wait.
const FLOOD: &str = r#"
message='[DEPENDENCY_REQUEST]
type: api_key
name: KEY
description: for it
required: true
[/DEPENDENCY_REQUEST]'
yes "$message" | head -c 4000000
sleep 30
"#;

fn flood(stage: &Stage) -> Result<Outcome> {
    stage.create_project(&[("file", "x\n")], FLOOD, "")?;
    stage.write("project/TASKS.md", "# P\n\n### T1: One\n")?;
    let server = Server::start(stage)?;
    let mut run = stage
        .jangdan(&["run", "--yes", "--no-wait", "--include-changes"])
        .current_dir(stage.path("project"))
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()?;
    let deadline = Instant::now() + Duration::from_secs(20);
    let mut slowest = Duration::ZERO;
    // A second more after the first message.
    let mut n_after = 0;
    while n_after < 20 && Instant::now() < deadline {
        let start = Instant::now();
        let (status, text) = server.send("GET", "/api/inbox", &[server.with_token()], "")?;
        ensure!(status == 200, "{text}");
        slowest = slowest.max(start.elapsed());
        n_after += u32::from(n_after > 0 || text.contains("KEY"));
        thread::sleep(Duration::from_millis(50));
    }
    run.kill()?;
    run.wait()?;
    ensure!(n_after > 0, "the agent did not flood");
    let memory = server.peak_memory_kib()?;
    if slowest > RESPONSE_MAX {
        eprintln!("   the slowest response took {slowest:?}");
    }
    Ok(Outcome::from_success(memory > MEMORY_KIB_MAX || slowest > RESPONSE_MAX))
}
