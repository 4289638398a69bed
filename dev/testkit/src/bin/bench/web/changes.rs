//! Changes of a run's tasks by commands of a person: each task is paused, and later continued.

use std::{
    sync::atomic::{AtomicU32, Ordering},
    thread,
    time::{Duration, Instant},
};

use anyhow::{Context, Result, ensure};
use serde_json::{Value, json};

use crate::server::connection::{Address, Connection};

/// Number of connections that send commands at once.
const N_CONNECTIONS: u32 = 4;

/// Sends commands that go through the tasks of a run repeatedly.
pub(super) struct ChangeGenerator {
    address: Address,
    path: String,
    tasks: Vec<String>,
    n_sent: AtomicU32,
    /// Commands per second of the last call of `fast`.
    pub fast_rate: f64,
}

impl ChangeGenerator {
    /// Reads the tasks that are not done.
    pub(super) fn from_unfinished_tasks(address: &Address, run: &str) -> Result<Self> {
        let path = format!("/api/runs/{run}/rows?kind=task");
        let answer: Value = serde_json::from_slice(
            &Connection::open(address)?.exchange(&address.request_bytes("GET", &path, ""))?,
        )?;
        let rows = answer.pointer("/rows/task").and_then(Value::as_array).context("the run has no tasks")?;
        let is_open = |row: &&Value| !matches!(row.get("state").and_then(Value::as_str), Some("done") | None);
        let id = |row: &Value| row.get("id").and_then(Value::as_str).map(str::to_owned);
        let tasks: Vec<String> = rows.iter().filter(is_open).filter_map(id).collect();
        ensure!(!tasks.is_empty(), "all tasks are done");
        let (address, path) = (address.clone(), format!("/api/runs/{run}/commands"));
        Ok(Self { address, path, tasks, n_sent: AtomicU32::new(0), fast_rate: f64::NAN })
    }

    /// Sends `n` commands at a fixed rate, and returns how many per second succeeded.
    pub(super) fn send_paced(&mut self, per_second: u32, n: u32) -> Result<f64> {
        self.send_requests(n, Some(Duration::from_secs(1) / per_second))
    }

    /// Sends `n` commands, each after the response to the one before on its connection.
    pub(super) fn send_fast(&mut self, n: u32) -> Result<()> {
        self.fast_rate = self.send_requests(n, None)?;
        Ok(())
    }

    fn send_requests(&self, n: u32, every: Option<Duration>) -> Result<f64> {
        let begin = Instant::now();
        let next = AtomicU32::new(0);
        thread::scope(|scope| {
            let send_all = || -> Result<()> {
                let mut line = Connection::open(&self.address)?;
                loop {
                    let index = next.fetch_add(1, Ordering::Relaxed);
                    if index >= n {
                        return Ok(());
                    }
                    if let Some(every) = every {
                        thread::sleep((begin + every * index).saturating_duration_since(Instant::now()));
                    }
                    line.exchange(&self.next_request())?;
                }
            };
            let threads: Vec<_> = (0..N_CONNECTIONS).map(|_| scope.spawn(send_all)).collect();
            for thread in threads {
                thread.join().map_err(|_| anyhow::anyhow!("a thread that sends commands panicked"))??;
            }
            Ok(f64::from(n) / begin.elapsed().as_secs_f64())
        })
    }

    /// Returns the next request: all tasks are paused in turn, then all are continued.
    fn next_request(&self) -> Vec<u8> {
        let n_sent = self.n_sent.fetch_add(1, Ordering::Relaxed) as usize;
        let task = self.tasks.get(n_sent % self.tasks.len());
        let name = if (n_sent / self.tasks.len()).is_multiple_of(2) { "pauseTask" } else { "continueTask" };
        let command = json!({"person": "ana", "command": {name: task}});
        self.address.request_bytes("POST", &self.path, &command.to_string())
    }
}
