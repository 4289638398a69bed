//! Commands that act on tasks and phases, and on the result of a run.

use std::{
    fs,
    io::{BufRead, BufReader, Read},
    process::{Command, Stdio},
    time::{Duration, Instant},
};

use domain::{GateApproval, RunSettings};

use crate::test_project::{TestProject, one_phase_plan};

/// Fails unless its prompt names the left hand; records the prompt.
const TAKES_ADVICE: &str = r#"
read -r told
echo "$told" >> told.txt
case "$told" in
    *"the left hand"*) echo "DONE:$JANGDAN_TASK:it is there" ;;
    *) echo "FAIL:$JANGDAN_TASK:no idea" ;;
esac
"#;

/// Records its prompt; in a second attempt the prompt contains the reason of the rejection.
const DOES_AS_TOLD: &str = r#"
read -r told
if [ -e "told-$JANGDAN_TASK.txt" ]; then read -r told; fi
echo "$told" >> "told-$JANGDAN_TASK.txt"
echo "DONE:$JANGDAN_TASK:it is there"
"#;

/// Requests a file, a permission and a package.
const NEEDS: &str = r#"
need() {
    printf '[DEPENDENCY_REQUEST]\ntype: %s\nname: %s\ndescription: it is needed\nrequired: false\n[/DEPENDENCY_REQUEST]\n' "$1" "$2"
    read -r answer
    echo "$answer" >> told.txt
}
read -r task
need file logo.png
need permission deploy
need package left-pad
echo "DONE:$JANGDAN_TASK:it is there"
"#;

/// Prints until a file exists.
const SPEAKS: &str = r#"
read -r task
n=0
while [ ! -e "$FOLDER/go" ]; do n=$((n + 1)); echo "word $n"; sleep 0.02; done
echo "the last word"
echo "DONE:$JANGDAN_TASK:it is there"
"#;

/// Waits for a message and records it.
const LISTENS: &str = r#"
voice = 'claude'
steps = [
    { wait = 'T' },
    { say = "I begin.\n" },
    { sleep = '300ms' },
    { end_turn = 'end_turn' },
    { wait = 'tabs' },
    { write = { path = '{task}.txt', text = '{line}' } },
    { say = "DONE:{task}:it is there {key}\n" },
]
"#;

/// Writes a file and asks, twice; records the files that exist at its start.
const TWO_STEPS: &str = r#"
read -r task
ls | grep -v README >> "$FOLDER/found"
echo . >> "$FOLDER/found"
for step in one two; do
    echo "$step" > "$step.txt"
    printf '[ASK_USER]\nquestion: Is %s right?\n[/ASK_USER]\n' "$step"
    read -r answer
done
echo "DONE:$JANGDAN_TASK:it is there"
"#;

/// Asks with the question tool of its protocol, and records the answer.
const ASKS_ITS_OWN_WAY: &str = r#"
steps = [
    { wait = 'T' },
    { question = { text = 'Which store?', header = 'Store', options = ['postgres', 'sqlite'] } },
    { write = { path = '{task}.txt', text = '{line}' } },
    { say = "DONE:{task}:it is there {key}\n" },
]
"#;

fn automatic_gate_settings() -> RunSettings {
    RunSettings { gate_approval: GateApproval::Automatic, ..RunSettings::default() }
}

fn merged_file(project: &TestProject, run: &domain::RunId, file: &str) -> String {
    project.git(&["show", &format!("jangdan/{run}/run:{file}")])
}

#[test]
fn retry_passes_the_hint_to_the_agent() {
    let project = TestProject::create_with_server(TAKES_ADVICE);
    let run = project.start_run(one_phase_plan(&["T1"]), automatic_gate_settings());
    project.assert_fails(&["watch", "--no-wait"], 3, "T1 failed 3 times");
    project.assert_succeeds(&["retry", "T1", "--hint", "take the left hand"], "retrying T1");
    project.assert_succeeds(&["watch"], "1 of 1 done");
    let told = merged_file(&project, &run, "told.txt");
    assert_eq!(told.matches("the left hand").count(), 1, "{told}");
    project.assert_succeeds(&["inbox"], "Nothing is waiting for you");
}

