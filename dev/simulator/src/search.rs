//! Simulates many seeds on all processors.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread;

use crate::{FailedRun, Options, Summary, simulate};

/// The result of many runs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SearchResult {
    /// Counts of the runs that broke no rule.
    pub summary: Summary,
    /// The failed run with the smallest seed.
    pub failure: Option<FailedRun>,
}

/// Simulates the runs of the seeds from `first` until one breaks a rule; calls `progress` with the number of ended runs.
pub fn search_failing_seed(
    first: u64,
    n_seeds: u64,
    options: &Options,
    progress: &(dyn Fn(u64) + Sync),
) -> SearchResult {
    let n_threads = thread::available_parallelism().map_or(1, std::num::NonZeroUsize::get) as u64;
    let (next, n_done, stop) = (AtomicU64::new(0), AtomicU64::new(0), AtomicBool::new(false));
    let work = || {
        let mut result = SearchResult { summary: Summary::default(), failure: None };
        while !stop.load(Ordering::Relaxed) {
            let n = next.fetch_add(1, Ordering::Relaxed);
            if n >= n_seeds {
                break;
            }
            match simulate(first + n, options) {
                Ok(summary) => result.summary = result.summary.combined_with(summary),
                Err(failure) => {
                    result.failure = Some(failure);
                    stop.store(true, Ordering::Relaxed);
                }
            }
            progress(n_done.fetch_add(1, Ordering::Relaxed) + 1);
        }
        result
    };
    thread::scope(|scope| {
        let threads: Vec<_> = (0..n_threads.min(n_seeds)).map(|_| scope.spawn(work)).collect();
        let mut all = SearchResult { summary: Summary::default(), failure: None };
        for thread in threads {
            match thread.join() {
                Ok(result) => {
                    all.summary = all.summary.combined_with(result.summary);
                    let failures = [all.failure.take(), result.failure];
                    all.failure = failures.into_iter().flatten().min_by_key(|failure| failure.seed);
                }
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
