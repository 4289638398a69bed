//! Many seeds at once, on all processors.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread;

use crate::{Options, Summary, Violation, simulate};

/// What was found in many runs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Found {
    /// What happened in the runs that broke no rule.
    pub summary: Summary,
    /// The violation with the smallest seed.
    pub violation: Option<Violation>,
}

/// Imagines the runs of the seeds from `first`, until one breaks a rule; `progress` hears how many are done.
pub fn search(first: u64, n_seeds: u64, options: &Options, progress: &(dyn Fn(u64) + Sync)) -> Found {
    let n_threads = thread::available_parallelism().map_or(1, std::num::NonZeroUsize::get) as u64;
    let (next, n_done, stop) = (AtomicU64::new(0), AtomicU64::new(0), AtomicBool::new(false));
    let work = || {
        let mut found = Found { summary: Summary::default(), violation: None };
        while !stop.load(Ordering::Relaxed) {
            let n = next.fetch_add(1, Ordering::Relaxed);
            if n >= n_seeds {
                break;
            }
            match simulate(first + n, options) {
                Ok(summary) => found.summary = found.summary.and(summary),
                Err(violation) => {
                    found.violation = Some(violation);
                    stop.store(true, Ordering::Relaxed);
                }
            }
            progress(n_done.fetch_add(1, Ordering::Relaxed) + 1);
        }
        found
    };
    thread::scope(|scope| {
        let threads: Vec<_> = (0..n_threads.min(n_seeds)).map(|_| scope.spawn(work)).collect();
        let mut all = Found { summary: Summary::default(), violation: None };
        for thread in threads {
            match thread.join() {
                Ok(found) => {
                    all.summary = all.summary.and(found.summary);
                    let earlier = [all.violation.take(), found.violation];
                    all.violation = earlier.into_iter().flatten().min_by_key(|violation| violation.seed);
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
    fn a_seed_alone_decides_what_happens() {
        let options = Options { tasks: 8, steps: 60 };
        for seed in 0..20 {
            assert_eq!(simulate(seed, &options), simulate(seed, &options));
            assert_eq!(crate::show(seed, &options).1, simulate(seed, &options));
        }
    }
}
