//! What Claude Code is going to do: the list that its model keeps by tools, in the old form and in the new one.

use serde::Deserialize;
use serde_json::value::RawValue;

use super::output_lines::inner;
use crate::{
    driver::{DriverEvent, PlanStep, StepStatus},
    json::LenientText,
};

/// More steps than this are no plan that anybody reads.
const STEPS_MAX: usize = 256;

/// The list as it is now. One who takes over begins with an empty one.
#[derive(Debug, Default)]
pub(super) struct PlanTracker {
    steps: Vec<Step>,
}

#[derive(Debug)]
struct Step {
    /// The agent's own id of the call that made it, then of the step.
    id: StepId,
    step: PlanStep,
}

#[derive(Debug, PartialEq, Eq)]
enum StepId {
    Call(String),
    Known(String),
}

impl PlanTracker {
    /// Takes the use of a tool, and returns the whole list where it has changed.
    pub(super) fn take(&mut self, call: &str, tool: &str, input: &RawValue) -> Option<DriverEvent> {
        match tool {
            "TodoWrite" => {
                let TodoWriteInput { todos } = inner(input)?;
                let step = |todo: TodoItem| {
                    Some(Step {
                        id: StepId::Call(call.to_owned()),
                        step: PlanStep { text: todo.content.0?, status: status(todo.status.text()) },
                    })
                };
                self.steps = todos.into_iter().filter_map(step).take(STEPS_MAX).collect();
            }
            "TaskCreate" => {
                let TaskCreateInput { subject } = inner(input)?;
                if self.steps.len() == STEPS_MAX {
                    return None;
                }
                let step = PlanStep { text: subject, status: StepStatus::Waiting };
                self.steps.push(Step { id: StepId::Call(call.to_owned()), step });
            }
            "TaskUpdate" => {
                let TaskUpdateInput { task_id, subject, status: word } = inner(input)?;
                let place = self.steps.iter().position(|step| step.id == StepId::Known(task_id.clone()))?;
                if word.text() == Some("deleted") {
                    self.steps.remove(place);
                } else if let Some(Step { step, .. }) = self.steps.get_mut(place) {
                    step.text = subject.0.unwrap_or_else(|| step.text.clone());
                    step.status = word.text().map_or(step.status, |word| status(Some(word)));
                }
            }
            _ => return None,
        }
        let steps = self.steps.iter().map(|step| step.step.clone()).collect();
        Some(DriverEvent::Plan { steps })
    }

    /// Takes what a tool printed: a step that was made is told its id.
    pub(super) fn learn(&mut self, call: &str, printed: &str) {
        let made = self.steps.iter_mut().find(|step| step.id == StepId::Call(call.to_owned()));
        let number = printed
            .split_once('#')
            .map(|(_, rest)| rest.chars().take_while(char::is_ascii_alphanumeric).collect::<String>());
        if let Some((step, number)) = made.zip(number.filter(|number| !number.is_empty())) {
            step.id = StepId::Known(number);
        }
    }
}

fn status(word: Option<&str>) -> StepStatus {
    match word {
        Some("completed") => StepStatus::Done,
        Some("in_progress") => StepStatus::Running,
        _ => StepStatus::Waiting,
    }
}

#[derive(Debug, Deserialize)]
struct TodoWriteInput {
    todos: Vec<TodoItem>,
}

#[derive(Debug, Deserialize)]
struct TodoItem {
    #[serde(default)]
    content: LenientText,
    #[serde(default)]
    status: LenientText,
}

#[derive(Debug, Deserialize)]
struct TaskCreateInput {
    subject: String,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct TaskUpdateInput {
    task_id: String,
    #[serde(default)]
    subject: LenientText,
    #[serde(default)]
    status: LenientText,
}
