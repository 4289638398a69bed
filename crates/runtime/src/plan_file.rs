//! The plan file of a run: looked at now and then, read when it has changed and come to rest, ticked where that is wanted.
//!
//! Never decides: what the file says is reported to the engine, which offers what differs.

use std::{
    collections::BTreeMap,
    fs::{self, File, Metadata},
    io::{self, Read, Write},
    os::unix::fs::MetadataExt,
    path::{Path, PathBuf},
    time::{Duration, Instant},
};

use domain::{Command, TaskId};
use plan::{FILE_BYTES_MAX, LineIndex, MarkDoneOutcome, ParsedPlan, Severity};

use crate::{
    learned::Learned,
    outfit::{Outfit, PlanReading},
};

/// How often the file is looked at; a change is read when it has stayed the same for so long.
const LOOK_EVERY: Duration = Duration::from_secs(2);

/// By which a file is known to be the same as before.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Stamp {
    inode: u64,
    bytes: u64,
    seconds: i64,
    nanoseconds: i64,
}

/// The plan file of a run.
pub(crate) struct PlanFile {
    path: PathBuf,
    reading: PlanReading,
    data: PathBuf,
    project: PathBuf,
    looked_at: Instant,
    /// The file as it was at the last look.
    seen: Option<Stamp>,
    /// The file as it was last read.
    read: Option<Stamp>,
    /// Tasks that are done and whose boxes are not ticked yet, with their titles.
    unticked: BTreeMap<TaskId, String>,
}

impl PlanFile {
    /// Returns the plan file of a run, where it has one.
    pub(crate) fn of(outfit: &Outfit, data: &Path) -> Option<Self> {
        let path = outfit.plan.clone()?;
        Some(Self {
            // An editor replaces what a link points to, not the link.
            path: path.canonicalize().unwrap_or(path),
            reading: outfit.reading.clone(),
            data: data.to_owned(),
            project: outfit.project.clone(),
            looked_at: Instant::now(),
            seen: None,
            read: None,
            unticked: BTreeMap::new(),
        })
    }

    /// Returns how long it is until the next look.
    pub(crate) fn due_in(&self) -> Duration {
        LOOK_EVERY.saturating_sub(self.looked_at.elapsed())
    }

    /// Looks at the file when it is time to, and returns what is to be reported of it.
    pub(crate) fn look(&mut self) -> Option<Command> {
        if !self.due_in().is_zero() {
            return None;
        }
        self.looked_at = Instant::now();
        self.tick_all();
        let stamp = fs::metadata(&self.path).ok().map(|metadata| stamp(&metadata));
        let is_at_rest = self.seen == stamp;
        self.seen = stamp;
        if !is_at_rest || self.read == stamp {
            return None;
        }
        self.read = stamp;
        Some(match stamp {
            Some(_) => self.report(),
            None => self.broken("the file is gone; the run goes on with the plan that it has"),
        })
    }

    fn report(&self) -> Command {
        let source = match read(&self.path) {
            Ok(source) => source,
            Err(error) => return self.broken(&error.to_string()),
        };
        let reading = plan::parse(&source, self.reading.options());
        if reading.has_errors() {
            return self.broken(&first_error(&reading, &source));
        }
        let mut work = engine::planned_work(&reading.plan, self.reading.with_optional);
        self.reading.complete(&mut work);
        Learned::read(&self.data, &self.project).estimate(&mut work.tasks, None);
        Command::ReportPlan { work: Box::new(work) }
    }

    fn broken(&self, problem: &str) -> Command {
        let name = self.path.file_name().map(|name| name.to_string_lossy()).unwrap_or_default();
        Command::ReportPlanUnreadable { problem: format!("{name}: {problem}") }
    }

    /// Ticks the box of a task that is done, where that is wanted; what can't be done now is tried again.
    pub(crate) fn tick(&mut self, task: TaskId, title: String) {
        if self.reading.write_back {
            self.unticked.insert(task, title);
            self.tick_all();
        }
    }

