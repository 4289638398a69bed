//! Permissions that the user granted or denied for all later runs of a project.
//!
//! They form a layer of the configuration, in a file in the data directory: changes to a file in the user's repository
//! could be committed by accident. To revoke a decision, the user removes it from the file.

use std::{
    fs, io,
    path::{Path, PathBuf},
    sync::{Mutex, PoisonError},
};

use sha2::{Digest, Sha256};
use toml::{Table, Value};

/// Folder of these files in the data directory.
const FOLDER: &str = "permissions";
/// Size limit of the file; larger ones are not read.
const BYTES_MAX: usize = 256 * 1024;
/// Characters of the project's name in the name of its file.
const NAME_CHARS_MAX: usize = 40;
/// Bytes of the hash of the project's path in the name of its file.
const HASH_BYTES: usize = 6;

/// Serializes updates, so that none is lost.
static WRITE_LOCK: Mutex<()> = Mutex::new(());

/// Returns the root of the git repository that a directory is in, else the directory itself.
pub fn project_root(directory: &Path) -> &Path {
    let is_root = |folder: &&Path| folder.join(".git").exists();
    directory.ancestors().find(is_root).unwrap_or(directory)
}

/// Returns the path of the file for the project that contains a folder.
pub fn saved_permissions_file(data: &Path, project: &Path) -> PathBuf {
    let root = canonical_project_root(project);
    let is_plain = |char: char| char.is_ascii_alphanumeric() || "-_.".contains(char);
    let name = root.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let name: String =
        name.chars().map(|char| if is_plain(char) { char } else { '_' }).take(NAME_CHARS_MAX).collect();
    let hash = Sha256::digest(root.as_os_str().as_encoded_bytes());
    let hash: String = hash.iter().take(HASH_BYTES).map(|byte| format!("{byte:02x}")).collect();
    data.join(FOLDER).join(format!("{name}-{hash}.toml"))
}

/// Saves a decision for later runs of a project. Replaces an earlier decision about the same pattern.
pub(crate) fn save_permission(data: &Path, project: &Path, pattern: &str, allowed: bool) -> io::Result<()> {
    let _lock = WRITE_LOCK.lock().unwrap_or_else(PoisonError::into_inner);
    let path = saved_permissions_file(data, project);
    let invalid = |problem: String| io::Error::other(format!("{}: {problem}", path.display()));
    let text = match fs::read_to_string(&path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => String::new(),
        read => read?,
    };
    let mut table: Table =
        text.parse().map_err(|error: toml::de::Error| invalid(error.message().to_owned()))?;
    let permissions = table.entry("permissions").or_insert_with(|| Value::Table(Table::new()));
    let permissions =
        permissions.as_table_mut().ok_or_else(|| invalid("`permissions` is not a table".into()))?;
    for (name, is_target) in [("allow", allowed), ("deny", !allowed)] {
        let list = permissions.entry(name).or_insert_with(|| Value::Array(Vec::new()));
        let list = list.as_array_mut().ok_or_else(|| invalid(format!("`{name}` is not a list")))?;
        list.retain(|item| item.as_str() != Some(pattern));
        if is_target {
            list.push(pattern.into());
        }
    }
    let project = canonical_project_root(project).display().to_string().replace(char::is_control, " ");
    let lists = toml::to_string_pretty(&table).map_err(io::Error::other)?;
    let text = format!("# Permissions of {project}. Remove an entry to be asked again.\n\n{lists}");
    // A file that cannot be read again would prevent every run.
    if text.len() > BYTES_MAX || pattern.contains('\0') {
        return Err(invalid(
            "cannot save this permission; remove entries that are no longer needed".to_owned(),
        ));
    }
    write(&path, &text)
}

/// Writes a file atomically.
fn write(path: &Path, text: &str) -> io::Result<()> {
    fs::create_dir_all(path.parent().unwrap_or(path))?;
    let new = path.with_extension("new");
    fs::write(&new, text)?;
    fs::File::open(&new)?.sync_all()?;
    fs::rename(&new, path)
}

