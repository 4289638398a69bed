//! How long tasks took in earlier runs of a project, and how long others will take by that.
//!
//! A line for each task that was done, beside the log. What can't be read was not learned.

use std::{
    collections::HashMap,
    fs::{self, File},
    io::{self, Read, Seek, SeekFrom, Write},
    path::{Path, PathBuf},
};

use domain::{AgentName, Complexity, PlannedTask};
use serde::{Deserialize, Serialize};

const FILE: &str = "durations.jsonl";
/// Older ones say little, and a start should not wait for them.
const BYTES_READ_MAX: u64 = 1024 * 1024;
/// A file that has grown to more is cut to what is read.
const BYTES_KEPT_MAX: u64 = 4 * BYTES_READ_MAX;

/// A task that was done.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Duration {
    pub(crate) project: PathBuf,
    pub(crate) title: String,
    pub(crate) agent: Option<AgentName>,
    #[serde(default)]
    pub(crate) complexity: Option<Complexity>,
    pub(crate) worked_ms: u64,
}

impl Duration {
    /// Writes it down for later runs.
    pub(crate) fn keep(&self, data: &Path) -> io::Result<()> {
        let path = data.join(FILE);
        if fs::metadata(&path).is_ok_and(|metadata| metadata.len() > BYTES_KEPT_MAX) {
            let new = data.join("durations.new");
            fs::write(&new, last_lines(&path)?)?;
            fs::rename(&new, &path)?;
        }
        let line = serde_json::to_string(self).map_err(io::Error::other)?;
        let mut file = fs::OpenOptions::new().create(true).append(true).open(path)?;
        // One that a crash cut off ends before it.
        file.write_all(format!("\n{line}\n").as_bytes())
    }
}

/// What earlier runs of a project tell.
#[derive(Debug, Default)]
pub(crate) struct Learned {
    by_title_and_agent: HashMap<(String, Option<AgentName>), Vec<u64>>,
    by_title: HashMap<String, Vec<u64>>,
    by_kind: HashMap<(Option<AgentName>, u32), Vec<u64>>,
    /// How long a task of the smallest size took.
    small: Vec<u64>,
}

impl Learned {
    /// Reads what is known of a project.
    pub(crate) fn read(data: &Path, project: &Path) -> Self {
        let text = last_lines(&data.join(FILE)).unwrap_or_default();
        let text = String::from_utf8_lossy(&text);
        let mut learned = Self::default();
        let durations = text.lines().filter_map(|line| serde_json::from_str::<Duration>(line).ok());
        for duration in durations.filter(|duration| duration.project == project) {
            learned.add(duration);
        }
        learned
    }

    fn add(&mut self, Duration { title, agent, complexity, worked_ms, project: _ }: Duration) {
        let weight = complexity.map_or(1, Complexity::weight).max(1);
        self.by_title_and_agent.entry((title.clone(), agent.clone())).or_default().push(worked_ms);
        self.by_title.entry(title).or_default().push(worked_ms);
        self.by_kind.entry((agent, weight)).or_default().push(worked_ms);
        self.small.push(worked_ms / u64::from(weight));
    }

    /// Says how long tasks will take, as far as anything was learned. The worker does what nobody is named for.
    pub(crate) fn estimate(&self, tasks: &mut [PlannedTask], worker: Option<&AgentName>) {
        if self.small.is_empty() {
            return;
        }
        let small = median(&self.small);
        for task in tasks.iter_mut().filter(|task| task.estimate_ms.is_none()) {
            let weight = task.complexity.map_or(1, Complexity::weight).max(1);
            let agent = task.agent.as_ref().or(worker).cloned();
            let same = self.by_title_and_agent.get(&(task.title.clone(), agent.clone()));
            let named = || self.by_title.get(&task.title);
            let kind = || self.by_kind.get(&(agent.clone(), weight));
            let known = same.or_else(named).or_else(kind).and_then(|known| median(known));
            task.estimate_ms = known.or_else(|| small.map(|small| small.saturating_mul(weight.into())));
        }
    }
}

/// Returns the middle one.
fn median(values: &[u64]) -> Option<u64> {
    let mut values = values.to_vec();
    values.sort_unstable();
    values.get(values.len() / 2).copied()
}

/// Returns the last lines of a file, as many as are read at all.
fn last_lines(path: &Path) -> io::Result<Vec<u8>> {
    let mut file = File::open(path)?;
    let skipped = file.metadata()?.len().saturating_sub(BYTES_READ_MAX);
    file.seek(SeekFrom::Start(skipped))?;
    let mut text = Vec::new();
    file.take(BYTES_READ_MAX).read_to_end(&mut text)?;
    if skipped > 0 {
        // The first line is only a part of one.
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
    ) -> Duration {
        let agent = agent.map(|agent| agent.parse().unwrap());
        let project = PathBuf::from("/shop");
        Duration { project, title: title.to_owned(), agent, complexity, worked_ms }
    }

    fn estimates(kept: &[Duration], tasks: &[(&str, Option<&str>, Option<Complexity>)]) -> Vec<Option<u64>> {
        let data = tempfile::tempdir().unwrap();
        for duration in kept {
            duration.keep(data.path()).unwrap();
        }
        let planned =
            |(n, (title, agent, complexity)): (usize, &(&str, Option<&str>, Option<Complexity>))| {
                let id = format!("T{n}").parse().unwrap();
                let agent = agent.map(|agent| agent.parse().unwrap());
                PlannedTask { agent, complexity: *complexity, ..PlannedTask::new(id, 1, (*title).to_owned()) }
            };
        let mut tasks: Vec<_> = tasks.iter().enumerate().map(planned).collect();
        Learned::read(data.path(), Path::new("/shop")).estimate(&mut tasks, None);
        tasks.iter().map(|task| task.estimate_ms).collect()
    }

    #[test]
    fn nothing_is_guessed_where_nothing_was_learned() {
        let elsewhere = Duration { project: "/other".into(), ..duration("Cart", None, None, 9) };
        assert_eq!(estimates(&[elsewhere], &[("Cart", None, None)]), [None]);
    }

    #[test]
    fn a_task_takes_what_it_took_before_else_what_its_like_took() {
        let kept = [
            duration("Cart", Some("ann"), None, 100),
            duration("Cart", Some("ann"), None, 900),
            duration("Cart", Some("ann"), None, 300),
            duration("Cart", Some("bob"), None, 50),
            duration("Pay", Some("bob"), Some(Complexity::L), 4_000),
        ];
        let asked = [
            ("Cart", Some("ann"), None),
            ("Cart", Some("eve"), None),
            ("Ship", Some("bob"), Some(Complexity::L)),
            ("Ship", Some("eve"), Some(Complexity::M)),
        ];
        assert_eq!(estimates(&kept, &asked), [Some(300), Some(300), Some(4_000), Some(600)]);
    }

    #[test]
    fn a_damaged_line_costs_itself_alone_and_a_long_file_is_cut() {
        for n_damaged in [1, usize::try_from(BYTES_KEPT_MAX).unwrap() + 1] {
            let data = tempfile::tempdir().unwrap();
            let path = data.path().join(FILE);
            fs::write(&path, vec![b'x'; n_damaged]).unwrap();
            duration("Cart", None, None, 7).keep(data.path()).unwrap();
            assert!(fs::metadata(&path).unwrap().len() < BYTES_KEPT_MAX);
            let mut tasks = [PlannedTask::new("T1".parse().unwrap(), 1, "Cart".to_owned())];
            Learned::read(data.path(), Path::new("/shop")).estimate(&mut tasks, None);
            assert_eq!(tasks[0].estimate_ms, Some(7));
        }
    }
}
