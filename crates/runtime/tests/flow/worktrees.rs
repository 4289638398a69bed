//! Where tasks run: worktrees and their set-up, the project's folder, and that the user's checkout does not change.

use std::{fs, os::unix::fs::PermissionsExt};

use domain::RunOutcome;
use runtime::{Isolation, Ports, RunEnvironment, ShutdownMode};
use views::TaskState;

use crate::{
    fixture::{RunFixture, plan, settings},
    processes::{Process, wait_until},
};

const REPORTS_ENVIRONMENT: &str = r#"
read -r task
cat .env ready.txt > "$BARRIER/environment-$JANGDAN_TASK" 2>&1
printf '%s' "$JANGDAN_PORT_BASE" > "$BARRIER/port-$JANGDAN_TASK"
echo "$JANGDAN_TASK" > "file-$JANGDAN_TASK.txt"
echo "DONE:$JANGDAN_TASK:it is there"
"#;

#[test]
fn worktree_is_set_up_before_its_agent_starts() {
    let fixture = RunFixture::new(REPORTS_ENVIRONMENT);
    fs::write(fixture.project_folder().join(".gitignore"), ".env\nready.txt\n").unwrap();
    fs::write(fixture.project_folder().join(".env"), "SECRET=1\n").unwrap();
    commit(&fixture);
    let mut work = plan(&["T1", "T2"]);
    work.tasks[0].verify = Some("cat .env ready.txt".to_owned());
    let setup =
        vec!["echo first > ready.txt".to_owned(), "echo \"for $JANGDAN_TASK\" >> ready.txt".to_owned()];
    let run =
        fixture.start_with_environment(work, settings(), RunEnvironment { setup, ..fixture.environment() });
    assert_eq!(fixture.wait_for_outcome(&run), RunOutcome::Done);
    for task in ["T1", "T2"] {
        assert_eq!(
            fixture.script_output(&format!("environment-{task}")),
            format!("SECRET=1\nfirst\nfor {task}\n")
        );
    }
    assert_ne!(fixture.script_output("port-T1"), fixture.script_output("port-T2"));
    assert!(fixture.script_output("port-T1").parse::<u16>().is_ok());
    assert_eq!(fixture.branch_files(&run), [".gitignore", "README.md", "file-T1.txt", "file-T2.txt"]);
}

#[test]
fn tasks_of_two_runs_and_merge_checks_share_no_ports() {
    let fixture = RunFixture::new(REPORTS_ENVIRONMENT);
    let ports = Ports { first: 30_000, last: 30_039, per_task: 10 };
    let mut work = plan(&["T1"]);
    let check_port = fixture.barrier_file("port-check");
    work.phases[0].verify = Some(format!("printf '%s' $JANGDAN_PORT_BASE >> {}", check_port.display()));
    work.tasks[0].verify = Some("true".to_owned());
    let first =
        fixture.start_with_environment(work, settings(), RunEnvironment { ports, ..fixture.environment() });
    assert_eq!(fixture.wait_for_outcome(&first), RunOutcome::Done);
    let second = fixture.start_with_environment(
        plan(&["T2", "T3"]),
        settings(),
        RunEnvironment { ports, ..fixture.environment() },
    );
    assert_eq!(fixture.wait_for_outcome(&second), RunOutcome::Done);
    let mut ports = ["T1", "check", "T2", "T3"].map(|name| fixture.script_output(&format!("port-{name}")));
    ports.sort();
    assert_eq!(ports, ["30000", "30010", "30020", "30030"]);
}

