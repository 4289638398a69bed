//! Prints a plan as a table of phases, tasks and dependencies.

use std::{
    collections::{BTreeMap, HashMap, HashSet},
    io::{self, IsTerminal, Write},
};

use anstyle::{AnsiColor, Style};
use domain::TaskId;
use plan::{ParsedPlan, Phase, Plan, PlanFormat, Task};
use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

use super::summary;
use crate::{localized::localized, plural::plural, printable::printable};

const TITLE: Style = Style::new().bold();
const ID: Style = AnsiColor::Cyan.on_default();
const DONE: Style = AnsiColor::Green.on_default();
pub(super) const FAINT: Style = Style::new().dimmed();

/// Minimum width of titles; a narrower terminal wraps.
const TITLE_WIDTH_MIN: usize = 20;

/// Prints the plan to standard output.
pub(super) fn print(reading: &ParsedPlan) -> io::Result<()> {
    let mut out = io::BufWriter::new(anstream::stdout().lock());
    let plan = &reading.plan;
    // Only a terminal limits the width; a file or pipe gets full lines.
    let terminal = terminal_size::terminal_size().filter(|_| io::stdout().is_terminal());
    let width = terminal.map_or(usize::MAX, |(width, _)| usize::from(width.0));
    write_heading(&mut out, reading)?;
    let rows = Rows::new(plan, reading.format);
    let columns = Columns::new(plan, &rows, width);
    let mut members: BTreeMap<_, Vec<&Task>> = BTreeMap::new();
    for task in &plan.tasks {
        members.entry(task.phase).or_default().push(task);
    }
    for phase in &plan.phases {
        write_phase_line(&mut out, phase, width)?;
        for task in members.remove(&phase.number).unwrap_or_default() {
            columns.write_row(&mut out, task, &rows)?;
        }
        writeln!(out)?;
    }
    summary::print(&mut out, plan, width)?;
    out.flush()
}

fn write_heading(out: &mut impl Write, reading: &ParsedPlan) -> io::Result<()> {
    let plan = &reading.plan;
    let title = if plan.title.is_empty() { localized("Plan", "계획") } else { printable(&plan.title) };
    let format = reading.format.map_or("", PlanFormat::as_str);
    let n_done = plan.tasks.iter().filter(|task| task.done).count();
    let (n_tasks, n_phases) = (plan.tasks.len(), plan.phases.len());
    let verdict = match reading.has_errors() {
        true => String::new(),
        false => localized("Valid plan: ", "올바른 계획: "),
    };
    let done = match n_done {
        0 => String::new(),
        n_done => localized(format!(" ({n_done} done)"), format!(" ({n_done}개 완료)")),
    };
    let tasks = localized(plural(n_tasks, "task"), format!("작업 {n_tasks}개"));
    let phases = localized(plural(n_phases, "phase"), format!("{n_phases}단계"));
    writeln!(out, "{TITLE}{title}{TITLE:#}")?;
    writeln!(out, "{FAINT}{verdict}{tasks}{done}, {phases} · {format}{FAINT:#}\n")
}

fn write_phase_line(out: &mut impl Write, phase: &Phase, width: usize) -> io::Result<()> {
    let colon = if phase.name.is_empty() { "" } else { ": " };
    let after: Vec<_> = phase.after.iter().map(ToString::to_string).collect();
    let after = match after.as_slice() {
        [] => String::new(),
        [one] => localized(format!("  after phase {one}"), format!("  {one}단계 이후")),
        many => localized(
            format!("  after phases {}", many.join(", ")),
            format!("  {}단계 이후", many.join(", ")),
        ),
    };
    let number = localized(format!("Phase {}", phase.number), format!("{}단계", phase.number));
    let name = format!("{number}{colon}{}", printable(&phase.name));
    let name = cut(&name, width.saturating_sub(after.width()).max(TITLE_WIDTH_MIN));
    writeln!(out, "{TITLE}{name}{TITLE:#}{FAINT}{after}{FAINT:#}")
}

/// Which dependencies are shown.
struct Rows<'p> {
    by_id: HashMap<&'p TaskId, &'p Task>,
}