#[test]
fn diff_of_a_task_without_changes_says_so() {
    let project =
        TestProject::create_with_server("read -r task; echo \"DONE:$JANGDAN_TASK:nothing to change\"");
    project.start_run(one_phase_plan(&["T1"]), automatic_gate_settings());
    project.assert_succeeds(&["watch"], "1 of 1 done");
    project.assert_succeeds(&["diff", "T1"], "T1 has changed nothing");
    project.assert_succeeds(&["diff", "--phase", "1"], "The merged tasks of phase 1 have changed nothing");
}

#[test]
fn a_rejected_phase_is_done_again_with_the_reason() {
    let project = TestProject::create_with_server(DOES_AS_TOLD);
    let run = project.start_run(one_phase_plan(&["T1", "T2"]), RunSettings::default());
    project.assert_fails(&["watch", "--no-wait"], 3, "Waiting for your approval");
    project.assert_succeeds(&["inbox"], "2 files changed, +");
    project.assert_succeeds(&["inbox"], "told-T1.txt +");
    project.assert_succeeds(&["inbox"], "Tasks (0 of 2 checked): T1 Do T1 (unchecked), T2 Do T2 (unchecked)");
    project.assert_succeeds(&["status"], "2 of 2 done · 2 unchecked");
    project.assert_succeeds(&["status"], "Done, but:\n  T1 Do T1  unchecked\n  T2 Do T2  unchecked\n");
    project.assert_succeeds(&["status", "--all"], "done  ");
    project.assert_succeeds(&["diff", "--phase", "1"], "+++ b/told-T2.txt");
    project.assert_fails(&["diff"], 2, "Name a task, or a phase with --phase N.");
    project.assert_fails(&["diff", "T1", "--phase", "1"], 2, "cannot be used with");
    project.assert_fails(&["diff", "--phase", "9"], 1, "9");
    project.assert_succeeds(
        &["reject", "1", "paint", "it", "blue", "--task", "T1"],
        "requested changes to phase 1",
    );
    project.assert_fails(&["watch", "--no-wait"], 3, "Waiting for your approval");
    project.assert_succeeds(&["inbox"], "round 2");
    project.assert_succeeds(&["inbox"], "Since the last round: 1 file changed, +");
    let (_, latest) = project.run_jangdan(&["diff", "--phase", "1", "--since-rejection"]);
    assert!(latest.contains("b/told-T1.txt") && !latest.contains("told-T2.txt"), "{latest}");
    project.assert_succeeds(&["approve", "1"], "approved phase 1 (2 files changed, +");
    project.assert_succeeds(&["watch"], "2 of 2 done");
    let told = merged_file(&project, &run, "told-T1.txt");
    assert_eq!(told.matches("paint it blue").count(), 1, "{told}");
    project.assert_succeeds(&["conversation", "T1", "--full"], "paint it blue");
    let (_, other) = project.run_jangdan(&["conversation", "T2", "--full"]);
    assert!(!other.contains("paint it blue"), "{other}");
}

#[test]
fn requests_are_provided_refused_or_skipped() {
    let project = TestProject::create_with_server(NEEDS);
    let run = project.start_run(one_phase_plan(&["T1"]), automatic_gate_settings());
    project.assert_fails(&["watch", "--no-wait"], 3, "logo.png");
    project.assert_fails(&["provide", "d_1"], 2, "Name yours with --file PATH.");
    project.assert_fails(&["provide", "d_1", "--file", "nowhere.png"], 1, "nowhere.png");
    project.assert_succeeds(&["provide", "d_1", "--file", "README.md"], "provided d_1");
    project.assert_fails(&["watch", "--no-wait"], 3, "deploy");
    project.assert_fails(&["refuse", "d_2"], 2, "The reason is empty.");
    project.assert_succeeds(&["refuse", "d_2", "not", "on", "a", "Friday"], "refused d_2");
    project.assert_fails(&["watch", "--no-wait"], 3, "left-pad");
    project.assert_succeeds(&["refuse", "d_3", "--skip"], "skipped d_3");
    project.assert_fails(&["provide", "d_3"], 1, "d_3");
    project.assert_succeeds(&["watch"], "1 of 1 done");
    let told = merged_file(&project, &run, "told.txt");
    let told: Vec<&str> = told.lines().collect();
    assert!(told[0].contains("\"path\":\"logo.png\""), "{told:?}");
    let readme = fs::read_to_string(project.root().join("README.md")).unwrap();
    assert_eq!(merged_file(&project, &run, "logo.png"), readme);
    assert!(told[1].contains("not on a Friday"), "{told:?}");
    assert!(told[2].contains("left-pad"), "{told:?}");
}