#[test]
fn files_of_the_set_up_are_neither_merged_nor_evidence() {
    let fixture = RunFixture::new(
        r#"
read -r task
[ "$JANGDAN_TASK" = T3 ] || echo x > "file-$JANGDAN_TASK.txt"
echo "DONE:$JANGDAN_TASK"
read -r nothing
"#,
    );
    let setup = vec!["echo \"of $JANGDAN_TASK\" | tee -a README.md > package-lock.json".to_owned()];
    let environment = RunEnvironment { setup, ..fixture.environment() };
    let run = fixture.start_with_environment(plan(&["T1", "T2", "T3"]), settings(), environment);
    fixture.wait_for_task(&run, "T1", TaskState::Done);
    fixture.wait_for_task(&run, "T2", TaskState::Done);
    assert_eq!(fixture.branch_files(&run), ["README.md", "file-T1.txt", "file-T2.txt"]);
    assert!(!fixture.branch_file(&run, "README.md").contains("of T"));
    // The third agent changed nothing.
    let questions = fixture.wait_for_questions(&run, 1);
    assert!(questions[0].text.contains("No file has changed"), "{}", questions[0].text);
}

#[test]
fn failed_set_up_is_escalated_with_the_reason() {
    let fixture = RunFixture::new(REPORTS_ENVIRONMENT);
    let setup = vec!["echo there is no compiler; exit 3".to_owned()];
    let run = fixture.start_with_environment(
        plan(&["T1"]),
        settings(),
        RunEnvironment { setup, ..fixture.environment() },
    );
    let escalation = fixture.wait_for(&run, |views| views.rows().escalations.iter().next().cloned());
    assert!(escalation.description.contains("there is no compiler"), "{}", escalation.description);
    assert_eq!(fixture.script_output("port-T1"), "", "no agent was started");
}

#[test]
fn shutdown_ends_a_running_set_up() {
    let mut fixture = RunFixture::new(REPORTS_ENVIRONMENT);
    let pid = fixture.barrier_file("pid").display().to_string();
    let setup = vec![format!("[ -e {pid} ] || {{ echo $$ > {pid}; exec sleep 1000; }}")];
    let run = fixture.start_with_environment(
        plan(&["T1"]),
        settings(),
        RunEnvironment { setup, ..fixture.environment() },
    );
    wait_until("the set-up runs", || fixture.script_output("pid").ends_with('\n'));
    let process = Process::from_pid(fixture.script_output("pid").trim().parse().unwrap());
    fixture.restart_with(ShutdownMode::EndSessions);
    assert!(process.has_exited());
    assert_eq!(fixture.wait_for_outcome(&run), RunOutcome::Done);
}

#[test]
fn without_worktrees_tasks_run_in_the_project_folder() {
    let fixture = RunFixture::new(REPORTS_ENVIRONMENT);
    fs::write(fixture.project_folder().join("dirty.txt"), "mine\n").unwrap();
    let mut work = plan(&["T1", "T2:T1"]);
    work.tasks[1].verify = Some("cat file-T1.txt file-T2.txt".to_owned());
    let setup = vec!["echo not here > setup.txt".to_owned()];
    let environment = RunEnvironment { isolation: Isolation::InPlace, setup, ..fixture.environment() };
    let run = fixture.start_with_environment(work, settings(), environment);
    assert_eq!(fixture.wait_for_outcome(&run), RunOutcome::Done);
    assert_eq!(fixture.rows(&run).receipts.iter().next().unwrap().receipt.output_tail, "T1\nT2\n");
    let status = "?? dirty.txt\n?? file-T1.txt\n?? file-T2.txt\n";
    assert_eq!(fixture.git(&["status", "--porcelain"]), status);
    assert_eq!(fixture.git(&["branch", "--list", "jangdan/*"]), "");
}

