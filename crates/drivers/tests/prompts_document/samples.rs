//! The example project of the document: one prompt of each kind, with realistic texts.

use domain::{
    AgentInvocationOutcome, AgentName, DependencyType, DirectMessageId, DirectType, EarlierFailure,
    EscalationId, InvocationId, Locale, MissingEvidence, ProvidedResource, QuestionId, RequestId, ResultId,
    ResultType, Role, SessionInput, SessionKey, TaskId, TeamMember, TestFailure, TestFeedback,
};
use drivers::input_text::InputBrief;
use protocol::prompts::{
    PhaseTask, PreambleOptions, PromptTemplate, TaskPrompt, TaskSummary, TemplateValues, TestPrompt,
    VerifyPrompt, WorkChanges, WorkDirectory, preamble, render_template,
};

/// A prompt of the document.
pub(crate) struct PromptSample {
    pub(crate) title: String,
    pub(crate) session: SessionKind,
    pub(crate) input: SessionInput,
    pub(crate) brief: Option<InputBrief>,
    /// Whether it is the first prompt of its session.
    pub(crate) is_first: bool,
    /// The work itself, which does not count towards the length of the prompt.
    pub(crate) work: String,
}

/// The recipient of a prompt.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum SessionKind {
    Worker,
    /// The only agent of a run that works in the project's folder.
    LoneWorker,
    Tester,
    Verifier,
    Specialist,
    Operator,
    Orchestrator,
}

impl SessionKind {
    pub(crate) fn role(self) -> Role {
        match self {
            Self::Worker | Self::LoneWorker => Role::Worker,
            Self::Tester => Role::Tester,
            Self::Verifier => Role::Verifier,
            Self::Specialist => Role::Specialist,
            Self::Operator => Role::Operator,
            Self::Orchestrator => Role::Orchestrator,
        }
    }

    pub(crate) fn task(self) -> Option<TaskId> {
        match self {
            Self::Worker | Self::LoneWorker | Self::Tester => Some(task_id("T1.3")),
            Self::Verifier | Self::Specialist | Self::Operator | Self::Orchestrator => None,
        }
    }

    pub(crate) fn team(self) -> Vec<TeamMember> {
        let member = |name: &str, role: Role| TeamMember {
            name: agent(name),
            role,
            slots: None,
            is_turn_end_guessed: false,
            protocol: domain::AgentProtocol::Text,
        };
        match self {
            Self::LoneWorker => Vec::new(),
            Self::Worker
            | Self::Tester
            | Self::Verifier
            | Self::Specialist
            | Self::Operator
            | Self::Orchestrator => {
                vec![
                    member("bo", Role::Worker),
                    member("vera", Role::Tester),
                    member("sol", Role::Specialist),
                ]
            }
        }
    }

    /// Returns the lines about the members of the team, which depend on the project.
    fn member_lines(self, locale: Locale) -> String {
        let names = ["sol", "bo", "vera"].map(|name| format!("\n- {name}:"));
        let text = self.preamble(locale);
        let is_member = |line: &&str| names.iter().any(|name| line.starts_with(name.trim_start()));
        text.lines().filter(is_member).map(|line| format!("\n{line}")).collect()
    }

    pub(crate) fn preamble(self, locale: Locale) -> String {
        preamble(PreambleOptions {
            role: self.role(),
            locale,
            key: &session_key(),
            task: self.task().as_ref(),
            project: "shop",
            phase: Some((1, localized(locale, "Accounts", "계정"))),
            team: &self.team(),
        })
    }
}

pub(crate) fn session_key() -> SessionKey {
    "k3f9".parse().unwrap()
}

/// Returns the prompts of the document, in its order.
pub(crate) fn samples(locale: Locale) -> Vec<PromptSample> {
    let mut samples = worker_samples(locale);
    samples.extend(review_samples(locale));
    samples.extend(other_role_samples(locale));
    samples.extend(reply_samples(locale));
    samples
}

