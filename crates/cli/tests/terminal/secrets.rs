//! Requests for keys, files and services: what is called provided is there, and no file of the run has a secret value.

use std::{
    fs,
    io::Write,
    path::{Path, PathBuf},
    process::Stdio,
    thread,
    time::{Duration, Instant},
};

use domain::{GateApproval, RunSettings};

use crate::test_project::{TestProject, one_phase_plan};

const CANARY: &str = "sk-canary-2b91ce77";

/// Requests a key and uses it as a program would; T2 waits for an answer meanwhile.
const NEEDS_KEY: &str = r#"
read -r task
if [ "$JANGDAN_TASK" = T2 ]; then
    printf '[ASK_USER]\nquestion: Which colour?\n[/ASK_USER]\n'
    read -r answer
    echo "T2 has [$SHOP_API_KEY]" > "$FOLDER/t2.txt"
    echo "DONE:$JANGDAN_TASK:it is there"
    exit 0
fi
printf '[DEPENDENCY_REQUEST]\ntype: api_key\nname: SHOP_API_KEY\ndescription: for the shop\nrequired: true\n[/DEPENDENCY_REQUEST]\n'
read -r answer
echo "$answer" > "$FOLDER/answer.json"
. "$JANGDAN_ENV_FILE"
printf %s "$SHOP_API_KEY" | sha256sum > seen.txt
bash -c 'printf %s "$SHOP_API_KEY"' | sha256sum > "$FOLDER/nested.txt"
jangdan secret exec SHOP_API_KEY -- sh -c 'printf %s "$SHOP_API_KEY"' | sha256sum > "$FOLDER/exec.txt"
echo "the key is $SHOP_API_KEY"
printf 'x%s' "$SHOP_API_KEY" | base64
printf '[ASK_USER]\nquestion: Is %s right?\n[/ASK_USER]\n' "$SHOP_API_KEY"
read -r answer
echo "DONE:$JANGDAN_TASK:it is there"
"#;

/// Requests what the file `request` says, and writes down the answer and the variable.
const REQUESTS: &str = r#"
read -r task
cat "$FOLDER/request"
read -r answer
echo "$answer" > "$FOLDER/answer.json"
. "$JANGDAN_ENV_FILE"
echo "[$REGION]" > "$FOLDER/region.txt"
echo "DONE:$JANGDAN_TASK:it is there"
"#;

fn settings() -> RunSettings {
    RunSettings { gate_approval: GateApproval::Automatic, ..RunSettings::default() }
}

/// Runs a command with this standard input.
fn run_with_input(project: &TestProject, arguments: &[&str], input: &str) -> (i32, String) {
    let mut command = project.command(arguments);
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    child.stdin.take().unwrap().write_all(input.as_bytes()).unwrap();
    let output = child.wait_with_output().unwrap();
    let text = [output.stdout, output.stderr].map(|bytes| String::from_utf8(bytes).unwrap()).concat();
    (output.status.code().unwrap(), text)
}

fn wait_for(what: &str, is_so: impl Fn() -> bool) {
    let deadline = Instant::now() + Duration::from_secs(60);
    while !is_so() {
        assert!(Instant::now() < deadline, "{what} does not happen");
        thread::sleep(Duration::from_millis(20));
    }
}

fn wait_for_request(project: &TestProject) {
    wait_for("the request", || project.run_jangdan(&["inbox"]).1.contains("d_1"));
}

/// Returns the files below a folder that contain one of the texts.
fn files_with(folder: &Path, texts: &[String], found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        // A link may lead out of the folder.
        if path.is_symlink() {
            continue;
        }
        if path.is_dir() {
            files_with(&path, texts, found);
        } else if let Ok(content) = fs::read(&path) {
            let has = |text: &String| content.windows(text.len()).any(|window| window == text.as_bytes());
            if texts.iter().any(has) {
                found.push(path);
            }
        }
    }
}