#[test]
fn hooks_signing_and_uncommitted_changes_of_the_user_are_not_touched() {
    let fixture = RunFixture::new(REPORTS_ENVIRONMENT);
    for hook in [
        "pre-commit",
        "commit-msg",
        "post-commit",
        "post-checkout",
        "pre-merge-commit",
        "post-merge",
        "reference-transaction",
    ] {
        let path = fixture.project_folder().join(".git/hooks").join(hook);
        fs::write(
            &path,
            format!("#!/bin/sh\necho {hook} >> '{}'\nexit 1\n", fixture.barrier_file("hooks").display()),
        )
        .unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
    }
    let mut config = fs::read_to_string(fixture.project_folder().join(".git/config")).unwrap();
    config.push_str("[commit]\n\tgpgsign = true\n[gpg]\n\tprogram = false\n[merge]\n\tff = only\n");
    fs::write(fixture.project_folder().join(".git/config"), config).unwrap();
    fs::write(fixture.project_folder().join("README.md"), "changed\n").unwrap();
    fs::write(fixture.project_folder().join("staged.txt"), "staged\n").unwrap();
    fixture.git(&["add", "staged.txt"]);
    fs::write(fixture.project_folder().join("new.txt"), "new\n").unwrap();
    let before = (fixture.git(&["status", "--porcelain"]), fixture.git(&["diff", "--cached"]));
    let run = fixture.start(plan(&["T1", "T2"]));
    assert_eq!(fixture.wait_for_outcome(&run), RunOutcome::Done);
    assert_eq!(fixture.branch_files(&run), ["README.md", "file-T1.txt", "file-T2.txt"]);
    assert_eq!(fixture.branch_file(&run, "README.md"), "A project\n");
    assert_eq!((fixture.git(&["status", "--porcelain"]), fixture.git(&["diff", "--cached"])), before);
    assert_eq!(fixture.script_output("hooks"), "");
}

#[test]
fn clean_removes_the_worktrees_of_an_ended_run_and_keeps_its_branch() {
    let fixture = RunFixture::new(REPORTS_ENVIRONMENT);
    let run = fixture.start(plan(&["T1", "T2"]));
    assert_eq!(fixture.wait_for_outcome(&run), RunOutcome::Done);
    fixture.wait_for_task(&run, "T2", TaskState::Done);
    let report = fixture.host.remove_finished_worktrees(&run, "ana", false).unwrap();
    assert_eq!((report.removed_tasks.len(), report.kept_tasks.len()), (2, 0), "{report:?}");
    assert_eq!(fixture.git(&["worktree", "list"]).lines().count(), 1);
    assert_eq!(fixture.branch_files(&run), ["README.md", "file-T1.txt", "file-T2.txt"]);
}

fn commit(fixture: &RunFixture) {
    fixture.git(&["add", "."]);
    fixture.git(&["-c", "user.name=a", "-c", "user.email=a@b", "commit", "--quiet", "-m", "more"]);
}

#[test]
fn ids_with_a_slash_and_long_ids_have_worktrees_set_up_and_merged() {
    let fixture = RunFixture::new(
        r#"
read -r task
cat ready.txt > "$BARRIER/ready-$(basename "$PWD")"
basename "$PWD" > "file-$(basename "$PWD").txt"
echo "DONE:$JANGDAN_TASK:it is there"
"#,
    );
    fs::write(fixture.project_folder().join(".gitignore"), "ready.txt\n").unwrap();
    commit(&fixture);
    let long = "T1.1.1.1.1.1.1.1.1.1.1.1.1.1.1.1.1.1.1.1.1.1.1.1.1.1.1.1.1.1.1";
    let setup = vec!["echo \"for $JANGDAN_TASK\" >> ready.txt".to_owned()];
    let environment = RunEnvironment { setup, ..fixture.environment() };
    let mut work = plan(&["FE/T1", "FE-T1:FE/T1", long]);
    work.tasks[0].verify = Some("grep -q FE/T1 ready.txt".to_owned());
    let run = fixture.start_with_environment(work, settings(), environment);
    assert_eq!(fixture.wait_for_outcome(&run), RunOutcome::Done);
    for (name, task) in [("FE+T1", "FE/T1"), ("FE-T1", "FE-T1"), (long, long)] {
        assert_eq!(fixture.script_output(&format!("ready-{run}-{name}")), format!("for {task}\n"));
    }
    let branches =
        fixture.git(&["branch", "--list", &format!("jangdan/{run}/FE*"), "--format=%(refname:short)"]);
    let expected = [format!("jangdan/{run}/FE+T1"), format!("jangdan/{run}/FE-T1")];
    assert_eq!(branches.lines().collect::<Vec<_>>(), expected);
}
