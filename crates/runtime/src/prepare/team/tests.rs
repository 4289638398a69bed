//! Members of a team with their roles and presets.

use std::{collections::BTreeMap, os::unix::fs::PermissionsExt, path::Path, time::Duration};

use config::{Config, ConfigFile, Layers, load};
use domain::{Locale, PlannedTask, PlannedWork};

use sessions::detect::AgentDetector;

use super::super::check_commands::check_commands;
use super::{StartRemark, assemble_team, check_programs};

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
    let is_chosen = |remark: &StartRemark| matches!(remark, StartRemark::DefaultWorker { .. });
    assert!(!team.remarks.iter().any(is_chosen), "the worker is configured");
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

/// Assembles a team and checks its programs, on a machine that has only these programs and files in its home. Returns the
/// remarks, or the refusal with its hint.
fn check_with_programs(
    text: &str,
    tasks: &[&str],
    agent: Option<&str>,
    installed: &[&str],
) -> Result<String, String> {
    let folder = tempfile::tempdir().unwrap();
    for program in installed {
        let path = folder.path().join(program);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, "").unwrap();
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).unwrap();
    }
    let detector = AgentDetector {
        path: folder.path().into(),
        home: Some(folder.path().to_owned()),
        variables: vec![("CODEX_API_KEY".to_owned(), "set".into())],
        version_timeout: Duration::ZERO,
    };
    let config = parse_config(text);
    let team = assemble_team(&config, &plan_with_tasks(tasks), agent);
    let checked = team.and_then(|team| {
        let mut remarks = check_programs(&team, &config, &detector)?;
        remarks.extend(team.remarks);
        Ok(remarks)
    });
    let remarks = checked.map_err(|error| format!("{error} | {}", error.hint()))?;
    Ok(remarks.iter().map(|remark| remark.text(Locale::En)).collect::<Vec<_>>().join(" "))
}

/// A configuration, the agents of the tasks, the agent of the command line, the programs, and the start of the refusal.
type RefusalCase<'a> = (&'a str, &'a [&'a str], Option<&'a str>, &'a [&'a str], &'a str);

#[test]
fn a_team_that_cannot_work_is_refused_with_what_to_do() {
    let cases: &[RefusalCase<'_>] = &[
        (
            "",
            &[""],
            Some("aider"),
            &["codex"],
            "agent aider is not installed: aider is not on PATH | Install it: pip install aider-install && \
             aider-install. Or choose another agent.",
        ),
        (
            "[agents.codex]\nrole = 'worker'\n[agents.gemini]\nrole = 'tester'",
            &[""],
            None,
            &["codex"],
            "agent gemini is not installed: ",
        ),
        (
            "[agents.mine]\nextends = 'shell'\ncommand = '/missing/agent'\nrole = 'worker'",
            &[""],
            None,
            &["sh"],
            "agent mine is not installed: /missing/agent does not exist | Install it or correct its command, or \
             choose another agent. List the agents: jangdan agents",
        ),
        (
            "",
            &[""],
            Some("gemini"),
            &["gemini"],
            "agent gemini is not signed in | Sign in: gemini. If it is signed in \
             otherwise, name a variable or file that shows it: agents.gemini.login.variables or",
        ),
        (
            "",
            &[""],
            Some("shell"),
            &["sh"],
            "agent shell has no script: it would execute the text of the plan as shell commands | Configure an agent",
        ),
        (
            "",
            &[""],
            Some("claud"),
            &[],
            "unknown agent 'claud' | Did you mean claude? List the agents: jangdan agents",
        ),
        ("", &[""], Some("colour"), &[], "unknown agent 'colour' | Known agents: claude, codex, "),
        (
            "team.worker = 'codex'",
            &["", "codx"],
            None,
            &["codex"],
            "unknown agent 'codx' of task T1 | Did you mean codex? If not, define it in jangdan.toml: [agents.codx]",
        ),
        (
            "team.worker = 'codex'\n[agents.painter]\nextends = 'codex'",
            &["codex/paintr"],
            None,
            &["codex"],
            "unknown agent 'paintr' of task T0 | Did you mean painter?",
        ),
    ];
    for (text, tasks, agent, installed, expected) in cases {
        let refusal = check_with_programs(text, tasks, *agent, installed).unwrap_err();
        assert!(refusal.starts_with(expected), "{refusal}\ninstead of\n{expected}");
    }
}

#[test]
fn a_team_that_can_work_is_accepted_with_remarks() {
    let check = |text: &str, tasks: &[&str], agent: Option<&str>, installed: &[&str], expected: &str| {
        assert_eq!(check_with_programs(text, tasks, agent, installed).as_deref(), Ok(expected), "{text}");
    };
    check("", &[""], Some("codex"), &["codex"], "");
    let script = "[agents.mine]\nextends = 'shell'\narguments = ['agent.sh']\nrole = 'worker'";
    check(script, &[""], None, &["sh"], "");
    let own_program =
        "[agents.mine]\nextends = 'shell'\ncommand = './agent'\narguments = ['x']\nrole = 'worker'";
    check(own_program, &[""], None, &[], "");
    // The login of the extended preset is not that of another program.
    check("[agents.gemini]\ncommand = './mine'\nrole = 'worker'", &[""], None, &[], "");
    check(
        "[agents.codex]\nrole = 'worker'\n[agents.gemini]\nrole = 'specialist'",
        &[""],
        None,
        &["codex"],
        "Agent gemini is not installed: gemini is missing. Other agents cannot call it.",
    );
    check(
        "",
        &[""],
        Some("gemini"),
        &["gemini", ".gemini/settings.json"],
        "Gemini CLI seems to be signed out. To sign in: gemini",
    );
    // Jangdan starts the agent with this environment.
    let key = "[agents.gemini]\nenvironment = { GEMINI_API_KEY = 'x' }";
    check(key, &[""], Some("gemini"), &["gemini"], "");
    check(
        "team.worker = 'codex'",
        &["backend", "backend"],
        None,
        &["codex"],
        "backend is not a configured agent: codex works under this name. To choose another one, add \
         [agents.backend] to jangdan.toml.",
    );
}

#[test]
fn a_check_whose_program_is_missing_is_refused_unless_worktrees_are_set_up() {
    let check = |text: &str, verify: Option<&str>| {
        let mut work = plan_with_tasks(&["", ""]);
        work.tasks[1].verify = verify.map(str::to_owned);
        let remarks = check_commands(&work, &parse_config(text), Path::new("/"));
        remarks
            .map_err(|error| format!("{error} | {}", error.hint()))
            .map(|remarks| remarks.iter().map(|remark| remark.text(Locale::En)).collect::<Vec<_>>().join(" "))
    };
    assert_eq!(check("", None).as_deref(), Ok(""));
    assert_eq!(check("checks.verify = 'cd app && missing-tool'", Some("./missing.sh")).as_deref(), Ok(""));
    let refusal = "the check `missing-tool -q` cannot run: missing-tool is not on PATH | Install it, correct the \
                   check, or install it in each worktree: worktree.setup";
    assert_eq!(check("checks.verify = 'missing-tool -q'", None).unwrap_err(), refusal);
    assert_eq!(check("", Some("missing-tool -q")).unwrap_err(), refusal);
    let remark = "The check `missing-tool -q` needs missing-tool, which is not on PATH. It can only run if \
                  worktree.setup installs it.";
    let with_setup = "checks.verify = 'missing-tool -q'\nworktree.setup = ['make tools']";
    assert_eq!(check(with_setup, Some("missing-tool -q")).as_deref(), Ok(remark));
}
