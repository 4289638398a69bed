//! The embedded holder program, written to the data directory to be run.

use std::{
    fs, io,
    io::Write,
    os::unix::fs::{DirBuilderExt, OpenOptionsExt},
    path::{Path, PathBuf},
    sync::{Mutex, PoisonError},
};

/// Built by this crate's build script.
const PROGRAM: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/jangdan-holder"));

/// Target triple of the embedded holder: `…-musl` if the toolchain had that target at build time.
pub const HOLDER_TARGET: &str = env!("HOLDER_TARGET");

/// A hash of the program.
const HASH: &str = env!("HOLDER_HASH");

/// Serializes writing: a program file that is open for writing cannot be started.
static WRITE_LOCK: Mutex<()> = Mutex::new(());

/// Returns the path of the holder program. Writes it below the data directory if it is missing.
///
/// The file name contains a hash of the program, so that running sessions keep their version and every version of
/// Jangdan has its own.
pub fn holder_program(data: &Path) -> io::Result<PathBuf> {
    let folder = data.join("bin");
    fs::DirBuilder::new().recursive(true).mode(0o700).create(&folder)?;
    let path = folder.join(format!("jangdan-holder-{HASH}"));
    let _guard = WRITE_LOCK.lock().unwrap_or_else(PoisonError::into_inner);
    let is_written = fs::metadata(&path).is_ok_and(|metadata| metadata.len() == PROGRAM.len() as u64);
    if !is_written {
        // Written to another file and renamed, so that an incomplete program is never started.
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
    fn concurrent_threads_can_write_and_start_the_program() {
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
