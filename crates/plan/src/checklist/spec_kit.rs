//! GitHub Spec Kit: tasks follow each other, and `[P]` ones run beside their neighbours.

use crate::{
    draft::DraftPlan,
    text::{for_each_code, many_lines},
};

use super::{Open, words};

/// Up to so many earlier tasks are all named as dependencies, so that skipping one of them frees nobody who must
/// still wait for another. In a longer phase that would be quadratic: there a task names the ones just before it,
/// which wait for the rest.
const NAMED_MAX: usize = 32;

/// Adds what a task's text says: what it waits for, and which files it touches.
pub(super) fn close<'a>(text: &'a str, open: &Open<'a>, plan: &mut DraftPlan<'a>) {
    let (Some(task), Some(draft)) = (plan.tasks.get_mut(open.place), plan.drafts.get_mut(open.place)) else {
        return;
    };
    let item = &open.item;
    let start = plan.mentions.len();
    words::scan(item.first, item.start, &mut plan.mentions);
    if !open.own.is_empty() {
        let mut below = String::new();
        for own in &open.own {
            words::scan(text.get(own.clone()).unwrap_or_default(), own.start, &mut plan.mentions);
            item.push_below(text, own.clone(), &mut below);
        }
        task.text = many_lines(&below);
    }
    draft.mentions = start..plan.mentions.len();

    let touches = &mut task.touches;
    let mut touch = |code: &str| {
        if is_path(code) && !touches.iter().any(|known| known == code) && touches.len() < TOUCHES_MAX {
            // Most tasks name one file, and room for more would be most of what they take.
            if touches.is_empty() {
                touches.reserve_exact(1);
            }
            touches.push(code.to_owned());
        }
    };
    for_each_code(&task.title, &mut touch);
    for_each_code(&task.text, &mut touch);
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
pub(super) struct Order {
    all: Vec<usize>,
    last_alone: Option<usize>,
    beside: Vec<usize>,
}

impl Order {
    /// Adds what the next task of the phase waits for.
    pub(super) fn next(&mut self, place: usize, is_parallel: bool, waits: &mut Vec<usize>) {
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
