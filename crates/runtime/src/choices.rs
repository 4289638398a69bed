//! What a person chose about permissions for all runs of a project, beyond the run in which they were asked.
//!
//! It is a layer of the configuration in a file of its own in the data directory: a server that edits a file in somebody's
//! repository would have it committed by accident. Whoever takes a choice back removes it from the file.

use std::{
    fs, io,
    path::{Path, PathBuf},
    sync::{Mutex, PoisonError},
};

use sha2::{Digest, Sha256};
use toml::{Table, Value};

/// The folder of these files.
const FOLDER: &str = "permissions";
/// A file that is larger is read by nobody.
const BYTES_MAX: usize = 256 * 1024;
/// How much of a project's name is in that of its file.
const NAME_SIGNS_MAX: usize = 40;
/// How much of the hash of its path.
const HASH_BYTES: usize = 6;

/// One writes at a time, and each writes what the others did too.
static WRITING: Mutex<()> = Mutex::new(());

/// Returns the root of the git repository that a directory is in, else the directory itself.
pub fn project_root(directory: &Path) -> &Path {
    let is_root = |folder: &&Path| folder.join(".git").exists();
    directory.ancestors().find(is_root).unwrap_or(directory)
}

/// Returns the file with the choices that were kept for a project, whichever folder of it is named.
pub fn choices_file(data: &Path, project: &Path) -> PathBuf {
    let root = root(project);
    let is_plain = |sign: char| sign.is_ascii_alphanumeric() || "-_.".contains(sign);
    let name = root.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let name: String =
        name.chars().map(|sign| if is_plain(sign) { sign } else { '_' }).take(NAME_SIGNS_MAX).collect();
    let hash = Sha256::digest(root.as_os_str().as_encoded_bytes());
    let hash: String = hash.iter().take(HASH_BYTES).map(|byte| format!("{byte:02x}")).collect();
    data.join(FOLDER).join(format!("{name}-{hash}.toml"))
}

/// Keeps a choice for later runs of a project. The last word about a pattern holds.
pub(crate) fn keep_permission(data: &Path, project: &Path, pattern: &str, allowed: bool) -> io::Result<()> {
    let _turn = WRITING.lock().unwrap_or_else(PoisonError::into_inner);
    let path = choices_file(data, project);
    let refused = |why: String| io::Error::other(format!("{}: {why}", path.display()));
    let text = match fs::read_to_string(&path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => String::new(),
        read => read?,
    };
    let mut table: Table =
        text.parse().map_err(|error: toml::de::Error| refused(error.message().to_owned()))?;
    let permissions = table.entry("permissions").or_insert_with(|| Value::Table(Table::new()));
    let permissions =
        permissions.as_table_mut().ok_or_else(|| refused("`permissions` is no table".into()))?;
    for (name, is_meant) in [("allow", allowed), ("deny", !allowed)] {
        let list = permissions.entry(name).or_insert_with(|| Value::Array(Vec::new()));
        let list = list.as_array_mut().ok_or_else(|| refused(format!("`{name}` is no list")))?;
        list.retain(|item| item.as_str() != Some(pattern));
        if is_meant {
            list.push(pattern.into());
        }
    }
    let about = root(project).display().to_string().replace(char::is_control, " ");
    let lists = toml::to_string_pretty(&table).map_err(io::Error::other)?;
    let text = format!("# Kept for {about}. Remove what you want to be asked about again.\n\n{lists}");
    // What can't be read again would hinder every run.
    if text.len() > BYTES_MAX || pattern.contains('\0') {
        return Err(refused("this choice can't be kept; remove some that nobody needs".to_owned()));
    }
    write(&path, &text)
}

/// Writes a file, whole or not at all.
fn write(path: &Path, text: &str) -> io::Result<()> {
    fs::create_dir_all(path.parent().unwrap_or(path))?;
    let new = path.with_extension("new");
    fs::write(&new, text)?;
    fs::File::open(&new)?.sync_all()?;
    fs::rename(&new, path)
}

/// Returns the one path of a project that all ways to it lead to.
fn root(project: &Path) -> PathBuf {
    let project = project.canonicalize().unwrap_or_else(|_| project.to_owned());
    project_root(&project).to_owned()
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::{choices_file, keep_permission};

    /// Keeps choices one after the other, and returns the file's lines below its head.
    fn kept(before: Option<&str>, choices: &[(&str, bool)]) -> Result<String, String> {
        let folder = tempfile::tempdir().unwrap();
        let (data, project) = (folder.path().join("data"), folder.path().join("project"));
        fs::create_dir_all(&project).unwrap();
        let file = choices_file(&data, &project);
        if let Some(before) = before {
            fs::create_dir_all(file.parent().unwrap()).unwrap();
            fs::write(&file, before).unwrap();
        }
        for (pattern, allowed) in choices {
            keep_permission(&data, &project, pattern, *allowed).map_err(|error| error.to_string())?;
        }
        let text = fs::read_to_string(&file).unwrap();
        let table: toml::Table = text.parse().unwrap();
        assert!(text.starts_with("# Kept for /"), "{text}");
        let list = |name: &str| format!("{name} {:?}", texts(&table["permissions"][name]));
        Ok(["allow", "deny"].map(list).join(", "))
    }

    fn texts(list: &toml::Value) -> Vec<&str> {
        list.as_array().unwrap().iter().map(|text| text.as_str().unwrap()).collect()
    }

    #[test]
    fn the_last_word_about_a_pattern_holds() {
        let once = kept(None, &[("=run:make", true), ("=run:a \"b\"\n*", false)]).unwrap();
        assert_eq!(once, r#"allow ["=run:make"], deny ["=run:a \"b\"\n*"]"#);
        let again = kept(None, &[("run:x*", true), ("run:y", true), ("run:x*", false), ("run:x*", false)]);
        assert_eq!(again.unwrap(), r#"allow ["run:y"], deny ["run:x*"]"#);
        let edited = kept(Some("[permissions]\nallow = ['run:mine']\n"), &[("run:y", true)]);
        assert_eq!(edited.unwrap(), r#"allow ["run:mine", "run:y"], deny []"#);
    }

    #[test]
    fn what_nobody_could_read_again_is_not_written() {
        for (before, pattern) in [
            ("broken", "run:x"),
            ("permissions = 'ask'", "run:x"),
            ("permissions.allow = 'run:x'", "run:x"),
            ("", "run:\0"),
            ("", "x".repeat(300_000).as_str()),
        ] {
            let refused = kept(Some(before), &[(pattern, true)]).unwrap_err();
            assert!(refused.contains(".toml: "), "{refused}");
        }
    }

    #[test]
    fn all_ways_to_a_project_lead_to_one_file_and_two_projects_have_two() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        fs::create_dir_all(at("one/shop/.git")).unwrap();
        fs::create_dir_all(at("one/shop/deep")).unwrap();
        fs::create_dir_all(at("two/shop")).unwrap();
        std::os::unix::fs::symlink(at("one/shop"), at("link")).unwrap();
        let file = |project: &str| choices_file(folder.path(), &at(project));
        assert_eq!(file("one/shop"), file("one/shop/deep"));
        assert_eq!(file("one/shop"), file("link"));
        assert_ne!(file("one/shop"), file("two/shop"));
        let name = file("one/shop").file_name().unwrap().to_str().unwrap().to_owned();
        assert!(name.starts_with("shop-") && name.len() == "shop-123456789abc.toml".len(), "{name}");
    }
}
