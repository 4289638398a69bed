//! Plans as people write them, with the facts that a person reads in them; `corpus/README.md` explains the files.

#![expect(clippy::unwrap_used, reason = "a failed setup must fail the test")]

use std::fmt::Write;

use plan::{
    LineIndex, MarkDoneOutcome, ParseOptions, ParsedPlan, Severity, Task, mark_done, parse, to_tasks_md,
};

const FILES: [(&str, &str); 7] = [
    ("spec-kit", include_str!("corpus/spec-kit.txt")),
    ("kiro", include_str!("corpus/kiro.txt")),
    ("tasks-md-ko", include_str!("corpus/tasks-md-ko.txt")),
    ("open-spec-and-boxes", include_str!("corpus/open-spec-and-boxes.txt")),
    ("tables-and-headings", include_str!("corpus/tables-and-headings.txt")),
    ("task-master", include_str!("corpus/task-master.txt")),
    ("public-templates", include_str!("corpus/public-templates.txt")),
];

struct Case {
    name: String,
    plan: String,
    facts: Vec<String>,
}

impl Case {
    fn tag(&self) -> Option<&str> {
        self.facts.iter().find_map(|fact| fact.strip_prefix("tag: "))
    }

    fn parse(&self) -> ParsedPlan {
        parse(self.plan.as_bytes(), ParseOptions { format: None, tag: self.tag() })
    }
}

fn cases() -> Vec<Case> {
    let mut cases = Vec::new();
    for (file, text) in FILES {
        for case in format!("\n{text}").split("\n=== ").skip(1) {
            let (name, rest) = case.split_once('\n').unwrap();
            let (plan, facts) = rest.split_once("--- facts").unwrap();
            let facts = facts.lines().filter(|line| !line.is_empty()).map(str::to_owned).collect();
            cases.push(Case { name: format!("{file}: {name}"), plan: plan.to_owned(), facts });
        }
    }
    cases
}

/// Returns what differs between a task and the line of facts about it.
fn compare_task(task: &Task, fact: &str) -> String {
    let mut parts = fact.split(" | ");
    let head = parts.next().unwrap_or_default();
    let mut found = format!("{} @{} <-", task.id, task.phase);
    task.depends_on.iter().for_each(|id| write!(found, " {id}").unwrap());
    task.external.iter().for_each(|name| write!(found, " <{name}>").unwrap());
    found.push_str(if task.done { " done" } else { "" });
    found.push_str(if task.optional { " optional" } else { "" });
    let mut differences = String::new();
    if found != head.trim_end() {
        writeln!(differences, "  expected {head}\n  found    {found}").unwrap();
    }
    for part in parts {
        let (key, value) = part.split_once(':').unwrap();
        let value = value.trim();
        let is_right = match key {
            "title" => task.title == value,
            "touches" => task.touches.join(", ") == value,
            "accept" => task.acceptance.len().to_string() == value,
            "text" if value.is_empty() => task.text.is_empty(),
            "text" => task.text.contains(value),
            _ => false,
        };
        if !is_right {
            writeln!(differences, "  expected {}: {part}\n  found {task:?}", task.id).unwrap();
        }
    }
    differences
}

fn compare(case: &Case, parsed: &ParsedPlan) -> String {
    let mut differences = String::new();
    let is_other =
        |fact: &&String| ["! ", "after ", "tag: ", "done: "].iter().any(|other| fact.starts_with(other));
    let expected: Vec<_> = case.facts.iter().filter(|fact| !is_other(fact)).collect();
    if expected.len() != parsed.plan.tasks.len() {
        let ids: Vec<_> = parsed.plan.tasks.iter().map(|task| task.id.to_string()).collect();
        writeln!(differences, "  expected {} tasks, found {ids:?}", expected.len()).unwrap();
    }
    for (task, fact) in parsed.plan.tasks.iter().zip(&expected) {
        differences.push_str(&compare_task(task, fact));
    }
    for fact in case.facts.iter().filter_map(|fact| fact.strip_prefix("after ")) {
        let (number, after) = fact.split_once(':').unwrap();
        let phase = parsed.plan.phases.iter().find(|phase| phase.number.to_string() == number);
        let found =
            phase.map(|phase| phase.after.iter().map(ToString::to_string).collect::<Vec<_>>().join(" "));
        if found.as_deref() != Some(after.trim()) {
            writeln!(differences, "  expected after {fact}, found {found:?}").unwrap();
        }
    }
    let lines = LineIndex::new(case.plan.as_bytes());
    let mut reported = Vec::new();
    for diagnostic in &parsed.diagnostics {
        let severity = match diagnostic.severity() {
            Severity::Error => "error",
            Severity::Warning => "warning",
            Severity::Note => "note",
        };
        reported.push(format!("! {severity} {}", lines.line_of(diagnostic.span.start)));
    }
    let problems: Vec<_> = case.facts.iter().filter(|fact| fact.starts_with("! ")).collect();
    let is_missing = |fact: &&&String| !reported.contains(fact);
    let unexpected: Vec<_> =
        reported.iter().filter(|found| !found.starts_with("! note") && !problems.contains(found)).collect();
    let missing: Vec<_> = problems.iter().filter(is_missing).collect();
    if !missing.is_empty() || !unexpected.is_empty() {
        writeln!(differences, "  missing {missing:?}, unexpected {unexpected:?}: {:?}", parsed.diagnostics)
            .unwrap();
    }
    differences
}

