//! Members of a team with their roles and presets.

use std::{collections::BTreeMap, os::unix::fs::PermissionsExt, path::Path, time::Duration};

use config::{Config, ConfigFile, Layers, load};
use domain::{PlannedTask, PlannedWork};

use sessions::detect::AgentDetector;

use super::{assemble_team, check_programs};

fn parse_config(text: &str) -> Config {
    let file = ConfigFile { name: "jangdan.toml", bytes: text.as_bytes(), folder: Path::new("/project") };
    let loaded = load(&Layers {
        files: &[file],
        environment: &BTreeMap::new(),
        flags: &[],
        builtin_agents: &drivers::preset::preset_names(&toml::Table::new()),
        directory: Path::new("/project"),
        home: None,
    });
    loaded.unwrap().config
}

/// Makes a plan of tasks that name an agent and a tester, such as `claude/codex`.
fn plan_with_tasks(tasks: &[&str]) -> PlannedWork {
    let name = |name: &str| (!name.is_empty()).then(|| name.parse().unwrap());
    let task = |(number, text): (usize, &&str)| {
        let (agent, tester) = text.split_once('/').unwrap_or((text, ""));
        let planned = PlannedTask::new(format!("T{number}").parse().unwrap(), 1, String::new());
        PlannedTask { agent: name(agent), tester: name(tester), ..planned }
    };
    let tasks = tasks.iter().enumerate().map(task).collect();
    PlannedWork { title: String::new(), phases: Vec::new(), tasks }
}

/// Compares the members of a team in order, each with its role and preset, then the default tester.
#[track_caller]
fn assert_team(text: &str, tasks: &[&str], agent: Option<&str>, expected: &str) {
    let team = assemble_team(&parse_config(text), &plan_with_tasks(tasks), agent).unwrap();
    let member = |member: &domain::TeamMember| {
        let slots = member.slots.map(|slots| format!(" x{slots}")).unwrap_or_default();
        format!("{} {:?} {}{slots}", member.name, member.role, team.presets[&member.name])
    };
    let members: Vec<String> = team.members.iter().map(member).collect();
    let tester = team.tester.map(|tester| format!("; tests: {tester}")).unwrap_or_default();
    assert_eq!(format!("{}{tester}", members.join(", ")), expected, "{text}");
    assert_eq!(team.note, None, "the worker is configured");
}

#[test]
fn agents_with_a_role_are_its_default() {
    // None of these has to be installed.
    assert_team("[agents.codex]\nrole = 'worker'", &[""], None, "codex Worker codex");
    assert_team("[agents.mine]\nextends = 'shell'\nrole = 'worker'", &[""], None, "mine Worker mine");
    assert_team(
        "[agents.codex]\nrole = 'worker'\nslots = 2\n[agents.claude]\nrole = 'worker'",
        &[""],
        None,
        "claude Worker claude, codex Worker codex x2",
    );
    assert_team(
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
fn the_option_overrides_team_and_team_overrides_a_role() {
    let both = "[agents.codex]\nrole = 'worker'\n[team]\nworker = 'claude'";
    assert_team(both, &[""], None, "claude Worker claude, codex Worker codex");
    assert_team(both, &[""], Some("gemini"), "gemini Worker gemini, codex Worker codex");
    assert_team(
        "[agents.codex]\nrole = 'worker'",
        &["claude"],
        None,
        "codex Worker codex, claude Worker claude",
    );
}

#[test]
fn an_agent_with_two_roles_is_added_again_under_the_second_role() {
    assert_team(
        "team.worker = 'codex'\nteam.verifier = 'codex'\nteam.tester = 'codex'",
        &[""],
        None,
        "codex Worker codex, verifier Verifier codex, tester Tester codex; tests: tester",
    );
}

#[test]
fn agents_named_by_the_plan_or_the_configuration_are_members() {
    assert_team("", &["claude/codex", "claude"], None, "claude Worker claude, codex Tester codex");
    assert_team("team.worker = 'claude'", &["nora"], None, "claude Worker claude, nora Worker claude");
    assert_team(
        "team.worker = 'claude'\n[agents.codex]\nslots = 2",
        &[""],
        None,
        "claude Worker claude, codex Specialist codex x2",
    );
}

/// Checks the programs of a team on a machine that has only these.
fn check_with_programs(text: &str, agent: Option<&str>, installed: &[&str]) -> Result<Vec<String>, String> {
    let folder = tempfile::tempdir().unwrap();
    for program in installed {
        let path = folder.path().join(program);
        std::fs::write(&path, "").unwrap();
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).unwrap();
    }
    let detector = AgentDetector {
        path: folder.path().into(),
        home: None,
        variables: vec![("CODEX_API_KEY".to_owned(), "set".into())],
        version_timeout: Duration::ZERO,
    };
    let config = parse_config(text);
    let team = assemble_team(&config, &plan_with_tasks(&[""]), agent).unwrap();
    check_programs(&team, &config, &detector).map_err(|error| format!("{error} | {}", error.hint()))
}

#[test]
fn an_agent_that_is_not_installed_is_refused_with_its_installation() {
    let refusal = check_with_programs("", Some("aider"), &["codex"]).unwrap_err();
    assert_eq!(
        refusal,
        "agent aider is not installed: aider is not on PATH | Install it: pip install aider-install && \
         aider-install. Or choose another agent."
    );
    assert!(check_with_programs("", Some("codex"), &["codex"]).is_ok());
    let tester = "[agents.codex]\nrole = 'worker'\n[agents.gemini]\nrole = 'tester'";
    assert!(check_with_programs(tester, None, &["codex"]).unwrap_err().contains("gemini is not installed"));
}

#[test]
fn a_configured_command_is_not_installed_like_the_agent_it_extends() {
    let own = "[agents.mine]\nextends = 'shell'\ncommand = '/missing/agent'\nrole = 'worker'";
    assert_eq!(
        check_with_programs(own, None, &["sh"]).unwrap_err(),
        "agent mine is not installed: /missing/agent does not exist | Install it or correct its command, or choose \
         another agent. List the agents: jangdan agents"
    );
}

#[test]
fn a_missing_agent_that_is_only_called_is_mentioned() {
    let team = "[agents.codex]\nrole = 'worker'\n[agents.gemini]\nrole = 'specialist'";
    let notes = check_with_programs(team, None, &["codex"]).unwrap();
    assert_eq!(notes, ["agent gemini is not installed: gemini is not on PATH. Other agents cannot call it."]);
}

#[test]
fn an_agent_that_seems_signed_out_is_mentioned() {
    let notes = check_with_programs("", Some("gemini"), &["gemini"]).unwrap();
    assert_eq!(notes.len(), 1);
    assert!(notes[0].contains("seems to be signed out: "), "{notes:?}");
}

#[test]
fn a_shell_without_a_script_is_refused() {
    let refusal = check_with_programs("", Some("shell"), &["sh"]).unwrap_err();
    assert!(refusal.contains("it would execute the text of the plan"), "{refusal}");
    let script = "[agents.mine]\nextends = 'shell'\narguments = ['agent.sh']\nrole = 'worker'";
    assert_eq!(check_with_programs(script, None, &["sh"]), Ok(Vec::new()));
    let own_program =
        "[agents.mine]\nextends = 'shell'\ncommand = './agent'\narguments = ['x']\nrole = 'worker'";
    assert_eq!(check_with_programs(own_program, None, &[]), Ok(Vec::new()));
}
