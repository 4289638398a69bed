//! The agent of each role.

use domain::Role;

use crate::load::load_file;

#[track_caller]
fn assert_agent_for_role(text: &str, role: Role, expected: Option<&str>) {
    let config = load_file(text.as_bytes()).unwrap().config;
    assert_eq!(config.agent_for(role).map(ToString::to_string).as_deref(), expected, "{role:?} of {text}");
}

#[test]
fn worker_origins_are_where_the_worker_is_configured() {
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
        assert_agent_for_role("", role, None);
        assert_agent_for_role("[agents.codex]\nslots = 2", role, None);
        assert_agent_for_role(&format!("team.{name} = 'codex'"), role, Some("codex"));
        assert_agent_for_role(&format!("[agents.codex]\nrole = '{name}'"), role, Some("codex"));
        let both = format!("[agents.codex]\nrole = '{name}'\n[agents.shell]\nrole = 'specialist'");
        assert_agent_for_role(&both, role, Some("codex"));
        let named = format!("{both}\n[team]\n{name} = 'claude'");
        assert_agent_for_role(&named, role, Some("claude"));
    }
}
