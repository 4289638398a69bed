//! The results for each agent and driver, as a table.

/// The result of a check.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum CheckResult {
    Passed,
    Failed,
    /// Not possible with this agent and driver, for this reason.
    Unsupported(&'static str),
}

/// The results of one agent and driver, voice or run.
pub(crate) struct ResultRow {
    pub name: String,
    /// Each check with its result.
    pub results: Vec<(&'static str, CheckResult)>,
}

impl ResultRow {
    /// Returns the number of failed checks.
    pub(crate) fn n_failed(&self) -> usize {
        self.results.iter().filter(|(_, result)| *result == CheckResult::Failed).count()
    }
}

/// Prints all rows, and below them the reasons of unsupported checks.
pub(crate) fn print(rows: &[ResultRow]) {
    let width = rows.iter().map(|row| row.name.len()).max().unwrap_or(0);
    println!();
    for row in rows {
        let cells: Vec<String> = row
            .results
            .iter()
            .map(|(check, result)| match result {
                CheckResult::Passed => format!("{check} ✓"),
                CheckResult::Failed => format!("{check} ✗"),
                CheckResult::Unsupported(_) => format!("{check} –"),
            })
            .collect();
        println!("{:width$}  {}", row.name, cells.join("  "));
    }
    println!();
    for row in rows {
        for (check, result) in &row.results {
            if let CheckResult::Unsupported(reason) = result {
                println!("{}: no {check}: {reason}", row.name);
            }
        }
    }
}
