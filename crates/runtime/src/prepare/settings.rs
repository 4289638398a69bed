//! The configuration of a folder: finds the files, reads them, and puts all layers together.

use std::{
    collections::BTreeMap,
    env,
    path::{Path, PathBuf},
};

use config::{FILE_BYTES_MAX, File, Layers, Loaded, PROJECT_FILE, Problem, load, user_file};

use super::input::{self, InputError, Reason};
use crate::{choices_file, project_root};

/// The files of the configuration, and what else is said.
#[derive(Debug)]
pub struct Settings {
    /// Where the user's own file is, or would be.
    pub user: Option<PathBuf>,
    /// Where the project's is, or would be.
    pub project: PathBuf,
    /// Where choices are that were kept for the project, where they count.
    pub choices: Option<PathBuf>,
    files: Vec<Content>,
    flags: Vec<String>,
    directory: PathBuf,
}

/// A file that was read.
#[derive(Debug)]
struct Content {
    name: String,
    bytes: Vec<u8>,
    folder: PathBuf,
    is_project: bool,
}

impl Settings {
    /// Reads the user's and the project's files, those that are there; flags are written as `key=value`.
    pub fn read(directory: &Path, flags: &[String]) -> Result<Self, InputError> {
        let mut settings = Self::find(directory, flags);
        let files = settings.user.clone().map(|path| (path, false));
        for (path, is_project) in files.into_iter().chain([(settings.project.clone(), true)]) {
            settings.take(&path, is_project, true)?;
        }
        Ok(settings)
    }

    /// Reads the user's file, and another one in the place of the project's.
    pub fn read_file(directory: &Path, flags: &[String], file: &Path) -> Result<Self, InputError> {
        let mut settings = Self::find(directory, flags);
        let is_same = |path: &PathBuf| {
            path.canonicalize().is_ok_and(|path| file.canonicalize().is_ok_and(|file| file == path))
        };
        if let Some(user) = settings.user.clone().filter(|path| !is_same(path)) {
            settings.take(&user, false, true)?;
        }
        settings.take(file, true, false)?;
        Ok(settings)
    }

    /// Adds what was kept for the project in a data directory.
    pub fn with_choices(mut self, data: &Path) -> Result<Self, InputError> {
        let choices = choices_file(data, &self.directory);
        self.take(&choices, false, true)?;
        self.choices = Some(choices);
        Ok(self)
    }

    /// Returns the configuration, or all that is wrong with it.
    pub fn load(&self) -> Result<Loaded, Vec<Problem>> {
        self.load_some(|_| true)
    }

    /// Returns the configuration as it would be without the project's file, if it could be used then.
    pub fn load_without_project(&self) -> Option<Loaded> {
        self.load_some(|content| !content.is_project).ok()
    }

    /// Returns the names of the files that were read.
    pub fn names(&self) -> Vec<&str> {
        self.files.iter().map(|content| content.name.as_str()).collect()
    }

    /// Returns what is in a file that was read.
    pub fn text_of(&self, name: &str) -> Option<&str> {
        let content = self.files.iter().find(|content| content.name == name)?;
        std::str::from_utf8(&content.bytes).ok()
    }

    fn find(directory: &Path, flags: &[String]) -> Self {
        Self {
            user: user_file(|name| env::var_os(name)),
            project: project_root(directory).join(PROJECT_FILE),
            choices: None,
            files: Vec::new(),
            flags: flags.to_vec(),
            directory: directory.to_owned(),
        }
    }

    /// Reads a file; one that need not be there may be missing.
    fn take(&mut self, path: &Path, is_project: bool, may_miss: bool) -> Result<(), InputError> {
        let bytes = match input::read(path, FILE_BYTES_MAX) {
            Ok(bytes) => bytes,
            Err(error) if may_miss && matches!(error.reason, Reason::NotFound) => return Ok(()),
            Err(error) => return Err(error),
        };
        let name = match path.strip_prefix(&self.directory) {
            _ if path == Path::new("-") => "<stdin>".to_owned(),
            Ok(path) => path.display().to_string(),
            Err(_) => path.display().to_string(),
        };
        let folder = self.directory.join(path.parent().unwrap_or(Path::new("")));
        self.files.push(Content { name, bytes, folder, is_project });
        Ok(())
    }

    fn load_some(&self, is_wanted: impl Fn(&Content) -> bool) -> Result<Loaded, Vec<Problem>> {
        let files: Vec<_> = self.files.iter().filter(|content| is_wanted(content)).collect();
        let files: Vec<_> = files
            .iter()
            .map(|content| File { name: &content.name, bytes: &content.bytes, folder: &content.folder })
            .collect();
        let environment: BTreeMap<_, _> = env::vars_os()
            .map(|(name, value)| (name.to_string_lossy().into_owned(), value.to_string_lossy().into_owned()))
            .collect();
        load(&Layers {
            files: &files,
            environment: &environment,
            flags: &self.flags,
            own_agents: &drivers::preset::names(&toml::Table::new()),
            directory: &self.directory,
            home: env::home_dir().as_deref(),
        })
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use drivers::preset::{self, PresetError};

    /// Returns the keys that a preset's table takes, as its reader names them.
    fn taken(text: &str) -> BTreeSet<String> {
        let added = format!("[x]\nextends = 'shell'\n{text}").parse().unwrap();
        let Err(PresetError::Wrong { problem, .. }) = preset::pick("x", &added) else { panic!("{text}") };
        let (_, expected) = problem.split_once("expected one of").unwrap();
        expected.split('`').skip(1).step_by(2).map(str::to_owned).collect()
    }

    /// Returns the keys that the configuration has at such a place.
    fn known(prefix: &str) -> BTreeSet<String> {
        let keys = config::KEYS.iter().filter_map(|key| key.name.strip_prefix(prefix));
        let keys = keys.filter_map(|key| key.split('.').next());
        // What an agent is in the team is no part of its preset, and what it extends is gone when it is read.
        keys.filter(|key| !["extends", "role", "slots"].contains(key)).map(str::to_owned).collect()
    }

    #[test]
    fn the_configuration_has_every_key_of_a_preset_and_no_other() {
        assert_eq!(known("agents.*."), taken("no_such_key = 1"));
        assert_eq!(known("agents.*.typing."), taken("typing.no_such_key = 1"));
        assert_eq!(known("agents.*.login."), taken("login.no_such_key = 1"));
    }
}
