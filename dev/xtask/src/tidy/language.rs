//! Checks the language habits that a program can see: refused words, type names without a noun, empty doc comments.
//!
//! Which words and names are refused, where, and what to write instead is in `language.toml`.

use std::{
    collections::BTreeMap,
    fmt::{self, Write as _},
};

use anyhow::{Context, Result};
use serde::Deserialize;

use super::{Complaint, File};

/// A doc comment with fewer words than this says nothing that the name does not say.
const DOC_WORDS_MIN: usize = 3;
const RUST_TYPES: [&str; 5] = ["struct", "enum", "trait", "type", "union"];
const TYPESCRIPT_TYPES: [&str; 4] = ["type", "interface", "class", "enum"];
const MODIFIERS: [&str; 6] = ["export", "default", "declare", "abstract", "unsafe", "auto"];

/// The rules, as `language.toml` has them.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct LanguageRules {
    /// Patterns of the files that are read.
    checked: Vec<String>,
    /// Patterns of files that are not prose.
    data: Vec<String>,
    /// Folders and files that are allowed to have findings for now.
    pending: Vec<String>,
    /// Refused words and phrases in lower case, each with what to write instead.
    words: BTreeMap<String, String>,
    exceptions: Vec<Exception>,
    /// Refused type names, each with what to write instead.
    type_names: BTreeMap<String, String>,
}

/// A line on which a refused word is right.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Exception {
    /// Pattern of the files.
    path: String,
    /// Text that the line has, as it is written.
    text: String,
}

/// A place that breaks a rule.
#[derive(Debug, PartialEq, Eq)]
struct Finding<'a> {
    path: &'a str,
    line: usize,
    rule: Rule,
    /// The word, the name or the comment.
    text: String,
    instead: &'a str,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Rule {
    Word,
    DocComment,
    TypeName,
}

impl fmt::Display for Finding<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.rule {
            Rule::Word => write!(f, "\"{}\" is refused", self.text),
            Rule::DocComment => write!(f, "the doc comment \"{}\" is empty", self.text),
            Rule::TypeName => write!(f, "the type name {} has no noun", self.text),
        }
    }
}

/// Reads the rules of this repository.
pub(super) fn read_rules() -> Result<LanguageRules> {
    toml::from_str(include_str!("language.toml")).context("read dev/xtask/src/tidy/language.toml")
}

impl LanguageRules {
    /// Returns a complaint for every finding outside of the pending folders, and for every entry there that is done.
    pub(super) fn check(&self, files: &[File]) -> Vec<Complaint> {
        let findings = self.findings(files);
        let refused = findings.iter().filter(|finding| self.pending_path_of(finding.path).is_none());
        let mut complaints: Vec<Complaint> = refused
            .map(|finding| {
                let place = format!("{}:{}", finding.path, finding.line);
                Complaint::new(place, finding.to_string(), format!("write instead: {}", finding.instead))
            })
            .collect();
        for entry in &self.pending {
            if !findings.iter().any(|finding| self.pending_path_of(finding.path) == Some(entry)) {
                complaints.push(Complaint::new(
                    "dev/xtask/src/tidy/language.toml",
                    format!("{entry} is pending, and has no findings"),
                    "take it out of `pending`, so that it stays like that",
                ));
            }
        }
        complaints
    }

    /// Returns a table of how many findings each folder has.
    pub(super) fn counts(&self, files: &[File]) -> String {
        let mut counts: BTreeMap<&str, [usize; 3]> = BTreeMap::new();
        for finding in self.findings(files) {
            let folder = self.pending_path_of(finding.path).unwrap_or_else(|| counted_folder(finding.path));
            if let Some(count) = counts.entry(folder).or_default().get_mut(finding.rule as usize) {
                *count += 1;
            }
        }
        let mut table = format!("{:>6} {:>6} {:>6}  folder\n", "words", "docs", "types");
        let mut total = [0; 3];
        for (folder, [words, docs, types]) in &counts {
            let state = if self.pending.iter().any(|entry| entry == folder) { "" } else { "  (checked)" };
            let _ = writeln!(table, "{words:>6} {docs:>6} {types:>6}  {folder}{state}");
            total = [total[0] + words, total[1] + docs, total[2] + types];
        }
        let [words, docs, types] = total;
        let _ = writeln!(table, "{words:>6} {docs:>6} {types:>6}  in all");
        table
    }

