//! Simulates many seeds on all processors.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread;

use crate::{FailedRun, Options, Rule, Summary, simulate};

/// The result of many runs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SearchResult {
    /// Counts of the runs that broke no rule.
    pub summary: Summary,
    /// The run that ended the search; the one with the smallest seed if there are several.
    pub failure: Option<FailedRun>,
    /// Runs that broke a rule that was not searched for, in no particular order.
    pub other_failures: Vec<FailedRun>,
}

impl SearchResult {
    fn empty() -> Self {
        Self { summary: Summary::default(), failure: None, other_failures: Vec::new() }
    }

    fn combined_with(mut self, other: Self) -> Self {
        self.other_failures.extend(other.other_failures);
        Self {
            summary: self.summary.combined_with(other.summary),
            failure: self.failure.into_iter().chain(other.failure).min_by_key(|failure| failure.seed),
            other_failures: self.other_failures,
        }
    }
}

/// Simulates the runs of the seeds from `first` until one breaks a rule; calls `progress` with the number of ended runs.
pub fn search_failing_seed(
    first: u64,
    n_seeds: u64,
    options: &Options,
    progress: &(dyn Fn(u64) + Sync),
) -> SearchResult {
    search(first, n_seeds, options, &|_| true, progress)
}

/// Simulates the runs of the seeds from `first` until one breaks an expected rule; violations of other rules do not end
/// the search.
pub fn search_expected_violation(
    first: u64,
    n_seeds: u64,
    options: &Options,
    expected: &[Rule],
    progress: &(dyn Fn(u64) + Sync),
) -> SearchResult {
    search(first, n_seeds, options, &|rule| expected.contains(&rule), progress)
}

fn search(
    first: u64,
    n_seeds: u64,
    options: &Options,
    is_expected: &(dyn Fn(Rule) -> bool + Sync),
    progress: &(dyn Fn(u64) + Sync),
) -> SearchResult {
    let n_threads = thread::available_parallelism().map_or(1, std::num::NonZeroUsize::get) as u64;
    let (next, n_done, stop) = (AtomicU64::new(0), AtomicU64::new(0), AtomicBool::new(false));
    let work = || {
        let mut result = SearchResult::empty();
        while !stop.load(Ordering::Relaxed) {
            let n = next.fetch_add(1, Ordering::Relaxed);
            if n >= n_seeds {
                break;
            }
            match simulate(first + n, options) {
                Ok(summary) => result.summary = result.summary.combined_with(summary),
                Err(failure) if is_expected(failure.violation.rule) => {
                    result.failure = Some(failure);
                    stop.store(true, Ordering::Relaxed);
                }
                Err(failure) => result.other_failures.push(failure),
            }
            progress(n_done.fetch_add(1, Ordering::Relaxed) + 1);
        }
        result
    };
    thread::scope(|scope| {
        let threads: Vec<_> = (0..n_threads.min(n_seeds)).map(|_| scope.spawn(work)).collect();
        let mut all = SearchResult::empty();
        for thread in threads {
            match thread.join() {
                Ok(result) => all = all.combined_with(result),
                Err(panic) => std::panic::resume_unwind(panic),
            }
        }
        all
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_seed_determines_a_run() {
        let options = Options { tasks: 8, steps: 60 };
        for seed in 0..20 {
            assert_eq!(simulate(seed, &options), simulate(seed, &options));
            assert_eq!(crate::simulate_with_trace(seed, &options).1, simulate(seed, &options));
        }
    }
}
