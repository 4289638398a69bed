//! What a run does, as people read it: each file of `scenarios/` is played, and must come out as it says.
//!
//! `scenarios/README.md` says how such a file is written.

#![expect(clippy::disallowed_methods, reason = "a test may read its own files")]
#![expect(clippy::panic, reason = "a test may fail")]

use std::{
    fs,
    path::{Path, PathBuf},
};

use engine::Guard;
use protocol::{Decoder, DecoderOptions};

#[path = "scenarios/clock.rs"]
mod clock;
#[path = "scenarios/expect.rs"]
mod expect;
#[path = "scenarios/facts.rs"]
mod facts;
#[path = "scenarios/given.rs"]
mod given;
#[path = "scenarios/hands.rs"]
mod hands;
#[path = "scenarios/mouth.rs"]
mod mouth;
#[path = "scenarios/pattern.rs"]
mod pattern;
#[path = "scenarios/people.rs"]
mod people;
#[path = "scenarios/reports.rs"]
mod reports;
#[path = "scenarios/script.rs"]
mod script;
#[path = "scenarios/stage.rs"]
mod stage;
#[path = "scenarios/steps.rs"]
mod steps;

use given::Given;
use script::{Line, Section};
use stage::Stage;

#[test]
fn every_scenario_comes_out_as_it_says() {
    let files = files();
    assert!(files.len() > 60, "{} scenarios", files.len());
    let failures: Vec<String> = files.iter().filter_map(|file| failure(file)).collect();
    let n_passed = files.len() - failures.len();
    assert!(failures.is_empty(), "\n{}\n{n_passed} of {} hold", failures.join("\n"), files.len());
}

#[test]
fn no_scenario_is_heard_when_an_agent_prints_it() {
    for file in files().into_iter().chain([folder().join("README.md")]) {
        let text = read(&file);
        for options in [DecoderOptions::worker(), DecoderOptions::orchestrator()] {
            let mut decoder = Decoder::new(options);
            let mut items = decoder.push(text.as_bytes());
            items.extend(decoder.end_turn());
            assert!(items.is_empty(), "{} says something: {items:#?}", file.display());
        }
    }
}

#[test]
fn a_scenario_that_does_not_come_out_says_where() {
    let text = "```scenario\ngiven\n  T1\nthen\n  T1 is done\n```\n";
    assert_eq!(play(text, None), Err((5, "T1 is done".to_owned(), "T1 is running".to_owned())));
    let text = "```scenario\ngiven\n  T1\nwhen\n  pigs fly\n```\n";
    assert_eq!(play(text, None), Err((5, "pigs fly".to_owned(), "is nothing that can happen".to_owned())));
}

#[cfg(feature = "fault-injection")]
#[test]
fn a_run_without_one_of_its_rules_is_noticed() {
    let texts: Vec<String> = files().iter().map(|file| read(file)).collect();
    let known = |text: &&String| !text.lines().any(|line| line.starts_with("Not yet: "));
    let texts: Vec<&String> = texts.iter().filter(known).collect();
    let is_unnoticed = |guard: &Guard| texts.iter().all(|text| play(text, Some(*guard)).is_ok());
    let unnoticed: Vec<Guard> = Guard::ALL.into_iter().filter(is_unnoticed).collect();
    assert!(unnoticed.is_empty(), "no scenario misses {unnoticed:?}");
}

/// Plays a file, and returns what went wrong. What is known not to hold says so in a line of its own.
fn failure(file: &Path) -> Option<String> {
    let name = file.strip_prefix(folder()).unwrap_or(file).display();
    let text = read(file);
    let is_known = text.lines().any(|line| line.starts_with("Not yet: "));
    match play(&text, None) {
        Ok(()) if is_known => Some(format!("{name}: it holds now; take the line 'Not yet' away")),
        Err((line, expected, found)) if !is_known => Some(format!("{name}:{line}: {expected}\n  {found}")),
        Ok(()) | Err(_) => None,
    }
}

/// Plays a scenario; where it does not come out, returns the line, what it says, and what is there.
fn play(text: &str, without: Option<Guard>) -> Result<(), (usize, String, String)> {
    let lines = script::read(text).map_err(|(line, error)| (line, String::new(), error))?;
    let at = |line: &Line| (line.number, line.text.clone());
    let fail = |line: &Line| {
        let (number, text) = at(line);
        move |error| (number, text, error)
    };
    let (given, rest): (Vec<&Line>, Vec<&Line>) =
        lines.iter().partition(|line| line.section == Section::Given);
    let first = lines.first().map_or((1, String::new()), at);
    let mut start = Given::default();
    for line in given {
        start.take(line).map_err(fail(line))?;
    }
    let fail_first = |error: String| (first.0, first.1.clone(), error);
    start.settle().map_err(fail_first)?;
    let mut stage = Stage::start(start, without).map_err(fail_first)?;
    let mut last = Section::When;
    for line in &rest {
        if line.section == Section::When && last == Section::Then {
            expected_all(&stage).map_err(fail(line))?;
            stage.begin_round();
        } else if line.section == Section::When && line.number == rest.first().map_or(0, |line| line.number) {
            stage.begin_round();
        }
        last = line.section;
        match line.section {
            Section::Then => expect::take(&mut stage, line).map_err(fail(line))?,
            Section::When | Section::Given => steps::take(&mut stage, line).map_err(fail(line))?,
        }
    }
    let (number, text) = rest.last().map_or(first.clone(), |line| at(line));
    let end = |error| (number, text.clone(), error);
    expected_all(&stage).map_err(end)?;
    stage.finish().map_err(end)
}

/// A refusal that nobody expected is a scenario that does not do what it says.
fn expected_all(stage: &Stage) -> Result<(), String> {
    match stage.refusals.as_slice() {
        [] => Ok(()),
        refusals => Err(format!("nobody expected the refusal before this: {}", refusals.join("; "))),
    }
}

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/scenarios")
}

fn read(file: &Path) -> String {
    fs::read_to_string(file).unwrap_or_else(|error| panic!("{}: {error}", file.display()))
}

/// Returns all scenarios, in the order of their names.
fn files() -> Vec<PathBuf> {
    let entries = |folder: &Path| -> Vec<PathBuf> {
        let entries = fs::read_dir(folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
        entries.filter_map(|entry| entry.ok().map(|entry| entry.path())).collect()
    };
    let folders = entries(&folder()).into_iter().filter(|path| path.is_dir());
    let mut files: Vec<PathBuf> = folders.flat_map(|folder| entries(&folder)).collect();
    files.retain(|file| file.extension().is_some_and(|extension| extension == "md"));
    files.sort();
    files
}
