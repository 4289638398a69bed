//! "Done" is a receipt: what was run, how it ended, on which tree; and the run's branch holds only what passed together.

use domain::{EscalationType, RunId, RunOutcome, RunSettings};
use runtime::{Isolation, RunEnvironment, ShutdownMode};
use views::{ReceiptPurpose, TaskState};

use crate::{
    lab::{Lab, plan, settings},
    processes::{Process, until},
};

/// Writes a file, meets the other task before either is merged, and says that it is done, each time that it is told.
const MEETS_AND_REPEATS: &str = r#"
read -r task
echo "$JANGDAN_TASK" > "$JANGDAN_TASK.txt"
echo "from $JANGDAN_TASK" > shared.txt
echo here > "$BARRIER/$JANGDAN_TASK"
while [ ! -e "$BARRIER/T1" ] || [ ! -e "$BARRIER/T2" ]; do sleep 0.01; done
echo "DONE:$JANGDAN_TASK"
while read -r line; do
    printf '%s\n' "$line" >> "$BARRIER/told-$JANGDAN_TASK"
    echo "DONE:$JANGDAN_TASK"
done
"#;

#[test]
fn a_receipt_has_the_command_its_end_its_output_and_its_tree() {
    let lab = Lab::new("read -r task\necho made > made.txt\necho \"DONE:$JANGDAN_TASK\"\n");
    let mut work = plan(&["T1"]);
    work.tasks[0].verify = Some("cat made.txt".to_owned());
    let run = lab.start(work);
    assert_eq!(lab.outcome(&run), RunOutcome::Done);
    let rows = lab.rows(&run);
    let receipt = &rows.receipts.iter().next().unwrap().receipt;
    assert_eq!(receipt.command, "cat made.txt");
    assert_eq!(receipt.exit_status, Some(0));
    // What `printf 'made\n' | sha256sum` says.
    assert_eq!(receipt.output_hash, "9ccbd3f1b19a1cdfd8d7c6ae48e9e822e2345f5be1a6187b19e41486c6941004");
    assert_eq!(receipt.tree, lab.git(&["rev-parse", &format!("jangdan/{run}/run^{{tree}}")]).trim());
    assert_eq!(rows.receipts.len(), 1, "the merged tree is the one that was checked");
}

#[test]
fn a_check_that_is_stopped_with_its_server_is_taken_up_and_not_run_twice() {
    let mut lab = Lab::new("read -r task\necho made > made.txt\necho \"DONE:$JANGDAN_TASK\"\n");
    let (runs, go) = (lab.meeting("runs"), lab.meeting("go"));
    let mut work = plan(&["T1"]);
    // It changes the tree that it judges, which must not be taken for what was judged.
    let wait = format!("while [ ! -e {} ]; do sleep 0.01; done", go.display());
    work.tasks[0].verify =
        Some(format!("echo x >> made.txt; echo run >> {}; {wait}; cat made.txt", runs.display()));
    let run = lab.start(work);
    until("the check runs", || lab.met("runs") == "run\n");
    lab.reopen();
    lab.let_go("go");
    assert_eq!(lab.outcome(&run), RunOutcome::Done);
    let rows = lab.rows(&run);
    let first = rows.receipts.iter().next().unwrap();
    assert_eq!((first.purpose, first.receipt.output_tail.as_str()), (ReceiptPurpose::Check, "made\nx\n"));
    let judged = lab.git(&["show", &format!("{}:made.txt", first.receipt.tree)]);
    assert_eq!(judged, "made\n");
}

#[test]
fn a_check_that_hangs_ends_with_its_time_and_says_so() {
    let lab = Lab::new(MEETS_AND_REPEATS);
    lab.let_go("T2");
    let mut work = plan(&["T1"]);
    let pid = lab.meeting("pid").display().to_string();
    work.tasks[0].verify = Some(format!("if [ ! -e {pid} ]; then echo $$ > {pid}; sleep 1000; fi"));
    let run = lab.start_with(work, RunSettings { timeout_ms: 2000, ..settings() });
    assert_eq!(lab.outcome(&run), RunOutcome::Done);
    let told = lab.met("told-T1");
    assert!(told.contains("timed out"), "{told}");
    assert!(Process::of(lab.met("pid").trim().parse().unwrap()).is_gone());
}

