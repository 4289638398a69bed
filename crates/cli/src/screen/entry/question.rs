//! A question or a permission request of an agent.

use domain::{LargeFileDecision, Locale, PermissionScope, QuestionKind, TaskId};
use views::{InboxItem, QuestionRow};

use super::{ChoiceTextRule, EntryAction, EntryChoice, FreeInput, InboxEntry, join_heading};
use crate::screen::phrases::{permission_request, permission_scope, pick_by_locale};

/// The answers to a permission request that the engine expects.
const ALLOW: &str = "allow";

pub(super) fn entry(locale: Locale, row: &QuestionRow, equal_tasks: &[TaskId]) -> InboxEntry {
    let agent = row.agent.as_ref().map_or("Jangdan".to_owned(), ToString::to_string);
    let verb = match &row.permission {
        Some(permission) => permission_request(locale, permission.kind),
        None => pick_by_locale(locale, "asks", "질문"),
    };
    let mut context: Vec<String> = row.context.iter().cloned().collect();
    context.extend(row.permission.iter().filter_map(|permission| permission.detail.clone()));
    context.extend(
        row.original_text
            .iter()
            .map(|text| format!("{} {text}", pick_by_locale(locale, "The agent asked:", "에이전트의 질문:"))),
    );
    context.extend(
        row.clarifications.iter().map(|back| {
            format!("{} {}", pick_by_locale(locale, "Your question:", "되물은 내용:"), back.text)
        }),
    );
    context.extend(equal_tasks_note(locale, equal_tasks));
    context.extend(suggestion_note(locale, row));
    InboxEntry {
        item: InboxItem::Question(row.id),
        heading: join_heading(&[
            Some(row.id.to_string()),
            row.task.as_ref().map(ToString::to_string),
            Some(format!("{agent} {verb}")),
        ]),
        text: row
            .permission
            .as_ref()
            .map_or_else(|| question_text(locale, row).to_owned(), |permission| permission.subject.clone()),
        context,
        choices: choices(locale, row),
        // Only the two answers are accepted.
        free: if row.permission.is_some() { FreeInput::Nothing } else { FreeInput::Answer(row.id) },
        is_yes_or_no: row.kind == QuestionKind::Confirmation && row.options.is_empty(),
    }
}

/// Returns the text of a question; Jangdan asks in the language of the user.
fn question_text(locale: Locale, row: &QuestionRow) -> &str {
    match (locale, &row.korean) {
        (Locale::Ko, Some(korean)) => korean,
        (Locale::Ko, None) | (Locale::En, _) => &row.text,
    }
}

fn choices(locale: Locale, row: &QuestionRow) -> Vec<EntryChoice> {
    let choice = |label: String, answer: &str, scope| {
        let action = EntryAction::Answer(row.id, answer.to_owned(), scope);
        EntryChoice { label, action, text: ChoiceTextRule::None }
    };
    if row.permission.is_some() {
        let allow = pick_by_locale(locale, "allow", "허용");
        let scopes =
            [PermissionScope::Once, PermissionScope::Task, PermissionScope::Run, PermissionScope::Project]
                .into_iter()
                // Without a task, the permission cannot be kept for one.
                .filter(|scope| *scope != PermissionScope::Task || row.task.is_some())
                .map(|scope| {
                    let label = match locale {
                        Locale::En => format!("{allow} {}", permission_scope(locale, scope)),
                        Locale::Ko => format!("{} {allow}", permission_scope(locale, scope)),
                    };
                    choice(label, ALLOW, scope)
                });
        let deny = EntryChoice {
            label: pick_by_locale(locale, "deny", "거부").to_owned(),
            action: EntryAction::DenyPermission(row.id),
            text: ChoiceTextRule::Optional,
        };
        let mut choices: Vec<_> = scopes.chain([deny]).collect();
        let similar = row.similar.as_ref().filter(|similar| !similar.pattern.starts_with('='));
        if let Some(similar) = similar {
            let choice = EntryChoice {
                label: match locale {
                    Locale::En => format!("allow `{}` for this run", similar.pattern),
                    Locale::Ko => format!("이 실행 동안 `{}` 허용", similar.pattern),
                },
                action: EntryAction::AllowSimilar(row.id, similar.pattern.clone()),
                text: ChoiceTextRule::None,
            };
            // The suggested answer comes first; otherwise the numbers of the other answers stay the same.
            choices.insert(if similar.is_suggested { 0 } else { choices.len() }, choice);
        }
        return choices;
    }
    if row.kind == QuestionKind::Confirmation && row.options.is_empty() {
        let answers = [pick_by_locale(locale, "yes", "예"), pick_by_locale(locale, "no", "아니요")];
        return answers
            .map(|answer| choice(mark_default(locale, row, answer), answer, PermissionScope::Once))
            .to_vec();
    }
    row.options
        .iter()
        .map(|option| {
            let label = large_file_answer(locale, row, option).unwrap_or(option);
            choice(mark_default(locale, row, label), option, PermissionScope::Once)
        })
        .collect()
}

/// Returns the label of an answer about files above the size limit.
fn large_file_answer(locale: Locale, row: &QuestionRow, option: &str) -> Option<&'static str> {
    let decision = LargeFileDecision::parse(option).filter(|_| !row.large_files.is_empty())?;
    Some(match decision {
        LargeFileDecision::Commit => pick_by_locale(locale, "commit", "커밋"),
        LargeFileDecision::LeaveOut => pick_by_locale(locale, "leave out", "제외"),
    })
}

/// Names the other tasks that the answer decides for.
fn equal_tasks_note(locale: Locale, tasks: &[TaskId]) -> Option<String> {
    let names = tasks.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ");
    (!tasks.is_empty()).then(|| match locale {
        Locale::En => format!("Also requested by {names}: one answer decides all."),
        Locale::Ko => format!("같은 요청: {names}. 한 번 답하면 모두 처리됩니다."),
    })
}

/// Says how often the user allowed similar requests, once that suggests to allow them all.
fn suggestion_note(locale: Locale, row: &QuestionRow) -> Option<String> {
    let similar = row.similar.as_ref().filter(|similar| similar.is_suggested)?;
    let pattern = similar.pattern.trim_start_matches('=');
    Some(match locale {
        Locale::En => format!("You allowed `{pattern}` {} times in this run.", similar.n_allowed),
        Locale::Ko => format!("이 실행에서 `{pattern}` 요청을 {}번 허용했습니다.", similar.n_allowed),
    })
}

/// Marks the default answer.
fn mark_default(locale: Locale, row: &QuestionRow, option: &str) -> String {
    if row.default.as_deref() == Some(option) {
        return format!("{option} {}", pick_by_locale(locale, "(default)", "(기본값)"));
    }
    option.to_owned()
}