/// Returns the environments and command lines of all processes of a task.
fn process_texts(file: &str, task: &str) -> Vec<String> {
    let mut texts = Vec::new();
    for entry in fs::read_dir("/proc").unwrap().flatten() {
        let read = |name: &str| fs::read(entry.path().join(name)).unwrap_or_default();
        let environment = String::from_utf8_lossy(&read("environ")).into_owned();
        if task.is_empty() || environment.contains(&format!("JANGDAN_TASK={task}\0")) {
            texts.push(String::from_utf8_lossy(&read(file)).into_owned());
        }
    }
    texts
}

#[test]
fn provided_key_reaches_the_agent_and_nothing_else() {
    let mut project = TestProject::create_with_server(NEEDS_KEY);
    project.start_run(one_phase_plan(&["T1", "T2"]), settings());
    wait_for_request(&project);
    // Nothing is stored: a name without a value is not provided, and the agent is not told that it is.
    let (exit, text) = project.run_jangdan(&["provide", "d_1", "--stored"]);
    assert!(exit == 1 && text.contains("no value is stored for SHOP_API_KEY"), "{exit}:\n{text}");
    assert!(!project.temp_path("answer.json").exists());
    project.assert_succeeds(&["inbox"], "no value is stored for SHOP_API_KEY");

    let (exit, text) = run_with_input(&project, &["provide", "d_1"], &format!("{CANARY}\n"));
    assert!(exit == 0 && text.contains("provided d_1") && !text.contains(CANARY), "{exit}:\n{text}");
    wait_for("the question of T1", || project.run_jangdan(&["inbox"]).1.contains("right?"));
    let answer = fs::read_to_string(project.temp_path("answer.json")).unwrap();
    assert!(answer.contains(r#""type":"dependency_provided""#), "{answer}");
    assert!(answer.contains(r#""env":"SHOP_API_KEY""#) && !answer.contains(CANARY), "{answer}");

    // The file in the worktree shows that a shell of the agent has the value.
    let expected = project.temp_path("expected.txt");
    fs::write(&expected, CANARY).unwrap();
    let sum = std::process::Command::new("sha256sum").arg(&expected).output().unwrap().stdout;
    let sum = String::from_utf8(sum).unwrap().split(' ').next().unwrap().to_owned();
    fs::remove_file(&expected).unwrap();
    for file in ["nested.txt", "exec.txt"] {
        let seen = fs::read_to_string(project.temp_path(file)).unwrap();
        assert!(seen.starts_with(&sum), "{file}: {seen}");
    }

    // No command line has it, and neither has the environment of the other session.
    assert!(!process_texts("cmdline", "").iter().any(|text| text.contains(CANARY)));
    let other = process_texts("environ", "T2");
    assert!(!other.is_empty() && !other.iter().any(|text| text.contains(CANARY)), "{}", other.len());
    let masked = "*".repeat(CANARY.len());
    project.assert_succeeds(&["logs", "T1"], &format!("the key is {masked}"));
    project.assert_succeeds(&["inbox"], &format!("Is {masked} right?"));

    // In the spool, the log, the rows and all other files it is masked, also as base64.
    let encoded = ["c2stY2FuYXJ5LTJiOTFjZTc3", "eHNrLWNhbmFyeS0yYjkxY2U3Nw"].map(str::to_owned);
    let texts = [vec![CANARY.to_owned()], encoded.to_vec()].concat();
    let mut found = Vec::new();
    files_with(&project.temp_path(""), &texts, &mut found);
    assert_eq!(found, Vec::<PathBuf>::new());

    let inbox = project.run_jangdan(&["inbox"]).1;
    for question in ["q_1", "q_2"] {
        assert!(inbox.contains(question), "{inbox}");
        project.assert_succeeds(&["answer", question, "yes"], "answered");
    }
    project.assert_succeeds(&["watch"], "2 of 2 done");
    assert_eq!(fs::read_to_string(project.temp_path("t2.txt")).unwrap(), "T2 has []\n");
    assert!(project.run_jangdan(&["diff", "T1"]).1.contains(&sum));
    project.stop_server();
    let mut found = Vec::new();
    files_with(&project.temp_path(""), &texts, &mut found);
    assert_eq!(found, Vec::<PathBuf>::new());
}

#[test]
fn provided_key_stays_when_the_server_is_killed_and_is_there_for_the_next_run() {
    let mut project = TestProject::create_with_server(NEEDS_KEY);
    let run = project.start_run(one_phase_plan(&["T1"]), settings());
    wait_for_request(&project);
    let (exit, text) = run_with_input(&project, &["provide", "d_1"], CANARY);
    assert!(exit == 0, "{exit}:\n{text}");
    wait_for("the question of T1", || project.run_jangdan(&["inbox"]).1.contains("right?"));
    project.kill_server();
    project.start_server();
    project.assert_succeeds(&["answer", "q_1", "yes", "--run", run.as_str()], "answered q_1");
    project.assert_succeeds(&["watch", run.as_str()], "1 of 1 done");
    let next = project.start_run(one_phase_plan(&["T1"]), settings());
    let inbox = || project.run_jangdan(&["inbox", "--run", next.as_str()]).1;
    wait_for("the request of the next run", || inbox().contains("d_1"));
    let provide = ["provide", "d_1", "--stored", "--run", next.as_str()];
    project.assert_succeeds(&provide, "provided d_1");
    wait_for("the question of T1", || inbox().contains("right?"));
    let mut found = Vec::new();
    files_with(&project.temp_path(""), &[CANARY.to_owned()], &mut found);
    assert_eq!(found, Vec::<PathBuf>::new());
}

#[test]
fn skipped_request_with_a_default_really_sets_it() {
    let project = TestProject::create_with_server(REQUESTS);
    let request = "[DEPENDENCY_REQUEST]\ntype: env_variable\nname: REGION\ndescription: where\nrequired: false\n\
                   default: eu-west-1\n[/DEPENDENCY_REQUEST]\n";
    fs::write(project.temp_path("request"), request).unwrap();
    project.start_run(one_phase_plan(&["T1"]), settings());
    wait_for_request(&project);
    project.assert_succeeds(&["refuse", "d_1", "--skip"], "skipped d_1");
    project.assert_succeeds(&["watch"], "1 of 1 done");
    assert_eq!(fs::read_to_string(project.temp_path("region.txt")).unwrap(), "[eu-west-1]\n");
    let answer = fs::read_to_string(project.temp_path("answer.json")).unwrap();
    assert!(answer.contains(r#""default":true"#), "{answer}");
}

#[test]
fn provided_file_is_copied_into_the_worktree() {
    let project = TestProject::create_with_server(REQUESTS);
    let request = "[DEPENDENCY_REQUEST]\ntype: file\nname: brand/logo.svg\ndescription: the logo\nrequired: true\n\
                   [/DEPENDENCY_REQUEST]\n";
    fs::write(project.temp_path("request"), request).unwrap();
    fs::write(project.temp_path("mine.svg"), "<svg/>").unwrap();
    project.start_run(one_phase_plan(&["T1"]), settings());
    wait_for_request(&project);
    project.assert_fails(&["provide", "d_1"], 2, "--file PATH");
    let mine = project.temp_path("mine.svg");
    project.assert_succeeds(&["provide", "d_1", "--file", mine.to_str().unwrap()], "provided d_1");
    project.assert_succeeds(&["watch"], "1 of 1 done");
    let answer = fs::read_to_string(project.temp_path("answer.json")).unwrap();
    assert!(answer.contains(r#""path":"brand/logo.svg""#), "{answer}");
    assert!(project.run_jangdan(&["diff", "T1"]).1.contains("+<svg/>"));
}

#[test]
fn package_that_cannot_be_added_is_not_called_added() {
    let project = TestProject::create_with_server(REQUESTS);
    let request = "[DEPENDENCY_REQUEST]\ntype: package\nname: left-pad\ndescription: for the report\n\
                   required: true\n[/DEPENDENCY_REQUEST]\n";
    fs::write(project.temp_path("request"), request).unwrap();
    project.start_run(one_phase_plan(&["T1"]), settings());
    wait_for_request(&project);
    project.assert_fails(&["provide", "d_1"], 1, "no manifest of a known package manager");
    project.assert_succeeds(&["watch"], "1 of 1 done");
    let answer = fs::read_to_string(project.temp_path("answer.json")).unwrap();
    assert!(answer.contains(r#""type":"dependency_refused""#), "{answer}");
}
