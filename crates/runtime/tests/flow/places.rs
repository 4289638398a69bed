//! Where tasks are worked at: worktrees made ready, the project's own folder, and a checkout that stays as its people left it.

use std::{fs, os::unix::fs::PermissionsExt};

use domain::RunOutcome;
use runtime::{Isolation, Ports, RunEnvironment, ShutdownMode};
use views::TaskState;

use crate::{
    lab::{Lab, plan, settings},
    processes::{Process, until},
};

const LOOKS_AROUND: &str = r#"
read -r task
cat .env ready.txt > "$BARRIER/around-$JANGDAN_TASK" 2>&1
printf '%s' "$JANGDAN_PORT_BASE" > "$BARRIER/port-$JANGDAN_TASK"
echo "$JANGDAN_TASK" > "file-$JANGDAN_TASK.txt"
echo "DONE:$JANGDAN_TASK"
"#;

#[test]
fn a_worktree_is_made_ready_before_its_agent_comes_in() {
    let lab = Lab::new(LOOKS_AROUND);
    fs::write(lab.project().join(".gitignore"), ".env\nready.txt\n").unwrap();
    fs::write(lab.project().join(".env"), "SECRET=1\n").unwrap();
    commit(&lab);
    let mut work = plan(&["T1", "T2"]);
    work.tasks[0].verify = Some("cat .env ready.txt".to_owned());
    let setup =
        vec!["echo first > ready.txt".to_owned(), "echo \"for $JANGDAN_TASK\" >> ready.txt".to_owned()];
    let run = lab.start_in(work, settings(), RunEnvironment { setup, ..lab.environment() });
    assert_eq!(lab.outcome(&run), RunOutcome::Done);
    for task in ["T1", "T2"] {
        assert_eq!(lab.met(&format!("around-{task}")), format!("SECRET=1\nfirst\nfor {task}\n"));
    }
    assert_ne!(lab.met("port-T1"), lab.met("port-T2"));
    assert!(lab.met("port-T1").parse::<u16>().is_ok());
    assert_eq!(lab.files_of(&run), [".gitignore", "README.md", "file-T1.txt", "file-T2.txt"]);
}

#[test]
fn two_runs_and_what_is_merged_share_no_ports() {
    let lab = Lab::new(LOOKS_AROUND);
    let ports = Ports { first: 30_000, last: 30_039, per_task: 10 };
    let mut work = plan(&["T1"]);
    let checked = lab.meeting("port-check");
    work.phases[0].verify = Some(format!("printf '%s' $JANGDAN_PORT_BASE >> {}", checked.display()));
    work.tasks[0].verify = Some("true".to_owned());
    let first = lab.start_in(work, settings(), RunEnvironment { ports, ..lab.environment() });
    assert_eq!(lab.outcome(&first), RunOutcome::Done);
    let second = lab.start_in(plan(&["T2", "T3"]), settings(), RunEnvironment { ports, ..lab.environment() });
    assert_eq!(lab.outcome(&second), RunOutcome::Done);
    let mut had = ["T1", "check", "T2", "T3"].map(|name| lab.met(&format!("port-{name}")));
    had.sort();
    assert_eq!(had, ["30000", "30010", "30020", "30030"]);
}

#[test]
fn a_worktree_that_can_not_be_made_ready_is_told_of_with_the_reason() {
    let lab = Lab::new(LOOKS_AROUND);
    let setup = vec!["echo there is no compiler; exit 3".to_owned()];
    let run = lab.start_in(plan(&["T1"]), settings(), RunEnvironment { setup, ..lab.environment() });
    let escalation = lab.until(&run, |views| views.rows().escalations.iter().next().cloned());
    assert!(escalation.description.contains("there is no compiler"), "{}", escalation.description);
    assert_eq!(lab.met("port-T1"), "", "no agent came in");
}

