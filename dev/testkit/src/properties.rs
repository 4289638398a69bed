//! Rules that hold for every input: fuzz targets look for one that breaks them, tests replay what they found.
//!
//! Every function panics where a rule is broken, which is what libFuzzer and test runners understand.

use domain::Role;
use plan::{MarkDoneOutcome, Plan, PlanFormat, TaskGraph};
use protocol::{Decoder, Item, Keys, Options};

/// The key that the decoder's inputs may carry.
const KEY: &str = "k3f9";
/// From this last byte on the output is read from a screen.
const SCREEN_FROM: u8 = 0xE0;
/// What a message shows of itself at most, the sign for "cut" included.
const RAW_BYTES_MAX: usize = 4096 + '…'.len_utf8();

/// Checks the decoder on some output.
///
/// The last byte also chooses how it is read: the role, the keys, by lines or from a screen, and into what pieces it
/// is cut.
pub fn decoder(bytes: &[u8]) {
    let choice = bytes.last().copied().unwrap_or(0);
    let options = options(choice);
    let piece = usize::from(choice >> 3) + 1;
    if choice >= SCREEN_FROM {
        let [whole, cut] =
            [bytes.len().max(1), piece].map(|piece| decode(bytes, piece, Decoder::screen(options.clone())).0);
        assert_eq!(cut, whole, "cutting the output into pieces of {piece} changes what stands on the screen");
        return;
    }

    let (whole, _) = decode(bytes, bytes.len().max(1), Decoder::new(options.clone()));
    let (cut, safe) = decode(bytes, piece, Decoder::new(options.clone()));
    assert_eq!(cut, whole, "cutting the output into pieces of {piece} changes what it says");

    let mut end_before = 0;
    for item in &whole {
        let span = item.span();
        assert!(end_before <= span.start, "ranges overlap or go back at {}", span.start);
        assert!(span.start < span.end, "an item without bytes at {}", span.start);
        assert!(span.raw.len() <= RAW_BYTES_MAX, "{} bytes of raw", span.raw.len());
        end_before = span.end;
    }
    assert!(end_before <= bytes.len() as u64, "a range ends behind the output");
    check_restart(bytes, &options, safe, &whole);
}

/// Reading can start again at the safe offset: what was complete before and what comes then is everything.
///
/// What comes a second time is known by its start, which is its identity, and taken once.
fn check_restart(bytes: &[u8], options: &Options, safe: SafePoint, whole: &[Item]) {
    let start = usize::try_from(safe.offset).unwrap_or(usize::MAX);
    assert!(start <= bytes.len(), "the safe offset {start} lies behind the output");
    let rest = bytes.get(start..).unwrap_or_default();
    let (later, _) = decode(rest, rest.len().max(1), Decoder::new(options.clone()));
    let shown = |item: &Item, base: u64| {
        let json = serde_json::to_value(item).unwrap_or_default();
        (item.span().start + base, item.span().end + base, json["type"].clone(), json["payload"].clone())
    };
    let mut all: Vec<_> = whole.iter().take(safe.n_items).map(|item| shown(item, 0)).collect();
    let last_start = all.last().map(|(start, ..)| *start);
    let is_new = |item: &&Item| last_start.is_none_or(|last| item.span().start + safe.offset > last);
    all.extend(later.iter().filter(is_new).map(|item| shown(item, safe.offset)));
    let expected: Vec<_> = whole.iter().map(|item| shown(item, 0)).collect();
    assert_eq!(all, expected, "starting again at {start} changes what is said");
}

/// A place where reading could start again, and how much had been said before it.
struct SafePoint {
    offset: u64,
    n_items: usize,
}

