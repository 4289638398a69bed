//! The Kiro dialect: tasks run in file order, and nested tasks replace their parent unless its text says more.

use std::{
    collections::{BTreeSet, HashMap, hash_map::Entry},
    iter,
};

use crate::{
    dependencies,
    diagnostic::DiagnosticSink,
    draft::{CONTEXT_BYTES_MAX, PlanDraft},
    paths::push_paths,
    plan::Task,
    problem::Problem,
    text::{normalize_text, parse_values, strip_bullet, truncate_for_message},
};

use super::{OpenTask, coverage_of_parent, waves};

/// Sets the task's text, and reads the lines such as `_Requirements: 1.1_` in it.
pub(super) fn finish_task<'a>(text: &'a str, open: &OpenTask<'a>, plan: &mut PlanDraft<'a>) {
    let (Some(task), Some(draft)) = (plan.tasks.get_mut(open.index), plan.task_drafts.get_mut(open.index))
    else {
        return;
    };
    let mut below = String::new();
    for own in &open.own_text {
        open.item.push_dedented(text, own.clone(), &mut below);
    }
    let start = plan.mentions.len();
    for own in &open.own_text {
        let own = text.get(own.clone()).unwrap_or_default();
        let lists = own.lines().filter_map(parse_labelled_list);
        for (_, list) in lists.filter(|(label, _)| *label == LineLabel::Depends) {
            let base = crate::text::span_of_slice(text, list, 0).start;
            dependencies::parse_list(list, base, &mut plan.mentions);
        }
    }
    draft.mentions = start..plan.mentions.len();
    let mut kept = String::with_capacity(below.len());
    for line in below.split_inclusive('\n') {
        match parse_labelled_list(line) {
            Some((LineLabel::Requirements, list)) => task.references.extend(parse_values(list)),
            Some((LineLabel::Files, list)) => push_paths(list, &mut task.touches),
            Some((LineLabel::Depends, _)) => {}
            None => kept.push_str(line),
        }
    }
    task.text = normalize_text(&kept);
    push_paths(&task.title, &mut task.touches);
    push_paths(&task.text, &mut task.touches);
}

/// The label of a line in italics, which says what it lists.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum LineLabel {
    Requirements,
    Depends,
    Files,
}

/// Returns the label and list of a line `- _Requirements: 1.1, 2.3_`.
fn parse_labelled_list(line: &str) -> Option<(LineLabel, &str)> {
    const LABELS: [(&str, LineLabel); 13] = [
        ("requirements", LineLabel::Requirements),
        ("requirement", LineLabel::Requirements),
        ("요구사항", LineLabel::Requirements),
        ("요구 사항", LineLabel::Requirements),
        ("需求", LineLabel::Requirements),
        ("要件", LineLabel::Requirements),
        ("depends", LineLabel::Depends),
        ("depends on", LineLabel::Depends),
        ("dependencies", LineLabel::Depends),
        ("의존성", LineLabel::Depends),
        ("files", LineLabel::Files),
        ("file", LineLabel::Files),
        ("파일", LineLabel::Files),
    ];
    let line = strip_bullet(line.trim());
    let inside = line.strip_prefix('_').and_then(|line| line.strip_suffix('_'));
    let inside = inside.or_else(|| line.strip_prefix('*').and_then(|line| line.strip_suffix('*')))?;
    let (name, list) = inside.split_once([':', '：'])?;
    let name = name.trim_matches(|c: char| c.is_whitespace() || c == '*');
    let label = LABELS.iter().find(|(known, _)| name.eq_ignore_ascii_case(known)).map(|&(_, label)| label)?;
    Some((label, list.trim_start_matches('*').trim()))
}

/// Nesting, marks and waves of the tasks, beside the draft.
pub(super) struct ChainInput<'p> {
    /// For each task, the index of the task it is nested in.
    pub(super) parents: &'p [Option<usize>],
    /// Whether it may run beside its neighbours.
    pub(super) is_parallel: &'p [bool],
    /// The graph below the tasks, if any.
    pub(super) waves: Option<Vec<Vec<String>>>,
}

