//! Sandboxed sessions with real programs: what they can and cannot do.

#![expect(clippy::unwrap_used, reason = "a test that cannot run its program has failed")]

use std::{
    fs,
    io::{Read, Write},
    os::unix::{
        fs::{chown, symlink},
        net::UnixStream,
        process::CommandExt,
    },
    path::{Path, PathBuf},
    process::{Command, Output},
    time::{Duration, Instant},
};

use holder::{
    SOCKET_NAME, TOKEN_NAME,
    mask::Secret,
    protocol::{FrameReader, Reply, Request},
};
use tempfile::TempDir;

const JANGDAN: &str = env!("CARGO_BIN_EXE_jangdan");
/// Time limit of a wait; the machine may be busy, and the first test of Go compiles its standard library.
const TIMEOUT: Duration = Duration::from_secs(150);
/// Prints whether each attempt succeeded.
const TRY: &str = r#"try() { name=$1; shift; if eval "$*" >/dev/null 2>&1; then echo "$name: yes"; else echo "$name: no"; fi; }"#;

/// A folder with a worktree, a data directory, a folder outside of the sandbox, and a home.
struct SandboxFixture {
    folder: TempDir,
    program: PathBuf,
    user: Option<u32>,
}

impl SandboxFixture {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        for name in ["worktree", "outside", "home/.cache", "tmp", "data/vault"] {
            fs::create_dir_all(folder.path().join(name)).unwrap();
        }
        fs::write(folder.path().join("data/vault/key"), "secret").unwrap();
        fs::write(folder.path().join("outside/there"), "as it was").unwrap();
        Self { folder, program: JANGDAN.into(), user: None }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Returns a command that starts in the worktree with the variables of the fixture.
    fn command(&self, program: impl AsRef<std::ffi::OsStr>) -> Command {
        let mut command = Command::new(program);
        command
            .current_dir(self.path("worktree"))
            .env("JANGDAN_DATA", self.path("data"))
            .env("HOME", self.path("home"))
            .env("TMPDIR", self.path("tmp"))
            .env("OUT", self.path("outside"))
            .env("ROOT", self.folder.path())
            .env("GIT_CONFIG_NOSYSTEM", "1")
            .env_remove("JANGDAN_SESSION");
        // Toolchains are found by the home folder otherwise.
        if let (Some(home), None) = (std::env::var_os("HOME"), std::env::var_os("RUSTUP_HOME")) {
            command.env("RUSTUP_HOME", Path::new(&home).join(".rustup"));
        }
        if let Some(user) = self.user {
            command.uid(user).gid(user);
        }
        command
    }

    fn run_session_command(&self, arguments: &[&str]) -> Output {
        self.command(&self.program).arg("session").args(arguments).output().unwrap()
    }

    /// Runs a script in a sandboxed session to its end, and returns its output.
    fn run_sandboxed_script(&self, script: &str) -> String {
        let name = &unique_session_name();
        let script = format!("{TRY}\n{script}");
        let arguments =
            ["start", "--sandbox", "required", "--pipes", "--name", name, "--", "sh", "-c", &script];
        let started = self.run_session_command(&arguments);
        assert!(started.status.success(), "{}", lossy_text(&started.stderr));
        let deadline = Instant::now() + TIMEOUT;
        let has_ended = || {
            lossy_text(&self.run_session_command(&["list", "--json"]).stdout)
                .lines()
                .any(|line| line.contains(&format!("{{\"name\":\"{name}\",\"state\":\"ended\"")))
        };
        while !has_ended() {
            assert!(Instant::now() < deadline, "the session does not end");
            std::thread::yield_now();
        }
        lossy_text(&self.run_session_command(&["log", name]).stdout)
    }
}

/// Returns a session name that is unique on this machine.
fn unique_session_name() -> String {
    format!("box-{}", std::process::id())
}

fn lossy_text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

fn assert_every_line_ends_with(output: &str, answer: &str) {
    assert!(output.contains(": "), "no attempt was made: {output}");
    for line in output.lines().filter(|line| !line.is_empty()) {
        assert!(line.ends_with(answer), "{line}\n\n{output}");
    }
}

