//! No prompt for an agent decodes to a message, whatever agents and users have written into it.

#![expect(clippy::unwrap_used, reason = "a failing setup fails the test")]

#[path = "prompts/hostile.rs"]
mod hostile;

use domain::{AgentMessage, AgentName, Locale, Role, SessionKey, TaskId, TeamMember};
use proptest::prelude::*;
use protocol::{
    AcceptedTaskIds, DecodedItem, Decoder, DecoderOptions, KeyRequirement,
    prompts::{
        AgentPrompt, AttemptReason, DependencyAccess, DependencyProvided, DependencyRefused, DirectMessage,
        InvalidMessageNotice, NearMissNotice, OutcomeRequest, PreambleOptions, PromptTemplate,
        QuestionAnswer, ResultDelivery, TaskPrompt, TaskSummary, TestCounts, TestFailure, TestFeedbackPrompt,
        WorkDirectory, message_example, preamble, render_task_prompt,
    },
};

use hostile::{any_prompt, hostile_text};

const KEY: &str = "k3f9";
const ROLES: [Role; 6] =
    [Role::Orchestrator, Role::Operator, Role::Worker, Role::Tester, Role::Verifier, Role::Specialist];

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn json_does_not_decode_to_a_message(prompt in any_prompt()) {
        let json = prompt.json();
        prop_assert!(!json.contains(char::is_control), "{json}");
        prop_assert!(serde_json::from_str::<serde_json::Map<_, _>>(&json).is_ok(), "{json}");
        assert_decodes_to_nothing(&json);
    }

    #[test]
    fn text_does_not_decode_to_a_message(prompt in any_prompt()) {
        for locale in [Locale::En, Locale::Ko] {
            let text = prompt.text(locale);
            prop_assert!(!text.contains(|character: char| character.is_control() && !matches!(character, '\n' | '\t')), "{text:?}");
            assert_decodes_to_nothing(&text);
        }
    }

    #[test]
    fn templates_do_not_decode_to_messages(template in hostile_text(), text in hostile_text()) {
        let task = TaskPrompt { text, ..plan_task_prompt(Locale::En) };
        assert_decodes_to_nothing(&render_task_prompt(&task, &format!("{template}\n{{text}} {template}"), Locale::En));
    }
}

#[test]
fn very_long_lines_do_not_decode_to_messages() {
    // A decoder reads 64 KiB of a line, and 1 MiB of a line in a body.
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
        let answer = AgentPrompt::QuestionAnswer(QuestionAnswer { question_id: text.clone(), answer: text });
        assert_decodes_to_nothing(&answer.text(Locale::En));
        assert_decodes_to_nothing(&answer.json());
    }
}

#[test]
fn preambles_do_not_decode_to_messages() {
    let (key, task, team) = (session_key(), task_id("T12.34"), team());
    for role in ROLES {
        for (locale, team) in
            [(Locale::En, team.as_slice()), (Locale::Ko, team.as_slice()), (Locale::En, &[])]
        {
            for task in [Some(&task), None] {
                let text = preamble(preamble_options(role, locale, &key, task, team));
                assert_eq!(text.contains("NEED_HUMAN"), role == Role::Orchestrator, "{text}");
                assert!(!text.contains(['{', '}']), "{text}");
                assert_decodes_to_nothing(&text);
            }
        }
    }
}

#[test]
fn templates_as_written_do_not_decode_to_messages() {
    for template in PromptTemplate::ALL {
        for locale in [Locale::En, Locale::Ko] {
            assert_decodes_to_nothing(template.source(locale));
        }
    }
}

#[test]
fn worker_preamble_has_the_messages_that_make_sense() {
    let (key, task, team) = ("x7q2".parse().unwrap(), task_id("T2.1"), team());
    for locale in [Locale::En, Locale::Ko] {
        let own =
            ["[ASK_USER x7q2]", "[DEPENDENCY_REQUEST x7q2]", "DONE:T2.1 x7q2", "DONE:T2.1:", "FAIL:T2.1:"];
        let in_team = preamble(preamble_options(Role::Worker, locale, &key, Some(&task), &team));
        let alone = preamble(preamble_options(Role::Worker, locale, &key, Some(&task), &[]));
        for form in own {
            assert!(in_team.contains(&format!("`{form}")) && alone.contains(&format!("`{form}")), "{form}");
        }
        assert!(in_team.contains("`[INVOKE:sol x7q2]`"), "{in_team}");
        assert!(!alone.contains("INVOKE"), "no agent to call: {alone}");
    }
}

