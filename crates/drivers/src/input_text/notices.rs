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
                "Your work does not go together with what others did in these files. Put it right on top of theirs:",
                "다음 파일에서 다른 작업과 충돌합니다. 그 위에 맞게 고쳐 주세요:",
            );
            let files: Vec<String> = files.iter().map(|file| format!("- {file}")).collect();
            ("CONFLICT", localize("CONFLICT", "충돌"), format!("{reason}\n{}", files.join("\n")))
        }
        SessionInput::Rework { phase, reason } => {
            ("REWORK", format!("{} {phase}", localize("REWORK PHASE", "재작업 단계")), reason.clone())
        }
        SessionInput::TaskChanged { task, title, text, acceptance } => {
            let reason = localize(
                "The plan changed while you work at this task. From now on it says:",
                "작업하는 동안 계획이 바뀌었습니다. 이제 이 작업은 다음과 같습니다:",
            );
            let mut lines = vec![reason, String::new(), title.clone()];
            lines.extend([text.clone()].into_iter().filter(|text| !text.trim().is_empty()));
            lines.extend(acceptance.iter().map(|criterion| format!("- {criterion}")));
            ("CHANGED", format!("{} {task}", localize("TASK CHANGED", "작업 변경")), lines.join("\n"))
        }
        SessionInput::Test { task, attempt } => {
            let instruction = localize(
                "Test what was done for this task, and say what you found.",
                "이 작업의 결과를 테스트하고 알게 된 것을 말해 주세요.",
            );
            (
                "TEST",
                format!("{} {task} #{attempt}", localize("TEST", "테스트")),
                append_brief(instruction, recipient),
            )
        }
        SessionInput::Verify { phase, round } => {
            let instruction = localize(
                "Judge whether this phase is done as it should be.",
                "이 단계가 제대로 끝났는지 판정해 주세요.",
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
            ("CHAT", localize("FROM THE PERSON", "사람의 말"), text.clone())
        }
        SessionInput::Resume { reason } => ("GO_ON", localize("GO ON", "계속"), reason.clone()),
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
        | SessionInput::Reminder => ("GO_ON", localize("GO ON", "계속"), String::new()),
    };
    Notice { kind: notice, heading, body: text }
}

/// Renders the answer to a permission request of a process that has ended since.
pub(super) fn late_permission_notice(is_allowed: bool, locale: Locale) -> Notice {
    let text = match is_allowed {
        true => localized_text(
            locale,
            "You were stopped while you waited for a permission. You may do it: try it again, then go on.",
            "허락을 기다리는 동안 멈췄습니다. 해도 됩니다. 다시 시도하고 계속하세요.",
        ),
        false => localized_text(
            locale,
            "You were stopped while you waited for a permission. You may not do it. Go on without it.",
            "허락을 기다리는 동안 멈췄습니다. 하면 안 됩니다. 그것 없이 계속하세요.",
        ),
    };
    Notice { kind: "PERMISSION", heading: localized_text(locale, "PERMISSION", "허락"), body: text }
}

pub(super) fn file_reference_notice(path: &str, locale: Locale) -> Notice {
    let text = match locale {
        Locale::En => format!("What you are told is in this file. Read it, and do what it says: {path}"),
        Locale::Ko => format!("내용이 길어 파일에 있습니다. 읽고 그대로 하세요: {path}"),
    };
    Notice { kind: "FILE", heading: localized_text(locale, "IN A FILE", "파일"), body: text }
}

/// Asks a session without a task whether it is done, has failed or has a question.
pub(super) fn status_request(locale: Locale) -> Notice {
    let text = localized_text(
        locale,
        "Your turn ended without a word. Are you done, did you fail, or do you ask something?",
        "차례가 말없이 끝났습니다. 끝났는지, 실패했는지, 물어볼 것이 있는지 말해 주세요.",
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
