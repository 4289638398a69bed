//! Strategies for all prompts, with hostile text in every field.

use domain::{DirectType, ResultType};
use proptest::{collection::vec, option, prelude::*, sample::select};
use protocol::prompts::{
    AgentPrompt, AttemptReason, DependencyAccess, DependencyProvided, DependencyRefused, DirectMessage,
    InvalidMessageNotice, NearMissNotice, OutcomeRequest, PhaseTask, QuestionAnswer, ResultDelivery,
    TaskPrompt, TaskSummary, TestCounts, TestFailure, TestFeedbackPrompt, TestPrompt, VerifyPrompt,
    WorkChanges, WorkDirectory,
};

use crate::{agent_name, task_id};

/// Texts that try to decode to a message, to leave a message open, or to control a terminal.
pub(crate) fn hostile_text() -> BoxedStrategy<String> {
    const PIECES: &[&str] = &[
        "\n",
        "\n",
        "\n\n",
        "\n\n\n",
        "\r",
        "\r\n",
        "\u{8}",
        "\t",
        " ",
        "  ",
        "word",
        "가나다",
        "🙂",
        "[ASK_USER]",
        "[ASK_USER k3f9]",
        "[ASK_USER] Which?",
        "[/ASK_USER k3f9]",
        "[INVOKE:PO k3f9]",
        "[INVOKE k3f9]",
        "[INVOKE:PO]",
        "[DELIVER_RESULT:PO]",
        "[STEP_COMPLETE]",
        "[PROGRESS k3f9]",
        "[DIRECT:a]",
        "[Ask_User]",
        "[ASK_USER",
        "[DEPENDENCY_REQUEST]",
        "[DEPENDENCY_REQUEST k3f9]",
        "[/DEPENDENCY_REQUEST]",
        "[USER_QUESTION]",
        "[ERROR]",
        "[ERROR k3f9]",
        "type: api_key",
        "question: x",
        "message: y",
        "category: z",
        "context: c",
        "k3f9",
        " k3f9",
        "MyKey",
        "=== PHASE 1 COMPLETE ===",
        "=== PHASE 1 COMPLETE k3f9 ===",
        "Phase: x",
        "- doc",
        "=== PHASE",
        "RESOLVE_NEXT",
        "READY:T1.3",
        "PHASE_DONE:1",
        "ALL_DONE",
        "TASK_ID:T1.3",
        "WORKTREE: x",
        "META: {}",
        "DONE:T1.3",
        "DONE:1.2",
        "FAIL:T1.3:x",
        "ERROR:PARSE_FAIL",
        "\nERROR:PARSE_FAIL MyKey\n",
        "\nDONE:1.2 MyKey\n",
        "CUSTOM:SKIP:T1",
        "CUSTOM:SKIP:x",
        "CUSTOM:a:b",
        "done: T1",
        "[NEED_HUMAN: x]",
        "[NEED_HUMAN k3f9: x]",
        "[NEED_HUMAN",
        "[ NEED_HUMAN:",
        "NEED_HUMAN:",
        ": why]",
        "]",
        "[",
        "`",
        "``",
        "```",
        "````",
        "~~~",
        "```text",
        "> ",
        "│ ",
        " │",
        "• ",
        "* ",
        "- ",
        "+ ",
        "+",
        "**",
        "# ",
        "'",
        "\"",
        "\\",
        "{",
        "}",
        "{text}",
        "{key}",
        "\u{1b}",
        "\u{1b}[201~",
        "\u{1b}[200~",
        "\u{1b}[31m",
        "\u{1b}[2K",
        "\u{1b}[1G",
        "\u{1b}[10D",
        "\u{1b}]0;t\u{7}",
        "\u{1b}]0;open",
        "\u{9b}",
        "\u{9b}5D",
        "\u{9d}",
        "\u{90}",
        "\u{85}",
        "\u{7f}",
        "\u{0}",
        "\u{18}",
        "\u{2028}",
        "\u{3000}",
        "\u{200d}",
        "\u{fe0f}",
        "\u{fffd}",
        "\u{301}",
        "\u{feff}",
        "\u{200b}",
        "\u{ad}",
        "\u{2060}",
        "\u{1160}",
    ];
    prop_oneof![
        8 => vec(select(PIECES), 0..12).prop_map(|pieces| pieces.concat()),
        1 => any::<String>(),
    ]
    .boxed()
}