#[test]
fn examples_of_preambles_decode_without_their_backticks() {
    let (key, task) = (session_key(), task_id("T2.1"));
    for locale in [Locale::En, Locale::Ko] {
        let text = preamble(preamble_options(Role::Worker, locale, &key, Some(&task), &[]));
        let is_example = |line: &&str| line.starts_with('`') && line.ends_with('`');
        let messages: Vec<&str> =
            text.lines().filter(is_example).map(|line| line.trim_matches('`')).collect();
        assert_eq!(messages.len(), 4 + 6, "a question has four lines, a request six: {text}");
        let finish = text.split('`').filter(|code| code.starts_with("DONE:") || code.starts_with("FAIL:"));
        let output: Vec<&str> = messages.into_iter().chain(finish).collect();
        let options = DecoderOptions {
            key: Some(session_key()),
            key_requirement: KeyRequirement::Required,
            ..DecoderOptions::worker()
        };
        let items = decode_items(&(output.join("\n") + "\n"), options);
        let [
            DecodedItem::Message(ask),
            DecodedItem::Message(request),
            DecodedItem::Message(done),
            DecodedItem::Message(reason),
            DecodedItem::Message(fail),
        ] = items.as_slice()
        else {
            unreachable!("{items:#?}")
        };
        assert!(matches!(&ask.message, AgentMessage::AskUser(ask) if ask.options.len() == 2), "{ask:?}");
        assert!(matches!(&request.message, AgentMessage::DependencyRequest(_)), "{request:?}");
        assert!(matches!(&done.message, AgentMessage::Done(done) if done.reason.is_none()), "{done:?}");
        assert!(matches!(&reason.message, AgentMessage::Done(done) if done.reason.is_some()), "{reason:?}");
        assert!(matches!(&fail.message, AgentMessage::Fail(_)), "{fail:?}");
    }
}

#[test]
fn reason_for_another_attempt_comes_before_the_task() {
    for locale in [Locale::En, Locale::Ko] {
        let reason = Some(AttemptReason { attempt: 2, text: "The agent was killed.".into() });
        let text =
            AgentPrompt::Task(Box::new(TaskPrompt { reason, ..plan_task_prompt(locale) })).text(locale);
        let position = |part: &str| text.find(part).unwrap();
        assert!(position("killed") < position("Build the form."), "{text}");
        assert!(position("killed") < position("Accounts"), "{text}");
    }
}

#[test]
fn template_of_a_project_replaces_the_prompt() {
    let template = "{heading} {title}\n{results}\n{criteria}\nIn {worktree}\n{unknown}";
    let text = render_task_prompt(&plan_task_prompt(Locale::En), template, Locale::En);
    let expected = "[TASK T1.3] Log in\n- T1.2 User table (ada): The schema is in db/users.sql.\n\
        - a wrong password is refused\n  with a hint\n- a right one is not\nIn ../worktrees/T1.3\n{unknown}";
    assert_eq!(text, expected);
}

