//! `cargo xtask fuzz`: runs the fuzz targets, which search for inputs that break a rule.
//!
//! A finding is copied to `fuzz/regressions/<target>/`, where `dev/testkit/tests/regressions.rs` replays it in every
//! test run. Seeds are texts of the repository.

use std::{
    fs,
    path::{Path, PathBuf},
    process::{Command, Stdio},
    time::SystemTime,
};

use anyhow::{Context, Result, bail};
use clap::Args;

use crate::{shell, tools};

/// Time limit for minimizing a found input.
const MINIMIZE_SECONDS: u32 = 20;

/// Time and target.
#[derive(Args)]
pub(crate) struct Options {
    /// Seconds that each target runs.
    #[arg(long, default_value_t = 60)]
    seconds: u32,
    /// Run only this target.
    #[arg(long)]
    target: Option<String>,
}

/// Runs the targets one after the other; fails at the end if one of them found an input.
pub(crate) fn run(options: &Options) -> Result<()> {
    let all = targets(&shell::repository_root().join("fuzz/fuzz_targets"))?;
    let chosen: Vec<&String> =
        all.iter().filter(|name| options.target.as_ref().is_none_or(|wanted| *name == wanted)).collect();
    if chosen.is_empty() {
        bail!("no such target\nhint: the targets are {}", all.join(", "));
    }
    shell::step("tools", "cargo-fuzz needs a C++ compiler for libFuzzer", || tools::ensure(&tools::FUZZ))?;

    // All are built first, so that a target that does not build cannot discard the findings of an earlier one.
    let mut programs = Vec::new();
    shell::step("build", "the targets are in fuzz/fuzz_targets/, the checked rules in dev/testkit/", || {
        for target in chosen {
            programs.push((target, build(target)?));
        }
        Ok(())
    })?;
    let mut findings = Vec::new();
    for (target, program) in programs {
        let title = format!("fuzz {target} for {} s", options.seconds);
        shell::step(&title, "the target must at least start", || {
            findings.extend(fuzz(target, &program, options.seconds)?);
            Ok(())
        })?;
    }
    if findings.is_empty() {
        eprintln!("\nNothing found.");
        return Ok(());
    }
    for finding in &findings {
        eprintln!("\nfound: {}", finding.path.display());
        eprintln!("hint: replay all with `cargo nextest run -p testkit --test regressions`,");
        eprintln!(
            "      this one alone with `fuzz/target/*/release/{} {}`",
            finding.target,
            finding.path.display()
        );
    }
    bail!(
        "{} input(s) break a rule; they are stored and fail `cargo xtask test` until the rule holds",
        findings.len()
    )
}

/// An input that breaks a rule.
struct Finding {
    target: String,
    /// Path in the repository, from its root.
    path: PathBuf,
}

/// Runs one target and returns its findings.
fn fuzz(target: &str, program: &Path, seconds: u32) -> Result<Vec<Finding>> {
    let root = shell::repository_root();
    let [corpus, seeds, artifacts] =
        ["corpus", "target/seeds", "artifacts"].map(|folder| format!("fuzz/{folder}/{target}"));
    for folder in [&corpus, &artifacts] {
        fs::create_dir_all(root.join(folder)).with_context(|| format!("create {folder}"))?;
    }
    let n_seeds = gather_seeds(target, &root.join(&seeds))?;
    eprintln!("   {n_seeds} seeds from the repository");

    let start = SystemTime::now();
    let mut command = Command::new(program);
    command.current_dir(&root).env("RUST_BACKTRACE", "0").args([&corpus, &seeds]).args([
        "-max_len=65536",
        "-timeout=10",
        "-print_final_stats=1",
    ]);
    command.args([format!("-max_total_time={seconds}"), format!("-artifact_prefix={artifacts}/")]);
    let dictionary = format!("fuzz/dictionaries/{}.dict", target.split('_').next().unwrap_or(target));
    if root.join(&dictionary).exists() {
        command.arg(format!("-dict={dictionary}"));
    }
    let outcome = shell::run(&mut command);

    let mut findings = Vec::new();
    for artifact in files(&root.join(&artifacts))? {
        if fs::metadata(&artifact)?.modified()? >= start {
            findings.push(store_regression(target, program, &artifact)?);
        }
    }
    match outcome {
        Err(error) if findings.is_empty() => Err(error),
        Ok(()) | Err(_) => Ok(findings),
    }
}

