//! Parses a scenario file into steps, each with its section and the block of text below it.
//!
//! Only fences named `scenario` are parsed; the rest is prose.

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Section {
    Given,
    When,
    Then,
}

#[derive(Debug, Clone)]
pub(crate) struct Line {
    pub number: usize,
    pub section: Section,
    pub text: String,
    /// The indented text below it.
    pub block: Option<String>,
}

/// Parses a file; an error has the line number.
pub(crate) fn parse_scenario_lines(file: &str) -> Result<Vec<Line>, (usize, String)> {
    let mut lines: Vec<Line> = Vec::new();
    let mut section = None;
    let mut in_fence = false;
    let mut block: Vec<(usize, &str)> = Vec::new();
    for (index, text) in file.lines().enumerate() {
        let number = index + 1;
        if text.starts_with("```") {
            attach_block(&mut lines, &mut block);
            in_fence = !in_fence && text == "```scenario";
            continue;
        }
        if !in_fence {
            continue;
        }
        match (text.trim(), indentation(text)) {
            ("", _) => block.push((number, "")),
            ("given" | "when" | "then", 0) => {
                attach_block(&mut lines, &mut block);
                section = Some(section_of(text));
            }
            (step, 2) => {
                attach_block(&mut lines, &mut block);
                let section = section.ok_or((number, "comes before given, when or then".to_owned()))?;
                lines.push(Line { number, section, text: step.to_owned(), block: None });
            }
            (_, 4..) => block.push((number, text)),
            _ => return Err((number, "is not a section, a step or the text below a step".to_owned())),
        }
    }
    attach_block(&mut lines, &mut block);
    if lines.is_empty() { Err((1, "has no fence named `scenario`".to_owned())) } else { Ok(lines) }
}

fn section_of(text: &str) -> Section {
    match text.trim() {
        "given" => Section::Given,
        "when" => Section::When,
        _ => Section::Then,
    }
}

fn indentation(text: &str) -> usize {
    text.len() - text.trim_start_matches(' ').len()
}

/// Attaches the collected block to the step above it, without the common indentation.
fn attach_block(lines: &mut [Line], block: &mut Vec<(usize, &str)>) {
    while block.last().is_some_and(|(_, text)| text.is_empty()) {
        block.pop();
    }
    let texts: Vec<&str> = block.drain(..).map(|(_, text)| text.get(4..).unwrap_or_default()).collect();
    if let Some(line) = lines.last_mut().filter(|_| !texts.is_empty()) {
        line.block = Some(texts.join("\n"));
    }
}