fn worker_samples(locale: Locale) -> Vec<PromptSample> {
    let say = |english: &'static str, korean: &'static str| localized(locale, english, korean).to_owned();
    let start = |hint: Option<String>, attempt, carried| SessionInput::Task {
        task: task_id("T1.3"),
        attempt,
        hint,
        earlier: Vec::new(),
        carried,
    };
    let rework = SessionInput::Rework {
        phase: 1,
        reason: say("The error message does not say what to do.", "오류 메시지에 해결 방법이 없습니다."),
    };
    let failure = TestFailure {
        name: "login refuses a wrong password".to_owned(),
        file: Some("test/login.test.js".to_owned()),
        line: Some(12),
        message: Some("AssertionError: expected 200 to be 401".to_owned()),
        expected: Some("401".to_owned()),
        actual: Some("200".to_owned()),
        ..TestFailure::default()
    };
    let feedback = TestFeedback { failures: vec![failure], ..TestFeedback::default() };
    let earlier = || {
        vec![EarlierFailure {
            attempt: 1,
            round: Some(1),
            failed: vec!["login refuses a wrong password".to_owned(), "logout works".to_owned()],
            n_failed: 2,
            reason: None,
            tried: Some(say("the status is 401 now", "상태 코드를 401로 바꿈")),
        }]
    };
    let hint =
        say("The last attempt failed: the tests never ended.", "지난 시도 실패: 테스트가 끝나지 않았습니다.");
    let task = |session: SessionKind| Some(InputBrief::Task(Box::new(task_prompt(session, locale))));
    let first = |title: &str, session: SessionKind, input: SessionInput| PromptSample {
        title: title.to_owned(),
        session,
        input,
        brief: task(session),
        is_first: true,
        work: task_work(session, locale),
    };
    let later = |title: &str, input: SessionInput, brief: Option<InputBrief>| PromptSample {
        title: title.to_owned(),
        session: SessionKind::Worker,
        input,
        brief,
        is_first: false,
        work: String::new(),
    };
    let conflict = SessionInput::Conflict { files: vec!["src/routes.js".to_owned()] };
    let evidence = |missing| SessionInput::EvidenceRequest { task: task_id("T1.3"), missing };
    vec![
        first("Worker: a task, in a team", SessionKind::Worker, start(None, 1, Vec::new())),
        first(
            "Worker: a task, alone in the project's folder",
            SessionKind::LoneWorker,
            start(None, 1, Vec::new()),
        ),
        later("Worker: another attempt", start(Some(hint), 2, Vec::new()), task(SessionKind::LoneWorker)),
        later(
            "Worker: another attempt after a rejected phase",
            start(None, 2, vec![rework.clone()]),
            task(SessionKind::LoneWorker),
        ),
        later(
            "Worker: a failed check or test",
            SessionInput::Feedback {
                message: None,
                round: 1,
                feedback: feedback.clone(),
                earlier: Vec::new(),
            },
            None,
        ),
        later(
            "Worker: a check or test that failed before",
            SessionInput::Feedback { message: None, round: 2, feedback, earlier: earlier() },
            None,
        ),
        later("Worker: a rejected phase", rework, None),
        later("Worker: a conflict", conflict, Some(InputBrief::Conflict(vec![parallel(locale)]))),
        later("Worker: a turn without an outcome", SessionInput::Reminder, None),
        later("Worker: a report without a change", evidence(vec![MissingEvidence::NoChange]), None),
        later(
            "Worker: a turn without a message and without a change",
            evidence(vec![MissingEvidence::NoMessage, MissingEvidence::UnchangedSinceRejection]),
            None,
        ),
        later(
            "Worker: a changed plan",
            SessionInput::TaskChanged {
                task: task_id("T1.3"),
                title: say("Log in with a code", "코드로 로그인"),
                text: say("Send a code by mail.", "메일로 코드를 보냅니다."),
                acceptance: vec![say("a code works once", "코드는 한 번만 쓸 수 있다")],
            },
            None,
        ),
    ]
}