const OUTSIDE: &str = r#"
    echo x > inside
    try new 'echo x > $OUT/new'
    try change 'echo x > $OUT/there'
    try truncate 'truncate -s 0 $OUT/there'
    try remove 'rm -f $OUT/there'
    try folder 'mkdir $OUT/folder'
    try rename-out 'mv -T inside $OUT/renamed'
    try rename-in 'mv -T $OUT/there stolen'
    try hard-link-in 'ln $OUT/there linked && echo x > linked'
    try hard-link-out 'ln inside $OUT/linked'
    ln -s $OUT/there pointer
    ln -s $OUT folder
    try through-a-link 'echo x > pointer'
    try through-a-folder 'echo x > folder/new'
    try by-the-root-of-proc 'echo x > /proc/self/root$OUT/new'
    try by-the-cwd-of-proc 'echo x > /proc/self/cwd/../outside/new'
    try home 'echo x > $HOME/new'
    try a-device 'mknod disk b 1 0'
    try a-mount 'mount -t tmpfs none $OUT'
    try its-own-spool 'echo x >> $JANGDAN_DATA/sessions/$NAME/about.json'
    try its-data 'echo x > $JANGDAN_DATA/new'
    (setsid sh -c 'echo x > $OUT/daemon; echo over > daemon-over' >/dev/null 2>&1 &)
    until [ -s daemon-over ]; do sleep 0.02; done
    try the-daemon 'test -e $OUT/daemon'
"#;

#[test]
fn nothing_outside_of_the_sandbox_can_be_written() {
    let fixture = SandboxFixture::new();
    assert_every_line_ends_with(&fixture.run_sandboxed_script(OUTSIDE), ": no");
    assert_eq!(fs::read_to_string(fixture.path("outside/there")).unwrap(), "as it was");
    assert_eq!(fs::read_dir(fixture.path("outside")).unwrap().count(), 1);
    assert_eq!(fs::read_to_string(fixture.path("worktree/inside")).unwrap(), "x\n");
}

#[test]
fn abstract_sockets_and_other_agents_are_out_of_reach() {
    let fixture = SandboxFixture::new();
    for folder in ["home/.codex", "home/.claude"] {
        fs::create_dir_all(fixture.path(folder)).unwrap();
    }
    let name = format!("jangdan-test-{}", std::process::id());
    let address =
        <std::os::unix::net::SocketAddr as std::os::linux::net::SocketAddrExt>::from_abstract_name(&name)
            .unwrap();
    let _listener = std::os::unix::net::UnixListener::bind_addr(&address).unwrap();
    let script = format!(
        r#"
        try state-of-codex 'echo x > $HOME/.codex/config.toml'
        try state-of-claude 'echo x > $HOME/.claude/settings.json'
        try cache 'mkdir $HOME/.cache/new && false'
        try abstract-socket 'python3 -c "import socket; socket.socket(socket.AF_UNIX).connect(chr(0) + \"{name}\")"'
        try capabilities 'test "$(( 0x$(sed -n "s/^CapEff:.//p" /proc/self/status) & ~0x4db ))" != 0'
        "#
    );
    assert_every_line_ends_with(&fixture.run_sandboxed_script(&script), ": no");
}

const INSIDE: &str = r#"
    try file 'echo x > a && echo y >> a && grep -q y a'
    try folders 'mkdir -p b/c && mv a b/c/a && ln b/c/a b/a && ln -s c/a b/link && cat b/link && rm -r b'
    try pipes 'mkfifo p && (echo x > p &) && read line < p'
    try state 'echo x > $HOME/.cache/x'
    try temporary 'echo x > $(mktemp)'
    try devices 'echo x > /dev/null && head -c 9 /dev/urandom > /dev/zero'
    try output 'echo x > /dev/stderr'
    try shared-memory 'f=/dev/shm/jangdan-test-$$; echo x > $f && rm $f'
    try reading 'ls / /proc /usr/bin && cat /etc/passwd $OUT/there && ls $JANGDAN_DATA'
    try python '! command -v python3 >/dev/null || python3 -c "import subprocess, multiprocessing as m; m.Lock(); subprocess.run([\"true\"], check=True)"'
    try terminal '! command -v python3 >/dev/null || python3 -c "import pty; assert pty.spawn([\"true\"]) == 0"'
    try git 'git init -q r && git -C r -c user.name=T -c user.email=t@e commit -q --allow-empty -m x'
    try no-new-privileges 'grep -q "NoNewPrivs:.*1" /proc/self/status'
"#;

#[test]
fn programs_work_in_the_sandbox() {
    let fixture = SandboxFixture::new();
    let output = fixture.run_sandboxed_script(INSIDE);
    assert_every_line_ends_with(&output, ": yes");
    assert_eq!(
        output.lines().filter(|line| line.contains(": ")).count(),
        INSIDE.matches("try ").count(),
        "{output}"
    );
}

