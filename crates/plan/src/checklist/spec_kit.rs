//! GitHub Spec Kit: tasks follow each other, and `[P]` ones run beside their neighbours.

use domain::PhaseNumber;

use crate::{
    draft::{Draft, Mark},
    text::{for_each_code, many_lines, one_line},
};

use super::{Found, words};

/// Up to so many earlier tasks are all named as dependencies, so that skipping one of them frees nobody who must
/// still wait for another. In a longer phase that would be quadratic: there a task names the ones just before it,
/// which wait for the rest.
const NAMED_MAX: usize = 32;

/// Returns the tasks, given each phase's number.
pub(super) fn drafts<'a>(text: &'a str, entries: Vec<Found<'a>>, numbers: &[PhaseNumber]) -> Vec<Draft<'a>> {
    let mut orders: Vec<Order> = numbers.iter().map(|_| Order::default()).collect();
    let mut drafts = Vec::with_capacity(entries.len());
    for found in entries {
        let mut draft = draft(text, &found);
        if let (Some(&number), Some(order)) = (numbers.get(found.phase), orders.get_mut(found.phase)) {
            draft.task.phase = number;
            draft.implied = order.next(drafts.len(), found.entry.is_parallel);
        }
        drafts.push(draft);
    }
    drafts
}

fn draft<'a>(text: &'a str, found: &Found<'a>) -> Draft<'a> {
    let entry = &found.entry;
    let mut draft = Draft::new(entry.id.clone(), entry.id_span.clone());
    draft.task.title = one_line(&entry.title);
    draft.task.done = entry.is_done;
    draft.task.optional = entry.is_optional;
    draft.task.references = entry.stories.iter().map(|story| (*story).to_owned()).collect();
    draft.mark = Some(Mark::Box(entry.mark.clone()));

    words::scan(entry.item.first, entry.item.start, &mut draft.mentions);
    let mut below = String::new();
    for own in &found.own {
        words::scan(text.get(own.clone()).unwrap_or_default(), own.start, &mut draft.mentions);
        entry.item.push_below(text, own.clone(), &mut below);
    }
    draft.task.text = many_lines(&below);

    let touches = &mut draft.task.touches;
    let mut touch = |code: &str| {
        if is_path(code) && !touches.iter().any(|known| known == code) && touches.len() < TOUCHES_MAX {
            touches.push(code.to_owned());
        }
    };
    for_each_code(&entry.title, &mut touch);
    for_each_code(&draft.task.text, &mut touch);
    draft
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
    let is_strange = |c: char| {
        c.is_whitespace() || matches!(c, '(' | ')' | '<' | '>' | ':' | '=' | ';' | '"' | '\'' | '$')
    };
    if code.is_empty() || code.starts_with(['/', '-', '@', '#']) || code.contains(is_strange) {
        return false;
    }
    if code.contains('/') {
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
    /// Returns what the next task of the phase waits for.
    fn next(&mut self, place: usize, is_parallel: bool) -> Vec<usize> {
        let waits = if is_parallel {
            self.last_alone.into_iter().collect()
        } else if self.all.len() <= NAMED_MAX {
            self.all.clone()
        } else {
            self.last_alone.into_iter().chain(self.beside.iter().copied()).collect()
        };
        if self.all.len() <= NAMED_MAX {
            self.all.push(place);
        }
        if is_parallel {
            self.beside.push(place);
        } else {
            self.last_alone = Some(place);
            self.beside.clear();
        }
        waits
    }
}

#[cfg(test)]
mod tests {
    use super::{NAMED_MAX, Order, is_path};

    #[test]
    fn a_task_waits_for_all_before_it_and_a_parallel_one_for_the_last_alone() {
        let mut order = Order::default();
        assert!(order.next(0, true).is_empty());
        assert!(order.next(1, true).is_empty());
        assert_eq!(order.next(2, false), [0, 1]);
        assert_eq!(order.next(3, true), [2]);
        assert_eq!(order.next(4, true), [2]);
        assert_eq!(order.next(5, false), [0, 1, 2, 3, 4]);
    }

    #[test]
    fn in_a_long_phase_a_task_names_only_those_just_before_it() {
        let mut order = Order::default();
        for place in 0..=NAMED_MAX {
            order.next(place, false);
        }
        assert_eq!(order.next(NAMED_MAX + 1, true), [NAMED_MAX]);
        assert_eq!(order.next(NAMED_MAX + 2, false), [NAMED_MAX, NAMED_MAX + 1]);
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
