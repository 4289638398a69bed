//! What a project is and says before anybody works in it: its file, what was kept for it, its repository.

use std::{fs, path::PathBuf, process::Command};

use crate::{office::Office, person::Person};

/// A script that asks whether it may run something, and says what it heard.
const ASKS: &str = r#"
voice = 'claude'
steps = [
    { wait = 'Do' },
    { tool = { name = 'Bash', kind = 'execute', input = { command = 'make report' }, output = 'ok', asks = true } },
    { say = "DONE:{task} {key}\n" },
]
"#;

/// A script that writes a file.
const WRITES: &str = r#"
voice = 'claude'
steps = [
    { wait = 'Do' },
    { write = { path = 'made.txt', text = 'made' } },
    { say = "DONE:{task} {key}\n" },
]
"#;

/// Makes a project with a plan and with a worker that is played.
fn project(script: &str) -> Office {
    let office = Office::open("");
    let path = office.path("script.toml");
    fs::write(&path, script).unwrap();
    let configuration = format!(
        "orchestration.gate_approval = 'automatic'\npermissions.mode = 'ask'\n\n\
         [agents.played]\nrole = 'worker'\nextends = 'claude'\ncommand = '{}'\n\
         arguments = ['play', '{}', '-p', '--permission-prompt-tool', 'stdio']\n",
        env!("CARGO_BIN_EXE_jangdan"),
        path.display(),
    );
    fs::write(office.project().join("jangdan.toml"), configuration).unwrap();
    fs::write(office.project().join("TASKS.md"), "# A plan\n\n- [ ] T1 Do it\n").unwrap();
    office
}

fn kept(office: &Office) -> PathBuf {
    let mut files = fs::read_dir(office.path("data/permissions")).unwrap();
    files.next().unwrap().unwrap().path()
}

#[test]
fn a_choice_that_is_kept_for_the_project_holds_in_later_runs_until_it_is_taken_back() {
    let office = project(ASKS);
    let (exit, said) = office.jangdan(&["run", "--no-wait"]);
    assert!(exit == 3 && said.contains("wants to run"), "{exit}:\n{said}");
    office.prints(&["answer", "q_1", "allow", "--keep", "project"], "answered q_1: allow");
    office.prints(&["watch"], "1 of 1 done");

    office.prints(&["run", "--no-wait"], "1 of 1 done");
    assert_eq!(office.git(&["status", "--porcelain"]), "?? TASKS.md\n?? jangdan.toml\n");
    let file = kept(&office);
    office.prints(&["config", "show", "--origin"], &format!("make report\"]  # {}:", file.display()));

    let text = fs::read_to_string(&file).unwrap();
    let left: Vec<&str> = text.lines().filter(|line| !line.contains("make report")).collect();
    fs::write(&file, left.join("\n")).unwrap();
    let (exit, said) = office.jangdan(&["run", "--no-wait"]);
    assert!(exit == 3 && said.contains("wants to run"), "{exit}:\n{said}");
}

/// Returns `jangdan run` of somebody who has a name and no settings of git.
fn run(office: &Office, arguments: &[&str]) -> Command {
    let mut command = office.command(&[&["run", "--no-wait"], arguments].concat());
    for who in ["AUTHOR", "COMMITTER"] {
        command.env(format!("GIT_{who}_NAME"), "Ana").env(format!("GIT_{who}_EMAIL"), "ana@localhost");
    }
    command.env("HOME", office.path("home")).env("GIT_CONFIG_NOSYSTEM", "1");
    command.env_remove("GIT_CONFIG_GLOBAL").env_remove("XDG_CONFIG_HOME");
    command
}

/// Runs it, and returns its exit status and all that it says.
fn said(mut command: Command) -> (Option<i32>, String) {
    let output = command.output().unwrap();
    (output.status.code(), String::from_utf8([output.stdout, output.stderr].concat()).unwrap())
}

