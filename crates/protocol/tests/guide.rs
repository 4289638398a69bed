//! Checks the guide for agent authors: its examples decode as stated, and its prompts are the ones we send.
//!
//! An example is a fenced block whose info string names the check:
//! - `sh decodes=A,B`: a command `jangdan decode … <<'END'`, whose input decodes to these messages, in this order.
//! - `json prints`: the output of the command before it.
//! - `json says=name` and `text says=name [locale=ko]`: the prompt that [`prompt`] returns.
//!
//! Also checks that no document of the repository decodes to a message when an agent prints it.

#![expect(clippy::disallowed_methods, reason = "the documents are files")]
#![expect(clippy::unwrap_used, clippy::panic, reason = "a failing setup fails the test")]

use std::{
    collections::BTreeSet,
    fs,
    path::{Path, PathBuf},
};

use domain::{DirectType, Locale, ResultType, Role, TaskId};
use protocol::{
    AcceptedTaskIds, DecodedItem, Decoder, DecoderOptions, KeyRequirement,
    prompts::{
        AgentPrompt, DependencyAccess, DependencyProvided, DependencyRefused, DirectMessage,
        InvalidMessageNotice, NearMissNotice, OutcomeRequest, QuestionAnswer, ResultDelivery, TaskPrompt,
        TestCounts, TestFailure, TestFeedbackPrompt,
    },
};

#[test]
fn examples_decode_as_stated() {
    let mut printed = String::new();
    let mut names = BTreeSet::new();
    for CodeBlock { info, text, line } in parse_code_blocks(&read_guide()) {
        if info == "json prints" {
            assert_eq!(text, printed, "line {line}");
        }
        let Some(expected) = info.strip_prefix("sh decodes=") else { continue };
        let items = decode_example(&text);
        let item_names: Vec<String> = items.iter().map(item_name).collect();
        assert_eq!(item_names.join(","), expected, "line {line}: {items:#?}");
        printed = items.iter().map(|item| serde_json::to_string(item).unwrap() + "\n").collect();
        names.extend(item_names);
    }
    assert_eq!(names.len(), 22, "every message, INVALID and NEAR has an example: {names:?}");
}

#[test]
fn prompts_equal_those_of_the_guide() {
    let mut names = BTreeSet::new();
    for CodeBlock { info, text, line } in parse_code_blocks(&read_guide()) {
        let (name, expected) = match info.split_whitespace().collect::<Vec<_>>().as_slice() {
            ["json", says] if says.starts_with("says=") => (*says, example_prompt(says).json()),
            ["text", says] if says.starts_with("says=") => (*says, example_prompt(says).text(Locale::En)),
            ["text", says, "locale=ko"] => (*says, example_prompt(says).text(Locale::Ko)),
            _ => continue,
        };
        assert_eq!(text, expected + "\n", "line {line}");
        names.insert(name.to_owned());
    }
    assert_eq!(names.len(), 11, "every prompt has an example: {names:?}");
}

#[test]
fn documents_do_not_decode_to_messages() {
    let root = repository_root();
    let mut documents = Vec::new();
    collect_markdown_files(&root, false, &mut documents);
    collect_markdown_files(&root.join("docs"), true, &mut documents);
    for name in [
        "README.md",
        "ARCHITECTURE.md",
        "CONTRIBUTING.md",
        "STYLE.md",
        "docs/protocol.md",
        "docs/glossary.md",
    ] {
        assert!(documents.contains(&root.join(name)), "{name} is missing");
    }
    let key = || "k3f9".parse().ok();
    for document in documents {
        let text = fs::read_to_string(&document).unwrap();
        for options in [DecoderOptions::worker(), DecoderOptions::orchestrator()] {
            let with_key = DecoderOptions { key: key(), ..options.clone() };
            let required = DecoderOptions { key_requirement: KeyRequirement::Required, ..with_key.clone() };
            for options in [options, with_key, required] {
                let items = decode_items(&text, options);
                assert!(items.is_empty(), "{} decodes to {items:#?}", document.display());
            }
        }
    }
}

struct CodeBlock {
    info: String,
    text: String,
    line: usize,
}

