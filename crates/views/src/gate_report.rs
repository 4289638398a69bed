//! The report of a gate in Markdown: what a phase promised, what was checked, and what its verifier said.

use domain::{Actor, GateFinding, Locale, Severity};

use crate::rows::{GateRound, GateRow, GateState};

/// Writes the report of a gate. Texts of agents are single lines of lists, so that they cannot add headings.
pub fn gate_report_markdown(gate: &GateRow, phase_name: &str, locale: Locale) -> String {
    let pick = |english: &'static str, korean: &'static str| match locale {
        Locale::En => english,
        Locale::Ko => korean,
    };
    let mut report = MarkdownReport::default();
    let heading = match locale {
        Locale::En => format!("# Phase {} {phase_name}: {}", gate.phase, state_text(locale, gate.state)),
        Locale::Ko => format!("# {}단계 {phase_name}: {}", gate.phase, state_text(locale, gate.state)),
    };
    report.lines.push(one_line(&heading));
    let last = gate.rounds.last();
    let checks = last.and_then(|round| round.report.as_ref());
    report.add_section(
        pick("Tasks", "작업"),
        gate.tasks.iter().map(|task| format!("{} {}", task.id, task.title)),
    );
    let receipts = checks.iter().flat_map(|report| &report.receipts).map(|receipt| {
        let result = match (&receipt.obstacle, receipt.passed()) {
            (Some(_), _) => pick("could not run", "실행하지 못함"),
            (None, true) => pick("passed", "통과"),
            (None, false) => pick("failed", "실패"),
        };
        format!("`{}`: {result}", receipt.command)
    });
    let receipts: Vec<String> = receipts.collect();
    let nothing =
        pick("No check is set: nothing proves this phase", "설정된 검증이 없어 이 단계를 증명하지 못합니다");
    let is_unproven = receipts.is_empty() && checks.is_some();
    let unproven = is_unproven.then(|| nothing.to_owned());
    report.add_section(pick("Checks", "검증"), receipts.into_iter().chain(unproven));
    report.add_section(
        pick("Verifier", "검증자"),
        last.into_iter().flat_map(|round| verdict_lines(locale, round)),
    );
    let documents = checks.iter().flat_map(|report| &report.documents).map(|document| {
        let fault = document.fault().map(|fault| format!(" {fault}")).unwrap_or_default();
        format!("`{}`{fault}", document.path)
    });
    report.add_section(pick("Reported documents", "보고된 문서"), documents);
    let missing = checks.iter().flat_map(|report| &report.missing);
    report.add_section(pick("Missing files", "없는 파일"), missing.map(|pattern| format!("`{pattern}`")));
    report.add_section(pick("Files", "파일"), gate.artefacts.iter().map(|file| format!("`{file}`")));
    report.add_section(pick("Rounds", "회차"), gate.rounds.iter().map(|round| round_line(locale, round)));
    if let Some(approval) = &gate.approval {
        let note = approval.note.as_ref().map(|note| format!(": {note}")).unwrap_or_default();
        let by = match &approval.by {
            Actor::Person(name) => name.to_string(),
            Actor::Agent(_) | Actor::Clock | Actor::System => "Jangdan".to_owned(),
        };
        let text = format!("{by}{note}");
        report.add_section(pick("Approved by", "승인"), std::iter::once(text));
    }
    report.lines.join("\n") + "\n"
}

#[derive(Default)]
struct MarkdownReport {
    lines: Vec<String>,
}

impl MarkdownReport {
    /// Adds a heading with a list; nothing if the list is empty.
    fn add_section(&mut self, heading: &str, items: impl Iterator<Item = String>) {
        let items: Vec<String> = items.map(|item| format!("- {}", one_line(&item))).collect();
        if !items.is_empty() {
            self.lines.extend([String::new(), format!("## {heading}"), String::new()]);
            self.lines.extend(items);
        }
    }
}

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn state_text(locale: Locale, state: GateState) -> &'static str {
    let (english, korean) = match state {
        GateState::Closed => ("not at its gate", "게이트 전"),
        GateState::Checking => ("being checked", "검증 중"),
        GateState::Verifying => ("being verified", "검증자 확인 중"),
        GateState::Review => ("waiting for approval", "승인 대기"),
        GateState::Approved => ("approved", "승인됨"),
        GateState::Rework => ("rework", "재작업"),
    };
    match locale {
        Locale::En => english,
        Locale::Ko => korean,
    }
}

fn verdict_lines(locale: Locale, round: &GateRound) -> Vec<String> {
    let Some(verdict) = &round.verdict else { return Vec::new() };
    let result = match (locale, verdict.accepted) {
        (Locale::En, true) => "accepted",
        (Locale::En, false) => "rejected",
        (Locale::Ko, true) => "통과",
        (Locale::Ko, false) => "반려",
    };
    let summary = Some(&verdict.summary).filter(|summary| !summary.is_empty());
    let summary = summary.map(|summary| format!(": {summary}")).unwrap_or_default();
    std::iter::once(format!("{result}{summary}")).chain(verdict.findings.iter().map(finding_line)).collect()
}

fn finding_line(finding: &GateFinding) -> String {
    let task = finding.task.as_ref().map(|task| format!("{task}: ")).unwrap_or_default();
    let severity = match finding.severity {
        None => "",
        Some(Severity::Low) => "[low] ",
        Some(Severity::Medium) => "[medium] ",
        Some(Severity::High) => "[high] ",
        Some(Severity::Critical) => "[critical] ",
    };
    let file = finding.file.as_ref().map(|file| format!(" (`{file}`)")).unwrap_or_default();
    format!("{severity}{task}{}{file}", finding.text)
}

fn round_line(locale: Locale, round: &GateRound) -> String {
    let result = match (locale, round.passed) {
        (Locale::En, Some(true)) => "passed",
        (Locale::En, Some(false)) => "not passed",
        (Locale::En, None) => "open",
        (Locale::Ko, Some(true)) => "통과",
        (Locale::Ko, Some(false)) => "통과하지 못함",
        (Locale::Ko, None) => "진행 중",
    };
    let reason = round.reason.as_ref().map(|reason| format!(": {reason}")).unwrap_or_default();
    format!("{}: {result}{reason}", round.round)
}
