//! What a person wants of a run, and what comes of it: again, not so, here you are, no, back, onto my branch.

use std::{
    fs,
    io::{BufRead, BufReader, Read},
    process::{Command, Stdio},
    time::{Duration, Instant},
};

use domain::{GateApproval, RunSettings};

use crate::office::{Office, plan};

/// Fails unless it is told which hand to take, and shows what it was told.
const TAKES_ADVICE: &str = r#"
read -r told
echo "$told" >> told.txt
case "$told" in
    *"the left hand"*) echo "DONE:$JANGDAN_TASK" ;;
    *) echo "FAIL:$JANGDAN_TASK:no idea" ;;
esac
"#;

/// Does what it is told, and shows what it was told; what was wrong the last time comes behind the task.
const DOES_AS_TOLD: &str = r#"
read -r told
if [ -e "told-$JANGDAN_TASK.txt" ]; then read -r told; fi
echo "$told" >> "told-$JANGDAN_TASK.txt"
echo "DONE:$JANGDAN_TASK"
"#;

/// Needs a file, a permission and a package.
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
echo "DONE:$JANGDAN_TASK"
"#;

/// Speaks until somebody says that it is enough.
const SPEAKS: &str = r#"
read -r task
n=0
while [ ! -e "$OFFICE/go" ]; do n=$((n + 1)); echo "word $n"; sleep 0.02; done
echo "the last word"
echo "DONE:$JANGDAN_TASK"
"#;

/// Works until it is told something, and writes that down.
const LISTENS: &str = r#"
voice = 'claude'
steps = [
    { wait = 'T' },
    { say = "I begin.\n" },
    { sleep = '300ms' },
    { end_turn = 'end_turn' },
    { wait = 'tabs' },
    { write = { path = '{task}.txt', text = '{line}' } },
    { say = "DONE:{task} {key}\n" },
]
"#;

/// Writes a step down and asks, twice; notes beside it what it has found when it began.
const TWO_STEPS: &str = r#"
read -r task
ls | grep -v README >> "$OFFICE/found"
echo . >> "$OFFICE/found"
for step in one two; do
    echo "$step" > "$step.txt"
    printf '[ASK_USER]\nquestion: Is %s right?\n[/ASK_USER]\n' "$step"
    read -r answer
done
echo "DONE:$JANGDAN_TASK"
"#;

/// Asks with the question tool of its voice, and writes down what it heard.
const ASKS_ITS_OWN_WAY: &str = r#"
steps = [
    { wait = 'T' },
    { question = { text = 'Which store?', header = 'Store', options = ['postgres', 'sqlite'] } },
    { write = { path = '{task}.txt', text = '{line}' } },
    { say = "DONE:{task} {key}\n" },
]
"#;

fn automatic() -> RunSettings {
    RunSettings { gate_approval: GateApproval::Automatic, ..RunSettings::default() }
}

fn merged(office: &Office, run: &domain::RunId, file: &str) -> String {
    office.git(&["show", &format!("jangdan/{run}/run:{file}")])
}

#[test]
fn a_task_that_was_too_hard_is_tried_again_with_advice() {
    let office = Office::open(TAKES_ADVICE);
    let run = office.start(plan(&["T1"]), automatic());
    office.refuses(&["watch", "--no-wait"], 3, "T1 failed 3 times");
    office.prints(&["retry", "T1", "--hint", "take the left hand"], "retrying T1");
    office.prints(&["watch"], "1 of 1 done");
    let told = merged(&office, &run, "told.txt");
    assert_eq!(told.matches("the left hand").count(), 1, "{told}");
    office.prints(&["inbox"], "Nothing is waiting for you");
}

#[test]
fn a_phase_that_is_rejected_is_done_again_as_it_was_said() {
    let office = Office::open(DOES_AS_TOLD);
    let run = office.start(plan(&["T1", "T2"]), RunSettings::default());
    office.refuses(&["watch", "--no-wait"], 3, "waits for your approval");
    office.prints(&["reject", "1", "paint", "it", "blue", "--task", "T1"], "requested changes to phase 1");
    office.refuses(&["watch", "--no-wait"], 3, "waits for your approval");
    office.prints(&["approve", "1"], "approved phase 1");
    office.prints(&["watch"], "2 of 2 done");
    let told = merged(&office, &run, "told-T1.txt");
    assert_eq!(told.matches("paint it blue").count(), 1, "{told}");
    office.prints(&["conversation", "T1"], "paint it blue");
    let (_, other) = office.jangdan(&["conversation", "T2"]);
    assert!(!other.contains("paint it blue"), "{other}");
}

