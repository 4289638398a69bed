//! A problem that the user decides about.

use domain::{EscalationAction, EscalationType, Locale};
use views::{EscalationRow, InboxItem, translate_engine_text};

use super::{ChoiceTextRule, EntryAction, EntryChoice, FreeInput, InboxEntry, join_heading};
use crate::{
    failure::capitalized,
    screen::phrases::{phase, pick_by_locale, severity},
};

pub(crate) fn entry(locale: Locale, row: &EscalationRow) -> InboxEntry {
    let subject = row.task.as_ref().map(ToString::to_string);
    let subject = subject.or_else(|| row.phase.map(|number| phase(locale, number, "")));
    let problem = pick_by_locale(locale, "problem", "문제");
    // With a Korean title, Jangdan wrote the description; the context can be the output of a check.
    let description = match (locale, &row.korean) {
        (Locale::Ko, _) => translate_engine_text(&row.description),
        (Locale::En, Some(_)) => capitalized(&row.description),
        (Locale::En, None) => row.description.clone(),
    };
    let context = match locale {
        Locale::En => row.context.clone(),
        Locale::Ko => translate_engine_text(&row.context),
    };
    let output = output_hint(locale, row).unwrap_or_default();
    let context = [description, context, output].into_iter().filter(|text| !text.trim().is_empty());
    let title = match (locale, &row.korean) {
        (Locale::Ko, Some(korean)) => korean.clone(),
        (Locale::Ko, None) | (Locale::En, _) => capitalized(&row.title),
    };
    InboxEntry {
        item: InboxItem::Escalation(row.id),
        heading: join_heading(&[
            Some(row.id.to_string()),
            subject,
            row.agent.as_ref().map(ToString::to_string),
            Some(format!("{problem} ({})", severity(locale, row.severity))),
        ]),
        text: title,
        context: context.collect(),
        choices: row.suggested.iter().map(|action| choice(locale, row, action)).collect(),
        free: FreeInput::Nothing,
        is_yes_or_no: false,
    }
}

/// Names the command that shows why an agent failed, if the problem itself quotes nothing.
fn output_hint(locale: Locale, row: &EscalationRow) -> Option<String> {
    let task = row.task.as_ref().filter(|_| row.kind == EscalationType::Blocked && row.context.is_empty())?;
    Some(match locale {
        Locale::En => format!("Output of its agent: jangdan logs {task}"),
        Locale::Ko => format!("에이전트의 출력: jangdan logs {task}"),
    })
}

fn choice(locale: Locale, row: &EscalationRow, action: &EscalationAction) -> EntryChoice {
    let (label, text) = match action {
        EscalationAction::Retry { hint: Some(hint) } => {
            (format!("{}: {hint}", pick_by_locale(locale, "retry", "재시도")), ChoiceTextRule::Optional)
        }
        EscalationAction::Retry { hint: None } => {
            let label = pick_by_locale(locale, "retry (hint optional)", "재시도 (힌트 추가 가능)");
            (label.to_owned(), ChoiceTextRule::Optional)
        }
        EscalationAction::Reassign { agent } => (
            format!("{} {agent}", pick_by_locale(locale, "reassign to", "다른 에이전트에 할당:")),
            ChoiceTextRule::Optional,
        ),
        EscalationAction::Skip => {
            (pick_by_locale(locale, "skip task", "작업 건너뛰기").to_owned(), ChoiceTextRule::Optional)
        }
        EscalationAction::Waive => {
            let label = match row.could_check_run() {
                true => pick_by_locale(locale, "accept despite failed check", "검증 실패에도 승인"),
                false => pick_by_locale(
                    locale,
                    "accept without the check, which could not run",
                    "검증 없이 승인 (검증 실행 불가)",
                ),
            };
            (label.to_owned(), ChoiceTextRule::Optional)
        }
        EscalationAction::RaiseBudget { budget } => (
            format!("{} {budget}", pick_by_locale(locale, "raise the budget to", "예산 증액:")),
            ChoiceTextRule::Optional,
        ),
        EscalationAction::MarkFailed => {
            (pick_by_locale(locale, "mark as failed", "실패로 표시").to_owned(), ChoiceTextRule::Optional)
        }
        EscalationAction::Dismiss => {
            (pick_by_locale(locale, "dismiss", "무시").to_owned(), ChoiceTextRule::Optional)
        }
    };
    EntryChoice { label, action: EntryAction::Resolve(row.id, action.clone()), text }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn accepting_work_without_its_check_is_not_called_a_failed_check() {
        let label = |kind: &str, locale| {
            let row: EscalationRow = serde_json::from_value(serde_json::json!({
                "id": "e_1", "kind": kind, "severity": "high", "task": "T1", "phase": null, "session": null,
                "agent": null, "title": "", "korean": null, "description": "", "context": "", "suggested": [{ "type": "waive" }],
                "status": "open", "level": "person", "levelSession": null, "action": null, "note": null,
                "resolvedBy": null, "blocks": { "tasks": 0, "timeMs": 0 }, "createdAt": 0, "resolvedAt": null
            }))
            .unwrap();
            entry(locale, &row).choices[0].label.clone()
        };
        assert_eq!(label("test_failure", Locale::En), "accept despite failed check");
        assert_eq!(label("check_not_run", Locale::En), "accept without the check, which could not run");
        assert_eq!(label("check_not_run", Locale::Ko), "검증 없이 승인 (검증 실행 불가)");
    }

    #[test]
    fn texts_of_jangdan_are_in_the_language_of_the_user() {
        let row = |korean: Option<&str>, title: &str, description: &str| -> EscalationRow {
            serde_json::from_value(serde_json::json!({
                "id": "e_1", "kind": "blocked", "severity": "high", "task": "T1", "phase": null, "session": null,
                "agent": null, "title": title, "korean": korean, "description": description, "context": "test a ... FAILED",
                "suggested": [], "status": "open", "level": "person", "levelSession": null, "action": null, "note": null,
                "resolvedBy": null, "blocks": { "tasks": 0, "timeMs": 0 }, "createdAt": 0, "resolvedAt": null
            }))
            .unwrap()
        };
        let texts = |locale, row: &EscalationRow| {
            let InboxEntry { text, context, .. } = entry(locale, row);
            [vec![text], context].concat()
        };
        let own = row(Some("T1 작업 3회 실패"), "T1 failed 3 times", "the agent exited with status 3");
        let english = ["T1 failed 3 times", "The agent exited with status 3", "test a ... FAILED"];
        assert_eq!(texts(Locale::En, &own), english);
        let korean = ["T1 작업 3회 실패", "에이전트 프로세스 종료 코드 3", "test a ... FAILED"];
        assert_eq!(texts(Locale::Ko, &own), korean);
        let reported = row(None, "No credit", "buy some");
        assert_eq!(texts(Locale::Ko, &reported), ["No credit", "buy some", "test a ... FAILED"]);
    }
}