    /// Returns a line for each finding below a folder.
    pub(super) fn list_findings(&self, files: &[File], folder: &str) -> String {
        let findings = self.findings(files).into_iter().filter(|finding| is_below(finding.path, folder));
        let line = |finding: Finding<'_>| {
            format!("{}:{}: {finding}; write instead: {}\n", finding.path, finding.line, finding.instead)
        };
        findings.map(line).collect()
    }

    fn findings<'a>(&'a self, files: &'a [File]) -> Vec<Finding<'a>> {
        let is_prose = |file: &&File| {
            let any = |patterns: &[String]| patterns.iter().any(|pattern| matches(pattern, &file.path));
            any(&self.checked) && !any(&self.data)
        };
        let mut findings = Vec::new();
        for file in files.iter().filter(is_prose) {
            let mut found = self.word_findings(file);
            found.extend(empty_docs(file));
            found.extend(self.type_name_findings(file));
            found.sort_by_key(|finding| finding.line);
            findings.extend(found);
        }
        findings
    }

    fn word_findings<'a>(&'a self, file: &'a File) -> Vec<Finding<'a>> {
        let (prose, lines) = join_prose(&file.text);
        let mut findings = Vec::new();
        for (word, instead) in &self.words {
            for (at, _) in prose.match_indices(word.as_str()) {
                let before = prose.get(..at).and_then(|text| text.chars().next_back());
                let behind = prose.get(at + word.len()..).and_then(|text| text.chars().next());
                if [before, behind].into_iter().flatten().any(char::is_alphabetic) {
                    continue;
                }
                let line = lines.partition_point(|start| *start <= at);
                if !self.is_exception(file, line, word) {
                    findings.push(Finding {
                        path: &file.path,
                        line,
                        rule: Rule::Word,
                        text: word.clone(),
                        instead,
                    });
                }
            }
        }
        findings
    }

    fn is_exception(&self, file: &File, line: usize, word: &str) -> bool {
        let text = file.text.lines().nth(line - 1).unwrap_or_default();
        self.exceptions.iter().any(|exception| {
            let names_word = exception.text.to_lowercase().contains(word);
            names_word && matches(&exception.path, &file.path) && text.contains(&exception.text)
        })
    }

    fn type_name_findings<'a>(&'a self, file: &'a File) -> Vec<Finding<'a>> {
        let keywords: &[&str] = match file.path.rsplit('.').next() {
            Some("rs") => &RUST_TYPES,
            Some("ts" | "tsx") => &TYPESCRIPT_TYPES,
            _ => return Vec::new(),
        };
        let mut findings = Vec::new();
        for (line, text) in (1..).zip(file.text.lines()) {
            let Some(name) = defined_type(text, keywords) else { continue };
            if let Some(instead) = self.type_names.get(name) {
                let (path, text) = (file.path.as_str(), name.to_owned());
                findings.push(Finding { path, line, rule: Rule::TypeName, text, instead });
            }
        }
        findings
    }

    /// Returns the longest pending entry that a file belongs to.
    fn pending_path_of(&self, path: &str) -> Option<&str> {
        let entries = self.pending.iter().map(String::as_str).filter(|entry| is_below(path, entry));
        entries.max_by_key(|entry| entry.len())
    }
}

/// Joins the lines of a text in lower case, without the signs that begin a comment, so that a phrase may span two.
///
/// Returns it with the offset at which each line begins.
fn join_prose(text: &str) -> (String, Vec<usize>) {
    let (mut prose, mut starts) = (String::with_capacity(text.len()), Vec::new());
    for line in text.lines() {
        starts.push(prose.len());
        let start = |sign: char| sign.is_whitespace() || matches!(sign, '/' | '!' | '*' | '#' | '>');
        let line = line
            .trim_start_matches(start)
            .trim_end_matches(|sign: char| sign.is_whitespace() || sign == '\\');
        prose.extend(
            line.chars().flat_map(char::to_lowercase).map(|sign| if sign == '’' { '\'' } else { sign }),
        );
        prose.push(' ');
    }
    (prose, starts)
}