#[test]
fn logs_follow_the_agent_to_its_end() {
    let project = TestProject::create_with_server(SPEAKS);
    project.start_run(one_phase_plan(&["T1"]), automatic_gate_settings());
    let mut child = project.command(&["logs", "T1", "--follow"]).stdout(Stdio::piped()).spawn().unwrap();
    let mut printed = BufReader::new(child.stdout.take().unwrap());
    let mut line = String::new();
    while !line.contains("word 3") {
        line.clear();
        assert_ne!(printed.read_line(&mut line).unwrap(), 0, "the output ended before the agent");
    }
    fs::write(project.temp_path("go"), "").unwrap();
    let mut rest = String::new();
    printed.read_to_string(&mut rest).unwrap();
    assert!(rest.contains("the last word"), "{rest}");
    assert_eq!(child.wait().unwrap().code(), Some(0));
}

/// Waits for the first checkpoint and returns its id.
fn wait_for_checkpoint(project: &TestProject) -> String {
    let deadline = Instant::now() + Duration::from_secs(30);
    loop {
        let (_, said) = project.run_jangdan(&["rewind", "T1"]);
        if let Some((_, named)) = said.split_once("Its checkpoints: ") {
            return named.split_whitespace().next().unwrap().to_owned();
        }
        assert!(Instant::now() < deadline, "{said}");
    }
}

#[test]
fn rewind_restores_a_checkpoint() {
    let project = TestProject::create_with_server(TWO_STEPS);
    let run = project.start_run(one_phase_plan(&["T1"]), automatic_gate_settings());
    project.assert_fails(&["watch", "--no-wait"], 3, "Is one right?");
    let first = wait_for_checkpoint(&project);
    project.assert_succeeds(&["answer", "q_1", "yes"], "answered q_1");
    project.assert_fails(&["watch", "--no-wait"], 3, "Is two right?");
    project.assert_succeeds(&["rewind", "T1", &first], &format!("restoring T1 to {first}"));
    project.assert_fails(&["watch", "--no-wait"], 3, "Is one right?");
    assert_eq!(fs::read_to_string(project.temp_path("found")).unwrap(), ".\none.txt\n.\n");
    project.assert_fails(&["answer", "q_2", "yes"], 1, "q_2");
    project.assert_succeeds(&["answer", "q_3", "yes"], "answered q_3");
    project.assert_fails(&["watch", "--no-wait"], 3, "Is two right?");
    project.assert_succeeds(&["answer", "q_4", "yes"], "answered q_4");
    project.assert_succeeds(&["watch"], "1 of 1 done");
    assert_eq!(merged_file(&project, &run, "two.txt"), "two\n");
}

const COMMIT_ALL: [&str; 9] =
    ["-c", "user.name=a", "-c", "user.email=a@b", "commit", "--quiet", "--all", "-m", "mine"];

