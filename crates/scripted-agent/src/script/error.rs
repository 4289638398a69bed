//! What is wrong with a script: where, why, and what to write.

use std::ops::Range;

use thiserror::Error;

/// A mistake in a script.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("{message}")]
pub struct ScriptError {
    /// The bytes that are wrong; empty at 0 where it is about the whole text.
    pub span: Range<usize>,
    /// What is wrong.
    pub message: String,
    /// What to write.
    pub hint: String,
}

/// How each key is written, in the order in which people need them.
const FORMS: [(&str, &str); 38] = [
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
    ("flood", r#"flood = { mb = 64 }, or flood = { mb = 64, line = "what each line says" }"#),
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
    /// Makes one of what the TOML reader says.
    pub(super) fn of_toml(error: &toml::de::Error, text: &str) -> Self {
        let span = error.span().unwrap_or(0..0);
        let message = error.message().lines().next().unwrap_or_default();
        // The reader lists all names that it knows; the hint does that better.
        let message = message.split(", expected one of").next().unwrap_or_default().to_owned();
        let message =
            message.replace("unknown variant", "there is no").replace("unknown field", "there is no");
        let message = match message.strip_prefix("wanted exactly 1 element") {
            Some(_) => "a step does one thing, and this one does not".to_owned(),
            None => message,
        };
        let hint = hint(&message, text, &span);
        Self { span, message, hint }
    }

    /// Makes one about a key whose form is known.
    pub(super) fn about(key: &str, span: Range<usize>, message: String) -> Self {
        let hint = form(key).map_or_else(names, |form| format!("write {form}"));
        Self { span, message, hint }
    }
}

/// Says what to write: the form of the name that was meant, or of the nearest key before the place.
fn hint(message: &str, text: &str, span: &Range<usize>) -> String {
    if let Some(wrong) = message.strip_prefix("there is no `").and_then(|rest| rest.split('`').next()) {
        let near = FORMS
            .iter()
            .filter(|(name, _)| is_near(wrong, name))
            .min_by_key(|(name, _)| name.len().abs_diff(wrong.len()));
        if let Some((_, form)) = near {
            return format!("write {form}");
        }
    }
    if message.starts_with("a step does one thing") {
        return "put each into a [[steps]] of its own".to_owned();
    }
    if message.starts_with("missing field `steps`") {
        return "write [[steps]], and on the next line a step such as say = \"hello\\n\"".to_owned();
    }
    let before = text.get(..span.end.min(text.len())).unwrap_or_default();
    let line = before.rfind('\n').map_or(before, |newline| before.get(newline + 1..).unwrap_or_default());
    let words = |line: &str| -> Option<&str> {
        let mut words = line.split(|sign: char| !sign.is_ascii_alphanumeric() && sign != '_').rev();
        words.find_map(form)
    };
    words(line).map_or_else(names, |form| format!("write {form}"))
}

fn form(key: &str) -> Option<&'static str> {
    FORMS.iter().find(|(name, _)| *name == key).map(|(_, form)| *form)
}

fn names() -> String {
    let names: Vec<&str> = FORMS.iter().map(|(name, _)| *name).take_while(|name| *name != "voice").collect();
    format!("a step is one of {}", names.join(", "))
}

/// Tells whether a word is another with a letter or two wrong.
fn is_near(wrong: &str, name: &str) -> bool {
    let shared = wrong.chars().zip(name.chars()).take_while(|(left, right)| left == right).count();
    let ends = wrong.chars().rev().zip(name.chars().rev()).take_while(|(left, right)| left == right).count();
    let longest = wrong.chars().count().max(name.chars().count());
    shared + ends + 2 >= longest && shared + ends > 0 && longest > 2
}

#[cfg(test)]
mod tests {
    use super::{super::Script, FORMS};

