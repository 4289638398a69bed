//! A stopped agent resumes its session with only the answer, or gets the whole prompt again if the session is lost. A
//! question within a turn is asked once, even if its output is read again.

use std::fs;

use domain::{ParkMode, Role, RunOutcome, RunSettings};

use crate::fixture::{RunFixture, plan, settings};

const JANGDAN: &str = env!("CARGO_BIN_EXE_jangdan");

#[test]
fn a_claude_session_is_resumed_with_only_the_answer() {
    let (fixture, memory) = fixture_with_protocol("claude");
    let recorded = answer_while_stopped(&fixture, || {});
    assert!(memory.exists());
    assert_eq!(recorded, "resumed: [ANSWER q_1]\nblue");
}

#[test]
fn an_acp_session_is_resumed_with_only_the_answer() {
    let (fixture, _) = fixture_with_protocol("acp");
    assert_eq!(answer_while_stopped(&fixture, || {}), "resumed: [ANSWER q_1]\nblue");
}

#[test]
fn a_lost_session_gets_the_whole_prompt_again() {
    let (fixture, memory) = fixture_with_protocol("claude");
    let recorded = answer_while_stopped(&fixture, || fs::remove_dir_all(&memory).unwrap());
    assert!(recorded.starts_with("again: "), "{recorded}");
    assert!(recorded.contains("Do T1") && recorded.contains("Which colour?"), "{recorded}");
    assert!(recorded.ends_with("[ANSWER q_1]\nblue"), "{recorded}");
}

#[test]
fn a_question_within_a_turn_is_asked_once() {
    for voice in ["claude", "acp"] {
        let mut fixture = RunFixture::without_team();
        let script = format!(
            r#"
voice = '{voice}'
steps = [
    {{ wait = 'Do T1' }},
    {{ question = {{ text = 'Which colour?', options = ['blue', 'red'] }} }},
    {{ write = {{ path = 'said.txt', text = '{{line}}' }} }},
    {{ question = {{ text = 'Which size?', options = ['large', 'small'] }} }},
    {{ write = {{ path = 'said.txt', text = ' {{line}}', append = true }} }},
    {{ say = "DONE:{{task}}:it is there {{key}}\n" }},
]
"#
        );
        add_worker(&mut fixture, voice, &script);
        let run = fixture.start(plan(&["T1"]));
        fixture.wait_for_questions(&run, 1);
        fixture.restart();
        let colour = fixture.wait_for_questions(&run, 1).remove(0);
        fixture.answer(&run, colour.id, "blue");
        fixture.wait_for(&run, |views| (views.rows().questions.len() == 2).then_some(()));
        // The next server reads both questions from the start of the turn; only one is answered.
        fixture.restart();
        let size = fixture.wait_for_questions(&run, 1).remove(0);
        fixture.answer(&run, size.id, "small");
        assert_eq!(fixture.wait_for_outcome(&run), RunOutcome::Done, "{voice}");
        assert_eq!(fixture.rows(&run).questions.len(), 2, "{voice} asks each once");
        let recorded = fixture.branch_file(&run, "said.txt");
        assert!(recorded.contains("blue") && recorded.contains("small"), "{voice} received {recorded}");
    }
}

fn fixture_with_protocol(voice: &str) -> (RunFixture, std::path::PathBuf) {
    let mut fixture = RunFixture::without_team();
    let memory = fixture.barrier_file("memory");
    let script = format!(
        r#"
voice = '{voice}'
memory = '{}'
resumed = [
    {{ wait = 'blue' }},
    {{ write = {{ path = 'said.txt', text = 'resumed: {{line}}' }} }},
    {{ say = "DONE:{{task}}:it is there {{key}}\n" }},
]

[[steps]]
wait = 'Do T1'
[[steps]]
choose = [
    {{ when = 'worked at this before', steps = [{{ write = {{ path = 'said.txt', text = 'again: {{line}}' }} }}, {{ say = "DONE:{{task}}:it is there {{key}}\n" }}] }},
    {{ steps = [{{ ask = 'Which colour?' }}] }},
]
"#,
        memory.display()
    );
    add_worker(&mut fixture, voice, &script);
    (fixture, memory)
}

fn add_worker(fixture: &mut RunFixture, voice: &str, script: &str) {
    let path = fixture.write_file("script.toml", script);
    let arguments = format!("'play', '{}'", path.display());
    let preset = match voice {
        "claude" => format!(
            "extends = 'claude'\ncommand = '{JANGDAN}'\n\
             arguments = [{arguments}, '--permission-prompt-tool', 'stdio', '--include-partial-messages']"
        ),
        _ => format!("driver = 'acp'\ncommand = '{JANGDAN}'\narguments = [{arguments}]"),
    };
    fixture.add_agent("worker", Role::Worker, &preset);
}

/// Answers a question while the agent is stopped, and returns the input that the resumed agent recorded.
fn answer_while_stopped(fixture: &RunFixture, meanwhile: impl FnOnce()) -> String {
    let settings = RunSettings { park_frozen_after_ms: 1, park_cold_after_ms: 2, ..settings() };
    let run = fixture.start_with(plan(&["T1"]), settings);
    let question = fixture.wait_for_questions(&run, 1).remove(0);
    fixture.wait_for(&run, |views| {
        let rows = views.rows();
        let is_cold = rows.sessions.iter().any(|row| row.park == Some(ParkMode::Cold));
        // The process has ended when its session is parked cold.
        is_cold.then_some(())
    });
    meanwhile();
    fixture.answer(&run, question.id, "blue");
    assert_eq!(fixture.wait_for_outcome(&run), RunOutcome::Done);
    assert_eq!(fixture.rows(&run).questions.len(), 1, "the question is not asked again");
    fixture.branch_file(&run, "said.txt")
}
