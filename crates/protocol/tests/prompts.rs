//! Nothing that we say to an agent is a message, whatever agents and people have put into it.

#![expect(clippy::unwrap_used, reason = "a test that can't be set up has failed")]

#[path = "prompts/hostile.rs"]
mod hostile;

use domain::{AgentMessage, AgentName, Locale, Role, SessionKey, TaskId};
use proptest::prelude::*;
use protocol::{
    Decoder, Item, Keys, Options,
    say::{
        Delivery, DependencyProvided, DependencyRefused, DependencyResult, DirectMessage, Feedback, Finish,
        Invalid, Metrics, Near, Preamble, Provided, QuestionAnswer, Say, Task, TestFailure, preamble,
        task_prompt,
    },
};

use hostile::{hostile, say};

const KEY: &str = "k3f9";

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn no_json_is_heard(say in say()) {
        let json = say.json();
        prop_assert!(!json.contains(char::is_control), "{json}");
        prop_assert!(serde_json::from_str::<serde_json::Map<_, _>>(&json).is_ok(), "{json}");
        assert_unheard(&json);
    }

    #[test]
    fn no_text_is_heard(say in say()) {
        for locale in [Locale::En, Locale::Ko] {
            let text = say.text(locale);
            prop_assert!(!text.contains(|sign: char| sign.is_control() && !matches!(sign, '\n' | '\t')), "{text:?}");
            assert_unheard(&text);
        }
    }

    #[test]
    fn no_template_is_heard(template in hostile(), text in hostile()) {
        let task = Task { text, ..task_of_plan(Locale::En) };
        assert_unheard(&task_prompt(&task, &format!("{template}\n{{text}} {template}"), Locale::En));
    }
}

#[test]
fn very_long_lines_are_not_heard() {
    // A decoder looks at 64 KiB of a line, and at 1 MiB of one in a body.
    let long = |piece: &str| piece.repeat(150_000 / piece.len());
    let words = [
        format!("[ASK_USER] {}", long("x")),
        format!("`[NEED_HUMAN: x] {}`", long("y ")),
        format!("``` {}` x", long("z")),
        format!("DONE:T1.3{}", long(" ")),
        format!("{}[NEED_HUMAN: {}]", long("``"), long("[NEED_HUMAN: ")),
        format!("FAIL:T1.3:{} k3f9", long("x")),
        long("`"),
        long("~"),
        long("> "),
        format!("{}[ASK_USER]", long("│ ")),
        format!("[{}]", long("ASK_USER ")),
        format!("[ASK_USER] `[NEED_HUMAN: {}]`", "x".repeat(1_200_000)),
    ];
    for text in words {
        let answer = Say::QuestionAnswer(QuestionAnswer { question_id: text.clone(), answer: text });
        assert_unheard(&answer.text(Locale::En));
        assert_unheard(&answer.json());
    }
}

#[test]
fn every_role_is_told_its_protocol_in_250_tokens() {
    let tokens = tiktoken_rs::o200k_base().unwrap();
    let task = "T12.34".parse().unwrap();
    for role in
        [Role::Orchestrator, Role::Operator, Role::Worker, Role::Tester, Role::Verifier, Role::Specialist]
    {
        for locale in [Locale::En, Locale::Ko] {
            // A key that costs more tokens than most.
            let key = "q8z2x7".parse().unwrap();
            let text = preamble(Preamble { role, locale, key: &key, task: Some(&task) });
            let count = tokens.encode_ordinary(&text).len();
            assert!(count <= 250, "{count} tokens for {role:?} in {locale:?}:\n{text}");
            assert_eq!(text.contains("NEED_HUMAN"), role == Role::Orchestrator, "{text}");
            assert!(!text.contains(['{', '}']), "{text}");
            assert_unheard(&preamble(Preamble { role, locale, key: &self::key(), task: Some(&task) }));
        }
    }
}

#[test]
fn a_worker_is_told_how_to_ask_request_call_deliver_and_end() {
    let (key, task) = ("x7q2".parse().unwrap(), "T2.1".parse().unwrap());
    for locale in [Locale::En, Locale::Ko] {
        let text = preamble(Preamble { role: Role::Worker, locale, key: &key, task: Some(&task) });
        let forms = [
            "[ASK_USER x7q2]",
            "[DEPENDENCY_REQUEST x7q2]",
            "[INVOKE:",
            "[DELIVER_RESULT:",
            "DONE:T2.1 x7q2",
            "FAIL:T2.1:",
        ];
        for form in forms {
            assert!(text.contains(&format!("`{form}")), "{form} in {text}");
        }
    }
}

