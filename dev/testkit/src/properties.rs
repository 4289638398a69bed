//! Properties that hold for every input: fuzz targets search for a counterexample, tests replay those that were found.
//!
//! Every function panics if a property is broken, as libFuzzer and test runners expect.

use domain::Role;
use plan::{MarkDoneOutcome, Plan, PlanFormat, TaskGraph};
use protocol::{AcceptedTaskIds, DecodedItem, Decoder, DecoderOptions, KeyRequirement};

/// The session key that inputs of the decoder may contain.
const KEY: &str = "k3f9";
/// An input whose last byte is at least this is decoded from a screen.
const SCREEN_FROM: u8 = 0xE0;
/// The longest raw text of a message, including the mark of a cut.
const RAW_BYTES_MAX: usize = 4096 + '…'.len_utf8();

/// Checks the decoder on an output.
///
/// The last byte also selects the options: the role, the keys, lines or screen, and the size of the pieces.
pub fn check_decoder(bytes: &[u8]) {
    let choice = bytes.last().copied().unwrap_or(0);
    let options = options(choice);
    let piece = usize::from(choice >> 3) + 1;
    if choice >= SCREEN_FROM {
        let [whole, cut] = [bytes.len().max(1), piece]
            .map(|piece| decode(bytes, piece, Decoder::for_screen(options.clone())).0);
        assert_eq!(cut, whole, "cutting the output into pieces of {piece} changes the text of the screen");
        return;
    }

    let (whole, _) = decode(bytes, bytes.len().max(1), Decoder::new(options.clone()));
    let (cut, safe) = decode(bytes, piece, Decoder::new(options.clone()));
    assert_eq!(cut, whole, "cutting the output into pieces of {piece} changes its messages");

    let mut end_before = 0;
    for item in &whole {
        let span = item.span();
        assert!(end_before <= span.start, "ranges overlap or go back at {}", span.start);
        assert!(span.start < span.end, "an item without bytes at {}", span.start);
        assert!(span.raw.len() <= RAW_BYTES_MAX, "{} bytes of raw", span.raw.len());
        end_before = span.end;
    }
    assert!(end_before <= bytes.len() as u64, "a range ends beyond the output");
    check_restart(bytes, &options, safe, &whole);
}

/// Checks that reading can restart at the safe offset: the messages before it and those after it are all messages.
///
/// A message that is read twice is recognised by its start and counted once.
fn check_restart(bytes: &[u8], options: &DecoderOptions, safe: SafePoint, whole: &[DecodedItem]) {
    let start = usize::try_from(safe.offset).unwrap_or(usize::MAX);
    assert!(start <= bytes.len(), "the safe offset {start} is beyond the output");
    let rest = bytes.get(start..).unwrap_or_default();
    let (later, _) = decode(rest, rest.len().max(1), Decoder::new(options.clone()));
    let shown = |item: &DecodedItem, base: u64| {
        let json = serde_json::to_value(item).unwrap_or_default();
        (item.span().start + base, item.span().end + base, json["type"].clone(), json["payload"].clone())
    };
    let mut all: Vec<_> = whole.iter().take(safe.n_items).map(|item| shown(item, 0)).collect();
    let last_start = all.last().map(|(start, ..)| *start);
    let is_new = |item: &&DecodedItem| last_start.is_none_or(|last| item.span().start + safe.offset > last);
    all.extend(later.iter().filter(is_new).map(|item| shown(item, safe.offset)));
    let expected: Vec<_> = whole.iter().map(|item| shown(item, 0)).collect();
    assert_eq!(all, expected, "a restart at {start} changes the messages");
}

/// An offset at which reading can restart, and the number of items before it.
struct SafePoint {
    offset: u64,
    n_items: usize,
}

/// Decodes an output in pieces, and returns the safe offset near its middle.
fn decode(bytes: &[u8], piece: usize, mut decoder: Decoder) -> (Vec<DecodedItem>, SafePoint) {
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

fn options(choice: u8) -> DecoderOptions {
    let role = if choice & 1 == 0 { Role::Worker } else { Role::Orchestrator };
    let key_requirement = if choice & 6 == 6 { KeyRequirement::Required } else { KeyRequirement::Optional };
    let key = if choice & 2 == 0 { None } else { KEY.parse().ok() };
    let task_ids = if choice & 4 == 0 { AcceptedTaskIds::Any } else { AcceptedTaskIds::default() };
    DecoderOptions { role, key, key_requirement, task_ids }
}

/// Number of tasks of a plan that are ticked; each needs two parses.
const TICKS_MAX: usize = 4;

/// Checks the plan parser on a file of a given format.
pub fn check_plan_parser(bytes: &[u8], format: PlanFormat) {
    let options = plan::ParseOptions { format: Some(format), tag: None };
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
    let again =
        plan::parse(written.as_bytes(), plan::ParseOptions { format: Some(PlanFormat::TasksMd), tag: None });
    assert_eq!(
        without_line_numbers(again.plan),
        without_line_numbers(reading.plan.clone()),
        "written out as:\n{written}"
    );
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

/// Removes the line numbers, which depend on the file and not on the plan.
fn without_line_numbers(mut plan: Plan) -> Plan {
    for task in &mut plan.tasks {
        task.line = 0;
    }
    plan
}

/// Checks that a plan without errors has an order with each task after its dependencies.
fn check_order(plan: &Plan) {
    let order = TaskGraph::new(plan).topological_order();
    let mut position = vec![usize::MAX; plan.tasks.len()];
    for (n, task) in order.iter().enumerate() {
        assert_eq!(position[*task], usize::MAX, "a task is in the order twice");
        position[*task] = n;
    }
    assert_eq!(order.len(), plan.tasks.len(), "the order of a plan without errors has all tasks");
    // Done tasks may depend on each other in a cycle.
    for (index, task) in plan.tasks.iter().enumerate().filter(|(_, task)| !task.done) {
        for needed in &task.depends_on {
            let before = plan.tasks.iter().position(|other| other.id == *needed);
            assert!(
                before.is_some_and(|before| position[before] < position[index]),
                "{} is ordered before its dependency",
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
    fn generated_output_keeps_the_properties() {
        for seed in 0..8 {
            let mut bytes = crate::corpus::generate(50_000, seed).bytes;
            check_decoder(&bytes);
            bytes.push(SCREEN_FROM);
            check_decoder(&bytes);
        }
    }

    #[test]
    fn generated_plans_keep_the_properties() {
        check_plan_parser(plans::tasks_md_plan(230).as_bytes(), PlanFormat::TasksMd);
        check_plan_parser(plans::checklist_plan(230).as_bytes(), PlanFormat::Checklist);
        check_plan_parser(plans::taskmaster_plan(230).as_bytes(), PlanFormat::Taskmaster);
    }
}
