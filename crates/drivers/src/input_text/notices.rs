//! Notices: inputs that are rendered as a heading and a text.

use domain::{AgentInvocationOutcome, AgentName, Locale, SessionInput, TestFeedback};
use protocol::prompts::Notice;

use super::InputContext;

/// Renders an input that has no message type of its own in the protocol.
pub(super) fn input_notice(input: &SessionInput, recipient: InputContext<'_>) -> Notice {
    let localize = |english: &str, korean: &str| localized_text(recipient.locale, english, korean);
    let (notice, heading, text) = match input {
        SessionInput::InvocationEnded { from, outcome, invocation: _ } => {
            let reason = match outcome {
                AgentInvocationOutcome::Failed { reason } => reason.clone(),
                AgentInvocationOutcome::Completed { content, .. } => content.clone(),
            };
            ("CALL_FAILED", format!("{} {from}", localize("CALL FAILED", "호출 실패")), reason)
        }
        SessionInput::ClarificationRequest { question, text } => {
            ("ASK_BACK", format!("{} {question}", localize("ABOUT", "질문에 대하여")), text.clone())
        }
        SessionInput::Conflict { files } => {
            let reason = localize(
                "Your changes conflict with those of other tasks in these files. Resolve the conflicts on top of their changes:",
                "다음 파일에서 다른 작업의 변경과 충돌합니다. 그 변경을 유지하면서 충돌을 해결하세요:",
            );
            let files: Vec<String> = files.iter().map(|file| format!("- {file}")).collect();
            ("CONFLICT", localize("CONFLICT", "충돌"), format!("{reason}\n{}", files.join("\n")))
        }
        SessionInput::Rework { phase, reason } => {
            ("REWORK", format!("{} {phase}", localize("REWORK PHASE", "재작업 단계")), reason.clone())
        }
        SessionInput::TaskChanged { task, title, text, acceptance } => {
            let reason = localize(
                "The plan changed while you were working on this task. The task is now:",
                "작업하는 동안 계획이 변경되었습니다. 이제 이 작업의 내용은 다음과 같습니다:",
            );
            let mut lines = vec![reason, String::new(), title.clone()];
            lines.extend([text.clone()].into_iter().filter(|text| !text.trim().is_empty()));
            lines.extend(acceptance.iter().map(|criterion| format!("- {criterion}")));
            ("CHANGED", format!("{} {task}", localize("TASK CHANGED", "작업 변경")), lines.join("\n"))
        }
        SessionInput::Test { task, attempt } => {
            let instruction = localize(
                "Test the result of this task, and report what you find.",
                "이 작업의 결과물을 테스트하고 결과를 보고하세요.",
            );
            (
                "TEST",
                format!("{} {task} #{attempt}", localize("TEST", "테스트")),
                append_brief(instruction, recipient),
            )
        }
        SessionInput::Verify { phase, round } => {
            let instruction = localize(
                "Verify that this phase is complete and correct.",
                "이 단계가 올바르게 완료되었는지 검증하세요.",
            );
            (
                "VERIFY",
                format!("{} {phase} #{round}", localize("VERIFY PHASE", "단계 검증")),
                append_brief(instruction, recipient),
            )
        }
        SessionInput::Question { question, task, from, text, options, default, context } => {
            let task = task.as_ref().map(|task| format!(" {task}")).unwrap_or_default();
            let heading = format!("{} {question} from {from}{task}", localize("QUESTION", "질문"));
            let mut lines = vec![text.clone()];
            lines.extend(options.iter().map(|option| format!("- {option}")));
            lines.extend(
                default.iter().map(|default| format!("{}: {default}", localize("default", "기본값"))),
            );
            lines.extend(
                context.iter().map(|context| format!("{}:\n{context}", localize("context", "컨텍스트"))),
            );
            ("QUESTION", heading, lines.join("\n"))
        }
        SessionInput::Escalation { escalation, task, title, description } => {
            let task = task.as_ref().map(|task| format!(" {task}")).unwrap_or_default();
            let heading = format!("{} {escalation}{task}", localize("PROBLEM", "문제"));
            ("ESCALATION", heading, format!("{title}\n\n{description}"))
        }
        SessionInput::ThinLine { line } => ("REPLY", localize("REPLY", "응답"), line.clone()),
        SessionInput::Chat { text } | SessionInput::UserMessage { text } => {
            ("CHAT", localize("FROM THE USER", "사용자의 메시지"), text.clone())
        }
        SessionInput::Resume { reason } => ("GO_ON", localize("CONTINUE", "계속"), reason.clone()),
        // These have message types of their own.
        SessionInput::Task { .. }
        | SessionInput::Answer { .. }
        | SessionInput::Permission { .. }
        | SessionInput::Provided { .. }
        | SessionInput::Refused { .. }
        | SessionInput::Invocation { .. }
        | SessionInput::Result { .. }
        | SessionInput::Direct { .. }
        | SessionInput::Feedback { .. }
        | SessionInput::InvalidMessage { .. }
        | SessionInput::NearMiss { .. }
        | SessionInput::Reminder => ("GO_ON", localize("CONTINUE", "계속"), String::new()),
    };
    Notice { kind: notice, heading, body: text }
}

