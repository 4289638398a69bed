//! How agents are started: command lines as data.

use agents::{Launch, claude, codex};

fn line(launch: &Launch) -> String {
    format!("{} {}", launch.program, launch.args.join(" "))
}

fn claude(session: claude::Session) -> claude::Options {
    claude::Options {
        directory: "/project".into(),
        session,
        mode: claude::Mode::Default,
        model: None,
        has_deltas: false,
        used_before: domain::Usage::default(),
        wire: wire::Options::worker(),
    }
}

#[test]
fn a_new_session_of_claude_has_the_id_that_we_chose_and_a_resumed_one_its_own() {
    let common = "claude -p --input-format stream-json --output-format stream-json --verbose \
                  --permission-prompt-tool stdio";
    let new = claude(claude::Session::New("a".to_owned()));
    assert_eq!(line(&new.launch()), format!("{common} --session-id a --permission-mode default"));
    let resumed = claude::Options {
        mode: claude::Mode::AcceptEdits,
        model: Some("m".to_owned()),
        has_deltas: true,
        ..claude(claude::Session::Resumed("b".to_owned()))
    };
    let more = "--resume b --permission-mode acceptEdits --model m --include-partial-messages";
    assert_eq!(line(&resumed.launch()), format!("{common} {more}"));
}

#[test]
fn claude_ends_no_turn_while_it_works_in_the_background() {
    let env = claude(claude::Session::New("a".to_owned())).launch().env;
    assert!(env.contains(&("CLAUDE_CODE_DISABLE_BACKGROUND_TASKS".to_owned(), "1".to_owned())), "{env:?}");
}

#[test]
fn codex_is_told_by_its_protocol_which_session_it_is() {
    let options = codex::Options {
        directory: "/project".into(),
        thread: Some("t".to_owned()),
        approval: codex::Approval::OnRequest,
        sandbox: codex::Sandbox::ReadOnly,
        model: None,
        wire: wire::Options::worker(),
    };
    let expected = "codex app-server -c features.default_mode_request_user_input=true";
    assert_eq!(line(&options.launch()), expected);
}
