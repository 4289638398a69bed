//! Automatic answers to the inbox: takes defaults, allows permissions, approves gates. Pure.

use domain::{
    DependencyType, EscalationAction, PermissionScope, ProvidedResource, QuestionKind, UserCommand,
};
use views::{EscalationRow, InboxItem, InboxRow, QuestionRow, RequestRow};

/// Answer to a question without options.
const FALLBACK_ANSWER: &str = "as you think best";

/// Open entries of the inbox with their rows.
#[derive(Debug, Default)]
pub(super) struct PendingItems {
    pub inbox: Vec<InboxRow>,
    pub questions: Vec<QuestionRow>,
    pub requests: Vec<RequestRow>,
    pub escalations: Vec<EscalationRow>,
}

/// Returns the command that settles each entry.
pub(super) fn auto_answers(pending: &PendingItems) -> Vec<UserCommand> {
    let settle = |row: &InboxRow| match row.item {
        InboxItem::Question(id) => pending.questions.iter().find(|row| row.id == id).map(answer_to_question),
        InboxItem::Request(id) => pending.requests.iter().find(|row| row.id == id).map(answer_to_request),
        InboxItem::Gate(phase) => Some(UserCommand::ApproveGate { phase, note: None }),
        InboxItem::Escalation(id) => {
            let row = pending.escalations.iter().find(|row| row.id == id);
            row.map(|row| answer_to_escalation(row, &pending.escalations))
        }
        // The run continues without them.
        InboxItem::Plan(_) | InboxItem::Invocation(_) => None,
    };
    pending.inbox.iter().filter_map(settle).collect()
}

fn answer_to_question(row: &QuestionRow) -> UserCommand {
    let offered = row.default.as_ref().or(row.options.first()).cloned();
    let answer = match row.kind {
        QuestionKind::Permission => "allow".to_owned(),
        QuestionKind::Confirmation => offered.unwrap_or_else(|| "yes".to_owned()),
        QuestionKind::Text | QuestionKind::Selection => offered.unwrap_or_else(|| FALLBACK_ANSWER.to_owned()),
    };
    UserCommand::Answer {
        question: Some(row.id),
        task: None,
        answer,
        scope: PermissionScope::Once,
        pattern: None,
        reason: None,
    }
}

/// Grants permissions; refuses or skips everything else.
fn answer_to_request(row: &RequestRow) -> UserCommand {
    match row.r#type {
        DependencyType::Permission => {
            UserCommand::Provide { request: row.id, provided: ProvidedResource::Permission { granted: true } }
        }
        DependencyType::ApiKey
        | DependencyType::EnvVariable
        | DependencyType::Service
        | DependencyType::File
        | DependencyType::Package
            if row.required =>
        {
            UserCommand::Refuse { request: row.id, reason: "not available in the demo".to_owned() }
        }
        DependencyType::ApiKey
        | DependencyType::EnvVariable
        | DependencyType::Service
        | DependencyType::File
        | DependencyType::Package => UserCommand::SkipRequest(row.id),
    }
}

/// Takes the first suggestion that was not used for the same problem before, so that no action is repeated forever.
fn answer_to_escalation(row: &EscalationRow, all: &[EscalationRow]) -> UserCommand {
    let problem = |row: &EscalationRow| (row.task.clone(), row.phase, row.kind);
    let name = |action: &EscalationAction| action.to_string();
    let before: Vec<String> = all
        .iter()
        .filter(|other| other.id != row.id && problem(other) == problem(row))
        .filter_map(|other| other.action.as_ref().map(name))
        .collect();
    let is_new = |action: &&EscalationAction| !before.contains(&name(action));
    let action = row.suggested.iter().find(is_new).or(row.suggested.last());
    UserCommand::Resolve {
        escalation: row.id,
        action: action.cloned().unwrap_or(EscalationAction::Dismiss),
        note: None,
    }
}

#[cfg(test)]
mod tests {
    use super::{PendingItems, auto_answers};
    use serde_json::{Value, json};

    /// Makes rows as the server sends them, from the fields that differ from an ordinary row.
    fn rows_with_fields<R: serde::de::DeserializeOwned>(ordinary: Value, differs: &[Value]) -> Vec<R> {
        let one = |differs: &Value| {
            let mut row = ordinary.clone();
            for (key, value) in differs.as_object().unwrap() {
                row[key] = value.clone();
            }
            serde_json::from_value(row).unwrap()
        };
        differs.iter().map(one).collect()
    }

    fn assert_auto_answers(pending: &PendingItems, expected: Value) {
        assert_eq!(serde_json::to_value(auto_answers(pending)).unwrap(), expected);
    }

    fn inbox(items: &[Value]) -> Vec<views::InboxRow> {
        let items: Vec<Value> = items.iter().map(|item| json!({ "item": item })).collect();
        let ordinary = json!({
            "task": null, "phase": null, "text": "", "severity": null,
            "blocks": { "timeMs": 0, "tasks": 0 }, "sinceAt": 0,
        });
        rows_with_fields(ordinary, &items)
    }