#[test]
fn each_thing_has_its_json() {
    let cases = [
        (answer(), r#"{"type":"question_answer","questionId":"q_7","answer":"Subscription"}"#),
        (
            provided(Provided::ApiKey { env: "OPENAI_API_KEY".into() }, false),
            r#"{"type":"dependency_provided","requestId":"d_4","name":"it","kind":"api_key","env":"OPENAI_API_KEY"}"#,
        ),
        (
            provided(Provided::EnvVariable { env: "PORT".into() }, true),
            r#"{"type":"dependency_provided","requestId":"d_4","name":"it","kind":"env_variable","env":"PORT","default":true}"#,
        ),
        (
            provided(Provided::Service { envs: vec!["A".into(), "B".into()] }, false),
            r#"{"type":"dependency_provided","requestId":"d_4","name":"it","kind":"service","envs":["A","B"]}"#,
        ),
        (
            provided(Provided::File { path: "a/b".into() }, false),
            r#"{"type":"dependency_provided","requestId":"d_4","name":"it","kind":"file","path":"a/b"}"#,
        ),
        (
            provided(Provided::Permission { granted: true }, false),
            r#"{"type":"dependency_provided","requestId":"d_4","name":"it","kind":"permission","granted":true}"#,
        ),
        (
            provided(Provided::Package { package: "serde".into(), version: Some("1.0".into()) }, false),
            r#"{"type":"dependency_provided","requestId":"d_4","name":"it","kind":"package","package":"serde","version":"1.0"}"#,
        ),
        (
            Say::DependencyRefused(DependencyRefused {
                request_id: "d_4".into(),
                name: "it".into(),
                reason: "skipped".into(),
            }),
            r#"{"type":"dependency_refused","requestId":"d_4","name":"it","reason":"skipped"}"#,
        ),
        (
            Say::Task(Box::new(call())),
            r#"{"type":"task","taskId":"T1.3","from":"Planner","text":"Analyse.","context":"login"}"#,
        ),
        (
            Say::Result(Delivery {
                from: agent("PO"),
                result_type: domain::ResultType::Markdown,
                content: "# R".into(),
            }),
            r##"{"type":"result","from":"PO","resultType":"markdown","content":"# R"}"##,
        ),
        (
            Say::Direct(DirectMessage {
                from: agent("PO"),
                kind: Some(domain::DirectType::Query),
                content: "?".into(),
            }),
            r#"{"type":"direct","from":"PO","kind":"query","content":"?"}"#,
        ),
        (
            feedback(),
            r#"{"type":"feedback","taskId":"T1.3","from":"Tester","failures":[{"name":"login works","expected":"200","actual":"500","trace":"at a\nat b","suggestedFix":"check the token"}],"suggestions":["add a test"],"metrics":{"total":5,"passed":3,"failed":1,"skipped":1,"seconds":2.5}}"#,
        ),
        (
            Say::Finish(Finish::new(task("T1.3"), Some(&key()))),
            r#"{"type":"finish","taskId":"T1.3","forms":["DONE:T1.3 k3f9","FAIL:T1.3:why it failed k3f9","[ASK_USER k3f9]\nquestion: Which database?\ntype: selection\noptions: [\"PostgreSQL\", \"SQLite\"]\n[/ASK_USER k3f9]"]}"#,
        ),
    ];
    for (say, json) in cases {
        assert_eq!(say.json(), json);
    }
}

#[test]
fn each_thing_has_its_text_in_both_languages() {
    let mut texts = String::new();
    let broken =
        heard("[DEPENDENCY_REQUEST]\nname: X\n[/DEPENDENCY_REQUEST]\n[Ask_User] Which?\n", Options::worker());
    let [Item::Invalid(invalid), Item::Near(near)] = broken.as_slice() else { unreachable!("{broken:?}") };
    let all = [
        answer(),
        provided(Provided::ApiKey { env: "OPENAI_API_KEY".into() }, false),
        provided(Provided::Service { envs: vec!["DB_URL".into(), "DB_USER".into()] }, true),
        provided(Provided::File { path: "data/cities.csv".into() }, false),
        provided(Provided::Permission { granted: true }, false),
        provided(Provided::Package { package: "serde".into(), version: None }, false),
        Say::DependencyRefused(DependencyRefused {
            request_id: "d_4".into(),
            name: "it".into(),
            reason: "skipped".into(),
        }),
        Say::Task(Box::new(call())),
        Say::Result(Delivery {
            from: agent("PO"),
            result_type: domain::ResultType::Markdown,
            content: "# R\n\ndone".into(),
        }),
        Say::Result(Delivery {
            from: agent("PO"),
            result_type: domain::ResultType::FilePath,
            content: "a.md".into(),
        }),
        feedback(),
        Say::Direct(DirectMessage {
            from: agent("PO"),
            kind: Some(domain::DirectType::Query),
            content: "Which id?".into(),
        }),
        Say::Invalid(Invalid::new(invalid, Some(&key()))),
        Say::Near(Near::new(near, Some(&key()))),
        Say::Finish(Finish::new(task("T1.3"), Some(&key()))),
    ];
    for locale in [Locale::En, Locale::Ko] {
        let task = Say::Task(Box::new(task_of_plan(locale)));
        for say in all.iter().chain([&task]) {
            texts.push_str(&format!("{}\n────\n", say.text(locale)));
        }
    }
    insta::assert_snapshot!(texts);
}

#[test]
fn every_message_has_a_right_form_that_is_heard() {
    let names = [
        "ASK_USER",
        "INVOKE",
        "DELIVER_RESULT",
        "STEP_COMPLETE",
        "PROGRESS",
        "DIRECT",
        "DEPENDENCY_REQUEST",
        "USER_QUESTION",
        "PHASE_COMPLETE",
        "ERROR",
        "NEED_HUMAN",
        "RESOLVE_NEXT",
        "READY",
        "PHASE_DONE",
        "ALL_DONE",
        "TASK",
        "DONE",
        "FAIL",
        "RESOLVE_ERROR",
        "CUSTOM",
    ];
    for name in names {
        let span = protocol::Span { raw: "x".into(), start: 0, end: 1, ordinal: 0 };
        let near = Near::new(&protocol::Near { near: name, span }, Some(&key()));
        let options = Options { key: Some(key()), keys: Keys::Required, ..Options::orchestrator() };
        let items = heard(&near.form.unwrap(), options);
        assert!(
            matches!(items.as_slice(), [Item::Message(message)] if message.said.name() == name),
            "{items:?}"
        );
    }
}

/// Decodes what we said as everybody's output, and then what the agent says next.
fn assert_unheard(said: &str) {
    let own_key = |key: &str, keys| (key.parse().ok(), keys);
    let modes = [
        (None, Keys::Optional),
        own_key(KEY, Keys::Optional),
        own_key(KEY, Keys::Required),
        // One that has not the form of a key.
        own_key("MyKey", Keys::Required),
    ];
    for role in [Role::Worker, Role::Orchestrator] {
        for (key, keys) in modes.clone() {
            let next = key.as_ref().map_or("DONE:T1.3\n".to_owned(), |key| format!("DONE:T1.3 {key}\n"));
            let options = Options { role, key, keys, numeric_ids: true };
            let mut decoder = Decoder::new(options.clone());
            let items = decoder.push(format!("{said}\n").as_bytes());
            assert_eq!(items, [], "{options:?}: {}", cut(said));
            assert!(!decoder.holds_turn(), "{}", cut(said));
            let items = decoder.push(next.as_bytes());
            let is_heard =
                matches!(items.as_slice(), [Item::Message(m)] if matches!(m.said, AgentMessage::Done(_)));
            assert!(is_heard, "{items:?} behind {}", cut(said));
            assert_eq!(on_screen(said, options), [], "on a screen: {}", cut(said));
        }
    }
}

/// Decodes the beginning of what we said as it stands on a terminal.
fn on_screen(said: &str, options: Options) -> Vec<Item> {
    let mut decoder = Decoder::screen(options);
    let mut items = decoder.push(cut(said).replace('\n', "\r\n").as_bytes());
    items.extend(decoder.end_turn());
    items
}

fn cut(text: &str) -> &str {
    &text[..text.floor_char_boundary(2000)]
}

fn heard(output: &str, options: Options) -> Vec<Item> {
    let mut decoder = Decoder::new(options);
    let mut items = decoder.push(output.as_bytes());
    items.extend(decoder.end_turn());
    items
}

fn key() -> SessionKey {
    KEY.parse().unwrap()
}

fn agent(name: &str) -> AgentName {
    name.parse().unwrap()
}

fn task(id: &str) -> TaskId {
    id.parse().unwrap()
}

fn answer() -> Say {
    Say::QuestionAnswer(QuestionAnswer { question_id: "q_7".into(), answer: "Subscription".into() })
}

fn provided(provided: Provided, is_default: bool) -> Say {
    Say::DependencyProvided(DependencyProvided {
        request_id: "d_4".into(),
        name: "it".into(),
        provided,
        is_default,
    })
}

fn call() -> Task {
    Task {
        task_id: task("T1.3"),
        from: Some(agent("Planner")),
        phase: None,
        title: None,
        text: "Analyse.".into(),
        context: Some("login".into()),
        criteria: Vec::new(),
        touches: Vec::new(),
        check: None,
        results: Vec::new(),
        worktree: None,
        preamble: None,
    }
}

fn task_of_plan(locale: Locale) -> Task {
    let key = key();
    let role = Preamble { role: Role::Worker, locale, key: &key, task: None };
    Task {
        from: None,
        phase: Some(1),
        title: Some("Log in".into()),
        text: "Build the form.\n\nKeep it small.".into(),
        context: None,
        criteria: vec!["a wrong password is refused\nwith a hint".into(), "a right one is not".into()],
        touches: vec!["src/login/".into()],
        check: Some("npm test".into()),
        results: vec![DependencyResult {
            task_id: task("T1.2"),
            content: "The schema is in db/users.sql.".into(),
        }],
        worktree: Some("../worktrees/T1.3".into()),
        preamble: Some(preamble(role)),
        ..call()
    }
}

fn feedback() -> Say {
    let failure = TestFailure {
        name: "login works".into(),
        expected: Some("200".into()),
        actual: Some("500".into()),
        trace: Some("at a\nat b".into()),
        suggested_fix: Some("check the token".into()),
    };
    Say::Feedback(Feedback {
        task_id: task("T1.3"),
        from: Some(agent("Tester")),
        failures: vec![failure],
        suggestions: vec!["add a test".into()],
        metrics: Some(Metrics { total: 5, passed: 3, failed: 1, skipped: 1, seconds: 2.5 }),
    })
}
