//! The holder's program, carried along and put where it can be run.

use std::{
    fs, io,
    io::Write,
    os::unix::fs::{DirBuilderExt, OpenOptionsExt},
    path::{Path, PathBuf},
    sync::{Mutex, PoisonError},
};

/// The program itself, built with this crate.
const PROGRAM: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/jangdan-holder"));

/// Target triple of the embedded holder: `…-musl` if the toolchain had that target at build time.
pub const HOLDER_TARGET: &str = env!("HOLDER_TARGET");

/// Tells this version of it from others.
const MARK: &str = env!("HOLDER_MARK");

/// One at a time writes it: who started a program that another still writes would be refused.
static WRITING: Mutex<()> = Mutex::new(());

/// Returns the holder's program, written below the data directory unless it is there already.
///
/// Its name has a mark of its content: sessions that run go on with the program they have, and another version of Jangdan
/// brings its own.
pub fn holder_program(data: &Path) -> io::Result<PathBuf> {
    let folder = data.join("bin");
    fs::DirBuilder::new().recursive(true).mode(0o700).create(&folder)?;
    let path = folder.join(format!("jangdan-holder-{MARK}"));
    let _alone = WRITING.lock().unwrap_or_else(PoisonError::into_inner);
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

#[cfg(test)]
mod tests {
    use std::{sync::Barrier, thread};

    use super::holder_program;

    #[test]
    fn many_at_once_can_write_and_start_it() {
        for _ in 0..10 {
            let data = tempfile::tempdir().unwrap();
            let all = Barrier::new(8);
            thread::scope(|scope| {
                for _ in 0..8 {
                    scope.spawn(|| {
                        all.wait();
                        let program = holder_program(data.path()).unwrap();
                        holder::IdleHolder::start(&program).unwrap().shut_down();
                    });
                }
            });
        }
    }
}
