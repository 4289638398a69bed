//! Watches the plan file of a run, and ticks the checkboxes of completed tasks if configured.
//!
//! The file is polled, and read when it has changed and is stable. Its content is reported to the engine, which offers the
//! differences to the user.

use std::{
    collections::BTreeMap,
    error::Error,
    fs::{self, File, Metadata},
    io::{self, Read, Write},
    os::unix::fs::MetadataExt,
    path::{Path, PathBuf},
    time::{Duration, Instant},
};

use domain::{EffectId, Locale, Report, TaskId};
use tracing::warn;

use plan::{FILE_BYTES_MAX, LineIndex, MarkDoneOutcome, ParsedPlan, Severity};

use crate::{
    environment::{PlanOptions, RunEnvironment},
    task_durations::DurationHistory,
};

/// Time between two polls. A changed file is read when it is the same in two polls.
const POLL_INTERVAL: Duration = Duration::from_secs(2);

/// Attempts to tick checkboxes, one at each poll: a user may need minutes to correct a plan with errors.
const ATTEMPTS_MAX: u32 = 150;

/// Metadata that identifies a version of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct FileVersion {
    inode: u64,
    bytes: u64,
    seconds: i64,
    nanoseconds: i64,
}

/// Watcher of the plan file of a run.
pub(crate) struct PlanFileWatcher {
    path: PathBuf,
    options: PlanOptions,
    data: PathBuf,
    project: PathBuf,
    polled_at: Instant,
    /// Version at the last poll.
    polled: Option<FileVersion>,
    /// Version that was read last.
    read: Option<FileVersion>,
    /// Completed tasks whose checkboxes are not ticked yet.
    unticked: BTreeMap<TaskId, UntickedTask>,
    /// Failed attempts to tick since the last success.
    n_failures: u32,
}

/// A completed task whose checkbox is not ticked yet.
struct UntickedTask {
    title: String,
    /// The effect that ordered it.
    effect: EffectId,
}

impl PlanFileWatcher {
    /// Returns the watcher of a run; `None` if the run has no plan file.
    pub(crate) fn for_run(environment: &RunEnvironment, data: &Path) -> Option<Self> {
        let path = environment.plan.clone()?;
        Some(Self {
            // The target of a link is replaced, not the link.
            path: path.canonicalize().unwrap_or(path),
            options: environment.plan_options.clone(),
            data: data.to_owned(),
            project: environment.project.clone(),
            polled_at: Instant::now(),
            polled: None,
            read: None,
            unticked: BTreeMap::new(),
            n_failures: 0,
        })
    }

    /// Returns the time until the next poll.
    pub(crate) fn due_in(&self) -> Duration {
        POLL_INTERVAL.saturating_sub(self.polled_at.elapsed())
    }

    /// Polls the file if it is time to: ticks what could not be ticked before, and reports a change.
    pub(crate) fn poll(&mut self) -> Vec<Report> {
        if !self.due_in().is_zero() {
            return Vec::new();
        }
        self.polled_at = Instant::now();
        let mut reports = self.tick_pending_checkboxes();
        reports.extend(self.read_if_changed());
        reports
    }

    /// Returns a report if the file has changed and is stable.
    fn read_if_changed(&mut self) -> Option<Report> {
        let version = fs::metadata(&self.path).ok().map(|metadata| file_version(&metadata));
        let is_stable = self.polled == version;
        self.polled = version;
        if !is_stable || self.read == version {
            return None;
        }
        self.read = version;
        Some(match version {
            Some(_) => self.report(),
            None => {
                self.unreadable_report("the file does not exist; the run continues with its current plan")
            }
        })
    }

    fn report(&self) -> Report {
        let source = match read(&self.path) {
            Ok(source) => source,
            Err(error) => return self.unreadable_report(&error.to_string()),
        };
        let parsed = plan::parse(&source, self.options.to_parse_options());
        if parsed.has_errors() {
            return self.unreadable_report(&first_error(&parsed, &source));
        }
        let mut work = engine::planned_work(&parsed.plan, self.options.with_optional);
        self.options.apply_defaults(&mut work);
        DurationHistory::read(&self.data, &self.project).set_missing_estimates(&mut work.tasks, None);
        Report::PlanChanged { work: Box::new(work), has_assigned_ids: parsed.has_assigned_ids }
    }

    fn unreadable_report(&self, problem: &str) -> Report {
        let name = self.path.file_name().map(|name| name.to_string_lossy()).unwrap_or_default();
        Report::PlanUnreadable { problem: format!("{name}: {problem}") }
    }

    /// Ticks the checkbox of a completed task, if configured. Returns reports of the effects that are finished; on failure
    /// [`Self::tick_pending_checkboxes`] tries again.
    pub(crate) fn tick_checkbox(&mut self, effect: EffectId, task: TaskId, title: String) -> Vec<Report> {
        if !self.options.write_back {
            return vec![Report::EffectFinished { effect, error: None }];
        }
        self.unticked.insert(task, UntickedTask { title, effect });
        self.tick_pending_checkboxes()
    }

