//! Says where in its file each field of a task was read.

use domain::{Priority, TaskId};

use crate::{
    dependencies::{IdReference, IdShape},
    heading::{self, Heading, PhaseHeadingNumber},
    parse::ParsedPlan,
    plan::Task,
};

/// A field of a task and where it comes from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FieldOrigin {
    /// Name as in the JSON of `jangdan plan check`.
    pub field: &'static str,
    pub value: String,
    pub origin: ValueOrigin,
}

/// Where a value comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ValueOrigin {
    /// A line of the file, from 1.
    Line(usize),
    /// The order of the tasks in the file.
    Order,
    /// The id of the task.
    Id,
    /// Nothing in the file says it.
    Default,
}

/// Returns the fields of a task with their origins; `None` if the plan has no such task.
pub fn explain(parsed: &ParsedPlan, source: &[u8], id: &TaskId) -> Option<Vec<FieldOrigin>> {
    let index = parsed.plan.tasks.iter().position(|task| task.id == *id)?;
    let task = parsed.plan.tasks.get(index)?;
    let text = String::from_utf8_lossy(source);
    let lines: Vec<&str> = text.lines().collect();
    // The task ends before the next one; a table may say more about it elsewhere.
    let later = parsed.plan.tasks.iter().map(|other| other.line).filter(|line| *line > task.line);
    let own = task.line..later.min().unwrap_or(lines.len() + 1);
    let find = |value: &str| -> Option<usize> {
        let first = value.lines().map(str::trim).find(|line| !line.is_empty())?;
        let holds = |line: &usize| lines.get(line - 1).is_some_and(|text| text.contains(first));
        let everywhere = 1..lines.len() + 1;
        let own_line = own.clone().find(holds).or_else(|| everywhere.clone().find(holds));
        // The heading of the parent, `**2. Use**`, is written in the file without the marks, or without the number.
        own_line.or_else(|| {
            let heading = first.strip_prefix("**")?.strip_suffix("**")?;
            let title = heading.split_once(". ").map_or(heading, |(_, title)| title);
            let line_with = |part: &str| {
                everywhere.clone().find(|line| lines.get(line - 1).is_some_and(|text| text.contains(part)))
            };
            line_with(heading).or_else(|| line_with(title))
        })
    };
    let mut fields =
        vec![FieldOrigin { field: "id", value: task.id.to_string(), origin: ValueOrigin::Line(task.line) }];
    let mut push = |field, value: &str, missing: ValueOrigin| {
        if !value.is_empty() {
            let origin = find(value).map_or(missing, ValueOrigin::Line);
            fields.push(FieldOrigin { field, value: value.to_owned(), origin });
        }
    };
    push("title", &task.title, ValueOrigin::Default);
    for name in &task.external {
        push("external", name, ValueOrigin::Default);
    }
    push("agent", task.agent.as_deref().unwrap_or_default(), ValueOrigin::Default);
    push("tester", task.tester.as_deref().unwrap_or_default(), ValueOrigin::Default);
    push("verify", task.verify.as_deref().unwrap_or_default(), ValueOrigin::Default);
    push("worktree", task.worktree.as_deref().unwrap_or_default(), ValueOrigin::Default);
    push("layer", task.layer.as_deref().unwrap_or_default(), ValueOrigin::Default);
    push("text", &task.text, ValueOrigin::Default);
    task.acceptance.iter().for_each(|criterion| push("acceptance", criterion, ValueOrigin::Default));
    task.touches.iter().for_each(|path| push("touches", path, ValueOrigin::Default));
    task.references.iter().for_each(|reference| push("references", reference, ValueOrigin::Default));
    fields.insert(1.min(fields.len()), phase_origin(task, &lines));
    for id in &task.depends_on {
        let mentions = |line: &usize| lines.get(line - 1).is_some_and(|text| names_id(text, id.as_str()));
        let origin = own.clone().find(mentions).map_or(ValueOrigin::Order, ValueOrigin::Line);
        fields.push(FieldOrigin { field: "dependsOn", value: id.to_string(), origin });
    }
    let status = parsed.status_line(index, source);
    let done = if task.done { "true" } else { "false" };
    fields.push(FieldOrigin {
        field: "done",
        value: done.to_owned(),
        origin: status.map_or(ValueOrigin::Default, ValueOrigin::Line),
    });
    if task.priority != Priority::Normal {
        let value = format!("{:?}", task.priority).to_lowercase();
        let line = own.clone().find(|line| {
            let text = lines.get(line - 1).map(|text| text.to_lowercase()).unwrap_or_default();
            text.contains("priority") || text.contains("우선")
        });
        fields.push(FieldOrigin {
            field: "priority",
            value,
            origin: line.map_or(ValueOrigin::Default, ValueOrigin::Line),
        });
    }
    Some(fields)
}

