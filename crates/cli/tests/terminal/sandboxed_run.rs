//! The commands of a run in a sandbox: agents, checks and set-up commands write to their worktree only, and use package
//! caches of the project.

use std::fs;

use domain::{GateApproval, RunSettings};
use runtime::SandboxMode;

use crate::test_project::{TestProject, one_phase_plan};

/// Tries to write outside, and to move a branch of the user.
const AGENT: &str = r#"
read -r task
echo x > "$OUT/agent"
echo x > "$CARGO_HOME/agent"
git update-ref refs/heads/main HEAD~0 2> refused.txt && echo moved > moved.txt
git update-ref refs/jangdan/gate/x/1 HEAD && echo moved > moved.txt
git -c user.name=a -c user.email=a@b commit --quiet --allow-empty -m "by the agent" && echo committed > committed.txt
echo "DONE:$JANGDAN_TASK:it is there"
"#;

#[test]
fn agents_checks_and_setup_commands_write_to_their_worktree_only() {
    // Not in the temporary folder, which programs may write to.
    let out = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    let out = out.path();
    let mut project = TestProject::create_with_server(&AGENT.replace("$OUT", &out.display().to_string()));
    // The project is in the usual temporary folder.
    project.stop_server();
    let temporary = project.temp_path("tmp");
    fs::create_dir(&temporary).unwrap();
    let mut server = project.command(&["serve"]);
    server.env("TMPDIR", temporary);
    project.start_server_with(server);
    let script = project.temp_path("agent.sh");
    let preset = format!("extends = 'shell'\narguments = ['{}']\nquiet_ms = 400", script.display());
    let mut work = one_phase_plan(&["T1"]);
    work.tasks[0].verify =
        Some(format!("echo x > {0}/check; test -e committed.txt && test ! -e moved.txt", out.display()));
    let settings = RunSettings { gate_approval: GateApproval::Automatic, ..RunSettings::default() };
    let run = project.start_run_with_environment(work, settings, &[("worker", &preset)], |environment| {
        environment.sandbox = SandboxMode::Required;
        environment.private_caches = true;
        environment.setup = vec![format!("echo x > {}/setup; echo x > \"$CARGO_HOME/setup\"", out.display())];
    });
    project.assert_succeeds(&["watch", "--run", &run.to_string()], "1 of 1 done");
    let written: Vec<_> = fs::read_dir(out).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert!(written.is_empty(), "{written:?}");
    let caches: Vec<_> = fs::read_dir(project.data().join("caches")).unwrap().collect();
    assert_eq!(caches.len(), 1);
    let cargo = caches[0].as_ref().unwrap().path().join("cargo");
    assert!(cargo.join("setup").exists() && cargo.join("agent").exists());
}
