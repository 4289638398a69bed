//! Counts what makes concurrent code hard to follow: threads and tasks, locks, channels, unbounded queues, and `_` arms
//! of `match`. Only informs: the numbers of two versions are compared by people.

use std::{collections::BTreeMap, fmt::Write};

use super::File;

/// Counts of one crate, in the order of [`HEADINGS`].
type Counts = [usize; 5];

const HEADINGS: [&str; 5] = ["spawns", "locks", "channels", "unbounded", "wildcards"];

/// Returns a table with a row for each crate that has any, and their sum.
pub(super) fn table(files: &[File]) -> String {
    let mut by_crate: BTreeMap<&str, Counts> = BTreeMap::new();
    for file in files {
        if let Some(name) = crate_of_source(&file.path) {
            add(by_crate.entry(name).or_default(), count(&file.text));
        }
    }
    by_crate.retain(|_, counts| counts.iter().any(|count| *count > 0));
    let mut total = Counts::default();
    by_crate.values().for_each(|counts| add(&mut total, *counts));

    let mut text = format!("{:<16}", "crate");
    HEADINGS.iter().for_each(|heading| text += &format!("{heading:>10}"));
    for (name, counts) in by_crate.into_iter().chain([("all", total)]) {
        let _ = write!(text, "\n{name:<16}");
        counts.iter().for_each(|count| text += &format!("{count:>10}"));
    }
    text + "\n"
}

/// Returns the crate of a source file of the product; `None` for tests and other files.
fn crate_of_source(path: &str) -> Option<&str> {
    let (name, source) = path.strip_prefix("crates/")?.split_once("/src/")?;
    let is_test = source.split('/').any(|part| part == "tests" || part == "tests.rs");
    (source.ends_with(".rs") && !is_test).then_some(name)
}

fn add(sum: &mut Counts, counts: Counts) {
    sum.iter_mut().zip(counts).for_each(|(sum, count)| *sum += count);
}

fn count(text: &str) -> Counts {
    // Tests are at the end of a file.
    let code = text.split("#[cfg(test)]\nmod tests").next().unwrap_or(text);
    let mut counts = Counts::default();
    for line in code.lines().filter(|line| !line.trim_start().starts_with("//")) {
        // A process is started by `spawn()`, without an argument.
        let spawns = calls(line, "spawn", |argument| !argument.starts_with(')'))
            + calls(line, "spawn_blocking", |_| true);
        let locks = line.matches("Mutex<").count() + line.matches("RwLock<").count();
        let channels = calls(line, "channel", |_| true) + calls(line, "sync_channel", |_| true);
        let unbounded = calls(line, "channel", |argument| argument.starts_with(')'));
        let unbounded_tokio = calls(line, "unbounded_channel", |_| true);
        let wildcards = line.matches("_ =>").count();
        add(&mut counts, [spawns, locks, channels + unbounded_tokio, unbounded + unbounded_tokio, wildcards]);
    }
    counts
}

/// Counts the calls of a function whose text after the opening parenthesis is accepted.
fn calls(line: &str, name: &str, is_counted: impl Fn(&str) -> bool) -> usize {
    let call = |(at, _): &(usize, &str)| {
        let before = line.get(..*at).unwrap_or_default();
        let argument = line.get(at + name.len()..).and_then(|after| after.strip_prefix('('));
        let is_whole_name = !before.ends_with(|last: char| last.is_alphanumeric() || last == '_');
        is_whole_name && !before.ends_with("fn ") && argument.is_some_and(&is_counted)
    };
    line.match_indices(name).filter(call).count()
}

#[cfg(test)]
mod tests {
    use super::{super::tests::files_of, *};

    #[test]
    fn code_of_the_product_is_counted_without_its_tests_and_comments() {
        let source = "//! A file.\nstatic LOCK: Mutex<()> = Mutex::new(());\nfn spawn(a: u8) {}\n\
                      thread::Builder::new().name(n).spawn(move || 1);\ntokio::task::spawn_blocking(work);\n\
                      let child = command.spawn()?;\nlet (a, b) = sync_channel(1);\nlet (c, d) = mpsc::channel();\n\
                      // thread::spawn(x)\nmatch x { _ => 1 }\n#[cfg(test)]\nmod tests { thread::spawn(x); }\n";
        let files = files_of(&[
            ("crates/runtime/src/host.rs", source),
            ("crates/runtime/src/host/tests.rs", "thread::spawn(x);"),
            ("crates/runtime/tests/flow.rs", "thread::spawn(x);"),
            ("crates/engine/src/run.rs", "match x { _ => 1 }"),
            ("crates/plan/src/lib.rs", "//! Nothing."),
        ]);
        let expected = "\
crate               spawns     locks  channels unbounded wildcards
engine                   0         0         0         0         1
runtime                  2         1         2         1         1
all                      2         1         2         1         2
";
        assert_eq!(table(&files), expected);
    }
}