/// Removes parents that only group other tasks, and lets each remaining task depend on the one before it, or on the wave
/// before its own.
pub(super) fn chain_tasks(
    plan: &mut PlanDraft<'_>,
    input: &ChainInput<'_>,
    diagnostics: &mut DiagnosticSink,
) {
    let nesting = TaskNesting::new(&plan.tasks, input.parents);
    let mut is_heading = nesting.is_heading.clone();
    let mut context = vec![String::new(); plan.tasks.len()];
    // The files and references of a parent hold for all tasks below it.
    let mut lists = vec![ParentLists::default(); plan.tasks.len()];
    let mut n_context = 0;
    for index in (0..plan.tasks.len()).filter(|&index| nesting.is_heading[index]) {
        let children = nesting.children_of(index);
        let Some(parent) = plan.tasks.get(index) else { continue };
        // The text of its own parents reaches its children through it.
        if let Some(above) = nesting.parent[index].filter(|&above| is_heading[above]) {
            n_context += context[above].len();
            n_context += lists[above].n_bytes();
            if n_context <= CONTEXT_BYTES_MAX {
                context[index] = context[above].clone();
                lists[index] = lists[above].clone();
            }
        }
        lists[index].add(parent);
        let gap = if context[index].is_empty() { "" } else { "\n\n" };
        let title = format!("{}{gap}**{}. {}**", context[index], parent.id, parent.title);
        if parent.text.is_empty() {
            context[index] = title;
            continue;
        }
        let names: Vec<String> = children.iter().map(|&child| plan.tasks[child].id.to_string()).collect();
        let id = parent.id.to_string();
        let required = children.iter().map(|&child| &plan.tasks[child]).filter(|child| !child.optional);
        let problem = if coverage_of_parent::children_cover(parent, required) {
            context[index] = format!("{title}\n\n{}", parent.text);
            Problem::ParentIsContext { id, children: names }
        } else {
            is_heading[index] = false;
            Problem::ParentIsTask { id, children: names }
        };
        let span = plan.task_drafts.get(index).map(|draft| draft.id_span.clone()).unwrap_or_default();
        diagnostics.push(span, problem);
    }
    let mut n_copied = 0;
    for (index, task) in plan.tasks.iter_mut().enumerate().filter(|&(index, _)| !is_heading[index]) {
        let above = nesting.parent[index].map(|above| context[above].as_str()).unwrap_or_default();
        if !above.is_empty() && n_copied + above.len() <= CONTEXT_BYTES_MAX {
            n_copied += above.len();
            let text = &mut task.text;
            let gap = if text.is_empty() { "" } else { "\n\n" };
            *text = format!("{above}{gap}{text}");
        }
        if let Some(lists) =
            nesting.parent[index].filter(|&above| is_heading[above]).map(|above| &lists[above])
            && n_copied + lists.n_bytes() <= CONTEXT_BYTES_MAX
        {
            n_copied += lists.n_bytes();
            task.touches.extend_from_slice(&lists.touches);
            task.references.extend_from_slice(&lists.references);
        }
    }
    add_groups(plan, &nesting, &is_heading, diagnostics);
    let new_indices: Vec<Option<usize>> = is_heading
        .iter()
        .scan(0, |n_kept, &is_heading| {
            let new = *n_kept;
            *n_kept += usize::from(!is_heading);
            Some((!is_heading).then_some(new))
        })
        .collect();
    plan.retain_tasks(|| is_heading.iter().map(|is_heading| !is_heading));
    for (index, new) in new_indices.iter().enumerate() {
        let Some(new) = *new else { continue };
        plan.tasks[new].optional = nesting.is_optional[index];
    }
    let is_parallel: Vec<bool> = (0..new_indices.len())
        .filter(|&index| new_indices[index].is_some())
        .map(|index| input.is_parallel.get(index).copied().unwrap_or(false))
        .collect();
    let wave_of = input.waves.as_deref().map(|waves| waves::wave_of_tasks(plan, waves));
    match wave_of {
        Some(wave_of) => waves::chain_waves(plan, &wave_of, diagnostics),
        None => chain_by_position(plan, &is_parallel),
    }
    // A parent that is a task comes before its children, whatever the graph says.
    for (index, new) in new_indices.iter().enumerate() {
        let parent = nesting.parent[index].and_then(|parent| new_indices[parent]);
        if let (Some(new), Some(parent)) = (*new, parent)
            && nesting.is_heading[nesting.parent[index].unwrap_or_default()]
        {
            plan.distant.push((new, parent));
        }
    }
    plan.distant.sort_unstable();
}

