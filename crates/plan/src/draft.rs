//! A plan while it is read: tasks as they were found, before anybody asked whether they fit together.

use std::{collections::HashMap, ops::Range};

use domain::{PhaseNumber, TaskId};

use crate::{dependencies::Mention, plan::Task};

/// What a reader found in a file.
#[derive(Debug, Default)]
pub(crate) struct DraftPlan<'a> {
    pub(crate) title: String,
    pub(crate) drafts: Vec<Draft<'a>>,
    pub(crate) phases: Vec<DraftPhase>,
    /// Every id's place in `drafts`, where the reader knows already that none is there twice; else empty.
    pub(crate) places: HashMap<TaskId, usize>,
    /// Dependency lists that several drafts have in common.
    pub(crate) shared: Vec<Vec<Mention<'a>>>,
    /// Headings of other tasks: a dependency on one means on all of these, given as places in `drafts`.
    pub(crate) groups: HashMap<TaskId, Vec<usize>>,
}

/// A task as it was found.
#[derive(Debug)]
pub(crate) struct Draft<'a> {
    /// The task; its dependencies are still empty.
    pub(crate) task: Task,
    pub(crate) id_span: Range<usize>,
    /// What its dependency list says.
    pub(crate) mentions: Vec<Mention<'a>>,
    /// The list in `DraftPlan::shared` that is its too.
    pub(crate) shared: Option<usize>,
    /// What it waits for without a word, as places in the list of drafts.
    pub(crate) implied: Vec<usize>,
    /// Where it is marked as done.
    pub(crate) mark: Option<Mark>,
    pub(crate) is_deferred: bool,
}

impl Draft<'_> {
    pub(crate) fn new(id: TaskId, id_span: Range<usize>) -> Self {
        Self {
            task: Task::new(id, String::new()),
            id_span,
            mentions: Vec::new(),
            shared: None,
            implied: Vec::new(),
            mark: None,
            is_deferred: false,
        }
    }
}

/// The place in a file that says whether a task is done.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Mark {
    /// What is between the brackets of a check box.
    Box(Range<usize>),
    /// The word of a `Status` line or column.
    Word(Range<usize>),
    /// A JSON string.
    Json(Range<usize>),
}

/// A phase as it was found.
#[derive(Debug)]
pub(crate) struct DraftPhase {
    pub(crate) number: PhaseNumber,
    pub(crate) name: String,
    /// The phases it waits for, where the file says so; else the order of the phases decides.
    pub(crate) after: Option<Vec<(PhaseNumber, Range<usize>)>>,
    /// Whether it stands beside its neighbours that do too.
    pub(crate) is_story: bool,
}