/// Package managers and test runners, as far as they are installed. Nothing is downloaded.
const TOOLS: &str = r#"
    mkdir rust js py go
    try cargo '! command -v cargo || (cd rust && cargo init --quiet --name demo --lib && cargo test --offline)'
    try npm '! command -v npm || (cd js && mkdir dep && (cd dep && npm init -y) && npm init -y && npm install --offline ./dep)'
    try node '! command -v node || (mkdir node && cd node && echo "import test from \"node:test\"; test(\"x\", () => {})" > a.test.mjs && node --test a.test.mjs)'
    try venv '! python3 -c "import ensurepip" || (cd py && python3 -m venv v && v/bin/pip --version)'
    try unittest '! command -v python3 || (cd py && echo "import tempfile, unittest
class X(unittest.TestCase):
    def test_x(self): tempfile.mkdtemp()" > test_x.py && python3 -m unittest)'
    try go '! command -v go || (cd go && go mod init x && printf "package x
import \"testing\"
func TestX(t *testing.T) {}" > x_test.go && GOFLAGS=-mod=mod go test ./...)'
    try copies 'mkdir c && chmod 750 c && echo x > c/d && cp -a c e && tar cf c.tar c && tar xf c.tar && touch -d yesterday c/d && install -m 700 c/d f'
    try limits 'ulimit -n 128'
    try its-own-terminal '! command -v script || script -qec true /dev/null'
"#;

#[test]
fn package_managers_and_test_runners_work_in_the_sandbox() {
    let fixture = SandboxFixture::new();
    let output = fixture.run_sandboxed_script(TOOLS);
    assert_every_line_ends_with(&output, ": yes");
    assert_eq!(
        output.lines().filter(|line| line.contains(": ")).count(),
        TOOLS.matches("\n    try ").count(),
        "{output}"
    );
}

/// Attempts that only the filter of system calls prevents.
const FILTERED: &str = r#"
    try limits-of-others 'python3 -c "import os, resource
resource.prlimit(os.getppid(), resource.RLIMIT_NOFILE, (64, 64))"'
    try attributes 'python3 -c "import os; os.setxattr(\"inside\", \"user.x\", b\"y\")"'
    try set-user-id 'cp /bin/true own && chmod u+s own'
    try user-namespace 'unshare --user true'
    try planted 'echo x > $ROOT/tmp/planted'
"#;

#[test]
fn system_calls_that_reach_outside_of_the_sandbox_are_refused() {
    let fixture = SandboxFixture::new();
    fs::write(fixture.path("worktree/inside"), "x").unwrap();
    assert_every_line_ends_with(&fixture.run_sandboxed_script(FILTERED), ": no");
    let deadline = Instant::now() + TIMEOUT;
    while fs::read_dir(fixture.path("tmp")).unwrap().next().is_some() {
        assert!(Instant::now() < deadline, "the own temporary folder is not removed");
        std::thread::yield_now();
    }
}

#[test]
fn data_of_jangdan_cannot_be_read() {
    let fixture = SandboxFixture::new();
    let other = format!("other-{}", unique_session_name());
    symlink(fixture.path("data/vault"), fixture.path("beside")).unwrap();
    assert!(
        fixture
            .run_session_command(&["start", "--pipes", "--name", &other, "--", "echo", "secret"])
            .status
            .success()
    );
    let script = r#"
        jangdan say done T1.3 && echo "said: no"
        NAME=${JANGDAN_SESSION%.*}
        O=$JANGDAN_DATA/sessions/other-$NAME
        ln -s $JANGDAN_DATA data
        try vault 'cat $JANGDAN_DATA/vault/key'
        try spool 'cat $O/*.spool'
        try about 'cat $O/about.json'
        try through-a-link 'cat data/vault/key'
        try through-a-link-of-before 'cat $ROOT/beside/key'
        try by-the-root-of-proc 'cat /proc/self/root$JANGDAN_DATA/vault/key'
        try by-a-hard-link 'ln $JANGDAN_DATA/vault/key key && cat key'
        try by-a-rename 'mv $JANGDAN_DATA/vault vault && cat vault/key'
        try by-the-holder 'cat /proc/$PPID/cwd/about.json'
        try its-memory 'cat /proc/$PPID/environ'
        try to-end-the-holder 'kill -9 $PPID'
        try its-own-about '! cat $JANGDAN_DATA/sessions/$NAME/about.json >/dev/null'
    "#;
    let output = fixture.run_sandboxed_script(script);
    assert_every_line_ends_with(&output, ": no");
    assert!(output.contains("said: no"), "{output}");
    let spool = fs::read_dir(fixture.path("data/sessions").join(unique_session_name()))
        .unwrap()
        .map(|entry| entry.unwrap().path());
    let spool = spool.filter(|path| path.extension().is_some_and(|end| end == "spool"));
    let spool: Vec<u8> = spool.flat_map(|path| fs::read(path).unwrap()).collect();
    assert!(lossy_text(&spool).contains("DONE:T1.3 k"), "the message is in the spool");
}

