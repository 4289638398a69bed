//! What is said in a few words of our own, with those of others below them.

use domain::{AgentName, InvocationOutcome, Locale, SessionInput, TestFeedback};
use protocol::say::Notice;

use super::Listener;

/// Puts an input into words that has no form of its own.
pub(super) fn notice(input: &SessionInput, listener: Listener<'_>) -> Notice {
    let by = |english: &str, korean: &str| by(listener.locale, english, korean);
    let (notice, heading, text) = match input {
        SessionInput::InvocationEnded { from, outcome, invocation: _ } => {
            let reason = match outcome {
                InvocationOutcome::Failed { reason } => reason.clone(),
                InvocationOutcome::Completed { content, .. } => content.clone(),
            };
            ("CALL_FAILED", format!("{} {from}", by("CALL FAILED", "호출 실패")), reason)
        }
        SessionInput::ClarificationRequest { question, text } => {
            ("ASK_BACK", format!("{} {question}", by("ABOUT", "질문에 대하여")), text.clone())
        }
        SessionInput::Conflict { files } => {
            let why = by(
                "Your work does not go together with what others did in these files. Put it right on top of theirs:",
                "다음 파일에서 다른 작업과 충돌합니다. 그 위에 맞게 고쳐 주세요:",
            );
            let files: Vec<String> = files.iter().map(|file| format!("- {file}")).collect();
            ("CONFLICT", by("CONFLICT", "충돌"), format!("{why}\n{}", files.join("\n")))
        }
        SessionInput::Rework { phase, reason } => {
            ("REWORK", format!("{} {phase}", by("REWORK PHASE", "재작업 단계")), reason.clone())
        }
        SessionInput::TaskChanged { task, title, text, acceptance } => {
            let why = by(
                "The plan changed while you work at this task. From now on it says:",
                "작업하는 동안 계획이 바뀌었습니다. 이제 이 작업은 다음과 같습니다:",
            );
            let mut lines = vec![why, String::new(), title.clone()];
            lines.extend([text.clone()].into_iter().filter(|text| !text.trim().is_empty()));
            lines.extend(acceptance.iter().map(|criterion| format!("- {criterion}")));
            ("CHANGED", format!("{} {task}", by("TASK CHANGED", "작업 변경")), lines.join("\n"))
        }
        SessionInput::Test { task, attempt } => {
            let what = by(
                "Test what was done for this task, and say what you found.",
                "이 작업의 결과를 테스트하고 알게 된 것을 말해 주세요.",
            );
            ("TEST", format!("{} {task} #{attempt}", by("TEST", "테스트")), with_brief(what, listener))
        }
        SessionInput::Verify { phase, round } => {
            let what = by(
                "Judge whether this phase is done as it should be.",
                "이 단계가 제대로 끝났는지 판정해 주세요.",
            );
            (
                "VERIFY",
                format!("{} {phase} #{round}", by("VERIFY PHASE", "단계 검증")),
                with_brief(what, listener),
            )
        }
        SessionInput::Question { question, task, from, text, options, default, context } => {
            let task = task.as_ref().map(|task| format!(" {task}")).unwrap_or_default();
            let heading = format!("{} {question} from {from}{task}", by("QUESTION", "질문"));
            let mut lines = vec![text.clone()];
            lines.extend(options.iter().map(|option| format!("- {option}")));
            lines.extend(default.iter().map(|default| format!("{}: {default}", by("default", "기본값"))));
            lines.extend(context.iter().map(|context| format!("{}:\n{context}", by("context", "컨텍스트"))));
            ("QUESTION", heading, lines.join("\n"))
        }
        SessionInput::Escalation { escalation, task, title, description } => {
            let task = task.as_ref().map(|task| format!(" {task}")).unwrap_or_default();
            let heading = format!("{} {escalation}{task}", by("PROBLEM", "문제"));
            ("ESCALATION", heading, format!("{title}\n\n{description}"))
        }
        SessionInput::ThinLine { line } => ("REPLY", by("REPLY", "응답"), line.clone()),
        SessionInput::Chat { text } | SessionInput::UserMessage { text } => {
            ("CHAT", by("FROM THE PERSON", "사람의 말"), text.clone())
        }
        SessionInput::Resume { reason } => ("GO_ON", by("GO ON", "계속"), reason.clone()),
        // These have forms of their own.
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
        | SessionInput::Reminder => ("GO_ON", by("GO ON", "계속"), String::new()),
    };
    Notice { notice, heading, text }
}

