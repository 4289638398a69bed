//! Who is in a team, in which part, and by which preset.

use std::{collections::BTreeMap, path::Path};

use config::{Config, ConfigFile, Layers, load};
use domain::{PlannedTask, PlannedWork};

use super::team;

fn config(text: &str) -> Config {
    let file = ConfigFile { name: "jangdan.toml", bytes: text.as_bytes(), folder: Path::new("/project") };
    let loaded = load(&Layers {
        files: &[file],
        environment: &BTreeMap::new(),
        flags: &[],
        builtin_agents: &drivers::preset::names(&toml::Table::new()),
        directory: Path::new("/project"),
        home: None,
    });
    loaded.unwrap().config
}

/// Makes a plan of tasks that name who does them, and who tests them: `claude/codex`.
fn work(tasks: &[&str]) -> PlannedWork {
    let name = |name: &str| (!name.is_empty()).then(|| name.parse().unwrap());
    let task = |(number, text): (usize, &&str)| {
        let (agent, tester) = text.split_once('/').unwrap_or((text, ""));
        let planned = PlannedTask::new(format!("T{number}").parse().unwrap(), 1, String::new());
        PlannedTask { agent: name(agent), tester: name(tester), ..planned }
    };
    let tasks = tasks.iter().enumerate().map(task).collect();
    PlannedWork { title: String::new(), phases: Vec::new(), tasks }
}

/// Compares the members of a team in order, each with its part and its preset, then who tests by default.
#[track_caller]
fn check(text: &str, tasks: &[&str], wanted: Option<&str>, expected: &str) {
    let team = team(&config(text), &work(tasks), wanted).unwrap();
    let member = |member: &domain::TeamMember| {
        let slots = member.slots.map(|slots| format!(" x{slots}")).unwrap_or_default();
        format!("{} {:?} {}{slots}", member.name, member.role, team.presets[&member.name])
    };
    let members: Vec<String> = team.members.iter().map(member).collect();
    let tester = team.tester.map(|tester| format!("; tests: {tester}")).unwrap_or_default();
    assert_eq!(format!("{}{tester}", members.join(", ")), expected, "{text}");
    assert_eq!(team.note, None, "nobody had to be guessed");
}

#[test]
fn whoever_has_the_role_does_what_nobody_is_named_for() {
    // None of these is looked for on the machine.
    check("[agents.codex]\nrole = 'worker'", &[""], None, "codex Worker codex");
    check("[agents.mine]\nextends = 'shell'\nrole = 'worker'", &[""], None, "mine Worker mine");
    check(
        "[agents.codex]\nrole = 'worker'\nslots = 2\n[agents.claude]\nrole = 'worker'",
        &[""],
        None,
        "claude Worker claude, codex Worker codex x2",
    );
    check(
        "[agents.codex]\nrole = 'worker'\n[agents.shell]\nrole = 'tester'\n\
         [agents.opencode]\nrole = 'verifier'\n[agents.gemini]\nrole = 'orchestrator'\n\
         [agents.claude]\nrole = 'operator'",
        &[""],
        None,
        "codex Worker codex, gemini Orchestrator gemini, claude Operator claude, opencode Verifier opencode, \
         shell Tester shell; tests: shell",
    );
}

#[test]
fn the_person_says_it_before_team_does_and_team_before_a_role() {
    let both = "[agents.codex]\nrole = 'worker'\n[team]\nworker = 'claude'";
    check(both, &[""], None, "claude Worker claude, codex Worker codex");
    check(both, &[""], Some("gemini"), "gemini Worker gemini, codex Worker codex");
    check("[agents.codex]\nrole = 'worker'", &["claude"], None, "codex Worker codex, claude Worker claude");
}

#[test]
fn whoever_plays_two_parts_is_there_once_more_under_the_name_of_the_second() {
    check(
        "team.worker = 'codex'\nteam.verifier = 'codex'\nteam.tester = 'codex'",
        &[""],
        None,
        "codex Worker codex, verifier Verifier codex, tester Tester codex; tests: tester",
    );
}

#[test]
fn whoever_a_plan_or_the_configuration_names_is_a_member_too() {
    check("", &["claude/codex", "claude"], None, "claude Worker claude, codex Tester codex");
    check("team.worker = 'claude'", &["nora"], None, "claude Worker claude, nora Worker claude");
    check(
        "team.worker = 'claude'\n[agents.codex]\nslots = 2",
        &[""],
        None,
        "claude Worker claude, codex Specialist codex x2",
    );
}