/// What a parent that only groups other tasks lists for them.
#[derive(Debug, Clone, Default)]
struct ParentLists {
    touches: Vec<String>,
    references: Vec<String>,
}

impl ParentLists {
    fn add(&mut self, parent: &Task) {
        self.touches.extend_from_slice(&parent.touches);
        self.references.extend_from_slice(&parent.references);
    }

    fn n_bytes(&self) -> usize {
        self.touches.iter().chain(&self.references).map(String::len).sum()
    }
}

/// Lets each task depend on the one before it; tasks that may run in parallel depend on the last one that may not.
fn chain_by_position(plan: &mut PlanDraft<'_>, is_parallel: &[bool]) {
    let mut last = None;
    let mut beside: Vec<usize> = Vec::new();
    for index in 0..plan.tasks.len() {
        let start = plan.implied.len();
        let runs_beside = is_parallel.get(index).copied().unwrap_or(false);
        if runs_beside || beside.is_empty() {
            plan.implied.extend(last);
        } else {
            plan.implied.extend(&beside);
        }
        plan.task_drafts[index].implied = start..plan.implied.len();
        // Optional tasks are not part of the chain: the next task depends on the one before them.
        if plan.tasks[index].optional {
            continue;
        }
        if runs_beside {
            beside.push(index);
        } else {
            last = Some(index);
            beside.clear();
        }
    }
}

/// Lets the id of a parent mean all tasks below it, and itself if it is a task. Of two parents with one id, the first
/// counts; a note quotes the other one, and one that has only duplicates.
fn add_groups(
    plan: &mut PlanDraft<'_>,
    nesting: &TaskNesting,
    is_heading: &[bool],
    diagnostics: &mut DiagnosticSink,
) {
    let kept_before: Vec<usize> = iter::once(0)
        .chain(is_heading.iter().scan(0, |n_kept, &is_heading| {
            *n_kept += usize::from(!is_heading);
            Some(*n_kept)
        }))
        .collect();
    let mut first_by_id: HashMap<&str, usize> = HashMap::new();
    for (index, task) in plan.tasks.iter().enumerate().filter(|&(index, _)| !is_heading[index]) {
        first_by_id.entry(task.id.as_str()).or_insert(index);
    }
    for index in (0..is_heading.len()).filter(|&index| nesting.is_heading[index]) {
        let end = nesting.descendants_end(index);
        let members = kept_before[index]..kept_before[end];
        let Some(task) = plan.tasks.get(index).filter(|_| !members.is_empty()) else { continue };
        let is_duplicate = |&member: &usize| first_by_id.get(plan.tasks[member].id.as_str()) != Some(&member);
        let mut is_lost =
            (index..end).filter(|&member| !is_heading[member]).all(|member| is_duplicate(&member));
        match plan.subtask_groups.entry(task.id.to_string()) {
            Entry::Vacant(entry) => {
                entry.insert(members);
            }
            Entry::Occupied(_) => is_lost = is_heading[index],
        }
        if is_lost {
            let line = truncate_for_message(&format!("{}. {}", task.id, task.title));
            diagnostics.push(plan.task_drafts[index].id_span.clone(), Problem::NotRead { line, n_more: 0 });
        }
    }
}