    /// Ticks all completed tasks that are not ticked yet, and returns reports of the effects that are finished. After too
    /// many failures the boxes stay as they are.
    fn tick_pending_checkboxes(&mut self) -> Vec<Report> {
        if self.unticked.is_empty() {
            return Vec::new();
        }
        let finished = |UntickedTask { effect, .. }, error| Report::EffectFinished { effect, error };
        match self.try_tick_checkboxes() {
            Ok(handled) => {
                self.n_failures = 0;
                let ticked = handled.iter().filter_map(|task| self.unticked.remove(task));
                ticked.map(|task| finished(task, None)).collect()
            }
            Err(error) => {
                self.n_failures += 1;
                if self.n_failures == 1 {
                    warn!(path = %self.path.display(), error = &error as &dyn Error, "cannot tick tasks in the plan file; trying again");
                }
                if self.n_failures < ATTEMPTS_MAX {
                    return Vec::new();
                }
                self.n_failures = 0;
                let error = format!("cannot tick it in {}: {error}", self.path.display());
                let given_up = std::mem::take(&mut self.unticked).into_values();
                given_up.map(|task| finished(task, Some(error.clone()))).collect()
            }
        }
    }

    /// Ticks all possible checkboxes in one write, and returns the tasks that need no further attempt.
    fn try_tick_checkboxes(&mut self) -> io::Result<Vec<TaskId>> {
        let before = file_version(&fs::metadata(&self.path)?);
        let source = read(&self.path)?;
        let parsed = plan::parse(&source, self.options.to_parse_options());
        if parsed.has_errors() {
            return Err(io::Error::other("the plan has errors"));
        }
        let (mut ticked, mut handled) = (source.clone(), Vec::new());
        for (id, UntickedTask { title, .. }) in &self.unticked {
            // The id may belong to another task now; without ids in the file, the text alone says which it is.
            let is_same = |task: &&plan::Task| {
                task.title == *title && (parsed.has_assigned_ids && !task.done || task.id == *id)
            };
            let task = parsed.plan.tasks.iter().find(is_same);
            let outcome =
                task.map(|task| plan::mark_done(&ticked, self.options.to_parse_options(), &task.id));
            if let Some(MarkDoneOutcome::Edit(edit)) = outcome {
                ticked = edit.apply(&ticked);
            }
            handled.push(id.clone());
        }
        if ticked != source {
            let was_read = self.read == Some(before);
            replace(&self.path, &ticked, before)?;
            if was_read {
                // This change is not reported.
                self.read = fs::metadata(&self.path).ok().map(|metadata| file_version(&metadata));
                self.polled = self.read;
            }
        }
        Ok(handled)
    }
}

fn file_version(metadata: &Metadata) -> FileVersion {
    FileVersion {
        inode: metadata.ino(),
        bytes: metadata.len(),
        seconds: metadata.mtime(),
        nanoseconds: metadata.mtime_nsec(),
    }
}

fn read(path: &Path) -> io::Result<Vec<u8>> {
    let mut source = Vec::new();
    // Reading one byte beyond the limit makes the parser report a file that is too large.
    File::open(path)?.take(FILE_BYTES_MAX as u64 + 1).read_to_end(&mut source)?;
    Ok(source)
}

/// Replaces a file atomically. Fails if it is not the expected version.
fn replace(path: &Path, bytes: &[u8], expected: FileVersion) -> io::Result<()> {
    let folder = path.parent().ok_or_else(|| io::Error::other("the plan has no parent folder"))?;
    let name = path.file_name().map(|name| name.to_string_lossy()).unwrap_or_default();
    let new = folder.join(format!(".{name}.jangdan"));
    let written = write_with_permissions(&new, bytes, path).and_then(|()| {
        if file_version(&fs::metadata(path)?) != expected {
            return Err(io::Error::other("the plan was changed meanwhile"));
        }
        fs::rename(&new, path)
    });
    if written.is_err() {
        // The next attempt replaces it.
        let _ = fs::remove_file(&new);
    }
    written
}

/// Writes a file with the permissions of another one.
fn write_with_permissions(new: &Path, bytes: &[u8], original: &Path) -> io::Result<()> {
    let mut file = File::create(new)?;
    file.write_all(bytes)?;
    file.set_permissions(fs::metadata(original)?.permissions())?;
    file.sync_all()
}

/// Returns the first error of a plan with its line, and the number of further errors.
fn first_error(parsed: &ParsedPlan, source: &[u8]) -> String {
    let errors: Vec<_> =
        parsed.diagnostics.iter().filter(|diagnostic| diagnostic.severity() == Severity::Error).collect();
    let Some(first) = errors.first() else { return String::new() };
    let line = LineIndex::new(source).line_of(first.span.start);
    let more = match errors.len() {
        0 | 1 => String::new(),
        n => format!(" (and {} more)", n - 1),
    };
    format!("line {line}: {}{more}", first.text(Locale::En).message)
}

#[cfg(test)]
mod tests;
