//! The configuration that is in effect in a folder: finds the files, reads them and merges all layers.

use std::{
    collections::BTreeMap,
    env,
    path::{Path, PathBuf},
};

use config::{ConfigFile, FILE_BYTES_MAX, Layers, LoadedConfig, PROJECT_FILE, Problem, load, user_file};

use super::input::{self, InputError, InputErrorKind};
use crate::{project_root, saved_permissions_file};

/// The files of the configuration and the flags that override them.
#[derive(Debug)]
pub struct ConfigSources {
    /// The user's file, whether or not it exists.
    pub user: Option<PathBuf>,
    /// The project's file: the nearest that exists, else the one that the project's root would have.
    pub project: PathBuf,
    /// Where the project's file was looked for, the nearest place first.
    pub searched: Vec<PathBuf>,
    /// The file with permissions saved for the project, if it was added.
    pub saved_permissions: Option<PathBuf>,
    files: Vec<FileLayer>,
    flags: Vec<String>,
    directory: PathBuf,
}

#[derive(Debug)]
struct FileLayer {
    name: String,
    bytes: Vec<u8>,
    folder: PathBuf,
    is_project: bool,
}

impl ConfigSources {
    /// Reads the user's and the project's files, as far as they exist. Flags have the form `key=value`.
    pub fn read(directory: &Path, flags: &[String]) -> Result<Self, InputError> {
        let mut sources = Self::locate_files(directory, flags);
        let files = sources.user.clone().map(|path| (path, false));
        for (path, is_project) in files.into_iter().chain([(sources.project.clone(), true)]) {
            sources.add_file(&path, is_project, true)?;
        }
        Ok(sources)
    }

    /// Reads the user's file, and `file` instead of the project's.
    pub fn read_with_file(directory: &Path, flags: &[String], file: &Path) -> Result<Self, InputError> {
        let mut sources = Self::locate_files(directory, flags);
        let is_same = |path: &PathBuf| {
            path.canonicalize().is_ok_and(|path| file.canonicalize().is_ok_and(|file| file == path))
        };
        if let Some(user) = sources.user.clone().filter(|path| !is_same(path)) {
            sources.add_file(&user, false, true)?;
        }
        sources.add_file(file, true, false)?;
        Ok(sources)
    }

    /// Adds the permissions saved for the project in a data directory.
    pub fn with_saved_permissions(mut self, data: &Path) -> Result<Self, InputError> {
        let file = saved_permissions_file(data, &self.directory);
        self.add_file(&file, false, true)?;
        self.saved_permissions = Some(file);
        Ok(self)
    }

    /// Returns the configuration, or all its problems.
    pub fn load(&self) -> Result<LoadedConfig, Vec<Problem>> {
        self.load_layers(|_| true)
    }

    /// Returns the configuration without the project's file; `None` if that alone is invalid.
    pub fn load_without_project(&self) -> Option<LoadedConfig> {
        self.load_layers(|content| !content.is_project).ok()
    }

    /// Returns the display names of the files that were read.
    pub fn file_names(&self) -> Vec<&str> {
        self.files.iter().map(|content| content.name.as_str()).collect()
    }

    /// Returns the text of a file that was read, by its display name.
    pub fn file_text(&self, name: &str) -> Option<&str> {
        let content = self.files.iter().find(|content| content.name == name)?;
        std::str::from_utf8(&content.bytes).ok()
    }

    fn locate_files(directory: &Path, flags: &[String]) -> Self {
        let root = project_root(directory);
        let searched: Vec<PathBuf> = directory
            .ancestors()
            .take_while(|folder| folder.starts_with(root))
            .map(|folder| folder.join(PROJECT_FILE))
            .collect();
        let nearest = searched.iter().find(|file| file.exists()).cloned();
        Self {
            user: user_file(|name| env::var_os(name)),
            project: nearest.unwrap_or_else(|| root.join(PROJECT_FILE)),
            searched,
            saved_permissions: None,
            files: Vec::new(),
            flags: flags.to_vec(),
            directory: directory.to_owned(),
        }
    }

    /// Reads a file and adds it as the next layer. An optional file may be missing.
    fn add_file(&mut self, path: &Path, is_project: bool, is_optional: bool) -> Result<(), InputError> {
        let bytes = match input::read(path, FILE_BYTES_MAX) {
            Ok(bytes) => bytes,
            Err(error) if is_optional && matches!(error.kind, InputErrorKind::NotFound) => return Ok(()),
            Err(error) => return Err(error),
        };
        let name = match path.strip_prefix(&self.directory) {
            _ if path == Path::new("-") => "<stdin>".to_owned(),
            Ok(path) => path.display().to_string(),
            Err(_) => path.display().to_string(),
        };
        let folder = self.directory.join(path.parent().unwrap_or(Path::new("")));
        self.files.push(FileLayer { name, bytes, folder, is_project });
        Ok(())
    }

