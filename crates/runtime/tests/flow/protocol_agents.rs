//! Agents with their own protocol: scripts that act as Claude Code, and one that uses ACP.

use domain::{Event, ParkMode, Role, RunOutcome, RunSettings, UserCommand};
use views::CheckpointState;

use crate::fixture::{Agent, RunFixture, plan, settings};

/// Functions that print messages of Claude Code.
const CLAUDE_FUNCTIONS: &str = r#"
say() { printf '{"type":"assistant","message":{"id":"m","content":[{"type":"text","text":"%s"}]}}\n' "$1"; }
end_turn() { echo '{"type":"result","subtype":"success","is_error":false,"modelUsage":{"m":{"inputTokens":7,"outputTokens":3}}}'; }
"#;
const PRESET: &str = "driver = 'claude'\nform = 'text'\nfresh = ['--session-id', '{session}']\n\
                      resume = ['--resume', '{session}']";

fn fixture(script: &str) -> RunFixture {
    fixture_with_preset(&format!("{CLAUDE_FUNCTIONS}{script}"), PRESET)
}

fn fixture_with_preset(script: &str, preset: &str) -> RunFixture {
    RunFixture::with_team(&[Agent { name: "worker", role: Role::Worker, script, preset }])
}

/// Returns settings that park sessions cold almost immediately.
fn cold_settings() -> RunSettings {
    RunSettings { park_frozen_after_ms: 1, park_cold_after_ms: 2, ..settings() }
}

/// Answers a question when the session is cold, and returns the input that the agent then got.
fn answer_while_cold(fixture: &RunFixture, answer: &str) -> String {
    let run = fixture.start_with(plan(&["T1"]), cold_settings());
    let question = fixture.wait_for_questions(&run, 1).remove(0);
    fixture.wait_for(&run, |views| {
        let is_cold = |row: &&views::SessionRow| row.park == Some(ParkMode::Cold);
        views.rows().sessions.iter().find(is_cold).map(drop)
    });
    fixture.answer(&run, question.id, answer);
    assert_eq!(fixture.wait_for_outcome(&run), RunOutcome::Done);
    let failed: Vec<_> = fixture
        .events(&run)
        .into_iter()
        .filter(|event| matches!(event, Event::ErrorReported(_) | Event::AttemptFailed(_)))
        .collect();
    assert_eq!(failed, [], "parking is not a failed attempt");
    fixture.branch_file(&run, "input.txt")
}

#[test]
fn check_runs_after_the_end_of_the_turn() {
    let fixture = fixture(
        r#"
read -r task
say "DONE:$JANGDAN_TASK:it is there"
sleep 0.5
echo good > state.txt
end_turn
read -r nothing
"#,
    );
    let mut work = plan(&["T1"]);
    work.tasks[0].verify = Some("grep -q good state.txt".to_owned());
    let run = fixture.start(work);
    assert_eq!(fixture.wait_for_outcome(&run), RunOutcome::Done);
    let rows = fixture.rows(&run);
    let receipts: Vec<bool> = rows.receipts.iter().map(|receipt| receipt.passed).collect();
    assert_eq!(receipts, [true]);
    let used: u64 = rows.sessions.iter().map(|row| row.used.tokens).sum();
    assert_eq!(used, 10, "its usage is reported before it is ended");
}

#[test]
fn turn_interrupted_by_parking_has_not_failed() {
    let fixture = fixture(
        r#"
read -r input
case "$*" in
    *--resume*) printf '%s\n' "$input" > input.txt; say "DONE:$JANGDAN_TASK:it is there"; end_turn ;;
    *) say '[ASK_USER]\nquestion: Which colour?\n[/ASK_USER]' ;;
esac
read -r nothing
"#,
    );
    let input = answer_while_cold(&fixture, "blue");
    assert!(input.contains("blue"), "{input}");
}

#[test]
fn late_permission_is_sent_as_text() {
    let fixture = fixture(
        r#"
read -r input
case "$*" in
    *--resume*) printf '%s\n' "$input" > input.txt; say "DONE:$JANGDAN_TASK:it is there"; end_turn ;;
    *) echo '{"type":"control_request","request_id":"r","request":{"subtype":"can_use_tool","tool_name":"Bash","input":{"command":"make"},"tool_use_id":"t"}}' ;;