fn parse_code_blocks(document: &str) -> Vec<CodeBlock> {
    let mut blocks = Vec::new();
    let mut open: Option<CodeBlock> = None;
    for (index, line) in document.lines().enumerate() {
        match (line.strip_prefix("```"), open.as_mut()) {
            (Some(info), None) => {
                open = Some(CodeBlock { info: info.to_owned(), text: String::new(), line: index + 1 });
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

/// Decodes the input of an example with the options of its command.
fn decode_example(example: &str) -> Vec<DecodedItem> {
    let (command, rest) = example.split_once('\n').unwrap();
    let arguments = command.strip_prefix("jangdan decode").unwrap().strip_suffix("<<'END'").unwrap();
    let input = rest.strip_suffix("END\n").unwrap();
    let mut options = DecoderOptions::worker();
    let mut shows_near_misses = false;
    let mut words = arguments.split_whitespace();
    while let Some(word) = words.next() {
        match (word, if word == "--near" { None } else { words.next() }) {
            ("--near", _) => shows_near_misses = true,
            ("--role", Some("worker")) => options.role = Role::Worker,
            ("--role", Some("orchestrator")) => options.role = Role::Orchestrator,
            ("--key", Some(key)) => options.key = key.parse().ok(),
            ("--keys", Some("required")) => options.key_requirement = KeyRequirement::Required,
            ("--task-ids", Some(ids)) => {
                let ids: Vec<TaskId> = ids.split(',').map(|id| id.parse().unwrap()).collect();
                options.task_ids = AcceptedTaskIds::OfPlan(ids.iter().collect());
            }
            other => panic!("{other:?} in {command}"),
        }
    }
    let mut items = decode_items(input, options);
    items.retain(|item| shows_near_misses || !matches!(item, DecodedItem::NearMiss(_)));
    items
}

fn decode_items(text: &str, options: DecoderOptions) -> Vec<DecodedItem> {
    let mut decoder = Decoder::new(options);
    let mut items = decoder.push(text.as_bytes());
    items.extend(decoder.end_turn());
    items
}

fn item_name(item: &DecodedItem) -> String {
    match item {
        DecodedItem::Message(decoded) => decoded.message.name().to_owned(),
        DecodedItem::Invalid(_) => "INVALID".to_owned(),
        DecodedItem::NearMiss(_) => "NEAR".to_owned(),
    }
}

/// Returns the prompt of an example.
fn example_prompt(name: &str) -> AgentPrompt {
    let key = "k3f9".parse().ok();
    let task_id = || "T1.3".parse().unwrap();
    let agent = |name: &str| name.parse().unwrap();
    match name.trim_start_matches("says=") {
        "question_answer" => AgentPrompt::QuestionAnswer(QuestionAnswer {
            question_id: "q_7".into(),
            answer: "Subscription".into(),
        }),
        "dependency_provided" => AgentPrompt::DependencyProvided(DependencyProvided {
            request_id: "d_4".into(),
            name: "OPENAI_API_KEY".into(),
            access: DependencyAccess::ApiKey { env: "OPENAI_API_KEY".into() },
            is_default: false,
        }),
        "dependency_refused" => AgentPrompt::DependencyRefused(DependencyRefused {
            request_id: "d_4".into(),
            name: "OPENAI_API_KEY".into(),
            reason: "skipped".into(),
        }),
        "task" => AgentPrompt::Task(Box::new(TaskPrompt {
            from: Some(agent("Planner")),
            text: "Analyse the requirements.".into(),
            context: Some("the login form".into()),
            ..TaskPrompt::new(task_id())
        })),
        "result" => {
            let content = "# Requirements".into();
            AgentPrompt::Result(ResultDelivery {
                from: agent("PO"),
                result_type: ResultType::Markdown,
                content,
            })
        }
        "direct" => {
            let content = "Which id?".into();
            AgentPrompt::Direct(DirectMessage {
                from: agent("tester"),
                kind: Some(DirectType::Query),
                content,
                key: None,
            })
        }
        "feedback" => AgentPrompt::Feedback(TestFeedbackPrompt {
            task_id: task_id(),
            from: Some(agent("Tester")),
            failures: vec![TestFailure {
                name: "login works".into(),
                location: None,
                message: None,
                expected: Some("200".into()),
                actual: Some("500".into()),
                trace: Some("at login.rs:7".into()),
                suggested_fix: Some("check the token".into()),
            }],
            n_unlisted: 0,
            text: None,
            suggestions: vec!["add a test for an empty password".into()],
            earlier: Vec::new(),
            still_failing: Vec::new(),
            metrics: Some(TestCounts { total: 5, passed: 3, failed: 1, skipped: 1, seconds: 2.5 }),
            form: Some("DONE:T1.3 k3f9".into()),
        }),
        "invalid" => {
            match decode_items(
                "[DEPENDENCY_REQUEST]\nname: x\n[/DEPENDENCY_REQUEST]\n",
                DecoderOptions::worker(),
            )
            .as_slice()
            {
                [DecodedItem::Invalid(invalid)] => {
                    AgentPrompt::Invalid(InvalidMessageNotice::new(invalid, None, key.as_ref(), Locale::En))
                }
                other => panic!("{other:?}"),
            }
        }
        "near" => match decode_items("[Ask_User] Which one?\n", DecoderOptions::worker()).as_slice() {
            [DecodedItem::NearMiss(near_miss)] => {
                AgentPrompt::NearMiss(NearMissNotice::new(near_miss, None, key.as_ref(), Locale::En))
            }
            other => panic!("{other:?}"),
        },
        "finish" => AgentPrompt::OutcomeRequest(OutcomeRequest::new(task_id(), key.as_ref(), Locale::En)),
        "evidence" => {
            let missing = vec![domain::MissingEvidence::NoChange];
            AgentPrompt::OutcomeRequest(OutcomeRequest::for_evidence(
                task_id(),
                missing,
                key.as_ref(),
                Locale::En,
            ))
        }
        other => panic!("the guide shows an unknown prompt: {other}"),
    }
}

fn read_guide() -> String {
    fs::read_to_string(repository_root().join("docs/protocol.md")).unwrap()
}

fn repository_root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn collect_markdown_files(folder: &Path, is_deep: bool, documents: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_some_and(|extension| extension == "md") {
            documents.push(path);
        } else if is_deep && path.is_dir() {
            collect_markdown_files(&path, is_deep, documents);
        }
    }
}
