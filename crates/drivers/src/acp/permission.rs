//! Converts `session/request_permission` to a permission request, and the decision to one of its options.
//!
//! Ids and order of the options differ between agents; only their kind has a defined meaning.

use std::path::Path;

use domain::{PermissionKind, PermissionRequest};

use super::{schema::PermissionOption, tools::ToolCallState};
use crate::{driver::PromptOption, worktree_path::WorktreePath};

/// Returns the action that an agent requests.
pub(super) fn permission_request(prompt: String, known: &ToolCallState, cwd: &Path) -> PermissionRequest {
    let kind = permission_kind(known);
    let input = &known.input;
    let detail = input.description.clone().or_else(|| input.reason.clone());
    let (subject, in_worktree) = match kind {
        PermissionKind::Edit | PermissionKind::Read => path_subject(known, cwd),
        PermissionKind::Run => (input.command.clone(), false),
        PermissionKind::Fetch => (input.url.clone(), false),
        PermissionKind::Other => (None, false),
    };
    let subject = subject.unwrap_or_else(|| known.title.clone());
    let detail =
        detail.or_else(|| (known.title != subject && !known.title.is_empty()).then(|| known.title.clone()));
    PermissionRequest { prompt, kind, subject, in_worktree, detail }
}

fn permission_kind(known: &ToolCallState) -> PermissionKind {
    match known.kind.as_str() {
        "edit" | "delete" | "move" => PermissionKind::Edit,
        "execute" => PermissionKind::Run,
        "read" | "search" => PermissionKind::Read,
        "fetch" => PermissionKind::Fetch,
        _ => PermissionKind::Other,
    }
}

/// Returns the paths in the form of permission patterns, one per line, and whether all are in the worktree.
fn path_subject(known: &ToolCallState, cwd: &Path) -> (Option<String>, bool) {
    let named = known.input.file_path.iter().chain(&known.paths);
    let mut places: Vec<WorktreePath> = named.map(|path| WorktreePath::resolve(cwd, path)).collect();
    places.sort_by(|one, other| one.name.cmp(&other.name));
    places.dedup();
    let in_worktree = !places.is_empty() && places.iter().all(|place| place.in_worktree);
    // A newline in a name must not make it look like two names.
    let names: Vec<String> = places.iter().map(|place| place.name.replace('\n', "\u{fffd}")).collect();
    ((!names.is_empty()).then(|| names.join("\n")), in_worktree)
}

/// Returns the offered answers.
pub(super) fn prompt_options(offered: &[PermissionOption]) -> Vec<PromptOption> {
    let option = |option: &PermissionOption| PromptOption {
        id: option.option_id.clone(),
        label: if option.name.is_empty() { option.option_id.clone() } else { option.name.clone() },
        allows: option.kind.starts_with("allow"),
        is_permanent: option.kind.ends_with("always"),
    };
    offered.iter().map(option).collect()
}

/// Chooses the option that allows or denies this request once; a permanent one only if there is no other.
pub(super) fn choose_option(offered: &[PromptOption], allowed: bool) -> Option<String> {
    let fitting = || offered.iter().filter(|option| option.allows == allowed);
    // Jangdan stores permanent permissions: those stored by the agent can be neither seen nor revoked.
    let option = fitting().find(|option| !option.is_permanent).or_else(|| fitting().next());
    option.map(|option| option.id.clone())
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::{choose_option, permission_request, prompt_options};
    use crate::acp::{schema::PermissionRequest, tools::ToolCalls};

    fn assert_permission_request(request: &str, expected: &str) {
        let request: PermissionRequest = serde_json::from_str(request).unwrap();
        let mut tools = ToolCalls::default();
        let known = tools.merge_update(&request.tool_call);
        let permission_request = permission_request("7".to_owned(), known, Path::new("/work/tree"));
        let actual = format!(
            "{} {} {}",
            permission_request.kind.pattern_name(),
            permission_request.subject,
            permission_request.in_worktree
        );
        assert_eq!(actual, expected);
    }

    #[test]
    fn a_path_is_named_relative_to_the_worktree() {
        assert_permission_request(
            r#"{"toolCall":{"kind":"edit","locations":[{"path":"/work/tree/src/a.rs"}]}}"#,
            "edit src/a.rs true",
        );
        assert_permission_request(
            r#"{"toolCall":{"kind":"edit","rawInput":{"file_path":"src/a.rs"}}}"#,
            "edit src/a.rs true",
        );
        assert_permission_request(
            r#"{"toolCall":{"kind":"edit","content":[{"type":"diff","path":"/work/tree/../b","newText":""}]}}"#,
            "edit /work/b false",
        );
        assert_permission_request(
            r#"{"toolCall":{"kind":"delete","locations":[{"path":"/work/tree/a"},{"path":"/work/treeb"}]}}"#,
            "edit /work/treeb\na false",
        );
    }

    #[test]
    fn a_command_is_shown_as_its_command_line() {
        assert_permission_request(
            r#"{"toolCall":{"kind":"execute","rawInput":{"command":["cargo","test"]}}}"#,
            "run cargo test false",
        );
        assert_permission_request(
            r#"{"toolCall":{"kind":"execute","rawInput":{"command":["/bin/bash","-lc","cargo test"]}}}"#,
            "run cargo test false",
        );
        assert_permission_request(r#"{"toolCall":{"kind":"execute","title":"`ls`"}}"#, "run `ls` false");
    }

    #[test]
    fn the_option_is_chosen_by_its_kind() {
        let offered = |json: &str| {
            let request: PermissionRequest = serde_json::from_str(json).unwrap();
            prompt_options(&request.options)
        };
        let claude = offered(
            r#"{"options":[{"optionId":"allow_always","name":"a","kind":"allow_always"},
               {"optionId":"allow","name":"b","kind":"allow_once"},{"optionId":"reject","name":"c","kind":"reject_once"}]}"#,
        );
        assert_eq!(choose_option(&claude, true).as_deref(), Some("allow"));
        assert_eq!(choose_option(&claude, false).as_deref(), Some("reject"));
        let odd = offered(r#"{"options":[{"optionId":"allow","kind":"reject_always"}]}"#);
        assert_eq!(choose_option(&odd, true), None);
        assert_eq!(choose_option(&odd, false).as_deref(), Some("allow"));
    }
}
