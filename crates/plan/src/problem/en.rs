//! The English sentences.

use super::{NearestLine, Problem, ProblemText, ValueField, example_line, join_up_to_limit};

fn join_names(names: &[String]) -> String {
    join_up_to_limit(names, |n| format!("{n} more"))
}

pub(super) fn text(problem: &Problem) -> ProblemText {
    let new = |message: String, hint: String| ProblemText::new(message, hint);
    match problem {
        Problem::Unreadable { message, hint, .. } => new(message.clone(), hint.clone()),
        Problem::TooManyMarks { max } => new(
            format!("the file has more than {max} brackets and other marks of Markdown"),
            "split the plan into several files".into(),
        ),
        Problem::FileTooLarge { mib } => {
            new(format!("the file is larger than {mib} MiB"), "split the plan into several files".into())
        }
        Problem::NotUtf8 => new("the file is not UTF-8".into(), "save the file as UTF-8".into()),
        Problem::Utf16 => new("the file is UTF-16, not UTF-8".into(), "save the file as UTF-8".into()),
        Problem::EmptyFile => {
            new("the file is empty".into(), "write a task: ### T1: title, or - [ ] title".into())
        }
        Problem::NoTasks { nearest: Some(NearestLine { line, text, rewritten }), .. } => new(
            format!("the file contains no tasks; line {line} comes closest: {text}"),
            format!("if it is a task, write {rewritten}"),
        ),
        Problem::NoTasks { format: None, nearest: None } => new(
            "the file contains no tasks".into(),
            "add headings '### T1: title', a table with an ID column, or check boxes '- [ ] title'".into(),
        ),
        Problem::NoTasks { format: Some(format), nearest: None } => {
            new("the file contains no tasks".into(), format!("write {}", example_line(*format)))
        }
        Problem::EmptyTag { tag, others } => new(
            format!("tag '{tag}' has no tasks; these tags have some: {}", join_names(others)),
            format!("read one of them: --tag {}", others.first().map_or("NAME", String::as_str)),
        ),
        Problem::UnknownTag { tag, others } => {
            new(format!("the file has no tag '{tag}'"), format!("tags of this file: {}", join_names(others)))
        }
        Problem::OtherTags { tag, others } => new(
            format!("only the tag '{tag}' is read; ignored: {}", join_names(others)),
            format!("read another one: --tag {}", others.first().map_or("NAME", String::as_str)),
        ),
        Problem::MoreProblems { n, .. } => new(
            format!("{n} more problems are not shown"),
            "fix these first, then run: jangdan plan check FILE".into(),
        ),
        Problem::DuplicateId { id, first_line, are_done } => {
            let hint = match are_done {
                true => "both are done; the first one is read",
                false => {
                    "change one of them, or let Jangdan rename the later one: jangdan plan check FILE --rename"
                }
            };
            new(format!("task {id} is already defined in line {first_line}"), hint.into())
        }
        Problem::NotATaskId { text } => new(
            format!("'{text}' is not a task id"),
            "write letters and digits, such as T1, T1.3, 1.2, ST-001 or P1-R1-T1".into(),
        ),
        Problem::NoId => new("this task has no id".into(), "add \"id\": 1".into()),
        Problem::PhaseNumberTooLarge { id } => new(
            format!("the first number of {id} is too large for a phase number"),
            "use a smaller number, or set Phase for this task".into(),
        ),
        Problem::MissingDependency { id, ids } => {
            new(format!("task {id} is not in this plan"), missing_dependency_hint(ids))
        }
        Problem::MissingRange { first, last, ids } => {
            new(format!("no task of this plan is between {first} and {last}"), missing_dependency_hint(ids))
        }
        Problem::WrongPhase { id, phase, written } => new(
            format!("{id} is in phase {phase}, not phase {written}"),
            format!("write P{phase}-{id}, or {id} alone"),
        ),
        Problem::AmbiguousId { id, candidates } => {
            new(format!("{id} may mean several tasks"), format!("write one of {}", join_names(candidates)))
        }
        Problem::TooManyDependencies { limit } => new(
            format!("ranges and groups expand to more than {limit} dependencies here"),
            "use phases instead: a phase waits for all tasks of the phase before it".into(),
        ),
        Problem::CircularDependency { cycle, are_done: false } => {
            new(format!("circular dependency: {cycle}"), "remove one of these dependencies".into())
        }
        Problem::CircularDependency { cycle, are_done: true } => new(
            format!("circular dependency among completed tasks: {cycle}"),
            "it does not affect the run".into(),
        ),
        Problem::NotAPhase { text } => {
            new(format!("'{text}' is not a phase"), "write the number of a phase".into())
        }
        Problem::MissingPhase { number } => new(
            format!("phase {number} does not exist or has no tasks"),
            "write the number of an existing phase, or '-' for none".into(),
        ),
        Problem::UnknownKey { name, known } => new(
            format!("unknown key '{name}' is ignored; it resembles '{known}'"),
            format!("did you mean **{known}**?"),
        ),
        Problem::InvalidValue { field, text } => {
            let (name, hint) = match field {
                ValueField::Priority => ("priority", "write low, normal, high or critical"),
                ValueField::TaskMasterPriority => ("priority", "write low, medium, high or critical"),
                ValueField::Timeout => ("timeout", "write 90s, 30m, 2h or 1h30m"),
                ValueField::Budget => ("budget", "write 200k or 1m for tokens, $2 for money"),
                ValueField::Status => {
                    ("status", "write pending, in-progress, review, blocked, deferred, done or cancelled")
                }
            };
            new(format!("'{text}' is not a {name}"), hint.into())
        }
        Problem::Deferred { id, title } => new(
            format!("task {id} is deferred and not part of the plan: {title}"),
            "a task that depends on it waits until you confirm it".into(),
        ),
        Problem::OrderFromDiagram { n } => new(
            match n {
                1 => "no task names a dependency; the diagram shows one, which is read".into(),
                n => format!("no task names a dependency; the {n} that the diagram shows are read"),
            },
            "write - **Dependencies**: at the tasks to change that".into(),
        ),
        Problem::UnclearStatus { text } => new(
            format!("'{text}' is not a status; the task is read as open"),
            "write done if it is done".into(),
        ),
        Problem::UnknownComplexity { text } => new(
            format!("complexity '{text}' is not S, M, L or XL and is ignored"),
            "write S, M, L or XL".into(),
        ),
        Problem::PhaseWithoutNumber { text } => {
            new(format!("phase '{text}' has no number and is ignored"), "write 2, or Phase 2: name".into())
        }
        Problem::CellCount { n_cells, n_columns, has_bar } => {
            let cells = if *n_cells == 1 { "cell" } else { "cells" };
            let hint = if n_cells > n_columns {
                "write \\| for a bar inside the text"
            } else if *has_bar {
                "add the missing cells; write | | for an empty one"
            } else {
                "add an empty line between the table and the text below it"
            };
            new(format!("this row has {n_cells} {cells}, but the table has {n_columns} columns"), hint.into())
        }
        Problem::MalformedTable { expected } => new(
            "not a valid table: the second line does not match the header".into(),
            format!("write {expected} as the second line"),
        ),
        Problem::InvalidJson { reason } => {
            new(format!("invalid JSON: {reason}"), "check for a missing or extra comma here".into())
        }
        Problem::NotATask => new(
            "not a valid task: expected an object without duplicate fields".into(),
            "write {\"id\": 1, \"title\": \"…\"}".into(),
        ),
        Problem::NotAString { field } => {
            new(format!("'{field}' must be a string"), "put the value in double quotes".into())
        }
        Problem::NotAList { field } => {
            new(format!("'{field}' must be a list"), "put the value in square brackets".into())
        }
        Problem::NestedSubtasks => {
            new("subtasks of subtasks are ignored".into(), "make them subtasks of the task".into())
        }
        Problem::BoxesWithoutId { n, example } => new(
            match n {
                1 => "this check box has no id and is not read as a task".into(),
                n => format!("this check box and {} more have no id and are not read as tasks", n - 1),
            },
            format!("if it is a task, write {example}"),
        ),
        Problem::ReadAsDependency { text, id } => new(
            format!("'{text}' is read as a dependency on {id}"),
            "put the words in double quotes if they name something outside of the plan".into(),
        ),
        Problem::NotRead { line, n_more } => new(
            match n_more {
                0 => format!("not read as a task: {line}"),
                n => format!("not read as tasks: {line} and {}", more_lines(*n)),
            },
            "if it is one, write it like the other tasks of this file".into(),
        ),
        Problem::ListedAgain { line, id, first_line, n_more } => new(
            match n_more {
                0 => format!("{line} mentions task {id} of line {first_line} and is not another task"),
                n => format!(
                    "{line} and {} mention tasks of this plan ({id}: line {first_line}) and are not other tasks",
                    more_lines(*n)
                ),
            },
            "nothing to do if this is an overview".into(),
        ),
        Problem::GroupHeading { id, members } => new(
            format!("{id} is read as a group of {}", join_names(members)),
            "a dependency on it means all of them".into(),
        ),
        Problem::AllBoxesTicked { id } => new(
            format!("all check boxes of {id} are ticked, but it has no status: it is read as open"),
            "if it is done, add a line: **Status**: done".into(),
        ),
        Problem::ParentIsTask { id, children } => new(
            format!(
                "{id} is read as a task of its own before {}: they do not cover its text",
                join_names(children)
            ),
            "remove its text if it is only a heading".into(),
        ),
        Problem::ParentIsContext { id, children } => ProblemText::without_hint(format!(
            "{id} is read as the heading of {}; its text is part of their prompts",
            join_names(children)
        )),
        Problem::AssignedIds { first, last } => new(
            match first == last {
                true => format!("no line has an id; this check box is task {first}"),
                false => {
                    format!("no line has an id; the check boxes are tasks {first} to {last}, in this order")
                }
            },
            "write your own ids to keep them: - [ ] T001 …".into(),
        ),
        Problem::InNoWave { id } => new(
            format!("task {id} is in no wave of the dependency graph; it runs after the task before it"),
            "add it to a wave to change that".into(),
        ),
        Problem::ForwardDependency { from, to } => new(
            format!("not read as a dependency: {to} comes after {from} in this file"),
            "move the tasks, or write the dependency at the task".into(),
        ),
        Problem::NotAnAgent { key, text } => new(
            format!("'{text}' is not the name of an agent; this line is read as text, not as {key}"),
            "write one word".into(),
        ),
    }
}

fn more_lines(n: usize) -> String {
    if n == 1 { "1 more line".into() } else { format!("{n} more lines") }
}

fn missing_dependency_hint(ids: &Option<std::ops::RangeInclusive<String>>) -> String {
    match ids {
        Some(ids) if ids.start() == ids.end() => {
            format!("task id of this plan: {}; put any other name in double quotes", ids.start())
        }
        Some(ids) => format!(
            "task ids of this plan: {} to {}; put any other name in double quotes",
            ids.start(),
            ids.end()
        ),
        None => "write '-' for no dependencies".into(),
    }
}
