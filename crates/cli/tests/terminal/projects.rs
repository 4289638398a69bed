//! What a project is and says before anybody works in it: its file, what was kept for it, its repository.

use std::{fs, path::PathBuf};

use crate::office::Office;

/// A script that asks whether it may run something, and says what it heard.
const ASKS: &str = r#"
voice = 'claude'
steps = [
    { wait = 'Do' },
    { tool = { name = 'Bash', kind = 'execute', input = { command = 'make report' }, output = 'ok', asks = true } },
    { say = "DONE:{task} {key}\n" },
]
"#;

/// Makes a project with a plan and with a worker that is played.
fn project(script: &str) -> Office {
    let office = Office::open("");
    let path = office.path("script.toml");
    fs::write(&path, script).unwrap();
    let configuration = format!(
        "orchestration.gate_approval = 'automatic'\npermissions.mode = 'ask'\n\n\
         [agents.played]\nrole = 'worker'\nextends = 'claude'\ncommand = '{}'\n\
         arguments = ['play', '{}', '-p', '--permission-prompt-tool', 'stdio']\n",
        env!("CARGO_BIN_EXE_jangdan"),
        path.display(),
    );
    fs::write(office.project().join("jangdan.toml"), configuration).unwrap();
    fs::write(office.project().join("TASKS.md"), "# A plan\n\n- [ ] T1 Do it\n").unwrap();
    office
}

fn kept(office: &Office) -> PathBuf {
    let mut files = fs::read_dir(office.path("data/permissions")).unwrap();
    files.next().unwrap().unwrap().path()
}

#[test]
fn a_choice_that_is_kept_for_the_project_holds_in_later_runs_until_it_is_taken_back() {
    let office = project(ASKS);
    let (exit, said) = office.jangdan(&["run", "--no-wait"]);
    assert!(exit == 3 && said.contains("wants to run"), "{exit}:\n{said}");
    office.prints(&["answer", "q_1", "allow", "--keep", "project"], "q_1 is answered: allow");
    office.prints(&["watch"], "1 of 1 done");

    office.prints(&["run", "--no-wait"], "1 of 1 done");
    assert_eq!(office.git(&["status", "--porcelain"]), "?? TASKS.md\n?? jangdan.toml\n");
    let file = kept(&office);
    office.prints(&["config", "show", "--origin"], &format!("make report\"]  # {}:", file.display()));

    let text = fs::read_to_string(&file).unwrap();
    let left: Vec<&str> = text.lines().filter(|line| !line.contains("make report")).collect();
    fs::write(&file, left.join("\n")).unwrap();
    let (exit, said) = office.jangdan(&["run", "--no-wait"]);
    assert!(exit == 3 && said.contains("wants to run"), "{exit}:\n{said}");
}
