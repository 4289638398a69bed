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
fn decoder_keeps_its_properties() -> io::Result<()> {
    replay("decoder", properties::check_decoder)
}

#[test]
fn checklist_parser_keeps_its_properties() -> io::Result<()> {
    replay("plan_checklist", |bytes| properties::check_plan_parser(bytes, PlanFormat::Checklist))
}

#[test]
fn taskmaster_parser_keeps_its_properties() -> io::Result<()> {
    replay("plan_taskmaster", |bytes| properties::check_plan_parser(bytes, PlanFormat::Taskmaster))
}

#[test]
fn tasks_md_parser_keeps_its_properties() -> io::Result<()> {
    replay("plan_tasks_md", |bytes| properties::check_plan_parser(bytes, PlanFormat::TasksMd))
}
