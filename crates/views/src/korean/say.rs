//! What a session is told, in Korean for people.

use domain::{InvocationOutcome, ProvidedResource, SessionInput, TestFeedback};

use super::parts::list;

/// Puts an input into Korean.
pub(crate) fn say(input: &SessionInput) -> String {
    match input {
        SessionInput::Task { task, attempt, hint, carried } => {
            let mut text = format!("{task} 작업을 하세요.");
            if *attempt > 1 {
                text.push_str(&format!(" {attempt}차 시도입니다."));
            }
            for line in hint.iter().cloned().chain(carried.iter().map(say)) {
                text.push('\n');
                text.push_str(&line);
            }
            text
        }
        SessionInput::Answer { question, answer, .. } => format!("{question} 질문의 답: {answer}"),
        SessionInput::ClarificationRequest { question, text } => {
            format!("{question} 질문에 되묻습니다: {text}")
        }
        SessionInput::Permission { allowed: true, .. } => "해도 됩니다.".to_owned(),
        SessionInput::Permission { allowed: false, .. } => "하면 안 됩니다.".to_owned(),
        SessionInput::Provided { name, provided, default, .. } => {
            let own = if *default { " (스스로 정한 기본값)" } else { "" };
            format!("준비됨: {name}{own}, {}", found(provided))
        }
        SessionInput::Refused { name, reason, .. } => format!("준비되지 않을 것: {name}. 이유: {reason}"),
        SessionInput::Invocation { from, task, context, .. } => {
            let context = context.as_ref().map(|context| format!("\n{context}")).unwrap_or_default();
            format!("{from} 에이전트의 호출: {task}{context}")
        }
        SessionInput::InvocationEnded {
            from, outcome: InvocationOutcome::Completed { content, .. }, ..
        } => {
            format!("{from} 에이전트가 마쳤습니다: {content}")
        }
        SessionInput::InvocationEnded { from, outcome: InvocationOutcome::Failed { reason }, .. } => {
            format!("{from} 에이전트가 하지 못했습니다: {reason}")
        }
        SessionInput::Result { from, content, .. } => format!("{from} 에이전트의 결과: {content}"),
        SessionInput::Direct { from, content, .. } => format!("{from} 에이전트의 말: {content}"),
        SessionInput::Feedback { round, feedback, .. } => feedback_words(*round, feedback),
        SessionInput::InvalidMessage { protocol, error } => {
            format!("{protocol} 메시지를 받아들일 수 없습니다: {error}")
        }
        SessionInput::NearMiss { near, raw } => format!("혹시 {near} 메시지인가요? {raw}"),
        SessionInput::Reminder => "끝났나요, 실패했나요, 아니면 물어볼 것이 있나요?".to_owned(),
        SessionInput::Conflict { files } => format!("다른 작업의 변경과 충돌합니다: {}", list(files)),
        SessionInput::Rework { phase, reason } => format!("{phase}단계가 통과하지 못했습니다: {reason}"),
        SessionInput::Test { task, .. } => format!("{task} 작업을 테스트하세요."),
        SessionInput::Verify { phase, .. } => format!("{phase}단계를 판정하세요."),
        SessionInput::Question { question, from, text, options, .. } => {
            let options =
                if options.is_empty() { String::new() } else { format!(" ({})", options.join(" / ")) };
            format!("{from} 에이전트의 질문 ({question}): {text}{options}")
        }
        SessionInput::Escalation { escalation, title, description, .. } => {
            format!("{escalation} 문제: {title}\n{description}")
        }
        SessionInput::ThinLine { line } => line.clone(),
        SessionInput::Chat { text } => text.clone(),
        SessionInput::UserMessage { text } => format!("사람의 말: {text}"),
        SessionInput::TaskChanged { title, text, acceptance, .. } => {
            let criteria = acceptance.iter().map(|criterion| format!("\n- {criterion}"));
            format!("계획에서 이 작업의 내용이 바뀌었습니다: {title}\n{text}{}", criteria.collect::<String>())
        }
        SessionInput::Resume { reason } => format!("계속하세요: {reason}"),
    }
}

fn found(provided: &ProvidedResource) -> String {
    match provided {
        ProvidedResource::Environment { names } => format!("환경 변수 {}", list(names)),
        ProvidedResource::File { path } => format!("파일 {path}"),
        ProvidedResource::Permission { granted: true } => "허용됨".to_owned(),
        ProvidedResource::Permission { granted: false } => "허용되지 않음".to_owned(),
        ProvidedResource::Package { name, version } => {
            let version = version.as_ref().map(|version| format!(" {version}")).unwrap_or_default();
            format!("패키지 {name}{version}")
        }
    }
}

fn feedback_words(round: u32, feedback: &TestFeedback) -> String {
    let how = if feedback.success { "통과했습니다." } else { "통과하지 못했습니다." };
    let mut text = format!("{round}회차 테스트를 {how}");
    for failure in &feedback.failures {
        text.push_str(&format!("\n- {}", failure.name));
        if let (Some(expected), Some(actual)) = (&failure.expected, &failure.actual) {
            text.push_str(&format!(": 기대 {expected}, 실제 {actual}"));
        }
        if let Some(fix) = &failure.suggested_fix {
            text.push_str(&format!(" ({fix})"));
        }
    }
    for suggestion in &feedback.suggestions {
        text.push_str(&format!("\n- {suggestion}"));
    }
    text
}