#[test]
fn a_check_of_a_task_that_is_cancelled_ends_with_it() {
    let lab = Lab::new("read -r task\necho \"DONE:$JANGDAN_TASK\"\n");
    let mut work = plan(&["T1", "T2"]);
    let pid = lab.meeting("pid").display().to_string();
    work.tasks[0].verify = Some(format!("echo $$ > {pid}; exec sleep 1000"));
    let run = lab.start(work);
    until("the check runs", || lab.met("pid").ends_with('\n'));
    let check = Process::of(lab.met("pid").trim().parse().unwrap());
    lab.wish(&run, domain::Command::CancelTask("T1".parse().unwrap()));
    until("the check is gone", || check.is_gone());
}

#[test]
fn whoever_stops_everything_stops_checks_too() {
    let mut lab = Lab::new("read -r task\necho \"DONE:$JANGDAN_TASK\"\n");
    let mut work = plan(&["T1"]);
    let pid = lab.meeting("pid").display().to_string();
    work.tasks[0].verify = Some(format!("[ -e {pid} ] || {{ echo $$ > {pid}; exec sleep 1000; }}"));
    let run = lab.start(work);
    until("the check runs", || lab.met("pid").ends_with('\n'));
    let check = Process::of(lab.met("pid").trim().parse().unwrap());
    lab.reopen_after(ShutdownMode::EndSessions);
    assert!(check.is_gone());
    // It was nobody's fault, so it is run again.
    assert_eq!(lab.outcome(&run), RunOutcome::Done);
    assert_eq!(lab.rows(&run).receipts.iter().map(|row| row.passed).collect::<Vec<_>>(), [true]);
}

#[test]
fn a_conflict_that_its_agent_does_not_solve_is_handed_upward() {
    let lab = Lab::new(MEETS_AND_REPEATS);
    let run = lab.start(plan(&["T1", "T2"]));
    let escalation = lab.until(&run, |views| views.rows().escalations.iter().next().cloned());
    assert_eq!(escalation.kind, EscalationType::Conflict);
    let task = escalation.task.unwrap().to_string();
    let told = lab.met(&format!("told-{task}"));
    assert!(told.contains("CONFLICT") && told.contains("shared.txt"), "{told}");
    // What the first one merged is there, whole.
    let other = if task == "T1" { "T2" } else { "T1" };
    lab.until_task(&run, other, TaskState::Done);
    assert_eq!(lab.show(&run, "shared.txt"), format!("from {other}\n"));
}

#[test]
fn what_passes_alone_and_fails_together_is_not_merged_until_its_agent_has_put_it_right() {
    let lab = Lab::new(
        r#"
read -r task
echo "$JANGDAN_TASK" > "$JANGDAN_TASK.txt"
echo here > "$BARRIER/$JANGDAN_TASK"
while [ ! -e "$BARRIER/T1" ] || [ ! -e "$BARRIER/T2" ]; do sleep 0.01; done
echo "DONE:$JANGDAN_TASK"
read -r feedback
printf '%s\n' "$feedback" > "$BARRIER/feedback"
# Only whoever sees the other's file knows what is wrong.
ls T1.txt T2.txt > "$BARRIER/seen" && rm "$JANGDAN_TASK.txt"
echo "DONE:$JANGDAN_TASK"
"#,
    );
    let mut work = plan(&["T1", "T2"]);
    for task in &mut work.tasks {
        task.verify = Some("ls; [ ! -e T1.txt ] || [ ! -e T2.txt ]".to_owned());
    }
    let run = lab.start(work);
    assert_eq!(lab.outcome(&run), RunOutcome::Done);
    assert_eq!(lab.met("seen"), "T1.txt\nT2.txt\n", "its worktree has what the others did");
    assert_eq!(lab.files_of(&run).len(), 2, "{:?}", lab.files_of(&run));
    let rows = lab.rows(&run);
    let failed: Vec<ReceiptPurpose> =
        rows.receipts.iter().filter(|row| !row.passed).map(|row| row.purpose).collect();
    assert_eq!(failed, [ReceiptPurpose::Merge]);
}

