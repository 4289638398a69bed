//! Checks that relative links lead to files, and that the index of decisions is complete.

use std::collections::BTreeSet;

use pulldown_cmark::{Event, Options, Parser, Tag};

use super::{Complaint, File};

/// The folder whose pages must all be in its index.
const DECISIONS: &str = "docs/decisions/";

/// Returns a complaint for every relative link without a target, and every decision that the index lacks.
pub(super) fn check(files: &[File]) -> Vec<Complaint> {
    let mut paths: BTreeSet<&str> = files.iter().map(|file| file.path.as_str()).collect();
    for file in files {
        paths.extend(file.path.match_indices('/').filter_map(|(at, _)| file.path.get(..at)));
    }
    let mut complaints = Vec::new();
    let mut linked = BTreeSet::new();
    for file in files.iter().filter(|file| file.path.ends_with(".md")) {
        for (line, link) in links(&file.text) {
            let Some(path) = resolve(&file.path, &link) else { continue };
            if !paths.contains(path.as_str()) {
                complaints.push(Complaint::new(
                    format!("{}:{line}", file.path),
                    format!("the link to {link} has no target"),
                    "links are relative to the document that contains them",
                ));
            }
            if file.path == format!("{DECISIONS}README.md") {
                linked.insert(path);
            }
        }
    }
    let pages =
        files.iter().filter(|file| file.path.starts_with(DECISIONS) && !file.path.ends_with("/README.md"));
    for page in pages.filter(|page| !linked.contains(&page.path)) {
        complaints.push(Complaint::new(
            &page.path,
            "is not in the index of decisions",
            "add a line to docs/decisions/README.md",
        ));
    }
    complaints
}

/// Returns the targets of all links and pictures, with their lines.
fn links(text: &str) -> Vec<(usize, String)> {
    let mut found = Vec::new();
    for (event, range) in Parser::new_ext(text, Options::ENABLE_TABLES).into_offset_iter() {
        if let Event::Start(Tag::Link { dest_url, .. } | Tag::Image { dest_url, .. }) = event {
            let line = text.get(..range.start).unwrap_or(text).matches('\n').count() + 1;
            found.push((line, dest_url.into_string()));
        }
    }
    found
}

/// Returns the target of a link, from the repository's root; `None` for other sites and for anchors in the same page.
fn resolve(from: &str, link: &str) -> Option<String> {
    let target = link.split(['#', '?']).next().unwrap_or(link);
    if target.is_empty() || target.contains("://") || target.starts_with("mailto:") {
        return None;
    }
    let mut parts: Vec<&str> = from.split('/').collect();
    parts.pop();
    for part in target.split('/') {
        match part {
            "" | "." => {}
            ".." => {
                parts.pop();
            }
            name => parts.push(name),
        }
    }
    Some(parts.join("/"))
}

#[cfg(test)]
mod tests {
    use super::{
        super::tests::{assert_complaints, files_of},
        *,
    };

    #[test]
    fn links_with_a_target_pass() {
        let files = files_of(&[
            ("README.md", "[a](docs/a.md#part) [web](https://example.org/x) [here](#here) [folder](docs/)"),
            ("docs/a.md", "[up](../README.md) ![picture](./a.svg)\n`[no link](nowhere.md)`"),
            ("docs/a.svg", ""),
        ]);
        assert_complaints(&check(&files), &[]);
    }

    #[test]
    fn a_link_without_a_target_is_reported_with_its_line() {
        let files = files_of(&[("docs/a.md", "x\n\n[gone](gone.md)"), ("gone.md", "")]);
        assert_complaints(&check(&files), &["docs/a.md:3: the link to gone.md has no target"]);
    }

    #[test]
    fn a_decision_that_the_index_lacks_is_reported() {
        let files = files_of(&[
            ("docs/decisions/README.md", "[one](0001-one.md)"),
            ("docs/decisions/0001-one.md", ""),
            ("docs/decisions/0002-two.md", ""),
        ]);
        assert_complaints(&check(&files), &["docs/decisions/0002-two.md: is not in the index of decisions"]);
    }
}