#[test]
fn what_an_agent_needs_is_given_refused_or_left_out() {
    let office = Office::open(NEEDS);
    let run = office.start(plan(&["T1"]), automatic());
    office.refuses(&["watch", "--no-wait"], 3, "logo.png");
    office.refuses(&["provide", "d_1"], 2, "Name yours with --file PATH.");
    office.refuses(&["provide", "d_1", "--file", "nowhere.png"], 1, "nowhere.png");
    office.prints(&["provide", "d_1", "--file", "README.md"], "provided d_1");
    office.refuses(&["watch", "--no-wait"], 3, "deploy");
    office.refuses(&["refuse", "d_2"], 2, "The reason is empty.");
    office.prints(&["refuse", "d_2", "not", "on", "a", "Friday"], "refused d_2");
    office.refuses(&["watch", "--no-wait"], 3, "left-pad");
    office.prints(&["refuse", "d_3", "--skip"], "skipped d_3");
    office.refuses(&["provide", "d_3"], 1, "d_3");
    office.prints(&["watch"], "1 of 1 done");
    let told = merged(&office, &run, "told.txt");
    let told: Vec<&str> = told.lines().collect();
    let given = office.project().join("README.md").canonicalize().unwrap();
    assert!(told[0].contains(given.to_str().unwrap()), "{told:?}");
    assert!(told[1].contains("not on a Friday"), "{told:?}");
    assert!(told[2].contains("left-pad"), "{told:?}");
}

#[test]
fn what_an_agent_says_is_followed_to_its_last_word() {
    let office = Office::open(SPEAKS);
    office.start(plan(&["T1"]), automatic());
    let mut child = office.command(&["logs", "T1", "--follow"]).stdout(Stdio::piped()).spawn().unwrap();
    let mut printed = BufReader::new(child.stdout.take().unwrap());
    let mut line = String::new();
    while !line.contains("word 3") {
        line.clear();
        assert_ne!(printed.read_line(&mut line).unwrap(), 0, "it ended before the agent did");
    }
    fs::write(office.path("go"), "").unwrap();
    let mut rest = String::new();
    printed.read_to_string(&mut rest).unwrap();
    assert!(rest.contains("the last word"), "{rest}");
    assert_eq!(child.wait().unwrap().code(), Some(0));
}

/// Returns the first checkpoint, as soon as it is made.
fn checkpoint(office: &Office) -> String {
    let deadline = Instant::now() + Duration::from_secs(30);
    loop {
        let (_, said) = office.jangdan(&["rewind", "T1"]);
        if let Some((_, named)) = said.split_once("Add one of ") {
            return named.split_whitespace().next().unwrap().to_owned();
        }
        assert!(Instant::now() < deadline, "{said}");
    }
}

#[test]
fn a_task_is_brought_back_to_a_checkpoint_that_is_named() {
    let office = Office::open(TWO_STEPS);
    let run = office.start(plan(&["T1"]), automatic());
    office.refuses(&["watch", "--no-wait"], 3, "Is one right?");
    let first = checkpoint(&office);
    office.prints(&["answer", "q_1", "yes"], "answered q_1");
    office.refuses(&["watch", "--no-wait"], 3, "Is two right?");
    office.prints(&["rewind", "T1", &first], &format!("restoring T1 to {first}"));
    office.refuses(&["watch", "--no-wait"], 3, "Is one right?");
    assert_eq!(fs::read_to_string(office.path("found")).unwrap(), ".\none.txt\n.\n");
    office.refuses(&["answer", "q_2", "yes"], 1, "q_2");
    office.prints(&["answer", "q_3", "yes"], "answered q_3");
    office.refuses(&["watch", "--no-wait"], 3, "Is two right?");
    office.prints(&["answer", "q_4", "yes"], "answered q_4");
    office.prints(&["watch"], "1 of 1 done");
    assert_eq!(merged(&office, &run, "two.txt"), "two\n");
}

#[test]
fn what_was_done_on_the_branch_meanwhile_is_not_trodden_on() {
    let office = Office::open("read -r task\necho better > README.md\necho \"DONE:$JANGDAN_TASK\"\n");
    let run = office.start(plan(&["T1"]), automatic());
    office.prints(&["watch"], "1 of 1 done");
    fs::write(office.project().join("README.md"), "my own\n").unwrap();
    office.refuses(&["land"], 1, "main is checked out with changes in README.md");
    office.refuses(&["land"], 1, "commit or stash them");
    let commit = ["-c", "user.name=a", "-c", "user.email=a@b", "commit", "--quiet", "-a", "-m", "mine"];
    office.git(&commit);
    let mine = office.git(&["rev-parse", "HEAD"]);
    office.refuses(&["land"], 1, &format!("main has commits that the run has not; it is at {}", mine.trim()));
    office.refuses(&["land"], 1, &format!("git merge jangdan/{run}/run"));
    assert_eq!(office.git(&["rev-parse", "main"]), mine);
    assert_eq!(office.git(&["show", "main:README.md"]), "my own\n");
    assert_eq!(merged(&office, &run, "README.md"), "better\n");
}

