//! The threads that execute effects beside the run loop: some for short work, and more for checks, which may take long.
//!
//! A thread takes jobs until none waits, and then ends. A job that waits costs neither a thread nor a file descriptor, so
//! all effects of a run may be executed at once after a restart.

use std::{
    collections::VecDeque,
    panic::{AssertUnwindSafe, catch_unwind},
    sync::{Arc, Mutex, MutexGuard, PoisonError, mpsc::SyncSender},
    thread::{self, JoinHandle},
};

use domain::{EffectId, Report};
use tracing::{Span, error, warn};

use super::stop_token::StopToken;
use crate::{host::ShutdownMode, run_loop::RunRequest};

/// Threads of [`JobLane::Short`]: git and the disk are not faster with more.
const SHORT_THREADS_MAX: usize = 4;
/// Threads of [`JobLane::Check`]. Tasks are checked in the slots of their agents, so a run rarely has more checks.
const CHECK_THREADS_MAX: usize = 64;

/// What a job waits for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum JobLane {
    /// A command of the project, for minutes or hours.
    Check,
    /// Git and files, for seconds.
    Short,
}

/// Starts threads for the effects of one run.
pub(super) struct JobPool {
    check: Lane,
    short: Lane,
}

/// The threads of a kind of job.
struct Lane {
    threads_max: usize,
    requests: SyncSender<RunRequest>,
    state: Arc<Mutex<LaneState>>,
    threads: Vec<JoinHandle<()>>,
}

#[derive(Default)]
struct LaneState {
    waiting: VecDeque<QueuedJob>,
    executing: Vec<(EffectId, StopToken)>,
    /// Threads that will look for a job again.
    n_threads: usize,
}

struct QueuedJob {
    effect: EffectId,
    span: Span,
    work: Box<dyn FnOnce(&StopToken) -> Report + Send>,
}

impl JobPool {
    /// Returns a pool without threads. The jobs report to the run loop.
    pub(super) fn new(requests: SyncSender<RunRequest>) -> Self {
        let lane = |threads_max| Lane {
            threads_max,
            requests: requests.clone(),
            state: Arc::default(),
            threads: Vec::new(),
        };
        Self { check: lane(CHECK_THREADS_MAX), short: lane(SHORT_THREADS_MAX) }
    }

    /// Has a thread do `work` and report its outcome, in the current span. Returns a report if no thread can be started.
    pub(super) fn start(
        &mut self,
        lane: JobLane,
        effect: EffectId,
        work: impl FnOnce(&StopToken) -> Report + Send + 'static,
    ) -> Option<Report> {
        let job = QueuedJob { effect, span: Span::current(), work: Box::new(work) };
        match lane {
            JobLane::Check => self.check.start(job),
            JobLane::Short => self.short.start(job),
        }
    }

    /// Ends the job of an effect, which then reports nothing.
    pub(super) fn cancel(&self, effect: EffectId) {
        for lane in [&self.check, &self.short] {
            let mut state = lock(&lane.state);
            state.waiting.retain(|job| job.effect != effect);
            let executing = state.executing.iter().filter(|(other, _)| *other == effect);
            executing.for_each(|(_, stop_token)| stop_token.kill());
        }
    }

    /// Detaches from all jobs, or ends them. The run loop must not take requests any more.
    pub(super) fn stop(&mut self, mode: ShutdownMode) {
        for lane in [&self.check, &self.short] {
            let mut state = lock(&lane.state);
            state.waiting.clear();
            for (_, stop_token) in &state.executing {
                match mode {
                    ShutdownMode::KeepSessions => stop_token.detach(),
                    ShutdownMode::EndSessions => stop_token.kill(),
                }
            }
        }
        for thread in self.check.threads.drain(..).chain(self.short.threads.drain(..)) {
            // Panics of jobs are caught.
            drop(thread.join());
        }
    }
}

impl Lane {
    fn start(&mut self, job: QueuedJob) -> Option<Report> {
        self.threads.retain(|thread| !thread.is_finished());
        let effect = job.effect;
        {
            let mut state = lock(&self.state);
            state.waiting.push_back(job);
            if state.n_threads >= self.threads_max {
                return None;
            }
            state.n_threads += 1;
        }
        let (state, requests) = (Arc::clone(&self.state), self.requests.clone());
        let spawned =
            thread::Builder::new().name("job".to_owned()).spawn(move || execute_jobs(&state, &requests));
        match spawned {
            Ok(thread) => {
                self.threads.push(thread);
                None
            }
            Err(error) => self.report_failed_start(effect, &error),
        }
    }

    /// Returns the report of a job for which no thread could be started; `None` if another thread will take it.
    fn report_failed_start(&self, effect: EffectId, error: &std::io::Error) -> Option<Report> {
        let mut state = lock(&self.state);
        state.n_threads -= 1;
        if state.n_threads > 0 {
            return None;
        }
        let position = state.waiting.iter().position(|job| job.effect == effect)?;
        state.waiting.remove(position);
        warn!(error = error as &dyn std::error::Error, "cannot start a thread for an effect");
        Some(Report::ExecutionFailed { effect, error: format!("cannot start a thread: {error}") })
    }
}