/// Builds a target, and returns the program.
///
/// The program is started directly, because `cargo fuzz run` prints a found input byte by byte.
fn build(target: &str) -> Result<PathBuf> {
    let host = shell::host_target()?;
    let mut command = shell::cargo_command(&["fuzz", "build", "--sanitizer", "none", "--target", &host]);
    command.args(["--target-dir", "fuzz/target", target]);
    // Coverage needs unstable compiler flags; this allows them on the stable toolchain.
    shell::run(command.env("RUSTC_BOOTSTRAP", "1"))?;
    Ok(shell::repository_root().join("fuzz/target").join(host).join("release").join(target))
}

/// Stores a found input where the tests replay it, minimized as far as the time allows.
fn store_regression(target: &str, program: &Path, artifact: &Path) -> Result<Finding> {
    let root = shell::repository_root();
    let folder = Path::new("fuzz/regressions").join(target);
    let path = folder.join(artifact.file_name().context("an artifact without a name")?);
    fs::create_dir_all(root.join(&folder))?;
    let content = fs::read(artifact)?;
    for known in files(&root.join(&folder))? {
        if fs::read(&known)? == content {
            let path = known.strip_prefix(&root).unwrap_or(&known).to_owned();
            return Ok(Finding { target: target.to_owned(), path });
        }
    }
    eprintln!("   found {}; minimizing it for {MINIMIZE_SECONDS} s", artifact.display());
    let mut command = Command::new(program);
    command.arg("-minimize_crash=1").arg(format!("-max_total_time={MINIMIZE_SECONDS}"));
    command.arg(format!("-exact_artifact_path={}", root.join(&path).display())).arg(artifact);
    // The exit status says nothing: what counts is whether a smaller input was written.
    command.stdout(Stdio::null()).stderr(Stdio::null()).status().context("start the target again")?;
    if !root.join(&path).exists() {
        fs::copy(artifact, root.join(&path)).with_context(|| format!("store {}", path.display()))?;
    }
    Ok(Finding { target: target.to_owned(), path })
}

/// Fills a folder with the repository's examples for a target, and returns their number.
fn gather_seeds(target: &str, folder: &Path) -> Result<usize> {
    if folder.exists() {
        fs::remove_dir_all(folder)?;
    }
    fs::create_dir_all(folder)?;
    let root = shell::repository_root();
    let mut sources = files(&root.join(seed_folder(target)))?;
    sources.extend(files(&root.join("fuzz/regressions").join(target))?);
    sources.retain(|path| path.extension().is_none_or(|extension| extension != "snap"));
    for (n, source) in sources.iter().enumerate() {
        fs::copy(source, folder.join(format!("{n:04}")))?;
    }
    Ok(sources.len())
}

/// Returns the folder of texts that have the form of a target's input.
fn seed_folder(target: &str) -> &'static str {
    if target.starts_with("plan_") { "examples" } else { "crates/protocol/tests/transcripts" }
}

/// Returns the names of the fuzz targets, sorted.
fn targets(folder: &Path) -> Result<Vec<String>> {
    let stem = |path: &PathBuf| path.file_stem().map(|stem| stem.to_string_lossy().into_owned());
    Ok(files(folder)?.iter().filter_map(stem).collect())
}

/// Returns all files below a folder, sorted; empty if the folder does not exist.
fn files(folder: &Path) -> Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    if folder.is_dir() {
        for entry in fs::read_dir(folder).with_context(|| format!("read {}", folder.display()))? {
            let path = entry?.path();
            if path.is_dir() { found.extend(files(&path)?) } else { found.push(path) }
        }
    }
    found.sort();
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_target_has_its_seeds_in_the_repository() {
        let all = targets(&shell::repository_root().join("fuzz/fuzz_targets")).unwrap();
        assert!(all.contains(&"decoder".to_owned()), "{all:?}");
        for target in all {
            assert!(
                !files(&shell::repository_root().join(seed_folder(&target))).unwrap().is_empty(),
                "{target} has no seeds"
            );
        }
    }
}
