//! `cargo xtask mutants`: proves that the tests of the engine detect a rule that is missing.
//!
//! Each mutation in `dev/simulator/mutations.toml` disables one rule in a copy of the source: a simulated run must then
//! break an expected rule, and a scenario must fail.

mod source_copy;

use std::{
    fs,
    process::Command,
    time::{Duration, Instant},
};

use anyhow::{Context, Result, bail, ensure};
use clap::Args;
use serde::Deserialize;

use crate::shell;
use source_copy::{SourceCopy, TestPrograms};

const MUTATIONS_FILE: &str = "dev/simulator/mutations.toml";

/// Number of simulated runs within which every mutation is detected.
const SEEDS_MAX: &str = "2000";

/// Time limit for a test program, since a mutant may loop forever. That many runs take 10 s, and longer on a machine that
/// is busy.
const RUN_LIMIT: Duration = Duration::from_secs(300);

/// Which mutations are applied.
#[derive(Args)]
pub(crate) struct Options {
    /// Apply only this mutation.
    pub name: Option<String>,
}

/// A change of the source that disables a rule.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Mutation {
    name: String,
    /// From the repository's root.
    file: String,
    /// Occurs once in the file.
    find: String,
    replace: String,
    /// Names of `simulator::Rule`; a simulated run must break one of them.
    breaks: Vec<String>,
}

impl Mutation {
    /// Returns the text of the file with the mutation.
    fn apply(&self, text: &str) -> Result<String> {
        let Self { file, find, replace, .. } = self;
        match text.matches(find).count() {
            1 => Ok(text.replacen(find, replace, 1)),
            n => bail!("`{find}` occurs {n} times in {file}, not once; adapt {MUTATIONS_FILE}"),
        }
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct MutationFile {
    mutation: Vec<Mutation>,
}

/// Checks that the unchanged source passes, then applies the mutations one after the other; fails if one of them is not
/// detected.
pub(crate) fn run(options: &Options) -> Result<()> {
    let start = Instant::now();
    let all = read_mutations()?;
    let chosen: Vec<&Mutation> = all
        .iter()
        .filter(|mutation| options.name.as_ref().is_none_or(|name| mutation.name == *name))
        .collect();
    if chosen.is_empty() {
        let names: Vec<&str> = all.iter().map(|mutation| mutation.name.as_str()).collect();
        bail!("no such mutation\nhint: the mutations are {}", names.join(", "));
    }
    let copy = SourceCopy::create()?;
    check_unchanged(&copy).context("the source without a mutation fails")?;
    eprintln!("   the source without a mutation passes ({})", shell::format_duration(start.elapsed()));

    let mut undetected = Vec::new();
    for mutation in &chosen {
        let start = Instant::now();
        let result = copy.with_mutation(mutation, || check_detected(&copy, mutation));
        let time = shell::format_duration(start.elapsed());
        match result {
            Ok(violation) => eprintln!("   {}: detected ({time}): {violation}", mutation.name),
            Err(error) => {
                eprintln!("   {}: NOT detected ({time}): {error:#}", mutation.name);
                undetected.push(mutation.name.as_str());
            }
        }
    }
    if !undetected.is_empty() {
        bail!(
            "{} of {} mutations are not detected: {}",
            undetected.len(),
            chosen.len(),
            undetected.join(", ")
        );
    }
    eprintln!("   detected: {} of {0} mutations ({})", chosen.len(), shell::format_duration(start.elapsed()));
    Ok(())
}

fn read_mutations() -> Result<Vec<Mutation>> {
    let path = shell::repository_root().join(MUTATIONS_FILE);
    let text = fs::read_to_string(&path).with_context(|| format!("read {}", path.display()))?;
    let file: MutationFile = toml::from_str(&text).with_context(|| format!("read {MUTATIONS_FILE}"))?;
    Ok(file.mutation)
}

/// Checks that neither the simulator nor a scenario fails.
fn check_unchanged(copy: &SourceCopy) -> Result<()> {
    let programs = copy.build()?;
    let (status, _) = copy.run(&mut simulator_command(&programs), RUN_LIMIT)?;
    ensure!(status.success(), "the simulator ended with {status}");
    let (status, output) = copy.run(&mut scenarios_command(&programs), RUN_LIMIT)?;
    ensure!(status.success(), "the scenarios ended with {status}:\n{output}");
    Ok(())
}

/// Builds the mutated source and returns the violation that the simulator found; an error says why it is not detected.
fn check_detected(copy: &SourceCopy, mutation: &Mutation) -> Result<String> {
    let programs = copy.build()?;
    let mut simulator = simulator_command(&programs);
    simulator.args(mutation.breaks.iter().flat_map(|rule| ["--expect", rule]));
    let (status, violation) = copy.run(&mut simulator, RUN_LIMIT)?;
    ensure!(status.success(), "the simulator ended with {status}");
    let (status, _) = copy.run(&mut scenarios_command(&programs), RUN_LIMIT)?;
    ensure!(!status.success(), "all scenarios pass; add one that shows the rule");
    Ok(violation.trim().to_owned())
}

fn simulator_command(programs: &TestPrograms) -> Command {
    let mut command = Command::new(&programs.simulator);
    command.args(["--seeds", SEEDS_MAX]).env("RUST_BACKTRACE", "0");
    command
}

fn scenarios_command(programs: &TestPrograms) -> Command {
    let mut command = Command::new(&programs.scenarios);
    command.args(["--exact", "every_scenario_passes"]).env("RUST_BACKTRACE", "0");
    command
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use clap::ValueEnum;

    use super::*;

    #[test]
    fn every_text_to_find_occurs_once_in_its_file() {
        for mutation in read_mutations().unwrap() {
            let text = fs::read_to_string(shell::repository_root().join(&mutation.file)).unwrap();
            mutation.apply(&text).unwrap();
        }
    }

    #[test]
    fn every_mutation_names_existing_rules() {
        for mutation in read_mutations().unwrap() {
            assert!(!mutation.breaks.is_empty(), "{} breaks no rule", mutation.name);
            for name in &mutation.breaks {
                simulator::Rule::from_str(name, false).unwrap();
            }
        }
    }

    #[test]
    fn every_rule_is_broken_by_a_mutation() {
        let mutations = read_mutations().unwrap();
        let broken: BTreeSet<&str> =
            mutations.iter().flat_map(|mutation| &mutation.breaks).map(String::as_str).collect();
        let rules = simulator::Rule::value_variants().iter().map(|rule| format!("{rule:?}"));
        let unbroken: Vec<String> = rules.filter(|rule| !broken.contains(rule.as_str())).collect();
        assert!(unbroken.is_empty(), "no mutation breaks {unbroken:?}: nothing shows that they are checked");
    }

    #[test]
    fn names_of_mutations_are_unique() {
        let mutations = read_mutations().unwrap();
        let names: BTreeSet<&String> = mutations.iter().map(|mutation| &mutation.name).collect();
        assert_eq!(names.len(), mutations.len());
    }
}