#[test]
fn whoever_stops_everything_need_not_wait_for_a_set_up() {
    let mut lab = Lab::new(LOOKS_AROUND);
    let pid = lab.meeting("pid").display().to_string();
    let setup = vec![format!("[ -e {pid} ] || {{ echo $$ > {pid}; exec sleep 1000; }}")];
    let run = lab.start_in(plan(&["T1"]), settings(), RunEnvironment { setup, ..lab.environment() });
    until("the set-up runs", || lab.met("pid").ends_with('\n'));
    let process = Process::of(lab.met("pid").trim().parse().unwrap());
    lab.reopen_after(ShutdownMode::EndSessions);
    assert!(process.is_gone());
    assert_eq!(lab.outcome(&run), RunOutcome::Done);
}

#[test]
fn without_worktrees_all_work_in_the_projects_own_folder() {
    let lab = Lab::new(LOOKS_AROUND);
    fs::write(lab.project().join("dirty.txt"), "mine\n").unwrap();
    let mut work = plan(&["T1", "T2:T1"]);
    work.tasks[1].verify = Some("cat file-T1.txt file-T2.txt".to_owned());
    let setup = vec!["echo not here > setup.txt".to_owned()];
    let environment = RunEnvironment { isolation: Isolation::InPlace, setup, ..lab.environment() };
    let run = lab.start_in(work, settings(), environment);
    assert_eq!(lab.outcome(&run), RunOutcome::Done);
    assert_eq!(lab.rows(&run).receipts.iter().next().unwrap().receipt.output_tail, "T1\nT2\n");
    let status = "?? dirty.txt\n?? file-T1.txt\n?? file-T2.txt\n";
    assert_eq!(lab.git(&["status", "--porcelain"]), status);
    assert_eq!(lab.git(&["branch", "--list", "jangdan/*"]), "");
}

#[test]
fn hooks_signatures_and_a_dirty_checkout_are_their_peoples_own() {
    let lab = Lab::new(LOOKS_AROUND);
    for hook in [
        "pre-commit",
        "commit-msg",
        "post-commit",
        "post-checkout",
        "pre-merge-commit",
        "post-merge",
        "reference-transaction",
    ] {
        let path = lab.project().join(".git/hooks").join(hook);
        fs::write(&path, format!("#!/bin/sh\necho {hook} >> '{}'\nexit 1\n", lab.meeting("hooks").display()))
            .unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
    }
    let mut config = fs::read_to_string(lab.project().join(".git/config")).unwrap();
    config.push_str("[commit]\n\tgpgsign = true\n[gpg]\n\tprogram = false\n[merge]\n\tff = only\n");
    fs::write(lab.project().join(".git/config"), config).unwrap();
    fs::write(lab.project().join("README.md"), "changed\n").unwrap();
    fs::write(lab.project().join("staged.txt"), "staged\n").unwrap();
    lab.git(&["add", "staged.txt"]);
    fs::write(lab.project().join("new.txt"), "new\n").unwrap();
    let before = (lab.git(&["status", "--porcelain"]), lab.git(&["diff", "--cached"]));
    let run = lab.start(plan(&["T1", "T2"]));
    assert_eq!(lab.outcome(&run), RunOutcome::Done);
    assert_eq!(lab.files_of(&run), ["README.md", "file-T1.txt", "file-T2.txt"]);
    assert_eq!(lab.show(&run, "README.md"), "A project\n");
    assert_eq!((lab.git(&["status", "--porcelain"]), lab.git(&["diff", "--cached"])), before);
    assert_eq!(lab.met("hooks"), "");
}

#[test]
fn a_run_that_is_over_is_cleaned_up_and_its_work_stays() {
    let lab = Lab::new(LOOKS_AROUND);
    let run = lab.start(plan(&["T1", "T2"]));
    assert_eq!(lab.outcome(&run), RunOutcome::Done);
    lab.until_task(&run, "T2", TaskState::Done);
    let cleaned = lab.host.clean(&run).unwrap();
    assert_eq!((cleaned.removed_tasks.len(), cleaned.kept_tasks.len()), (2, 0), "{cleaned:?}");
    assert_eq!(lab.git(&["worktree", "list"]).lines().count(), 1);
    assert_eq!(lab.files_of(&run), ["README.md", "file-T1.txt", "file-T2.txt"]);
}

fn commit(lab: &Lab) {
    lab.git(&["add", "."]);
    lab.git(&["-c", "user.name=a", "-c", "user.email=a@b", "commit", "--quiet", "-m", "more"]);
}
