//! A whole run of a plan whose ids have unusual forms: they are used as written in messages, branches, files and rows.

use std::fs;

use crate::{terminal_user::TerminalUser, test_project::TestProject};

const IDS: [&str; 6] = ["ST-001", "1.4a", "P1-R1-T1", "TASK_7", "T1.1-BE", "2.V"];

/// Writes a file with the name of the task.
const WRITES_ITS_ID: &str = r#"
read -r task
echo "$JANGDAN_TASK" > "$JANGDAN_TASK.txt"
echo "PROGRESS:$JANGDAN_TASK:50"
echo "DONE:$JANGDAN_TASK:written"
"#;

#[test]
fn ids_are_used_as_written_throughout_a_run() {
    let mut project = TestProject::create_with_server(WRITES_ITS_ID);
    project.stop_server();
    let configuration = format!(
        "orchestration.gate_approval = 'automatic'\nplan.write_back = true\n[agents.mine]\nextends = 'shell'\n\
         role = 'worker'\narguments = ['{}']\n",
        project.temp_path("agent.sh").display(),
    );
    fs::write(project.root().join("jangdan.toml"), configuration).unwrap();
    let mut plan = "\u{feff}# Ids\r\n\r\n## Phase 1: All\r\n".to_owned();
    let mut last = "-";
    for id in IDS {
        plan.push_str(&format!(
            "\r\n### [ ] {id}: Write {id}\r\n- **Dependencies**: {last}\r\n- **Notes**: kept as it is\r\n"
        ));
        last = id;
    }
    fs::write(project.root().join("TASKS.md"), &plan).unwrap();

    let mut user = TerminalUser::start(project.command(&["run"]));
    let screen = user.wait_for("6 of 6 done");
    assert_eq!(user.wait_exit(), Some(0), "{screen}");

    let branches = project.git(&["branch", "--list", "--format=%(refname:short)", "jangdan/*/run"]);
    let branch = branches.trim();
    for id in IDS {
        assert_eq!(project.git(&["show", &format!("{branch}:{id}.txt")]), format!("{id}\n"));
    }
    // The boxes are ticked, and every other byte is as it was.
    let after = fs::read_to_string(project.root().join("TASKS.md")).unwrap();
    assert_eq!(after, plan.replace("### [ ]", "### [x]"));
    let status = project.command(&["status", "--json"]).output().unwrap();
    let status = String::from_utf8(status.stdout).unwrap();
    for id in IDS {
        assert!(status.contains(&format!("\"{id}\"")), "{id}: {status}");
    }
}
