//! The guide for people who write agents says what is so: its examples are decoded, and its answers are ours.
//!
//! An example is a fenced block whose info string says what is to be checked:
//! - `sh decodes=A,B`: a command `jangdan decode … <<'END'`, whose input is heard as these messages, in this order.
//! - `json prints`: what the command before it prints.
//! - `json says=name` and `text says=name [locale=ko]`: what we say, as [`said`] makes it.
//!
//! And no document of the repository is heard when an agent prints it.

#![expect(clippy::disallowed_methods, reason = "the documents are files")]
#![expect(clippy::unwrap_used, clippy::panic, reason = "a test that can't be set up has failed")]

use std::{
    collections::BTreeSet,
    fs,
    path::{Path, PathBuf},
};

use domain::{DirectType, Locale, ResultType, Role};
use protocol::{
    Decoder, Item, Keys, Options,
    say::{
        Delivery, DependencyProvided, DependencyRefused, DirectMessage, Feedback, Finish, Invalid, Metrics,
        Near, Provided, QuestionAnswer, Say, Task, TestFailure,
    },
};

#[test]
fn each_example_is_heard_as_the_guide_says() {
    let mut printed = String::new();
    let mut names = BTreeSet::new();
    for Block { info, text, line } in blocks(&guide()) {
        if info == "json prints" {
            assert_eq!(text, printed, "line {line}");
        }
        let Some(expected) = info.strip_prefix("sh decodes=") else { continue };
        let items = run(&text);
        let heard: Vec<String> = items.iter().map(name).collect();
        assert_eq!(heard.join(","), expected, "line {line}: {items:#?}");
        printed = items.iter().map(|item| serde_json::to_string(item).unwrap() + "\n").collect();
        names.extend(heard);
    }
    assert_eq!(names.len(), 22, "every message, INVALID and NEAR have an example: {names:?}");
}

#[test]
fn each_answer_is_as_the_guide_says() {
    let mut names = BTreeSet::new();
    for Block { info, text, line } in blocks(&guide()) {
        let (name, said) = match info.split_whitespace().collect::<Vec<_>>().as_slice() {
            ["json", says] if says.starts_with("says=") => (*says, said(says).json()),
            ["text", says] if says.starts_with("says=") => (*says, said(says).text(Locale::En)),
            ["text", says, "locale=ko"] => (*says, said(says).text(Locale::Ko)),
            _ => continue,
        };
        assert_eq!(text, said + "\n", "line {line}");
        names.insert(name.to_owned());
    }
    assert_eq!(names.len(), 10, "everything that we say has an example: {names:?}");
}

#[test]
fn no_document_is_heard() {
    let root = root();
    let mut documents = Vec::new();
    collect(&root, false, &mut documents);
    collect(&root.join("docs"), true, &mut documents);
    for name in [
        "README.md",
        "ARCHITECTURE.md",
        "CONTRIBUTING.md",
        "STYLE.md",
        "docs/protocol.md",
        "docs/glossary.md",
    ] {
        assert!(documents.contains(&root.join(name)), "{name} is not there");
    }
    let key = || "k3f9".parse().ok();
    for document in documents {
        let text = fs::read_to_string(&document).unwrap();
        for options in [Options::worker(), Options::orchestrator()] {
            let with_key = Options { key: key(), ..options.clone() };
            let keyed = Options { keys: Keys::Required, ..with_key.clone() };
            for options in [options, with_key, keyed] {
                let items = decode(&text, options);
                assert!(items.is_empty(), "{} says something: {items:#?}", document.display());
            }
        }
    }
}

/// A fenced block of the guide.
struct Block {
    info: String,
    text: String,
    line: usize,
}

fn blocks(document: &str) -> Vec<Block> {
    let mut blocks = Vec::new();
    let mut open: Option<Block> = None;
    for (index, line) in document.lines().enumerate() {
        match (line.strip_prefix("```"), open.as_mut()) {
            (Some(info), None) => {
                open = Some(Block { info: info.to_owned(), text: String::new(), line: index + 1 });
            }
            (Some(_), Some(_)) => blocks.extend(open.take()),
            (None, Some(block)) => {
                block.text.push_str(line);
                block.text.push('\n');
            }
            (None, None) => {}
        }
    }
    assert!(open.is_none(), "a fence is not closed");
    blocks
}