#[test]
fn land_names_conflicts_and_the_commands_that_resolve_them() {
    let project = TestProject::create_with_server(
        "read -r task\necho better > README.md\necho \"DONE:$JANGDAN_TASK:it is there\"\n",
    );
    let run = project.start_run(one_phase_plan(&["T1"]), automatic_gate_settings());
    project.assert_succeeds(&["watch"], "1 of 1 done");
    fs::write(project.root().join("README.md"), "my own\n").unwrap();
    project.assert_fails(&["land"], 1, "uncommitted changes in README.md");
    project.assert_fails(&["land"], 1, "Commit or stash them");
    project.git(&COMMIT_ALL);
    let mine = project.git(&["rev-parse", "HEAD"]);
    fs::write(project.root().join("draft"), "staged\n").unwrap();
    project.git(&["add", "draft"]);
    project.assert_fails(&["land"], 1, "conflicts in README.md. Nothing was changed.");
    let (_, text) = project.run_jangdan(&["land"]);
    assert_eq!(project.git(&["rev-parse", "main"]), mine);
    assert_eq!(project.git(&["show", "main:README.md"]), "my own\n");
    assert_eq!(merged_file(&project, &run, "README.md"), "better\n");
    assert_eq!(project.git(&["status", "--porcelain"]), "A  draft\n");

    // The commands of the message work as they are.
    let commands: Vec<&str> = text.split('`').collect();
    let [_, start, _, finish, _] = commands[..] else { panic!("{text}") };
    let type_in_shell = |commands: &str| {
        let mut shell = Command::new("sh");
        shell.args(["-c", commands]).current_dir(project.root());
        for role in ["AUTHOR", "COMMITTER"] {
            shell.env(format!("GIT_{role}_NAME"), "a").env(format!("GIT_{role}_EMAIL"), "a@b");
        }
        shell.status().unwrap().success()
    };
    assert!(!type_in_shell(start), "the merge stops at the conflict");
    fs::write(project.root().join("README.md"), "both\n").unwrap();
    assert!(type_in_shell(finish));
    assert_eq!(project.git(&["status", "--porcelain"]), "A  draft\n");
    project.assert_succeeds(&["land"], "main already contains the work of");
}

#[test]
fn land_merges_into_a_branch_that_moved_on_and_keeps_unrelated_changes() {
    let project = TestProject::create_with_server(
        "read -r task\necho x > file-$JANGDAN_TASK.txt\necho \"DONE:$JANGDAN_TASK:it is there\"\n",
    );
    let run = project.start_run(one_phase_plan(&["T1"]), automatic_gate_settings());
    project.assert_succeeds(&["watch"], "1 of 1 done");
    project.git(&["branch", "release"]);
    fs::write(project.root().join("README.md"), "my own\n").unwrap();
    project.git(&COMMIT_ALL);
    fs::write(project.root().join("README.md"), "a draft\n").unwrap();
    let before = project.git(&["rev-parse", "main"]);
    project.assert_succeeds(
        &["land", "--dry-run"],
        &format!("Would merge 2 commits of {run} into main with a merge commit"),
    );
    project.assert_succeeds(&["land", "--dry-run"], "Changes 1 file: file-T1.txt");
    assert_eq!(project.git(&["rev-parse", "main"]), before);
    project.assert_succeeds(
        &["land", "--yes"],
        &format!("Merged 2 commits of {run} into main ({}..", &before[..7]),
    );
    assert_eq!(fs::read_to_string(project.root().join("README.md")).unwrap(), "a draft\n");
    assert_eq!(project.git(&["status", "--porcelain"]), " M README.md\n");
    assert!(project.root().join("file-T1.txt").exists());

    project.assert_fails(&["land", "--into", "releases"], 1, "Branch 'releases' does not exist.");
    project.assert_succeeds(
        &["land", "--into", "release", "--squash"],
        &format!("Merged 2 commits of {run} into release as one commit ("),
    );
    assert_eq!(project.git(&["rev-list", "--count", "main~1..release"]), "1\n");
    assert!(project.git(&["ls-tree", "--name-only", "release"]).contains("file-T1.txt"));
}

