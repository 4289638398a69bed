//! What a gate finds out by itself: whether the phase's check passes on what is merged, and what the phase left behind.

use domain::GateReport;
use engine::GateCheck;

use super::{
    job::{Job, receipt},
    leash::Leash,
    room::{self, Merged},
    site::{Site, chain},
};

/// More files than this are not listed by name.
const ARTEFACTS_MAX: usize = 1000;

/// Looks at a phase.
pub(super) fn report(
    site: &Site,
    name: &str,
    work: &GateCheck,
    time_max_ms: u64,
    leash: &Leash,
) -> GateReport {
    match looked(site, name, work, time_max_ms, leash) {
        Ok(report) => report,
        Err(reason) => {
            GateReport { summary: format!("the gate could not look: {reason}"), ..GateReport::default() }
        }
    }
}

fn looked(
    site: &Site,
    name: &str,
    work: &GateCheck,
    time_max_ms: u64,
    leash: &Leash,
) -> Result<GateReport, String> {
    let mut report = GateReport { passed: true, ..GateReport::default() };
    let Some(git) = &site.git else {
        if let Some(command) = &work.check {
            let job = Job {
                name,
                command,
                place: &site.outfit.project,
                task: None,
                time_max_ms,
                leash,
                is_of_agents: true,
            };
            let tree = site.tree_in_place().unwrap_or_default();
            report.receipts.push(receipt(site, &job, tree));
        }
        return Ok(judged(report));
    };
    let (tip, tree) = git.tip().map_err(|error| chain(&error))?;
    git.mark_gate(work.phase, &tip).map_err(|error| chain(&error))?;
    for pattern in &work.artefacts {
        let files = git.files_matching(&tip, pattern).map_err(|error| chain(&error))?;
        if files.is_empty() {
            report.missing.push(pattern.clone());
        }
        report.artefacts.extend(files.iter().map(|file| file.to_string_lossy().into_owned()));
    }
    report.artefacts.sort();
    report.artefacts.dedup();
    report.artefacts.truncate(ARTEFACTS_MAX);
    if let Some(command) = &work.check {
        let merged = Merged { name, command, commit: &tip, tree, task: None, time_max_ms };
        report.receipts.push(room::check(site, git, merged, leash).map_err(|error| chain(&error))?);
    }
    Ok(judged(report))
}

fn judged(mut report: GateReport) -> GateReport {
    report.passed = report.missing.is_empty() && report.receipts.iter().all(domain::Receipt::passed);
    let mut lines: Vec<String> = report
        .receipts
        .iter()
        .map(|receipt| {
            let word = if receipt.passed() { "passed" } else { "failed" };
            format!("`{}` {word}", receipt.command)
        })
        .collect();
    lines.extend(report.missing.iter().map(|pattern| format!("nothing matches `{pattern}`")));
    if lines.is_empty() {
        lines.push("nothing to check".to_owned());
    }
    report.summary = lines.join("; ");
    report
}
