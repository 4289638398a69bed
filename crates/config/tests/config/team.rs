//! Who is in the team, and what a plan leaves open.

use config::Config;
use domain::{PlannedPhase, PlannedTask, PlannedWork};

use crate::load::load_file;

fn config(text: &str) -> Config {
    load_file(text.as_bytes()).unwrap().config
}

/// Compares the members of a team, in order, where `first` is the agent that works.
#[track_caller]
fn check(text: &str, expected: &[&str]) {
    let members = config(text).members(&"first".parse().unwrap());
    let slots =
        |slots: Option<std::num::NonZeroU32>| slots.map(|slots| format!(" x{slots}")).unwrap_or_default();
    let members: Vec<_> = members
        .iter()
        .map(|member| format!("{} {:?}{}", member.name, member.role, slots(member.slots)))
        .collect();
    assert_eq!(members, expected);
}

#[test]
fn a_team_has_those_with_a_part_and_those_who_are_described() {
    check("", &["first Worker"]);
    check("team.worker = 'codex'\nteam.verifier = 'codex'", &["codex Worker", "codex Verifier"]);
    check("[agents.codex]\nslots = 2\n[team]\nworker = 'codex'", &["codex Worker x2"]);
    check("[agents.codex]\nslots = 2", &["first Worker", "codex Specialist x2"]);
    // A role is as good as a line in [team], which is stronger.
    check("[agents.codex]\nrole = 'worker'", &["codex Worker"]);
    check(
        "[agents.codex]\nrole = 'worker'\n[agents.shell]\nrole = 'tester'\n[team]\nworker = 'claude'",
        &["claude Worker", "shell Tester", "codex Worker"],
    );
}

#[test]
fn what_a_plan_leaves_open_is_settled_and_what_it_says_stays() {
    let phase = |number: u32, budgets: &[&str]| PlannedPhase {
        number,
        name: String::new(),
        after: Vec::new(),
        verify: None,
        artefacts: Vec::new(),
        budgets: budgets.iter().map(|budget| budget.parse().unwrap()).collect(),
    };
    let task = |id: &str| PlannedTask::new(id.parse().unwrap(), 1, String::new());
    let said = PlannedTask {
        tester: Some("own".parse().unwrap()),
        budget: Some("1k".parse().unwrap()),
        ..task("T1.2")
    };
    let open = PlannedWork {
        title: String::new(),
        phases: vec![phase(1, &[]), phase(2, &["$1"])],
        tasks: vec![task("T1.1"), said],
    };
    let mut work = open.clone();
    config("").complete(&mut work);
    assert_eq!(work, open);
    config("team.tester = 'codex'\nbudgets.task.tokens = '5k'\nbudgets.phase.money = 3").complete(&mut work);
    let mut expected = open;
    expected.tasks[0].tester = Some("codex".parse().unwrap());
    expected.tasks[0].budget = Some("5k".parse().unwrap());
    expected.phases[0].budgets = vec!["$3".parse().unwrap()];
    assert_eq!(work, expected);
}
