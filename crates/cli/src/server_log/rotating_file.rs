//! A log file of bounded size: when it is full it is renamed, and the oldest of its predecessors is deleted.

use std::{
    fs::{self, File},
    io::{self, Write},
    os::unix::fs::{DirBuilderExt, OpenOptionsExt},
    path::PathBuf,
};

/// Name of the file that is written; `jangdan.log.1` is its predecessor.
const NAME: &str = "jangdan.log";
/// Size at which the next file is started. A day of a busy server has about 10 MiB.
const BYTES_MAX: u64 = 4 << 20;
/// Number of files, with the one that is written.
const FILES_MAX: u32 = 5;

/// Opens its file when the first line is written.
pub(super) struct RotatingFile {
    folder: PathBuf,
    open_file: Option<OpenFile>,
    bytes_max: u64,
}

struct OpenFile {
    file: File,
    bytes: u64,
}

impl RotatingFile {
    pub(super) fn in_folder(folder: PathBuf) -> Self {
        Self { folder, open_file: None, bytes_max: BYTES_MAX }
    }

    fn open(&self) -> io::Result<OpenFile> {
        fs::DirBuilder::new().recursive(true).mode(0o700).create(&self.folder)?;
        // Readable by its owner only, as the rest of the data directory.
        let options = fs::OpenOptions::new().create(true).append(true).mode(0o600).to_owned();
        let file = options.open(self.folder.join(NAME))?;
        let bytes = file.metadata()?.len();
        Ok(OpenFile { file, bytes })
    }

    fn rotate(&self) -> io::Result<()> {
        let path = |number: u32| match number {
            0 => self.folder.join(NAME),
            number => self.folder.join(format!("{NAME}.{number}")),
        };
        for number in (1..FILES_MAX).rev() {
            match fs::rename(path(number - 1), path(number)) {
                Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
                Ok(()) | Err(_) => {}
            }
        }
        Ok(())
    }
}

impl Write for RotatingFile {
    fn write(&mut self, line: &[u8]) -> io::Result<usize> {
        let n_bytes = u64::try_from(line.len()).unwrap_or(u64::MAX);
        let is_full = |open: &OpenFile| open.bytes > 0 && open.bytes.saturating_add(n_bytes) > self.bytes_max;
        let mut open_file = match self.open_file.take() {
            Some(open_file) => open_file,
            None => self.open()?,
        };
        if is_full(&open_file) {
            self.rotate()?;
            open_file = self.open()?;
        }
        let written = open_file.file.write(line);
        if let Ok(written) = written {
            open_file.bytes += u64::try_from(written).unwrap_or(0);
        }
        self.open_file = Some(open_file);
        written
    }

    fn flush(&mut self) -> io::Result<()> {
        // Nothing is buffered.
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    #[test]
    fn full_files_are_renamed_and_the_oldest_is_deleted() {
        let data = tempfile::tempdir().unwrap();
        let folder = data.path().join("logs");
        let mut log = RotatingFile { bytes_max: 10, ..RotatingFile::in_folder(folder.clone()) };
        assert!(!folder.exists(), "nothing is created before the first line");
        for number in 0..7 {
            log.write_all(format!("line {number}\n").as_bytes()).unwrap();
        }
        let read = |name: &str| fs::read_to_string(folder.join(name)).ok();
        assert_eq!(read("jangdan.log").as_deref(), Some("line 6\n"));
        assert_eq!(read("jangdan.log.1").as_deref(), Some("line 5\n"));
        assert_eq!(read("jangdan.log.4").as_deref(), Some("line 2\n"));
        assert_eq!(fs::read_dir(&folder).unwrap().count(), 5);
        let mode = fs::metadata(folder.join("jangdan.log")).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
    }

    #[test]
    fn a_new_process_continues_the_file() {
        let data = tempfile::tempdir().unwrap();
        for text in ["one\n", "two\n"] {
            RotatingFile::in_folder(data.path().to_owned()).write_all(text.as_bytes()).unwrap();
        }
        assert_eq!(fs::read_to_string(data.path().join(NAME)).unwrap(), "one\ntwo\n");
    }
}
