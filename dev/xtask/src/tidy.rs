//! `cargo xtask tidy`: the rules of ARCHITECTURE.md and STYLE.md that the compiler does not check.
//!
//! Each check is a pure function from texts to complaints, in its own file; this file only reads the texts.

mod architecture;
mod counts;
mod language;
mod links;
mod metadata;
mod pure;
mod sources;
mod table;
mod text;

use std::{borrow::Cow, fmt, fs, path::Path};

use anyhow::{Context, Result, bail};
use clap::Args;

use crate::shell;

/// Options of `cargo xtask tidy`.
#[derive(Args)]
pub(crate) struct Options {
    /// Writes the generated files instead of complaining about them.
    #[arg(long)]
    pub fix: bool,
    /// Prints how many findings of the language check each folder has, or all findings below a folder.
    #[arg(long, value_name = "FOLDER", num_args = 0..=1, default_missing_value = "")]
    pub language: Option<String>,
}

/// A broken rule: where, what is wrong, and what to do.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Complaint {
    place: String,
    problem: String,
    hint: Cow<'static, str>,
}

impl Complaint {
    fn new(place: impl Into<String>, problem: impl Into<String>, hint: impl Into<Cow<'static, str>>) -> Self {
        Self { place: place.into(), problem: problem.into(), hint: hint.into() }
    }
}

impl fmt::Display for Complaint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "error: {}: {}\nhint: {}", self.place, self.problem, self.hint)
    }
}

/// A file of the repository.
#[derive(Debug)]
pub(crate) struct File {
    /// From the repository's root, with `/`.
    pub path: String,
    /// The content; bytes that are not UTF-8 are replaced.
    pub text: String,
}

/// Runs all checks and prints every complaint.
pub(crate) fn run(options: &Options) -> Result<()> {
    let root = shell::repository_root();
    let language = language::read_rules()?;
    if let Some(folder) = &options.language {
        let files = files(&root)?;
        let is_overview = folder.is_empty();
        let text = if is_overview { language.counts(&files) } else { language.list_findings(&files, folder) };
        print!("{text}");
        return Ok(());
    }
    let workspace = metadata::read()?;
    if options.fix {
        for (path, content) in pure::generated_files(&workspace) {
            fs::write(root.join(&path), content).with_context(|| format!("write {path}"))?;
        }
    }
    let files = files(&root)?;
    let text_of =
        |path: &str| files.iter().find(|file| file.path == path).map_or("", |file| file.text.as_str());

    let (rows, mut complaints) = table::parse(text_of("ARCHITECTURE.md"));
    complaints.extend(architecture::check(&rows, &workspace));
    complaints.extend(pure::check_trees(&workspace));
    complaints.extend(pure::check_generated(&workspace, text_of));
    complaints.extend(sources::check(&files));
    complaints.extend(text::check(&files, &machine_paths(&root)));
    complaints.extend(links::check(&files));
    complaints.extend(language.check(&files));

    print!("{}", counts::table(&files));
    for complaint in &complaints {
        eprintln!("{complaint}");
    }
    if !complaints.is_empty() {
        bail!("{} rule(s) are broken", complaints.len());
    }
    eprintln!("   {} crates and {} files are tidy", workspace.crates.len(), files.len());
    Ok(())
}

/// Reads every file that git tracks or would add.
fn files(root: &Path) -> Result<Vec<File>> {
    let mut files = Vec::new();
    for path in shell::repository_files()? {
        let bytes = fs::read(root.join(&path)).with_context(|| format!("read {path}"))?;
        files.push(File { path, text: String::from_utf8_lossy(&bytes).into_owned() });
    }
    Ok(files)
}

/// Returns the paths that only this machine has: the checkout and the home folder.
fn machine_paths(root: &Path) -> Vec<String> {
    let home = std::env::var("HOME").ok();
    let paths = [Some(root.to_string_lossy().into_owned()), home.map(|home| format!("{home}/"))];
    paths.into_iter().flatten().filter(|path| path.len() > 2).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Creates files from pairs of path and text.
    pub(super) fn files_of(pairs: &[(&str, &str)]) -> Vec<File> {
        pairs.iter().map(|(path, text)| File { path: (*path).to_owned(), text: (*text).to_owned() }).collect()
    }

    /// Compares complaints, written as `place: problem`.
    pub(super) fn assert_complaints(complaints: &[Complaint], expected: &[&str]) {
        let shown: Vec<String> = complaints
            .iter()
            .map(|complaint| format!("{}: {}", complaint.place, complaint.problem))
            .collect();
        assert_eq!(shown, expected);
    }
}
