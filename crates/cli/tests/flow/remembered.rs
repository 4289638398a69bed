//! An agent that keeps its sessions comes back from the cold with all it knew; one that lost it is told everything again.
//! One that asked in the middle of its turn has asked once, whoever reads it again.

use std::fs;

use domain::{ParkMode, Role, RunOutcome, RunSettings};

use crate::lab::{Lab, plan, settings};

const JANGDAN: &str = env!("CARGO_BIN_EXE_jangdan");

#[test]
fn an_agent_that_remembers_is_resumed_with_the_answer_alone() {
    let (lab, memory) = lab("claude");
    let said = waits_in_the_cold(&lab, || {});
    assert!(memory.exists());
    assert_eq!(said, "resumed: [ANSWER q_1]\nblue");
}

#[test]
fn an_agent_of_acp_that_remembers_is_resumed_with_the_answer_alone() {
    let (lab, _) = lab("acp");
    assert_eq!(waits_in_the_cold(&lab, || {}), "resumed: [ANSWER q_1]\nblue");
}

#[test]
fn an_agent_that_has_forgotten_is_told_everything_again() {
    let (lab, memory) = lab("claude");
    let said = waits_in_the_cold(&lab, || fs::remove_dir_all(&memory).unwrap());
    assert!(said.starts_with("again: "), "{said}");
    assert!(said.contains("Do T1") && said.contains("Which colour?"), "{said}");
    assert!(said.ends_with("[ANSWER q_1]\nblue"), "{said}");
}

#[test]
fn what_is_asked_within_a_turn_is_asked_once() {
    for voice in ["claude", "acp"] {
        let mut lab = Lab::without_team();
        let script = format!(
            r#"
voice = '{voice}'
steps = [
    {{ wait = 'Do T1' }},
    {{ question = {{ text = 'Which colour?', options = ['blue', 'red'] }} }},
    {{ write = {{ path = 'said.txt', text = '{{line}}' }} }},
    {{ question = {{ text = 'Which size?', options = ['large', 'small'] }} }},
    {{ write = {{ path = 'said.txt', text = ' {{line}}', append = true }} }},
    {{ say = "DONE:{{task}} {{key}}\n" }},
]
"#
        );
        hire(&mut lab, voice, &script);
        let run = lab.start(plan(&["T1"]));
        lab.until_pending(&run, 1);
        lab.reopen();
        let colour = lab.until_pending(&run, 1).remove(0);
        lab.answer(&run, colour.id, "blue");
        lab.until(&run, |views| (views.rows().questions.len() == 2).then_some(()));
        // Whoever takes over here reads both from the beginning of the turn: one has its answer, one has none.
        lab.reopen();
        let size = lab.until_pending(&run, 1).remove(0);
        lab.answer(&run, size.id, "small");
        assert_eq!(lab.outcome(&run), RunOutcome::Done, "{voice}");
        assert_eq!(lab.rows(&run).questions.len(), 2, "{voice} asks each once");
        let said = lab.show(&run, "said.txt");
        assert!(said.contains("blue") && said.contains("small"), "{voice} heard {said}");
    }
}

fn lab(voice: &str) -> (Lab, std::path::PathBuf) {
    let mut lab = Lab::without_team();
    let memory = lab.meeting("memory");
    let script = format!(
        r#"
voice = '{voice}'
memory = '{}'
resumed = [
    {{ wait = 'blue' }},
    {{ write = {{ path = 'said.txt', text = 'resumed: {{line}}' }} }},
    {{ say = "DONE:{{task}} {{key}}\n" }},
]

[[steps]]
wait = 'Do T1'
[[steps]]
choose = [
    {{ when = 'worked at this before', steps = [{{ write = {{ path = 'said.txt', text = 'again: {{line}}' }} }}, {{ say = "DONE:{{task}} {{key}}\n" }}] }},
    {{ steps = [{{ ask = 'Which colour?' }}] }},
]
"#,
        memory.display()
    );
    hire(&mut lab, voice, &script);
    (lab, memory)
}

fn hire(lab: &mut Lab, voice: &str, script: &str) {
    let path = lab.write("script.toml", script);
    let arguments = format!("'play', '{}'", path.display());
    let preset = match voice {
        "claude" => format!(
            "extends = 'claude'\ncommand = '{JANGDAN}'\n\
             arguments = [{arguments}, '--permission-prompt-tool', 'stdio', '--include-partial-messages']"
        ),
        _ => format!("driver = 'acp'\ncommand = '{JANGDAN}'\narguments = [{arguments}]"),
    };
    lab.hire("worker", Role::Worker, &preset);
}

/// Lets a run wait in the cold for an answer, and returns what the agent heard when it was back.
fn waits_in_the_cold(lab: &Lab, meanwhile: impl FnOnce()) -> String {
    let settings = RunSettings { park_frozen_after_ms: 1, park_cold_after_ms: 2, ..settings() };
    let run = lab.start_with(plan(&["T1"]), settings);
    let question = lab.until_pending(&run, 1).remove(0);
    lab.until(&run, |views| {
        let rows = views.rows();
        let is_cold = rows.sessions.iter().any(|row| row.park == Some(ParkMode::Cold));
        // The process is gone when the order to park it is carried out.
        is_cold.then_some(())
    });
    meanwhile();
    lab.answer(&run, question.id, "blue");
    assert_eq!(lab.outcome(&run), RunOutcome::Done);
    assert_eq!(lab.rows(&run).questions.len(), 1, "nobody asks again");
    lab.show(&run, "said.txt")
}
