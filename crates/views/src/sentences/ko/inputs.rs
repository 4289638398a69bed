//! Describes an input to a session in Korean, for users.

use domain::{AgentInvocationOutcome, ProvidedResource, SessionInput, TestFeedback};

use super::{engine_texts::translate_engine_text, evidence::missing_evidence, phrases::join_leading_names};
use crate::sentences::test_report::failure_title;

pub(crate) fn describe_input(input: &SessionInput) -> String {
    match input {
        SessionInput::Task { task, attempt, hint, carried, earlier: _ } => {
            let mut text = format!("{task} 작업을 진행하세요.");
            if *attempt > 1 {
                text.push_str(&format!(" {attempt}차 시도입니다."));
            }
            for line in
                hint.iter().map(|hint| translate_engine_text(hint)).chain(carried.iter().map(describe_input))
            {
                text.push('\n');
                text.push_str(&line);
            }
            text
        }
        SessionInput::Answer { question, answer, .. } => format!("{question} 질문의 답변: {answer}"),
        SessionInput::ClarificationRequest { question, text } => {
            format!("{question} 질문에 대한 추가 질문: {text}")
        }
        SessionInput::Permission { allowed: true, .. } => "허용되었습니다.".to_owned(),
        SessionInput::Permission { allowed: false, reason: Some(reason), .. } => {
            format!("허용되지 않았습니다: {reason}")
        }
        SessionInput::Permission { allowed: false, .. } => "허용되지 않았습니다.".to_owned(),
        SessionInput::Provided { name, provided, default, .. } => {
            let default = if *default { " (에이전트의 기본값)" } else { "" };
            format!("{name} 제공 완료{default}: {}", resource_location(provided))
        }
        SessionInput::Refused { name, reason, .. } => {
            format!("{name} 요청이 거절되었습니다: {}", translate_engine_text(reason))
        }
        SessionInput::Invocation { from, task, context, .. } => {
            let context = context.as_ref().map(|context| format!("\n{context}")).unwrap_or_default();
            format!("{from} 에이전트의 호출: {task}{context}")
        }
        SessionInput::InvocationEnded {
            from,
            outcome: AgentInvocationOutcome::Completed { content, .. },
            ..
        } => {
            format!("{from} 에이전트가 완료했습니다: {content}")
        }
        SessionInput::InvocationEnded {
            from, outcome: AgentInvocationOutcome::Failed { reason }, ..
        } => {
            format!("{from} 에이전트가 실패했습니다: {}", translate_engine_text(reason))
        }
        SessionInput::Result { from, content, .. } => format!("{from} 에이전트의 결과: {content}"),
        SessionInput::Direct { from, content, .. } => format!("{from} 에이전트의 메시지: {content}"),
        SessionInput::Feedback { round, feedback, .. } => describe_test_feedback(*round, feedback),
        SessionInput::InvalidMessage { protocol, error } => {
            format!("{protocol} 메시지가 올바르지 않습니다: {error}")
        }
        SessionInput::NearMiss { near, raw } => format!("{near} 메시지를 보내려고 했나요? {raw}"),
        SessionInput::Reminder => "작업을 완료했나요, 실패했나요, 아니면 질문이 있나요?".to_owned(),
        SessionInput::EvidenceRequest { missing, .. } => {
            let missing: Vec<&str> = missing.iter().map(|missing| missing_evidence(*missing)).collect();
            format!("작업이 아직 완료되지 않았습니다: {}", missing.join(" "))
        }
        SessionInput::Conflict { files } => {
            format!("다른 작업의 변경과 충돌합니다: {}", join_leading_names(files))
        }
        SessionInput::Rework { phase, reason } => format!("{phase}단계 수정 필요: {reason}"),
        SessionInput::Test { task, .. } => format!("{task} 작업을 테스트하세요."),
        SessionInput::Verify { phase, .. } => format!("{phase}단계를 검증하세요."),
        SessionInput::Question { question, from, text, options, .. } => {
            let options =
                if options.is_empty() { String::new() } else { format!(" ({})", options.join(" / ")) };
            format!("{from} 에이전트의 질문 {question}: {text}{options}")
        }
        SessionInput::Escalation { escalation, title, description, .. } => {
            format!("문제 {escalation}: {title}\n{}", translate_engine_text(description))
        }
        SessionInput::ThinLine { line } => line.clone(),
        SessionInput::Chat { text } => text.clone(),
        SessionInput::UserMessage { text } => format!("사용자의 메시지: {text}"),
        SessionInput::TaskChanged { title, text, acceptance, .. } => {
            let criteria = acceptance.iter().map(|criterion| format!("\n- {criterion}"));
            format!("계획에서 이 작업이 변경되었습니다: {title}\n{text}{}", criteria.collect::<String>())
        }
        SessionInput::Resume { reason } => format!("계속하세요: {}", translate_engine_text(reason)),
    }
}

/// Returns where the agent finds a provided resource.
fn resource_location(provided: &ProvidedResource) -> String {
    match provided {
        ProvidedResource::Environment { names } => format!("환경 변수 {}", join_leading_names(names)),
        ProvidedResource::File { path, .. } => format!("파일 {path}"),
        ProvidedResource::Permission { granted: true } => "허용됨".to_owned(),
        ProvidedResource::Permission { granted: false } => "허용되지 않음".to_owned(),
        ProvidedResource::Package { name, version } => {
            let version = version.as_ref().map(|version| format!(" {version}")).unwrap_or_default();
            format!("패키지 {name}{version}")
        }
    }
}

fn describe_test_feedback(round: u32, feedback: &TestFeedback) -> String {
    let result = if feedback.success { "통과" } else { "실패" };
    let mut text = format!("{round}회차 테스트 {result}");
    for failure in &feedback.failures {
        text.push_str(&format!("\n- {}", failure_title(failure)));
        if let (Some(expected), Some(actual)) = (&failure.expected, &failure.actual) {
            text.push_str(&format!(": 기대 {expected}, 실제 {actual}"));
        }
        if let Some(fix) = &failure.suggested_fix {
            text.push_str(&format!(" ({fix})"));
        }
    }
    if feedback.n_unlisted > 0 {
        text.push_str(&format!("\n- 외 {}건", feedback.n_unlisted));
    }
    if let Some(prose) = &feedback.text {
        text.push_str(&format!("\n{prose}"));
    }
    for suggestion in &feedback.suggestions {
        text.push_str(&format!("\n- {suggestion}"));
    }
    text
}
