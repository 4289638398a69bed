//! GitHub Spec Kit: tasks follow each other, and `[P]` ones run beside their neighbours.

use domain::{PhaseNumber, TaskId};

use crate::{
    dependencies::Mention,
    draft::{Draft, DraftPlan, Mark},
    plan::Task,
    text::{for_each_code, many_lines, one_line},
};

use super::{Found, words};

/// Up to so many earlier tasks are all named as dependencies, so that skipping one of them frees nobody who must
/// still wait for another. In a longer phase that would be quadratic: there a task names the ones just before it,
/// which wait for the rest.
const NAMED_MAX: usize = 32;

/// Adds the tasks, given each phase's number.
pub(super) fn add<'a>(text: &'a str, entries: &[Found<'a>], numbers: &[PhaseNumber], to: &mut DraftPlan<'a>) {
    let mut orders: Vec<Order> = numbers.iter().map(|_| Order::default()).collect();
    to.tasks.reserve(entries.len());
    to.drafts.reserve(entries.len());
    for found in entries {
        let Ok(id) = found.entry.id.parse() else { continue };
        let mut draft = Draft::new(found.entry.id_span.clone());
        draft.mark = Some(Mark::Box(found.entry.mark.clone()));
        if let Some(order) = orders.get_mut(found.phase) {
            let start = to.implied.len();
            order.next(to.tasks.len(), found.entry.is_parallel, &mut to.implied);
            draft.implied = start..to.implied.len();
        }
        let start = to.mentions.len();
        words(text, found, &mut to.mentions);
        draft.mentions = start..to.mentions.len();
        to.drafts.push(draft);
        to.tasks.push(task(id, text, found, numbers.get(found.phase).copied().unwrap_or(1)));
    }
}

/// Adds what the task's own words say that it waits for.
fn words<'a>(text: &'a str, found: &Found<'a>, mentions: &mut Vec<Mention<'a>>) {
    let item = &found.entry.item;
    words::scan(item.first, item.start, mentions);
    for own in &found.own {
        words::scan(text.get(own.clone()).unwrap_or_default(), own.start, mentions);
    }
}

fn task(id: TaskId, text: &str, found: &Found<'_>, phase: PhaseNumber) -> Task {
    let entry = &found.entry;
    let mut below = String::new();
    for own in &found.own {
        entry.item.push_below(text, own.clone(), &mut below);
    }
    let below = many_lines(&below);
    let mut touches: Vec<String> = Vec::new();
    let mut touch = |code: &str| {
        if is_path(code) && !touches.iter().any(|known| known == code) && touches.len() < TOUCHES_MAX {
            touches.push(code.to_owned());
        }
    };
    for_each_code(&entry.title, &mut touch);
    for_each_code(&below, &mut touch);
    Task {
        phase,
        done: entry.is_done,
        optional: entry.is_optional,
        text: below,
        touches,
        references: entry.stories.iter().map(|story| (*story).to_owned()).collect(),
        ..Task::new(id, one_line(&entry.title))
    }
}

/// A task that names more files than this is not one task; the bound keeps hostile files cheap.
const TOUCHES_MAX: usize = 256;

/// Tells whether a code span is a path of the repository, and not an expression, a route or a command.
fn is_path(code: &str) -> bool {
    const EXTENSIONS: [&str; 40] = [
        "c", "cc", "cfg", "cpp", "cs", "css", "csv", "env", "go", "gradle", "h", "hpp", "html", "ini",
        "java", "js", "json", "jsx", "kt", "lock", "md", "mjs", "php", "proto", "py", "rb", "rs", "scss",
        "sh", "sql", "svelte", "swift", "tf", "toml", "ts", "tsx", "txt", "vue", "yaml", "yml",
    ];
    let is_strange = |byte: u8| {
        byte.is_ascii_whitespace()
            || matches!(byte, b'(' | b')' | b'<' | b'>' | b':' | b'=' | b';' | b'"' | b'\'' | b'$')
    };
    let is_odd = code.bytes().any(is_strange) || !code.is_ascii() && code.contains(char::is_whitespace);
    if code.is_empty() || is_odd || matches!(code.as_bytes()[0], b'/' | b'-' | b'@' | b'#') {
        return false;
    }
    if memchr::memchr(b'/', code.as_bytes()).is_some() {
        return true;
    }
    let has_extension = code.rsplit_once('.').is_some_and(|(_, extension)| EXTENSIONS.contains(&extension));
    has_extension || matches!(code, "Dockerfile" | "Makefile" | ".gitignore" | ".dockerignore")
}

/// The tasks of one phase so far, as places in the list of drafts.
#[derive(Default)]
struct Order {
    all: Vec<usize>,
    last_alone: Option<usize>,
    beside: Vec<usize>,
}

impl Order {
    /// Adds what the next task of the phase waits for.
    fn next(&mut self, place: usize, is_parallel: bool, waits: &mut Vec<usize>) {
        if is_parallel {
            waits.extend(self.last_alone);
        } else if self.all.len() <= NAMED_MAX {
            waits.extend(&self.all);
        } else {
            waits.extend(self.last_alone);
            waits.extend(&self.beside);
        }
        if self.all.len() <= NAMED_MAX {
            self.all.push(place);
        }
        if is_parallel {
            self.beside.push(place);
        } else {
            self.last_alone = Some(place);
            self.beside.clear();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{NAMED_MAX, Order, is_path};

    fn next(order: &mut Order, place: usize, is_parallel: bool) -> Vec<usize> {
        let mut waits = Vec::new();
        order.next(place, is_parallel, &mut waits);
        waits
    }

    #[test]
    fn a_task_waits_for_all_before_it_and_a_parallel_one_for_the_last_alone() {
        let mut order = Order::default();
        assert!(next(&mut order, 0, true).is_empty());
        assert!(next(&mut order, 1, true).is_empty());
        assert_eq!(next(&mut order, 2, false), [0, 1]);
        assert_eq!(next(&mut order, 3, true), [2]);
        assert_eq!(next(&mut order, 4, true), [2]);
        assert_eq!(next(&mut order, 5, false), [0, 1, 2, 3, 4]);
    }

    #[test]
    fn in_a_long_phase_a_task_names_only_those_just_before_it() {
        let mut order = Order::default();
        for place in 0..=NAMED_MAX {
            next(&mut order, place, false);
        }
        assert_eq!(next(&mut order, NAMED_MAX + 1, true), [NAMED_MAX]);
        assert_eq!(next(&mut order, NAMED_MAX + 2, false), [NAMED_MAX, NAMED_MAX + 1]);
    }

    #[test]
    fn paths_are_told_from_other_code() {
        for path in
            ["src/models/user.py", "package.json", "app/[id]/page.tsx", "docs/", "Makefile", "src/**/*.rs"]
        {
            assert!(is_path(path), "{path}");
        }
        for code in
            ["User.create", "npm install", "/api/users", "GET /x", "req.body", "f(a/b)", "", "@scope/pkg"]
        {
            assert!(!is_path(code), "{code}");
        }
    }
}
