//! Reads dependencies from the Mermaid diagrams of a file whose tasks name none.

use std::collections::HashMap;

use crate::{
    dependencies::{DependencyMention, MentionTarget, push_ids_among_words},
    diagnostic::DiagnosticSink,
    draft::PlanDraft,
    problem::Problem,
    text::span_of_slice,
};

/// Edges beyond this number are not read.
const EDGES_MAX: usize = 1 << 16;
const ARROWS: [&str; 3] = ["-->", "-.->", "==>"];

/// Adds the dependencies that the diagrams show between tasks of the plan.
pub(super) fn add_dependencies(text: &str, plan: &mut PlanDraft<'_>, diagnostics: &mut DiagnosticSink) {
    let lines = diagram_lines(text);
    if lines.is_empty() {
        return;
    }
    let mut nodes = NodeIndex::new(plan);
    lines.iter().flat_map(|(_, line)| node_groups(line)).flatten().for_each(|node| nodes.add_label(node));
    let n_before = plan.distant.len();
    let mut first_span = None;
    for (start, line) in &lines {
        let groups: Vec<Vec<&str>> = node_groups(line);
        for pair in groups.windows(2) {
            let [earlier, later] = pair else { continue };
            for (earlier, later) in earlier.iter().flat_map(|one| later.iter().map(move |other| (one, other)))
            {
                let (Some(dependency), Some(task)) = (nodes.task_of(earlier), nodes.task_of(later)) else {
                    continue;
                };
                let span = *start..*start + line.len();
                if dependency < task && plan.distant.len() - n_before < EDGES_MAX {
                    plan.distant.push((task, dependency));
                    first_span.get_or_insert(span);
                } else if dependency > task {
                    let id = |index: usize| plan.tasks[index].id.to_string();
                    diagnostics.push(span, Problem::ForwardDependency { from: id(task), to: id(dependency) });
                }
            }
        }
    }
    plan.distant.sort_unstable();
    plan.distant.dedup();
    if let Some(span) = first_span {
        diagnostics.push(span, Problem::OrderFromDiagram { n: plan.distant.len() - n_before });
    }
}

/// Returns the lines of all Mermaid diagrams, with their positions.
fn diagram_lines(text: &str) -> Vec<(usize, &str)> {
    const OTHER_STATEMENTS: [&str; 6] = ["%%", "style ", "class ", "classDef ", "subgraph ", "linkStyle "];
    let mut lines = Vec::new();
    if !text.contains("```mermaid") {
        return lines;
    }
    let mut in_diagram = false;
    for line in text.lines().map(str::trim) {
        if line.starts_with("```") {
            in_diagram = line == "```mermaid";
        } else if in_diagram && !OTHER_STATEMENTS.iter().any(|other| line.starts_with(other)) {
            lines.push((span_of_slice(text, line, 0).start, line));
        }
    }
    lines
}

/// Splits `A & B --> C` into the nodes between the arrows.
fn node_groups(line: &str) -> Vec<Vec<&str>> {
    let mut groups = vec![line];
    for arrow in ARROWS {
        groups = groups.into_iter().flat_map(|part| part.split(arrow)).collect();
    }
    groups.into_iter().map(|group| group.split('&').map(without_edge_label).collect()).collect()
}

/// Removes the label of an arrow: `|then| B`.
fn without_edge_label(node: &str) -> &str {
    let node = node.trim();
    node.strip_prefix('|').and_then(|rest| rest.split_once('|')).map_or(node, |(_, node)| node.trim())
}

/// Which task a node stands for.
struct NodeIndex {
    /// By the id, and by its letters and digits alone: `T051` for `T0.5.1`.
    by_id: HashMap<String, usize>,
    by_name: HashMap<String, usize>,
}

impl NodeIndex {
    fn new(plan: &PlanDraft<'_>) -> Self {
        let mut by_id = HashMap::new();
        for (index, task) in plan.tasks.iter().enumerate() {
            by_id.entry(compact(task.id.as_str())).or_insert(index);
        }
        for (index, task) in plan.tasks.iter().enumerate() {
            by_id.insert(task.id.to_string(), index);
        }
        Self { by_id, by_name: HashMap::new() }
    }

    /// Remembers the id in the label of `name[label]`.
    fn add_label(&mut self, node: &str) {
        let (name, label) = split_label(node);
        let mut found = Vec::new();
        push_ids_among_words(label, 0, &mut found);
        let id = found.iter().find_map(|DependencyMention { target, .. }| match target {
            MentionTarget::Ids(ids) => self
                .by_id
                .get(ids.first.with_phase().as_ref())
                .or_else(|| self.by_id.get(ids.first.id.as_ref())),
            MentionTarget::Name(_) => None,
        });
        if let Some(&index) = id {
            self.by_name.entry(name.to_owned()).or_insert(index);
        }
    }

    fn task_of(&self, node: &str) -> Option<usize> {
        let (name, _) = split_label(node);
        self.by_name.get(name).or_else(|| self.by_id.get(name)).copied()
    }
}

/// Splits `T051["T0.5.1 Contract"]` into the name and the label.
fn split_label(node: &str) -> (&str, &str) {
    let end = node.find(['[', '(', '{']).unwrap_or(node.len());
    let (name, label) = node.split_at(end);
    (name.trim(), label.trim_matches(['[', ']', '(', ')', '{', '}', '"']))
}

fn compact(id: &str) -> String {
    id.chars().filter(char::is_ascii_alphanumeric).collect()
}
