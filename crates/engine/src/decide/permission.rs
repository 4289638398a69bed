//! Rules for what agents may do without asking the user.

use domain::{
    PermissionKind, PermissionMode, PermissionRequest, PermissionScope, QuestionId, QuestionKind, SessionId,
    SessionInput, events,
};

use super::{DecisionContext, question::QuestionDraft};
use crate::{apply::is_allowing_answer, state::TaskIndex};

enum PermissionVerdict {
    Allowed(String),
    Denied(String),
    Ask,
}

impl DecisionContext<'_> {
    pub(super) fn ask_permission(&mut self, session: SessionId, request: PermissionRequest) {
        let (allowed, rule) = match self.evaluate_rules(session, &request) {
            PermissionVerdict::Allowed(rule) => (true, rule),
            PermissionVerdict::Denied(rule) => (false, rule),
            PermissionVerdict::Ask => {
                let text = format!("Allow it to {} {}?", request.kind.pattern_name(), request.subject);
                let draft = QuestionDraft {
                    kind: QuestionKind::Permission,
                    text,
                    options: vec!["allow".to_owned(), "deny".to_owned()],
                    default: None,
                    context: request.detail.clone(),
                    required: true,
                    permission: Some(request),
                    prompt: None,
                    evidence_gap: None,
                };
                return self.ask_question(session, draft);
            }
        };
        let prompt = request.prompt.clone();
        self.emit(events::PermissionDecided { session, request, allowed, rule });
        self.send_input(session, SessionInput::Permission { prompt, allowed, question: None });
    }

    /// Precedence: deny patterns, saved answers, allow patterns, the mode.
    fn evaluate_rules(&self, session: SessionId, request: &PermissionRequest) -> PermissionVerdict {
        let policy = &self.run.settings.permissions;
        if let Some(pattern) = policy.deny.iter().find(|pattern| pattern_matches_loosely(pattern, request)) {
            return PermissionVerdict::Denied(format!("deny {pattern}"));
        }
        let task = self.run.session(session).task;
        let of_task = task.map(|task| self.run.task(task).permission_rules.as_slice()).unwrap_or_default();
        let saved = of_task
            .iter()
            .chain(&self.run.permission_rules)
            .rev()
            .find(|(pattern, _)| pattern_matches_loosely(pattern, request));
        match saved {
            Some((pattern, true)) => return PermissionVerdict::Allowed(format!("saved {pattern}")),
            Some((pattern, false)) => return PermissionVerdict::Denied(format!("saved {pattern}")),
            None => {}
        }
        if let Some(pattern) = policy.allow.iter().find(|pattern| pattern_allows(pattern, request)) {
            return PermissionVerdict::Allowed(format!("allow {pattern}"));
        }
        match policy.mode {
            PermissionMode::All => PermissionVerdict::Allowed("permissions = all".to_owned()),
            PermissionMode::Worktree if self.is_within_worktree(task, request) => {
                PermissionVerdict::Allowed("permissions = worktree".to_owned())
            }
            PermissionMode::Worktree | PermissionMode::Ask => PermissionVerdict::Ask,
        }
    }

    /// Returns whether a request stays within the worktree: edits and reads below it, and the project's own check
    /// commands.
    fn is_within_worktree(&self, task: Option<TaskIndex>, request: &PermissionRequest) -> bool {
        match request.kind {
            PermissionKind::Edit | PermissionKind::Read => request.in_worktree,
            PermissionKind::Run => {
                let of_task = task.and_then(|task| self.run.check_of_task(task));
                of_task.or(self.run.settings.verify.as_ref()).is_some_and(|check| *check == request.subject)
            }
            PermissionKind::Fetch | PermissionKind::Other => false,
        }
    }

    pub(super) fn save_permission_rule(
        &mut self,
        question: QuestionId,
        answer: &str,
        scope: PermissionScope,
    ) {
        let question = self.run.questions.get(question.0);
        if let Some(request) = question.permission.as_ref().filter(|_| scope != PermissionScope::Once) {
            let task =
                question.task.filter(|_| scope == PermissionScope::Task).map(|task| self.task_id(task));
            // The exact subject, not a pattern: only what was asked is granted.
            let pattern = format!("={}:{}", request.kind.pattern_name(), request.subject);
            self.emit(events::PermissionRuleSaved {
                scope,
                task,
                pattern,
                allowed: is_allowing_answer(answer),
            });
        }
    }
}

/// Returns whether a pattern or a saved answer names the subject of a request; used to deny.
fn pattern_matches_loosely(pattern: &str, request: &PermissionRequest) -> bool {
    matches_exactly(pattern, request).unwrap_or_else(|| pattern_matches_request(pattern, request, false))
}

/// Returns whether a pattern or a saved answer allows a request. `*` does not match characters that join commands.
fn pattern_allows(pattern: &str, request: &PermissionRequest) -> bool {
    matches_exactly(pattern, request).unwrap_or_else(|| pattern_matches_request(pattern, request, true))
}

