//! Runs the scenarios in `scenarios/` against the engine. `scenarios/README.md` describes their format.

#![expect(clippy::wildcard_enum_match_arm, reason = "a test looks at few of the variants")]
#![expect(clippy::disallowed_methods, reason = "a test may read its own files")]
#![expect(clippy::panic, reason = "a test may fail")]

use std::{
    fs,
    path::{Path, PathBuf},
};

use domain::{EscalationId, Event, InboxAction, InboxItem};
use protocol::{Decoder, DecoderOptions};

#[path = "scenarios/agent_output.rs"]
mod agent_output;
#[path = "scenarios/clock.rs"]
mod clock;
#[path = "scenarios/escalation_actions.rs"]
mod escalation_actions;
#[path = "scenarios/executor_reports.rs"]
mod executor_reports;
#[path = "scenarios/expectations.rs"]
mod expectations;
#[path = "scenarios/fake_executor.rs"]
mod fake_executor;
#[path = "scenarios/pattern.rs"]
mod pattern;
#[path = "scenarios/run_facts.rs"]
mod run_facts;
#[path = "scenarios/runner.rs"]
mod runner;
#[path = "scenarios/scenario_file.rs"]
mod scenario_file;
#[path = "scenarios/setup.rs"]
mod setup;
#[path = "scenarios/steps.rs"]
mod steps;
#[path = "scenarios/user_commands.rs"]
mod user_commands;

use runner::ScenarioRunner;
use scenario_file::{Line, Section};
use setup::ScenarioSetup;

#[test]
fn every_scenario_passes() {
    let files = scenario_files();
    assert!(files.len() > 60, "{} scenarios", files.len());
    let failures: Vec<String> = files.iter().filter_map(|file| scenario_failure(file)).collect();
    let n_passed = files.len() - failures.len();
    assert!(failures.is_empty(), "\n{}\n{n_passed} of {} pass", failures.join("\n"), files.len());
}

#[test]
fn scenario_files_contain_no_message_when_an_agent_prints_them() {
    for file in scenario_files().into_iter().chain([scenario_folder().join("README.md")]) {
        let text = read_text_file(&file);
        for options in [DecoderOptions::worker(), DecoderOptions::orchestrator()] {
            let mut decoder = Decoder::new(options);
            let mut items = decoder.push(text.as_bytes());
            items.extend(decoder.end_turn());
            assert!(items.is_empty(), "{} contains messages: {items:#?}", file.display());
        }
    }
}

#[test]
fn failing_scenario_reports_line_and_reason() {
    let text = "```scenario\ngiven\n  T1\nthen\n  T1 is done\n```\n";
    assert_eq!(run_scenario(text), Err((5, "T1 is done".to_owned(), "T1 is running".to_owned())));
    let text = "```scenario\ngiven\n  T1\nwhen\n  pigs fly\n```\n";
    assert_eq!(run_scenario(text), Err((5, "pigs fly".to_owned(), "is not a step".to_owned())));
}

/// Runs a file and returns its failure. A file with a line "Not yet: …" is expected to fail.
fn scenario_failure(file: &Path) -> Option<String> {
    let name = file.strip_prefix(scenario_folder()).unwrap_or(file).display();
    let text = read_text_file(file);
    let is_expected_to_fail = text.lines().any(|line| line.starts_with("Not yet: "));
    match run_scenario(&text) {
        Ok(()) if is_expected_to_fail => Some(format!("{name}: passes now; remove the line 'Not yet'")),
        Err((line, expected, actual)) if !is_expected_to_fail => {
            Some(format!("{name}:{line}: {expected}\n  {actual}"))
        }
        Ok(()) | Err(_) => None,
    }
}

/// Runs a scenario; on failure returns the line number, its text and the actual result.
fn run_scenario(text: &str) -> Result<(), ScenarioFailure> {
    play_scenario(text).map(|_| ())
}