#[test]
fn every_plan_is_read_as_a_person_reads_it() {
    let cases = cases();
    assert!(cases.len() >= 120, "{} plans", cases.len());
    let mut differences = String::new();
    for case in &cases {
        let found = compare(case, &case.parse());
        if !found.is_empty() {
            writeln!(differences, "{}\n{found}", case.name).unwrap();
        }
    }
    assert!(differences.is_empty(), "\n{differences}");
}

#[test]
fn marking_a_task_done_changes_one_line() {
    let mut n_checked = 0;
    for case in cases() {
        for fact in case.facts.iter().filter_map(|fact| fact.strip_prefix("done: ")) {
            let (id, expected) = fact.split_once(' ').unwrap();
            let options = ParseOptions { format: None, tag: case.tag() };
            let outcome = mark_done(case.plan.as_bytes(), options, &id.parse().unwrap());
            let MarkDoneOutcome::Edit(edit) = outcome else { panic!("{}: {id}: {outcome:?}", case.name) };
            let after = String::from_utf8(edit.apply(case.plan.as_bytes())).unwrap();
            let changed: Vec<_> =
                case.plan.lines().zip(after.lines()).filter(|(before, after)| before != after).collect();
            assert_eq!(changed.len(), 1, "{}: {id}", case.name);
            assert_eq!(changed[0].1, expected, "{}: {id}", case.name);
            assert_eq!(case.plan.lines().count(), after.lines().count(), "{}", case.name);
            n_checked += 1;
        }
    }
    assert!(n_checked >= 15, "{n_checked}");
}

#[test]
fn every_plan_can_be_written_as_tasks_md() {
    for case in cases() {
        let parsed = case.parse();
        let written = to_tasks_md(&parsed.plan);
        let again = parse(written.as_bytes(), ParseOptions::default()).plan;
        let without_lines = |mut plan: plan::Plan| {
            plan.tasks.iter_mut().for_each(|task| task.line = 0);
            plan
        };
        assert_eq!(without_lines(again), without_lines(parsed.plan), "{}\n{written}", case.name);
    }
}

/// Returns the words of a line that looks like a task, found without the parser.
fn words_of_task_like_line(line: &str) -> Option<String> {
    let content = line.trim_start_matches([' ', '\t', '>']).trim_end();
    let is_heading = content.starts_with('#');
    let rest = content.trim_start_matches(['#', '-', '*', '+', '|', ' ']);
    let is_box = !is_heading
        && content.starts_with(['-', '*', '+'])
        && ["[ ]", "[x]", "[X]", "[-]"].iter().any(|mark| rest.starts_with(mark))
        && rest[3..].starts_with([' ', '\\', '*']);
    let after_mark = if rest.starts_with('[') { rest.get(3..).unwrap_or_default() } else { rest };
    let word = after_mark.trim_start_matches([' ', '*', '\\']);
    let is_id = word.strip_prefix('T').is_some_and(|digits| digits.starts_with(|c: char| c.is_ascii_digit()))
        && content.starts_with(['#', '-', '*', '+', '|']);
    (is_box || is_id).then(|| word.to_owned())
}

/// Tells whether each word of a line occurs in the title or text of one task, or is its id.
fn is_in_plan(words: &str, plan: &plan::Plan) -> bool {
    let is_word = |word: &&str| word.chars().any(char::is_alphanumeric);
    let words: Vec<_> = words.split(|c: char| !c.is_alphanumeric() && c != '.').filter(is_word).collect();
    plan.tasks.iter().any(|task| {
        let all = format!(
            "{} {} {} {} {:?} {:?} {:?} {:?} {} P US depends on 완료 진행 중 in progress",
            task.id,
            task.title,
            task.text,
            task.acceptance.join(" "),
            task.touches,
            task.depends_on,
            task.external,
            task.references,
            if task.done { "done Done" } else { "todo Todo" },
        );
        words.iter().all(|word| {
            let word = word.trim_matches('.');
            all.contains(word) || word.starts_with("US") || word == "x"
        })
    })
}

/// Checks the lines of a file, and returns how many look like tasks.
fn check_lines(name: &str, text: &str, parsed: &ParsedPlan) -> usize {
    let mut n_lines = 0;
    let mut start = 0;
    for line in text.split_inclusive('\n') {
        let span = start..start + line.len();
        start = span.end;
        let Some(words) = words_of_task_like_line(line) else { continue };
        n_lines += 1;
        let overlaps = |found: &plan::Diagnostic| found.span.start < span.end && span.start <= found.span.end;
        let is_reported = parsed.diagnostics.iter().any(|found| overlaps(found) || found.span == (0..0));
        assert!(is_reported || is_in_plan(&words, &parsed.plan), "{name}: {line}\n---\n{text}");
    }
    n_lines
}

#[test]
fn every_line_that_looks_like_a_task_is_read_or_reported() {
    let is_json = |case: &Case| case.plan.trim_start().starts_with(['{', '[']);
    let markdown: Vec<_> = cases().into_iter().filter(|case| !is_json(case)).collect();
    let n_lines: usize = markdown.iter().map(|case| check_lines(&case.name, &case.plan, &case.parse())).sum();
    assert!(n_lines > 250, "{n_lines}");
    // Any two plans in one file, in both orders.
    for (index, first) in markdown.iter().enumerate() {
        for second in markdown.iter().skip(index % 7).step_by(7) {
            let text = format!("{}\n{}", first.plan, second.plan);
            let parsed = parse(text.as_bytes(), ParseOptions::default());
            check_lines(&format!("{} + {}", first.name, second.name), &text, &parsed);
        }
    }
}