    fn check(text: &str, place: &str, message: &str, hint: &str) {
        let error = Script::read(text).unwrap_err();
        assert_eq!(error.message, message, "{text}");
        assert!(error.hint.contains(hint), "{text}: {}", error.hint);
        assert_eq!(&text[error.span.clone()], place, "{text}");
    }

    #[test]
    fn a_mistake_is_shown_in_place_with_what_to_write() {
        check("[[steps]]\nsayy = 'x'\n", "sayy", "there is no `sayy`", "write say = \"hello");
        check("[[steps]]\njump = 'x'\n", "jump", "there is no `jump`", "a step is one of say, wait");
        check("[[steps]]\nsleep = 'soon'\n", "'soon'", "`soon` is no time", "units are ms, s and m");
        check("[[steps]]\nexit = 300\n", "300", "invalid value: integer `300`, expected u8", "0 to 255");
        check(
            "[[steps]]\nfork = 'twin'\n",
            "'twin'",
            "there is no kind of process `twin`",
            "own_session, daemon",
        );
        check("[[steps]]\nsignal = 'term'\n", "'term'", "there is no `term`", "signal = \"TERM\"");
        check("voice = 'loud'\nsteps = []\n", "'loud'", "there is no `loud`", "\"acp\", \"claude\"");
        check(
            "[[steps]]\nbytes = '1'\n",
            "'1'",
            "these are no bytes: two hexadecimal digits make one",
            "1b 5b",
        );
        check("[[steps]]\nsay = { text = 'a', chunks = 3 }\n", "chunks", "there is no `chunks`", "chunk = 3");
        check(
            "[[steps]]\nsay = 'a'\nexit = 1\n",
            "[[steps]]",
            "a step does one thing, and this one does not",
            "of its own",
        );
    }

    #[test]
    fn what_the_voice_cannot_say_is_shown_too() {
        check("[[steps]]\nplay = 'greet'\n", "[[steps]]", "there is no part `greet`", "[parts] greet");
        check(
            "steps = [{ fail = { status = 429 } }]\n",
            "{ fail = { status = 429 } }",
            "the plain voice has no turns that fail",
            "voice = \"acp\"",
        );
        check(
            "steps = []\n[parts]\na = [{ play = 'a' }]\n",
            "{ play = 'a' }",
            "the part `a` plays itself",
            "repeat",
        );
    }

    #[test]
    fn what_a_hint_says_to_write_can_be_read() {
        for (name, form) in FORMS.iter().take_while(|(name, _)| *name != "voice") {
            let written = ["; ", ", or ", ", with ", " ("]
                .iter()
                .fold(*form, |form, end| form.split(end).next().unwrap());
            let text = format!("voice = 'acp'\nsteps = [{{ {written} }}]\n[parts]\ngreet = []\n");
            assert!(
                written.starts_with(name) && Script::read(&text).is_ok(),
                "{text}: {:?}",
                Script::read(&text)
            );
            let second = form.split(", or ").nth(1).filter(|second| second.starts_with(name));
            if let Some(second) = second.map(|second| second.split("; ").next().unwrap()) {
                let text = format!("voice = 'acp'\nsteps = [{{ {second} }}]\n");
                assert!(Script::read(&text).is_ok(), "{text}: {:?}", Script::read(&text));
            }
        }
    }

    #[test]
    fn the_examples_and_the_document_can_be_read() {
        let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
        let document = std::fs::read_to_string(root.join("docs/scripted-agents.md")).unwrap();
        let blocks =
            document.split("```toml\n").skip(1).map(|block| block.split("```").next().unwrap().to_owned());
        let files = std::fs::read_dir(root.join("examples/play")).unwrap();
        let files = files.map(|entry| std::fs::read_to_string(entry.unwrap().path()).unwrap());
        let texts: Vec<String> = blocks.chain(files).collect();
        assert!(texts.len() >= 5);
        for text in texts {
            assert!(Script::read(&text).is_ok(), "{text}: {:?}", Script::read(&text));
        }
    }
}