#[track_caller]
fn refused(command: Command, words: &[&str]) {
    let (exit, said) = said(command);
    assert!(exit == Some(1) && words.iter().all(|word| said.contains(word)), "{exit:?}:\n{said}");
}

#[test]
fn who_has_no_repository_is_offered_one_and_their_run_goes_on() {
    let office = project(WRITES);
    fs::remove_dir_all(office.project().join(".git")).unwrap();
    let mut person = Person::starts(run(&office, &[]));
    // The terminal breaks the line where it is full.
    person.sees("is no git repository. Make one");
    person.sees("[y/N]");
    person.types("y\r");
    let screen = person.sees("1 of 1 done");
    assert_eq!(person.ends(), Some(0), "{screen}");
    assert_eq!(office.git(&["log", "--format=%an %s"]), "Ana begin\n");
    assert_eq!(office.git(&["ls-files"]), "README.md\nTASKS.md\njangdan.toml\n");
    assert_eq!(office.git(&["status", "--porcelain"]), "", "the run is in worktrees of its own");
    let branches = office.git(&["branch", "--list", "--format=%(refname:short)", "jangdan/*/run"]);
    assert_eq!(office.git(&["show", &format!("{}:made.txt", branches.trim())]), "made");
}

#[test]
fn who_wants_no_repository_is_told_what_else_can_be_done_and_nothing_is_made() {
    let office = project(WRITES);
    fs::remove_dir_all(office.project().join(".git")).unwrap();
    for answer in ["n\r", "\r"] {
        let mut person = Person::starts(run(&office, &[]));
        person.sees("[y/N]");
        person.types(answer);
        person.sees("--no-worktrees");
        assert_eq!(person.ends(), Some(1));
    }
    // Whoever is not at a terminal is not asked.
    refused(run(&office, &[]), &["is in no git repository", "--no-worktrees"]);
    assert!(!office.project().join(".git").exists());
}

#[test]
fn without_worktrees_agents_work_in_the_folder_with_a_repository_or_without() {
    let office = project(WRITES);
    let (exit, words) = said(run(&office, &["--no-worktrees"]));
    assert!(exit == Some(0) && words.contains("all agents work in this folder"), "{exit:?}:\n{words}");
    assert_eq!(office.git(&["status", "--porcelain"]), "?? TASKS.md\n?? jangdan.toml\n?? made.txt\n");
    assert_eq!(office.git(&["branch", "--list", "--format=%(refname:short)"]), "main\n");
    assert_eq!(office.git(&["worktree", "list"]).lines().count(), 1);
    fs::remove_file(office.project().join("made.txt")).unwrap();
    fs::remove_dir_all(office.project().join(".git")).unwrap();
    assert_eq!(said(run(&office, &["--no-worktrees"])).0, Some(0));
    assert_eq!(fs::read_to_string(office.project().join("made.txt")).unwrap(), "made");
    assert!(!office.project().join(".git").exists());
}

