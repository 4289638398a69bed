//! The plan of Claude Code, which its model maintains with tools, in the old and in the new format.

use serde::Deserialize;
use serde_json::value::RawValue;

use super::output_lines::parse_raw_value;
use crate::{
    driver::{DriverEvent, PlanStep, StepStatus},
    json::LenientText,
};

/// The most steps of a plan; further ones are ignored.
const STEPS_MAX: usize = 256;

/// The current plan. Empty in a driver that takes over a running session.
#[derive(Debug, Default)]
pub(super) struct PlanTracker {
    steps: Vec<Step>,
}

#[derive(Debug)]
struct Step {
    /// The id of the call that created it, until the agent reports the id of the step.
    id: StepId,
    step: PlanStep,
}

#[derive(Debug, PartialEq, Eq)]
enum StepId {
    Call(String),
    Known(String),
}

impl PlanTracker {
    /// Applies the use of a tool, and returns the whole plan if it changed.
    pub(super) fn apply_tool_use(&mut self, call: &str, tool: &str, input: &RawValue) -> Option<DriverEvent> {
        match tool {
            "TodoWrite" => {
                let TodoWriteInput { todos } = parse_raw_value(input)?;
                let step = |todo: TodoItem| {
                    Some(Step {
                        id: StepId::Call(call.to_owned()),
                        step: PlanStep { text: todo.content.0?, status: step_status(todo.status.text()) },
                    })
                };
                self.steps = todos.into_iter().filter_map(step).take(STEPS_MAX).collect();
            }
            "TaskCreate" => {
                let TaskCreateInput { subject } = parse_raw_value(input)?;
                if self.steps.len() == STEPS_MAX {
                    return None;
                }
                let step = PlanStep { text: subject, status: StepStatus::Waiting };
                self.steps.push(Step { id: StepId::Call(call.to_owned()), step });
            }
            "TaskUpdate" => {
                let TaskUpdateInput { task_id, subject, status: word } = parse_raw_value(input)?;
                let place = self.steps.iter().position(|step| step.id == StepId::Known(task_id.clone()))?;
                if word.text() == Some("deleted") {
                    self.steps.remove(place);
                } else if let Some(Step { step, .. }) = self.steps.get_mut(place) {
                    step.text = subject.0.unwrap_or_else(|| step.text.clone());
                    step.status = word.text().map_or(step.status, |word| step_status(Some(word)));
                }
            }
            _ => return None,
        }
        let steps = self.steps.iter().map(|step| step.step.clone()).collect();
        Some(DriverEvent::Plan { steps })
    }

    /// Reads the id of a created step from the output of the tool.
    pub(super) fn read_step_id(&mut self, call: &str, printed: &str) {
        let created = self.steps.iter_mut().find(|step| step.id == StepId::Call(call.to_owned()));
        let number = printed
            .split_once('#')
            .map(|(_, rest)| rest.chars().take_while(char::is_ascii_alphanumeric).collect::<String>());
        if let Some((step, number)) = created.zip(number.filter(|number| !number.is_empty())) {
            step.id = StepId::Known(number);
        }
    }
}

fn step_status(word: Option<&str>) -> StepStatus {
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
