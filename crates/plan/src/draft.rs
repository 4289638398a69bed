//! A plan while it is parsed: tasks as written, before dependencies are resolved and ids are checked.

use std::{collections::HashMap, ops::Range};

use domain::{Budget, PhaseNumber};

use crate::{
    dependencies::DependencyMention,
    ids::{self, IdSortKey, IndexById},
    plan::Task,
};

/// The result of parsing one file.
///
/// All mentions are in one list and each task owns a range of it, which avoids thousands of small allocations.
#[derive(Debug, Default)]
pub(crate) struct PlanDraft<'a> {
    pub(crate) title: String,
    /// Tasks whose `depends_on` is still empty.
    pub(crate) tasks: Vec<Task>,
    /// For each task, the sort key of its id.
    pub(crate) sort_keys: Vec<IdSortKey>,
    /// For each task, what the parser needs beyond [`Task`].
    pub(crate) task_drafts: Vec<TaskDraft>,
    /// The entries of all dependency lists.
    pub(crate) mentions: Vec<DependencyMention<'a>>,
    /// Dependencies that follow from the order of tasks, as indices into `tasks`.
    pub(crate) implied: Vec<usize>,
    pub(crate) phases: Vec<PhaseDraft>,
    /// Index into `tasks` by id, if the parser has already rejected duplicates; otherwise empty.
    pub(crate) index_by_id: IndexById<'a>,
    /// Dependency lists shared by several tasks, as ranges of `mentions`.
    pub(crate) shared_lists: Vec<Range<usize>>,
    /// Parents of subtasks: a dependency on the id means all these indices into `tasks`.
    pub(crate) subtask_groups: HashMap<String, Range<usize>>,
    /// Tasks whose id has a phase because the rest of it is not unique: `P5-T1.1` and `P7-T1.1` by `T1.1`.
    pub(crate) tasks_by_bare_id: HashMap<String, Vec<usize>>,
    /// Parts of the file that were read as tasks or as parts of tasks, in file order.
    pub(crate) covered: Vec<Range<usize>>,
    /// Dependencies that are written far from the task, as pairs of indices into `tasks`.
    pub(crate) distant: Vec<(usize, usize)>,
    /// Whether the parser assigned the ids because the file has none.
    pub(crate) has_assigned_ids: bool,
}

impl PlanDraft<'_> {
    pub(crate) fn reserve(&mut self, n_tasks: usize) {
        self.tasks.reserve(n_tasks);
        self.sort_keys.reserve(n_tasks);
        self.task_drafts.reserve(n_tasks);
    }

    #[inline]
    pub(crate) fn push_task(&mut self, task: Task, draft: TaskDraft) {
        self.sort_keys.push(ids::sort_key(task.id.as_str()));
        self.tasks.push(task);
        self.task_drafts.push(draft);
    }

    /// Keeps the tasks whose flag is true; `kept` returns one flag per task.
    pub(crate) fn retain_tasks<F: Iterator<Item = bool>>(&mut self, kept: impl Fn() -> F) {
        let mut flags = kept();
        self.tasks.retain(|_| flags.next().unwrap_or(false));
        let mut flags = kept();
        self.sort_keys.retain(|_| flags.next().unwrap_or(false));
        let mut flags = kept();
        self.task_drafts.retain(|_| flags.next().unwrap_or(false));
    }
}

/// Bounds the texts of parents that are copied to their children: a large text with many children would otherwise need
/// gigabytes. Beyond it, only the title is copied.
pub(crate) const CONTEXT_BYTES_MAX: usize = 32 * 1024 * 1024;

/// What the parser knows about a task beyond [`Task`].
#[derive(Debug, Clone)]
pub(crate) struct TaskDraft {
    pub(crate) id_span: Range<usize>,
    /// Range of `PlanDraft::mentions`.
    pub(crate) mentions: Range<usize>,
    /// Index into `PlanDraft::shared_lists`.
    pub(crate) shared_list: Option<usize>,
    /// Range of `PlanDraft::implied`.
    pub(crate) implied: Range<usize>,
    /// Where the file says whether the task is done.
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

/// The position in a file that says whether a task is done.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum StatusMark {
    /// The character between the brackets of a check box.
    Checkbox(Range<usize>),
    /// The word of a `Status` line or column.
    Word(Range<usize>),
    /// A symbol before or behind an id, such as `🔄`.
    Symbol(Range<usize>),
    /// A JSON string, including its quotes.
    JsonString(Range<usize>),
}

impl StatusMark {
    /// Returns the mark at a position that is larger by some bytes.
    pub(crate) fn moved_by(self, offset: usize) -> Self {
        let moved = |span: Range<usize>| span.start + offset..span.end + offset;
        match self {
            Self::Checkbox(span) => Self::Checkbox(moved(span)),
            Self::Word(span) => Self::Word(moved(span)),
            Self::Symbol(span) => Self::Symbol(moved(span)),
            Self::JsonString(span) => Self::JsonString(moved(span)),
        }
    }
}

/// A phase as written.
#[derive(Debug, Default)]
pub(crate) struct PhaseDraft {
    pub(crate) number: PhaseNumber,
    pub(crate) name: String,
    /// The phases it waits for, with their spans; `None` if the order of the phases decides.
    pub(crate) after: Option<Vec<(PhaseNumber, Range<usize>)>>,
    /// Earlier phases that it waits for in addition.
    pub(crate) also_after: Vec<PhaseNumber>,
    /// User stories next to each other run in parallel.
    pub(crate) is_story: bool,
    pub(crate) verify: Option<String>,
    pub(crate) artefacts: Vec<String>,
    pub(crate) budgets: Vec<Budget>,
}