/// Renders the answer to a permission request of a process that has ended since.
pub(super) fn late_permission_notice(is_allowed: bool, reason: Option<&str>, locale: Locale) -> Notice {
    let mut text = match is_allowed {
        true => localized_text(
            locale,
            "Your process ended while it waited for a permission. The permission is granted: try again, then continue.",
            "허가를 기다리는 동안 프로세스가 종료되었습니다. 허용되었으니 다시 시도한 뒤 계속하세요.",
        ),
        false => localized_text(
            locale,
            "Your process ended while it waited for a permission. The permission is denied: continue without it.",
            "허가를 기다리는 동안 프로세스가 종료되었습니다. 거부되었으니 해당 동작 없이 계속하세요.",
        ),
    };
    if let Some(reason) = reason.filter(|_| !is_allowed) {
        text.push('\n');
        text.push_str(&denial_text(reason, locale));
    }
    Notice { kind: "PERMISSION", heading: localized_text(locale, "PERMISSION", "허가"), body: text }
}

/// Renders why the user denied a permission.
pub(super) fn denial_text(reason: &str, locale: Locale) -> String {
    match locale {
        Locale::En => format!("The user denied your permission request: {reason}"),
        Locale::Ko => format!("사용자가 허가 요청을 거부했습니다: {reason}"),
    }
}

pub(super) fn file_reference_notice(path: &str, locale: Locale) -> Notice {
    let text = match locale {
        Locale::En => format!(
            "This input is too long to be typed, so it is in a file. Read the file and follow it: {path}"
        ),
        Locale::Ko => {
            format!("입력이 길어 파일에 저장했습니다. 파일을 읽고 그 내용에 따라 진행하세요: {path}")
        }
    };
    Notice { kind: "FILE", heading: localized_text(locale, "INPUT FILE", "입력 파일"), body: text }
}

/// Asks a session without a task whether it is done, has failed or has a question.
pub(super) fn status_request(locale: Locale) -> Notice {
    let text = localized_text(
        locale,
        "Your turn ended without a result. Are you done, did you fail, or do you have a question?",
        "결과를 보고하지 않고 응답이 끝났습니다. 완료했는지, 실패했는지, 질문이 있는지 알려 주세요.",
    );
    Notice { kind: "FINISH", heading: localized_text(locale, "FINISH", "마무리 요청"), body: text }
}

/// Renders the request of another agent, for a session without a task.
pub(super) fn invocation_notice(
    from: &AgentName,
    request: &str,
    context: Option<&str>,
    locale: Locale,
) -> Notice {
    let context =
        context.map(|context| format!("\n\n{}:\n{context}", localized_text(locale, "context", "컨텍스트")));
    let heading = format!("{} from {from}", localized_text(locale, "TASK", "작업 요청"));
    Notice { kind: "TASK", heading, body: format!("{request}{}", context.unwrap_or_default()) }
}

/// Renders test results, for a session without a task.
pub(super) fn feedback_notice(feedback: &TestFeedback, locale: Locale) -> Notice {
    let failures = feedback.failures.iter().map(|failure| {
        let fix = failure.suggested_fix.as_ref().map(|fix| format!(": {fix}")).unwrap_or_default();
        format!("- {}{fix}", failure.name)
    });
    let lines: Vec<String> =
        failures.chain(feedback.suggestions.iter().map(|text| format!("- {text}"))).collect();
    let text = match lines.is_empty() {
        true => localized_text(locale, "Nothing failed.", "실패한 테스트가 없습니다."),
        false => lines.join("\n"),
    };
    Notice {
        kind: "FEEDBACK", heading: localized_text(locale, "FEEDBACK", "테스트 피드백"), body: text
    }
}

fn append_brief(instruction: String, recipient: InputContext<'_>) -> String {
    match recipient.brief {
        Some(brief) => {
            format!(
                "{instruction}\n\n{}",
                protocol::prompts::AgentPrompt::Task(Box::new(brief.clone())).text(recipient.locale)
            )
        }
        None => instruction,
    }
}

fn localized_text(locale: Locale, english: &str, korean: &str) -> String {
    match locale {
        Locale::En => english,
        Locale::Ko => korean,
    }
    .to_owned()
}
