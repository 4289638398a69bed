//! A request of an agent for a dependency.

use domain::{DependencyType, Locale, ProvidedResource};
use views::{InboxItem, RequestRow};

use super::{ChoiceTextRule, EntryAction, EntryChoice, FreeInput, InboxEntry, join_heading};
use crate::screen::phrases::{dependency, pick_by_locale};

pub(super) fn entry(locale: Locale, row: &RequestRow) -> InboxEntry {
    let agent = row.agent.as_ref().map_or("Jangdan".to_owned(), ToString::to_string);
    let kind = dependency(locale, row.r#type);
    let request = match (locale, row.required) {
        (Locale::En, true) => format!("{agent} requests {kind}"),
        (Locale::En, false) => format!("{agent} requests {kind} (optional)"),
        (Locale::Ko, true) => format!("{agent} 요청: {kind}"),
        (Locale::Ko, false) => format!("{agent} 요청: {kind} (선택)"),
    };
    let mut context = Vec::new();
    context.extend(row.default.iter().map(|default| {
        format!("{} {default}", pick_by_locale(locale, "Default without it:", "제공하지 않을 때의 기본값:"))
    }));
    context.extend(row.failure.iter().map(|failure| {
        let heading = pick_by_locale(locale, "The last attempt to provide it failed:", "제공하지 못한 이유:");
        format!("{heading} {failure}")
    }));
    if is_secret_type(row.r#type) {
        context.push(value_notice(locale, row));
    }
    if row.r#type == DependencyType::File {
        context.push(format!(
            "{} jangdan provide {} --file {}",
            pick_by_locale(locale, "Provide a file of yours:", "파일 제공:"),
            row.id,
            pick_by_locale(locale, "PATH", "경로"),
        ));
    }
    InboxEntry {
        item: InboxItem::Request(row.id),
        heading: join_heading(&[
            Some(row.id.to_string()),
            row.task.as_ref().map(ToString::to_string),
            Some(request),
        ]),
        text: if row.description.trim().is_empty() {
            row.name.clone()
        } else {
            format!("{}: {}", row.name, row.description)
        },
        context,
        choices: choices(locale, row),
        free: if row.r#type == DependencyType::File { FreeInput::Path(row.id) } else { FreeInput::Nothing },
        is_yes_or_no: row.r#type == DependencyType::Permission,
    }
}

/// Tells whether its values are kept in the vault.
pub(super) fn is_secret_type(kind: DependencyType) -> bool {
    match kind {
        DependencyType::ApiKey | DependencyType::EnvVariable | DependencyType::Service => true,
        DependencyType::File | DependencyType::Permission | DependencyType::Package => false,
    }
}

/// Tells where the value of a variable is entered: what is typed into this screen would be visible.
fn value_notice(locale: Locale, row: &RequestRow) -> String {
    match locale {
        Locale::En => format!("Enter its value in another terminal: jangdan provide {}", row.id),
        Locale::Ko => format!("값은 다른 터미널에서 입력하세요: jangdan provide {}", row.id),
    }
}

fn choices(locale: Locale, row: &RequestRow) -> Vec<EntryChoice> {
    let provide = |label: &str, provided| {
        let act = EntryAction::Provide(row.id, provided);
        EntryChoice { label: label.to_owned(), action: act, text: ChoiceTextRule::None }
    };
    let mut choices = match row.r#type {
        DependencyType::Permission => vec![
            provide(
                pick_by_locale(locale, "grant permission", "권한 허용"),
                ProvidedResource::Permission { granted: true },
            ),
            provide(
                pick_by_locale(locale, "deny permission", "권한 거부"),
                ProvidedResource::Permission { granted: false },
            ),
        ],
        DependencyType::Package => {
            let provided = ProvidedResource::Package { name: row.name.clone(), version: row.default.clone() };
            vec![provide(pick_by_locale(locale, "allow the package", "패키지 허용"), provided)]
        }
        DependencyType::ApiKey
        | DependencyType::EnvVariable
        | DependencyType::Service
        | DependencyType::File => Vec::new(),
    };
    let refuse = pick_by_locale(locale, "refuse (say why)", "거절 (이유를 입력하세요)").to_owned();
    choices.push(EntryChoice {
        label: refuse,
        action: EntryAction::Refuse(row.id),
        text: ChoiceTextRule::Required,
    });
    let skip = pick_by_locale(locale, "continue without it", "없이 계속").to_owned();
    choices.push(EntryChoice {
        label: skip,
        action: EntryAction::SkipRequest(row.id),
        text: ChoiceTextRule::None,
    });
    choices
}
