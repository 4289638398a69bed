//! Every rejection has its own code, a hint, and the status that docs/api.md lists.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::Path,
};

use domain::{EscalationId, QuestionId, RequestId, SessionId};
use engine::Rejection;

use crate::{
    problem::{ApiError, Problem},
    problem_code::ProblemCode,
};

/// Number of variants of [`Rejection`]; see [`variant_number`].
const VARIANTS: usize = 27;

fn one_of_each() -> Vec<Rejection> {
    let text = |text: &str| text.to_owned();
    let (question, request, escalation) = (QuestionId(1), RequestId(1), EscalationId(1));
    vec![
        Rejection::NotStarted,
        Rejection::AlreadyStarted,
        Rejection::Cancelled,
        Rejection::InvalidPlan { reason: text("it has no tasks") },
        Rejection::UnknownTask { task: "T9".parse().unwrap() },
        Rejection::UnknownPhase { phase: 7 },
        Rejection::UnknownAgent { name: "ghost".parse().unwrap(), known: vec!["dev".parse().unwrap()] },
        Rejection::UnknownSession { session: SessionId(3) },
        Rejection::UnknownObject { object: text("question q_9") },
        Rejection::WrongTaskState { task: "T1".parse().unwrap(), state: "merging", hint: "wait for it" },
        Rejection::WrongRunState { object: text("the run"), state: "not paused", hint: "pause it first" },
        Rejection::AlreadyAnswered { question },
        Rejection::QuestionNotPending { question, state: "withdrawn" },
        Rejection::NoPendingQuestion,
        Rejection::SeveralPendingQuestions { questions: vec![question, QuestionId(2)] },
        Rejection::NotAnOption { question, answer: text("perhaps"), options: vec![text("yes"), text("no")] },
        Rejection::UnsuitablePattern { question, pattern: text("run:make *"), is_kept: true },
        Rejection::EmptyAnswer,
        Rejection::RequestSettled { request, state: "provided" },
        Rejection::RequestRequired { request },
        Rejection::WrongResourceKind { request },
        Rejection::EscalationResolved { escalation },
        Rejection::UnsuitableAction { escalation, action: text("dismiss"), possible: vec![text("retry")] },
        Rejection::DependencyCycle { path: vec![text("T1"), text("T2"), text("T1")] },
        Rejection::StaleReport,
        Rejection::NoWorktrees,
        Rejection::TooMany { object: "tasks", max: 5000, hint: "split the plan" },
    ]
}

/// Without a default arm: a new variant needs a number here, and an example above.
fn variant_number(rejection: &Rejection) -> usize {
    match rejection {
        Rejection::NotStarted => 0,
        Rejection::AlreadyStarted => 1,
        Rejection::Cancelled => 2,
        Rejection::InvalidPlan { .. } => 3,
        Rejection::UnknownTask { .. } => 4,
        Rejection::UnknownPhase { .. } => 5,
        Rejection::UnknownAgent { .. } => 6,
        Rejection::UnknownSession { .. } => 7,
        Rejection::UnknownObject { .. } => 8,
        Rejection::WrongTaskState { .. } => 9,
        Rejection::WrongRunState { .. } => 10,
        Rejection::AlreadyAnswered { .. } => 11,
        Rejection::QuestionNotPending { .. } => 12,
        Rejection::NoPendingQuestion => 13,
        Rejection::SeveralPendingQuestions { .. } => 14,
        Rejection::NotAnOption { .. } => 15,
        Rejection::EmptyAnswer => 16,
        Rejection::RequestSettled { .. } => 17,
        Rejection::RequestRequired { .. } => 18,
        Rejection::WrongResourceKind { .. } => 19,
        Rejection::EscalationResolved { .. } => 20,
        Rejection::UnsuitableAction { .. } => 21,
        Rejection::DependencyCycle { .. } => 22,
        Rejection::StaleReport => 23,
        Rejection::UnsuitablePattern { .. } => 24,
        Rejection::NoWorktrees => 25,
        Rejection::TooMany { .. } => VARIANTS - 1,
    }
}

fn problem_of(rejection: Rejection) -> Problem {
    *ApiError::from(rejection).problem
}

/// Returns the status of each code in the table of rejections of docs/api.md.
fn documented_statuses() -> BTreeMap<String, u16> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/api.md");
    let document = fs::read_to_string(path).unwrap();
    let (_, section) = document.split_once("### Rejected commands").unwrap();
    let (section, _) = section.split_once("\n## ").unwrap();
    let rows = section.lines().filter_map(|line| line.strip_prefix("| `")?.split_once("` | "));
    rows.map(|(code, rest)| (code.to_owned(), rest.split(' ').next().unwrap().parse().unwrap())).collect()
}

#[test]
fn every_variant_has_an_example() {
    let numbers: BTreeSet<usize> = one_of_each().iter().map(variant_number).collect();
    assert_eq!(numbers, (0..VARIANTS).collect());
}

#[test]
fn every_code_has_the_documented_status() {
    let problems = one_of_each().into_iter().map(problem_of);
    let statuses: BTreeMap<String, u16> = problems.map(|problem| (problem.code, problem.status)).collect();
    assert_eq!(statuses.len(), VARIANTS, "each code is used once: {statuses:?}");
    assert_eq!(statuses, documented_statuses());
}

#[test]
fn every_rejection_has_a_sentence_and_a_hint_that_names_no_path() {
    for rejection in one_of_each() {
        let problem = problem_of(rejection);
        for text in [&problem.detail, &problem.hint] {
            assert!(text.len() > 5 && text.ends_with('.') && !text.contains("/api"), "{problem:?}");
        }
        assert!(problem.code.chars().all(|char| char.is_ascii_lowercase() || char == '-'), "{problem:?}");
        assert_ne!(problem.title, "", "{problem:?}");
    }
}

#[test]
fn a_code_of_a_rejection_and_of_another_problem_means_the_same() {
    let check = |rejection: Rejection, code: ProblemCode| {
        let problem = problem_of(rejection);
        let shared = (problem.code.as_str(), problem.status, problem.title.as_str());
        assert_eq!(shared, (code.name(), code.status().as_u16(), code.title()));
    };
    check(Rejection::InvalidPlan { reason: "it has no tasks".to_owned() }, ProblemCode::InvalidPlan);
    check(Rejection::UnknownSession { session: SessionId(3) }, ProblemCode::SessionNotRunning);
    check(Rejection::NoWorktrees, ProblemCode::NoWorktrees);
}

#[test]
fn the_pending_questions_are_listed() {
    let questions = vec![QuestionId(1), QuestionId(2)];
    let problem = problem_of(Rejection::SeveralPendingQuestions { questions });
    assert_eq!(problem.pending, ["q_1", "q_2"]);
    assert_eq!(problem.detail, "2 questions are pending (q_1, q_2).");
    assert_eq!(problem.hint, "Name one: q_1 or q_2.");
}
