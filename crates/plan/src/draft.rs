//! A plan while it is read: tasks as they were found, before anybody asked whether they fit together.

use std::{collections::HashMap, ops::Range};

use domain::{Budget, PhaseNumber};

use crate::{
    dependencies::DependencyMention,
    ids::{self, IdSortKey, IndexById},
    plan::Task,
};

/// What a reader found in a file.
///
/// Lists of thousands of tasks would be thousands of small allocations, so all mentions are in one list, and each task
/// has a range of it.
#[derive(Debug, Default)]
pub(crate) struct PlanDraft<'a> {
    pub(crate) title: String,
    /// The tasks, whose dependencies are still empty.
    pub(crate) tasks: Vec<Task>,
    /// The key of each task's id.
    pub(crate) sort_keys: Vec<IdSortKey>,
    /// What else is known about each task.
    pub(crate) task_drafts: Vec<TaskDraft>,
    /// What the dependency lists say.
    pub(crate) mentions: Vec<DependencyMention<'a>>,
    /// What tasks wait for without a word, as places in `tasks`.
    pub(crate) implied: Vec<usize>,
    pub(crate) phases: Vec<PhaseDraft>,
    /// Every id's place in `tasks`, where the reader knows already that none is there twice; else empty.
    pub(crate) index_by_id: IndexById<'a>,
    /// Dependency lists that several tasks have in common, as ranges of `mentions`.
    pub(crate) shared_lists: Vec<Range<usize>>,
    /// Headings of other tasks: a dependency on one means on all of these, given as places in `tasks`.
    pub(crate) subtask_groups: HashMap<String, Range<usize>>,
}

impl PlanDraft<'_> {
    /// Makes room for so many more tasks.
    pub(crate) fn reserve(&mut self, n_tasks: usize) {
        self.tasks.reserve(n_tasks);
        self.sort_keys.reserve(n_tasks);
        self.task_drafts.reserve(n_tasks);
    }

    /// Adds a task.
    #[inline]
    pub(crate) fn push(&mut self, task: Task, draft: TaskDraft) {
        self.sort_keys.push(ids::sort_key(task.id.as_str()));
        self.tasks.push(task);
        self.task_drafts.push(draft);
    }

    /// Keeps the tasks that the given flags tell to keep, one for each.
    pub(crate) fn retain<F: Iterator<Item = bool>>(&mut self, kept: impl Fn() -> F) {
        let mut flags = kept();
        self.tasks.retain(|_| flags.next().unwrap_or(false));
        let mut flags = kept();
        self.sort_keys.retain(|_| flags.next().unwrap_or(false));
        let mut flags = kept();
        self.task_drafts.retain(|_| flags.next().unwrap_or(false));
    }
}

/// What is known about a task beside the task itself.
#[derive(Debug, Clone)]
pub(crate) struct TaskDraft {
    pub(crate) id_span: Range<usize>,
    /// What its dependency list says, as a range of `DraftPlan::mentions`.
    pub(crate) mentions: Range<usize>,
    /// The list in `DraftPlan::shared` that is its too.
    pub(crate) shared_list: Option<usize>,
    /// What it waits for without a word, as a range of `DraftPlan::implied`.
    pub(crate) implied: Range<usize>,
    /// Where it is marked as done.
    pub(crate) status_mark: Option<StatusMark>,
    pub(crate) is_deferred: bool,
}

impl TaskDraft {
    pub(crate) fn new(id_span: Range<usize>) -> Self {
        Self {
            id_span,
            mentions: 0..0,
            shared_list: None,
            implied: 0..0,
            status_mark: None,
            is_deferred: false,
        }
    }
}

/// The place in a file that says whether a task is done.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum StatusMark {
    /// What is between the brackets of a check box.
    Checkbox(Range<usize>),
    /// The word of a `Status` line or column.
    Word(Range<usize>),
    /// A JSON string.
    JsonString(Range<usize>),
}

/// A phase as it was found.
#[derive(Debug, Default)]
pub(crate) struct PhaseDraft {
    pub(crate) number: PhaseNumber,
    pub(crate) name: String,
    /// The phases it waits for, where the file says so; else the order of the phases decides.
    pub(crate) after: Option<Vec<(PhaseNumber, Range<usize>)>>,
    /// Whether it stands beside its neighbours that do too.
    pub(crate) is_story: bool,
    pub(crate) verify: Option<String>,
    pub(crate) artefacts: Vec<String>,
    pub(crate) budgets: Vec<Budget>,
}