impl<'p> Rows<'p> {
    /// In a checklist a task often depends on all before it: only those that no other one implies are shown.
    fn new(plan: &'p Plan, format: Option<PlanFormat>) -> Self {
        let tasks = plan.tasks.iter().filter(|_| format == Some(PlanFormat::Checklist));
        Self { by_id: tasks.map(|task| (&task.id, task)).collect() }
    }

    fn shown_dependencies<'t>(&self, task: &'t Task) -> Vec<&'t TaskId> {
        // Longer lists come from ranges of the plan.
        const REDUCED_MAX: usize = 40;
        let all = &task.depends_on;
        if all.len() > REDUCED_MAX {
            return all.iter().collect();
        }
        let of_dependency = |id| self.by_id.get(id).map_or(&[][..], |task| task.depends_on.as_slice());
        let implied: HashSet<&TaskId> = all.iter().flat_map(of_dependency).collect();
        all.iter().filter(|id| !implied.contains(id)).collect()
    }

    /// Lists the dependencies of a task; those that do not fit are counted.
    fn dependencies(&self, task: &Task, width_max: usize) -> String {
        let shown = self.shown_dependencies(task);
        let ids = shown.iter().map(ToString::to_string);
        let names = task.external.iter().map(|name| format!("\"{}\"", printable(name)));
        let n_all = shown.len() + task.external.len();
        let mut text = match (task.optional, n_all) {
            (false, 0) => return String::new(),
            (true, 0) => return localized("optional", "선택"),
            (false, _) => localized("after ", "선행: "),
            (true, _) => localized("optional, after ", "선택, 선행: "),
        };
        let mut width = text.width();
        for (n_before, name) in ids.chain(names).enumerate() {
            let comma = if n_before == 0 { "" } else { ", " };
            let rest = format!(" +{}", n_all - n_before);
            width += comma.len() + name.width();
            let is_last = n_before + 1 == n_all;
            // Leave space for the count of the remaining ones.
            if n_before > 0 && width + if is_last { 0 } else { rest.len() } > width_max {
                text.push_str(&rest);
                return text;
            }
            text.push_str(comma);
            text.push_str(&name);
        }
        cut(&text, width_max)
    }
}

/// Widths of the columns.
struct Columns {
    id: usize,
    title: usize,
    waits: usize,
}

impl Columns {
    fn new(plan: &Plan, rows: &Rows<'_>, width: usize) -> Self {
        let widest = |width: &dyn Fn(&Task) -> usize| plan.tasks.iter().map(width).max().unwrap_or(0);
        let id = widest(&|task| task.id.as_str().len());
        let title = widest(&|task| task.title.width());
        let waits = widest(&|task| rows.dependencies(task, usize::MAX).width());
        let available = width.saturating_sub(id + 12);
        let title = title.min(available.saturating_sub(waits.min(available / 3)).max(TITLE_WIDTH_MIN));
        Self { id, title, waits: available.saturating_sub(title).max(8) }
    }

    fn write_row(&self, out: &mut impl Write, task: &Task, rows: &Rows<'_>) -> io::Result<()> {
        let (mark, style) = match (task.done, task.optional) {
            (true, _) => ("✓", DONE),
            (false, true) => ("?", FAINT),
            (false, false) => ("·", FAINT),
        };
        let size = task.complexity.map_or_else(|| "-".to_owned(), |size| format!("{size:?}").to_uppercase());
        let title = cut(&printable(&task.title), self.title);
        let id_gap = " ".repeat(self.id.saturating_sub(task.id.as_str().len()));
        write!(
            out,
            "  {style}{mark}{style:#} {ID}{}{ID:#}{id_gap}  {FAINT}{size:<2}{FAINT:#}  {title}",
            task.id
        )?;
        let waits = rows.dependencies(task, self.waits);
        if waits.is_empty() {
            return writeln!(out);
        }
        let gap = " ".repeat(self.title.saturating_sub(title.width()));
        writeln!(out, "{gap}  {FAINT}{waits}{FAINT:#}")
    }
}

/// Truncates a text to a width in columns; Korean characters take two.
pub(super) fn cut(text: &str, width_max: usize) -> String {
    if text.width() <= width_max {
        return text.to_owned();
    }
    let mut width = 1;
    let fits = |character: &char| {
        width += character.width().unwrap_or(0);
        width <= width_max
    };
    format!("{}…", text.chars().take_while(fits).collect::<String>())
}