#[test]
fn prompts_have_their_json() {
    let cases = [
        (answer_prompt(), r#"{"type":"question_answer","questionId":"q_7","answer":"Subscription"}"#),
        (
            provided_prompt(DependencyAccess::ApiKey { env: "OPENAI_API_KEY".into() }, false),
            r#"{"type":"dependency_provided","requestId":"d_4","name":"it","kind":"api_key","env":"OPENAI_API_KEY"}"#,
        ),
        (
            provided_prompt(DependencyAccess::EnvVariable { env: "PORT".into() }, true),
            r#"{"type":"dependency_provided","requestId":"d_4","name":"it","kind":"env_variable","env":"PORT","default":true}"#,
        ),
        (
            provided_prompt(DependencyAccess::Service { envs: vec!["A".into(), "B".into()] }, false),
            r#"{"type":"dependency_provided","requestId":"d_4","name":"it","kind":"service","envs":["A","B"]}"#,
        ),
        (
            provided_prompt(DependencyAccess::File { path: "a/b".into() }, false),
            r#"{"type":"dependency_provided","requestId":"d_4","name":"it","kind":"file","path":"a/b"}"#,
        ),
        (
            provided_prompt(DependencyAccess::Permission { granted: true }, false),
            r#"{"type":"dependency_provided","requestId":"d_4","name":"it","kind":"permission","granted":true}"#,
        ),
        (
            provided_prompt(
                DependencyAccess::Package { package: "serde".into(), version: Some("1.0".into()) },
                false,
            ),
            r#"{"type":"dependency_provided","requestId":"d_4","name":"it","kind":"package","package":"serde","version":"1.0"}"#,
        ),
        (
            AgentPrompt::DependencyRefused(DependencyRefused {
                request_id: "d_4".into(),
                name: "it".into(),
                reason: "skipped".into(),
            }),
            r#"{"type":"dependency_refused","requestId":"d_4","name":"it","reason":"skipped"}"#,
        ),
        (
            AgentPrompt::Task(Box::new(agent_call_prompt())),
            r#"{"type":"task","taskId":"T1.3","from":"Planner","text":"Analyse.","context":"login"}"#,
        ),
        (
            AgentPrompt::Result(ResultDelivery {
                from: agent_name("PO"),
                result_type: domain::ResultType::Markdown,
                content: "# R".into(),
            }),
            r##"{"type":"result","from":"PO","resultType":"markdown","content":"# R"}"##,
        ),
        (
            AgentPrompt::Direct(DirectMessage {
                from: agent_name("PO"),
                kind: Some(domain::DirectType::Query),
                content: "?".into(),
                key: None,
            }),
            r#"{"type":"direct","from":"PO","kind":"query","content":"?"}"#,
        ),
        (
            feedback_prompt(),
            r#"{"type":"feedback","taskId":"T1.3","from":"Tester","failures":[{"name":"login works","location":"src/login.rs:7","message":"the status is wrong","expected":"200","actual":"500","trace":"at a\nat b","suggestedFix":"check the token"}],"nUnlisted":3,"text":"The page is slow.","suggestions":["add a test"],"earlier":["attempt 1, round 1: login works"],"stillFailing":["login works"],"metrics":{"total":5,"passed":3,"failed":1,"skipped":1,"seconds":2.5},"form":"DONE:T1.3 k3f9"}"#,
        ),
        (
            AgentPrompt::OutcomeRequest(OutcomeRequest::new(
                task_id("T1.3"),
                Some(&session_key()),
                Locale::En,
            )),
            r#"{"type":"finish","taskId":"T1.3","forms":["DONE:T1.3 k3f9","FAIL:T1.3:why it failed k3f9","[ASK_USER k3f9]\nquestion: Which database?\noptions: [\"PostgreSQL\", \"SQLite\"]\n[/ASK_USER k3f9]"]}"#,
        ),
    ];
    for (prompt, json) in cases {
        assert_eq!(prompt.json(), json);
    }
}

fn evidence_request(missing: &[domain::MissingEvidence]) -> AgentPrompt {
    AgentPrompt::OutcomeRequest(OutcomeRequest::for_evidence(
        task_id("T1.3"),
        missing.to_vec(),
        Some(&session_key()),
        Locale::En,
    ))
}

#[test]
fn each_prompt_has_text_in_both_languages() {
    let mut texts = String::new();
    let items = decode_items(
        "[DEPENDENCY_REQUEST]\nname: X\n[/DEPENDENCY_REQUEST]\n[Ask_User] Which?\n",
        DecoderOptions::worker(),
    );
    let [DecodedItem::Invalid(invalid), DecodedItem::NearMiss(near_miss)] = items.as_slice() else {
        unreachable!("{items:?}")
    };
    let all = [
        answer_prompt(),
        provided_prompt(DependencyAccess::ApiKey { env: "OPENAI_API_KEY".into() }, false),
        provided_prompt(DependencyAccess::Service { envs: vec!["DB_URL".into(), "DB_USER".into()] }, true),
        provided_prompt(DependencyAccess::File { path: "data/cities.csv".into() }, false),
        provided_prompt(DependencyAccess::Permission { granted: true }, false),
        provided_prompt(DependencyAccess::Package { package: "serde".into(), version: None }, false),
        AgentPrompt::DependencyRefused(DependencyRefused {
            request_id: "d_4".into(),
            name: "it".into(),
            reason: "skipped".into(),
        }),
        AgentPrompt::Task(Box::new(agent_call_prompt())),
        AgentPrompt::Result(ResultDelivery {
            from: agent_name("PO"),
            result_type: domain::ResultType::Markdown,
            content: "# R\n\ndone".into(),
        }),
        AgentPrompt::Result(ResultDelivery {
            from: agent_name("PO"),
            result_type: domain::ResultType::FilePath,
            content: "a.md".into(),
        }),
        feedback_prompt(),
        AgentPrompt::Direct(DirectMessage {
            from: agent_name("PO"),
            kind: Some(domain::DirectType::Query),
            content: "Which id?".into(),
            key: Some(session_key()),
        }),
        AgentPrompt::Invalid(InvalidMessageNotice::new(
            invalid,
            Some(&task_id("T2.4")),
            Some(&session_key()),
            Locale::En,
        )),
        AgentPrompt::NearMiss(NearMissNotice::new(
            near_miss,
            Some(&task_id("T2.4")),
            Some(&session_key()),
            Locale::En,
        )),
        AgentPrompt::OutcomeRequest(OutcomeRequest::new(task_id("T1.3"), Some(&session_key()), Locale::En)),
        evidence_request(&[domain::MissingEvidence::NoMessage]),
        evidence_request(&[domain::MissingEvidence::NoMessage, domain::MissingEvidence::NoChange]),
        evidence_request(&[domain::MissingEvidence::UnchangedSinceDenial]),
        evidence_request(&[domain::MissingEvidence::UnchangedSinceRejection]),
        evidence_request(&[domain::MissingEvidence::UnchangedSinceFailedCheck]),
        evidence_request(&[domain::MissingEvidence::UnchangedSinceConflict]),
        evidence_request(&[domain::MissingEvidence::ChangesUnknown]),
    ];
    for locale in [Locale::En, Locale::Ko] {
        let task = AgentPrompt::Task(Box::new(plan_task_prompt(locale)));
        for prompt in all.iter().chain([&task]) {
            texts.push_str(&format!("{}\n────\n", prompt.text(locale)));
        }
    }
    insta::assert_snapshot!(texts);
}

#[test]
fn every_message_has_an_example_that_decodes() {
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
        let options = DecoderOptions {
            key: Some(session_key()),
            key_requirement: KeyRequirement::Required,
            ..DecoderOptions::orchestrator()
        };
        let items =
            decode_items(&message_example(name, None, Some(&session_key()), Locale::En).unwrap(), options);
        assert!(
            matches!(items.as_slice(), [DecodedItem::Message(decoded)] if decoded.message.name() == name),
            "{items:?}"
        );
    }
}