fn review_samples(locale: Locale) -> Vec<PromptSample> {
    let prompt = task_prompt(SessionKind::Worker, locale);
    let test = TestPrompt {
        task_id: task_id("T1.3"),
        attempt: 1,
        title: prompt.title.clone(),
        text: prompt.text.clone(),
        criteria: prompt.criteria.clone(),
        worker: Some(agent("ada")),
        check: prompt.check.clone(),
        changes: WorkChanges {
            files: vec!["src/login.js".to_owned(), "test/login.test.js".to_owned()],
            command: Some("git diff --merge-base jangdan/r7k2m4/run".to_owned()),
        },
        key: None,
    };
    let phase_tasks = vec![
        PhaseTask { summary: done(locale), criteria: Vec::new() },
        PhaseTask {
            summary: TaskSummary {
                task_id: task_id("T1.3"),
                title: prompt.title.unwrap(),
                agent: Some(agent("ada")),
                summary: Some(changed_files(locale, &["src/login.js", "test/login.test.js"])),
            },
            criteria: prompt.criteria,
        },
    ];
    let lines = |task: &PhaseTask| format!("- {}\n  - {}", task.summary.line(), task.criteria.join("\n  - "));
    let work = phase_tasks.iter().map(lines).collect::<Vec<_>>().join("\n");
    let verify = VerifyPrompt {
        phase: 1,
        round: 1,
        title: Some(localized(locale, "Accounts", "계정").to_owned()),
        tasks: phase_tasks,
        artefacts: vec!["docs/accounts.md".to_owned()],
        documents: vec!["docs/accounts.md".to_owned()],
        files: vec!["docs/accounts.md".to_owned()],
        checks: vec!["`make check` passed".to_owned()],
        changed: Some("7 files, +210 -12".to_owned()),
        changes: WorkChanges {
            files: Vec::new(),
            command: Some("git log --first-parent --stat 3b396a8..HEAD".to_owned()),
        },
        key: None,
    };
    vec![
        PromptSample {
            title: "Tester: a finished task".to_owned(),
            session: SessionKind::Tester,
            input: SessionInput::Test { task: task_id("T1.3"), attempt: 1 },
            brief: Some(InputBrief::Test(Box::new(test))),
            is_first: true,
            work: task_work(SessionKind::Tester, locale),
        },
        PromptSample {
            title: "Verifier: a finished phase".to_owned(),
            session: SessionKind::Verifier,
            input: SessionInput::Verify { phase: 1, round: 1 },
            brief: Some(InputBrief::Verify(Box::new(verify))),
            is_first: true,
            work,
        },
    ]
}

fn other_role_samples(locale: Locale) -> Vec<PromptSample> {
    let say = |english: &'static str, korean: &'static str| localized(locale, english, korean).to_owned();
    let request = say("How long may a session live?", "세션은 얼마나 유지해도 되나요?");
    let context = say("for the log-in of the shop", "쇼핑몰 로그인용");
    let title = say("T1.3 failed three times", "T1.3 세 번 실패");
    let description = say("The tests never end.", "테스트가 끝나지 않습니다.");
    let question = say("Which database should T1.3 use?", "T1.3에는 어떤 데이터베이스를 쓸까요?");
    let escalation = || SessionInput::Escalation {
        escalation: EscalationId(5),
        task: Some(task_id("T1.3")),
        agent: Some("ada".parse().unwrap()),
        title: title.clone(),
        description: description.clone(),
    };
    let sample = |title: &str, session, input, work: String| PromptSample {
        title: title.to_owned(),
        session,
        input,
        brief: None,
        is_first: !work.is_empty(),
        work,
    };
    vec![
        sample(
            "Specialist: a call",
            SessionKind::Specialist,
            SessionInput::Invocation {
                invocation: InvocationId(2),
                from: agent("ada"),
                task: request.clone(),
                context: Some(context.clone()),
            },
            format!("{request}\n{context}"),
        ),
        sample("Operator: a problem", SessionKind::Operator, escalation(), format!("{title}\n{description}")),
        sample(
            "Orchestrator: a question",
            SessionKind::Orchestrator,
            SessionInput::Question {
                question: QuestionId(7),
                task: Some(task_id("T1.3")),
                from: agent("ada"),
                text: question.clone(),
                options: vec!["PostgreSQL".to_owned(), "SQLite".to_owned()],
                default: Some("SQLite".to_owned()),
                context: None,
            },
            format!("{question}\n- PostgreSQL\n- SQLite"),
        ),
        sample("Orchestrator: a problem", SessionKind::Orchestrator, escalation(), String::new()),
        sample(
            "Orchestrator: a reply",
            SessionKind::Orchestrator,
            SessionInput::ThinLine { line: "READY:T1.3,T1.4".to_owned() },
            String::new(),
        ),
        sample(
            "Orchestrator: a message of the user",
            SessionKind::Orchestrator,
            SessionInput::Chat { text: say("How far are we?", "어디까지 됐나요?") },
            String::new(),
        ),
    ]
}

