//! `jangdan plan check FILE --explain ID`: where each field of a task was read.

use std::{
    io::{self, Write},
    path::Path,
    process::ExitCode,
};

use domain::TaskId;
use plan::{FieldOrigin, ParsedPlan, ValueOrigin};
use unicode_width::UnicodeWidthStr;

use super::table::{FAINT, cut};
use crate::{failure::Failure, localized::localized, printable::printable_line};

pub(super) fn print(
    path: &Path,
    source: &[u8],
    reading: &ParsedPlan,
    id: &TaskId,
) -> Result<ExitCode, Failure> {
    let Some(fields) = plan::explain(reading, source, id) else {
        let name = path.display();
        let what =
            localized(format!("{name} has no task {id}."), format!("{name} 계획에 {id} 작업이 없습니다."));
        let hint = localized(
            format!("List its tasks: jangdan plan check {name}"),
            format!("작업 목록을 보려면: jangdan plan check {name}"),
        );
        return Err(Failure { what, hint: Some(hint), exit: 1 });
    };
    match write(&fields) {
        Ok(()) => Ok(ExitCode::SUCCESS),
        Err(error) => Failure::from_output_error(&error).map_or(Ok(ExitCode::SUCCESS), Err),
    }
}

fn write(fields: &[FieldOrigin]) -> io::Result<()> {
    const VALUE_WIDTH: usize = 48;
    let mut out = anstream::stdout().lock();
    for FieldOrigin { field, value, origin } in fields {
        let value = cut(&printable_line(value.lines().next().unwrap_or_default()), VALUE_WIDTH);
        let gap = " ".repeat(VALUE_WIDTH.saturating_sub(value.width()));
        let origin = match origin {
            ValueOrigin::Line(line) => localized(format!("line {line}"), format!("{line}행")),
            ValueOrigin::Order => localized("order of the file", "파일의 순서"),
            ValueOrigin::Id => localized("its id", "작업 ID"),
            ValueOrigin::Default => localized("not in the file", "파일에 없음"),
        };
        writeln!(out, "{field:<12}{value}{gap}  {FAINT}{origin}{FAINT:#}")?;
    }
    out.flush()
}
