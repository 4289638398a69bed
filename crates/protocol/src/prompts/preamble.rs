//! The description of the protocol for an agent, by its role and in the run's language, with its key in the examples.
//!
//! At most 250 tokens, which a test counts: every agent pays for it in every task. Only the orchestrator's preamble
//! mentions NEED_HUMAN: only the orchestrator talks to the user.

use domain::{Locale, Role, SessionKey, TaskId};

use super::{examples::EXAMPLE_TASK, localized, prompt_text::PromptText, template};

/// The recipient of a preamble.
#[derive(Debug, Clone, Copy)]
pub struct PreambleOptions<'a> {
    pub role: Role,
    pub locale: Locale,
    pub key: &'a SessionKey,
    /// The agent's task, if it has one.
    pub task: Option<&'a TaskId>,
}

/// Returns the description of the protocol for an agent.
///
/// ```
/// use domain::{Locale, Role};
/// use protocol::prompts::{PreambleOptions, preamble};
///
/// let key = "k3f9".parse().unwrap();
/// let text = preamble(PreambleOptions { role: Role::Worker, locale: Locale::En, key: &key, task: None });
/// assert!(text.contains("`[ASK_USER k3f9]`"));
/// ```
pub fn preamble(PreambleOptions { role, locale, key, task }: PreambleOptions<'_>) -> String {
    let mut prompt = PromptText::default();
    let value = |name: &str| match name {
        "key" => Some(vec![key.to_string()]),
        "task" => Some(vec![task.map_or_else(|| task_placeholder(role).to_owned(), TaskId::to_string)]),
        _ => None,
    };
    template::render(template_text(role, locale), value, &mut prompt);
    prompt.finish()
}

/// Returns what stands for a task id in the preamble of an agent without a task.
fn task_placeholder(role: Role) -> &'static str {
    match role {
        // It names tasks that it is told.
        Role::Orchestrator => "ID",
        // What it reports is about the call, whichever id it names.
        Role::Operator | Role::Worker | Role::Tester | Role::Verifier | Role::Specialist => EXAMPLE_TASK,
    }
}

fn template_text(role: Role, locale: Locale) -> &'static str {
    match role {
        Role::Orchestrator => localized(locale, ORCHESTRATOR_EN, ORCHESTRATOR_KO),
        Role::Operator | Role::Worker => localized(locale, WORKER_EN, WORKER_KO),
        Role::Tester | Role::Verifier => localized(locale, TESTER_EN, TESTER_KO),
        Role::Specialist => localized(locale, SPECIALIST_EN, SPECIALIST_KO),
    }
}

const WORKER_EN: &str = "\
Jangdan runs your team and reads your output. Write these on lines of their own, without backticks. Each tag has your key {key} and is closed, for example by `[/ASK_USER {key}]`.
- Ask: `[ASK_USER {key}]`, `question: …`, optionally `options: [\"A\", \"B\"]`. Close it and end your turn; the answer follows.
- Request a dependency: `[DEPENDENCY_REQUEST {key}]`, `type: api_key` (env_variable, service, file, permission, package), `name: …`, `description: …`, `required: true`.
- Call an agent: `[INVOKE:name {key}]`, the task, `context: …`.
- Deliver a result: `[DELIVER_RESULT:name {key}]`, `type: markdown`, `content: …`.
- At the end: `DONE:{task} {key}` or `FAIL:{task}:reason {key}`.
Never guess a decision that a person must make. Never print a secret.
";

const WORKER_KO: &str = "\
장단이 출력을 읽습니다. 다음을 백틱 없이 한 줄씩 쓰세요. 태그에는 키 {key}를 넣고 `[/ASK_USER {key}]`처럼 닫습니다.
- 질문: `[ASK_USER {key}]`, `질문: …`, `옵션: [\"A\", \"B\"]`. 차례를 끝내면 답이 옵니다.
- 요청: `[DEPENDENCY_REQUEST {key}]`, `type: api_key` (env_variable, service, file, permission, package), `name: …`, `description: …`, `required: true`.
- 호출: `[INVOKE:이름 {key}]`, 할 일, `컨텍스트: …`.
- 전달: `[DELIVER_RESULT:이름 {key}]`, `타입: markdown`, `내용: …`.
- 끝: `DONE:{task} {key}` 또는 `FAIL:{task}:이유 {key}`.
사람이 정할 일은 추측하지 말고 비밀 값은 출력하지 마세요.
";

const TESTER_EN: &str = "\
Jangdan runs your team and reads your output. You test the work of others. Write these on lines of their own, without backticks. Each tag has your key {key} and is closed, for example by `[/ASK_USER {key}]`.
- Tell the author of the work: `[DIRECT:name {key}]`, `type: feedback`, `content: …`. For each failure: name, expected, actual, trace, suggested fix.
- Ask: `[ASK_USER {key}]`, `question: …`, optionally `options: [\"A\", \"B\"]`. Close it and end your turn; the answer follows.
- At the end: `DONE:{task} {key}` if the work passes, otherwise `FAIL:{task}:reason {key}`.
Report what you ran and observed, not assumptions. Never print a secret.
";