#[test]
fn submodules_and_lfs_files_work_in_worktrees() {
    let project = TestProject::create_with_server(
        "read -r task\ncat inner/lib.txt big.bin > seen.txt\nsed s/old/new/ big.bin > other.bin\n\
         echo \"DONE:$JANGDAN_TASK:it is there\"\n",
    );
    let git = |folder: &std::path::Path, arguments: &[&str]| {
        let mut command = Command::new("git");
        command.args(["-c", "user.name=a", "-c", "user.email=a@b", "-c", "protocol.file.allow=always"]);
        let output = command.arg("-C").arg(folder).args(arguments).output().unwrap();
        assert!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
    };
    let (inner, root) = (project.temp_path("inner"), project.root());
    fs::create_dir(&inner).unwrap();
    fs::write(inner.join("lib.txt"), "a library\n").unwrap();
    git(&inner, &["init", "--quiet"]);
    git(&inner, &["add", "."]);
    git(&inner, &["commit", "--quiet", "-m", "one"]);
    git(&root, &["submodule", "--quiet", "add", inner.to_str().unwrap(), "inner"]);
    // Filters like those of git-lfs: a pointer in the history, the content in the working tree.
    git(&root, &["config", "filter.lfs.clean", "sed s/^content:/pointer:/"]);
    git(&root, &["config", "filter.lfs.smudge", "sed s/^pointer:/content:/"]);
    git(&root, &["config", "filter.lfs.required", "true"]);
    fs::write(root.join(".gitattributes"), "*.bin filter=lfs\n").unwrap();
    fs::write(root.join("big.bin"), "content:old\n").unwrap();
    git(&root, &["add", "."]);
    git(&root, &["commit", "--quiet", "-m", "more"]);
    let run = project.start_run(one_phase_plan(&["T1"]), automatic_gate_settings());
    project.assert_succeeds(&["watch"], "1 of 1 done");
    assert_eq!(merged_file(&project, &run, "seen.txt"), "a library\ncontent:old\n");
    assert_eq!(merged_file(&project, &run, "other.bin"), "pointer:new\n");
    project.assert_succeeds(&["land"], "Merged 2 commits of");
    assert_eq!(fs::read_to_string(root.join("other.bin")).unwrap(), "content:new\n");
    assert_eq!(project.git(&["status", "--porcelain"]), "");
}

#[test]
fn native_questions_get_native_answers() {
    let project = TestProject::create_with_server("");
    let run = project.start_scripted_run(&["claude", "codex"], ASKS_ITS_OWN_WAY);
    let (exit, text) = project.run_jangdan(&["watch", "--no-wait"]);
    assert_eq!((exit, text.matches("1 postgres  2 sqlite").count()), (3, 2), "{text}");
    let of_claude = if text.contains("q_1 · T1 · claude asks") { "q_1" } else { "q_2" };
    let of_codex = if text.contains("q_1 · T2 · codex asks") { "q_1" } else { "q_2" };
    project.assert_succeeds(&["answer", of_claude, "--option", "2"], ": sqlite");
    project.assert_succeeds(&["answer", of_codex, "--option", "1"], ": postgres");
    project.assert_succeeds(&["watch"], "2 of 2 done");
    assert_eq!(merged_file(&project, &run, "T1.txt"), "sqlite");
    assert_eq!(merged_file(&project, &run, "T2.txt"), "postgres");
}

#[test]
fn tell_sends_a_message_to_a_working_agent() {
    let project = TestProject::create_with_server("");
    let run = project.start_scripted_run(&["claude"], LISTENS.trim_start_matches("\nvoice = 'claude'"));
    project.assert_fails(&["tell", "T1"], 2, "The message is empty.");
    project.assert_fails(&["tell", "T9", "hello"], 1, "T9");
    project.assert_succeeds(
        &["tell", "T1", "use", "tabs"],
        "message sent to the agent of T1, which receives it when its turn ends",
    );
    project.assert_succeeds(&["watch"], "1 of 1 done");
    let content = merged_file(&project, &run, "T1.txt");
    assert!(content.contains("FROM THE USER") && content.contains("use tabs"), "{content}");
    project.assert_succeeds(&["conversation", "T1"], "use tabs");
    project.assert_fails(&["tell", "T1", "more"], 1, "no agent works on it");
}

