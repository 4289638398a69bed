//! `cargo xtask api`: tests a real server with requests that schemathesis generates from its OpenAPI description.
//!
//! Requests are sent with a token and without. No response may be a server error, and each must match the description.
//! schemathesis is installed once from PyPI, into the user's cache.

use std::{
    env, fs,
    io::{BufRead, BufReader},
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
};

use anyhow::{Context, Result, ensure};
use clap::Args;
use serde_json::{Value, json};

use crate::shell::{self, step};

/// The version that this command was tested with.
const SCHEMATHESIS: &str = "schemathesis==4.32.5";
/// Checks for every response.
const CHECKS: &str = "not_a_server_error,status_code_conformance,content_type_conformance,\
                      response_headers_conformance,response_schema_conformance";
/// Paths that are not tested: the endless stream, and the one that stops the server.
const EXCLUDED: &str = "^/api/(live|stop)$";

/// A script for an agent that asks a question and waits for the answer.
const ASKING_AGENT: &str =
    "read task\nprintf '[ASK_USER]\\nquestion: Which colour?\\n[/ASK_USER]\\n'\nread answer\n";

/// Options of `cargo xtask api`.
#[derive(Args)]
pub(crate) struct Options {
    /// Number of generated requests for each path.
    #[arg(long, default_value_t = 30)]
    pub examples: u32,
}

/// Installs schemathesis if it is missing, starts a server, and tests it.
pub(crate) fn run(options: &Options) -> Result<()> {
    let program = install()?;
    let jangdan =
        step("build", "cargo build shows more", || shell::build_programs(&["jangdan"]))?.join("jangdan");
    let target = shell::target_directory()?;
    let folder = target.join("api");
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(folder.join("project"))?;
    let server = Server::start(&jangdan, &folder)?;
    let run = server.start_run(&folder)?;
    fs::write(
        folder.join("openapi.json"),
        with_known_ids(&server.send_request(&["/api/openapi.json"])?, &run)?,
    )?;
    for (title, header) in
        [("with a token", Some(format!("Authorization: Bearer {}", server.token))), ("without a token", None)]
    {
        let hint = "each failure above ends with a curl command that shows it";
        step(&format!("schemathesis {title}"), hint, || {
            shell::run(&mut schemathesis(&program, &folder, &server, header.as_deref(), options.examples))
        })?;
    }
    Ok(())
}

fn schemathesis(
    program: &Path,
    folder: &Path,
    server: &Server,
    header: Option<&str>,
    examples: u32,
) -> Command {
    let mut command = Command::new(program);
    command.current_dir(folder).arg("run").arg(folder.join("openapi.json"));
    command.args(["--url", &server.address, "--checks", CHECKS, "--exclude-path-regex", EXCLUDED]);
    command.args(["--phases", "examples,coverage,fuzzing", "--max-examples", &examples.to_string()]);
    // The same requests every time, so that a failure can be reproduced.
    command.args(["--seed", "1", "--generation-database", "none", "--suppress-health-check", "all"]);
    command.args([
        "--generation-with-security-parameters",
        "false",
        "--workers",
        "2",
        "--warnings",
        "off",
        "--request-timeout",
        "60",
        "--no-color",
    ]);
    command.args(header.iter().flat_map(|header| ["--header", header]));
    command
}

/// Returns the program schemathesis; installs it if it is missing.
fn install() -> Result<PathBuf> {
    let set = |name| env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    let usual = set("XDG_CACHE_HOME").or_else(|| Some(set("HOME")?.join(".cache")));
    let folder = usual.context("neither XDG_CACHE_HOME nor HOME is set")?.join("jangdan").join(SCHEMATHESIS);
    let program = folder.join("bin/schemathesis");
    if !program.exists() {
        step("schemathesis", "Python 3.10 or newer with venv and pip is needed", || {
            shell::run(Command::new("python3").args(["-m", "venv", "--clear"]).arg(&folder))?;
            shell::run(Command::new(folder.join("bin/pip")).args(["install", "--quiet", SCHEMATHESIS]))
        })?;
    }
    ensure!(program.exists(), "{} does not exist after the installation", program.display());
    Ok(program)
}