#[test]
fn submodules_and_large_files_are_there_for_agents_and_come_back_as_they_should() {
    let office = Office::open(
        "read -r task\ncat inner/lib.txt big.bin > seen.txt\nsed s/old/new/ big.bin > other.bin\n\
         echo \"DONE:$JANGDAN_TASK\"\n",
    );
    let git = |folder: &std::path::Path, arguments: &[&str]| {
        let mut command = Command::new("git");
        command.args(["-c", "user.name=a", "-c", "user.email=a@b", "-c", "protocol.file.allow=always"]);
        let output = command.arg("-C").arg(folder).args(arguments).output().unwrap();
        assert!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
    };
    let (inner, project) = (office.path("inner"), office.project());
    fs::create_dir(&inner).unwrap();
    fs::write(inner.join("lib.txt"), "a library\n").unwrap();
    git(&inner, &["init", "--quiet"]);
    git(&inner, &["add", "."]);
    git(&inner, &["commit", "--quiet", "-m", "one"]);
    git(&project, &["submodule", "--quiet", "add", inner.to_str().unwrap(), "inner"]);
    // What git-lfs does, as far as git sees it: a pointer in the history, the content in the working tree.
    git(&project, &["config", "filter.lfs.clean", "sed s/^content:/pointer:/"]);
    git(&project, &["config", "filter.lfs.smudge", "sed s/^pointer:/content:/"]);
    git(&project, &["config", "filter.lfs.required", "true"]);
    fs::write(project.join(".gitattributes"), "*.bin filter=lfs\n").unwrap();
    fs::write(project.join("big.bin"), "content:old\n").unwrap();
    git(&project, &["add", "."]);
    git(&project, &["commit", "--quiet", "-m", "more"]);
    let run = office.start(plan(&["T1"]), automatic());
    office.prints(&["watch"], "1 of 1 done");
    assert_eq!(merged(&office, &run, "seen.txt"), "a library\ncontent:old\n");
    assert_eq!(merged(&office, &run, "other.bin"), "pointer:new\n");
    office.prints(&["land"], "main has what");
    assert_eq!(fs::read_to_string(project.join("other.bin")).unwrap(), "content:new\n");
    assert_eq!(office.git(&["status", "--porcelain"]), "");
}

#[test]
fn an_agent_that_asks_in_its_own_way_is_answered_in_its_own_way() {
    let office = Office::open("");
    let run = office.start_played(&["claude", "codex"], ASKS_ITS_OWN_WAY);
    let (exit, said) = office.jangdan(&["watch", "--no-wait"]);
    assert_eq!((exit, said.matches("1 postgres  2 sqlite").count()), (3, 2), "{said}");
    let of_claude = if said.contains("q_1 · T1 · claude asks") { "q_1" } else { "q_2" };
    let of_codex = if said.contains("q_1 · T2 · codex asks") { "q_1" } else { "q_2" };
    office.prints(&["answer", of_claude, "--option", "2"], ": sqlite");
    office.prints(&["answer", of_codex, "--option", "1"], ": postgres");
    office.prints(&["watch"], "2 of 2 done");
    assert_eq!(merged(&office, &run, "T1.txt"), "sqlite");
    assert_eq!(merged(&office, &run, "T2.txt"), "postgres");
}

#[test]
fn an_agent_is_told_something_in_between() {
    let office = Office::open("");
    let run = office.start_played(&["claude"], LISTENS.trim_start_matches("\nvoice = 'claude'"));
    office.refuses(&["tell", "T1"], 2, "The message is empty.");
    office.refuses(&["tell", "T9", "hello"], 1, "T9");
    office.prints(
        &["tell", "T1", "use", "tabs"],
        "message sent to the agent of T1, which receives it when its turn ends",
    );
    office.prints(&["watch"], "1 of 1 done");
    let heard = merged(&office, &run, "T1.txt");
    assert!(heard.contains("FROM THE PERSON") && heard.contains("use tabs"), "{heard}");
    office.prints(&["conversation", "T1"], "The person says: use tabs");
    office.refuses(&["tell", "T1", "more"], 1, "nobody works at it now");
}
