//! Agents that are spoken with by a protocol of their own: scripts in the voice of Claude Code, and one over ACP.

use domain::{Command, Event, ParkMode, Role, RunOutcome, RunSettings};
use views::CheckpointState;

use crate::lab::{Agent, Lab, plan, settings};

/// What all of them begin with.
const VOICE: &str = r#"
say() { printf '{"type":"assistant","message":{"id":"m","content":[{"type":"text","text":"%s"}]}}\n' "$1"; }
end_turn() { echo '{"type":"result","subtype":"success","is_error":false,"modelUsage":{"m":{"inputTokens":7,"outputTokens":3}}}'; }
"#;
const PRESET: &str = "driver = 'claude'\nform = 'text'\nfresh = ['--session-id', '{session}']\n\
                      resume = ['--resume', '{session}']";

fn lab(script: &str) -> Lab {
    of(&format!("{VOICE}{script}"), PRESET)
}

fn of(script: &str, preset: &str) -> Lab {
    Lab::with_team(&[Agent { name: "worker", role: Role::Worker, script, preset }])
}

/// Nothing waits for long.
fn soon_cold() -> RunSettings {
    RunSettings { park_frozen_after_ms: 1, park_cold_after_ms: 2, ..settings() }
}

/// Lets it ask, answers when its process is gone, and returns what came of the run's only try.
fn answered_in_the_cold(lab: &Lab, answer: &str) -> String {
    let run = lab.start_with(plan(&["T1"]), soon_cold());
    let question = lab.until_pending(&run, 1).remove(0);
    lab.until(&run, |views| {
        let is_cold = |row: &&views::SessionRow| row.park == Some(ParkMode::Cold);
        views.rows().sessions.iter().find(is_cold).map(drop)
    });
    lab.answer(&run, question.id, answer);
    assert_eq!(lab.outcome(&run), RunOutcome::Done);
    let failed: Vec<_> = lab
        .events(&run)
        .into_iter()
        .filter(|event| matches!(event, Event::ErrorReported { .. } | Event::AttemptFailed { .. }))
        .collect();
    assert_eq!(failed, [], "waiting is no failure");
    lab.show(&run, "told.txt")
}

#[test]
fn what_an_agent_made_is_checked_when_its_turn_is_over() {
    let lab = lab(r#"
read -r task
say "DONE:$JANGDAN_TASK"
sleep 0.5
echo good > state.txt
end_turn
read -r nothing
"#);
    let mut work = plan(&["T1"]);
    work.tasks[0].verify = Some("grep -q good state.txt".to_owned());
    let run = lab.start(work);
    assert_eq!(lab.outcome(&run), RunOutcome::Done);
    let rows = lab.rows(&run);
    let receipts: Vec<bool> = rows.receipts.iter().map(|receipt| receipt.passed).collect();
    assert_eq!(receipts, [true]);
    let used: u64 = rows.sessions.iter().map(|row| row.used.tokens).sum();
    assert_eq!(used, 10, "what it used is known before it is ended");
}

#[test]
fn a_turn_that_is_cut_off_by_the_cold_has_not_failed() {
    let lab = lab(r#"
read -r told
case "$*" in
    *--resume*) printf '%s\n' "$told" > told.txt; say "DONE:$JANGDAN_TASK"; end_turn ;;
    *) say '[ASK_USER]\nquestion: Which colour?\n[/ASK_USER]' ;;
esac
read -r nothing
"#);
    let told = answered_in_the_cold(&lab, "blue");
    assert!(told.contains("blue"), "{told}");
}

#[test]
fn a_permission_that_comes_late_is_given_in_words() {
    let lab = lab(r#"
read -r told
case "$*" in
    *--resume*) printf '%s\n' "$told" > told.txt; say "DONE:$JANGDAN_TASK"; end_turn ;;
    *) echo '{"type":"control_request","request_id":"r","request":{"subtype":"can_use_tool","tool_name":"Bash","input":{"command":"make"},"tool_use_id":"t"}}' ;;
