//! Replays the findings of fuzzing: every file of `fuzz/regressions/<target>/` once broke a property.

use std::{fs, io, path::Path};

use plan::PlanFormat;
use testkit::properties;

/// Checks the properties of a target on all its stored inputs.
fn replay(target: &str, check: fn(&[u8])) -> io::Result<()> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/regressions").join(target);
    if !folder.exists() {
        return Ok(());
    }
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        eprintln!("{}", path.display());
        check(&fs::read(&path)?);
    }
    Ok(())
}

#[test]
fn decoder() -> io::Result<()> {
    replay("decoder", properties::decoder)
}

#[test]
fn plan_checklist() -> io::Result<()> {
    replay("plan_checklist", |bytes| properties::plan(bytes, PlanFormat::Checklist))
}

#[test]
fn plan_taskmaster() -> io::Result<()> {
    replay("plan_taskmaster", |bytes| properties::plan(bytes, PlanFormat::Taskmaster))
}

#[test]
fn plan_tasks_md() -> io::Result<()> {
    replay("plan_tasks_md", |bytes| properties::plan(bytes, PlanFormat::TasksMd))
}