#[test]
fn what_was_checked_before_the_merge_is_stale_and_what_was_checked_on_it_holds() {
    let lab = Lab::new(MEETS_AND_REPEATS.replace("from $JANGDAN_TASK", "the same").as_str());
    let mut work = plan(&["T1", "T2"]);
    for task in &mut work.tasks {
        task.verify = Some("ls".to_owned());
    }
    let run = lab.start(work);
    assert_eq!(lab.outcome(&run), RunOutcome::Done);
    let rows = lab.rows(&run);
    let tip = lab.git(&["rev-parse", &format!("jangdan/{run}/run^{{tree}}")]).trim().to_owned();
    // Whoever was merged first was checked on what came out; the other had to be checked again.
    let mut found: Vec<_> = rows
        .receipts
        .iter()
        .map(|row| (row.purpose == ReceiptPurpose::Merge, row.is_stale, row.receipt.tree == tip))
        .collect();
    found.sort_unstable();
    assert_eq!(found, [(false, false, false), (false, true, false), (true, false, true)]);
    assert!(rows.tasks.iter().all(|task| task.receipt.as_ref().is_some_and(|receipt| !receipt.is_stale)));
}

#[test]
fn a_check_is_stale_as_soon_as_its_agent_has_changed_something() {
    let lab = changes_after_its_check();
    let environment = lab.environment();
    stale_until_it_is_checked_again(&lab, environment);
}

#[test]
fn so_it_is_where_all_work_in_the_projects_own_folder() {
    let lab = changes_after_its_check();
    let before = lab.git(&["rev-parse", "HEAD^{tree}"]);
    let environment = RunEnvironment { isolation: Isolation::InPlace, ..lab.environment() };
    let run = stale_until_it_is_checked_again(&lab, environment);
    let trees: Vec<String> = lab.rows(&run).receipts.iter().map(|row| row.receipt.tree.clone()).collect();
    assert!(trees[0] != trees[1] && !trees.contains(&before.trim().to_owned()), "{trees:?}");
    assert_eq!(lab.git(&["status", "--porcelain"]), "?? state.txt\n");
}

fn changes_after_its_check() -> Lab {
    Lab::new(
        r#"
read -r task
echo bad > state.txt
echo "DONE:$JANGDAN_TASK"
read -r feedback
echo better > state.txt
printf '[ASK_USER]\nquestion: Is that better?\n[/ASK_USER]\n'
read -r answer
echo "DONE:$JANGDAN_TASK"
"#,
    )
}

fn stale_until_it_is_checked_again(lab: &Lab, environment: RunEnvironment) -> RunId {
    let mut work = plan(&["T1"]);
    work.tasks[0].verify = Some("grep -q better state.txt".to_owned());
    let run = lab.start_in(work, settings(), environment);
    let question = lab.until_pending(&run, 1).remove(0);
    let stale =
        |lab: &Lab| lab.rows(&run).receipts.iter().map(|row| (row.passed, row.is_stale)).collect::<Vec<_>>();
    lab.until(&run, |views| views.rows().tasks.iter().next()?.receipt.as_ref()?.is_stale.then_some(()));
    assert_eq!(stale(lab), [(false, true)]);
    lab.answer(&run, question.id, "yes");
    assert_eq!(lab.outcome(&run), RunOutcome::Done);
    assert_eq!(stale(lab), [(false, true), (true, false)]);
    run
}
