//! Errors in scripts: position, message and hint.

use std::ops::Range;

use thiserror::Error;

/// An error in a script.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("{message}")]
pub struct ScriptError {
    /// Byte range of the error; empty if it concerns the whole text.
    pub span: Range<usize>,
    /// What is wrong.
    pub message: String,
    /// What to write instead.
    pub hint: String,
}

/// Example of each key, most important keys first.
const KEY_EXAMPLES: [(&str, &str); 38] = [
    ("say", r#"say = "hello\n", or say = { text = "hello\n", chunk = 3, pause = "5ms", stderr = true }"#),
    ("wait", r#"wait = "part of the line", or wait = { for = { json = { type = "task" } }, within = "5s" }"#),
    (
        "ask",
        r#"ask = "Which database?", or ask = { text = "Which database?", options = ["sqlite", "postgres"] }"#,
    ),
    ("sleep", r#"sleep = "200ms"; units are ms, s and m"#),
    ("exit", "exit = 3; a status is 0 to 255"),
    ("signal", r#"signal = "TERM"; others are HUP, INT, TSTP, STOP, KILL, ABRT, SEGV, PIPE, WINCH"#),
    ("ignore", r#"ignore = ["TERM", "TSTP"]"#),
    ("hang", r#"hang = "deaf" (reads nothing), or hang = "listening""#),
    ("flood", r#"flood = { mb = 64 }, or flood = { mb = 64, line = "text of each line" }"#),
    (
        "fork",
        r#"fork = "daemon", or fork = { kind = "own_session", detached = true, steps = [{ sleep = "10s" }] }; kinds are same_group, own_group, own_session, daemon"#,
    ),
    ("noise", "noise = { bytes = 4096, seed = 7 }"),
    ("spinner", r#"spinner = "Thinking", or spinner = { text = "Thinking", frames = 20, pause = "10ms" }"#),
    ("terminal", r#"terminal = "raw"; others are "no_echo" and "cooked""#),
    ("write", r#"write = { path = "notes.txt", text = "done\n", append = true }"#),
    ("repeat", r#"repeat = { times = 3, steps = [{ say = "again\n" }] }, or times = "forever""#),
    ("choose", r#"choose = [{ when = "yes", steps = [{ exit = 0 }] }, { steps = [{ exit = 1 }] }]"#),
    ("play", r#"play = "greet", with the steps of [parts] greet = [{ say = "hello\n" }]"#),
    (
        "tool",
        r#"tool = { name = "Bash", kind = "execute", input = { command = "ls" }, output = "a.txt", asks = true, takes = "1s" }"#,
    ),
    (
        "question",
        r#"question = { text = "Which database?", header = "Database", options = ["sqlite", "postgres"] }"#,
    ),
    ("think", r#"think = "Let me see.""#),
    ("plan", r#"plan = [{ text = "Read the code", status = "completed" }]"#),
    ("usage", "usage = { input = 100, cached = 0, output = 20, cost = 0.01, window = 200000 }"),
    ("limits", "limits = { used = 91, resets_at = 1794746664 }"),
    ("end_turn", r#"end_turn = "end_turn"; others are "max_tokens", "refusal" and "cancelled""#),
    ("fail", r#"fail = { status = 429, message = "slow down", retries = 2, resets_at = 1794746664 }"#),
    ("raw", r#"raw = '{"a":"line past the voice"}'"#),
    ("bytes", r#"bytes = "1b 5b 32 4a""#),
    ("voice", r#"voice = "plain"; others are "screen", "acp", "claude" and "codex""#),
    ("like", r#"like = "claude"; others are "codex", "opencode" and "gemini""#),
    ("screen", r#"[screen], and on the next lines bullet = "●", alternate = true, guard = "100ms""#),
    ("memory", r#"memory = "sessions", a folder"#),
    ("model", r#"model = "scripted""#),
    (
        "refusals",
        r#"[[refusals]] method = "session/new", code = -32000, message = "Authentication required""#,
    ),
    ("steps", r#"[[steps]], and on the next line a step such as say = "hello\n""#),
    ("resumed", r#"resumed = [{ say = "here again\n" }]"#),
    ("parts", r#"[parts], and on the next line greet = [{ say = "hello\n" }]"#),
    (
        "when",
        r#"when = "part of the line", or when = { equals = "yes" }; others are begins, contains and json"#,
    ),
    (
        "for",
        r#"for = "part of the line", or for = { json = { type = "task" } }; others are begins, contains and equals"#,
    ),
];

impl ScriptError {
    /// Converts an error of the TOML parser.
    pub(super) fn from_toml(error: &toml::de::Error, text: &str) -> Self {
        let span = error.span().unwrap_or(0..0);
        let message = error.message().lines().next().unwrap_or_default();
        // The parser lists all names that it accepts; the hint is more helpful.
        let message = message.split(", expected one of").next().unwrap_or_default().to_owned();
        let message =
            message.replace("unknown variant", "unknown name").replace("unknown field", "unknown name");
        let message = match message.strip_prefix("wanted exactly 1 element") {
            Some(_) => "a step must have exactly one key".to_owned(),
            None => message,
        };
        let hint = hint_for(&message, text, &span);
        Self { span, message, hint }
    }

    /// Creates an error about a key, with an example as the hint.
    pub(super) fn for_key(key: &str, span: Range<usize>, message: String) -> Self {
        let hint = key_example(key).map_or_else(step_names_hint, |form| format!("write {form}"));
        Self { span, message, hint }
    }
}

/// Returns a hint: the example of the most similar name, or of the nearest key before the error.
fn hint_for(message: &str, text: &str, span: &Range<usize>) -> String {
    if let Some(wrong) = message.strip_prefix("unknown name `").and_then(|rest| rest.split('`').next()) {
        let near = KEY_EXAMPLES
            .iter()
            .filter(|(name, _)| is_similar(wrong, name))
            .min_by_key(|(name, _)| name.len().abs_diff(wrong.len()));
        if let Some((_, form)) = near {
            return format!("write {form}");
        }
    }
    if message.starts_with("a step must have exactly one key") {
        return "write a separate [[steps]] for each key".to_owned();
    }
    if message.starts_with("missing field `steps`") {
        return "write [[steps]], and on the next line a step like say = \"hello\\n\"".to_owned();
    }
    let before = text.get(..span.end.min(text.len())).unwrap_or_default();
    let line = before.rfind('\n').map_or(before, |newline| before.get(newline + 1..).unwrap_or_default());
    let words = |line: &str| -> Option<&str> {
        let mut words = line.split(|sign: char| !sign.is_ascii_alphanumeric() && sign != '_').rev();
        words.find_map(key_example)
    };
    words(line).map_or_else(step_names_hint, |form| format!("write {form}"))
}

fn key_example(key: &str) -> Option<&'static str> {
    KEY_EXAMPLES.iter().find(|(name, _)| *name == key).map(|(_, form)| *form)
}

fn step_names_hint() -> String {
    let names: Vec<&str> =
        KEY_EXAMPLES.iter().map(|(name, _)| *name).take_while(|name| *name != "voice").collect();
    format!("a step is one of {}", names.join(", "))
}

/// Tells whether two words differ by about two letters.
fn is_similar(wrong: &str, name: &str) -> bool {
    let shared = wrong.chars().zip(name.chars()).take_while(|(left, right)| left == right).count();
    let ends = wrong.chars().rev().zip(name.chars().rev()).take_while(|(left, right)| left == right).count();
    let longest = wrong.chars().count().max(name.chars().count());
    shared + ends + 2 >= longest && shared + ends > 0 && longest > 2
}

#[cfg(test)]
mod tests {
    use super::{super::Script, KEY_EXAMPLES};

    fn assert_script_error(text: &str, place: &str, message: &str, hint: &str) {
        let error = Script::parse(text).unwrap_err();
        assert_eq!(error.message, message, "{text}");
        assert!(error.hint.contains(hint), "{text}: {}", error.hint);
        assert_eq!(&text[error.span.clone()], place, "{text}");
    }

    #[test]
    fn errors_have_a_position_and_a_hint() {
        assert_script_error("[[steps]]\nsayy = 'x'\n", "sayy", "unknown name `sayy`", "write say = \"hello");
        assert_script_error(
            "[[steps]]\njump = 'x'\n",
            "jump",
            "unknown name `jump`",
            "a step is one of say, wait",
        );
        assert_script_error(
            "[[steps]]\nsleep = 'soon'\n",
            "'soon'",
            "`soon` is not a duration",
            "units are ms, s and m",
        );
        assert_script_error(
            "[[steps]]\nexit = 300\n",
            "300",
            "invalid value: integer `300`, expected u8",
            "0 to 255",
        );
        assert_script_error(
            "[[steps]]\nfork = 'twin'\n",
            "'twin'",
            "unknown process kind `twin`",
            "own_session, daemon",
        );
        assert_script_error(
            "[[steps]]\nsignal = 'term'\n",
            "'term'",
            "unknown name `term`",
            "signal = \"TERM\"",
        );
        assert_script_error(
            "voice = 'loud'\nsteps = []\n",
            "'loud'",
            "unknown name `loud`",
            "\"acp\", \"claude\"",
        );
        assert_script_error(
            "[[steps]]\nbytes = '1'\n",
            "'1'",
            "invalid bytes: expected two hexadecimal digits per byte",
            "1b 5b",
        );
        assert_script_error(
            "[[steps]]\nsay = { text = 'a', chunks = 3 }\n",
            "chunks",
            "unknown name `chunks`",
            "chunk = 3",
        );
        assert_script_error(
            "[[steps]]\nsay = 'a'\nexit = 1\n",
            "[[steps]]",
            "a step must have exactly one key",
            "separate [[steps]]",
        );
    }

    #[test]
    fn steps_that_the_protocol_does_not_support_are_errors() {
        assert_script_error(
            "[[steps]]\nplay = 'greet'\n",
            "[[steps]]",
            "unknown part `greet`",
            "[parts] greet",
        );
        assert_script_error(
            "steps = [{ fail = { status = 429 } }]\n",
            "{ fail = { status = 429 } }",
            "the voice \"plain\" does not support failing turns",
            "voice = \"acp\"",
        );
        assert_script_error(
            "steps = []\n[parts]\na = [{ play = 'a' }]\n",
            "{ play = 'a' }",
            "the part `a` includes itself",
            "repeat",
        );
    }

    #[test]
    fn examples_in_hints_can_be_parsed() {
        for (name, form) in KEY_EXAMPLES.iter().take_while(|(name, _)| *name != "voice") {
            let written = ["; ", ", or ", ", with ", " ("]
                .iter()
                .fold(*form, |form, end| form.split(end).next().unwrap());
            let text = format!("voice = 'acp'\nsteps = [{{ {written} }}]\n[parts]\ngreet = []\n");
            assert!(
                written.starts_with(name) && Script::parse(&text).is_ok(),
                "{text}: {:?}",
                Script::parse(&text)
            );
            let second = form.split(", or ").nth(1).filter(|second| second.starts_with(name));
            if let Some(second) = second.map(|second| second.split("; ").next().unwrap()) {
                let text = format!("voice = 'acp'\nsteps = [{{ {second} }}]\n");
                assert!(Script::parse(&text).is_ok(), "{text}: {:?}", Script::parse(&text));
            }
        }
    }

    #[test]
    fn scripts_in_examples_and_documentation_can_be_parsed() {
        let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
        let document = std::fs::read_to_string(root.join("docs/scripted-agents.md")).unwrap();
        let blocks =
            document.split("```toml\n").skip(1).map(|block| block.split("```").next().unwrap().to_owned());
        let files = std::fs::read_dir(root.join("examples/play")).unwrap();
        let files = files.map(|entry| std::fs::read_to_string(entry.unwrap().path()).unwrap());
        let texts: Vec<String> = blocks.chain(files).collect();
        assert!(texts.len() >= 5);
        for text in texts {
            assert!(Script::parse(&text).is_ok(), "{text}: {:?}", Script::parse(&text));
        }
    }
}