    /// Remembers tasks whose boxes may not be ticked yet, because nobody was there to do it.
    pub(crate) fn remember_done(&mut self, done: impl Iterator<Item = (TaskId, String)>) {
        if self.reading.write_back {
            self.unticked.extend(done);
        }
    }

    fn tick_all(&mut self) {
        if self.unticked.is_empty() {
            return;
        }
        // A file that can't be read or written now may be later.
        if let Ok(ticked) = self.try_tick() {
            for task in ticked {
                self.unticked.remove(&task);
            }
        }
    }

    /// Ticks what can be ticked, in one step, and returns the tasks that need no more of it.
    fn try_tick(&mut self) -> io::Result<Vec<TaskId>> {
        let before = stamp(&fs::metadata(&self.path)?);
        let source = read(&self.path)?;
        let reading = plan::parse(&source, self.reading.options());
        if reading.has_errors() {
            return Err(io::Error::other("the plan can't be read"));
        }
        let (mut ticked, mut settled) = (source.clone(), Vec::new());
        for (id, title) in &self.unticked {
            // Somebody may have given the id to another task.
            let is_same = reading.plan.tasks.iter().any(|task| task.id == *id && task.title == *title);
            if let (true, MarkDoneOutcome::Edit(edit)) =
                (is_same, plan::mark_done(&ticked, self.reading.options(), id))
            {
                ticked = edit.apply(&ticked);
            }
            settled.push(id.clone());
        }
        if ticked != source {
            let was_read = self.read == Some(before);
            replace(&self.path, &ticked, before)?;
            if was_read {
                // Nothing else has changed, so there is nothing to report.
                self.read = fs::metadata(&self.path).ok().map(|metadata| stamp(&metadata));
                self.seen = self.read;
            }
        }
        Ok(settled)
    }
}

fn stamp(metadata: &Metadata) -> Stamp {
    Stamp {
        inode: metadata.ino(),
        bytes: metadata.len(),
        seconds: metadata.mtime(),
        nanoseconds: metadata.mtime_nsec(),
    }
}

fn read(path: &Path) -> io::Result<Vec<u8>> {
    let mut source = Vec::new();
    // One byte more than a plan may have: the reader says so.
    File::open(path)?.take(FILE_BYTES_MAX as u64 + 1).read_to_end(&mut source)?;
    Ok(source)
}

/// Puts other bytes in a file's place, whole or not at all, and not where somebody has changed it meanwhile.
fn replace(path: &Path, bytes: &[u8], expected: Stamp) -> io::Result<()> {
    let folder = path.parent().ok_or_else(|| io::Error::other("the plan lies in no folder"))?;
    let name = path.file_name().map(|name| name.to_string_lossy()).unwrap_or_default();
    let new = folder.join(format!(".{name}.jangdan"));
    let written = write_beside(&new, bytes, path).and_then(|()| {
        if stamp(&fs::metadata(path)?) != expected {
            return Err(io::Error::other("somebody changed the plan meanwhile"));
        }
        fs::rename(&new, path)
    });
    if written.is_err() {
        let _ = fs::remove_file(&new);
    }
    written
}

fn write_beside(new: &Path, bytes: &[u8], like: &Path) -> io::Result<()> {
    let mut file = File::create(new)?;
    file.write_all(bytes)?;
    file.set_permissions(fs::metadata(like)?.permissions())?;
    file.sync_all()
}

/// Returns the first mistake of a plan, with its line, and how many there are.
fn first_error(reading: &ParsedPlan, source: &[u8]) -> String {
    let errors: Vec<_> =
        reading.diagnostics.iter().filter(|found| found.severity == Severity::Error).collect();
    let Some(first) = errors.first() else { return String::new() };
    let line = LineIndex::new(source).line_of(first.span.start);
    let more = match errors.len() {
        0 | 1 => String::new(),
        n => format!(" (and {} more)", n - 1),
    };
    format!("line {line}: {}{more}", first.message)
}

#[cfg(test)]
mod tests;
