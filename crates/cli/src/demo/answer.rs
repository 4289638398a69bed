//! A person who answers everything at once: takes what agents would take, allows, approves.
//!
//! Pure: from what waits to what is wished.

use domain::{Command, DependencyType, EscalationAction, PermissionScope, ProvidedResource, QuestionKind};
use views::{EscalationRow, InboxItem, InboxRow, QuestionRow, RequestRow};

/// What is said where nothing is offered.
const AS_YOU_LIKE: &str = "as you think best";

/// What waits for the person.
#[derive(Debug, Default)]
pub struct Waiting {
    /// What waits, the most urgent first.
    pub inbox: Vec<InboxRow>,
    /// The questions.
    pub questions: Vec<QuestionRow>,
    /// The requests.
    pub requests: Vec<RequestRow>,
    /// The escalations.
    pub escalations: Vec<EscalationRow>,
}

/// Returns what the person wishes about each thing that waits.
pub fn answer(waiting: &Waiting) -> Vec<Command> {
    let answered = |row: &InboxRow| match row.item {
        InboxItem::Question(id) => waiting.questions.iter().find(|row| row.id == id).map(to_question),
        InboxItem::Request(id) => waiting.requests.iter().find(|row| row.id == id).map(to_request),
        InboxItem::Gate(phase) => Some(Command::ApproveGate { phase, note: None }),
        InboxItem::Escalation(id) => {
            let row = waiting.escalations.iter().find(|row| row.id == id);
            row.map(|row| to_escalation(row, &waiting.escalations))
        }
        // The run goes on without it.
        InboxItem::Plan(_) | InboxItem::Invocation(_) => None,
    };
    waiting.inbox.iter().filter_map(answered).collect()
}

fn to_question(row: &QuestionRow) -> Command {
    let offered = row.default.as_ref().or(row.options.first()).cloned();
    let answer = match row.kind {
        QuestionKind::Permission => "allow".to_owned(),
        QuestionKind::Confirmation => offered.unwrap_or_else(|| "yes".to_owned()),
        QuestionKind::Text | QuestionKind::Selection => offered.unwrap_or_else(|| AS_YOU_LIKE.to_owned()),
    };
    Command::Answer { question: Some(row.id), task: None, answer, scope: PermissionScope::Once }
}

/// A permission can be given; nothing else is here to be given away.
fn to_request(row: &RequestRow) -> Command {
    match row.r#type {
        DependencyType::Permission => {
            Command::Provide { request: row.id, provided: ProvidedResource::Permission { granted: true } }
        }
        DependencyType::ApiKey
        | DependencyType::EnvVariable
        | DependencyType::Service
        | DependencyType::File
        | DependencyType::Package
            if row.required =>
        {
            Command::Refuse { request: row.id, reason: "nobody is here who has it".to_owned() }
        }
        DependencyType::ApiKey
        | DependencyType::EnvVariable
        | DependencyType::Service
        | DependencyType::File
        | DependencyType::Package => Command::SkipRequest(row.id),
    }
}

/// Takes the first thing that is suggested and was not done before about the same, so that nothing is tried for ever.
fn to_escalation(row: &EscalationRow, all: &[EscalationRow]) -> Command {
    let about = |row: &EscalationRow| (row.task.clone(), row.phase, row.kind);
    let word = |action: &EscalationAction| action.to_string();
    let before: Vec<String> = all
        .iter()
        .filter(|other| other.id != row.id && about(other) == about(row))
        .filter_map(|other| other.action.as_ref().map(word))
        .collect();
    let is_new = |action: &&EscalationAction| !before.contains(&word(action));
    let action = row.suggested.iter().find(is_new).or(row.suggested.last());
    Command::Resolve {
        escalation: row.id,
        action: action.cloned().unwrap_or(EscalationAction::Dismiss),
        note: None,
    }
}

#[cfg(test)]
mod tests {
    use super::{Waiting, answer};
    use serde_json::{Value, json};

    /// Makes rows as the server sends them, of what differs from an ordinary one.
    fn rows<R: serde::de::DeserializeOwned>(ordinary: Value, differs: &[Value]) -> Vec<R> {
        let one = |differs: &Value| {
            let mut row = ordinary.clone();
            for (key, value) in differs.as_object().unwrap() {
                row[key] = value.clone();
            }
            serde_json::from_value(row).unwrap()
        };
        differs.iter().map(one).collect()
    }

    fn check(waiting: &Waiting, expected: Value) {
        assert_eq!(serde_json::to_value(answer(waiting)).unwrap(), expected);
    }