/// Does what the shell would do with an example.
fn run(example: &str) -> Vec<Item> {
    let (command, rest) = example.split_once('\n').unwrap();
    let arguments = command.strip_prefix("jangdan decode").unwrap().strip_suffix("<<'END'").unwrap();
    let input = rest.strip_suffix("END\n").unwrap();
    let mut options = Options::worker();
    let mut shows_near = false;
    let mut words = arguments.split_whitespace();
    while let Some(word) = words.next() {
        match (word, if word == "--near" { None } else { words.next() }) {
            ("--near", _) => shows_near = true,
            ("--role", Some("worker")) => options.role = Role::Worker,
            ("--role", Some("orchestrator")) => options.role = Role::Orchestrator,
            ("--key", Some(key)) => options.key = key.parse().ok(),
            ("--keys", Some("required")) => options.keys = Keys::Required,
            other => panic!("{other:?} in {command}"),
        }
    }
    let mut items = decode(input, options);
    items.retain(|item| shows_near || !matches!(item, Item::Near(_)));
    items
}

fn decode(text: &str, options: Options) -> Vec<Item> {
    let mut decoder = Decoder::new(options);
    let mut items = decoder.push(text.as_bytes());
    items.extend(decoder.end_turn());
    items
}

fn name(item: &Item) -> String {
    match item {
        Item::Message(message) => message.said.name().to_owned(),
        Item::Invalid(_) => "INVALID".to_owned(),
        Item::Near(_) => "NEAR".to_owned(),
    }
}

/// Makes what the guide shows.
fn said(name: &str) -> Say {
    let key = "k3f9".parse().ok();
    let task_id = || "T1.3".parse().unwrap();
    let agent = |name: &str| name.parse().unwrap();
    match name.trim_start_matches("says=") {
        "question_answer" => {
            Say::QuestionAnswer(QuestionAnswer { question_id: "q_7".into(), answer: "Subscription".into() })
        }
        "dependency_provided" => Say::DependencyProvided(DependencyProvided {
            request_id: "d_4".into(),
            name: "OPENAI_API_KEY".into(),
            provided: Provided::ApiKey { env: "OPENAI_API_KEY".into() },
            is_default: false,
        }),
        "dependency_refused" => Say::DependencyRefused(DependencyRefused {
            request_id: "d_4".into(),
            name: "OPENAI_API_KEY".into(),
            reason: "skipped".into(),
        }),
        "task" => Say::Task(Box::new(Task {
            task_id: task_id(),
            from: Some(agent("Planner")),
            phase: None,
            title: None,
            text: "Analyse the requirements.".into(),
            context: Some("the login form".into()),
            criteria: Vec::new(),
            touches: Vec::new(),
            check: None,
            results: Vec::new(),
            worktree: None,
            preamble: None,
        })),
        "result" => {
            let content = "# Requirements".into();
            Say::Result(Delivery { from: agent("PO"), result_type: ResultType::Markdown, content })
        }
        "direct" => {
            let content = "Which id?".into();
            Say::Direct(DirectMessage { from: agent("tester"), kind: Some(DirectType::Query), content })
        }
        "feedback" => Say::Feedback(Feedback {
            task_id: task_id(),
            from: Some(agent("Tester")),
            failures: vec![TestFailure {
                name: "login works".into(),
                expected: Some("200".into()),
                actual: Some("500".into()),
                trace: Some("at login.rs:7".into()),
                suggested_fix: Some("check the token".into()),
            }],
            suggestions: vec!["add a test for an empty password".into()],
            metrics: Some(Metrics { total: 5, passed: 3, failed: 1, skipped: 1, seconds: 2.5 }),
        }),
        "invalid" => {
            match decode("[DEPENDENCY_REQUEST]\nname: x\n[/DEPENDENCY_REQUEST]\n", Options::worker())
                .as_slice()
            {
                [Item::Invalid(invalid)] => Say::Invalid(Invalid::new(invalid, key.as_ref())),
                other => panic!("{other:?}"),
            }
        }
        "near" => match decode("[Ask_User] Which one?\n", Options::worker()).as_slice() {
            [Item::Near(near)] => Say::Near(Near::new(near, key.as_ref())),
            other => panic!("{other:?}"),
        },
        "finish" => Say::Finish(Finish::new(task_id(), key.as_ref())),
        other => panic!("the guide shows {other}, which nobody says"),
    }
}

fn guide() -> String {
    fs::read_to_string(root().join("docs/protocol.md")).unwrap()
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// Collects the documents of a folder.
fn collect(folder: &Path, is_deep: bool, documents: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_some_and(|extension| extension == "md") {
            documents.push(path);
        } else if is_deep && path.is_dir() {
            collect(&path, is_deep, documents);
        }
    }
}