/// Executes jobs until none waits.
fn execute_jobs(state: &Mutex<LaneState>, requests: &SyncSender<RunRequest>) {
    loop {
        let (QueuedJob { effect, span, work }, stop_token) = {
            let mut state = lock(state);
            let Some(job) = state.waiting.pop_front() else {
                state.n_threads -= 1;
                return;
            };
            let stop_token = StopToken::new();
            state.executing.push((job.effect, stop_token.clone()));
            (job, stop_token)
        };
        let _span = span.entered();
        let report = catch_unwind(AssertUnwindSafe(|| work(&stop_token))).unwrap_or_else(|_| {
            error!("the execution of the effect panicked");
            Report::ExecutionFailed { effect, error: "its thread panicked".to_owned() }
        });
        lock(state).executing.retain(|(other, _)| *other != effect);
        // A stopped job has no valid outcome.
        if !stop_token.is_stopped() {
            // If the loop has ended, the next start executes the effect again.
            drop(requests.send(RunRequest::without_reply(report.into())));
        }
    }
}

fn lock(state: &Mutex<LaneState>) -> MutexGuard<'_, LaneState> {
    // No change spans several statements that can panic.
    state.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use std::{
        sync::mpsc::{Receiver, channel, sync_channel},
        time::Duration,
    };

    use domain::{RunInput, Sequence};

    use super::*;

    /// Long enough that only a blocked thread reaches it.
    const TIMEOUT: Duration = Duration::from_secs(60);

    fn effect(sequence: u64) -> EffectId {
        EffectId { sequence: Sequence(sequence), index: 0 }
    }

    fn finished(effect: EffectId) -> Report {
        Report::EffectFinished { effect, error: None }
    }

    /// Returns the next report, which is about an effect.
    fn next_report(inbox: &Receiver<RunRequest>) -> Report {
        let request = inbox.recv_timeout(TIMEOUT).expect("a report");
        let RunRequest::Input(queued) = request else { panic!("not an input") };
        let RunInput::Report(report) = queued.into_input() else { panic!("not a report") };
        report
    }

    #[test]
    fn waiting_jobs_need_no_threads_and_each_is_executed_once() {
        let (requests, inbox) = sync_channel(1);
        let mut pool = JobPool::new(requests);
        let n_jobs = 500;
        for sequence in 0..n_jobs {
            let effect = effect(sequence);
            assert_eq!(pool.start(JobLane::Short, effect, move |_| finished(effect)), None);
            assert!(pool.short.threads.len() <= SHORT_THREADS_MAX);
        }
        let mut reports: Vec<Report> = (0..n_jobs).map(|_| next_report(&inbox)).collect();
        reports.sort_by_key(|report| {
            let Report::EffectFinished { effect, .. } = report else { panic!("{report:?}") };
            *effect
        });
        assert_eq!(reports, (0..n_jobs).map(|sequence| finished(effect(sequence))).collect::<Vec<_>>());
    }

    #[test]
    fn long_checks_do_not_delay_short_jobs() {
        let (requests, inbox) = sync_channel(1);
        let mut pool = JobPool::new(requests);
        let (resume, may_resume) = channel::<()>();
        let may_resume = Arc::new(Mutex::new(may_resume));
        let n_checks = u64::try_from(CHECK_THREADS_MAX).unwrap() + 1;
        for sequence in 0..n_checks {
            let (effect, may_resume) = (effect(sequence), Arc::clone(&may_resume));
            pool.start(JobLane::Check, effect, move |_| {
                // Ends when the other end is dropped.
                let _ = may_resume.lock().unwrap().recv();
                finished(effect)
            });
        }
        let short = effect(n_checks);
        pool.start(JobLane::Short, short, move |_| finished(short));
        assert_eq!(next_report(&inbox), finished(short));
        drop(resume);
        (0..n_checks).for_each(|_| drop(next_report(&inbox)));
    }

    #[test]
    fn panic_of_a_job_is_reported_and_the_next_job_is_executed() {
        let (requests, inbox) = sync_channel(2);
        let mut pool = JobPool::new(requests);
        pool.start(JobLane::Short, effect(1), |_| panic!("as the test wants"));
        let report = next_report(&inbox);
        assert!(matches!(&report, Report::ExecutionFailed { effect, .. } if *effect == self::effect(1)));
        pool.start(JobLane::Short, effect(2), |_| finished(effect(2)));
        assert_eq!(next_report(&inbox), finished(effect(2)));
    }

    #[test]
    fn cancelled_and_stopped_jobs_report_nothing() {
        let (requests, inbox) = sync_channel(8);
        let mut pool = JobPool::new(requests);
        let (started, is_started) = channel();
        let wait_for_stop = move |stop_token: &StopToken| {
            started.send(()).unwrap();
            while !stop_token.is_stopped() {
                thread::yield_now();
            }
            finished(effect(1))
        };
        pool.start(JobLane::Check, effect(1), wait_for_stop.clone());
        pool.start(JobLane::Check, effect(2), wait_for_stop);
        (0..2).for_each(|_| is_started.recv_timeout(TIMEOUT).unwrap());
        pool.cancel(effect(1));
        pool.stop(ShutdownMode::KeepSessions);
        drop(pool);
        assert!(inbox.recv_timeout(TIMEOUT).is_err(), "all senders are gone, and none sent a report");
    }
}