/// Runs a scenario that raises `e_1`, and returns the actions that the escalation suggests and those that are possible.
fn open_escalation(text: &str) -> Result<(Vec<String>, Vec<String>), String> {
    let (line, expected, actual) = match play_scenario(text) {
        Ok(runner) => return Ok((suggested_actions(&runner), possible_actions(&runner))),
        Err(failure) => failure,
    };
    Err(format!("line {line}: {expected}: {actual}"))
}

fn suggested_actions(runner: &ScenarioRunner) -> Vec<String> {
    let raised = runner.log.iter().find_map(|recorded| match &recorded.event {
        Event::EscalationRaised(raised) => Some(raised),
        _ => None,
    });
    raised.iter().flat_map(|raised| &raised.suggested).map(ToString::to_string).collect()
}

fn possible_actions(runner: &ScenarioRunner) -> Vec<String> {
    let actions = runner.run.inbox_actions(InboxItem::Escalation(EscalationId(1)));
    let name = |action: &InboxAction| match action {
        InboxAction::Resolve(action) => Some(action.to_string()),
        _ => None,
    };
    actions.iter().filter_map(name).collect()
}

/// Line number, its text, and the actual result.
type ScenarioFailure = (usize, String, String);

fn play_scenario(text: &str) -> Result<ScenarioRunner, ScenarioFailure> {
    let lines =
        scenario_file::parse_scenario_lines(text).map_err(|(line, error)| (line, String::new(), error))?;
    let at = |line: &Line| (line.number, line.text.clone());
    let fail = |line: &Line| {
        let (number, text) = at(line);
        move |error| (number, text, error)
    };
    let (setup_lines, rest): (Vec<&Line>, Vec<&Line>) =
        lines.iter().partition(|line| line.section == Section::Given);
    let first = lines.first().map_or((1, String::new()), at);
    let mut setup = ScenarioSetup::default();
    for line in setup_lines {
        setup.read_line(line).map_err(fail(line))?;
    }
    let fail_first = |error: String| (first.0, first.1.clone(), error);
    setup.add_defaults().map_err(fail_first)?;
    let mut runner = ScenarioRunner::start(setup).map_err(fail_first)?;
    let mut last = Section::When;
    for line in &rest {
        if line.section == Section::When && last == Section::Then {
            check_no_unexpected_rejection(&runner).map_err(fail(line))?;
            runner.start_expectation_round();
        } else if line.section == Section::When && line.number == rest.first().map_or(0, |line| line.number) {
            runner.start_expectation_round();
        }
        last = line.section;
        match line.section {
            Section::Then => expectations::check_expectation(&mut runner, line).map_err(fail(line))?,
            Section::When | Section::Given => steps::run_step(&mut runner, line).map_err(fail(line))?,
        }
    }
    let (number, text) = rest.last().map_or(first.clone(), |line| at(line));
    let end = |error| (number, text.clone(), error);
    check_no_unexpected_rejection(&runner).map_err(end)?;
    runner.check_end().map_err(end)?;
    Ok(runner)
}

fn check_no_unexpected_rejection(runner: &ScenarioRunner) -> Result<(), String> {
    match runner.rejections.as_slice() {
        [] => Ok(()),
        rejections => Err(format!("unexpected rejection before this step: {}", rejections.join("; "))),
    }
}

fn scenario_folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/scenarios")
}

fn read_text_file(file: &Path) -> String {
    fs::read_to_string(file).unwrap_or_else(|error| panic!("{}: {error}", file.display()))
}

/// Returns all scenario files, sorted by path.
fn scenario_files() -> Vec<PathBuf> {
    let entries = |folder: &Path| -> Vec<PathBuf> {
        let entries = fs::read_dir(folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
        entries.filter_map(|entry| entry.ok().map(|entry| entry.path())).collect()
    };
    let folders = entries(&scenario_folder()).into_iter().filter(|path| path.is_dir());
    let mut files: Vec<PathBuf> = folders.flat_map(|folder| entries(&folder)).collect();
    files.retain(|file| file.extension().is_some_and(|extension| extension == "md"));
    files.sort();
    files
}