/// Replies and notices that any session may get.
fn reply_samples(locale: Locale) -> Vec<PromptSample> {
    let say = |english: &'static str, korean: &'static str| localized(locale, english, korean).to_owned();
    let provided = |kind, name: &str, provided| SessionInput::Provided {
        request: RequestId(4),
        name: name.to_owned(),
        kind,
        provided,
        default: false,
    };
    let inputs = vec![
        (
            "An answer",
            SessionInput::Answer { question: QuestionId(7), answer: "SQLite".to_owned(), prompt: None },
        ),
        (
            "A question back",
            SessionInput::ClarificationRequest {
                question: QuestionId(7),
                text: say("How many users?", "사용자는 몇 명인가요?"),
            },
        ),
        (
            "A provided key",
            provided(
                DependencyType::ApiKey,
                "MAIL_KEY",
                ProvidedResource::Environment { names: vec!["MAIL_KEY".to_owned()] },
            ),
        ),
        (
            "A provided service",
            provided(
                DependencyType::Service,
                "database",
                ProvidedResource::Environment { names: vec!["DB_URL".to_owned(), "DB_USER".to_owned()] },
            ),
        ),
        (
            "A provided file",
            provided(DependencyType::File, "cities", ProvidedResource::file("data/cities.csv")),
        ),
        (
            "A provided package",
            provided(
                DependencyType::Package,
                "argon2",
                ProvidedResource::Package { name: "argon2".to_owned(), version: Some("0.40".to_owned()) },
            ),
        ),
        (
            "A refused request",
            SessionInput::Refused {
                request: RequestId(4),
                name: "MAIL_KEY".to_owned(),
                reason: say("Use the test server.", "테스트 서버를 쓰세요."),
            },
        ),
        (
            "The result of a call",
            SessionInput::InvocationEnded {
                invocation: InvocationId(2),
                from: agent("sol"),
                outcome: AgentInvocationOutcome::Completed {
                    result_type: ResultType::Markdown,
                    content: say("At most 30 days.", "최대 30일입니다."),
                },
            },
        ),
        (
            "A failed call",
            SessionInput::InvocationEnded {
                invocation: InvocationId(2),
                from: agent("sol"),
                outcome: AgentInvocationOutcome::Failed {
                    reason: say("not my field", "제 분야가 아닙니다")
                },
            },
        ),
        (
            "A delivered file",
            SessionInput::Result {
                result: ResultId(1),
                from: agent("bo"),
                result_type: ResultType::FilePath,
                content: "docs/accounts.md".to_owned(),
            },
        ),
        (
            "A direct message",
            SessionInput::Direct {
                message: DirectMessageId(9),
                from: agent("bo"),
                direct_type: DirectType::Query,
                content: say("Where is the user table?", "사용자 테이블은 어디에 있나요?"),
            },
        ),
        (
            "A message of the user",
            SessionInput::UserMessage { text: say("Keep it small.", "작게 만들어 주세요.") },
        ),
        (
            "An invalid message",
            SessionInput::InvalidMessage {
                protocol: "DEPENDENCY_REQUEST".to_owned(),
                error: "missing required field 'type'".to_owned(),
            },
        ),
        ("A near miss", SessionInput::NearMiss { near: "DONE".to_owned(), raw: "Done: T1.3".to_owned() }),
        ("The end of a wait", SessionInput::Resume { reason: "the rate limit has reset".to_owned() }),
    ];
    let sample = |(title, input): (&str, SessionInput)| PromptSample {
        title: title.to_owned(),
        session: SessionKind::Worker,
        input,
        brief: None,
        is_first: false,
        work: String::new(),
    };
    inputs.into_iter().map(sample).collect()
}

