//! Properties that hold however the output is split and wherever a reader restarts.

#![expect(clippy::wildcard_enum_match_arm, reason = "a test looks at few of the variants")]
#![expect(clippy::disallowed_methods, reason = "a test may read its own files")]
#![expect(clippy::expect_used, reason = "what a test is given holds")]

#[path = "recorded/transcript.rs"]
mod transcript;

use std::{fs, path::Path, sync::LazyLock};

use domain::Usage;
use drivers::{Driver, DriverEvent, OutputStream, SpoolChunk};
use proptest::prelude::*;
use transcript::{Transcript, TranscriptStep};

static TRANSCRIPTS: LazyLock<Vec<Transcript>> = LazyLock::new(read_transcripts);

fn read_transcripts() -> Vec<Transcript> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/transcripts");
    let mut paths: Vec<_> = ["claude", "codex"]
        .iter()
        .flat_map(|agent| fs::read_dir(folder.join(agent)).expect("the folder is there"))
        .map(|entry| entry.expect("the folder is readable").path())
        .collect();
    paths.sort();
    paths.iter().map(|path| Transcript::read(path)).collect()
}

/// Returns the standard output of an agent.
fn recorded_output(transcript: &Transcript) -> Vec<u8> {
    let printed = transcript.steps.iter().filter_map(|step| match step {
        TranscriptStep::Output { stream: OutputStream::Output, bytes } => Some(&bytes[..]),
        TranscriptStep::Output { stream: OutputStream::Stderr, .. } | TranscriptStep::Action(_) => None,
    });
    printed.collect::<Vec<_>>().concat()
}

fn feed_output(driver: &mut dyn Driver, offset: usize, bytes: &[u8]) -> Vec<DriverEvent> {
    driver.on_output(SpoolChunk { stream: OutputStream::Output, offset: offset as u64, bytes }).events
}

/// Events that must be the same for every reader.
fn is_restart_invariant(event: &DriverEvent) -> bool {
    matches!(event, DriverEvent::Message { .. } | DriverEvent::Usage(_) | DriverEvent::TurnEnded { .. })
}

fn restart_invariant_events(events: Vec<DriverEvent>) -> Vec<DriverEvent> {
    events.into_iter().filter(is_restart_invariant).collect()
}

fn total_usage(events: &[DriverEvent]) -> Usage {
    let mut used = Usage::default();
    for event in events {
        if let DriverEvent::Usage(usage) = event {
            used.input_tokens += usage.input_tokens;
            used.output_tokens += usage.output_tokens;
            used.cached_tokens += usage.cached_tokens;
            used.cost_micros += usage.cost_micros;
        }
    }
    used
}

/// Reads up to `cut`, continues with a new driver, and expects the events that the first driver would have reported.
fn assert_same_events_after_restart(transcript: &Transcript, cut: usize) {
    let bytes = recorded_output(transcript);
    let whole =
        restart_invariant_events(feed_output(&mut *transcript.new_driver(Usage::default()), 0, &bytes));
    let (head, _) = bytes.split_at(cut);
    let mut first = transcript.new_driver(Usage::default());
    let events = restart_invariant_events(feed_output(&mut *first, 0, head));
    let is_end = |event: &DriverEvent| matches!(event, DriverEvent::TurnEnded { .. });
    let n_done = events.iter().rposition(is_end).map_or(0, |last| last + 1);
    let (done, again) = whole.split_at(n_done);
    assert_eq!(events.get(..n_done).expect("it is within"), done);

    let from = usize::try_from(first.resume_offset()).expect("it is short");
    assert!(from <= cut);
    // The model is reported when a thread is opened, which may be before the cut.
    let mut second = transcript.new_driver(total_usage(done));
    let (_, tail) = bytes.split_at(from);
    let without_model = |mut event: DriverEvent| {
        if let DriverEvent::Usage(usage) = &mut event {
            usage.model = None;
        }
        event
    };
    let events: Vec<_> = restart_invariant_events(feed_output(&mut *second, from, tail))
        .into_iter()
        .map(without_model)
        .collect();
    let expected: Vec<_> = again.iter().cloned().map(without_model).collect();
    assert_eq!(events, expected, "{} {} cut at {cut}", transcript.agent, transcript.session);
}

#[test]
fn restart_at_any_line_end_gives_the_same_events() {
    for transcript in &*TRANSCRIPTS {
        let bytes = recorded_output(transcript);
        let ends = bytes.iter().enumerate().filter(|(_, byte)| **byte == b'\n').map(|(at, _)| at + 1);
        for cut in [0].into_iter().chain(ends) {
            assert_same_events_after_restart(transcript, cut);
        }
    }
}

