//! What is kept of a turn: words and tools in their order, once, also of one that was cut off.

use domain::{Role, RunOutcome, ToolStatus};
use runtime::ShutdownMode;
use views::TurnRow;

use crate::{
    lab::{Agent, Lab, plan},
    processes::until,
};

/// Speaks as Claude Code does.
const VOICE: &str = r#"
say() { printf '{"type":"assistant","message":{"id":"m","content":[{"type":"text","text":"%s"}]}}\n' "$1"; }
call() { printf '{"type":"assistant","message":{"id":"m","content":[{"type":"tool_use","id":"%s","name":"Bash","input":{"command":"%s"}}]}}\n' "$1" "$2"; }
gave() { printf '{"type":"user","message":{"content":[{"type":"tool_result","tool_use_id":"%s","is_error":%s,"content":"%s"}]}}\n' "$1" "$2" "$3"; }
end_turn() { echo '{"type":"result","subtype":"success","is_error":false}'; }
read -r told
"#;

fn lab(script: &str) -> Lab {
    let preset = "driver = 'claude'\nform = 'text'\nfresh = ['--session-id', '{session}']\n\
                  resume = ['--resume', '{session}']";
    let script = &format!("{VOICE}{script}");
    Lab::with_team(&[Agent { name: "worker", role: Role::Worker, script, preset }])
}

/// Returns a turn in short: its words, a line for each tool, and whether it was cut off.
fn short(turn: &TurnRow) -> String {
    let mut lines: Vec<String> = turn.content.lines().map(str::to_owned).collect();
    for used in turn.tools.uses.iter().rev() {
        let sign = match used.status {
            ToolStatus::Running => '…',
            ToolStatus::Done => '✓',
            ToolStatus::Failed => '✗',
        };
        let output = used.output.as_ref().map(|output| format!(": {}", output.head)).unwrap_or_default();
        lines.insert(used.line as usize, format!("{sign} {}{output}", used.title));
    }
    if turn.is_interrupted {
        lines.push("(cut)".to_owned());
    }
    lines.join("\n")
}

/// Returns what the agent said and did in its turns.
fn said(lab: &Lab, run: &domain::RunId) -> Vec<String> {
    let rows = lab.rows(run);
    rows.turns.iter().filter(|turn| turn.kind == views::TurnKind::Text).map(short).collect()
}

#[test]
fn a_turn_that_a_restart_reads_again_is_kept_once_with_its_tools_in_their_order() {
    let mut lab = lab(r#"
say 'I test.'
call t1 'make test'
gave t1 true '1 failed'
echo here > "$BARRIER/here"
while [ ! -e "$BARRIER/go" ]; do sleep 0.02; done
call t2 'vi a.txt'
gave t2 false ''
say "It works.\nDONE:$JANGDAN_TASK"
end_turn
read -r nothing
"#);
    let run = lab.start(plan(&["T1"]));
    until("the agent works", || !lab.met("here").is_empty());
    lab.reopen();
    lab.let_go("go");
    assert_eq!(lab.outcome(&run), RunOutcome::Done);
    let expected = "I test.\n✗ Bash make test: 1 failed\n✓ Bash vi a.txt\nIt works.\nDONE:T1";
    assert_eq!(said(&lab, &run), [expected]);
}

#[test]
fn what_was_said_and_done_before_an_agent_was_killed_is_kept() {
    let lab = lab(r#"
if [ ! -e "$BARRIER/again" ]; then
    echo here > "$BARRIER/again"
    say 'I begin.'
    call t1 'make'
    kill -KILL $$
fi
say "DONE:$JANGDAN_TASK"
end_turn
read -r nothing
"#);
    let run = lab.start(plan(&["T1"]));
    assert_eq!(lab.outcome(&run), RunOutcome::Done);
    assert_eq!(said(&lab, &run), ["I begin.\n… Bash make\n(cut)", "DONE:T1"]);
}

#[test]
fn what_was_said_and_done_before_everything_was_stopped_is_kept_once() {
    let mut lab = lab(r#"
case "$*" in
    *--resume*) say "DONE:$JANGDAN_TASK"; end_turn; read -r nothing; exit ;;
esac
say 'I begin.'
call t1 'make'
gave t1 false 'ok'
echo here > "$BARRIER/here"
while :; do sleep 1000; done
"#);
    let run = lab.start(plan(&["T1"]));
    until("the agent works", || !lab.met("here").is_empty());
    lab.reopen_after(ShutdownMode::EndSessions);
    // A server that is started twice reads it twice.
    lab.reopen();
    assert_eq!(lab.outcome(&run), RunOutcome::Done);
    assert_eq!(said(&lab, &run), ["I begin.\n✓ Bash make: ok\n(cut)", "DONE:T1"]);
}
