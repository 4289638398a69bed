//! Durations of completed tasks in earlier runs of a project, and estimates for new tasks based on them.
//!
//! Stored as one JSON line for each task, in a file beside the log. Unreadable lines are skipped.

use std::{
    collections::HashMap,
    error::Error,
    fs::{self, File},
    io::{self, Read, Seek, SeekFrom, Write},
    path::{Path, PathBuf},
};

use domain::{AgentName, Complexity, PlannedTask, RunId};
use engine::TaskDuration;
use serde::{Deserialize, Serialize};
use tracing::warn;

const FILE: &str = "durations.jsonl";
/// Limit of bytes read from the end of the file. Older durations say little, and a start must not wait for them.
const BYTES_READ_MAX: u64 = 1024 * 1024;
/// Size from which the file is cut to [`BYTES_READ_MAX`].
const FILE_BYTES_MAX: u64 = 4 * BYTES_READ_MAX;

/// Duration of a completed task.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct DurationRecord {
    pub(crate) project: PathBuf,
    pub(crate) title: String,
    pub(crate) agent: Option<AgentName>,
    #[serde(default)]
    pub(crate) complexity: Option<Complexity>,
    pub(crate) worked_ms: u64,
    /// The run, task and attempt, so that an effect that is executed again records nothing. Older lines do not have it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) attempt_id: Option<String>,
}

impl DurationRecord {
    pub(crate) fn new(project: &Path, run: &RunId, duration: TaskDuration) -> Self {
        let TaskDuration { task, attempt, title, agent, complexity, worked_ms } = duration;
        let attempt_id = Some(format!("{run}/{task}/{attempt}"));
        Self { project: project.to_owned(), title, agent, complexity, worked_ms, attempt_id }
    }

    /// Appends the duration to the file of a data directory, unless the file has it.
    pub(crate) fn save_once(&self, data: &Path) -> io::Result<()> {
        let path = data.join(FILE);
        let line = serde_json::to_string(self).map_err(io::Error::other)?;
        if self.attempt_id.is_some() && contains_line(&path, &line)? {
            return Ok(());
        }
        if fs::metadata(&path).is_ok_and(|metadata| metadata.len() > FILE_BYTES_MAX) {
            let new = data.join("durations.new");
            fs::write(&new, last_lines(&path)?)?;
            fs::rename(&new, &path)?;
        }
        let mut file = fs::OpenOptions::new().create(true).append(true).open(path)?;
        // The first line break ends a line that a crash cut off.
        file.write_all(format!("\n{line}\n").as_bytes())
    }
}