esac
read -r nothing
"#);
    let told = answered_in_the_cold(&lab, "allow");
    assert!(told.contains("You may do it"), "{told}");
}

#[test]
fn an_agent_that_has_forgotten_is_told_everything_again() {
    let lab = lab(r#"
case "$*" in
    *--resume*) echo '{"type":"result","subtype":"error_during_execution","is_error":true,"errors":["No conversation found with session ID: x"]}'; exit 1 ;;
esac
read -r told
case "$told" in
    *'worked at this before'*'Which colour?'*) printf '%s\n' "$told" > told.txt; say "DONE:$JANGDAN_TASK" ;;
    *) say '[ASK_USER]\nquestion: Which colour?\n[/ASK_USER]' ;;
esac
end_turn
read -r nothing
"#);
    let told = answered_in_the_cold(&lab, "blue");
    assert!(told.contains("blue"), "{told}");
}

#[test]
fn an_agent_that_has_forgotten_before_it_is_told_anything_is_told_everything_again() {
    let lab = of(
        r#"
answer() { printf '{"jsonrpc":"2.0","id":%s,%s}\n' "$(printf '%s' "$line" | sed 's/.*"id":\("[^"]*"\|[0-9]*\).*/\1/')" "$1"; }
say() { printf '{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"%s"}}}}\n' "$1"; }
while read -r line; do
    case $line in
        *'"initialize"'*) answer '"result":{"protocolVersion":1,"agentCapabilities":{"loadSession":true}}' ;;
        *'"session/new"'*) answer '"result":{"sessionId":"s"}' ;;
        *'"session/load"'*) answer '"error":{"code":-32603,"message":"Invalid session identifier"}' ;;
        *'"session/prompt"'*'worked at this before'*'Which colour?'*)
            printf '%s\n' "$line" > told.txt
            say "DONE:$JANGDAN_TASK"
            answer '"result":{"stopReason":"end_turn"}' ;;
        *'"session/prompt"'*)
            say '[ASK_USER]\nquestion: Which colour?\n[/ASK_USER]\n'
            answer '"result":{"stopReason":"end_turn"}' ;;
    esac
done
"#,
        "driver = 'acp'\nform = 'text'",
    );
    let told = answered_in_the_cold(&lab, "blue");
    assert!(told.contains("blue"), "{told}");
}

/// Remembers which conversation it is in. Asks until it may end.
const REMEMBERS: &str = r#"
read -r told
printf '%s\n' "$*" >> "$BARRIER/conversations"
if [ -e "$BARRIER/end" ]; then say "DONE:$JANGDAN_TASK"; else say '[ASK_USER]\nquestion: Which colour?\n[/ASK_USER]'; fi
end_turn
read -r nothing
"#;

/// Rewinds a task, and returns how its agent was started at first and then.
fn rewound(to_checkpoint: bool) -> (String, String) {
    let lab = lab(REMEMBERS);
    let run = lab.start(plan(&["T1"]));
    lab.until_pending(&run, 1);
    let made = lab.until(&run, |views| {
        let made = |row: &&views::CheckpointRow| row.state == CheckpointState::Made;
        views.rows().checkpoints.iter().find(made).map(|row| row.id)
    });
    lab.let_go("end");
    let checkpoint = Some(made).filter(|_| to_checkpoint);
    lab.wish(&run, Command::RewindTask { task: "T1".parse().unwrap(), checkpoint });
    assert_eq!(lab.outcome(&run), RunOutcome::Done);
    let conversations = lab.met("conversations");
    let (first, second) = conversations.trim_end().split_once('\n').unwrap();
    (first.to_owned(), second.to_owned())
}

#[test]
fn a_task_that_goes_back_to_a_checkpoint_gets_its_agents_memory_back() {
    let (first, second) = rewound(true);
    let session = first.strip_prefix("--session-id ").unwrap();
    assert_eq!(second, format!("--resume {session}"));
    let (first, second) = rewound(false);
    assert!(first.starts_with("--session-id ") && second.starts_with("--session-id "), "{second}");
    assert_ne!(first, second, "who begins anew remembers nothing");
}