#[test]
fn what_git_can_not_do_here_is_refused_before_anything_begins() {
    let office = project(WRITES);
    let commit = |office: &Office| {
        office.git(&["add", "--all"]);
        office.git(&["-c", "user.name=a", "-c", "user.email=a@b", "commit", "--quiet", "-m", "more"]);
    };
    // Git alone is on this path, and none of its helpers.
    let path = office.path("bin");
    fs::create_dir(&path).unwrap();
    let found =
        std::env::split_paths(&std::env::var_os("PATH").unwrap()).find(|folder| folder.join("git").exists());
    std::os::unix::fs::symlink(found.unwrap().join("git"), path.join("git")).unwrap();
    let bare = |office: &Office| {
        let mut command = run(office, &[]);
        command.env("PATH", &path);
        command
    };
    fs::create_dir(office.project().join("large")).unwrap();
    fs::write(office.project().join("large/.gitattributes"), "*.bin filter=lfs\n").unwrap();
    commit(&office);
    refused(bare(&office), &["git does not know its filter", "git lfs install"]);
    office.git(&["config", "filter.lfs.process", "git-lfs filter-process"]);
    refused(bare(&office), &["git-lfs is not installed", "install git-lfs"]);

    let office = project(WRITES);
    let inner = office.path("inner");
    fs::create_dir(&inner).unwrap();
    let git = |arguments: &[&str]| {
        let mut command = Command::new("git");
        command.args(["-c", "user.name=a", "-c", "user.email=a@b"]).current_dir(&inner).args(arguments);
        assert!(command.output().unwrap().status.success(), "{arguments:?}");
    };
    git(&["init", "--quiet"]);
    git(&["commit", "--quiet", "--allow-empty", "-m", "one"]);
    let url = inner.display().to_string();
    office.git(&["-c", "protocol.file.allow=always", "submodule", "--quiet", "add", &url, "inner"]);
    commit(&office);
    // The project wants a commit that was never fetched.
    let wanted = format!("160000,{},inner", "1".repeat(40));
    office.git(&["update-index", "--cacheinfo", &wanted]);
    office.git(&["-c", "user.name=a", "-c", "user.email=a@b", "commit", "--quiet", "-m", "ahead"]);
    refused(
        run(&office, &[]),
        &["submodule inner has not got the commit", "git submodule update --init inner"],
    );

    let office = project(WRITES);
    fs::remove_dir_all(office.project().join(".git")).unwrap();
    office.git(&["init", "--quiet", "--initial-branch=new"]);
    refused(run(&office, &[]), &["the branch new has no commit yet", "commit something first"]);
    assert_eq!(office.client().runs().unwrap().len(), 0);
}

#[test]
fn configuration_in_a_subfolder_is_found_and_agents_work_at_the_root() {
    let office = project("");
    let project = office.project();
    let below = project.join("app/src");
    fs::create_dir_all(&below).unwrap();
    fs::write(office.path("agent.sh"), "read -r task\npwd > where.txt\necho \"DONE:$JANGDAN_TASK\"\n")
        .unwrap();
    let configuration = format!(
        "[orchestration]\ngate_approval = 'automatic'\n[checks]\nverify = 'test -e README.md'\n\
         [agents.mine]\nextends = 'shell'\nrole = 'worker'\narguments = ['{}']\n",
        office.path("agent.sh").display()
    );
    fs::write(project.join("app/jangdan.toml"), configuration).unwrap();
    let from_below = |arguments: &[&str]| {
        let mut command = run(&office, arguments);
        command.current_dir(&below);
        said(command)
    };
    let (exit, text) = from_below(&["../../TASKS.md"]);
    assert!(exit == Some(0) && text.contains("1 of 1 done"), "{exit:?}:\n{text}");
    let branch = office.git(&["branch", "--list", "--format=%(refname:short)", "jangdan/*/run"]);
    let place = office.git(&["show", &format!("{}:where.txt", branch.trim())]);
    assert!(place.trim_end().ends_with("-T1"), "the root of the task's worktree: {place}");
}

#[test]
fn a_run_without_an_agent_says_where_it_looked_for_the_configuration() {
    let office = project("");
    let project = office.project();
    fs::remove_file(project.join("jangdan.toml")).unwrap();
    fs::create_dir(project.join("app")).unwrap();
    // Only git is on this path: no agent is installed.
    let path = office.path("bin");
    fs::create_dir(&path).unwrap();
    let found =
        std::env::split_paths(&std::env::var_os("PATH").unwrap()).find(|folder| folder.join("git").exists());
    std::os::unix::fs::symlink(found.unwrap().join("git"), path.join("git")).unwrap();
    let mut command = run(&office, &["../TASKS.md"]);
    command.env("PATH", &path).current_dir(project.join("app"));
    let project = project.canonicalize().unwrap();
    let searched = format!("{0}/app/jangdan.toml, {0}/jangdan.toml", project.display());
    refused(command, &["no agent is installed", "jangdan agents", &searched]);
}
