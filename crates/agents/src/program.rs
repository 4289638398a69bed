//! The holder's program, carried along and put where it can be run.

use std::{
    fs, io,
    io::Write,
    os::unix::fs::{DirBuilderExt, OpenOptionsExt},
    path::{Path, PathBuf},
};

/// The program itself, built with this crate.
const PROGRAM: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/jangdan-holder"));

/// Tells this version of it from others.
const MARK: &str = env!("HOLDER_MARK");

/// Returns the holder's program, written below the data directory unless it is there already.
///
/// Its name has a mark of its content: sessions that run go on with the program they have, and another version of Jangdan
/// brings its own.
pub fn holder_program(data: &Path) -> io::Result<PathBuf> {
    let folder = data.join("bin");
    fs::DirBuilder::new().recursive(true).mode(0o700).create(&folder)?;
    let path = folder.join(format!("jangdan-holder-{MARK}"));
    let is_there = fs::metadata(&path).is_ok_and(|found| found.len() == PROGRAM.len() as u64);
    if !is_there {
        // Written beside it and moved, so that nobody starts half a program.
        let new = folder.join(format!(".new-{}", std::process::id()));
        let mut file =
            fs::OpenOptions::new().write(true).create(true).truncate(true).mode(0o700).open(&new)?;
        file.write_all(PROGRAM)?;
        drop(file);
        fs::rename(&new, &path)?;
    }
    Ok(path)
}