/// Returns the canonical path of a project's root.
/// Returns the root of a project, whichever way it is named.
pub(crate) fn canonical_project_root(project: &Path) -> PathBuf {
    let project = project.canonicalize().unwrap_or_else(|_| project.to_owned());
    project_root(&project).to_owned()
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::{save_permission, saved_permissions_file};

    /// Saves decisions in order, and returns the lists of the file.
    fn save_and_read_back(before: Option<&str>, decisions: &[(&str, bool)]) -> Result<String, String> {
        let folder = tempfile::tempdir().unwrap();
        let (data, project) = (folder.path().join("data"), folder.path().join("project"));
        fs::create_dir_all(&project).unwrap();
        let file = saved_permissions_file(&data, &project);
        if let Some(before) = before {
            fs::create_dir_all(file.parent().unwrap()).unwrap();
            fs::write(&file, before).unwrap();
        }
        for (pattern, allowed) in decisions {
            save_permission(&data, &project, pattern, *allowed).map_err(|error| error.to_string())?;
        }
        let text = fs::read_to_string(&file).unwrap();
        let table: toml::Table = text.parse().unwrap();
        assert!(text.starts_with("# Permissions of /"), "{text}");
        let list = |name: &str| format!("{name} {:?}", texts(&table["permissions"][name]));
        Ok(["allow", "deny"].map(list).join(", "))
    }

    fn texts(list: &toml::Value) -> Vec<&str> {
        list.as_array().unwrap().iter().map(|text| text.as_str().unwrap()).collect()
    }

    #[test]
    fn last_decision_about_a_pattern_replaces_earlier_ones() {
        let once = save_and_read_back(None, &[("=run:make", true), ("=run:a \"b\"\n*", false)]).unwrap();
        assert_eq!(once, r#"allow ["=run:make"], deny ["=run:a \"b\"\n*"]"#);
        let again = save_and_read_back(
            None,
            &[("run:x*", true), ("run:y", true), ("run:x*", false), ("run:x*", false)],
        );
        assert_eq!(again.unwrap(), r#"allow ["run:y"], deny ["run:x*"]"#);
        let edited = save_and_read_back(Some("[permissions]\nallow = ['run:mine']\n"), &[("run:y", true)]);
        assert_eq!(edited.unwrap(), r#"allow ["run:mine", "run:y"], deny []"#);
    }

    #[test]
    fn permissions_that_cannot_be_read_again_are_not_written() {
        for (before, pattern) in [
            ("broken", "run:x"),
            ("permissions = 'ask'", "run:x"),
            ("permissions.allow = 'run:x'", "run:x"),
            ("", "run:\0"),
            ("", "x".repeat(300_000).as_str()),
        ] {
            let error = save_and_read_back(Some(before), &[(pattern, true)]).unwrap_err();
            assert!(error.contains(".toml: "), "{error}");
        }
    }

    #[test]
    fn every_path_of_a_project_has_the_same_file_and_other_projects_have_others() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        fs::create_dir_all(at("one/shop/.git")).unwrap();
        fs::create_dir_all(at("one/shop/deep")).unwrap();
        fs::create_dir_all(at("two/shop")).unwrap();
        std::os::unix::fs::symlink(at("one/shop"), at("link")).unwrap();
        let file = |project: &str| saved_permissions_file(folder.path(), &at(project));
        assert_eq!(file("one/shop"), file("one/shop/deep"));
        assert_eq!(file("one/shop"), file("link"));
        assert_ne!(file("one/shop"), file("two/shop"));
        let name = file("one/shop").file_name().unwrap().to_str().unwrap().to_owned();
        assert!(name.starts_with("shop-") && name.len() == "shop-123456789abc.toml".len(), "{name}");
    }
}
