//! Finds the lines that look like tasks but were not read, so that nothing is lost without a note.

use std::{collections::HashMap, ops::Range};

use crate::{
    dependencies::{IdReference, IdShape, is_requirement_id},
    diagnostic::DiagnosticSink,
    format::PlanFormat,
    heading::{self, Heading},
    plan::Task,
    problem::{NearestLine, Problem},
    text::{parse_checkbox, truncate_for_message},
};

/// A line that looks like a task.
struct Candidate<'a> {
    line: &'a str,
    span: Range<usize>,
    is_box: bool,
    has_id: bool,
    /// The id at its start, if the plan has a task of that name.
    known: Option<(&'a str, usize)>,
}

/// Reports lines outside of the covered parts that look like tasks, one report for neighbours.
pub(crate) fn report_unread_lines(
    text: &str,
    mut covered: Vec<Range<usize>>,
    format: PlanFormat,
    tasks: &[Task],
    diagnostics: &mut DiagnosticSink,
) {
    covered.sort_unstable_by_key(|span| span.start);
    let reported = diagnostics.sorted_starts();
    let is_reported = |line: &Range<usize>| {
        let next = reported.partition_point(|&start| start < line.start);
        reported.get(next).is_some_and(|&start| start < line.end)
    };
    let has_numbers = tasks.iter().any(|task| task.id.as_str().starts_with(|c: char| c.is_ascii_digit()));
    let mut lines_by_id: Option<HashMap<&str, usize>> = None;
    let mut group: Vec<Candidate<'_>> = Vec::new();
    let mut in_other_section = false;
    for gap in uncovered_spans(&covered, text.len()) {
        let mut start = gap.start;
        for line in text.get(gap.clone()).unwrap_or_default().split_inclusive('\n') {
            let span = start..start + line.trim_end().len();
            start += line.len();
            if ["```", "~~~", "<!--", "-->"].iter().any(|mark| line.trim_start().starts_with(mark)) {
                // Code and comments are reported apart from what surrounds them.
                report_group(&mut group, format, in_other_section, diagnostics);
            }
            if line.starts_with('#') {
                report_group(&mut group, format, in_other_section, diagnostics);
                in_other_section = is_about_other_subject(line);
            }
            let Some((content, id)) = parse_task_like_line(line, has_numbers).filter(|_| !is_reported(&span))
            else {
                continue;
            };
            let index = lines_by_id
                .get_or_insert_with(|| tasks.iter().map(|task| (task.id.as_str(), task.line)).collect());
            let known = id.and_then(|id| index.get_key_value(id).map(|(id, line)| (*id, *line)));
            let is_box = parse_checkbox(content).is_some();
            let candidate = Candidate { line: line.trim(), span, is_box, has_id: id.is_some(), known };
            let is_alike = group.last().is_none_or(|last| {
                last.known.is_some() == candidate.known.is_some()
                    && (last.is_box, last.has_id) == (candidate.is_box, candidate.has_id)
            });
            if !is_alike {
                report_group(&mut group, format, in_other_section, diagnostics);
            }
            group.push(candidate);
        }
        // What follows belongs to another part of the file.
        report_group(&mut group, format, in_other_section, diagnostics);
    }
}

/// Returns the parts of a file between the covered ones.
fn uncovered_spans(covered: &[Range<usize>], end: usize) -> Vec<Range<usize>> {
    let mut gaps = Vec::new();
    let mut at = 0;
    for span in covered {
        if span.start > at {
            gaps.push(at..span.start);
        }
        at = at.max(span.end);
    }
    if at < end {
        gaps.push(at..end);
    }
    gaps
}

fn report_group(
    group: &mut Vec<Candidate<'_>>,
    format: PlanFormat,
    in_other_section: bool,
    diagnostics: &mut DiagnosticSink,
) {
    let (Some(first), Some(last)) = (group.first(), group.last()) else { return };
    let line = truncate_for_message(first.line);
    let n_more = group.len() - 1;
    let problem = match first.known {
        Some((id, first_line)) => Problem::ListedAgain { line, id: id.to_owned(), first_line, n_more },
        None if first.is_box && !first.has_id && format == PlanFormat::Checklist && !in_other_section => {
            Problem::BoxesWithoutId { n: group.len(), example: "- [ ] ID …" }
        }
        None => Problem::NotRead { line, n_more },
    };
    diagnostics.push(first.span.start..last.span.end, problem);
    group.clear();
}

/// Tells whether a heading begins a section of criteria, notes or examples, whose boxes need no id.
fn is_about_other_subject(heading: &str) -> bool {
    const WORDS: [&str; 17] = [
        "accept",
        "definition of done",
        "criteria",
        "checklist",
        "checkpoint",
        "validation",
        "note",
        "example",
        "format",
        "depend",
        "order",
        "convention",
        "의존",
        "조건",
        "기준",
        "체크리스트",
        "참고",
    ];
    let heading = heading.to_lowercase();
    WORDS.iter().any(|word| heading.contains(word))
}

