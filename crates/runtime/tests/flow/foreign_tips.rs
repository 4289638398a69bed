//! An agent moves the branch of the run: nothing is merged on top of it, and the user is told.

use domain::{EscalationAction, EscalationType, RunOutcome, Severity, UserCommand};

use crate::fixture::{RunFixture, plan};

/// Commits unchecked changes on the run's branch.
const MOVES_THE_BRANCH: &str = r#"
read -r task
if [ ! -e "$BARRIER/moved" ]; then
    touch "$BARRIER/moved"
    echo evil > evil.txt
    git add evil.txt
    git -c user.name=a -c user.email=a@b commit --quiet -m evil
    git update-ref "refs/heads/jangdan/$JANGDAN_RUN/run" HEAD
    git reset --quiet --hard HEAD~1
fi
echo good > good.txt
echo "DONE:$JANGDAN_TASK:it is there"
while read -r line; do echo "DONE:$JANGDAN_TASK:it is there"; done
"#;

#[test]
fn work_is_not_merged_onto_a_branch_that_an_agent_moved() {
    let fixture = RunFixture::new(MOVES_THE_BRANCH);
    let base = fixture.git(&["rev-parse", "main"]);
    let run = fixture.start(plan(&["T1"]));
    let escalation = fixture.wait_for(&run, |views| views.rows().escalations.iter().next().cloned());
    assert_eq!((escalation.kind, escalation.severity), (EscalationType::Protocol, Severity::Critical));
    let branch = format!("refs/heads/jangdan/{run}/run");
    assert!(escalation.title.contains(&branch), "{escalation:?}");
    assert!(escalation.description.contains(base.trim()), "{escalation:?}");
    // The user puts the branch back, and the merge is executed again.
    fixture.git(&["update-ref", &branch, base.trim()]);
    let (escalation, action) = (escalation.id, EscalationAction::Dismiss);
    fixture.execute(&run, UserCommand::Resolve { escalation, action, note: None });
    assert_eq!(fixture.wait_for_outcome(&run), RunOutcome::Done);
    let files = fixture.branch_files(&run);
    assert!(files.contains(&"good.txt".to_owned()) && !files.contains(&"evil.txt".to_owned()), "{files:?}");
    let attempt = fixture.rows(&run).tasks.get(&"T1".parse().unwrap()).unwrap().attempt;
    assert_eq!(attempt, 1, "the agent has nothing to repeat");
}
