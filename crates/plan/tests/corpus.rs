//! Plans as people write them, with the facts that a person reads in them; `corpus/README.md` explains the files.

#![expect(clippy::unwrap_used, reason = "a failed setup must fail the test")]

use std::fmt::Write;

use proptest::{collection::vec, prelude::*};

use plan::{
    LineIndex, MarkDoneOutcome, ParseOptions, ParsedPlan, Severity, Task, mark_done, parse, to_tasks_md,
};

const FILES: [(&str, &str); 8] = [
    ("spec-kit", include_str!("corpus/spec-kit.txt")),
    ("kiro", include_str!("corpus/kiro.txt")),
    ("tasks-md-ko", include_str!("corpus/tasks-md-ko.txt")),
    ("open-spec-and-boxes", include_str!("corpus/open-spec-and-boxes.txt")),
    ("tables-and-headings", include_str!("corpus/tables-and-headings.txt")),
    ("task-master", include_str!("corpus/task-master.txt")),
    ("public-templates", include_str!("corpus/public-templates.txt")),
    ("found-in-the-field", include_str!("corpus/found-in-the-field.txt")),
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

/// Marks each open task done in one form of a plan; nothing but its mark may change. Returns the number of edits.
fn mark_each_task(name: &str, source: &[u8], options: ParseOptions<'_>) -> usize {
    let before = parse(source, options);
    let mut n_edits = 0;
    for (index, task) in before.plan.tasks.iter().enumerate().filter(|(_, task)| !task.done) {
        let outcome = mark_done(source, options, &task.id);
        let MarkDoneOutcome::Edit(edit) = outcome else {
            assert_eq!(outcome, MarkDoneOutcome::NoStatusField, "{name}: {}", task.id);
            continue;
        };
        n_edits += 1;
        let after = edit.apply(source);
        let end = edit.span.start + edit.replacement.len();
        assert_eq!(after[..edit.span.start], source[..edit.span.start], "{name}: {}", task.id);
        assert_eq!(after[end..], source[edit.span.end..], "{name}: {}", task.id);
        assert!(!source[edit.span.clone()].contains(&b'\n'), "{name}: {}", task.id);
        let done: Vec<bool> = parse(&after, options).plan.tasks.iter().map(|task| task.done).collect();
        let mut expected: Vec<bool> = before.plan.tasks.iter().map(|task| task.done).collect();
        expected[index] = true;
        assert_eq!(done, expected, "{name}: {}\n{}", task.id, String::from_utf8_lossy(&after));
    }
    n_edits
}

#[test]
fn marking_any_task_of_any_plan_changes_only_its_mark() {
    let mut n_edits = 0;
    for case in cases() {
        let options = ParseOptions { format: None, tag: case.tag() };
        let with_crlf = case.plan.replace('\n', "\r\n");
        for (form, source) in [
            ("as it is", case.plan.clone()),
            ("with CRLF", with_crlf.clone()),
            ("with a byte order mark", format!("\u{feff}{with_crlf}")),
            ("without an end of line", case.plan.trim_end().to_owned()),
        ] {
            n_edits += mark_each_task(&format!("{} {form}", case.name), source.as_bytes(), options);
        }
    }
    assert!(n_edits > 1_000, "{n_edits}");
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
    let mark = content.chars().next().filter(|mark| "#-*+|".contains(*mark))?;
    let rest = content.trim_start_matches(['#', '-', '*', '+', '|', ' ']);
    let after_box = ["[ ]", "[x]", "[X]", "[-]"].iter().find_map(|mark| rest.strip_prefix(mark));
    let is_box = mark != '|'
        && after_box.is_some_and(|after| {
            after.starts_with([' ', '\\', '*']) && after.chars().any(char::is_alphanumeric)
        });
    let word = after_box.unwrap_or(rest).trim_start_matches([' ', '*', '\\', '`']);
    let cell = if mark == '|' { word.split('|').next().unwrap_or_default() } else { word };
    (is_box || starts_with_id(word)).then(|| cell.to_owned())
}

/// Tells whether a text starts with `T1`, `ST-001` or `P1-R1-T1`.
fn starts_with_id(text: &str) -> bool {
    let is_digit = |c: char| c.is_ascii_digit();
    if text.strip_prefix('T').is_some_and(|digits| digits.starts_with(is_digit)) {
        return true;
    }
    let word = text.split([' ', ':', '|', '*', '.']).next().unwrap_or_default();
    let (letters, number) = word.split_once('-').unwrap_or_default();
    letters == "ST" && !number.is_empty() && number.chars().all(is_digit)
        || word.starts_with("P1-R") && word.contains("-T")
}

/// Tells whether each word of a line occurs in the title or text of one task, or is its id.
fn is_in_plan(words: &str, plan: &plan::Plan) -> bool {
    let is_word = |word: &&str| word.chars().any(char::is_alphanumeric);
    let words: Vec<_> = words.split(|c: char| !c.is_alphanumeric() && c != '.').filter(is_word).collect();
    words.iter().all(|word| plan.title.contains(word)) && !words.is_empty()
        || plan.tasks.iter().any(|task| {
            let all = format!(
                "{} {} {} {} {:?} {:?} {:?} {:?} {} Phase {} N P US depends on 완료 진행 중 in progress",
                task.id,
                task.title,
                task.text,
                task.acceptance.join(" "),
                task.touches,
                task.depends_on,
                task.external,
                task.references,
                if task.done { "done Done" } else { "todo Todo" },
                task.phase,
            );
            words.iter().all(|word| {
                let word = word.trim_matches('.');
                let is_phase = word.strip_prefix('P').is_some_and(|number| number.parse::<u32>().is_ok());
                all.contains(word) || word.starts_with("US") || word == "x" || is_phase
            })
        })
}

/// Tells whether a line is empty or indented more than another one.
fn is_below(line: &str, above: &str) -> bool {
    let indentation = |line: &str| line.len() - line.trim_start().len();
    line.trim().is_empty() || indentation(line) > indentation(above)
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
        // The text of a parent is lost with its children, which are duplicates.
        let is_parent_of_reported = || {
            let mut after = text[span.end..].split_inclusive('\n').peekable();
            let next = after.peek().map_or(0, |next| next.len());
            let nested: usize = after.take_while(|next| is_below(next, line)).map(str::len).sum();
            let below = span.end..span.end + nested.max(next);
            parsed.diagnostics.iter().any(|found| below.contains(&found.span.start))
        };
        let is_accounted_for = is_reported || is_in_plan(&words, &parsed.plan) || is_parent_of_reported();
        assert!(is_accounted_for, "{name}: {line}\n---\n{text}");
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
    for first in &markdown {
        for second in &markdown {
            let text = format!("{}\n{}", first.plan, second.plan);
            let parsed = parse(text.as_bytes(), ParseOptions::default());
            check_lines(&format!("{} + {}", first.name, second.name), &text, &parsed);
        }
    }
}

/// Writes an object with a title, and others in it, as the choices say.
fn titled_json(choices: &mut impl Iterator<Item = u8>, depth: usize, n_titles: &mut usize) -> String {
    *n_titles += 1;
    let mut object = format!("{{\"id\": {n_titles}, \"title\": \"name {n_titles}.\"");
    let n_lists = if depth < 3 { choices.next().unwrap_or_default() % 3 } else { 0 };
    let mut keys = vec!["tasks", "subtasks", "backlog", "metadata"];
    for _ in 0..n_lists {
        let key = keys.remove(usize::from(choices.next().unwrap_or_default()) % keys.len());
        let n_objects = 1 + choices.next().unwrap_or_default() % 2;
        let objects: Vec<_> = (0..n_objects).map(|_| titled_json(choices, depth + 1, n_titles)).collect();
        write!(object, ", \"{key}\": [{}]", objects.join(", ")).unwrap();
    }
    match choices.next().unwrap_or_default() % 4 {
        0 => object.push_str(", \"status\": \"deferred\"}"),
        1 => object.push_str(", \"status\": \"done\"}"),
        _ => object.push('}'),
    }
    object
}

proptest! {
    #[test]
    fn every_object_with_a_title_is_read_or_reported(choices in vec(any::<u8>(), 0..60), form in 0..4_usize) {
        let mut n_titles = 0;
        let mut choices = choices.into_iter();
        let [first, second, third] = [0; 3].map(|_| titled_json(&mut choices, 0, &mut n_titles));
        let text = match form {
            0 => format!("{{\"tasks\": [{first}, {second}], \"later\": [{third}]}}"),
            1 => format!("[{first}, {second}, {third}]"),
            2 => {
                // An object with tasks would be a tag, which a warning names as a whole.
                let second = second.replace("\"tasks\"", "\"steps\"");
                format!("{{\"master\": {{\"tasks\": [{first}]}}, \"notes\": {second}, \"x\": [{third}]}}")
            }
            _ => format!("{{\"tasks\": [{first}], \"tasks\": [{second}], \"metadata\": {third}}}"),
        };
        let parsed = parse(text.as_bytes(), ParseOptions::default());
        for number in 1..=n_titles {
            let title = format!("name {number}.");
            let is_read = parsed.plan.tasks.iter().any(|task| task.title == title || task.text.contains(&title));
            let is_quoted = parsed
                .diagnostics
                .iter()
                .any(|found| found.text(domain::Locale::En).message.contains(&title));
            prop_assert!(is_read || is_quoted || parsed.has_errors(), "{title}\n{text}\n{:?}", parsed.diagnostics);
        }
    }
}