esac
read -r nothing
"#,
    );
    let input = answer_while_cold(&fixture, "allow");
    assert!(input.contains("The permission is granted"), "{input}");
}

#[test]
fn agent_that_cannot_resume_gets_the_conversation_again() {
    let fixture = fixture(
        r#"
case "$*" in
    *--resume*) echo '{"type":"result","subtype":"error_during_execution","is_error":true,"errors":["No conversation found with session ID: x"]}'; exit 1 ;;
esac
read -r input
case "$input" in
    *'worked at this before'*'Which colour?'*) printf '%s\n' "$input" > input.txt; say "DONE:$JANGDAN_TASK:it is there" ;;
    *) say '[ASK_USER]\nquestion: Which colour?\n[/ASK_USER]' ;;
esac
end_turn
read -r nothing
"#,
    );
    let input = answer_while_cold(&fixture, "blue");
    assert!(input.contains("blue"), "{input}");
}

#[test]
fn agent_that_cannot_load_its_session_gets_the_conversation_again() {
    let fixture = fixture_with_preset(
        r#"
answer() { printf '{"jsonrpc":"2.0","id":%s,%s}\n' "$(printf '%s' "$line" | sed 's/.*"id":\("[^"]*"\|[0-9]*\).*/\1/')" "$1"; }
say() { printf '{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"%s"}}}}\n' "$1"; }
while read -r line; do
    case $line in
        *'"initialize"'*) answer '"result":{"protocolVersion":1,"agentCapabilities":{"loadSession":true}}' ;;
        *'"session/new"'*) answer '"result":{"sessionId":"s"}' ;;
        *'"session/load"'*) answer '"error":{"code":-32603,"message":"Invalid session identifier"}' ;;
        *'"session/prompt"'*'worked at this before'*'Which colour?'*)
            printf '%s\n' "$line" > input.txt
            say "DONE:$JANGDAN_TASK:it is there"
            answer '"result":{"stopReason":"end_turn"}' ;;
        *'"session/prompt"'*)
            say '[ASK_USER]\nquestion: Which colour?\n[/ASK_USER]\n'
            answer '"result":{"stopReason":"end_turn"}' ;;
    esac
done
"#,
        "driver = 'acp'\nform = 'text'",
    );
    let input = answer_while_cold(&fixture, "blue");
    assert!(input.contains("blue"), "{input}");
}

/// Records its arguments. Asks a question until `end` exists.
const RECORDS_ARGUMENTS: &str = r#"
read -r input
printf '%s\n' "$*" >> "$BARRIER/conversations"
if [ -e "$BARRIER/end" ]; then say "DONE:$JANGDAN_TASK:it is there"; else say '[ASK_USER]\nquestion: Which colour?\n[/ASK_USER]'; fi
end_turn
read -r nothing
"#;

/// Rewinds a task, and returns the arguments of its agent before and after.
fn arguments_around_a_rewind(to_checkpoint: bool) -> (String, String) {
    let fixture = fixture(RECORDS_ARGUMENTS);
    let run = fixture.start(plan(&["T1"]));
    fixture.wait_for_questions(&run, 1);
    let id = fixture.wait_for(&run, |views| {
        let is_made = |row: &&views::CheckpointRow| row.state == CheckpointState::Made;
        views.rows().checkpoints.iter().find(is_made).map(|row| row.id)
    });
    fixture.release_barrier("end");
    let checkpoint = Some(id).filter(|_| to_checkpoint);
    fixture.execute(&run, UserCommand::RewindTask { task: "T1".parse().unwrap(), checkpoint });
    assert_eq!(fixture.wait_for_outcome(&run), RunOutcome::Done);
    let conversations = fixture.script_output("conversations");
    let (first, second) = conversations.trim_end().split_once('\n').unwrap();
    (first.to_owned(), second.to_owned())
}

#[test]
fn rewinding_to_a_checkpoint_resumes_the_agent_session() {
    let (first, second) = arguments_around_a_rewind(true);
    let session = first.strip_prefix("--session-id ").unwrap();
    assert_eq!(second, format!("--resume {session}"));
    let (first, second) = arguments_around_a_rewind(false);
    assert!(first.starts_with("--session-id ") && second.starts_with("--session-id "), "{second}");
    assert_ne!(first, second, "a rewind to the start begins a new session");
}
