//! Configuration, kept permissions and repository of a project when a run starts.

use std::{fs, path::PathBuf, process::Command};

use crate::{terminal_user::TerminalUser, test_project::TestProject};

/// A script that asks for permission to run a command.
const ASKS: &str = r#"
voice = 'claude'
steps = [
    { wait = 'Do' },
    { tool = { name = 'Bash', kind = 'execute', input = { command = 'make report' }, output = 'ok', asks = true } },
    { say = "DONE:{task}:it is there {key}\n" },
]
"#;

/// A script that writes a file.
const WRITES: &str = r#"
voice = 'claude'
steps = [
    { wait = 'Do' },
    { write = { path = 'made.txt', text = 'made' } },
    { say = "DONE:{task}:it is there {key}\n" },
]
"#;

/// Creates a project with a plan and a scripted worker.
fn new_project(script: &str) -> TestProject {
    let project = TestProject::create_with_server("");
    let path = project.temp_path("script.toml");
    fs::write(&path, script).unwrap();
    let configuration = format!(
        "orchestration.gate_approval = 'automatic'\npermissions.mode = 'ask'\n\n\
         [agents.played]\nrole = 'worker'\nextends = 'claude'\ncommand = '{}'\n\
         arguments = ['play', '{}', '-p', '--permission-prompt-tool', 'stdio']\n",
        env!("CARGO_BIN_EXE_jangdan"),
        path.display(),
    );
    fs::write(project.root().join("jangdan.toml"), configuration).unwrap();
    fs::write(project.root().join("TASKS.md"), "# A plan\n\n- [ ] T1 Do it\n").unwrap();
    project
}

fn saved_permissions_file(project: &TestProject) -> PathBuf {
    let mut files = fs::read_dir(project.temp_path("data/permissions")).unwrap();
    files.next().unwrap().unwrap().path()
}

#[test]
fn permissions_kept_for_the_project_apply_to_later_runs_until_removed() {
    let project = new_project(ASKS);
    let (exit, text) = project.run_jangdan(&["run", "--no-wait"]);
    assert!(exit == 3 && text.contains("wants to run"), "{exit}:\n{text}");
    project.assert_succeeds(&["answer", "q_1", "allow", "--keep", "project"], "answered q_1: allow");
    project.assert_succeeds(&["watch"], "1 of 1 done");

    project.assert_succeeds(&["run", "--no-wait", "--again"], "1 of 1 done");
    assert_eq!(project.git(&["status", "--porcelain"]), "?? TASKS.md\n?? jangdan.toml\n");
    let file = saved_permissions_file(&project);
    project
        .assert_succeeds(&["config", "show", "--origin"], &format!("make report\"]  # {}:", file.display()));

    let text = fs::read_to_string(&file).unwrap();
    let left: Vec<&str> = text.lines().filter(|line| !line.contains("make report")).collect();
    fs::write(&file, left.join("\n")).unwrap();
    let (exit, text) = project.run_jangdan(&["run", "--no-wait", "--again"]);
    assert!(exit == 3 && text.contains("wants to run"), "{exit}:\n{text}");
}

/// Returns `jangdan run` of a user with a git identity and no git configuration.
fn jangdan_run_command(project: &TestProject, arguments: &[&str]) -> Command {
    let mut command = project.command(&[&["run", "--no-wait"], arguments].concat());
    for who in ["AUTHOR", "COMMITTER"] {
        command.env(format!("GIT_{who}_NAME"), "Ana").env(format!("GIT_{who}_EMAIL"), "ana@localhost");
    }
    command.env("HOME", project.temp_path("home")).env("GIT_CONFIG_NOSYSTEM", "1");
    command.env_remove("GIT_CONFIG_GLOBAL").env_remove("XDG_CONFIG_HOME");
    command
}

/// Runs a command. Returns its exit status and its output.
fn output_of(mut command: Command) -> (Option<i32>, String) {
    let output = command.output().unwrap();
    (output.status.code(), String::from_utf8([output.stdout, output.stderr].concat()).unwrap())
}

