//! Plan files → [`Plan`]: phases of tasks with dependencies, and every error placed in the text.
//!
//! Reads what people already have (Task Master's tasks.json, a TASKS.md, the check lists of Spec Kit and Kiro),
//! ticks a box in it, and writes a plan out again. Never does IO, and never fails: what cannot be read is a
//! diagnostic beside what could.

mod assemble;
mod checklist;
mod dependencies;
mod diagnostic;
mod draft;
mod format;
mod graph;
mod heading;
mod ids;
mod item;
mod keys;
mod markdown;
mod phases;
mod place;
mod plan;
mod read;
mod report;
mod resolve;
mod taskmaster;
mod tasks_md;
mod text;
mod tick;
mod values;
mod write;

pub use diagnostic::{Code, DIAGNOSTICS_MAX, Diagnostic, Severity};
pub use format::Format;
pub use graph::{Cycle, Graph, Step};
pub use place::{Place, Places};
pub use plan::{Phase, Plan, Task};
pub use read::{FILE_BYTES_MAX, Options, Reading, read};
pub use report::{PlacedDiagnostic, Report};
pub use tick::{Edit, Tick, tick};
pub use write::write;