/// Says what a person thinks of what an agent wanted to do before it was ended.
pub(super) fn permission(is_allowed: bool, locale: Locale) -> Notice {
    let text = match is_allowed {
        true => by(
            locale,
            "You were stopped while you waited for a permission. You may do it: try it again, then go on.",
            "허락을 기다리는 동안 멈췄습니다. 해도 됩니다. 다시 시도하고 계속하세요.",
        ),
        false => by(
            locale,
            "You were stopped while you waited for a permission. You may not do it. Go on without it.",
            "허락을 기다리는 동안 멈췄습니다. 하면 안 됩니다. 그것 없이 계속하세요.",
        ),
    };
    Notice { notice: "PERMISSION", heading: by(locale, "PERMISSION", "허락"), text }
}

/// Says where to read what is too long.
pub(super) fn file(path: &str, locale: Locale) -> Notice {
    let text = match locale {
        Locale::En => format!("What you are told is in this file. Read it, and do what it says: {path}"),
        Locale::Ko => format!("내용이 길어 파일에 있습니다. 읽고 그대로 하세요: {path}"),
    };
    Notice { notice: "FILE", heading: by(locale, "IN A FILE", "파일"), text }
}

/// Asks how the work stands, where there is no task to name.
pub(super) fn nudge(locale: Locale) -> Notice {
    let text = by(
        locale,
        "Your turn ended without a word. Are you done, did you fail, or do you ask something?",
        "차례가 말없이 끝났습니다. 끝났는지, 실패했는지, 물어볼 것이 있는지 말해 주세요.",
    );
    Notice { notice: "FINISH", heading: by(locale, "FINISH", "마무리 요청"), text }
}

/// Hands on what another agent wants, where there is no task to name.
pub(super) fn call(from: &AgentName, wanted: &str, context: Option<&str>, locale: Locale) -> Notice {
    let context = context.map(|context| format!("\n\n{}:\n{context}", by(locale, "context", "컨텍스트")));
    let heading = format!("{} from {from}", by(locale, "TASK", "작업 요청"));
    Notice { notice: "TASK", heading, text: format!("{wanted}{}", context.unwrap_or_default()) }
}

/// Says what a test found, where there is no task to name.
pub(super) fn feedback(feedback: &TestFeedback, locale: Locale) -> Notice {
    let failures = feedback.failures.iter().map(|failure| {
        let fix = failure.suggested_fix.as_ref().map(|fix| format!(": {fix}")).unwrap_or_default();
        format!("- {}{fix}", failure.name)
    });
    let lines: Vec<String> =
        failures.chain(feedback.suggestions.iter().map(|text| format!("- {text}"))).collect();
    let text = match lines.is_empty() {
        true => by(locale, "Nothing failed.", "실패한 테스트가 없습니다."),
        false => lines.join("\n"),
    };
    Notice { notice: "FEEDBACK", heading: by(locale, "FEEDBACK", "테스트 피드백"), text }
}

fn with_brief(what: String, listener: Listener<'_>) -> String {
    match listener.brief {
        Some(brief) => {
            format!("{what}\n\n{}", protocol::say::Say::Task(Box::new(brief.clone())).text(listener.locale))
        }
        None => what,
    }
}

fn by(locale: Locale, english: &str, korean: &str) -> String {
    match locale {
        Locale::En => english,
        Locale::Ko => korean,
    }
    .to_owned()
}