    fn pending_questions(differs: &[Value]) -> PendingItems {
        let ordinary = json!({
            "session": "s_3", "agent": "ada", "task": "T1", "kind": "text", "text": "Which?", "originalText": null,
            "options": [], "default": null, "context": null, "required": true, "permission": null,
            "isInTurn": false, "status": "pending", "answer": null, "answeredBy": null, "clarifications": [],
            "withdrawn": null, "blocks": { "timeMs": 0, "tasks": 0 }, "chat": null, "askedAt": 0,
            "reachedPersonAt": 0, "expiresAt": null, "answeredAt": null, "deliveredAt": null,
        });
        let items: Vec<Value> =
            differs.iter().map(|row| json!({ "type": "question", "id": row["id"] })).collect();
        PendingItems {
            inbox: inbox(&items),
            questions: rows_with_fields(ordinary, differs),
            ..PendingItems::default()
        }
    }

    fn pending_requests(differs: &[Value]) -> PendingItems {
        let ordinary = json!({
            "session": "s_3", "agent": "ada", "task": "T1", "type": "api_key", "name": "KEY",
            "description": "for the model", "required": true, "default": null, "status": "asked",
            "provided": null, "defaultUsed": false, "refused": null, "delivered": false, "resolvedBy": null,
            "blocks": { "timeMs": 0, "tasks": 0 }, "askedAt": 0, "resolvedAt": null, "deliveredAt": null,
        });
        let items: Vec<Value> =
            differs.iter().map(|row| json!({ "type": "request", "id": row["id"] })).collect();
        PendingItems {
            inbox: inbox(&items),
            requests: rows_with_fields(ordinary, differs),
            ..PendingItems::default()
        }
    }

    #[test]
    fn questions_get_their_default_or_first_option() {
        let pending = pending_questions(&[
            json!({ "id": "q_1", "kind": "selection", "options": ["a", "b"], "default": "b" }),
            json!({ "id": "q_2", "kind": "selection", "options": ["a", "b"] }),
            json!({ "id": "q_3" }),
            json!({ "id": "q_4", "kind": "confirmation" }),
        ]);
        let answer = |id: &str, text: &str| json!({ "answer": { "question": id, "task": null, "answer": text, "scope": "once" } });
        let expected = [
            answer("q_1", "b"),
            answer("q_2", "a"),
            answer("q_3", "as you think best"),
            answer("q_4", "yes"),
        ];
        assert_auto_answers(&pending, json!(expected));
    }

    #[test]
    fn permissions_are_granted_and_gates_approved() {
        let permission = json!({ "prompt": "p", "kind": "run", "subject": "make" });
        let mut pending = pending_questions(&[
            json!({ "id": "q_1", "kind": "permission", "options": ["deny", "allow"], "permission": permission }),
        ]);
        pending.inbox.extend(inbox(&[json!({ "type": "gate", "id": 2 })]));
        let allow =
            json!({ "answer": { "question": "q_1", "task": null, "answer": "allow", "scope": "once" } });
        assert_auto_answers(&pending, json!([allow, { "approveGate": { "phase": 2, "note": null } }]));
    }

    #[test]
    fn requests_are_granted_refused_or_skipped() {
        let pending = pending_requests(&[
            json!({ "id": "d_1", "type": "permission" }),
            json!({ "id": "d_2" }),
            json!({ "id": "d_3", "required": false }),
        ]);
        let granted = json!({ "request": "d_1", "provided": { "type": "permission", "granted": true } });
        let refused = json!({ "request": "d_2", "reason": "not available in the demo" });
        assert_auto_answers(
            &pending,
            json!([{ "provide": granted }, { "refuse": refused }, { "skipRequest": "d_3" }]),
        );
    }

    #[test]
    fn problems_get_the_first_new_suggestion() {
        let ordinary = json!({
            "kind": "blocked", "severity": "high", "task": "T1", "phase": null, "session": null, "agent": null,
            "title": "", "description": "", "context": "", "suggested": [], "status": "open", "level": "person",
            "levelSession": null, "action": null, "note": null, "resolvedBy": null,
            "blocks": { "timeMs": 0, "tasks": 0 }, "createdAt": 0, "resolvedAt": null,
        });
        let suggested = json!([{ "type": "retry" }, { "type": "skip" }, { "type": "giveUp" }]);
        let done = |id: &str, task: &str| json!({ "id": id, "task": task, "status": "resolved", "action": { "type": "retry" } });
        let differs = [
            json!({ "id": "e_1", "suggested": suggested }),
            json!({ "id": "e_2" }),
            done("e_3", "T2"),
            json!({ "id": "e_4", "task": "T2", "suggested": suggested }),
            done("e_5", "T3"),
            json!({ "id": "e_6", "task": "T3", "suggested": [{ "type": "retry" }] }),
        ];
        let items = ["e_1", "e_2", "e_4", "e_6"].map(|id| json!({ "type": "escalation", "id": id }));
        let pending = PendingItems {
            inbox: inbox(&items),
            escalations: rows_with_fields(ordinary, &differs),
            ..PendingItems::default()
        };
        let resolve = |id: &str, action: &str| json!({ "resolve": { "escalation": id, "action": { "type": action }, "note": null } });
        let expected = [
            resolve("e_1", "retry"),
            resolve("e_2", "dismiss"),
            resolve("e_4", "skip"),
            resolve("e_6", "retry"),
        ];
        assert_auto_answers(&pending, json!(expected));
    }

    #[test]
    fn entries_without_a_row_get_no_answer() {
        let item = json!({ "type": "question", "id": "q_9" });
        assert_auto_answers(&PendingItems { inbox: inbox(&[item]), ..PendingItems::default() }, json!([]));
    }
}