/// Returns the doc comments that have too few words to say something.
fn empty_docs(file: &File) -> Vec<Finding<'_>> {
    let docs = match file.path.rsplit('.').next() {
        Some("rs") => rust_docs(&file.text),
        Some("ts" | "tsx" | "mjs") => block_docs(&file.text),
        _ => Vec::new(),
    };
    let empty =
        docs.into_iter().filter(|(_, text)| (1..DOC_WORDS_MIN).contains(&text.split_whitespace().count()));
    let finding = |(line, text)| Finding {
        path: &file.path,
        line,
        rule: Rule::DocComment,
        text,
        instead: "nothing, or what the name and the type do not say",
    };
    empty.map(finding).collect()
}

/// Returns the text of each `///` or `//!` comment, with its first line.
fn rust_docs(text: &str) -> Vec<(usize, String)> {
    let mut docs: Vec<(usize, String)> = Vec::new();
    let mut marker_before = None;
    for (line, text) in (1..).zip(text.lines()) {
        let text = text.trim_start();
        let marker = ["///", "//!"].into_iter().find(|marker| text.starts_with(marker));
        let content = marker.and_then(|marker| text.strip_prefix(marker)).unwrap_or_default().trim();
        match docs.last_mut() {
            Some((_, doc)) if marker.is_some() && marker == marker_before => *doc += &format!(" {content}"),
            _ if marker.is_some() => docs.push((line, content.to_owned())),
            _ => {}
        }
        marker_before = marker;
    }
    docs
}

/// Returns the text of each `/** … */` comment, with its first line.
fn block_docs(text: &str) -> Vec<(usize, String)> {
    let comments = text.match_indices("/**").filter_map(|(at, marker)| {
        let content = text.get(at + marker.len()..)?.split("*/").next()?;
        let line = text.get(..at)?.matches('\n').count() + 1;
        let words = content.split_whitespace().filter(|word| *word != "*");
        Some((line, words.collect::<Vec<_>>().join(" ")))
    });
    comments.collect()
}

/// Returns the name of the type that a line defines.
fn defined_type<'a>(line: &'a str, keywords: &[&str]) -> Option<&'a str> {
    let is_modifier = |word: &str| word.starts_with("pub") || MODIFIERS.contains(&word);
    let mut words = line.split_whitespace().skip_while(|word| is_modifier(word));
    let keyword = words.next()?;
    let name = words.next().filter(|_| keywords.contains(&keyword))?;
    name.split(|sign: char| !sign.is_alphanumeric()).next()
}

/// Returns the folder that a finding is counted for: two levels, or the file itself at the top.
fn counted_folder(path: &str) -> &str {
    let end = path.match_indices('/').nth(1).or_else(|| path.match_indices('/').next());
    end.and_then(|(at, _)| path.get(..at)).unwrap_or(path)
}

/// Tells whether a path is an entry itself, or below it.
fn is_below(path: &str, entry: &str) -> bool {
    path.strip_prefix(entry).is_some_and(|rest| rest.is_empty() || rest.starts_with('/') || entry.is_empty())
}

/// Tells whether a path has the form of a pattern, in which `*` stands for any text.
fn matches(pattern: &str, path: &str) -> bool {
    let mut parts = pattern.split('*');
    let first = parts.next().unwrap_or_default();
    let Some(mut rest) = path.strip_prefix(first) else { return false };
    let parts: Vec<&str> = parts.collect();
    let Some((last, middle)) = parts.split_last() else { return rest.is_empty() };
    for part in middle {
        let Some(at) = rest.find(part) else { return false };
        rest = rest.get(at + part.len()..).unwrap_or_default();
    }
    rest.ends_with(last)
}

#[cfg(test)]
mod tests {
    use super::{
        super::tests::{assert_complaints, files_of},
        *,
    };

    const RULES: &str = r#"
        checked = ["*.md", "*.rs", "*.ts"]
        data = ["data/*"]
        pending = ["old", "old/young.md"]
        [words]
        blorp = "what it is"
        "foo who" = "a name"
        [[exceptions]]
        path = "*.rs"
        text = 'user "blorp"'
        [type_names]
        Vague = "a name with a noun"
    "#;