/// Decodes a prompt as output of every kind of session, followed by a message of that session.
fn assert_decodes_to_nothing(prompt: &str) {
    let with_key = |key: &str, key_requirement| (key.parse().ok(), key_requirement);
    let modes = [
        (None, KeyRequirement::Optional),
        with_key(KEY, KeyRequirement::Optional),
        with_key(KEY, KeyRequirement::Required),
        // Does not have the form of a generated key.
        with_key("MyKey", KeyRequirement::Required),
    ];
    for role in [Role::Worker, Role::Orchestrator] {
        for (key, key_requirement) in modes.clone() {
            let next = key.as_ref().map_or("DONE:T1.3\n".to_owned(), |key| format!("DONE:T1.3 {key}\n"));
            let options = DecoderOptions { role, key, key_requirement, task_ids: AcceptedTaskIds::Any };
            let mut decoder = Decoder::new(options.clone());
            let items = decoder.push(format!("{prompt}\n").as_bytes());
            assert_eq!(items, [], "{options:?}: {}", truncate_text(prompt));
            assert!(!decoder.prevents_turn_end(), "{}", truncate_text(prompt));
            let items = decoder.push(next.as_bytes());
            let is_decoded = matches!(items.as_slice(), [DecodedItem::Message(m)] if matches!(m.message, AgentMessage::Done(_)));
            assert!(is_decoded, "{items:?} after {}", truncate_text(prompt));
            assert_eq!(decode_on_screen(prompt, options), [], "on a screen: {}", truncate_text(prompt));
        }
    }
}

/// Decodes the beginning of a prompt as a terminal shows it.
fn decode_on_screen(prompt: &str, options: DecoderOptions) -> Vec<DecodedItem> {
    let mut decoder = Decoder::for_screen(options);
    let mut items = decoder.push(truncate_text(prompt).replace('\n', "\r\n").as_bytes());
    items.extend(decoder.end_turn());
    items
}