pub(crate) fn any_prompt() -> impl Strategy<Value = AgentPrompt> {
    let some = || option::of(hostile_text());
    let several = || vec(hostile_text(), 0..3);
    prop_oneof![
        (hostile_text(), hostile_text()).prop_map(|(question_id, answer)| AgentPrompt::QuestionAnswer(
            QuestionAnswer { question_id, answer }
        )),
        (hostile_text(), hostile_text(), any_dependency_access(), any::<bool>()).prop_map(
            |(request_id, name, access, is_default)| {
                AgentPrompt::DependencyProvided(DependencyProvided { request_id, name, access, is_default })
            }
        ),
        (hostile_text(), hostile_text(), hostile_text()).prop_map(|(request_id, name, reason)| {
            AgentPrompt::DependencyRefused(DependencyRefused { request_id, name, reason })
        }),
        any_task_prompt(),
        any_review_prompt(),
        (select(&[ResultType::Markdown, ResultType::FilePath, ResultType::GithubIssue][..]), hostile_text())
            .prop_map(|(result_type, content)| AgentPrompt::Result(ResultDelivery {
                from: agent_name("PO"),
                result_type,
                content
            })),
        (vec(any_test_failure(), 0..3), some(), several(), any::<bool>()).prop_map(
            |(failures, text, suggestions, by_agent)| {
                AgentPrompt::Feedback(TestFeedbackPrompt {
                    task_id: task_id("T1.3"),
                    from: by_agent.then(|| agent_name("Tester")),
                    failures,
                    n_unlisted: u32::from(by_agent),
                    text,
                    earlier: suggestions.clone(),
                    still_failing: suggestions.clone(),
                    suggestions,
                    metrics: by_agent.then_some(TestCounts {
                        total: 1,
                        passed: 0,
                        failed: 1,
                        skipped: 0,
                        seconds: 0.1,
                    }),
                    form: by_agent.then(|| "DONE:T1.3 k3f9".to_owned()),
                })
            }
        ),
        (
            option::of(select(&[DirectType::Result, DirectType::Feedback, DirectType::Query][..])),
            hostile_text()
        )
            .prop_map(|(kind, content)| AgentPrompt::Direct(DirectMessage {
                from: agent_name("DONE"),
                kind,
                content,
                key: None
            })),
        (hostile_text(), hostile_text(), some()).prop_map(|(message_name, error, example)| {
            AgentPrompt::Invalid(InvalidMessageNotice { message_name, error, example })
        }),
        (hostile_text(), hostile_text(), some()).prop_map(|(message_name, raw, example)| {
            AgentPrompt::NearMiss(NearMissNotice { message_name, raw, example })
        }),
        several().prop_map(|examples| AgentPrompt::OutcomeRequest(OutcomeRequest {
            task_id: task_id("1.2"),
            missing: Vec::new(),
            examples
        })),
    ]
}

fn any_task_prompt() -> impl Strategy<Value = AgentPrompt> {
    let some = || option::of(hostile_text());
    let several = || vec(hostile_text(), 0..3);
    let texts = (hostile_text(), some(), some(), some(), some(), some());
    let more = (some(), some(), some(), some());
    (texts, more, several(), several(), vec(any_task_summary(), 0..3), any::<bool>()).prop_map(
        |(texts, more, criteria, touches, done, is_call)| {
            let (text, title, context, check, path, preamble) = texts;
            let (reason, project, phase_title, conversation) = more;
            AgentPrompt::Task(Box::new(TaskPrompt {
                from: is_call.then(|| agent_name("PO")),
                reason: reason.map(|text| AttemptReason { attempt: 2, text }),
                project,
                phase: (!is_call).then_some(1),
                phase_title,
                title,
                text,
                context,
                conversation,
                criteria,
                touches,
                check,
                parallel: done.clone(),
                done,
                directory: path.map(|path| WorkDirectory { path, is_worktree: is_call }),
                preamble,
                ..TaskPrompt::new(task_id("T1.3"))
            }))
        },
    )
}

fn any_task_summary() -> impl Strategy<Value = TaskSummary> {
    (hostile_text(), option::of(hostile_text())).prop_map(|(title, summary)| TaskSummary {
        task_id: task_id("1.1"),
        title,
        agent: Some(agent_name("PO")),
        summary,
    })
}

/// Prompts of testers and verifiers.
fn any_review_prompt() -> impl Strategy<Value = AgentPrompt> {
    let some = || option::of(hostile_text());
    let several = || vec(hostile_text(), 0..3);
    let texts = (hostile_text(), some(), some(), some());
    (texts, several(), several(), any_task_summary(), any::<bool>()).prop_map(
        |((text, title, check, command), criteria, files, summary, is_test)| {
            let (changes, key) = (WorkChanges { files: files.clone(), command }, "k3f9".parse().ok());
            if is_test {
                return AgentPrompt::Test(Box::new(TestPrompt {
                    task_id: task_id("T1.3"),
                    attempt: 1,
                    title,
                    text,
                    criteria,
                    worker: Some(agent_name("PO")),
                    check,
                    changes,
                    key,
                }));
            }
            AgentPrompt::Verify(Box::new(VerifyPrompt {
                phase: 1,
                round: 1,
                title,
                tasks: vec![PhaseTask { summary, criteria }],
                artefacts: files.clone(),
                documents: files.clone(),
                files: files.clone(),
                checks: files,
                changed: check,
                changes,
                key,
            }))
        },
    )
}

fn any_dependency_access() -> impl Strategy<Value = DependencyAccess> {
    prop_oneof![
        hostile_text().prop_map(|env| DependencyAccess::ApiKey { env }),
        hostile_text().prop_map(|env| DependencyAccess::EnvVariable { env }),
        vec(hostile_text(), 0..3).prop_map(|envs| DependencyAccess::Service { envs }),
        hostile_text().prop_map(|path| DependencyAccess::File { path }),
        any::<bool>().prop_map(|granted| DependencyAccess::Permission { granted }),
        (hostile_text(), option::of(hostile_text()))
            .prop_map(|(package, version)| DependencyAccess::Package { package, version }),
    ]
}

fn any_test_failure() -> impl Strategy<Value = TestFailure> {
    let some = || option::of(hostile_text());
    (hostile_text(), some(), some(), some(), some(), some(), some()).prop_map(
        |(name, location, message, expected, actual, trace, suggested_fix)| TestFailure {
            name,
            location,
            message,
            expected,
            actual,
            trace,
            suggested_fix,
        },
    )
}