    fn rules(pending: &str) -> LanguageRules {
        toml::from_str(&RULES.replace(r#"["old", "old/young.md"]"#, pending)).unwrap()
    }

    fn assert_findings(path: &str, text: &str, expected: &[&str]) {
        assert_complaints(&rules("[]").check(&files_of(&[(path, text)])), expected);
    }

    #[test]
    fn rules_of_the_repository_can_be_read() {
        let language = read_rules().unwrap();
        assert!(language.words.keys().all(|word| *word == word.to_lowercase()));
        assert!(language.words.len() > 5 && language.type_names.len() > 100);
    }

    #[test]
    fn a_refused_word_is_found_in_any_case_and_as_part_of_a_name() {
        assert_findings("a.md", "fine\nBlorp!", &["a.md:2: \"blorp\" is refused"]);
        assert_findings("a.rs", "fn blorp_is_here() {}", &["a.rs:1: \"blorp\" is refused"]);
        assert_findings("a.md", "blorps and ablorp are other words", &[]);
    }

    #[test]
    fn a_phrase_is_found_across_a_line_break() {
        assert_findings(
            "a.rs",
            "// a line\n    /// the foo\n    /// who is here",
            &["a.rs:2: \"foo who\" is refused"],
        );
        assert_findings("a.md", "the foo, who", &[]);
    }

    #[test]
    fn an_exception_holds_on_its_line_and_in_its_files() {
        assert_findings("a.rs", "// user \"blorp\" exists", &[]);
        assert_findings("a.md", "user \"blorp\" exists", &["a.md:1: \"blorp\" is refused"]);
        assert_findings("a.rs", "// the blorp", &["a.rs:1: \"blorp\" is refused"]);
    }

    #[test]
    fn data_and_other_kinds_of_files_are_not_read() {
        assert_findings("data/a.md", "blorp", &[]);
        assert_findings("a.png", "blorp", &[]);
    }

    #[test]
    fn a_doc_comment_of_two_words_is_empty() {
        assert_findings("a.rs", "/// The task.\nx: u8,", &["a.rs:1: the doc comment \"The task.\" is empty"]);
        assert_findings(
            "a.rs",
            "/// The task.\n///\n/// Owned by the run.\nx: u8,\n/// In milliseconds since.",
            &[],
        );
        assert_findings("a.rs", "//! Tasks.\n", &["a.rs:1: the doc comment \"Tasks.\" is empty"]);
        assert_findings(
            "a.ts",
            "x;\n/**\n * The task.\n */",
            &["a.ts:2: the doc comment \"The task.\" is empty"],
        );
        assert_findings("a.ts", "/** The task of a run. */", &[]);
    }

    #[test]
    fn a_type_name_is_refused_as_a_whole() {
        assert_findings(
            "a.rs",
            "    pub(crate) enum Vague<T> {",
            &["a.rs:1: the type name Vague has no noun"],
        );
        assert_findings("a.rs", "struct Vague;", &["a.rs:1: the type name Vague has no noun"]);
        assert_findings("a.rs", "struct VagueTask;\nlet x = Vague;\nuse a::Vague;", &[]);
        assert_findings("a.ts", "export interface Vague {", &["a.ts:1: the type name Vague has no noun"]);
        assert_findings("a.ts", "export type { Vague } from \"b\";", &[]);
        assert_findings("a.md", "struct Vague", &[]);
    }

    #[test]
    fn a_pending_folder_may_have_findings_but_not_none() {
        let files = files_of(&[("old/a.md", "blorp"), ("old/young.md", "fine"), ("older.md", "blorp")]);
        let expected = [
            "older.md:1: \"blorp\" is refused",
            "dev/xtask/src/tidy/language.toml: old/young.md is pending, and has no findings",
        ];
        assert_complaints(&rules(r#"["old", "old/young.md"]"#).check(&files), &expected);
    }

    #[test]
    fn findings_are_counted_by_folder() {
        let files =
            files_of(&[("old/a/b.md", "blorp blorp"), ("crates/x/src/a.rs", "/// X.\nstruct Vague;")]);
        let counts = rules(r#"["old"]"#).counts(&files);
        let expected = concat!(
            " words   docs  types  folder\n",
            "     0      1      1  crates/x  (checked)\n",
            "     2      0      0  old\n",
            "     2      1      1  in all\n"
        );
        assert_eq!(counts, expected);
        let list = rules("[]").list_findings(&files, "crates/x");
        assert_eq!(list.lines().count(), 2);
        assert!(
            list.ends_with("the type name Vague has no noun; write instead: a name with a noun\n"),
            "{list}"
        );
    }

    #[test]
    fn a_star_stands_for_any_text() {
        assert!(matches("*.md", "docs/a.md") && matches("a/*/b", "a/x/y/b") && matches("a", "a"));
        assert!(!matches("*.md", "a.mdx") && !matches("a/*", "b/a/c") && !matches("a", "ab"));
    }
}