fn truncate_text(text: &str) -> &str {
    &text[..text.floor_char_boundary(2000)]
}

fn decode_items(output: &str, options: DecoderOptions) -> Vec<DecodedItem> {
    let mut decoder = Decoder::new(options);
    let mut items = decoder.push(output.as_bytes());
    items.extend(decoder.end_turn());
    items
}

fn session_key() -> SessionKey {
    KEY.parse().unwrap()
}

fn agent_name(name: &str) -> AgentName {
    name.parse().unwrap()
}

fn task_id(id: &str) -> TaskId {
    id.parse().unwrap()
}

fn answer_prompt() -> AgentPrompt {
    AgentPrompt::QuestionAnswer(QuestionAnswer { question_id: "q_7".into(), answer: "Subscription".into() })
}

fn provided_prompt(access: DependencyAccess, is_default: bool) -> AgentPrompt {
    AgentPrompt::DependencyProvided(DependencyProvided {
        request_id: "d_4".into(),
        name: "it".into(),
        access,
        is_default,
    })
}

fn agent_call_prompt() -> TaskPrompt {
    TaskPrompt {
        from: Some(agent_name("Planner")),
        text: "Analyse.".into(),
        context: Some("login".into()),
        ..TaskPrompt::new(task_id("T1.3"))
    }
}

fn plan_task_prompt(locale: Locale) -> TaskPrompt {
    let (key, task, team) = (session_key(), task_id("T1.3"), team());
    let summary = |id: &str, title: &str, agent: &str, summary: Option<&str>| TaskSummary {
        task_id: task_id(id),
        title: title.into(),
        agent: Some(agent_name(agent)),
        summary: summary.map(str::to_owned),
    };
    TaskPrompt {
        project: Some("shop".into()),
        phase: Some(1),
        phase_title: Some("Accounts".into()),
        title: Some("Log in".into()),
        text: "Build the form.\n\nKeep it small.".into(),
        criteria: vec!["a wrong password is refused\nwith a hint".into(), "a right one is not".into()],
        touches: vec!["src/login/".into()],
        check: Some("npm test".into()),
        done: vec![summary("T1.2", "User table", "ada", Some("The schema is in db/users.sql."))],
        parallel: vec![summary("T1.4", "Sign up", "bo", None)],
        directory: Some(WorkDirectory { path: "../worktrees/T1.3".into(), is_worktree: true }),
        preamble: Some(preamble(preamble_options(Role::Worker, locale, &key, Some(&task), &team))),
        ..TaskPrompt::new(task.clone())
    }
}

fn preamble_options<'a>(
    role: Role,
    locale: Locale,
    key: &'a SessionKey,
    task: Option<&'a TaskId>,
    team: &'a [TeamMember],
) -> PreambleOptions<'a> {
    PreambleOptions { role, locale, key, task, project: "shop", phase: Some((1, "Accounts")), team }
}

fn team() -> Vec<TeamMember> {
    let member = |name: &str, role: Role| TeamMember {
        name: agent_name(name),
        role,
        slots: None,
        is_turn_end_guessed: false,
        protocol: domain::AgentProtocol::Text,
    };
    vec![member("vera", Role::Tester), member("sol", Role::Specialist)]
}

fn feedback_prompt() -> AgentPrompt {
    let failure = TestFailure {
        name: "login works".into(),
        location: Some("src/login.rs:7".into()),
        message: Some("the status is wrong".into()),
        expected: Some("200".into()),
        actual: Some("500".into()),
        trace: Some("at a\nat b".into()),
        suggested_fix: Some("check the token".into()),
    };
    AgentPrompt::Feedback(TestFeedbackPrompt {
        task_id: task_id("T1.3"),
        from: Some(agent_name("Tester")),
        failures: vec![failure],
        n_unlisted: 3,
        text: Some("The page is slow.".into()),
        suggestions: vec!["add a test".into()],
        earlier: vec!["attempt 1, round 1: login works".into()],
        still_failing: vec!["login works".into()],
        metrics: Some(TestCounts { total: 5, passed: 3, failed: 1, skipped: 1, seconds: 2.5 }),
        form: Some("DONE:T1.3 k3f9".into()),
    })
}