const ATTACK: &str = "JANGDAN_TEST_ATTACK";

/// Not a test: a sandboxed program that attacks another session with the holder's protocol.
#[test]
fn attack_session_socket() {
    let Some(directory) = std::env::var_os(ATTACK) else { return };
    let directory = Path::new(&directory);
    let token = |name: &str| fs::read(directory.join(name)).ok().map(Secret::new);
    let stolen = token(TOKEN_NAME);
    println!("token: {}", if stolen.is_some() { "yes" } else { "no" });
    // `given` is readable in the sandbox: it shows that the attack works with the token.
    for (name, token) in [("end", stolen), ("end-with-the-token", token("../../../worktree/given"))] {
        let mut stream = UnixStream::connect(directory.join(SOCKET_NAME)).unwrap();
        stream.write_all(&Request::Hello { version_min: 1, version_max: 2, token }.encode(1)).unwrap();
        let _ = stream.write_all(&Request::End { grace: Duration::ZERO }.encode(2));
        let mut answer = Vec::new();
        let _ = stream.read_to_end(&mut answer);
        let mut frames = FrameReader::default();
        frames.push(&answer);
        let replies = std::iter::from_fn(|| frames.next_frame().unwrap());
        let is_done = replies.filter_map(|frame| Reply::decode(&frame)).any(|reply| reply == Reply::Done);
        println!("{name}: {}", if is_done { "yes" } else { "no" });
    }
}

#[test]
fn the_socket_of_another_session_refuses_without_its_token() {
    let fixture = SandboxFixture::new();
    let other = format!("victim-{}", unique_session_name());
    let started = fixture.run_session_command(&["start", "--pipes", "--name", &other, "--", "sleep", "1000"]);
    assert!(started.status.success(), "{}", lossy_text(&started.stderr));
    let directory = fixture.path("data/sessions").join(&other);
    let attack = |fixture: &SandboxFixture| {
        let test = std::env::current_exe().unwrap();
        let attack = format!("{ATTACK}={}", directory.display());
        let script = format!(
            "{attack} {} --exact attack_session_socket --nocapture | grep -E '^(token|end)'",
            test.display()
        );
        fixture.run_sandboxed_script(&script)
    };
    assert_every_line_ends_with(&attack(&fixture), ": no");
    let listed = lossy_text(&fixture.run_session_command(&["list", "--json"]).stdout);
    assert!(listed.contains(&format!("{{\"name\":\"{other}\",\"state\":\"running\"")), "{listed}");
    assert!(fixture.run_session_command(&["remove", &unique_session_name()]).status.success());

    fs::copy(directory.join(TOKEN_NAME), fixture.path("worktree/given")).unwrap();
    let output = attack(&fixture);
    assert_eq!(output.lines().last(), Some("end-with-the-token: yes"), "{output}");
}

#[test]
fn a_linked_worktree_can_commit_but_not_change_its_repository() {
    let fixture = SandboxFixture::new();
    fs::remove_dir(fixture.path("worktree")).unwrap();
    let script = "cd $ROOT && git init -q main && cd main && git config user.name T && git config user.email t@e && \
                  git commit -q --allow-empty -m first && git worktree add -q ../worktree";
    let made =
        fixture.command("sh").current_dir(fixture.folder.path()).args(["-c", script]).output().unwrap();
    assert!(made.status.success(), "{}", lossy_text(&made.stderr));
    let script = r#"
        echo x > file
        try commit '! (git add file && git commit -q -m second && git branch side && git stash list)'
        try hook 'echo x > $ROOT/main/.git/hooks/pre-commit'
        try config 'git config core.fsmonitor /bin/false'
        try checkout 'echo x > $ROOT/main/file'
        try head 'echo x > $ROOT/main/.git/HEAD'
        try pipe 'mkfifo $ROOT/main/.git/refs/heads/pipe'
    "#;
    assert_every_line_ends_with(&fixture.run_sandboxed_script(script), ": no");
    let log = fixture.command("git").args(["log", "--format=%s", "worktree"]).output().unwrap();
    assert_eq!(lossy_text(&log.stdout), "second\nfirst\n");
}