/// Decodes output in pieces, and remembers the safe offset in the middle of it.
fn decode(bytes: &[u8], piece: usize, mut decoder: Decoder) -> (Vec<Item>, SafePoint) {
    let mut items = Vec::new();
    let mut safe = SafePoint { offset: 0, n_items: 0 };
    let mut n_read = 0;
    for chunk in bytes.chunks(piece) {
        items.extend(decoder.push(chunk));
        n_read += chunk.len();
        let offset = decoder.safe_offset();
        assert!(offset <= n_read as u64, "the safe offset {offset} is ahead of {n_read}");
        assert!(offset >= safe.offset, "the safe offset went back from {} to {offset}", safe.offset);
        if n_read <= bytes.len() / 2 || safe.offset == 0 {
            safe = SafePoint { offset, n_items: items.len() };
        }
    }
    items.extend(decoder.end_turn());
    (items, safe)
}

fn options(choice: u8) -> Options {
    let role = if choice & 1 == 0 { Role::Worker } else { Role::Orchestrator };
    let keys = if choice & 6 == 6 { Keys::Required } else { Keys::Optional };
    let key = if choice & 2 == 0 { None } else { KEY.parse().ok() };
    Options { role, key, keys, numeric_ids: choice & 4 == 0 }
}

/// So many tasks of a plan are ticked; each costs two readings.
const TICKS_MAX: usize = 4;

/// Checks the plan reader on a file that is said to have some format.
pub fn plan(bytes: &[u8], format: PlanFormat) {
    let options = plan::ParseOptions { format: Some(format) };
    let reading = plan::parse(bytes, options);
    for diagnostic in &reading.diagnostics {
        let span = &diagnostic.span;
        assert!(span.start <= span.end && span.end <= bytes.len(), "{diagnostic:?} lies outside the file");
    }
    if reading.has_errors() {
        return;
    }
    check_order(&reading.plan);
    let written = plan::to_tasks_md(&reading.plan);
    let again = plan::parse(written.as_bytes(), plan::ParseOptions { format: Some(PlanFormat::TasksMd) });
    assert_eq!(without_lines(again.plan), without_lines(reading.plan.clone()), "written out as:\n{written}");
    for task in reading.plan.tasks.iter().take(TICKS_MAX) {
        let MarkDoneOutcome::Edit(edit) = plan::mark_done(bytes, options, &task.id) else { continue };
        let after = plan::parse(&edit.apply(bytes), options).plan;
        let is_done_now = |other: &plan::Task| other.done || other.id == task.id;
        let expected: Vec<_> =
            reading.plan.tasks.iter().map(|other| (&other.id, is_done_now(other))).collect();
        let found: Vec<_> = after.tasks.iter().map(|other| (&other.id, other.done)).collect();
        assert_eq!(found, expected, "ticking {} changes something else", task.id);
    }
}

/// Takes out what depends on the file and not on the plan.
fn without_lines(mut plan: Plan) -> Plan {
    for task in &mut plan.tasks {
        task.line = 0;
    }
    plan
}

/// Every task of a plan without errors has its place, behind all that it waits for.
fn check_order(plan: &Plan) {
    let order = TaskGraph::new(plan).topological_order();
    let mut position = vec![usize::MAX; plan.tasks.len()];
    for (n, place) in order.iter().enumerate() {
        assert_eq!(position[*place], usize::MAX, "a task comes twice in the order");
        position[*place] = n;
    }
    assert_eq!(order.len(), plan.tasks.len(), "a plan without errors has an order for all its tasks");
    for (place, task) in plan.tasks.iter().enumerate() {
        for needed in &task.depends_on {
            let before = plan.tasks.iter().position(|other| other.id == *needed);
            assert!(
                before.is_some_and(|before| position[before] < position[place]),
                "{} comes too early",
                task.id
            );
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plans;

    #[test]
    fn generated_output_keeps_the_rules() {
        for seed in 0..8 {
            let mut bytes = crate::corpus::generate(50_000, seed).bytes;
            decoder(&bytes);
            bytes.push(SCREEN_FROM);
            decoder(&bytes);
        }
    }

    #[test]
    fn generated_plans_keep_the_rules() {
        plan(plans::tasks_md(230).as_bytes(), PlanFormat::TasksMd);
        plan(plans::checklist(230).as_bytes(), PlanFormat::Checklist);
        plan(plans::taskmaster(230).as_bytes(), PlanFormat::Taskmaster);
    }
}