    fn inbox(items: &[Value]) -> Vec<views::InboxRow> {
        let items: Vec<Value> = items.iter().map(|item| json!({ "item": item })).collect();
        let ordinary = json!({
            "task": null, "phase": null, "text": "", "severity": null,
            "holdsUp": { "timeMs": 0, "tasks": 0 }, "sinceAt": 0,
        });
        rows(ordinary, &items)
    }

    fn questions(differs: &[Value]) -> Waiting {
        let ordinary = json!({
            "session": "s_3", "agent": "ada", "task": "T1", "kind": "text", "text": "Which?", "askedText": null,
            "options": [], "default": null, "context": null, "required": true, "permission": null,
            "isInTurn": false, "status": "pending", "answer": null, "answeredBy": null, "askedBack": [],
            "withdrawn": null, "holdsUp": { "timeMs": 0, "tasks": 0 }, "chat": null, "askedAt": 0,
            "withPersonAt": 0, "expiresAt": null, "answeredAt": null, "deliveredAt": null,
        });
        let items: Vec<Value> =
            differs.iter().map(|row| json!({ "type": "question", "id": row["id"] })).collect();
        Waiting { inbox: inbox(&items), questions: rows(ordinary, differs), ..Waiting::default() }
    }

    fn requests(differs: &[Value]) -> Waiting {
        let ordinary = json!({
            "session": "s_3", "agent": "ada", "task": "T1", "type": "api_key", "name": "KEY",
            "description": "for the model", "required": true, "default": null, "status": "asked",
            "provided": null, "tookDefault": false, "refused": null, "delivered": false, "settledBy": null,
            "holdsUp": { "timeMs": 0, "tasks": 0 }, "askedAt": 0, "settledAt": null, "deliveredAt": null,
        });
        let items: Vec<Value> =
            differs.iter().map(|row| json!({ "type": "request", "id": row["id"] })).collect();
        Waiting { inbox: inbox(&items), requests: rows(ordinary, differs), ..Waiting::default() }
    }

    #[test]
    fn a_question_gets_its_default_or_its_first_option() {
        let waiting = questions(&[
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
        check(&waiting, json!(expected));
    }

    #[test]
    fn a_permission_is_given_and_a_gate_approved() {
        let wish = json!({ "prompt": "p", "kind": "run", "subject": "make" });
        let mut waiting = questions(&[
            json!({ "id": "q_1", "kind": "permission", "options": ["deny", "allow"], "permission": wish }),
        ]);
        waiting.inbox.extend(inbox(&[json!({ "type": "gate", "id": 2 })]));
        let allow =
            json!({ "answer": { "question": "q_1", "task": null, "answer": "allow", "scope": "once" } });
        check(&waiting, json!([allow, { "approveGate": { "phase": 2, "note": null } }]));
    }

    #[test]
    fn what_is_here_is_provided_what_is_not_is_refused_or_skipped() {
        let waiting = requests(&[
            json!({ "id": "d_1", "type": "permission" }),
            json!({ "id": "d_2" }),
            json!({ "id": "d_3", "required": false }),
        ]);
        let granted = json!({ "request": "d_1", "provided": { "type": "permission", "granted": true } });
        let refused = json!({ "request": "d_2", "reason": "nobody is here who has it" });
        check(&waiting, json!([{ "provide": granted }, { "refuse": refused }, { "skipRequest": "d_3" }]));
    }

    #[test]
    fn an_escalation_gets_what_is_suggested_first_and_was_not_done_before() {
        let ordinary = json!({
            "kind": "blocked", "severity": "high", "task": "T1", "phase": null, "session": null, "agent": null,
            "title": "", "description": "", "context": "", "suggested": [], "status": "open", "level": "person",
            "levelSession": null, "action": null, "note": null, "resolvedBy": null,
            "holdsUp": { "timeMs": 0, "tasks": 0 }, "createdAt": 0, "resolvedAt": null,
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
        let waiting =
            Waiting { inbox: inbox(&items), escalations: rows(ordinary, &differs), ..Waiting::default() };
        let resolve = |id: &str, action: &str| json!({ "resolve": { "escalation": id, "action": { "type": action }, "note": null } });
        let expected = [
            resolve("e_1", "retry"),
            resolve("e_2", "dismiss"),
            resolve("e_4", "skip"),
            resolve("e_6", "retry"),
        ];
        check(&waiting, json!(expected));
    }

    #[test]
    fn what_is_no_longer_there_gets_no_answer() {
        let item = json!({ "type": "question", "id": "q_9" });
        check(&Waiting { inbox: inbox(&[item]), ..Waiting::default() }, json!([]));
    }
}