#[test]
fn an_open_prompt_can_be_answered_after_a_restart() {
    for transcript in TRANSCRIPTS.iter().filter(|transcript| transcript.session != "odd") {
        let bytes = recorded_output(transcript);
        let ends = bytes.iter().enumerate().filter(|(_, byte)| **byte == b'\n').map(|(at, _)| at + 1);
        for cut in ends {
            let (head, _) = bytes.split_at(cut);
            let mut first = transcript.new_driver(Usage::default());
            let asked = feed_output(&mut *first, 0, head).pop();
            let Some(DriverEvent::Permission { request, .. }) = asked else { continue };
            let input =
                drivers::AgentInput::Permission { prompt: request.prompt, allowed: true, reason: None };
            let from = usize::try_from(first.resume_offset()).expect("it is short");
            let mut second = transcript.new_driver(Usage::default());
            feed_output(&mut *second, from, head.split_at(from).1);
            let answer = first.encode_input(&input, 7).expect("the first driver can answer");
            assert_eq!(second.encode_input(&input, 7), Ok(answer));
            assert!(first.encode_input(&input, 8).is_err(), "another input can no longer answer it");
        }
    }
}

#[test]
fn tool_output_is_never_decoded_as_a_message() {
    let mut n_printed = 0;
    for transcript in &*TRANSCRIPTS {
        for event in
            feed_output(&mut *transcript.new_driver(Usage::default()), 0, &recorded_output(transcript))
        {
            match event {
                DriverEvent::Message { item, .. } => assert!(!item.span().raw.contains("T9.9"), "{item:?}"),
                DriverEvent::ToolCall(call) => {
                    n_printed += usize::from(call.output.is_some_and(|output| output.contains("DONE:T9.9")));
                }
                _ => {}
            }
        }
    }
    assert!(n_printed >= 3, "tools did print it");
}

proptest! {
    #[test]
    fn cutting_the_stream_anywhere_changes_nothing(
        which: prop::sample::Index,
        mut cuts in prop::collection::vec(any::<prop::sample::Index>(), 0..8),
    ) {
        let transcript = which.get(&TRANSCRIPTS);
        let bytes = recorded_output(transcript);
        let whole = transcript.new_driver(Usage::default()).on_output(SpoolChunk { stream: OutputStream::Output, offset: 0, bytes: &bytes });
        let mut driver = transcript.new_driver(Usage::default());
        let mut cuts: Vec<_> = cuts.drain(..).map(|cut| cut.index(bytes.len() + 1)).collect();
        cuts.extend([0, bytes.len()]);
        cuts.sort_unstable();
        let mut pieces = drivers::Reaction::default();
        for (from, to) in cuts.iter().zip(cuts.iter().skip(1)) {
            let piece = bytes.get(*from..*to).expect("cuts are sorted");
            let reaction = driver.on_output(SpoolChunk { stream: OutputStream::Output, offset: *from as u64, bytes: piece });
            pieces.events.extend(reaction.events);
            pieces.outgoing.extend(reaction.outgoing);
        }
        prop_assert_eq!(pieces, whole);
    }

    #[test]
    fn restart_at_any_byte_loses_and_repeats_nothing(which: prop::sample::Index, cut: prop::sample::Index) {
        let transcript = which.get(&TRANSCRIPTS);
        assert_same_events_after_restart(transcript, cut.index(recorded_output(transcript).len() + 1));
    }

    #[test]
    fn damaged_output_never_panics(
        which: prop::sample::Index,
        damage in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>(), 0..200_usize), 1..20),
    ) {
        let transcript = which.get(&TRANSCRIPTS);
        let mut bytes = recorded_output(transcript);
        for (place, byte, length) in damage {
            let place = place.index(bytes.len());
            let end = (place + length).min(bytes.len());
            bytes.splice(place..end, [byte]);
        }
        let mut driver = transcript.new_driver(Usage::default());
        driver.on_start();
        feed_output(&mut *driver, 0, &bytes);
        driver.on_exit();
        prop_assert!(driver.resume_offset() <= bytes.len() as u64);
    }

    #[test]
    fn random_bytes_never_panic(
        which: prop::sample::Index,
        bytes: Vec<u8>,
        errors: Vec<u8>,
    ) {
        let mut driver = which.get(&TRANSCRIPTS).new_driver(Usage::default());
        feed_output(&mut *driver, 0, &bytes);
        driver.on_output(SpoolChunk { stream: OutputStream::Stderr, offset: bytes.len() as u64, bytes: &errors });
        driver.on_exit();
    }
}