#[track_caller]
fn assert_fails_with(command: Command, parts: &[&str]) {
    let (exit, text) = output_of(command);
    assert!(exit == Some(1) && parts.iter().all(|part| text.contains(part)), "{exit:?}:\n{text}");
}

#[test]
fn a_missing_repository_is_created_on_request() {
    let project = new_project(WRITES);
    fs::remove_dir_all(project.root().join(".git")).unwrap();
    let mut user = TerminalUser::start(jangdan_run_command(&project, &[]));
    // The terminal wraps the line.
    user.wait_for("is not a git repository. Create one");
    user.wait_for("[y/N]");
    user.type_keys("y\r");
    let screen = user.wait_for("1 of 1 done");
    assert_eq!(user.wait_exit(), Some(0), "{screen}");
    assert_eq!(project.git(&["log", "--format=%an %s"]), "Ana begin\n");
    assert_eq!(project.git(&["ls-files"]), "README.md\nTASKS.md\njangdan.toml\n");
    assert_eq!(project.git(&["status", "--porcelain"]), "", "the run works in worktrees");
    let branches = project.git(&["branch", "--list", "--format=%(refname:short)", "jangdan/*/run"]);
    assert_eq!(project.git(&["show", &format!("{}:made.txt", branches.trim())]), "made");
}

#[test]
fn without_consent_no_repository_is_created() {
    let project = new_project(WRITES);
    fs::remove_dir_all(project.root().join(".git")).unwrap();
    for answer in ["n\r", "\r"] {
        let mut user = TerminalUser::start(jangdan_run_command(&project, &[]));
        user.wait_for("[y/N]");
        user.type_keys(answer);
        user.wait_for("--no-worktrees");
        assert_eq!(user.wait_exit(), Some(1));
    }
    // Without a terminal there is no question.
    assert_fails_with(jangdan_run_command(&project, &[]), &["is not in a git repository", "--no-worktrees"]);
    assert!(!project.root().join(".git").exists());
}

#[test]
fn without_worktrees_agents_work_in_the_folder() {
    let project = new_project(WRITES);
    let (exit, text) = output_of(jangdan_run_command(&project, &["--no-worktrees"]));
    assert!(exit == Some(0) && text.contains("All agents work in this folder"), "{exit:?}:\n{text}");
    assert_eq!(project.git(&["status", "--porcelain"]), "?? TASKS.md\n?? jangdan.toml\n?? made.txt\n");
    assert_eq!(project.git(&["branch", "--list", "--format=%(refname:short)"]), "main\n");
    assert_eq!(project.git(&["worktree", "list"]).lines().count(), 1);
    fs::remove_file(project.root().join("made.txt")).unwrap();
    fs::remove_dir_all(project.root().join(".git")).unwrap();
    assert_eq!(output_of(jangdan_run_command(&project, &["--no-worktrees", "--again"])).0, Some(0));
    assert_eq!(fs::read_to_string(project.root().join("made.txt")).unwrap(), "made");
    assert!(!project.root().join(".git").exists());
}