#[test]
fn check_that_cannot_run_is_shown_with_its_output_and_repeated_after_a_retry() {
    let project = TestProject::create_with_server(
        "read -r task\necho x >> made.txt\necho \"DONE:$JANGDAN_TASK:it is there\"\nread -r more\n",
    );
    let mut work = one_phase_plan(&["T1"]);
    work.tasks[0].verify = Some("jd-tool -q".to_owned());
    let run = project.start_run(work, automatic_gate_settings());
    let problem = "The check of T1 could not run: `jd-tool -q`";
    project.assert_fails(&["watch", "--no-wait"], 3, problem);
    project.assert_succeeds(&["inbox"], "jd-tool is not on PATH");
    project.assert_succeeds(&["inbox"], "jd-tool: not found");
    let outcome = "$ jd-tool -q: could not run: jd-tool is not on PATH (0 s, ";
    project.assert_succeeds(&["checks", "T1"], outcome);
    project.assert_succeeds(&["checks", "T1"], "jd-tool: not found");
    project.assert_succeeds(&["checks", "T1", "--run", &run.to_string(), "--json"], r#""program":"jd-tool""#);
    project.assert_fails(&["checks", "T9"], 1, "T9");

    let tool = project.data().join("bin/jd-tool");
    fs::write(&tool, "#!/bin/sh\nprintf 'all good\\033[2J\\n'\n").unwrap();
    fs::set_permissions(&tool, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
    project.assert_succeeds(&["resolve", "e_1", "retry"], "e_1");
    project.assert_succeeds(&["watch"], "1 of 1 done");
    project.assert_succeeds(&["checks", "T1"], "$ jd-tool -q: passed (0 s, ");
    project.assert_succeeds(&["checks", "T1"], "  all good?[2J");
    assert_eq!(merged_file(&project, &run, "made.txt"), "x\n", "the agent had one round");
}

#[test]
fn failed_tests_are_shown_with_their_check_and_in_the_report() {
    let project = TestProject::create_with_server(
        "read -r task\necho x >> made.txt\necho \"DONE:$JANGDAN_TASK:it is there\"\n\
         read -r more\necho x >> made.txt\necho \"DONE:$JANGDAN_TASK:it is there\"\n",
    );
    let mut work = one_phase_plan(&["T1"]);
    let failed = "FAILED tests/test_till.py::test_sum - assert 4 == 3\\n1 failed, 2 passed in 0.04s\\n";
    work.tasks[0].verify =
        Some(format!("[ $(wc -l < made.txt) -gt 1 ] && echo ok || {{ printf '{failed}'; exit 1; }}"));
    let run = project.start_run(work, automatic_gate_settings()).to_string();
    project.assert_succeeds(&["watch"], "1 of 1 done");
    let title = "✕ tests/test_till.py::test_sum (tests/test_till.py): assert 4 == 3";
    project.assert_succeeds(&["checks", "T1", "--run", &run], title);
    project.assert_succeeds(&["checks", "T1", "--run", &run], "3 tests: 2 passed, 1 failed");
    project.assert_succeeds(&["report", &run], "tests/test\\_till.py::test\\_sum");
    project.assert_succeeds(&["report", &run], "## What is not proved");
    project.assert_succeeds(&["report", &run, "--as", "html"], "<h2>Questions and answers</h2>");
    project.assert_succeeds(&["report", &run, "--as", "json"], r#""nFailedTests":1"#);
    project.assert_fails(&["report", "r9unknown"], 1, "r9unknown");
}

#[test]
fn the_check_of_a_gate_is_shown_with_its_output() {
    let project = TestProject::create_with_server(DOES_AS_TOLD);
    let mut work = one_phase_plan(&["T1"]);
    work.phases[0].verify = Some("echo the phase is checked".to_owned());
    project.start_run(work, RunSettings::default());
    project.assert_fails(&["watch", "--no-wait"], 3, "jangdan checks --phase 1");
    let (exit, text) = project.run_jangdan(&["checks", "--phase", "1"]);
    let heading = "$ echo the phase is checked: passed (0 s, ";
    assert!(exit == 0 && text.contains(heading) && text.contains("\n  the phase is checked\n"), "{text}");
    project.assert_succeeds(&["checks", "--phase", "1", "--json"], r#""purpose":"gate""#);
    project.assert_fails(&["checks", "--phase", "9"], 1, "Unknown phase 9");
    project.assert_fails(&["checks"], 2, "Name a task, or a phase with --phase N.");
    project.assert_fails(&["checks", "T1", "--phase", "1"], 2, "cannot be used with");
}

#[test]
fn a_skipped_task_is_named_at_the_end_of_a_run_that_is_done() {
    let project = TestProject::create_with_server(TAKES_ADVICE);
    project.start_run(one_phase_plan(&["T1"]), automatic_gate_settings());
    project.assert_fails(&["watch", "--no-wait"], 3, "T1 failed 3 times");
    project.assert_succeeds(&["skip", "T1"], "skipped T1");
    let (exit, text) = project.run_jangdan(&["watch"]);
    assert!(exit == 0 && text.contains("0 of 1 done · 1 skipped"), "{exit}: {text}");
    project.assert_succeeds(&["log"], "Run done, 1 task skipped");
}