    fn load_layers(&self, is_included: impl Fn(&FileLayer) -> bool) -> Result<LoadedConfig, Vec<Problem>> {
        let files: Vec<_> = self.files.iter().filter(|content| is_included(content)).collect();
        let files: Vec<_> = files
            .iter()
            .map(|content| ConfigFile { name: &content.name, bytes: &content.bytes, folder: &content.folder })
            .collect();
        let environment: BTreeMap<_, _> = env::vars_os()
            .map(|(name, value)| (name.to_string_lossy().into_owned(), value.to_string_lossy().into_owned()))
            .collect();
        load(&Layers {
            files: &files,
            environment: &environment,
            flags: &self.flags,
            builtin_agents: &drivers::preset::preset_names(&toml::Table::new()),
            directory: &self.directory,
            home: env::home_dir().as_deref(),
        })
    }
}

#[cfg(test)]
mod tests {
    use std::{collections::BTreeSet, fs, path::PathBuf};

    use drivers::preset::{self, PresetError};

    use super::ConfigSources;

    /// Makes folders and empty `jangdan.toml` files, and returns the project's file as seen from `directory`, with the
    /// places that were searched.
    fn project_file(folders: &[&str], files: &[&str], directory: &str) -> (PathBuf, Vec<PathBuf>) {
        let root = tempfile::tempdir().unwrap();
        for folder in folders {
            fs::create_dir_all(root.path().join(folder)).unwrap();
        }
        for file in files {
            fs::write(root.path().join(file).join("jangdan.toml"), "").unwrap();
        }
        let sources = ConfigSources::read(&root.path().join(directory), &[]).unwrap();
        let relative = |path: &PathBuf| path.strip_prefix(root.path()).unwrap().to_owned();
        (relative(&sources.project), sources.searched.iter().map(relative).collect())
    }

    #[test]
    fn project_file_is_the_nearest_one_up_to_the_repository_root() {
        let folders = ["above/repo/.git", "above/repo/app/src"];
        let check = |files: &[&str], directory: &str, expected: &str| {
            let (project, _) = project_file(&folders, files, directory);
            assert_eq!(project, PathBuf::from(expected).join("jangdan.toml"), "{files:?} from {directory}");
        };
        check(&["above/repo/app"], "above/repo/app", "above/repo/app");
        check(&["above/repo/app"], "above/repo/app/src", "above/repo/app");
        check(&["above/repo/app", "above/repo"], "above/repo/app/src", "above/repo/app");
        check(&["above/repo/app", "above/repo"], "above/repo", "above/repo");
        check(&["above/repo"], "above/repo/app/src", "above/repo");
        check(&["above"], "above/repo/app/src", "above/repo");
        check(&["above"], "above/repo", "above/repo");
    }

    #[test]
    fn outside_a_repository_only_the_directory_itself_is_searched() {
        let (project, searched) = project_file(&["above/here"], &["above"], "above/here");
        assert_eq!(project, PathBuf::from("above/here/jangdan.toml"));
        assert_eq!(searched, [PathBuf::from("above/here/jangdan.toml")]);
    }

    #[test]
    fn searched_places_go_from_the_directory_to_the_root() {
        let (_, searched) = project_file(&["repo/.git", "repo/app/src"], &[], "repo/app/src");
        let expected = ["repo/app/src/jangdan.toml", "repo/app/jangdan.toml", "repo/jangdan.toml"];
        assert_eq!(searched, expected.map(PathBuf::from));
    }

    /// Returns the keys of a preset's table, as its parser lists them.
    fn parsed_keys(text: &str) -> BTreeSet<String> {
        let added = format!("[x]\nextends = 'shell'\n{text}").parse().unwrap();
        let Err(PresetError::Wrong { problem, .. }) = preset::resolve_preset("x", &added) else {
            panic!("{text}")
        };
        let (_, expected) = problem.split_once("expected one of").unwrap();
        expected.split('`').skip(1).step_by(2).map(str::to_owned).collect()
    }

    /// Returns the configuration's keys below a prefix.
    fn config_keys(prefix: &str) -> BTreeSet<String> {
        let keys = config::KEYS.iter().filter_map(|key| key.name.strip_prefix(prefix));
        let keys = keys.filter_map(|key| key.split('.').next());
        // The role in the team is not part of a preset, and `extends` is resolved before it is parsed.
        keys.filter(|key| !["extends", "role", "slots"].contains(key)).map(str::to_owned).collect()
    }

    #[test]
    fn configuration_has_exactly_the_keys_of_a_preset() {
        assert_eq!(config_keys("agents.*."), parsed_keys("no_such_key = 1"));
        assert_eq!(config_keys("agents.*.typing."), parsed_keys("typing.no_such_key = 1"));
        assert_eq!(config_keys("agents.*.login."), parsed_keys("login.no_such_key = 1"));
    }
}