#[test]
fn unsupported_repositories_are_refused_before_the_run_starts() {
    let project = new_project(WRITES);
    let commit = |project: &TestProject| {
        project.git(&["add", "--all"]);
        project.git(&["-c", "user.name=a", "-c", "user.email=a@b", "commit", "--quiet", "-m", "more"]);
    };
    // Only git is on this path, without its helpers.
    let path = project.temp_path("bin");
    fs::create_dir(&path).unwrap();
    let found =
        std::env::split_paths(&std::env::var_os("PATH").unwrap()).find(|folder| folder.join("git").exists());
    std::os::unix::fs::symlink(found.unwrap().join("git"), path.join("git")).unwrap();
    let bare = |project: &TestProject| {
        let mut command = jangdan_run_command(project, &[]);
        command.env("PATH", &path);
        command
    };
    fs::create_dir(project.root().join("large")).unwrap();
    fs::write(project.root().join("large/.gitattributes"), "*.bin filter=lfs\n").unwrap();
    commit(&project);
    assert_fails_with(bare(&project), &["its filter is not configured here", "git lfs install"]);
    project.git(&["config", "filter.lfs.process", "git-lfs filter-process"]);
    assert_fails_with(bare(&project), &["git-lfs is not installed", "Install git-lfs"]);

    let project = new_project(WRITES);
    let inner = project.temp_path("inner");
    fs::create_dir(&inner).unwrap();
    let git = |arguments: &[&str]| {
        let mut command = Command::new("git");
        command.args(["-c", "user.name=a", "-c", "user.email=a@b"]).current_dir(&inner).args(arguments);
        assert!(command.output().unwrap().status.success(), "{arguments:?}");
    };
    git(&["init", "--quiet"]);
    git(&["commit", "--quiet", "--allow-empty", "-m", "one"]);
    let url = inner.display().to_string();
    project.git(&["-c", "protocol.file.allow=always", "submodule", "--quiet", "add", &url, "inner"]);
    commit(&project);
    // The project references a commit that was never fetched.
    let wanted = format!("160000,{},inner", "1".repeat(40));
    project.git(&["update-index", "--cacheinfo", &wanted]);
    project.git(&["-c", "user.name=a", "-c", "user.email=a@b", "commit", "--quiet", "-m", "ahead"]);
    assert_fails_with(
        jangdan_run_command(&project, &[]),
        &["Submodule inner does not have the commit", "git submodule update --init inner"],
    );

    let project = new_project(WRITES);
    fs::remove_dir_all(project.root().join(".git")).unwrap();
    project.git(&["init", "--quiet", "--initial-branch=new"]);
    assert_fails_with(jangdan_run_command(&project, &[]), &["Branch new has no commit yet", "Commit first"]);
    assert_eq!(project.client().runs().unwrap().len(), 0);
}

#[test]
fn configuration_in_a_subfolder_is_found_and_agents_work_at_the_root() {
    let project = new_project("");
    let root = project.root();
    let below = root.join("app/src");
    fs::create_dir_all(&below).unwrap();
    fs::write(
        project.temp_path("agent.sh"),
        "read -r task\npwd > where.txt\necho \"DONE:$JANGDAN_TASK:it is there\"\n",
    )
    .unwrap();
    let configuration = format!(
        "[orchestration]\ngate_approval = 'automatic'\n[checks]\nverify = 'test -e README.md'\n\
         [agents.mine]\nextends = 'shell'\nrole = 'worker'\narguments = ['{}']\n",
        project.temp_path("agent.sh").display()
    );
    fs::write(root.join("app/jangdan.toml"), configuration).unwrap();
    let from_below = |arguments: &[&str]| {
        let mut command = jangdan_run_command(&project, arguments);
        command.current_dir(&below);
        output_of(command)
    };
    let (exit, text) = from_below(&["../../TASKS.md"]);
    assert!(exit == Some(0) && text.contains("1 of 1 done"), "{exit:?}:\n{text}");
    let branch = project.git(&["branch", "--list", "--format=%(refname:short)", "jangdan/*/run"]);
    let place = project.git(&["show", &format!("{}:where.txt", branch.trim())]);
    assert!(place.trim_end().ends_with("-T1"), "the root of the task's worktree: {place}");
}

#[test]
fn a_run_without_an_agent_says_where_it_looked_for_the_configuration() {
    let project = new_project("");
    let root = project.root();
    fs::remove_file(root.join("jangdan.toml")).unwrap();
    fs::create_dir(root.join("app")).unwrap();
    // Only git is on this path: no agent is installed.
    let path = project.temp_path("bin");
    fs::create_dir(&path).unwrap();
    let found =
        std::env::split_paths(&std::env::var_os("PATH").unwrap()).find(|folder| folder.join("git").exists());
    std::os::unix::fs::symlink(found.unwrap().join("git"), path.join("git")).unwrap();
    let mut command = jangdan_run_command(&project, &["../TASKS.md"]);
    command.env("PATH", &path).current_dir(root.join("app"));
    let root = root.canonicalize().unwrap();
    let searched = format!("{0}/app/jangdan.toml, {0}/jangdan.toml", root.display());
    assert_fails_with(command, &["No agent is installed", "jangdan agents", &searched]);
}