/// How tasks are nested in each other; one entry per task.
struct TaskNesting {
    /// The task above it, by indentation or by its id.
    parent: Vec<Option<usize>>,
    /// True if a required task is nested in it: the nested tasks are then the work.
    is_heading: Vec<bool>,
    /// True if it or one of its ancestors is marked optional.
    is_optional: Vec<bool>,
}

impl TaskNesting {
    /// Considers both ids and indentation, because real files write `2.1` below `2.` with and without it.
    ///
    /// A parent whose nested tasks are all optional stays a task, otherwise its own work would be lost.
    fn new(tasks: &[Task], parents: &[Option<usize>]) -> Self {
        let mut is_heading = vec![false; tasks.len()];
        let mut is_optional: Vec<bool> = Vec::with_capacity(tasks.len());
        let mut parent: Vec<Option<usize>> = Vec::with_capacity(tasks.len());
        let mut index_by_id = HashMap::new();
        for (index, (task, nested_in)) in tasks.iter().zip(parents).enumerate() {
            let by_id = ancestor_ids(task.id.as_str()).find_map(|id| index_by_id.get(id.as_str()).copied());
            let above: Option<usize> = nested_in.or(by_id);
            let is_optional_here =
                task.optional || above.is_some_and(|above| is_optional.get(above) == Some(&true));
            let mut at = above.filter(|_| !task.optional);
            while let Some(above) = at {
                if std::mem::replace(&mut is_heading[above], true) {
                    break;
                }
                at = parent.get(above).copied().flatten();
            }
            parent.push(above);
            is_optional.push(is_optional_here);
            index_by_id.entry(task.id.as_str()).or_insert(index);
        }
        Self { parent, is_heading, is_optional }
    }

    fn children_of(&self, index: usize) -> Vec<usize> {
        let later = self.parent.iter().enumerate().skip(index + 1);
        later
            .take(self.descendants_end(index) - index - 1)
            .filter(|(_, above)| **above == Some(index))
            .map(|(child, _)| child)
            .collect()
    }

    /// Returns the index behind the last task below this one.
    fn descendants_end(&self, index: usize) -> usize {
        let is_below = |&task: &usize| {
            iter::successors(self.parent[task], |&above| self.parent[above]).any(|above| above == index)
        };
        (index + 1..self.parent.len()).take_while(is_below).last().map_or(index + 1, |last| last + 1)
    }
}

/// Returns the ids above an id, nearest first: `2.1` and `2` for `2.1.3`, also `2.0` for `2.1`.
fn ancestor_ids(id: &str) -> impl Iterator<Item = String> {
    let above = iter::successors(id.rsplit_once('.'), |(parent, _)| parent.rsplit_once('.'));
    above.flat_map(|(parent, last)| {
        let zero = (last != "0").then(|| format!("{parent}.0"));
        iter::once(parent.to_owned()).chain(zero)
    })
}

/// Tells whether a title names tests.
pub(super) fn is_test(title: &str) -> bool {
    let title = title.to_lowercase();
    ["test", "테스트", "テスト", "测试"].iter().any(|word| title.contains(word))
}

/// Returns the distinct words of a text that say what it is about.
pub(super) fn significant_words(text: &str) -> BTreeSet<String> {
    let words = text.split(|c: char| !c.is_alphanumeric());
    let is_significant =
        |word: &&str| if word.is_ascii() { word.len() >= 4 } else { word.chars().count() >= 2 };
    words.filter(is_significant).map(stem).collect()
}

/// Cuts the ending of a word, so that `models` and `model` are the same.
fn stem(word: &str) -> String {
    let word = word.to_lowercase();
    match word.is_ascii() {
        true => word
            .strip_suffix("ing")
            .or_else(|| word.strip_suffix('s'))
            .unwrap_or(&word)
            .chars()
            .take(6)
            .collect(),
        false => word.chars().take(2).collect(),
    }
}
