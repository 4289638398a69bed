//! What a session is told, in Korean for people.

use domain::{CallOutcome, Feedback, Input, Provided};

use super::parts::list;

/// Puts an input into Korean.
pub(crate) fn say(input: &Input) -> String {
    match input {
        Input::Task { task, attempt, hint, carried } => {
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
        Input::Answer { question, answer, .. } => format!("{question} 질문의 답: {answer}"),
        Input::AskBack { question, text } => format!("{question} 질문에 되묻습니다: {text}"),
        Input::Permission { allowed: true, .. } => "해도 됩니다.".to_owned(),
        Input::Permission { allowed: false, .. } => "하면 안 됩니다.".to_owned(),
        Input::Provided { name, provided, default, .. } => {
            let own = if *default { " (스스로 정한 기본값)" } else { "" };
            format!("준비됨: {name}{own}, {}", found(provided))
        }
        Input::Refused { name, reason, .. } => format!("준비되지 않을 것: {name}. 이유: {reason}"),
        Input::Call { from, task, context, .. } => {
            let context = context.as_ref().map(|context| format!("\n{context}")).unwrap_or_default();
            format!("{from} 에이전트의 호출: {task}{context}")
        }
        Input::CallEnded { from, outcome: CallOutcome::Completed { content, .. }, .. } => {
            format!("{from} 에이전트가 마쳤습니다: {content}")
        }
        Input::CallEnded { from, outcome: CallOutcome::Failed { reason }, .. } => {
            format!("{from} 에이전트가 하지 못했습니다: {reason}")
        }
        Input::Result { from, content, .. } => format!("{from} 에이전트의 결과: {content}"),
        Input::Direct { from, content, .. } => format!("{from} 에이전트의 말: {content}"),
        Input::Feedback { round, feedback, .. } => feedback_words(*round, feedback),
        Input::Invalid { protocol, error } => {
            format!("{protocol} 메시지를 받아들일 수 없습니다: {error}")
        }
        Input::Near { near, raw } => format!("혹시 {near} 메시지인가요? {raw}"),
        Input::Nudge => "끝났나요, 실패했나요, 아니면 물어볼 것이 있나요?".to_owned(),
        Input::Conflict { files } => format!("다른 작업의 변경과 충돌합니다: {}", list(files)),
        Input::Rework { phase, reason } => format!("{phase}단계가 통과하지 못했습니다: {reason}"),
        Input::Test { task, .. } => format!("{task} 작업을 테스트하세요."),
        Input::Verify { phase, .. } => format!("{phase}단계를 판정하세요."),
        Input::Question { question, from, text, options, .. } => {
            let options =
                if options.is_empty() { String::new() } else { format!(" ({})", options.join(" / ")) };
            format!("{from} 에이전트의 질문 ({question}): {text}{options}")
        }
        Input::Escalation { escalation, title, description, .. } => {
            format!("{escalation} 문제: {title}\n{description}")
        }
        Input::Thin { line } => line.clone(),
        Input::Chat { text } => text.clone(),
        Input::Told { text } => format!("사람의 말: {text}"),
        Input::Changed { title, text, acceptance, .. } => {
            let criteria = acceptance.iter().map(|criterion| format!("\n- {criterion}"));
            format!("계획에서 이 작업의 내용이 바뀌었습니다: {title}\n{text}{}", criteria.collect::<String>())
        }
        Input::GoOn { reason } => format!("계속하세요: {reason}"),
    }
}

fn found(provided: &Provided) -> String {
    match provided {
        Provided::Environment { names } => format!("환경 변수 {}", list(names)),
        Provided::File { path } => format!("파일 {path}"),
        Provided::Permission { granted: true } => "허용됨".to_owned(),
        Provided::Permission { granted: false } => "허용되지 않음".to_owned(),
        Provided::Package { name, version } => {
            let version = version.as_ref().map(|version| format!(" {version}")).unwrap_or_default();
            format!("패키지 {name}{version}")
        }
    }
}

fn feedback_words(round: u32, feedback: &Feedback) -> String {
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