/// Returns the content of a line that looks like a task, without list marks, and the id at its start.
///
/// Numbers such as `1.2` are ids only in a plan that has such ids: elsewhere they number the headings.
fn parse_task_like_line(line: &str, has_numbers: bool) -> Option<(&str, Option<&str>)> {
    let line = line.trim();
    // Most lines are prose.
    let first = *line.as_bytes().first()?;
    if !matches!(first, b'#' | b'-' | b'*' | b'+' | b'|' | b'>' | b'0'..=b'9') {
        return None;
    }
    let content = line.trim_start_matches(['>', ' ']);
    if content.starts_with('#') {
        let heading = Heading::new(content, 0..content.len());
        let Some(task) = heading::parse_task_heading(&heading) else {
            return heading_like(heading.text, has_numbers).then_some((content, None));
        };
        let is_task = task.reference.shape() != IdShape::Short;
        let id = content.get(task.id_span.clone())?;
        return (is_task && !is_requirement_id(&task.reference.id))
            .then_some((content, Some(id_without_phase(id))));
    }
    if let Some(row) = content.strip_prefix('|') {
        let cell = row.split('|').next()?.trim().trim_matches(['*', '`']);
        let cell = heading::split_symbol(cell).map_or(cell, |(_, cell)| cell);
        let cell = parse_checkbox(cell).map_or(cell, |(_, _, cell)| cell.trim());
        // Numbers in tables are mostly those of requirements.
        let cell = without_foreign_area(cell);
        let reference = IdReference::parse_whole(cell).filter(|found| is_certain_id(found, false));
        return reference.map(|_| (content, Some(id_without_phase(cell))));
    }
    let item = content.strip_prefix(['-', '*', '+']).map(str::trim_start).or_else(|| {
        let n_digits = content.bytes().take_while(u8::is_ascii_digit).count();
        content[n_digits..].strip_prefix(['.', ')']).filter(|rest| rest.starts_with(' ')).map(str::trim_start)
    })?;
    let (is_box, rest) = match parse_checkbox(item) {
        Some((_, _, rest)) if rest.starts_with([' ', '*', '\\']) => (!rest.trim().is_empty(), rest),
        _ => (false, item),
    };
    let rest = without_foreign_area(without_labels(rest).trim_start_matches(['*', '\\', ' ', '`']));
    let found = IdReference::parse_prefix(rest).filter(|(reference, length)| {
        let ends = rest[*length..].starts_with(|next: char| !next.is_alphanumeric() && next != '-')
            || rest.len() == *length;
        ends && (is_box || is_certain_id(reference, has_numbers))
    });
    let id = found.map(|(_, length)| id_without_phase(&rest[..length]));
    (is_box || id.is_some()).then_some((item, id))
}

/// Removes labels before an id: `[DOING][P1] T-F12-01`.
fn without_labels(text: &str) -> &str {
    let mut rest = text.trim_start();
    while let Some((label, after)) = rest.strip_prefix('[').and_then(|rest| rest.split_once(']'))
        && label.bytes().all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit() || byte == b' ')
        && !after.starts_with('(')
    {
        rest = after.trim_start();
    }
    rest
}

/// Removes the area of `프론트/T1`, which is not an id but looks like one.
fn without_foreign_area(text: &str) -> &str {
    match text.split_once('/') {
        Some((area, id)) if !area.is_ascii() && area.chars().all(char::is_alphanumeric) => id,
        _ => text,
    }
}

/// Tells whether a heading that is not one of a task nearly is: it has a check box, or begins with an id.
fn heading_like(heading: &str, has_numbers: bool) -> bool {
    if let Some((_, _, rest)) = parse_checkbox(heading) {
        return !rest.trim().is_empty();
    }
    // `[Skipped] T2: title`: a word that is not known as a status.
    let heading = match heading.strip_prefix('[').and_then(|rest| rest.split_once(']')) {
        Some((label, rest)) if rest.starts_with(' ') && label.chars().all(char::is_alphabetic) => {
            rest.trim_start()
        }
        Some(_) | None => heading,
    };
    let word =
        heading::split_symbol(heading).map_or(heading, |(_, rest)| rest).trim_start_matches(['*', '`', '[']);
    let word = without_foreign_area(word);
    let is_number = |(id, _): (IdReference<'_>, usize)| is_certain_id(&id, has_numbers);
    let after_letter = word.strip_prefix('T').unwrap_or_default();
    after_letter.starts_with(|c: char| c.is_ascii_digit())
        || IdReference::parse_prefix(word).is_some_and(is_number)
}

/// Tells whether an id without a check box is one of a task.
fn is_certain_id(reference: &IdReference<'_>, has_numbers: bool) -> bool {
    match reference.shape() {
        IdShape::Letter => true,
        IdShape::Compound => !is_requirement_id(&reference.id),
        IdShape::Number => has_numbers && reference.id.contains('.'),
        IdShape::Short => false,
    }
}

/// Returns an id without its phase.
fn id_without_phase(id: &str) -> &str {
    match IdReference::parse_prefix(id) {
        Some((reference, length)) if reference.phase.is_some() => &id[length - reference.id.len()..length],
        _ => id,
    }
}

/// Returns the first line of a file without tasks that nearly is one.
pub(crate) fn find_nearest_line(text: &str) -> Option<NearestLine> {
    let mut in_code = false;
    text.lines().enumerate().find_map(|(index, line)| {
        let content = line.trim();
        in_code ^= content.starts_with("```");
        let title = match content.strip_prefix('#') {
            _ if in_code => None,
            Some(_) => {
                let heading = content.trim_start_matches('#').trim();
                let n_id = heading.bytes().take_while(|byte| byte.is_ascii_digit() || *byte == b'.').count();
                let (id, title) = heading.split_at(n_id);
                let id = id.trim_end_matches('.');
                (!id.is_empty() && !title.trim().is_empty()).then(|| format!("### T{id}: {}", title.trim()))
            }
            None => {
                let n_digits = content.bytes().take_while(u8::is_ascii_digit).count();
                let numbered = content[n_digits..].strip_prefix(['.', ')']).filter(|_| n_digits > 0);
                let item = numbered.or_else(|| content.strip_prefix(['-', '*', '+']));
                let item = item.filter(|item| item.starts_with(' ')).map(str::trim);
                item.filter(|item| !item.is_empty()).map(|item| format!("- [ ] {item}"))
            }
        }?;
        let short = truncate_for_message;
        Some(NearestLine { line: index + 1, text: short(content), rewritten: short(&title) })
    })
}