fn task_prompt(session: SessionKind, locale: Locale) -> TaskPrompt {
    let say = |english: &'static str, korean: &'static str| localized(locale, english, korean).to_owned();
    let is_lone = session == SessionKind::LoneWorker;
    TaskPrompt {
        project: Some("shop".to_owned()),
        phase: Some(1),
        phase_title: Some(say("Accounts", "계정")),
        title: Some(say("Log in", "로그인")),
        text: say("Users log in with mail and password.", "사용자는 메일과 비밀번호로 로그인합니다."),
        criteria: vec![
            say("a wrong password is refused with a hint", "잘못된 비밀번호는 안내와 함께 거절한다"),
            say("a session lives for 30 days", "세션은 30일 동안 유지된다"),
        ],
        touches: vec!["src/".to_owned(), "test/".to_owned()],
        check: Some("npm test".to_owned()),
        done: vec![done(locale)],
        parallel: (!is_lone).then(|| parallel(locale)).into_iter().collect(),
        directory: Some(WorkDirectory {
            path: if is_lone { "~/shop" } else { "~/.local/share/jangdan/worktrees/r7k2m4/T1.3" }.to_owned(),
            is_worktree: !is_lone,
        }),
        preamble: Some(session.preamble(locale)),
        ..TaskPrompt::new(task_id("T1.3"))
    }
}

/// Returns what the plan says about the task, with the lines about other tasks.
fn task_work(session: SessionKind, locale: Locale) -> String {
    let TaskPrompt { title, text, criteria, touches, check, done, parallel, .. } =
        task_prompt(session, locale);
    let (title, check, touches) = (title.unwrap(), check.unwrap(), touches.join(", "));
    let others = done.iter().chain(&parallel).map(|task| format!("\n- {}", task.line()));
    let others: String = others.filter(|_| session != SessionKind::Tester).collect();
    let work = format!("{title}\n{text}\n- {}{others}\n{touches}\n{check}", criteria.join("\n- "));
    work + &session.member_lines(locale)
}

fn done(locale: Locale) -> TaskSummary {
    TaskSummary {
        task_id: task_id("T1.2"),
        title: localized(locale, "User table", "사용자 테이블").to_owned(),
        agent: Some(agent("bo")),
        summary: Some(changed_files(locale, &["db/users.sql"])),
    }
}

fn parallel(locale: Locale) -> TaskSummary {
    TaskSummary {
        task_id: task_id("T1.4"),
        title: localized(locale, "Sign up", "회원 가입").to_owned(),
        agent: Some(agent("bo")),
        summary: None,
    }
}

fn changed_files(locale: Locale, files: &[&str]) -> String {
    render_template(PromptTemplate::ChangedFiles, locale, &TemplateValues::new().items("files", files))
}

fn localized(locale: Locale, english: &'static str, korean: &'static str) -> &'static str {
    match locale {
        Locale::En => english,
        Locale::Ko => korean,
    }
}

fn agent(name: &str) -> AgentName {
    name.parse().unwrap()
}

fn task_id(id: &str) -> TaskId {
    id.parse().unwrap()
}
