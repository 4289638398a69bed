//! Recorded turns: text and tool calls in order, once, also of interrupted turns.

use domain::{Role, RunOutcome, ToolStatus};
use runtime::ShutdownMode;
use views::TurnRow;

use crate::{
    fixture::{Agent, RunFixture, plan},
    processes::wait_until,
};

/// Functions that print messages of Claude Code.
const CLAUDE_FUNCTIONS: &str = r#"
say() { printf '{"type":"assistant","message":{"id":"m","content":[{"type":"text","text":"%s"}]}}\n' "$1"; }
call() { printf '{"type":"assistant","message":{"id":"m","content":[{"type":"tool_use","id":"%s","name":"Bash","input":{"command":"%s"}}]}}\n' "$1" "$2"; }
result() { printf '{"type":"user","message":{"content":[{"type":"tool_result","tool_use_id":"%s","is_error":%s,"content":"%s"}]}}\n' "$1" "$2" "$3"; }
end_turn() { echo '{"type":"result","subtype":"success","is_error":false}'; }
read -r input
"#;

fn fixture(script: &str) -> RunFixture {
    let preset = "driver = 'claude'\nform = 'text'\nfresh = ['--session-id', '{session}']\n\
                  resume = ['--resume', '{session}']";
    let script = &format!("{CLAUDE_FUNCTIONS}{script}");
    RunFixture::with_team(&[Agent { name: "worker", role: Role::Worker, script, preset }])
}

/// Abbreviates a turn: its text, a line for each tool call, and whether it was interrupted.
fn abbreviate(turn: &TurnRow) -> String {
    let mut lines: Vec<String> = turn.content.lines().map(str::to_owned).collect();
    for call in turn.tools.uses.iter().rev() {
        let sign = match call.status {
            ToolStatus::Running => '…',
            ToolStatus::Done => '✓',
            ToolStatus::Failed => '✗',
        };
        let output = call.output.as_ref().map(|output| format!(": {}", output.head)).unwrap_or_default();
        lines.insert(call.line as usize, format!("{sign} {}{output}", call.title));
    }
    if turn.is_interrupted {
        lines.push("(cut)".to_owned());
    }
    lines.join("\n")
}

/// Returns the abbreviated turns of the agent.
fn agent_turns(fixture: &RunFixture, run: &domain::RunId) -> Vec<String> {
    let rows = fixture.rows(run);
    rows.turns.iter().filter(|turn| turn.kind == views::TurnKind::Text).map(abbreviate).collect()
}

#[test]
fn turn_that_is_read_again_after_a_restart_is_recorded_once() {
    let mut fixture = fixture(
        r#"
say 'I test.'
call t1 'make test'
result t1 true '1 failed'
echo here > "$BARRIER/here"
while [ ! -e "$BARRIER/go" ]; do sleep 0.02; done
call t2 'vi a.txt'
result t2 false ''
say "It works.\nDONE:$JANGDAN_TASK:it is there"
end_turn
read -r nothing
"#,
    );
    let run = fixture.start(plan(&["T1"]));
    wait_until("the agent works", || !fixture.script_output("here").is_empty());
    fixture.restart();
    fixture.release_barrier("go");
    assert_eq!(fixture.wait_for_outcome(&run), RunOutcome::Done);
    let expected = "I test.\n✗ Bash make test: 1 failed\n✓ Bash vi a.txt\nIt works.\nDONE:T1:it is there";
    assert_eq!(agent_turns(&fixture, &run), [expected]);
}

#[test]
fn turn_of_a_killed_agent_is_recorded() {
    let fixture = fixture(
        r#"
if [ ! -e "$BARRIER/again" ]; then
    echo here > "$BARRIER/again"
    say 'I begin.'
    call t1 'make'
    kill -KILL $$
fi
say "DONE:$JANGDAN_TASK:it is there"
end_turn
read -r nothing
"#,
    );
    let run = fixture.start(plan(&["T1"]));
    assert_eq!(fixture.wait_for_outcome(&run), RunOutcome::Done);
    assert_eq!(agent_turns(&fixture, &run), ["I begin.\n… Bash make\n(cut)", "DONE:T1:it is there"]);
}

#[test]
fn turn_interrupted_by_a_shutdown_is_recorded_once() {
    let mut fixture = fixture(
        r#"
case "$*" in
    *--resume*) say "DONE:$JANGDAN_TASK:it is there"; end_turn; read -r nothing; exit ;;
esac
say 'I begin.'
call t1 'make'
result t1 false 'ok'
echo here > "$BARRIER/here"
while :; do sleep 1000; done
"#,
    );
    let run = fixture.start(plan(&["T1"]));
    wait_until("the agent works", || !fixture.script_output("here").is_empty());
    fixture.restart_with(ShutdownMode::EndSessions);
    // Each server reads the output again.
    fixture.restart();
    assert_eq!(fixture.wait_for_outcome(&run), RunOutcome::Done);
    assert_eq!(agent_turns(&fixture, &run), ["I begin.\n✓ Bash make: ok\n(cut)", "DONE:T1:it is there"]);
}

/// Messages with the session's key, in a turn, in the title of a tool call and in its output, and near misses.
#[test]
fn the_key_of_a_session_is_in_no_event_and_no_row() {
    let fixture = fixture(
        r#"
echo "$JANGDAN_KEY" > "$BARRIER/key"
say "I write.\n[STEP_COMPLETE $JANGDAN_KEY]\nwritten\n[/STEP_COMPLETE $JANGDAN_KEY]\n[Ask_User $JANGDAN_KEY]"
call t1 "echo $JANGDAN_KEY"
result t1 false "$JANGDAN_KEY"
say "[ASK_USER $JANGDAN_KEY]\ntype: nonsense\n[/ASK_USER $JANGDAN_KEY]\nDONE:$JANGDAN_TASK:it is there $JANGDAN_KEY"
end_turn
while read -r input; do say "I go on with $JANGDAN_KEY."; end_turn; done
"#,
    );
    let run = fixture.start(plan(&["T1"]));
    assert_eq!(fixture.wait_for_outcome(&run), RunOutcome::Done);
    let key = fixture.script_output("key").trim().to_owned();
    assert!(!key.is_empty());
    let events = fixture.events(&run);
    for event in &events {
        let text = serde_json::to_string(event).unwrap();
        assert!(!text.contains(&key), "{text}");
    }
    let turns = agent_turns(&fixture, &run);
    assert!(turns[0].contains("DONE:T1:it is there ‹key›"), "{turns:?}");
    let rows = fixture.rows(&run);
    let turn = rows.turns.iter().find(|turn| turn.kind == views::TurnKind::Text).unwrap();
    let shown = turn.shown_text(domain::Locale::En);
    assert!(shown.ends_with("[/ASK_USER]\nDONE:T1:it is there"), "{shown}");
}
