//! A question, or the wish to do something that an agent must ask for.

use domain::{Locale, PermissionScope, QuestionKind};
use views::{InboxItem, QuestionRow};

use super::{Act, Choice, Entry, Free, Words, heading};
use crate::screen::words::{act, keep, pick};

/// What the engine calls the two answers to a permission prompt.
const ALLOW: &str = "allow";
const DENY: &str = "deny";

pub fn entry(locale: Locale, row: &QuestionRow) -> Entry {
    let who = row.agent.as_ref().map_or("Jangdan".to_owned(), ToString::to_string);
    let does = match &row.permission {
        Some(wish) => act(locale, wish.kind),
        None => pick(locale, "asks", "질문"),
    };
    let mut context: Vec<String> = row.context.iter().cloned().collect();
    context.extend(row.permission.iter().filter_map(|wish| wish.detail.clone()));
    context.extend(
        row.asked_text
            .iter()
            .map(|text| format!("{} {text}", pick(locale, "The agent asked:", "에이전트의 질문:"))),
    );
    context.extend(
        row.asked_back.iter().map(|back| format!("{} {}", pick(locale, "Asked back:", "되물음:"), back.text)),
    );
    Entry {
        item: InboxItem::Question(row.id),
        heading: heading(&[
            Some(row.id.to_string()),
            row.task.as_ref().map(ToString::to_string),
            Some(format!("{who} {does}")),
        ]),
        text: row.permission.as_ref().map_or_else(|| row.text.clone(), |wish| wish.subject.clone()),
        context,
        choices: choices(locale, row),
        // What is none of the two would be refused.
        free: if row.permission.is_some() { Free::Nothing } else { Free::Answer(row.id) },
        is_yes_or_no: row.kind == QuestionKind::Confirmation && row.options.is_empty(),
    }
}

fn choices(locale: Locale, row: &QuestionRow) -> Vec<Choice> {
    let choice = |label: String, answer: &str, keep| {
        let act = Act::Answer(row.id, answer.to_owned(), keep);
        Choice { label, act, words: Words::None }
    };
    if row.permission.is_some() {
        let allow = pick(locale, "allow", "허용");
        let kept =
            [PermissionScope::Once, PermissionScope::Task, PermissionScope::Run, PermissionScope::Project]
                .into_iter()
                // Without a task there is nothing that it could be kept for.
                .filter(|kept| *kept != PermissionScope::Task || row.task.is_some())
                .map(|kept| {
                    let label = match locale {
                        Locale::En => format!("{allow} {}", keep(locale, kept)),
                        Locale::Ko => format!("{} {allow}", keep(locale, kept)),
                    };
                    choice(label, ALLOW, kept)
                });
        let deny = choice(pick(locale, "deny", "거부").to_owned(), DENY, PermissionScope::Once);
        return kept.chain([deny]).collect();
    }
    if row.kind == QuestionKind::Confirmation && row.options.is_empty() {
        let words = [pick(locale, "yes", "예"), pick(locale, "no", "아니요")];
        return words.map(|word| choice(marked(locale, row, word), word, PermissionScope::Once)).to_vec();
    }
    row.options
        .iter()
        .map(|option| choice(marked(locale, row, option), option, PermissionScope::Once))
        .collect()
}

/// Shows which answer the agent would take.
fn marked(locale: Locale, row: &QuestionRow, option: &str) -> String {
    if row.default.as_deref() == Some(option) {
        return format!("{option} {}", pick(locale, "(default)", "(기본값)"));
    }
    option.to_owned()
}
