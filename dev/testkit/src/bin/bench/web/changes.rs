//! Changes of a run's tasks, by people's wishes: a task is paused, and later goes on.

use std::{
    sync::atomic::{AtomicU32, Ordering},
    thread,
    time::{Duration, Instant},
};

use anyhow::{Context, Result, ensure};
use serde_json::{Value, json};

use crate::server::line::{Address, Line};

/// So many wish at once, so that none waits for another's answer.
const N_PEOPLE: u32 = 4;

/// Wishes that go through the tasks of a run again and again.
pub struct Changes {
    address: Address,
    path: String,
    tasks: Vec<String>,
    n_wished: AtomicU32,
    /// How many a second there were where they came as fast as they could.
    pub fast_rate: f64,
}

impl Changes {
    /// Finds the tasks that are not done.
    pub fn of(address: &Address, run: &str) -> Result<Self> {
        let path = format!("/api/runs/{run}/rows?kind=task");
        let answer: Value =
            serde_json::from_slice(&Line::open(address)?.ask(&address.request("GET", &path, ""))?)?;
        let rows = answer.pointer("/rows/task").and_then(Value::as_array).context("there are no tasks")?;
        let is_open = |row: &&Value| !matches!(row.get("state").and_then(Value::as_str), Some("done") | None);
        let id = |row: &Value| row.get("id").and_then(Value::as_str).map(str::to_owned);
        let tasks: Vec<String> = rows.iter().filter(is_open).filter_map(id).collect();
        ensure!(!tasks.is_empty(), "all tasks are done");
        let (address, path) = (address.clone(), format!("/api/runs/{run}/wishes"));
        Ok(Self { address, path, tasks, n_wished: AtomicU32::new(0), fast_rate: f64::NAN })
    }

    /// Wishes so many at a pace, and returns how many a second came true.
    pub fn paced(&mut self, per_second: u32, n: u32) -> Result<f64> {
        self.wish(n, Some(Duration::from_secs(1) / per_second))
    }

    /// Wishes so many as fast as they come true.
    pub fn fast(&mut self, n: u32) -> Result<()> {
        self.fast_rate = self.wish(n, None)?;
        Ok(())
    }

    fn wish(&self, n: u32, every: Option<Duration>) -> Result<f64> {
        let begin = Instant::now();
        let next = AtomicU32::new(0);
        thread::scope(|scope| {
            let wishing = || -> Result<()> {
                let mut line = Line::open(&self.address)?;
                loop {
                    let index = next.fetch_add(1, Ordering::Relaxed);
                    if index >= n {
                        return Ok(());
                    }
                    if let Some(every) = every {
                        thread::sleep((begin + every * index).saturating_duration_since(Instant::now()));
                    }
                    line.ask(&self.next())?;
                }
            };
            let people: Vec<_> = (0..N_PEOPLE).map(|_| scope.spawn(wishing)).collect();
            for one in people {
                one.join().map_err(|_| anyhow::anyhow!("a thread that wishes panicked"))??;
            }
            Ok(f64::from(n) / begin.elapsed().as_secs_f64())
        })
    }

    /// Returns the next wish: all tasks are paused in turn, then all go on.
    fn next(&self) -> Vec<u8> {
        let n_wished = self.n_wished.fetch_add(1, Ordering::Relaxed) as usize;
        let task = self.tasks.get(n_wished % self.tasks.len());
        let name = if (n_wished / self.tasks.len()).is_multiple_of(2) { "pauseTask" } else { "continueTask" };
        let wish = json!({"person": "ana", "wish": {name: task}});
        self.address.request("POST", &self.path, &wish.to_string())
    }
}