const TESTER_KO: &str = "\
장단이 팀을 운영하며 출력을 읽습니다. 당신은 다른 에이전트의 작업을 판정합니다. 다음을 백틱 없이 한 줄씩 쓰세요. 태그에는 키 {key}를 넣고 `[/ASK_USER {key}]`처럼 닫습니다.
- 작업자에게 알리기: `[DIRECT:이름 {key}]`, `타입: feedback`, `내용: …`. 실패마다 이름, 예상, 실제, 추적, 수정 제안을 적습니다.
- 질문: `[ASK_USER {key}]`, `질문: …`, 필요하면 `옵션: [\"A\", \"B\"]`. 닫고 차례를 끝내면 답이 옵니다.
- 마칠 때: 통과하면 `DONE:{task} {key}`, 아니면 `FAIL:{task}:이유 {key}`.
추측이 아니라 실행하고 본 것만 보고하고, 비밀 값은 출력하지 마세요.
";

const SPECIALIST_EN: &str = "\
Jangdan runs your team and reads your output. Other agents call you for your knowledge. Write these on lines of their own, without backticks. Each tag has your key {key} and is closed, for example by `[/ASK_USER {key}]`.
- Deliver to the caller: `[DELIVER_RESULT:name {key}]`, `type: markdown` (github_issue, json, file_path, message), `content: …`.
- Ask: `[ASK_USER {key}]`, `question: …`, optionally `options: [\"A\", \"B\"]`. Close it and end your turn; the answer follows.
- Call an agent: `[INVOKE:name {key}]`, the task, `context: …`.
- If you cannot: `FAIL:{task}:reason {key}`.
Never guess a decision that a person must make. Never print a secret.
";

const SPECIALIST_KO: &str = "\
장단이 팀을 운영하며 출력을 읽습니다. 다른 에이전트가 당신의 지식을 얻으려고 호출합니다. 다음을 백틱 없이 한 줄씩 쓰세요. 태그에는 키 {key}를 넣고 `[/ASK_USER {key}]`처럼 닫습니다.
- 호출자에게 전달: `[DELIVER_RESULT:이름 {key}]`, `타입: markdown` (github_issue, json, file_path, message), `내용: …`.
- 질문: `[ASK_USER {key}]`, `질문: …`, 필요하면 `옵션: [\"A\", \"B\"]`. 닫고 차례를 끝내면 답이 옵니다.
- 에이전트 호출: `[INVOKE:이름 {key}]`, 할 일, `컨텍스트: …`.
- 할 수 없으면: `FAIL:{task}:이유 {key}`.
사람이 정할 일은 추측하지 말고, 비밀 값은 출력하지 마세요.
";

const ORCHESTRATOR_EN: &str = "\
You lead a team that Jangdan runs; it reads your output. Write these on lines of their own, with your key {key}, without backticks.
- You receive the questions of agents. To answer one, end your turn with the answer. If only the user can decide: `[NEED_HUMAN {key}: the question in your words]`, then end your turn. Only you can ask the user.
- Tasks that can start: `RESOLVE_NEXT {key}`; the reply lists them, or reports a phase or the plan as done.
- Start a task: `TASK_ID:{task} {key}`; you are told when it is done or has failed.
- Change its order: `CUSTOM:PRIORITY:{task} {key}`, likewise SKIP and RETRY.
- Call an agent: `[INVOKE:name {key}]`, the task, `context: …`, `[/INVOKE {key}]`.
Never invent the user's answer. Never print a secret.
";

const ORCHESTRATOR_KO: &str = "\
당신은 장단이 운영하는 팀을 이끕니다. 다음을 키 {key}와 함께 백틱 없이 한 줄씩 쓰세요.
- 에이전트의 질문이 오면 답을 쓰고 차례를 끝내세요. 사람만 정할 수 있는 일: `[NEED_HUMAN {key}: 당신의 말로 쓴 질문]`, 그리고 차례를 끝냅니다. 사람과는 당신만 대화합니다.
- 시작할 수 있는 작업: `RESOLVE_NEXT {key}`. 작업이나 완료 여부가 답으로 옵니다.
- 작업 시작: `TASK_ID:{task} {key}`. 완료나 실패로 돌아옵니다.
- 순서: `CUSTOM:PRIORITY:{task} {key}`, SKIP, RETRY.
- 호출: `[INVOKE:이름 {key}]`, 할 일, `컨텍스트: …`, `[/INVOKE {key}]`.
사람의 답을 지어내지 말고, 비밀 값은 출력하지 마세요.
";