#[test]
fn the_sandbox_works_for_an_ordinary_user() {
    const NOBODY: u32 = 65534;
    let mut fixture = SandboxFixture::new();
    let is_root = fs::metadata(fixture.folder.path())
        .is_ok_and(|found| std::os::unix::fs::MetadataExt::uid(&found) == 0);
    // Otherwise all tests run as an ordinary user.
    if is_root {
        fixture.program = fixture.path("jangdan");
        fixture.user = Some(NOBODY);
        fs::copy(JANGDAN, &fixture.program).unwrap();
        let names =
            ["", "worktree", "outside", "outside/there", "home", "home/.cache", "tmp", "data", "data/vault"];
        for name in names {
            chown(fixture.path(name), Some(NOBODY), Some(NOBODY)).unwrap();
        }
    }
    assert_every_line_ends_with(
        &fixture.run_sandboxed_script(&format!(
            "{OUTSIDE}\ntry vault 'cat $JANGDAN_DATA/vault/key'\ntry its-memory 'cat /proc/$PPID/environ'"
        )),
        ": no",
    );
    assert_eq!(fs::read_to_string(fixture.path("worktree/inside")).unwrap(), "x\n");
}

#[test]
fn without_a_sandbox_the_program_is_not_executed() {
    let fixture = SandboxFixture::new();
    // The kernel allows sixteen nested sandboxes.
    let layers = |count: usize, file: &str| {
        let layer = [JANGDAN, "sandboxed", "--write", ".", "--"].repeat(count);
        fixture.command("env").args(layer).args(["touch", file]).output().unwrap()
    };
    let refused = layers(17, "ran");
    assert_eq!(refused.status.code(), Some(125));
    assert!(
        lossy_text(&refused.stderr).contains("error: Cannot sandbox the program"),
        "{}",
        lossy_text(&refused.stderr)
    );
    assert!(!fixture.path("worktree/ran").exists());
    assert!(layers(2, "ran").status.success());
}

#[test]
fn an_incomplete_sandbox_is_reported_or_refused() {
    let fixture = SandboxFixture::new();
    let start = |sandbox: &str, data: &Path, program: &str| {
        let mut command = fixture.command(JANGDAN);
        command.args([
            "session",
            "start",
            "--pipes",
            "--sandbox",
            sandbox,
            "--name",
            &unique_session_name(),
            "--",
            program,
        ]);
        command.env("JANGDAN_DATA", data).output().unwrap()
    };
    let inside = fixture.path("worktree/data");
    let refused = start("required", &inside, "true");
    assert_eq!(refused.status.code(), Some(1));
    let errors = lossy_text(&refused.stderr);
    assert!(
        errors.contains("The required sandbox is not available") && errors.contains("--sandbox worktree"),
        "{errors}"
    );
    assert!(
        !inside.join("sessions").join(unique_session_name()).exists(),
        "a session that does not start leaves no files"
    );

    let started = start("worktree", &inside, "true");
    assert!(started.status.success());
    assert!(lossy_text(&started.stderr).contains("warning: The session is only partly sandboxed"));
    let about =
        fs::read_to_string(inside.join("sessions").join(unique_session_name()).join("about.json")).unwrap();
    assert!(about.contains(r#""sandbox":{"state":"partly","reason":""#), "{about}");

    let around = format!("around-{}", unique_session_name());
    // If a writable folder contains the data directory, the sandbox excludes it and warns about the effect.
    let script = "cat $JANGDAN_DATA/vault/key || echo x > $OUT/new || true";
    let mut command = fixture.command(JANGDAN);
    command.args(["session", "start", "--pipes", "--sandbox", "required", "--name", &around]);
    command.arg("--write").arg(fixture.folder.path()).arg("--");
    let started = command.args(["sh", "-c", script]).output().unwrap();
    let errors = lossy_text(&started.stderr);
    assert!(errors.contains("warning: The sandbox is narrower than usual"), "{errors}");
    let deadline = Instant::now() + TIMEOUT;
    while !fixture.path("outside/new").exists() {
        assert!(
            Instant::now() < deadline,
            "{}",
            lossy_text(&fixture.run_session_command(&["log", &around]).stdout)
        );
        std::thread::yield_now();
    }

    let missing = start("worktree", &fixture.path("data"), "no-such-program");
    assert!(
        lossy_text(&missing.stderr).contains("The program no-such-program was not found"),
        "{}",
        lossy_text(&missing.stderr)
    );
}