/// A server with one run; stopped when dropped.
struct Server {
    child: Child,
    address: String,
    token: String,
}

impl Server {
    fn start(jangdan: &Path, folder: &Path) -> Result<Self> {
        let data = folder.join("data");
        let mut command = Command::new(jangdan);
        command.arg("serve").env("JANGDAN_DATA", &data).current_dir(folder.join("project"));
        let mut child =
            command.stdin(Stdio::null()).stderr(Stdio::piped()).spawn().context("start jangdan")?;
        let mut lines = BufReader::new(child.stderr.take().context("jangdan has no standard error")?).lines();
        lines
            .find_map(|line| line.ok()?.contains("jangdan link").then_some(()))
            .context("jangdan serve has no page")?;
        let port = fs::read_to_string(data.join("port"))?;
        let token = fs::read_to_string(data.join("token"))?;
        Ok(Self { child, address: format!("http://127.0.0.1:{}", port.trim()), token })
    }

    /// Starts a run whose agent waits for an answer, so that every path has an object.
    fn start_run(&self, folder: &Path) -> Result<String> {
        let project = folder.join("project");
        fs::write(project.join("waits.sh"), ASKING_AGENT)?;
        let new = json!({
            "project": "walls", "person": "ana",
            "work": {"title": "Paint", "phases": [{"number": 1, "name": "Paint", "after": []}],
                     "tasks": [{"id": "T1.1", "phase": 1, "title": "Paint it"}]},
            "settings": {"slots": 1, "gateApproval": "automatic"},
            "team": [{"name": "dev", "role": "worker"}],
            "environment": {"project": project, "isolation": {"type": "inPlace"}, "agents": {"dev": "waits"},
                       "presets": {"waits": {"extends": "shell", "arguments": ["waits.sh"]}}},
        });
        let started: Value =
            serde_json::from_str(&self.send_request(&["/api/runs", "--json", &new.to_string()])?)?;
        started.get("run").and_then(Value::as_str).map(str::to_owned).context("the response has no run")
    }

    /// Sends a request with curl and returns the body: the path, then further arguments for curl.
    fn send_request(&self, arguments: &[&str]) -> Result<String> {
        let (path, more) = arguments.split_first().context("the path is missing")?;
        let mut command = Command::new("curl");
        command.args(["--silent", "--fail", "--header", &format!("Authorization: Bearer {}", self.token)]);
        shell::command_output(command.arg(format!("{}{path}", self.address)).args(more))
    }
}

/// Limits the ids in paths to one that exists and one that does not.
fn with_known_ids(description: &str, run: &str) -> Result<String> {
    let mut description: Value = serde_json::from_str(description)?;
    let paths = description.get_mut("paths").and_then(Value::as_object_mut);
    let items = paths.context("the description has no paths")?.values_mut().filter_map(Value::as_object_mut);
    for operation in items.flat_map(|item| item.values_mut()) {
        let parameters = operation.get_mut("parameters").and_then(Value::as_array_mut);
        for parameter in parameters.into_iter().flatten().filter_map(Value::as_object_mut) {
            let known = match parameter.get("name").and_then(Value::as_str) {
                Some("run") => run,
                Some("task") => "T1.1",
                Some("session") => "s_3",
                _ => continue,
            };
            parameter.insert("schema".to_owned(), json!({"type": "string", "enum": [known, "unknown"]}));
        }
    }
    Ok(description.to_string())
}

impl Drop for Server {
    fn drop(&mut self) {
        if self.send_request(&["/api/stop", "--json", r#"{"agents":"end"}"#]).is_err() {
            let _ = self.child.kill();
        }
        let _ = self.child.wait();
    }
}
