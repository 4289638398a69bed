//! Draws a plan as a graph for other programs: Mermaid and Graphviz.

use std::{collections::HashMap, fmt::Write};

use crate::plan::{Phase, Plan, Task};

/// Returns the plan as a Mermaid flowchart.
pub fn to_mermaid(plan: &Plan) -> String {
    let mut out = String::from("flowchart LR\n");
    for phase in &plan.phases {
        push(
            &mut out,
            format_args!("  subgraph p{}[\"{}\"]\n", phase.number, mermaid_text(&phase_label(phase))),
        );
        for (index, task) in tasks_of(plan, phase) {
            let class = if task.done { ":::done" } else { "" };
            push(&mut out, format_args!("    t{index}[\"{}\"]{class}\n", mermaid_text(&task_label(task))));
        }
        out.push_str("  end\n");
    }
    for_each_edge(plan, |from, to| push(&mut out, format_args!("  t{from} --> t{to}\n")));
    for phase in &plan.phases {
        for after in &phase.after {
            push(&mut out, format_args!("  p{after} --> p{}\n", phase.number));
        }
    }
    if plan.tasks.iter().any(|task| task.done) {
        out.push_str("  classDef done opacity:0.5\n");
    }
    out
}

/// Returns the plan as a graph of Graphviz.
pub fn to_dot(plan: &Plan) -> String {
    let mut out = String::from("digraph plan {\n  rankdir=LR;\n  compound=true;\n  node [shape=box];\n");
    for phase in &plan.phases {
        push(
            &mut out,
            format_args!(
                "  subgraph cluster_p{} {{\n    label=\"{}\";\n",
                phase.number,
                dot_text(&phase_label(phase))
            ),
        );
        for (index, task) in tasks_of(plan, phase) {
            let style = if task.done { ", style=dashed" } else { "" };
            push(
                &mut out,
                format_args!("    t{index} [label=\"{}\"{style}];\n", dot_text(&task_label(task))),
            );
        }
        out.push_str("  }\n");
    }
    for_each_edge(plan, |from, to| push(&mut out, format_args!("  t{from} -> t{to};\n")));
    for phase in &plan.phases {
        let first = tasks_of(plan, phase).next();
        let before = phase.after.iter().filter_map(|after| {
            let before = plan.phases.iter().find(|before| before.number == *after)?;
            Some((before, tasks_of(plan, before).last()?))
        });
        for (before, (last, _)) in before {
            if let Some((first, _)) = first {
                push(
                    &mut out,
                    format_args!(
                        "  t{last} -> t{first} [ltail=cluster_p{}, lhead=cluster_p{}, style=bold];\n",
                        before.number, phase.number
                    ),
                );
            }
        }
    }
    out.push_str("}\n");
    out
}

fn push(out: &mut String, text: std::fmt::Arguments<'_>) {
    // Writing to a string cannot fail.
    out.write_fmt(text).unwrap_or_default();
}

fn phase_label(phase: &Phase) -> String {
    let colon = if phase.name.is_empty() { "" } else { ": " };
    format!("Phase {}{colon}{}", phase.number, phase.name)
}

fn task_label(task: &Task) -> String {
    let optional = if task.optional { " (optional)" } else { "" };
    format!("{}: {}{optional}", task.id, task.title)
}

fn tasks_of<'p>(plan: &'p Plan, phase: &'p Phase) -> impl Iterator<Item = (usize, &'p Task)> {
    plan.tasks.iter().enumerate().filter(|(_, task)| task.phase == phase.number)
}

/// Calls `visit` with the indices of a dependency and of the task that waits for it.
fn for_each_edge(plan: &Plan, mut visit: impl FnMut(usize, usize)) {
    let index_by_id: HashMap<_, _> =
        plan.tasks.iter().enumerate().map(|(index, task)| (&task.id, index)).collect();
    for (to, task) in plan.tasks.iter().enumerate() {
        task.depends_on.iter().filter_map(|id| index_by_id.get(id)).for_each(|&from| visit(from, to));
    }
}

/// Escapes what ends a label or starts markup in Mermaid.
fn mermaid_text(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '"' => escaped.push_str("#quot;"),
            '<' => escaped.push_str("#lt;"),
            '>' => escaped.push_str("#gt;"),
            '#' => escaped.push_str("#35;"),
            '`' => escaped.push('\''),
            character if character.is_control() => escaped.push(' '),
            character => escaped.push(character),
        }
    }
    escaped
}

fn dot_text(text: &str) -> String {
    let plain = text.chars().map(|character| if character.is_control() { ' ' } else { character });
    plain.collect::<String>().replace('\\', "\\\\").replace('"', "\\\"")
}