/// Returns whether the recent lines of a file contain a line. A missing file has none.
fn contains_line(path: &Path, line: &str) -> io::Result<bool> {
    match last_lines(path) {
        Ok(text) => Ok(String::from_utf8_lossy(&text).lines().any(|other| other == line)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
        Err(error) => Err(error),
    }
}

/// Durations of earlier runs of a project.
#[derive(Debug, Default)]
pub(crate) struct DurationHistory {
    by_title_and_agent: HashMap<(String, Option<AgentName>), Vec<u64>>,
    by_title: HashMap<String, Vec<u64>>,
    /// By agent and weight of the complexity.
    by_kind: HashMap<(Option<AgentName>, u32), Vec<u64>>,
    /// Durations divided by the weight of their complexity.
    per_weight: Vec<u64>,
}

impl DurationHistory {
    /// Reads the durations of a project; empty if the file is unreadable.
    pub(crate) fn read(data: &Path, project: &Path) -> Self {
        let path = data.join(FILE);
        let text = last_lines(&path).unwrap_or_else(|error| {
            if error.kind() != io::ErrorKind::NotFound {
                warn!(path = %path.display(), error = &error as &dyn Error, "cannot read the durations of tasks");
            }
            Vec::new()
        });
        let text = String::from_utf8_lossy(&text);
        let mut history = Self::default();
        let durations = text.lines().filter_map(|line| serde_json::from_str::<DurationRecord>(line).ok());
        for duration in durations.filter(|duration| duration.project == project) {
            history.add(duration);
        }
        history
    }

    fn add(
        &mut self,
        DurationRecord { title, agent, complexity, worked_ms, project: _, attempt_id: _ }: DurationRecord,
    ) {
        let weight = complexity.map_or(1, Complexity::weight).max(1);
        self.by_title_and_agent.entry((title.clone(), agent.clone())).or_default().push(worked_ms);
        self.by_title.entry(title).or_default().push(worked_ms);
        self.by_kind.entry((agent, weight)).or_default().push(worked_ms);
        self.per_weight.push(worked_ms / u64::from(weight));
    }

    /// Sets the estimates of tasks that have none, if the project has a history. `worker` is the agent of tasks that name
    /// none.
    pub(crate) fn set_missing_estimates(&self, tasks: &mut [PlannedTask], worker: Option<&AgentName>) {
        if self.per_weight.is_empty() {
            return;
        }
        let per_weight = median(&self.per_weight);
        for task in tasks.iter_mut().filter(|task| task.estimate_ms.is_none()) {
            let weight = task.complexity.map_or(1, Complexity::weight).max(1);
            let agent = task.agent.as_ref().or(worker).cloned();
            let same_task = self.by_title_and_agent.get(&(task.title.clone(), agent.clone()));
            let same_title = || self.by_title.get(&task.title);
            let same_kind = || self.by_kind.get(&(agent.clone(), weight));
            let durations = same_task.or_else(same_title).or_else(same_kind);
            let estimate = durations.and_then(|durations| median(durations));
            task.estimate_ms =
                estimate.or_else(|| per_weight.map(|per_weight| per_weight.saturating_mul(weight.into())));
        }
    }
}

fn median(values: &[u64]) -> Option<u64> {
    let mut values = values.to_vec();
    values.sort_unstable();
    values.get(values.len() / 2).copied()
}

/// Returns the last lines of a file, at most [`BYTES_READ_MAX`] bytes.
fn last_lines(path: &Path) -> io::Result<Vec<u8>> {
    let mut file = File::open(path)?;
    let skipped = file.metadata()?.len().saturating_sub(BYTES_READ_MAX);
    file.seek(SeekFrom::Start(skipped))?;
    let mut text = Vec::new();
    file.take(BYTES_READ_MAX).read_to_end(&mut text)?;
    if skipped > 0 {
        // The first line is incomplete.
        let end = text.iter().position(|byte| *byte == b'\n').map_or(text.len(), |end| end + 1);
        text.drain(..end);
    }
    Ok(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn duration(
        title: &str,
        agent: Option<&str>,
        complexity: Option<Complexity>,
        worked_ms: u64,
    ) -> DurationRecord {
        let agent = agent.map(|agent| agent.parse().unwrap());
        let project = PathBuf::from("/shop");
        DurationRecord { project, title: title.to_owned(), agent, complexity, worked_ms, attempt_id: None }
    }

    fn estimates(
        history: &[DurationRecord],
        tasks: &[(&str, Option<&str>, Option<Complexity>)],
    ) -> Vec<Option<u64>> {
        let data = tempfile::tempdir().unwrap();
        for duration in history {
            duration.save_once(data.path()).unwrap();
        }
        let planned =
            |(n, (title, agent, complexity)): (usize, &(&str, Option<&str>, Option<Complexity>))| {
                let id = format!("T{n}").parse().unwrap();
                let agent = agent.map(|agent| agent.parse().unwrap());
                PlannedTask { agent, complexity: *complexity, ..PlannedTask::new(id, 1, (*title).to_owned()) }
            };
        let mut tasks: Vec<_> = tasks.iter().enumerate().map(planned).collect();
        DurationHistory::read(data.path(), Path::new("/shop")).set_missing_estimates(&mut tasks, None);
        tasks.iter().map(|task| task.estimate_ms).collect()
    }

    #[test]
    fn project_without_history_gets_no_estimates() {
        let other_project = DurationRecord { project: "/other".into(), ..duration("Cart", None, None, 9) };
        assert_eq!(estimates(&[other_project], &[("Cart", None, None)]), [None]);
    }

    #[test]
    fn estimate_is_the_median_of_the_same_task_else_of_similar_tasks() {
        let history = [
            duration("Cart", Some("ann"), None, 100),
            duration("Cart", Some("ann"), None, 900),
            duration("Cart", Some("ann"), None, 300),
            duration("Cart", Some("bob"), None, 50),
            duration("Pay", Some("bob"), Some(Complexity::L), 4_000),
        ];
        let tasks = [
            ("Cart", Some("ann"), None),
            ("Cart", Some("eve"), None),
            ("Ship", Some("bob"), Some(Complexity::L)),
            ("Ship", Some("eve"), Some(Complexity::M)),
        ];
        assert_eq!(estimates(&history, &tasks), [Some(300), Some(300), Some(4_000), Some(600)]);
    }

    #[test]
    fn duration_of_an_attempt_is_recorded_once() {
        let data = tempfile::tempdir().unwrap();
        let record =
            DurationRecord { attempt_id: Some("r1/T1/1".to_owned()), ..duration("Cart", None, None, 7) };
        let next = DurationRecord { attempt_id: Some("r1/T1/2".to_owned()), ..record.clone() };
        for record in [&record, &record, &next] {
            record.save_once(data.path()).unwrap();
        }
        let text = fs::read_to_string(data.path().join(FILE)).unwrap();
        assert_eq!(text.lines().filter(|line| !line.is_empty()).count(), 2, "{text}");
    }

    #[test]
    fn damaged_line_is_skipped_and_a_long_file_is_cut() {
        for n_damaged in [1, usize::try_from(FILE_BYTES_MAX).unwrap() + 1] {
            let data = tempfile::tempdir().unwrap();
            let path = data.path().join(FILE);
            fs::write(&path, vec![b'x'; n_damaged]).unwrap();
            duration("Cart", None, None, 7).save_once(data.path()).unwrap();
            assert!(fs::metadata(&path).unwrap().len() < FILE_BYTES_MAX);
            let mut tasks = [PlannedTask::new("T1".parse().unwrap(), 1, "Cart".to_owned())];
            DurationHistory::read(data.path(), Path::new("/shop")).set_missing_estimates(&mut tasks, None);
            assert_eq!(tasks[0].estimate_ms, Some(7));
        }
    }
}