/// Tells whether a line names an id as a whole word.
fn names_id(line: &str, id: &str) -> bool {
    let is_word = |c: char| c.is_ascii_alphanumeric();
    line.match_indices(id).any(|(at, _)| {
        let (before, after) = (&line[..at], &line[at + id.len()..]);
        // In `FE/T1`, T1 is not named; in `T1/T2`, T2 is.
        let is_behind_area = before.strip_suffix('/').is_some_and(|area| {
            let word = &area[area.trim_end_matches(is_word).len()..];
            !word.is_empty() && IdReference::parse_whole(word).is_none()
        });
        let next = after.strip_prefix('.').unwrap_or(after);
        !is_behind_area && !before.ends_with(is_word) && !next.starts_with(is_word)
    })
}

fn phase_origin(task: &Task, lines: &[&str]) -> FieldOrigin {
    let above = lines.get(..task.line.min(lines.len())).unwrap_or_default();
    let is_own = |line: &str| {
        let content = line.trim();
        let heading = Heading::new(content, 0..content.len());
        let of_task = heading::parse_task_heading(&heading).and_then(|task| task.phase);
        let of_phase = heading::parse_phase_heading(heading.text).map(|phase| phase.number);
        content.starts_with('#')
            && (of_task == Some(task.phase) || of_phase == Some(PhaseHeadingNumber::Whole(task.phase)))
    };
    let heading = above.iter().rposition(|line| is_own(line));
    let named_by_id = match IdReference::parse_whole(task.id.as_str()) {
        Some(id) if id.shape() == IdShape::Compound => id.phase_of_compound() == Some(task.phase),
        Some(_) | None => task.id.numbers().next().and_then(|first| first.parse().ok()) == Some(task.phase),
    };
    let origin = match heading {
        Some(index) => ValueOrigin::Line(index + 1),
        None if named_by_id => ValueOrigin::Id,
        None => ValueOrigin::Default,
    };
    FieldOrigin { field: "phase", value: task.phase.to_string(), origin }
}

#[cfg(test)]
mod tests {
    use super::{ValueOrigin, explain, names_id};
    use crate::parse::{ParseOptions, parse};

    #[test]
    fn a_line_names_an_id_as_a_whole() {
        for (line, id, expected) in [
            ("Depends on T1.", "T1", true),
            ("Depends on T1.2", "T1", false),
            ("Depends on FE/T1", "T1", false),
            ("Depends on FE/T1", "FE/T1", true),
            ("Depends on T1/T2", "T2", true),
        ] {
            assert_eq!(names_id(line, id), expected, "{line} {id}");
        }
    }

    fn origin_of(source: &str, id: &str, field: &str) -> ValueOrigin {
        let options = ParseOptions { format: None, tag: None };
        let parsed = parse(source.as_bytes(), options);
        let fields = explain(&parsed, source.as_bytes(), &id.parse().unwrap()).unwrap();
        fields.iter().find(|origin| origin.field == field).unwrap().origin
    }

    #[test]
    fn the_text_of_a_parent_is_found_at_its_line() {
        let kiro =
            "- [ ] 1. Store the keys\n  - Use a file\n  - [ ] 1.1 Store it in a file\n  - [ ] 1.2 Use it\n";
        assert_eq!(origin_of(kiro, "1.2", "text"), ValueOrigin::Line(1));
        assert_eq!(origin_of(kiro, "1.2", "title"), ValueOrigin::Line(4));
    }

    #[test]
    fn only_some_ids_name_a_phase() {
        let headings = "### FE/T1: Begin\n### P5/T2: End\n";
        assert_eq!(origin_of(headings, "FE/T1", "phase"), ValueOrigin::Default);
        assert_eq!(origin_of(headings, "P5/T2", "phase"), ValueOrigin::Id);
    }
}
