//! A request: something from outside that somebody must provide.

use domain::{DependencyType, Locale, ProvidedResource};
use views::{InboxItem, RequestRow};

use super::{Act, Choice, Entry, Free, Words, heading};
use crate::screen::words::{dependency, pick};

pub fn entry(locale: Locale, row: &RequestRow) -> Entry {
    let who = row.agent.as_ref().map_or("Jangdan".to_owned(), ToString::to_string);
    let what = dependency(locale, row.r#type);
    let needs = match (locale, row.required) {
        (Locale::En, true) => format!("{who} needs {what}"),
        (Locale::En, false) => format!("{who} would like {what}"),
        (Locale::Ko, true) => format!("{who} 필요: {what}"),
        (Locale::Ko, false) => format!("{who} 있으면 좋음: {what}"),
    };
    let mut context = Vec::new();
    context.extend(row.default.iter().map(|default| {
        format!("{} {default}", pick(locale, "Without it the agent takes:", "없으면 에이전트가 쓸 값:"))
    }));
    if is_secret(row.r#type) {
        context.push(no_vault(locale).to_owned());
    }
    Entry {
        item: InboxItem::Request(row.id),
        heading: heading(&[
            Some(row.id.to_string()),
            row.task.as_ref().map(ToString::to_string),
            Some(needs),
        ]),
        text: if row.description.trim().is_empty() {
            row.name.clone()
        } else {
            format!("{}: {}", row.name, row.description)
        },
        context,
        choices: choices(locale, row),
        free: if row.r#type == DependencyType::File { Free::Path(row.id) } else { Free::Nothing },
        is_yes_or_no: row.r#type == DependencyType::Permission,
    }
}

/// Tells whether a value would have to be kept in the vault.
pub fn is_secret(kind: DependencyType) -> bool {
    match kind {
        DependencyType::ApiKey | DependencyType::EnvVariable | DependencyType::Service => true,
        DependencyType::File | DependencyType::Permission | DependencyType::Package => false,
    }
}

/// Says what can't be done yet.
pub fn no_vault(locale: Locale) -> &'static str {
    pick(
        locale,
        "Values can't be given yet: there is no vault to keep them in. Refuse it, or skip it where it is not required.",
        "아직 값을 줄 수 없습니다. 값을 보관할 금고가 없습니다. 거절하거나, 필수가 아니면 건너뛰세요.",
    )
}

fn choices(locale: Locale, row: &RequestRow) -> Vec<Choice> {
    let provide = |label: &str, provided| {
        let act = Act::Provide(row.id, provided);
        Choice { label: label.to_owned(), act, words: Words::None }
    };
    let mut choices = match row.r#type {
        DependencyType::Permission => vec![
            provide(pick(locale, "yes, it may", "예, 허락"), ProvidedResource::Permission { granted: true }),
            provide(
                pick(locale, "no, it may not", "아니요, 불허"),
                ProvidedResource::Permission { granted: false },
            ),
        ],
        DependencyType::Package => {
            let provided = ProvidedResource::Package { name: row.name.clone(), version: row.default.clone() };
            vec![provide(pick(locale, "yes, it may be added", "예, 추가해도 됨"), provided)]
        }
        DependencyType::ApiKey
        | DependencyType::EnvVariable
        | DependencyType::Service
        | DependencyType::File => Vec::new(),
    };
    let refuse = pick(locale, "refuse (say why)", "거절 (이유를 쓰세요)").to_owned();
    choices.push(Choice { label: refuse, act: Act::Refuse(row.id), words: Words::Needed });
    if !row.required {
        let skip = pick(locale, "skip", "건너뛰기").to_owned();
        choices.push(Choice { label: skip, act: Act::SkipRequest(row.id), words: Words::None });
    }
    choices
}
