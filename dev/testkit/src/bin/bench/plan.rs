//! The plan reader against a walk over the same text by pulldown-cmark.

use anyhow::Result;
use testkit::bench::Report;

/// Runs the bench.
pub fn run() -> Result<Report> {
    Ok(Report::new("plan", 0))
}
