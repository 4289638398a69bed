//! The decisions of the user: answers, a denial, approvals and a rejection. Each is made once, when the log shows that it
//! is due.

use std::collections::BTreeSet;

use anyhow::{Result, bail};
use serde_json::Value;

use super::agent_tasks::{DATABASE, DENIAL, FIRST_TO_MERGE, REJECTION, REWORKED_TASK, SEARCH_ANSWER};
use crate::{
    project::Project,
    run_log::{Log, text_field},
};

/// The user, with the decisions made so far.
#[derive(Default)]
pub(super) struct User {
    /// Questions, and rounds of gates.
    decided: BTreeSet<String>,
}

impl User {
    /// Makes all decisions that are due.
    pub(super) fn decide(&mut self, project: &Project, log: &Log) -> Result<()> {
        for question in log.events_of_kind("QuestionAsked") {
            let id = text_field(question, "question");
            if self.decided.contains(id) {
                continue;
            }
            let Some(answer) = answer_to(log, question)? else { continue };
            project.jangdan(&[&["answer", id], answer].concat())?;
            self.decided.insert(id.to_owned());
        }
        for gate in log.events_of_kind("GatePassed") {
            let [phase, round] = ["phase", "round"].map(|name| gate.get(name).and_then(Value::as_u64));
            let name = format!("gate {phase:?} {round:?}");
            if self.decided.contains(&name) {
                continue;
            }
            let phase = phase.unwrap_or_default();
            if (phase, round) == (2, Some(1)) {
                project.jangdan(&["reject", "2", REJECTION, "--task", REWORKED_TASK])?;
            } else {
                project.jangdan(&["approve", &phase.to_string()])?;
            }
            self.decided.insert(name);
        }
        Ok(())
    }
}

/// Returns the arguments that answer a question; `None` while it has to wait.
fn answer_to(log: &Log, question: &Value) -> Result<Option<&'static [&'static str]>> {
    Ok(match (text_field(question, "task"), text_field(question, "kind")) {
        ("T1.1", "text") => Some(&[DATABASE]),
        ("T1.2", "permission") => Some(&["deny", "--reason", DENIAL]),
        // Only after the other task is merged, so that the work of this one conflicts.
        ("T2.2", "text") => {
            let is_merged = log.events_about("TaskDone", FIRST_TO_MERGE).next().is_some();
            is_merged.then_some(&[SEARCH_ANSWER])
        }
        _ => bail!("a question too many: {question}"),
    })
}
