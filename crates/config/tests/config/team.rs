//! The agent of each role.

use domain::Role;

use crate::load::load_file;

#[track_caller]
fn check(text: &str, role: Role, expected: Option<&str>) {
    let config = load_file(text.as_bytes()).unwrap().config;
    assert_eq!(config.agent_for(role).map(ToString::to_string).as_deref(), expected, "{role:?} of {text}");
}

#[test]
fn the_worker_has_origins() {
    let origins = |text: &str| {
        let loaded = load_file(text.as_bytes()).unwrap();
        loaded.worker_origins().iter().map(ToString::to_string).collect::<String>()
    };
    assert_eq!(origins(""), "");
    assert_eq!(origins("[agents.codex]\nrole = 'tester'"), "");
    assert_eq!(origins("[agents.codex]\nrole = 'worker'"), "jangdan.toml:2");
    assert_eq!(origins("team.worker = 'claude'\n[agents.codex]\nrole = 'worker'"), "jangdan.toml:1");
}

#[test]
fn team_overrides_the_role_of_an_agent() {
    for (name, role) in [
        ("worker", Role::Worker),
        ("tester", Role::Tester),
        ("verifier", Role::Verifier),
        ("orchestrator", Role::Orchestrator),
        ("operator", Role::Operator),
    ] {
        check("", role, None);
        check("[agents.codex]\nslots = 2", role, None);
        check(&format!("team.{name} = 'codex'"), role, Some("codex"));
        check(&format!("[agents.codex]\nrole = '{name}'"), role, Some("codex"));
        let both = format!("[agents.codex]\nrole = '{name}'\n[agents.shell]\nrole = 'specialist'");
        check(&both, role, Some("codex"));
        let named = format!("{both}\n[team]\n{name} = 'claude'");
        check(&named, role, Some("claude"));
    }
}