/// Returns whether a saved answer has exactly this subject; `None` if it is a pattern.
fn matches_exactly(pattern: &str, request: &PermissionRequest) -> Option<bool> {
    let exact = pattern.strip_prefix('=')?;
    Some(exact.split_once(':') == Some((request.kind.pattern_name(), request.subject.as_str())))
}

fn pattern_matches_request(pattern: &str, request: &PermissionRequest, strictly: bool) -> bool {
    let (kind, rest) = pattern.split_once(':').unwrap_or(("", pattern));
    let kinds = ["edit", "run", "read", "fetch", "other"];
    let (kind, rest) = if kinds.contains(&kind) { (kind, rest) } else { ("", pattern) };
    let fits_kind = kind.is_empty() || kind == request.kind.pattern_name();
    let is_command = strictly && request.kind == PermissionKind::Run;
    let joins_commands = |c: char| {
        is_command && matches!(c, ';' | '|' | '&' | '`' | '$' | '(' | ')' | '<' | '>' | '\n' | '\r')
    };
    if request.kind == PermissionKind::Run {
        return fits_kind && glob_matches(rest, &request.subject, joins_commands);
    }
    // A path with `..` may leave the folder that the pattern names.
    let leaves_folder = |path: &str| path.split('/').any(|part| part == "..");
    let fits = |path: &str| !(strictly && leaves_folder(path)) && glob_matches(rest, path, joins_commands);
    // A patch lists its files, one per line: all must be allowed, any can be denied.
    let mut paths = request.subject.split('\n');
    fits_kind && if strictly { paths.all(fits) } else { paths.any(fits) }
}

/// Matches `*` against any characters except the barred ones.
fn glob_matches(pattern: &str, text: &str, is_barred: impl Fn(char) -> bool + Copy) -> bool {
    let mut parts = pattern.split('*');
    let Some(mut rest) = parts.next().and_then(|first| text.strip_prefix(first)) else { return false };
    let mut parts = parts.peekable();
    if parts.peek().is_none() {
        return rest.is_empty();
    }
    while let Some(part) = parts.next() {
        let position = if parts.peek().is_none() { rest.rfind(part) } else { rest.find(part) };
        let Some(position) = position else { return false };
        let (skipped, from) = rest.split_at(position);
        if skipped.contains(is_barred) {
            return false;
        }
        rest = from.strip_prefix(part).unwrap_or(from);
    }
    rest.is_empty()
}

#[cfg(test)]
mod tests {
    use domain::{PermissionKind, PermissionRequest};

    use super::{pattern_allows, pattern_matches_loosely};

    #[test]
    fn pattern_allows_its_commands_but_no_joined_ones() {
        let cases = [
            ("run:cargo test*", PermissionKind::Run, "cargo test --all", true),
            ("run:cargo test*", PermissionKind::Run, "cargo test; rm -rf /", false),
            ("run:cargo test*", PermissionKind::Run, "cargo test $(rm x)", false),
            ("run:cargo test*", PermissionKind::Run, "cargo build", false),
            ("cargo test", PermissionKind::Run, "cargo test", true),
            ("cargo test", PermissionKind::Run, "cargo test x", false),
            ("edit:src/**", PermissionKind::Edit, "src/a/b.rs", true),
            ("edit:src/**", PermissionKind::Read, "src/a/b.rs", false),
            ("*.md", PermissionKind::Edit, "docs/a.md", true),
            ("*.md", PermissionKind::Edit, "docs/a.md.exe", false),
            ("fetch:https://docs.rs/*", PermissionKind::Fetch, "https://docs.rs/serde", true),
            // A saved answer of an earlier run.
            ("=run:rm *; ls", PermissionKind::Run, "rm *; ls", true),
            ("=run:rm *; ls", PermissionKind::Run, "rm x; ls", false),
            ("=run:make", PermissionKind::Other, "make", false),
            ("a*b*c", PermissionKind::Other, "axxbyyc", true),
            ("a*b*c", PermissionKind::Other, "axxc", false),
            ("edit:src/**", PermissionKind::Edit, "src/../../etc/passwd", false),
            ("edit:src/**", PermissionKind::Edit, "src/a.rs\nsrc/b.rs", true),
            ("edit:src/**", PermissionKind::Edit, "src/a.rs\nsecret/b", false),
            ("*.rs", PermissionKind::Edit, "secret/b\nsrc/a.rs", false),
            ("edit:src/**", PermissionKind::Edit, "", false),
        ];
        for (pattern, kind, subject, expected) in cases {
            assert_eq!(
                pattern_allows(pattern, &permission_request(kind, subject)),
                expected,
                "{pattern} for {subject}"
            );
        }
    }

    #[test]
    fn denied_file_denies_the_whole_patch() {
        let patch = permission_request(PermissionKind::Edit, "src/a.rs\nsecret/b");
        assert!(pattern_matches_loosely("edit:secret/**", &patch));
        assert!(pattern_matches_loosely("edit:src/**", &patch));
        assert!(!pattern_matches_loosely("edit:docs/**", &patch));
    }

    fn permission_request(kind: PermissionKind, subject: &str) -> PermissionRequest {
        let (prompt, subject) = (String::new(), subject.to_owned());
        PermissionRequest { prompt, kind, subject, in_worktree: false, detail: None }
    }
}
